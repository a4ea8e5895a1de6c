//! The server as its clients see it.

mod analysis;
mod answers;
mod attacks;
mod bridge;
mod builds;
mod endurance;
mod faults;
mod fuzz;
mod goals;
mod golden;
mod limits;
mod readers;
mod readme;
mod refusals;
mod schemas;
mod steps;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::program::command;
use serde_json::Value;
use ureq::Agent;

/// Twenty moves from solved: searches for it take longer than the tests.
const FAR: &str = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB";

/// How long a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something holds, which has to come.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "{what}: it does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A server on a port of its own.
struct Server {
    process: Process,
    /// Address and port.
    address: String,
    agent: Agent,
}

/// What a server answered.
struct Reply {
    status: u16,
    headers: ureq::http::HeaderMap,
    body: String,
}

/// A process that serves, killed at the end of the test.
struct Process {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// What it printed when it listened.
    line: String,
}

impl Process {
    /// Starts a server over the tables in `dir`.
    fn start(dir: &Path, args: &[&str]) -> Self {
        Self::of(command().arg("serve").args(args), dir)
    }

    /// Starts a server by a command that is or becomes one. Unless the command says otherwise, it builds no tables by itself.
    fn of(command: &mut Command, dir: &Path) -> Self {
        command.env("TWISTBASE_STORE", dir);
        if command.get_envs().all(|(name, _)| name != "TWISTBASE_BUILD") {
            command.env("TWISTBASE_BUILD", "never");
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        Self { child, stdout, line: line.trim_end().to_owned() }
    }

    /// Asks it to stop.
    fn ask_to_stop(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("a signal");
    }

    /// Asks it to stop, and waits for its end: its exit status, and what else it printed.
    fn stop(mut self) -> (Option<i32>, String) {
        self.ask_to_stop();
        let status = self.child.wait().expect("an end");
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("text");
        (status.code(), rest)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts one over the tables in `dir`.
    fn start(dir: &Path, args: &[&str]) -> Self {
        Self::of(Process::start(dir, &[&["--listen", "127.0.0.1:0"], args].concat()))
    }

    /// The server that a process is.
    fn of(process: Process) -> Self {
        let line = &process.line;
        let address = line.strip_prefix("http://").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build();
        Self { process, address, agent: config.into() }
    }

    /// What is there for a path and a query string.
    fn get(&self, path: &str, query: &[(&str, &str)]) -> Reply {
        let request = self.agent.get(format!("http://{}{path}", self.address));
        Reply::of(request.query_pairs(query.iter().copied()).call().expect("a response"))
    }

    /// The same below `/api/v1`, which has to be there.
    fn json(&self, path: &str, query: &[(&str, &str)]) -> Value {
        let reply = self.get(&format!("/api/v1/{path}"), query);
        assert_eq!(reply.status, 200, "{path} {query:?}: {}", reply.body);
        reply.json()
    }

    /// What is answered to a body.
    fn post(&self, path: &str, query: &[(&str, &str)], body: &str) -> Reply {
        let request = self.agent.post(format!("http://{}/api/v1/{path}", self.address));
        Reply::of(request.query_pairs(query.iter().copied()).send(body).expect("a response"))
    }

    /// What its metrics say of a kind of work: `running` or `waiting`.
    fn load(&self, state: &str, lane: &str) -> u64 {
        let metrics = self.get("/metrics", &[]).body;
        let name = format!("twistbase_{state}{{lane=\"{lane}\"}} ");
        let found = metrics.lines().find_map(|line| line.strip_prefix(&name));
        found.unwrap_or_else(|| panic!("{metrics}")).parse().expect("a number")
    }

    /// A connection on which anything can be sent.
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream
    }

    /// What is answered to the bytes of a request, until the server closes the connection.
    fn send(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("a request is sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("a response");
        text
    }

    /// Asks the server to stop, and waits for its end.
    fn stop(self) -> (Option<i32>, String) {
        self.process.stop()
    }
}

impl Reply {
    fn of(response: ureq::http::Response<ureq::Body>) -> Self {
        let (parts, mut body) = response.into_parts();
        let body = body.with_config().limit(1 << 28).read_to_string().expect("text");
        Self { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The objects of the body, one a line.
    fn lines(&self) -> Vec<Value> {
        self.body.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// Server-sent events: names and data.
    fn events(&self) -> Vec<(String, Value)> {
        let event = |text: &str| {
            let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            Some((field("event:")?.to_owned(), serde_json::from_str(field("data:")?).expect("JSON")))
        };
        self.body.split("\n\n").filter_map(event).collect()
    }
}
