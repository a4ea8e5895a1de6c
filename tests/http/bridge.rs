//! The bridge protocol, as a page speaks it.

use std::thread;

use serde_json::{Value, json};

use super::{Reply, Server};
use twistbase::definition::PuzzleDefinition;

/// What a solution takes away from: a cube, and a position four moves away.
fn cube() -> String {
    PuzzleDefinition::parse("c f 0.333").unwrap().to_tws()
}

const NEAR: &str = "ScrambleAlg near\nR U R' F2\nEnd\n";

/// A position that takes longer than the tests.
const HARD: &str = "ScrambleAlg hard\nU R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2\nEnd\n";

struct Bridge(Server);

impl Bridge {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self(Server::start(
            dir.path(),
            &["--bridge", "--bridge-memory", "64MiB", "--cors", "https://alpha.twizzle.net"],
        ))
    }

    fn post(&self, path: &str, body: &Value) -> Reply {
        let request = self.0.agent.post(format!("http://{}/v1/{path}", self.0.address));
        Reply::of(request.header("origin", "http://localhost:3334").send(body.to_string()).expect("a response"))
    }

    /// The text of a search, and its last event.
    fn solve(&self, id: &str, tws: &str, args: &[&str], scramble: &str) -> (String, Value) {
        let reply = self.post("solve", &json!({"id": id, "tws": tws, "args": args, "scramble": scramble}));
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"), "{}", reply.body);
        let mut events = reply.lines();
        let last = events.pop().expect("an end");
        assert!(events.iter().all(|event| event["type"] == "out"), "{events:?}");
        (events.iter().map(|event| event["text"].as_str().unwrap()).collect(), last)
    }

    fn cancel(&self, body: &Value) {
        assert_eq!(self.post("cancel", body).status, 204);
    }
}

#[test]
fn positions_of_pages_are_solved() {
    let (bridge, cube) = (Bridge::start(), cube());
    let info = bridge.0.get("/v1/info", &[]).json();
    assert_eq!(
        (&info["bridge"], &info["protocol"], &info["maxMem"]),
        (&json!("twsearch-bridge"), &json!(1), &json!(64))
    );
    let done = json!({"type": "done"});
    for (args, scramble, solutions, end) in [
        (&["-v2", "--checkbeforesolve", "-M", "64"][..], NEAR, "\n F2 R U' R'\n", "Found 1 solution max depth 4 "),
        (&["-t", "1", "--quiet"], "ScrambleState s\nEnd\n", " \n", "Found 1 solution max depth 0 "),
        (&["--alloptimal", "--moves", "R,L"], "R L", "\n R' L'\n", "Found 1 solution max depth 2 "),
        (&["-c", "2", "-q", "--moves", "R,U"], "U R2", "\n R R U'\n R' R' U'\n", "Found 2 solutions max depth 3 "),
        (&["--nocorners", "--omitperms", "EDGE"], "R F R' U2", "\n U2 R F\n", "Found 1 solution max depth 3 "),
        (&["--maxdepth", "3"], NEAR, "", "No solution found in 3\n"),
        (&["--moves", "R,U"], "F", "", "Ignoring unsolvable position.\n"),
    ] {
        let (text, last) = bridge.solve("a", &cube, args, scramble);
        let last_line = text.lines().next_back().map(|line| format!("{line}\n"));
        assert!(text.contains(solutions) && last_line.is_some_and(|line| line.starts_with(end)), "{args:?}: {text}");
        assert_eq!(last, done, "{args:?}: {text}");
        assert_eq!(text.contains("Solving\n"), !args.contains(&"--quiet"), "{args:?}");
    }
    // The tables stay for the same puzzle and options.
    let fills = |scramble: &str| bridge.solve("b", &cube, &[], scramble).0.contains("Filling");
    assert_eq!([fills(NEAR), fills("R U")], [true, false]);
    for (tws, scramble, part) in [
        ("Name x\nSet A 1\n", NEAR, "line 2: Set has other words after it"),
        (cube.as_str(), "R Q", "\"Q\" is no move of this puzzle"),
        (&cube, "ScrambleState s\nEDGE\n1 2\nEnd", "2 numbers where 12 are expected"),
    ] {
        let (_, last) = bridge.solve("c", tws, &[], scramble);
        assert!(last["type"] == "error" && last["message"].as_str().unwrap().contains(part), "{last}");
    }
    let (_, last) = bridge.solve("d", &cube, &["--omit", "CORNERS"], NEAR);
    assert_eq!(last["message"], "CORNERS is no orbit; there are CORNER EDGE");
}

#[test]
fn searches_of_pages_are_cancelled() {
    let (bridge, cube) = (Bridge::start(), cube());
    let hard = |id: &'static str| bridge.solve(id, &cube, &[], HARD);
    let runs = || super::wait_until("a search", || bridge.0.load("running", "search") == 1);
    thread::scope(|scope| {
        let first = scope.spawn(|| hard("first"));
        runs();
        // One that waits is dropped; the other goes on until it is cancelled, and its tables serve the next.
        let second = scope.spawn(|| hard("second"));
        let mut waits = false;
        while !waits {
            bridge.cancel(&json!({"id": "second"}));
            waits = second.is_finished();
        }
        assert_eq!(second.join().unwrap().1["message"], "canceled before it started");
        bridge.cancel(&json!({}));
        let (text, last) = first.join().unwrap();
        assert!(text.contains("Search canceled at depth ") && last["type"] == "done", "{text}{last}");
        assert!(bridge.solve("third", &cube, &[], NEAR).0.contains(" F2 R U' R'\n"));
        // Another puzzle, and one that is abandoned.
        let fourth = scope.spawn(|| hard("fourth"));
        runs();
        let (text, _) = bridge.solve("other", &cube, &["-q"], "U");
        assert!(text.contains(" U'\n"), "{text}");
        assert_eq!(fourth.join().unwrap().1, json!({"type": "error", "message": "puzzle changed"}));
        let fifth = scope.spawn(|| hard("fifth"));
        runs();
        bridge.cancel(&json!({"id": "fifth", "abandon": true}));
        assert_eq!(fifth.join().unwrap().1["message"], "abandoned");
    });
    // A page that goes away ends its search.
    let body = json!({"tws": cube, "scramble": HARD}).to_string();
    let head = format!("POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len());
    let mut page = bridge.0.connect();
    std::io::Write::write_all(&mut page, (head + &body).as_bytes()).unwrap();
    runs();
    drop(page);
    super::wait_until("the end of a search", || bridge.0.load("running", "search") == 0);
}

#[test]
fn pages_elsewhere_and_other_options_are_refused() {
    let (bridge, cube) = (Bridge::start(), cube());
    let allowed = |method: &str, origin: &str| {
        let origin = if origin.is_empty() { String::new() } else { format!("Origin: {origin}\r\n") };
        let answer = bridge
            .0
            .send(&format!("{method} /v1/info HTTP/1.1\r\nHost: localhost\r\n{origin}Connection: close\r\n\r\n"));
        (answer[9..12].parse::<u16>().unwrap(), answer.to_lowercase())
    };
    for origin in ["", "http://localhost:3334", "https://127.0.0.1", "http://[::1]:80", "https://alpha.twizzle.net"] {
        let (status, answer) = allowed("GET", origin);
        assert_eq!(status, 200, "{origin}");
        let (preflight, head) = allowed("OPTIONS", origin);
        assert_eq!(preflight, 204, "{origin}");
        if !origin.is_empty() {
            for text in [answer, head] {
                assert!(text.contains(&format!("access-control-allow-origin: {origin}\r\n")), "{text}");
                assert!(text.contains("access-control-allow-private-network: true\r\n"), "{text}");
            }
        }
    }
    for origin in
        ["https://example.org", "null", "http://localhost.example.org", "http://evil.org:localhost", "localhost"]
    {
        for method in ["GET", "OPTIONS"] {
            assert_eq!(allowed(method, origin).0, 403, "{method} {origin}");
        }
    }
    for (body, part) in [
        (json!({"tws": cube}), "missing field `scramble`"),
        (
            json!({"tws": cube, "scramble": NEAR, "args": ["--cachedir", "/tmp"]}),
            "the option --cachedir is not allowed",
        ),
        (json!({"tws": cube, "scramble": NEAR, "args": ["--orientationgroup", "2"]}), "not allowed"),
        (json!({"tws": cube, "scramble": NEAR, "args": ["-vx"]}), "not allowed"),
        (json!({"tws": cube, "scramble": NEAR, "args": ["-c"]}), "-c needs a value"),
        (json!({"tws": cube, "scramble": NEAR, "args": ["-c", "0"]}), "-c is 1 to 10000"),
        (json!({"tws": cube, "scramble": NEAR, "args": ["-M", "x"]}), "-M needs a number"),
        (
            json!({"tws": cube, "scramble": NEAR, "args": ["--mindepth", "9", "--maxdepth", "8"]}),
            "--mindepth is larger",
        ),
    ] {
        let reply = bridge.post("solve", &body);
        assert!(reply.status == 400 && reply.body.contains(part), "{body}: {} {}", reply.status, reply.body);
    }
    assert_eq!(bridge.post("cancel", &json!(7)).status, 400);
    // Without --bridge there is none.
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(dir.path(), &[]);
    assert_eq!(server.get("/v1/info", &[]).status, 404);
    for (args, part) in [
        (&["--bridge", "--listen", "0.0.0.0:0"][..], "others reach"),
        (&["--bridge", "--allow-host", "cubes.example.org"], "cannot be used with"),
        (&["--bridge-memory", "1G"], "--bridge"),
    ] {
        let asked = crate::cli::twistbase(dir.path(), &[&["serve"][..], args].concat()).output().unwrap();
        let text = String::from_utf8(asked.stderr).unwrap();
        assert!(asked.status.code() == Some(2) && text.contains(part), "{args:?}: {text}");
    }
}
