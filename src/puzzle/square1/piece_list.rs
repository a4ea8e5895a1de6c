//! Positions as sixteen pieces in a row, from which their place is found without laying them in slots.

use std::sync::LazyLock;

use super::canonical::CanonicalPieces;
use super::coordinate::{Coordinate, Place};
use super::piece::Piece;
use super::position::{Middle, Position};
use super::shape::{CanonicalForm, Shape};

/// Slots of a layer.
const SLOTS: usize = 12;

/// The pieces of a position in the order of position strings: those of the top layer by slot, then those of the bottom one. No
/// piece lies across the ends of a layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceList {
    numbers: [u8; Piece::COUNT],
    sizes: &'static SizePattern,
}

impl PieceList {
    /// The pieces with these numbers; `None` unless each is there once and some of them, from the first on, fill a layer. No
    /// branch depends on which piece is where.
    #[inline]
    pub fn new(numbers: &[u8; Piece::COUNT]) -> Option<Self> {
        const ALL: u32 = (1 << Piece::COUNT) - 1;
        let (mut found, mut big) = (0u32, 0u32);
        for (place, &number) in numbers.iter().enumerate() {
            found |= 1 << number.min(Piece::COUNT as u8);
            big |= u32::from(number & 1) << place;
        }
        let sizes = if found == ALL { SizePattern::of(big)? } else { return None };
        Some(Self { numbers: *numbers, sizes })
    }

    /// How many of the pieces fill the top layer.
    #[inline]
    pub fn top_pieces(&self) -> usize {
        self.sizes.top_pieces.into()
    }

    /// The shape, and the pieces in its canonical order: those of [`Position::canonical_pieces`].
    #[inline]
    pub fn canonical_pieces(&self) -> CanonicalPieces {
        let SizePattern { shape, big, small, .. } = self.sizes;
        let mut pieces =
            CanonicalPieces { shape: *shape, big: [Piece::from_low_bits(0); 8], small: [Piece::from_low_bits(0); 8] };
        for slot in 0..8 {
            pieces.big[slot] = Piece::from_low_bits(self.numbers[usize::from(big[slot] & 15)]);
            pieces.small[slot] = Piece::from_low_bits(self.numbers[usize::from(small[slot] & 15)]);
        }
        pieces
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

impl Coordinate {
    /// As [`Coordinate::place`].
    #[inline]
    pub(crate) fn place_of_list(&self, list: &PieceList) -> Place {
        self.place_of_pieces(&list.canonical_pieces())
    }
}

/// What the sizes of sixteen pieces in a row tell of a position: everything but which piece is where.
#[derive(Debug)]
struct SizePattern {
    shape: Shape,
    /// How many of the pieces fill the top layer.
    top_pieces: u8,
    /// Where in the row the piece of each canonical slot is: the big ones, the small ones.
    big: [u8; 8],
    small: [u8; 8],
}

/// The patterns by which of the pieces are big.
struct SizePatterns {
    /// The number of the pattern of each set of places; [`SizePatterns::NONE`] where it has none.
    numbers: Vec<u16>,
    patterns: Vec<SizePattern>,
}

static PATTERNS: LazyLock<SizePatterns> = LazyLock::new(SizePatterns::build);

impl SizePatterns {
    const NONE: u16 = u16::MAX;

    fn build() -> Self {
        let (mut numbers, mut patterns) = (vec![Self::NONE; 1 << Piece::COUNT], Vec::new());
        for (big, number) in (0u32..).zip(&mut numbers) {
            if let Some(pattern) = SizePattern::read(big) {
                *number = patterns.len() as u16;
                patterns.push(pattern);
            }
        }
        Self { numbers, patterns }
    }
}

impl SizePattern {
    /// That of the pieces of which those in the places of `big`, a bit each, are big.
    #[inline]
    fn of(big: u32) -> Option<&'static Self> {
        let SizePatterns { numbers, patterns } = &*PATTERNS;
        patterns.get(usize::from(numbers[big as usize & (numbers.len() - 1)]))
    }

    fn read(big: u32) -> Option<Self> {
        if big.count_ones() != 8 {
            return None;
        }
        // By slot, the place in the row of the piece that fills it.
        let (mut slots, mut slot, mut top_pieces) = ([0u8; 2 * SLOTS], 0, 0);
        for place in 0..Piece::COUNT as u8 {
            let end = slot + if big >> place & 1 == 1 { 2 } else { 1 };
            if slot < SLOTS && end > SLOTS {
                return None;
            }
            slots[slot..end].fill(place);
            top_pieces += u8::from(end <= SLOTS);
            slot = end;
        }
        let mut rings = [0, SLOTS].map(|first| std::array::from_fn(|slot| slots[first + slot]));
        // As in `Position::rings`.
        rings[1].reverse();
        let form = CanonicalForm::of(&rings);
        let data = form.shape.data();
        let place = |start| form.read(&rings, start);
        Some(Self { shape: form.shape, top_pieces, big: data.big.map(place), small: data.small.map(place) })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::puzzle::square1::notation::array;
    use crate::puzzle::square1::{Colouring, random_position};

    #[test]
    fn lists_tell_what_positions_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..20_000 {
            let position = random_position(&mut rng).with_middle(Middle::Square);
            let position = position.turn(position.unstraddling_turn());
            let list = PieceList::new(&array::write(&position)).expect("a position");
            assert_eq!(list.position(), position);
            assert_eq!(list.canonical_pieces(), position.canonical_pieces());
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
    fn there_are_as_many_patterns_as_ways_to_fill_two_layers() {
        // By the number of big pieces on top: (10 choose 2) × 1, (9 choose 3) × (7 choose 5), (8 choose 4)², and back.
        assert_eq!(PATTERNS.patterns.len(), 2 * (45 + 84 * 21) + 70 * 70);
    }
}
