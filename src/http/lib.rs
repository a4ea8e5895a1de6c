//! The HTTP front: a [`Database`] as a service.
//!
//! [`router`] answers requests. [`serve`] accepts connections until its `stop` future ends. Answers are the types of
//! [`database`](twistbase_database), as the same JSON as on the command line. Errors are `application/problem+json`. Look-ups and
//! searches never run on the threads that serve connections: short and long jobs have [lanes of their own](ServeLimits). A full
//! lane rejects a request at once.

mod answers;
mod body;
mod builds;
mod caching;
mod connection;
mod guard;
mod jobs;
mod listen;
mod metrics;
mod names;
mod openapi;
mod page;
mod parameters;
mod problem;
mod query_string;
mod streams;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{Method, header};
use axum::middleware;
use axum::routing::{get, post};
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::timeout::RequestBodyTimeoutLayer;

pub use listen::{LONGEST_HEADER_TIME, ListenAddress, Listening, MadeSocket, serve};

use self::jobs::Lane;
use self::metrics::ServeMetrics;
use self::problem::HttpProblem;
use twistbase_core::context::Context;
use twistbase_core::error::Result;
use twistbase_database::{BuildQueue, Database, Puzzle};

/// Limits of a server. The defaults are safe on a machine of any size.
#[derive(Debug, Clone)]
pub struct ServeLimits {
    /// Timeout for a request's head, and for an idle connection: [`LONGEST_HEADER_TIME`] at most.
    pub header_time: Duration,
    /// Idle timeout while reading a request or writing a response.
    pub pause_time: Duration,
    /// Maximum bytes of a request's body.
    pub body_bytes: usize,
    /// Maximum connections at a time, at least one.
    pub connections: usize,
    /// Short requests that run at a time, and that may wait.
    pub questions: [usize; 2],
    /// Searches that run at a time, and that may wait.
    pub searches: [usize; 2],
    /// Batches, lists of solutions and scrambles that run at a time, and that may wait. They never wait for a search.
    pub lists: [usize; 2],
    /// Time limit of a search, a batch or a list.
    pub search_time: Duration,
    /// Maximum lines of a batch.
    pub batch_lines: usize,
    /// Maximum solutions or random positions per request; at least one.
    pub listed: u64,
    /// Time for running jobs to end after the server begins to stop.
    pub drain_time: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        let threads = rayon::current_num_threads();
        Self {
            header_time: Duration::from_secs(10),
            pause_time: Duration::from_secs(60),
            body_bytes: 1 << 20,
            connections: 4096,
            questions: [2 * threads, 4096],
            searches: [threads, 64],
            lists: [threads, 64],
            search_time: Duration::from_secs(30),
            batch_lines: 10_000,
            listed: 10_000,
            drain_time: Duration::from_secs(10),
        }
    }
}

/// Settings of a server.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// Host names that the server accepts at any port, besides `localhost` and IP addresses.
    pub hosts: Vec<String>,
    /// Origins whose pages may read answers, like `https://example.org`; `*` for all.
    pub origins: Vec<String>,
    /// Builds tables in the background. If `None`, the server makes one for build requests.
    pub builds: Option<Arc<BuildQueue>>,
    /// Whether the server's own page, and programs, may request builds.
    pub allows_builds: bool,
    /// The folder of the tables, if recommended commands must name it.
    pub named_store: Option<PathBuf>,
    /// The limits.
    pub limits: ServeLimits,
}

/// State that all requests share.
#[derive(Debug)]
struct Service {
    database: Database,
    puzzles: Vec<Arc<dyn Puzzle>>,
    builds: Arc<BuildQueue>,
    allows_builds: bool,
    named_store: Option<PathBuf>,
    hosts: Vec<String>,
    /// Whether pages of other origins may use answers.
    is_shared: bool,
    limits: ServeLimits,
    questions: Lane,
    searches: Lane,
    lists: Lane,
    metrics: ServeMetrics,
    /// Parent context of every job; cancelled when the server ends.
    ctx: Context,
}

impl Service {
    fn puzzle(&self, name: &str) -> Result<Arc<dyn Puzzle>, HttpProblem> {
        let named = Database::find_puzzle(name).ok();
        let found = named.and_then(|named| self.puzzles.iter().find(|puzzle| puzzle.name() == named.puzzle));
        found.cloned().ok_or_else(|| HttpProblem::not_found(Database::unknown_puzzle(name)))
    }
}

/// The router for a database. Jobs stop when `ctx` is cancelled.
///
/// # Errors
/// [`Error::Usage`](twistbase_core::error::Error::Usage) for an invalid host or origin.
pub fn router(database: &Database, options: &ServeOptions, ctx: &Context) -> Result<Router> {
    let ServeOptions { hosts, origins, builds, allows_builds, named_store, limits } = options.clone();
    let builds = builds.unwrap_or_else(|| Arc::new(BuildQueue::new(database, ctx)));
    let limits = ServeLimits { listed: limits.listed.max(1), ..limits };
    let hosts = hosts.iter().map(|host| names::host(host)).collect::<Result<_>>()?;
    let puzzles = Database::puzzles().map(|name| database.puzzle(name).map(Arc::from)).collect::<Result<_>>()?;
    let [questions, searches, lists] = [limits.questions, limits.searches, limits.lists].map(Lane::new);
    let metrics = ServeMetrics::new([("question", &questions), ("search", &searches), ("list", &lists)]);
    let pause_time = limits.pause_time;
    let service = Arc::new(Service {
        database: database.clone(),
        puzzles,
        builds,
        allows_builds,
        named_store,
        hosts,
        is_shared: !origins.is_empty(),
        limits,
        questions,
        searches,
        lists,
        metrics,
        ctx: ctx.clone(),
    });
    let of_tables = Router::new()
        .route("/{puzzle}/query", get(answers::query))
        .route("/{puzzle}/stats", get(answers::stats))
        .route("/{puzzle}/rows", get(answers::rows))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&service), caching::of_tables));
    let of_question = Router::new()
        .route("/{puzzle}/random", get(answers::random))
        .route("/{puzzle}/picture.svg", get(answers::picture))
        .route("/{puzzle}/scene", get(answers::scene))
        .route_layer(middleware::from_fn(caching::of_question));
    let api = Router::new()
        .route("/openapi.json", get(openapi::openapi))
        .route("/puzzles", get(answers::puzzles))
        .route("/tables", get(answers::tables))
        .route("/tables/{table}/build", post(builds::build))
        .route("/builds", get(builds::list))
        .route("/shapes", get(answers::shapes))
        .route("/{puzzle}/solutions", get(streams::solutions))
        .route("/{puzzle}/solve", get(streams::solve))
        .route("/{puzzle}/batch", post(streams::batch))
        .merge(of_tables)
        .merge(of_question)
        .route_layer(middleware::from_fn_with_state(Arc::clone(&service), builds::advise));
    let router = Router::new()
        .nest("/api/v1", api)
        .route("/", get(page::index))
        .route("/page/{name}", get(page::asset))
        .route("/healthz", get(answers::health))
        .route("/readyz", get(answers::readiness))
        .route("/metrics", get(metrics::metrics))
        .fallback(async || HttpProblem::nothing_here())
        .method_not_allowed_fallback(async || HttpProblem::method_not_allowed())
        .layer(RequestBodyTimeoutLayer::new(pause_time))
        .layer(CompressionLayer::new());
    // The CORS layer answers every preflight request. Without allowed origins it is left out.
    let router = if origins.is_empty() { router } else { router.layer(cors(&origins)?) };
    Ok(router
        .layer(middleware::from_fn_with_state(Arc::clone(&service), guard::guard))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), metrics::count))
        .with_state(service))
}

/// The other origins that may read answers.
fn cors(origins: &[String]) -> Result<CorsLayer> {
    let named = origins.iter().filter(|origin| *origin != "*");
    let named: Vec<_> = named.map(|origin| names::origin(origin)).collect::<Result<_>>()?;
    let origin = if named.len() < origins.len() { AllowOrigin::any() } else { AllowOrigin::list(named) };
    Ok(CorsLayer::new()
        .allow_origin(origin)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG, header::RETRY_AFTER]))
}
