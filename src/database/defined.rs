//! Puzzles that are data behind the facade. The 2×2×2 cube is one of them; it also has notations of its own and two metrics.

use std::sync::{Arc, LazyLock};

use super::answers::table::{TableAnswer, TableSolution};
use super::answers::{Answer, BriefAnswer, PositionReport, Solution};
use super::arrays::DefinedArrays;
use super::cube3::goal::{self, OpenedGoals, unreachable};
use super::lines::Portion;
use super::look_up::LookUpSolver;
use super::metric::QuestionMetric;
use super::opened::OpenedTables;
use super::position::PuzzlePosition;
use super::puzzle::{Detail, Prepared, Puzzle, Question, Solutions, Solver, count_of};
use super::puzzle_info::{CUBE2, noun, noun_with_goal};
use super::random::{self, RandomRequest, Scrambles};
use super::solving::SolveRequest;
use super::{Database, PuzzleArrays, TableId};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Result};
use twistbase_definition::SpacePosition;
use twistbase_query::{DefinedDistances, Distance, parse_defined};
use twistbase_tables::{self as tables, DefinedTable, Definition};

/// An open table of a puzzle that is data, for questions from any thread.
pub(super) type SharedTable = Arc<DefinedDistances<CachedTable>>;

/// The open tables of such puzzles.
#[derive(Debug, Default)]
pub(super) struct OpenedDefined(OpenedTables<TableId, DefinedDistances<CachedTable>>);

impl OpenedDefined {
    /// A table, complete or built to a depth; built first if the database builds missing ones.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`] and of a build.
    pub fn open(&self, database: &Database, table: &'static DefinedTable, ctx: &Context) -> Result<SharedTable> {
        let id = TableId::from(table as &'static dyn Definition);
        database.build_missing(&[id], ctx)?;
        self.0.get(database.editions(&[id]), id, ctx, || {
            let entries = CachedTable::open_to_depth(database.store(), table.layout(), database.cache_mode())?;
            Ok(DefinedDistances::over(table, entries))
        })
    }
}

/// A puzzle that is data.
#[derive(Debug)]
pub(super) struct DefinedPuzzle {
    database: Database,
    /// Its tables, one for each metric, the default first.
    tables: Vec<&'static DefinedTable>,
    opened: OpenedDefined,
    goals: OpenedGoals,
}

/// The tables of goals without names. Nothing is left of them after this process.
static UNNAMED_GOALS: LazyLock<Database> = LazyLock::new(|| Database::in_memory().building_missing(true));

/// Minimum distance of a scramble, by the regulations of the World Cube Association (4b3). Puzzles without competitions have none.
fn least_scramble(puzzle: &str) -> u8 {
    match puzzle {
        CUBE2 => 4,
        // Tips count.
        "pyraminx" | "pyraminx-tips" => 6,
        "skewb" => 7,
        _ => 0,
    }
}

impl DefinedPuzzle {
    pub(super) fn new(database: &Database, tables: Vec<&'static DefinedTable>) -> Self {
        let goals = OpenedGoals::new(database, tables[0].puzzle());
        Self { database: database.clone(), tables, opened: OpenedDefined::default(), goals }
    }

    /// The table of the default metric.
    fn table(&self) -> &'static DefinedTable {
        self.tables[0]
    }

    /// The table of a metric.
    fn find(&self, metric: Option<QuestionMetric>) -> Result<&'static DefinedTable> {
        let has = |metric: QuestionMetric| {
            let table = self.tables.iter().find(|table| table.metric().name() == metric.name());
            table.copied().ok_or_else(|| metric.is_none_of(self.name()))
        };
        metric.map_or_else(|| Ok(self.table()), has)
    }

    /// Opens the table of a metric.
    fn open(&self, metric: Option<QuestionMetric>, ctx: &Context) -> Result<SharedTable> {
        self.opened.open(&self.database, self.find(metric)?, ctx)
    }

    /// Opens the table of a metric, or of a goal.
    fn prepared(&self, goal: Option<&str>, metric: Option<QuestionMetric>, ctx: &Context) -> Result<PreparedDefined> {
        let whole = self.find(metric)?;
        let table = match goal.map(|goal| tables::goal_table(whole, goal)).transpose()? {
            None => self.opened.open(&self.database, whole, ctx)?,
            Some((table, true)) => self.opened.open(&self.database, table, ctx)?,
            // Nobody asks for a table without a name.
            Some((table, false)) => self.opened.open(&UNNAMED_GOALS, table, &ctx.of_part())?,
        };
        let goal = goal.map(|goal| goal.trim().to_owned());
        Ok(PreparedDefined { whole, goal, table, detail: Detail::Brief, limit: None })
    }

    /// What a question is about, in errors.
    fn noun_of(&self, goal: &Option<String>) -> String {
        if goal.is_some() { noun_with_goal(self.name()) } else { noun(self.name()) }
    }
}

impl Puzzle for DefinedPuzzle {
    fn name(&self) -> &'static str {
        self.table().puzzle()
    }

    fn tables(&self) -> Vec<TableId> {
        let own = self.tables.iter().map(|&table| TableId::from(table as &'static dyn Definition));
        let of_goals = tables::goals_of(self.name()).map(|table| TableId::from(table as &'static dyn Definition));
        own.chain(goal::table_ids(self.name())).chain(of_goals).collect()
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_defined(self.table(), input)
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        if let Some(goal) = self.goals.named(question.goal.as_deref()) {
            return goal::prepare(&self.goals, goal, question, ctx);
        }
        question.refuse_foreign(&self.noun_of(&question.goal), &["metric", "goal"])?;
        let Question { detail, limit, metric, ref goal, .. } = *question;
        let prepared = self.prepared(goal.as_deref(), metric, ctx)?;
        Ok(Box::new(PreparedDefined { detail, limit, ..prepared }))
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        if let Some(goal) = self.goals.named(request.goal.as_deref()) {
            return goal::solver(&self.goals, goal, request, ctx);
        }
        request.refuse_foreign(&self.noun_of(&request.goal), &["metric", "goal"])?;
        let prepared = self.prepared(request.goal.as_deref(), request.metric, ctx)?;
        let (noun, portion) = ("this puzzle, solved by look-up,", Portion::SHORT_ANSWERS);
        Ok(Box::new(LookUpSolver { prepared, noun, portion }))
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        let table = self.table();
        Ok(Box::new(
            request
                .defined(table, seed)?
                .map(move |(moves, position)| PuzzlePosition::from((table, position)).reached_by(moves)),
        ))
    }

    fn scrambles(&self, request: &RandomRequest, seed: u64, ctx: &Context) -> Result<Scrambles> {
        request.check_scramble(self.name(), &[])?;
        let (table, definition, least) = (self.open(None, ctx)?, self.table(), least_scramble(self.name()));
        let mut states = request.defined(definition, seed)?;
        Ok(random::scrambles(seed, ctx, move |_, _| {
            let (_, at) = states.next().expect("there is always another");
            if table.distance(at)?.moves() < least {
                return Ok(None);
            }
            let moves = table.text(&table.undone(&first(&table, at)?));
            Ok(Some(PuzzlePosition::from((definition, at)).reached_by(Some(moves))))
        }))
    }

    fn arrays(&self) -> Box<dyn PuzzleArrays> {
        Box::new(DefinedArrays(self.table()))
    }
}

/// A table that answers a question.
#[derive(Debug)]
struct PreparedDefined {
    /// The table of the puzzle itself: positions are of it.
    whole: &'static DefinedTable,
    /// As asked for.
    goal: Option<String>,
    table: SharedTable,
    detail: Detail,
    limit: Option<u64>,
}

/// An error of a position, as it was given: its index is in the table's range, but no moves lead there.
fn as_given(error: Error, input: &str) -> Error {
    match error {
        Error::Invalid(invalid) => Error::Invalid(InvalidInput { input: input.to_owned(), ..invalid }),
        other => other,
    }
}

/// The first of the shortest solutions, by the numbers of its turns.
fn first(table: &DefinedDistances<CachedTable>, position: SpacePosition) -> Result<Vec<usize>> {
    table.solutions(position)?.next().expect("every position has a solution")
}

impl PreparedDefined {
    /// Where a position of the puzzle is in the table, and its distance.
    fn place(&self, position: SpacePosition, input: &str) -> Result<(SpacePosition, Distance)> {
        let Some(goal) = &self.goal else {
            return Ok((position, self.table.distance(position).map_err(|error| as_given(error, input))?));
        };
        let pattern = self.whole.space().pattern_of(position);
        let found = self.table.definition().place_of(&pattern).map(|at| Ok((at, self.table.distance(at)?)));
        match found {
            Some(Err(Error::Invalid(_))) | None => {
                let message = format!("the moves do not lead from here to the goal {goal}");
                Err(unreachable(input, "position for this goal", message))
            }
            Some(found) => found,
        }
    }
}

impl Prepared for PreparedDefined {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        PuzzlePosition::read_defined(self.whole, input)
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let (table, full) = (&*self.table, self.detail == Detail::Full);
        let (at, distance) = self.place(position.of_defined(self.whole)?, input)?;
        let named = |(turn, after): (usize, _)| (table.name(turn).to_owned(), after);
        Ok(Answer::Table(TableAnswer {
            input: input.to_owned(),
            position: *position,
            goal: self.goal.clone(),
            turned: None,
            metric: table.definition().metric(),
            distance: distance.moves(),
            index: Some(table.definition().layout().index(at.row, at.entry)),
            solution: full.then(|| first(table, at)).transpose()?.map(|turns| table.text(&turns)),
            solutions: full.then(|| table.count(at, ctx)).transpose()?,
            moves: full.then(|| table.moves(at, distance)).transpose()?.map(|all| all.into_iter().map(named).collect()),
        }))
    }

    fn query_many_briefly(&self, inputs: &[&str], _: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        let distance = |input| {
            let (_, distance) = self.place(parse_defined(self.whole, input)?, input)?;
            Ok(BriefAnswer::Distance(Some(distance.moves())))
        };
        inputs.iter().for_each(|input| each(input, distance(input)));
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solutions> {
        let (table, puzzle, goal) = (Arc::clone(&self.table), self.whole.puzzle(), self.goal.clone());
        let (at, _) = self.place(position.of_defined(self.whole)?, input)?;
        let solutions = DefinedDistances::solutions_from(Arc::clone(&table), at)?;
        let (input, limit) = (input.to_owned(), count_of(self.limit));
        let solution = move |turns: Vec<usize>| TableSolution {
            input: input.clone(),
            puzzle,
            goal: goal.clone(),
            length: table.length(&turns),
            metric: table.definition().metric(),
            solution: table.text(&turns),
        };
        Ok(Box::new(solutions.take(limit).map(move |turns| Ok(Solution::Table(solution(turns?))))))
    }
}
