//! Tables of distances to subgroups: bounds for the distance to solved.

use super::{Answers, CUBE_NOTATIONS, OF_BOUNDS, no_solutions, parse_cube, write_cube};
use crate::cache::CachedTable;
use crate::context::Context;
use crate::error::Result;
use crate::export::batch::Texts;
use crate::export::columns::Column;
use crate::puzzle::cube3::Cube;
use crate::query::cube3::Cosets;
use crate::tables::Definition;

pub(in crate::export) struct CosetAnswers(pub Cosets<CachedTable>);

impl Answers for CosetAnswers {
    type Position = Cube;

    fn definition(&self) -> &'static dyn Definition {
        self.0.definition()
    }

    fn entries(&self) -> &CachedTable {
        self.0.entries()
    }

    fn offered(&self) -> &'static [Column] {
        &OF_BOUNDS
    }

    fn notations(&self) -> [&'static str; 2] {
        CUBE_NOTATIONS
    }

    fn parse(&self, input: &str) -> Result<Cube> {
        parse_cube(input)
    }

    fn place(&self, position: &Cube) -> (u32, u64) {
        self.0.definition().place(position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube> {
        self.0.definition().position(row, entry)
    }

    fn write(&self, position: &Cube, text: &mut String) {
        write_cube(position, text);
    }

    fn level(&self, position: &Cube, _value: u8) -> Result<u8> {
        Ok(self.0.distance(position)?.moves())
    }

    fn count(&self, _position: &Cube, _ctx: &Context) -> Result<u128> {
        Err(no_solutions(self.0.definition().layout()))
    }

    fn solutions(&self, _position: &Cube, _limit: usize, _texts: &mut Texts) -> Result<()> {
        Err(no_solutions(self.0.definition().layout()))
    }
}
