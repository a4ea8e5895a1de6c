//! Pruning tables of optimal solvers: bounds in two bits.

use super::{Answers, CUBE_NOTATIONS, OF_BOUNDS, no_solutions, parse_cube, write_cube};
use crate::cache::CachedTable;
use crate::context::Context;
use crate::error::Result;
use crate::export::batch::Texts;
use crate::export::columns::Column;
use crate::puzzle::cube3::Cube;
use crate::tables::{CosetTable, Definition, NxTable};

pub(in crate::export) struct PruningAnswers {
    pub table: &'static NxTable,
    pub entries: CachedTable,
}

impl Answers for PruningAnswers {
    type Position = Cube;

    fn definition(&self) -> &'static dyn Definition {
        self.table
    }

    fn entries(&self) -> &CachedTable {
        &self.entries
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
        self.table.place(position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Cube> {
        self.table.position(row, entry)
    }

    fn write(&self, position: &Cube, text: &mut String) {
        write_cube(position, text);
    }

    fn level(&self, position: &Cube, _value: u8) -> Result<u8> {
        Ok(self.table.look_up(&self.entries, position)?.bound)
    }

    fn is_entry(&self, _row: u32, entry: u64) -> bool {
        self.table.is_entry(entry)
    }

    fn count(&self, _position: &Cube, _ctx: &Context) -> Result<u128> {
        Err(no_solutions(self.table.layout()))
    }

    fn solutions(&self, _position: &Cube, _limit: usize, _texts: &mut Texts) -> Result<()> {
        Err(no_solutions(self.table.layout()))
    }
}
