//! Positions of the Rubik's cube: their tables, how they are read and written.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::error::{DataError, Error, Fault, Remedy, Result};
use twistbase::puzzle::cube3::notation::{facelets, parse_position, reid};
use twistbase::puzzle::cube3::{Cube, Metric};
use twistbase::query::cube3::{Cosets, PhaseTwo};
use twistbase::store::{Entries, Store, TableLayout};
use twistbase::tables::{
    self, COSET_TABLES, CosetTable, Definition, NX_TABLES, NxTable, PHASE_TWO_TABLES, PhaseTwoTable,
};

/// The name of the puzzle.
pub const NAME: &str = "cube3";

/// The table of cosets whose subgroup is not H.
const HUGE: &str = "huge";

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

/// A table of the cube.
#[derive(Clone, Copy)]
pub enum CubeTable {
    /// Distances to a subgroup.
    Cosets(&'static dyn CosetTable),
    /// Positions in H.
    PhaseTwo(&'static PhaseTwoTable),
    /// Bounds for distances to solved.
    Nx(&'static NxTable),
}

impl std::fmt::Debug for CubeTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.layout().name)
    }
}

impl CubeTable {
    /// The tables that answer when none is named.
    fn common() -> impl Iterator<Item = Self> + Clone {
        let cosets = COSET_TABLES.into_iter().map(Self::Cosets);
        cosets.chain(PHASE_TWO_TABLES.into_iter().map(Self::PhaseTwo))
    }

    /// Every table of the cube.
    fn all() -> impl Iterator<Item = Self> + Clone {
        Self::common().chain(NX_TABLES.into_iter().map(Self::Nx))
    }

    fn layout(self) -> &'static TableLayout {
        match self {
            Self::Cosets(table) => table.layout(),
            Self::PhaseTwo(table) => table.layout(),
            Self::Nx(table) => table.layout(),
        }
    }

    /// How its moves are counted.
    pub fn metric(self) -> Metric {
        match self {
            Self::Cosets(table) => table.move_metric(),
            Self::PhaseTwo(table) => table.move_metric(),
            Self::Nx(table) => table.move_metric(),
        }
    }
}

/// Parses the name of a table of the cube; shells can complete it.
pub fn cube_table() -> impl TypedValueParser<Value = CubeTable> {
    let names = CubeTable::all().map(|table| table.layout().name);
    PossibleValuesParser::new(names).map(|name| {
        let named = CubeTable::all().find(|table| table.layout().name == name);
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
    /// Those of [`CachedTable::open_to_depth`].
    pub fn only(table: CubeTable, store: &Store, cache: CacheMode) -> Result<Self> {
        let mut tables = Self::none(table.metric());
        tables.put(table, CachedTable::open_to_depth(store, table.layout(), cache)?);
        Ok(tables)
    }

    /// The table of exact distances in H.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`].
    pub fn exact(metric: Metric, store: &Store, cache: CacheMode) -> Result<Self> {
        Self::only(CubeTable::PhaseTwo(tables::phase_two(metric, true)), store, cache)
    }

    /// Those that have been built, of several that tell the same the first that is complete.
    ///
    /// # Errors
    /// [`Error::Data`] if none has been built, or one cannot be used.
    pub fn built(metric: Metric, store: &Store, cache: CacheMode) -> Result<Self> {
        let mut found = Self::none(metric);
        for table in CubeTable::common().filter(|table| table.metric() == metric) {
            if found.has_complete(table) {
                continue;
            }
            match CachedTable::open_to_depth(store, table.layout(), cache) {
                Err(Error::Data(error)) if matches!(error.fault, Fault::Missing | Fault::Unfinished) => {}
                opened => found.put(table, opened?),
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

    /// Whether there is a complete table that tells what this one does.
    fn has_complete(&self, table: CubeTable) -> bool {
        let is_complete = |entries: &CachedTable| entries.depth().is_none();
        match table {
            CubeTable::Cosets(table) => self.cosets(table).as_ref().is_some_and(|found| is_complete(found.entries())),
            CubeTable::PhaseTwo(table) => {
                let found = if table.is_exact() { &self.exact } else { &self.bound };
                found.as_ref().is_some_and(|found| is_complete(found.entries()))
            }
            CubeTable::Nx(_) => self.nx.is_some(),
        }
    }

    fn cosets(&self, table: &dyn CosetTable) -> &Option<Cosets<CachedTable>> {
        if table.layout().name == HUGE { &self.huge } else { &self.to_h }
    }

    fn put(&mut self, table: CubeTable, entries: CachedTable) {
        match table {
            CubeTable::Cosets(table) if table.layout().name == HUGE => self.huge = Some(Cosets::over(table, entries)),
            CubeTable::Cosets(table) => self.to_h = Some(Cosets::over(table, entries)),
            CubeTable::PhaseTwo(table) if table.is_exact() => self.exact = Some(PhaseTwo::over(table, entries)),
            CubeTable::PhaseTwo(table) => self.bound = Some(PhaseTwo::over(table, entries)),
            CubeTable::Nx(table) => self.nx = Some((table, entries)),
        }
    }
}

/// The error for a store without any table of that metric.
fn nothing_built(metric: Metric, store: &Store) -> Error {
    let tables = CubeTable::common().filter(|table| table.metric() == metric);
    let names: Vec<&str> = tables.map(|table| table.layout().name).collect();
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
