//! Choosing and combining tables: which of them answer a question.

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::puzzle_info::CUBE3;
use crate::{Database, TableId};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Remedy, Result};
use twistbase_puzzle::cube3::Metric;
use twistbase_query::cube3::{Cosets, PhaseTwo};
use twistbase_store::Entries;
use twistbase_tables::{self as tables, Definition, Kind, NxTable, TableMetric};

/// Which tables answer questions about positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableChoice {
    /// The existing tables of a metric; of equivalent ones the first complete one.
    Built(Metric),
    /// One table.
    Only(TableId),
}

/// The tables that answer, one for each question at most.
#[derive(Debug)]
pub struct CubeTables {
    /// How moves are counted.
    pub metric: Metric,
    /// Moves to reach H.
    pub to_h: Option<Cosets<CachedTable>>,
    /// Moves to reach positions where only corners and U and D edges are permuted.
    pub huge: Option<Cosets<CachedTable>>,
    /// Distances in H', which ignores the middle edges.
    pub bound: Option<PhaseTwo<CachedTable>>,
    /// Distances in H.
    pub exact: Option<Arc<PhaseTwo<CachedTable>>>,
    /// The pruning table, if the question names one.
    pub pruning: Option<(&'static NxTable, CachedTable)>,
}

impl TableChoice {
    /// How moves are counted.
    pub(super) fn metric(self) -> Result<Metric> {
        match self {
            Self::Built(metric) => Ok(metric),
            Self::Only(table) => match table.definition().metric() {
                TableMetric::FaceTurns(metric) if table.definition().puzzle() == CUBE3 => Ok(metric),
                TableMetric::FaceTurns(_) | TableMetric::Twists | TableMetric::Moves => {
                    Err(Error::Usage(format!("table {table} is not about {CUBE3}")))
                }
            },
        }
    }

    /// The tables to open, in order of preference.
    pub(super) fn candidates(self) -> Vec<TableId> {
        match self {
            Self::Built(metric) => TableId::all().filter(|&table| is_common(table, metric)).collect(),
            Self::Only(table) => vec![table],
        }
    }
}

/// Whether a table answers without being named. Pruning tables do not: they only hold bounds.
fn is_common(table: TableId, metric: Metric) -> bool {
    let is_of_metric = table.definition().metric() == TableMetric::FaceTurns(metric);
    match table.definition().kind() {
        Kind::PhaseOne(_) | Kind::Huge(_) | Kind::PhaseTwo(_) => is_of_metric,
        Kind::Pruning(_) | Kind::Twists(_) | Kind::Endings(_) | Kind::Defined(_) => false,
    }
}

impl CubeTables {
    /// Builds missing tables, if enabled: the named table, or, if no table exists, those that answer most.
    pub(super) fn build_missing(
        database: &Database,
        choice: TableChoice,
        candidates: &[TableId],
        ctx: &Context,
    ) -> Result<()> {
        match choice {
            TableChoice::Built(metric) => {
                if candidates.iter().any(|&table| database.has_table(table)) {
                    return Ok(());
                }
                database.build_missing(&[phase_one(metric), phase_two(metric, false), phase_two(metric, true)], ctx)
            }
            TableChoice::Only(_) => database.build_missing(candidates, ctx),
        }
    }

    /// No table.
    ///
    /// # Errors
    /// [`Error::Usage`] for a table of another puzzle.
    pub(super) fn none(choice: TableChoice) -> Result<Self> {
        let metric = choice.metric()?;
        Ok(Self { metric, to_h: None, huge: None, bound: None, exact: None, pruning: None })
    }

    /// Opens the tables of a choice.
    ///
    /// # Errors
    /// [`Error::Data`] if no table exists, or one is unusable; [`Error::Usage`] for a table of another puzzle.
    pub(super) fn open(database: &Database, choice: TableChoice) -> Result<Self> {
        let mut found = Self::none(choice)?;
        for table in choice.candidates() {
            if found.like(table).is_some_and(|entries| entries.depth().is_none()) {
                continue;
            }
            let layout = table.definition().layout();
            match CachedTable::open_to_depth(database.store(), layout, database.cache_mode()) {
                Err(error) if matches!(choice, TableChoice::Built(_)) && error.is_not_built() => {}
                opened => {
                    let entries = opened?;
                    if found.is_news(table, &entries) {
                        found.put(table, entries);
                    }
                }
            }
        }
        if found.names().is_empty() { Err(nothing_built(database, found.metric)) } else { Ok(found) }
    }

    /// The names of the tables that answer.
    pub fn names(&self) -> ArrayVec<&'static str, 5> {
        let cosets = [&self.to_h, &self.huge].map(|table| Some(table.as_ref()?.definition().layout().name));
        let exact = self.exact.as_ref().map(|table| table.definition().layout().name);
        let bound = self.bound.as_ref().map(|table| table.definition().layout().name);
        let pruning = self.pruning.as_ref().map(|(table, _)| table.layout().name);
        cosets.into_iter().chain([exact, bound, pruning]).flatten().collect()
    }

    /// The open table of the same kind.
    fn like(&self, table: TableId) -> Option<&CachedTable> {
        match table.definition().kind() {
            Kind::PhaseOne(_) => self.to_h.as_ref().map(Cosets::entries),
            Kind::Huge(_) => self.huge.as_ref().map(Cosets::entries),
            Kind::PhaseTwo(table) if table.is_exact() => self.exact.as_ref().map(|found| found.entries()),
            Kind::PhaseTwo(_) => self.bound.as_ref().map(PhaseTwo::entries),
            Kind::Pruning(_) => self.pruning.as_ref().map(|(_, entries)| entries),
            Kind::Twists(_) | Kind::Endings(_) | Kind::Defined(_) => None,
        }
    }

    /// Whether a table says more than the open one of its kind.
    fn is_news(&self, table: TableId, entries: &CachedTable) -> bool {
        let known = self.like(table).map(|other| other.depth().unwrap_or(u8::MAX));
        known.is_none_or(|known| known < entries.depth().unwrap_or(u8::MAX))
    }

    fn put(&mut self, table: TableId, entries: CachedTable) {
        match table.definition().kind() {
            Kind::PhaseOne(table) => self.to_h = Some(Cosets::over(table, entries)),
            Kind::Huge(table) => self.huge = Some(Cosets::over(table, entries)),
            Kind::PhaseTwo(table) if table.is_exact() => self.exact = Some(Arc::new(PhaseTwo::over(table, entries))),
            Kind::PhaseTwo(table) => self.bound = Some(PhaseTwo::over(table, entries)),
            Kind::Pruning(table) => self.pruning = Some((table, entries)),
            Kind::Twists(_) | Kind::Endings(_) | Kind::Defined(_) => {}
        }
    }
}

/// `phase1` or `phase1-qtm`.
pub(super) fn phase_one(metric: Metric) -> TableId {
    TableId::from(tables::phase_one(metric) as &'static dyn Definition)
}

/// `phase2`, `phase2-exact` or one of their twins.
pub(super) fn phase_two(metric: Metric, exact: bool) -> TableId {
    TableId::from(tables::phase_two(metric, exact) as &'static dyn Definition)
}

/// The error for a store without any table of that metric.
fn nothing_built(database: &Database, metric: Metric) -> Error {
    let names: Vec<_> = TableChoice::Built(metric).candidates().into_iter().map(TableId::name).collect();
    let first = phase_one(metric).name();
    let detail = format!("none of the tables {} is there", names.join(", "));
    database.lacks(first, detail, Remedy::build(first))
}
