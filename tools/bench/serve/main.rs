//! The server under load: answers a second by kind, beside those of the library itself in the same run.
//!
//! `cargo bench -p twistbase-bench --bench serve` builds `cube21`, `cube2`, `phase1` and `phase2` in a temporary folder first (some seconds, 1 GB of
//! disk), starts the program over them, and asks it on 64 connections, while 1,000 others send a byte of a request now and
//! then. Server and clients share the machine. Every answer is compared, byte by byte, with the library's; a wrong one ends the
//! bench. `cargo bench -p twistbase-bench --bench serve -- --seconds 2 --only batch` measures less; `--beside 300` asks
//! for random positions, rows, lists and searches on so many other connections meanwhile.
#![allow(clippy::print_stderr, clippy::print_stdout)]

mod client;
mod kinds;
mod searches;
mod server;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use twistbase::tables::BuildRequest;
use twistbase::{Context, Database, Kernel};

use client::{Asked, Load, Requests, Slow, begin_beside, load};
use kinds::{Kind, kinds};
use server::Server;

/// Tables that the questions are about.
const TABLES: [&str; 4] = ["cube21", "cube2", "phase1", "phase2"];
/// Connections that ask, each one question after the other.
const CONNECTIONS: usize = 64;
/// Connections that send a byte now and then.
const SLOW: u32 = 1000;
/// Each kind is asked so long before it is measured.
const WARM_UP: Duration = Duration::from_millis(500);

/// What is asked beside the measured questions.
const BESIDE: &[&str] = &[
    "cube3/random?n=10000",
    "cube3/random?n=1000&walk=1000",
    "cube21/rows",
    "cube2/rows",
    "cube21/solutions?position=3074DE1A-B82F695C",
    "cube3/random?n=200&scramble=true",
    "cube3/solve?method=two-phase&target=1&position=UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB",
];

/// What is measured.
struct Measured {
    /// How long each kind is asked.
    time: Duration,
    /// Part of the names of those that are asked.
    only: String,
    /// Connections that ask for long work meanwhile.
    beside: usize,
}

impl Measured {
    fn of_arguments() -> Self {
        let args: Vec<String> = std::env::args().collect();
        let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
        let seconds = value("--seconds").map_or(5, |text| text.parse().expect("--seconds takes a number"));
        let beside = value("--beside").map_or(0, |text| text.parse().expect("--beside takes a number"));
        Self { time: Duration::from_secs(seconds), only: value("--only").cloned().unwrap_or_default(), beside }
    }
}

fn main() -> ExitCode {
    let measured = Measured::of_arguments();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(folder.path()).expect("a database");
    for name in TABLES {
        let request = BuildRequest { depth: None, force: false, memory: 4 << 30, kernel: Kernel::detect() };
        let table = name.parse().expect("a table");
        database.build(table, &request, &Context::silent()).expect("the build");
        database.cache_warm(table, &Context::silent()).expect("room for the cache");
    }
    let server = Server::start(folder.path());
    println!("start: {:.1} ms to the first answer; memory {}", server.started.as_secs_f64() * 1e3, server.memory());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut wrong = 0;
    runtime.block_on(async {
        let slow = Slow::begin(&server.address, SLOW).await;
        println!("{SLOW} slow connections; memory {}", server.memory());
        begin_beside(&server.address, BESIDE, measured.beside);
        println!("kind\tanswers/s\tp50 ms\tp99 ms\tmost ms\twrong\tlibrary/s\tof it");
        for kind in kinds(&database).iter().filter(|kind| kind.name.contains(&measured.only)) {
            wrong += measure(&server, kind, measured.time).await;
        }
        let [sent, closed] = slow.counts();
        println!("{sent} bytes of slow requests, {closed} of them closed; memory {}", server.memory());
    });
    searches::measure(&server);
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Asks one kind of question for a time, and prints what came of it. Returns the number of wrong answers.
async fn measure(server: &Server, kind: &Kind, time: Duration) -> u64 {
    // The first ones open tables and fill caches.
    kind.inputs.iter().take(100).for_each(|input| drop((kind.answer)(input)));
    let started = Instant::now();
    let answers: Vec<_> = kind.inputs.par_iter().map(|input| (kind.answer)(input)).collect();
    let own = started.elapsed();
    let library = answers.iter().map(|(_, units)| units).sum::<usize>() as f64 / own.as_secs_f64();
    let mut asked: Vec<_> =
        kind.inputs.iter().zip(answers).map(|(input, answer)| Asked::new(&kind.way, input, answer)).collect();
    if kind.revalidates {
        let mut requests = Requests::connect(&server.address).await;
        for asked in &mut asked {
            requests.revalidate(asked).await;
        }
    }
    drop(load(&server.address, &asked, CONNECTIONS, WARM_UP).await);
    let Load { mut latencies, wrong, units, time } = load(&server.address, &asked, CONNECTIONS, time).await;
    latencies.sort_unstable();
    let at = |part: f64| latencies[((latencies.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    let rate = units as f64 / time.as_secs_f64();
    println!(
        "{}\t{rate:.0}\t{:.2}\t{:.2}\t{:.2}\t{wrong}\t{library:.0}\t{:.1} %",
        kind.name,
        at(0.5),
        at(0.99),
        at(1.0),
        100.0 * rate / library,
    );
    wrong
}
