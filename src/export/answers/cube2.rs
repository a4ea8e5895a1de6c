//! Tables of the 2×2×2 cube.

use super::{Answers, CUBE_NOTATIONS};
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube2::{Cube2Position, notation};
use twistbase_puzzle::cube3::MoveSequence;
use twistbase_query::Cube2Distances;

impl Answers for Cube2Distances<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn notations(&self) -> [&'static str; 2] {
        CUBE_NOTATIONS
    }

    fn write(&self, position: &Cube2Position, text: &mut String) -> Result<()> {
        notation::append(position, text);
        Ok(())
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
