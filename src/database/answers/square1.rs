//! Answers, solutions and positions of the Square-1 family, as values and as JSON.

use serde::{Serialize, Serializer};

use super::{AnswerWire, FromSolved, NextMoveWire, NoMembers};
use crate::metric::QuestionMetric;
use twistbase_picture::Picture;
use twistbase_puzzle::square1::notation::author::AuthorIndex;
use twistbase_puzzle::square1::notation::{SequenceNotation, hex, jaap};
use twistbase_puzzle::square1::{Colouring, Middle, Position, Step, Turn, TwistSequence};
use twistbase_query::{Distance, GivenPosition, MiddleGoal, SolutionCounts, TwistOutcome, WcaOutcome};
use twistbase_tables::{Definition, TwistTable};

/// The next moves.
#[derive(Debug, Clone)]
pub enum NextMoves {
    /// In the metric of twists: each twist with the turn before it. Of two that differ by half a circle, only one.
    Twists(Vec<TwistOutcome>),
    /// In WCA's metric: the twist, and every turn that allows a twist after it.
    Wca(Vec<WcaOutcome>),
}

/// The answer about a position of the Square-1 family: `schema/json/query.json`.
#[derive(Debug, Clone)]
pub struct Square1Answer {
    /// The input, as given.
    pub input: String,
    /// The position, and whether the input has a middle layer.
    pub given: GivenPosition,
    /// The table used.
    pub definition: &'static TwistTable,
    /// The distance in the [metric](Self::metric).
    pub distance: u8,
    /// The index of the position in the table.
    pub index: u64,
    /// The goal, if it is not the solved position.
    pub goal: Option<&'static str>,
    /// A shortest solution.
    pub solution: Option<String>,
    /// The numbers of shortest solutions.
    pub solutions: Option<SolutionCounts>,
    /// The next moves.
    pub moves: Option<NextMoves>,
    /// The metric.
    pub metric: QuestionMetric,
    /// What counts as solved.
    pub middle_goal: MiddleGoal,
    /// The notation of turns.
    pub notation: SequenceNotation,
}

impl Square1Answer {
    /// The position.
    pub fn position(&self) -> &Position {
        &self.given.position
    }

    /// A picture of the position; with its middle layer if that was given.
    pub(crate) fn picture(&self) -> Picture {
        let colouring = self.definition.colouring();
        let picture = Picture::square1(self.position(), self.given.middle(), &TwistSequence::default(), colouring);
        picture.expect("nothing is made")
    }

    /// The distance in the numbering of the published counts; only in the metric of twists.
    pub fn level(&self) -> Option<u8> {
        (self.metric == QuestionMetric::Twists && self.goal.is_none())
            .then(|| self.distance + self.definition.facts().first_level)
    }

    /// The position's numbers in Cube21's own program; only for Cube21.
    pub fn author_index(&self) -> Option<AuthorIndex> {
        author_index(self.definition, &self.given.position)
    }
}

pub(crate) fn author_index(definition: &TwistTable, position: &Position) -> Option<AuthorIndex> {
    (definition.colouring() == Colouring::Cube21).then(|| AuthorIndex::of(position))
}

/// The members of the JSON that only the Square-1 family has.
#[derive(Serialize)]
struct Square1Wire {
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<&'static str>,
    #[serde(flatten)]
    text: Square1Text,
    middle: Option<Middle>,
    middle_goal: MiddleGoal,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    shape: String,
    index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution_counts: Option<SolutionCountsWire>,
}

/// Numbers of shortest solutions, counted in other ways, as JSON.
#[derive(Serialize)]
struct SolutionCountsWire {
    sequences: u128,
    paths: u128,
}

impl Serialize for Square1Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let position = &self.given.position;
        let next = |sequence: &TwistSequence, after: Distance| NextMoveWire {
            r#move: self.notation.write(sequence),
            from_solved: FromSolved::exactly(after.moves()),
            own: NoMembers {},
        };
        let moves = |moves: &NextMoves| match moves {
            NextMoves::Twists(moves) => moves.iter().map(|it| next(&twist_after(it.turn), it.distance)).collect(),
            NextMoves::Wca(moves) => moves.iter().map(|it| next(&it.step.into(), it.distance)).collect(),
        };
        let counts =
            |&SolutionCounts { sequences, paths, .. }: &SolutionCounts| SolutionCountsWire { sequences, paths };
        let own = Square1Wire {
            goal: self.goal,
            text: Square1Text::new(&self.given),
            middle: self.given.middle_given.then(|| position.middle()),
            middle_goal: self.middle_goal,
            level: self.level(),
            shape: position.shape().name(),
            index: self.index,
            author: self.author_index().map(|index| index.to_string()),
            solution_counts: self.solutions.as_ref().map(counts),
        };
        let wire = AnswerWire {
            input: &self.input,
            puzzle: self.definition.puzzle(),
            metric: self.metric.name(),
            from_solved: FromSolved::exactly(self.distance),
            solution: self.solution.as_deref(),
            solutions: self.solutions.as_ref().map(|counts| counts.alignments),
            own,
            moves: self.moves.as_ref().map(moves),
        };
        wire.serialize(serializer)
    }
}

/// A turn, where there is one, and a twist.
fn twist_after(turn: Turn) -> TwistSequence {
    (!turn.is_none()).then_some(Step::Turn(turn)).into_iter().chain([Step::Twist]).collect()
}

/// A position in the notations of the family, with the symbol of its middle layer if known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Square1Text {
    /// Hexadecimal.
    pub hex: String,
    /// Jaap's letters.
    pub jaap: String,
}

impl Square1Text {
    /// Writes a position. If a corner lies across the cut, a turn after the position brings it there.
    pub fn new(GivenPosition { position, middle_given }: &GivenPosition) -> Self {
        let turn = position.unstraddling_turn();
        let whole = position.turn(turn);
        let mut hex = hex::print_with_middle(&whole).unwrap_or_default();
        let mut jaap = jaap::print(&whole).unwrap_or_default();
        if !middle_given {
            // Both end with the symbol.
            hex.pop();
            jaap.pop();
        }
        if !turn.is_none() {
            let back = SequenceNotation::Wca.write_turn(turn.inverse());
            hex += &back;
            jaap += &back;
        }
        Self { hex, jaap }
    }
}

/// A solution of a position of the Square-1 family: `schema/json/solution.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Square1SolutionReport {
    /// The input, as given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The goal, if it is not the solved position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<&'static str>,
    /// The length in the metric.
    pub length: usize,
    /// The metric.
    pub metric: QuestionMetric,
    /// What counts as solved.
    pub middle_goal: MiddleGoal,
    /// The sequence.
    pub solution: String,
    /// The shapes at the start and after each twist, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<Vec<String>>,
    /// Whether all shapes are cube shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stays_in_cube_shape: Option<bool>,
    /// The proof and cost, if a search found the solution.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub search: Option<FaceSearchReport>,
}

/// The proof and cost of a search in face turns.
#[derive(Debug, Clone, Serialize)]
pub struct FaceSearchReport {
    /// Proven lower bound: no solution has fewer moves. Equal to the length of a shortest solution; less if the search was stopped.
    pub at_least: u8,
    /// Nodes visited.
    pub nodes: u64,
    /// Seconds of the search.
    pub seconds: f64,
}
