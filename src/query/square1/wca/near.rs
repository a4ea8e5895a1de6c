//! What is near the solved position, found by plain search.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::side::Alignments;
use crate::square1::solution::Square1Solution;
use crate::square1::solutions::SolutionCounts;
use twistbase_puzzle::square1::{CanonicalPieces, Colouring, Middle, Position, Step, Turn, TwistSequence};

/// All positions within a few moves of the solved one, as they lie, also those that cannot be twisted; pieces that look
/// alike are the same.
#[derive(Debug)]
pub(super) struct NearSolved {
    colouring: Colouring,
    moves: HashMap<u128, u8>,
}

/// Shortest sequences of moves that solve a position.
struct NearSolutions {
    /// All of them.
    all: Vec<TwistSequence>,
    /// One of those that differ only in turns by `(t,b)` and `(t+6,b+6)` before a twist.
    distinct: Vec<TwistSequence>,
}

impl NearSolved {
    /// Positions at this distance and nearer are known. Of one twist, none is farther: a turn, the twist and a turn.
    /// Solutions of two twists have two turns to choose from four moves on.
    const KNOWN: u8 = 3;
    /// Solutions of this number of moves are found: a move leads to a position that is known.
    pub const LISTED: u8 = Self::KNOWN + 1;

    /// Those of a colouring, which are searched when they are first asked for.
    pub fn of(colouring: Colouring) -> &'static Self {
        static FOUND: [OnceLock<NearSolved>; Colouring::ALL.len()] = [const { OnceLock::new() }; Colouring::ALL.len()];
        FOUND[colouring as usize].get_or_init(|| Self::search(colouring))
    }

    fn search(colouring: Colouring) -> Self {
        let mut moves = HashMap::from([(key(&Position::SOLVED, colouring), 0)]);
        let mut level = vec![Position::SOLVED];
        for distance in 1..=Self::KNOWN {
            let mut next: Vec<Position> = level.iter().flat_map(steps).map(|(_, to)| to).collect();
            next.retain(|position| {
                let is_new = !moves.contains_key(&key(position, colouring));
                moves.entry(key(position, colouring)).or_insert(distance);
                is_new
            });
            level = next;
        }
        Self { colouring, moves }
    }

    /// The distance of a position in moves, if it is so near.
    pub fn distance(&self, position: &Position) -> Option<u8> {
        self.moves.get(&key(position, self.colouring)).copied()
    }

    /// The shortest solutions of a position at a distance of at most [`NearSolved::LISTED`].
    pub fn solutions(&self, position: &Position, moves: u8) -> Vec<Square1Solution> {
        let distinct = self.found(position, moves).distinct.into_iter();
        distinct.map(|sequence| Square1Solution::of_sequence(position, sequence)).collect()
    }

    /// The number of these solutions.
    pub fn count(&self, position: &Position, moves: u8) -> SolutionCounts {
        let NearSolutions { all, distinct } = self.found(position, moves);
        let passed = |sequence: &TwistSequence| {
            let mut at = *position;
            let mut path: Vec<CanonicalPieces> = Vec::new();
            for step in sequence.steps() {
                at = made(&at, *step).unwrap_or(at);
                path.extend(matches!(step, Step::Twist).then(|| at.canonical_pieces().least(self.colouring)));
            }
            path
        };
        let paths: HashSet<Vec<CanonicalPieces>> = distinct.iter().map(passed).collect();
        let [alignments, sequences, paths] = [distinct.len(), all.len(), paths.len()].map(|count| count as u128);
        SolutionCounts { alignments, sequences, paths }
    }

    fn found(&self, position: &Position, moves: u8) -> NearSolutions {
        let mut all = Vec::new();
        self.descend(position, moves, &mut Vec::new(), &mut all);
        let mut seen = HashSet::new();
        let distinct = all.iter().filter(|sequence| seen.insert(Alignments::of(sequence))).cloned().collect();
        NearSolutions { all, distinct }
    }

    /// Completes sequences that are shortest ones.
    fn descend(&self, position: &Position, left: u8, path: &mut Vec<Step>, all: &mut Vec<TwistSequence>) {
        if left == 0 {
            all.push(TwistSequence::new(path.clone()));
            return;
        }
        for (step, next) in steps(position) {
            if self.distance(&next) == Some(left - 1) {
                path.push(step);
                self.descend(&next, left - 1, path, all);
                path.pop();
            }
        }
    }
}

/// The moves of a position and where they lead: the twist, where it is possible, and every turn.
fn steps(position: &Position) -> impl Iterator<Item = (Step, Position)> + use<> {
    let position = *position;
    let turns = (-5..=6).flat_map(|top| (-5..=6).map(move |bottom| Turn::new(top, bottom)));
    let steps = [Step::Twist].into_iter().chain(turns.filter(|turn| !turn.is_none()).map(Step::Turn));
    steps.filter_map(move |step| made(&position, step).map(|to| (step, to)))
}

fn made(position: &Position, step: Step) -> Option<Position> {
    match step {
        Step::Turn(turn) => Some(position.turn(turn)),
        Step::Twist => position.twist(),
        Step::TurnOver => Some(position.turn_over()),
    }
}

/// Equal for positions that look alike as they lie.
pub(super) fn key(position: &Position, colouring: Colouring) -> u128 {
    let middle = u128::from(position.middle() == Middle::Kite);
    let slots = position.top().iter().chain(position.bottom());
    slots.fold(middle, |key, &piece| key << 4 | u128::from(colouring.kind(piece).index()))
}
