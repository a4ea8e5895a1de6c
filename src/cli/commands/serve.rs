//! `serve`: a database over HTTP.

use std::net::Ipv4Addr;
use std::time::Duration;

use clap::builder::{RangedU64ValueParser, TypedValueParser};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use twistbase_core::context::Context;
use twistbase_core::error::Error;
use twistbase_http::{LONGEST_HEADER_TIME, ListenAddress, Listening, ServeLimits, ServeOptions, router, serve};

use crate::arguments::duration;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::json_line;

/// Where a server listens if nothing is said: this machine alone reaches it.
const DEFAULT_ADDRESS: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 8021);
/// How often it is looked whether the server is to stop.
const PATIENCE: Duration = Duration::from_millis(50);

const EXAMPLES: &str = "\
Examples:
  twistbase serve
  twistbase serve --listen 0.0.0.0:8021 --allow-host cubes.example.org
  twistbase serve --listen unix:/run/twistbase.sock
  curl 'http://127.0.0.1:8021/api/v1/cube3/query?position=R%20U2'

Answers are those of --json on the command line (schema/json/). Addresses below
/api/v1: puzzles, tables, shapes, openapi.json (what programs may ask); and of each
puzzle, PUZZLE/query, solutions, solve (server-sent events), batch (POST, a position
a line), random, stats, rows, picture.svg, scene. Beside them / (a page to turn and
solve puzzles on), /healthz, /readyz and /metrics (Prometheus).

Parameters are called as options on the command line, with _ for - (max_nodes,
max_depth, in_h), and have their values: ?position=…&metric=qtm&detail=brief. An option
without a value is given as true (all=true, shapes=true, in_h=true, scramble=true).
What differs:
  middle=square    for --middle; ignored is the other goal
  n=5              for --count
  detail=brief     for batch, too: full if nothing is said
  exact=true       a distance that no table tells is searched for, but only as long as
                   that takes a moment, as without --exact; so it is if nothing is said
                   and no table is named. exact=false is --no-exact
  table=NAME       of questions about cube3, a table of it that counts in the metric; of
                   stats and rows, one of the puzzle's. auto is to leave it out
  normalize=true   not for batch; query and solve report the turns (turned)
  solutions        an address; it takes position, normalize, metric, middle, notation,
                   shapes, limit
There is no time: each search has --search-time. There is no form, size, map, results
or as_finished; max_nodes is for solve alone. What an address does not take is refused.

A question whose table is missing is answered with 503 and the command that builds it.
Only this machine is listened to unless --listen says otherwise. SIGTERM and Ctrl-C
let running answers end; a second one ends the server at once. A request has one header
Host, also in HTTP/1.0: 400 if not, 421 if it is none of the server's names.

Behind a proxy that has the certificates: it passes requests on to a socket, and
--allow-host tells the server by which name it is called. The proxy has to be allowed
to write to the socket. That is what the umask leaves: with 007 a proxy of the group
of the server may, with the usual 022 the user of the server alone. So run it as a
user whose group is that of the proxy (www-data of nginx on Debian), or in a folder
that hands this group on (chmod g+s).

  umask 007
  twistbase serve --listen unix:/run/twistbase/http.sock --allow-host cubes.example.org

  # nginx; searches are answered as they go on, so nothing may be held back
  location / {
      proxy_pass http://unix:/run/twistbase/http.sock;
      proxy_set_header Host $host;
      proxy_buffering off;
  }

  # Caddy
  cubes.example.org {
      reverse_proxy unix//run/twistbase/http.sock
  }

With systemd the socket can be there before the server, which is started by the first
request: a socket that is passed to it (LISTEN_FDS) is listened at, without --listen.

  # twistbase.socket; by itself it may be written to by all
  [Socket]
  ListenStream=/run/twistbase/http.sock
  SocketGroup=www-data
  SocketMode=0660
  [Install]
  WantedBy=sockets.target

  # twistbase.service
  [Service]
  ExecStart=/usr/local/bin/twistbase serve --allow-host cubes.example.org";

/// Answer questions over HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Where to listen: an address with a port, or unix:PATH [default: the socket that is passed, else 127.0.0.1:8021]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<ListenAddress>,

    /// A name by which the server may be called at any port, besides localhost and addresses
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// An origin whose pages may read answers, like https://example.org; * for all
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,

    #[command(flatten)]
    limits: LimitArgs,
}

/// What the server allows.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Time for the head of a request, and for an idle connection, an hour at most [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = header_time)]
    header_time: Option<Duration>,

    /// Time that nothing may come of a body, or be read of an answer, before it is given up [default: 1m]
    #[arg(long, value_name = "DURATION", value_parser = pause_time)]
    pause_time: Option<Duration>,

    /// Bytes of a body [default: 1048576]
    #[arg(long, value_name = "N")]
    body_bytes: Option<usize>,

    /// Connections at a time [default: 4096]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    connections: Option<usize>,

    /// Searches at a time [default: one per thread]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    searches: Option<usize>,

    /// Batches, lists of solutions and scrambles at a time [default: one per thread]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    lists: Option<usize>,

    /// How many searches may wait, and how many batches, lists and scrambles [default: 64]
    #[arg(long, value_name = "N")]
    queue: Option<usize>,

    /// Time for each of them [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    search_time: Option<Duration>,

    /// Lines of a batch [default: 10000]
    #[arg(long, value_name = "N")]
    batch_lines: Option<usize>,

    /// Solutions, or random positions, of one request [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    listed: Option<u64>,

    /// Time that running answers have to end when the server stops [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    drain_time: Option<Duration>,
}

/// Parses a time for heads that is not longer than the clock can count, nor so short that none can come.
fn header_time(text: &str) -> Result<Duration, String> {
    match some_time(text, "no head comes in no time: give more, like 10s")? {
        time if time > LONGEST_HEADER_TIME => {
            Err(format!("give {} at most", humantime::format_duration(LONGEST_HEADER_TIME)))
        }
        time => Ok(time),
    }
}

/// Parses a time for pauses that is not so short that there is no time between them.
fn pause_time(text: &str) -> Result<Duration, String> {
    some_time(text, "nothing comes in no time: give more, like 1m")
}

/// Parses a time that is not zero; `if_none` says why that makes no sense.
fn some_time(text: &str, if_none: &str) -> Result<Duration, String> {
    match duration(text)? {
        time if time.is_zero() => Err(if_none.to_owned()),
        time => Ok(time),
    }
}

/// Parses how many there are of what a server cannot do without.
fn at_least_one() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..)
}

impl LimitArgs {
    /// The limits: the library's where nothing is said.
    fn limits(&self) -> ServeLimits {
        let own = ServeLimits::default();
        let ([searches, queue], [lists, queue_of_lists]) = (own.searches, own.lists);
        ServeLimits {
            header_time: self.header_time.unwrap_or(own.header_time),
            pause_time: self.pause_time.unwrap_or(own.pause_time),
            body_bytes: self.body_bytes.unwrap_or(own.body_bytes),
            connections: self.connections.unwrap_or(own.connections),
            questions: own.questions,
            searches: [self.searches.unwrap_or(searches), self.queue.unwrap_or(queue)],
            lists: [self.lists.unwrap_or(lists), self.queue.unwrap_or(queue_of_lists)],
            search_time: self.search_time.unwrap_or(own.search_time),
            batch_lines: self.batch_lines.unwrap_or(own.batch_lines),
            listed: self.listed.unwrap_or(own.listed),
            drain_time: self.drain_time.unwrap_or(own.drain_time),
        }
    }
}

/// The socket that was passed, or one where the arguments say.
async fn listening(listen: Option<ListenAddress>) -> Result<Listening, Error> {
    match (Listening::inherited()?, listen) {
        (Some(inherited), None) => Ok(inherited),
        (Some(_), Some(_)) => Err(Error::Usage("a socket was passed (LISTEN_FDS): --listen says another".to_owned())),
        (None, Some(address)) => Listening::at(&address).await,
        (None, None) => Listening::at(&ListenAddress::Tcp(DEFAULT_ADDRESS.into())).await,
    }
}

/// Files that a server has open beside its connections: tables, caches while they are opened, what it reads of the system.
const FILES_BESIDE: u64 = 256;

/// Lets the process have as many files open as connections may come, if the system does; else so many fewer connections may come.
fn make_room(limits: &mut ServeLimits) {
    let system = getrlimit(Resource::Nofile);
    let wanted = (limits.connections as u64).saturating_add(FILES_BESIDE);
    let Some(mut allowed) = system.current.filter(|&allowed| allowed < wanted) else { return };
    let raised = system.maximum.map_or(wanted, |most| most.min(wanted));
    if setrlimit(Resource::Nofile, Rlimit { current: Some(raised), ..system }).is_ok() {
        allowed = raised;
    }
    // With hardly any files half of them are for connections.
    let most = allowed.saturating_sub(FILES_BESIDE).max(allowed / 2).max(1);
    if most < limits.connections as u64 {
        tracing::info!(
            files = allowed,
            connections = most,
            "fewer connections are taken: the process may open so many files"
        );
        limits.connections = most as usize;
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    // Interrupts end the server, not the work: that is drained first.
    let (interrupts, work, mut limits) = (env.context()?, Context::silent(), args.limits.limits());
    make_room(&mut limits);
    let options = ServeOptions { hosts: args.allow_host, origins: args.cors, limits: limits.clone() };
    // Who asks from elsewhere does not decide what is built here.
    let router = router(&env.database()?.building_missing(false), &options, &work)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|source| Error::io("start", "the threads of the server", source))?;
    let mut output = env.output();
    runtime.block_on(async {
        let listening = listening(args.listen).await?;
        let address = listening.address()?.to_string();
        let line = if env.json() { json_line(&serde_json::json!({ "address": address })) } else { address + "\n" };
        output.bytes(line.as_bytes())?;
        output.flush()?;
        let stop = async {
            while !interrupts.is_cancelled() {
                tokio::time::sleep(PATIENCE).await;
            }
        };
        serve(listening, router, &limits, &work, stop).await;
        Ok(())
    })
}
