//! Random positions.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use super::{Middle, Piece, Position, Shape, Step, TwistSequence};

/// A position drawn uniformly from all positions up to turns of the layers, turning over and alike
/// pieces, at a uniformly random twistable alignment, either side up, with a random middle layer.
///
/// It is uniform for every [`Colouring`](super::Colouring) at once: the shape's symmetry acts on the
/// orders of the big pieces without fixed points, so a shape has (orders) / (stabiliser order)
/// positions, and each of them comes from as many orders as any other.
pub fn random_position<R: Rng + ?Sized>(rng: &mut R) -> Position {
    let shape = random_shape(rng);
    let mut big: [Piece; 8] = std::array::from_fn(|i| Piece::from_low_bits(2 * i as u8 + 1));
    let mut small: [Piece; 8] = std::array::from_fn(|i| Piece::from_low_bits(2 * i as u8));
    big.shuffle(rng);
    small.shuffle(rng);
    let position = random_alignment(rng, &Position::from_legal_canonical(shape, &big, &small));
    let position = if rng.random() { position.turn_over() } else { position };
    position.with_middle(if rng.random() { Middle::Square } else { Middle::Kite })
}

/// A position drawn uniformly from all that can be twisted as they lie, the middle layer included: what the World Cube
/// Association calls a random state.
pub fn random_state<R: Rng + ?Sized>(rng: &mut R) -> Position {
    let alignments = |shape: Shape| shape.alignments().len() as u32;
    let most = Shape::all().map(alignments).max().unwrap_or(1);
    loop {
        // Alike but for the alignments: of a shape with twice as many twice as many positions are taken.
        let position = random_position(rng);
        if rng.random_range(0..most) < alignments(position.shape()) {
            return position;
        }
    }
}

/// A sequence of `twists` twists from the solved position, each after a uniformly random turn that
/// allows it, and where it leads.
pub fn random_walk<R: Rng + ?Sized>(rng: &mut R, twists: usize) -> (TwistSequence, Position) {
    let mut position = Position::SOLVED;
    let mut steps = Vec::new();
    for _ in 0..twists {
        let alignments: Vec<_> = position.alignments().collect();
        let Some(&turn) = alignments.choose(rng) else { break };
        let Some(next) = position.turn(turn).twist() else { break };
        steps.extend([Step::Turn(turn), Step::Twist]);
        position = next;
    }
    (TwistSequence::new(steps), position)
}

/// A shape with probability proportional to its number of positions.
fn random_shape<R: Rng + ?Sized>(rng: &mut R) -> Shape {
    // A common multiple of the stabiliser orders 1, 2, 3, 4, 8, 12, 32.
    const MULTIPLE: u32 = 96;
    let weight = |shape: &Shape| MULTIPLE / u32::from(shape.stabiliser_order());
    let mut left = rng.random_range(0..Shape::all().map(|shape| weight(&shape)).sum());
    for shape in Shape::all() {
        let weight = weight(&shape);
        if left < weight {
            return shape;
        }
        left -= weight;
    }
    Shape::SOLVED
}

/// The position after a uniformly random turn that makes it twistable.
fn random_alignment<R: Rng + ?Sized>(rng: &mut R, position: &Position) -> Position {
    let alignments: Vec<_> = position.alignments().collect();
    alignments.choose(rng).map_or(*position, |&turn| position.turn(turn))
}
