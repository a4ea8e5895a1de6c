//! The last moves into H: from each coset near it, all sequences of a length that lead into H.
//!
//! What the last moves are depends on the coset alone. So the search ends some moves before H, at a coset from which
//! all the rest is known as products of moves: a sequence then takes one product and the place of a bit.

use rayon::prelude::*;

use super::excursions::Excursions;
use crate::coset_moves::{Coset, CosetMoves, can_end};
use crate::packed_cube::PackedCube;
use twistbase_core::hash::HashTable;
use twistbase_core::math::nibble;
use twistbase_core::memory::huge_vec;
use twistbase_puzzle::cube3::coordinate::{CORNER_ORIENTATIONS, FlipSliceClasses};
use twistbase_puzzle::cube3::{AXIS_SYMMETRIES, CanonicalState, Cube, Face, Metric, Move, Symmetry};

/// Which sequences into H are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Ending {
    /// All.
    Any,
    /// Those whose last move is none of H: the others are made by a prepass.
    NotInH,
    /// Of these, those that are outside H when [`Excursions::LONGEST`] moves are left, and from then on: the others end
    /// with an excursion.
    FromOutside,
}

impl Ending {
    /// How many there are.
    pub const COUNT: usize = 3;

    /// Moves of the tails of sequences with that ending.
    pub const fn tail_length(self) -> u8 {
        match self {
            Self::Any => 4,
            Self::NotInH | Self::FromOutside => 6,
        }
    }

    /// Whether there can be such a sequence of `left` moves at that distance from H.
    #[inline(always)]
    pub fn is_possible(self, distance: u8, left: u8) -> bool {
        match self {
            Self::Any => distance <= left,
            Self::NotInH => can_end(distance, left),
            Self::FromOutside => can_end(distance, left) && (distance > 0 || left > Excursions::LONGEST),
        }
    }

    fn allows(self, last: Move) -> bool {
        self == Self::Any || !last.is_in_h()
    }
}

/// The last moves of a sequence into H.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tail {
    /// What they do to the pieces, without corner orientations and edge orientations.
    pub pieces: PackedCube,
    /// The faces that can be turned first, a bit each ([`faces`]).
    pub first: u8,
}

/// The sequences of a length into H from the representatives of all cosets.
pub(super) struct Tails {
    length: u8,
    /// By the number of a coset, its place in `starts`.
    places: HashTable<32>,
    /// Where the sequences of a coset begin; one more at the end.
    starts: Vec<u32>,
    tails: Vec<Tail>,
}

impl Tails {
    /// All with an ending, by the bytes of `phase1`.
    pub fn new(phase1: &[u8], ending: Ending) -> Self {
        let length = ending.tail_length();
        let of_class = |class: usize| {
            let numbers = class * CORNER_ORIENTATIONS..(class + 1) * CORNER_ORIENTATIONS;
            let near = numbers.filter(|&number| ending.is_possible(nibble::pick(phase1[number / 2], number), length));
            let of_coset = |number| (number, tails_of(phase1, number, length, ending));
            near.map(of_coset).filter(|(_, tails)| !tails.is_empty()).collect::<Vec<_>>()
        };
        let found: Vec<(usize, Vec<Tail>)> =
            (0..FlipSliceClasses::COUNT).into_par_iter().with_min_len(64).flat_map_iter(of_class).collect();
        let mut table = Self {
            length,
            places: HashTable::for_entries(found.len()),
            starts: huge_vec(found.len() + 1),
            tails: huge_vec(found.iter().map(|(_, tails)| tails.len()).sum()),
        };
        table.starts.push(0);
        for (number, tails) in found {
            table.insert(number, &tails);
        }
        table
    }

    /// The number of moves.
    pub fn length(&self) -> u8 {
        self.length
    }

    fn insert(&mut self, number: usize, tails: &[Tail]) {
        self.places.insert(number, self.starts.len() as u64 - 1);
        self.tails.extend(tails);
        self.starts.push(self.tails.len() as u32);
    }

    /// The slots, and where [`Self::find`] looks first: to be loaded in advance.
    #[inline(always)]
    pub fn slot(&self, number: usize) -> (&[u64], usize) {
        self.places.slot(number)
    }

    /// The sequences from the representative of the coset with that number.
    #[inline(always)]
    pub fn find(&self, number: usize) -> &[Tail] {
        let Some(place) = self.places.get(number) else { return &[] };
        &self.tails[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

/// The sequences from the representative of a coset.
fn tails_of(phase1: &[u8], number: usize, length: u8, ending: Ending) -> Vec<Tail> {
    let coset = CosetMoves::get().representative(number / CORNER_ORIENTATIONS, (number % CORNER_ORIENTATIONS) as u16);
    sequences(phase1, coset, length, ending)
}

/// The sequences of a length from a coset into H.
pub(super) fn sequences(phase1: &[u8], coset: Coset, length: u8, ending: Ending) -> Vec<Tail> {
    let mut finder = TailFinder { phase1, ending, found: Vec::new(), path: Vec::new() };
    finder.search(coset, Cube::SOLVED, length, CanonicalState::START);
    finder.found
}

struct TailFinder<'a> {
    phase1: &'a [u8],
    ending: Ending,
    found: Vec<Tail>,
    path: Vec<Move>,
}

impl TailFinder<'_> {
    fn search(&mut self, coset: Coset, made: Cube, left: u8, state: CanonicalState) {
        if left == 0 {
            let Some(last) = self.path.last() else { return };
            if self.ending.allows(*last) {
                self.found.push(Tail { pieces: permutations(&made), first: first_faces(&self.path) });
            }
            return;
        }
        for turn in Move::all() {
            let Some(state) = state.next(Metric::Htm, turn) else { continue };
            let next = CosetMoves::get().turned(coset, turn);
            let number = CosetMoves::get().index(next).0;
            let distance = nibble::pick(self.phase1[number / 2], number);
            // The last move decides about the ending; before, no more than the distance can rule out.
            if distance < left && (left == 1 || self.ending.is_possible(distance, left - 1)) {
                self.path.push(turn);
                self.search(next, made.turned(turn), left - 1, state);
                self.path.pop();
            }
        }
    }
}

/// What a position does to the pieces, without corner orientations and edge orientations.
pub(super) fn permutations(position: &Cube) -> PackedCube {
    PackedCube::of(&Cube { co: Cube::SOLVED.co, eo: Cube::SOLVED.eo, ..*position })
}

/// A bit for a face.
const fn face_bit(face: Face) -> u8 {
    1 << face as u8
}

/// The faces that a sequence can begin with: two if its first moves turn opposite faces.
fn first_faces(moves: &[Move]) -> u8 {
    let second = moves.get(1).filter(|second| second.face() == moves[0].face().opposite());
    face_bit(moves[0].face()) | second.map_or(0, |second| face_bit(second.face()))
}

/// Which first faces may not follow on the moves before, seen under the symmetries: by symmetry and canonical state,
/// bits of faces.
pub(super) struct Forbidden([[u8; CanonicalState::COUNT]; AXIS_SYMMETRIES]);

impl Forbidden {
    pub fn new() -> Self {
        let mut table = [[0; CanonicalState::COUNT]; AXIS_SYMMETRIES];
        for symmetry in Symmetry::keeping_axis() {
            for turn in Move::all() {
                let state = CanonicalState::START.next(Metric::Htm, turn).expect("any move may be the first");
                let forbidden = Move::all().filter(|&next| state.next(Metric::Htm, next).is_none());
                table[symmetry.index()][state.index()] =
                    forbidden.fold(0, |bits, next| bits | face_bit(symmetry.of_move(next).face()));
            }
        }
        Self(table)
    }

    #[inline(always)]
    pub fn faces(&self, symmetry: Symmetry, state: CanonicalState) -> u8 {
        self.0[symmetry.index()][state.index()]
    }
}
