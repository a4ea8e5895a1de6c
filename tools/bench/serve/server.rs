//! The program, serving.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of its own, killed at the end.
pub struct Server {
    child: Child,
    /// Address and port.
    pub address: String,
    /// The time from the start of the process to its first answer.
    pub started: Duration,
}

impl Server {
    /// Starts one over the tables in `dir`, and waits for its first answer.
    pub fn start(dir: &Path) -> Self {
        let began = Instant::now();
        let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/twistbase");
        let mut child = Command::new(env::var_os("TWISTBASE").unwrap_or_else(|| built.into()))
            .env("TWISTBASE_STORE", dir)
            .args(["serve", "--no-build", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim_end().strip_prefix("http://").expect("an address").to_owned();
        let reply = get(&address, "/api/v1/cube21/query?position=/");
        assert!(reply.contains("\"distance\":1"), "{reply}");
        Self { child, address, started: began.elapsed() }
    }

    /// What it holds in memory: all of it, and what is not pages of files.
    pub fn memory(&self) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let field = |name: &str| {
            let found = status.lines().find_map(|line| line.strip_prefix(name));
            let kilobytes = found.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
            kilobytes.expect("a number of kB") / 1e3
        };
        format!("{:.1} MB, {:.1} MB of it no file's", field("VmRSS:"), field("RssAnon:"))
    }

    /// How many searches run.
    pub fn searches(&self) -> u32 {
        let metrics = get(&self.address, "/metrics");
        let found = metrics.lines().find_map(|line| line.strip_prefix("twistbase_running{lane=\"search\"} "));
        found.and_then(|number| number.trim().parse().ok()).expect("a number of searches")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing is lost with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to one request, head and body.
pub fn get(address: &str, path: &str) -> String {
    let mut stream = begin(address, path, "Connection: close\r\n");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a response");
    reply
}

/// Sends a request, and leaves the answer to the caller.
pub fn begin(address: &str, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").expect("a request is sent");
    stream
}
