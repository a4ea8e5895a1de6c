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

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;
    use twistbase_puzzle::cube3::Cover;

    #[test]
    fn a_filter_admits_what_all_its_parts_do() {
        let cover = Cover::get();
        let inside = cover.coset(7).unwrap().number();
        let outside = (0..).find(|&number| {
            let coset = twistbase_puzzle::cube3::coordinate::CosetOfH::from_number(number);
            coset.is_some_and(|coset| cover.number(coset).is_none())
        });
        // Exact to 5, of which positions remain.
        let [inside, outside] = [inside, outside.unwrap()].map(|coset| record(coset, &[2, 18, 118], 2));
        let complete = CosetRecord { remaining: 0, ..inside.clone() };
        let admitted = |filter: CosetFilter| [&inside, &outside, &complete].map(|record| filter.admits(record));
        let all = CosetFilter::default();
        assert_eq!(admitted(all), [true; 3]);
        assert_eq!(admitted(CosetFilter { incomplete: true, ..all }), [true, true, false]);
        assert_eq!(admitted(CosetFilter { in_cover: true, ..all }), [true, false, true]);
        assert_eq!(admitted(CosetFilter { exact_to: Some(5), ..all }), [true; 3]);
        assert_eq!(admitted(CosetFilter { exact_to: Some(6), ..all }), [false; 3]);
        assert_eq!(admitted(CosetFilter { incomplete: true, in_cover: true, exact_to: Some(4) }), [true, false, false]);
    }
}
