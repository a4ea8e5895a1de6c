//! Puzzles that are data behind the facade. The 2×2×2 cube is one of them; it also has notations of its own and two metrics. Those too
//! large for a table are answered by search.

use std::sync::{Arc, LazyLock};

use super::answers::table::{TableAnswer, TableSolution};
use super::answers::{Answer, BriefAnswer, FromSolved, PositionReport, Solution};
use super::arrays::{DefinedArrays, LargeArrays};
use super::cube3::goal::{self, OpenedGoals, unreachable};
use super::large::LargePuzzle;
use super::lines::Portion;
use super::look_up::LookUpSolver;
use super::metric::QuestionMetric;
use super::opened::OpenedTables;
use super::position::PuzzlePosition;
use super::puzzle::{Detail, Prepared, Puzzle, Question, Solutions, Solver, count_of};
use super::puzzle_info::{CUBE2, PuzzleInfo, noun, noun_with_goal};
use super::random::{self, RandomRequest, Scrambles};
use super::searched::{GoalSearch, GoalSearchSolver, PreparedGoalSearch};
use super::solving::SolveRequest;
use super::{Database, PuzzleArrays, TableId};
use twistbase_cache::CachedTable;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, InvalidInput, Result};
use twistbase_definition::{Pattern, PuzzleDefinition, PuzzleSpace, Restriction, SpacePosition};
use twistbase_query::{DefinedDistances, Distance, parse_defined};
use twistbase_tables::{self as tables, DefinedTable, Definition, Notation};

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

/// The puzzle whose positions a question is about.
#[derive(Debug, Clone)]
pub(super) enum WholePuzzle {
    /// One with a table.
    Table(&'static DefinedTable),
    /// One that is too large for a table.
    Large(Arc<LargePuzzle>),
}

impl WholePuzzle {
    pub fn info(&self) -> &'static PuzzleInfo {
        match self {
            Self::Table(table) => PuzzleInfo::of(table.puzzle()),
            Self::Large(large) => large.info,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Table(table) => table.puzzle(),
            Self::Large(large) => large.info.puzzle,
        }
    }

    pub fn definition(&self) -> &PuzzleDefinition {
        match self {
            Self::Table(table) => table.definition(),
            Self::Large(large) => large.definition(),
        }
    }

    /// Reads a position: moves, a KPattern, or an index of the table.
    pub fn read(&self, input: &str) -> Result<PuzzlePosition> {
        match self {
            Self::Table(table) => PuzzlePosition::read_defined(table, input),
            Self::Large(large) => Ok((large, large.definition().read_position(input)?).into()),
        }
    }

    /// A position as pieces in places.
    ///
    /// # Errors
    /// [`Error::Usage`] for a position of another puzzle.
    pub fn pattern(&self, position: &PuzzlePosition) -> Result<Pattern> {
        match self {
            Self::Table(table) => Ok(table.space().pattern_of(position.of_defined(table)?)),
            Self::Large(large) => position.of_large(large).cloned(),
        }
    }
}

/// A puzzle that is data.
#[derive(Debug)]
pub(super) struct DefinedPuzzle {
    database: Database,
    whole: WholePuzzle,
    /// Its tables, one for each metric, the default first; none of one that is too large.
    tables: Vec<&'static DefinedTable>,
    opened: OpenedDefined,
    goals: OpenedGoals,
}

/// What holds or finds distances.
enum Distances {
    Table(SharedTable),
    Search(GoalSearch),
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
    /// A puzzle with tables, the first of its default metric.
    pub(super) fn new(database: &Database, tables: Vec<&'static DefinedTable>) -> Self {
        Self::over(database, WholePuzzle::Table(tables[0]), tables)
    }

    /// A puzzle that is too large for a table.
    pub(super) fn large(database: &Database, puzzle: Arc<LargePuzzle>) -> Self {
        Self::over(database, WholePuzzle::Large(puzzle), Vec::new())
    }

    fn over(database: &Database, whole: WholePuzzle, tables: Vec<&'static DefinedTable>) -> Self {
        let goals = OpenedGoals::new(database, whole.name());
        Self { database: database.clone(), whole, tables, opened: OpenedDefined::default(), goals }
    }

    /// The table of a metric; `None` of a puzzle without tables.
    fn find(&self, metric: Option<QuestionMetric>) -> Result<Option<&'static DefinedTable>> {
        let Some(metric) = metric else { return Ok(self.tables.first().copied()) };
        let table = self.tables.iter().find(|table| table.metric().name() == metric.name());
        match table {
            None if self.tables.is_empty() && metric == QuestionMetric::Moves => Ok(None),
            None => Err(metric.is_none_of(self.whole.info())),
            Some(table) => Ok(Some(table)),
        }
    }

    /// Opens the table of a metric or of a goal, or the search for what has none.
    fn distances(&self, goal: Option<&str>, metric: Option<QuestionMetric>, ctx: &Context) -> Result<Distances> {
        let whole = self.find(metric)?;
        let table = match (goal, whole) {
            (None, whole) => whole.map(|table| (table, true)),
            (Some(goal), _) => tables::goal_table(self.name(), self.whole.definition(), goal)?,
        };
        Ok(match table {
            Some((table, true)) => Distances::Table(self.opened.open(&self.database, table, ctx)?),
            // Nobody asks for a table without a name.
            Some((table, false)) => Distances::Table(self.opened.open(&UNNAMED_GOALS, table, &ctx.of_part())?),
            None => Distances::Search(self.search(goal, None, ctx)?),
        })
    }

    /// Opens the search for a goal or for solved.
    fn search(&self, goal: Option<&str>, memory: Option<u64>, ctx: &Context) -> Result<GoalSearch> {
        let memory = memory.into_iter().chain(self.database.search_memory()).min();
        GoalSearch::open(&self.whole, goal, memory, ctx)
    }

    /// A table ready for a question.
    fn prepared(&self, goal: Option<&str>, table: SharedTable) -> PreparedDefined {
        let (whole, goal) = (self.whole.clone(), goal.map(|goal| goal.trim().to_owned()));
        PreparedDefined { whole, goal, table, detail: Detail::Brief, limit: None }
    }

    /// What a question is about, in errors.
    fn noun_of(&self, goal: &Option<String>) -> String {
        if goal.is_some() { noun_with_goal(self.name()) } else { noun(self.name()) }
    }

    /// Whether its positions are written as patterns, so that searches solve it.
    fn is_searched(&self) -> bool {
        self.tables.first().is_none_or(|table| table.notation() == Notation::KPattern)
    }
}

impl Puzzle for DefinedPuzzle {
    fn name(&self) -> &'static str {
        self.whole.name()
    }

    fn tables(&self) -> Vec<TableId> {
        let own = self.tables.iter().map(|&table| TableId::from(table as &'static dyn Definition));
        let of_goals = tables::goals_of(self.name()).map(|table| TableId::from(table as &'static dyn Definition));
        own.chain(goal::table_ids(self.name())).chain(of_goals).collect()
    }

    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        self.whole.read(input)
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        if let Some(goal) = self.goals.named(question.goal.as_deref()) {
            return goal::prepare(&self.goals, goal, question, ctx);
        }
        let Question { detail, limit, metric, ref goal, .. } = *question;
        // A complete table leaves nothing to search for.
        let refuse = |is_searched: bool| {
            let own = if is_searched { &["metric", "goal", "exact"][..] } else { &["metric", "goal"] };
            question.refuse_foreign(&self.noun_of(goal), own)
        };
        refuse(goal.is_some() || self.tables.is_empty())?;
        let distances = self.distances(goal.as_deref(), metric, ctx)?;
        refuse(matches!(distances, Distances::Search(_)))?;
        Ok(match distances {
            Distances::Table(table) => {
                Box::new(PreparedDefined { detail, limit, ..self.prepared(goal.as_deref(), table) })
            }
            Distances::Search(search) => Box::new(PreparedGoalSearch::new(search, question)),
        })
    }

    fn prepares_long(&self, question: &Question) -> bool {
        self.tables.is_empty() || question.goal.as_deref().is_some_and(Restriction::is_meant)
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        if let Some(goal) = self.goals.named(request.goal.as_deref()) {
            return goal::solver(&self.goals, goal, request, ctx);
        }
        let goal = request.goal.as_deref();
        let own: &[_] = if self.is_searched() { &SolveRequest::OF_SEARCH } else { &["metric", "goal"] };
        request.refuse_foreign(&self.noun_of(&request.goal), own)?;
        request.check_search()?;
        self.find(request.metric)?;
        // A table gives one shortest solution.
        if request.is_search() {
            let search = self.search(goal, request.memory, ctx)?;
            return Ok(Box::new(GoalSearchSolver::new(search, request.clone())));
        }
        Ok(match self.distances(goal, request.metric, ctx)? {
            Distances::Table(table) => {
                let (noun, portion) = ("this puzzle, solved by look-up,", Portion::SHORT_ANSWERS);
                Box::new(LookUpSolver { prepared: self.prepared(goal, table), noun, portion })
            }
            Distances::Search(search) => Box::new(GoalSearchSolver::new(search, request.clone())),
        })
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        match &self.whole {
            &WholePuzzle::Table(table) => {
                let drawn = request.defined(table, seed)?;
                Ok(Box::new(drawn.map(move |(moves, at)| PuzzlePosition::from((table, at)).reached_by(moves))))
            }
            WholePuzzle::Large(large) => {
                let (drawn, large) = (request.large(large, seed)?, Arc::clone(large));
                Ok(Box::new(drawn.map(move |(moves, at)| PuzzlePosition::from((&large, at)).reached_by(moves))))
            }
        }
    }

    fn scrambles(&self, request: &RandomRequest, seed: u64, ctx: &Context) -> Result<Scrambles> {
        let Some(&definition) = self.tables.first() else {
            return Err(Error::ForeignOptions { options: vec!["scramble"], of: noun(self.name()) });
        };
        request.check_scramble(self.name(), &[])?;
        let (table, least) = (self.opened.open(&self.database, definition, ctx)?, least_scramble(self.name()));
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
        match &self.whole {
            WholePuzzle::Table(table) => Box::new(DefinedArrays(table)),
            WholePuzzle::Large(large) => Box::new(LargeArrays(Arc::clone(large))),
        }
    }
}

/// A table that answers a question.
#[derive(Debug)]
struct PreparedDefined {
    /// The puzzle itself: positions are of it.
    whole: WholePuzzle,
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
    fn place(&self, position: &PuzzlePosition, input: &str) -> Result<(SpacePosition, Distance)> {
        match (&self.whole, &self.goal) {
            (WholePuzzle::Table(whole), None) => self.own_place(position.of_defined(whole)?, input),
            _ => self.place_of(&self.whole.pattern(position)?, input),
        }
    }

    /// The same of a text.
    fn place_of_text(&self, input: &str) -> Result<(SpacePosition, Distance)> {
        match &self.whole {
            WholePuzzle::Table(whole) => {
                let position = parse_defined(whole, input)?;
                match &self.goal {
                    None => self.own_place(position, input),
                    Some(_) => self.place_of(&whole.space().pattern_of(position), input),
                }
            }
            WholePuzzle::Large(_) => self.place(&self.whole.read(input)?, input),
        }
    }

    /// The same of a position in the table of all positions.
    fn own_place(&self, position: SpacePosition, input: &str) -> Result<(SpacePosition, Distance)> {
        Ok((position, self.table.distance(position).map_err(|error| as_given(error, input))?))
    }

    /// The same of a position, on the way to a goal.
    fn place_of(&self, pattern: &Pattern, input: &str) -> Result<(SpacePosition, Distance)> {
        let found = self.table.definition().place_of(pattern).map(|at| Ok((at, self.table.distance(at)?)));
        match found {
            Some(Err(Error::Invalid(_))) | None => {
                let goal = self.goal.as_deref().unwrap_or(PuzzleSpace::SOLVED);
                let message = format!("the moves do not lead from here to the goal {goal}");
                Err(unreachable(input, "position for this goal", message))
            }
            Some(found) => found,
        }
    }
}

impl Prepared for PreparedDefined {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        self.whole.read(input)
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let (table, full) = (&*self.table, self.detail == Detail::Full);
        let (at, distance) = self.place(position, input)?;
        let named =
            |(turn, after): (usize, Distance)| (table.name(turn).to_owned(), FromSolved::exactly(after.moves()));
        Ok(Answer::Table(TableAnswer {
            input: input.to_owned(),
            position: position.clone(),
            goal: self.goal.clone(),
            turned: None,
            metric: table.definition().metric(),
            from_solved: FromSolved::exactly(distance.moves()),
            index: Some(table.definition().layout().index(at.row, at.entry)),
            solution: full.then(|| first(table, at)).transpose()?.map(|turns| table.text(&turns)),
            solutions: full.then(|| table.count(at, ctx)).transpose()?,
            moves: full.then(|| table.moves(at, distance)).transpose()?.map(|all| all.into_iter().map(named).collect()),
        }))
    }

    fn query_many_briefly(&self, inputs: &[&str], _: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        let distance = |input| {
            let (_, distance) = self.place_of_text(input)?;
            Ok(BriefAnswer::Distance(Some(distance.moves())))
        };
        inputs.iter().for_each(|input| each(input, distance(input)));
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, _: &Context) -> Result<Solutions> {
        let (table, puzzle, goal) = (Arc::clone(&self.table), self.whole.name(), self.goal.clone());
        let (at, _) = self.place(position, input)?;
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
