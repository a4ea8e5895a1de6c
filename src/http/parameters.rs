//! Parameters of requests, from their query strings.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::Service;
use super::problem::HttpProblem;
use super::query_string::{self, Between};
use twistbase_core::error::Error;
use twistbase_database::{
    AnalysisRequest, CubeState, Detail, ExactSearch, InsertionsRequest, Named, Niss, Puzzle, Question, QuestionMetric,
    RandomRequest, SearchBudget, SolveMethod, SolveRequest, StepsRequest, TableId,
};
use twistbase_picture::{ColourScheme, Viewpoint};
use twistbase_puzzle::cube3::Metric;
use twistbase_puzzle::square1::notation::SequenceNotation;
use twistbase_query::MiddleGoal;
use twistbase_solve::{LONGEST, LONGEST_SEARCH};

/// A number with no limit but the type's.
type AnyNumber = Between<u64, 0, { u64::MAX }>;
/// A number of solutions, at least one.
type ListLimit = Between<u64, 1, { u64::MAX }>;
/// A target length for the Rubik's cube, for every method but optimal.
type TargetLength = Between<u8, 0, { LONGEST as u64 }>;
/// Maximum depth of an optimal search.
type SearchLength = Between<u8, 0, { LONGEST_SEARCH as u64 }>;
/// Maximum length of a solution.
type LongestSolution = Between<u8, 0, { u8::MAX as u64 }>;
/// Sequences to continue after a step: up to a number that takes some seconds.
type StepsWidth = Between<u16, 1, 2000>;
/// A number of insertions.
type NumberOfInsertions = Between<u8, 1, 2>;
/// Moves that replace a stretch of a skeleton: up to a number that takes some seconds.
type LongestInsertion = Between<u8, 1, 13>;
/// First insertions that are tried: up to a number that takes some seconds.
type InsertionsWidth = Between<u16, 1, 500>;
/// Length of a random walk.
type WalkLength = Between<u16, 0, { RandomRequest::LONGEST_WALK as u64 }>;

/// The query string of a request. Rejects unknown parameters with 422.
pub(super) struct Parameters<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = HttpProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpProblem> {
        query_string::read(&parts.uri).map(Self).map_err(|error| HttpProblem::usage(error.to_string()))
    }
}

/// A name in the path of an address. A path that is not text gives 404.
pub(super) struct NameInPath(pub String);

impl<S: Send + Sync> FromRequestParts<S> for NameInPath {
    type Rejection = HttpProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpProblem> {
        let name = Path::from_request_parts(parts, state).await;
        name.map(|Path(name)| Self(name)).map_err(|_| HttpProblem::nothing_here())
    }
}

/// A request about the puzzle that its path names. Rejects unknown puzzles with 404.
pub(super) struct Asked<T> {
    pub service: Arc<Service>,
    pub puzzle: Arc<dyn Puzzle>,
    pub asked: T,
}

impl<T: DeserializeOwned> FromRequestParts<Arc<Service>> for Asked<T> {
    type Rejection = HttpProblem;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, HttpProblem> {
        let NameInPath(name) = NameInPath::from_request_parts(parts, service).await?;
        let Parameters(asked) = Parameters::from_request_parts(parts, service).await?;
        Ok(Self { service: Arc::clone(service), puzzle: service.puzzle(&name)?, asked })
    }
}

/// A value by its name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Name<T>(pub T);

impl<'de, T: Named> Deserialize<'de> for Name<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        T::named(&name).map(Self).map_err(|_| {
            let names: Vec<_> = T::NAMES.iter().map(|(name, _)| *name).collect();
            D::Error::custom(format_args!("one of {}", names.join(", ")))
        })
    }
}

/// A table by its name.
fn table(name: Option<&String>) -> Result<Option<TableId>, Error> {
    name.map(|name| name.parse()).transpose()
}

/// A value that is true or false, read after the others.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct LateFlag(String);

impl LateFlag {
    /// The value of the parameter `name`.
    fn read(&self, name: &str) -> Result<bool, HttpProblem> {
        let Self(given) = self;
        given.parse().map_err(|_| HttpProblem::usage(format!("?{name}= is true or false, not {given:?}")))
    }
}

/// A time in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seconds(Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = String::deserialize(deserializer)?.parse().ok();
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).filter(|time| !time.is_zero());
        time.map(Self).ok_or_else(|| D::Error::custom("a number of seconds, such as 2.5"))
    }
}

impl Seconds {
    /// The time, if it ends before that of the server: the best answer so far is found then.
    ///
    /// # Errors
    /// 413 for a longer one.
    fn within(self, limit: Duration) -> Result<Duration, HttpProblem> {
        match self.0 < limit {
            true => Ok(self.0),
            false => Err(HttpProblem::too_large(format!("?time= must be less than {} s", limit.as_secs_f64()))),
        }
    }
}

/// A parameter, as the API's description has it.
pub(super) struct ParameterInfo {
    pub name: &'static str,
    /// JSON Schema of the value.
    pub schema: Value,
    pub description: &'static str,
}

/// A structure of parameters.
pub(super) trait DescribedParameters {
    /// Its parameters, in order.
    fn parameters() -> Vec<ParameterInfo>;
}

/// A type of values.
trait ParameterType {
    /// JSON Schema of the value.
    fn schema() -> Value;
}

impl ParameterType for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl ParameterType for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl ParameterType for LateFlag {
    fn schema() -> Value {
        bool::schema()
    }
}

impl ParameterType for Seconds {
    fn schema() -> Value {
        json!({ "type": "number", "exclusiveMinimum": 0 })
    }
}

impl<T: ParameterType> ParameterType for Option<T> {
    fn schema() -> Value {
        T::schema()
    }
}

impl<T, const LEAST: u64, const MOST: u64> ParameterType for Between<T, LEAST, MOST> {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

impl<T: Named> ParameterType for Name<T> {
    fn schema() -> Value {
        json!({ "enum": T::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>() })
    }
}

/// The descriptions of parameters that several structures have. A parameter's own comment comes first.
const COMMON: [(&str, &str); 8] = [
    ("position", "The position, in any notation of its puzzle."),
    ("normalize", "Cubes: first turn the cube until white is up and green in front."),
    (
        "goal",
        "What to reach instead of solved: the name of a goal, such as cross; puzzles lists those of each. On cubes cross:R has the cross on R, eo:UD another axis, cross:any is the nearest of all sides. Or a pattern of the Rubik's cube: 54 facelets with ? or . for stickers that do not matter. Or what counts of a puzzle that is data: only UF,UR (pieces), ignore CENTER (orbits) or up-to U,R2 (moves).",
    ),
    ("metric", "A metric of the puzzle. Default: its first."),
    (
        "table",
        "A table of the puzzle, in the metric of the request. query (cube3 only): use only this table. solutions (cube3 only, phase2-exact): list solutions inside H = <U, D, R2, F2, L2, B2>. solve: guide the search with this table. Default: query uses all tables that exist, solve the strongest one, stats and rows the puzzle's first.",
    ),
    ("middle", "Middle layer of a solved Square-1: any (ignored) or square."),
    ("notation", "Notation for sequences of Square-1."),
    ("colours", "The colour scheme."),
];

/// The description of a parameter: its comment, or the common one.
fn description(name: &str, comment: &'static str) -> &'static str {
    match comment.trim() {
        "" => COMMON.iter().find(|(common, _)| *common == name).map_or("", |(_, text)| text),
        own => own,
    }
}

/// The text of an attribute, if it is a comment.
macro_rules! comment {
    (doc = $text:literal) => {
        $text
    };
    ($($other:tt)*) => {
        ""
    };
}

/// Declares structures of parameters once, for the parser and for the API's description.
macro_rules! parameters {
    ($($(#[$of_all:meta])* $all:ident { $($(#[$($of_one:tt)*])* $name:ident: $kind:ty,)* })*) => { $(
        $(#[$of_all])*
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $all {
            $($(#[$($of_one)*])* pub $name: $kind,)*
        }

        impl DescribedParameters for $all {
            fn parameters() -> Vec<ParameterInfo> {
                vec![$(ParameterInfo {
                    name: stringify!($name),
                    schema: <$kind>::schema(),
                    description: description(stringify!($name), concat!($(comment!($($of_one)*)),*)),
                }),*]
            }
        }
    )* };
}

parameters! {
    /// No parameters.
    NoParameters {}

    /// Parameters of a query.
    QuestionParameters {
        // A batch rejects these two: its positions are lines of the body.
        position: Option<String>,
        normalize: Option<LateFlag>,
        /// Whether to search briefly for a distance that no table holds. This concerns the Rubik's cube, puzzles without a table, and a
        /// Square-1 table built to a limited depth. Default: true; false for a batch and with ?table=. solve searches to the end.
        exact: Option<LateFlag>,
        /// Level of detail: brief (the distance alone) or full (also a solution and the next moves). Default: full, also for a batch.
        #[serde(default)]
        detail: Name<Detail>,
        goal: Option<String>,
        metric: Option<Name<QuestionMetric>>,
        table: Option<String>,
        middle: Option<Name<MiddleGoal>>,
        notation: Option<Name<SequenceNotation>>,
    }

    /// Parameters of a list of solutions. With a table: the Rubik's cube inside H.
    SolutionsParameters {
        position: String,
        #[serde(default)]
        normalize: bool,
        goal: Option<String>,
        metric: Option<Name<QuestionMetric>>,
        table: Option<String>,
        middle: Option<Name<MiddleGoal>>,
        notation: Option<Name<SequenceNotation>>,
        /// Whether solutions of Square-1 list the shapes along the way.
        #[serde(default)]
        shapes: bool,
        /// Maximum number of solutions. Default and upper limit: the server's --listed. The last line reports as truncated whether
        /// there are more.
        limit: Option<ListLimit>,
    }

    /// Parameters of a search.
    SolveParameters {
        position: String,
        #[serde(default)]
        normalize: bool,
        /// How to solve a position of the Rubik's cube. Default: auto, a shortest solution if about a second is enough, else as two-phase.
        method: Option<Name<SolveMethod>>,
        metric: Option<Name<QuestionMetric>>,
        /// What to reach instead of solved: the name of a goal, as in a question, for a shortest way there. Rubik's cube: also a pattern. Or a
        /// position in any notation, as a pattern of colours: it is turned until it is held like the start.
        goal: Option<String>,
        /// Maximum number of nodes of the search.
        max_nodes: Option<AnyNumber>,
        /// Stop at a solution of this length.
        target: Option<TargetLength>,
        table: Option<String>,
        /// Find all shortest solutions (method=optimal; puzzles that are data), like extra=0. extra takes precedence.
        #[serde(default)]
        all: bool,
        /// Find all solutions with up to this many moves more than the shortest (method=optimal; puzzles that are data).
        extra: Option<SearchLength>,
        /// Maximum number of solutions. Default and upper limit: the server's --listed. The event solved reports as complete whether
        /// these are all.
        limit: Option<ListLimit>,
        /// Maximum length of a solution.
        max_depth: Option<LongestSolution>,
        middle: Option<Name<MiddleGoal>>,
        notation: Option<Name<SequenceNotation>>,
    }

    /// Parameters of a solution in steps.
    StepsParameters {
        position: String,
        /// Goals separated by >, each reached from the one before, with numbers of moves if wanted: eo ..4 > dr > htr > finish. Default:
        /// eo > dr > htr > finish.
        steps: Option<String>,
        /// Whether steps are made on the inverse, too: never, each step on one side (before), or on both (always). Default: before.
        #[serde(default)]
        niss: Name<Niss>,
        /// Maximum number of solutions. Default: 1; upper limit: the server's --listed.
        count: Option<ListLimit>,
        /// Number of sequences to continue after each step. More take longer. Default: 500.
        width: Option<StepsWidth>,
        /// Widen the search for this number of seconds, less than the server's --search-time. Default: only one search.
        time: Option<Seconds>,
    }

    /// Parameters of insertions.
    InsertionsParameters {
        position: String,
        /// Moves that nearly solve the position.
        skeleton: String,
        /// Maximum number of insertions. Default: 1.
        insertions: Option<NumberOfInsertions>,
        /// Maximum number of moves that replace a stretch of the skeleton. Default: 12.
        longest: Option<LongestInsertion>,
        /// Maximum number of solutions. Default: 1; upper limit: the server's --listed.
        count: Option<ListLimit>,
        /// How many first insertions are tried, of two: more take longer. Default: 100.
        width: Option<InsertionsWidth>,
        /// End the search after this number of seconds, less than the server's --search-time, with the best so far. Default: no end.
        time: Option<Seconds>,
    }

    /// Parameters of an analysis.
    AnalysisParameters {
        position: String,
        #[serde(default)]
        normalize: bool,
        /// Whether to search for a shortest solution, too, until the server's --search-time or max_nodes.
        #[serde(default)]
        optimal: bool,
        /// Maximum number of nodes of the search.
        max_nodes: Option<AnyNumber>,
    }

    /// Parameters of random positions.
    RandomParameters {
        /// Number of positions. Default: 1.
        n: Option<AnyNumber>,
        /// The same seed gives the same positions.
        seed: Option<AnyNumber>,
        /// Take the ends of random walks of this many moves.
        walk: Option<WalkLength>,
        /// Competition scrambles by the rules of the World Cube Association: random states, with the moves to reach them. Not for
        /// Cube21 and the corners of Square-1; other puzzles without competitions have all states.
        #[serde(default)]
        scramble: bool,
        /// Another name for scramble.
        #[serde(default)]
        wca: bool,
        /// Only positions of the Rubik's cube in H = <U, D, R2, F2, L2, B2>.
        #[serde(default)]
        in_h: bool,
        /// Only positions of the Rubik's cube of a case: ll, zbll, pll (last layer), dr, htr, 2gen, or a goal reached, such as cross. All
        /// are equally likely; with scramble, moves that lead to them.
        state: Option<String>,
        /// Metric of a walk of a cube.
        metric: Option<Name<Metric>>,
    }

    /// Parameters of a distribution.
    StatsParameters {
        table: Option<String>,
    }

    /// Parameters of a picture.
    PictureParameters {
        position: String,
        #[serde(default)]
        normalize: bool,
        /// The view: flat (an unfolded plan) or perspective.
        #[serde(default)]
        view: Name<Viewpoint>,
        #[serde(default)]
        colours: Name<ColourScheme>,
    }

    /// Parameters of a scene.
    SceneParameters {
        position: String,
        #[serde(default)]
        normalize: bool,
        /// Moves to make from the position.
        #[serde(default)]
        moves: String,
        #[serde(default)]
        colours: Name<ColourScheme>,
    }
}

impl QuestionParameters {
    /// The usual question about a position.
    pub fn about(position: String) -> Self {
        Self { position: Some(position), ..Self::default() }
    }

    /// The position; an error if it is missing.
    pub fn position(&self) -> Result<String, HttpProblem> {
        self.position.clone().ok_or_else(|| HttpProblem::usage("?position= is missing".to_owned()))
    }

    /// The question.
    pub fn question(&self) -> Result<Question, HttpProblem> {
        Ok(Question {
            detail: self.detail.0,
            goal: self.goal.clone(),
            metric: self.metric.map(|Name(value)| value),
            table: table(self.table.as_ref())?,
            exact: self.is_searched()?.then_some(ExactSearch::WhereCheap),
            middle: self.middle.map(|Name(value)| value),
            notation: self.notation.map(|Name(value)| value),
            ..Question::default()
        })
    }

    /// Whether to turn the cube first.
    pub fn is_normalized(&self) -> Result<bool, HttpProblem> {
        self.normalize.as_ref().map_or(Ok(false), |given| given.read("normalize"))
    }

    /// Whether to search for a distance that no table holds: for one position, without ?table=.
    fn is_searched(&self) -> Result<bool, HttpProblem> {
        let is_plain = self.position.is_some() && self.table.is_none();
        self.exact.as_ref().map_or(Ok(is_plain), |given| given.read("exact"))
    }
}

impl SolutionsParameters {
    /// Maximum number of solutions: the requested limit, up to `most`.
    pub fn limit(&self, most: u64) -> u64 {
        self.limit.map_or(most, |Between(limit)| limit.min(most))
    }

    /// The question, with a maximum number of solutions.
    ///
    /// # Errors
    /// For an unknown table.
    pub fn question(&self, limit: u64) -> Result<Question, HttpProblem> {
        Ok(Question {
            solutions: true,
            limit: Some(limit),
            goal: self.goal.clone(),
            exact: Some(ExactSearch::WhereCheap),
            table: table(self.table.as_ref())?,
            metric: self.metric.map(|Name(value)| value),
            middle: self.middle.map(|Name(value)| value),
            notation: self.notation.map(|Name(value)| value),
            shapes: self.shapes,
            ..Question::default()
        })
    }
}

impl SolveParameters {
    /// The question, with a maximum number of solutions.
    pub fn request(&self, most: u64) -> Result<SolveRequest, HttpProblem> {
        let extra = self.extra.map(|Between(moves)| moves).or(self.all.then_some(0));
        let limit = self.limit.map(|Between(limit)| limit);
        Ok(SolveRequest {
            method: self.method.map(|Name(value)| value),
            metric: self.metric.map(|Name(value)| value),
            goal: self.goal.clone(),
            budget: SearchBudget { time: None, nodes: self.max_nodes.map(|Between(nodes)| nodes) },
            target: self.target.map(|Between(length)| length),
            table: table(self.table.as_ref())?,
            // The server opens each table once, for all searches.
            mapped: false,
            extra,
            // A search for one solution rejects an explicit limit.
            limit: if extra.is_some() { Some(limit.unwrap_or(most).min(most)) } else { limit },
            max_depth: self.max_depth.map(|Between(depth)| depth),
            // The server limits it.
            memory: None,
            middle: self.middle.map(|Name(value)| value),
            notation: self.notation.map(|Name(value)| value),
        })
    }

    /// An error of the solver, with the names of the parameters.
    pub fn refusal(&self, error: Error) -> HttpProblem {
        let Error::ForeignOptions { mut options, of } = error else { return error.into() };
        options.retain(|&option| option != "limit" || self.limit.is_some());
        for option in options.iter_mut().filter(|option| **option == "extra" && self.extra.is_none()) {
            *option = "all";
        }
        Error::ForeignOptions { options, of }.into()
    }
}

impl StepsParameters {
    /// The question, with a maximum number of solutions and a time that ends before that of the server.
    ///
    /// # Errors
    /// For steps that are none, and for a longer time.
    pub fn request(&self, most: u64, limit: Duration) -> Result<StepsRequest, HttpProblem> {
        let StepsRequest { plan, count, width, .. } = StepsRequest::default();
        Ok(StepsRequest {
            plan: self.steps.as_deref().map_or(Ok(plan), str::parse)?,
            niss: self.niss.0,
            count: self.count.map_or(count, |Between(count)| count.min(most) as usize),
            width: self.width.map_or(width, |Between(width)| width.into()),
            time: self.time.map(|time| time.within(limit)).transpose()?,
        })
    }
}

impl InsertionsParameters {
    /// The question, with a maximum number of solutions and a time that ends before that of the server.
    ///
    /// # Errors
    /// For a longer time.
    pub fn request(&self, most: u64, limit: Duration) -> Result<InsertionsRequest, HttpProblem> {
        let InsertionsRequest { insertions, longest, count, width, .. } = InsertionsRequest::default();
        Ok(InsertionsRequest {
            insertions: self.insertions.map_or(insertions, |Between(insertions)| insertions),
            longest: self.longest.map_or(longest, |Between(longest)| longest),
            count: self.count.map_or(count, |Between(count)| count.min(most) as usize),
            width: self.width.map_or(width, |Between(width)| width.into()),
            time: self.time.map(|time| time.within(limit)).transpose()?,
        })
    }
}

impl AnalysisParameters {
    /// The question, with the most time of a search.
    pub fn request(&self, time: Duration) -> AnalysisRequest {
        let nodes = self.max_nodes.map(|Between(nodes)| nodes);
        let budget = SearchBudget { time: Some(time), nodes };
        AnalysisRequest { optimal: self.optimal.then_some(budget), many: false }
    }
}

impl RandomParameters {
    /// Number of positions.
    pub fn count(&self) -> u64 {
        self.n.map_or(1, |Between(count)| count)
    }

    /// The seed, if given.
    pub fn seed(&self) -> Option<u64> {
        self.seed.map(|Between(seed)| seed)
    }

    /// Whether scrambles are wanted.
    pub fn is_scramble(&self) -> bool {
        self.scramble || self.wca
    }

    fn walk(&self) -> Option<u16> {
        self.walk.map(|Between(walk)| walk)
    }

    /// Cost of a position in moves. A scramble needs a search, which costs as much as a long walk.
    pub fn moves_of_each(&self) -> u64 {
        const SCRAMBLE: u64 = 5000;
        if self.is_scramble() { SCRAMBLE } else { u64::from(self.walk().unwrap_or(0)).max(1) }
    }

    /// The question.
    ///
    /// # Errors
    /// For a state that is none, and for two names of one parameter.
    pub fn request(&self) -> Result<RandomRequest, Error> {
        if self.scramble && self.wca {
            return Err(Error::Usage("?scramble= is given more than once: wca is its other name".to_owned()));
        }
        Ok(RandomRequest {
            walk: self.walk(),
            in_h: self.in_h,
            state: self.state.as_deref().map(CubeState::find).transpose()?,
            metric: self.metric.map(|Name(value)| value),
        })
    }
}

impl StatsParameters {
    /// The table of the puzzle; default: its first.
    pub fn table(&self, of: &[TableId]) -> Result<TableId, HttpProblem> {
        let found = match table(self.table.as_ref())? {
            Some(table) => Some(table).filter(|table| of.contains(table)),
            None => of.first().copied(),
        };
        found.ok_or_else(|| {
            let names: Vec<_> = of.iter().map(|table| table.name()).collect();
            HttpProblem::usage(format!("the puzzle has the tables {}", names.join(", ")))
        })
    }
}
