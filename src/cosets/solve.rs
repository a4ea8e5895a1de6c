//! Cosets of given positions, solved or known.

use super::position_list::{PositionList, refuse_list_with_checkpoint};
use super::recorder::CosetRecorder;
use super::request::{CosetSolve, remove_checkpoint};
use super::{CosetDatabase, CosetQuestion, CosetRecord, CosetWriter};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_puzzle::cube3::{Cover, Cube, Metric};
use twistbase_solve::{CosetEvent, CosetLevel, CosetOptions, CosetWeights};

/// The result about a requested coset.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedCoset {
    /// The result.
    pub record: CosetRecord,
    /// Whether it was known, and not solved now.
    pub stored: bool,
}

impl CosetDatabase {
    /// A solver of cosets, one after the other, that stores the results. `list` gets the positions that
    /// [`CosetOptions::list_from`] lists; every coset is solved for it, whatever is known.
    ///
    /// # Errors
    /// [`Error::Usage`] if options contradict each other (a list and a checkpoint do).
    pub fn solver<'a>(
        &'a self,
        solve: &'a CosetSolve,
        list: Option<PositionList>,
        ctx: &'a Context,
    ) -> Result<StoringCosetSolver<'a>> {
        let options = solve.request.options_in(&self.store)?;
        let question = CosetQuestion::new(&options, solve.weighted)?;
        refuse_list_with_checkpoint(list.is_some(), options.checkpoint.is_some())?;
        Ok(StoringCosetSolver { cosets: self, solve, options, question, ctx, opened: None, list, listed: 0 })
    }
}

/// Solves cosets of positions, one after the other, and stores the results.
///
/// Needs the table `phase1`, and as much memory as [`CosetSolver::working_set`](twistbase_solve::CosetSolver::working_set) says,
/// from the first coset on that is not known.
pub struct StoringCosetSolver<'a> {
    cosets: &'a CosetDatabase,
    solve: &'a CosetSolve,
    options: CosetOptions,
    /// The question about each coset.
    question: CosetQuestion,
    ctx: &'a Context,
    /// Made when they are first needed.
    opened: Option<(CosetWriter, CosetRecorder)>,
    list: Option<PositionList>,
    /// Cosets in the list.
    listed: usize,
}

impl StoringCosetSolver<'_> {
    /// Solves the coset of a position and stores the result, or returns a stored one that is as good.
    /// `on` hears of each level when it is finished.
    ///
    /// # Errors
    /// [`Error::Usage`] if the list is [expected](super::CosetRequest::LONGEST_LIST) to become too long, or weights are wanted
    /// of a coset that is not in the cover: the next coset may be solved then. Those of
    /// [`CosetSolver::open`](twistbase_solve::CosetSolver::open), [`CosetSolver::solve`](twistbase_solve::CosetSolver::solve),
    /// of the results and of `on`, which ends the search.
    pub fn solve(
        &mut self,
        representative: &Cube,
        on: &mut dyn FnMut(&CosetLevel) -> Result<()>,
    ) -> Result<SolvedCoset> {
        let CosetSolve { request, weighted } = self.solve;
        if self.list.is_some() {
            request.check_list(request.expected_list(self.listed + 1))?;
        }
        let coset = CosetOfH::of(representative);
        let weights = if *weighted { Some(cover_weights(representative)?) } else { None };
        // What is to be replaced need not be readable.
        let is_new = request.force || self.list.is_some();
        let known = if is_new { None } else { self.cosets.results.get(coset.number())? };
        if let Some(record) = known.filter(|known| known.answers(&self.question)) {
            remove_checkpoint(self.options.checkpoint.as_ref(), coset)?;
            return Ok(SolvedCoset { record, stored: true });
        }
        let (writer, recorder) = match &mut self.opened {
            Some(opened) => opened,
            none => {
                let CosetDatabase { store, cache, results, .. } = self.cosets;
                self.cosets.provide_phase1(Metric::Htm, self.ctx)?;
                // Before the results are locked: without its table nothing is left of a solver.
                let recorder = CosetRecorder::open(store, *cache, self.options.clone(), self.ctx)?;
                none.insert((results.writer(self.ctx)?, recorder))
            }
        };
        let list = &mut self.list;
        let record = recorder.solve(representative, weights.as_ref(), &mut |event| match (event, &mut *list) {
            (CosetEvent::Level(level), _) => on(level),
            (CosetEvent::Remaining(position), Some(list)) => list.add(position),
            (CosetEvent::Remaining(_), None) => Ok(()),
        })?;
        self.listed += 1;
        writer.keep(std::slice::from_ref(&record), request.force)?;
        remove_checkpoint(self.options.checkpoint.as_ref(), coset)?;
        Ok(SolvedCoset { record, stored: false })
    }

    /// Completes the list; returns the number of its positions, if there is a list.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(self) -> Result<Option<u64>> {
        self.list.map(PositionList::publish).transpose()
    }
}

fn cover_weights(representative: &Cube) -> Result<CosetWeights> {
    CosetWeights::of_cover(representative).ok_or_else(|| {
        let coset = CosetOfH::of(representative);
        let count = Cover::get().count();
        Error::Usage(format!("coset {coset} is not in the cover ({count} cosets), so its positions have no weights"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::super::{CosetRequest, find_representative};
    use super::*;
    use twistbase_cache::CacheMode;
    use twistbase_store::Store;

    /// Without any table, known results are returned, and an invalid coset is reported before the missing table.
    #[test]
    fn a_solver_answers_what_is_known_and_goes_on_after_what_it_refuses() {
        let dir = tempfile::tempdir().unwrap();
        let (cosets, ctx) = (CosetDatabase::new(&Store::open(dir.path()), CacheMode::Off), Context::silent());
        let known = find_representative("F R U2").unwrap();
        let of_known = record(CosetOfH::of(&known).number(), &[2, 18, 118], 2);
        cosets.results().writer(&ctx).unwrap().put(&[of_known]).unwrap();
        let options = CosetOptions { search_depth: 5, depth: 6, ..CosetOptions::default() };
        let solve = CosetSolve { request: CosetRequest { options, ..CosetRequest::default() }, weighted: false };
        let mut solver = cosets.solver(&solve, None, &ctx).unwrap();
        let mut silent = |_: &CosetLevel| -> Result<()> { panic!("nothing is solved") };
        for _ in 0..2 {
            assert!(solver.solve(&known, &mut silent).unwrap().stored);
            let unknown = solver.solve(&find_representative("1000").unwrap(), &mut silent);
            assert!(matches!(unknown, Err(Error::Data(_))), "phase1 is missing");
        }
        assert_eq!(solver.finish().unwrap(), None);
        let weighted = CosetSolve { weighted: true, ..solve };
        let mut solver = cosets.solver(&weighted, None, &ctx).unwrap();
        assert!(matches!(solver.solve(&known, &mut silent), Err(Error::Usage(_))), "it is not in the cover");
    }

    /// A list of average cosets from level 19 on is refused from the second coset on.
    #[test]
    fn lists_that_become_too_long_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (cosets, ctx) = (CosetDatabase::new(&Store::open(dir.path()), CacheMode::Off), Context::silent());
        let options = CosetOptions { list_from: Some(19), ..CosetOptions::default() };
        let solve = CosetSolve { request: CosetRequest { options, ..CosetRequest::default() }, weighted: false };
        let list = || Some(PositionList::of_stream(std::io::sink(), "a list"));
        let mut solver = cosets.solver(&solve, list(), &ctx).unwrap();
        assert!(matches!(solver.solve(&Cube::SOLVED, &mut |_| Ok(())), Err(Error::Data(_))), "phase1 is missing");
        solver.listed = 1;
        assert!(matches!(solver.solve(&Cube::SOLVED, &mut |_| Ok(())), Err(Error::Usage(_))));
        assert_eq!(solver.finish().unwrap(), Some(0));
        let checkpoint = CosetRequest { checkpoint_every: Some(std::time::Duration::ZERO), ..solve.request };
        let solve = CosetSolve { request: checkpoint, weighted: false };
        assert!(matches!(cosets.solver(&solve, list(), &ctx), Err(Error::Usage(_))));
    }
}
