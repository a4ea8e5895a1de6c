//! Commands that change files, each with what has to hold of the files whenever it ends, and how it is gone on with.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;

use twistbase::cache::{self, CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::cosets::{CosetRecord, CosetResults};
use twistbase::error::{Class, Error, Fault};
use twistbase::export::{self, Column, ExportFormat, ExportTarget, Sample, Selection};
use twistbase::farm::{Farm, FarmMerge, TaskRequest};
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::notation::wca;
use twistbase::puzzle::cube3::{Cube, Metric};
use twistbase::solve::{CosetCheckpoint, CosetMode, CosetOptions, CosetSolver, TableBytes, TablePlace};
use twistbase::store::{Entries, Store, StoredTable, TableLayout};
use twistbase::tables::{self, BuildRequest, Definition, TwistTable};
use twistbase::{Database, Kernel};

use super::corruption::Victim;
use super::record::{Event, Recording};
use super::{Ended, Numbers, Questions, SMALL, files, program, run, small, succeed};
use crate::support::cube3::CUBE3;
use crate::support::{Fixture, KEPT_SHARDS};

/// Where the jobs have the store below their folder, if they make or change one. The folder above is new as well.
const STORE: &str = "new/store";
/// Where they export to.
const OUT: &str = "out";
/// The farm that they work on, below their folder.
const FARM: &str = "farm";

/// A command, and what is asked of what it leaves. All paths are below a folder of the job's own.
pub struct Job {
    pub name: &'static str,
    /// What follows the name of the program; `{}` is the folder.
    args: &'static [&'static str],
    /// Makes the files that are there before.
    prepare: fn(&Path),
    /// What holds at any moment, given what the program had printed.
    pub check: fn(&Path, &str),
    /// Does the same in this process, to the end.
    pub go_on: fn(&Path),
    /// What holds at the end, but for what another attempt could leave.
    pub check_end: fn(&Path),
    /// How many milliseconds each write takes longer, so that there are checkpoints.
    pub pause: u64,
}

/// What is answered there is on the disk a second later, not at once.
const SOLVE: &str = "solve --results";

static JOBS: [Job; 16] = [
    Job {
        name: "build",
        args: &["build", SMALL, "--store", "{}/new/store"],
        prepare: nothing,
        check: check_new_table,
        go_on: |root| build(root, false),
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "build --force",
        args: &["build", SMALL, "--force", "--store", "{}/new/store"],
        prepare: copy_table,
        check: check_old_or_new_table,
        go_on: |root| build(root, true),
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "build, continued from a depth",
        args: &["build", SMALL, "--store", "{}/new/store"],
        prepare: |root| put_table(root, &RIGHT.bounded.0),
        check: check_bounded_or_complete_table,
        go_on: |root| build(root, false),
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "rebuild",
        args: &["rebuild", SMALL, "--store", "{}/new/store"],
        prepare: copy_damaged_table,
        check: check_damaged_table,
        go_on: rebuild,
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "cache warm",
        args: &["cache", "warm", SMALL, "--store", "{}/new/store"],
        prepare: copy_table,
        check: check_cache,
        go_on: warm,
        check_end: check_warm,
        pause: 0,
    },
    Job {
        name: "query",
        args: &["query", SMALL, "-", "--store", "{}/new/store"],
        prepare: copy_table,
        check: check_cache,
        go_on: warm,
        check_end: check_cached_answers,
        pause: 0,
    },
    Job {
        name: "import",
        args: &["import", "{right}/x.twraw", "--store", "{}/new/store"],
        prepare: nothing,
        check: check_new_table,
        go_on: import,
        check_end: check_built,
        pause: 0,
    },
    Job {
        name: "export to JSON Lines",
        args: &["export", SMALL, "--sample", "6000", "--solution", "one", "-o", "{}/out/x.jsonl", "--store", "{right}"],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.jsonl", "x.jsonl.meta.json"]),
        go_on: |root| export(root, "x.jsonl", ExportFormat::Jsonl, vec![Column::Solution], 6000, None),
        check_end: |root| check_exported(root, &["x.jsonl", "x.jsonl.meta.json"]),
        pause: 0,
    },
    Job {
        name: "export to Parquet",
        args: &[
            "export",
            SMALL,
            "--sample",
            "7000",
            "--solution",
            "all",
            "--limit",
            "1",
            "-o",
            "{}/out/x.parquet",
            "--store",
            "{right}",
        ],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.parquet"]),
        go_on: |root| export(root, "x.parquet", ExportFormat::Parquet, vec![Column::Solutions], 7000, Some(1)),
        check_end: |root| check_exported(root, &["x.parquet"]),
        pause: 150,
    },
    Job {
        name: "export --raw",
        args: &["export", SMALL, "--raw", "-o", "{}/out/x.twraw", "--store", "{right}"],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.twraw"]),
        go_on: export_raw,
        check_end: |root| check_exported(root, &["x.twraw"]),
        pause: 5,
    },
    Job {
        name: "export shapes",
        args: &["export", "shapes", "-o", "{}/out/x.json", "--store", "{right}"],
        prepare: make_out,
        check: |root, said| check_export(root, said, &["x.json"]),
        go_on: |root| {
            let path = root.join(OUT).join("x.json");
            if !path.exists() {
                succeed(RIGHT.folder(), &["export", "shapes", "-o", path.to_str().expect("text")]);
            }
        },
        check_end: |root| check_exported(root, &["x.json"]),
        pause: 0,
    },
    Job {
        name: "coset merge",
        args: &["coset", "merge", KEPT_SHARDS, "--json", "--store", "{}/new/store"],
        prepare: nothing,
        check: check_results,
        go_on: merge,
        check_end: check_merged,
        pause: 0,
    },
    Job {
        name: "coset run",
        args: &[
            "coset",
            "run",
            "--range",
            "1000..1003",
            "-S",
            "11",
            "-d",
            "11",
            "--mode",
            "set",
            "--cache",
            "off",
            "--json",
            "--store",
            "{}/new/store",
        ],
        prepare: link_phase1,
        check: check_solved,
        go_on: keep_solved,
        check_end: check_all_solved,
        pause: 0,
    },
    Job {
        name: "farm work",
        args: &["farm", "work", "{}/farm", "--cache", "off", "--json", "--store", "{right}"],
        prepare: copy_plan,
        check: check_shards,
        go_on: work,
        check_end: check_all_shards,
        pause: 0,
    },
    Job {
        name: "coset --checkpoint",
        args: &[
            "coset",
            "F1R1U2",
            "-S",
            "5",
            "-d",
            "5",
            "--mode",
            "bitmap",
            "--checkpoint",
            "--checkpoint-every",
            "0",
            "--cache",
            "off",
            "--store",
            "{}/new/store",
        ],
        prepare: link_phase1,
        check: check_checkpoint,
        go_on: solve_from_checkpoint,
        check_end: |root| {
            check_checkpoint(root, "coset ");
            assert_eq!(files(&root.join(STORE)), [Path::new("cosets.redb"), Path::new("phase1.redb")]);
        },
        pause: 0,
    },
    Job {
        name: SOLVE,
        args: &[
            "solve",
            "cube3",
            "-",
            "--method",
            "optimal",
            "--table",
            "phase1",
            "--cache",
            "off",
            "--results",
            "{}/out/x.jsonl",
            "--json",
            "--store",
            "{right}",
        ],
        prepare: make_out,
        check: check_answers,
        go_on: |root| {
            let ended = Ended::of(job(SOLVE).command(root).output().expect("the program"));
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        },
        check_end: |root| check_answers(root, &RIGHT.answers),
        pause: 300,
    },
];

/// Only the job of this name is disturbed.
const JOB: &str = "TWISTBASE_TEST_JOB";

/// The jobs to disturb: all, or the one that is asked for from outside.
pub fn jobs() -> Vec<&'static Job> {
    match std::env::var(JOB) {
        Ok(name) => vec![job(&name)],
        Err(_) => JOBS.iter().collect(),
    }
}

/// Makes what has to come out. Not in a thread of rayon's pool: while one waits for the others, it would take up another
/// job, which waits for this.
pub fn make_right() {
    LazyLock::force(&RIGHT);
}

/// The job of that name.
fn job(name: &str) -> &'static Job {
    JOBS.iter().find(|job| job.name == name).expect("a job")
}

impl Job {
    /// Makes the files that are there before.
    pub fn prepare(&self, root: &Path) {
        (self.prepare)(root);
    }

    /// The command.
    pub fn command(&self, root: &Path) -> Command {
        let (root, right) = (root.to_str().expect("text"), RIGHT.folder().to_str().expect("text"));
        let args: Vec<String> = self.args.iter().map(|arg| arg.replace("{right}", right).replace("{}", root)).collect();
        let mut command = program(Path::new("/nonexistent"), &args.iter().map(String::as_str).collect::<Vec<_>>());
        let input = match self.name {
            "query" => "questions",
            SOLVE => "scrambles",
            _ => return command,
        };
        command.stdin(Stdio::from(fs::File::open(RIGHT.folder().join(input)).expect("a file")));
        command
    }

    /// What the program had promised before an event: what it had said, if it had said it late enough.
    pub fn promised(&self, recording: &Recording, before: usize) -> String {
        let is_sync = |event: &Event| matches!(event, Event::Sync { .. });
        let event = match self.name {
            SOLVE => recording.events[..before].iter().rposition(is_sync).unwrap_or(0),
            _ => before,
        };
        recording.said(event)
    }
}

/// What has to come out: everything, made without disturbance.
struct Right {
    fixture: Fixture,
    layout: TableLayout,
    rows: Vec<Vec<u8>>,
    digest: String,
    /// The table's file when it was built to a depth, and its rows.
    bounded: (Vec<u8>, Vec<Vec<u8>>),
    /// The table's file with some bits flipped that a few rows are lost by.
    damaged: Vec<u8>,
    cache: BTreeMap<PathBuf, Vec<u8>>,
    questions: Questions,
    exports: BTreeMap<&'static str, Vec<u8>>,
    /// In files that are merged.
    results: Vec<CosetRecord>,
    /// That are found.
    solved: Vec<CosetRecord>,
    phase1: TableBytes,
    /// Of the coset that is solved with a checkpoint.
    checkpointed: CosetRecord,
    /// To the scrambles, a line each.
    answers: String,
}

/// Scrambles whose solution takes next to no time.
const SCRAMBLES: &str = "R U F\nR U F2 D\nL2 D B\nF\nD2 B L U'\nB2 R\n";

static RIGHT: LazyLock<Right> = LazyLock::new(Right::new);

/// The name of the table's file.
const FILE: &str = "square1-corners.redb";

impl Right {
    fn new() -> Self {
        let fixture = small();
        let (dir, layout) = (fixture.path(), *fixture.definition.layout());
        let (table, questions) = (fixture.store().table(&layout).expect("a table"), Questions::new(dir, SMALL, 300));
        let rows = rows(&table);
        fs::write(dir.join("questions"), &questions.lines).expect("room");
        let path = |name: &str| dir.join(name).to_str().expect("text").to_owned();
        succeed(dir, &["export", SMALL, "--raw", "-o", &path("x.twraw")]);
        succeed(dir, &["export", SMALL, "--sample", "6000", "--solution", "one", "-o", &path("x.jsonl")]);
        succeed(
            dir,
            &["export", SMALL, "--sample", "7000", "--solution", "all", "--limit", "1", "-o", &path("x.parquet")],
        );
        succeed(dir, &["export", "shapes", "-o", &path("x.json")]);
        let names = ["x.twraw", "x.jsonl", "x.jsonl.meta.json", "x.parquet", "x.json"];
        let exports = names.map(|name| (name, fs::read(dir.join(name)).expect("an export")));
        let results = kept_results();
        let solved = solve(dir);
        // To the depth of those that are solved: they are compared.
        let args = ["farm", "plan", "cosets", "--range", "1000..1003", "-S", "11", "-d", "11", "--mode", "set"];
        succeed(dir, &[&args[..], &["--shard-items", "2", "--to", &path(FARM)]].concat());
        let phase1 = tables::phase_one(Metric::Htm).layout();
        let phase1 =
            TableBytes::open(&Store::open(dir), phase1, TablePlace::Mapped, CacheMode::Off, &Context::silent())
                .expect("a table");
        let checkpointed = solve_to_five(&phase1, None);
        fs::write(dir.join("scrambles"), SCRAMBLES).expect("room");
        let answers = answers(dir);
        let (damaged, bounded) = (damaged(&fixture), bounded());
        succeed(dir, &["cache", "warm", SMALL]);
        let cached = files(dir).into_iter().filter(|file| file.starts_with("cache"));
        let cache = cached.map(|file| (file.clone(), fs::read(dir.join(file)).expect("a file"))).collect();
        let digest = super::digest(dir, SMALL);
        Self {
            fixture,
            layout,
            rows,
            digest,
            bounded,
            damaged,
            cache,
            questions,
            exports: exports.into(),
            results,
            solved,
            phase1,
            checkpointed,
            answers,
        }
    }

    fn folder(&self) -> &Path {
        self.fixture.path()
    }

    fn table(&self) -> &'static TwistTable {
        self.fixture.definition
    }
}

/// Solves the scrambles.
fn answers(dir: &Path) -> String {
    let args = ["solve", "cube3", "-", "--method", "optimal", "--table", "phase1", "--cache", "off", "--json"];
    let scrambles = fs::File::open(dir.join("scrambles")).expect("a file");
    let ended = Ended::of(program(dir, &args).stdin(Stdio::from(scrambles)).output().expect("the program"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.stdout
}

/// Every row of a table.
fn rows(table: &StoredTable) -> Vec<Vec<u8>> {
    let row = |row| {
        let mut bytes = vec![0; table.layout().row_bytes()];
        table.read_row(row, &mut bytes).map(|()| bytes).expect("a sound row")
    };
    (0..table.layout().rows).map(row).collect()
}

/// The bytes of a table that was built to a depth, and its rows.
fn bounded() -> (Vec<u8>, Vec<Vec<u8>>) {
    let dir = tempfile::tempdir().expect("a folder");
    succeed(dir.path(), &["build", SMALL, "--depth", "6"]);
    let layout = tables::find(SMALL).expect("a table").layout();
    let table = Store::open(dir.path()).table_to_depth(layout).expect("a table");
    (fs::read(dir.path().join(FILE)).expect("a file"), rows(&table))
}

/// The bytes of a table that has lost a few rows.
fn damaged(fixture: &Fixture) -> Vec<u8> {
    let copy = super::copy_of(fixture.path());
    let file = Victim::new(copy.path().join(FILE));
    let mut numbers = Numbers(12);
    for _ in 0..1000 {
        let (at, bit) = (numbers.below(file.len()), numbers.below(8));
        file.flip(at, bit);
        let found =
            Store::open(copy.path()).table(fixture.definition.layout()).map(|table| super::corruption::faults(&table));
        match found {
            Ok(faults) if faults.iter().all(|fault| fault.row.is_some()) => {
                let rows: std::collections::BTreeSet<_> = faults.iter().map(|fault| fault.row).collect();
                if rows.len() >= 3 {
                    return file.bytes();
                }
            }
            _ => file.flip(at, bit),
        }
    }
    panic!("no flip loses a row")
}

/// The results of the files of an earlier version, in the order of their cosets.
fn kept_results() -> Vec<CosetRecord> {
    let names = files(Path::new(KEPT_SHARDS));
    let texts = names.iter().map(|name| fs::read_to_string(Path::new(KEPT_SHARDS).join(name)).expect("a file"));
    let text: String = texts.collect();
    let results = text.lines().filter(|line| line.starts_with("{\"coset\":"));
    results.map(|line| serde_json::from_str(line).expect("a result")).collect()
}

/// Solves a few cosets to a small depth.
fn solve(dir: &Path) -> Vec<CosetRecord> {
    let phase1 = tables::find("phase1").expect("a table");
    symlink(CUBE3.with(&[phase1]).dir().join("phase1.redb"), dir.join("phase1.redb")).expect("a link");
    let dir = dir.to_str().expect("text");
    let args = job("coset run").args.iter().map(|arg| arg.replace("{}/new/store", dir)).collect::<Vec<_>>();
    succeed(Path::new(dir), &args.iter().map(String::as_str).collect::<Vec<_>>());
    let results = CosetResults::open(dir);
    let solved = all_of(&results).expect("a sound file");
    fs::remove_file(results.path()).expect("a file");
    assert_eq!(solved.len(), 3);
    solved
}

/// All results of a file.
fn all_of(results: &CosetResults) -> Result<Vec<CosetRecord>, Error> {
    results.iter().collect()
}

fn store(root: &Path) -> Store {
    Store::open(root.join(STORE))
}

fn nothing(_: &Path) {}

fn make_out(root: &Path) {
    fs::create_dir(root.join(OUT)).expect("a folder");
}

fn put_table(root: &Path, bytes: &[u8]) {
    fs::create_dir_all(root.join(STORE)).expect("a folder");
    fs::write(root.join(STORE).join(FILE), bytes).expect("room");
}

fn copy_table(root: &Path) {
    put_table(root, &fs::read(RIGHT.folder().join(FILE)).expect("a table"));
}

fn copy_damaged_table(root: &Path) {
    put_table(root, &RIGHT.damaged);
}

/// Whether a table is there. All that it answers is right; what it does not is reported with what to run.
fn check_table(root: &Path, mut may_be_lost: impl FnMut(&Error) -> bool) -> bool {
    let mut refused = |error: &Error| {
        assert_eq!(error.class(), Class::Data, "{error}");
        let Error::Data(fault) = error else { panic!("{error}") };
        assert!(!fault.remedy.to_string().is_empty(), "{error}");
        assert!(may_be_lost(error), "{error}");
    };
    let table = match store(root).table(&RIGHT.layout) {
        Ok(table) => table,
        Err(error) => {
            refused(&error);
            return false;
        }
    };
    let mut bytes = vec![0; RIGHT.layout.row_bytes()];
    for (row, right) in (0..).zip(&RIGHT.rows) {
        match table.read_row(row, &mut bytes) {
            Ok(()) => assert!(bytes == *right, "a wrong answer in row {row}"),
            Err(error) => refused(&error),
        }
    }
    true
}

/// A table of which nothing was there before.
fn check_new_table(root: &Path, said: &str) {
    let is_unfinished =
        |error: &Error| matches!(error, Error::Data(data) if matches!(data.fault, Fault::Missing | Fault::Unfinished));
    let is_there = check_table(root, is_unfinished);
    assert!(is_there || said.is_empty(), "lost, after the program said: {said}");
}

/// A table that is replaced: the old one or the new one is there.
fn check_old_or_new_table(root: &Path, said: &str) {
    assert!(check_table(root, |_| false), "the old table is lost");
    let generation = store(root).table(&RIGHT.layout).expect("it was there").manifest().generation;
    assert!(generation >= if said.is_empty() { 1 } else { 2 }, "lost, after the program said: {said}");
}

/// A table that is continued: it is as it was, or complete; it is complete after the program said so.
fn check_bounded_or_complete_table(root: &Path, said: &str) {
    let table = store(root).table_to_depth(&RIGHT.layout).expect("the bounded table, or the complete one");
    assert!(said.is_empty() || table.depth().is_none(), "lost, after the program said: {said}");
    let must = if table.depth().is_some() { &RIGHT.bounded.1 } else { &RIGHT.rows };
    assert!(rows(&table) == *must, "a wrong answer");
}

/// A damaged table that is replaced by a sound one.
fn check_damaged_table(root: &Path, said: &str) {
    let is_lost_row = |error: &Error| matches!(error, Error::Data(data) if data.row.is_some()) && said.is_empty();
    assert!(check_table(root, is_lost_row), "the damaged table is lost");
}

fn request(force: bool) -> BuildRequest {
    BuildRequest { depth: None, force, memory: 1 << 30, kernel: Kernel::detect() }
}

fn build(root: &Path, force: bool) {
    tables::build(&store(root), RIGHT.table(), &request(force), &Context::silent()).expect("room");
}

fn rebuild(root: &Path) {
    let (store, ctx) = (store(root), Context::silent());
    let plan = tables::plan(&store, RIGHT.table(), 1 << 30, &ctx).expect("a table");
    tables::rebuild(&store, RIGHT.table(), &plan, &request(false), &ctx).expect("room");
}

fn import(root: &Path) {
    export::import_raw(&store(root), &RIGHT.folder().join("x.twraw"), false, &Context::silent()).expect("a sound file");
}

/// The table is complete and right, and nothing else is there.
fn check_built(root: &Path) {
    assert!(check_table(root, |_| false));
    let table = store(root).table(&RIGHT.layout).expect("it was there");
    assert_eq!(table.manifest().digest, RIGHT.digest);
    assert!(super::corruption::faults(&table).is_empty());
    assert_eq!(files(&root.join(STORE)), [Path::new(FILE)]);
}

/// Whatever there is of a cache, nothing is answered wrongly, and no entry is without answer.
fn check_cache(root: &Path, _: &str) {
    let table = CachedTable::open(&store(root), &RIGHT.layout, CacheMode::ReadOnly).expect("the table was there");
    for (row, right) in (0..).zip(&RIGHT.rows) {
        match table.mapped_unit(row) {
            Some(bytes) => assert!(bytes == *right, "a wrong answer in row {row}"),
            None => assert_eq!(table.get(row, 7).expect("an answer"), RIGHT.layout.packing.get(right, 7).expect("one")),
        }
    }
}

fn warm(root: &Path) {
    let table = CachedTable::open(&store(root), &RIGHT.layout, CacheMode::OnDemand).expect("the table was there");
    table.warm(&Context::silent()).expect("room");
}

/// All of the cache is there and as it must be, and no temporary file is.
fn check_warm(root: &Path) {
    let dir = root.join(STORE);
    let left: Vec<PathBuf> = files(&dir).into_iter().filter(|file| file != Path::new(FILE)).collect();
    assert!(left.iter().eq(RIGHT.cache.keys()), "{left:?}");
    for (file, right) in &RIGHT.cache {
        assert!(fs::read(dir.join(file)).expect("a file") == *right, "{}", file.display());
    }
}

/// What is cached is right, and so are the answers.
fn check_cached_answers(root: &Path) {
    let mut faults = Vec::new();
    cache::verify(&store(root), &RIGHT.layout, &Context::silent(), &mut |fault| faults.push(fault)).expect("a table");
    assert!(faults.is_empty(), "{faults:?}");
    check_cache(root, "");
    RIGHT.questions.check(&root.join(STORE));
}

/// A file that is there is the whole export; one that was told to be there is.
fn check_export(root: &Path, said: &str, names: &[&str]) {
    for name in names {
        match fs::read(root.join(OUT).join(name)) {
            Ok(bytes) => assert!(bytes == RIGHT.exports[name], "{name} is there, and not as it must be"),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
                assert!(said.is_empty(), "{name} is lost, after the program said: {said}");
            }
        }
    }
}

fn check_exported(root: &Path, names: &[&str]) {
    check_export(root, "the end", names);
    assert!(!root.join(OUT).join(format!("{}.part", names[0])).exists());
}

fn export(root: &Path, name: &str, format: ExportFormat, more: Vec<Column>, count: u64, limit: Option<u64>) {
    let path = root.join(OUT).join(name);
    if path.exists() {
        return;
    }
    let columns = [&[Column::Index, Column::Position, Column::Distance], &more[..]].concat();
    let selection = Selection { sample: Some(Sample { count, seed: 0 }), ..Selection::default() };
    let records = export::RecordRequest { columns, selection, limit, ..Default::default() };
    let request = export::ExportRequest { records, format, zstd: false };
    let target = ExportTarget::File { path: &path, force: false };
    export::export(&RIGHT.fixture.store(), RIGHT.table(), &request, None, target, &Context::silent()).expect("room");
}

fn export_raw(root: &Path) {
    let path = root.join(OUT).join("x.twraw");
    if !path.exists() {
        export::export_raw(&RIGHT.fixture.store(), RIGHT.table(), &path, false, &Context::silent()).expect("room");
    }
}

/// All results that are there are right, and all are that were told to be.
fn check_results(root: &Path, said: &str) {
    let found = results_in(&root.join(STORE));
    let right = RIGHT.results.iter().map(timeless).collect::<Vec<_>>();
    assert!(found.iter().all(|record| right.contains(record)), "a wrong result");
    let lines = said.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    let told: u64 = lines.map(|line| line["results"].as_u64().expect("a number")).sum();
    assert!(found.len() as u64 >= told, "of {told} results {} are there", found.len());
}

/// The results in a store, without times.
pub fn results_in(dir: &Path) -> Vec<CosetRecord> {
    let found = all_of(&CosetResults::open(dir)).expect("a file that is sound or is not there");
    found.iter().map(timeless).collect()
}

fn merge(root: &Path) {
    let cosets = Database::open(root.join(STORE)).expect("a folder, or nothing").cosets();
    let merged = cosets.merge(&[KEPT_SHARDS.into()], &Context::silent(), &mut |_| Ok(())).expect("room");
    assert!(merged.refused.is_empty(), "{merged:?}");
}

fn link_phase1(root: &Path) {
    fs::create_dir_all(root.join(STORE)).expect("a folder");
    symlink(RIGHT.folder().join("phase1.redb"), root.join(STORE).join("phase1.redb")).expect("a link");
}

/// A result without how long it took and when.
pub fn timeless(record: &CosetRecord) -> CosetRecord {
    let mut record = CosetRecord { seconds: 0.0, finished: 0, threads: 0, ..record.clone() };
    record.levels.iter_mut().for_each(|level| (level.prepass_seconds, level.search_seconds) = (0.0, 0.0));
    record
}

/// Results that were solved are right, and those that were told are among them.
fn check_solved(root: &Path, said: &str) {
    let (found, right) = (results_in(&root.join(STORE)), RIGHT.solved.iter().map(timeless).collect::<Vec<_>>());
    assert!(found.iter().all(|record| right.contains(record)), "a wrong result");
    for line in said.lines() {
        let line: Value = serde_json::from_str(line).expect("an object");
        assert!(found.iter().any(|record| line["coset"] == record.coset), "a coset is lost, after {line} was told");
    }
}

fn keep_solved(root: &Path) {
    CosetResults::open(root.join(STORE))
        .writer(&Context::silent())
        .and_then(|writer| writer.put(&RIGHT.solved))
        .expect("room");
}

fn check_all_solved(root: &Path) {
    assert_eq!(all_of(&CosetResults::open(root.join(STORE))).expect("a sound file").len(), RIGHT.solved.len());
    assert_eq!(files(&root.join(STORE)), [Path::new("cosets.redb"), Path::new("phase1.redb")]);
}

/// The plan of a farm of which nothing has been done.
fn copy_plan(root: &Path) {
    let plan = Path::new(FARM).join("plan.json");
    fs::create_dir_all(root.join(FARM).join("shards/000")).expect("a folder");
    fs::copy(RIGHT.folder().join(&plan), root.join(plan)).expect("a plan");
}

fn farm(root: &Path) -> Farm {
    Farm::open(root.join(FARM)).expect("a plan")
}

/// Every shard that is there is whole, and those that were told to be done are there.
fn check_shards(root: &Path, said: &str) {
    let status = farm(root).status(true, &Context::silent()).expect("a folder");
    assert_eq!((status.damaged, status.running), (Some(0), 0), "{status:?}");
    for line in said.lines() {
        let line: Value = serde_json::from_str(line).expect("an object");
        assert!(!status.to_do.iter().any(|&shard| line["shard"] == shard), "a shard is lost, after {line} was told");
    }
}

fn work(root: &Path) {
    let database = Database::open(RIGHT.folder()).expect("a folder").with_cache(CacheMode::Off);
    farm(root).work(&database, &TaskRequest::default(), &Context::silent(), &mut |_| Ok(())).expect("room");
}

/// What is merged is what one run finds, and nothing of the work is left.
fn check_all_shards(root: &Path) {
    let merged = super::power::folder();
    let database = Database::open(merged.path()).expect("a folder");
    let report = farm(root).merge(&database, &FarmMerge::default(), &Context::silent()).expect("room");
    assert!(report.complete && report.refused.is_empty(), "{report:?}");
    assert_eq!(results_in(merged.path()), RIGHT.solved.iter().map(timeless).collect::<Vec<_>>());
    // What was being written when it ended has a name of its own.
    let is_temporary = |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let left: Vec<_> = files(&root.join(FARM)).into_iter().filter(|file| !is_temporary(file)).collect();
    assert_eq!(left, ["plan.json", "shards/000/0000000.zst", "shards/000/0000001.zst"].map(PathBuf::from));
}

/// Solves a coset to depth 5.
fn solve_to_five(phase1: &TableBytes, checkpoint: Option<CosetCheckpoint>) -> CosetRecord {
    let options =
        CosetOptions { mode: CosetMode::Bitmap, search_depth: 5, depth: 5, checkpoint, ..CosetOptions::default() };
    let representative = wca::parse("F R U2").expect("a sequence").apply(&Cube::SOLVED);
    let mut solver = CosetSolver::new(phase1, options).expect("memory");
    let result = solver.solve(&representative, None, &Context::silent(), &mut |_| Ok(())).expect("a sound checkpoint");
    CosetRecord::new(CosetOfH::of(&representative), &result, solver.options(), false, Duration::ZERO)
}

fn checkpoint(root: &Path) -> CosetCheckpoint {
    CosetCheckpoint { folder: root.join(STORE), every: Duration::ZERO }
}

/// The result is there, or a checkpoint of the levels before the one that was told last.
fn check_checkpoint(root: &Path, said: &str) {
    let number = RIGHT.checkpointed.coset;
    if let Some(record) =
        CosetResults::open(root.join(STORE)).get(number).expect("a file that is sound or is not there")
    {
        assert_eq!(timeless(&record), timeless(&RIGHT.checkpointed));
        return;
    }
    assert!(!said.lines().any(|line| line.starts_with("coset ")), "the result is lost, after the program said: {said}");
    let told = said.lines().filter(|line| line.trim_start().starts_with(char::is_numeric)).count();
    let file = checkpoint(root).file(CosetOfH::from_number(number).expect("a coset"));
    let levels = match fs::read(&file) {
        Err(_) => 0,
        Ok(bytes) => {
            // As `schema/coset-checkpoint.md` says.
            const STATE: usize = 16 + 4 + 32 + 4;
            let length = u32::from_le_bytes(bytes[STATE - 4..STATE].try_into().expect("four bytes")) as usize;
            let state: Value = serde_json::from_slice(&bytes[STATE..][..length]).expect("an object");
            state["levels"].as_array().expect("a list").len()
        }
    };
    assert!(levels + 1 >= told, "{levels} levels are left, after the program said: {said}");
}

fn solve_from_checkpoint(root: &Path) {
    let checkpoint = checkpoint(root);
    let record = solve_to_five(&RIGHT.phase1, Some(checkpoint.clone()));
    CosetResults::open(root.join(STORE))
        .writer(&Context::silent())
        .and_then(|writer| writer.put(&[record]))
        .expect("room");
    checkpoint.remove(CosetOfH::from_number(RIGHT.checkpointed.coset).expect("a coset")).expect("a folder");
}

/// An answer without how long it took, and the hash that tells so.
fn timeless_answer(line: &str) -> Value {
    let mut answer: Value = serde_json::from_str(line).expect("an object");
    let object = answer.as_object_mut().expect("an object");
    object.retain(|name, _| !["seconds", "nodes", "look_ups", "blake3"].contains(&name.as_str()));
    answer
}

/// All answers that are there are right, and all are that were promised to be.
fn check_answers(root: &Path, said: &str) {
    let bytes = fs::read(root.join(OUT).join("x.jsonl")).unwrap_or_default();
    // Zeros are what was not brought to the disk, and a line without end was not written to its end.
    let sound = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let whole = bytes[..sound].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let answers = |text: &str| text.lines().map(timeless_answer).collect::<Vec<_>>();
    let (found, right) = (answers(std::str::from_utf8(&bytes[..whole]).expect("text")), answers(&RIGHT.answers));
    assert!(found.iter().all(|answer| right.contains(answer)), "a wrong answer in {found:?}");
    assert!(
        answers(said).iter().all(|answer| found.contains(answer)),
        "an answer is lost, after the program said: {said}"
    );
}

fn check_merged(root: &Path) {
    assert_eq!(results_in(&root.join(STORE)), RIGHT.results.iter().map(timeless).collect::<Vec<_>>());
    assert_eq!(files(&root.join(STORE)), [Path::new("cosets.redb")]);
    let listed = run(&root.join(STORE), &["coset", "list", "--json"]);
    assert_eq!((listed.code, listed.stdout.lines().count()), (Some(0), RIGHT.results.len()), "{}", listed.stderr);
}
