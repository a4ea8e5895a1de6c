//! What solvers are asked, and what they answer.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::TableId;
use super::answers::Solution;
use super::answers::cube3::OptimalSummary;
use super::metric::{BoundInMetric, QuestionMetric};
use super::named::Named;
use super::puzzle_info::{CUBE3, refuse_foreign};
use twistbase_core::error::{Class, Error, Result};
use twistbase_puzzle::cube3::notation::{FaceletOrder, HeldCube, parse_position};
use twistbase_puzzle::cube3::{Centres, Cube, Metric};
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;
use twistbase_solve::{LONGEST, LONGEST_SEARCH};
use twistbase_tables::Counted;

/// How a position of the Rubik's cube is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SolveMethod {
    /// Into H and home from there, along all axes, from the position and its inverse.
    #[default]
    TwoPhase,
    /// A shortest solution by moves of H, of a position that is in H seen from the goal.
    PhaseTwo,
    /// A shortest solution, or all of them.
    Optimal,
}

impl Named for SolveMethod {
    const WHAT: &'static str = "method";
    const NAMES: &'static [(&'static str, Self)] =
        &[("two-phase", Self::TwoPhase), ("phase2", Self::PhaseTwo), ("optimal", Self::Optimal)];
}

/// What a search may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchBudget {
    /// The time for one position.
    pub time: Option<Duration>,
    /// The nodes that may be visited for one position. Each thread counts some thousands before it looks.
    pub nodes: Option<u64>,
}

impl SearchBudget {
    /// Whether there is any limit.
    pub fn is_limited(&self) -> bool {
        self.time.is_some() || self.nodes.is_some()
    }

    /// When a search that begins now ends; a time that the clock cannot count never does.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.time.and_then(|time| Instant::now().checked_add(time))
    }
}

/// What may be searched to answer how far a position is where no table tells it: by all moves of the Rubik's cube; in the Square-1
/// family beyond the depth to which a table was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExactSearch {
    /// What takes a moment, and nothing where no small table is there that guides a search: near positions alone have an answer
    /// then, others a lower bound. The same question has the same answer, whatever the processor.
    WhereCheap,
    /// What the budget permits, over the strongest table that is there; refused by puzzles whose tables are always complete. Of one
    /// position in [full detail](super::Detail::Full) on all threads.
    Within(SearchBudget),
}

/// What is asked of a solver. What a puzzle or a method does not have is refused, not ignored.
#[derive(Debug, Clone, Default)]
pub struct SolveRequest {
    /// How (cubes).
    pub method: Option<SolveMethod>,
    /// How moves are counted: as the puzzle's [information](super::PuzzleInfo::metrics) tells first, if nothing is said.
    pub metric: Option<QuestionMetric>,
    /// Where solutions lead instead of solved, in any notation (cubes). A goal that is held in another way than the start is
    /// turned about until it is held like that; one of another colour scheme is refused.
    pub goal: Option<String>,
    /// When to give up (cubes, and the Square-1 family in the metric [`Face`](QuestionMetric::Face) or over a table that was built
    /// to a depth).
    pub budget: SearchBudget,
    /// The length of solution to stop at (two-phase, phase 2), at most [`LONGEST`].
    pub target: Option<u8>,
    /// The pruning table (optimal); the strongest that is there if nothing is said.
    pub table: Option<TableId>,
    /// Whether the pruning table is read in the mapped cache (optimal); a copy of it in memory is, where there is room, if not.
    pub mapped: bool,
    /// All solutions of up to so many moves more than the shortest (optimal), at most [`LONGEST_SEARCH`]; one shortest solution if
    /// nothing is said.
    pub extra: Option<u8>,
    /// At most so many solutions (optimal, with `extra`): at least one.
    pub limit: Option<u64>,
    /// Search no solutions of more moves (optimal), at most [`LONGEST_SEARCH`].
    pub max_depth: Option<u8>,
    /// What the middle layer has to be at the end (Square-1 family); it is ignored if nothing is said, but square in the
    /// metrics [`Wca`](QuestionMetric::Wca) and [`Face`](QuestionMetric::Face).
    pub middle: Option<MiddleGoal>,
    /// How turns and sequences are written (Square-1 family).
    pub notation: Option<SequenceNotation>,
}

impl SolveRequest {
    /// Its options that not every puzzle has, each with whether it was given.
    fn options(&self) -> [(&'static str, bool); 13] {
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
            ("middle", self.middle.is_some()),
            ("notation", self.notation.is_some()),
        ]
    }

    /// Refuses the options that `of`, for instance "the puzzle cube3", does not have: those not in `own`.
    pub(super) fn refuse_foreign(&self, of: &str, own: &[&str]) -> Result<()> {
        refuse_foreign(of, &self.options(), own)
    }

    /// Refuses lengths of the Rubik's cube beyond any that a search comes to, and a list of no solutions.
    ///
    /// # Errors
    /// [`Error::Usage`] that names all of them.
    pub(super) fn check_numbers(&self) -> Result<()> {
        let lengths = [
            ("target", self.target, LONGEST),
            ("extra", self.extra, LONGEST_SEARCH),
            ("max-depth", self.max_depth, LONGEST_SEARCH),
        ];
        let no_solutions = self.limit.filter(|&limit| limit == 0).map(|_| "limit 0 is not at least 1".to_owned());
        let wrong: Vec<String> = lengths
            .into_iter()
            .filter_map(|(name, given, most)| {
                given.filter(|&given| given > most).map(|given| format!("{name} {given} is not in 0..={most}"))
            })
            .chain(no_solutions)
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(Error::Usage(wrong.join("; "))) }
    }

    /// Where solutions of the Rubik's cube lead: solved, if nothing is said.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason.
    #[doc(hidden)]
    pub fn cube3_goal(&self) -> Result<Cube3Goal> {
        self.goal.as_deref().map_or(Ok(Cube3Goal::SOLVED), Cube3Goal::of)
    }

    /// How moves of the Rubik's cube are counted, where that is said.
    ///
    /// # Errors
    /// [`Error::ForeignValue`](twistbase_core::Error::ForeignValue) for a metric that the cube does not have.
    #[doc(hidden)]
    pub fn cube3_metric(&self) -> Result<Option<Metric>> {
        QuestionMetric::of_cube(self.metric, CUBE3)
    }
}

/// Where solutions of the Rubik's cube lead.
#[derive(Debug, Clone, Copy)]
pub struct Cube3Goal(HeldCube<Cube>);

impl Cube3Goal {
    /// The solved cube.
    pub(super) const SOLVED: Self =
        Self(HeldCube { position: Cube::SOLVED, centres: Centres::USUAL, order: FaceletOrder::USUAL });

    /// The goal that a text in any notation is.
    pub(super) fn of(text: &str) -> Result<Self> {
        Ok(Self(parse_position(text)?.held()))
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

/// What happens while a position is solved.
#[derive(Debug, Clone)]
pub enum SolveEvent {
    /// A solution of a search: shorter than those before it, or one more of the shortest.
    Solution(Solution),
    /// A depth is finished: there is no solution, or no further one, of fewer moves than the bound.
    DepthFinished {
        /// The lower bound that is now known.
        bound: BoundInMetric,
        /// Nodes visited so far.
        nodes: u64,
    },
    /// So many nodes have been visited so far; told now and then.
    Nodes(u64),
}

/// What a solver came to.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The solution, or what is known without one.
    pub outcome: SolveOutcome,
    /// By what that comes short of what was asked.
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

/// The solution of a position, or what is known without one.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum SolveOutcome {
    /// The shortest solution that was found.
    Found(Solution),
    /// None was found.
    NotFound,
    /// What an optimal search found out; its solutions were told as events.
    Optimal(OptimalSummary),
}

/// Why a search did not come to what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Shortfall {
    /// A budget is spent, and the best solution is longer than the target.
    #[error("the budget is spent; the best solution so far has {}, not {target}", moves.count(*length))]
    AboveTarget {
        /// The best solution's length.
        length: usize,
        /// The length that was asked for.
        target: u8,
        /// What is counted.
        moves: Counted,
    },
    /// There is no solution as short as the target.
    #[error("no solution has at most {}; the shortest has {length}", moves.count((*target).into()))]
    NoneSoShort {
        /// The shortest solution's length.
        length: usize,
        /// The length that was asked for.
        target: u8,
        /// What is counted.
        moves: Counted,
    },
    /// There is no solution as short as the target, and how long the shortest is was not asked.
    #[error("no solution has at most {}; one that was found has {length}", moves.count((*target).into()))]
    OnlyLonger {
        /// The length of one.
        length: usize,
        /// The length that was asked for.
        target: u8,
        /// What is counted.
        moves: Counted,
    },
    /// A budget is spent, and no solution was found.
    #[error("the budget is spent, and no solution was found yet (nodes: {nodes})")]
    NothingFound {
        /// Nodes visited.
        nodes: u64,
    },
    /// A budget is spent before all solutions were found.
    #[error("a budget is spent; {}", not_all(*length))]
    NotAll {
        /// The length of the shortest ones.
        length: u8,
    },
    /// A budget is spent before the best solution was proved to be shortest.
    #[error("the budget is spent; the best solution so far has {}, the shortest {bound}", Counted::Moves.count(*length))]
    NotProved {
        /// The best solution's length.
        length: usize,
        /// What is proved.
        bound: BoundInMetric,
    },
    /// A budget is spent before any solution was found.
    #[error("a budget is spent, and no solution was found: {bound}")]
    OnlyBound {
        /// What is known.
        bound: BoundInMetric,
    },
    /// A budget is spent before all shortest solutions were found.
    #[error("the search ended before it found all shortest solutions: {bound}")]
    NotListed {
        /// What is known.
        bound: BoundInMetric,
    },
    /// A budget is spent before the distance that was asked for was found.
    #[error("a budget is spent before the distance was found: {bound}")]
    NoDistance {
        /// What is known.
        bound: BoundInMetric,
    },
    /// A search for ever shorter solutions was interrupted.
    #[error("the best solution so far has {}", moves.count(*length))]
    Stopped {
        /// The best solution's length.
        length: usize,
        /// What is counted.
        moves: Counted,
    },
    /// The search was interrupted.
    #[error("{}", shortest.map_or_else(|| bound.to_string(), not_all))]
    Interrupted {
        /// What was known by then.
        bound: BoundInMetric,
        /// The length of the shortest solutions, where some of them had been found and more were wanted.
        shortest: Option<u8>,
    },
}

impl Shortfall {
    /// The class of error that it is.
    pub fn class(&self) -> Class {
        match self {
            Self::Interrupted { .. } | Self::Stopped { .. } => Class::Interrupted,
            _ => Class::Budget,
        }
    }
}

/// What is told where not all of the shortest solutions, of so many moves, were found.
fn not_all(length: u8) -> String {
    let moves = Counted::Moves.count(length.into());
    format!("the shortest solutions have {moves}, and not all that were asked for were found")
}

#[cfg(test)]
mod tests {
    use twistbase_puzzle::cube3::notation::parse_motion;

    use super::*;

    /// Lengths beyond any that a search comes to would be answered wrongly, and so would be a list of no solutions.
    #[test]
    fn numbers_without_a_right_answer_are_refused() {
        let refused = |request: SolveRequest| request.check_numbers().expect_err("refused").to_string();
        assert_eq!(refused(SolveRequest { target: Some(31), ..SolveRequest::default() }), "target 31 is not in 0..=30");
        let both = SolveRequest { extra: Some(255), max_depth: Some(33), ..SolveRequest::default() };
        assert_eq!(refused(both), "extra 255 is not in 0..=32; max-depth 33 is not in 0..=32");
        let none = SolveRequest { extra: Some(0), limit: Some(0), ..SolveRequest::default() };
        assert_eq!(refused(none), "limit 0 is not at least 1");
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
            (
                Shortfall::NotAll { length: 1 },
                "a budget is spent; the shortest solutions have 1 move, and not all that were asked for were found",
            ),
            (Shortfall::Interrupted { bound, shortest: None }, "at least 1 move (htm)"),
        ] {
            assert_eq!(shortfall.to_string(), text);
        }
    }
}
