//! Tables of positions in H.

use super::{Answers, CUBE_NOTATIONS, no_solutions, row_levels, write_cube};
use crate::batch::Texts;
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::MoveSequence;
use twistbase_puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase_query::cube3::{FirstHSolutions, HMoveOrder, PhaseTwo};
use twistbase_tables::{Definition, PhaseTwoTable};

pub(crate) enum PhaseTwoAnswers {
    Distances(FirstHSolutions<CachedTable>),
    Bounds(PhaseTwo<CachedTable>),
}

impl PhaseTwoAnswers {
    pub fn new(definition: &'static PhaseTwoTable, entries: CachedTable) -> Result<Self> {
        if !definition.is_exact() {
            return Ok(Self::Bounds(PhaseTwo::over(definition, entries).remembering()?));
        }
        let levels: Vec<Vec<u64>> = row_levels(&entries)?.into_iter().map(<[u64]>::to_vec).collect();
        let order = move || HMoveOrder::new(definition, &levels);
        Ok(Self::Distances(FirstHSolutions::new(PhaseTwo::over(definition, entries), order)?))
    }
}

impl Answers for PhaseTwoAnswers {
    type Table = PhaseTwo<CachedTable>;

    fn table(&self) -> &PhaseTwo<CachedTable> {
        match self {
            Self::Distances(solver) => solver.table(),
            Self::Bounds(table) => table,
        }
    }

    fn notations(&self) -> [&'static str; 2] {
        CUBE_NOTATIONS
    }

    fn write(&self, position: &PhaseTwoPosition, text: &mut String) -> Result<()> {
        write_cube(&position.position(), text);
        Ok(())
    }

    fn count(&self, position: &PhaseTwoPosition, ctx: &Context) -> Result<u128> {
        Ok(self.table().count(position, ctx)?.into())
    }

    fn first_solutions(&self, positions: &[PhaseTwoPosition], texts: &mut Texts) -> Result<()> {
        let Self::Distances(solver) = self else { return Err(no_solutions(self.table().definition().layout())) };
        solver.each(positions, &mut |solution| write_solution(&solution, texts))
    }

    fn solutions(&self, position: &PhaseTwoPosition, limit: usize, texts: &mut Texts) -> Result<()> {
        if !self.table().definition().is_exact() {
            return Err(no_solutions(self.table().definition().layout()));
        }
        for moves in self.table().solutions(position)?.take(limit) {
            write_solution(&MoveSequence::new(moves?), texts);
        }
        Ok(())
    }
}

/// Writes a solution as the World Cube Association does.
fn write_solution(solution: &MoveSequence, texts: &mut Texts) {
    texts.text.push_str(&solution.to_string());
    texts.end();
}
