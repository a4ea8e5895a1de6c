//! Requests to solvers, and their results.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::TableId;
use super::answers::Solution;
use super::answers::cube3::OptimalSummary;
use super::metric::{BoundInMetric, QuestionMetric};
use super::named::Named;
use super::puzzle_info::{CUBE3, refuse_foreign};
use twistbase_core::error::{Class, Error, Problem, Result};
use twistbase_puzzle::cube3::notation::{FaceletOrder, HeldCube, parse_position};
use twistbase_puzzle::cube3::{Centres, Cube, Metric};
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;
use twistbase_solve::{LONGEST, LONGEST_SEARCH};
use twistbase_tables::Counted;

/// How a position of the Rubik's cube is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SolveMethod {
    /// Searches a shortest solution for about a second at most; if it finds none, it continues as [`TwoPhase`](Self::TwoPhase).
    /// The result says whether the solution is proven shortest. Each line of a batch gets a much shorter search.
    #[default]
    Auto,
    /// Goes into H and from there to the goal, along all axes, from the position and its inverse. Finds a short solution at
    /// once, then shorter ones.
    TwoPhase,
    /// Searches a shortest solution by moves of H. The position must be in H, seen from the goal.
    PhaseTwo,
    /// Searches a shortest solution, or all of them.
    Optimal,
}

impl Named for SolveMethod {
    const WHAT: &'static str = "method";
    const NAMES: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("two-phase", Self::TwoPhase), ("phase2", Self::PhaseTwo), ("optimal", Self::Optimal)];
}

/// The limits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchBudget {
    /// The time for one position.
    pub time: Option<Duration>,
    /// The nodes to visit for one position. Each thread may exceed them by some thousands.
    pub nodes: Option<u64>,
}

impl SearchBudget {
    /// Whether there is any limit.
    pub fn is_limited(&self) -> bool {
        self.time.is_some() || self.nodes.is_some()
    }

    /// The end of a search that begins now; `None` for a time that the clock cannot count.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.time.and_then(|time| Instant::now().checked_add(time))
    }
}

/// The search for a distance that no table stores: by all moves of the Rubik's cube; in the Square-1 family beyond the depth of a
/// table that was built to a depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExactSearch {
    /// Searches for a moment, if a small table that guides the search is built. Near positions get a distance, others a lower
    /// bound. The same question always has the same answer.
    WhereCheap,
    /// Searches within the budget, with the strongest table that is built. Puzzles whose tables are always complete refuse it. One
    /// position in [full detail](super::Detail::Full) uses all threads.
    Within(SearchBudget),
}

/// A request to a solver. A puzzle or method refuses options that it does not have.
#[derive(Debug, Clone, Default)]
pub struct SolveRequest {
    /// The method (Rubik's cube); [`Auto`](SolveMethod::Auto) by default.
    pub method: Option<SolveMethod>,
    /// How moves are counted; by default the first of the puzzle's [metrics](super::PuzzleInfo::metrics).
    pub metric: Option<QuestionMetric>,
    /// What to reach instead of solved: a goal by its name, as in a [question](super::Question::goal), for a shortest solution
    /// by look-up; or a position of the Rubik's cube in any notation. A position that is held in another way than the start is
    /// turned until both are held alike. One of another colour scheme is refused.
    pub goal: Option<String>,
    /// When to stop (Rubik's cube; puzzles that are data; the Square-1 family in the metric [`Face`](QuestionMetric::Face) or with a
    /// table that was built to a depth).
    pub budget: SearchBudget,
    /// Stop at a solution of this length (auto, two-phase, phase 2): at most [`LONGEST`].
    pub target: Option<u8>,
    /// The pruning table (optimal); by default the strongest that is built.
    pub table: Option<TableId>,
    /// Whether to read the pruning table from a map of its cache file (optimal). By default it is copied to memory if there is room
    /// ([`TablePlace`](twistbase_solve::TablePlace) says what a map risks where other programs change the file).
    pub mapped: bool,
    /// List all solutions of up to this many moves more than the shortest (optimal; puzzles that are data): at most
    /// [`LONGEST_SEARCH`]. By default the search ends at one shortest solution.
    pub extra: Option<u8>,
    /// List at most this many solutions (with `extra`): at least one.
    pub limit: Option<u64>,
    /// Search only solutions of at most this many moves (optimal; puzzles that are data): at most [`LONGEST_SEARCH`] of the Rubik's
    /// cube.
    pub max_depth: Option<u8>,
    /// Bytes for the tables of a search (puzzles that are data); by default half of the free memory.
    pub memory: Option<u64>,
    /// The middle layer at the end (Square-1 family): ignored by default, square in the metrics [`Wca`](QuestionMetric::Wca) and
    /// [`Face`](QuestionMetric::Face).
    pub middle: Option<MiddleGoal>,
    /// How turns and sequences are written (Square-1 family).
    pub notation: Option<SequenceNotation>,
}

impl SolveRequest {
    /// The options that some puzzles lack, each with whether it was given.
    fn options(&self) -> [(&'static str, bool); 14] {
        [
            ("target", self.target.is_some()),
            ("time", self.budget.time.is_some()),
            ("max-nodes", self.budget.nodes.is_some()),
            ("goal", self.goal.is_some()),
            ("method", self.method.is_some()),
            ("metric", self.metric.is_some()),
            ("table", self.table.is_some()),
            ("map", self.mapped),
            ("extra", self.extra.is_some()),
            ("limit", self.limit.is_some()),
            ("max-depth", self.max_depth.is_some()),
            ("memory", self.memory.is_some()),
            ("middle", self.middle.is_some()),
            ("notation", self.notation.is_some()),
        ]
    }

    /// The options that a search of a puzzle that is data has.
    pub(super) const OF_SEARCH: [&str; 8] =
        ["metric", "goal", "time", "max-nodes", "extra", "limit", "max-depth", "memory"];

    /// Whether it asks for more than a table of distances gives.
    pub(super) fn is_search(&self) -> bool {
        let Self { extra, limit, max_depth, memory, budget, .. } = self;
        budget.is_limited() || extra.is_some() || limit.is_some() || max_depth.is_some() || memory.is_some()
    }

    /// Refuses the options that `of`, for instance "the puzzle cube3", does not have: those not in `own`.
    pub(super) fn refuse_foreign(&self, of: &str, own: &[&str]) -> Result<()> {
        refuse_foreign(of, &self.options(), own)
    }

    /// Refuses lengths that no search reaches, and a limit of no solutions.
    ///
    /// # Errors
    /// [`Error::Usage`] that names all of them.
    pub(super) fn check_numbers(&self) -> Result<()> {
        let lengths = [
            ("target", self.target, LONGEST),
            ("extra", self.extra, LONGEST_SEARCH),
            ("max-depth", self.max_depth, LONGEST_SEARCH),
        ];
        let no_solutions =
            self.limit.filter(|&limit| limit == 0).map(|_| "limit 0 would list nothing; the smallest is 1".to_owned());
        let wrong: Vec<String> = lengths
            .into_iter()
            .filter_map(|(name, given, most)| {
                given.filter(|&given| given > most).map(|given| format!("{name} {given} is over the maximum of {most}"))
            })
            .chain(no_solutions)
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(Error::Usage(wrong.join("; "))) }
    }

    /// Refuses what makes no sense for a search of a puzzle that is data.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub(super) fn check_search(&self) -> Result<()> {
        // Of these puzzles solutions may be longer.
        Self { max_depth: None, ..self.clone() }.check_numbers()?;
        if self.limit.is_some() && self.extra.is_none() {
            return Err(Error::Usage(Self::LIMIT_NEEDS_EXTRA.to_owned()));
        }
        Ok(())
    }

    /// The error of a limit of one solution.
    pub(super) const LIMIT_NEEDS_EXTRA: &str = "a limit needs the option extra: without it one solution is searched";

    /// The goal of the Rubik's cube: solved by default.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason.
    #[doc(hidden)]
    pub fn cube3_goal(&self) -> Result<Cube3Goal> {
        self.goal.as_deref().map_or(Ok(Cube3Goal::SOLVED), Cube3Goal::of)
    }

    /// The metric of the Rubik's cube, if one was given.
    ///
    /// # Errors
    /// [`Error::ForeignValue`](twistbase_core::Error::ForeignValue) for a metric that the cube does not have.
    #[doc(hidden)]
    pub fn cube3_metric(&self) -> Result<Option<Metric>> {
        QuestionMetric::of_cube(self.metric, CUBE3)
    }
}

/// The position that solutions of the Rubik's cube lead to.
#[derive(Debug, Clone, Copy)]
pub struct Cube3Goal(HeldCube<Cube>);

impl Cube3Goal {
    /// The solved cube.
    pub(super) const SOLVED: Self =
        Self(HeldCube { position: Cube::SOLVED, centres: Centres::USUAL, order: FaceletOrder::USUAL });

    /// Reads a goal in any notation.
    pub(super) fn of(text: &str) -> Result<Self> {
        let read = parse_position(text).map_err(|mut invalid| {
            // It may be meant as a goal by its name.
            if text.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
                let names: Vec<_> = super::cube3::goal::names(CUBE3).collect();
                let message = format!("no goal has this name, either; choose from: {}", names.join(", "));
                invalid.problems.push(Problem { code: "unknown-goal", message, at: None });
            }
            invalid
        })?;
        Ok(Self(read.held()))
    }

    /// The goal held like a start.
    ///
    /// # Errors
    /// [`Error::Usage`] for a start of another colour scheme, unless the goal is solved.
    #[doc(hidden)]
    pub fn held_like(&self, start: &HeldCube<Cube>) -> Result<Cube> {
        if self.0.position.is_solved() {
            return Ok(Cube::SOLVED);
        }
        let held = self.0.held_like(start.centres).map(|held| held.position);
        held.ok_or_else(|| Error::Usage("start and goal have different colour schemes".to_owned()))
    }
}

/// An event of a search.
#[derive(Debug, Clone)]
pub enum SolveEvent {
    /// A solution: shorter than those before it, or another one of the list.
    Solution(Solution),
    /// A depth is finished: no solution, or no further one, has fewer moves than the bound.
    DepthFinished {
        /// The lower bound.
        bound: BoundInMetric,
        /// Nodes visited so far.
        nodes: u64,
    },
    /// The nodes visited so far, reported now and then.
    Nodes(u64),
}

/// The result of a solver.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The solution, or the proof without one.
    pub outcome: SolveOutcome,
    /// The reason why this is not everything that was asked.
    pub shortfall: Option<Shortfall>,
}

impl Solved {
    /// The solution, of a solver that returns one.
    pub fn solution(&self) -> Option<&Solution> {
        match &self.outcome {
            SolveOutcome::Found(solution) => Some(solution),
            SolveOutcome::NotFound | SolveOutcome::Optimal(_) => None,
        }
    }
}

/// The solution of a position, or the summary of an optimal search.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum SolveOutcome {
    /// The best solution that was found.
    Found(Solution),
    /// No solution was found.
    NotFound,
    /// The summary of an optimal search; its solutions were events.
    Optimal(OptimalSummary),
}

/// Why a search returned less than was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Shortfall {
    /// The limit is reached, and the best solution is longer than the target.
    #[error("limit reached; the best solution so far has {}, not {target}", moves.count(*length))]
    AboveTarget {
        /// The best solution's length.
        length: usize,
        /// The length that was asked for.
        target: u8,
        /// The unit.
        moves: Counted,
    },
    /// No solution is as short as the target.
    #[error("no solution has at most {}; the shortest has {length}", moves.count((*target).into()))]
    NoneSoShort {
        /// The shortest solution's length.
        length: usize,
        /// The length that was asked for.
        target: u8,
        /// The unit.
        moves: Counted,
    },
    /// No solution is as short as the target; the length of the shortest is unknown.
    #[error("no solution has at most {}; the best so far has {length}", moves.count((*target).into()))]
    OnlyLonger {
        /// The best solution's length.
        length: usize,
        /// The length that was asked for.
        target: u8,
        /// The unit.
        moves: Counted,
    },
    /// The limit is reached before a solution was found.
    #[error("limit reached after {nodes} nodes; no solution found")]
    NothingFound {
        /// Nodes visited.
        nodes: u64,
    },
    /// The limit is reached before all solutions were found.
    #[error("limit reached; {}", not_all(*length))]
    NotAll {
        /// The length of the shortest ones.
        length: u8,
    },
    /// The limit is reached before the best solution was proven shortest.
    #[error("limit reached; the best solution so far has {}, the shortest {bound}", Counted::Moves.count(*length))]
    NotProved {
        /// The best solution's length.
        length: usize,
        /// The lower bound.
        bound: BoundInMetric,
    },
    /// All lengths up to the greatest allowed one are searched, and there is no solution.
    #[error("no solution has at most {}: {bound}", Counted::Moves.count((*most).into()))]
    NoneWithin {
        /// The greatest allowed length.
        most: u8,
        /// The lower bound.
        bound: BoundInMetric,
    },
    /// The limit is reached before a solution was found.
    #[error("limit reached; no solution found: {bound}")]
    OnlyBound {
        /// The lower bound.
        bound: BoundInMetric,
    },
    /// A short search ended before it found all shortest solutions.
    #[error("the search ended before it found all shortest solutions: {bound}")]
    NotListed {
        /// The lower bound.
        bound: BoundInMetric,
    },
    /// The limit is reached before the distance was found.
    #[error("limit reached before the distance was found: {bound}")]
    NoDistance {
        /// The lower bound.
        bound: BoundInMetric,
    },
    /// A search for ever shorter solutions was interrupted.
    #[error("the best solution so far has {}", moves.count(*length))]
    Stopped {
        /// The best solution's length.
        length: usize,
        /// The unit.
        moves: Counted,
    },
    /// The search was interrupted.
    #[error("{}", shortest.map_or_else(|| bound.to_string(), not_all))]
    Interrupted {
        /// The lower bound.
        bound: BoundInMetric,
        /// The length of the shortest solutions, if some were found and more were wanted.
        shortest: Option<u8>,
    },
}

impl Shortfall {
    /// The class of error.
    pub fn class(&self) -> Class {
        match self {
            Self::Interrupted { .. } | Self::Stopped { .. } => Class::Interrupted,
            _ => Class::Budget,
        }
    }
}

/// The text for a list of shortest solutions that lacks some.
fn not_all(length: u8) -> String {
    let moves = Counted::Moves.count(length.into());
    format!("the shortest solutions have {moves}; some are missing")
}

#[cfg(test)]
mod tests {
    use twistbase_puzzle::cube3::notation::parse_motion;

    use super::*;

    /// Answers to lengths that no search reaches would be wrong, and so would be a list of no solutions.
    #[test]
    fn numbers_without_a_right_answer_are_refused() {
        let refused = |request: SolveRequest| request.check_numbers().expect_err("refused").to_string();
        assert_eq!(
            refused(SolveRequest { target: Some(31), ..SolveRequest::default() }),
            "target 31 is over the maximum of 30"
        );
        let both = SolveRequest { extra: Some(255), max_depth: Some(33), ..SolveRequest::default() };
        assert_eq!(refused(both), "extra 255 is over the maximum of 32; max-depth 33 is over the maximum of 32");
        let none = SolveRequest { extra: Some(0), limit: Some(0), ..SolveRequest::default() };
        assert_eq!(refused(none), "limit 0 would list nothing; the smallest is 1");
        let most = SolveRequest { target: Some(30), extra: Some(32), max_depth: Some(32), ..SolveRequest::default() };
        most.check_numbers().expect("all of them can be");
    }

    /// The goal is a pattern of colours, not of faces.
    #[test]
    fn goals_are_held_like_starts() {
        let held = |text: &str| parse_position(text).unwrap().held();
        let goal = |text: &str| SolveRequest { goal: Some(text.to_owned()), ..SolveRequest::default() }.cube3_goal();
        let moves = "F2 D L'";
        for turns in ["", "x", "y z'"] {
            let start = held(&format!("R U {turns}"));
            let expected = held(&format!("{moves} {turns}")).position;
            for other in ["", "z2", "x' y"] {
                let given = goal(&format!("{moves} {other}")).unwrap();
                assert_eq!(given.held_like(&start).unwrap(), expected, "{turns}; {other}");
            }
            assert!(goal("solved").unwrap().held_like(&start).unwrap().is_solved());
        }
        // The scheme of Japan.
        let colours = held("WWWWWWWWWRRRRRRRRRGGGGGGGGGBBBBBBBBBOOOOOOOOOYYYYYYYYY");
        let start = colours.after(&parse_motion("R x").unwrap());
        let error = goal(moves).unwrap().held_like(&start).unwrap_err();
        assert_eq!(error.to_string(), "start and goal have different colour schemes");
        for request in [SolveRequest::default().cube3_goal(), goal("x")] {
            assert!(request.unwrap().held_like(&start).unwrap().is_solved());
        }
        let own = Cube3Goal(colours.after(&parse_motion(moves).unwrap())).held_like(&start);
        assert_eq!(own.unwrap(), held(&format!("{moves} x")).position);
    }

    #[test]
    fn one_move_is_one_move() {
        let bound = BoundInMetric { at_least: 1, metric: QuestionMetric::Htm };
        for (shortfall, text) in [
            (
                Shortfall::NoneSoShort { length: 2, target: 0, moves: Counted::Moves },
                "no solution has at most 0 moves; the shortest has 2",
            ),
            (Shortfall::NotAll { length: 1 }, "limit reached; the shortest solutions have 1 move; some are missing"),
            (Shortfall::Interrupted { bound, shortest: None }, "at least 1 move (htm)"),
        ] {
            assert_eq!(shortfall.to_string(), text);
        }
    }
}
