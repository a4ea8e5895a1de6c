//! The answers of each kind of table about its entries.

mod cosets;
mod cube2;
mod phase_two;
mod pruning;
mod twists;

pub(super) use cosets::CosetAnswers;
pub(super) use phase_two::PhaseTwoAnswers;
pub(super) use pruning::PruningAnswers;
pub(super) use twists::TwistAnswers;

use super::batch::Texts;
use super::columns::Column;
use crate::cache::CachedTable;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::puzzle::cube3::Cube;
use crate::puzzle::cube3::notation::{facelets, parse_position};
use crate::store::TableLayout;
use crate::tables::Definition;

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

/// The answers of a table about its entries, and about positions that have a place in it.
pub(super) trait Answers: Sync {
    /// A position, or one of a coset.
    type Position: Copy + Send + Sync;

    fn definition(&self) -> &'static dyn Definition;

    fn entries(&self) -> &CachedTable;

    /// The columns that it has.
    fn offered(&self) -> &'static [Column];

    /// The notations of positions and of solutions.
    fn notations(&self) -> [&'static str; 2];

    /// # Errors
    /// [`Error::Invalid`] with every reason.
    fn parse(&self, input: &str) -> Result<Self::Position>;

    fn place(&self, position: &Self::Position) -> (u32, u64);

    /// A position at an entry; `None` for what is part of others' values.
    fn position(&self, row: u32, entry: u64) -> Option<Self::Position>;

    fn write(&self, position: &Self::Position, text: &mut String);

    /// The distance or bound of a position; `value` is what is stored for it.
    ///
    /// # Errors
    /// Those of the reader.
    fn level(&self, position: &Self::Position, value: u8) -> Result<u8>;

    /// The number of shortest solutions, which tables of bounds do not know.
    ///
    /// # Errors
    /// Those of the reader.
    fn count(&self, position: &Self::Position, ctx: &Context) -> Result<u128>;

    /// Writes the first shortest solution of each position.
    ///
    /// # Errors
    /// Those of the reader.
    fn first_solutions(&self, positions: &[Self::Position], texts: &mut Texts) -> Result<()> {
        positions.iter().try_for_each(|position| self.solutions(position, 1, texts))
    }

    /// Writes the first `limit` shortest solutions.
    ///
    /// # Errors
    /// Those of the reader.
    fn solutions(&self, position: &Self::Position, limit: usize, texts: &mut Texts) -> Result<()>;

    /// Whether an entry stands for anything by itself.
    fn is_entry(&self, _row: u32, _entry: u64) -> bool {
        true
    }

    /// Writes the position of each record.
    ///
    /// # Errors
    /// [`Error::Data`] for what is no entry.
    fn write_positions(&self, records: &[EntryRecord], texts: &mut Texts) -> Result<()> {
        for record in records {
            let position = self.position_of(record)?;
            self.write(&position, &mut texts.text);
            texts.end();
        }
        Ok(())
    }

    /// The position of a record.
    ///
    /// # Errors
    /// [`Error::Data`] for what is no entry.
    fn position_of(&self, record: &EntryRecord) -> Result<Self::Position> {
        let EntryRecord { row, entry, .. } = *record;
        self.position(row, entry).ok_or_else(|| {
            let layout = self.definition().layout();
            layout.damaged(row, entry, format!("entry {entry} stands for no position"))
        })
    }
}

/// The notations of the cube.
const CUBE_NOTATIONS: [&str; 2] = ["facelets", "wca"];

fn parse_cube(input: &str) -> Result<Cube> {
    Ok(parse_position(input)?.position)
}

fn write_cube(position: &Cube, text: &mut String) {
    facelets::append(position, text);
}

/// Of each row, how many entries are at each distance.
fn row_levels(entries: &CachedTable) -> Result<Vec<&[u64]>> {
    let stored = entries.table();
    (0..stored.layout().rows).map(|row| Ok(stored.row_record(row)?.levels.as_slice())).collect()
}

/// The error of asking bounds for solutions; columns that would need them are refused before.
fn no_solutions(layout: &TableLayout) -> Error {
    Error::Usage(format!("table {} tells bounds: it has no solutions", layout.name))
}
