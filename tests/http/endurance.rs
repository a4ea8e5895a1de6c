//! What a server has after much work: nothing that it did not have before.

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::{FAR, PATIENCE, Server, wait_until};
use crate::faults::Numbers;
use crate::support::{CUBE3, CUBE21, count};

/// What a process holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    threads: usize,
    /// Without files of the cache: rows that are read often join them when a thread has time for it.
    descriptors: usize,
    /// Kilobytes that are no pages of files.
    memory: u64,
}

impl Server {
    fn held(&self) -> Held {
        let of_process = |path: &str| format!("/proc/{}/{path}", self.process.child.id());
        let entries = |path: &str| fs::read_dir(of_process(path)).expect("a process").count();
        let status = fs::read_to_string(of_process("status")).expect("a process");
        let memory = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a size");
        let memory = memory.trim().trim_end_matches(" kB").parse().expect("a number");
        let descriptors = fs::read_dir(of_process("fd")).expect("a process").filter_map(|entry| {
            // One that is closed meanwhile does not count.
            let file = fs::read_link(entry.ok()?.path()).ok()?;
            (!file.components().any(|part| part.as_os_str() == "cache")).then_some(())
        });
        Held { threads: entries("task"), descriptors: descriptors.count(), memory }
    }

    /// Waits until no search runs or waits, and until connections that were closed are.
    fn settle(&self, descriptors: usize) {
        let started = Instant::now();
        let is_busy = || {
            ["running", "waiting"].iter().any(|state| ["search", "list"].iter().any(|lane| self.load(state, lane) > 0))
        };
        while is_busy() || self.held().descriptors > descriptors {
            assert!(started.elapsed() < PATIENCE, "{:?}", self.held());
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Begins searches, and closes their connections: before anything was answered, or when something was.
fn cancel_searches(server: &Server, count: u64, seed: u64) {
    const AT_ONCE: u64 = 32;
    thread::scope(|scope| {
        for number in 0..AT_ONCE {
            scope.spawn(move || {
                let mut numbers = Numbers(seed + number);
                for _ in 0..count / AT_ONCE {
                    let method = ["two-phase&target=1", "optimal"][numbers.below(2) as usize];
                    let mut stream = server.connect();
                    let path = format!("/api/v1/cube3/solve?position={FAR}&method={method}");
                    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("a request is sent");
                    match numbers.below(4) {
                        0 => {}
                        1 => thread::sleep(Duration::from_micros(numbers.below(2000))),
                        _ => assert!(stream.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0), "an answer begins"),
                    }
                }
            });
        }
    });
}

#[test]
#[ignore = "long suite: thousands of searches"]
fn thousands_of_cancelled_searches_leave_nothing() {
    let server = Server::start(&CUBE3, &["--search-time", "5m"]);
    server.settle(usize::MAX);
    let fresh = server.held();
    // What is opened once and kept, threads that wait for work, memory that the allocator keeps for the next time.
    cancel_searches(&server, 1600, 0);
    server.settle(fresh.descriptors + 8);
    let before = server.held();
    let many = count(2000, 10_000) as u64;
    cancel_searches(&server, many, 1 << 32);
    server.settle(before.descriptors);
    let after = server.held();
    println!("fresh {fresh:?}, after 1,600 searches {before:?}, after {many} more {after:?}");
    assert!(after.descriptors <= before.descriptors);
    // Threads that wait for work end after some seconds, or begin anew: a few more or less, where one lost now and then
    // would be hundreds.
    assert!(after.threads <= before.threads + 8, "{before:?} {after:?}");
    // A kilobyte lost with each of ten thousand searches would show.
    assert!(after.memory <= before.memory + 10_000, "{before:?} {after:?}");
    let reply = server.get("/api/v1/cube3/solve", &[("position", "R U F"), ("method", "optimal")]);
    assert_eq!(reply.events().last().expect("an event").1["length"], 3);
}

/// A server over Cube21 that takes a batch whose answer is tens of megabytes, and that batch.
fn with_long_batch(args: &[&str]) -> (Server, String) {
    let limits = ["--batch-lines", "100000", "--listed", "100000", "--body-bytes", "10000000"];
    let server = Server::start(CUBE21.path(), &[&limits[..], args].concat());
    let drawn = server.json("cube21/random", &[("n", "100000"), ("seed", "4")]);
    let drawn = drawn.as_array().expect("positions").iter();
    let lines = drawn.map(|position| format!("{}\n", position["hex"].as_str().expect("text"))).collect();
    (server, lines)
}

/// The answer to a batch, read at once: what is opened and mapped once then is.
fn answered(server: &Server, lines: &str) -> String {
    let reply = server.post("cube21/batch", &[("detail", "brief")], lines);
    assert_eq!((reply.status, reply.body.lines().count()), (200, lines.lines().count()));
    reply.body
}

/// Sends a batch, and reads nothing of the answer.
fn begin_batch(server: &Server, lines: &str) -> TcpStream {
    let (mut stream, length) = (server.connect(), lines.len());
    let path = "/api/v1/cube21/batch?detail=brief";
    write!(stream, "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n").expect("a request");
    write!(stream, "Content-Length: {length}\r\n\r\n{lines}").expect("a request");
    wait_until("the batch waits for its reader", || {
        server.metric("transfer_bytes") > 0 && server.load("running", "list") == 0
    });
    stream
}

/// The end of a body whose length is not known before.
const LAST_CHUNK: &str = "\r\n0\r\n\r\n";

/// Who reads nothing of a long answer holds no place and little memory; who then reads gets all of it.
#[test]
#[ignore = "long suite: an answer of tens of megabytes"]
fn a_slow_reader_holds_no_place() {
    let (server, lines) = with_long_batch(&["--lists", "1"]);
    let expected = answered(&server, &lines);
    let ask = || assert_eq!(server.post("cube21/batch", &[("detail", "brief")], "/\n").lines()[0]["distance"], 1);
    // Files of the cache that were read stay open.
    ask();
    let before = server.held();
    let mut slow = begin_batch(&server, &lines);
    let (started, mut most) = (Instant::now(), 0);
    while started.elapsed() < Duration::from_secs(3) {
        // The only place is free.
        ask();
        most = most.max(server.held().memory);
    }
    assert_eq!(server.load("running", "list"), 0);
    println!("an answer of {} bytes; {before:?}, at most {most} kB while nobody read it", expected.len());
    // The batch itself, as it arrives and as it is read, and pieces that wait to be sent: a part of the answer.
    let part = expected.len() as u64 / 1024 / 3;
    assert!(expected.len() > 20_000_000 && most < before.memory + part, "{before:?} {most}");
    let mut reply = String::new();
    slow.read_to_string(&mut reply).expect("the rest");
    // Few of the lines are cut where a chunk of the transfer ends.
    let found: HashSet<&str> = reply.lines().map(str::trim_end).collect();
    let whole = expected.lines().filter(|line| found.contains(line)).count();
    assert!(reply.ends_with(LAST_CHUNK) && whole > lines.lines().count() * 9 / 10, "{whole}");
    drop(slow);
    server.settle(before.descriptors);
}

/// Who does not read is not waited for longer than a pause may take, and sees that the answer is not whole.
#[test]
#[ignore = "long suite: waits for some seconds"]
fn who_does_not_read_loses_its_connection() {
    let (server, lines) = with_long_batch(&["--lists", "1", "--pause-time", "3s"]);
    let mut slow = begin_batch(&server, &lines);
    wait_until("the batch is given up", || server.metric("dropped_total{reason=\"reader\"") == 1);
    // Counted before its answer is let go.
    wait_until("its bytes are given back", || server.metric("transfer_bytes") == 0);
    let mut reply = Vec::new();
    // The connection may end with an error.
    let _ = slow.read_to_end(&mut reply);
    let reply = String::from_utf8_lossy(&reply);
    assert!(reply.starts_with("HTTP/1.1 200 ") && !reply.ends_with(LAST_CHUNK), "{} bytes", reply.len());
}
