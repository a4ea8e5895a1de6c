//! The positions found, as a set or as a bitmap.

use std::collections::HashSet;

use super::places::BitPlace;
use super::{CosetMode, spread};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_levelset::{Block, SpreadSet};

/// The positions found.
pub(super) enum FoundPositions {
    Set(HashSet<BitPlace>),
    Bitmap(SpreadSet),
}

impl FoundPositions {
    /// Bytes that a set takes for each position, about: a place and a byte, in a table that may be half empty.
    pub const BYTES_OF_POSITION: u64 = 2 * (size_of::<BitPlace>() as u64 + 1);

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
    pub fn insert(&mut self, place: BitPlace) -> bool {
        match self {
            Self::Set(set) => set.insert(place),
            Self::Bitmap(bitmap) => bitmap.row_mut(place.row as usize)[usize::from(place.block)].add(place.rank.into()),
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
            Self::Set(_) => Err(Error::Usage("the mode set has no prepass".to_owned())),
        }
    }

    /// Visits the places of all positions that are there, or of all others, in order.
    pub fn for_each(&self, there: bool, ctx: &Context, visit: &mut dyn FnMut(BitPlace) -> Result<()>) -> Result<()> {
        match self {
            Self::Set(set) => {
                let mut places: Vec<BitPlace> = set.iter().copied().collect();
                places.sort_unstable();
                if there {
                    return places.into_iter().try_for_each(|place| ctx.check().and_then(|()| visit(place)));
                }
                for_each_block(ctx, |row, block| {
                    let first = places.partition_point(|place| (place.row, place.block) < (row, block));
                    let rest = places[first..].iter();
                    let found = rest.take_while(|place| (place.row, place.block) == (row, block));
                    let mut set = Block::EMPTY;
                    found.for_each(|place| set.insert(place.rank.into()));
                    visit_ranks(&complement(&set), row, block, visit)
                })
            }
            Self::Bitmap(bitmap) => for_each_block(ctx, |row, block| {
                let set = &bitmap.row(row as usize)[usize::from(block)];
                if there {
                    visit_ranks(set, row, block, visit)
                } else {
                    visit_ranks(&complement(set), row, block, visit)
                }
            }),
        }
    }
}

fn for_each_block(ctx: &Context, mut visit: impl FnMut(u32, u8) -> Result<()>) -> Result<()> {
    for row in 0..spread().rows() as u32 {
        ctx.check()?;
        (0..spread().blocks() as u8).try_for_each(|block| visit(row, block))?;
    }
    Ok(())
}

fn complement(set: &Block) -> Block {
    Block::FULL.combine(set, |all, there| all & !there)
}

fn visit_ranks(set: &Block, row: u32, block: u8, visit: &mut dyn FnMut(BitPlace) -> Result<()>) -> Result<()> {
    set.ranks().try_for_each(|rank| visit(BitPlace { row, block, rank: rank as u16 }))
}
