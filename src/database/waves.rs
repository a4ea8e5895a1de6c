//! Positions that are looked up together.

use arrayvec::ArrayVec;

use twistbase_core::error::Result;

/// Positions that are looked up together: a processor waits for a dozen cache lines at once.
pub(super) const WAVE: usize = 32;

/// Answers some inputs, a wave of them at a time: all are located first, then what will be read is asked for, then it is read. The
/// reads, each of which misses the processor's caches, then overlap; so do the walks through the page table that asking takes, which
/// a processor does not get on with while many other instructions lie between.
pub(super) fn query_in_waves<P, A>(
    inputs: &[&str],
    locate: impl Fn(&str) -> Result<P>,
    prefetch: impl Fn(&P),
    query: impl Fn(&P, &str) -> Result<A>,
    each: &mut dyn FnMut(&str, Result<A>),
) {
    for inputs in inputs.chunks(WAVE) {
        // Kept apart: they are much larger than most positions, and rare.
        let mut failed = Vec::new();
        let mut located: ArrayVec<Option<P>, WAVE> = ArrayVec::new();
        for input in inputs {
            located.push(locate(input).map_err(|error| failed.push(error)).ok());
        }
        located.iter().flatten().for_each(&prefetch);
        let mut failed = failed.into_iter();
        for (input, located) in inputs.iter().zip(&located) {
            let located =
                located.as_ref().ok_or_else(|| failed.next().expect("an error for each that was not located"));
            each(input, located.and_then(|located| query(located, input)));
        }
    }
}
