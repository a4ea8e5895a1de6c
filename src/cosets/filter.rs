//! Some of the results.

use super::{CosetRecord, CosetResults};
use twistbase_core::error::Result;

/// Which results are wanted; by default all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CosetFilter {
    /// Only of cosets of which some positions were not reached.
    pub incomplete: bool,
    /// Only of cosets of the cover.
    pub in_cover: bool,
    /// Only those that are exact at least to this depth.
    pub exact_to: Option<u8>,
}

impl CosetFilter {
    /// Whether a result is wanted.
    pub fn admits(&self, record: &CosetRecord) -> bool {
        let is_exact = |depth| record.exact_to.is_some_and(|exact| exact >= depth);
        (!self.incomplete || !record.is_complete())
            && (!self.in_cover || record.number().is_some())
            && self.exact_to.is_none_or(is_exact)
    }
}

impl CosetResults {
    /// The results that are wanted, in rising order of their cosets, and the errors about those that cannot be read.
    pub fn filtered(&self, filter: CosetFilter) -> impl Iterator<Item = Result<CosetRecord>> + '_ {
        self.iter().filter(move |record| record.as_ref().map_or(true, |record| filter.admits(record)))
    }
}
