//! Little of what the system gives: address space, threads, the length of files. Each is an error that says so.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use super::{Ended, SMALL, run, small, succeed};
use crate::support::{CUBE3, count};

/// Runs the program on a store under a limit of the shell.
fn limited(store: &Path, limit: &str, args: &[&str]) -> Ended {
    Ended::of(shell(store, limit, args).output().expect("a shell"))
}

fn shell(store: &Path, limit: &str, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_twistbase"), "--threads", "4"]);
    command.args(args).env("TWISTBASE_STORE", store).env("TWISTBASE_BUILD", "never").env_remove("RUST_BACKTRACE");
    command
}

/// The least limit of address space, in KiB, with which a query starts its four threads: it depends on the size of the program and
/// of its libraries.
fn enough_for_threads(store: &Path) -> usize {
    static ENOUGH: OnceLock<usize> = OnceLock::new();
    *ENOUGH.get_or_init(|| {
        let starts = |kibibytes: usize| {
            let mut command = shell(store, &format!("ulimit -v {kibibytes}"), &["query", SMALL, "/"]);
            // 6 says that threads cannot be started. Too little for the program itself ends it in other ways.
            matches!(command.output().expect("a shell").status.code(), Some(0 | 7))
        };
        let (mut too_little, mut enough) = (1_000, 1_000_000);
        assert!(starts(enough));
        while enough - too_little > 200 {
            let middle = (too_little + enough) / 2;
            if starts(middle) { enough = middle } else { too_little = middle }
        }
        enough
    })
}

#[test]
fn threads_that_cannot_be_started_are_told() {
    let dir = small();
    let limit = format!("ulimit -v {}", enough_for_threads(dir.path()) - 10_000);
    for args in [&["query", SMALL, "/"][..], &["verify", SMALL], &["build", SMALL, "--force"], &["tables"]] {
        let ended = limited(dir.path(), &limit, args);
        assert_eq!(ended.code, Some(6), "{args:?}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("cannot start 4 threads: ") && !ended.stderr.contains("--store"),
            "{}",
            ended.stderr
        );
    }
    succeed(dir.path(), &["verify", SMALL]);
}

/// However little is left when a thread starts, it is told: none is started that the standard library then cannot set up.
#[test]
fn threads_start_or_are_told_not_to_whatever_the_limit() {
    let dir = small();
    let started = limits_of_address_space(dir.path(), 1_000);
    assert!((1..45).contains(&started), "{started} of 45");
}

/// A large array that fits but for a little leaves nothing for what is small: limits so near each other that some meet that.
#[test]
#[ignore = "long suite: a thousand limits"]
fn no_limit_of_address_space_ends_the_program_otherwise() {
    let dir = small();
    limits_of_address_space(dir.path(), count(1_000, 40));
    let least = enough_for_threads(dir.path()) - 15_000;
    for kibibytes in (least..least + 200_000).step_by(count(40_000, 2_000)) {
        for args in [&["build", SMALL, "--force"][..], &["verify", SMALL], &["tables"]] {
            let ended = limited(dir.path(), &format!("ulimit -v {kibibytes}"), args);
            assert!(matches!(ended.code, Some(0 | 6 | 7)), "{kibibytes}, {args:?}: {ended:?}");
        }
    }
    let mebibytes = (least / 1024..least / 1024 + 900).step_by(count(150, 10));
    let (exported, refused) = exports_within(dir.path(), &mebibytes.collect::<Vec<_>>());
    assert!(exported > 0 && refused > 0, "{exported} {refused}");
}

/// Exports in every format under limits of so many MiB of address space. Returns how many were written and how many refused.
fn exports_within(store: &Path, mebibytes: &[usize]) -> (usize, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut exported, mut refused) = (0, 0);
    for limit in mebibytes.iter().map(|mebibytes| format!("ulimit -v {}", mebibytes * 1024)) {
        for file in ["x.parquet", "x.csv.zst", "x.jsonl"].map(|name| folder.path().join(name)) {
            let ended = limited(store, &limit, &["export", SMALL, "--force", "-o", file.to_str().expect("text")]);
            match ended.code {
                Some(0) => exported += 1,
                Some(6 | 7) => refused += 1,
                _ => panic!("{limit}, {}: {ended:?}", file.display()),
            }
        }
    }
    (exported, refused)
}

#[test]
#[ignore = "long suite: seconds of processor time"]
fn an_export_that_finds_too_little_address_space_is_refused() {
    let dir = small();
    let enough = enough_for_threads(dir.path()) / 1024;
    assert_eq!(exports_within(dir.path(), &[enough + 1, enough + 40, enough + 70]).0, 0);
    assert_eq!(exports_within(dir.path(), &[enough + 200]).1, 0);
}

/// Asks under limits of so many KiB more each, and returns under how many all threads could be started.
fn limits_of_address_space(store: &Path, step: usize) -> usize {
    let mut started = 0;
    let enough = enough_for_threads(store);
    for kibibytes in (enough - 15_000..enough + 30_000).step_by(step) {
        let ended = limited(store, &format!("ulimit -v {kibibytes}"), &["query", SMALL, "/"]);
        let is_told = ended.stderr.contains("cannot start 4 threads: ");
        // Threads that could be started may find no memory to decode a page with, which is no damage.
        let is_short = ended.stderr.contains("no memory to decode");
        let expected = if is_told {
            6
        } else if is_short {
            7
        } else {
            0
        };
        assert_eq!(ended.code, Some(expected), "{kibibytes}: {ended:?}");
        started += usize::from(!is_told);
    }
    started
}

#[test]
fn too_little_address_space_is_told_and_damages_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let limit = &format!("ulimit -v {}", enough_for_threads(small().path()) + 25_000);
    let ended = limited(dir.path(), limit, &["build", "phase1"]);
    assert!(ended.code == Some(7) && ended.stderr.contains("memory limit"), "{}", ended.stderr);
    let store = CUBE3.as_path();
    succeed(store, &["cache", "warm", "phase1"]);
    // It is read block by block.
    let ended = limited(store, limit, &["verify", "phase1"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let cache_file = || {
        let folder = fs::read_dir(store.join("cache").join("phase1")).expect("the cache");
        let mut files: Vec<_> =
            folder.map(|file| file.and_then(|file| Ok((file.path(), file.metadata()?.ino())))).collect();
        files.pop().expect("a file").expect("a file")
    };
    let before = cache_file();
    let ended = limited(store, limit, &["solve", "cube3", "R", "--method", "optimal", "--table", "phase1"]);
    assert!(ended.code == Some(7) && ended.stderr.contains("cannot allocate "), "{}", ended.stderr);
    let ended = limited(store, limit, &["cache", "warm", "phase1"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // Without the addresses for it, the store answers.
    let ended = limited(store, limit, &["query", "cube3", "R", "--table", "phase1"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(cache_file(), before, "what is there is not written again");
    succeed(store, &["verify", "phase1"]);
}

#[test]
fn a_file_that_may_not_grow_is_an_error_of_output() {
    let dir = tempfile::tempdir().expect("a folder");
    let ended = limited(dir.path(), "ulimit -f 16", &["build", SMALL]);
    assert!(ended.code == Some(6) && ended.stderr.contains("File too large"), "{:?} {}", ended.code, ended.stderr);
    assert_eq!(run(dir.path(), &["build", SMALL]).code, Some(0));
}
