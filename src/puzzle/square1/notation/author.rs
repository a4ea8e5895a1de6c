//! Positions as Cube21's own program numbers them: `author:0,0,40319` is solved.
//!
//! Three numbers: the shape, the arrangement of the small pieces, that of the big ones.
//!
//! - Shapes are numbered 0 to 89 in the order in which a search from solved meets them, breadth first: each shape as it was
//!   met, turned by 0 to 11 slots at the top and, for each of these, at the bottom, where it can be twisted, then twisted.
//!   As it was met is also how a position of the shape is held to be numbered.
//! - The small pieces, by slot, the top layer first, are of four kinds, {0, 2}, {4, 6}, {8, A}, {C, E}: their number, 0 to
//!   2519, is the rank of the word of kinds in the order of the alphabet.
//! - The big pieces 1, 3, … F are 0 to 7; their number, 0 to 40319, is the rank of that permutation by Myrvold and Ruskey.
//!
//! A shape with symmetries can be held so in several ways, upside down, too. Of the numbers the least are those of the
//! position: those of the small pieces, then those of the big ones. Reading takes any of them.
//!
//! Small pieces of a kind are alike, and the middle layer is ignored: this is a notation for Cube21 alone.
//!
//! Sources: the program of Pavel Savara, <http://cube21.sf.net/>; W. Myrvold and F. Ruskey, *Ranking and unranking
//! permutations in linear time* (2001).

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use crate::input::quoted;
use crate::square1::position::boundaries;
use crate::square1::shape::rotate;
use crate::square1::{Colouring, Middle, Piece, Position, Shape, Turn};
use twistbase_core::error::Problem;

/// Arrangements of the small pieces: 8! / 2^4.
const SMALL: u16 = 2520;
/// Arrangements of the big pieces: 8!.
const BIG: u16 = 40_320;

/// The numbers of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuthorIndex {
    shape: u8,
    small: u16,
    big: u16,
}

/// The shapes in the author's order.
struct AuthorShapes {
    /// A position of each, as it was met.
    met: Vec<Position>,
    /// By our numbers.
    numbers: [u8; Shape::COUNT],
}

static SHAPES: LazyLock<AuthorShapes> = LazyLock::new(AuthorShapes::find);

impl AuthorShapes {
    fn find() -> Self {
        let (mut numbers, mut met) = ([None; Shape::COUNT], Vec::with_capacity(Shape::COUNT));
        let mut meet = |position: Position, queue: &mut VecDeque<Position>| {
            let number = &mut numbers[usize::from(position.shape().id())];
            if number.is_none() {
                *number = Some(met.len() as u8);
                met.push(position);
                queue.push_back(position);
            }
        };
        let mut queue = VecDeque::new();
        meet(Position::SOLVED, &mut queue);
        while let Some(position) = queue.pop_front() {
            turns().filter_map(|turn| position.turn(turn).twist()).for_each(|next| meet(next, &mut queue));
        }
        Self { met, numbers: numbers.map(|number| number.expect("every shape is reached")) }
    }
}

/// Every turn, in the author's order.
fn turns() -> impl Iterator<Item = Turn> {
    (0..12).flat_map(|top| (0..12).map(move |bottom| Turn::new(top, bottom)))
}

/// Where the pieces of a position start, by layer.
fn pattern(position: &Position) -> [u16; 2] {
    [boundaries(position.top()), boundaries(position.bottom())]
}

/// The amounts that turn a layer of the first pattern into one of the second.
fn amounts(pattern: u16, wanted: u16) -> impl Iterator<Item = u8> + Clone {
    // Turning by an amount brings the piece at slot i to slot i + amount.
    (0..12).filter(move |&amount| rotate(pattern, 12 - amount) == wanted)
}

impl AuthorIndex {
    /// The numbers of a position of Cube21.
    pub fn of(position: &Position) -> Self {
        let shape = SHAPES.numbers[usize::from(position.shape().id())];
        let wanted = pattern(&SHAPES.met[usize::from(shape)]);
        let held = [*position, position.turn_over()].into_iter().flat_map(|position| {
            let [top, bottom] = pattern(&position);
            let bottoms = amounts(bottom, wanted[1]);
            amounts(top, wanted[0]).flat_map(move |top| {
                bottoms.clone().map(move |bottom| position.turn(Turn::new(top.into(), bottom.into())))
            })
        });
        held.map(|position| Self::as_held(shape, &position)).min().expect("a position can be held as its shape was met")
    }

    /// The numbers of a position that is held as its shape was met.
    fn as_held(shape: u8, position: &Position) -> Self {
        let (mut small, mut big) = ([0; 8], [0; 8]);
        let mut counts = [0; 2];
        for layer in [position.top(), position.bottom()] {
            // Its first slot is the start of a piece.
            for slot in (0..12).filter(|&slot| slot == 0 || layer[slot - 1] != layer[slot]) {
                let piece = layer[slot];
                let list = if piece.is_big() { &mut big } else { &mut small };
                let shift = if piece.is_big() { 1 } else { 2 };
                list[counts[usize::from(piece.is_big())]] = piece.index() >> shift;
                counts[usize::from(piece.is_big())] += 1;
            }
        }
        Self { shape, small: rank_of_kinds(&small), big: rank_of_permutation(big) }
    }

    /// A position of these numbers; `None` for numbers that there are not.
    pub fn position(self) -> Option<Position> {
        let met = SHAPES.met.get(usize::from(self.shape))?;
        let (small, big) = (kinds_of_rank(self.small)?, permutation_of_rank(self.big)?);
        let mut of_kind = [0; 4];
        let mut small = small.into_iter().map(|kind| {
            let second = std::mem::replace(&mut of_kind[usize::from(kind)], 2);
            kind * 4 + second
        });
        let mut big = big.into_iter().map(|number| number * 2 + 1);
        let layers = [met.top(), met.bottom()].map(|layer| {
            let mut filled = *layer;
            for slot in 0..12 {
                filled[slot] = if slot > 0 && layer[slot - 1] == layer[slot] {
                    filled[slot - 1]
                } else {
                    let next = if layer[slot].is_big() { big.next() } else { small.next() };
                    next.and_then(Piece::new).unwrap_or(layer[slot])
                };
            }
            filled
        });
        let [top, bottom] = layers;
        Position::from_layers(top, bottom, Middle::Square).ok()
    }
}

impl fmt::Display for AuthorIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.shape, self.small, self.big)
    }
}

/// Of this number of words of `letters` letters, those that begin with one of `count` of these.
const fn words_after(words: u16, count: u16, letters: u16) -> u16 {
    words * count / letters
}

/// The rank of a word of two letters each of four kinds among all of them, in the order of the alphabet.
fn rank_of_kinds(word: &[u8; 8]) -> u16 {
    let (mut left, mut words, mut rank) = ([2; 4], SMALL, 0);
    for (letters, kind) in (1..=8).rev().zip(word.map(usize::from)) {
        rank += words_after(words, left[..kind].iter().sum(), letters);
        words = words_after(words, left[kind], letters);
        left[kind] -= 1;
    }
    rank
}

fn kinds_of_rank(mut rank: u16) -> Option<[u8; 8]> {
    let (mut left, mut words, mut word) = ([2; 4], SMALL, [0; 8]);
    for (letters, place) in (1..=8).rev().zip(&mut word) {
        let kind = (0..4).find(|&kind| {
            let after = words_after(words, left[kind], letters);
            let is_here = rank < after;
            rank -= if is_here { 0 } else { after };
            is_here
        })?;
        words = words_after(words, left[kind], letters);
        left[kind] -= 1;
        *place = kind as u8;
    }
    Some(word)
}

/// The rank of a permutation by Myrvold and Ruskey.
fn rank_of_permutation(mut permutation: [u8; 8]) -> u16 {
    let mut places = [0_u8; 8];
    for (place, &element) in (0..).zip(&permutation) {
        places[usize::from(element)] = place;
    }
    let (mut rank, mut weight) = (0, 1);
    for last in (1..8_u8).rev() {
        let (element, place) = (permutation[usize::from(last)], places[usize::from(last)]);
        permutation.swap(last.into(), place.into());
        places.swap(element.into(), last.into());
        rank += u16::from(element) * weight;
        weight *= u16::from(last) + 1;
    }
    rank
}

fn permutation_of_rank(mut rank: u16) -> Option<[u8; 8]> {
    if rank >= BIG {
        return None;
    }
    let mut permutation = [0, 1, 2, 3, 4, 5, 6, 7];
    for count in (1..=8).rev() {
        permutation.swap(usize::from(count) - 1, usize::from(rank % count));
        rank /= count;
    }
    Some(permutation)
}

/// Reads a position from the text behind a prefix.
pub(super) fn read(text: &str, colouring: Colouring) -> Result<(Position, Option<Middle>), Vec<Problem>> {
    let problem = |code, message, at| Problem { code, message, at };
    if colouring != Colouring::Cube21 {
        let message =
            "the author's numbers apply only to cube21: they do not distinguish small pieces of a kind".to_owned();
        return Err(vec![problem("foreign-notation", message, None)]);
    }
    let parts = parts(text);
    let limits = [("shape", Shape::COUNT as u16), ("small pieces", SMALL), ("big pieces", BIG)];
    if parts.len() != limits.len() {
        let message =
            format!("{} numbers; expected 3: shape, small pieces, big pieces, as in author:0,0,40319", parts.len());
        return Err(vec![problem("bad-index", message, None)]);
    }
    let (mut numbers, mut problems) = (Vec::new(), Vec::new());
    for ((part, at), (what, count)) in parts.into_iter().zip(limits) {
        match part.parse::<u16>() {
            Ok(number) if number < count => numbers.push(number),
            _ => {
                let message = format!("{} is not a number of the {what}: use 0 to {}", quoted(part), count - 1);
                // Nothing cannot be marked.
                problems.push(problem("bad-index", message, (!part.is_empty()).then_some(at)));
            }
        }
    }
    let index = match numbers[..] {
        [shape, small, big] => Some(AuthorIndex { shape: shape as u8, small, big }),
        _ => None,
    };
    index.and_then(AuthorIndex::position).map(|position| (position, None)).ok_or(problems)
}

/// What is between commas, without the spaces around it, and where.
fn parts(text: &str) -> Vec<(&str, Range<usize>)> {
    let mut start = 0;
    let part = |part: &'_ str| {
        let at = start + part.len() - part.trim_start().len();
        start += part.len() + 1;
        at..at + part.trim().len()
    };
    text.split(',').map(str::trim).zip(text.split(',').map(part).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::square1::notation::{hex, parse_position};
    use crate::square1::random_position;

    /// Held another way, its middle layer square.
    fn alike(one: &Position, other: &Position) -> bool {
        AuthorIndex::of(one) == AuthorIndex::of(other)
    }

    #[test]
    fn every_shape_has_the_numbers_of_the_authors_program() {
        let text = include_str!("../../../../data/cube21_author.csv");
        let mut shapes = std::collections::BTreeSet::new();
        for line in text.lines().skip(1) {
            let [number, shape, position, small, big] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let found = hex::parse(position, Colouring::Cube21).unwrap().position;
            assert_eq!(AuthorIndex::of(&found).to_string(), format!("{number},{small},{big}"), "{line}");
            let read = parse_position(&format!("author:{number},{small},{big}"), Colouring::Cube21).unwrap();
            assert!(!read.middle_given && alike(&read.position, &found), "{line}");
            // As it was met it can be written, and has that pattern.
            let code: String = hex::print(&read.position).unwrap().chars().map(code).collect();
            assert_eq!(code, shape);
            shapes.insert(number.to_owned());
        }
        assert_eq!(shapes.len(), Shape::COUNT);
    }

    fn code(digit: char) -> char {
        match digit.to_digit(16) {
            Some(digit) if digit % 2 == 1 => 'C',
            Some(_) => 'e',
            None => '/',
        }
    }

    #[test]
    fn numbers_of_every_shape_lead_to_positions_and_back() {
        for shape in 0..Shape::COUNT as u8 {
            for (small, big) in (0..SMALL).step_by(83).zip((0..BIG).step_by(1301)) {
                let position = AuthorIndex { shape, small, big }.position().unwrap();
                let least = AuthorIndex::of(&position);
                assert!(least <= AuthorIndex { shape, small, big } && least.shape == shape);
                let again = least.position().unwrap();
                assert_eq!(AuthorIndex::of(&again), least);
                // Neither turns nor turning over make another position of it.
                assert!(alike(&again.turn(Turn::new(5, -2)).turn_over(), &position));
            }
        }
        assert_eq!(AuthorIndex { shape: 90, small: 0, big: 0 }.position(), None);
        assert_eq!(AuthorIndex { shape: 0, small: SMALL, big: 0 }.position(), None);
        assert_eq!(AuthorIndex { shape: 0, small: 0, big: BIG }.position(), None);
    }

    #[test]
    fn ranks_are_those_of_all_arrangements() {
        for rank in 0..SMALL {
            assert_eq!(rank_of_kinds(&kinds_of_rank(rank).unwrap()), rank);
        }
        assert!((1..SMALL).all(|rank| kinds_of_rank(rank - 1) < kinds_of_rank(rank)), "in the order of the alphabet");
        for rank in 0..BIG {
            assert_eq!(rank_of_permutation(permutation_of_rank(rank).unwrap()), rank);
        }
        assert_eq!(permutation_of_rank(BIG - 1), Some([0, 1, 2, 3, 4, 5, 6, 7]));
    }

    #[test]
    fn random_positions_come_back() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        for _ in 0..500 {
            let position = random_position(&mut rng);
            let index = AuthorIndex::of(&position);
            let again = index.position().unwrap();
            assert_eq!(AuthorIndex::of(&again), index);
            // The same position, whatever names the pieces of a kind have: one turn solves one after the other.
            assert_eq!(again.shape(), position.shape());
        }
    }

    #[test]
    fn what_is_no_index_is_refused_with_every_reason() {
        let reasons = |text: &str, colouring| {
            let error = parse_position(text, colouring).unwrap_err();
            let marked = error.problems.iter().map(|p| p.at.clone().map(|at| error.input[at].to_owned()));
            error.problems.iter().map(|problem| problem.code).zip(marked).collect::<Vec<_>>()
        };
        let bad = |part: &str| ("bad-index", Some(part.to_owned()));
        let cube21 = |text| reasons(text, Colouring::Cube21);
        assert_eq!(cube21("author: 90, 2520 ,40320"), [bad("90"), bad("2520"), bad("40320")]);
        assert_eq!(cube21("author:1,x,99999999"), [bad("x"), bad("99999999")]);
        assert_eq!(cube21("author:1,,3"), [("bad-index", None)]);
        assert_eq!(cube21("author:1,2"), [("bad-index", None)]);
        assert_eq!(cube21("author:1,2,3,4"), [("bad-index", None)]);
        assert_eq!(cube21("author:"), [("bad-index", None)]);
        assert_eq!(reasons("author:0,0,40319", Colouring::Square1), [("foreign-notation", None)]);
        assert!(parse_position("author:0,0,40319", Colouring::Cube21).unwrap().position.is_solved(Colouring::Cube21));
    }
}
