//! How far cosets are from H, by `phase1` or by its twin modulo 3.

use crate::coset_moves::{Coset, CosetMoves};
use twistbase_core::error::Result;
use twistbase_core::math::{nibble, trits};
use twistbase_puzzle::cube3::{Cube, Move};
use twistbase_query::cube3::{Modulo3, distance_modulo_3};
use twistbase_store::{FlatTable, Packing};
use twistbase_tables::{Definition, PhaseOneTable};

/// No coset is farther from H: 12 half turns, 13 quarter turns.
const FARTHEST: u8 = 13;

/// The distances of cosets.
pub(super) enum ToH<'a> {
    /// An entry gives its distance.
    Whole(&'a [u8]),
    /// An entry gives its distance beside that of a neighbour.
    Remainders(CosetRemainders<'a>),
}

/// The distances of cosets modulo 3.
pub(super) struct CosetRemainders<'a> {
    table: &'static PhaseOneTable,
    entries: FlatTable<&'a [u8]>,
    moves: &'static CosetMoves,
    h: Coset,
}

impl<'a> ToH<'a> {
    pub fn new(table: &'static PhaseOneTable, entries: &'a FlatTable<impl AsRef<[u8]>>) -> Self {
        match table.layout().packing {
            Packing::Mod3 => {
                let moves = CosetMoves::get();
                Self::Remainders(CosetRemainders {
                    table,
                    entries: entries.borrowed(),
                    moves,
                    h: moves.coset(&Cube::SOLVED),
                })
            }
            Packing::Nibbles | Packing::Quarters => Self::Whole(entries.bytes()),
        }
    }

    /// The distance of the coset with that number, a move away from one at the distance `before`.
    #[inline(always)]
    pub fn distance_beside(&self, number: usize, before: u8) -> u8 {
        match self {
            Self::Whole(bytes) => whole(bytes, number),
            Self::Remainders(remainders) => trits::beside(before, remainders.value(number)),
        }
    }

    /// The distance of a coset of which nothing is known.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) (damaged) if the table contradicts itself.
    #[inline]
    pub fn distance(&self, coset: Coset) -> Result<u8> {
        let number = CosetMoves::get().index(coset).0;
        match self {
            Self::Whole(bytes) => Ok(whole(bytes, number)),
            Self::Remainders(remainders) => distance_modulo_3(remainders, &coset, remainders.value(number), FARTHEST),
        }
    }
}

#[inline(always)]
fn whole(bytes: &[u8], number: usize) -> u8 {
    nibble::pick(bytes[number / 2], number)
}

impl CosetRemainders<'_> {
    /// What the entry of the coset with that number holds. (The table is one row.)
    #[inline(always)]
    fn value(&self, number: usize) -> u8 {
        let bytes = self.entries.bytes();
        let (byte, slot) = trits::locate(bytes.len(), number as u64);
        trits::pick(bytes[byte], slot)
    }
}

impl<'a> Modulo3 for CosetRemainders<'a> {
    type Position = Coset;
    type Entries = FlatTable<&'a [u8]>;

    fn entries(&self) -> &Self::Entries {
        &self.entries
    }

    fn definition(&self) -> &dyn Definition {
        self.table
    }

    fn place(&self, coset: &Coset) -> (u32, u64) {
        (0, self.moves.index(*coset).0 as u64)
    }

    fn is_reached(&self, coset: &Coset) -> bool {
        *coset == self.h
    }

    fn neighbours(&self, coset: &Coset) -> impl Iterator<Item = Coset> {
        Move::all().map(|turn| self.moves.turned(*coset, turn))
    }
}
