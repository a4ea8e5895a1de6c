//! Tables and the positions that have a place in them, whatever the puzzle.

use twistbase_core::error::{Error, InvalidInput, Problem, Result};
use twistbase_store::{Entries, TableLayout};
use twistbase_tables::Definition;

/// A table and the positions that have a place in it.
pub trait PositionTable: Sync {
    /// A position, or one of a coset.
    type Position: Copy + Send + Sync;
    /// What reads the table.
    type Entries: Entries;

    /// Bytes of a position as an array.
    fn array_bytes(&self) -> usize;

    /// The table.
    fn definition(&self) -> &'static dyn Definition;

    /// Its reader.
    fn entries(&self) -> &Self::Entries;

    /// Reads a position in any notation.
    ///
    /// # Errors
    /// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason.
    fn parse(&self, input: &str) -> Result<Self::Position>;

    /// Reads a position from an array of numbers.
    ///
    /// # Errors
    /// Fails with every reason.
    fn read_array(&self, array: &[u8]) -> Result<Self::Position, InvalidInput>;

    /// The place of a position that is written as usual, found without making the position. `None` for any other, and
    /// where the level of a position takes more than what is stored for it.
    fn place_of_array(&self, _array: &[u8]) -> Option<(u32, u64)> {
        None
    }

    /// The same of a text.
    fn place_of_text(&self, _input: &str) -> Option<(u32, u64)> {
        None
    }

    /// Writes a position to an array of [`PositionTable::array_bytes`].
    fn write_array(&self, position: &Self::Position, array: &mut [u8]);

    /// Writes the [position at an entry](Self::position); `None`, and nothing is written, where there is none.
    fn write_array_at(&self, row: u32, entry: u64, array: &mut [u8]) -> Option<()> {
        self.position(row, entry).map(|position| self.write_array(&position, array))
    }

    /// The row and the entry of a position.
    fn place(&self, position: &Self::Position) -> (u32, u64);

    /// A position at an entry; `None` for what is part of others' values.
    fn position(&self, row: u32, entry: u64) -> Option<Self::Position>;

    /// Whether an entry stands for anything by itself.
    fn is_entry(&self, _row: u32, _entry: u64) -> bool {
        true
    }

    /// The distance or bound of a position; `value` is what is stored for it.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Data`](twistbase_core::error::Error::Data): bounded if the position is farther than the
    /// table was built to, damaged for a value that no position has.
    fn level(&self, position: &Self::Position, value: u8) -> Result<u8>;

    /// The distance or bound of the position at an entry.
    ///
    /// # Errors
    /// Those of [`PositionTable::level`] and [`PositionTable::position_of`].
    fn level_at(&self, row: u32, entry: u64, value: u8) -> Result<u8> {
        self.level(&self.position_of(row, entry)?, value)
    }

    /// The position at an entry that stands for one.
    ///
    /// # Errors
    /// [`Error::Data`] for an index without entry.
    fn position_of(&self, row: u32, entry: u64) -> Result<Self::Position> {
        self.position(row, entry).ok_or_else(|| self.no_position(row, entry))
    }

    /// The error for an entry that should stand for a position and does not.
    #[cold]
    fn no_position(&self, row: u32, entry: u64) -> Error {
        self.definition().layout().damaged(row, entry, format!("entry {entry} stands for no position"))
    }
}

/// What an index is written behind.
const PREFIX: &str = "index:";

/// The position that a text like `index:123` names, which `position` has at a row and an entry; `None` for a text without the
/// prefix.
///
/// # Errors
/// Fails for what is no number, and for an index at which there is no position.
pub(crate) fn indexed_position<P>(
    layout: &TableLayout,
    position: impl FnOnce(u32, u64) -> Option<P>,
    input: &str,
) -> Option<Result<P, InvalidInput>> {
    let number = input.trim_start().strip_prefix(PREFIX)?;
    let found = match number.trim().parse() {
        Ok(index) => {
            let found = layout.entry_at(index).and_then(|(row, entry)| position(row, entry));
            found.ok_or_else(|| no_such_index(layout))
        }
        Err(_) if !number.trim().is_empty() && number.trim().bytes().all(|digit| digit.is_ascii_digit()) => {
            Err(no_such_index(layout))
        }
        Err(_) => {
            let last = layout.entries() - 1;
            let message = format!("expected an index from 0 to {last}, in decimal digits");
            Err(Problem { code: "bad-index", message, at: None })
        }
    };
    Some(found.map_err(|problem| {
        let start = input.len() - number.len();
        InvalidInput {
            input: input.to_owned(),
            expected: "index of a position",
            problems: vec![Problem { at: Some(start..input.len()), ..problem }],
            instead: None,
        }
    }))
}

/// Why an index beyond the last is none.
pub fn no_such_index(layout: &TableLayout) -> Problem {
    let message = format!("table {} has the indices 0 to {}", layout.name, layout.entries() - 1);
    Problem { code: "index-out-of-range", message, at: None }
}
