//! Farms: work that is more than one machine does, in shards that any batch system can hand out.
//!
//! A [`Farm`] is a folder with a plan. Tasks take shards of it, on any number of machines, and leave a file for each finished shard.
//! They share only the folder. `schema/farm.md` states its content, and the duties of a batch system.

mod claim;
mod engine;
mod folder;
mod journal;
mod merge;
mod plan;
mod record;
mod shard_file;
mod simulate;
mod slurm;
mod split;
mod stage;
mod status;
mod summary;
mod task;
#[cfg(test)]
mod tests;
mod work;

pub use merge::{FarmMerge, FarmMergeReport, RefusedShard};
pub use plan::{FarmPlan, PlanReport, PlanRequest, PlannedTable};
pub use record::{FarmFinding, FarmRecord};
pub use simulate::{FarmModel, Simulated};
pub use slurm::{SlurmOptions, SubmitReport, SubmittedArray};
pub use split::{MOST_SHARDS, ShardSize};
pub use status::{FailedShard, FarmStatus, ShardState};
pub use summary::{AnswerSummary, CosetSummary, FarmSummary, RowSummary};
pub use task::{ShardOutcome, ShardReport, TaskRequest};
pub use work::{CosetWork, FarmWork, SolveWork, VerifyWork};

use std::path::{Path, PathBuf};

use folder::FarmFolder;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};

/// What a farm is called, where tables are named.
pub const FARM_NAME: &str = "farm";

/// A folder with a plan, and what has been done of it.
#[derive(Debug, Clone)]
pub struct Farm {
    folder: FarmFolder,
    plan: FarmPlan,
}

impl Farm {
    /// Opens a farm, whose plan is checked.
    ///
    /// # Errors
    /// [`Error::Data`]: missing if there is no plan, foreign or stale if it is of another version, damaged if it is not as it
    /// was written; [`Error::Io`].
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self> {
        let folder = FarmFolder::new(folder.into());
        let plan = FarmPlan::read(&folder)?;
        Ok(Self { folder, plan })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The work.
    pub fn plan(&self) -> &FarmPlan {
        &self.plan
    }

    /// The number of its shards.
    pub fn shards(&self) -> u32 {
        self.plan.shards()
    }

    /// An error about a file of the farm.
    fn fault(&self, fault: Fault, file: PathBuf, detail: impl Into<String>) -> Error {
        let remedy = match fault {
            Fault::Stale | Fault::Foreign => Remedy::PlanFarm,
            _ => Remedy::WorkFarm { folder: self.path().into() },
        };
        fault_of(fault, file, detail, remedy)
    }
}

/// An error about the folder of a farm.
/// What needs tables in a folder: other processes read them.
const FARM: &str = "a farm";

fn fault_of(fault: Fault, file: PathBuf, detail: impl Into<String>, remedy: Remedy) -> Error {
    DataError { file: Some(file), ..DataError::new(fault, FARM_NAME, detail, remedy) }.into()
}
