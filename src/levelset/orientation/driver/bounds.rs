//! Bounds: the states up to a base as one level, and the two levels above it.

use crate::generate::Options;
use crate::orientation::moves::OrientationSpace;
use crate::orientation::pull::PullableOrientations;
use crate::orientation::representation::{LEAST_PLANES, OrientationSet, OrientationShape};
use crate::row_store::RowStore;
use twistbase_core::context::Context;
use twistbase_core::error::Result;

use super::search::{LevelCodes, OrientationSearch, OrientationSeed};

/// Bit planes of [`OrientationBounds`].
const BOUND_PLANES: usize = 2;

/// The levels of a whole space up to two above a base, in which all levels up to the base are one.
pub struct OrientationBounds<S: OrientationSet> {
    rows: RowStore<S>,
    shape: OrientationShape,
    counts: Vec<Vec<u64>>,
}

/// A row of [`OrientationBounds`].
#[derive(Debug, Clone, Copy)]
pub struct BoundedRow<'a, S> {
    sets: &'a [S],
    shape: OrientationShape,
}

impl<S: OrientationSet> OrientationBounds<S> {
    /// Number of states of a row at each level up to two above the base, and then of all others.
    pub fn counts(&self, row: usize) -> &[u64] {
        &self.counts[row]
    }

    /// Brings a row into memory.
    ///
    /// # Errors
    /// [`Error::Io`](twistbase_core::error::Error::Io) from the scratch file; [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
    pub fn row(&mut self, row: usize) -> Result<BoundedRow<'_, S>> {
        self.rows.bring(&[row])?;
        Ok(BoundedRow { sets: self.rows.row(row), shape: self.shape })
    }
}

impl<S: OrientationSet> BoundedRow<'_, S> {
    /// Two bit planes of a block: 1 up to the base, 2 and 3 for the next two levels, 0 for all others.
    #[inline]
    pub fn planes(&self, part: usize, group: usize) -> [&S; 2] {
        let at = (part * self.shape.groups + group) * BOUND_PLANES;
        [&self.sets[at], &self.sets[at + 1]]
    }

    /// Four bit planes of 15 less the least level that the states of a group and its orientations have in any of the
    /// parts that are gathered under that number; 0 if they have none, or 15.
    #[inline]
    pub fn least(&self, gathering: usize, group: usize) -> [&S; LEAST_PLANES] {
        let at = self.shape.least_at(BOUND_PLANES, gathering, group);
        std::array::from_fn(|bit| &self.sets[at + bit])
    }
}

/// Finds which states of `space` are at a distance of at most `base` from the nearest of `seeds`, one more, or two
/// more, and the least levels of the parts that are gathered.
///
/// With less memory than [`OrientationShape::working_set`] the rows are in a scratch file, and as many in
/// memory as it has room for.
///
/// # Errors
/// [`Error::Memory`](twistbase_core::error::Error::Memory) if the memory is less than [`OrientationShape::least_memory`];
/// [`Error::Io`](twistbase_core::error::Error::Io) from the scratch file;
/// [`Error::Interrupted`](twistbase_core::error::Error::Interrupted).
pub fn generate_bounds<S: PullableOrientations>(
    space: &OrientationSpace<S>,
    seeds: &[OrientationSeed],
    base: u8,
    options: &Options,
    ctx: &Context,
) -> Result<OrientationBounds<S>> {
    let shape = *space.shape();
    let (rows, at_once) = room_for_rows::<S>(&shape, options, ctx)?;
    let mut search = OrientationSearch::<S, BOUND_PLANES>::new(space, rows, at_once)?;
    search.start(seeds)?;
    // From within the pool, because each batch of rows would wake it twice.
    rayon::scope(|_| search.bounds(base, ctx))?;
    ctx.progress().end();
    let states = (shape.blocks() * S::STATES) as u64;
    for counts in &mut search.counts {
        counts.push(states - counts.iter().sum::<u64>());
    }
    Ok(OrientationBounds { rows: search.rows, shape, counts: search.counts })
}

/// Room for the rows, and how many of them are pulled at once.
fn room_for_rows<S: OrientationSet>(
    shape: &OrientationShape,
    options: &Options,
    ctx: &Context,
) -> Result<(RowStore<S>, usize)> {
    let row_sets = shape.row_sets(BOUND_PLANES);
    let working_set = shape.working_set::<S, BOUND_PLANES>();
    let Some(folder) = options.scratch_folder(working_set, shape.least_memory::<S, BOUND_PLANES>())? else {
        return Ok((RowStore::in_memory(shape.rows, row_sets)?, shape.rows_at_once::<S>()));
    };
    let (row, found) = (shape.row_bytes::<S, BOUND_PLANES>(), shape.found_bytes::<S>());
    let rest = (options.memory - shape.marks()) as usize;
    // A row that is pulled needs those of all its moves, and room for what it finds.
    let at_once = (rest / ((shape.moves + 1) * row + found)).clamp(1, shape.rows_at_once::<S>());
    let slots = ((rest - at_once * found) / row).min(shape.rows);
    Ok((RowStore::in_file(shape.rows, row_sets, slots, folder, ctx)?, at_once))
}

impl<S: PullableOrientations> OrientationSearch<'_, S, BOUND_PLANES> {
    /// Pulls all levels up to two above a base.
    fn bounds(&mut self, base: u8, ctx: &Context) -> Result<()> {
        for level in 1..=base {
            self.pull(LevelCodes::after_last::<S, BOUND_PLANES>(level), ctx)?;
        }
        // What is next to anything reached, and not reached itself, is one level farther than the last one.
        self.merge_levels(ctx)?;
        self.pull(LevelCodes { level: base + 1, from: 1, to: 2 }, ctx)?;
        self.pull(LevelCodes { level: base + 2, from: 2, to: 3 }, ctx)
    }
}
