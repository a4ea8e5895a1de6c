//! Tables that are built while the server answers.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{PATIENCE, Process, Reply, Server, wait_until};
use crate::cli::schemas::validator;
use crate::cli::{run_json, store};
use crate::support::program::command;

/// What a program sends with a request for a build.
const JSON: (&str, &str) = ("content-type", "application/json");

/// A server that builds quick tables at its start, and its standard error.
fn building(dir: &Path, args: &[&str]) -> Server {
    let mut command = command();
    command.args(["serve", "--listen", "127.0.0.1:0"]).args(args).env("TWISTBASE_BUILD", "auto");
    Server::of(Process::of(command.stderr(Stdio::piped()), dir))
}

impl Server {
    /// Asks for a build, with these headers.
    fn ask_for(&self, table: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let request = self.agent.post(format!("http://{}/api/v1/tables/{table}/build", self.address));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Reply::of(request.send(body).expect("a response"))
    }

    /// A table and its build, as it is listed.
    fn build_of(&self, table: &str) -> Value {
        let tables = self.json("builds", &[]);
        let found = tables.as_array().unwrap().iter().find(|found| found["table"] == table).unwrap().clone();
        validator("table-build").validate(&found).unwrap_or_else(|error| panic!("{error}: {found}"));
        found
    }

    fn state_of(&self, table: &str) -> String {
        self.build_of(table)["state"].as_str().unwrap().to_owned()
    }

    /// Stops it; what it printed on standard error.
    fn stderr(mut self) -> String {
        self.process.ask_to_stop();
        assert!(self.process.child.wait().expect("an end").success());
        let mut text = String::new();
        self.process.child.stderr.take().expect("a pipe").read_to_string(&mut text).expect("text");
        text
    }
}

/// A server over tables in memory builds quick ones at its start, others when asked to, and leaves nothing where it ran.
#[test]
fn a_server_in_memory_builds_answers_and_leaves_nothing() {
    let (here, memory) = (store(), Path::new(":memory:"));
    let mut command = command();
    command.args(["serve", "--listen", "127.0.0.1:0", "--allow-build", "--store", ":memory:"]);
    command.env("TWISTBASE_BUILD", "auto");
    for variable in ["HOME", "TMPDIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, here.path());
    }
    let server = Server::of(Process::of(command.current_dir(here.path()), memory));
    for name in ["square1-corners", "cube2"] {
        wait_until(name, || server.state_of(name) == "ready");
    }
    assert_eq!(server.json("cube2/query", &[("position", "R U F"), ("detail", "brief")])["distance"], 3);
    assert_eq!(server.json("square1-corners/query", &[("position", "/"), ("detail", "brief")])["distance"], 1);
    let tables = server.json("tables", &[]);
    let table = |name: &str| tables.as_array().unwrap().iter().find(|found| found["table"] == name).unwrap().clone();
    assert!(table("cube2")["file"].is_null() && table("cube2")["status"] == "complete");
    validator("table").validate(&table("cube2")).unwrap_or_else(|error| panic!("{error}"));
    assert!(server.ask_for("cube2-qtm", &[JSON], "{}").status == 202);
    // What a question lacks is not built in the memory of another process.
    let problem = server.get("/api/v1/square1/query", &[("position", "/")]).json();
    assert!(!problem.to_string().contains("--store"), "{problem}");
    assert_eq!(server.process.stop().0, Some(0));
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0);
}

fn is_problem(reply: &Reply, status: u16, code: &str) {
    let problem = reply.json();
    assert_eq!((reply.status, &problem["code"]), (status, &code.into()), "{problem}");
    validator("problem").validate(&problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
}

#[test]
fn an_empty_store_answers_soon() {
    let dir = store();
    let server = building(dir.path(), &[]);
    assert_eq!(server.get("/healthz", &[]).status, 200);
    let (begun, mut refused) = (Instant::now(), 0);
    let ask = || server.get("/api/v1/cube3/query", &[("position", "R U F")]);
    let mut reply = ask();
    while reply.status != 200 {
        is_problem(&reply, 503, "building");
        assert!(reply.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0), "{:?}", reply.headers);
        assert!(reply.json()["progress"].as_f64().is_some_and(|share| share <= 1.0), "{}", reply.body);
        assert!(reply.json()["remedy"].is_null() && begun.elapsed() < PATIENCE, "{}", reply.body);
        refused += 1;
        std::thread::sleep(Duration::from_millis(5));
        reply = ask();
    }
    assert!(refused > 0);
    assert_eq!(reply.json()["distance"], 3, "{}", reply.body);
    let stderr = server.stderr();
    assert!(stderr.contains("building square1-corners") && stderr.contains("phase1: built in"), "{stderr}");
}

#[test]
fn a_table_that_another_process_builds_is_left_to_it() {
    let dir = store();
    let lock = File::create(dir.path().join("square1-corners.lock")).unwrap();
    lock.try_lock().unwrap();
    let server = building(dir.path(), &[]);
    assert_eq!(server.state_of("square1-corners"), "building");
    let reply = server.get("/api/v1/square1-corners/query", &[("position", "/")]);
    is_problem(&reply, 503, "building");
    assert_eq!(reply.header("retry-after"), "1");
    assert!(reply.json()["detail"].as_str().unwrap().ends_with("by another process"), "{}", reply.body);
    wait_until("the next table", || server.state_of("cube2") == "ready");
    let stderr = server.stderr();
    assert!(stderr.contains("this server does not build it") && !stderr.contains("square1-corners: built"), "{stderr}");
    assert!(!dir.path().join("square1-corners.redb").exists());
}

#[test]
fn without_leave_nothing_is_built_and_the_command_names_the_store() {
    let (variable, dir) = (store(), store());
    let folder = dir.path().to_str().unwrap();
    let server = Server::start(variable.path(), &["--store", folder]);
    let command = format!("twistbase build cube2 --store {folder}");
    let reply = server.get("/api/v1/cube2/query", &[("position", "R")]);
    is_problem(&reply, 503, "data");
    assert!(reply.json()["remedy"] == *command && reply.header("retry-after").is_empty(), "{}", reply.body);
    let reply = server.ask_for("cube2", &[JSON], "{}");
    is_problem(&reply, 403, "forbidden");
    let problem = reply.json();
    assert!(
        problem["remedy"] == *command && problem["detail"].as_str().unwrap().contains("--allow-build"),
        "{problem}"
    );
    let build = server.build_of("cube2");
    assert!(build["state"] == "missing" && build["can_build"] == false, "{build}");
    assert_eq!(dir.path().read_dir().unwrap().count(), 0);
    // Where the variable names the store, the next command finds it.
    let server = Server::start(dir.path(), &[]);
    assert_eq!(server.ask_for("cube2", &[JSON], "").json()["remedy"], "twistbase build cube2");
}

#[test]
fn only_the_own_page_and_programs_build_tables() {
    let dir = store();
    let server = Server::start(dir.path(), &["--allow-build", "--cors", "https://cubes.example.org"]);
    let elsewhere = ("origin", "https://cubes.example.org");
    for (headers, body, status, code) in [
        (&[JSON, elsewhere][..], "{}", 403, "forbidden"),
        (&[JSON, ("origin", "null")], "{}", 403, "forbidden"),
        (&[JSON, ("origin", "http://127.0.0.1:1")], "{}", 403, "forbidden"),
        (&[JSON, ("sec-fetch-site", "cross-site")], "{}", 403, "forbidden"),
        (&[("content-type", "text/plain")], "{}", 415, "encoding"),
        (&[("content-type", "application/x-www-form-urlencoded")], "", 415, "encoding"),
        (&[JSON], "{\"force\":true}", 422, "usage"),
    ] {
        is_problem(&server.ask_for("cube2", headers, body), status, code);
    }
    is_problem(&server.ask_for("cube4", &[JSON], "{}"), 404, "not-found");
    is_problem(&server.ask_for("nx-eo3-ep4-htm", &[JSON], "{}"), 507, "budget");
    assert_eq!(dir.path().read_dir().unwrap().count(), 0);
    let problem = server.get("/api/v1/cube2/query", &[("position", "R")]).json();
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.ends_with("press Build, or POST to /api/v1/tables/cube2/build"), "{problem}");
    assert!(problem["remedy"].is_null(), "{problem}");
    let build = server.build_of("cube2");
    assert!(build["can_build"] == true && build["fits"] == "memory", "{build}");
    let own = format!("http://{}", server.address);
    let reply = server.ask_for("cube2", &[JSON, ("origin", &own), ("sec-fetch-site", "same-origin")], "{}");
    assert_eq!(reply.status, 202, "{}", reply.body);
    validator("table-build").validate(&reply.json()).unwrap();
    // Twice is once.
    assert!([200, 202].contains(&server.ask_for("cube2", &[JSON], "").status));
    wait_until("the table", || server.state_of("cube2") == "ready");
    assert_eq!(server.get("/api/v1/cube2/query", &[("position", "R U")]).json()["distance"], 2);
    let reply = server.ask_for("cube2", &[JSON], "{}");
    assert!(reply.status == 200 && reply.json()["state"] == "ready", "{}", reply.body);
}

#[test]
fn a_build_that_fails_is_reported_and_stops_nothing() {
    let dir = store();
    // In the place of the file of the build.
    let obstacle = dir.path().join("cube2.building.redb");
    fs::create_dir(&obstacle).unwrap();
    let server = Server::start(dir.path(), &["--allow-build"]);
    for table in ["cube2", "square1-corners"] {
        assert_eq!(server.ask_for(table, &[JSON], "{}").status, 202);
    }
    wait_until("the second table", || server.state_of("square1-corners") == "ready");
    let build = server.build_of("cube2");
    assert!(build["state"] == "failed" && build["can_build"] == true, "{build}");
    let reply = server.get("/api/v1/cube2/query", &[("position", "R")]);
    is_problem(&reply, 503, "data");
    assert!(reply.json()["detail"].as_str().unwrap().contains("the last build of cube2 failed: "), "{}", reply.body);
    assert!(!reply.body.contains(dir.path().to_str().unwrap()), "{}", reply.body);
    assert_eq!(server.get("/api/v1/square1-corners/query", &[("position", "/")]).status, 200);
    fs::remove_dir(&obstacle).unwrap();
    assert_eq!(server.ask_for("cube2", &[JSON], "{}").status, 202);
    wait_until("the table", || server.state_of("cube2") == "ready");
}

/// One table is built at a time, the others wait in the order of the requests.
#[test]
#[ignore = "long suite: builds cube21"]
fn a_server_that_stops_leaves_a_build_that_is_continued() {
    let dir = store();
    let server = Server::start(dir.path(), &["--allow-build"]);
    for table in ["cube21", "cube2"] {
        assert_eq!(server.ask_for(table, &[JSON], "{}").status, 202);
    }
    let queued = server.build_of("cube2");
    assert!(queued["state"] == "queued" && queued["progress"]["ahead"] == 1, "{queued}");
    let reply = server.get("/api/v1/cube2/query", &[("position", "R")]);
    assert!(reply.json()["detail"].as_str().unwrap().contains("queued behind one other build"), "{}", reply.body);
    let mut last = 0.0;
    loop {
        let build = server.build_of("cube21");
        assert_eq!(build["state"], "building", "{build}");
        let progress = &build["progress"];
        let done = progress["done"].as_f64().unwrap();
        assert!(done >= last, "{last} {build}");
        last = done;
        // Some rows are stored.
        if progress["stage"] == "storing" && done > 0.65 {
            break;
        }
    }
    assert_eq!(server.stop(), (Some(0), String::new()));
    assert!(!dir.path().join("cube21.redb").exists() && !dir.path().join("cube2.redb").exists());
    let (code, lines, stderr) = run_json(dir.path(), &["build", "cube21"]);
    assert!(code == 0 && lines[0]["rows_kept"].as_u64().is_some_and(|rows| rows > 0), "{lines:?} {stderr}");
}
