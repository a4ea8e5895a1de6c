//! The tables that exist: one file for each definition, one line each in [`REGISTRY`].

mod build;
mod build_depth;
mod cube21;
mod generated;
mod huge;
mod nx;
mod nx_known;
mod phase1;
mod phase2;
mod phase_one;
mod phase_two;
mod rebuild;
mod restore;
mod square1;
mod square1_corners;
mod twists;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::levelset::Options;
use crate::puzzle::cube3::Metric;
use crate::store::TableLayout;

pub use build::{BuildRequest, Built, build};
pub use build_depth::{BuildDepth, depth_of};
pub use generated::{Generated, VisitRow};
pub(crate) use nx::{BLOCK_BYTES, BLOCK_SLOTS};
pub use nx::{BLOCK_ENTRIES, NX_TABLES, NxTable, NxValue, nx_entry};
pub use phase_one::{CosetTable, HugeTable, PhaseOneTable};
pub use phase_two::{HMove, PhaseTwoTable};
pub(crate) use phase_two::{StoredDistance, h_moves};
pub use rebuild::{Plan, Rebuilt, plan, rebuild};
pub use restore::{ReadRow, RestoreRows, RestoredRow};
pub use twists::{ParityProof, TwistTable};

/// Every table, in the order of listings.
pub static REGISTRY: [&dyn Definition; 36] = {
    let mut all = [FEW[0]; 36];
    let mut number = 0;
    while number < all.len() {
        all[number] = if number < FEW.len() { FEW[number] } else { NX_TABLES[number - FEW.len()] };
        number += 1;
    }
    all
};

/// All but the family of pruning tables.
const FEW: [&dyn Definition; 12] = [
    &cube21::TABLE,
    &square1::TABLE,
    &square1_corners::TABLE,
    &phase1::TABLE,
    &phase1::QTM,
    &phase1::KOCIEMBA,
    &phase2::TABLE,
    &phase2::QTM,
    &phase2::KOCIEMBA,
    &phase2::EXACT,
    &phase2::EXACT_QTM,
    &huge::TABLE,
];

/// The tables of positions in H.
pub static PHASE_TWO_TABLES: [&PhaseTwoTable; 5] =
    [&phase2::TABLE, &phase2::QTM, &phase2::KOCIEMBA, &phase2::EXACT, &phase2::EXACT_QTM];

/// The tables of distances to subgroups.
pub static COSET_TABLES: [&dyn CosetTable; 4] = [&phase1::TABLE, &phase1::QTM, &phase1::KOCIEMBA, &huge::TABLE];

/// Kociemba's huge table.
pub static HUGE: &HugeTable = &huge::TABLE;

/// The tables of the twist metric, for queries about positions of the Square-1 family.
pub static TWIST_TABLES: [&TwistTable; 3] = [&cube21::TABLE, &square1::TABLE, &square1_corners::TABLE];

/// What a table is: its geometry, how it is generated, and what must come out.
pub trait Definition: Sync {
    /// Name, geometry and versions.
    fn layout(&self) -> &TableLayout;

    /// The puzzle it is about, as named on the command line.
    fn puzzle(&self) -> &'static str;

    /// The metric its distances are counted in.
    fn metric(&self) -> &'static str;

    /// One line for people.
    fn summary(&self) -> &'static str;

    /// What a row is ("shape", "coset").
    fn row_noun(&self) -> &'static str;

    /// A name of a row for people; `row` is below the layout's number of rows.
    fn row_name(&self, row: u32) -> String;

    /// How the source of [`Definition::expected`] numbers distance 0 (Cube21's author calls it level 1).
    fn first_level(&self) -> u8 {
        0
    }

    /// The value that is stored for an entry of a row at distance 0, 1, 2, …; `None` where the row has no entry at that
    /// distance. `None` altogether if an entry's value does not follow from its distance.
    fn values_by_level(&self, row: u32) -> Option<Vec<Option<u8>>>;

    /// Number of positions that the entries of a row stand for.
    fn row_positions(&self, row: u32) -> u64;

    /// Number of positions that all entries stand for.
    fn positions(&self) -> u64 {
        (0..self.layout().rows).map(|row| self.row_positions(row)).sum()
    }

    /// The distribution that must come out; `None` if nobody knows it.
    fn expected(&self) -> Option<&Distribution>;

    /// Whether the last number of the distribution is that of all distances from there on.
    fn last_is_open(&self) -> bool {
        false
    }

    /// Whether it is built when all tables are asked for: not those of a family of which one is chosen by its size.
    fn is_in_all(&self) -> bool {
        true
    }

    /// What restores rows from others; `None` where only the whole table can be generated. Making it takes a moment,
    /// restoring many rows with it does not take another.
    fn restorer(&self) -> Option<Box<dyn RestoreRows + '_>> {
        None
    }

    /// Bytes of memory that the generator takes if it may.
    fn working_set(&self) -> u64;

    /// Bytes of memory below which the generator refuses.
    fn least_memory(&self) -> u64;

    /// The largest depth to which it can be built without being complete; `None` if its entries have no value that says
    /// "farther".
    fn deepest(&self) -> Option<u8> {
        None
    }

    /// Generates the table as far as `build_depth` says.
    ///
    /// # Errors
    /// [`Error::Usage`] for a depth that [`depth_of`] refuses; [`Error::Budget`], [`Error::Io`] from a scratch file,
    /// [`Error::Interrupted`]; those of reading what is known.
    fn generate(
        &self,
        build_depth: BuildDepth<'_>,
        options: &Options,
        ctx: &Context,
    ) -> Result<Box<dyn Generated + '_>>;
}

/// A known number of positions at each distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distribution {
    /// Positions at distance 0, 1, 2, …
    pub positions: &'static [u64],
    /// Who says so.
    pub source: &'static str,
}

/// The table of a name.
///
/// # Errors
/// [`Error::Usage`] naming the tables there are.
pub fn find(name: &str) -> Result<&'static dyn Definition> {
    REGISTRY.into_iter().find(|table| table.layout().name == name).ok_or_else(|| {
        let names: Vec<_> = REGISTRY.iter().map(|table| table.layout().name).collect();
        Error::Usage(format!("there is no table {name:?}; there are: {}", names.join(", ")))
    })
}

/// The table of the twist metric with that name, which is also the name of its puzzle.
///
/// # Errors
/// [`Error::Usage`] naming the tables there are.
pub fn find_twists(name: &str) -> Result<&'static TwistTable> {
    TWIST_TABLES.into_iter().find(|table| table.layout().name == name).ok_or_else(|| {
        let names: Vec<_> = TWIST_TABLES.iter().map(|table| table.layout().name).collect();
        Error::Usage(format!("there is no puzzle {name:?} of the Square-1 family; there are: {}", names.join(", ")))
    })
}

/// The table of positions in H, exact or not, in that metric: `phase2`, `phase2-exact` and their twins in quarter
/// turns.
pub fn phase_two(metric: Metric, exact: bool) -> &'static PhaseTwoTable {
    match (metric, exact) {
        (Metric::Htm, false) => &phase2::TABLE,
        (Metric::Htm, true) => &phase2::EXACT,
        (Metric::Qtm, false) => &phase2::QTM,
        (Metric::Qtm, true) => &phase2::EXACT_QTM,
    }
}

/// The table of distances to H in that metric: `phase1` or `phase1-qtm`.
pub fn phase_one(metric: Metric) -> &'static PhaseOneTable {
    match metric {
        Metric::Htm => &phase1::TABLE,
        Metric::Qtm => &phase1::QTM,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_ids_are_unique_and_layouts_valid() {
        let names: HashSet<_> = REGISTRY.iter().map(|table| table.layout().name).collect();
        let ids: HashSet<_> = REGISTRY.iter().map(|table| table.layout().id).collect();
        assert_eq!((names.len(), ids.len()), (REGISTRY.len(), REGISTRY.len()));
        for table in REGISTRY {
            table.layout().check().unwrap();
            let rows = 0..table.layout().rows;
            let all: u64 = rows.map(|row| table.row_positions(row)).sum();
            assert_eq!(all, table.positions(), "{}", table.layout().name);
            if let Some(expected) = table.expected() {
                let covered = expected.positions.iter().sum::<u64>();
                assert_eq!(all, covered, "{}: the distribution covers every entry", table.layout().name);
            }
        }
    }

    #[test]
    fn the_position_of_an_entry_is_found_at_that_entry() {
        use crate::puzzle::cube3::Cube;
        let cosets = COSET_TABLES.into_iter().chain(NX_TABLES.into_iter().map(|table| table as &dyn CosetTable));
        for table in cosets {
            let (layout, mut found) = (table.layout(), 0);
            for row in (0..layout.rows).step_by(layout.rows as usize / 7 + 1) {
                let step = layout.row_entries() / 400 + 1;
                for entry in (0..layout.row_entries()).step_by(step as usize | 1) {
                    let Some(position) = table.position(row, entry) else { continue };
                    assert_eq!(table.place(&position), (row, entry), "{}", layout.name);
                    assert_eq!(Cube::from_cubies(&position.cubies()), Ok(position), "{}", layout.name);
                    found += 1;
                }
            }
            assert!(found > 300, "{}: {found}", layout.name);
            assert_eq!((table.position(layout.rows, 0), table.position(0, layout.row_entries())), (None, None));
        }
        for table in PHASE_TWO_TABLES {
            let layout = table.layout();
            for row in (0..layout.rows).step_by(layout.rows as usize / 7 + 1) {
                for entry in (0..layout.row_entries()).step_by(layout.row_entries() as usize / 400 + 1) {
                    let h_position = table.position_at(row, entry).unwrap();
                    assert_eq!(table.place(&h_position), (row, entry), "{}", layout.name);
                    assert!(Cube::from_cubies(&h_position.position().cubies()).is_ok());
                }
            }
            assert_eq!((table.position_at(layout.rows, 0), table.position_at(0, layout.row_entries())), (None, None));
        }
    }
}
