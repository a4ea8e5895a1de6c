//! Whether a position can be solved by the fewest twists without a turn after the last.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;

use crate::square1::middle_goal::MiddleGoal;
use crate::square1::table::Square1Table;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::{CanonicalPieces, EndingCoordinate, Middle};
use twistbase_store::Entries;

/// Answers the question by two look-ups, where there is a table of distances to the position one twist from solved;
/// otherwise by walking down along all shortest ways, which share most of their ends: what is found out is remembered.
#[derive(Debug)]
pub(super) struct Endings<T> {
    table: T,
    /// The solved position after a twist: what is left before a last twist without a turn after it. Look-ups need it hardly
    /// ever.
    last: OnceCell<CanonicalPieces>,
    /// By position and twists left.
    known: RefCell<HashMap<(CanonicalPieces, u8), bool>>,
}

impl<T, E> Endings<T>
where
    T: Deref<Target = Square1Table<E>>,
    E: Entries,
{
    /// From this number of twists on, look-ups decide. A twist more makes the other middle layer square on the way to the last
    /// twist as well, but where there is no twist before it.
    const LOOKED_UP: u8 = 3;

    /// Over a table.
    pub fn new(table: T) -> Self {
        Self { table, last: OnceCell::new(), known: RefCell::default() }
    }

    /// The table.
    pub fn table(&self) -> &Square1Table<E> {
        &self.table
    }

    /// Whether one of the solutions of a position by `twists` twists, at least one and the fewest that leave the middle
    /// layer square, ends with a twist: the last one leads to the solved position, and no layer is left to be turned.
    /// That does not depend on how the position lies; the middle layer is what that number of twists makes square.
    ///
    /// # Errors
    /// Those of [`Square1Table::distance`].
    pub fn ends_with_twist(&self, pieces: &CanonicalPieces, twists: u8) -> Result<bool> {
        if twists >= Self::LOOKED_UP
            && let Some(endings) = self.table.endings()
        {
            let to_solved = self.table.level_of_pieces(pieces)?;
            return Ok(endings.distance(pieces, to_solved)? < twists);
        }
        let pieces = pieces.least(self.table.colouring());
        if twists <= 1 {
            let last = || *self.last.get_or_init(|| EndingCoordinate::last_pieces(self.table.colouring()));
            return Ok(twists == 1 && pieces == last());
        }
        let key = (pieces, twists);
        if let Some(&known) = self.known.borrow().get(&key) {
            return Ok(known);
        }
        let found = self.find(&pieces, twists)?;
        self.known.borrow_mut().insert(key, found);
        Ok(found)
    }

    fn find(&self, pieces: &CanonicalPieces, twists: u8) -> Result<bool> {
        let left = twists - 1;
        let middle = if left % 2 == 1 { Middle::Kite } else { Middle::Square };
        let within_reach = |next: &CanonicalPieces| next.shape.twists() <= left;
        let place = |next: CanonicalPieces| (next, self.table.place_of_pieces(&next));
        // All places first, then all that is asked for: the reads, each of which misses the processor's caches, then overlap.
        let places: Vec<_> = pieces.neighbours().filter(within_reach).map(place).collect();
        places.iter().for_each(|&(_, place)| self.table.prefetch(place));
        for (next, place) in places {
            let is_nearer = self.table.distance_beside(place, middle, MiddleGoal::Square)?.twists() == left;
            if is_nearer && self.ends_with_twist(&next, left)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
