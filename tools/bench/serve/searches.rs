//! How soon a search ends that nobody waits for any more, and how soon it is said that no place is free.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::server::{Server, begin, get};

/// A position of twenty moves: its searches take longer than the bench.
const FAR: &str = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB";
/// Rounds of each method.
const ROUNDS: usize = 50;

/// Cancels searches, and fills the queue.
pub fn measure(server: &Server) {
    println!("\nfrom the end of a client to that of its search, ms\tmean\tmost");
    for method in ["two-phase&target=1", "optimal"] {
        let mut times: Vec<f64> = (0..ROUNDS).map(|_| cancelled(server, method).as_secs_f64() * 1e3).collect();
        times.sort_unstable_by(f64::total_cmp);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        println!("{method}\t{mean:.1}\t{:.1}", times[times.len() - 1]);
    }
    println!("a full queue says so after {:.2} ms", refused(server).as_secs_f64() * 1e3);
}

/// Begins a search, and waits until something is told of it.
fn search(server: &Server, method: &str) -> TcpStream {
    let stream = begin(&server.address, &format!("/api/v1/cube3/solve?position={FAR}&method={method}"), "");
    let mut lines = BufReader::new(&stream);
    let mut line = String::new();
    while !line.starts_with("event:") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).expect("a line"), 0, "the search ended");
    }
    stream
}

/// The time from closing a connection to the end of its search.
fn cancelled(server: &Server, method: &str) -> Duration {
    let stream = search(server, method);
    assert_eq!(server.searches(), 1);
    drop(stream);
    let closed = Instant::now();
    while server.searches() > 0 {
        assert!(closed.elapsed() < Duration::from_secs(10), "the search goes on");
    }
    closed.elapsed()
}

/// The time until a search is refused while all places are taken.
fn refused(server: &Server) -> Duration {
    let places = std::thread::available_parallelism().map_or(1, usize::from);
    let path = format!("/api/v1/cube3/solve?position={FAR}&method=optimal");
    let _running: Vec<_> = (0..places).map(|_| search(server, "optimal")).collect();
    let _waiting: Vec<_> = (0..64).map(|_| begin(&server.address, &path, "")).collect();
    while !get(&server.address, "/metrics").contains("twistbase_waiting{lane=\"search\"} 64") {}
    let asked = Instant::now();
    let reply = get(&server.address, &path);
    assert!(reply.starts_with("HTTP/1.1 503 ") && reply.contains("\"code\":\"overloaded\""), "{reply}");
    asked.elapsed()
}
