//! Positions of the Square-1 family in their tables.

use std::ops::RangeInclusive;

use super::index::parse;
use super::middle_goal::MiddleGoal;
use super::table::Square1Table;
use super::wca::WcaDistances;
use crate::position_table::PositionTable;
use twistbase_core::error::{InvalidInput, Result};
use twistbase_core::math::nibble::UNSET;
use twistbase_puzzle::square1::Middle;
use twistbase_puzzle::square1::notation::{array, read_list};
use twistbase_puzzle::square1::{PieceList, Place, Position};
use twistbase_store::Entries;
use twistbase_tables::Definition;

impl<E: Entries> PositionTable for Square1Table<E> {
    type Position = Position;
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

    fn parse(&self, input: &str) -> Result<Position> {
        let position = parse(self.definition(), input)?.position;
        // Only so can it be written in digits; a turn is free.
        Ok(position.turn(position.unstraddling_turn()))
    }

    fn read_array(&self, array: &[u8]) -> Result<Position, InvalidInput> {
        array::read(array, self.colouring())
    }

    #[inline]
    fn place_of_array(&self, array: &[u8]) -> Option<(u32, u64)> {
        Some(self.place_of_list(&array::read_quickly(array)?))
    }

    #[inline]
    fn place_of_text(&self, input: &str) -> Option<(u32, u64)> {
        Some(self.place_of_list(&read_list(input)?.0))
    }

    fn write_array(&self, position: &Position, array: &mut [u8]) {
        array.copy_from_slice(&array::write(position));
    }

    #[inline]
    fn write_array_at(&self, row: u32, entry: u64, array: &mut [u8]) -> Option<()> {
        let place = Place { row, entry: u32::try_from(entry).ok()? };
        let pieces = self.definition().coordinate().pieces(place)?;
        array.copy_from_slice(&array::write_canonical(&pieces));
        Some(())
    }

    fn place(&self, position: &Position) -> (u32, u64) {
        let Place { row, entry } = self.place(position);
        (row, entry.into())
    }

    fn position(&self, row: u32, entry: u64) -> Option<Position> {
        self.definition().coordinate().position(Place { row, entry: u32::try_from(entry).ok()? })
    }

    fn level(&self, position: &Position, value: u8) -> Result<u8> {
        self.level_told(value, || self.place(position))
    }

    fn level_at(&self, row: u32, entry: u64, value: u8) -> Result<u8> {
        // Below the entries of a row, which fit 32 bits.
        self.level_told(value, || Place { row, entry: entry as u32 })
    }
}

impl<E: Entries> Square1Table<E> {
    #[inline]
    fn place_of_list(&self, list: &PieceList) -> (u32, u64) {
        let Place { row, entry } = self.definition().coordinate().place_of_list(list);
        (row, entry.into())
    }
}

/// A table whose levels are counted in WCA's metric: those of an entry are of its position with the middle layer square,
/// turned so that it can be twisted.
#[derive(Debug)]
pub struct WcaPositions<E>(Square1Table<E>);

impl<E: Entries> WcaPositions<E> {
    /// Over a table, beside which there may be that of the [endings](Square1Table::with_endings).
    pub fn over(table: Square1Table<E>) -> Self {
        Self(table)
    }

    /// What tells the distances.
    pub fn distances(&self) -> WcaDistances<&Square1Table<E>> {
        WcaDistances::new(&self.0)
    }

    /// The distances of positions, the middle layer square, whose entry holds `value`; `None` of the solved one, which may be
    /// turned over.
    #[doc(hidden)]
    pub fn distances_of_value(&self, value: u8) -> Option<RangeInclusive<u8>> {
        let twists =
            (1..UNSET).contains(&value).then(|| MiddleGoal::Square.distance(value, Middle::Square).twists())?;
        // A turn between every two twists, and at each end one or none.
        Some(2 * twists - 1..=2 * twists + 1)
    }
}

impl<E: Entries> PositionTable for WcaPositions<E> {
    type Position = Position;
    type Entries = E;

    fn array_bytes(&self) -> usize {
        array::LENGTH
    }

    fn definition(&self) -> &'static dyn Definition {
        self.0.definition()
    }

    fn entries(&self) -> &E {
        self.0.entries()
    }

    fn parse(&self, input: &str) -> Result<Position> {
        Ok(parse(self.0.definition(), input)?.position)
    }

    fn read_array(&self, array: &[u8]) -> Result<Position, InvalidInput> {
        self.0.read_array(array)
    }

    fn write_array(&self, position: &Position, array: &mut [u8]) {
        self.0.write_array(position, array);
    }

    fn write_array_at(&self, row: u32, entry: u64, array: &mut [u8]) -> Option<()> {
        self.0.write_array_at(row, entry, array)
    }

    fn place(&self, position: &Position) -> (u32, u64) {
        PositionTable::place(&self.0, position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Position> {
        PositionTable::position(&self.0, row, entry)
    }

    fn level(&self, position: &Position, _value: u8) -> Result<u8> {
        Ok(self.distances().distance(position)?.moves())
    }
}
