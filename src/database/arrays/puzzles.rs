//! The arrays of each puzzle.

use std::sync::Arc;

use super::puzzle::ArrayPuzzle;
use crate::large::LargePuzzle;
use crate::random::RandomRequest;
use twistbase_core::error::{InvalidInput, Result};
use twistbase_definition::{Pattern, SpacePosition};
use twistbase_puzzle::cube3::notation::facelets;
use twistbase_puzzle::cube3::{Cube, Move, notation as notation3};
use twistbase_puzzle::square1::notation::{SequenceNotation, array, hex};
use twistbase_puzzle::square1::{Position, Turn};
use twistbase_query::{parse, parse_defined};
use twistbase_tables::{DefinedTable, Definition, TwistTable};

/// A puzzle that is data.
pub(crate) struct DefinedArrays(pub &'static DefinedTable);

/// A puzzle without a table.
pub(crate) struct LargeArrays(pub Arc<LargePuzzle>);

/// The least and the greatest amount of a turn.
const TURNS: std::ops::RangeInclusive<i32> = -5..=6;
/// Amounts of a layer's turn.
const AMOUNTS: i32 = 12;

/// The Rubik's cube.
pub(crate) struct Cube3Arrays;

/// A puzzle of the Square-1 family.
pub(crate) struct Square1Arrays(pub &'static TwistTable);

impl ArrayPuzzle for Cube3Arrays {
    type Position = Cube;

    fn array_bytes(&self) -> usize {
        notation3::array::LENGTH
    }

    fn names_of_moves(&self) -> Vec<String> {
        Move::all().map(|turn| turn.to_string()).collect()
    }

    fn read_text(&self, input: &str) -> Result<Cube> {
        Ok(notation3::parse_position(input)?.position)
    }

    fn read(&self, array: &[u8]) -> Result<Cube, InvalidInput> {
        notation3::array::read(array)
    }

    fn write(&self, position: &Cube, array: &mut [u8]) {
        array.copy_from_slice(&notation3::array::write(position));
    }

    fn text(&self, position: &Cube) -> String {
        facelets::print(position)
    }

    fn degree(&self, _position: &Cube) -> u8 {
        Move::COUNT as u8
    }

    fn for_each_neighbour(&self, position: &Cube, visit: &mut dyn FnMut(u8, &Cube)) {
        Move::all().for_each(|turn| visit(turn.index() as u8, &position.turned(turn)));
    }

    fn draw(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = Cube>>> {
        Ok(Box::new(request.cube3(seed)?.map(|(_, position)| position)))
    }
}

impl ArrayPuzzle for DefinedArrays {
    type Position = SpacePosition;

    fn array_bytes(&self) -> usize {
        self.0.array_bytes()
    }

    fn names_of_moves(&self) -> Vec<String> {
        self.0.space().turns().iter().map(|turn| turn.name.clone()).collect()
    }

    fn read_text(&self, input: &str) -> Result<SpacePosition> {
        parse_defined(self.0, input)
    }

    fn read(&self, array: &[u8]) -> Result<SpacePosition, InvalidInput> {
        self.0.read_array(array)
    }

    fn write(&self, position: &SpacePosition, array: &mut [u8]) {
        self.0.write_array(*position, array);
    }

    fn text(&self, position: &SpacePosition) -> String {
        let mut text = String::new();
        self.0.append(*position, &mut text);
        text
    }

    fn degree(&self, _position: &SpacePosition) -> u8 {
        self.0.space().turns().len() as u8
    }

    fn for_each_neighbour(&self, position: &SpacePosition, visit: &mut dyn FnMut(u8, &SpacePosition)) {
        self.0.space().turned(*position).for_each(|(turn, after)| visit(turn as u8, &after));
    }

    fn draw(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = SpacePosition>>> {
        Ok(Box::new(request.defined(self.0, seed)?.map(|(_, position)| position)))
    }
}

impl ArrayPuzzle for LargeArrays {
    type Position = Pattern;

    fn array_bytes(&self) -> usize {
        self.0.definition().array_bytes()
    }

    fn names_of_moves(&self) -> Vec<String> {
        self.0.turns().iter().map(|turn| turn.name.clone()).collect()
    }

    fn read_text(&self, input: &str) -> Result<Pattern> {
        self.0.definition().read_position(input)
    }

    fn read(&self, array: &[u8]) -> Result<Pattern, InvalidInput> {
        self.0.definition().read_array(array)
    }

    fn write(&self, position: &Pattern, array: &mut [u8]) {
        self.0.definition().write_array(position, array);
    }

    fn text(&self, position: &Pattern) -> String {
        self.0.definition().kpattern(position).to_string()
    }

    fn degree(&self, _position: &Pattern) -> u8 {
        self.0.turns().len() as u8
    }

    fn for_each_neighbour(&self, position: &Pattern, visit: &mut dyn FnMut(u8, &Pattern)) {
        for (number, turn) in (0..).zip(self.0.turns()) {
            visit(number, &self.0.definition().apply(position, &turn.transformation));
        }
    }

    fn draw(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = Pattern>>> {
        Ok(Box::new(request.large(&self.0, seed)?.map(|(_, position)| position)))
    }
}

impl ArrayPuzzle for Square1Arrays {
    type Position = Position;

    fn array_bytes(&self) -> usize {
        array::LENGTH
    }

    fn names_of_moves(&self) -> Vec<String> {
        let turns = TURNS.flat_map(|top| TURNS.map(move |bottom| Turn::from_wca(top, bottom)));
        turns.map(|turn| format!("{}/", SequenceNotation::Wca.write_turn(turn))).collect()
    }

    fn read_text(&self, input: &str) -> Result<Position> {
        Ok(parse(self.0, input)?.position)
    }

    fn read(&self, array: &[u8]) -> Result<Position, InvalidInput> {
        array::read(array, self.0.colouring())
    }

    fn write(&self, position: &Position, array: &mut [u8]) {
        array.copy_from_slice(&array::write(position));
    }

    fn text(&self, position: &Position) -> String {
        hex::print(&position.turn(position.unstraddling_turn())).expect("no piece lies across the end of a layer")
    }

    fn degree(&self, position: &Position) -> u8 {
        position.distinct_alignments().count() as u8
    }

    fn for_each_neighbour(&self, position: &Position, visit: &mut dyn FnMut(u8, &Position)) {
        let mut turns: Vec<Turn> = position.distinct_alignments().collect();
        turns.sort_by_key(|turn| turn.wca());
        for turn in turns {
            let neighbour = position.turn(turn).twist();
            neighbour.iter().for_each(|neighbour| visit(number_of(turn), neighbour));
        }
    }

    fn draw(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = Position>>> {
        Ok(Box::new(request.square1(self.0.puzzle(), seed)?.map(|(_, position)| position)))
    }
}

/// The number of a turn and a twist among the moves.
fn number_of(turn: Turn) -> u8 {
    let (top, bottom) = turn.wca();
    let digit = |amount: i8| i32::from(amount) - TURNS.start();
    (AMOUNTS * digit(top) + digit(bottom)) as u8
}
