//! What stands where in the folder of a farm. `schema/farm.md` states it.

use std::path::{Path, PathBuf};

use twistbase_core::error::Result;
use twistbase_store::create_folder;

/// Shards whose files are in one folder: with the files of their work, few enough for any file system.
pub(super) const SHARDS_A_FOLDER: u32 = 1000;

/// The folder of a farm.
#[derive(Debug, Clone)]
pub(super) struct FarmFolder(PathBuf);

impl FarmFolder {
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The plan.
    pub fn plan(&self) -> PathBuf {
        self.0.join("plan.json")
    }

    /// The items, one per line, if they are a list.
    pub fn items(&self) -> PathBuf {
        self.0.join("items.txt")
    }

    /// Where the states of searches under way are.
    pub fn checkpoints(&self) -> PathBuf {
        self.0.join("checkpoints")
    }

    /// Scripts that were submitted, and what became of them.
    pub fn jobs(&self) -> PathBuf {
        self.0.join("jobs")
    }

    /// The options that tasks were submitted with last.
    pub fn slurm(&self) -> PathBuf {
        self.0.join("slurm.toml")
    }

    /// The files of a shard.
    pub fn shard(&self, shard: u32) -> ShardPaths {
        let folder = self.0.join("shards").join(format!("{:03}", shard / SHARDS_A_FOLDER));
        ShardPaths { stem: folder.join(format!("{shard:07}")), folder }
    }

    /// Makes the folders of all shards, so that no two tasks have to.
    pub fn create_shard_folders(&self, shards: u32) -> Result<()> {
        (0..shards).step_by(SHARDS_A_FOLDER as usize).try_for_each(|first| create_folder(&self.shard(first).folder))
    }
}

/// The files of a shard.
#[derive(Debug, Clone)]
pub(super) struct ShardPaths {
    folder: PathBuf,
    stem: PathBuf,
}

impl ShardPaths {
    /// The shard, when it is done.
    pub fn done(&self) -> PathBuf {
        self.stem.with_extension("zst")
    }

    /// Its finished items.
    pub fn journal(&self) -> PathBuf {
        self.stem.with_extension("journal")
    }

    /// Held by the task that works on it.
    pub fn lock(&self) -> PathBuf {
        self.stem.with_extension("lock")
    }

    /// Why the last task failed.
    pub fn failed(&self) -> PathBuf {
        self.stem.with_extension("failed")
    }

    /// A file that was not as it was written, put aside.
    pub fn damaged(&self) -> PathBuf {
        self.stem.with_extension("damaged")
    }
}
