//! Random positions.

use rand::seq::{IteratorRandom, SliceRandom};
use rand::{Rng, RngExt};

use super::cube::{CORNERS, Cube, EDGES};
use super::{CanonicalState, Metric, Move, MoveSequence};
use twistbase_core::math::perm8::is_odd;

/// The edges of the middle layer are the last four.
const FIRST_MIDDLE_EDGE: usize = 8;

/// A position drawn uniformly from all 43,252,003,274,489,856,000 (8! × 3⁷ × 12! × 2¹¹ / 2).
pub fn random_cube<R: Rng + ?Sized>(rng: &mut R) -> Cube {
    let mut cube = Cube::SOLVED;
    cube.cp.shuffle(rng);
    cube.ep.shuffle(rng);
    cube.co = random_orientations::<R, CORNERS>(rng, 3);
    cube.eo = random_orientations::<R, EDGES>(rng, 2);
    with_equal_parities(cube)
}

/// A position drawn uniformly from the 19,508,428,800 (8!² × 4! / 2) of H = ⟨U, D, R2, F2, L2, B2⟩.
pub fn random_in_h<R: Rng + ?Sized>(rng: &mut R) -> Cube {
    let mut cube = Cube::SOLVED;
    cube.cp.shuffle(rng);
    cube.ep[..FIRST_MIDDLE_EDGE].shuffle(rng);
    cube.ep[FIRST_MIDDLE_EDGE..].shuffle(rng);
    with_equal_parities(cube)
}

/// A [canonical](CanonicalState) sequence of `length` moves that count one in the metric, each drawn uniformly from
/// those allowed, and the position to which it leads from the solved cube.
pub fn random_walk<R: Rng + ?Sized>(rng: &mut R, metric: Metric, length: usize) -> (MoveSequence, Cube) {
    let sequence = random_sequence(rng, metric, length, Move::all());
    let position = sequence.apply(&Cube::SOLVED);
    (sequence, position)
}

/// Such a sequence of some of the moves, of which two faces or more turn.
pub(crate) fn random_sequence<R: Rng + ?Sized>(
    rng: &mut R,
    metric: Metric,
    length: usize,
    moves: impl Iterator<Item = Move> + Clone,
) -> MoveSequence {
    let mut state = CanonicalState::START;
    let drawn = (0..length).map_while(|_| {
        let allowed = moves.clone().filter_map(|turn| Some((turn, state.next(metric, turn)?)));
        // Moves of another axis are always allowed.
        let (turn, next) = allowed.choose(rng)?;
        state = next;
        Some(turn)
    });
    drawn.collect()
}

/// Orientations 0..`order` whose sum is a multiple of `order`, all such with equal probability.
fn random_orientations<R: Rng + ?Sized, const N: usize>(rng: &mut R, order: u8) -> [u8; N] {
    let mut orientations = std::array::from_fn(|_| rng.random_range(0..order));
    let others: u8 = orientations[1..].iter().sum();
    orientations[0] = (order - others % order) % order;
    orientations
}

/// Exchanges two edges if the parities of the permutations differ. Of two arrangements that differ by that exchange one
/// is a position, so that it keeps a uniform distribution uniform.
fn with_equal_parities(mut cube: Cube) -> Cube {
    if is_odd(&cube.cp) != is_odd(&cube.ep) {
        cube.ep.swap(EDGES - 2, EDGES - 1);
    }
    cube
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(333)
    }

    #[test]
    fn random_positions_are_legal() {
        let mut rng = rng();
        for _ in 0..1000 {
            let [any, in_h] = [random_cube(&mut rng), random_in_h(&mut rng)];
            assert!([any, in_h].iter().all(|cube| Cube::from_cubies(&cube.cubies()) == Ok(*cube)));
            assert!(in_h.is_in_h());
        }
    }

    /// Every piece is in every place, and turned every way there, about equally often: each count is within five
    /// standard deviations.
    #[test]
    fn random_positions_are_spread_evenly() {
        const DRAWS: usize = 24_000;
        let mut rng = rng();
        let (mut corners, mut edges, mut middle) = ([[0; 24]; CORNERS], [[0; 24]; EDGES], [[0; 4]; 4]);
        let mut odd = 0;
        for _ in 0..DRAWS {
            let cube = random_cube(&mut rng);
            (0..CORNERS).for_each(|i| corners[i][usize::from(3 * cube.cp[i] + cube.co[i])] += 1);
            (0..EDGES).for_each(|i| edges[i][usize::from(2 * cube.ep[i] + cube.eo[i])] += 1);
            odd += usize::from(cube.is_odd());
            let in_h = random_in_h(&mut rng);
            (0..4).for_each(|i| middle[i][usize::from(in_h.ep[8 + i]) - 8] += 1);
        }
        let is_even = |count: usize, of: usize| {
            let (expected, all) = (DRAWS as f64 / of as f64, DRAWS as f64);
            (count as f64 - expected).abs() < 5.0 * (expected * (1.0 - expected / all)).sqrt()
        };
        assert!(corners.as_flattened().iter().chain(edges.as_flattened()).all(|&count| is_even(count, 24)));
        assert!(middle.as_flattened().iter().all(|&count| is_even(count, 4)) && is_even(odd, 2));
    }

    #[test]
    fn walks_are_canonical() {
        let mut rng = rng();
        for metric in [Metric::Htm, Metric::Qtm] {
            let (sequence, position) = random_walk(&mut rng, metric, 200);
            let end = sequence.moves().iter().try_fold(CanonicalState::START, |state, &turn| state.next(metric, turn));
            assert!(end.is_some());
            assert_eq!((sequence.moves().len(), sequence.length(metric)), (200, 200));
            assert_eq!(sequence.apply(&Cube::SOLVED), position);
            assert!(sequence.inverse().apply(&position).is_solved());
        }
    }
}
