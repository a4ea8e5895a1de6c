//! `serve`: a database over HTTP.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use twistbase_core::context::Context;
use twistbase_core::error::Error;
use twistbase_core::memory::available_memory;
use twistbase_database::BuildQueue;
use twistbase_http::{
    BridgeOptions, LONGEST_HEADER_TIME, ListenAddress, Listening, RESERVED_CONNECTIONS, ServeLimits, ServeOptions,
    Server,
};

use crate::arguments::{at_least_one, duration};
use crate::environment::Environment;
use crate::failure::{Failure, given_store};
use crate::memory::Size;
use crate::output::json_line;

/// The port of a server if nothing is said, and of one that is a bridge, where pages look for it. This machine alone reaches it.
const DEFAULT_PORTS: [u16; 2] = [8021, 2023];
/// How often it is looked whether the server is to stop.
const PATIENCE: Duration = Duration::from_millis(50);

const EXAMPLES: &str = "\
Examples:
  twistbase serve
  twistbase serve --allow-build
  twistbase serve --store :memory:          a demonstration that leaves nothing behind
  twistbase serve --listen 0.0.0.0:8021 --allow-host cubes.example.org
  twistbase serve --listen unix:/run/twistbase.sock
  curl 'http://127.0.0.1:8021/api/v1/cube3/query?position=R%20U2'";

/// The end of the short help.
const MORE: &str = "--help explains addresses, builds, limits and proxies.";

/// The long help behind the examples.
const SECTIONS: &str = "\
ADDRESSES
Answers are those of --json on the command line (schema/json/).
Addresses below /api/v1: puzzles, tables, builds, tables/TABLE/build, shapes,
openapi.json (describes the API to programs); of each puzzle: PUZZLE/query, solutions,
solve (server-sent events), steps, insertions and analysis (cube3), batch (POST, a
position a line), random, stats, rows, picture.svg, scene. Beside them: / (a page to turn
and solve puzzles on), /healthz, /readyz and /metrics (Prometheus).

PARAMETERS
A parameter has the name of its option, with _ for - (max_nodes, max_depth, in_h), and
the same values: ?position=R&metric=qtm&detail=brief. An option without a value is true:
all=true, shapes=true, in_h=true, scramble=true. An unknown parameter is an error.
These differ from the options:
  middle=square    --middle; the other value is ignored
  n=5              --count
  detail=brief     also for batch; the default is full
  exact=true       search a moment for a distance that is in no table, as without --exact;
                   the default, unless a table is named. exact=false is --no-exact
  table=NAME       a table of the puzzle, in the metric of the question; cube3, stats, rows.
                   Leave it out for auto
  normalize=true   query and solve report the turns (turned); not for batch
  solutions        an address; it takes position, normalize, metric, middle, notation,
                   shapes, limit
There is no time, form, size, map, results or as_finished. max_nodes is for
solve and analysis. optimal=true of analysis searches as long as --search-time.

TABLES
At its start the server builds missing tables that take less than half a minute and a
gigabyte of memory: phase1, phase2, phase2-exact, cube2, cube21 and square1-corners.
It builds one at a time, while it answers. --no-build turns this off. Ctrl-C and SIGTERM
stop a build; the next one keeps its finished rows. With --allow-build the page shows a
button for every other missing table that fits. Programs POST to tables/TABLE/build, with
Content-Type: application/json. Pages of other origins cannot build tables.
builds shows the progress. A question whose table is being built gets status 503, the
progress, and Retry-After. A question whose table is missing gets 503 and the command
that builds it.

LIMITS
Each search, batch and list ends after --search-time of work. Work beyond --searches,
--lists and --queue gets status 503, as do answers beyond --transfer-bytes. The server
makes long answers while the client reads them, so a slow client delays no other. It drops
clients slower than --min-rate after --pause-time. When all --connections are in use, the
slowest client makes room for the next one. /healthz, /readyz and /metrics get an answer
even then. /metrics counts refused requests and dropped connections.

ACCESS
Without --listen only this machine can reach the server. A request needs exactly one Host
header (status 400 otherwise). The host is localhost, an address, or a name given by
--allow-host (421 otherwise). The first SIGTERM or Ctrl-C lets running answers end; the
second ends the server at once.

BRIDGE
With --bridge, pages of this machine search with this program: they post a puzzle (.tws)
and a position to /v1/solve. So does the Twizzle Explorer, which asks at port 2023. Name
the origin of any other page with --cors. Searches wait for each other, have no time
limit, and end when the page goes away. The tables stay until another puzzle comes.
schema/bridge.md lists the options of twsearch that pages may use.

  twistbase serve --bridge --cors https://alpha.twizzle.net

PROXIES
A proxy with certificates passes requests on to a socket. --allow-host gives the name of
the site. The proxy needs the right to write to the socket, which follows the umask: with
007 the server's group has it, with the usual 022 only the server's user. So run the server
as a user in the proxy's group (www-data for nginx on Debian), or in a folder that passes
this group on (chmod g+s).

  umask 007
  twistbase serve --listen unix:/run/twistbase/http.sock --allow-host cubes.example.org

  # nginx; searches send results as they find them, so turn buffering off
  location / {
      proxy_pass http://unix:/run/twistbase/http.sock;
      proxy_set_header Host $host;
      proxy_buffering off;
  }

  # Caddy
  cubes.example.org {
      reverse_proxy unix//run/twistbase/http.sock
  }

SYSTEMD
systemd can open the socket and start the server at the first request. The server uses
the socket that it gets (LISTEN_FDS); leave --listen out.

  # twistbase.socket; without SocketMode everybody may write to it
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
#[command(after_help = format!("{EXAMPLES}\n\n{MORE}"), after_long_help = format!("{EXAMPLES}\n\n{SECTIONS}"))]
pub struct Args {
    /// Listen at IP:PORT or unix:PATH [default: 127.0.0.1:8021]
    ///
    /// A socket that is passed (LISTEN_FDS) replaces the default.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<ListenAddress>,

    /// Build tables when the page or a program asks for it
    #[arg(long)]
    allow_build: bool,

    /// Answer to this host name, too
    ///
    /// The server always answers to localhost and to addresses, at any port.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// Let pages of this origin read answers; * for all
    ///
    /// An origin is like https://example.org.
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,

    /// Search for pages that speak the bridge protocol of twsearch, like the Twizzle Explorer
    ///
    /// The default address is then 127.0.0.1:2023.
    #[arg(long, conflicts_with = "allow_host")]
    bridge: bool,

    /// Memory for the tables of the bridge, like 3G [default: half of free memory]
    #[arg(long, value_name = "SIZE", requires = "bridge")]
    bridge_memory: Option<Size>,

    #[command(flatten)]
    limits: LimitArgs,
}

/// What the server allows.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Time limit for request headers and idle connections [default: 10s]
    ///
    /// At most an hour.
    #[arg(long, value_name = "DURATION", value_parser = header_time)]
    header_time: Option<Duration>,

    /// Idle time limit within a body or an answer [default: 1m]
    ///
    /// Time that a client slower than --min-rate takes counts, too.
    #[arg(long, value_name = "DURATION", value_parser = pause_time)]
    pause_time: Option<Duration>,

    /// Slowest client, in bytes a second; 0 for any [default: 1000]
    ///
    /// The server drops a client that sends a body or reads an answer more slowly for longer
    /// than --pause-time.
    #[arg(long, value_name = "N")]
    min_rate: Option<u64>,

    /// Largest request body, in bytes [default: 1048576]
    #[arg(long, value_name = "N")]
    body_bytes: Option<usize>,

    /// Memory for all bodies and answers, in bytes [default: 268435456]
    ///
    /// Requests beyond it get status 503.
    #[arg(long, value_name = "N")]
    transfer_bytes: Option<usize>,

    /// Connections at a time [default: 4096]
    ///
    /// When all are in use, the slowest client makes room for the next one. Health checks
    /// always get an answer.
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    connections: Option<usize>,

    /// Searches at a time [default: one per thread]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    searches: Option<usize>,

    /// Lists, batches, short searches at a time [default: one per thread]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    lists: Option<usize>,

    /// Waiting searches, and as many waiting lists [default: 64]
    #[arg(long, value_name = "N")]
    queue: Option<usize>,

    /// Time limit of a search, batch or list [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    search_time: Option<Duration>,

    /// Memory for the tables that a search makes, like 3G [default: 256 MiB]
    ///
    /// For puzzles without a table, like fto. The server keeps eight such searches.
    #[arg(long, value_name = "SIZE")]
    search_memory: Option<Size>,

    /// Most lines of a batch [default: 10000]
    #[arg(long, value_name = "N")]
    batch_lines: Option<usize>,

    /// Most solutions or random positions of a request [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    listed: Option<u64>,

    /// Time for running answers when the server stops [default: 10s]
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

impl LimitArgs {
    /// The limits: the library's where nothing is said.
    fn limits(&self) -> ServeLimits {
        let own = ServeLimits::default();
        let ([searches, queue], [lists, queue_of_lists]) = (own.searches, own.lists);
        ServeLimits {
            header_time: self.header_time.unwrap_or(own.header_time),
            pause_time: self.pause_time.unwrap_or(own.pause_time),
            least_rate: self.min_rate.unwrap_or(own.least_rate),
            body_bytes: self.body_bytes.unwrap_or(own.body_bytes),
            transfer_bytes: self.transfer_bytes.unwrap_or(own.transfer_bytes),
            connections: self.connections.unwrap_or(own.connections),
            questions: own.questions,
            searches: [self.searches.unwrap_or(searches), self.queue.unwrap_or(queue)],
            lists: [self.lists.unwrap_or(lists), self.queue.unwrap_or(queue_of_lists)],
            search_time: self.search_time.unwrap_or(own.search_time),
            search_memory: self.search_memory.map_or(own.search_memory, |Size(bytes)| bytes),
            batch_lines: self.batch_lines.unwrap_or(own.batch_lines),
            listed: self.listed.unwrap_or(own.listed),
            drain_time: self.drain_time.unwrap_or(own.drain_time),
        }
    }
}

/// The socket that was passed, or one where the arguments say.
async fn listening(listen: Option<ListenAddress>, is_bridge: bool) -> Result<Listening, Error> {
    let default = SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORTS[usize::from(is_bridge)]));
    match (Listening::inherited()?, listen) {
        (Some(inherited), None) => Ok(inherited),
        (Some(_), Some(_)) => Err(Error::Usage("a socket was passed (LISTEN_FDS): --listen says another".to_owned())),
        (None, Some(address)) => Listening::at(&address).await,
        (None, None) => Listening::at(&ListenAddress::Tcp(default)).await,
    }
}

/// Files that a server has open beside its connections: tables, a file of the cache for each row of six tables of 90 rows, and what
/// it reads of the system. Reserved connections come on top.
const FILES_BESIDE: u64 = 800 + RESERVED_CONNECTIONS as u64;

/// Raises the limit on open files to that on connections. If the system refuses, lowers the limit on connections.
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
            "accepts fewer connections, because of the limit on open files"
        );
        limits.connections = most as usize;
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    // Interrupts end the server and its builds, not the answers: these are drained first.
    let (interrupts, work, mut limits) = (env.context(), Context::silent(), args.limits.limits());
    make_room(&mut limits);
    // Who asks from elsewhere does not decide what is built here.
    let (database, builds_quick) = (env.database()?.building_missing(false), env.builds_missing()?);
    let builds = Arc::new(BuildQueue::new(&database, &interrupts));
    let is_bridge = args.bridge;
    let bridge = is_bridge.then(|| BridgeOptions {
        memory: args.bridge_memory.map_or_else(|| available_memory() / 2, |Size(bytes)| bytes),
        // Whoever drives a program on this machine is named.
        origins: args.cors.iter().filter(|origin| *origin != "*").cloned().collect(),
    });
    let options = ServeOptions {
        hosts: args.allow_host,
        origins: args.cors,
        builds: Some(Arc::clone(&builds)),
        allows_builds: args.allow_build,
        bridge,
        named_store: given_store().map(Into::into),
        limits,
    };
    let server = Server::new(&database, &options, &work)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|source| Error::io("start", "the threads of the server", source))?;
    let mut output = env.output();
    let served = runtime.block_on(async {
        let listening = listening(args.listen, is_bridge).await?;
        let address = listening.address()?;
        if is_bridge && !address.is_local() {
            let reason = format!("--bridge is for pages on this machine, and others reach {address}");
            return Err(Error::Usage(format!("{reason}: listen at 127.0.0.1")).into());
        }
        let address = address.to_string();
        let line = if env.json() { json_line(&serde_json::json!({ "address": address })) } else { address + "\n" };
        output.bytes(line.as_bytes())?;
        output.flush()?;
        if builds_quick && let Err(error) = builds.push_quick() {
            interrupts.progress().note(&format!("this server builds no tables: {error}"));
        }
        let stop = async {
            while !interrupts.is_cancelled() {
                tokio::time::sleep(PATIENCE).await;
            }
        };
        server.serve(listening, stop).await;
        Ok(())
    });
    // What is stored of a table stays; its next build continues it.
    builds.close();
    served
}
