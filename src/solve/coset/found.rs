//! The positions found, as a set or as a bitmap.

use std::collections::HashSet;

use super::places::Place;
use super::{CosetMode, spread};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::levelset::{Block, SpreadSet};

/// The positions found.
pub(super) enum Found {
    Set(HashSet<Place>),
    Bitmap(SpreadSet),
}

impl Found {
    /// Bytes that a set takes for each position, about: a place and a byte, in a table that may be half empty.
    pub const BYTES_OF_POSITION: u64 = 2 * (size_of::<Place>() as u64 + 1);

    pub fn new(mode: CosetMode) -> Result<Self> {
        match mode {
            CosetMode::Set => Ok(Self::Set(HashSet::new())),
            CosetMode::Bitmap | CosetMode::Fast => Ok(Self::Bitmap(SpreadSet::new(spread())?)),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Self::Set(set) => set.clear(),
            Self::Bitmap(bitmap) => bitmap.clear(),
        }
    }

    /// Adds a position; returns whether it is new.
    pub fn insert(&mut self, place: Place) -> bool {
        match self {
            Self::Set(set) => set.insert(place),
            Self::Bitmap(bitmap) => {
                let block = &mut bitmap.row_mut(place.row as usize)[usize::from(place.block)];
                let is_new = !block.contains(place.rank.into());
                block.insert(place.rank.into());
                is_new
            }
        }
    }

    /// Bytes that the positions take by their number; a bitmap has its own whatever is in it.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Set(set) => set.len() as u64 * Self::BYTES_OF_POSITION,
            Self::Bitmap(_) => 0,
        }
    }

    /// The bitmap.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is a set.
    pub fn bitmap(&mut self) -> Result<&mut SpreadSet> {
        match self {
            Self::Bitmap(bitmap) => Ok(bitmap),
            Self::Set(_) => Err(Error::Usage("a set of positions has no prepass".to_owned())),
        }
    }

    /// Visits the places of all positions that are there, or of all others, in order.
    pub fn for_each(&self, there: bool, ctx: &Context, visit: &mut dyn FnMut(Place) -> Result<()>) -> Result<()> {
        let blocks = 0..spread().blocks() as u8;
        for (row, block) in (0..spread().rows() as u32).flat_map(|row| blocks.clone().map(move |block| (row, block))) {
            ctx.check()?;
            let mut wanted = self.block(row, block);
            if !there {
                wanted = Block::FULL.combine(&wanted, |all, there| all & !there);
            }
            wanted.ranks().try_for_each(|rank| visit(Place { row, block, rank: rank as u16 }))?;
        }
        Ok(())
    }

    /// The positions of a block that are there.
    fn block(&self, row: u32, block: u8) -> Block {
        match self {
            Self::Set(set) => {
                let mut there = Block::EMPTY;
                let found = Block::FULL.ranks().filter(|&rank| set.contains(&Place { row, block, rank: rank as u16 }));
                found.for_each(|rank| there.insert(rank));
                there
            }
            Self::Bitmap(bitmap) => bitmap.row(row as usize)[usize::from(block)],
        }
    }
}
