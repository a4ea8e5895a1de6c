//! Tables of puzzles that are data.

use super::{Answers, CUBE_NOTATIONS};
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_definition::SpacePosition;
use twistbase_query::DefinedDistances;
use twistbase_tables::Notation;

impl Answers for DefinedDistances<CachedTable> {
    type Table = Self;

    fn table(&self) -> &Self {
        self
    }

    fn notations(&self) -> [&'static str; 2] {
        match self.definition().notation() {
            Notation::KPattern => ["kpattern", "moves"],
            Notation::Cube2 => CUBE_NOTATIONS,
        }
    }

    fn write(&self, position: &SpacePosition, text: &mut String) -> Result<()> {
        self.definition().append(*position, text);
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
