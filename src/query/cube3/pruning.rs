//! Pruning tables of optimal solvers: bounds in two bits.

use twistbase_tables::NxTable;

/// A pruning table over any reader of it, which must be of its layout.
#[derive(Debug)]
pub struct Pruning<E> {
    /// The table.
    pub table: &'static NxTable,
    /// Its reader.
    pub entries: E,
}
