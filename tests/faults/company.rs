//! Several processes at once, several users, and the same bytes whatever the circumstances.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{Ended, Questions, SMALL, digest, files, program, run, small, succeed};
use crate::support::{CUBE21, count};

/// Waits until a build holds its lock and has said so. The note of a build that was killed may lie there already.
fn wait_for_lock(dir: &Path, table: &str, child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let own = format!("{}\n", child.id());
    let noted = || {
        fs::read_to_string(dir.join(format!("{table}.lock")))
            .is_ok_and(|note| note.lines().count() == 3 && note.starts_with(&own))
    };
    while !noted() {
        assert!(child.try_wait().expect("a child").is_none() && Instant::now() < deadline, "the build takes no lock");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Starts a build of Cube21 and halts it while it holds its lock: however fast the machine, it cannot end before it is
/// killed.
fn halted_build(dir: &Path) -> Child {
    let mut build = program(dir, &["build", "cube21"]).spawn().expect("the program");
    wait_for_lock(dir, "cube21", &mut build);
    rustix::process::kill_process(rustix::process::Pid::from_child(&build), rustix::process::Signal::STOP)
        .expect("a process");
    build
}

#[test]
fn the_second_build_names_the_first() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut first = halted_build(dir.path());
    for force in [&[][..], &["--force"]] {
        let second = run(dir.path(), &[&["build", "cube21"], force].concat());
        assert_eq!(second.code, Some(5), "{}", second.stderr);
        assert!(second.stderr.contains(&format!("process {}", first.id())), "{}", second.stderr);
    }
    let tables = succeed(dir.path(), &["tables", "--json"]).json();
    let line = tables.iter().find(|line| line["table"] == "cube21").expect("a line");
    assert_eq!(line["status"], "building");
    // Another table is nobody's business.
    succeed(dir.path(), &["build", SMALL]);
    first.kill().expect("a process");
    first.wait().expect("a process");
    // The lock went with the process, its note did not: that must not matter.
    succeed(dir.path(), &["build", SMALL, "--force"]);
    let mut third = halted_build(dir.path());
    let fourth = run(dir.path(), &["build", "cube21"]);
    assert!(fourth.code == Some(5) && fourth.stderr.contains(&format!("process {}", third.id())), "{}", fourth.stderr);
    third.kill().expect("a process");
    third.wait().expect("a process");
}

/// Rebuilds, hydrations, and removals of the cache, all at once, with queries in between.
fn company(rebuilds: usize) {
    let fixture = small();
    let dir = fixture.path();
    let questions = Questions::new(dir, SMALL, 300);
    let right = digest(dir, SMALL);
    let (over, queries, warmed) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    questions.check(dir);
                    queries.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                succeed(dir, &["cache", "warm", SMALL]);
                succeed(dir, &["cache", "drop", SMALL]);
                warmed.fetch_add(1, Ordering::Relaxed);
            }
        });
        for _ in 0..rebuilds {
            succeed(dir, &["build", SMALL, "--force"]);
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(digest(dir, SMALL), right);
    succeed(dir, &["cache", "warm", SMALL]);
    succeed(dir, &["verify", SMALL]);
    assert_eq!(files(dir).len(), 1 + 90, "{:?}", files(dir));
    let (queries, warmed) = (queries.into_inner(), warmed.into_inner());
    println!(
        "{rebuilds} rebuilds beside {queries} batches of queries and {warmed} hydrations and removals of the cache"
    );
}

#[test]
#[ignore = "long suite: seconds of processor time"]
fn queries_go_on_beside_rebuilds_and_hydration() {
    company(15);
}

#[test]
#[ignore = "tier two: a hundred rebuilds"]
fn full_queries_go_on_beside_many_rebuilds() {
    company(100);
}

#[test]
#[ignore = "long suite: builds of Cube21"]
fn a_large_table_is_the_same_however_it_is_built() {
    let dir = tempfile::tempdir().expect("a folder");
    let right = digest(CUBE21.path(), "cube21");
    let ways = [&["--kernel", "portable", "--memory", "300M", "--threads", "3"][..], &["--threads", "1"]];
    let ways = &ways[..count(1, 2)];
    for way in ways {
        succeed(dir.path(), &[&["build", "cube21", "--force"], *way].concat());
        assert_eq!(digest(dir.path(), "cube21"), right, "{way:?}");
    }
    println!("{} ways to build cube21, one digest", ways.len() + 1);
}

/// A table that another user keeps to themselves is told as that, and stops nothing of the others.
#[test]
fn a_table_that_another_user_keeps_is_told() {
    let dir = small();
    let (store, kept, program) = (dir.path(), dir.path().join("cube21.redb"), dir.path().join("program"));
    fs::write(&kept, "theirs").expect("a file");
    fs::set_permissions(&kept, Permissions::from_mode(0o000)).expect("a file");
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        // Who may read everything asks as somebody else, who has to reach the program.
        // Not by this process: a child of another test would have it open for writing, and nobody could run it.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_twistbase")).arg(&program).status();
        assert!(copied.expect("cp").success());
        fs::set_permissions(store, Permissions::from_mode(0o755)).expect("a folder");
    }
    let ask = |args: &[&str]| {
        let mut command = super::program(store, args);
        if is_root {
            let mut other = Command::new(&program);
            other.args(args).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).uid(65534);
            command = other;
        }
        Ended::of(command.output().expect("the program"))
    };
    let told = "you may not read the file (";
    for (args, code) in
        [(&["tables"][..], 0), (&["verify"], 4), (&["rebuild", "--dry-run"], 4), (&["query", "cube21", "/"], 4)]
    {
        let ended = ask(args);
        let said = ended.stdout + &ended.stderr;
        assert!(ended.code == Some(code) && said.contains(told), "{args:?}: {:?} {said}", ended.code);
    }
    assert!(ask(&["verify"]).stdout.contains("square1-corners: intact"));
    assert_eq!(ask(&["query", SMALL, "/"]).code, Some(0));
}
