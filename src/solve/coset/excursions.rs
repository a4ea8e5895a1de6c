//! Excursions: ways out of H and back into it.
//!
//! A sequence into H that was there before ends with an excursion: moves that lead out of H, and back with the last.
//! What an excursion does to a position of H does not depend on the coset. So these sequences need no search: each is a
//! position that was found some levels before, and one of few excursions.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use super::places::{BitPlace, BitPlaces};
use super::tails::{Ending, sequences};
use crate::coset_moves::CosetMoves;
use twistbase_core::math::perm8::{Perm8, inverse};
use twistbase_core::math::square::compose4;
use twistbase_puzzle::cube3::coordinate::{PhaseTwoPlace, PhaseTwoPosition, middle_coset, middle_of_coset};
use twistbase_puzzle::cube3::{Cube, Move};

/// The excursions of some lengths, without those that are products of shorter ones and of moves of H: what these reach
/// from the positions of one level, the others have reached from those of later levels.
pub(super) struct Excursions {
    /// By length, from [`Self::SHORTEST`] on.
    lengths: Vec<Vec<SameCorners>>,
}

/// Excursions that do the same to the corners.
pub(super) struct SameCorners {
    /// What undoes that.
    pub corners_back: Perm8,
    pub excursions: Vec<Excursion>,
}

/// What an excursion does to the edges.
pub(super) struct Excursion {
    /// To those of U and D; lanes 8 to 15 hold themselves.
    pub edges: [u8; 16],
    /// To the middle edges: where the positions of each block get.
    pub blocks: [u8; PhaseTwoPlace::MIDDLES],
}

impl Excursions {
    /// Moves of the shortest: fewer, and the same can be said with moves of H.
    pub const SHORTEST: u8 = 5;
    /// Moves of the longest that are stored, 1584 of 2832. Of nine moves there are 9008, too many to look at in each row.
    pub const LONGEST: u8 = 8;

    /// All of them, by the bytes of `phase1`.
    pub fn new(phase1: &[u8]) -> Self {
        Self::of(&find(phase1)[usize::from(Self::SHORTEST)..])
    }

    /// Those given, by length from [`Self::SHORTEST`] on.
    pub fn of(lengths: &[Vec<PhaseTwoPosition>]) -> Self {
        Self { lengths: lengths.iter().map(|found| by_corners(found)).collect() }
    }

    /// Those of a length.
    pub fn of_length(&self, length: u8) -> &[SameCorners] {
        &self.lengths[usize::from(length - Self::SHORTEST)]
    }
}

/// By length: the excursions, and in place of those of one move the moves of H.
fn find(phase1: &[u8]) -> Vec<Vec<PhaseTwoPosition>> {
    let in_h = Move::all().filter(|turn| turn.is_in_h());
    let mut found: Vec<Vec<PhaseTwoPosition>> = vec![Vec::new(); usize::from(Excursions::LONGEST) + 1];
    found[1] = in_h.map(|turn| PhaseTwoPosition::of(&turn.cube()).expect("a move of H")).collect();
    let mut ball = Ball::new();
    for length in 1..=Excursions::LONGEST {
        if length >= Excursions::SHORTEST {
            found[usize::from(length)] = excursions(phase1, length, &found, &ball);
        }
        // The last level is not needed.
        if length < Excursions::LONGEST {
            ball.grow(&found);
        }
    }
    found
}

/// The excursions of a length that are no products, by the shorter ones and the positions that need fewer moves.
fn excursions(phase1: &[u8], length: u8, shorter: &[Vec<PhaseTwoPosition>], ball: &Ball) -> Vec<PhaseTwoPosition> {
    let start = CosetMoves::get().coset(&Cube::SOLVED);
    let all: HashSet<PhaseTwoPosition> =
        sequences(phase1, start, length, Ending::FromOutside).iter().map(|tail| h_position(&tail.pieces)).collect();
    // The way back from an excursion is one, too: a product with the inverse is one with another.
    let is_product = |excursion: &PhaseTwoPosition| {
        (1..length).any(|last| {
            let is_shorter = |back: &PhaseTwoPosition| ball.is_within(&excursion.then(back), length - last);
            shorter[usize::from(last)].iter().any(is_shorter)
        })
    };
    let mut all: Vec<PhaseTwoPosition> = all.into_par_iter().filter(|excursion| !is_product(excursion)).collect();
    all.sort_unstable_by_key(|excursion| (excursion.corners, excursion.edges, excursion.middle));
    all
}

/// The positions of H up to a distance from solved.
struct Ball {
    distances: HashMap<BitPlace, u8>,
    /// By distance.
    levels: Vec<Vec<PhaseTwoPosition>>,
}

impl Ball {
    fn new() -> Self {
        let solved = PhaseTwoPosition::SOLVED;
        Self { distances: HashMap::from([(BitPlaces::get().of(&solved), 0)]), levels: vec![vec![solved]] }
    }

    /// Adds the next distance, by the excursions up to that length.
    fn grow(&mut self, excursions: &[Vec<PhaseTwoPosition>]) {
        let distance = self.levels.len();
        let mut level = Vec::new();
        for (last, excursions) in excursions.iter().enumerate().take(distance + 1).skip(1) {
            let befores = &self.levels[distance - last];
            let products = befores.par_iter().flat_map_iter(|before| {
                let product = |excursion| before.then(excursion);
                excursions.iter().map(product).map(|position| (BitPlaces::get().of(&position), position))
            });
            for (place, position) in products.collect::<Vec<_>>() {
                self.distances.entry(place).or_insert_with(|| {
                    level.push(position);
                    distance as u8
                });
            }
        }
        self.levels.push(level);
    }

    /// Whether a position can be solved with this number of moves.
    fn is_within(&self, position: &PhaseTwoPosition, moves: u8) -> bool {
        self.distances.get(&BitPlaces::get().of(position)).is_some_and(|&distance| distance <= moves)
    }
}

fn h_position(pieces: &crate::packed_cube::PackedCube) -> PhaseTwoPosition {
    PhaseTwoPosition {
        corners: pieces.corners,
        edges: std::array::from_fn(|place| pieces.edges[place]),
        middle: std::array::from_fn(|place| pieces.edges[8 + place] - 8),
    }
}

fn by_corners(found: &[PhaseTwoPosition]) -> Vec<SameCorners> {
    let mut by_corners: BTreeMap<Perm8, Vec<Excursion>> = BTreeMap::new();
    for excursion in found {
        let block = |from: usize| middle_coset(compose4(middle_of_coset(from as u8, false), excursion.middle)).0;
        let edges = std::array::from_fn(|place| excursion.edges.get(place).copied().unwrap_or(place as u8));
        let excursions = by_corners.entry(inverse(&excursion.corners)).or_default();
        excursions.push(Excursion { edges, blocks: std::array::from_fn(block) });
    }
    by_corners.into_iter().map(|(corners_back, excursions)| SameCorners { corners_back, excursions }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coset::move_masks::tests::phase1;
    use twistbase_puzzle::cube3::{CanonicalState, Metric};

    /// All positions of H up to six moves from solved are products of moves of H and of excursions.
    #[test]
    #[ignore = "long suite: all positions up to six moves"]
    fn products_reach_what_every_move_reaches() {
        let found = find(&phase1());
        assert_eq!(found[5..=8].iter().map(Vec::len).collect::<Vec<_>>(), [128, 304, 816, 1584]);
        let mut ball = Ball::new();
        (0..6).for_each(|_| ball.grow(&found));
        let counts: Vec<usize> = ball.levels.iter().map(Vec::len).collect();
        assert_eq!(counts, [1, 10, 67, 456, 3079, 20_076, 125_218]);
        let mut ends = vec![(CanonicalState::START, Cube::SOLVED)];
        for moves in 1..=6 {
            let after = |&(state, at): &(CanonicalState, Cube)| {
                Move::all().filter_map(move |turn| Some((state.next(Metric::Htm, turn)?, at.turned(turn))))
            };
            ends = ends.iter().flat_map(after).collect();
            assert!(
                ends.iter().filter_map(|(_, end)| PhaseTwoPosition::of(end)).all(|end| ball.is_within(&end, moves))
            );
        }
    }
}
