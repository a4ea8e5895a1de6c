//! A server whose process is killed, and whose tables are built again, damaged and removed, while it is asked.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use super::{Process, Reply, Server, wait_until};
use crate::cli::run_json;
use crate::faults::{Numbers, SMALL, copy_of, digest, small, succeed};
use crate::support::count;

/// Positions with the right answers.
struct Asked(Vec<(String, Value)>);

impl Asked {
    /// Random positions, answered by the command line.
    fn new(dir: &Path, count: usize) -> Self {
        let (_, drawn, _) = run_json(dir, &["random", SMALL, "-n", &count.to_string(), "--seed", "9"]);
        let positions = drawn.iter().map(|position| position["hex"].as_str().expect("text").to_owned());
        Self(positions.map(|position| (position.clone(), only(dir, &["query", SMALL, &position]))).collect())
    }

    /// One of them by a number, asked of a server: `None` where there is no answer but an error of the connection.
    fn ask(&self, agent: &Agent, address: &str, number: u64) -> Option<(Reply, &Value)> {
        let (position, right) = &self.0[number as usize % self.0.len()];
        let request = agent.get(format!("http://{address}/api/v1/{SMALL}/query")).query("position", position);
        let (parts, mut body) = request.call().ok()?.into_parts();
        let body = body.read_to_string().ok()?;
        Some((Reply { status: parts.status.as_u16(), headers: parts.headers, body }, right))
    }
}

fn only(dir: &Path, args: &[&str]) -> Value {
    let (code, mut lines, stderr) = run_json(dir, args);
    assert_eq!((code, lines.len()), (0, 1), "{args:?}: {stderr}");
    lines.remove(0)
}

/// Asks on several connections until `work` is done; `check` sees each reply with the right answer. Returns the number of
/// replies, and of requests that the connection failed. The work hears both as they are so far.
fn beside(
    asked: &Asked,
    address: &Mutex<String>,
    check: impl Fn(&Reply, &Value) + Sync,
    work: impl FnOnce(&[AtomicU64; 2]),
) -> [u64; 2] {
    let (done, counts) = (AtomicBool::new(false), [AtomicU64::new(0), AtomicU64::new(0)]);
    thread::scope(|scope| {
        for client in 0..4 {
            let (done, counts, check) = (&done, &counts, &check);
            scope.spawn(move || {
                let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(super::PATIENCE));
                let (agent, mut numbers) = (Agent::from(config.build()), Numbers(client));
                while !done.load(Ordering::Relaxed) {
                    let address = address.lock().expect("no panic").clone();
                    let reply = asked.ask(&agent, &address, numbers.below(1 << 32));
                    counts[usize::from(reply.is_none())].fetch_add(1, Ordering::Relaxed);
                    if reply.is_none() {
                        // The server that starts needs the cores, too.
                        thread::sleep(Duration::from_millis(1));
                    }
                    if let Some((reply, right)) = reply {
                        check(&reply, right);
                    }
                }
            });
        }
        // The clients end also when the work fails.
        let _ends = Ends(&done);
        work(&counts);
    });
    counts.map(AtomicU64::into_inner)
}

struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn is_right(reply: &Reply, right: &Value) {
    assert_eq!((reply.status, &reply.json()), (200, right), "{}", reply.body);
}

/// Waits until a count grows.
fn wait_for_more(count: impl Fn() -> u64) {
    let before = count();
    wait_until("a count grows", || count() > before);
}

/// An address that stays free while nobody listens there: the system gives such ports to nobody who asks for any port.
fn own_address() -> String {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + std::process::id() as u16 % 8_000;
    let ports = std::iter::repeat_with(|| first + TAKEN.fetch_add(1, Ordering::Relaxed));
    let mut addresses = ports.take(2_000).map(|port| format!("127.0.0.1:{port}"));
    addresses.find(|address| TcpListener::bind(address).is_ok()).expect("a free port")
}

fn kill_under_load(kills: u64) {
    let original = small();
    let dir = copy_of(original.path());
    let asked = Asked::new(dir.path(), 50);
    let mut server = Server::of(Process::start(dir.path(), &["--listen", &own_address()]));
    let (address, mut numbers) = (Mutex::new(server.address.clone()), Numbers(3));
    let [answers, errors] = beside(&asked, &address, is_right, |counts| {
        let [answers, errors] = counts.each_ref().map(|count| move || count.load(Ordering::Relaxed));
        for _ in 0..kills {
            wait_for_more(answers);
            thread::sleep(Duration::from_millis(numbers.below(60)));
            server.process.child.kill().expect("a process");
            server.process.child.wait().expect("its end");
            wait_for_more(errors);
            // At the same address, at once.
            server = Server::of(Process::start(dir.path(), &["--listen", &server.address]));
        }
        wait_for_more(answers);
    });
    println!("{kills} kills: {answers} right answers, {errors} connections failed");
    assert!(answers > kills && errors >= kills, "{answers} {errors}");
}

#[test]
fn a_server_that_is_killed_starts_again_at_once() {
    kill_under_load(5);
}

#[test]
#[ignore = "tier two: a hundred servers"]
fn full_servers_that_are_killed_start_again_at_once() {
    kill_under_load(100);
}

/// Whatever is done to a table meanwhile, an answer is right, or says that the table is not there and what makes it.
fn rebuild_under_load(rounds: usize) {
    let original = small();
    let dir = copy_of(original.path());
    let dir = dir.path();
    let (asked, digest_before) = (Asked::new(dir, 50), digest(dir, SMALL));
    let server = Server::start(dir, &[]);
    let address = Mutex::new(server.address.clone());
    let [answers, errors] = beside(&asked, &address, is_right, |[answers, _]| {
        for _ in 0..rounds {
            wait_for_more(|| answers.load(Ordering::Relaxed));
            succeed(dir, &["build", SMALL, "--force", "--quiet"]);
            succeed(dir, &["verify", SMALL]);
            succeed(dir, &["rebuild", SMALL, "--quiet"]);
        }
    });
    println!("{rounds} builds of a table under {answers} questions");
    assert!(errors == 0 && answers >= rounds as u64, "{answers} {errors}");
    let file = dir.join(format!("{SMALL}.redb"));
    let missing = AtomicU64::new(0);
    let is_right_or_missing = |reply: &Reply, right: &Value| match reply.status {
        503 => {
            // While another process builds the table, nothing is left to do.
            let problem = reply.json();
            let is_being_built = problem["code"] == "building" && problem["remedy"].is_null();
            assert!(is_being_built || problem["remedy"] == format!("twistbase build {SMALL}"), "{}", reply.body);
            missing.fetch_add(1, Ordering::Relaxed);
        }
        _ => is_right(reply, right),
    };
    let [answers, errors] = beside(&asked, &address, is_right_or_missing, |[answers, _]| {
        for _ in 0..rounds {
            fs::remove_file(&file).expect("a file");
            wait_for_more(|| missing.load(Ordering::Relaxed));
            // Nothing else fails.
            assert_eq!(server.get("/api/v1/cube3/random", &[]).status, 200);
            succeed(dir, &["build", SMALL, "--quiet"]);
            // Each client may have an answer that counts as missing a moment later.
            let right = || answers.load(Ordering::Relaxed).saturating_sub(missing.load(Ordering::Relaxed));
            let before = right();
            wait_until("it answers again", || right() > before + 4);
        }
    });
    let missing = missing.into_inner();
    println!("{rounds} removals of a table under {answers} questions, of which {missing} found it missing");
    assert!(errors == 0 && missing > 0 && missing < answers, "{missing} {answers} {errors}");
    is_right(&server.get(&format!("/api/v1/{SMALL}/query"), &[("position", &asked.0[0].0)]), &asked.0[0].1);
    assert_eq!(digest(dir, SMALL), digest_before);
}

#[test]
fn a_table_is_built_and_removed_under_load() {
    rebuild_under_load(3);
}

#[test]
#[ignore = "tier two: eighty builds"]
fn full_a_table_is_built_and_removed_many_times_under_load() {
    rebuild_under_load(40);
}

/// A store with a table of which some row is damaged and the rest can be read, and that row.
fn with_damaged_row(numbers: &mut Numbers) -> (tempfile::TempDir, u64) {
    let original = small();
    loop {
        let dir = copy_of(original.path());
        let file = dir.path().join(format!("{SMALL}.redb"));
        let mut bytes = fs::read(&file).expect("a file");
        let used = bytes.iter().rposition(|&byte| byte != 0).expect("a table") as u64;
        bytes[numbers.below(used) as usize] ^= 1 << numbers.below(8);
        fs::write(&file, bytes).expect("room");
        let plan = only(dir.path(), &["rebuild", SMALL, "--dry-run"]);
        if let ("restore", [row]) =
            (plan["plan"].as_str().expect("a plan"), &plan["rows"].as_array().expect("rows")[..])
        {
            let row = row.as_u64().or(row["row"].as_u64()).expect("a row");
            return (dir, row);
        }
    }
}

#[test]
fn a_damaged_row_fails_alone_until_it_is_rebuilt() {
    let mut numbers = Numbers(8);
    let original = small();
    let asked = Asked::new(original.path(), count(100, 300));
    for _ in 0..count(1, 2) {
        let (dir, row) = with_damaged_row(&mut numbers);
        let server = Server::start(dir.path(), &[]);
        let path = format!("/api/v1/{SMALL}/query");
        let mut damaged = 0;
        for (position, right) in &asked.0 {
            let reply = server.get(&path, &[("position", position)]);
            if reply.status == 200 {
                is_right(&reply, right);
                continue;
            }
            let problem = reply.json();
            assert_eq!(
                (reply.status, &problem["code"], &problem["row"]),
                (500, &"data".into(), &row.into()),
                "{problem}"
            );
            let remedy = problem["remedy"].as_str().expect("a remedy");
            assert!(remedy.starts_with(&format!("twistbase rebuild {SMALL}")), "{problem}");
            damaged += 1;
        }
        println!("row {row} damaged: {damaged} of {} questions fail", asked.0.len());
        assert!(damaged > 0 && damaged < asked.0.len());
        // In a batch it is the same lines that fail, and they name no folder of the server.
        let lines: String = asked.0.iter().map(|(position, _)| format!("{position}\n")).collect();
        let reply = server.post(&format!("{SMALL}/batch"), &[], &lines);
        let answers = reply.lines();
        let failed: Vec<_> = answers.iter().map(|line| &line["error"]).filter(|error| error.is_object()).collect();
        assert_eq!((reply.status, failed.len()), (200, damaged));
        assert!(
            failed.iter().all(|error| error["data"]["row"] == row && error["data"]["file"].is_null()),
            "{failed:?}"
        );
        assert!(!reply.body.contains(dir.path().to_str().expect("text")), "{failed:?}");
        succeed(dir.path(), &["rebuild", SMALL]);
        for (position, right) in &asked.0 {
            is_right(&server.get(&path, &[("position", position)]), right);
        }
    }
}
