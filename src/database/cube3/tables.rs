//! The tables of the Rubik's cube, opened on first use and reused.

use std::sync::Arc;

use super::choice::{CubeTables, TableChoice, phase_one, phase_two};
use super::goal::OpenedGoals;
use crate::opened::OpenedTables;
use crate::puzzle_info::CUBE3;
use crate::{Database, TableId, available_memory};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Remedy, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_query::cube3::PhaseTwo;
use twistbase_solve::{Optimal, TableBytes, TablePlace, TwoPhase, first_complete};
use twistbase_tables::{self as tables, Definition, PhaseTwoTable};

/// The optimal solver over a table.
pub(super) type SharedOptimal = Arc<Optimal<TableBytes>>;
/// The two-phase solver over its tables.
pub(super) type SharedTwoPhase = Arc<TwoPhase<TableBytes, CachedTable>>;

/// The Rubik's cube.
#[derive(Debug)]
pub struct Cube3 {
    database: Database,
    queried: OpenedTables<TableChoice, CubeTables>,
    two_phase: OpenedTables<Metric, TwoPhase<TableBytes, CachedTable>>,
    phase_two: OpenedTables<Metric, PhaseTwo<CachedTable>>,
    optimal: OpenedTables<(TableId, bool), Optimal<TableBytes>>,
    goals: OpenedGoals,
}

impl Database {
    /// The Rubik's cube.
    ///
    /// ```no_run
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; pub use twistbase_puzzle::{self as puzzle, cube3::Metric}; }
    /// use twistbase::database::TableChoice;
    /// use twistbase::puzzle::cube3::Metric;
    /// use twistbase::{Context, Database, Puzzle, SolveMethod, SolveRequest};
    ///
    /// let cube = Database::open("/var/lib/twistbase")?.building_missing(true).cube3();
    /// let request = SolveRequest { method: Some(SolveMethod::Optimal), ..SolveRequest::default() };
    /// let solved = cube.solve("R U2 F L' D", &request, &Context::silent(), &mut |event| println!("{event:?}"))?;
    /// println!("{}", serde_json::to_string(&solved.outcome).unwrap());
    /// // Typed, for questions without text:
    /// let tables = cube.open_tables(TableChoice::Built(Metric::Htm), &Context::silent())?;
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    pub fn cube3(&self) -> Cube3 {
        Cube3 {
            database: self.clone(),
            queried: OpenedTables::default(),
            two_phase: OpenedTables::default(),
            phase_two: OpenedTables::default(),
            optimal: OpenedTables::default(),
            goals: OpenedGoals::new(self, CUBE3),
        }
    }
}

impl Cube3 {
    /// Its goals.
    pub(super) fn goals(&self) -> &OpenedGoals {
        &self.goals
    }

    /// The tables that answer questions about positions.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) if no table exists, or one is unusable; those of a build, if the database
    /// [builds missing tables](Database::building_missing).
    pub fn open_tables(&self, choice: TableChoice, ctx: &Context) -> Result<Arc<CubeTables>> {
        let candidates = choice.candidates();
        CubeTables::build_missing(&self.database, choice, &candidates, ctx)?;
        let editions = self.database.editions(&candidates);
        self.queried.get(editions, choice, ctx, || CubeTables::open(&self.database, choice))
    }

    /// The two-phase solver in a metric. It uses `phase1`, `phase2` (or a missing table's twin modulo 3), and `phase2-exact` if it exists; or
    /// `phase1-qtm`, `phase2-qtm` and `phase2-exact-qtm`.
    ///
    /// # Errors
    /// As [`Cube3::open_tables`].
    pub fn two_phase(&self, metric: Metric, ctx: &Context) -> Result<Arc<TwoPhase<TableBytes, CachedTable>>> {
        let database = &self.database;
        let (phase1, phase2) = (tables_to_h(metric), bounds_in_h(metric));
        let needed: Vec<_> = [&phase1, &phase2].into_iter().filter_map(|all| database.first_there(all)).collect();
        database.build_missing(&needed, ctx)?;
        let all = [&phase1[..], &phase2, &[phase_two(metric, true)]].concat();
        let open = || {
            database.all_there(&needed)?;
            TwoPhase::open(database.store(), metric, database.cache_mode(), ctx)
        };
        self.two_phase.get(database.editions(&all), metric, ctx, open)
    }

    /// The table of bounds in H, to solve positions in H: `phase2` (or, if missing, its twin modulo 3), or `phase2-qtm`.
    ///
    /// # Errors
    /// As [`Cube3::open_tables`].
    pub fn phase_two(&self, metric: Metric, ctx: &Context) -> Result<Arc<PhaseTwo<CachedTable>>> {
        let (database, all) = (&self.database, bounds_in_h(metric));
        database.build_missing(database.first_there(&all).as_slice(), ctx)?;
        self.phase_two.get(database.editions(&all), metric, ctx, || {
            let open =
                |table: &PhaseTwoTable| CachedTable::open(database.store(), table.layout(), database.cache_mode());
            let (table, entries) = first_complete(tables::bounds_in_h(metric), open)?;
            PhaseTwo::over(table, entries).remembering()
        })
    }

    /// The optimal solver over one table, or over the strongest existing one of a metric. With `mapped` it reads the table in a
    /// map of its cache file ([`TablePlace::Mapped`]); otherwise a copy in memory, if there is room.
    ///
    /// # Errors
    /// As [`Cube3::open_tables`]; [`Error::Usage`](twistbase_core::error::Error::Usage) for a table that cannot guide a search, has
    /// another metric, or cannot be mapped.
    pub fn optimal(
        &self,
        metric: Option<Metric>,
        table: Option<TableId>,
        mapped: bool,
        ctx: &Context,
    ) -> Result<Arc<Optimal<TableBytes>>> {
        match table {
            Some(table) => self.optimal_over(metric, table, mapped, ctx),
            None => self.strongest(metric.unwrap_or_default(), mapped, ctx),
        }
    }

    fn optimal_over(
        &self,
        metric: Option<Metric>,
        table: TableId,
        mapped: bool,
        ctx: &Context,
    ) -> Result<SharedOptimal> {
        let (database, heuristic) = (&self.database, tables::find_heuristic(table.name())?);
        table.check_metric(metric)?;
        database.build_missing(&[table], ctx)?;
        // Memory then holds the copy and the file's cached pages; the system can drop the pages.
        let place = if mapped { TablePlace::Mapped } else { TablePlace::Memory(available_memory() / 2) };
        let (store, mode) = (database.store(), database.cache_mode());
        let open = || Optimal::open(store, heuristic, place, mode, ctx);
        self.optimal.get(database.editions(&[table]), (table, mapped), ctx, open)
    }

    fn strongest(&self, metric: Metric, mapped: bool, ctx: &Context) -> Result<SharedOptimal> {
        let (database, smallest) = (&self.database, phase_one(metric));
        let candidates: Vec<TableId> = tables::heuristics(metric).map(|table| table.definition().into()).collect();
        let incomplete = match self.strongest_of(&candidates, mapped, ctx)? {
            Ok(optimal) => return Ok(optimal),
            Err(incomplete) => incomplete,
        };
        if !database.has_table(smallest) {
            database.build_missing(&[smallest], ctx)?;
            if database.has_table(smallest) {
                return self.optimal_over(Some(metric), smallest, mapped, ctx);
            }
        }
        Err(incomplete.unwrap_or_else(|| no_heuristic(database, smallest, &candidates)))
    }

    /// The optimal solver over the last complete one of some tables. If none is complete: the error of the first existing one.
    ///
    /// # Errors
    /// Those of an existing, unusable table.
    pub(super) fn strongest_of(
        &self,
        candidates: &[TableId],
        mapped: bool,
        ctx: &Context,
    ) -> Result<Result<SharedOptimal, Option<Error>>> {
        let mut incomplete = None;
        for &table in candidates.iter().rev().filter(|&&table| self.database.has_table(table)) {
            match self.optimal_over(None, table, mapped, ctx) {
                Err(error) if error.is_incomplete() => incomplete = Some(error),
                opened => return opened.map(Ok),
            }
        }
        Ok(Err(incomplete))
    }
}

/// The tables of distances to H, in order of preference.
pub(super) fn tables_to_h(metric: Metric) -> Vec<TableId> {
    tables::phase_one_tables(metric).map(|table| TableId::from(table as &'static dyn Definition)).collect()
}

/// The tables of bounds in H, in the same order.
fn bounds_in_h(metric: Metric) -> Vec<TableId> {
    tables::bounds_in_h(metric).map(|table| TableId::from(table as &'static dyn Definition)).collect()
}

/// The error for a store without any table to guide a search. It names all possible tables, that which is built in a moment, and the
/// strongest for which this machine has room.
fn no_heuristic(database: &Database, quick: TableId, candidates: &[TableId]) -> Error {
    let names: Vec<_> = candidates.iter().map(|table| table.name()).collect();
    let strongest = database.last_that_fits(candidates).filter(|best| *best != quick);
    let strongest = strongest.map_or_else(String::new, |best| {
        format!(", {best} is the strongest of them that this machine has memory and disk for now")
    });
    let detail = format!(
        "none of the tables that guide this search is there ({}); {quick} is built in a moment{strongest}",
        names.join(", ")
    );
    database.lacks(quick.name(), detail, Remedy::build(quick.name()))
}
