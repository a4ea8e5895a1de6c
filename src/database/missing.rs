//! Building what a question needs, where that takes little.

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

/// How often it is looked whether another process has built a table.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes that a table of a family, of which one is chosen by its size, has at most to be built without being asked for.
const SMALL: u64 = 1_000_000_000;
/// The most that a [quick table](Database::quick_tables) takes to build: bytes of memory, and seconds, estimated.
const QUICK: (u64, f64) = (1_000_000_000, 30.0);

impl Database {
    /// Whether questions build the tables that they need and that are missing, if that takes less than about half a minute and
    /// a gigabyte of disk. Otherwise, and for all other tables, a question fails and names what to build.
    #[must_use]
    pub fn building_missing(mut self, builds: bool) -> Self {
        self.builds_missing = builds;
        self
    }

    /// The tables that a server builds before anybody asks. They hold the distances that answer the first question about a puzzle, in
    /// its first metric, and take less than a gigabyte of memory and half a minute to build. Smaller ones come first, tables of
    /// about the same size in the order of listings.
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

    /// Builds those of some tables that are missing, if they are small and that is wanted. One that another process builds at the
    /// moment is waited for.
    ///
    /// # Errors
    /// Those of [`Database::build`]; [`Error::Io`] where a table may not fit on the disk.
    pub fn build_missing(&self, tables: &[TableId], ctx: &Context) -> Result<()> {
        if !self.builds_missing {
            return Ok(());
        }
        let is_there = |table: &TableId| self.has_table(*table);
        if tables.iter().all(is_there) {
            return Ok(());
        }
        // Two threads that ask an empty store: the second waits, and finds what the first has built.
        let _building = locked_heard(&self.building, ctx)?;
        tables.iter().try_for_each(|&table| self.build_if_missing(table, ctx))
    }

    /// The error of those of some tables that are not there, or not to their end: all of them, so that one command builds what
    /// is needed.
    ///
    /// # Errors
    /// [`Error::Data`] if any is missing; those of reading what there is of them.
    pub(crate) fn all_there(&self, tables: &[TableId]) -> Result<()> {
        let mut missing = Vec::new();
        for &table in tables {
            let status = self.store().status(table.definition().layout())?;
            let is_missing = matches!(status.state, TableState::Missing | TableState::Unfinished(_));
            // The error of opening a table that is being built names its builder.
            if is_missing && status.builder.is_none() {
                missing.push(table.name());
            }
        }
        // The error of opening a single table says more.
        if missing.len() < 2 {
            return Ok(());
        }
        let detail = format!("this needs {}, which are missing", missing.join(" and "));
        Err(self.lacks(missing[0], detail, Remedy::build(missing.join(" "))))
    }

    /// The error of a table that is not there.
    pub(crate) fn lacks(&self, table: &str, detail: String, remedy: Remedy) -> Error {
        let (table, file) = (table.to_owned(), Some(self.folder().to_owned()));
        DataError { fault: Fault::Missing, table, file, row: None, page: None, detail, remedy }.into()
    }

    /// Of equivalent tables, the one to use: the first that exists, or else the first of all.
    pub(crate) fn first_there(&self, tables: &[TableId]) -> Option<TableId> {
        tables.iter().find(|&&table| self.has_table(table)).or(tables.first()).copied()
    }

    /// Whether there is the file of a table, complete or built to a depth, whatever can be said of it.
    #[doc(hidden)]
    pub fn has_table(&self, table: TableId) -> bool {
        self.store().file_of(table.definition().layout()).exists()
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

/// Whether a table answers the first question about a puzzle: it holds distances, not remainders or bounds that only searches use,
/// in the metric that is meant where none is named.
fn answers_first(table: TableId) -> bool {
    let definition = table.definition();
    let is_first_metric = PuzzleInfo::of(definition.puzzle()).metrics.first() == Some(&definition.metric().name());
    definition.is_in_all() && definition.layout().packing == Packing::Nibbles && is_first_metric
}

/// Whether a table can be built on the side.
fn takes_little(table: TableId) -> bool {
    let (most_memory, most_seconds) = QUICK;
    table.definition().working_set() <= most_memory && estimated_seconds(table, BuildFit::Memory) <= most_seconds
}

/// Whether building a table takes little: all that are built together do, if there is the memory to build them in.
fn is_quick(table: TableId) -> bool {
    let (definition, layout) = (table.definition(), table.definition().layout());
    let bytes = layout.bytes();
    (definition.is_in_all() || bytes <= SMALL) && definition.working_set() <= available_memory()
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
