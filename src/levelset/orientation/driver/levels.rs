//! All levels of a space.

use crate::MOST_LEVELS;
use crate::orientation::moves::OrientationSpace;
use crate::orientation::pull::PullableOrientations;
use crate::orientation::representation::{OrientationPlanes, OrientationSet, OrientationShape};
use crate::row_store::RowStore;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};

use super::known::KnownOrientations;
use super::search::{LevelCodes, OrientationSearch, OrientationSeed};

/// The levels of a whole space.
pub struct OrientationLevels<S: OrientationSet, const P: usize> {
    rows: RowStore<S>,
    shape: OrientationShape,
    counts: Vec<Vec<u64>>,
}

impl<S: OrientationSet, const P: usize> OrientationLevels<S, P> {
    /// Number of states of a row at each level up to the last one of the space, each state counted once.
    pub fn counts(&self, row: usize) -> &[u64] {
        &self.counts[row]
    }

    /// The blocks of a row: the groups of its parts.
    pub fn row(&self, row: usize) -> &[OrientationPlanes<S, P>] {
        self.shape.blocks_of(self.rows.row(row))
    }
}

/// Finds the distance of every state of `space` from the nearest of `seeds`, modulo 2^P - 1; with a depth, of those at
/// most so far. States of levels that are known are not searched again.
///
/// # Errors
/// [`Error::Memory`] if `memory` is less than [`OrientationShape::working_set`]; [`Error::Budget`] if there are [`MOST_LEVELS`] levels or
/// more; [`Error::Interrupted`]; those of reading what is known.
pub fn generate_orientations<S: PullableOrientations, const P: usize>(
    space: &OrientationSpace<S>,
    seeds: &[OrientationSeed],
    known: Option<KnownOrientations<'_, S, P>>,
    depth: Option<u8>,
    memory: u64,
    ctx: &Context,
) -> Result<OrientationLevels<S, P>> {
    let shape = *space.shape();
    Error::check_memory(memory, shape.working_set::<S, P>())?;
    let rows = RowStore::in_memory(shape.rows, shape.row_sets(P))?;
    let mut search = OrientationSearch::<S, P>::new(space, rows, shape.rows_at_once::<S>())?;
    match known {
        Some(known) => search.continue_from(known)?,
        None => search.start(seeds)?,
    }
    rayon::scope(|_| search.levels(depth, ctx))?;
    Ok(OrientationLevels { rows: search.rows, shape, counts: search.counts })
}

impl<S: PullableOrientations, const P: usize> OrientationSearch<'_, S, P> {
    /// Pulls levels until there is nothing left, or the depth is reached.
    fn levels(&mut self, depth: Option<u8>, ctx: &Context) -> Result<()> {
        let first = self.counts.first().map_or(0, Vec::len) as u8;
        for level in first..=MOST_LEVELS as u8 {
            if self.counts.iter().all(|counts| counts.last() == Some(&0)) {
                ctx.progress().end();
                self.counts.iter_mut().for_each(|counts| counts.truncate(usize::from(level) - 1));
                return Ok(());
            }
            if depth.is_some_and(|depth| level > depth) {
                ctx.progress().end();
                return Ok(());
            }
            self.pull(LevelCodes::after_last::<S, P>(level), ctx)?;
        }
        Err(Error::Budget(format!(
            "the space has states at distance {MOST_LEVELS} or more, beyond the supported depth"
        )))
    }
}
