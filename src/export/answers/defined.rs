//! Tables of puzzles that are data.

use super::{Answers, CUBE_NOTATIONS, write_cube};
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_definition::SpacePosition;
use twistbase_puzzle::cube2::notation::print_corners;
use twistbase_query::DefinedDistances;
use twistbase_tables::Notation;

/// The puzzle of goals of the 2×2×2.
const CUBE2: &str = "cube2";

impl Answers for DefinedDistances<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn notations(&self) -> [&'static str; 2] {
        match (self.definition().notation(), self.definition().cube_goal()) {
            (Notation::KPattern, None) => ["kpattern", "moves"],
            _ => CUBE_NOTATIONS,
        }
    }

    fn write(&self, position: &SpacePosition, text: &mut String) -> Result<()> {
        match self.definition().cube_goal() {
            Some(goal) if goal.puzzle == CUBE2 => text.push_str(&print_corners(&self.cube(*position)?)),
            Some(_) => write_cube(&self.cube(*position)?, text),
            None => self.definition().append(*position, text),
        }
        Ok(())
    }

    fn count(&self, position: &SpacePosition, ctx: &Context) -> Result<u128> {
        Ok(self.count(*position, ctx)?.into())
    }

    fn solutions(&self, position: &SpacePosition, limit: usize, texts: &mut Texts) -> Result<()> {
        for turns in self.solutions(*position)?.take(limit) {
            texts.text.push_str(&self.text(&turns?));
            texts.end();
        }
        Ok(())
    }
}
