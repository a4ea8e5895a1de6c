//! Many positions at once, as arrays of numbers: `schema/arrays.md`.

mod puzzle;
mod puzzles;
mod table;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use puzzle::{NeighbourArrays, PuzzleArrays};
pub(crate) use puzzles::{Cube3Arrays, DefinedArrays, LargeArrays, Square1Arrays};

pub use table::{ManyPositions, TableArrays};

use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};

/// Elements of a chunk. A thread checks for cancellation between chunks.
const CHUNK: usize = 1 << 10;

/// The number of a failed element, and its error.
type FailedElement = (usize, Error);

/// Fills elements of `width` items each, on all threads of rayon's pool.
///
/// # Errors
/// That of the first failed element, with its number; [`Error::Interrupted`].
fn fill<T: Send>(
    to: &mut [T],
    width: usize,
    ctx: &Context,
    element: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    fill_chunks(to, width, ctx, &|first, to| {
        let mut elements = (first..).zip(to.chunks_mut(width));
        elements.find_map(|(number, to)| Some((number, element(number, to).err()?)))
    })
}

/// Fills elements chunk by chunk. `chunk` gets the number of its first element, and returns the first failed one.
fn fill_chunks<T: Send>(
    to: &mut [T],
    width: usize,
    ctx: &Context,
    chunk: &(dyn Fn(usize, &mut [T]) -> Option<FailedElement> + Sync),
) -> Result<()> {
    let first_failed = AtomicUsize::new(usize::MAX);
    let of_chunk = |(number, to): (usize, &mut [T])| {
        let first = number * CHUNK;
        // Skips everything after a failed element.
        if ctx.is_cancelled() || first > first_failed.load(Ordering::Relaxed) {
            return None;
        }
        chunk(first, to).inspect(|&(number, _)| {
            first_failed.fetch_min(number, Ordering::Relaxed);
        })
    };
    let failed = if to.len() <= CHUNK * width {
        // A few elements take less time than waking another thread.
        of_chunk((0, to))
    } else {
        to.par_chunks_mut(CHUNK * width).enumerate().filter_map(of_chunk).min_by_key(|&(number, _)| number)
    };
    ctx.check()?;
    failed.map_or(Ok(()), |(number, error)| Err(Error::Element { number, error: Box::new(error) }))
}

/// The number of positions in an array.
///
/// # Errors
/// [`Error::Usage`] for a partial position.
fn positions_in(bytes: usize, width: usize) -> Result<usize> {
    if !bytes.is_multiple_of(width) {
        return Err(Error::Usage(format!("{bytes} bytes are not a multiple of {width}, the bytes of a position")));
    }
    Ok(bytes / width)
}

/// Checks that the output has room for all elements.
///
/// # Errors
/// [`Error::Usage`] if it has not.
fn check_room(room: usize, needed: usize) -> Result<()> {
    if room == needed {
        return Ok(());
    }
    Err(Error::Usage(format!("the output has room for {room} values; this needs {needed}")))
}
