//! What a server does not do forever, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{FAR, Process, Server, wait_until};
use crate::cli::schemas::validator;
use crate::cli::{SMALL, small_store, store, twistbase};
use crate::support::CUBE3;
use crate::support::program::{PROGRAM, command};

#[test]
fn what_is_too_large_is_refused() {
    let dir = small_store();
    let server = Server::start(dir.path(), &["--batch-lines", "3", "--body-bytes", "100"]);
    let reply = server.post(&format!("{SMALL}/batch"), &[], "/\n/\n\n/\n");
    assert_eq!((reply.status, reply.lines().len()), (200, 3));
    assert_eq!(server.post(&format!("{SMALL}/batch"), &[], "/\n/\n/\n/\n").json()["code"], "too-large");
    let reply = server.post(&format!("{SMALL}/batch"), &[], &"/".repeat(101));
    assert_eq!((reply.status, reply.header("content-type")), (413, "application/problem+json"));
    assert_eq!(reply.json()["code"], "too-large");
    assert!(reply.json()["detail"].as_str().unwrap().contains("100 bytes at most"), "{}", reply.body);
    // The same where the length is not told before.
    let chunks = "65\r\n".to_owned() + &"/".repeat(0x65) + "\r\n0\r\n\r\n";
    let head = format!("POST /api/v1/{SMALL}/batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let reply = server.send(&format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunks}"));
    assert!(reply.starts_with("HTTP/1.1 413 ") && reply.contains("100 bytes at most"), "{reply}");
    // A length that is told is enough: who waits for a word before sending has it, who sends much is heard to the end.
    let reply = server.send(&format!("{head}Content-Length: 101\r\nExpect: 100-continue\r\n\r\n"));
    assert!(reply.starts_with("HTTP/1.1 413 "), "{reply}");
    let reply = server.send(&format!("{head}Content-Length: 6000\r\n\r\n{}", "/".repeat(6000)));
    assert!(reply.starts_with("HTTP/1.1 413 "), "{reply}");
    let reply = server.send(&format!("{head}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n/\n"));
    assert!(reply.starts_with("HTTP/1.1 415 ") && reply.contains("Content-Encoding"), "{reply}");
    assert_eq!(server.post(&format!("{SMALL}/batch"), &[("position", "/")], "/").status, 422);
    // Moves that somebody wants made, and scrambles, which are searched for.
    for (puzzle, query, most) in [
        ("cube3", ("walk", "1000"), "1000"),
        ("cube3", ("scramble", "true"), "200"),
        ("square1", ("wca", "true"), "200"),
    ] {
        let reply = server.get(&format!("/api/v1/{puzzle}/random"), &[("n", "2552"), query]);
        assert_eq!((reply.status, &reply.json()["code"]), (413, &"too-large".into()));
        assert!(reply.json()["detail"].as_str().unwrap().contains(&format!("{most} at most")), "{}", reply.body);
    }
    assert_eq!(server.get("/api/v1/cube3/random", &[("n", "1000"), ("walk", "1000")]).status, 200);
}

/// As many solutions are listed as the server permits, whatever is asked; the end tells that this need not be all.
#[test]
fn a_search_lists_no_more_than_the_server_permits() {
    let server = Server::start(&CUBE3, &["--listed", "5"]);
    for (asked, listed, is_complete) in [
        (&[("all", "true")][..], 5, false),
        (&[("extra", "2"), ("limit", "1000000")], 5, false),
        (&[("all", "true"), ("limit", "3")], 3, false),
        (&[("all", "true"), ("extra", "0"), ("goal", "R2 U2 R2 U2 R2 U2 F"), ("limit", "5")], 1, true),
        (&[("all", "false")], 1, true),
    ] {
        let query = [&[("position", "R2 U2 R2 U2 R2 U2"), ("method", "optimal")], asked].concat();
        let events = server.get("/api/v1/cube3/solve", &query).events();
        assert_eq!(events.iter().filter(|(name, _)| name == "solution").count(), listed, "{asked:?}: {events:?}");
        let (name, last) = events.last().unwrap();
        assert_eq!(name, "solved", "{last}");
        assert_eq!((&last["solutions"], &last["complete"]), (&listed.into(), &is_complete.into()), "{asked:?}");
    }
}

/// Who sends a byte now and then does not hold a connection.
#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    let dir = store();
    let server = Server::start(dir.path(), &["--header-time", "2s"]);
    let mut slow = server.connect();
    let started = Instant::now();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: loc").unwrap();
    let mut rest = Vec::new();
    // It is closed, with or without an answer.
    let _ = slow.read_to_end(&mut rest);
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(server.get("/healthz", &[]).status, 200);
}

/// So it is of a body, which is given up with a reason.
#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let dir = small_store();
    let server = Server::start(dir.path(), &["--pause-time", "300ms", "--connections", "1"]);
    let head = format!("POST /api/v1/{SMALL}/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
    let reply = server.send(&format!("{head}/\n/"));
    assert!(
        reply.starts_with("HTTP/1.1 408 ") && reply.to_lowercase().contains("\r\nconnection: close\r\n"),
        "{reply}"
    );
    let problem = serde_json::from_str(reply.split_once("\r\n\r\n").unwrap().1).unwrap();
    validator("problem").validate(&problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
    assert_eq!(problem["code"], "timeout");
    assert_eq!(server.get("/healthz", &[]).status, 200);
}

/// And of an answer: who reads nothing of it is given up, and who reads is not, however long there is nothing to read.
#[test]
fn who_does_not_read_is_not_waited_for() {
    let dir = small_store();
    let server = Server::start(dir.path(), &["--pause-time", "2s", "--connections", "1"]);
    let started = Instant::now();
    let mut unread = server.connect();
    let body = "(1,0)/(3,3)/(-3,0)/\n".repeat(10_000);
    let head =
        format!("POST /api/v1/{SMALL}/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len());
    unread.write_all((head + &body).as_bytes()).unwrap();
    // On the one connection that there may be, before the time of a search is over.
    assert_eq!(server.get("/healthz", &[]).status, 200);
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
    let server = Server::start(&CUBE3, &["--pause-time", "200ms"]);
    let (mut search, started, mut line) = (begin_search(&server), Instant::now(), String::new());
    while started.elapsed() < Duration::from_secs(1) {
        std::thread::sleep(Duration::from_millis(300));
        line.clear();
        assert_ne!(search.read_line(&mut line).unwrap(), 0, "the search was given up");
    }
}

/// Begins a search that takes longer than the test, and waits until it runs.
fn begin_search(server: &Server) -> BufReader<TcpStream> {
    let mut stream = server.connect();
    let path = format!("/api/v1/cube3/solve?position={FAR}&method=optimal");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with("event:") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "the search ended");
    }
    lines
}

#[test]
fn a_search_ends_when_its_client_goes_away_and_a_full_queue_says_so() {
    let server = Server::start(&CUBE3, &["--searches", "1", "--queue", "0"]);
    let search = begin_search(&server);
    assert_eq!(server.load("running", "search"), 1);
    let reply = server.get("/api/v1/cube3/solve", &[("position", "R")]);
    assert_eq!((reply.status, &reply.json()["code"]), (503, &"overloaded".into()));
    assert_eq!(reply.header("retry-after"), "1");
    // Questions and batches have places of their own.
    assert_eq!(server.get("/api/v1/cube3/query", &[("position", "R")]).status, 200);
    let reply = server.post("cube3/batch", &[("detail", "brief")], "R\n");
    assert_eq!((reply.status, reply.lines().len(), server.load("running", "search")), (200, 1, 1));
    drop(search);
    wait_until("the search ends", || server.load("running", "search") == 0);
    assert_eq!(server.get("/api/v1/cube3/solve", &[("position", "R")]).status, 200);
}

/// A search that reaches --search-time reports its result so far.
#[test]
fn a_search_has_its_time() {
    let server = Server::start(&CUBE3, &["--search-time", "1s"]);
    let ends = |query: &[(&str, &str)]| {
        let mut events = server.get("/api/v1/cube3/solve", &[&[("position", FAR)], query].concat()).events();
        let (name, last) = events.pop().unwrap();
        assert_eq!((name.as_str(), &last["code"]), ("shortfall", &"budget".into()), "{last}");
        let message = last["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("time limit reached (--search-time); "), "{message}");
        (events, message)
    };
    let (events, message) = ends(&[("method", "optimal")]);
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["complete"]), ("solved", &false.into()), "{events:?}");
    let known = format!("at least {} moves (htm)", last["at_least"]);
    assert!(message.ends_with(&known), "{message}: {known}");
    // Two-phase ends with the best solution that it told before.
    let (mut events, message) = ends(&[("method", "two-phase"), ("target", "1")]);
    let (name, last) = events.pop().unwrap();
    assert_eq!((name.as_str(), &last["final"], &last["stopped"]), ("solved", &true.into(), &"budget".into()), "{last}");
    validator("solution").validate(&last).unwrap_or_else(|error| panic!("{error}: {last}"));
    assert!(message.ends_with(&format!("the best solution so far has {} moves", last["length"])), "{message}");
    let (name, told) = events.pop().unwrap();
    assert_eq!(
        (name.as_str(), &told["final"], &told["solution"]),
        ("solution", &false.into(), &last["solution"]),
        "{told}"
    );
}

/// So it is of lists and batches.
#[test]
fn a_batch_has_its_time() {
    let server = Server::start(&CUBE3, &["--search-time", "1us"]);
    let lines = "R U F\n".repeat(10_000);
    let reply = server.post("cube3/batch", &[("detail", "full")], &lines);
    let last: Value = serde_json::from_str(reply.body.lines().last().unwrap()).unwrap();
    // It may be over before the first line is answered.
    let code = if reply.status == 504 { &last["code"] } else { &last["error"]["code"] };
    assert!(matches!(reply.status, 200 | 504) && code == "budget", "{last}");
}

#[test]
fn a_server_that_is_told_to_stop_stops() {
    let dir = store();
    let server = Server::start(dir.path(), &[]);
    assert_eq!(server.get("/healthz", &[]).status, 200);
    assert_eq!(server.stop(), (Some(0), String::new()));
    // A search that does not end is cancelled.
    let server = Server::start(&CUBE3, &["--drain-time", "100ms"]);
    let mut search = begin_search(&server);
    assert_eq!(server.stop().0, Some(0));
    let mut rest = String::new();
    let _ = search.read_to_string(&mut rest);
    // Its last event says so, and its answer is whole.
    let last = rest.split_once("event: shortfall").unwrap_or_else(|| panic!("{rest}")).1;
    assert!(last.contains("\"code\":\"interrupted\"") && last.contains("the server is about to stop"), "{rest}");
    assert!(last.ends_with("\r\n0\r\n\r\n"), "{last:?}");
}

#[test]
fn a_socket_in_the_file_system_is_answered_and_removed() {
    let dir = store();
    let path = dir.path().join("x.sock");
    let listen = format!("unix:{}", path.display());
    let first = Process::start(dir.path(), &["--listen", &listen]);
    assert_eq!(first.line, listen);
    is_answered_at(&path);
    // Another server does not take it over, but one that was killed is replaced.
    let taken = twistbase(dir.path(), &["serve", "--listen", &listen]).output().unwrap();
    assert_eq!(taken.status.code(), Some(5), "{}", String::from_utf8_lossy(&taken.stderr));
    drop(first);
    assert!(path.exists());
    // What is no socket is left alone.
    let file = dir.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    let refused = twistbase(dir.path(), &["serve", "--listen", &format!("unix:{}", file.display())]).output().unwrap();
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(6) && text.contains("no socket"), "{:?} {text}", refused.status);
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    let next = Process::start(dir.path(), &["--listen", &listen]);
    assert_eq!(next.line, listen);
    assert_eq!(next.stop(), (Some(0), String::new()));
    assert!(!path.exists());
}

/// A server that cannot take another connection just now is not one that was killed.
#[test]
fn the_socket_of_a_busy_server_is_left_alone() {
    let dir = store();
    let path = dir.path().join("x.sock");
    let listener = UnixListener::bind(&path).unwrap();
    // One may wait.
    rustix::net::listen(&listener, 0).unwrap();
    let _waits = UnixStream::connect(&path).unwrap();
    let listen = format!("unix:{}", path.display());
    let (code, _, stderr) = crate::cli::run(dir.path(), &["serve", "--listen", &listen]);
    assert!(code == 5 && stderr.contains("in use"), "{code}: {stderr}");
    listener.accept().unwrap();
    UnixStream::connect(&path).unwrap();
}

/// A server that lets running answers end leaves its socket to the next one.
#[test]
fn the_socket_of_another_server_is_not_removed() {
    let dir = store();
    let path = dir.path().join("x.sock");
    let args = ["--listen", &format!("unix:{}", path.display()), "--drain-time", "1m"];
    let mut first = Process::start(dir.path(), &args);
    let mut running = UnixStream::connect(&path).unwrap();
    let head = format!("POST /api/v1/{SMALL}/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n");
    running.write_all(format!("{head}Expect: 100-continue\r\n\r\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(&running).read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 100 "), "{line}");
    first.ask_to_stop();
    wait_until("the socket is gone", || !path.exists());
    let next = Process::start(dir.path(), &args);
    is_answered_at(&path);
    assert!(first.child.try_wait().unwrap().is_none(), "its answer runs");
    running.write_all(b"/\n/\n/\n/\n/").unwrap();
    assert!(first.child.wait().unwrap().success());
    is_answered_at(&path);
    assert_eq!(next.stop().0, Some(0));
    assert!(!path.exists());
    // So it is if somebody else took the place.
    let last = Process::start(dir.path(), &args);
    std::fs::remove_file(&path).unwrap();
    let _other = UnixListener::bind(&path).unwrap();
    assert_eq!(last.stop().0, Some(0));
    assert!(path.exists());
}

/// Who may write to a socket, and so connect to it, is what the help says.
#[test]
fn a_socket_is_written_to_by_whom_the_umask_lets() {
    let dir = store();
    let path = dir.path().join("x.sock");
    let mut command = Command::new("sh");
    let listen = format!("unix:{}", path.display());
    command.args(["-c", "umask 007; exec \"$0\" serve --listen \"$1\""]).arg(PROGRAM).arg(&listen);
    let _server = Process::of(&mut command, dir.path());
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o770);
}

/// Asks at a socket in the file system whether a server answers.
fn is_answered_at(path: &Path) {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("ok\n"), "{reply}");
}

/// A server that is started as a service manager does it, with a socket as descriptor 3.
fn activated(socket: impl Into<OwnedFd>, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = "LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" serve \"$@\" 3<&0 </dev/null";
    command.args(["-c", script]).arg(PROGRAM).args(args).stdin(socket.into());
    command
}

#[test]
fn a_socket_that_is_passed_is_listened_at() {
    let dir = store();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = Server::of(Process::of(&mut activated(listener, &[]), dir.path()));
    assert_eq!(format!("http://{}", server.address), address);
    assert_eq!(server.get("/healthz", &[]).status, 200);
    assert_eq!(server.stop(), (Some(0), String::new()));

    let path = dir.path().join("x.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let process = Process::of(&mut activated(listener, &[]), dir.path());
    assert_eq!(process.line, format!("unix:{}", path.display()));
    is_answered_at(&path);
    assert_eq!(process.stop().0, Some(0));
    // It is whose who made it.
    assert!(path.exists());
}

#[test]
fn a_socket_that_cannot_be_listened_at_is_refused() {
    let dir = store();
    let refused = |socket: OwnedFd, args: &[&str], words: &str| {
        let end = activated(socket, args).env("TWISTBASE_STORE", dir.path()).output().unwrap();
        let text = String::from_utf8(end.stderr).unwrap();
        assert!(end.status.code() == Some(2) && text.contains(words), "{:?} {text}", end.status);
    };
    let listener = || TcpListener::bind("127.0.0.1:0").unwrap();
    refused(listener().into(), &["--listen", "127.0.0.1:0"], "--listen");
    refused(UnixStream::pair().unwrap().0.into(), &[], "is a connection");
    let own = listener();
    refused(TcpStream::connect(own.local_addr().unwrap()).unwrap().into(), &[], "is a connection");
    // What is passed to another process is none of this one's.
    let mut command = command();
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("LISTEN_FDS", "1").env("LISTEN_PID", "1");
    assert_eq!(Server::of(Process::of(&mut command, dir.path())).get("/healthz", &[]).status, 200);
}

/// Limits that no clock and no counter reaches are none.
#[test]
fn limits_may_be_as_large_or_small_as_can_be_written() {
    let (never, most) = ("500000000000y", usize::MAX.to_string());
    let times = ["--header-time", "1h", "--pause-time", never, "--search-time", never, "--drain-time", never];
    let counts = ["--body-bytes", &most, "--batch-lines", &most, "--listed", &most, "--queue", &most];
    let rates = ["--transfer-bytes", &most, "--min-rate", &most];
    let places = [["--connections", "1", "--searches", "1"], ["--connections", &most, "--searches", &most]];
    for places in places {
        let server = Server::start(&CUBE3, &[&times[..], &counts, &rates, &places].concat());
        assert_eq!(server.get("/healthz", &[]).status, 200);
        assert_eq!(server.get("/api/v1/cube3/solve", &[("position", "R"), ("target", "1")]).status, 200);
        assert_eq!(server.stop(), (Some(0), String::new()));
    }
}

/// What no request could meet is refused, with what may be given; it is not another limit than the one that was given.
#[test]
fn limits_and_names_that_make_no_sense_are_refused() {
    let dir = store();
    for (option, value, words) in [
        ("--header-time", "2h", "give 1h at most"),
        ("--header-time", "0s", "like 10s"),
        ("--pause-time", "0s", "like 1m"),
        ("--listed", "0", "1.."),
        ("--connections", "0", "1.."),
        ("--searches", "0", "1.."),
        ("--lists", "0", "1.."),
        ("--cors", "not a url", "like https://example.org"),
        ("--cors", "http://x/", "give http://x"),
        ("--allow-host", "Cubes.Example.org:443", "give cubes.example.org"),
        ("--allow-host", "*", "like cubes.example.org"),
    ] {
        let (code, _, stderr) = crate::cli::run(dir.path(), &["serve", "--listen", "127.0.0.1:0", option, value]);
        assert!(code == 2 && stderr.contains(words), "{option} {value}: {code} {stderr}");
    }
}

/// A system that lets a process open few files gets a server that takes fewer connections, and answers.
#[test]
fn connections_leave_files_for_tables() {
    let dir = small_store();
    let mut command = Command::new("sh");
    let run = "ulimit -n 400 && exec \"$0\" \"$@\"";
    command.args(["-c", run]).arg(PROGRAM).args(["serve", "--listen", "127.0.0.1:0", "--header-time", "3s"]);
    let server = Server::of(Process::of(&mut command, dir.path()));
    let idle: Vec<_> = (0..450).map(|_| server.connect()).collect();
    // Those that ask nothing are given up; whoever asks then has an answer, from a table that is opened now.
    assert_eq!(server.get(&format!("/api/v1/{SMALL}/query"), &[("position", "/")]).status, 200);
    drop(idle);
}
