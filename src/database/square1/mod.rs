//! The Square-1 family behind the facade.

mod beyond;
mod faces;
pub(crate) mod goal;
mod prepared;
mod style;

use self::beyond::{BeyondSearch, BeyondSolver};
use self::faces::FaceSolver;
use self::prepared::{BeyondQuestion, PreparedSquare1};
pub use self::style::SharedSquare1Table;
use self::style::{Square1Metric, Square1Style, middle_is_square};
use super::answers::PositionReport;
use super::arrays::Square1Arrays;
use super::lines::Portion;
use super::look_up::LookUpSolver;
use super::metric::QuestionMetric;
use super::opened::OpenedTables;
use super::position::PuzzlePosition;
use super::puzzle::{Detail, Prepared, Puzzle, Question, Solver};
use super::puzzle_info::{noun, refuse_foreign};
use super::random::{self, RandomRequest, Scrambles};
use super::solving::SolveRequest;
use super::{Database, PuzzleArrays, TableId, puzzle_name};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_puzzle::square1::notation::wca;
use twistbase_puzzle::square1::{Colouring, random_state};
use twistbase_query::{MiddleGoal, Square1Table, WcaDistances};
use twistbase_store::Entries;
use twistbase_tables::{self as tables, Definition, TwistTable};

/// A puzzle of the Square-1 family.
#[derive(Debug)]
pub struct Square1 {
    database: Database,
    definition: &'static TwistTable,
    /// By whether the question also needs distances to the position one twist from solved.
    opened: OpenedTables<bool, Square1Table<CachedTable>>,
}

/// Minimum distance of a scramble, by the regulations of the World Cube Association (4b3).
const LEAST_SCRAMBLE: u8 = 11;

impl Database {
    /// A puzzle of the Square-1 family: `cube21`, `square1` or `square1-corners`.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; pub use twistbase_puzzle::square1::Position as Square1Position; pub use twistbase_query::MiddleGoal; }
    /// use twistbase::{Context, Database, MiddleGoal, Square1Position};
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let puzzle = Database::open(folder.path())?.building_missing(true).square1("square1-corners")?;
    /// let table = puzzle.table(&Context::silent())?;
    /// assert_eq!(table.distance(&Square1Position::SOLVED, MiddleGoal::Square)?.twists(), 0);
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`](twistbase_core::error::Error::Usage) that lists the puzzles.
    pub fn square1(&self, name: &str) -> Result<Square1> {
        let definition = tables::find_twists(puzzle_name::find(name).map_or(name, |found| found.puzzle))?;
        Ok(Square1 { database: self.clone(), definition, opened: OpenedTables::default() })
    }
}

impl Square1 {
    /// Its table, complete or built to a depth.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`]; those of a build, if the database [builds missing tables](Database::building_missing).
    pub fn table(&self, ctx: &Context) -> Result<SharedSquare1Table> {
        self.table_for(Square1Metric::Twists, ctx)
    }

    /// The table; for WCA's metric also that of distances to the position one twist from solved, if it exists.
    fn table_for(&self, metric: Square1Metric, ctx: &Context) -> Result<SharedSquare1Table> {
        let (database, definition) = (&self.database, self.definition);
        let table = TableId::from(definition as &'static dyn Definition);
        database.build_missing(&[table], ctx)?;
        let wants_endings = metric == Square1Metric::Wca;
        let endings = TableId::from(tables::endings(definition.colouring()) as &'static dyn Definition);
        let files: Vec<TableId> = [table].into_iter().chain(wants_endings.then_some(endings)).collect();
        self.opened.get(database.editions(&files), wants_endings, ctx, || {
            let solved = Square1Table::cached(database.store(), definition, database.cache_mode())?;
            if wants_endings { solved.with_built_endings(database.store(), database.cache_mode()) } else { Ok(solved) }
        })
    }
}

impl Puzzle for Square1 {
    fn name(&self) -> &'static str {
        self.definition.puzzle()
    }

    fn tables(&self) -> Vec<TableId> {
        vec![TableId::from(self.definition as &'static dyn Definition)]
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_square1(self.definition, input)
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        if let Some(goal) = &question.goal {
            return goal::prepare(self.definition, goal, question);
        }
        question.refuse_foreign(&noun(self.name()), &["exact", "metric", "middle", "notation", "shapes"])?;
        let Question { detail, limit, metric, middle, notation, shapes, exact, .. } = *question;
        let style = Square1Style::new(self.definition, metric, middle, notation)?;
        let table = self.table_for(style.metric, ctx)?;
        // Other metrics need positions farther around than twists do.
        let may_search = style.metric == Square1Metric::Twists && table.entries().depth().is_some();
        let beyond = exact.filter(|_| may_search).map(|exact| BeyondQuestion::new(style, exact));
        Ok(Box::new(PreparedSquare1 { table, detail, limit, shapes, beyond, style }))
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        let (own, of_searches) = (["metric", "middle", "notation"], ["time", "max-nodes"]);
        let noun = noun(self.name());
        if request.metric == Some(QuestionMetric::Face) {
            request.refuse_foreign(&noun, &[&own[..], &of_searches].concat())?;
            if request.middle == Some(MiddleGoal::Ignored) {
                return Err(middle_is_square(QuestionMetric::Face));
            }
            let (table, notation) = (self.table(ctx)?, request.notation.unwrap_or_default());
            return Ok(Box::new(FaceSolver { table, budget: request.budget, notation }));
        }
        if let Some(goal) = &request.goal {
            return goal::solver(self.definition, goal, request);
        }
        let style = Square1Style::new(self.definition, request.metric, request.middle, request.notation)?;
        let own_of_look_up = || request.refuse_foreign(&noun, &own);
        // A search makes sense only over a table built to a depth, in the table's metric.
        let may_search =
            style.metric == Square1Metric::Twists && self.tables().iter().all(|&it| self.database.has_table(it));
        if !may_search {
            own_of_look_up()?;
        }
        let table = self.table_for(style.metric, ctx)?;
        if may_search && table.entries().depth().is_some() {
            request.refuse_foreign(&noun, &[&own[..], &of_searches].concat())?;
            let search = BeyondSearch::new(style, request.budget);
            return Ok(Box::new(BeyondSolver { table, search }));
        }
        own_of_look_up()?;
        let portion = match style.metric {
            Square1Metric::Wca => Portion::LONG_ANSWERS,
            Square1Metric::Twists => Portion::SHORT_ANSWERS,
        };
        let prepared =
            PreparedSquare1 { table, detail: Detail::Brief, limit: None, shapes: false, beyond: None, style };
        Ok(Box::new(LookUpSolver { prepared, noun: "Square-1, solved by look-up,", portion }))
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        let definition = self.definition;
        Ok(Box::new(request.square1(self.name(), seed)?.map(move |(moves, position)| {
            PuzzlePosition::from((definition, position)).reached_by(moves.as_ref().map(wca::print))
        })))
    }

    fn scrambles(&self, request: &RandomRequest, seed: u64, ctx: &Context) -> Result<Scrambles> {
        if self.definition.colouring() != Colouring::Square1 {
            refuse_foreign(&noun(self.name()), &[("scramble", true)], &[])?;
        }
        request.check_scramble(self.name(), &[])?;
        let table = self.table_for(Square1Metric::Wca, ctx)?;
        let definition = self.definition;
        Ok(random::scrambles(seed, ctx, move |rng, _| {
            let (position, distances) = (random_state(rng), WcaDistances::new(&*table));
            if distances.distance(&position)?.moves() < LEAST_SCRAMBLE {
                return Ok(None);
            }
            let solution = distances.solutions(&position)?.next().expect("every position has a solution")?;
            let moves = wca::print_scramble(&solution.sequence().inverse());
            Ok(Some(PuzzlePosition::from((definition, position)).reached_by(Some(moves))))
        }))
    }

    fn arrays(&self) -> Box<dyn PuzzleArrays> {
        Box::new(Square1Arrays(self.definition))
    }
}
