//! Files of the cache that other programs change, or that a disk cannot read, under a program that has them open.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use twistbase::cache::CacheMode;
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::puzzle::cube3::Cube;
use twistbase::puzzle::cube3::notation::parse_position;
use twistbase::solve::{Event, LONGEST_SEARCH, Optimal, OptimalLimits, TablePlace, Wanted};
use twistbase::store::Store;
use twistbase::tables::{self, Kind};

use super::record::compiled;
use super::{Ended, Questions, SMALL, files, program, small, succeed};
use crate::support::CUBE21;
use crate::support::cube3::CUBE3;
use crate::support::folder::link;

/// A table that an optimal search can map.
const MAPPED: &str = "nx-eo1-ep1-htm";
/// A position whose search takes for ever.
const SUPERFLIP: &str = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB";
const LIMITS: OptimalLimits =
    OptimalLimits { max_depth: LONGEST_SEARCH, deadline: None, max_nodes: None, parallel: true };

/// What another program does to published files.
#[derive(Debug, Clone, Copy)]
enum Harm {
    Truncates,
    Overwrites,
}

impl Harm {
    fn befalls(self, path: &Path) {
        fs::set_permissions(path, Permissions::from_mode(0o644)).expect("its owner");
        let file = OpenOptions::new().write(true).open(path).expect("a file");
        let length = file.metadata().expect("a file").len();
        match self {
            Self::Truncates => file.set_len(0).expect("a shorter file"),
            Self::Overwrites => file.write_all_at(&vec![0x33; length as usize], 0).expect("room"),
        }
    }
}

/// The files of a table's cache.
fn cached(dir: &Path, table: &str) -> Vec<PathBuf> {
    let folder = dir.join("cache").join(table);
    let found: Vec<_> = files(&folder).into_iter().map(|file| folder.join(file)).collect();
    assert!(!found.is_empty());
    found
}

/// A batch over a pipe that stays open.
struct Batch {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Batch {
    fn start(dir: &Path, puzzle: &str) -> Self {
        let mut child = program(dir, &["query", puzzle, "-"]).stdin(Stdio::piped()).spawn().expect("the program");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, answers }
    }

    /// Asks some of the questions, which are answered while the pipe is open.
    fn ask(&mut self, questions: &Questions, count: usize) {
        for (line, right) in questions.lines.lines().zip(&questions.answers).take(count) {
            writeln!(self.child.stdin.as_mut().expect("a pipe"), "{line}").expect("it reads");
            let mut answer = String::new();
            self.answers.read_line(&mut answer).expect("text");
            assert_eq!(answer.trim_end(), right);
        }
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        let ended = Ended::of(self.child.wait_with_output().expect("the program"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
}

/// A batch has read some of what it needs, then all files of its cache are harmed, then it goes on.
fn check_batch(dir: &Path, puzzle: &str, questions: &Questions) {
    for harm in [Harm::Truncates, Harm::Overwrites] {
        succeed(dir, &["cache", "warm", puzzle]);
        let mut batch = Batch::start(dir, puzzle);
        batch.ask(questions, questions.answers.len() / 2);
        cached(dir, puzzle).iter().for_each(|path| harm.befalls(path));
        batch.ask(questions, questions.answers.len());
        batch.end();
    }
    succeed(dir, &["cache", "warm", puzzle]);
    succeed(dir, &["verify", puzzle]);
}

#[test]
fn a_batch_answers_rightly_whatever_becomes_of_its_cached_files() {
    let dir = small();
    check_batch(dir.path(), SMALL, &Questions::new(dir.path(), SMALL, 100));
}

/// With rows of a hundred blocks, most of which have not been read.
#[test]
#[ignore = "tier two: the cache of all of Cube21, three times"]
fn full_a_batch_of_cube21_answers_rightly_whatever_becomes_of_its_cached_files() {
    let dir = CUBE21.linked();
    check_batch(dir.path(), "cube21", &Questions::new(dir.path(), "cube21", 2000));
}

/// Sectors of a cached file that a disk cannot read cost speed alone.
#[test]
fn cached_files_that_cannot_be_read_change_no_answer() {
    let dir = small();
    let questions = Questions::new(dir.path(), SMALL, 200);
    succeed(dir.path(), &["cache", "warm", SMALL]);
    let shim = compiled("lost_sector");
    for path in cached(dir.path(), SMALL).iter().step_by(9) {
        let (args, inode) = (["query", SMALL, "-"], fs::metadata(path).expect("a file").ino());
        let mut command = program(dir.path(), &args);
        command.env("LD_PRELOAD", &shim).env("TWISTBASE_LOST", format!("{inode} 4096 8192")).stdin(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        child.stdin.take().expect("a pipe").write_all(questions.lines.as_bytes()).expect("it reads");
        let ended = Ended::of(child.wait_with_output().expect("the program"));
        assert!(ended.code == Some(0) && ended.stdout.lines().eq(&questions.answers), "{}", ended.stderr);
    }
    succeed(dir.path(), &["cache", "warm", SMALL]);
    succeed(dir.path(), &["verify", SMALL]);
}

/// A table in a folder of its own, with its cache, which tests may harm.
fn mappable() -> (TempDir, Kind) {
    let (dir, table) = (tempfile::tempdir().expect("a folder"), tables::find_heuristic(MAPPED).expect("a table"));
    let definition = table.definition();
    link(
        &CUBE3.with(&[definition]).file_of(definition.layout()).expect("a folder"),
        &dir.path().join(format!("{MAPPED}.redb")),
    );
    succeed(dir.path(), &["cache", "warm", MAPPED]);
    (dir, table)
}

/// A map shows what others write: no answer is given of it, and the error names the file and what mends it.
#[test]
fn a_search_in_a_mapped_file_that_is_overwritten_gives_no_answer() {
    let (dir, table) = mappable();
    let (store, ctx) = (Store::open(dir.path()), Context::silent());
    let [path] = &cached(dir.path(), MAPPED)[..] else { panic!("one file") };
    let solver = Optimal::open(&store, table, TablePlace::Mapped, CacheMode::ReadOnly, &ctx).expect("a table");
    let start = parse_position(SUPERFLIP).expect("a position").position;
    let mut depths = 0;
    let mut tell = |event: Event<'_>| match event {
        Event::Depth { .. } => {
            // When the search begins.
            Harm::Overwrites.befalls(path);
            depths += 1;
        }
        Event::Solution(moves) => panic!("a solution of bytes that were changed: {moves:?}"),
        Event::Nodes(_) => {}
    };
    let searched = solver.solve(&start, &Cube::SOLVED, Wanted::ANY, &LIMITS, &ctx, &mut tell);
    let Err(Error::Data(fault)) = searched else { panic!("{searched:?}") };
    assert!(depths == 1 && fault.file.as_ref() == Some(path), "{depths}, {fault}");
    assert!(fault.to_string().starts_with("the cache of table nx-eo1-ep1-htm is damaged ("), "{fault}");
    assert!(matches!(solver.bound(&start), Err(Error::Data(_))));
    // What is advised mends it.
    assert_eq!(fault.remedy.to_string(), "cache warm nx-eo1-ep1-htm");
    succeed(dir.path(), &["cache", "warm", MAPPED]);
    succeed(dir.path(), &["verify", MAPPED]);
}

/// Bytes that are gone end the program, with a message.
#[test]
fn a_program_whose_mapped_file_is_truncated_says_so() {
    let (dir, _) = mappable();
    let solve = ["solve", "cube3", SUPERFLIP, "--method", "optimal", "--table", MAPPED, "--map"];
    let mut searching = program(dir.path(), &solve).spawn().expect("the program");
    let maps = format!("/proc/{}/maps", searching.id());
    // The search takes for ever, so that the map stays.
    while !fs::read_to_string(&maps).unwrap_or_default().contains("/table.v3") {
        assert!(searching.try_wait().expect("a process").is_none(), "it maps the table");
        thread::sleep(Duration::from_millis(5));
    }
    Harm::Truncates.befalls(&cached(dir.path(), MAPPED)[0]);
    let ended = Ended::of(searching.wait_with_output().expect("the program"));
    assert_eq!((ended.code, &ended.stdout[..]), (Some(4), ""), "{}", ended.stderr);
    assert!(ended.stderr.contains("error: a mapped cache file cannot be read: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("run: twistbase cache drop"), "{}", ended.stderr);
}
