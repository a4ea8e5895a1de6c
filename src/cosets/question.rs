//! Questions about a coset, and whether a result answers them.

use super::record::CosetRecord;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::Cover;
use twistbase_solve::CosetOptions;

/// A question about a coset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CosetQuestion {
    /// Levels up to this one are to be exact.
    pub search_depth: u8,
    /// Levels up to this one are to be known, if only as bounds.
    pub depth: u8,
    /// The last level that is searched need not be exact if more positions than this are reached.
    pub stop_at: Option<u64>,
    /// Whether all levels are to be counted.
    pub counted: bool,
    /// Whether all that is asked is whether 20 moves suffice.
    pub bound_20: bool,
    /// The cover whose weights are to be added up, if any are.
    pub cover: Option<&'static str>,
}

impl CosetQuestion {
    /// The contents of a result that make solving with these options unnecessary.
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) when they contradict each other.
    pub fn new(options: &CosetOptions, is_weighted: bool) -> Result<Self> {
        let options = options.clone().checked()?;
        Ok(Self {
            search_depth: options.search_depth,
            depth: options.depth,
            stop_at: options.stop_at,
            counted: options.count_after_search,
            bound_20: options.bound_20,
            cover: is_weighted.then(Cover::identity),
        })
    }
}

impl CosetRecord {
    /// Whether solving the coset again could not add anything to the result.
    pub fn answers(&self, question: &CosetQuestion) -> bool {
        let mut exact = self.levels.iter().filter(|level| level.exact);
        let is_weighted = self.cover.as_deref() == question.cover && exact.all(|level| level.weighted.is_some());
        if question.cover.is_some() && !is_weighted {
            return false;
        }
        if question.bound_20 {
            return self.bound_20 || self.is_complete();
        }
        let enough = |most| {
            let at_last = self.levels.iter().filter(|level| level.depth <= question.search_depth);
            let is_early = at_last.filter_map(|level| level.total).any(|total| total > most);
            is_early && question.search_depth.checked_sub(1).is_none_or(|before| self.is_exact_to(before))
        };
        let is_exact = self.is_exact_to(question.search_depth) || question.stop_at.is_some_and(enough);
        let reaches = self.is_complete() || self.depth >= question.depth;
        let is_counted = !question.counted || self.levels.iter().all(|level| level.total.is_some());
        is_exact && reaches && is_counted
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    #[test]
    fn questions_that_a_result_answers_are_not_asked_again() {
        let result = record(5, &[2, 18, 118], 2); // exact to 5, known to 6
        let cover = Cover::identity();
        let question = CosetQuestion {
            search_depth: 5,
            depth: 6,
            stop_at: None,
            counted: true,
            bound_20: false,
            cover: Some(cover),
        };
        assert!(result.answers(&question));
        assert!(result.answers(&CosetQuestion { search_depth: 4, depth: 4, cover: None, ..question.clone() }));
        let more = [
            CosetQuestion { search_depth: 6, ..question.clone() },
            CosetQuestion { depth: 7, ..question.clone() },
            CosetQuestion { bound_20: true, ..question.clone() },
            CosetQuestion { cover: Some("another"), ..question.clone() },
            CosetQuestion { search_depth: 6, stop_at: Some(138), ..question.clone() },
        ];
        assert!(more.iter().all(|question| !result.answers(question)));
        assert!(result.answers(&CosetQuestion { search_depth: 6, stop_at: Some(137), ..question }));
    }
}
