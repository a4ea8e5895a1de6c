//! Cosets of H of the Rubik's cube: solved one by one or in batches over ranges of the cover, the stored results, and how
//! results are checked. `schema/cosets.md` states the formats. Past one machine, `farm` shares the work.
//!
//! The solver itself is [`solve::CosetSolver`](twistbase_solve::CosetSolver); a [`CosetDatabase`] stores its results.

mod count;
mod cover;
mod cover_solver;
mod export;
mod filter;
mod merge;
mod position_list;
mod question;
mod record;
mod recount;
mod report;
mod request;
mod results;
mod run;
mod shard;
mod solve;
mod totals;

pub use count::{CubeCount, CubeLevel};
pub use cover::{
    CoverCosetReport, CoverReport, CoverSearchReport, PUBLISHED_COVER, find_coset, find_representative, read_cover,
    search_cover,
};
pub use cover_solver::CoverSolver;
pub use export::CosetFormat;
pub use filter::CosetFilter;
pub use merge::{MergeTotals, MergedShard};
pub use position_list::PositionList;
pub use question::CosetQuestion;
pub use record::CosetRecord;
pub use recount::recount;
pub use report::CosetReport;
pub use request::{CosetRequest, CosetRun, CosetSolve, CoverRange};
pub use results::{COSETS_NAME, CosetRecords, CosetResults, CosetWriter};
pub use run::CosetRunTotals;
pub use solve::{SolvedCoset, StoringCosetSolver};
pub use totals::{CosetLevelTotal, CosetTotals};

use std::fmt::Debug;
use std::sync::Arc;

use twistbase_cache::CacheMode;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_store::Store;
use twistbase_tables::{self as tables, Definition};

/// Builds missing tables, as the layer above does it.
pub trait TableBuilder: Debug + Send + Sync {
    /// Builds a table if it is missing and may be built.
    ///
    /// # Errors
    /// Those of the build.
    fn provide(&self, table: &'static dyn Definition, ctx: &Context) -> Result<()>;
}

/// Results about cosets, stored beside the tables of a store. Solves more of them.
#[derive(Debug, Clone)]
pub struct CosetDatabase {
    store: Store,
    cache: CacheMode,
    results: CosetResults,
    builder: Option<Arc<dyn TableBuilder>>,
}

impl CosetDatabase {
    /// The results in a store. Solving reads the table `phase1` there, through its cache as `cache` says.
    pub fn new(store: &Store, cache: CacheMode) -> Self {
        Self { store: store.clone(), cache, results: CosetResults::of(store), builder: None }
    }

    /// Lets `builder` build the table of phase 1 before it is opened.
    #[must_use]
    pub fn with_builder(self, builder: Arc<dyn TableBuilder>) -> Self {
        Self { builder: Some(builder), ..self }
    }

    /// Has the table of phase 1 built if it is missing and may be built.
    fn provide_phase1(&self, metric: Metric, ctx: &Context) -> Result<()> {
        self.builder.as_ref().map_or(Ok(()), |builder| builder.provide(tables::phase_one(metric), ctx))
    }

    /// The stored result.
    pub fn results(&self) -> &CosetResults {
        &self.results
    }

    /// Checks every result. Returns their number and their faults.
    ///
    /// # Errors
    /// As [`CosetResults::verify`].
    pub fn verify(&self, ctx: &Context) -> Result<(u32, Vec<DataError>)> {
        self.results.verify(ctx)
    }
}
