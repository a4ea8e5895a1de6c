//! Tables of the 2×2×2 cube.

use super::{Answers, CUBE_NOTATIONS, OF_DISTANCES};
use crate::cache::CachedTable;
use crate::context::Context;
use crate::error::Result;
use crate::export::batch::Texts;
use crate::export::columns::Column;
use crate::puzzle::cube2::{Cube2Position, notation};
use crate::puzzle::cube3::MoveSequence;
use crate::query::Cube2Distances;
use crate::tables::Definition;

impl Answers for Cube2Distances<CachedTable> {
    type Position = Cube2Position;

    fn definition(&self) -> &'static dyn Definition {
        self.definition()
    }

    fn entries(&self) -> &CachedTable {
        self.entries()
    }

    fn offered(&self) -> &'static [Column] {
        &OF_DISTANCES
    }

    fn notations(&self) -> [&'static str; 2] {
        CUBE_NOTATIONS
    }

    fn parse(&self, input: &str) -> Result<Cube2Position> {
        Ok(notation::parse_position(input)?.0)
    }

    fn place(&self, position: &Cube2Position) -> (u32, u64) {
        self.definition().place(position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube2Position> {
        self.definition().position(row, entry)
    }

    fn write(&self, position: &Cube2Position, text: &mut String) {
        notation::append(position, text);
    }

    fn level(&self, _position: &Cube2Position, value: u8) -> Result<u8> {
        Ok(value)
    }

    fn count(&self, position: &Cube2Position, ctx: &Context) -> Result<u128> {
        Ok(self.count(position, ctx)?.into())
    }

    fn solutions(&self, position: &Cube2Position, limit: usize, texts: &mut Texts) -> Result<()> {
        for moves in self.solutions(position)?.take(limit) {
            texts.text.push_str(&MoveSequence::new(moves?).to_string());
            texts.end();
        }
        Ok(())
    }
}
