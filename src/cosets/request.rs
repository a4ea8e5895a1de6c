//! What is asked for when cosets are solved.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::puzzle::cube3::Cover;
use crate::puzzle::cube3::coordinate::CosetOfH;
use crate::solve::{CosetCheckpoint, CosetOptions};

/// How a coset, or each of a batch, is solved and kept.
#[derive(Debug, Clone, Default)]
pub struct CosetRequest {
    /// How it is solved. The folder of checkpoints is set by [`Self::checkpoint_every`] in place of this.
    pub options: CosetOptions,
    /// Whether to solve again what has been solved, and put the result in the place of what is known.
    pub force: bool,
    /// Whether to keep the state of the search in a file, to continue after an interruption, and the least time between
    /// two checkpoints. The file is beside the results.
    pub checkpoint_every: Option<Duration>,
}

impl CosetRequest {
    /// The options, with checkpoints in that folder if there are to be any.
    pub(super) fn options_in(&self, folder: &Path) -> CosetOptions {
        let checkpoint = |every| CosetCheckpoint { folder: folder.to_path_buf(), every };
        CosetOptions { checkpoint: self.checkpoint_every.map(checkpoint), ..self.options.clone() }
    }
}

/// Removes the checkpoint of a coset whose result is kept, if checkpoints are made.
pub(super) fn remove_checkpoint(checkpoint: Option<&CosetCheckpoint>, coset: CosetOfH) -> Result<()> {
    checkpoint.map_or(Ok(()), |checkpoint| checkpoint.remove(coset))
}

/// One coset to solve.
#[derive(Debug, Clone, Default)]
pub struct CosetSolve {
    /// How.
    pub request: CosetRequest,
    /// Whether to weight positions so that the cosets of the cover count the whole cube.
    pub weighted: bool,
    /// The file to write the positions to that [`CosetOptions::list_from`] lists, a line each in Reid's notation.
    pub list: Option<PathBuf>,
}

/// Cosets of the cover to solve one after the other, with the weights of the cover.
#[derive(Debug, Clone)]
pub struct CosetRun {
    /// Which.
    pub range: CoverRange,
    /// How each is solved.
    pub request: CosetRequest,
}

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
        Err(Error::Usage(format!("the cover has cosets 0..{count}; {start}..{end} is no part of it")))
    }
}

impl FromStr for CoverRange {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let range = text.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
        let range: Range<u32> = range.ok_or_else(|| Error::Usage(format!("{text:?} is no range; write 0..100")))?;
        range.try_into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fuzz(inputs: u64) {
        let right = ["0..100", "56303387..56303388", "0..1"];
        let count = Cover::get().count();
        crate::fuzz::fuzz_text("ranges of the cover", inputs, &right, 1 << 12, |text| {
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
        fuzz(crate::fuzz::many(2_000_000));
    }
}
