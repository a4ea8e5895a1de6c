//! Cosets of H of the Rubik's cube: solved one by one or in batches over ranges of the cover, what is kept of each, and how
//! results are checked. `schema/cosets.md` states the formats. Past one machine, cosets are the work of a [`farm`](crate::farm).
//!
//! The solver itself is [`solve::CosetSolver`](crate::solve::CosetSolver); a [`CosetDatabase`] keeps what it finds.

mod count;
mod cover;
mod cover_solver;
mod export;
mod filter;
mod merge;
mod position_list;
mod question;
mod record;
mod recorder;
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
    CoverCosetReport, CoverReport, CoverSearchReport, PUBLISHED_COVER, find_coset, read_cover, search_cover,
};
pub(crate) use cover_solver::CoverSolver;
pub use export::CosetFormat;
pub use filter::CosetFilter;
pub use merge::{MergeTotals, MergedShard};
pub use question::CosetQuestion;
pub use record::CosetRecord;
pub use recount::recount;
pub use report::CosetReport;
pub use request::{CosetRequest, CosetRun, CosetSolve, CoverRange};
pub use results::{COSETS_NAME, CosetRecords, CosetResults, CosetWriter};
pub use run::CosetRunTotals;
pub use solve::SolvedCoset;
pub use totals::{CosetLevelTotal, CosetTotals};

use crate::context::Context;
use crate::database::Database;
use crate::error::{DataError, Result};

impl Database {
    /// The results about cosets, and the solution of more.
    pub fn cosets(&self) -> CosetDatabase {
        CosetDatabase { results: CosetResults::open(self.folder()), database: self.clone() }
    }
}

/// A [`Database`] as far as it is about cosets.
#[derive(Debug, Clone)]
pub struct CosetDatabase {
    database: Database,
    results: CosetResults,
}

impl CosetDatabase {
    /// What is known.
    pub fn results(&self) -> &CosetResults {
        &self.results
    }

    /// Checks every result. Returns how many there are, and what is wrong with them.
    ///
    /// # Errors
    /// As [`CosetResults::verify`].
    pub fn verify(&self, ctx: &Context) -> Result<(u32, Vec<DataError>)> {
        self.results.verify(ctx)
    }
}
