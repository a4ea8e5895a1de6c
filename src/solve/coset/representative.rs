//! Representatives of cosets, and the weights that the cover gives their positions.

use super::{CosetSolver, CosetWeights};
use crate::coset_moves::CosetMoves;
use crate::two_phase::shared::contradiction;
use twistbase_core::error::Result;
use twistbase_core::math::perm8::{PERMUTATIONS, unrank};
use twistbase_core::math::{nibble, perm8};
use twistbase_puzzle::cube3::coordinate::{CosetOfH, PhaseTwoPosition};
use twistbase_puzzle::cube3::{Cover, Cube, Move, MoveSequence};

impl CosetWeights {
    /// The weights by which the cover's cosets count every position of the cube once, for the coset of
    /// `representative`; `None` if the cover does without that coset.
    pub fn of_cover(representative: &Cube) -> Option<Self> {
        // What decides is which U and D edges belong between L and R: those with odd numbers.
        let mut known = [None; 256];
        let weight = |rank: usize| {
            let edges = unrank(rank as u32);
            let mask = [1, 3, 5, 7].into_iter().fold(0, |mask, place: usize| mask | 1usize << edges[place]);
            *known[mask].get_or_insert_with(|| {
                let corners =
                    if perm8::is_odd(&edges) { [1, 0, 2, 3, 4, 5, 6, 7] } else { PhaseTwoPosition::SOLVED.corners };
                let in_h = PhaseTwoPosition { corners, edges, ..PhaseTwoPosition::SOLVED }.position();
                Cover::get().weight(&in_h.inverse().then(representative))
            })
        };
        let weights: Option<Vec<u16>> = (0..PERMUTATIONS).map(weight).collect();
        Self::new(weights?).ok()
    }
}

/// A shortest sequence into a coset, the same each time. `phase1` are the bytes of that table.
///
/// # Errors
/// [`Error::Data`](twistbase_core::error::Error::Data) if the table contradicts itself.
pub fn sequence_into(phase1: &[u8], coset: CosetOfH) -> Result<MoveSequence> {
    let moves = CosetMoves::get();
    let mut at = moves.coset(&coset.representative());
    let mut left = nibble::get(phase1, moves.index(at).0).ok_or_else(|| contradiction(&["phase1"]))?;
    let mut back: Vec<Move> = Vec::new();
    while left > 0 {
        let after = |turn| nibble::get(phase1, moves.index(moves.turned(at, turn)).0);
        let nearer = Move::all().find(|&turn| after(turn).is_some_and(|after| after < left));
        let turn = nearer.ok_or_else(|| contradiction(&["phase1"]))?;
        at = moves.turned(at, turn);
        left -= 1;
        back.push(turn.inverse());
    }
    back.reverse();
    Ok(MoveSequence::new(back))
}

impl<B: AsRef<[u8]> + Sync> CosetSolver<B> {
    /// The distance of a coset from H, by the solver's table: no position of it is nearer to solved.
    pub fn distance(&self, coset: CosetOfH) -> u8 {
        let number = coset.number() as usize;
        nibble::pick(self.phase1.as_ref()[number / 2], number)
    }

    /// A shortest sequence into a coset, by the solver's table.
    ///
    /// # Errors
    /// As [`sequence_into`].
    pub fn sequence_into(&self, coset: CosetOfH) -> Result<MoveSequence> {
        sequence_into(self.phase1.as_ref(), coset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use twistbase_core::math::perm8::rank;
    use twistbase_puzzle::cube3::{random_cube, random_in_h};

    /// The weight of every bit is that of the position that it stands for.
    #[test]
    fn weights_are_those_of_positions() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        let mut weighted = 0;
        for _ in 0..60 {
            let representative = random_cube(&mut rng);
            let Some(weights) = CosetWeights::of_cover(&representative) else {
                assert!(!Cover::get().has_class(CosetOfH::of(&representative).class()));
                continue;
            };
            weighted += 1;
            for _ in 0..50 {
                let in_h = random_in_h(&mut rng);
                let position = in_h.inverse().then(&representative);
                let place = rank(&PhaseTwoPosition::of(&in_h).unwrap().edges) as usize;
                assert_eq!(Some(weights.by_edges()[place]), Cover::get().weight(&position));
            }
        }
        assert!(weighted > 10);
    }
}
