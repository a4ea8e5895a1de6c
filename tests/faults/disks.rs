//! Full and read-only file systems. They need `mount`, hence root and Linux; without, these tests say "skipped" and pass.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{Ended, Questions, SMALL, digest, files, program, run, small, succeed, test_in_a_process};
use crate::support::program::command;
use twistbase_testing::skipped::skipped;

/// Mounts a file system of a size at a folder, says so, and takes both away when its standard input ends: when whoever started it
/// has ended, too, however that was.
const KEEP: &str = r#"trap "" INT TERM HUP
mount -t tmpfs -o "size=$1" none "$2" || exit
echo mounted
read -r _
umount -l "$2" && rmdir "$2""#;

/// A small file system in memory, gone when dropped, and when this process ends.
pub struct Disk {
    dir: TempDir,
    keeper: Child,
}

impl Disk {
    /// `None`, and a line that says why, when this process may not mount.
    pub fn new(size: &str) -> Option<Self> {
        let dir = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("sh");
        command.args(["-c", KEEP, "sh", size]).arg(dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What ends all of a terminal's processes spares it.
        let mut keeper = command.process_group(0).spawn().expect("a shell");
        let mut mounted = String::new();
        let stdout = keeper.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut mounted).expect("text");
        if mounted.is_empty() {
            let output = keeper.wait_with_output().expect("an end");
            let reason = String::from_utf8_lossy(&output.stderr);
            skipped(&format!("cannot mount a small file system: {}", reason.trim()));
            return None;
        }
        Some(Self { dir, keeper })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn remount(&self, options: &str) {
        let mut command = Command::new("mount");
        let status = command.args(["-o", &format!("remount,{options}"), "none"]).arg(self.path()).status();
        assert!(status.expect("a program").success(), "what could be mounted can be changed");
    }

    /// Takes all the space that is left.
    pub fn fill(&self) {
        let mut file = fs::File::create(self.path().join("filler")).expect("a file");
        while file.write_all(&[1; 4096]).is_ok() {}
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Ends its standard input first.
        let _ = self.keeper.wait();
    }
}

/// Names the file that is to hold the path of a child's disk.
const CHILD_DISK: &str = "TWISTBASE_TEST_CHILD_DISK";

/// Nothing by itself: another test kills it.
#[test]
fn child_that_holds_a_disk() {
    let Some(told) = std::env::var_os(CHILD_DISK) else { return };
    let Some(disk) = Disk::new("1m") else { return };
    fs::write(disk.path().join("mounted"), "").expect("room");
    let written = Path::new(&told).with_extension("new");
    fs::write(&written, disk.path().to_str().expect("a path in UTF-8")).expect("room");
    fs::rename(written, told).expect("the same folder");
    // Until it is killed, or the other test has ended without.
    io::copy(&mut io::stdin(), &mut io::sink()).expect("a pipe");
}

#[test]
fn a_killed_run_leaves_no_mount() {
    let Some(_) = Disk::new("1m") else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let told = dir.path().join("told");
    let mut child = test_in_a_process("faults::disks::child_that_holds_a_disk")
        .env(CHILD_DISK, &told)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a process");
    let patience = Instant::now() + Duration::from_secs(60);
    let wait = |until: &dyn Fn() -> bool| {
        while !until() {
            assert!(Instant::now() < patience);
            thread::sleep(Duration::from_millis(5));
        }
    };
    wait(&|| told.exists());
    let disk = PathBuf::from(fs::read_to_string(&told).expect("a path"));
    assert!(disk.join("mounted").exists());
    child.kill().expect("running");
    child.wait().expect("an end");
    wait(&|| !disk.exists());
}

/// The build must fail for want of space, say so, and succeed with more of it; returns the rows kept.
fn build_with_too_little(disk: &Disk, args: &[&str], more: &str) -> u64 {
    let table = args[1];
    let ended = run(disk.path(), args);
    assert_eq!(ended.code, Some(6), "{args:?}: {}", ended.stderr);
    assert!(ended.stderr.contains("no space left") || ended.stderr.contains("No space left"), "{}", ended.stderr);
    // It was said before: the size is known.
    assert!(ended.stderr.contains(&format!("{table} needs up to ")), "{}", ended.stderr);
    let query = run(disk.path(), &["query", table, "/"]);
    assert!(
        query.code == Some(4) && query.stderr.contains(&format!("run: twistbase build {table}")),
        "{}",
        query.stderr
    );
    // Still full: still the same, and nothing is lost by trying.
    assert_eq!(run(disk.path(), args).code, Some(6));
    disk.remount(&format!("size={more}"));
    let kept = succeed(disk.path(), &[args, &["--json"]].concat()).json()[0]["rows_kept"].as_u64();
    succeed(disk.path(), &["verify", table]);
    kept.expect("a number")
}

#[test]
fn a_build_on_a_full_disk_says_so_and_is_continued() {
    let right = digest(small().path(), SMALL);
    let mut disks = 0;
    for size in ["4k", "8k", "32k", "64k", "128k", "200k", "240k"] {
        for options in [&[][..], &["--memory", "2.5M"]] {
            let Some(disk) = Disk::new(size) else { return };
            build_with_too_little(&disk, &[&["build", SMALL], options].concat(), "8m");
            assert_eq!(digest(disk.path(), SMALL), right);
            assert_eq!(files(disk.path()), [Path::new("square1-corners.redb")]);
            disks += 1;
        }
    }
    println!("{disks} full disks");
}

/// What does not fit is told before anything is computed for it.
#[test]
fn a_query_begins_no_build_that_does_not_fit() {
    let Some(disk) = Disk::new("400k") else { return };
    let query =
        || Ended::of(program(disk.path(), &["query", SMALL, "/"]).env("TWISTBASE_BUILD", "auto").output().unwrap());
    let refused = query();
    let words = "square1-corners needs up to";
    assert!(refused.code == Some(6) && refused.stderr.contains(words), "{refused:?}");
    assert!(refused.stderr.contains("hint: free some space"), "{refused:?}");
    assert_eq!(files(disk.path()).len(), 0);
    disk.remount("size=8m");
    assert_eq!(query().code, Some(0));
}

#[test]
fn the_old_table_answers_when_a_rebuild_fills_the_disk() {
    let Some(disk) = Disk::new("400k") else { return };
    succeed(disk.path(), &["build", SMALL]);
    let questions = Questions::new(disk.path(), SMALL, 50);
    let right = digest(disk.path(), SMALL);
    let ended = run(disk.path(), &["build", SMALL, "--force"]);
    assert!(ended.code == Some(6) && ended.stderr.contains("no space left"), "{}", ended.stderr);
    questions.check(disk.path());
    succeed(disk.path(), &["verify", SMALL]);
    disk.remount("size=8m");
    succeed(disk.path(), &["build", SMALL, "--force"]);
    questions.check(disk.path());
    assert_eq!(digest(disk.path(), SMALL), right);
}

#[test]
fn queries_are_answered_without_room_for_the_cache() {
    let Some(disk) = Disk::new("8m") else { return };
    succeed(disk.path(), &["build", SMALL]);
    let questions = Questions::new(disk.path(), SMALL, 400);
    disk.remount("size=700k");
    questions.check(disk.path());
    let warm = run(disk.path(), &["cache", "warm", SMALL]);
    assert!(warm.code == Some(6) && warm.stderr.contains("no space left for the cache"), "{}", warm.stderr);
    let cached = files(disk.path()).len() - 1;
    assert!(cached > 0 && cached < 90, "{cached} rows");
    assert!(files(disk.path()).iter().all(|file| file.extension().is_none_or(|ending| ending != "tmp")));
    disk.fill();
    questions.check(disk.path());
    succeed(disk.path(), &["verify", SMALL]);
    succeed(disk.path(), &["cache", "drop", SMALL]);
    disk.fill();
    questions.check(disk.path());
    println!("{cached} of 90 rows found room");
}

#[test]
fn the_old_picture_stays_where_a_new_one_finds_no_room() {
    let Some(disk) = Disk::new("1m") else { return };
    let path = disk.path().join("x.svg");
    let args = ["picture", "cube3", "R U F", "-o", path.to_str().expect("text")];
    succeed(disk.path(), &args);
    let before = fs::read(&path).expect("a picture");
    disk.fill();
    let ended = run(disk.path(), &[&args[..], &["--force"]].concat());
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    assert_eq!(fs::read(&path).expect("a picture"), before);
}

#[test]
fn a_read_only_store_answers() {
    let Some(disk) = Disk::new("8m") else { return };
    succeed(disk.path(), &["build", SMALL]);
    let questions = Questions::new(disk.path(), SMALL, 100);
    for warm in [false, true] {
        if warm {
            disk.remount("rw");
            succeed(disk.path(), &["cache", "warm", SMALL]);
        }
        let before = files(disk.path());
        disk.remount("ro");
        questions.check(disk.path());
        for args in [&["verify"][..], &["tables"], &["stats", SMALL], &["cache", "status"], &["build", SMALL]] {
            succeed(disk.path(), args);
        }
        for args in [&["build", SMALL, "--force"][..], &["build", "cube21"]] {
            let ended = run(disk.path(), args);
            assert!(ended.code == Some(6) && ended.stderr.contains("Read-only"), "{args:?}: {}", ended.stderr);
        }
        // With every row there, warming has nothing to write.
        assert_eq!(run(disk.path(), &["cache", "warm", SMALL]).code, Some(if warm { 0 } else { 6 }));
        assert_eq!(files(disk.path()), before);
    }
}

#[test]
fn a_server_over_a_read_only_store_builds_nothing() {
    let Some(disk) = Disk::new("8m") else { return };
    disk.remount("ro");
    let mut server = command()
        .args(["serve", "--listen", "127.0.0.1:0"])
        .envs([("TWISTBASE_STORE", disk.path().as_os_str()), ("TWISTBASE_BUILD", "auto".as_ref())])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program");
    let mut line = String::new();
    let stderr = server.stderr.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut line).expect("a line");
    server.kill().and_then(|()| server.wait()).expect("its end");
    assert!(line.ends_with("is read-only; this server builds no tables\n"), "{line}");
}

#[test]
#[ignore = "tier two: full-size builds on file systems in memory"]
fn full_a_large_build_on_a_full_disk_is_continued() {
    let mut kept = Vec::new();
    for (size, options) in [("20m", &[][..]), ("170m", &[]), ("60m", &["--memory", "300M"])] {
        let Some(disk) = Disk::new(size) else { return };
        kept.push(build_with_too_little(&disk, &[&["build", "cube21"], options].concat(), "2g"));
        assert_eq!(files(disk.path()), [Path::new("cube21.redb")]);
    }
    println!("rows of cube21 kept after a full disk: {kept:?}");
}
