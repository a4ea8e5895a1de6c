//! The 2×2×2 cube behind the facade.

use std::sync::Arc;

use super::answers::table::{TableAnswer, TablePositionReport, TableSolution};
use super::answers::{Answer, BriefAnswer, PositionReport, Solution};
use super::cube3::goal::{self, OpenedGoals};
use super::look_up::SolvedByLookUp;
use super::metric::QuestionMetric;
use super::opened::OpenedTables;
use super::position::PuzzlePosition;
use super::puzzle::{Detail, Prepared, Puzzle, Question, Solutions, Solver, count_of};
use super::puzzle_info::{CUBE2, noun};
use super::random::{self, RandomRequest, Scrambles};
use super::solving::SolveRequest;
use super::{Database, PuzzleArrays, TableId};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::cube2::{Cube2Position, random_cube2};
use twistbase_puzzle::cube3::{Metric, Move, MoveSequence};
use twistbase_query::{Cube2Distances, Distance, parse_cube2};
use twistbase_tables::{self as tables, Definition, TableMetric};

/// An open table of the 2×2×2 cube, for questions from any thread.
pub type SharedCube2Table = Arc<Cube2Distances<CachedTable>>;

/// The puzzle of the 2×2×2 cube.
#[derive(Debug)]
pub struct Cube2 {
    database: Database,
    opened: OpenedTables<Metric, Cube2Distances<CachedTable>>,
    goals: OpenedGoals,
}

/// Minimum distance of a scramble, by the regulations of the World Cube Association (4b3).
const LEAST_SCRAMBLE: u8 = 4;

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
        Cube2 { database: self.clone(), opened: OpenedTables::default(), goals: OpenedGoals::new(self, CUBE2) }
    }
}

impl Cube2 {
    /// The table of a metric, complete or built to a depth.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`]; those of a build, if the database [builds missing tables](Database::building_missing).
    pub fn table(&self, metric: Metric, ctx: &Context) -> Result<SharedCube2Table> {
        let (database, definition) = (&self.database, tables::cube2(metric));
        let table = [TableId::from(definition as &'static dyn Definition)];
        database.build_missing(&table, ctx)?;
        self.opened.get(database.editions(&table), metric, ctx, || {
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
        let own =
            [Metric::Htm, Metric::Qtm].map(|metric| TableId::from(tables::cube2(metric) as &'static dyn Definition));
        own.into_iter().chain(goal::table_ids(CUBE2)).collect()
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube2(input)
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        if let Some(goal) = &question.goal {
            return goal::prepare(&self.goals, goal, question, ctx);
        }
        question.refuse_foreign(&noun(CUBE2), &["metric"])?;
        let Question { detail, limit, metric, .. } = *question;
        let metric = QuestionMetric::of_cube(metric, CUBE2)?;
        Ok(Box::new(PreparedCube2 { table: self.table(metric.unwrap_or_default(), ctx)?, detail, limit }))
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        if let Some(goal) = &request.goal {
            return goal::solver(&self.goals, goal, request, ctx);
        }
        request.refuse_foreign(&noun(CUBE2), &["metric"])?;
        let metric = QuestionMetric::of_cube(request.metric, CUBE2)?;
        Ok(Box::new(Cube2Solver(self.table(metric.unwrap_or_default(), ctx)?)))
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        Ok(Box::new(request.cube2(seed)?.map(|(moves, position)| {
            PositionReport::Table(TablePositionReport::new(&position.into(), moves.map(|moves| moves.to_string())))
        })))
    }

    fn scrambles(&self, request: &RandomRequest, seed: u64, ctx: &Context) -> Result<Scrambles> {
        request.check_scramble(CUBE2, &[])?;
        let table = self.table(Metric::Htm, ctx)?;
        Ok(random::scrambles(seed, ctx, move |rng, _| {
            let position = random_cube2(rng);
            if table.distance(&position)?.moves() < LEAST_SCRAMBLE {
                return Ok(None);
            }
            let solution = table.solutions(&position)?.next().expect("every position has a solution")?;
            let moves = MoveSequence::new(solution).inverse().to_string();
            Ok(Some(PositionReport::Table(TablePositionReport::new(&position.into(), Some(moves)))))
        }))
    }

    fn arrays(&self) -> PuzzleArrays {
        PuzzleArrays::cube2()
    }
}

/// A table that answers a question.
#[derive(Debug)]
struct PreparedCube2 {
    table: SharedCube2Table,
    detail: Detail,
    limit: Option<u64>,
}

impl PreparedCube2 {
    /// A shortest solution as text.
    fn first(&self, position: &Cube2Position) -> Result<String> {
        let moves = self.table.solutions(position)?.next().expect("every position has a solution")?;
        Ok(MoveSequence::new(moves).to_string())
    }
}

impl Prepared for PreparedCube2 {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube2(input)
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let (table, cube) = (&*self.table, position.of_cube2()?);
        let full = self.detail == Detail::Full;
        let (row, entry) = table.definition().place(cube);
        let named = |moves: Vec<(Move, Distance)>| moves.into_iter().map(|(turn, after)| (turn.to_string(), after));
        Ok(Answer::Table(TableAnswer {
            input: input.to_owned(),
            position: *position,
            goal: None,
            turned: None,
            metric: table.definition().metric(),
            distance: table.distance(cube)?.moves(),
            index: Some(table.definition().layout().index(row, entry)),
            solution: full.then(|| self.first(cube)).transpose()?,
            solutions: full.then(|| table.count(cube, ctx)).transpose()?,
            moves: full.then(|| table.moves(cube)).transpose()?.map(|moves| named(moves).collect()),
        }))
    }

    fn query_many_briefly(&self, inputs: &[&str], _: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        // The whole table fits the processor's caches.
        let distance = |input| Ok(self.table.distance(&parse_cube2(input)?)?.moves());
        inputs.iter().for_each(|input| each(input, distance(input).map(|it| BriefAnswer::Distance(Some(it)))));
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solutions> {
        let solutions = Cube2Distances::solutions_from(Arc::clone(&self.table), position.of_cube2()?)?;
        let (input, metric) = (input.to_owned(), self.table.definition().move_metric());
        Ok(Box::new(solutions.take(count_of(self.limit)).map(move |moves| Ok(solution(&input, metric, moves?)))))
    }
}

fn solution(input: &str, metric: Metric, moves: Vec<Move>) -> Solution {
    let moves = MoveSequence::new(moves);
    let (length, metric) = (moves.length(metric), TableMetric::FaceTurns(metric));
    let solution = moves.to_string();
    Solution::Table(TableSolution { input: input.to_owned(), puzzle: CUBE2, goal: None, length, metric, solution })
}

/// Solves by look-up in a table.
#[derive(Debug)]
struct Cube2Solver(SharedCube2Table);

impl SolvedByLookUp for Cube2Solver {
    const SOLVES: &str = "the 2×2×2 cube, solved by look-up,";

    fn read_position(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_cube2(input)
    }

    fn first(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solution> {
        let moves = self.0.solutions(position.of_cube2()?)?.next().expect("every position has a solution")?;
        Ok(solution(input, self.0.definition().move_metric(), moves))
    }
}
