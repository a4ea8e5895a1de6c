//! The HTTP front: a [`Database`] as a service.
//!
//! A [`Server`] accepts connections until its `stop` future ends. Answers are the types of [`database`](twistbase_database), as the same
//! JSON as on the command line. Errors are `application/problem+json`. What protects a server from its clients is in
//! three places, with [limits](ServeLimits):
//!
//! - `jobs`: look-ups and searches never run on the threads that serve connections. Questions, searches and lists have lanes of
//!   their own. A full lane refuses a request at once. Long answers (`pieces`) take a place for each piece, as the client reads.
//! - `transfer`: bodies and answers in memory share a number of bytes.
//! - `pace`: slow clients are given up, the slowest first when connections are scarce.

/// Files of a folder, with an ending, that the program has in itself: names and contents.
macro_rules! included {
    ($folder:literal, $ending:literal, $($name:literal)*) => {
        &[$(($name, include_str!(concat!($folder, $name, $ending)))),*]
    };
}

mod answers;
mod body;
mod bridge;
mod builds;
mod caching;
mod connection;
mod guard;
mod gzip;
mod jobs;
mod listen;
mod metrics;
mod names;
mod openapi;
mod pace;
mod page;
mod parameters;
mod pieces;
mod problem;
mod query_string;
mod streams;
mod transfer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{Method, header};
use axum::middleware;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

pub use bridge::BridgeOptions;
pub use listen::{LONGEST_HEADER_TIME, ListenAddress, Listening, MadeSocket, RESERVED_CONNECTIONS};

use self::bridge::Bridge;
use self::jobs::Lane;
use self::listen::Connections;
use self::metrics::{Resources, ServeMetrics};
use self::problem::HttpProblem;
use self::transfer::Transfers;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_database::{BuildQueue, Database, Puzzle};

/// Limits of a server. The defaults are safe on a machine of any size.
#[derive(Debug, Clone)]
pub struct ServeLimits {
    /// Timeout for a request's head, and for an idle connection: [`LONGEST_HEADER_TIME`] at most.
    pub header_time: Duration,
    /// Idle timeout while reading a body or writing a response. Slow clients use it up, too.
    pub pause_time: Duration,
    /// Bytes a second below which a client is slow, while it sends a body or reads an answer. With 0, only idle clients are.
    pub least_rate: u64,
    /// Maximum bytes of a request's body.
    pub body_bytes: usize,
    /// Maximum bytes of all bodies and answers in memory.
    pub transfer_bytes: usize,
    /// Maximum connections at a time, at least one. When all are in use, the slowest client makes room for the next; if none is
    /// slow, [some more](RESERVED_CONNECTIONS) answer health checks only.
    pub connections: usize,
    /// Short requests that run at a time, and that may wait.
    pub questions: [usize; 2],
    /// Searches that run at a time, and that may wait.
    pub searches: [usize; 2],
    /// Batches, lists and queries that search, which run at a time, and that may wait. They never wait for a search. A list runs while
    /// the server makes the next piece of its answer.
    pub lists: [usize; 2],
    /// Time limit of a search, a batch or a list.
    pub search_time: Duration,
    /// Maximum bytes of the tables that a search makes for itself, about a puzzle without a table. The server keeps eight such searches.
    pub search_memory: u64,
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
            least_rate: 1000,
            body_bytes: 1 << 20,
            transfer_bytes: 256 << 20,
            connections: 4096,
            questions: [2 * threads, 4096],
            searches: [threads, 64],
            lists: [threads, 64],
            search_time: Duration::from_secs(30),
            search_memory: 256 << 20,
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
    /// Searches for pages that speak the bridge protocol of twsearch, if it is to. Then nobody but this machine may reach the server.
    pub bridge: Option<BridgeOptions>,
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
    bridge: Option<Bridge>,
    named_store: Option<PathBuf>,
    hosts: Vec<String>,
    /// Whether pages of other origins may use answers.
    is_shared: bool,
    limits: ServeLimits,
    questions: Lane,
    searches: Lane,
    lists: Lane,
    transfers: Arc<Transfers>,
    connections: Arc<Connections>,
    metrics: ServeMetrics,
    /// Parent context of every job; cancelled when the server ends.
    ctx: Context,
}

impl Service {
    fn puzzle(&self, name: &str) -> Result<Arc<dyn Puzzle>, HttpProblem> {
        // Not those of any size: a definition may take long to make.
        let named = Database::find_listed(name);
        let found = named.and_then(|named| self.puzzles.iter().find(|puzzle| puzzle.name() == named.puzzle));
        found.cloned().ok_or_else(|| HttpProblem::not_found(Database::unknown_puzzle(name)))
    }
}

/// A database as a service.
#[derive(Debug)]
pub struct Server {
    router: Router,
    service: Arc<Service>,
}

impl Server {
    /// A server for a database. It stops when `ctx` is cancelled.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid host or origin.
    pub fn new(database: &Database, options: &ServeOptions, ctx: &Context) -> Result<Self> {
        let service = Arc::new(Service::new(database, options, ctx)?);
        Ok(Self { router: router(&service, &options.origins)?, service })
    }

    /// Answers requests, for a program with connections of its own.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Serves connections until `stop` ends. Then it accepts no more and lets running answers end, up to the time limit.
    pub async fn serve(self, listening: Listening, stop: impl Future<Output = ()>) {
        listen::serve(listening, self.router, &self.service, stop).await;
    }
}

impl Service {
    fn new(database: &Database, options: &ServeOptions, ctx: &Context) -> Result<Self> {
        let ServeOptions { hosts, origins, builds, allows_builds, bridge, named_store, limits } = options.clone();
        let database = &database.clone().with_search_memory(limits.search_memory);
        let builds = builds.unwrap_or_else(|| Arc::new(BuildQueue::new(database, ctx)));
        let limits = ServeLimits { listed: limits.listed.max(1), ..limits };
        let [questions, searches, lists] = [limits.questions, limits.searches, limits.lists].map(Lane::new);
        let transfers = Arc::new(Transfers::new(limits.transfer_bytes));
        let connections = Arc::new(Connections::new(&limits));
        let metrics = ServeMetrics::new(Resources {
            lanes: [("question", questions.clone()), ("search", searches.clone()), ("list", lists.clone())],
            connections: Arc::clone(&connections),
            transfers: Arc::clone(&transfers),
        });
        Ok(Self {
            database: database.clone(),
            puzzles: Database::puzzles().map(|name| database.puzzle(name).map(Arc::from)).collect::<Result<_>>()?,
            builds,
            allows_builds,
            bridge: bridge.as_ref().map(Bridge::new).transpose()?,
            named_store,
            hosts: hosts.iter().map(|host| names::host(host)).collect::<Result<_>>()?,
            is_shared: !origins.is_empty(),
            limits,
            questions,
            searches,
            lists,
            transfers,
            connections,
            metrics,
            ctx: ctx.clone(),
        })
    }
}

impl Service {
    /// Runs a long job in the lane of the lists.
    ///
    /// # Errors
    /// As [`Lane::run_long`]; those of the job.
    async fn run_list<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Context) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, HttpProblem> {
        Ok(self.lists.run_long(self.ctx.of_part(), work).await??)
    }

    /// The answer of a search, if its time suffices: dropping a search ends it. `hint` says what takes less time.
    ///
    /// # Errors
    /// [`Error::Budget`] if the time is over; those of the search.
    async fn in_time<T>(
        &self,
        search: impl Future<Output = std::result::Result<T, HttpProblem>>,
        hint: &str,
    ) -> std::result::Result<T, HttpProblem> {
        let over = |_| Error::Budget(format!("the time of a search is over{hint}"));
        tokio::time::timeout(self.limits.search_time, search).await.map_err(over)?
    }
}

fn router(service: &Arc<Service>, origins: &[String]) -> Result<Router> {
    let of_tables = Router::new()
        .route("/{puzzle}/query", get(answers::query))
        .route("/{puzzle}/stats", get(answers::stats))
        .route("/{puzzle}/rows", get(answers::rows))
        .route("/{puzzle}/analysis", get(answers::analysis))
        .route_layer(middleware::from_fn_with_state(Arc::clone(service), caching::of_tables));
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
        .route("/{puzzle}/steps", get(answers::steps))
        .route("/{puzzle}/insertions", get(answers::insertions))
        .route("/{puzzle}/batch", post(streams::batch))
        .merge(of_tables)
        .merge(of_question)
        .route_layer(middleware::from_fn_with_state(Arc::clone(service), builds::advise));
    let router = Router::new()
        .nest("/api/v1", api)
        .route("/", get(page::index))
        .route("/page/{name}", get(page::asset))
        .route("/healthz", get(answers::health))
        .route("/readyz", get(answers::readiness))
        .route("/metrics", get(metrics::metrics))
        .fallback(async || HttpProblem::nothing_here())
        .method_not_allowed_fallback(async || HttpProblem::method_not_allowed())
        .layer(middleware::from_fn_with_state(Arc::clone(service), transfer::deliver));
    // The CORS layer answers every preflight request. Without allowed origins it is left out.
    let router = if origins.is_empty() { router } else { router.layer(cors(origins)?) };
    let router = if service.bridge.is_some() { router.merge(bridge::routes(service)) } else { router };
    Ok(router
        // Nothing of a panic's text reaches a client.
        .layer(CatchPanicLayer::custom(|_| HttpProblem::internal().into_response()))
        .layer(middleware::from_fn_with_state(Arc::clone(service), guard::guard))
        .layer(middleware::from_fn_with_state(Arc::clone(service), metrics::count))
        .with_state(Arc::clone(service)))
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

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Request;
    use tower::ServiceExt;

    use super::*;

    /// The status of the answer to a request.
    async fn status(server: &Server, path: &str) -> u16 {
        let method = if path.ends_with("/batch") { Method::POST } else { Method::GET };
        let request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
        server.router().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status().as_u16()
    }

    /// Whatever takes longer than a query has the places of the lists or the searches.
    #[tokio::test]
    async fn long_work_is_refused_when_its_places_are_taken() {
        let limits = ServeLimits { lists: [1, 0], searches: [1, 0], ..ServeLimits::default() };
        let database = Database::open("/nonexistent").unwrap();
        let options = ServeOptions { limits, ..ServeOptions::default() };
        let server = Server::new(&database, &options, &Context::silent()).unwrap();
        let places = [server.service.lists.enter().await.unwrap(), server.service.searches.enter().await.unwrap()];
        let long = [
            "/api/v1/tables",
            "/api/v1/builds",
            "/api/v1/shapes",
            "/api/v1/cube3/random?n=10000",
            "/api/v1/cube3/random?walk=1000",
            "/api/v1/cube3/random?scramble=true",
            "/api/v1/cube3/rows",
            "/api/v1/cube3/solutions?position=R",
            "/api/v1/cube3/batch",
            "/api/v1/cube3/solve?position=R",
        ];
        for path in long {
            assert_eq!(status(&server, path).await, 503, "{path}");
        }
        // The work was refused; it did not fail for a missing table.
        assert_eq!((server.service.lists.refused(), server.service.searches.refused()), (long.len() as u64 - 1, 1));
        for path in
            ["/healthz", "/api/v1/openapi.json", "/api/v1/cube3/random?n=20", "/api/v1/cube3/picture.svg?position=R"]
        {
            assert_eq!(status(&server, path).await, 200, "{path}");
        }
        drop(places);
        assert_eq!(status(&server, "/api/v1/cube3/random?n=10000").await, 200);
    }
}
