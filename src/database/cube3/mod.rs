//! The Rubik's cube behind the facade.

mod answer;
mod choice;
mod exact;
pub(crate) mod line_batch;
mod optimal;
mod results;
mod two_phase;

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

pub use answer::{Beyond, Cube3Answer, CubeDistances, FaceTurnReport, HSolution};
pub use choice::CubeTables;
pub use exact::ExactReport;
pub use optimal::{OptimalSolution, OptimalSummary};
pub use results::{OptimalQuestion, OptimalRecord};
pub use two_phase::{SearchEnd, TwoPhaseSolution};

use super::metric::QuestionMetric;
use super::opened::OpenedTables;
use super::position::PuzzlePosition;
use super::puzzle::{PositionReport, Prepared, Puzzle, Question, RandomRequest, Solutions, Solver};
use super::solving::{SolveMethod, SolveRequest};
use super::{Database, PuzzleArrays, TableId};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube3::notation::{facelets, parse_position, reid};
use twistbase_puzzle::cube3::{Cube, Metric, MoveSequence, random_cube, random_in_h, random_walk};
use twistbase_query::cube3::{PhaseTwo, position_in_h};
use twistbase_solve::{Optimal, TableBytes, TwoPhase, first_complete};
use twistbase_tables::{self as tables, Definition, PhaseTwoTable};

use answer::PreparedCube3;
use exact::ExactSearcher;
use optimal::OptimalSolver;
use two_phase::TwoPhaseSolver;

/// The name of the puzzle.
pub const CUBE3: &str = "cube3";
/// What it is called in errors.
const TITLE: &str = "the puzzle cube3";

/// The Rubik's cube.
#[derive(Debug)]
pub struct Cube3 {
    database: Database,
    queried: OpenedTables<TableChoice, CubeTables>,
    two_phase: OpenedTables<(), TwoPhase<TableBytes, CachedTable>>,
    phase_two: OpenedTables<Metric, PhaseTwo<CachedTable>>,
    optimal: OpenedTables<(TableId, bool), Optimal<TableBytes>>,
}

/// Which tables answer questions about positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableChoice {
    /// Those of a metric that have been built; of several that tell the same the first that is complete.
    Built(Metric),
    /// The table of exact distances in H.
    ExactInH(Metric),
    /// One table.
    Only(TableId),
}

/// Opens the puzzle.
pub(super) fn open(database: &Database, _: &str) -> Result<Box<dyn Puzzle>> {
    Ok(Box::new(database.cube3()))
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
        }
    }
}

impl Cube3 {
    /// The tables that answer questions about positions.
    ///
    /// # Errors
    /// [`Error::Data`](twistbase_core::error::Error::Data) when none has been built, or one cannot be used; those of building, where
    /// missing tables [are built](Database::building_missing).
    pub fn open_tables(&self, choice: TableChoice, ctx: &Context) -> Result<Arc<CubeTables>> {
        let candidates = choice.candidates();
        CubeTables::build_missing(&self.database, choice, &candidates, ctx)?;
        self.queried.get(&self.database, choice, &candidates, ctx, || CubeTables::open(&self.database, choice))
    }

    /// The two-phase solver: over `phase1` and `phase2`, or the twin modulo 3 of one that has not been built, and
    /// `phase2-exact` where it has been built.
    ///
    /// # Errors
    /// As [`Cube3::open_tables`].
    pub fn two_phase(&self, ctx: &Context) -> Result<Arc<TwoPhase<TableBytes, CachedTable>>> {
        let (database, metric) = (&self.database, Metric::Htm);
        let (phase1, phase2) = (tables_to_h(metric), bounds_in_h(metric));
        let needed: Vec<_> = [&phase1, &phase2].into_iter().filter_map(|all| database.first_there(all)).collect();
        database.build_missing(&needed, ctx)?;
        let all = [&phase1[..], &phase2, &[phase_two(metric, true)]].concat();
        let open = || {
            database.all_there(&needed)?;
            TwoPhase::open(database.store(), database.cache_mode(), ctx)
        };
        self.two_phase.get(database, (), &all, ctx, open)
    }

    /// The table of bounds in H, which solves positions in H: `phase2`, or its twin modulo 3 where it has not been built, or
    /// `phase2-qtm`.
    ///
    /// # Errors
    /// As [`Cube3::open_tables`].
    pub fn phase_two(&self, metric: Metric, ctx: &Context) -> Result<Arc<PhaseTwo<CachedTable>>> {
        let (database, all) = (&self.database, bounds_in_h(metric));
        database.build_missing(database.first_there(&all).as_slice(), ctx)?;
        self.phase_two.get(database, metric, &all, ctx, || {
            let open =
                |table: &PhaseTwoTable| CachedTable::open(database.store(), table.layout(), database.cache_mode());
            let (table, entries) = first_complete(tables::bounds_in_h(metric), open)?;
            PhaseTwo::over(table, entries).remembering()
        })
    }

    /// The optimal solver over one table, or over the strongest of a metric that has been built; `mapped`, it reads the table in the
    /// mapped cache, else a copy in memory, where there is room for it.
    ///
    /// # Errors
    /// As [`Cube3::open_tables`]; [`Error::Usage`](twistbase_core::error::Error::Usage) for a table that cannot guide a search, counts
    /// moves otherwise, or cannot be mapped.
    pub fn optimal(
        &self,
        metric: Option<Metric>,
        table: Option<TableId>,
        mapped: bool,
        ctx: &Context,
    ) -> Result<Arc<Optimal<TableBytes>>> {
        optimal::open(self, metric, table, mapped, ctx)
    }
}

/// The tables that tell how far positions are from H, in the order in which they are preferred.
fn tables_to_h(metric: Metric) -> Vec<TableId> {
    tables::phase_one_tables(metric).map(|table| TableId::from(table as &'static dyn Definition)).collect()
}

/// The tables of bounds in H, in the same order.
fn bounds_in_h(metric: Metric) -> Vec<TableId> {
    tables::bounds_in_h(metric).map(|table| TableId::from(table as &'static dyn Definition)).collect()
}

/// `phase1` or `phase1-qtm`.
fn phase_one(metric: Metric) -> TableId {
    TableId::from(tables::phase_one(metric) as &'static dyn Definition)
}

/// `phase2`, `phase2-exact` or one of their twins.
fn phase_two(metric: Metric, exact: bool) -> TableId {
    TableId::from(tables::phase_two(metric, exact) as &'static dyn Definition)
}

/// How a question counts moves, if it asks for nothing that the puzzle does not have.
fn metric_of(question: &Question) -> Result<Metric> {
    question.refuse_foreign(TITLE, &["metric", "table", "exact"])?;
    if question.solutions {
        // They are read off tables.
        question.refuse_foreign("solutions of the puzzle cube3", &["metric", "table"])?;
    }
    let metric = QuestionMetric::of_cube(question.metric, Database::puzzle_info(CUBE3))?;
    question.table.map_or(Ok(()), |table| table.check_metric(metric))?;
    Ok(metric.unwrap_or_default())
}

impl Puzzle for Cube3 {
    fn name(&self) -> &'static str {
        CUBE3
    }

    fn tables(&self) -> Vec<TableId> {
        TableId::all().filter(|table| table.definition().puzzle() == CUBE3).collect()
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        Ok(read(input)?.into())
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        let metric = metric_of(question)?;
        let choice = match question.table {
            Some(table) => TableChoice::Only(table),
            None if question.solutions => TableChoice::ExactInH(metric),
            None => TableChoice::Built(metric),
        };
        // First, since what is built for it can guide the search.
        let tables = self.open_tables(choice, ctx);
        let exact = match question.solutions {
            true => None,
            false => ExactSearcher::open(self, choice, question, ctx)?,
        };
        let tables = match tables {
            // A table that no question asks can still guide the search.
            Err(error) if error.is_not_built() && exact.is_some() => Arc::new(CubeTables::none(choice)?),
            opened => opened?,
        };
        let &Question { table: only, detail, limit, .. } = question;
        Ok(Box::new(PreparedCube3 { tables, exact, only, detail, limit }))
    }

    fn check_listed(&self, position: &PuzzlePosition, input: &str) -> Result<()> {
        Ok(position_in_h(input, position.of_cube3()?).map(drop)?)
    }

    fn solutions(&self, input: &str, question: &Question, ctx: &Context) -> Result<Solutions> {
        let question = Question { solutions: true, ..question.clone() };
        let position = self.read(input)?;
        metric_of(&question)?;
        self.check_listed(&position, input)?;
        self.prepare(&question, ctx)?.solutions_of_position(&position, input, ctx)
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        const OF_ALL: [&str; 5] = ["method", "metric", "goal", "time", "max-nodes"];
        const OF_SHORT: [&str; 1] = ["target"];
        const OF_OPTIMAL: [&str; 5] = ["table", "map", "extra", "limit", "max-depth"];
        request.refuse_foreign(TITLE, &[&OF_ALL[..], &OF_SHORT, &OF_OPTIMAL].concat())?;
        let (method, own) = match request.method.unwrap_or_default() {
            SolveMethod::TwoPhase => ("the method two-phase", &OF_SHORT[..]),
            SolveMethod::PhaseTwo => ("the method phase2", &OF_SHORT[..]),
            SolveMethod::Optimal => ("the method optimal", &OF_OPTIMAL[..]),
        };
        request.refuse_foreign(method, &[&OF_ALL, own].concat())?;
        request.check_numbers()?;
        let metric = request.cube3_metric()?;
        match request.method.unwrap_or_default() {
            SolveMethod::TwoPhase => Ok(Box::new(TwoPhaseSolver::two_phase(self, metric, request, ctx)?)),
            SolveMethod::PhaseTwo => Ok(Box::new(TwoPhaseSolver::in_h(self, metric, request, ctx)?)),
            SolveMethod::Optimal => Ok(Box::new(OptimalSolver::new(self, metric, request, ctx)?)),
        }
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        Ok(Box::new(random_positions(request, seed)?.map(|(moves, position)| {
            PositionReport::Cube3(Cube3PositionReport::new(&position, moves.map(|moves| moves.to_string())))
        })))
    }

    fn arrays(&self) -> PuzzleArrays {
        PuzzleArrays::cube3()
    }
}

/// Random positions, each with the moves that lead there, where it is the end of a walk.
pub(super) fn random_positions(
    request: &RandomRequest,
    seed: u64,
) -> Result<impl Iterator<Item = (Option<MoveSequence>, Cube)> + Send + use<>> {
    request.refuse_foreign(TITLE, &["in-h", "metric"])?;
    let (mut rng, RandomRequest { walk, in_h, metric }) = (ChaCha8Rng::seed_from_u64(seed), *request);
    Ok(std::iter::repeat_with(move || match walk {
        Some(length) => {
            let (moves, position) = random_walk(&mut rng, metric.unwrap_or_default(), length.into());
            (Some(moves), position)
        }
        None if in_h => (None, random_in_h(&mut rng)),
        None => (None, random_cube(&mut rng)),
    }))
}

/// Reads a position in any notation.
fn read(input: &str) -> Result<Cube> {
    Ok(parse_position(input)?.position)
}

/// Reads where solutions lead: solved, if nothing is said.
fn read_goal(goal: Option<&str>) -> Result<Cube> {
    goal.map_or(Ok(Cube::SOLVED), read)
}

/// A position in the notations for positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CubeText {
    /// The 54 facelets.
    pub facelets: String,
    /// The cubies in Reid's order.
    pub reid: String,
}

impl CubeText {
    /// Writes a position.
    pub fn new(position: &Cube) -> Self {
        Self { facelets: facelets::print(position), reid: reid::print(position) }
    }
}

/// A position of the cube in all notations: `schema/json/random-cube3.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube3PositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The position, written.
    #[serde(flatten)]
    pub position: CubeText,
    /// Whether it is in H = ⟨U, D, R2, F2, L2, B2⟩.
    pub in_h: bool,
    /// The moves of the walk that leads there, where it is the end of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

impl Cube3PositionReport {
    pub(crate) fn new(position: &Cube, moves: Option<String>) -> Self {
        Self { puzzle: CUBE3, position: CubeText::new(position), in_h: position.is_in_h(), moves }
    }
}
