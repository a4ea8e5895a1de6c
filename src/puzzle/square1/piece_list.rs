//! Positions as sixteen pieces in a row, from which their place is found without laying them in slots.

use std::sync::LazyLock;

use super::piece::Piece;
use super::position::{Middle, Position};
use super::shape::{HalfShape, Shape};
use twistbase_core::simd::{BytesWork, SixteenBytes, with_sixteen_bytes};

/// Slots of a layer.
const SLOTS: usize = 12;

/// Pieces of a layer at most.
const MOST: usize = 10;

/// The pieces of a position in the order of position strings: those of the top layer by slot, then those of the bottom one. No
/// piece lies across the ends of a layer.
#[derive(Debug, Clone, Copy)]
pub struct PieceList {
    numbers: [u8; Piece::COUNT],
    top_pieces: u8,
    shape: Shape,
    /// Where in the list the piece of each canonical slot is: the big ones, then the small ones.
    places: [u8; Piece::COUNT],
}

/// Reading a list.
struct ReadPieceList<'a>(&'a [u8; Piece::COUNT]);

impl BytesWork for ReadPieceList<'_> {
    type Output = Option<PieceList>;

    #[inline(always)]
    fn run<K: SixteenBytes>(self, kernel: K) -> Option<PieceList> {
        let Self(numbers) = self;
        if !kernel.are_all_numbers(numbers) {
            return None;
        }
        // An odd number is that of a big piece.
        let are_big = kernel.lowest_bits(numbers);
        let patterns = &*PATTERNS;
        let top = patterns.top[are_big as usize % (1 << MOST)];
        let bottom = patterns.bottom[(are_big >> top.pieces) as usize % (1 << MOST)].behind(top.pieces);
        // Both are full exactly if there are eight big pieces in them.
        let shape = Shape::of_halves(top.half_shape?, bottom.half_shape?)?;
        let (first, second) = if top.half_shape <= bottom.half_shape { (top, bottom) } else { (bottom, top) };
        let (big, small) = (first.big.followed_by(second.big), first.small.followed_by(second.small));
        let places = kernel.of_nibbles(u64::from(big) | u64::from(small) << 32);
        Some(PieceList { numbers: *numbers, top_pieces: top.pieces, shape, places })
    }
}

impl PieceList {
    /// The pieces with these numbers; `None` unless each is there once and some of them, from the first on, fill a layer. No
    /// branch depends on which piece is where.
    #[inline]
    pub fn new(numbers: &[u8; Piece::COUNT]) -> Option<Self> {
        with_sixteen_bytes(ReadPieceList(numbers))
    }

    /// How many of the pieces fill the top layer.
    #[inline]
    pub fn top_pieces(&self) -> usize {
        self.top_pieces.into()
    }

    /// The shape, and where in the list the piece of each canonical slot is: the big ones, then the small ones.
    pub fn arrangement(&self) -> (Shape, &[u8; Piece::COUNT]) {
        (self.shape, &self.places)
    }

    /// The numbers of the pieces.
    pub fn numbers(&self) -> &[u8; Piece::COUNT] {
        &self.numbers
    }

    /// The position, the middle layer square.
    pub fn position(&self) -> Position {
        let mut slots = [Piece::from_low_bits(0); 2 * SLOTS + 1];
        let mut slot = 0;
        for &number in &self.numbers {
            let piece = Piece::from_low_bits(number);
            // A small piece is written to the slot behind it, too, which is the next one's.
            slots[slot] = piece;
            slots[slot + 1] = piece;
            slot += piece.width();
        }
        let [top, bottom] = [0, SLOTS].map(|first| std::array::from_fn(|slot| slots[first + slot]));
        Position::from_legal_layers(top, bottom, Middle::Square)
    }
}

/// Places of pieces in a list, a nibble each, the first lowest; the nibbles behind them are 0.
#[derive(Debug, Clone, Copy, Default)]
struct PlaceList {
    places: u32,
    count: u8,
}

impl PlaceList {
    fn push(&mut self, place: u8) {
        self.places |= u32::from(place) << (4 * self.count);
        self.count += 1;
    }

    /// With others behind them, which are eight together.
    #[inline]
    fn followed_by(self, others: Self) -> u32 {
        self.places | others.places << (4 * u32::from(self.count) % 32)
    }
}

/// What the sizes of the first pieces of a list tell of the layer that they fill.
#[derive(Debug, Clone, Copy, Default)]
struct LayerPattern {
    /// The half-shape; `None` where they fill none.
    half_shape: Option<HalfShape>,
    /// How many pieces fill it.
    pieces: u8,
    /// Where in the list those of each canonical slot are.
    big: PlaceList,
    small: PlaceList,
}

/// What the sizes of the pieces of either layer tell, by which of the ten next pieces are big, a bit each.
struct LayerPatterns {
    top: Vec<LayerPattern>,
    bottom: Vec<LayerPattern>,
}

static PATTERNS: LazyLock<LayerPatterns> = LazyLock::new(|| {
    // As in `Position::rings`, the bottom layer is read backwards.
    let [top, bottom] =
        [false, true].map(|is_bottom| (0..1 << MOST).map(move |big| LayerPattern::read(big, is_bottom)));
    LayerPatterns { top: top.collect(), bottom: bottom.collect() }
});

impl LayerPattern {
    fn read(are_big: u32, is_bottom: bool) -> Self {
        let (mut ring, mut slot, mut pieces) = ([0u8; SLOTS], 0, 0);
        while slot < SLOTS {
            let end = slot + 1 + (are_big >> pieces & 1) as usize;
            // Ten small pieces do not fill a layer; a big one at its end does not fit.
            if end > SLOTS || usize::from(pieces) == MOST {
                return Self::default();
            }
            ring[slot..end].fill(pieces);
            (slot, pieces) = (end, pieces + 1);
        }
        if is_bottom {
            ring.reverse();
        }
        let (half_shape, starts) = HalfShape::of_ring(&ring);
        let mut pattern = Self { half_shape: Some(half_shape), pieces, ..Self::default() };
        for (element, is_big) in starts {
            let places = if is_big { &mut pattern.big } else { &mut pattern.small };
            places.push(ring[element]);
        }
        pattern
    }

    /// The same of pieces behind some others.
    #[inline]
    fn behind(self, others: u8) -> Self {
        // The nibbles behind the last place stay 0: others are put there.
        let moved = |list: PlaceList| {
            let all = u32::from(others) * 0x1111_1111;
            let own = !u32::MAX.checked_shl(4 * u32::from(list.count)).unwrap_or(0);
            PlaceList { places: list.places + (all & own), ..list }
        };
        Self { big: moved(self.big), small: moved(self.small), ..self }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::square1::coordinate::Coordinate;
    use crate::square1::notation::array;
    use crate::square1::{CanonicalPieces, Colouring, random_position};

    #[test]
    fn lists_tell_what_positions_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..20_000 {
            let position = random_position(&mut rng).with_middle(Middle::Square);
            let position = position.turn(position.unstraddling_turn());
            let list = PieceList::new(&array::write(&position)).expect("a position");
            assert_eq!(list.position(), position);
            let (shape, places) = list.arrangement();
            let pieces = places.map(|place| Piece::from_low_bits(list.numbers()[usize::from(place)]));
            let [big, small] = [0, 8].map(|first| std::array::from_fn(|slot| pieces[first + slot]));
            assert_eq!(CanonicalPieces { shape, big, small }, position.canonical_pieces());
            let starts = (0..SLOTS).filter(|&slot| slot == 0 || position.top()[slot - 1] != position.top()[slot]);
            assert_eq!(list.top_pieces(), starts.count());
            for colouring in Colouring::ALL {
                let coordinate = Coordinate::of(colouring);
                assert_eq!(coordinate.place_of_list(&list), coordinate.place(&position));
            }
        }
    }

    /// Pieces in any order, sometimes one of them twice or a number that none has: a list exactly where the full reader finds a
    /// position.
    #[test]
    fn what_is_no_position_has_no_list() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let (mut numbers, mut found): ([u8; Piece::COUNT], usize) = (std::array::from_fn(|place| place as u8), 0);
        for round in 0..20_000 {
            for place in 1..numbers.len() {
                numbers.swap(place, rng.random_range(0..=place));
            }
            let mut changed = numbers;
            if round % 4 == 0 {
                changed[rng.random_range(0..16)] = rng.random_range(0..=20);
            }
            let list = PieceList::new(&changed);
            assert_eq!(list.map(|list| list.position()), array::read(&changed, Colouring::Square1).ok(), "{changed:?}");
            found += usize::from(list.is_some());
        }
        assert!((5_000..15_000).contains(&found), "{found} positions");
    }

    #[test]
    fn there_are_as_many_patterns_as_ways_to_fill_a_layer() {
        // By the number of big pieces. Those that come after the layer is full do not matter.
        let ways = [(2, 45), (3, 84), (4, 70), (5, 21), (6, 1)];
        for patterns in [&PATTERNS.top, &PATTERNS.bottom] {
            for (big, ways) in ways {
                let free = 1 << (MOST - (SLOTS - big));
                let found = patterns.iter().filter(|it| it.half_shape.is_some() && usize::from(it.big.count) == big);
                assert_eq!(found.count(), ways * free);
            }
            let filled = patterns.iter().filter(|it| it.half_shape.is_some()).count();
            let expected: usize = ways.iter().map(|(big, ways)| ways << (MOST - (SLOTS - big))).sum();
            assert_eq!(filled, expected);
        }
    }
}
