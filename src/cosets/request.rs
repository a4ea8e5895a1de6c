//! Requests to solve cosets.

use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Cover;
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_solve::{CosetCheckpoint, CosetOptions};
use twistbase_store::Store;

/// How a coset, or each of a batch, is solved and stored.
#[derive(Debug, Clone, Default)]
pub struct CosetRequest {
    /// How it is solved. The folder of checkpoints is set by [`Self::checkpoint_every`] in place of this.
    pub options: CosetOptions,
    /// Whether to solve again, and replace the stored result.
    pub force: bool,
    /// Whether to keep the state of the search in a file, to continue after an interruption, and the least time between
    /// two checkpoints. The file is beside the results.
    pub checkpoint_every: Option<Duration>,
}

impl CosetRequest {
    /// The options, with checkpoints in the folder of the store if there are to be any.
    ///
    /// # Errors
    /// [`Error::Usage`] for checkpoints in memory.
    pub(super) fn options_in(&self, store: &Store) -> Result<CosetOptions> {
        let folder = self.checkpoint_every.map(|_| store.dir_for("a checkpoint")).transpose()?;
        let checkpoint = self.checkpoint_every.zip(folder);
        let checkpoint = checkpoint.map(|(every, folder)| CosetCheckpoint { folder: folder.to_path_buf(), every });
        Ok(CosetOptions { checkpoint, ..self.options.clone() })
    }
}

/// How cosets of positions are solved.
#[derive(Debug, Clone, Default)]
pub struct CosetSolve {
    /// How.
    pub request: CosetRequest,
    /// Whether to weight positions so that the cosets of the cover count the whole cube.
    pub weighted: bool,
}

/// Cosets of the cover to solve one after the other, with the weights of the cover.
#[derive(Debug, Clone)]
pub struct CosetRun {
    /// Which.
    pub range: CoverRange,
    /// How each is solved.
    pub request: CosetRequest,
}

impl CosetRun {
    /// About how many positions its list has if its cosets are average; `None` if none is wanted. Cosets near H have far fewer.
    pub fn expected_list(&self) -> Option<f64> {
        self.request.expected_list(self.range.numbers().len())
    }
}

impl CosetRequest {
    /// A list that is expected to be longer is refused, unless [`CosetRequest::force`] is set.
    pub const LONGEST_LIST: f64 = 1e9;

    /// The positions that remain of a number of average cosets, about: those at the distances from [`CosetOptions::list_from`] on.
    /// Cosets near H have far fewer; where the search ends before that level, there are more.
    pub(super) fn expected_list(&self, cosets: usize) -> Option<f64> {
        let CosetOptions { list_from, .. } = self.options;
        // What remains after the last level is listed at the end.
        let from = list_from?.min(self.options.last_level().saturating_add(1));
        let farther: f64 = POSITIONS_FROM_16.iter().skip(usize::from(from.saturating_sub(16))).sum();
        let share = if from <= 16 { 1.0 } else { farther / POSITIONS_FROM_16.iter().sum::<f64>() };
        Some(share * CosetOfH::POSITIONS as f64 * cosets as f64)
    }

    /// Refuses a list that is expected to be too long, unless it is insisted on.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub(super) fn check_list(&self, expected: Option<f64>) -> Result<()> {
        match expected.filter(|&lines| lines > Self::LONGEST_LIST && !self.force) {
            Some(lines) => Err(Error::Usage(format!(
                "the list has about {lines:.1e} lines of 70 bytes if its cosets are average, far fewer if they are \
                 near H; --force writes it"
            ))),
            None => Ok(()),
        }
    }
}

/// Positions of the cube at 16 to 20 moves, about; nearer ones do not matter beside them (Rokicki, Kociemba, Davidson and
/// Dethridge).
const POSITIONS_FROM_16: [f64; 5] = [1.1e18, 1.2e19, 2.9e19, 1.5e18, 4.9e8];

/// Numbers of cosets in the cover, "A..B" in text: from A up to, but not including, B. Not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverRange(Range<u32>);

impl CoverRange {
    /// The whole cover.
    pub fn all() -> Self {
        Self(0..Cover::get().count())
    }

    /// The numbers.
    pub fn numbers(&self) -> Range<u32> {
        self.0.clone()
    }
}

impl TryFrom<Range<u32>> for CoverRange {
    type Error = Error;

    /// Fails with [`Error::Usage`] if the range is empty or not within the cover.
    fn try_from(range: Range<u32>) -> Result<Self> {
        let count = Cover::get().count();
        if range.start < range.end && range.end <= count {
            return Ok(Self(range));
        }
        let Range { start, end } = range;
        Err(Error::Usage(format!("the range {start}..{end} is outside the cover, which has the cosets 0..{count}")))
    }
}

impl FromStr for CoverRange {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let range = text.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
        let range: Range<u32> = range.ok_or_else(|| Error::Usage(format!("{text:?} is not a range; write 0..100")))?;
        range.try_into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_solve::CosetMode;

    #[test]
    fn a_list_is_as_long_as_its_levels_on_the_average() {
        let run = |from, range: Range<u32>| {
            let options = CosetOptions { list_from: from, ..CosetOptions::default() };
            let request = CosetRequest { options, ..CosetRequest::default() };
            let range = CoverRange::try_from(range).unwrap();
            CosetRun { range, request }.expected_list()
        };
        let coset = CosetOfH::POSITIONS as f64;
        assert_eq!((run(None, 0..3), run(Some(21), 0..1000)), (None, Some(0.0)));
        assert_eq!((run(Some(0), 0..3), run(Some(16), 0..1)), (Some(3.0 * coset), Some(coset)));
        let nineteen = run(Some(19), 0..1).unwrap();
        assert!((0.03..0.04).contains(&(nineteen / coset)), "{nineteen}");
        assert!(run(Some(20), 0..1000).unwrap() < 1000.0);
        let options = CosetOptions { list_from: Some(21), depth: 11, search_depth: 11, ..CosetOptions::default() };
        let request = CosetRequest { options, ..CosetRequest::default() };
        let run = CosetRun { range: CoverRange::try_from(0..1).unwrap(), request };
        assert_eq!(run.expected_list(), Some(coset), "all that remains at the end");
        for mode in [CosetMode::Set, CosetMode::Bitmap] {
            let options = CosetOptions { mode, list_from: Some(20), search_depth: 4, ..CosetOptions::default() };
            let request = CosetRequest { options, ..CosetRequest::default() };
            assert_eq!(request.expected_list(1), Some(coset), "the search is all there is of a {} mode", mode.name());
        }
        let options = CosetOptions { list_from: Some(u8::MAX), depth: u8::MAX, ..CosetOptions::default() };
        assert!(options.clone().checked().is_err());
        assert_eq!(CosetRequest { options, ..CosetRequest::default() }.expected_list(1), Some(0.0));
    }

    fn fuzz(inputs: u64) {
        let count = Cover::get().count();
        let last = format!("{}..{count}", count - 1);
        let right = ["0..100", last.as_str(), "0..1"];
        twistbase_testing::fuzz::fuzz_text("ranges of the cover", inputs, &right, 1 << 12, |text| {
            if let Ok(CoverRange(range)) = text.parse() {
                assert!(range.start < range.end && range.end <= count);
            }
        });
    }

    #[test]
    fn any_text_is_a_range_or_refused() {
        fuzz(5000);
    }

    #[test]
    #[ignore = "long suite: millions of ranges"]
    fn millions_of_texts_are_ranges_or_refused() {
        fuzz(twistbase_testing::fuzz::many(2_000_000));
    }
}
