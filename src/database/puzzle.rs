//! Questions about any puzzle.

use std::fmt::Debug;

use super::TableId;
use super::answers::{Answer, BriefAnswer, PositionReport, Solution};
use super::arrays::PuzzleArrays;
use super::batch::{BatchEnd, BatchStop, LineSolution, LineSolved, SolveBatch};
use super::line_batch;
use super::lines::LineReader;
use super::metric::QuestionMetric;
use super::named::Named;
use super::position::PuzzlePosition;
use super::puzzle_info::{noun, refuse_foreign};
use super::random::{RandomRequest, Scrambles};
use super::solving::{ExactSearch, SolveEvent, SolveRequest, Solved};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;

/// A puzzle of a [`Database`](super::Database), by its name. It opens tables on first use and reuses them. The next question notices a
/// table that was built or rebuilt. Threads can share a puzzle for the life of the process.
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
/// use twistbase::{Context, Database, Question};
///
/// let folder = tempfile::tempdir().unwrap();
/// let puzzle = Database::open(folder.path())?.building_missing(true).puzzle("square1-corners")?;
/// let answer = puzzle.query("(1,0)/(3,3)/(-3,0)/", &Question::default(), &Context::silent())?;
/// assert_eq!(answer.distance(), Some(3));
/// assert_eq!(serde_json::to_value(&answer).unwrap()["distance"], 3);
/// for solution in puzzle.solutions("(1,0)/(3,3)/(-3,0)/", &Question::default(), &Context::silent())? {
///     println!("{}", solution?.moves());
/// }
/// # Ok::<(), twistbase::Error>(())
/// ```
pub trait Puzzle: Send + Sync + Debug {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Its tables.
    fn tables(&self) -> Vec<TableId>;

    /// Reads a position in any notation.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason.
    fn read(&self, input: &str) -> Result<PuzzlePosition>;

    /// Opens the tables for a question about any number of positions. They stay the same, even if a table is rebuilt meanwhile.
    ///
    /// # Errors
    /// [`Error::Usage`] for options that the puzzle does not have; [`Error::Data`] if a table is missing or unusable; those of a build,
    /// if the database [builds missing tables](super::Database::building_missing).
    fn prepare(&self, question: &Question, ctx: &Context) -> Result<Box<dyn Prepared>>;

    /// Whether [`prepare`](Self::prepare) may take much longer than opening a table: it makes tables in memory, for a search or for a goal
    /// without a name.
    fn prepares_long(&self, question: &Question) -> bool {
        let _ = question;
        false
    }

    /// Answers a question about one position. Reports an invalid position before it opens or builds any table.
    ///
    /// # Errors
    /// Those of [`Puzzle::read`], [`Puzzle::prepare`] and [`Prepared::query_position`].
    fn query(&self, input: &str, question: &Question, ctx: &Context) -> Result<Answer> {
        let position = self.read(input)?;
        self.prepare(question, ctx)?.query_position(&position, input, ctx)
    }

    /// Rejects a position whose solutions no table can list, before opening or building a table.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason: a position of the Rubik's cube that is not in H. [`Error::Usage`] for a question that the
    /// puzzle does not have.
    fn check_listed(&self, position: &PuzzlePosition, input: &str, question: &Question) -> Result<()> {
        let _ = (position, input, question);
        Ok(())
    }

    /// All shortest solutions of one position.
    ///
    /// # Errors
    /// Those of [`Puzzle::read`], [`Puzzle::check_listed`], [`Puzzle::prepare`] and [`Prepared::solutions_of_position`].
    fn solutions(&self, input: &str, question: &Question, ctx: &Context) -> Result<Solutions> {
        let (position, question) = (self.read(input)?, Question { solutions: true, ..question.clone() });
        self.check_listed(&position, input, &question)?;
        self.prepare(&question, ctx)?.solutions_of_position(&position, input, ctx)
    }

    /// Opens a solver for any number of positions.
    ///
    /// # Errors
    /// As [`Puzzle::prepare`].
    fn solver(&self, request: &SolveRequest, ctx: &Context) -> Result<Box<dyn Solver>>;

    /// Solves one position on all threads; calls `on` for each event of the search.
    ///
    /// A solver that finds one solution returns the best ([`Solved::solution`]). The optimal search of the Rubik's cube, which can
    /// list many, returns a summary: its solutions come only through `on`, as they are found.
    ///
    /// ```no_run
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_database::{self as database, *}; }
    /// use twistbase::database::{SolveEvent, SolveMethod, SolveRequest};
    /// use twistbase::{Context, Database};
    ///
    /// # fn main() -> twistbase::Result<()> {
    /// let cube = Database::open("/var/lib/twistbase")?.building_missing(true).puzzle("cube3")?;
    /// let (position, ctx) = ("R U F2 D' L B2 R'", Context::silent());
    /// let solved = cube.solve(position, &SolveRequest::default(), &ctx, &mut |_| {})?;
    /// println!("{}", solved.solution().expect("the default finds one").moves());
    /// let request = SolveRequest { method: Some(SolveMethod::Optimal), extra: Some(0), ..SolveRequest::default() };
    /// cube.solve(position, &request, &ctx, &mut |event| {
    ///     if let SolveEvent::Solution(shortest) = event {
    ///         println!("{}", shortest.moves());
    ///     }
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Puzzle::read`], [`Puzzle::solver`] and [`Solver::solve_position`].
    fn solve(&self, input: &str, request: &SolveRequest, ctx: &Context, on: OnSolve<'_>) -> Result<Solved> {
        let position = self.read(input)?;
        self.solver(request, ctx)?.solve_position(&position, input, ctx, on)
    }

    /// Endless random positions. The same seed gives the same positions.
    ///
    /// # Errors
    /// [`Error::Usage`] for what the puzzle does not have.
    fn random(&self, request: &RandomRequest, seed: u64) -> Result<Box<dyn Iterator<Item = PositionReport> + Send>>;

    /// Competition scrambles by the rules of the World Cube Association, without end: random states, all equally likely except
    /// those nearer to solved than the rules allow, each with moves that lead there. The same seed gives the same scrambles.
    ///
    /// - `cube3`: states at least 2 moves from solved, by the two-phase solver: about 20 moves.
    /// - `cube2`: states at least 4 moves from solved, by a shortest sequence of U, R and F.
    /// - `pyraminx`, `pyraminx-tips`, `skewb`: states at least 6, 6 and 7 moves from solved, by a shortest sequence; turns of tips
    ///   are its last.
    /// - Other puzzles that are data have no competitions: all states, each by a shortest sequence.
    /// - `square1`: states at least 11 moves from solved in WCA's metric, by a shortest sequence. A state is a position that can
    ///   be twisted as it stands.
    ///
    /// With a [`state`](RandomRequest::state), `cube3` has all positions of the case, also those near solved.
    ///
    /// # Errors
    /// [`Error::Usage`] for other choices of the request. [`Error::ForeignOptions`] for `cube21` and `square1-corners`. Those of opening
    /// the tables, and of a build if the database [builds missing tables](super::Database::building_missing). The iterator's items can
    /// fail like questions and searches.
    fn scrambles(&self, request: &RandomRequest, seed: u64, ctx: &Context) -> Result<Scrambles> {
        let _ = (request, seed, ctx);
        Err(Error::ForeignOptions { options: vec!["scramble"], of: noun(self.name()) })
    }

    /// Many positions at once, as arrays of numbers. Needs no table.
    fn arrays(&self) -> Box<dyn PuzzleArrays>;
}

/// All shortest solutions, found one at a time and not stored.
pub type Solutions = Box<dyn Iterator<Item = Result<Solution>> + Send>;

/// Receives the brief form of whole answers to some inputs.
pub(super) fn query_in_brief(
    prepared: &(impl Prepared + ?Sized),
    inputs: &[&str],
    ctx: &Context,
    each: &mut dyn FnMut(&str, Result<BriefAnswer>),
) {
    prepared.query_many(inputs, ctx, &mut |input, answer| each(input, answer.map(|answer| answer.brief())));
}

/// Opened tables that answer a [`Question`].
pub trait Prepared: Send + Sync + Debug {
    /// Reads a position in any notation.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason.
    fn read(&self, input: &str) -> Result<PuzzlePosition>;

    /// Answers a question about a position; the answer reports it as `input`.
    ///
    /// # Errors
    /// Those of the tables; [`Error::Interrupted`]; [`Error::Usage`] for a position of another puzzle; [`Error::Invalid`] for one
    /// outside the table.
    fn query_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Answer>;

    /// Whether an answer about a position can need a search, which takes much longer than looking it up.
    fn may_search(&self) -> bool {
        false
    }

    /// All shortest solutions of a position, up to the question's limit; they report it as `input`.
    ///
    /// # Errors
    /// As [`Prepared::query_position`]; the items can fail in the same ways.
    fn solutions_of_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solutions>;

    /// Answers a question about a position.
    ///
    /// # Errors
    /// Those of [`Prepared::read`] and [`Prepared::query_position`].
    fn query(&self, input: &str, ctx: &Context) -> Result<Answer> {
        self.query_position(&self.read(input)?, input, ctx)
    }

    /// Answers questions about some positions: calls `each` with every input and its answer or error, in order. For brief answers to
    /// some hundred positions this is faster than single questions.
    fn query_many(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<Answer>)) {
        inputs.iter().for_each(|input| each(input, self.query(input, ctx)));
    }

    /// The distances of some positions, like [`Prepared::query_many`] but with nothing else: the fastest way.
    fn query_many_briefly(&self, inputs: &[&str], ctx: &Context, each: &mut dyn FnMut(&str, Result<BriefAnswer>)) {
        query_in_brief(self, inputs, ctx, each);
    }

    /// All shortest solutions of a position, up to the question's limit.
    ///
    /// # Errors
    /// Those of [`Prepared::read`] and [`Prepared::solutions_of_position`].
    fn solutions(&self, input: &str, ctx: &Context) -> Result<Solutions> {
        self.solutions_of_position(&self.read(input)?, input, ctx)
    }

    /// A shortest solution of a position, which reports it as `input`.
    #[doc(hidden)]
    fn first(&self, position: &PuzzlePosition, input: &str, ctx: &Context) -> Result<Solution> {
        self.solutions_of_position(position, input, ctx)?.next().expect("every position has a solution")
    }
}

/// Hears of the events of a search.
pub type OnSolve<'a> = &'a mut (dyn FnMut(SolveEvent) + Send);

/// Takes the lines of a batch that are solved.
pub type OnLine<'a> = &'a mut (dyn FnMut(LineSolved) -> Result<(), BatchStop> + Send);

/// The threads and the time that a position gets.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Effort<'a> {
    /// All threads: it is the only position.
    Alone,
    /// One thread: it is a line of many. The function returns whether a thread will soon be idle and may help; this call may take as
    /// long as a short search.
    Line(&'a dyn Fn() -> bool),
}

impl Effort<'_> {
    /// Whether it is the only position.
    pub(super) fn is_alone(self) -> bool {
        matches!(self, Self::Alone)
    }

    /// Whether all threads search for it.
    pub(super) fn is_parallel(self) -> bool {
        match self {
            Self::Alone => true,
            Self::Line(is_last) => is_last(),
        }
    }
}

/// A position to solve; solutions report it as `input`.
#[doc(hidden)]
pub struct SolveTask<'a> {
    pub position: &'a PuzzlePosition,
    pub input: &'a str,
    pub effort: Effort<'a>,
    pub ctx: &'a Context,
    pub on: OnSolve<'a>,
}

/// Opened tables that solve.
pub trait Solver: Send + Sync + Debug {
    /// The solver's name in errors about options of batches.
    #[doc(hidden)]
    fn noun(&self) -> &'static str;

    /// Solves a position.
    #[doc(hidden)]
    fn search(&self, task: SolveTask<'_>) -> Result<Solved>;

    /// Solves a line of a batch.
    #[doc(hidden)]
    fn solve_line(&self, _number: u64, input: &str, is_last: &dyn Fn() -> bool, ctx: &Context) -> Result<LineSolution> {
        let (position, effort) = (&self.read(input)?, Effort::Line(is_last));
        let solved = self.search(SolveTask { position, input, effort, ctx, on: &mut |_| {} })?;
        ctx.check()?;
        LineSolution::of(solved)
    }

    /// Reads a position in any notation.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every reason.
    fn read(&self, input: &str) -> Result<PuzzlePosition>;

    /// Solves a position on all threads; solutions report it as `input`.
    ///
    /// # Errors
    /// Those of the tables; [`Error::Interrupted`] if nothing was found by then; [`Error::Usage`] for a position of another
    /// puzzle, and if cube and goal have different colour schemes; [`Error::Invalid`] for one that the method cannot solve.
    fn solve_position(&self, position: &PuzzlePosition, input: &str, ctx: &Context, on: OnSolve<'_>) -> Result<Solved> {
        self.search(SolveTask { position, input, effort: Effort::Alone, ctx, on })
    }

    /// Solves a position on all threads.
    ///
    /// # Errors
    /// Those of [`Solver::read`] and [`Solver::solve_position`].
    fn solve(&self, input: &str, ctx: &Context, on: OnSolve<'_>) -> Result<Solved> {
        self.solve_position(&self.read(input)?, input, ctx, on)
    }

    /// Solves the positions on the lines of `input`, many in parallel. Calls `each` with one answer for each line that is neither blank
    /// nor a comment, in order unless the batch is unordered. This occupies all threads of the caller's rayon pool: the source of the
    /// lines must not need them.
    ///
    /// # Errors
    /// [`BatchEnd::Failed`] if the input or the result file fails; [`BatchEnd::Stopped`] with the error of `each`, which ends the batch.
    fn solve_lines(
        &self,
        input: LineReader,
        batch: &SolveBatch,
        ctx: &Context,
        each: OnLine<'_>,
    ) -> Result<(), BatchEnd> {
        batch.refuse_results(self.noun())?;
        line_batch::run(self, &input, None, batch, ctx, each)
    }
}

/// The level of detail of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Detail {
    /// The distance only.
    Brief,
    /// Also the number of shortest solutions, and the distance after every next move.
    #[default]
    Full,
}

impl Named for Detail {
    const WHAT: &'static str = "detail";
    const NAMES: &'static [(&'static str, Self)] = &[("brief", Self::Brief), ("full", Self::Full)];
}

/// A question about positions. A puzzle rejects options that it does not have.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The level of detail.
    pub detail: Detail,
    /// Whether to list solutions: this decides which tables are needed.
    pub solutions: bool,
    /// Maximum number of solutions of each position.
    pub limit: Option<u64>,
    /// Another goal than solved, by its name: one of the puzzle's [goals](super::PuzzleInfo::goals), as the cube is held. `cross:R` has the
    /// cross on R, `eo:UD` another axis, either way round, and `cross:any` is the nearest of all sides. On the 2×2×2 a side is a colour:
    /// `face:R` is the face of the colour R, wherever it is. Goals of Square-1 have no sides.
    pub goal: Option<String>,
    /// The metric; default: the first in the puzzle's [information](super::PuzzleInfo::metrics).
    pub metric: Option<QuestionMetric>,
    /// Use only this table (cubes); default: all that exist.
    pub table: Option<TableId>,
    /// Whether to search for a distance that no table holds: on the Rubik's cube, and in the Square-1 family (in twists) beyond the
    /// depth of a table. Default: no.
    pub exact: Option<ExactSearch>,
    /// The middle layer of the solved puzzle (Square-1 family). Default: ignored, but square in the metric
    /// [`Wca`](QuestionMetric::Wca).
    pub middle: Option<MiddleGoal>,
    /// The notation of turns and sequences (Square-1 family).
    pub notation: Option<SequenceNotation>,
    /// Whether solutions list their shapes (Square-1 family).
    pub shapes: bool,
}

impl Question {
    /// The options that not every puzzle has, each with whether it was given.
    fn options(&self) -> [(&'static str, bool); 7] {
        [
            ("goal", self.goal.is_some()),
            ("exact", matches!(self.exact, Some(ExactSearch::Within(_)))),
            ("middle", self.middle.is_some()),
            ("notation", self.notation.is_some()),
            ("shapes", self.shapes),
            ("metric", self.metric.is_some()),
            ("table", self.table.is_some()),
        ]
    }

    /// Rejects options outside `own`. `of` names the owner in errors, for instance "the puzzle cube3".
    pub(super) fn refuse_foreign(&self, of: &str, own: &[&str]) -> Result<()> {
        refuse_foreign(of, &self.options(), own)
    }
}

/// A limit of a list as a count; `None` means no limit.
pub(super) fn count_of(limit: Option<u64>) -> usize {
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}
