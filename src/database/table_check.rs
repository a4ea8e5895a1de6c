//! Combines the checks of single rows into the check of a table.

use serde::Serialize;

use super::{CountComparison, Database, RowFault, StoreItem, TableId};
use twistbase_core::error::{Error, Remedy, Result};
use twistbase_levelset::Kernel;
use twistbase_query::{RowCheck, RowChecker};
use twistbase_store::{Geometry, add_levels, table_digest};

/// The result of checking every row of a table against its neighbours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableCheck {
    /// The table.
    pub table: TableId,
    /// The depth of the table; `None` if it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Whether no row has a fault, the rows are those of the table, and the counts are the expected ones.
    pub holds: bool,
    /// Checked rows: all.
    pub rows: u32,
    /// The digest of the rows read.
    pub digest: String,
    /// The digest of the table in its manifest.
    pub table_digest: String,
    /// The faulty rows, ascending.
    pub faults: Vec<RowFault>,
    /// Positions at each distance, counted in the rows read.
    pub positions: CountComparison,
}

impl TableCheck {
    /// Combines the checks of all rows of a table, in any order. `depth` and `digest` come from its manifest
    /// ([`Manifest::depth`](twistbase_store::Manifest::depth), [`Manifest::digest`](twistbase_store::Manifest::digest)).
    ///
    /// # Errors
    /// [`Error::Usage`] for a missing, repeated or unknown row.
    pub fn of(
        table: TableId,
        depth: Option<u8>,
        digest: &str,
        checks: impl IntoIterator<Item = RowCheck>,
    ) -> Result<Self> {
        let rows = all_rows(table, checks)?;
        let (definition, mut positions) = (table.definition(), Vec::new());
        rows.iter().for_each(|check| add_levels(&mut positions, &check.positions));
        let found = rows.iter().map(|check| check.digest.as_str());
        let found = table_digest(&Geometry::from(definition.layout()), depth, found);
        let positions = CountComparison::new(positions, depth, definition.expected());
        let fault = |check: RowCheck| {
            Some(RowFault {
                row: check.row,
                row_name: StoreItem::Table(table).row_name(check.row),
                reason: check.fault?,
                // The bytes are as written: only another build helps.
                remedy: Some(Remedy::replace(table.name())),
            })
        };
        let faults: Vec<RowFault> = rows.into_iter().filter_map(fault).collect();
        Ok(Self {
            table,
            depth,
            holds: faults.is_empty() && found == digest && !positions.differs(),
            rows: definition.layout().rows,
            digest: found,
            table_digest: digest.to_owned(),
            faults,
            positions,
        })
    }
}

/// The check of each row of a table, in their order.
fn all_rows(table: TableId, checks: impl IntoIterator<Item = RowCheck>) -> Result<Vec<RowCheck>> {
    let layout = table.definition().layout();
    let mut rows: Vec<Option<RowCheck>> = (0..layout.rows).map(|_| None).collect();
    for check in checks {
        let row = check.row;
        let slot = rows.get_mut(row as usize).ok_or_else(|| layout.outside(row, 0))?;
        if slot.replace(check).is_some() {
            return Err(Error::Usage(format!("row {row} of {table} was checked twice")));
        }
    }
    let missing = rows.iter().filter(|check| check.is_none()).count();
    match rows.iter().position(Option::is_none) {
        Some(first) => Err(Error::Usage(format!(
            "{missing} of {} rows of {table} were not checked, beginning with {first}",
            layout.rows
        ))),
        None => Ok(rows.into_iter().flatten().collect()),
    }
}

impl Database {
    /// Opens a table of the Square-1 family, complete or built to a depth, to check single rows within `memory` bytes. In these tables
    /// each row follows from others. [`TableCheck::of`] combines the checks.
    ///
    /// # Errors
    /// As [`RowChecker::open`].
    pub fn row_checker(&self, table: TableId, memory: u64, kernel: Kernel) -> Result<RowChecker> {
        RowChecker::open(self.store(), table.definition(), memory, kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_core::context::Context;
    use twistbase_tables::BuildRequest;

    /// The table `square1-corners`, its depth and digest, and the checks of its rows.
    fn checked(depth: Option<u8>) -> (TableId, String, Vec<RowCheck>) {
        let folder = tempfile::tempdir().unwrap();
        let (database, ctx) = (Database::open(folder.path()).unwrap(), Context::silent());
        let table: TableId = "square1-corners".parse().unwrap();
        database.build(table, &BuildRequest { depth, ..BuildRequest::default() }, &ctx).unwrap();
        let checker = database.row_checker(table, 1 << 30, Kernel::detect()).unwrap();
        let checks = (0..table.definition().layout().rows).map(|row| checker.check(row, &ctx).unwrap());
        (table, checker.stored().manifest().digest.clone(), checks.collect())
    }

    #[test]
    fn all_rows_together_are_the_table() {
        for depth in [None, Some(5)] {
            let (table, digest, mut checks) = checked(depth);
            checks.reverse();
            let check = TableCheck::of(table, depth, &digest, checks).unwrap();
            assert!(check.holds && check.faults.is_empty(), "{check:?}");
            let published = table.definition().expected().unwrap();
            assert_eq!((&check.digest, check.rows, check.positions.equal), (&digest, 90, Some(true)));
            assert_eq!(check.positions.counts, published.to_depth(depth));
            assert_eq!(check.positions.source, Some(published.source));
            let json = serde_json::to_value(&check).unwrap();
            assert_eq!((&json["table"], &json["holds"]), (&table.name().into(), &true.into()));
        }
    }

    #[test]
    fn what_does_not_hold_is_told() {
        let (table, digest, checks) = checked(None);
        let of = |change: &dyn Fn(&mut RowCheck), digest: &str| {
            let mut checks = checks.clone();
            change(&mut checks[7]);
            TableCheck::of(table, None, digest, checks).unwrap()
        };
        let check = of(&|check| check.fault = Some("wrong".to_owned()), &digest);
        assert!(!check.holds && check.digest == digest && check.positions.equal == Some(true));
        let [fault] = &check.faults[..] else { panic!("{check:?}") };
        assert_eq!((fault.row, fault.reason.as_str(), fault.row_name.is_some()), (7, "wrong", true));
        let check = of(&|check| check.positions[0] += 1, &digest);
        assert!(!check.holds && check.positions.equal == Some(false) && check.faults.is_empty());
        let check = of(&|check| check.digest = "0".repeat(64), &digest);
        assert!(!check.holds && check.digest != digest && check.table_digest == digest);
        assert!(!of(&|_| (), "another table").holds);
    }

    #[test]
    fn rows_that_are_missing_or_there_twice_are_refused() {
        let (table, digest, checks) = checked(None);
        let refused = |checks: Vec<RowCheck>| match TableCheck::of(table, None, &digest, checks) {
            Err(Error::Usage(why)) => why,
            other => panic!("{other:?}"),
        };
        let without = |row: u32| checks.iter().filter(|check| check.row != row).cloned().collect::<Vec<_>>();
        assert_eq!(refused(without(5)), "1 of 90 rows of square1-corners were not checked, beginning with 5");
        assert!(refused(Vec::new()).starts_with("90 of 90 rows"));
        let twice = checks.iter().chain(&checks[3..4]).cloned().collect();
        assert_eq!(refused(twice), "row 3 of square1-corners was checked twice");
        let mut beyond = checks.clone();
        beyond[89].row = 90;
        assert!(refused(beyond).contains("row 90"));
    }
}
