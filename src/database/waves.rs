//! Looks up many positions together.

use arrayvec::ArrayVec;

use twistbase_core::error::Result;

/// Positions of a wave: a processor can wait for a dozen cache lines at once.
pub(super) const WAVE: usize = 32;

/// Answers some inputs, one wave at a time: locates all, then prefetches all, then reads all. Each read misses the processor's caches;
/// this way the misses overlap. So do the page table walks of the prefetches, which overlap only if few other instructions come
/// between.
pub(super) fn query_in_waves<P, A>(
    inputs: &[&str],
    locate: impl Fn(&str) -> Result<P>,
    prefetch: impl Fn(&P),
    query: impl Fn(&P, &str) -> Result<A>,
    each: &mut dyn FnMut(&str, Result<A>),
) {
    for inputs in inputs.chunks(WAVE) {
        // Stored separately: errors are rare, and much larger than positions.
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
