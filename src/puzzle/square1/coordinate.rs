//! Positions as (row, entry): the coordinate of the level databases.
//!
//! The row is the shape. The pieces in the slots of the canonical shape are two arrangements of eight, one of big
//! and one of small pieces. One of them, the *outer* arrangement, is reduced to a class by the relabellings that map
//! the solved position to itself (which therefore preserve distance); the other one, the *inner* arrangement, is a
//! full permutation of eight and is relabelled along.
//!
//! | colouring | outer | classes | relabellings | inner | entries a row |
//! |---|---|---|---|---|---|
//! | Square-1 | big, all different | 8! / 32 = 1260 | 32: quarter turns of either layer, turning over | small | 50,803,200 |
//! | Cube21 | small, four pairs | 2520 / 8 = 315 | 8: half turns of either layer, turning over | big | 12,700,800 |
//! | corners | small, all alike | 1 | 1 | big | 40,320 |
//!
//! The relabellings act freely on the outer arrangements (every one but the identity changes each of them), so the
//! number of positions of a row is entries × relabellings / order of the shape's stabiliser.
//!
//! `entry = class × 40320 + rank`, with the rank of [`twistbase_core::math::perm8`].

use std::sync::{LazyLock, OnceLock};

use twistbase_core::math::perm8::{self, PERMUTATIONS, Perm8, Relabelling};

use super::canonical::CanonicalPieces;
use super::pairs::{PAIR_RANKS, pairs_from_kinds};
use super::piece::{Colouring, Piece};
use super::piece_list::PieceList;
use super::position::Position;
use super::shape::Shape;
use twistbase_core::simd::{BytesWork, SixteenBytes, with_sixteen_bytes};

/// Labels of the small pieces: the solved layers read as rings, each from its own side, so that turning the puzzle
/// over exchanges labels `x` and `x + 4`, and a quarter turn of a layer adds 1 modulo 4 within its half.
const SMALL: [u8; 8] = [0x0, 0x2, 0x4, 0x6, 0xe, 0xc, 0xa, 0x8];
/// Labels of the big pieces, likewise.
const BIG: [u8; 8] = [0x1, 0x3, 0x5, 0x7, 0xd, 0xb, 0x9, 0xf];
/// Inner labels of the big pieces of Cube21, by label: with the halves {t0, b0, t2, b2} and {t1, b1, t3, b3} in this
/// cyclic order, half turns and turning over are symmetries of two squares and never exchange the halves.
const INTERLEAVED: Perm8 = [0, 4, 2, 6, 1, 5, 3, 7];
/// Labels that are their own inner labels.
const PLAIN: Perm8 = [0, 1, 2, 3, 4, 5, 6, 7];

/// Labels by piece index, for both sizes.
static LABELS: [u8; 16] = {
    let mut labels = [0; 16];
    let mut i = 0;
    while i < 8 {
        labels[SMALL[i] as usize] = i as u8;
        labels[BIG[i] as usize] = i as u8;
        i += 1;
    }
    labels
};

/// A relabelling that maps solved to itself: exchange the halves or not, then turn each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LabelSymmetry {
    swap: bool,
    /// Added modulo 4 to labels 0..4.
    top: u8,
    /// Added modulo 4 to labels 4..8.
    bottom: u8,
}

impl LabelSymmetry {
    const COUNT: usize = 32;
    /// How many keep the pairs of Cube21.
    const OF_PAIRS: usize = 8;

    /// Those that map the solved position of a colouring to itself.
    pub(super) fn all(colouring: Colouring) -> impl Iterator<Item = Self> {
        let is_wanted = move |g: &Self| match colouring {
            Colouring::Square1 => true,
            Colouring::Cube21 => g.top.is_multiple_of(2) && g.bottom.is_multiple_of(2),
            Colouring::Corners => g.index() == 0,
        };
        (0..Self::COUNT).map(Self::from_index).filter(is_wanted)
    }

    fn index(self) -> usize {
        usize::from(self.swap) * 16 + usize::from(self.top) * 4 + usize::from(self.bottom)
    }

    fn from_index(index: usize) -> Self {
        Self { swap: index >= 16, top: (index / 4 % 4) as u8, bottom: (index % 4) as u8 }
    }

    fn apply(self, label: u8) -> u8 {
        let label = if self.swap { label ^ 4 } else { label };
        let turn = if label < 4 { self.top } else { self.bottom };
        (label & 4) | ((label + turn) & 3)
    }

    /// The new name that it gives to each piece, by index.
    pub(super) fn pieces(self) -> [Piece; 16] {
        std::array::from_fn(|index| {
            let label = usize::from(self.apply(LABELS[index]));
            Piece::from_low_bits(if index % 2 == 1 { BIG[label] } else { SMALL[label] })
        })
    }

    /// What it does to each label.
    fn labels(self) -> Perm8 {
        PLAIN.map(|label| self.apply(label))
    }

    /// It exchanges the halves or not and turns neither: with turns before it that undo these of labels 0..4 and of 4..8.
    #[inline]
    fn after_turning_back(self, turns: [u8; 2]) -> Self {
        let [first, second] = turns.map(|turn| (4 - turn) & 3);
        let (top, bottom) = if self.swap { (second, first) } else { (first, second) };
        Self { top, bottom, ..self }
    }

    /// The one that undoes it.
    fn inverse(self) -> Self {
        let labels = perm8::inverse(&self.labels());
        let mut all = (0..Self::COUNT).map(Self::from_index);
        all.find(|other| other.labels() == labels).expect("the relabellings are a group")
    }

    /// Whether `arrangement` is the representative of those that the relabellings of its colouring make of it: the
    /// first slot holds label 0, and the first label of the other half is 4 (for pairs: labels of kind 0 and kind 2).
    fn is_normal(arrangement: &Perm8, pairs: bool) -> bool {
        let is_first = |label: u8| if pairs { label & 2 == 0 } else { label & 3 == 0 };
        let other = arrangement.iter().copied().find(|label| (label ^ arrangement[0]) & 4 != 0);
        arrangement[0] < 4 && is_first(arrangement[0]) && other.is_some_and(is_first)
    }
}

/// New names of pieces, as labels of the outer arrangement and as inner labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelMap {
    outer: Perm8,
    inner: Perm8,
}

/// How the outer arrangement is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outer {
    /// Eight different labels.
    Different,
    /// Labels 2k and 2k + 1 alike.
    Pairs,
    /// All alike.
    Alike,
}

/// The class of an outer arrangement, and the index of the symmetry that brings it to its representative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ArrangementClass {
    class: u16,
    symmetry: u8,
}

/// The coordinate of one colouring.
#[derive(Debug)]
pub struct Coordinate {
    colouring: Colouring,
    outer: Outer,
    /// The relabellings that classes are taken by.
    group: Vec<LabelSymmetry>,
    /// Of each outer arrangement by [`Coordinate::outer_code`], or by [`without_turns`] of it: class, and index of the symmetry that
    /// brings it to its representative. With all symmetries it fits the processor's first cache: it is read for each position.
    classes: Vec<ArrangementClass>,
    /// Representative arrangements, by class.
    representatives: Vec<Perm8>,
    /// What a symmetry does to inner labels.
    inner: Vec<Perm8>,
    /// Inner label after a symmetry, by the index of the piece.
    inner_of_piece: Vec<[u8; 16]>,
    /// Inner label by label.
    inner_label: Perm8,
    /// See [`Coordinate::inner_digits`].
    inner_digits: OnceLock<Vec<[u8; 8]>>,
}

/// A position's place in a level database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The shape's id, 0..90.
    pub row: u32,
    /// `class × 40320 + rank`.
    pub entry: u32,
}

impl Coordinate {
    /// The coordinate of a colouring; made at its first use (about a millisecond).
    pub fn of(colouring: Colouring) -> &'static Self {
        static SQUARE1: LazyLock<Coordinate> = LazyLock::new(|| Coordinate::new(Colouring::Square1));
        static CUBE21: LazyLock<Coordinate> = LazyLock::new(|| Coordinate::new(Colouring::Cube21));
        static CORNERS: LazyLock<Coordinate> = LazyLock::new(|| Coordinate::new(Colouring::Corners));
        match colouring {
            Colouring::Square1 => &SQUARE1,
            Colouring::Cube21 => &CUBE21,
            Colouring::Corners => &CORNERS,
        }
    }

    fn new(colouring: Colouring) -> Self {
        Self::by_group(colouring, LabelSymmetry::all(colouring).collect())
    }

    /// The coordinate whose classes are taken by some of the relabellings, which are a group.
    pub(super) fn by_group(colouring: Colouring, group: Vec<LabelSymmetry>) -> Self {
        let (outer, inner_label) = match colouring {
            Colouring::Square1 => (Outer::Different, PLAIN),
            Colouring::Cube21 => (Outer::Pairs, INTERLEAVED),
            Colouring::Corners => (Outer::Alike, PLAIN),
        };
        let label_of = perm8::inverse(&inner_label);
        let symmetries = (0..LabelSymmetry::COUNT).map(LabelSymmetry::from_index);
        let inner_after = |g: LabelSymmetry, label: u8| inner_label[g.apply(label) as usize];
        let mut coordinate = Self {
            colouring,
            outer,
            group,
            classes: Vec::new(),
            representatives: Vec::new(),
            inner: symmetries.clone().map(|g| label_of.map(|label| inner_after(g, label))).collect(),
            inner_of_piece: symmetries.map(|g| LABELS.map(|label| inner_after(g, label))).collect(),
            inner_label,
            inner_digits: OnceLock::new(),
        };
        coordinate.enumerate_classes();
        coordinate
    }

    /// Numbers the representatives in the order of [`Coordinate::arrangements`], and tells the class of all arrangements.
    fn enumerate_classes(&mut self) {
        let with_inverses: Vec<_> = self.group.iter().map(|&g| (g, g.inverse().index() as u8)).collect();
        let arrangements = self.arrangements();
        let mut classes: Vec<Option<ArrangementClass>> = vec![None; arrangements.len()];
        for labels in arrangements {
            if classes[self.outer_code(&labels)].is_some() || !self.may_represent(&labels) {
                continue;
            }
            let class = self.representatives.len() as u16;
            self.representatives.push(labels);
            for &(g, symmetry) in &with_inverses {
                let relabelled = labels.map(|label| g.apply(label));
                classes[self.outer_code(&relabelled)] = Some(ArrangementClass { class, symmetry });
            }
        }
        let mut classes: Vec<_> =
            classes.into_iter().map(|class| class.expect("every arrangement has a class")).collect();
        if self.has_all_turns() {
            let unturned = classes.iter().enumerate().filter(|(code, _)| without_turns(*code).1 == [0; 2]);
            classes = unturned.map(|(_, &class)| class).collect();
        }
        self.classes = classes;
    }

    /// The outer arrangements; of those that are alike one.
    fn arrangements(&self) -> Vec<Perm8> {
        match self.outer {
            Outer::Different => (0..PERMUTATIONS as u32).map(perm8::unrank).collect(),
            Outer::Pairs => (0..1 << 16).filter_map(pairs_from_kinds).collect(),
            Outer::Alike => vec![PLAIN],
        }
    }

    /// Whether arrangements of pieces that all differ are distinguished up to all turns of both layers.
    fn has_all_turns(&self) -> bool {
        self.outer == Outer::Different && self.group.len() == LabelSymmetry::COUNT
    }

    /// Whether an outer arrangement represents its class, if no other of the class has a smaller code. With all symmetries
    /// the form of a representative is known beforehand.
    fn may_represent(&self, outer: &Perm8) -> bool {
        match self.outer {
            Outer::Different if self.has_all_turns() => LabelSymmetry::is_normal(outer, false),
            Outer::Pairs if self.group.len() == LabelSymmetry::OF_PAIRS => LabelSymmetry::is_normal(outer, true),
            _ => true,
        }
    }

    #[inline]
    fn outer_code(&self, labels: &Perm8) -> usize {
        match self.outer {
            Outer::Different => perm8::rank(labels) as usize,
            Outer::Pairs => PAIR_RANKS.rank(labels),
            Outer::Alike => 0,
        }
    }

    /// The colouring.
    pub fn colouring(&self) -> Colouring {
        self.colouring
    }

    /// Number of classes of outer arrangements: blocks of a row.
    pub fn classes(&self) -> usize {
        self.representatives.len()
    }

    /// Number of relabellings that the classes are taken by: 32, 8 or 1 where they are all that keep solved solved.
    pub fn relabellings(&self) -> u64 {
        self.group.len() as u64
    }

    /// Entries of a row: classes × 40320.
    pub fn entries(&self) -> u32 {
        (self.classes() * PERMUTATIONS) as u32
    }

    /// Whether the big pieces are the inner arrangement.
    fn big_inside(&self) -> bool {
        self.outer != Outer::Different
    }

    /// Splits slot permutations of big and small pieces into (outer, inner).
    pub fn split<'a>(&self, big: &'a Perm8, small: &'a Perm8) -> (&'a Perm8, &'a Perm8) {
        if self.big_inside() { (small, big) } else { (big, small) }
    }

    /// The class of the outer arrangement that `slots` makes of the representative of `class`, and the
    /// relabelling of inner labels that goes with it.
    pub fn move_class(&self, class: u32, slots: &Perm8) -> (u32, Relabelling) {
        self.move_class_by(class, slots, None)
    }

    /// The same where the pieces get new names after they moved.
    pub(super) fn move_class_by(&self, class: u32, slots: &Perm8, names: Option<&LabelMap>) -> (u32, Relabelling) {
        let moved = perm8::compose(&self.representatives[class as usize], slots);
        match names {
            None => self.class_by(&moved, &PLAIN),
            Some(LabelMap { outer, inner }) => self.class_by(&perm8::compose(outer, &moved), inner),
        }
    }

    /// The class of an outer arrangement, and the relabelling of inner labels that brings it to its representative.
    pub(super) fn class_of(&self, outer: &Perm8) -> (u32, Relabelling) {
        self.class_by(outer, &PLAIN)
    }

    /// The same where inner labels have been renamed before.
    fn class_by(&self, outer: &Perm8, inner: &Perm8) -> (u32, Relabelling) {
        let (class, g) = self.classify(outer);
        let relabelling = Relabelling::from_labels(&perm8::compose(&self.inner[g], inner))
            .expect("the symmetries of each colouring are symmetries of the two squares of its inner labels");
        (class, relabelling)
    }

    /// The outer arrangement that represents a class.
    pub(super) fn representative(&self, class: u32) -> &Perm8 {
        &self.representatives[class as usize]
    }

    /// New names of pieces as labels; `None` if they part pieces that are alike, or are no symmetry of the two squares
    /// of the inner labels.
    pub(super) fn label_map(&self, names: &[Piece; 16]) -> Option<LabelMap> {
        let parts_alike = |piece: Piece| {
            let kind = |piece: Piece| self.colouring.kind(names[usize::from(piece.index())]);
            self.colouring.alike_pieces(piece).any(|other| kind(other) != kind(piece))
        };
        if Piece::all().any(parts_alike) {
            return None;
        }
        let [mut outer, mut inner] = [PLAIN; 2];
        for (index, name) in names.iter().enumerate() {
            let [from, to] = [LABELS[index], LABELS[usize::from(name.index())]];
            let is_inner = (index % 2 == 1) == self.big_inside();
            if is_inner {
                inner[usize::from(self.inner_label[usize::from(from)])] = self.inner_label[usize::from(to)];
            } else {
                outer[usize::from(from)] = to;
            }
        }
        Relabelling::from_labels(&inner).map(|_| LabelMap { outer, inner })
    }

    /// The class of an outer arrangement, and the index of the symmetry that brings it to its representative.
    #[inline]
    fn classify(&self, outer: &Perm8) -> (u32, usize) {
        let code = self.outer_code(outer);
        if !self.has_all_turns() {
            let ArrangementClass { class, symmetry } = self.classes[code];
            return (class.into(), symmetry.into());
        }
        let (code, turns) = without_turns(code);
        let ArrangementClass { class, symmetry } = self.classes[code];
        (class.into(), LabelSymmetry::from_index(symmetry.into()).after_turning_back(turns).index())
    }

    /// Where a position is found. Positions that differ by turns of the layers, by turning over, or by exchanging
    /// pieces that are alike have the same distance; they can have different places, one for each element of the
    /// shape's stabiliser.
    #[inline]
    pub fn place(&self, position: &Position) -> Place {
        self.place_of_pieces(&position.canonical_pieces())
    }

    /// As [`Coordinate::place`], for pieces already listed in canonical order.
    #[inline]
    pub fn place_of_pieces(&self, pieces: &CanonicalPieces) -> Place {
        let (outer, inner) =
            if self.big_inside() { (&pieces.small, &pieces.big) } else { (&pieces.big, &pieces.small) };
        let (class, g) = self.classify(&relabelled(outer, &LABELS));
        let inner = relabelled(inner, &self.inner_of_piece[g]);
        Place { row: u32::from(pieces.shape.id()), entry: class * PERMUTATIONS as u32 + perm8::rank(&inner) }
    }

    /// As [`Coordinate::place`], of pieces in a list.
    #[inline]
    #[doc(hidden)]
    pub fn place_of_list(&self, list: &PieceList) -> Place {
        with_sixteen_bytes(PlaceOfList { coordinate: self, list })
    }

    /// A position found at `place`; `None` if there is no such place.
    pub fn position(&self, place: Place) -> Option<Position> {
        let CanonicalPieces { shape, big, small } = self.pieces(place)?;
        Some(Position::from_legal_canonical(shape, &big, &small))
    }

    /// Its pieces in canonical order.
    #[inline]
    #[doc(hidden)]
    pub fn pieces(&self, place: Place) -> Option<CanonicalPieces> {
        let shape = Shape::new(u8::try_from(place.row).ok()?)?;
        let class = place.entry / PERMUTATIONS as u32;
        let outer = self.representatives.get(class as usize)?;
        let inner = self.inner_labels(place.entry % PERMUTATIONS as u32);
        let (big, small) = if self.big_inside() { (&inner, outer) } else { (outer, &inner) };
        let piece = |table: &[u8; 8], label: u8| Piece::from_low_bits(table[usize::from(label & 7)]);
        Some(CanonicalPieces {
            shape,
            big: big.map(|label| piece(&BIG, label)),
            small: small.map(|label| piece(&SMALL, label)),
        })
    }

    /// The labels of the inner pieces, by slot, in the inner arrangement of a rank.
    fn inner_labels(&self, rank: u32) -> Perm8 {
        let label_of = perm8::inverse(&self.inner_label);
        perm8::unrank(rank).map(|inner| label_of[inner as usize])
    }

    /// The digits of the inner pieces, by slot, in the inner arrangement of each rank.
    pub(super) fn inner_digits(&self) -> &[[u8; 8]] {
        self.inner_digits.get_or_init(|| {
            let pieces = if self.big_inside() { BIG } else { SMALL };
            let digits = pieces.map(|piece| Piece::from_low_bits(piece).hex_digit() as u8);
            (0..PERMUTATIONS as u32)
                .map(|rank| self.inner_labels(rank).map(|label| digits[usize::from(label)]))
                .collect()
        })
    }
}

/// Finding the place of pieces in a list.
struct PlaceOfList<'a> {
    coordinate: &'a Coordinate,
    list: &'a PieceList,
}

impl BytesWork for PlaceOfList<'_> {
    type Output = Place;

    #[inline(always)]
    fn run<K: SixteenBytes>(self, kernel: K) -> Place {
        let Self { coordinate, list } = self;
        let (shape, places) = list.arrangement();
        let pieces = kernel.at(list.numbers(), places);
        let halves = |labels: [u8; 16]| {
            let [big, small] = bytemuck::cast::<_, [Perm8; 2]>(labels);
            if coordinate.big_inside() { (small, big) } else { (big, small) }
        };
        let (outer, _) = halves(kernel.at(&LABELS, &pieces));
        let (class, g) = coordinate.classify(&outer);
        let (_, inner) = halves(kernel.at(&coordinate.inner_of_piece[g], &pieces));
        Place { row: u32::from(shape.id()), entry: class * PERMUTATIONS as u32 + perm8::rank(&inner) }
    }
}

/// The pieces' labels, by slot. A loop rather than `map`, which is not inlined here: solving passes this a billion
/// times.
#[inline]
fn relabelled(pieces: &[Piece; 8], labels: &[u8; 16]) -> Perm8 {
    let mut relabelled = [0; 8];
    for slot in 0..8 {
        relabelled[slot] = labels[usize::from(pieces[slot].index() & 15)];
    }
    relabelled
}

/// The rank of an arrangement without the turns of its layers, 0..2520, and by how much labels 0..4 are turned, and labels 4..8.
///
/// A turn keeps everything in the rank but the elements' rotations (see [`twistbase_core::math::square`]), and the first of the labels of a
/// layer is what its element turns 0 to.
#[inline]
fn without_turns(rank: usize) -> (usize, [u8; 2]) {
    let (word, p, q) = (rank / 64, rank / 8 % 8, rank % 8);
    (word * 4 + p / 4 * 2 + q / 4, [p, q].map(|element| element as u8 % 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every outer arrangement is brought to the representative of its class by the symmetry that is told, and has a code of its own.
    #[test]
    fn every_arrangement_comes_to_its_representative() {
        let all = |colouring| Coordinate::by_group(colouring, LabelSymmetry::all(colouring).collect());
        let identity = |colouring| Coordinate::by_group(colouring, vec![LabelSymmetry::from_index(0)]);
        for coordinate in Colouring::ALL.into_iter().flat_map(|colouring| [all(colouring), identity(colouring)]) {
            let told = |labels: Perm8| match coordinate.outer {
                Outer::Different => labels,
                Outer::Pairs => labels.map(|label| label >> 1),
                Outer::Alike => [0; 8],
            };
            let arrangements = coordinate.arrangements();
            let codes: std::collections::HashSet<_> =
                arrangements.iter().map(|labels| coordinate.outer_code(labels)).collect();
            assert!(codes.len() == arrangements.len() && codes.iter().all(|&code| code < arrangements.len()));
            for labels in arrangements {
                let (class, g) = coordinate.classify(&labels);
                let relabelled = labels.map(|label| LabelSymmetry::from_index(g).apply(label));
                assert_eq!(told(relabelled), told(*coordinate.representative(class)), "{labels:?}");
                assert!(coordinate.group.contains(&LabelSymmetry::from_index(g)));
            }
        }
    }

    #[test]
    fn classes_are_as_many_as_the_free_action_leaves() {
        let classes = Colouring::ALL.map(|c| (c, Coordinate::of(c).classes()));
        for (colouring, classes) in classes {
            let expected = match colouring {
                Colouring::Square1 => 40_320 / 32,
                Colouring::Cube21 => 2520 / 8,
                Colouring::Corners => 1,
            };
            assert_eq!(classes, expected, "{}", colouring.name());
        }
    }

    #[test]
    fn every_place_of_some_rows_is_found_again() {
        for (colouring, step) in [(Colouring::Square1, 99_991), (Colouring::Cube21, 19_991), (Colouring::Corners, 97)] {
            let coordinate = Coordinate::of(colouring);
            for row in 0..90 {
                let (mut all, mut kept) = (0, 0);
                for entry in (0..coordinate.entries()).step_by(step) {
                    let place = Place { row, entry };
                    let position = coordinate.position(place).expect("a place in range");
                    let found = coordinate.place(&position);
                    let again = coordinate.position(found).expect("a place in range");
                    assert_eq!((coordinate.place(&again), again.shape()), (found, position.shape()));
                    (all, kept) = (all + 1, kept + u32::from(found == place));
                }
                // The same position may be listed from another of the shape's symmetric slots.
                let order = u32::from(Shape::all().nth(row as usize).expect("a shape").stabiliser_order());
                assert!(if order == 1 { kept == all } else { kept > 0 }, "row {row}: {kept} of {all}");
            }
            assert_eq!(coordinate.position(Place { row: 90, entry: 0 }), None);
            assert_eq!(coordinate.position(Place { row: 0, entry: coordinate.entries() }), None);
        }
    }

    #[test]
    fn the_symmetries_keep_solved_solved() {
        for index in 0..LabelSymmetry::COUNT {
            let g = LabelSymmetry::from_index(index);
            let relabel = |piece: Piece| {
                let table = if piece.is_big() { &BIG } else { &SMALL };
                Piece::new(table[g.apply(LABELS[usize::from(piece.index())]) as usize]).expect("a piece")
            };
            let rings = Position::SOLVED.rings().map(|ring| ring.map(relabel));
            let relabelled = Position::from_rings(rings, Position::SOLVED.middle()).expect("a legal position");
            assert!(relabelled.is_solved(Colouring::Square1), "{g:?}");
        }
    }
}
