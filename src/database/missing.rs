//! Builds the tables that a question needs, if that is cheap.

use std::path::Path;
use std::thread;
use std::time::Duration;

use super::opened::locked_heard;
use super::puzzle_info::PuzzleInfo;
use super::tables::estimated_seconds;
use super::{BuildFit, Database, TableId, available_memory};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_cosets::TableBuilder;
use twistbase_store::{Packing, TableState};
use twistbase_tables::{BuildRequest, Definition};

/// Interval of checks whether another process has finished a table.
const PATIENCE: Duration = Duration::from_millis(50);
/// Maximum bytes of a pruning table (a family with a table of every size) that is built without a request.
const SMALL: u64 = 1_000_000_000;
/// Limits of a [quick table](Database::quick_tables): bytes of memory, and estimated seconds of the build.
const QUICK: (u64, f64) = (1_000_000_000, 30.0);

impl Database {
    /// Lets questions build missing tables, if a build takes less than about half a minute and a gigabyte of disk. For other tables,
    /// and without this option, a question fails and names the tables to build.
    #[must_use]
    pub fn building_missing(mut self, builds: bool) -> Self {
        self.builds_missing = builds;
        self
    }

    /// The tables that a server builds at its start. They hold distances in the puzzle's first metric, and take less than a gigabyte of
    /// memory and half a minute to build. Smaller tables come first; tables of about the same size are in the order of listings.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_database::*; }
    /// let names: Vec<_> = twistbase::Database::quick_tables().into_iter().map(|table| table.name()).collect();
    /// assert!(names.contains(&"cube2") && !names.contains(&"square1"));
    /// ```
    pub fn quick_tables() -> Vec<TableId> {
        let mut tables: Vec<_> = TableId::all().filter(|&table| answers_first(table) && takes_little(table)).collect();
        tables.sort_by_key(|table| table.definition().layout().entries().ilog10());
        tables
    }

    /// Builds the missing tables among some, if they are small and this is enabled. Waits for a table that another process is
    /// building.
    ///
    /// # Errors
    /// Those of [`Database::build`]; [`Error::Io`] if a table may not fit on the disk.
    pub fn build_missing(&self, tables: &[TableId], ctx: &Context) -> Result<()> {
        if !self.builds_missing {
            return Ok(());
        }
        let is_there = |table: &TableId| self.has_table(*table);
        if tables.iter().all(is_there) {
            return Ok(());
        }
        // With two threads and an empty store, the second waits and finds the table of the first.
        let _building = locked_heard(&self.building, ctx)?;
        tables.iter().try_for_each(|&table| self.build_if_missing(table, ctx))
    }

    /// Fails if any of some tables is missing or incomplete. The error names all of these, so that one command builds them.
    ///
    /// # Errors
    /// [`Error::Data`] if any is missing; those of inspecting the tables.
    pub(crate) fn all_there(&self, tables: &[TableId]) -> Result<()> {
        let mut missing = Vec::new();
        for &table in tables {
            let status = self.store().status(table.definition().layout())?;
            let is_missing = matches!(status.state, TableState::Missing | TableState::Unfinished(_));
            // Opening a table under construction gives an error that names the builder.
            if is_missing && status.builder.is_none() {
                missing.push(table.name());
            }
        }
        // For a single table, the error of opening it says more.
        if missing.len() < 2 {
            return Ok(());
        }
        let detail = format!("this needs {}, which are missing", missing.join(" and "));
        Err(self.lacks(missing[0], detail, Remedy::build(missing.join(" "))))
    }

    /// The error of a missing table.
    pub(crate) fn lacks(&self, table: &str, detail: String, remedy: Remedy) -> Error {
        let file = self.folder().map(Path::to_owned);
        DataError { file, ..DataError::new(Fault::Missing, table, detail, remedy) }.into()
    }

    /// Chooses among equivalent tables: the first that exists, else the first of all.
    pub(crate) fn first_there(&self, tables: &[TableId]) -> Option<TableId> {
        tables.iter().find(|&&table| self.has_table(table)).or(tables.first()).copied()
    }

    /// Whether the file of a table exists, complete or built to a depth. Does not check it.
    #[doc(hidden)]
    pub fn has_table(&self, table: TableId) -> bool {
        self.store().edition(table.definition().layout()).is_some()
    }

    fn build_if_missing(&self, table: TableId, ctx: &Context) -> Result<()> {
        let mut is_reported = false;
        loop {
            ctx.check()?;
            let status = self.store().status(table.definition().layout())?;
            let is_missing = matches!(status.state, TableState::Missing | TableState::Unfinished(_));
            if !is_missing || !is_quick(table) {
                return Ok(());
            }
            match status.builder {
                None => {
                    self.check_disk(table, status.building_bytes)?;
                    ctx.progress().note(&format!("Building {table} (needed to answer this) ..."));
                    match self.build(table, &BuildRequest::default(), ctx) {
                        // Another process was faster.
                        Err(Error::Busy { .. }) => {}
                        built => return built.map(drop),
                    }
                }
                Some(builder) if !is_reported => {
                    ctx.progress().note(&format!("waiting for {table}: {builder} builds it"));
                    is_reported = true;
                }
                Some(_) => {}
            }
            thread::sleep(PATIENCE);
        }
    }
}

impl TableBuilder for Database {
    fn provide(&self, table: &'static dyn Definition, ctx: &Context) -> Result<()> {
        self.build_missing(&[table.into()], ctx)
    }
}

/// Whether a table answers a puzzle's default questions: it holds distances, in the default metric. Remainders and bounds only serve
/// searches.
fn answers_first(table: TableId) -> bool {
    let definition = table.definition();
    let is_first_metric = PuzzleInfo::of(definition.puzzle()).metrics.first() == Some(&definition.metric().name());
    definition.facts().is_in_all && definition.layout().packing == Packing::Nibbles && is_first_metric
}

/// Whether a server may build this table at its start.
fn takes_little(table: TableId) -> bool {
    let (most_memory, most_seconds) = QUICK;
    table.definition().working_set() <= most_memory && estimated_seconds(table, BuildFit::Memory) <= most_seconds
}

/// Whether a question may build this table: one of a set, or one up to a size, if there is enough memory.
fn is_quick(table: TableId) -> bool {
    let (definition, layout) = (table.definition(), table.definition().layout());
    let bytes = layout.bytes();
    (definition.facts().is_in_all || bytes <= SMALL) && definition.working_set() <= available_memory()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_tables_are_those_that_answer_first_and_are_small() {
        let names: Vec<_> = Database::quick_tables().into_iter().map(TableId::name).collect();
        assert_eq!(names, ["square1-corners", "cube2", "phase1", "phase2", "cube21", "phase2-exact"]);
    }
}
