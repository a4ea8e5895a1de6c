//! `kill -9` at random moments.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::{Cover, Cube};

use super::checks::results_in;
use super::{Ended, Numbers, Questions, SMALL, digest, files, program, run, small, succeed};
use crate::support::cube3::coset_store;
use crate::support::{CUBE21, count};

/// How long a command takes undisturbed.
pub fn duration(command: &mut Command) -> Duration {
    let start = Instant::now();
    assert!(command.output().expect("the program").status.success());
    start.elapsed()
}

/// How long a command takes that is to be killed at random moments. What it took once is a guess: the machine may have done
/// something else beside. So it grows a little with each kill, and shrinks with each run that ended before, and of eight runs
/// about seven are killed.
#[derive(Debug)]
pub struct Span(pub Duration);

impl Span {
    /// Kills a process that has just been started after a random part of the span, and returns how it ended.
    pub fn kill(&mut self, mut child: Child, numbers: &mut Numbers) -> Output {
        std::thread::sleep(Duration::from_nanos(numbers.below(self.0.as_nanos().max(1) as u64)));
        // It may have ended before: that is a moment like any other.
        let _ = child.kill();
        let output = child.wait_with_output().expect("the program");
        self.0 = if output.status.code().is_none() { self.0 * 101 / 100 } else { self.0 * 93 / 100 };
        output
    }
}

/// Starts a command, kills it after a random part of `span`, and returns how it ended.
pub fn kill_within(span: &mut Span, command: &mut Command, numbers: &mut Numbers) -> Ended {
    let ended = Ended::of(span.kill(command.spawn().expect("the program"), numbers));
    assert!(matches!(ended.code, None | Some(0)), "{}", ended.stderr);
    ended
}

/// Kills of first builds: the table is missing, unfinished or complete, and never anything else.
fn kill_first_builds(kills: usize) {
    let reference = small();
    let questions = Questions::new(reference.path(), SMALL, 20);
    let right = digest(reference.path(), SMALL);
    let mut span = Span(duration(&mut program(reference.path(), &["build", SMALL, "--force"])));
    let mut numbers = Numbers(1);
    let (mut killed, mut complete, mut continued) = (0, 0, 0);
    while killed < kills {
        let dir = tempfile::tempdir().expect("a folder");
        // A build that was killed is itself continued by a build that is killed, up to three times.
        for _ in 0..3 {
            killed += usize::from(
                kill_within(&mut span, &mut program(dir.path(), &["build", SMALL]), &mut numbers).code.is_none(),
            );
            let ended = questions.ask(dir.path(), &[]);
            if ended.code == Some(0) {
                complete += 1;
                assert!(ended.stdout.lines().eq(&questions.answers));
            } else {
                assert!(
                    ended.code == Some(4) && ended.stderr.contains("run: twistbase build square1-corners"),
                    "{}",
                    ended.stderr
                );
            }
        }
        continued +=
            succeed(dir.path(), &["build", SMALL, "--json"]).json()[0]["rows_kept"].as_u64().expect("a number");
        assert_eq!(digest(dir.path(), SMALL), right);
        succeed(dir.path(), &["verify", SMALL]);
        questions.check(dir.path());
        assert_eq!(
            files(dir.path()).iter().filter(|file| !file.starts_with("cache")).count(),
            1,
            "{:?}",
            files(dir.path())
        );
    }
    println!("{killed} kills of first builds: {complete} complete after a kill, {continued} rows kept");
}

#[test]
fn a_first_build_survives_kills() {
    kill_first_builds(5);
}

#[test]
#[ignore = "long suite: many kills"]
fn a_first_build_survives_many_kills() {
    kill_first_builds(count(15, 100));
}

/// Kills of rebuilds: the old table keeps answering.
fn kill_rebuilds(kills: usize) {
    let fixture = small();
    let dir = fixture.path();
    let questions = Questions::new(dir, SMALL, 20);
    let right = digest(dir, SMALL);
    let rebuild = || program(dir, &["build", SMALL, "--force"]);
    let mut span = Span(duration(&mut rebuild()));
    let mut numbers = Numbers(2);
    let (mut killed, mut finished) = (0, 0);
    while killed < kills {
        match kill_within(&mut span, &mut rebuild(), &mut numbers).code {
            None => killed += 1,
            Some(_) => finished += 1,
        }
        questions.check(dir);
        assert_eq!(digest(dir, SMALL), right);
        if killed % 10 == 0 {
            succeed(dir, &["verify", SMALL]);
        }
    }
    succeed(dir, &["build", SMALL, "--force"]);
    succeed(dir, &["verify", SMALL]);
    questions.check(dir);
    assert_eq!(digest(dir, SMALL), right);
    let left = files(dir);
    assert!(left.iter().all(|file| file.starts_with("cache") || file == Path::new("square1-corners.redb")), "{left:?}");
    println!("{killed} kills of rebuilds, {finished} finished before");
}

#[test]
fn the_old_table_answers_after_kills_of_rebuilds() {
    kill_rebuilds(8);
}

#[test]
#[ignore = "long suite: many kills"]
fn the_old_table_answers_after_many_kills_of_rebuilds() {
    kill_rebuilds(count(15, 100));
}

/// Kills of builds that continue a table: until the longer one is there, the one that is continued answers.
fn kill_continuations(kills: usize) {
    let reference = small();
    let right = digest(reference.path(), SMALL);
    let questions = Questions::new(reference.path(), SMALL, 40);
    let first = tempfile::tempdir().expect("a folder");
    succeed(first.path(), &["build", SMALL, "--depth", "6"]);
    let bounded = digest(first.path(), SMALL);
    let mut span = Span(duration(&mut program(super::copy_of(first.path()).path(), &["build", SMALL])));
    let mut numbers = Numbers(8);
    let (mut killed, mut finished, mut refused) = (0, 0, 0);
    while killed < kills {
        let dir = super::copy_of(first.path());
        let dir = dir.path();
        let mut ends = false;
        // What is killed is gone on with to the same depth: to another one it would have to be discarded.
        let args = if numbers.below(3) == 0 { &["build", SMALL, "--depth", "7"][..] } else { &["build", SMALL] };
        for _ in 0..3 {
            match kill_within(&mut span, &mut program(dir, args), &mut numbers).code {
                None => killed += 1,
                Some(_) => {
                    finished += 1;
                    ends |= args.len() == 2;
                }
            }
            let depth = succeed(dir, &["tables", "--json"]).json();
            let line = depth.into_iter().find(|line| line["table"] == SMALL).expect("a table");
            let depth = line["build"]["depth"].as_u64();
            assert!(depth.is_none_or(|depth| depth >= 6), "the table is lost: {line}");
            assert!(!ends || depth.is_none(), "lost after it was told: {line}");
            assert!(depth != Some(6) || line["build"]["digest"] == *bounded);
            refused += questions.check_right_or_refused(dir);
            if ends {
                break;
            }
        }
        succeed(dir, args);
        succeed(dir, &["build", SMALL]);
        succeed(dir, &["verify", SMALL]);
        questions.check(dir);
        assert_eq!(digest(dir, SMALL), right);
        assert_eq!(files(dir).iter().filter(|file| !file.starts_with("cache")).count(), 1);
    }
    println!("{killed} kills of builds that continue, {finished} finished before; {refused} positions were farther");
}

#[test]
fn a_continued_build_survives_kills() {
    kill_continuations(4);
}

#[test]
#[ignore = "long suite: many kills"]
fn a_continued_build_survives_many_kills() {
    kill_continuations(count(15, 100));
}

/// Kills of hydration, all at once and on demand.
fn kill_hydrations(kills: usize) {
    let fixture = small();
    let dir = fixture.path();
    // Each of them is answered from a page of its own at first, which hydrates its row.
    let questions = Questions::new(dir, SMALL, 400);
    let warm = || program(dir, &["cache", "warm", SMALL]);
    let span = duration(&mut warm());
    let (mut warming, mut asking) = (Span(span), Span(span));
    let mut numbers = Numbers(3);
    let (mut killed, mut finished, mut torn) = (0, 0, 0);
    let mut whole = true;
    for round in 0.. {
        if killed >= kills {
            break;
        }
        // A whole cache would leave nothing to kill; one in part is continued.
        if whole {
            succeed(dir, &["cache", "drop", SMALL]);
        }
        let code = if round % 2 == 0 {
            kill_within(&mut warming, &mut warm(), &mut numbers).code
        } else {
            let ended = Ended::of(asking.kill(questions.start(dir, &[]), &mut numbers));
            // What was said before the kill is right, but for a last line cut short.
            let whole = ended.stdout.rfind('\n').map_or("", |end| &ended.stdout[..end]);
            assert!(whole.lines().zip(&questions.answers).all(|(line, answer)| line == answer));
            ended.code
        };
        match code {
            None => killed += 1,
            Some(_) => finished += 1,
        }
        whole = code.is_some();
        torn += files(dir).iter().filter(|file| file.extension().is_some_and(|ending| ending == "tmp")).count();
        let status = &succeed(dir, &["cache", "status", SMALL, "--json"]).json()[0];
        assert_eq!((status["damaged"].as_u64(), status["stale"].as_u64()), (Some(0), Some(0)), "{status}");
        if round % 5 == 0 {
            succeed(dir, &["verify", SMALL]);
        }
    }
    questions.check(dir);
    succeed(dir, &["cache", "warm", SMALL]);
    let left = files(dir);
    assert!(left.iter().all(|file| file.extension().is_none_or(|ending| ending != "tmp")), "{left:?}");
    assert_eq!(left.len(), 1 + 90);
    succeed(dir, &["verify", SMALL]);
    questions.check(dir);
    println!("{killed} kills of hydrations, {finished} finished before; {torn} temporary files seen and removed");
}

#[test]
fn hydration_survives_kills() {
    kill_hydrations(12);
}

#[test]
#[ignore = "tier two: a hundred kills"]
fn full_hydration_survives_a_hundred_kills() {
    kill_hydrations(100);
}

/// Kills of builds of Cube21, one after the other, each of which continues the one before.
fn kill_large_builds(tables: usize, kills_each: usize) {
    let right = digest(CUBE21.path(), "cube21");
    let questions = Questions::new(CUBE21.path(), "cube21", 50);
    let timed: TempDir = tempfile::tempdir().expect("a folder");
    let span = duration(&mut program(timed.path(), &["build", "cube21"]));
    drop(timed);
    let mut numbers = Numbers(4);
    let (mut killed, mut kept) = (0, 0);
    for _ in 0..tables {
        let dir = tempfile::tempdir().expect("a folder");
        for _ in 0..kills_each {
            // The second half, where rows are stored, is where most can go wrong.
            let late = numbers.below(3) > 0;
            let mut command = program(dir.path(), &["build", "cube21", "--json"]);
            let mut child = command.spawn().expect("the program");
            let moment = numbers.below(span.as_nanos() as u64);
            let moment = if late { (moment + span.as_nanos() as u64) / 2 } else { moment };
            std::thread::sleep(Duration::from_nanos(moment));
            let _ = child.kill();
            let ended = Ended::of(child.wait_with_output().expect("the program"));
            if ended.code == Some(0) {
                break;
            }
            killed += 1;
            let query = run(dir.path(), &["query", "cube21", "/"]);
            assert!(query.code == Some(0) || query.stderr.contains("run: twistbase build cube21"), "{}", query.stderr);
        }
        let built = &succeed(dir.path(), &["build", "cube21", "--json"]).json()[0];
        kept += built["rows_kept"].as_u64().expect("a number");
        assert_eq!(digest(dir.path(), "cube21"), right);
        succeed(dir.path(), &["verify", "cube21"]);
        questions.check(dir.path());
        let left = files(dir.path());
        assert_eq!(left.iter().filter(|file| !file.starts_with("cache")).count(), 1, "{left:?}");
    }
    println!("{killed} kills of builds of cube21 ({tables} tables), {kept} rows kept");
}

#[test]
#[ignore = "tier two: kills of full-size builds"]
fn full_a_large_build_survives_many_kills() {
    kill_large_builds(2, 4);
}

#[test]
#[ignore = "tier two: kills of full-size hydrations"]
fn full_a_large_hydration_survives_kills() {
    let dir = CUBE21.linked();
    let questions = Questions::new(dir.path(), "cube21", 200);
    let mut span = Span(duration(&mut program(dir.path(), &["cache", "warm", "cube21"])));
    let mut numbers = Numbers(5);
    let mut killed = 0;
    for round in 0..12 {
        if round % 3 == 0 {
            succeed(dir.path(), &["cache", "drop", "cube21"]);
        }
        let ended = kill_within(&mut span, &mut program(dir.path(), &["cache", "warm", "cube21"]), &mut numbers);
        killed += usize::from(ended.code.is_none());
        questions.check(dir.path());
    }
    succeed(dir.path(), &["cache", "warm", "cube21"]);
    succeed(dir.path(), &["verify", "cube21"]);
    assert_eq!(files(dir.path()).len(), 1 + 90);
    println!("{killed} kills of hydrations of cube21");
}

/// How many items of each shard of a farm are finished, by the shard's file: those of its journal, or all.
fn finished(farm: &Path) -> BTreeMap<PathBuf, usize> {
    let mut finished = BTreeMap::new();
    for file in files(farm) {
        let items = match file.extension().and_then(OsStr::to_str) {
            // A task may finish it and remove its journal just now.
            Some("journal") => {
                fs::read(farm.join(&file)).map_or(0, |lines| lines.split(|&byte| byte == b'\n').count() - 1)
            }
            Some("zst") if !file.to_string_lossy().contains("/.") => SHARD_ITEMS,
            _ => continue,
        };
        let most = finished.entry(file.with_extension("")).or_insert(0);
        *most = items.max(*most);
    }
    finished
}

/// Cosets in a shard of the farm.
const SHARD_ITEMS: usize = 10;

/// Kills tasks of a farm over and over. Where nothing else gets a turn, a farm ends before its tasks are killed.
fn kill_tasks(cosets: u32, more: &[&str], most: usize) {
    assert!((0..5).any(|_| kill_tasks_of_one(cosets, more, most) > 2), "too few kills");
}

/// Kills of a task of a farm, which goes on until another has come so far; the results are those of one run. Returns how many.
fn kill_tasks_of_one(cosets: u32, more: &[&str], most: usize) -> usize {
    let (calm, killed) = (coset_store(), coset_store());
    let h = Cover::get().number(CosetOfH::of(&Cube::SOLVED)).expect("H covers the solved cube");
    let range = format!("{}..{}", h + 1 - cosets, h + 1);
    let options = [&["--range", &range, "-S", "4", "-d", "4"], more].concat();
    let each = duration(&mut program(calm.path(), &[&["coset", "run", "--force"], &options[..]].concat())) / cosets;
    let farm = killed.path().join("farm");
    let dir = farm.to_str().expect("text");
    let items = SHARD_ITEMS.to_string();
    succeed(killed.path(), &[&["farm", "plan", "cosets", "--to", dir, "--shard-items", &items], &options[..]].concat());
    let (mut numbers, mut kills, mut told) = (Numbers(6), 0, BTreeSet::new());
    let ended = loop {
        let before = finished(&farm);
        // Kills come at once, and after some cosets, at any moment of the next one.
        let goal = before.values().sum::<usize>() + kills * 7 % most;
        let mut child = program(killed.path(), &["farm", "work", dir, "--json"]).spawn().expect("the program");
        while child.try_wait().expect("a process").is_none() && finished(&farm).values().sum::<usize>() < goal {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_nanos(numbers.below(1 + each.as_nanos() as u64)));
        let _ = child.kill();
        let ended = Ended::of(child.wait_with_output().expect("the program"));
        let (whole, after) = (ended.stdout.rfind('\n').map_or("", |end| &ended.stdout[..end]), finished(&farm));
        assert!(
            before.iter().all(|(shard, items)| after.get(shard) >= Some(items)),
            "lost: {before:?}, then {after:?}"
        );
        for line in whole.lines() {
            let line: Value = serde_json::from_str(line).expect("an object");
            if line["outcome"] == "done" {
                assert!(told.insert(line["shard"].as_u64()), "{line}: it was done before");
            }
        }
        let status = &succeed(killed.path(), &["farm", "status", dir, "--check", "--json"]).json()[0];
        assert!(status["done"].as_u64() >= Some(told.len() as u64) && status["running"] == 0, "{status}");
        if ended.code.is_some() {
            break ended;
        }
        kills += 1;
    };
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let merged = &succeed(killed.path(), &["farm", "merge", dir, "--json"]).json()[0];
    assert_eq!((&merged["complete"], &merged["new"]), (&true.into(), &cosets.into()), "{merged}");
    assert!(results_in(killed.path()) == results_in(calm.path()), "a wrong result");
    let left = files(&farm);
    assert!(left.iter().all(|file| file.extension().is_some_and(|end| end == "zst") || file == Path::new("plan.json")));
    println!("{kills} kills of tasks of a farm of {cosets} cosets, nothing lost, nothing done twice");
    kills
}

#[test]
#[ignore = "long suite: dozens of killed tasks"]
fn a_farm_survives_kills_of_its_tasks() {
    kill_tasks(24, &["--mode", "set"], 8);
}

#[test]
#[ignore = "tier two: kills tasks of a farm of 150 cosets over and over"]
fn full_a_farm_survives_many_kills_of_its_tasks() {
    kill_tasks(150, &[], 23);
}
