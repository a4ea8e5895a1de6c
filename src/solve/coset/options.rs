//! How a coset is solved.

use std::path::PathBuf;
use std::time::Duration;

use twistbase_core::error::{Error, Result};
use twistbase_levelset::Kernel;
use twistbase_puzzle::cube3::coordinate::CosetOfH;

/// The last level that is searched when all that is wanted is a bound of 20.
const BOUND_SEARCH_DEPTH: u8 = 16;
/// With this number of positions, and a third of those there were, four prepasses can be expected to reach all others (Rokicki).
const ENOUGH_TO_FINISH: u64 = 167_000_000;

/// How positions are stored and found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CosetMode {
    /// A set of positions, filled by a plain search of all sequences into H: slow, and simple enough to be checked by
    /// reading. Memory grows with the positions.
    Set,
    /// The bitmap, filled by the same search. No prepass.
    Bitmap,
    /// The bitmap, with prepass and a search on all threads that leaves out what the prepass does.
    Fast,
}

impl CosetMode {
    /// Its name, for options and listings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Bitmap => "bitmap",
            Self::Fast => "fast",
        }
    }
}

/// Where the state is written between levels, and from where an interrupted search goes on: a file for each coset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CosetCheckpoint {
    /// The folder of the files.
    pub folder: PathBuf,
    /// Levels that end sooner than this after the last checkpoint, or after the start, write none.
    pub every: Duration,
}

impl CosetCheckpoint {
    /// The file of a coset. It is replaced atomically.
    pub fn file(&self, coset: CosetOfH) -> PathBuf {
        self.folder.join(format!("coset-{coset}.checkpoint"))
    }

    /// Removes the file of a coset, if it is there. The solver leaves it: it is of use until the result has been stored.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(&self, coset: CosetOfH) -> Result<()> {
        let file = self.file(coset);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &file, error)),
            _ => Ok(()),
        }
    }
}

/// How a coset is solved.
#[derive(Debug, Clone)]
pub struct CosetOptions {
    /// How positions are stored and found.
    pub mode: CosetMode,
    /// Levels up to this one are searched. Later ones up to `depth` are made by prepass alone, as upper bounds.
    pub search_depth: u8,
    /// The last level. At least `search_depth`.
    pub depth: u8,
    /// Whether there is a prepass before levels that are searched (from a few million positions on, when it is quicker than
    /// the search). Later levels cannot do without. Concerns [`CosetMode::Fast`] only.
    pub prepass: bool,
    /// The search of the last searched level ends as soon as there are more positions than this; the level is then no longer
    /// exact.
    pub stop_at: Option<u64>,
    /// Whether levels after `search_depth` are counted. The last one always is.
    pub count_after_search: bool,
    /// Whether all that is wanted is that 20 moves suffice: searches to 16, of which the last level ends early when a prepass
    /// to 20 can be expected to finish, and ends at 20. Replaces `search_depth`, `depth` and `stop_at`, and counts no level
    /// after the search but the last.
    pub bound_20: bool,
    /// Positions that no level before this one reached are listed, once: as soon as the level before is done, or at the end
    /// if that comes first.
    pub list_from: Option<u8>,
    /// The inner step of the prepass.
    pub kernel: Kernel,
    /// Bytes of memory to stay within, besides the table of phase 1.
    pub memory: u64,
    /// Where the state is stored between levels, if anywhere.
    pub checkpoint: Option<CosetCheckpoint>,
}

impl Default for CosetOptions {
    /// The fast mode, to the end, with all memory that it wants.
    fn default() -> Self {
        Self {
            mode: CosetMode::Fast,
            search_depth: Self::DEEPEST,
            depth: Self::DEEPEST,
            prepass: true,
            stop_at: None,
            count_after_search: true,
            bound_20: false,
            list_from: None,
            kernel: Kernel::detect(),
            memory: u64::MAX,
            checkpoint: None,
        }
    }
}

impl CosetOptions {
    /// No position is farther than this from solved, so no level is later.
    pub const DEEPEST: u8 = 20;

    /// What they come to; nothing follows the search but in the fast mode.
    ///
    /// # Errors
    /// [`Error::Usage`] when they contradict each other.
    #[doc(hidden)]
    pub fn checked(mut self) -> Result<Self> {
        if self.bound_20 {
            (self.search_depth, self.depth) = (BOUND_SEARCH_DEPTH, Self::DEEPEST);
            (self.stop_at, self.count_after_search) = (None, false);
        }
        let slow = self.mode != CosetMode::Fast;
        if slow && self.bound_20 {
            return Err(Error::Usage(format!("a bound of 20 needs the fast mode, not {}", self.mode.name())));
        }
        if self.search_depth.max(self.depth) > Self::DEEPEST {
            let (search, depth, deepest) = (self.search_depth, self.depth, Self::DEEPEST);
            let message = format!("depths end at {deepest} moves; got a search to {search} and levels to {depth}");
            return Err(Error::Usage(message));
        }
        if self.search_depth > self.depth {
            let (search, depth) = (self.search_depth, self.depth);
            return Err(Error::Usage(format!("the search depth {search} exceeds the last depth {depth}")));
        }
        if self.mode == CosetMode::Set && self.checkpoint.is_some() {
            return Err(Error::Usage("the mode set has no checkpoint".to_owned()));
        }
        self.depth = self.last_level();
        Ok(self)
    }

    /// Removes the checkpoint of a coset, if checkpoints are made and there is one.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget_checkpoint(&self, coset: CosetOfH) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.remove(coset))
    }

    /// The last level that is worked out.
    #[doc(hidden)]
    pub fn last_level(&self) -> u8 {
        match self.mode {
            _ if self.bound_20 => Self::DEEPEST,
            CosetMode::Fast => self.depth,
            CosetMode::Set | CosetMode::Bitmap => self.search_depth,
        }
    }

    /// All that decides what comes out, as bytes of a kind.
    pub(super) fn identity(&self) -> Vec<u8> {
        let Self { mode, search_depth, depth, prepass, stop_at, count_after_search, bound_20, list_from, .. } = self;
        let list_from = list_from.map_or(u8::MAX, |level| level);
        let flags = [*prepass, *count_after_search, *bound_20, stop_at.is_some()].map(u8::from);
        let bytes = [*mode as u8, *search_depth, *depth, list_from].into_iter().chain(flags);
        bytes.chain(stop_at.unwrap_or(0).to_le_bytes()).collect()
    }

    /// With how many positions the search of a level ends, when there are `total` before it.
    pub(super) fn most_positions(&self, depth: u8, total: u64) -> u64 {
        let last = depth == self.search_depth;
        match self.stop_at.filter(|_| last) {
            _ if last && self.bound_20 => ENOUGH_TO_FINISH + total / 3,
            Some(most) => most,
            None => u64::MAX,
        }
    }
}
