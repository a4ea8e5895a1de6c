//! The Square-1 family behind the facade.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Serialize, Serializer};

use super::look_up::SolvedByLookUp;
use super::metric::QuestionMetric;
use super::opened::OpenedTables;
use super::position::PuzzlePosition;
use super::puzzle::{
    Answer, BriefAnswer, Detail, PositionReport, Prepared, Puzzle, Question, RandomRequest, Scrambles, Solution,
    Solutions, Solver, query_in_brief, query_in_waves, refuse_foreign,
};
use super::solving::{BoundInMetric, ExactSearch, SearchBudget, Shortfall, SolveRequest};
use super::square1_beyond::{BeyondSearch, BeyondSolver, DeepenedTable, Reach};
use super::square1_faces::{FaceSearchReport, FaceSolver};
use super::{Database, PuzzleArrays, TableId};
use crate::cache::CachedTable;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::picture::Picture;
use crate::puzzle::square1::notation::author::AuthorIndex;
use crate::puzzle::square1::notation::{SequenceNotation, hex, jaap, read_list, wca};
use crate::puzzle::square1::{
    Colouring, Middle, Place, Position, Step, Turn, TwistSequence, random_position, random_state, random_walk,
};
use crate::query::{
    Distance, GivenPosition, MiddleGoal, SolutionCounts, Square1Solution, Square1Table, TwistOutcome, WcaDistances,
    WcaOutcome, index_of, parse,
};
use crate::store::Entries;
use crate::tables::{self, Definition, TwistTable};

/// A table of the Square-1 family, open for questions by any thread.
pub type SharedSquare1Table = Arc<Square1Table<CachedTable>>;

/// A puzzle of the Square-1 family.
#[derive(Debug)]
pub struct Square1 {
    database: Database,
    definition: &'static TwistTable,
    /// By whether distances to the position one twist from solved are wanted, too.
    opened: OpenedTables<bool, Square1Table<CachedTable>>,
}

/// The fewest moves from solved that a scramble may be, by the regulations of the World Cube Association (4b3).
const LEAST_SCRAMBLE: u8 = 11;

/// Opens a puzzle by its name.
pub(super) fn open(database: &Database, name: &str) -> Result<Box<dyn Puzzle>> {
    Ok(Box::new(database.square1(name)?))
}

impl Database {
    /// A puzzle of the Square-1 family: `cube21`, `square1` or `square1-corners`.
    ///
    /// ```
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
    /// [`Error::Usage`] naming the puzzles there are.
    pub fn square1(&self, name: &str) -> Result<Square1> {
        let definition = tables::find_twists(name)?;
        Ok(Square1 { database: self.clone(), definition, opened: OpenedTables::default() })
    }
}

impl Square1 {
    /// Its table, complete or built to a depth.
    ///
    /// # Errors
    /// Those of [`CachedTable::open_to_depth`]; those of building, where missing tables
    /// [are built](Database::building_missing).
    pub fn table(&self, ctx: &Context) -> Result<SharedSquare1Table> {
        self.table_for(Square1Metric::Twists, ctx)
    }

    /// The same, for WCA's metric with the table of distances to the position one twist from solved beside it, if that has
    /// been built.
    fn table_for(&self, metric: Square1Metric, ctx: &Context) -> Result<SharedSquare1Table> {
        let (database, definition) = (&self.database, self.definition);
        let table = TableId::from(definition as &'static dyn Definition);
        database.build_missing(&[table], ctx)?;
        let wants_endings = metric == Square1Metric::Wca;
        let endings = TableId::from(tables::endings(definition.colouring()) as &'static dyn Definition);
        let files: Vec<TableId> = [table].into_iter().chain(wants_endings.then_some(endings)).collect();
        self.opened.get(database, wants_endings, &files, || {
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
        read(self.definition, input)
    }

    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>> {
        question.refuse_foreign(&title(self.definition), &["exact", "metric", "middle", "notation", "shapes"])?;
        let Question { detail, limit, metric, middle, notation, shapes, exact, .. } = *question;
        let style = Square1Style::new(self.definition, metric, middle, notation)?;
        let table = self.table_for(style.metric, ctx)?;
        // Other metrics ask farther around than twists.
        let may_search = style.metric == Square1Metric::Twists && table.entries().depth().is_some();
        let beyond = exact.filter(|_| may_search).map(|exact| BeyondQuestion::new(style, exact));
        Ok(Box::new(PreparedSquare1 { table, detail, limit, shapes, beyond, style }))
    }

    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>> {
        let (own, of_searches) = (["metric", "middle", "notation"], ["time", "max-nodes"]);
        if request.metric == Some(QuestionMetric::Face) {
            request.refuse_foreign(&title(self.definition), &[&own[..], &of_searches].concat())?;
            return Ok(Box::new(FaceSolver::new(self, request, ctx)?));
        }
        let style = Square1Style::new(self.definition, request.metric, request.middle, request.notation)?;
        let own_of_look_up = || request.refuse_foreign(&title(self.definition), &own);
        // Only over a table that was built to a depth there is something to search, in the metric in which it is searched.
        let may_search =
            style.metric == Square1Metric::Twists && self.tables().iter().all(|&it| self.database.has_table(it));
        if !may_search {
            own_of_look_up()?;
        }
        let table = self.table_for(style.metric, ctx)?;
        if may_search && table.entries().depth().is_some() {
            request.refuse_foreign(&title(self.definition), &[&own[..], &of_searches].concat())?;
            let search = BeyondSearch::new(style, request.budget);
            return Ok(Box::new(BeyondSolver { table, search }));
        }
        own_of_look_up()?;
        Ok(Box::new(Square1Solver { table, style }))
    }

    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>> {
        let definition = self.definition;
        Ok(Box::new(random_positions(&title(self.definition), request, seed)?.map(move |(moves, position)| {
            let given = GivenPosition { position, middle_given: true };
            PositionReport::Square1(Square1PositionReport::new(definition, &given, moves.as_ref().map(wca::print)))
        })))
    }

    fn scrambles(&self, seed: u64, ctx: &Context) -> Result<Scrambles> {
        if self.definition.colouring() != Colouring::Square1 {
            refuse_foreign(&title(self.definition), &[("wca", true)], &[])?;
        }
        let table = self.table_for(Square1Metric::Wca, ctx)?;
        let (definition, mut rng) = (self.definition, ChaCha8Rng::seed_from_u64(seed));
        let draw = move || {
            loop {
                let position = random_state(&mut rng);
                let distances = WcaDistances::new(&*table);
                if distances.distance(&position)?.moves() < LEAST_SCRAMBLE {
                    continue;
                }
                let solution = distances.solutions(&position)?.next().expect("every position has a solution")?;
                let moves = wca::print_scramble(&solution.sequence().inverse());
                let given = GivenPosition { position, middle_given: true };
                return Ok(PositionReport::Square1(Square1PositionReport::new(definition, &given, Some(moves))));
            }
        };
        Ok(Box::new(std::iter::repeat_with(draw)))
    }

    fn arrays(&self) -> PuzzleArrays {
        PuzzleArrays::square1(self.definition)
    }
}

/// What a puzzle is called in errors.
pub(super) fn title(definition: &TwistTable) -> String {
    format!("the puzzle {}", definition.puzzle())
}

/// Random positions of the puzzle `title`, each with the sequence that leads there, where it is the end of a walk.
pub(super) fn random_positions(
    title: &str,
    request: &RandomRequest,
    seed: u64,
) -> Result<impl Iterator<Item = (Option<TwistSequence>, Position)> + Send + use<>> {
    request.refuse_foreign(title, &[])?;
    let (mut rng, walk) = (ChaCha8Rng::seed_from_u64(seed), request.walk);
    Ok(std::iter::repeat_with(move || match walk {
        Some(twists) => {
            let (moves, position) = random_walk(&mut rng, twists.into());
            (Some(moves), position)
        }
        None => (None, random_position(&mut rng)),
    }))
}

/// Reads a position in any notation.
pub(super) fn read(definition: &'static TwistTable, input: &str) -> Result<PuzzlePosition> {
    Ok(PuzzlePosition::square1(definition, parse(definition, input)?))
}

/// How moves are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Square1Metric {
    Twists,
    Wca,
}

impl Square1Metric {
    fn new(definition: &TwistTable, asked: Option<QuestionMetric>) -> Result<Self> {
        match asked.unwrap_or(QuestionMetric::Twists) {
            QuestionMetric::Twists => Ok(Self::Twists),
            QuestionMetric::Wca => Ok(Self::Wca),
            QuestionMetric::Face => {
                let why =
                    "in the metric face a distance is not looked up but searched: to learn it of a position, solve it";
                Err(Error::Usage(why.to_owned()))
            }
            metric @ (QuestionMetric::Htm | QuestionMetric::Qtm) => {
                Err(metric.is_none_of(Database::puzzle_info(definition.puzzle())))
            }
        }
    }

    /// The length of a sequence.
    fn length(self, sequence: &TwistSequence) -> usize {
        match self {
            Self::Twists => sequence.twists(),
            Self::Wca => sequence.wca_moves(),
        }
    }
}

impl From<Square1Metric> for QuestionMetric {
    fn from(metric: Square1Metric) -> Self {
        match metric {
            Square1Metric::Twists => Self::Twists,
            Square1Metric::Wca => Self::Wca,
        }
    }
}

/// The error of a middle layer that is to be ignored in a metric that does not.
pub(super) fn middle_is_square(metric: QuestionMetric) -> Error {
    let metric = metric.name();
    Error::Usage(format!("in the metric {metric} the middle layer is square at the end: it cannot be ignored"))
}

/// What is counted, what counts as solved, and how sequences are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Square1Style {
    pub metric: Square1Metric,
    pub goal: MiddleGoal,
    notation: SequenceNotation,
}

impl Square1Style {
    fn new(
        definition: &TwistTable,
        metric: Option<QuestionMetric>,
        middle: Option<MiddleGoal>,
        notation: Option<SequenceNotation>,
    ) -> Result<Self> {
        let metric = Square1Metric::new(definition, metric)?;
        let goal = match (metric, middle) {
            (Square1Metric::Twists, middle) => middle.unwrap_or_default(),
            (Square1Metric::Wca, None | Some(MiddleGoal::Square)) => MiddleGoal::Square,
            (Square1Metric::Wca, Some(MiddleGoal::Ignored)) => {
                return Err(middle_is_square(QuestionMetric::Wca));
            }
        };
        Ok(Self { metric, goal, notation: notation.unwrap_or_default() })
    }

    fn distance<E: Entries>(self, table: &Square1Table<E>, position: &Position) -> Result<u8> {
        Ok(match self.metric {
            Square1Metric::Twists => table.distance(position, self.goal)?.twists(),
            Square1Metric::Wca => WcaDistances::new(table).distance(position)?.moves(),
        })
    }

    /// All shortest solutions.
    fn solutions<E>(self, table: Arc<Square1Table<E>>, position: &Position) -> Result<Square1SolutionList>
    where
        E: Entries + Send + 'static,
    {
        Ok(match self.metric {
            Square1Metric::Twists => Box::new(Square1Table::solutions_from(table, position, self.goal)?),
            Square1Metric::Wca => Box::new(WcaDistances::new(table).solutions(position)?),
        })
    }

    /// The first of them.
    pub fn first<E>(self, table: Arc<Square1Table<E>>, position: &Position) -> Result<Square1Solution>
    where
        E: Entries + Send + 'static,
    {
        self.solutions(table, position)?.next().expect("every position has a solution")
    }
}

/// Solutions, found one after the other.
type Square1SolutionList = Box<dyn Iterator<Item = Result<Square1Solution>> + Send>;

/// A table that answers a question.
#[derive(Debug)]
struct PreparedSquare1 {
    table: SharedSquare1Table,
    detail: Detail,
    limit: Option<u64>,
    shapes: bool,
    beyond: Option<BeyondQuestion>,
    style: Square1Style,
}

/// A position, and where it is found in the table.
#[derive(Debug, Clone, Copy)]
struct Located {
    given: GivenPosition,
    place: Place,
}

/// What is searched for beyond the depth of a table.
#[derive(Debug, Clone, Copy)]
struct BeyondQuestion {
    search: BeyondSearch,
    /// Whether it may take a moment only.
    is_cheap: bool,
}

impl BeyondQuestion {
    fn new(style: Square1Style, exact: ExactSearch) -> Self {
        let (budget, is_cheap) = match exact {
            ExactSearch::WhereCheap => (SearchBudget { nodes: Some(CHEAP_NODES), ..SearchBudget::default() }, true),
            ExactSearch::Within(budget) => (budget, false),
        };
        Self { search: BeyondSearch::new(style, budget), is_cheap }
    }
}

/// Positions that a search beyond a table's depth goes on from when it is to take a moment.
const CHEAP_NODES: u64 = 50_000;

impl PreparedSquare1 {
    /// The table with what is searched for around a position that it does not know, where that is asked for.
    ///
    /// # Errors
    /// Those of the search; [`Error::Data`] (bounded) and [`Error::Budget`] if its budget does not suffice.
    fn searched(&self, position: &Position, neighbours: bool, ctx: &Context) -> Result<Option<DeepenedTable>> {
        let Some(BeyondQuestion { search, is_cheap }) = self.beyond else { return Ok(None) };
        let search = BeyondSearch { neighbours, ..search };
        match search.reach(&self.table, position, ctx)? {
            Reach::Table => Ok(None),
            Reach::Searched(table) => Ok(Some(table)),
            Reach::AtLeast(BoundInMetric { at_least, .. }) if is_cheap => {
                let (definition, depth) = (self.table.definition(), self.table.entries().depth().unwrap_or_default());
                Err(definition.layout().far_beyond(&definition.metric().count(depth.into()), at_least))
            }
            Reach::AtLeast(bound) => Err(Error::Budget(Shortfall::OnlyBound { bound }.to_string())),
        }
    }

    /// Finds out where a position is in the table.
    fn locate(&self, given: GivenPosition) -> Located {
        Located { given, place: self.table.place(&given.position) }
    }

    /// As [`Self::locate`]; a position that is written as usual is not laid out for that.
    #[inline]
    fn locate_briefly(&self, input: &str) -> Result<(Place, Middle)> {
        let definition = self.table.definition();
        Ok(match read_list(input) {
            Some((list, middle)) => (definition.coordinate().place_of_list(&list), middle.unwrap_or(Middle::Square)),
            None => {
                let GivenPosition { position, .. } = parse(definition, input)?;
                (self.table.place(&position), position.middle())
            }
        })
    }

    /// What is known about a position.
    fn query_located(&self, located: Located, input: &str, ctx: &Context) -> Result<Answer> {
        match self.searched(&located.given.position, self.detail == Detail::Full, ctx)? {
            Some(table) => self.answer(&table, located, input, ctx),
            None => self.answer(&self.table, located, input, ctx),
        }
    }

    /// What a table tells of a position.
    fn answer<E: Entries>(
        &self,
        table: &Square1Table<E>,
        Located { given, place }: Located,
        input: &str,
        ctx: &Context,
    ) -> Result<Answer> {
        let (goal, position, full) = (self.style.goal, &given.position, self.detail == Detail::Full);
        let (distance, solutions, moves) = match self.style.metric {
            Square1Metric::Twists => {
                let distance = table.distance_at(place, position.middle(), goal)?.twists();
                let solutions = full.then(|| table.count(position, goal, ctx)).transpose()?;
                (distance, solutions, full.then(|| table.moves(position, goal).map(NextMoves::Twists)).transpose()?)
            }
            Square1Metric::Wca => {
                let wca = WcaDistances::new(table);
                let distance = wca.distance(position)?.moves();
                let solutions = full.then(|| wca.count(position, ctx)).transpose()?;
                (distance, solutions, full.then(|| wca.moves(position).map(NextMoves::Wca)).transpose()?)
            }
        };
        Ok(Answer::Square1(Square1Answer {
            input: input.to_owned(),
            definition: table.definition(),
            index: index_of(table.definition(), place),
            given,
            distance,
            solutions,
            moves,
            style: self.style,
        }))
    }
}

impl Prepared for PreparedSquare1 {
    fn read(&self, input: &str) -> Result<PuzzlePosition> {
        read(self.table.definition(), input)
    }

    fn distance(&self, position: &PuzzlePosition) -> Result<Option<u8>> {
        let given = position.of_square1(self.table.definition())?;
        Ok(Some(self.style.distance(&self.table, &given.position)?))
    }

    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer> {
        let given = *position.of_square1(self.table.definition())?;
        self.query_located(self.locate(given), input, ctx)
    }

    fn query_many(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<Answer>)) {
        let locate = |input: &str| parse(self.table.definition(), input).map(|given| self.locate(given));
        let prefetch = |located: &Located| self.table.prefetch(located.place);
        query_in_waves(inputs, locate, prefetch, |&located, input| self.query_located(located, input, ctx), each);
    }

    fn query_many_briefly(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        if self.style.metric != Square1Metric::Twists || self.beyond.is_some() {
            return query_in_brief(self, inputs, ctx, each);
        }
        let distance = |&(place, middle): &(Place, Middle), _: &str| {
            Ok(BriefAnswer::Distance(Some(self.table.distance_at(place, middle, self.style.goal)?.twists())))
        };
        let prefetch = |&(place, _): &(Place, Middle)| self.table.prefetch(place);
        query_in_waves(inputs, |input| self.locate_briefly(input), prefetch, distance, each);
    }

    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solutions> {
        let position = &position.of_square1(self.table.definition())?.position;
        let solutions = match self.searched(position, false, ctx)? {
            Some(table) => self.style.solutions(Arc::new(table), position)?,
            None => self.style.solutions(Arc::clone(&self.table), position)?,
        };
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let (input, definition, style, shapes) = (input.to_owned(), self.table.definition(), self.style, self.shapes);
        Ok(Box::new(solutions.take(limit).map(move |solution| {
            Ok(Solution::Square1(Square1SolutionReport::new(&input, definition, style, &solution?, shapes)))
        })))
    }
}

/// A table that solves: shortest solutions are read off.
#[derive(Debug)]
struct Square1Solver {
    table: SharedSquare1Table,
    style: Square1Style,
}

impl SolvedByLookUp for Square1Solver {
    const SOLVES: &str = "Square-1, solved by look-up,";

    fn read_position(&self, input: &str) -> Result<PuzzlePosition> {
        read(self.table.definition(), input)
    }

    fn first(&self, position: &PuzzlePosition, input: &str) -> Result<Solution> {
        let (definition, style) = (self.table.definition(), self.style);
        let solution = style.first(Arc::clone(&self.table), &position.of_square1(definition)?.position)?;
        Ok(Solution::Square1(Square1SolutionReport::new(input, definition, style, &solution, false)))
    }
}

/// What every next move does.
#[derive(Debug, Clone)]
pub enum NextMoves {
    /// In the metric of twists: twists, each with the turn before it, one of each two that differ by half a circle.
    Twists(Vec<TwistOutcome>),
    /// In the metric of the World Cube Association: the twist, and every turn after which one is possible.
    Wca(Vec<WcaOutcome>),
}

/// What is known about a position of the Square-1 family. As JSON: `schema/json/query.json`.
#[derive(Debug, Clone)]
pub struct Square1Answer {
    /// The position as it was given.
    pub input: String,
    given: GivenPosition,
    definition: &'static TwistTable,
    distance: u8,
    /// The index of the position in the table.
    pub index: u64,
    /// The numbers of shortest solutions.
    pub solutions: Option<SolutionCounts>,
    /// What every next move does.
    pub moves: Option<NextMoves>,
    style: Square1Style,
}

impl Square1Answer {
    /// The position.
    pub fn position(&self) -> &Position {
        &self.given.position
    }

    /// The position, and whether the input tells its middle layer.
    pub fn given(&self) -> &GivenPosition {
        &self.given
    }

    /// The position, to be shown: with its middle layer if that was given.
    pub(super) fn picture(&self) -> Picture {
        let colouring = self.definition.colouring();
        let picture = Picture::square1(self.position(), self.given.middle(), &TwistSequence::default(), colouring);
        picture.expect("nothing is made")
    }

    /// The table that was asked.
    pub fn definition(&self) -> &'static TwistTable {
        self.definition
    }

    /// The distance in the [metric](Self::metric).
    pub fn distance(&self) -> u8 {
        self.distance
    }

    /// How moves are counted.
    pub fn metric(&self) -> QuestionMetric {
        self.style.metric.into()
    }

    /// The distance as the author of the published counts numbers it; for numbers of twists alone.
    pub fn level(&self) -> Option<u8> {
        (self.style.metric == Square1Metric::Twists).then(|| self.distance + self.definition.first_level())
    }

    /// What counts as solved.
    pub fn middle_goal(&self) -> MiddleGoal {
        self.style.goal
    }

    /// How turns are written.
    pub fn notation(&self) -> SequenceNotation {
        self.style.notation
    }

    /// The numbers that Cube21's author gives the position; of Cube21 alone.
    pub fn author_index(&self) -> Option<AuthorIndex> {
        author_index(self.definition, &self.given.position)
    }
}

fn author_index(definition: &TwistTable, position: &Position) -> Option<AuthorIndex> {
    (definition.colouring() == Colouring::Cube21).then(|| AuthorIndex::of(position))
}

/// [`Square1Answer`] as JSON: what is costly to write is written only here.
#[derive(Serialize)]
struct Square1AnswerWire<'a> {
    input: &'a str,
    puzzle: &'static str,
    metric: QuestionMetric,
    distance: u8,
    middle_goal: MiddleGoal,
    middle: Option<Middle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    hex: String,
    jaap: String,
    shape: String,
    index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<SolutionCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveWire>>,
}

#[derive(Serialize)]
struct MoveWire {
    r#move: String,
    distance: u8,
    change: i8,
}

impl Serialize for Square1Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (position, notation) = (&self.given.position, self.style.notation);
        let Square1Text { hex, jaap } = Square1Text::new(&self.given);
        let written = |sequence: &TwistSequence, distance: Distance, change| {
            let r#move = notation.write(sequence);
            MoveWire { r#move, distance: distance.moves(), change }
        };
        let moves = |moves: &NextMoves| match moves {
            NextMoves::Twists(moves) => {
                moves.iter().map(|next| written(&twist_after(next.turn), next.distance, next.change)).collect()
            }
            NextMoves::Wca(moves) => {
                moves.iter().map(|next| written(&next.step.into(), next.distance, next.change)).collect()
            }
        };
        let wire = Square1AnswerWire {
            input: &self.input,
            puzzle: self.definition.puzzle(),
            metric: self.metric(),
            distance: self.distance,
            middle_goal: self.style.goal,
            middle: self.given.middle_given.then(|| position.middle()),
            level: self.level(),
            hex,
            jaap,
            shape: position.shape().name(),
            index: self.index,
            author: self.author_index().map(|index| index.to_string()),
            solutions: self.solutions,
            moves: self.moves.as_ref().map(moves),
        };
        wire.serialize(serializer)
    }
}

/// A turn, where there is one, and a twist.
fn twist_after(turn: Turn) -> TwistSequence {
    (!turn.is_none()).then_some(Step::Turn(turn)).into_iter().chain([Step::Twist]).collect()
}

/// A position in the notations for positions, with the symbol of its middle layer where that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Square1Text {
    /// Hexadecimal.
    pub hex: String,
    /// Jaap's letters.
    pub jaap: String,
}

impl Square1Text {
    /// Writes a position, turned a little where a big piece would lie across the ends of a layer: that cannot be
    /// written.
    pub fn new(GivenPosition { position, middle_given }: &GivenPosition) -> Self {
        let whole = position.turn(position.unstraddling_turn());
        let mut hex = hex::print_with_middle(&whole).unwrap_or_default();
        let mut jaap = jaap::print(&whole).unwrap_or_default();
        if !middle_given {
            // Both end with the symbol.
            hex.pop();
            jaap.pop();
        }
        Self { hex, jaap }
    }
}

/// A solution of a position of the Square-1 family: `schema/json/solution.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Square1SolutionReport {
    /// The position as it was given.
    pub input: String,
    /// The puzzle.
    pub puzzle: &'static str,
    /// The length in the metric.
    pub length: usize,
    /// How moves are counted.
    pub metric: QuestionMetric,
    /// What counts as solved.
    pub middle_goal: MiddleGoal,
    /// The sequence.
    pub solution: String,
    /// The shapes at the start and after each twist, where they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<Vec<String>>,
    /// Whether all of them are cube shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stays_in_cube_shape: Option<bool>,
    /// What the search proved and took, where it was searched for.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub search: Option<FaceSearchReport>,
}

impl Square1SolutionReport {
    pub(super) fn new(
        input: &str,
        definition: &'static TwistTable,
        style: Square1Style,
        solution: &Square1Solution,
        shapes: bool,
    ) -> Self {
        Self {
            input: input.to_owned(),
            puzzle: definition.puzzle(),
            length: style.metric.length(solution.sequence()),
            metric: style.metric.into(),
            middle_goal: style.goal,
            solution: style.notation.write(solution.sequence()),
            shapes: shapes.then(|| solution.shapes().iter().map(|shape| shape.name()).collect()),
            stays_in_cube_shape: shapes.then(|| solution.stays_in_cube_shape()),
            search: None,
        }
    }
}

/// A position of the Square-1 family in all notations: `schema/json/random.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Square1PositionReport {
    /// The puzzle.
    pub puzzle: &'static str,
    /// The position, written.
    #[serde(flatten)]
    pub position: Square1Text,
    /// The middle layer, where it is known.
    pub middle: Option<Middle>,
    /// The numbers that Cube21's author gives it; of Cube21 alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The moves of the walk that leads there, where it is the end of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
}

impl Square1PositionReport {
    pub(super) fn new(definition: &'static TwistTable, given: &GivenPosition, moves: Option<String>) -> Self {
        let middle = given.middle_given.then(|| given.position.middle());
        let author = author_index(definition, &given.position).map(|index| index.to_string());
        Self { puzzle: definition.puzzle(), position: Square1Text::new(given), middle, author, moves }
    }
}
