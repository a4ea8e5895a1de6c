//! Positions named by their place in a table.

use super::table::Square1Table;
use crate::position_table::indexed_position;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::notation::{ParsedSquare1, parse_position};
use twistbase_puzzle::square1::{Colouring, Middle, Place, Position};
use twistbase_store::{Entries, TableLayout};
use twistbase_tables::{Definition, TwistTable};

/// A position as a person gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenPosition {
    /// The position; its middle layer is square unless the input says otherwise.
    pub position: Position,
    /// Whether the input gives the middle layer.
    pub middle_given: bool,
}

impl GivenPosition {
    /// The middle layer, where the input gave it.
    pub fn middle(&self) -> Option<Middle> {
        self.middle_given.then(|| self.position.middle())
    }
}

impl From<ParsedSquare1> for GivenPosition {
    fn from(parsed: ParsedSquare1) -> Self {
        Self { position: parsed.position, middle_given: parsed.middle_given }
    }
}

/// The index of a place in the table.
pub fn index_of(definition: &TwistTable, place: Place) -> u64 {
    definition.layout().index(place.row, place.entry.into())
}

/// Reads a position in any notation, or as `index:N` (see [`Square1Table::index`]).
///
/// # Errors
/// [`Error::Invalid`](twistbase_core::error::Error::Invalid) with every reason.
pub fn parse(definition: &TwistTable, input: &str) -> Result<GivenPosition> {
    parse_of(definition.layout(), definition.colouring(), |place| definition.coordinate().position(place), input)
}

/// The same with the indices of another table, which has `position` at a place.
pub(super) fn parse_of(
    layout: &TableLayout,
    colouring: Colouring,
    position: impl Fn(Place) -> Option<Position>,
    input: &str,
) -> Result<GivenPosition> {
    // Entries of a row fit 32 bits.
    let at = |row, entry| position(Place { row, entry: entry as u32 });
    match indexed_position(layout, at, input) {
        Some(position) => Ok(GivenPosition { position: position?, middle_given: false }),
        None => Ok(parse_position(input, colouring)?.into()),
    }
}

impl<E: Entries> Square1Table<E> {
    /// The index of a position in the table: `row × entries of a row + entry`. [`parse`] reads it back, as a position
    /// that is the same up to turns, turning over, and the relabellings that keep solved solved.
    pub fn index(&self, position: &Position) -> u64 {
        index_of(self.definition(), self.place(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_core::error::Error;
    use twistbase_tables as tables;

    #[test]
    fn indices_read_back_as_positions_of_that_index() {
        for definition in tables::twist_tables() {
            let entries = definition.layout().entries();
            for index in (0..entries).step_by(usize::try_from(entries / 997).unwrap()).chain([entries - 1]) {
                let given = parse(definition, &format!(" index: {index} ")).unwrap();
                let found = index_of(definition, definition.coordinate().place(&given.position));
                // A shape with symmetry has several places for a position; they are found from the same one.
                let again = parse(definition, &format!("index:{found}")).unwrap();
                assert_eq!(index_of(definition, definition.coordinate().place(&again.position)), found);
            }
        }
    }

    #[test]
    fn indices_out_of_range_are_refused_with_the_range() {
        let definition = tables::find_twists("cube21").unwrap();
        for bad in ["index:", "index:-1", "index:x", "index:1143072000", "index:99999999999999999999"] {
            let Err(Error::Invalid(error)) = parse(definition, bad) else { panic!("{bad} was read") };
            assert_eq!(error.problems.len(), 1);
            assert!(error.to_string().contains("1143071999"), "{error}");
        }
    }
}
