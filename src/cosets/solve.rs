//! Cosets of given positions, solved or known.

use super::position_list::{PositionList, refuse_list_with_checkpoint};
use super::request::{CosetRequest, CosetSolve};
use super::{CosetDatabase, CosetQuestion, CosetRecord, CosetWriter, CoverSolver};
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
        self.storing(&solve.request, solve.weighted, list, ctx)
    }

    pub(super) fn storing<'a>(
        &'a self,
        request: &'a CosetRequest,
        weighted: bool,
        list: Option<PositionList>,
        ctx: &'a Context,
    ) -> Result<StoringCosetSolver<'a>> {
        let options = request.options_in(&self.store)?;
        let question = CosetQuestion::new(&options, weighted)?;
        refuse_list_with_checkpoint(list.is_some(), options.checkpoint.is_some())?;
        let (writer, solver, listed) = (None, None, 0);
        Ok(StoringCosetSolver { cosets: self, request, weighted, options, question, ctx, writer, solver, list, listed })
    }
}

/// Solves cosets of positions, one after the other, and stores the results.
///
/// Needs the table `phase1`, and as much memory as [`CosetSolver::working_set`](twistbase_solve::CosetSolver::working_set) says,
/// from the first coset on that is not known.
pub struct StoringCosetSolver<'a> {
    cosets: &'a CosetDatabase,
    request: &'a CosetRequest,
    weighted: bool,
    options: CosetOptions,
    /// The question about each coset.
    question: CosetQuestion,
    ctx: &'a Context,
    /// Made when they are first needed: when everything is known, nothing is loaded.
    writer: Option<CosetWriter>,
    solver: Option<CoverSolver>,
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
        if self.list.is_some() {
            self.request.check_list(self.request.expected_list(self.listed + 1))?;
        }
        let weights = if self.weighted { Some(cover_weights(representative)?) } else { None };
        if let Some(record) = self.known(CosetOfH::of(representative))? {
            return Ok(SolvedCoset { record, stored: true });
        }
        self.cosets.provide_phase1(Metric::Htm, self.ctx)?;
        let record = self.solve_anew(representative, weights.as_ref(), on)?;
        self.listed += 1;
        Ok(SolvedCoset { record, stored: false })
    }

    /// Whether what is stored does not matter: a list has the positions of every coset.
    fn asks_anew(&self) -> bool {
        self.request.force || self.list.is_some()
    }

    /// The stored result of a coset, if it is as good as a new one.
    pub(super) fn known(&self, coset: CosetOfH) -> Result<Option<CosetRecord>> {
        // What is to be replaced need not be readable.
        let known = if self.asks_anew() { None } else { self.cosets.results.get(coset.number())? };
        let known = known.filter(|known| known.answers(&self.question));
        known.map(|known| self.options.forget_checkpoint(coset).map(|()| known)).transpose()
    }

    /// Whether to skip a coset because all its positions are farther than the last level that is searched. The open table tells.
    pub(super) fn is_beyond(&self, coset: CosetOfH) -> bool {
        // Of what is listed, all remain; and whoever forces wants a record.
        let solver = self.solver.as_ref().filter(|_| !self.asks_anew());
        solver.is_some_and(|solver| solver.distance(coset) > self.question.search_depth)
    }

    /// Locks the results.
    pub(super) fn lock(&mut self) -> Result<()> {
        if self.writer.is_none() {
            self.writer = Some(self.cosets.results.writer(self.ctx)?);
        }
        Ok(())
    }

    /// The solver, which is opened when it is first asked for.
    pub(super) fn opened(&mut self) -> Result<&mut CoverSolver> {
        match &mut self.solver {
            Some(solver) => Ok(solver),
            none => {
                let CosetDatabase { store, cache, .. } = self.cosets;
                Ok(none.insert(CoverSolver::open(store, *cache, self.options.clone(), self.ctx)?))
            }
        }
    }

    /// Solves the coset of a position and stores the result.
    pub(super) fn solve_anew(
        &mut self,
        representative: &Cube,
        weights: Option<&CosetWeights>,
        on: &mut dyn FnMut(&CosetLevel) -> Result<()>,
    ) -> Result<CosetRecord> {
        // Before the results are locked: without its table nothing is left of a solver.
        self.opened()?;
        self.lock()?;
        let mut list = self.list.take();
        let record = self.opened()?.solve_position(representative, weights, &mut |event| match (event, &mut list) {
            (CosetEvent::Level(level), _) => on(level),
            (CosetEvent::Remaining(position), Some(list)) => list.add(position),
            (CosetEvent::Remaining(_), None) => Ok(()),
        });
        self.list = list;
        let record = record?;
        if let Some(writer) = &self.writer {
            writer.keep(std::slice::from_ref(&record), self.request.force)?;
        }
        self.options.forget_checkpoint(CosetOfH::of(representative))?;
        Ok(record)
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
    use super::super::find_representative;
    use super::super::record::tests::record;
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
