//! Tables of distances to the position one twist from solved.

use super::{Answers, no_solutions};
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::Position;
use twistbase_puzzle::square1::notation::hex;
use twistbase_query::{EndingDistances, PositionTable};

impl Answers for EndingDistances<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn notations(&self) -> [&'static str; 2] {
        ["hex", "wca"]
    }

    fn write(&self, position: &Position, text: &mut String) -> Result<()> {
        // Positions that were parsed were turned so that they can be written, and those of entries can be twisted.
        text.push_str(&hex::print(position).unwrap_or_default());
        Ok(())
    }

    fn count(&self, _position: &Position, _ctx: &Context) -> Result<u128> {
        Err(no_solutions(self.definition().layout()))
    }

    fn solutions(&self, _position: &Position, _limit: usize, _texts: &mut Texts) -> Result<()> {
        Err(no_solutions(self.definition().layout()))
    }
}
