//! Sequences of moves.

use std::fmt;

use super::notation::wca;
use super::{Cube, Face, Metric, Move};

/// Turns of the faces to be made one after the other, the cube held still. Displayed as the World Cube Association
/// writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct MoveSequence {
    moves: Vec<Move>,
}

impl MoveSequence {
    /// The sequence of these moves.
    pub const fn new(moves: Vec<Move>) -> Self {
        Self { moves }
    }

    /// Its moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Its length in a metric.
    pub fn length(&self, metric: Metric) -> usize {
        metric.length(&self.moves)
    }

    /// The position to which it leads from another.
    #[must_use]
    pub fn apply(&self, position: &Cube) -> Cube {
        position.after(&self.moves)
    }

    /// The [canonical](super::CanonicalState) sequence of the half-turn metric that does the same and is not longer in any metric:
    /// successive turns of a face are joined, also around turns of the opposite face, and those of opposite faces ordered.
    #[must_use]
    pub fn canonical(&self) -> Self {
        // Stretches of turns about one axis: the first of its two faces, and by how many quarters each of them is turned.
        let mut stretches: Vec<(Face, [u8; 2])> = Vec::with_capacity(self.moves.len());
        for turn in &self.moves {
            let first = turn.face().min(turn.face().opposite());
            let mut quarters = match stretches.pop_if(|(axis, _)| *axis == first) {
                Some((_, quarters)) => quarters,
                None => [0; 2],
            };
            let turned = &mut quarters[usize::from(turn.face() != first)];
            *turned = (*turned + turn.quarters()) % 4;
            if quarters != [0; 2] {
                stretches.push((first, quarters));
            }
        }
        let moves = stretches.into_iter().flat_map(|(first, quarters)| {
            let turns = [first, first.opposite()].into_iter().zip(quarters).filter(|&(_, quarters)| quarters != 0);
            turns.map(|(face, quarters)| Move::new(face, quarters))
        });
        moves.collect()
    }

    /// The sequence that undoes it.
    #[must_use]
    pub fn inverse(&self) -> Self {
        self.moves.iter().rev().map(|turn| turn.inverse()).collect()
    }
}

impl FromIterator<Move> for MoveSequence {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        Self::new(moves.into_iter().collect())
    }
}

impl fmt::Display for MoveSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&wca::print(&self.moves))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::cube3::CanonicalState;

    #[test]
    fn canonical_sequences_do_the_same_and_are_not_longer() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let moves: Vec<Move> = Move::all().collect();
        for number in 0..20_000 {
            // Few faces, so that much can be joined.
            let faces = 3 * (2 + number % 5);
            let sequence: MoveSequence = (0..number % 23).map(|_| *moves[..faces].choose(&mut rng).unwrap()).collect();
            let canonical = sequence.canonical();
            assert_eq!(canonical.apply(&Cube::SOLVED), sequence.apply(&Cube::SOLVED), "{sequence}");
            assert!([Metric::Htm, Metric::Qtm].map(|m| canonical.length(m) <= sequence.length(m)) == [true, true]);
            let end =
                canonical.moves().iter().try_fold(CanonicalState::START, |state, &turn| state.next(Metric::Htm, turn));
            assert!(end.is_some(), "{sequence}: {canonical}");
        }
    }

    #[test]
    fn turns_are_joined_around_others() {
        for (given, canonical) in [("D U D", "U D2"), ("U R R' U", "U2"), ("D U", "U D"), ("R2 L R2 L'", ""), ("", "")]
        {
            let sequence = wca::parse(given).unwrap();
            assert_eq!(sequence.canonical().to_string(), canonical, "{given}");
        }
    }
}
