//! Results about cosets of H of the Rubik's cube: what is kept of each that has been solved, files of results from several
//! machines, and how results are checked. `schema/cosets.md` states the formats.
//!
//! The solver itself is [`solve::CosetSolver`](crate::solve::CosetSolver).

mod question;
mod record;
mod recount;
mod results;
mod shard;

pub use question::CosetQuestion;
pub use record::CosetRecord;
pub use recount::recount;
pub use results::{COSETS_NAME, CosetRecords, CosetResults, CosetWriter};
pub use shard::{CosetShard, SHARD_EXTENSION, shard_files};

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
