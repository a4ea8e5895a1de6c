//! Positions of the Rubik's cube: their tables, how they are read and written.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::error::{DataError, Error, Fault, Remedy, Result};
use twistbase::puzzle::cube3::notation::{facelets, parse_position, reid};
use twistbase::puzzle::cube3::{Cube, Metric};
use twistbase::query::cube3::{Cosets, PhaseTwo};
use twistbase::store::{Entries, Store};
use twistbase::tables::{self, Definition, Kind, NxTable, TableMetric};

/// The name of the puzzle.
pub const NAME: &str = "cube3";

/// Help on what a position may look like.
pub(super) const POSITIONS: &str = "\
A position of cube3 is one of:
  'R U2 F'\\'' M x'           a WCA sequence from solved, as scrambles are written
  UUUUUUUUURRRRRRRRRFFF...   54 facelets, faces in the order U R F D L B
  'UF UR UB UL DF ...'       cubies in the order of Singmaster and Reid
wca:, facelets: or reid: before a text names its notation; wca: is solved.";

/// How moves of the cube are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricArg {
    /// Half-turn metric: every turn of a face is one move
    Htm,
    /// Quarter-turn metric: a half turn is two moves
    Qtm,
}

impl MetricArg {
    /// As the library calls it; the half-turn metric where none is given.
    pub fn metric(arg: Option<Self>) -> Metric {
        match arg {
            None | Some(Self::Htm) => Metric::Htm,
            Some(Self::Qtm) => Metric::Qtm,
        }
    }
}

/// Reads a position in any notation.
pub fn read(input: &str) -> Result<Cube> {
    Ok(parse_position(input)?.position)
}

/// A position in the notations for positions.
#[derive(Debug, Serialize)]
pub struct Written {
    /// The 54 facelets.
    pub facelets: String,
    /// The cubies in Reid's order.
    pub reid: String,
}

impl Written {
    /// Writes a position.
    pub fn new(position: &Cube) -> Self {
        Self { facelets: facelets::print(position), reid: reid::print(position) }
    }
}

/// The tables of the cube that answer when none is named.
fn common() -> impl Iterator<Item = Kind> + Clone {
    let subgroups = tables::subgroup_tables().map(|table| table.kind());
    subgroups.chain(tables::phase_two_tables().map(|table| table.kind()))
}

/// Of these, those of a metric.
fn common_of(metric: Metric) -> impl Iterator<Item = Kind> {
    common().filter(move |table| table.definition().metric() == TableMetric::FaceTurns(metric))
}

/// Parses the name of a table of the cube; shells can complete it.
pub fn cube_table() -> impl TypedValueParser<Value = Kind> {
    let all = || common().chain(tables::pruning_tables().map(|table| table.kind()));
    PossibleValuesParser::new(all().map(Kind::name)).map(move |name| {
        let named = all().find(|table| table.name() == name);
        named.expect("only names of tables are possible")
    })
}

/// The tables that answer, one for each question at most.
pub struct Tables {
    /// How moves are counted.
    pub metric: Metric,
    /// Moves to reach H.
    pub to_h: Option<Cosets<CachedTable>>,
    /// Moves to reach the positions that only lack the permutation of corners and U and D edges.
    pub huge: Option<Cosets<CachedTable>>,
    /// Distances in H', which ignores the middle edges.
    pub bound: Option<PhaseTwo<CachedTable>>,
    /// Distances in H.
    pub exact: Option<PhaseTwo<CachedTable>>,
    /// A pruning table, if it was named.
    pub nx: Option<(&'static NxTable, CachedTable)>,
}

impl Tables {
    const fn none(metric: Metric) -> Self {
        Self { metric, to_h: None, huge: None, bound: None, exact: None, nx: None }
    }

    /// One table.
    ///
    /// # Errors
    /// [`Error::Usage`] for a table of another puzzle; those of [`CachedTable::open_to_depth`].
    pub fn only(table: Kind, store: &Store, cache: CacheMode) -> Result<Self> {
        let TableMetric::FaceTurns(metric) = table.definition().metric() else { return Err(not_of_cube(table)) };
        let mut tables = Self::none(metric);
        tables.put(table, CachedTable::open_to_depth(store, table.definition().layout(), cache)?)?;
        Ok(tables)
    }

    /// The table of exact distances in H.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`].
    pub fn exact(metric: Metric, store: &Store, cache: CacheMode) -> Result<Self> {
        Self::only(Kind::PhaseTwo(tables::phase_two(metric, true)), store, cache)
    }

    /// Those that have been built, of several that tell the same the first that is complete.
    ///
    /// # Errors
    /// [`Error::Data`] if none has been built, or one cannot be used.
    pub fn built(metric: Metric, store: &Store, cache: CacheMode) -> Result<Self> {
        let mut found = Self::none(metric);
        for table in common_of(metric) {
            if found.has_complete(table) {
                continue;
            }
            match CachedTable::open_to_depth(store, table.definition().layout(), cache) {
                Err(Error::Data(error)) if matches!(error.fault, Fault::Missing | Fault::Unfinished) => {}
                opened => found.put(table, opened?)?,
            }
        }
        if found.names().is_empty() { Err(nothing_built(metric, store)) } else { Ok(found) }
    }

    /// The names of the tables that answer.
    pub fn names(&self) -> Vec<&'static str> {
        let cosets = [&self.to_h, &self.huge].map(|table| table.as_ref().map(|table| table.definition().layout().name));
        let in_h = [&self.exact, &self.bound].map(|table| table.as_ref().map(|table| table.definition().layout().name));
        let nx = self.nx.as_ref().map(|(table, _)| table.layout().name);
        cosets.into_iter().chain(in_h).chain([nx]).flatten().collect()
    }

    /// Whether there is a complete table that answers the same question.
    fn has_complete(&self, table: Kind) -> bool {
        let entries = match table {
            Kind::PhaseOne(_) => self.to_h.as_ref().map(Cosets::entries),
            Kind::Huge(_) => self.huge.as_ref().map(Cosets::entries),
            Kind::PhaseTwo(table) if table.is_exact() => self.exact.as_ref().map(PhaseTwo::entries),
            Kind::PhaseTwo(_) => self.bound.as_ref().map(PhaseTwo::entries),
            Kind::Pruning(_) => self.nx.as_ref().map(|(_, entries)| entries),
            Kind::Twists(_) => None,
        };
        entries.is_some_and(|entries| entries.depth().is_none())
    }

    /// # Errors
    /// [`Error::Usage`] for a table of another puzzle.
    fn put(&mut self, table: Kind, entries: CachedTable) -> Result<()> {
        match table {
            Kind::PhaseOne(table) => self.to_h = Some(Cosets::over(table, entries)),
            Kind::Huge(table) => self.huge = Some(Cosets::over(table, entries)),
            Kind::PhaseTwo(table) if table.is_exact() => self.exact = Some(PhaseTwo::over(table, entries)),
            Kind::PhaseTwo(table) => self.bound = Some(PhaseTwo::over(table, entries)),
            Kind::Pruning(table) => self.nx = Some((table, entries)),
            Kind::Twists(_) => return Err(not_of_cube(table)),
        }
        Ok(())
    }
}

fn not_of_cube(table: Kind) -> Error {
    Error::Usage(format!("{} is no table of the puzzle {NAME}", table.name()))
}

/// The error for a store without any table of that metric.
fn nothing_built(metric: Metric, store: &Store) -> Error {
    let names: Vec<&str> = common_of(metric).map(Kind::name).collect();
    let first = tables::phase_one(metric).layout().name;
    DataError {
        fault: Fault::Missing,
        table: first.to_owned(),
        file: None,
        row: None,
        page: None,
        detail: format!("{} has none of the tables {}", store.dir().display(), names.join(", ")),
        remedy: Remedy::build(first),
    }
    .into()
}
