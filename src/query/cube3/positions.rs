//! Positions of the Rubik's cube in their tables.

use super::{Cosets, PhaseTwo, position_in_h};
use crate::position_table::PositionTable;
use twistbase_core::error::{InvalidInput, Result};
use twistbase_puzzle::cube3::Cube;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_puzzle::cube3::notation::{array, facelets, parse_position};
use twistbase_store::Entries;
use twistbase_tables::Definition;

fn parse_cube(input: &str) -> Result<Cube> {
    Ok(parse_position(input)?.position)
}

fn write_cube(position: &Cube, array: &mut [u8]) {
    array.copy_from_slice(&array::write(position));
}

impl<E: Entries> PositionTable for Cosets<E> {
    type Position = Cube;
    type Entries = E;

    fn array_bytes(&self) -> usize {
        array::LENGTH
    }

    fn definition(&self) -> &'static dyn Definition {
        self.definition()
    }

    fn entries(&self) -> &E {
        self.entries()
    }

    fn parse(&self, input: &str) -> Result<Cube> {
        parse_cube(input)
    }

    fn read_array(&self, array: &[u8]) -> Result<Cube, InvalidInput> {
        array::read(array)
    }

    fn write_array(&self, position: &Cube, array: &mut [u8]) {
        write_cube(position, array);
    }

    fn place(&self, position: &Cube) -> (u32, u64) {
        self.definition().place(position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube> {
        self.definition().position(row, entry)
    }

    fn is_entry(&self, _row: u32, entry: u64) -> bool {
        self.pruning().is_none_or(|table| table.is_entry(entry))
    }

    fn level(&self, position: &Cube, value: u8) -> Result<u8> {
        match self.pruning() {
            Some(table) => Ok(table.look_up(self.entries(), position)?.bound),
            None => Ok(self.known_distance_of(position, value)?.within(self.definition())?.moves()),
        }
    }
}

impl<E: Entries> PositionTable for PhaseTwo<E> {
    type Position = PhaseTwoPosition;
    type Entries = E;

    fn array_bytes(&self) -> usize {
        array::LENGTH
    }

    fn definition(&self) -> &'static dyn Definition {
        self.definition()
    }

    fn entries(&self) -> &E {
        self.entries()
    }

    fn parse(&self, input: &str) -> Result<PhaseTwoPosition> {
        Ok(position_in_h(input, &parse_cube(input)?)?)
    }

    fn read_array(&self, array: &[u8]) -> Result<PhaseTwoPosition, InvalidInput> {
        let position = array::read(array)?;
        match PhaseTwoPosition::of(&position) {
            Some(h_position) => Ok(h_position),
            None => position_in_h(&facelets::print(&position), &position),
        }
    }

    fn write_array(&self, position: &PhaseTwoPosition, array: &mut [u8]) {
        write_cube(&position.position(), array);
    }

    fn place(&self, position: &PhaseTwoPosition) -> (u32, u64) {
        self.definition().place(position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<PhaseTwoPosition> {
        self.definition().position_at(row, entry)
    }

    fn level(&self, position: &PhaseTwoPosition, value: u8) -> Result<u8> {
        Ok(self.known_distance_of(position, value)?.within(self.definition())?.moves())
    }
}
