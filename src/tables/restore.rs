//! Rows of exact tables, from the rows of their neighbours.

use std::collections::BTreeSet;

use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_levelset::Kernel;
use twistbase_store::RowLevels;

/// Reads a row that is intact: its number, and where its bytes go.
pub type ReadRow<'a> = dyn FnMut(u32, &mut [u8]) -> Result<()> + 'a;

/// A row as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredRow {
    /// Its number.
    pub row: u32,
    /// Its bytes, as the table's layout packs them.
    pub bytes: Vec<u8>,
    /// Its levels.
    pub levels: RowLevels,
}

/// A table of which each row follows from others: the distance of an entry is one more than the least distance of its
/// neighbours. What is lost is restored from what is not; what is there is checked against its neighbours.
pub trait RestoreRows: Send + Sync {
    /// The rows that are read to restore some, these not included.
    fn sources(&self, rows: &BTreeSet<u32>) -> BTreeSet<u32>;

    /// Bytes of memory that it takes.
    fn restore_memory(&self, rows: &BTreeSet<u32>) -> u64;

    /// The levels of a row's bytes, up to the last one that it has, whether or not they are right.
    fn levels(&self, row: u32, bytes: &[u8]) -> RowLevels;

    /// Restores some rows of a table that is complete, or built to `depth`; the same bytes come out that the generator
    /// makes.
    ///
    /// # Errors
    /// Those of `read`; [`Error::Memory`](twistbase_core::error::Error::Memory) if there is no memory;
    /// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    fn restore(
        &self,
        rows: &BTreeSet<u32>,
        depth: Option<u8>,
        read: &mut ReadRow<'_>,
        kernel: Kernel,
        ctx: &Context,
    ) -> Result<Vec<RestoredRow>>;
}
