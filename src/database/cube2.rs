//! The 2×2×2 cube behind the facade.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Serialize, Serializer};

use super::look_up::SolvedByLookUp;
use super::metric::QuestionMetric;
use super::opened::OpenedTables;
use super::position::PuzzlePosition;
use super::puzzle::{
    Answer, BriefAnswer, Detail, PositionReport, Prepared, Puzzle, Question, RandomRequest, Solution, Solutions,
    Solver, count_of,
};
use super::solving::SolveRequest;
use super::{Database, PuzzleArrays, TableId};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube2::{Cube2Position, notation, random_cube2, random_walk};
use twistbase_puzzle::cube3::notation::{FaceletOrder, HeldCube};
use twistbase_puzzle::cube3::{Centres, Metric, Move, MoveSequence};
use twistbase_query::{Cube2Distances, Distance, parse_cube2, parse_held_cube2};
use twistbase_tables::{self as tables, Definition};

/// The name of the puzzle.
pub const CUBE2: &str = "cube2";
/// What it is called in errors.
const TITLE: &str = "the puzzle cube2";

/// A table of the 2×2×2 cube, open for questions by any thread.
pub type SharedCube2Table = Arc<Cube2Distances<CachedTable>>;

/// The puzzle of the 2×2×2 cube.
#[derive(Debug)]
pub struct Cube2 {
    database: Database,
    opened: OpenedTables<Metric, Cube2Distances<CachedTable>>,
}

/// Opens the puzzle.
pub(super) fn open(database: &Database, _: &str) -> Result<Box<dyn Puzzle>> {
    Ok(Box::new(database.cube2()))
}

impl Database {
    /// The 2×2×2 cube.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; pub use twistbase_puzzle::{self as puzzle, cube3::Metric}; pub use twistbase_puzzle::cube2::Cube2Position; }
    /// use twistbase::{Context, Cube2Position, Database, Metric};
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let cube = Database::open(folder.path())?.building_missing(true).cube2();
    /// let table = cube.table(Metric::Htm, &Context::silent())?;
    /// assert_eq!(table.distance(&Cube2Position::SOLVED)?.moves(), 0);
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    pub fn cube2(&self) -> Cube2 {
        Cube2 { database: self.clone(), opened: OpenedTables::default() }
    }
}

impl Cube2 {
    /// The table of a metric, complete or built to a depth.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`]; those of building, where missing tables
    /// [are built](Database::building_missing).
    pub fn table(&self, metric: Metric, ctx: &Context) -> Result<SharedCube2Table> {
        let (database, definition) = (&self.database, tables::cube2(metric));
        let table = [TableId::from(definition as &'static dyn Definition)];
        database.build_missing(&table, ctx)?;
        self.opened.get(database, metric, &table, ctx, || {
            let entries = CachedTable::open_to_depth(database.store(), definition.layout(), database.cache_mode())?;
            Ok(Cube2Distances::over(definition, entries))
        })
    }
}

impl Puzzle for Cube2 {
    fn name(&self) -> &'static str {
        CUBE2
    }

    fn tables(&self) -> Vec<TableId> {
        [Metric::Htm, Metric::Qtm].map(|metric| TableId::from(tables::cube2(metric) as &'static dyn Definition)).into()
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        read(input)
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        question.refuse_foreign(TITLE, &["metric"])?;
        let Question { detail, limit, metric, .. } = *question;
        let metric = QuestionMetric::of_cube(metric, Database::puzzle_info(CUBE2))?;
        Ok(Box::new(PreparedCube2 { table: self.table(metric.unwrap_or_default(), ctx)?, detail, limit }))
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        request.refuse_foreign(TITLE, &["metric"])?;
        let metric = QuestionMetric::of_cube(request.metric, Database::puzzle_info(CUBE2))?;
        Ok(Box::new(Cube2Solver(self.table(metric.unwrap_or_default(), ctx)?)))
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        Ok(Box::new(random_positions(request, seed)?.map(|(moves, position)| {
            PositionReport::Cube2(Cube2PositionReport::new(&position, moves.map(|moves| moves.to_string())))
        })))
    }

    fn arrays(&self) -> PuzzleArrays {
        PuzzleArrays::cube2()
    }
}

/// Random positions, each with the moves that lead there, where it is the end of a walk.
pub(super) fn random_positions(
    request: &RandomRequest,
    seed: u64,
) -> Result<impl Iterator<Item = (Option<MoveSequence>, Cube2Position)> + Send + use<>> {
    request.refuse_foreign(TITLE, &["metric"])?;
    let (mut rng, RandomRequest { walk, metric, .. }) = (ChaCha8Rng::seed_from_u64(seed), *request);
    Ok(std::iter::repeat_with(move || match walk {
        Some(length) => {
            let (moves, position) = random_walk(&mut rng, metric.unwrap_or_default(), length.into());
            (Some(moves), position)
        }
        None => (None, random_cube2(&mut rng)),
    }))
}

/// Reads a position in any notation, or as its index.
fn read(input: &str) -> Result<PuzzlePosition> {
    Ok(parse_held_cube2(input)?.into())
}

/// A table that answers a question.
#[derive(Debug)]
struct PreparedCube2 {
    table: SharedCube2Table,
    detail: Detail,
    limit: Option<u64>,
}

impl Prepared for PreparedCube2 {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        read(input)
    }

    fn distance(&self, position: &PuzzlePosition) -> Result<Option<u8>> {
        Ok(Some(self.table.distance(position.of_cube2()?)?.moves()))
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let (table, HeldCube { position, centres, order }) = (&*self.table, *position.held_cube2()?);
        let full = self.detail == Detail::Full;
        let (row, entry) = table.definition().place(&position);
        Ok(Answer::Cube2(Cube2Answer {
            input: input.to_owned(),
            position,
            centres,
            order,
            metric: table.definition().move_metric(),
            distance: table.distance(&position)?.moves(),
            index: table.definition().layout().index(row, entry),
            solutions: full.then(|| table.count(&position, ctx)).transpose()?,
            moves: full.then(|| table.moves(&position)).transpose()?,
        }))
    }

    fn query_many_briefly(&self, inputs: &[&str], _: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        // The whole table is in the processor's caches.
        let distance = |input| Ok(self.table.distance(&parse_cube2(input)?)?.moves());
        inputs.iter().for_each(|input| each(input, distance(input).map(|it| BriefAnswer::Distance(Some(it)))));
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solutions> {
        let solutions = Cube2Distances::solutions_from(Arc::clone(&self.table), position.of_cube2()?)?;
        let (input, metric) = (input.to_owned(), self.table.definition().move_metric());
        let limit = count_of(self.limit);
        Ok(Box::new(
            solutions
                .take(limit)
                .map(move |moves| Ok(Solution::Cube2(Cube2SolutionReport::new(&input, metric, moves?)))),
        ))
    }
}

/// A table that solves: shortest solutions are read off.
#[derive(Debug)]
struct Cube2Solver(SharedCube2Table);

impl SolvedByLookUp for Cube2Solver {
    const SOLVES: &str = "the 2×2×2 cube, solved by look-up,";

    fn read_position(&self, input: &str) -> Result<PuzzlePosition> {
        read(input)
    }

    fn first(&self, position: &PuzzlePosition, input: &str) -> Result<Solution> {
        let moves = self.0.solutions(position.of_cube2()?)?.next().expect("every position has a solution")?;
        Ok(Solution::Cube2(Cube2SolutionReport::new(input, self.0.definition().move_metric(), moves)))
    }
}

/// What is known about a position of the 2×2×2 cube. As JSON: `schema/json/query-cube2.json`.
#[derive(Debug, Clone)]
pub struct Cube2Answer {
    /// The position as it was given.
    pub input: String,
    /// The position, of the cube as it is held.
    pub position: Cube2Position,
    /// The colours of its faces: how it is held.
    pub centres: Centres,
    /// The order of the facelets in the input.
    pub order: FaceletOrder,
    /// How moves are counted.
    pub metric: Metric,
    /// The fewest moves that solve it.
    pub distance: u8,
    /// The index of the position in the table.
    pub index: u64,
    /// The number of shortest solutions.
    pub solutions: Option<u64>,
    /// The moves that count one, and how far the position then is.
    pub moves: Option<Vec<(Move, Distance)>>,
}

/// [`Cube2Answer`] as JSON: what is costly to write is written only here.
#[derive(Serialize)]
struct Cube2AnswerWire<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: &'static str,
    distance: u8,
    facelets: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<Cube2TurnWire>>,
}

#[derive(Serialize)]
struct Cube2TurnWire {
    r#move: String,
    distance: u8,
    change: i8,
}

impl Serialize for Cube2Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turn = |&(turn, after): &(Move, Distance)| Cube2TurnWire {
            r#move: turn.to_string(),
            distance: after.moves(),
            change: after.moves() as i8 - self.distance as i8,
        };
        let wire = Cube2AnswerWire {
            input: &self.input,
            puzzle: CUBE2,
            metric: self.metric.name(),
            distance: self.distance,
            facelets: notation::print(&self.position),
            order: (!self.order.is_usual()).then(|| self.order.to_string()),
            index: self.index,
            solutions: self.solutions,
            moves: self.moves.as_ref().map(|moves| moves.iter().map(turn).collect()),
        };
        wire.serialize(serializer)
    }
}

/// A shortest solution of a position of the 2×2×2 cube: `schema/json/solution-cube2.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube2SolutionReport {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// Its moves.
    pub length: usize,
    /// How they are counted.
    pub metric: &'static str,
    /// Turns of U, R and F, of the cube as it is held.
    pub solution: String,
}

impl Cube2SolutionReport {
    fn new(input: &str, metric: Metric, moves: Vec<Move>) -> Self {
        let solution = MoveSequence::new(moves);
        let (length, metric) = (solution.length(metric), metric.name());
        Self { input: input.to_owned(), puzzle: CUBE2, length, metric, solution: solution.to_string() }
    }
}

/// A position of the 2×2×2 cube: `schema/json/random-cube2.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Cube2PositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The 24 facelets.
    pub facelets: String,
    /// The moves of the walk that leads there, where it is the end of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

impl Cube2PositionReport {
    pub(super) fn new(position: &Cube2Position, moves: Option<String>) -> Self {
        Self { puzzle: CUBE2, facelets: notation::print(position), moves }
    }
}
