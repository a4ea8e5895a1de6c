//! The bridge protocol of twsearch, by which a page such as the Twizzle Explorer lets a program on the same machine search:
//! `schema/bridge.md`.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::{Notify, OwnedMutexGuard};

use super::body::TextBody;
use super::guard;
use super::jobs::Awaited;
use super::pieces::write_line;
use super::problem::HttpProblem;
use super::transfer::{Reserved, held};
use super::{Service, names};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_definition::{
    Ignored, PuzzleDefinition, PuzzleSearch, Restriction, SearchEvent, SearchFound, SearchRequest,
};

/// Events that wait for their reader. Then the search waits, too.
const WAITING: usize = 64;
/// Interval of empty events. They fail when the page is gone.
const PROBE: Duration = Duration::from_secs(2);
/// Bytes of solutions to send at once.
const BYTES_AT_ONCE: usize = 1 << 14;
/// Bytes of a mebibyte, in which twsearch counts memory.
const MEBIBYTE: u64 = 1 << 20;

/// Options of twsearch that affect the search, not the result: the number of their values.
const OF_TWSEARCH: [(&str, usize); 10] = [
    ("-R", 1),
    ("--startprunedepth", 1),
    ("--microthreads", 1),
    ("--newcanon", 1),
    ("--writeprunetables", 1),
    ("--nowrite", 0),
    ("--randomstart", 0),
    ("--checkbeforesolve", 0),
    ("--noearlysolutions", 0),
    ("--nosymmetry", 0),
];

/// What a page may ask of the bridge.
#[derive(Debug, Clone)]
pub struct BridgeOptions {
    /// Bytes of memory for the tables of a search.
    pub memory: u64,
    /// Origins whose pages may search, besides those of this machine.
    pub origins: Vec<String>,
}

/// The puzzle that is solved, if there is one.
#[derive(Debug)]
pub(super) struct Bridge {
    memory: u64,
    origins: Vec<HeaderValue>,
    current: Mutex<Option<Arc<Session>>>,
}

/// A puzzle with options, its search, and its jobs. Another puzzle replaces it.
#[derive(Debug)]
struct Session {
    key: (String, Vec<String>),
    options: Options,
    /// Held by the job that runs; the others wait in order.
    search: Arc<tokio::sync::Mutex<Option<Searching>>>,
    jobs: Mutex<Vec<Arc<Job>>>,
}

/// A search, and the threads that it may use.
#[derive(Debug)]
struct Searching {
    search: PuzzleSearch,
    /// Bytes for its tables.
    memory: u64,
    pool: Option<rayon::ThreadPool>,
}

/// A position that is to be solved.
#[derive(Debug)]
struct Job {
    id: Option<Value>,
    ctx: Context,
    state: Mutex<JobState>,
    /// Wakes it while it waits.
    is_over: Notify,
}

#[derive(Debug, Default)]
struct JobState {
    runs: bool,
    /// Why it ends early with an error.
    why: Option<&'static str>,
}

/// What `POST /v1/solve` takes.
#[derive(Debug, Deserialize)]
struct Asked {
    id: Option<Value>,
    tws: String,
    #[serde(default)]
    args: Vec<String>,
    scramble: String,
}

/// What `POST /v1/cancel` takes.
#[derive(Debug, Default, Deserialize)]
struct Cancelled {
    id: Option<Value>,
    #[serde(default)]
    abandon: bool,
}

/// An event of a search, as a line.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum BridgeEvent {
    Out { text: String },
    Error { message: String },
    Done,
}

/// What `GET /v1/info` answers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    bridge: &'static str,
    protocol: u32,
    version: &'static str,
    threads: usize,
    max_mem: u64,
}

impl Bridge {
    pub fn new(options: &BridgeOptions) -> Result<Self> {
        let origins = options.origins.iter().map(|origin| names::origin(origin)).collect::<Result<_>>()?;
        Ok(Self { memory: options.memory, origins, current: Mutex::default() })
    }

    /// Whether a page may search: one of this machine, or of an origin that was named. A program says no origin.
    fn allows(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else { return true };
        let is_local = |origin: &str| {
            let authority = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
            let name = authority.map(|authority| match authority.rsplit_once(':') {
                Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
                _ => authority,
            });
            name.is_some_and(|name| ["localhost", "127.0.0.1", "[::1]"].contains(&name))
        };
        guard::is_of_own_page(headers) || self.origins.contains(origin) || origin.to_str().is_ok_and(is_local)
    }

    /// The session of a puzzle with options. What runs for another one is cancelled.
    fn session(&self, key: (String, Vec<String>), options: Options) -> Arc<Session> {
        let mut current = lock(&self.current);
        if let Some(session) = current.as_ref().filter(|session| session.key == key) {
            return Arc::clone(session);
        }
        if let Some(old) = current.take() {
            lock(&old.jobs).iter().for_each(|job| job.end("puzzle changed"));
        }
        let session = Arc::new(Session { key, options, search: Arc::default(), jobs: Mutex::default() });
        Arc::clone(current.insert(session))
    }

    fn cancel(&self, Cancelled { id, abandon }: Cancelled) {
        let mut current = lock(&self.current);
        let Some(session) = current.clone() else { return };
        let jobs = lock(&session.jobs);
        let found = jobs.iter().find(|job| match &id {
            Some(_) => job.id == id,
            None => lock(&job.state).runs,
        });
        let Some(job) = found else { return };
        let runs = lock(&job.state).runs;
        match runs {
            false => job.end("canceled before it started"),
            true if abandon => {
                // Its tables go with it.
                *current = None;
                jobs.iter().for_each(|job| job.end("abandoned"));
            }
            true => job.ctx.cancel(),
        }
    }
}

impl Job {
    /// Ends it with an error.
    fn end(&self, why: &'static str) {
        lock(&self.state).why.get_or_insert(why);
        self.ctx.cancel();
        self.is_over.notify_one();
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the options of twsearch ask for.
#[derive(Debug, Clone, Default)]
struct Options {
    request: SearchRequest,
    moves: Option<Vec<String>>,
    quarter_turns: bool,
    /// For orbits by name, whether places and orientations are ignored.
    ignored: Vec<Ignored>,
    no_corners: bool,
    no_centres: bool,
    no_edges: bool,
    no_orientations: bool,
    memory: Option<u64>,
    threads: Option<usize>,
    is_quiet: bool,
}

impl Options {
    /// Reads options; `listed` solutions may be asked for at most.
    fn read(args: &[String], listed: u64) -> std::result::Result<Self, String> {
        let mut options = Self::default();
        let mut args = args.iter().map(String::as_str);
        while let Some(option) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{option} needs a value"));
            let number = |text: &str| text.parse().map_err(|_| format!("{option} needs a number, not {text:?}"));
            let places = |orbit: &str, places, orientations| Ignored { orbit: orbit.to_owned(), places, orientations };
            match option {
                "-c" => {
                    let count = number(value()?)?;
                    if count == 0 || count as u64 > listed {
                        return Err(format!("-c is 1 to {listed} here"));
                    }
                    options.request.count = Some(count);
                }
                "--alloptimal" => options.request.count = None,
                "--mindepth" => options.request.turns[0] = number(value()?)?,
                "--maxdepth" => options.request.turns[1] = number(value()?)?,
                "--moves" => {
                    let names = value()?.split([',', ' ']).filter(|name| !name.is_empty());
                    options.moves = Some(names.map(str::to_owned).collect());
                }
                "-q" => options.quarter_turns = true,
                "--omit" => options.ignored.push(places(value()?, true, true)),
                "--omitperms" => options.ignored.push(places(value()?, true, false)),
                "--omitoris" => options.ignored.push(places(value()?, false, true)),
                "--nocorners" => options.no_corners = true,
                "--nocenters" => options.no_centres = true,
                "--noedges" => options.no_edges = true,
                "--noorientation" => options.no_orientations = true,
                "-M" => match number(value()?)? {
                    0 => return Err("-M needs at least 1".to_owned()),
                    mebibytes => options.memory = Some((mebibytes as u64).saturating_mul(MEBIBYTE)),
                },
                "-t" => match number(value()?)? {
                    0 => return Err("-t needs at least 1".to_owned()),
                    threads => options.threads = Some(threads.min(rayon::current_num_threads())),
                },
                "--quiet" | "-v0" => options.is_quiet = true,
                _ if option
                    .strip_prefix("-v")
                    .is_some_and(|level| level.bytes().all(|digit| digit.is_ascii_digit())) => {}
                _ => match OF_TWSEARCH.iter().find(|(known, _)| *known == option) {
                    Some(&(_, values)) => {
                        for _ in 0..values {
                            value()?;
                        }
                    }
                    None => return Err(format!("the option {option} is not allowed here")),
                },
            }
        }
        if options.request.turns[0] > options.request.turns[1] {
            return Err("--mindepth is larger than --maxdepth".to_owned());
        }
        Ok(options)
    }

    /// The restriction of a puzzle. Names give the kinds of orbits, as in twsearch.
    fn restriction(&self, puzzle: &PuzzleDefinition) -> Restriction {
        let mut ignored = self.ignored.clone();
        for orbit in &puzzle.orbits {
            let name: Vec<char> = orbit.name.to_lowercase().chars().collect();
            let at = |place: usize| name.get(place).copied();
            let is_left_out = self.no_corners && at(0) == Some('c') && at(2) == Some('r')
                || self.no_centres && name.starts_with(&['c', 'e'])
                || self.no_edges && name.starts_with(&['e', 'd']);
            if is_left_out || self.no_orientations {
                ignored.push(Ignored { orbit: orbit.name.clone(), places: is_left_out, orientations: true });
            }
        }
        Restriction { moves: self.moves.clone(), quarter_turns: self.quarter_turns, pieces: None, ignored, up_to: None }
    }
}

/// The routes of the bridge, for pages that may use them.
pub(super) fn routes(service: &Arc<Service>) -> Router<Arc<Service>> {
    Router::new()
        .route("/v1/info", get(info))
        .route("/v1/solve", post(solve))
        .route("/v1/cancel", post(cancel))
        .route_layer(middleware::from_fn_with_state(Arc::clone(service), allow))
}

/// Refuses pages that may not search, answers the requests by which browsers ask first, and says who may read an answer.
async fn allow(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if service.bridge.as_ref().is_none_or(|bridge| !bridge.allows(headers)) {
        return (StatusCode::FORBIDDEN, "this page may not search here: name its origin with --cors\n").into_response();
    }
    let origin = headers.get(header::ORIGIN).cloned();
    let mut response = match *request.method() {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_name(header::ORIGIN));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        for (name, value) in [
            ("access-control-allow-methods", "GET, POST"),
            ("access-control-allow-headers", "content-type"),
            ("access-control-allow-private-network", "true"),
            ("access-control-max-age", "600"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

async fn info(State(service): State<Arc<Service>>) -> impl IntoResponse {
    Json(Info {
        bridge: "twsearch-bridge",
        protocol: 1,
        version: concat!("twistbase ", env!("CARGO_PKG_VERSION")),
        threads: rayon::current_num_threads(),
        max_mem: service.bridge.as_ref().map_or(0, |bridge| bridge.memory / MEBIBYTE),
    })
}

async fn cancel(State(service): State<Arc<Service>>, TextBody(body, _reserved): TextBody) -> Response {
    let cancelled = match body.trim_ascii() {
        b"" => Ok(Cancelled::default()),
        body => serde_json::from_slice(body),
    };
    match (cancelled, &service.bridge) {
        (Ok(cancelled), Some(bridge)) => {
            bridge.cancel(cancelled);
            StatusCode::NO_CONTENT.into_response()
        }
        (Err(error), _) => refused(&format!("the body is not as expected: {error}")),
        (_, None) => HttpProblem::nothing_here().into_response(),
    }
}

fn refused(reason: &str) -> Response {
    (StatusCode::BAD_REQUEST, format!("{reason}\n")).into_response()
}

/// `POST /v1/solve`: the text of twsearch, as it comes.
async fn solve(State(service): State<Arc<Service>>, TextBody(body, reserved): TextBody) -> Response {
    let Some(bridge) = &service.bridge else { return HttpProblem::nothing_here().into_response() };
    let Asked { id, tws, args, scramble } = match serde_json::from_slice(&body) {
        Ok(asked) => asked,
        Err(error) => return refused(&format!("the body is not as expected: {error}")),
    };
    drop(body);
    let options = match Options::read(&args, service.limits.listed) {
        Ok(options) => options,
        Err(reason) => return refused(&reason),
    };
    let session = bridge.session((tws, args), options);
    let job = Arc::new(Job { id, ctx: service.ctx.of_part(), state: Mutex::default(), is_over: Notify::new() });
    lock(&session.jobs).push(Arc::clone(&job));
    let (awaited, (send, receive)) = (Awaited(job.ctx.clone()), mpsc::channel(WAITING));
    tokio::spawn(run(Arc::clone(&service), session, job, scramble, send));
    let body = Body::from_stream(stream::unfold((receive, awaited, reserved), next_event));
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")];
    (headers, body).into_response()
}

/// The next event for the page, empty if none comes for a while. When the page is gone, its search is cancelled.
async fn next_event(
    (mut receive, awaited, reserved): (Receiver<BridgeEvent>, Awaited, Reserved),
) -> Option<(std::io::Result<Bytes>, (Receiver<BridgeEvent>, Awaited, Reserved))> {
    let event = match tokio::time::timeout(PROBE, receive.recv()).await {
        Ok(event) => event?,
        Err(_) => BridgeEvent::Out { text: String::new() },
    };
    let mut line = Vec::new();
    write_line(&mut line, &event);
    Some((Ok(held(line, ())), (receive, awaited, reserved)))
}

/// Waits for the turn of a job and runs it. One event says how it ended.
async fn run(service: Arc<Service>, session: Arc<Session>, job: Arc<Job>, scramble: String, send: Sender<BridgeEvent>) {
    let ended = tokio::select! {
        search = Arc::clone(&session.search).lock_owned() => {
            search_in_turn(&service, &session, &job, scramble, &send, search).await
        }
        () = job.is_over.notified() => Err(Error::Interrupted),
        () = send.closed() => Err(Error::Interrupted),
    };
    lock(&session.jobs).retain(|other| !Arc::ptr_eq(other, &job));
    let why = lock(&job.state).why;
    let last = match (why, ended) {
        (Some(why), _) => BridgeEvent::Error { message: why.to_owned() },
        (None, Err(error)) => BridgeEvent::Error { message: error.to_string() },
        (None, Ok(())) => BridgeEvent::Done,
    };
    // A page that is gone needs no end.
    let _ = send.send(last).await;
}

/// Runs a job on a thread of its own.
async fn search_in_turn(
    service: &Service,
    session: &Arc<Session>,
    job: &Arc<Job>,
    scramble: String,
    send: &Sender<BridgeEvent>,
    mut search: OwnedMutexGuard<Option<Searching>>,
) -> Result<()> {
    lock(&job.state).runs = true;
    let memory = service.bridge.as_ref().map_or(0, |bridge| bridge.memory);
    let place = service.searches.enter().await.map_err(|problem| Error::Budget(problem.into_detail()))?;
    let (session, job, out) = (Arc::clone(session), Arc::clone(job), Outlet(send.clone()));
    let work = move || {
        let _place = place;
        let searching = match &mut *search {
            Some(searching) => searching,
            none => match session.searching(memory, &job.ctx, &out) {
                Err(Error::Interrupted) => {
                    out.text("Search canceled at depth 0\n".to_owned());
                    return Ok(());
                }
                made => none.insert(made?),
            },
        };
        searching.solve(&session.options, &scramble, &job.ctx, &out)
    };
    let failed = |_| Err(Error::Usage("the search failed: an error of the program".to_owned()));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}

/// The line of tables that are made.
fn filling(positions: u64) -> String {
    format!("Filling tables of {positions} positions\n")
}

/// The text of a search, on its way to the page.
struct Outlet(Sender<BridgeEvent>);

impl Outlet {
    /// Sends text. Waits for a page that reads slowly; one that is gone cancels the search.
    fn text(&self, text: String) {
        if !text.is_empty() {
            let _ = self.0.blocking_send(BridgeEvent::Out { text });
        }
    }
}

impl Session {
    /// The search of the puzzle.
    fn searching(&self, memory: u64, ctx: &Context, out: &Outlet) -> Result<Searching> {
        let puzzle = PuzzleDefinition::parse_tws(&self.key.0)?;
        let restriction = self.options.restriction(&puzzle);
        let memory = self.options.memory.map_or(memory, |asked| asked.min(memory));
        let pool = self.options.threads.map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
        let pool = pool.transpose().map_err(|error| Error::Usage(format!("the threads do not start: {error}")))?;
        if !self.options.is_quiet {
            out.text(filling(PuzzleSearch::FIRST_POSITIONS));
        }
        Ok(Searching { search: PuzzleSearch::new(puzzle, &restriction, ctx)?, memory, pool })
    }
}

impl Searching {
    /// Solves a position. The lines are those of twsearch: pages read them.
    fn solve(&mut self, options: &Options, scramble: &str, ctx: &Context, out: &Outlet) -> Result<()> {
        let Self { search, memory, pool } = self;
        let request = SearchRequest { memory: Some(*memory), ..options.request };
        let position = search.read_position(scramble)?;
        if !options.is_quiet {
            out.text("Solving\n".to_owned());
        }
        let [began, mut since] = [Instant::now(); 2];
        let (mut depth, mut all_nodes, mut solutions) = (0, 0, String::new());
        let names: Vec<String> = (0..search.definition().turns().len()).map(|turn| search.text(&[turn])).collect();
        let each = |event: SearchEvent<'_>| match event {
            SearchEvent::Found(turns) => {
                let words: Vec<&str> = turns.iter().map(|&turn| names[turn].as_str()).collect();
                let _ = writeln!(solutions, " {}", words.join(" "));
                if solutions.len() > BYTES_AT_ONCE {
                    out.text(std::mem::take(&mut solutions));
                }
            }
            SearchEvent::Searched { turns, nodes } => {
                out.text(std::mem::take(&mut solutions));
                (depth, all_nodes) = (turns + 1, all_nodes + nodes);
                let seconds = std::mem::replace(&mut since, Instant::now()).elapsed().as_secs_f64();
                let rate = nodes as f64 / seconds.max(1e-9) / 1e6;
                if !options.is_quiet {
                    out.text(format!("Depth {turns} in {seconds:.3} lookups {nodes} rate {rate:.3}\n"));
                }
            }
            SearchEvent::Tables(positions) if !options.is_quiet => {
                out.text(filling(positions));
            }
            SearchEvent::Tables(_) | SearchEvent::Nodes(_) => {}
        };
        let search = || search.solutions(&position, &request, ctx, each);
        let found = match pool {
            Some(pool) => pool.install(search),
            None => search(),
        };
        out.text(solutions);
        let last = match found {
            Ok(_) if ctx.is_cancelled() => format!("Search canceled at depth {depth}\n"),
            Ok(SearchFound { solutions, .. }) if solutions.is_empty() => {
                format!("No solution found in {}\n", options.request.turns[1])
            }
            Ok(SearchFound { solutions: found, .. }) => {
                let seconds = began.elapsed().as_secs_f64();
                let (count, ending) = (found.len(), if found.len() == 1 { "" } else { "s" });
                let depth = found.last().map_or(0, Vec::len);
                let rate = all_nodes as f64 / seconds.max(1e-9) / 1e6;
                format!(
                    "Found {count} solution{ending} max depth {depth} lookups {all_nodes} in {seconds:.3} rate {rate:.3}\n"
                )
            }
            Err(Error::Invalid(_)) => "Ignoring unsolvable position.\n".to_owned(),
            Err(error) => return Err(error),
        };
        out.text(last);
        Ok(())
    }
}
