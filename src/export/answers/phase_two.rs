//! Tables of positions in H.

use super::{Answers, CUBE_NOTATIONS, OF_BOUNDS, OF_DISTANCES, no_solutions, parse_cube, write_cube, write_moves};
use crate::cache::CachedTable;
use crate::context::Context;
use crate::error::Result;
use crate::export::batch::Texts;
use crate::export::columns::Column;
use crate::puzzle::cube3::coordinate::Layers;
use crate::query::cube3::{PhaseTwo, layers_in_h};
use crate::tables::Definition;

pub(in crate::export) struct PhaseTwoAnswers(pub PhaseTwo<CachedTable>);

impl Answers for PhaseTwoAnswers {
    type Position = Layers;

    fn definition(&self) -> &'static dyn Definition {
        self.0.definition()
    }

    fn entries(&self) -> &CachedTable {
        self.0.entries()
    }

    fn offered(&self) -> &'static [Column] {
        if self.0.definition().is_exact() { &OF_DISTANCES } else { &OF_BOUNDS }
    }

    fn goal(&self) -> &'static str {
        if self.0.definition().is_exact() {
            "solved, by moves of H"
        } else {
            "solved but for the middle edges, by moves of H"
        }
    }

    fn notations(&self) -> [&'static str; 2] {
        CUBE_NOTATIONS
    }

    fn parse(&self, input: &str) -> Result<Layers> {
        Ok(layers_in_h(input, &parse_cube(input)?)?)
    }

    fn place(&self, position: &Layers) -> (u32, u64) {
        self.0.definition().place(position)
    }

    fn position(&self, row: u32, entry: u64) -> Option<Layers> {
        self.0.definition().layers_at(row, entry)
    }

    fn write(&self, position: &Layers, text: &mut String) {
        write_cube(&position.position(), text);
    }

    fn level(&self, position: &Layers, _value: u8) -> Result<u8> {
        Ok(self.0.distance(position)?.moves())
    }

    fn count(&self, position: &Layers, ctx: &Context) -> Result<u128> {
        Ok(self.0.count(position, ctx)?.into())
    }

    fn solutions(&self, position: &Layers, limit: usize, texts: &mut Texts) -> Result<()> {
        if !self.0.definition().is_exact() {
            return Err(no_solutions(self.0.definition().layout()));
        }
        for moves in self.0.solutions(position)?.take(limit) {
            write_moves(moves?, &mut texts.text);
            texts.end();
        }
        Ok(())
    }
}
