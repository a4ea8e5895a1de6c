//! Pruning tables of optimal solvers: bounds in two bits.

use super::{Answers, CUBE_NOTATIONS, no_solutions, write_cube};
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::Cube;
use twistbase_query::cube3::Pruning;
use twistbase_tables::Definition;

impl Answers for Pruning<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn notations(&self) -> [&'static str; 2] {
        CUBE_NOTATIONS
    }

    fn write(&self, position: &Cube, text: &mut String) -> Result<()> {
        write_cube(position, text);
        Ok(())
    }

    fn count(&self, _position: &Cube, _ctx: &Context) -> Result<u128> {
        Err(no_solutions(self.table.layout()))
    }

    fn solutions(&self, _position: &Cube, _limit: usize, _texts: &mut Texts) -> Result<()> {
        Err(no_solutions(self.table.layout()))
    }
}
