//! Parameters of requests, from their query strings.

use std::time::Duration;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use super::problem::HttpProblem;
use super::query_string::{self, Between};
use twistbase_core::error::Error;
use twistbase_database::{
    AnalysisRequest, CubeState, Detail, ExactSearch, Named, Niss, Question, QuestionMetric, RandomRequest,
    SearchBudget, SolveMethod, SolveRequest, StepsRequest, TableId,
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

/// A value by its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<T>(T);

impl<'de, T: Named> Deserialize<'de> for Name<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        T::named(&name).map(Self).map_err(|_| {
            let names: Vec<_> = T::NAMES.iter().map(|(name, _)| *name).collect();
            D::Error::custom(format_args!("one of {}", names.join(", ")))
        })
    }
}

/// The named value, or the default.
fn value<T: Default>(name: Option<Name<T>>) -> T {
    name.map_or_else(T::default, |Name(value)| value)
}

/// A table by its name.
fn table(name: Option<&String>) -> Result<Option<TableId>, Error> {
    name.map(|name| name.parse()).transpose()
}

/// A value that is true or false, read after the others.
fn flag(name: &str, given: &str) -> Result<bool, HttpProblem> {
    given.parse().map_err(|_| HttpProblem::usage(format!("?{name}= is true or false, not {given:?}")))
}

/// No parameters.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

/// Parameters of a query.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestionParameters {
    /// Not in a batch: its positions are lines of the body.
    pub position: Option<String>,
    /// Cubes: first turn the cube until white is up and green in front. A batch rejects it.
    pub normalize: Option<String>,
    /// Whether to search briefly for a distance that no table holds. A batch rejects it: it has too many positions.
    pub exact: Option<String>,
    detail: Option<Name<Detail>>,
    goal: Option<String>,
    metric: Option<Name<QuestionMetric>>,
    table: Option<String>,
    middle: Option<Name<MiddleGoal>>,
    notation: Option<Name<SequenceNotation>>,
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
            detail: value(self.detail),
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
        self.normalize.as_deref().map_or(Ok(false), |given| flag("normalize", given))
    }

    /// Whether to search for a distance that no table holds: for one position, without ?table=.
    fn is_searched(&self) -> Result<bool, HttpProblem> {
        let is_plain = self.position.is_some() && self.table.is_none();
        self.exact.as_deref().map_or(Ok(is_plain), |given| flag("exact", given))
    }
}

/// Parameters of a list of solutions. With a table: the Rubik's cube inside H.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolutionsParameters {
    pub position: String,
    /// Cubes: first turn the cube until white is up and green in front.
    #[serde(default)]
    pub normalize: bool,
    goal: Option<String>,
    metric: Option<Name<QuestionMetric>>,
    table: Option<String>,
    middle: Option<Name<MiddleGoal>>,
    notation: Option<Name<SequenceNotation>>,
    #[serde(default)]
    shapes: bool,
    limit: Option<ListLimit>,
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

/// Parameters of a search.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolveParameters {
    pub position: String,
    /// Cubes: first turn the cube until white is up and green in front.
    #[serde(default)]
    pub normalize: bool,
    method: Option<Name<SolveMethod>>,
    metric: Option<Name<QuestionMetric>>,
    goal: Option<String>,
    max_nodes: Option<AnyNumber>,
    target: Option<TargetLength>,
    table: Option<String>,
    /// Like `extra` = 0, as on the command line.
    #[serde(default)]
    all: bool,
    extra: Option<SearchLength>,
    limit: Option<ListLimit>,
    max_depth: Option<SearchLength>,
    middle: Option<Name<MiddleGoal>>,
    notation: Option<Name<SequenceNotation>>,
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

/// Parameters of a solution in steps.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepsParameters {
    pub position: String,
    steps: Option<String>,
    niss: Option<Name<Niss>>,
    count: Option<ListLimit>,
    /// Up to a number that takes some seconds.
    width: Option<Between<u16, 1, 2000>>,
}

impl StepsParameters {
    /// The question, with a maximum number of solutions.
    ///
    /// # Errors
    /// For steps that are none.
    pub fn request(&self, most: u64) -> Result<StepsRequest, Error> {
        let StepsRequest { plan, count, width, .. } = StepsRequest::default();
        Ok(StepsRequest {
            plan: self.steps.as_deref().map_or(Ok(plan), str::parse)?,
            niss: value(self.niss),
            count: self.count.map_or(count, |Between(count)| count.min(most) as usize),
            width: self.width.map_or(width, |Between(width)| width.into()),
            time: None,
        })
    }
}

/// Parameters of an analysis.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnalysisParameters {
    pub position: String,
    #[serde(default)]
    pub normalize: bool,
    /// Search for a shortest solution, too.
    #[serde(default)]
    optimal: bool,
    max_nodes: Option<AnyNumber>,
}

impl AnalysisParameters {
    /// The question, with the most time of a search.
    pub fn request(&self, time: Duration) -> AnalysisRequest {
        let nodes = self.max_nodes.map(|Between(nodes)| nodes);
        let budget = SearchBudget { time: Some(time), nodes };
        AnalysisRequest { optimal: self.optimal.then_some(budget), many: false }
    }
}

/// Parameters of random positions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RandomParameters {
    /// Number of positions; default 1.
    n: Option<AnyNumber>,
    /// The same seed gives the same positions.
    seed: Option<AnyNumber>,
    walk: Option<Between<u16, 0, { RandomRequest::LONGEST_WALK as u64 }>>,
    #[serde(default)]
    in_h: bool,
    metric: Option<Name<Metric>>,
    state: Option<String>,
    /// Competition scrambles.
    #[serde(default, alias = "wca")]
    pub scramble: bool,
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

    fn walk(&self) -> Option<u16> {
        self.walk.map(|Between(walk)| walk)
    }

    /// Cost of a position in moves. A scramble needs a search, which costs as much as a long walk.
    pub fn moves_of_each(&self) -> u64 {
        const SCRAMBLE: u64 = 5000;
        if self.scramble { SCRAMBLE } else { u64::from(self.walk().unwrap_or(0)).max(1) }
    }

    /// The question.
    ///
    /// # Errors
    /// For a state that is none.
    pub fn request(&self) -> Result<RandomRequest, Error> {
        Ok(RandomRequest {
            walk: self.walk(),
            in_h: self.in_h,
            state: self.state.as_deref().map(CubeState::find).transpose()?,
            metric: self.metric.map(|Name(value)| value),
        })
    }
}

/// Parameters of a distribution.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatsParameters {
    table: Option<String>,
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

/// Parameters of a picture.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PictureParameters {
    pub position: String,
    /// Cubes: first turn the cube until white is up and green in front.
    #[serde(default)]
    pub normalize: bool,
    view: Option<Name<Viewpoint>>,
    colours: Option<Name<ColourScheme>>,
}

impl PictureParameters {
    /// The view.
    pub fn view(&self) -> Viewpoint {
        value(self.view)
    }

    /// The colour scheme.
    pub fn colours(&self) -> ColourScheme {
        value(self.colours)
    }
}

/// Parameters of a scene.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SceneParameters {
    pub position: String,
    /// Cubes: first turn the cube until white is up and green in front.
    #[serde(default)]
    pub normalize: bool,
    #[serde(default)]
    pub moves: String,
    colours: Option<Name<ColourScheme>>,
}

impl SceneParameters {
    /// The colour scheme.
    pub fn colours(&self) -> ColourScheme {
        value(self.colours)
    }
}
