//! Clients that want to stop a server: slow ones, many of them, and those that ask for more than it can do. `tools/check_serving.py` does the
//! same with thousands.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_recv_buffer_size;

use super::{FAR, Server, wait_until};
use crate::cli::{SMALL, small_store, store};
use crate::support::CUBE3;

impl Server {
    /// The sum of a metric over its labels, or the value for one of them.
    pub fn metric(&self, name: &str) -> u64 {
        let metrics = self.get("/metrics", &[]).body;
        let values = metrics.lines().filter_map(|line| line.strip_prefix(&format!("twistbase_{name}")));
        values.map(|line| line.rsplit(' ').next().expect("a value").parse::<u64>().expect("a number")).sum()
    }

    /// A connection for which the system holds little of an answer.
    fn connect_small(&self) -> TcpStream {
        let stream = self.connect();
        set_socket_recv_buffer_size(&stream, 1 << 12).expect("a socket");
        stream
    }
}

/// The head of a request with a body.
fn post(path: &str, length: usize) -> String {
    format!("POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n")
}

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Heads that do not come make room for others, the slowest first.
#[test]
fn slow_heads_take_no_place_that_somebody_wants() {
    let dir = store();
    let server = Server::start(dir.path(), &["--connections", "4", "--header-time", "1h"]);
    let mut slow: Vec<_> = (0..8).map(|_| server.connect()).collect();
    for stream in &mut slow {
        // Those that were dropped may say so.
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHo");
    }
    assert!(server.send(HEALTH).starts_with("HTTP/1.1 200 "));
    assert!(server.metric("dropped_total{reason=\"room\"") >= 5);
    // The first is dropped, the last is not.
    assert!(matches!(slow[0].read(&mut [0; 1]), Ok(0) | Err(_)));
    slow[7].write_all(b"st: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    slow[7].read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200 "), "{reply}");
}

/// Where all connections are at work, health checks are answered, and others are told to come again.
#[test]
fn health_has_a_place_of_its_own() {
    let server = Server::start(&CUBE3, &["--connections", "1"]);
    let mut search = server.connect();
    write!(search, "GET /api/v1/cube3/solve?position={FAR}&method=optimal HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    assert_ne!(search.read(&mut [0; 64]).unwrap(), 0);
    assert!(server.send(HEALTH).starts_with("HTTP/1.1 200 "));
    let reply = server.send("GET /api/v1/puzzles HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(reply.starts_with("HTTP/1.1 503 ") && reply.to_lowercase().contains("\r\nretry-after: 1\r\n"), "{reply}");
    assert!(reply.contains("too many connections"), "{reply}");
    assert!(server.metric("refused_total{by=\"connections\"") >= 2);
    assert_ne!(search.read(&mut [0; 64]).unwrap(), 0, "the search goes on");
}

/// A body that comes byte by byte is given up although it never pauses.
#[test]
fn a_body_has_a_least_rate() {
    let dir = small_store();
    let server = Server::start(dir.path(), &["--pause-time", "300ms", "--min-rate", "1000000"]);
    let mut slow = server.connect();
    slow.write_all(post(&format!("{SMALL}/batch"), 1 << 20).as_bytes()).unwrap();
    let mut reply = String::new();
    let mut writer = slow.try_clone().unwrap();
    thread::scope(|scope| {
        let sends = scope.spawn(move || {
            while writer.write_all(b"/").is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        let _ = slow.read_to_string(&mut reply);
        let _ = slow.shutdown(Shutdown::Both);
        sends.join().unwrap();
    });
    assert!(reply.starts_with("HTTP/1.1 408 "), "{reply}");
    assert_eq!(server.metric("dropped_total{reason=\"body\""), 1);
}

/// So is a reader that reads byte by byte, and one that reads nothing.
#[test]
fn a_reader_has_a_least_rate() {
    let dir = store();
    let server = Server::start(dir.path(), &["--pause-time", "300ms", "--min-rate", "1000000", "--listed", "100000"]);
    // More than systems hold for a client.
    let path = "/api/v1/cube3/random?n=100000";
    let slow = server.connect_small();
    write!(&slow, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    wait_until("the reader is dropped", || {
        let _ = (&slow).read(&mut [0; 1]);
        server.metric("dropped_total{reason=\"reader\"") == 1
    });
    // Who reads fast has all of it.
    assert_eq!(server.get(path, &[]).json().as_array().unwrap().len(), 100_000);
}

/// A batch that nobody reads has no place, and comes to its end when it is read.
#[test]
fn a_batch_that_nobody_reads_gives_its_place_back() {
    let dir = small_store();
    let server = Server::start(dir.path(), &["--lists", "1", "--queue", "0", "--search-time", "1h"]);
    let body = "(1,0)/(3,3)/(-3,0)/\n".repeat(10_000);
    let mut unread = server.connect();
    let head = post(&format!("{SMALL}/batch"), body.len()).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    unread.write_all((head + &body).as_bytes()).unwrap();
    let held = || server.metric("transfer_bytes");
    wait_until("the batch runs", || held() > 0);
    wait_until("the batch waits for its reader", || server.load("running", "list") == 0);
    wait_until("another batch is answered", || server.post(&format!("{SMALL}/batch"), &[], "/\n").status == 200);
    assert!(held() < 1 << 19, "{} bytes for an answer that nobody reads", held());
    let mut reply = String::new();
    unread.read_to_string(&mut reply).unwrap();
    assert!(reply.ends_with("\r\n0\r\n\r\n"), "{}", reply.len());
    assert_eq!(reply.matches("\"input\":").count(), 10_000);
    drop(unread);
    wait_until("its memory is free", || held() == 0);
}

/// What nobody reads and the bodies that come share a memory; beyond it requests are refused, and come again.
#[test]
fn answers_that_nobody_reads_share_a_memory() {
    let dir = small_store();
    let server = Server::start(dir.path(), &["--transfer-bytes", "400000"]);
    let path = "/api/v1/cube3/random?n=1000&walk=1000";
    let ask = || {
        let mut stream = server.connect_small();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        (stream, status)
    };
    let unread: Vec<_> = (0..3).map(|_| ask()).collect();
    assert!(unread.iter().all(|(_, status)| status == b"HTTP/1.1 200"));
    let reply = server.get(path, &[]);
    assert_eq!((reply.status, reply.header("retry-after")), (503, "1"), "{}", reply.body);
    assert_eq!(reply.json()["code"], "overloaded");
    assert_eq!(server.post(&format!("{SMALL}/batch"), &[], &"/\n".repeat(20_000)).status, 503);
    assert_eq!(server.metric("refused_total{by=\"transfer\""), 2);
    // What is short is answered.
    assert_eq!(server.get(&format!("/api/v1/{SMALL}/query"), &[("position", "/")]).status, 200);
    drop(unread);
    wait_until("its memory is free", || server.metric("transfer_bytes") == 0);
    assert_eq!(server.get(path, &[]).status, 200);
}

/// Who sends a request and then nothing more has the answer, long or short.
#[test]
fn half_closed_clients_have_their_answer() {
    let server = Server::start(&CUBE3, &[]);
    for (path, end) in [
        ("/api/v1/cube3/query?position=R", "}"),
        ("/api/v1/cube3/random?n=10000", "]\r\n0\r\n\r\n"),
        ("/api/v1/cube3/solve?position=RUFLDB&method=optimal", "\r\n0\r\n\r\n"),
    ] {
        for _ in 0..5 {
            let mut stream = server.connect();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut reply = String::new();
            stream.read_to_string(&mut reply).unwrap();
            assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with(end), "{path}: {reply:.300}");
        }
    }
    // A body that ends early is not whole.
    let mut stream = server.connect();
    stream.write_all((post("cube3/batch", 100) + "R\n").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut reply = String::new();
    let _ = stream.read_to_string(&mut reply);
    assert!(!reply.starts_with("HTTP/1.1 200 "), "{reply}");
    // Who is gone ends its search, also if nothing says so but a failed word.
    let mut search = server.connect();
    write!(search, "GET /api/v1/cube3/solve?position={FAR}&method=optimal HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    wait_until("the search runs", || server.load("running", "search") == 1);
    drop(search);
    wait_until("the search ends", || server.load("running", "search") == 0);
}

#[test]
fn targets_and_lengths_that_cannot_be_are_refused() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    for (target, status) in [
        ("/healthz", "200"),
        ("http://localhost/healthz", "200"),
        ("http://127.0.0.1:80/healthz", "200"),
        ("http://evil.example/healthz", "421"),
        ("http://localhost@evil.example/healthz", "421"),
    ] {
        let reply = server.send(&format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        assert_eq!(reply.split(' ').nth(1), Some(status), "{target}: {reply}");
    }
    for length in ["18446744073709551616", "18446744073709551615", "18446744073709551613", "x"] {
        let head =
            format!("POST /api/v1/{SMALL}/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n");
        let reply = server.send(&head);
        assert!(reply.starts_with("HTTP/1.1 400 ") || reply.starts_with("HTTP/1.1 413 "), "{length}: {reply}");
    }
    // A head that is too large is called so: it has no end where the limit is, and nothing is left to read there.
    let begun = "GET / HTTP/1.1\r\nHost: localhost\r\nX: ";
    let long = server.send(&(begun.to_owned() + &"x".repeat((1 << 16) - begun.len())));
    assert!(long.starts_with("HTTP/1.1 431 "), "{long}");
}

/// Compressed answers are those that are not: short ones, and long ones in pieces.
#[test]
fn compressed_answers_are_the_same() {
    let dir = small_store();
    let server = Server::start(dir.path(), &[]);
    for path in ["/api/v1/cube3/random?n=5000&seed=3", "/api/v1/shapes", "/", "/api/v1/cube3/random?n=3&seed=3"] {
        let plain = server.get(path, &[]);
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: br, gzip;q=0.5\r\n\r\n"
        );
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let end = reply.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head") + 4;
        let (head, body) = (String::from_utf8_lossy(&reply[..end]).to_lowercase(), &reply[end..]);
        assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{head}");
        let coded = if head.contains("chunked") { unchunked(body) } else { body.to_vec() };
        assert!(coded.len() < plain.body.len(), "{path}: {} bytes", coded.len());
        let mut text = String::new();
        flate2::read::GzDecoder::new(&coded[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, plain.body, "{path}");
    }
}

/// The bytes of a chunked body.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let end = body.windows(2).position(|bytes| bytes == b"\r\n").expect("a length");
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).expect("text"), 16).expect("a length");
        if length == 0 {
            return all;
        }
        all.extend(&body[end + 2..end + 2 + length]);
        body = &body[end + 2 + length + 2..];
    }
}
