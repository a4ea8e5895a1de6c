//! Goals as patterns: 54 facelets of which some do not matter.
//!
//! The pieces whose stickers are given have to be where the pattern has them; all others may be anywhere. A search finds the shortest
//! solutions. Its tables are made for the pattern, in memory.

use std::collections::HashSet;
use std::fmt::Debug;

use super::goal::{self, unreachable};
use crate::answers::table::TableAnswer;
use crate::answers::{Answer, FromSolved, Solution};
use crate::lines::Portion;
use crate::look_up::LookUpSolver;
use crate::metric::QuestionMetric;
use crate::position::PuzzlePosition;
use crate::puzzle::{Detail, Prepared, Question, Solutions, Solver, count_of};
use crate::puzzle_info::CUBE3;
use crate::solving::SolveRequest;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Problem, Result};
use twistbase_definition::{PuzzleSearch, Restriction, SearchRequest};
use twistbase_puzzle::cube3::notation::facelets::{CORNER_FACELETS, EDGE_FACELETS, FACELETS};
use twistbase_puzzle::cube3::{CORNER_NAMES, Cube, Cubie, Cubies, EDGE_NAMES, Face, Metric, Move, MoveSequence};
use twistbase_tables::{self as tables, TableMetric};

/// What patterns are in errors.
const NOUN: &str = "a goal that is a pattern";

/// A goal whose shortest solutions a search finds.
pub(super) trait SearchedGoal: Debug + Send + Sync {
    /// As asked for.
    fn name(&self) -> &str;

    /// How moves are counted.
    fn metric(&self) -> Metric {
        Metric::Htm
    }

    /// The first shortest solutions of a position, at most `count`.
    fn solutions(&self, cube: &Cube, input: &str, count: usize, ctx: &Context) -> Result<Vec<MoveSequence>>;
}

/// Letters of stickers that do not matter.
const ANY: [char; 2] = ['?', '.'];

/// Whether a goal is a pattern: letters of faces, and at least one sticker that does not matter. A dot is a pause in a sequence of moves,
/// too: with dots alone, there are 54 stickers.
pub(super) fn is_pattern(goal: &str) -> bool {
    are_stickers(goal) && (goal.contains(ANY[0]) || goal.contains(ANY[1]) && is_whole(goal))
}

/// Whether a goal is a pattern or all stickers of a position.
pub(super) fn is_pattern_or_position(goal: &str) -> bool {
    is_pattern(goal) || are_stickers(goal) && is_whole(goal)
}

fn are_stickers(goal: &str) -> bool {
    goal.chars().all(|letter| ANY.contains(&letter) || Face::from_letter(letter).is_some() || letter == ' ')
}

fn is_whole(goal: &str) -> bool {
    goal.chars().filter(|letter| *letter != ' ').count() == FACELETS
}

/// A pattern.
#[derive(Debug, Clone)]
struct CubePattern {
    /// A position that has it.
    example: Cube,
    /// The places whose pieces it fixes, as a [`Restriction`] names the pieces that belong there.
    places: Vec<String>,
}

/// What is found at the places of one kind.
struct FoundPieces<const N: usize> {
    cubies: [Option<Cubie>; N],
}

impl CubePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason why no cube has it.
    fn read(goal: &str) -> Result<Self> {
        let stickers: Vec<(usize, char)> = goal.char_indices().filter(|(_, letter)| *letter != ' ').collect();
        let mut problems = Vec::new();
        let mut refuse = |code, message, at: Option<usize>| {
            problems.push(Problem { code, message, at: at.map(|at| at..at + 1) });
        };
        let invalid = |problems| {
            Error::from(InvalidInput {
                input: goal.to_owned(),
                expected: "pattern of the cube",
                problems,
                instead: None,
            })
        };
        if stickers.len() != FACELETS {
            refuse("facelet-count", format!("{} stickers; expected {FACELETS}", stickers.len()), None);
            return Err(invalid(problems));
        }
        for (number, face) in Face::ALL.into_iter().enumerate() {
            let (at, letter) = stickers[9 * number + 4];
            if letter != face.letter() && !ANY.contains(&letter) {
                let message =
                    format!("the centre of {} is {letter}; a pattern has white up and green in front", face.letter());
                refuse("centre", message, Some(at));
            }
        }
        let corners = pieces((&CORNER_NAMES, &CORNER_FACELETS), "corner", &stickers, &mut refuse);
        let edges = pieces((&EDGE_NAMES, &EDGE_FACELETS), "edge", &stickers, &mut refuse);
        if problems.is_empty() && corners.cubies.iter().all(Option::is_none) && edges.cubies.iter().all(Option::is_none)
        {
            let message = "no piece is given: give all stickers of a piece, such as both of an edge".to_owned();
            problems.push(Problem { code: "empty", message, at: None });
        }
        if !problems.is_empty() {
            return Err(invalid(problems));
        }
        let ids = |orbit: &str, is_there: Vec<bool>| {
            let there = is_there.into_iter().enumerate().filter(|(_, is_there)| *is_there);
            there.map(|(place, _)| format!("{orbit}-l{place}")).collect::<Vec<_>>()
        };
        let places = [
            ids("CORNER", corners.cubies.iter().map(Option::is_some).collect()),
            ids("EDGE", edges.cubies.iter().map(Option::is_some).collect()),
        ];
        // The others: in each of two orders, so that the parities of corners and edges can be equal.
        let mut refused = None;
        for swaps in [[false, false], [true, false], [false, true]] {
            let cubies = Cubies { corners: corners.filled(swaps[0], 3), edges: edges.filled(swaps[1], 2) };
            match Cube::from_cubies(&cubies) {
                Ok(example) => return Ok(Self { example, places: places.concat() }),
                Err(illegal) => refused = refused.or(Some(illegal)),
            }
        }
        let reasons = refused.expect("none is a position").reasons;
        let problem = |reason: &twistbase_puzzle::cube3::IllegalReason| Problem {
            code: reason.code(),
            message: reason.to_string(),
            at: None,
        };
        Err(invalid(reasons.iter().map(problem).collect()))
    }
}

/// The pieces whose stickers are given.
fn pieces<const N: usize, const TURNS: usize>(
    (names, facelets): (&[&str; N], &[[usize; TURNS]; N]),
    kind: &str,
    stickers: &[(usize, char)],
    refuse: &mut impl FnMut(&'static str, String, Option<usize>),
) -> FoundPieces<N> {
    let mut places_of: [Option<&str>; N] = [None; N];
    let cubies = std::array::from_fn(|place| {
        let seen = facelets[place].map(|facelet| stickers[facelet]);
        if seen.iter().all(|(_, letter)| ANY.contains(letter)) {
            return None;
        }
        let all = (0..N).flat_map(|piece| (0..TURNS).map(move |twist| (piece, twist)));
        let has = |&(piece, twist): &(usize, usize)| {
            let colours = names[piece].as_bytes();
            seen.iter().enumerate().all(|(at, (_, letter))| {
                ANY.contains(letter) || char::from(colours[(at + TURNS - twist) % TURNS]) == *letter
            })
        };
        let fitting: Vec<_> = all.filter(has).collect();
        let (letters, at) =
            (seen.iter().map(|(_, letter)| letter.to_string()).collect::<Vec<_>>().join(", "), seen[0].0);
        match *fitting {
            [(piece, twist)] => {
                match places_of[piece] {
                    Some(other) => {
                        let message =
                            format!("{kind} {} appears twice: at {other} and at {}", names[piece], names[place]);
                        refuse("twice", message, Some(at));
                    }
                    None => places_of[piece] = Some(names[place]),
                }
                Some(Cubie { piece: piece as u8, orientation: twist as u8 })
            }
            [] => {
                refuse(
                    "no-piece",
                    format!("the stickers at {} are {letters}; no {kind} has these colours", names[place]),
                    Some(at),
                );
                None
            }
            _ => {
                let message = format!("the stickers at {} are {letters}; give all of them, or none", names[place]);
                refuse("ambiguous", message, Some(at));
                None
            }
        }
    });
    FoundPieces { cubies }
}

impl<const N: usize> FoundPieces<N> {
    /// The same with the other pieces in the other places, the first two of them exchanged if wanted, and twisted so that the twists of
    /// all are a multiple of the order.
    fn filled(&self, swaps: bool, order: u8) -> [Option<Cubie>; N] {
        let known: HashSet<u8> = self.cubies.iter().flatten().map(|cubie| cubie.piece).collect();
        let mut left: Vec<u8> = (0..N as u8).filter(|piece| !known.contains(piece)).collect();
        if swaps && left.len() > 1 {
            left.swap(0, 1);
        }
        let twists: u8 = self.cubies.iter().flatten().map(|cubie| cubie.orientation).sum();
        let mut twist = (order - twists % order) % order;
        let mut left = left.into_iter();
        self.cubies
            .map(|cubie| cubie.or_else(|| Some(Cubie { piece: left.next()?, orientation: std::mem::take(&mut twist) })))
    }
}

/// A pattern as a goal.
#[derive(Debug)]
struct PatternGoal {
    text: String,
    /// What undoes the example of the pattern.
    undone: Cube,
    search: PuzzleSearch,
    /// The moves by the numbers of the search's turns.
    moves: Vec<Move>,
    metric: Metric,
}

impl PatternGoal {
    fn new(goal: &str, CubePattern { example, places }: CubePattern, metric: Metric, ctx: &Context) -> Result<Self> {
        let quarter_turns = metric == Metric::Qtm;
        let restriction = Restriction { pieces: Some(places), quarter_turns, ..Restriction::default() };
        let search = PuzzleSearch::new(tables::cube_definition().clone(), &restriction, ctx)?;
        let moves = goal::moves_of(search.turns());
        Ok(Self { text: goal.to_owned(), undone: example.inverse(), search, moves, metric })
    }
}

impl SearchedGoal for PatternGoal {
    fn name(&self) -> &str {
        &self.text
    }

    fn metric(&self) -> Metric {
        self.metric
    }

    fn solutions(&self, cube: &Cube, input: &str, count: usize, ctx: &Context) -> Result<Vec<MoveSequence>> {
        // Pieces are renamed so that the pattern's are at home.
        let pattern = self.search.position_of(&tables::cube_pattern(&self.undone.then(cube)));
        let request = SearchRequest { count: (count == 1).then_some(1), ..SearchRequest::default() };
        let found = self.search.solutions(&pattern, &request, ctx, |_| {});
        let found = found.map_err(|error| match error {
            Error::Invalid(_) => unreachable(input, "position of the cube", "no moves lead to the pattern".to_owned()),
            other => other,
        })?;
        ctx.check()?;
        let moves =
            |turns: Vec<usize>| turns.into_iter().map(|turn| self.moves[turn]).collect::<MoveSequence>().canonical();
        // In quarter turns one half turn is found as two turns this way, and as two that way.
        let mut known = HashSet::new();
        Ok(found.solutions.into_iter().map(moves).filter(|moves| known.insert(moves.clone())).take(count).collect())
    }
}

/// Makes a pattern ready for a question.
///
/// # Errors
/// Those of the pattern; [`Error::ForeignOptions`].
pub(super) fn prepare(goal: &str, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
    let pattern = CubePattern::read(goal)?;
    let open = |metric| Ok(Box::new(PatternGoal::new(goal, pattern, metric, ctx)?) as Box<dyn SearchedGoal>);
    prepare_searched(NOUN, question, goal::metric_of, open)
}

/// The metric of a question about what a noun says, or the error of one that such goals do not have.
type FindMetric = fn(Option<QuestionMetric>, &str) -> Result<Metric>;

/// Makes a goal ready for a question: opens it once the question is one that such goals have. `noun` is what they are in errors.
///
/// # Errors
/// [`Error::ForeignOptions`]; [`Error::ForeignValue`] for another metric; those of `open`.
pub(super) fn prepare_searched(
    noun: &str,
    question: &Question,
    metric: FindMetric,
    open: impl FnOnce(Metric) -> Result<Box<dyn SearchedGoal>>,
) -> Result<Box<dyn Prepared>> {
    question.refuse_foreign(noun, &["metric", "goal", "exact"])?;
    let metric = metric(question.metric, noun)?;
    let Question { detail, limit, .. } = *question;
    Ok(Box::new(PreparedSearch { goal: open(metric)?, detail, limit }))
}

/// Makes a pattern ready for solutions.
///
/// # Errors
/// As [`prepare`].
pub(super) fn solver(goal: &str, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
    let pattern = CubePattern::read(goal)?;
    let open = |metric| Ok(Box::new(PatternGoal::new(goal, pattern, metric, ctx)?) as Box<dyn SearchedGoal>);
    solver_by_search(NOUN, request, goal::metric_of, open)
}

/// Makes a goal ready for solutions, as [`prepare_searched`] for a question.
///
/// # Errors
/// As there.
pub(super) fn solver_by_search(
    noun: &str,
    request: &SolveRequest,
    metric: FindMetric,
    open: impl FnOnce(Metric) -> Result<Box<dyn SearchedGoal>>,
) -> Result<Box<dyn Solver>> {
    request.refuse_foreign(noun, &["metric", "goal"])?;
    let metric = metric(request.metric, noun)?;
    let prepared = PreparedSearch { goal: open(metric)?, detail: Detail::Brief, limit: None };
    Ok(Box::new(LookUpSolver { prepared, noun: "a goal, reached by a search,", portion: Portion::LONG_ANSWERS }))
}

/// A goal, and the question.
#[derive(Debug)]
struct PreparedSearch {
    goal: Box<dyn SearchedGoal>,
    detail: Detail,
    limit: Option<u64>,
}

impl Prepared for PreparedSearch {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube3(input)
    }

    fn may_search(&self) -> bool {
        true
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let is_full = self.detail == Detail::Full;
        let count = if is_full { usize::MAX } else { 1 };
        let found = self.goal.solutions(position.of_cube3()?, input, count, ctx)?;
        let first = found.first().expect("every position has a solution");
        Ok(Answer::Table(TableAnswer {
            input: input.to_owned(),
            position: position.clone(),
            goal: Some(self.goal.name().to_owned()),
            turned: None,
            metric: TableMetric::FaceTurns(self.goal.metric()),
            from_solved: FromSolved::exactly(first.length(self.goal.metric()) as u8),
            index: None,
            solution: is_full.then(|| first.to_string()),
            solutions: is_full.then_some(found.len() as u64),
            moves: None,
        }))
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solutions> {
        // A limit of one would list the first that is found, not the first in order.
        let found = self.goal.solutions(position.of_cube3()?, input, count_of(self.limit).max(2), ctx)?;
        let reports: Vec<_> = found
            .iter()
            .map(|moves| Ok(goal::report(CUBE3, self.goal.name(), self.goal.metric(), input, moves)))
            .collect();
        Ok(Box::new(reports.into_iter().take(count_of(self.limit))))
    }

    fn first(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solution> {
        let found = self.goal.solutions(position.of_cube3()?, input, 1, ctx)?;
        Ok(goal::report(CUBE3, self.goal.name(), self.goal.metric(), input, &found[0]))
    }
}
