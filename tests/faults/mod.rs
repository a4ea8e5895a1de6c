//! What files survive. The program runs as a process of its own, and is compared with itself undisturbed.
//!
//! | | |
//! |---|---|
//! | `kills` | `kill -9` at random moments (of exports and imports: `tests/export/kills.rs`) |
//! | `power` | the power fails at a random system call (`record`, with `shim.c`, writes them down; `crash` says what a disk then holds) |
//! | `errors` | an error at every nth write, sync, rename, opening for writing, change of length, removal, new folder |
//! | `jobs`, `right`, `checks` | the commands that these two disturb, what has to come out of them, and what has to hold of their files |
//! | `corruption`, `cube3`, `units` | single bits, truncations, files that are something else |
//! | `pages` | pages that hold nothing any more, under every command |
//! | `disks` | full and read-only disks |
//! | `lost` | sectors that a disk has lost |
//! | `limits` | little address space, few threads, short files |
//! | `company` | several processes at once |
//! | `readers` | cached files that are changed under a reader |
//! | `rebuild` | what is damaged is rebuilt |
//!
//! Beside these, everything that reads bytes or text is given inputs that are nearly right (`tests/testing/fuzz.rs`),
//! by tests beside the readers.
//!
//! Counts are small in the first tier of checks and full in the second, which sets `TWISTBASE_TEST_FULL`. For longer runs by hand
//! the environment sets them: `TWISTBASE_TEST_CRASHES` (crashes; 200, full 900), `TWISTBASE_TEST_ERRORS` (changes that fail of each
//! command in each of five ways; 1, full 4, and 1000 are all), `TWISTBASE_TEST_FLIPS` (flips of cube21; 120, full 1000),
//! `TWISTBASE_TEST_FUZZ` (multiplies the inputs).
//! `TWISTBASE_TEST_JOB` is the name of the one command that power cuts and errors are to disturb.

mod checks;
mod company;
mod corruption;
mod crash;
mod cube3;
pub mod disks;
mod errors;
mod jobs;
mod kills;
mod limits;
mod lost;
mod pages;
mod power;
mod readers;
mod rebuild;
mod record;
mod right;
mod segments;
mod units;

pub use kills::{Span, kill_within};
pub use rebuild::restorable_copy;
pub use record::compiled;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;
use twistbase::cache::CachedTable;
use twistbase::context::Context;

use crate::support::Fixture;

/// The bytes of a whole table in the file of its cache, if it has one that is right.
fn cached_bytes(table: &CachedTable) -> Option<Vec<u8>> {
    let mut bytes = vec![0; table.table().layout().bytes() as usize];
    table.read_table(&mut bytes, &Context::silent()).expect("not cancelled").then_some(bytes)
}

/// A table that builds in a few hundredths of a second.
pub const SMALL: &str = "square1-corners";

/// Waits until a process has a handler of a signal.
pub fn wait_for_handler(child: &mut Child, signal: Signal) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let status = format!("/proc/{}/status", child.id());
    let is_caught = || {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask & (1 << (signal.as_raw() - 1)) != 0)
    };
    while !is_caught() {
        assert!(
            Instant::now() < deadline && child.try_wait().expect("a process").is_none(),
            "no handler of {signal:?}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A command of the program on the store in `dir`.
pub fn program(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_twistbase"));
    command.args(args).env("TWISTBASE_STORE", dir).env("TWISTBASE_BUILD", "never").env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` when it was killed.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Whatever happens to its files, the program neither panics nor dies of a signal that nobody sent.
    pub fn of(output: Output) -> Self {
        let Output { status, stdout, stderr } = output;
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let ended = Self { code: status.code(), stdout: text(stdout), stderr: text(stderr) };
        use std::os::unix::process::ExitStatusExt;
        assert!(matches!(status.signal(), None | Some(9)), "{status}: {}", ended.stderr);
        assert!(ended.code != Some(101) && !ended.stderr.contains("panicked"), "{}", ended.stderr);
        ended
    }

    pub fn json(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
    }
}

/// Runs the program to its end.
pub fn run(dir: &Path, args: &[&str]) -> Ended {
    Ended::of(program(dir, args).output().expect("the program"))
}

/// This program again, with one test alone, in a process of its own.
pub fn test_in_a_process(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test]).stdout(Stdio::null());
    command
}

/// Runs the program to its end; it must succeed.
pub fn succeed(dir: &Path, args: &[&str]) -> Ended {
    let ended = run(dir, args);
    assert_eq!(ended.code, Some(0), "{args:?}: {}{}", ended.stdout, ended.stderr);
    ended
}

/// The digest of a complete table.
pub fn digest(dir: &Path, table: &str) -> String {
    let lines = succeed(dir, &["tables", "--json"]).json();
    let line = lines.into_iter().find(|line| line["table"] == table).expect("a registered table");
    line["build"]["digest"].as_str().unwrap_or_else(|| panic!("not complete: {line}")).to_owned()
}

/// Everything in a folder and below it, by path from it, without the locks of builds, which stay by design.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|extension| extension != "lock") {
                found.push(path.strip_prefix(dir).expect("below it").to_path_buf());
            }
        }
    }
    found.sort();
    found
}

/// Positions with the answers that an undisturbed store gives.
struct Questions {
    puzzle: String,
    lines: String,
    answers: Vec<String>,
}

impl Questions {
    /// `count` random positions, answered from the segments of the table in `dir`.
    fn new(dir: &Path, puzzle: &str, count: usize) -> Self {
        let lines = succeed(dir, &["random", puzzle, "-n", &count.to_string(), "--seed", "21"]).stdout;
        let mut questions = Self { puzzle: puzzle.to_owned(), lines, answers: Vec::new() };
        let ended = questions.ask(dir, &["--cache", "off"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        questions.answers = ended.stdout.lines().map(str::to_owned).collect();
        assert_eq!(questions.answers.len(), count);
        questions
    }

    /// Starts a query of all positions.
    fn start(&self, dir: &Path, options: &[&str]) -> std::process::Child {
        let args = [&["query", &self.puzzle, "-"], options].concat();
        let mut child = program(dir, &args).stdin(Stdio::piped()).spawn().expect("the program");
        let (mut stdin, lines) = (child.stdin.take().expect("a pipe"), self.lines.clone());
        // From a thread: both pipes may fill up. A program that ended early has closed its end.
        std::thread::spawn(move || drop(stdin.write_all(lines.as_bytes())));
        child
    }

    fn ask(&self, dir: &Path, options: &[&str]) -> Ended {
        Ended::of(self.start(dir, options).wait_with_output().expect("the program"))
    }

    /// All positions, rightly answered.
    fn check(&self, dir: &Path) {
        let ended = self.ask(dir, &[]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stdout.lines().eq(&self.answers));
    }

    /// Every position is answered rightly, or the exit status is 4 and the lines not answered say why. Returns the
    /// number of positions without an answer.
    fn check_right_or_refused(&self, dir: &Path) -> usize {
        let ended = self.ask(dir, &[]);
        match ended.code {
            Some(0) => assert!(ended.stdout.lines().eq(&self.answers), "a wrong answer"),
            Some(4) => assert!(ended.stderr.contains("error: "), "{}", ended.stderr),
            other => panic!("{other:?}: {}", ended.stderr),
        }
        // Without a usable table there are no lines at all.
        let right = ended.stdout.lines().zip(&self.answers).filter(|(line, answer)| line == answer).count();
        let refused = ended.stdout.lines().filter(|line| line.contains("\terror: ")).count();
        assert_eq!(right + refused, ended.stdout.lines().count(), "a wrong answer");
        self.answers.len() - right
    }
}

/// A copy of a small store.
pub fn copy_of(original: &Path) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for file in files(original) {
        let to = dir.path().join(&file);
        fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        fs::copy(original.join(&file), to).expect("a copy");
    }
    dir
}

/// [`SMALL`], complete.
pub fn small() -> Fixture {
    Fixture::build(SMALL)
}

/// The same numbers in every run, so that a failure can be repeated.
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `limit`, by SplitMix64.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }
}
