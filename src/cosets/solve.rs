//! One coset, solved or known.

use super::position_list::{PositionList, refuse_list_with_checkpoint};
use super::recorder::CosetRecorder;
use super::request::{CosetSolve, remove_checkpoint};
use super::{CosetDatabase, CosetQuestion, CosetRecord};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_puzzle::cube3::{Cover, Cube, Metric};
use twistbase_solve::{CosetEvent, CosetLevel, CosetWeights};

/// What is known about a coset that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedCoset {
    /// The result.
    pub record: CosetRecord,
    /// Whether it was known, and not solved now.
    pub stored: bool,
}

impl CosetDatabase {
    /// Solves the coset of a position and keeps the result, unless one is known that tells as much: that is returned then.
    /// `on` hears of each level when it is finished.
    ///
    /// Needs the table `phase1`, and as much memory as [`CosetSolver::working_set`](twistbase_solve::CosetSolver::working_set)
    /// says.
    ///
    /// # Errors
    /// [`Error::Usage`] if options contradict each other (a list and a checkpoint do), a list is
    /// [expected](CosetSolve::expected_list) to be too long, or weights are wanted of a coset that is not in the cover; those
    /// of [`CosetSolver::open`](twistbase_solve::CosetSolver::open), [`CosetSolver::solve`](twistbase_solve::CosetSolver::solve),
    /// of the results and of `on`, which ends the search.
    pub fn solve(
        &self,
        representative: &Cube,
        solve: &CosetSolve,
        ctx: &Context,
        on: &mut dyn FnMut(&CosetLevel) -> Result<()>,
    ) -> Result<SolvedCoset> {
        let CosetSolve { request, weighted, list } = solve;
        request.check_list(solve.expected_list())?;
        let coset = CosetOfH::of(representative);
        let weights = if *weighted { Some(cover_weights(representative)?) } else { None };
        let options = request.options_in(self.store.dir());
        let question = CosetQuestion::new(&options, *weighted)?;
        // What is to be replaced need not be readable.
        let known = if request.force || list.is_some() { None } else { self.results.get(coset.number())? };
        let checkpoint = options.checkpoint.clone();
        refuse_list_with_checkpoint(list.is_some(), checkpoint.is_some())?;
        if let Some(record) = known.filter(|known| known.answers(&question)) {
            remove_checkpoint(checkpoint.as_ref(), coset)?;
            return Ok(SolvedCoset { record, stored: true });
        }
        let writer = self.results.writer(ctx)?;
        self.provide_phase1(Metric::Htm, ctx)?;
        let mut recorder = CosetRecorder::open(&self.store, self.cache, options, ctx)?;
        let mut list = list.as_deref().map(PositionList::create).transpose()?;
        let record = recorder.solve(representative, weights.as_ref(), &mut |event| match (event, &mut list) {
            (CosetEvent::Level(level), _) => on(level),
            (CosetEvent::Remaining(position), Some(list)) => list.add(position),
            (CosetEvent::Remaining(_), None) => Ok(()),
        })?;
        list.map_or(Ok(()), PositionList::publish)?;
        writer.keep(std::slice::from_ref(&record), request.force)?;
        remove_checkpoint(checkpoint.as_ref(), coset)?;
        Ok(SolvedCoset { record, stored: false })
    }
}

fn cover_weights(representative: &Cube) -> Result<CosetWeights> {
    CosetWeights::of_cover(representative).ok_or_else(|| {
        let coset = CosetOfH::of(representative);
        let count = Cover::get().count();
        Error::Usage(format!("coset {coset} is none of the {count} of the cover, so its positions have no weights"))
    })
}
