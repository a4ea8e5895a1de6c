//! Answers by search, where no table holds the distances: about puzzles too large for one, and goals of any puzzle that is data.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::answers::cube3::OptimalSummary;
use super::answers::table::{TableAnswer, TableSolution};
use super::answers::{Answer, FromSolved, Solution};
use super::batch::{LineAnswer, LineSolution};
use super::cube3::goal::unreachable;
use super::defined::WholePuzzle;
use super::metric::{BoundInMetric, QuestionMetric};
use super::position::PuzzlePosition;
use super::puzzle::{Detail, Effort, OnSolve, Prepared, Question, Solutions, SolveTask, Solver, count_of};
use super::solving::{ExactSearch, Shortfall, SolveEvent, SolveOutcome, SolveRequest, Solved};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Result};
use twistbase_definition::{Pattern, PuzzleSearch, SearchEvent, SearchFound, SearchRequest, Turn};
use twistbase_tables::TableMetric;

/// The searches that a process keeps. The tables of each take some megabytes, and more where a search was long.
const MOST_KEPT: usize = 8;

/// Turns that a cheap search tries, which takes part of a second.
const CHEAP_TURNS: u64 = 1 << 20;

/// The longest solutions that are looked for.
const LONGEST: u8 = u8::MAX;

/// A search for a goal of a puzzle, or for solved.
#[derive(Debug, Clone)]
pub(super) struct GoalSearch {
    puzzle: WholePuzzle,
    /// As asked for.
    goal: Option<String>,
    search: Arc<PuzzleSearch>,
    /// Bytes for tables; default: half of the free memory.
    memory: Option<u64>,
}

impl GoalSearch {
    /// Opens a search, or takes one that this process keeps.
    ///
    /// # Errors
    /// Those of the goal, and of [`PuzzleSearch::new`].
    pub fn open(puzzle: &WholePuzzle, goal: Option<&str>, memory: Option<u64>, ctx: &Context) -> Result<Self> {
        type Kept = (&'static str, Option<String>, Arc<PuzzleSearch>);
        static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
        let goal = goal.map(|goal| goal.trim().to_owned());
        let is_it =
            |(of, to, search): &Kept| *of == puzzle.name() && *to == goal && search.whole() == puzzle.definition();
        // The last used is the last of the list.
        let keep = |new: Option<Kept>| {
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            let found = kept.iter().position(is_it).map(|at| kept.remove(at)).or(new)?;
            let search = Arc::clone(&found.2);
            kept.push(found);
            let first = kept.len().saturating_sub(MOST_KEPT);
            kept.drain(..first);
            Some(search)
        };
        let search = match keep(None) {
            Some(search) => search,
            None => {
                let definition = puzzle.definition();
                let restriction = goal.as_deref().map(|goal| definition.goal(goal)).transpose()?.unwrap_or_default();
                // Not under the lock: this takes all threads, and one of them may wait for it.
                let search = Arc::new(PuzzleSearch::new(definition.clone(), &restriction, ctx)?);
                keep(Some((puzzle.name(), goal.clone(), Arc::clone(&search)))).unwrap_or(search)
            }
        };
        Ok(Self { puzzle: puzzle.clone(), goal, search, memory })
    }

    /// The solutions of a position.
    fn solutions(
        &self,
        pattern: &Pattern,
        input: &str,
        request: SearchRequest,
        ctx: &Context,
        each: impl FnMut(SearchEvent<'_>) + Send,
    ) -> Result<SearchFound> {
        let request = SearchRequest { memory: self.memory, ..request };
        self.search.solutions(pattern, &request, ctx, each).map_err(|error| self.as_given(error, input))
    }

    /// A position as the search sees it.
    fn pattern(&self, position: &PuzzlePosition) -> Result<Pattern> {
        Ok(self.search.position_of(&self.puzzle.pattern(position)?))
    }

    /// The error of a position that no moves lead on from, as it was given.
    fn as_given(&self, error: Error, input: &str) -> Error {
        match (error, &self.goal) {
            (Error::Invalid(invalid), None) => Error::Invalid(InvalidInput { input: input.to_owned(), ..invalid }),
            (Error::Invalid(_), Some(goal)) => {
                let message = format!("the moves do not lead from here to the goal {goal}");
                unreachable(input, "position for this goal", message)
            }
            (other, _) => other,
        }
    }

    fn solution(&self, input: &str, turns: &[usize]) -> Solution {
        Solution::Table(TableSolution {
            input: input.to_owned(),
            puzzle: self.puzzle.name(),
            goal: self.goal.clone(),
            length: turns.len(),
            metric: TableMetric::Moves,
            solution: self.search.text(turns),
        })
    }
}

/// A lower bound of a length in moves.
fn bound_of(at_least: usize) -> BoundInMetric {
    BoundInMetric { at_least: moves(at_least), metric: QuestionMetric::Moves }
}

/// A number of moves; no search finds more than [`LONGEST`].
fn moves(count: usize) -> u8 {
    count.try_into().unwrap_or(LONGEST)
}

/// A search that answers a question.
#[derive(Debug)]
pub(super) struct PreparedGoalSearch {
    of: GoalSearch,
    detail: Detail,
    limit: Option<u64>,
    exact: Option<ExactSearch>,
}

impl PreparedGoalSearch {
    /// A search for a question.
    pub fn new(of: GoalSearch, question: &Question) -> Self {
        let Question { detail, limit, exact, .. } = *question;
        Self { of, detail, limit, exact }
    }

    /// The request that the question allows.
    fn request(&self, exact: ExactSearch) -> SearchRequest {
        match exact {
            ExactSearch::WhereCheap => {
                // Each is tried at each node.
                let nodes = CHEAP_TURNS / self.of.search.turns().len().max(1) as u64;
                SearchRequest { nodes: Some(nodes), is_repeatable: true, ..SearchRequest::default() }
            }
            ExactSearch::Within(budget) => {
                SearchRequest { nodes: budget.nodes, deadline: budget.deadline(), ..SearchRequest::default() }
            }
        }
    }

    /// What a search finds, and whether an interrupt ended it.
    fn searched(&self, pattern: &Pattern, input: &str, ctx: &Context) -> Result<SearchFound> {
        let Some(exact) = self.exact else {
            let at_least = self.of.search.bound(pattern).map_err(|error| self.of.as_given(error, input))?;
            let solutions = if at_least == 0 { vec![Vec::new()] } else { Vec::new() };
            return Ok(SearchFound { is_complete: at_least == 0, solutions, at_least, nodes: 0 });
        };
        let count = if self.detail == Detail::Full { None } else { Some(1) };
        let request = SearchRequest { count, ..self.request(exact) };
        let found = self.of.solutions(pattern, input, request, ctx, |_| {})?;
        if exact == ExactSearch::WhereCheap && !found.is_complete {
            ctx.check()?;
        }
        Ok(found)
    }

    /// What is known after each turn of a position about which a search found something.
    fn next_moves(&self, pattern: &Pattern, found: &SearchFound) -> Vec<(String, FromSolved)> {
        let SearchFound { solutions, is_complete, .. } = found;
        let length = solutions.first().map(Vec::len);
        let at_least = length.unwrap_or(found.at_least);
        let mut is_nearer = vec![false; self.of.search.turns().len()];
        let firsts = solutions.iter().filter(|solution| Some(solution.len()) == length);
        firsts.flat_map(|solution| self.of.search.first_turns(solution)).for_each(|turn| is_nearer[turn] = true);
        let after = |(turn, is_nearer): (&Turn, bool)| {
            let left = at_least.saturating_sub(1);
            let from_solved = match is_nearer {
                true => FromSolved::exactly(moves(left)),
                // All that lead nearer are known.
                false if *is_complete => FromSolved { distance: None, at_least: moves(at_least.max(1)) },
                false => {
                    let turned = self.of.search.definition().apply(pattern, &turn.transformation);
                    let bound = self.of.search.bound(&turned).unwrap_or(left);
                    FromSolved { distance: None, at_least: moves(left.max(bound)) }
                }
            };
            (turn.name.clone(), from_solved)
        };
        self.of.search.turns().iter().zip(is_nearer).map(after).collect()
    }
}

impl Prepared for PreparedGoalSearch {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        self.of.puzzle.read(input)
    }

    fn may_search(&self) -> bool {
        self.exact.is_some()
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let (pattern, is_full) = (self.of.pattern(position)?, self.detail == Detail::Full);
        let found = self.searched(&pattern, input, ctx)?;
        let first = found.solutions.first();
        let from_solved = FromSolved {
            distance: first.map(|turns| moves(turns.len())),
            at_least: moves(first.map_or(found.at_least, Vec::len)),
        };
        Ok(Answer::Table(TableAnswer {
            input: input.to_owned(),
            position: position.clone(),
            goal: self.of.goal.clone(),
            turned: None,
            metric: TableMetric::Moves,
            from_solved,
            index: None,
            solution: first.filter(|_| is_full).map(|turns| self.of.search.text(turns)),
            solutions: (is_full && first.is_some() && found.is_complete).then_some(found.solutions.len() as u64),
            moves: is_full.then(|| self.next_moves(&pattern, &found)),
        }))
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solutions> {
        let request = self.request(self.exact.unwrap_or(ExactSearch::WhereCheap));
        let request = SearchRequest { count: self.limit.map(|_| count_of(self.limit)), extra: Some(0), ..request };
        let found = self.of.solutions(&self.of.pattern(position)?, input, request, ctx, |_| {})?;
        if !found.is_complete {
            ctx.check()?;
            let at_least = found.solutions.first().map_or(found.at_least, Vec::len);
            return Err(Error::Budget(Shortfall::NotListed { bound: bound_of(at_least) }.to_string()));
        }
        let solutions: Vec<_> = found.solutions.iter().map(|turns| Ok(self.of.solution(input, turns))).collect();
        Ok(Box::new(solutions.into_iter()))
    }
}

/// A search as a solver.
#[derive(Debug)]
pub(super) struct GoalSearchSolver {
    of: GoalSearch,
    request: SolveRequest,
}

impl GoalSearchSolver {
    /// A solver for a request.
    pub fn new(of: GoalSearch, request: SolveRequest) -> Self {
        Self { of, request }
    }

    /// Searches; calls `on` for each event, and for each solution if they are listed. Returns the first solution, too.
    fn run(
        &self,
        position: &PuzzlePosition,
        input: &str,
        ctx: &Context,
        on: OnSolve<'_>,
    ) -> Result<(SearchFound, Option<Solution>)> {
        let SolveRequest { extra, limit, max_depth, budget, .. } = self.request;
        let request = SearchRequest {
            count: if extra.is_some() { limit.map(|_| count_of(limit)) } else { Some(1) },
            extra: extra.map(usize::from),
            turns: [0, max_depth.unwrap_or(LONGEST).into()],
            deadline: budget.deadline(),
            nodes: budget.nodes,
            ..SearchRequest::default()
        };
        let (mut is_found, mut all_nodes) = (false, 0);
        let each = |event: SearchEvent<'_>| match event {
            SearchEvent::Found(turns) => {
                is_found = true;
                if extra.is_some() {
                    on(SolveEvent::Solution(self.of.solution(input, turns)));
                }
            }
            SearchEvent::Searched { turns, nodes } => {
                all_nodes += nodes;
                if !is_found {
                    on(SolveEvent::DepthFinished { bound: bound_of(turns + 1), nodes: all_nodes });
                }
            }
            SearchEvent::Nodes(nodes) => on(SolveEvent::Nodes(nodes)),
            SearchEvent::Tables(_) => {}
        };
        let found = self.of.solutions(&self.of.pattern(position)?, input, request, ctx, each)?;
        let first = found.solutions.first().map(|turns| self.of.solution(input, turns));
        Ok((found, first))
    }

    /// Why a search returned less than was asked.
    fn shortfall(&self, found: &SearchFound, ctx: &Context) -> Option<Shortfall> {
        let shortest = found.solutions.first().map(|turns| moves(turns.len()));
        let bound = bound_of(found.at_least);
        match (shortest, found.is_complete) {
            (Some(_), true) => None,
            (None, true) => Some(Shortfall::NoneWithin { most: self.request.max_depth.unwrap_or(LONGEST), bound }),
            (shortest, false) if ctx.is_cancelled() => Some(Shortfall::Interrupted { bound, shortest }),
            (Some(length), false) => Some(Shortfall::NotAll { length }),
            (None, false) => Some(Shortfall::OnlyBound { bound }),
        }
    }
}

impl Solver for GoalSearchSolver {
    fn noun(&self) -> &'static str {
        "a search of this puzzle"
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        self.of.puzzle.read(input)
    }

    fn search(&self, SolveTask { position, input, effort, ctx, on }: SolveTask<'_>) -> Result<Solved> {
        let began = Instant::now();
        let (found, first) = self.run(position, input, ctx, on)?;
        let shortfall = self.shortfall(&found, ctx);
        let is_listed = self.request.extra.is_some() && matches!(effort, Effort::Alone);
        let outcome = match first {
            _ if is_listed => SolveOutcome::Optimal(OptimalSummary {
                input: input.to_owned(),
                puzzle: self.of.puzzle.name(),
                metric: QuestionMetric::Moves.name(),
                goal: self.of.goal.clone(),
                method: "optimal",
                table: None,
                length: found.solutions.first().map(|turns| moves(turns.len())),
                at_least: bound_of(found.at_least).at_least,
                solutions: found.solutions.len() as u64,
                complete: found.is_complete
                    && self.request.limit.is_none_or(|most| (found.solutions.len() as u64) < most),
                symmetric_copies: true,
                nodes: found.nodes,
                look_ups: None,
                seconds: began.elapsed().as_secs_f64(),
            }),
            Some(solution) => SolveOutcome::Found(solution),
            None => SolveOutcome::NotFound,
        };
        Ok(Solved { outcome, shortfall })
    }

    fn solve_line(&self, _: u64, input: &str, is_last: &dyn Fn() -> bool, ctx: &Context) -> Result<LineSolution> {
        let (position, effort, mut listed) = (&self.read(input)?, Effort::Line(is_last), Vec::new());
        let mut on = |event| {
            if let SolveEvent::Solution(solution) = event {
                listed.push(solution);
            }
        };
        let solved = self.search(SolveTask { position, input, effort, ctx, on: &mut on })?;
        ctx.check()?;
        let LineSolution { answer, shortfall } = LineSolution::of(solved)?;
        let answer = if self.request.extra.is_some() { LineAnswer::Listed(listed) } else { answer };
        Ok(LineSolution { answer, shortfall })
    }
}
