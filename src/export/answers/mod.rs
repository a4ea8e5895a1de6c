//! The answers of each kind of table about its entries.

mod cosets;
mod defined;
mod endings;
mod phase_two;
mod twists;
mod wca;

pub(super) use phase_two::PhaseTwoAnswers;
pub(super) use twists::TwistAnswers;

use std::ops::RangeInclusive;

use super::batch::Texts;
use super::columns::Column;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Cube;
use twistbase_puzzle::cube3::notation::facelets;
use twistbase_query::PositionTable;
use twistbase_store::TableLayout;
use twistbase_tables::LevelMeaning;

/// Columns of a table of distances to solved.
const OF_DISTANCES: [Column; 9] = [
    Column::Index,
    Column::Row,
    Column::Entry,
    Column::Position,
    Column::Distance,
    Column::Value,
    Column::Count,
    Column::Solution,
    Column::Solutions,
];
/// Columns of a table of bounds.
const OF_BOUNDS: [Column; 6] =
    [Column::Index, Column::Row, Column::Entry, Column::Position, Column::Bound, Column::Value];
/// Columns of a table of distances to something else than solved, which are no bounds.
const OF_OTHERS: [Column; 6] =
    [Column::Index, Column::Row, Column::Entry, Column::Position, Column::Distance, Column::Value];

/// An entry with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryRecord {
    pub row: u32,
    pub entry: u64,
    /// As stored.
    pub value: u8,
    /// The distance or bound, if anything that was asked depends on it.
    pub level: u8,
}

/// The positions of a table that answers.
pub(super) type PositionOf<A> = <<A as Answers>::Table as PositionTable>::Position;

/// The answers of a table about its entries, and about positions that have a place in it.
pub(super) trait Answers: Sync {
    /// The table.
    type Table: PositionTable<Entries = CachedTable>;

    fn table(&self) -> &Self::Table;

    /// The columns that it has.
    fn offered(&self) -> &'static [Column] {
        match self.table().definition().goal().tells() {
            LevelMeaning::Distance => &OF_DISTANCES,
            LevelMeaning::Bound => &OF_BOUNDS,
            LevelMeaning::Other => &OF_OTHERS,
        }
    }

    /// The metric of distances, and their goal.
    fn metric_and_goal(&self) -> [&'static str; 2] {
        let definition = self.table().definition();
        [definition.metric().name(), definition.goal().description()]
    }

    /// The value that is stored for an entry of a row at level 0, 1, 2, …, as [`Definition::values_by_level`] has it; `None`
    /// also where levels are counted in another metric than the table's.
    ///
    /// [`Definition::values_by_level`]: twistbase_tables::Definition::values_by_level
    fn values_by_level(&self, row: u32) -> Option<Vec<Option<u8>>> {
        self.table().definition().values_by_level(row)
    }

    /// The possible levels of an entry with the value `value`, if the value does not determine its level.
    fn levels_of_value(&self, _value: u8) -> Option<RangeInclusive<u8>> {
        None
    }

    /// The notations of positions and of solutions.
    fn notations(&self) -> [&'static str; 2];

    /// Appends a position.
    ///
    /// # Errors
    /// Those of the reader, where a position is written by a solution.
    fn write(&self, position: &PositionOf<Self>, text: &mut String) -> Result<()>;

    /// The number of shortest solutions, which only tables of distances to solved know.
    ///
    /// # Errors
    /// Those of the reader.
    fn count(&self, _position: &PositionOf<Self>, _ctx: &Context) -> Result<u128> {
        Err(no_solutions(self.table().definition().layout()))
    }

    /// Writes the first shortest solution of each position.
    ///
    /// # Errors
    /// Those of the reader.
    fn first_solutions(&self, positions: &[PositionOf<Self>], texts: &mut Texts) -> Result<()> {
        positions.iter().try_for_each(|position| self.solutions(position, 1, texts))
    }

    /// Writes the first `limit` shortest solutions.
    ///
    /// # Errors
    /// Those of the reader.
    fn solutions(&self, _position: &PositionOf<Self>, _limit: usize, _texts: &mut Texts) -> Result<()> {
        Err(no_solutions(self.table().definition().layout()))
    }

    /// Writes the position of each record.
    ///
    /// # Errors
    /// [`Error::Data`] for an index without entry.
    fn write_positions(&self, records: &[EntryRecord], texts: &mut Texts) -> Result<()> {
        for record in records {
            let position = self.table().position_of(record.row, record.entry)?;
            self.write(&position, &mut texts.text)?;
            texts.end();
        }
        Ok(())
    }
}

/// The notations of the cube.
const CUBE_NOTATIONS: [&str; 2] = ["facelets", "wca"];

fn write_cube(position: &Cube, text: &mut String) {
    facelets::append(position, text);
}

/// Of each row, how many entries are at each distance.
fn row_levels(entries: &CachedTable) -> Result<Vec<&[u64]>> {
    let stored = entries.table();
    (0..stored.layout().rows).map(|row| Ok(stored.row_record(row)?.levels.as_slice())).collect()
}

/// The error of asking a table without distances to solved for solutions; columns that would need them are refused
/// before.
fn no_solutions(layout: &TableLayout) -> Error {
    Error::Usage(format!("table {} stores no distances to solved, so it has no solutions", layout.name))
}
