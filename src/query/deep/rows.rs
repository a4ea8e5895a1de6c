//! Rows of a table, each computed anew from those of its neighbours.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Result};
use twistbase_levelset::Kernel;
use twistbase_store::{Entries, Store, StoredTable};
use twistbase_tables::{self as tables, Definition, RestoreRows};

/// What checking a row came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowCheck {
    /// The row.
    pub row: u32,
    /// BLAKE3 of the row's bytes as they were read, in hexadecimal.
    pub digest: String,
    /// How many positions of the puzzle are at distance 0, 1, 2, …, up to the last distance of the row: counted anew in the
    /// bytes that were read.
    pub positions: Vec<u64>,
    /// What is wrong, in words; none if the row follows from its neighbours and is what its record says.
    pub fault: Option<String>,
}

/// Computes rows of a table anew from those of their neighbours, and compares.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_levelset::Kernel; pub use {twistbase_puzzle as puzzle, twistbase_query as query, twistbase_store as store, twistbase_tables as tables}; }
/// # use twistbase::tables::{self, BuildRequest};
/// # use twistbase::{Context, Kernel, query::RowChecker, store::Store};
/// # let folder = tempfile::tempdir().unwrap();
/// # let ctx = Context::silent();
/// let store = Store::open(folder.path());
/// let corners = tables::find("square1-corners").expect("a registered table");
/// tables::build(&store, corners, &BuildRequest::default(), &ctx)?;
/// let checker = RowChecker::open(&store, corners, 1 << 30, Kernel::detect())?;
/// assert_eq!(checker.check(7, &ctx)?.fault, None);
/// # Ok::<(), twistbase::Error>(())
/// ```
pub struct RowChecker {
    stored: StoredTable,
    restorer: Box<dyn RestoreRows>,
    memory: u64,
    kernel: Kernel,
}

impl RowChecker {
    /// Opens a table, complete or built to a depth, to check its rows one by one within `memory` bytes.
    ///
    /// # Errors
    /// [`Error::Usage`] for a table whose rows do not follow from others, naming those whose rows do; otherwise those of
    /// [`Store::table_to_depth`].
    pub fn open(store: &Store, table: &'static dyn Definition, memory: u64, kernel: Kernel) -> Result<Self> {
        let restorer = table.restorer().ok_or_else(|| not_restored(table))?;
        Ok(Self { stored: store.table_to_depth(table.layout())?, restorer, memory, kernel })
    }

    /// The table as it is stored.
    pub fn stored(&self) -> &StoredTable {
        &self.stored
    }

    /// Computes a row from those of its neighbours, on all threads of rayon's pool, and compares.
    ///
    /// # Errors
    /// [`Error::Usage`] for a row that the table does not have; [`Error::Memory`] if it and its neighbours do not fit the
    /// memory; [`Error::Data`] (damaged) if one of them cannot be read; [`Error::Io`]; [`Error::Interrupted`].
    pub fn check(&self, row: u32, ctx: &Context) -> Result<RowCheck> {
        self.examine(row, ctx).map(|(check, _)| check)
    }

    /// The same, with its fault as a reader would meet it.
    pub(super) fn examine(&self, row: u32, ctx: &Context) -> Result<(RowCheck, Option<DataError>)> {
        let layout = self.stored.layout();
        let record = self.stored.row_record(row)?;
        let alone = BTreeSet::from([row]);
        Error::check_memory(self.memory, self.restorer.restore_memory(&alone))?;
        let mut read = |row: u32, bytes: &mut [u8]| self.stored.read_row(row, bytes);
        let restored = self.restorer.restore(&alone, self.stored.depth(), &mut read, self.kernel, ctx)?;
        let mut bytes = vec![0; layout.row_bytes()];
        self.stored.read_row(row, &mut bytes)?;
        let differing =
            restored.first().and_then(|must| must.bytes.iter().zip(&bytes).position(|(must, is)| must != is));
        let (levels, digest) = (self.restorer.levels(row, &bytes), blake3::hash(&bytes).to_hex().to_string());
        let fault = if let Some(byte) = differing {
            let entry = byte as u64 * u64::from(layout.packing.per_byte());
            let detail = format!("entry {entry} or the next one contradicts its neighbours");
            Some(layout.damaged_entry(row, entry, detail))
        } else if digest != record.digest {
            Some(layout.damaged_row(row, "the row does not match its digest".to_owned()))
        } else if record.row_levels().trimmed() != levels {
            Some(layout.damaged_row(row, "the row's record contradicts its entries".to_owned()))
        } else {
            None
        };
        let detail = fault.as_ref().map(|fault| fault.detail.clone());
        Ok((RowCheck { row, digest, positions: levels.positions, fault: detail }, fault))
    }
}

#[cold]
fn not_restored(table: &dyn Definition) -> Error {
    let restored = tables::all().iter().filter(|table| table.restorer().is_some());
    let names: Vec<_> = restored.map(|table| table.layout().name).collect();
    let (name, names) = (table.layout().name, names.join(", "));
    Error::Usage(format!("cannot check rows of {name} against each other; choose from: {names}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;
    use twistbase_core::error::Fault;
    use twistbase_store::{BuildInfo, BuildStart, RowLevels};
    use twistbase_tables::{BuildRequest, build, find};

    fn corners() -> &'static dyn Definition {
        find("square1-corners").unwrap()
    }

    fn built(depth: Option<u8>) -> (TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path());
        build(&store, corners(), &BuildRequest { depth, ..BuildRequest::default() }, &Context::silent()).unwrap();
        (folder, store)
    }

    fn opened(store: &Store) -> RowChecker {
        RowChecker::open(store, corners(), 1 << 30, Kernel::detect()).unwrap()
    }

    /// A copy of a table with right checksums, of which one row is changed.
    fn changed(right: &StoredTable, row: u32, change: impl Fn(&mut [u8], &mut RowLevels)) -> (TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path());
        let layout = right.layout();
        let started = store.build(layout, None, false, &Context::silent()).unwrap();
        let BuildStart::Building(mut builder) = started else { panic!("there was nothing") };
        for each in (0..layout.rows).filter(|&each| each != row) {
            builder.take_row(right, each).unwrap();
        }
        let (mut bytes, mut levels) = (vec![0; layout.row_bytes()], right.row_record(row).unwrap().row_levels());
        right.read_row(row, &mut bytes).unwrap();
        change(&mut bytes, &mut levels);
        builder.put_row(builder.encoder().encode(row, &bytes, &levels).unwrap()).unwrap();
        builder.finish(BuildInfo::default()).unwrap();
        (folder, store)
    }

    fn fault(checker: &RowChecker, row: u32) -> Option<String> {
        checker.check(row, &Context::silent()).unwrap().fault
    }

    #[test]
    fn a_row_is_checked_in_no_more_memory_than_it_needs() {
        let (_folder, store) = built(Some(2));
        let with = |memory| RowChecker::open(&store, corners(), memory, Kernel::detect()).unwrap();
        let needed = opened(&store).restorer.restore_memory(&BTreeSet::from([3]));
        with(needed).check(3, &Context::silent()).unwrap();
        let Err(Error::Memory(message)) = with(needed - 1).check(3, &Context::silent()) else { panic!("it fits") };
        assert_eq!(Error::Memory(message).to_string(), Error::small_memory(needed - 1, needed).to_string());
    }

    #[test]
    fn every_row_follows_from_its_neighbours_and_is_what_its_record_says() {
        for depth in [None, Some(4)] {
            let (_folder, store) = built(depth);
            let checker = opened(&store);
            for row in 0..corners().layout().rows {
                let check = checker.check(row, &Context::silent()).unwrap();
                let record = checker.stored().row_record(row).unwrap();
                assert_eq!((check.row, &check.fault), (row, &None), "{depth:?}");
                assert_eq!(
                    (&check.digest, &check.positions),
                    (&record.digest, &record.row_levels().trimmed().positions)
                );
                let text = serde_json::to_string(&check).unwrap();
                assert_eq!(serde_json::from_str::<RowCheck>(&text).unwrap(), check);
            }
        }
    }

    #[test]
    fn a_changed_entry_and_wrong_counts_are_found() {
        let (_folder, store) = built(None);
        let right = opened(&store);
        let row = 41;
        let (_copy, wrong) = changed(right.stored(), row, |bytes, _| bytes[777] ^= 1);
        let wrong = opened(&wrong);
        let found = fault(&wrong, row).unwrap();
        assert!(found.contains("entry 1554") && found.contains("contradicts its neighbours"), "{found}");
        let [is, must] = [&wrong, &right].map(|table| table.check(row, &Context::silent()).unwrap());
        assert!(is.digest != must.digest && is.positions != must.positions, "the check reports what was read");
        let sum = |check: &RowCheck| check.positions.iter().sum::<u64>();
        assert_eq!(sum(&is), sum(&must));

        let (_copy, wrong) = changed(right.stored(), row, |_, levels| levels.positions.swap(4, 5));
        let wrong = opened(&wrong);
        let found = fault(&wrong, row).unwrap();
        assert!(found.contains("contradicts its entries"), "{found}");
        assert_eq!(wrong.check(row, &Context::silent()).unwrap().positions, must.positions, "they are counted anew");
        assert_eq!(fault(&wrong, row + 1), None);
    }

    #[test]
    fn what_cannot_be_checked_is_refused() {
        let (_folder, store) = built(None);
        let open = |name| RowChecker::open(&store, find(name).unwrap(), 1 << 30, Kernel::detect()).err();
        let Some(Error::Usage(why)) = open("phase1") else { panic!("its rows follow from nothing") };
        assert!(why.contains("phase1") && why.ends_with("cube21, square1, square1-corners"), "{why}");
        assert!(matches!(open("cube21"), Some(Error::Data(fault)) if fault.fault == Fault::Missing));
        let checker = opened(&store);
        assert!(matches!(checker.check(90, &Context::silent()), Err(Error::Usage(_))));
        let small = RowChecker::open(&store, corners(), 1000, Kernel::detect()).unwrap();
        assert!(matches!(small.check(0, &Context::silent()), Err(Error::Memory(_))));
    }
}
