//! What has to come out of the jobs: made once, without disturbance.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;

use twistbase::cache::CacheMode;
use twistbase::context::Context;
use twistbase::cosets::{CosetRecord, CosetResults};
use twistbase::error::Error;
use twistbase::puzzle::cube3::Metric;
use twistbase::solve::TableBytes;
use twistbase::store::{Store, StoredTable, TableLayout};
use twistbase::tables::{self, Definition, TwistTable};

use super::checks::{FARM, solve_to_five};
use super::corruption::Victim;
use super::jobs::job;
use super::{Ended, Numbers, Questions, SMALL, files, program, small, succeed};
use crate::support::cube3::CUBE3;
use crate::support::{Fixture, KEPT_SHARDS};

/// What has to come out: everything, made without disturbance.
pub struct Right {
    pub fixture: Fixture,
    pub layout: TableLayout,
    pub rows: Vec<Vec<u8>>,
    pub digest: String,
    /// The table's file when it was built to a depth, and its rows.
    pub bounded: (Vec<u8>, Vec<Vec<u8>>),
    /// The table's file with some bits flipped that a few rows are lost by.
    pub damaged: Vec<u8>,
    pub cache: BTreeMap<PathBuf, Vec<u8>>,
    pub questions: Questions,
    pub exports: BTreeMap<&'static str, Vec<u8>>,
    /// In files that are merged.
    pub results: Vec<CosetRecord>,
    /// That are found.
    pub solved: Vec<CosetRecord>,
    pub phase1: TableBytes,
    /// Of the coset that is solved with a checkpoint.
    pub checkpointed: CosetRecord,
    /// To the scrambles, a line each.
    pub answers: String,
}

/// Scrambles whose solution takes next to no time.
const SCRAMBLES: &str = "R U F\nR U F2 D\nL2 D B\nF\nD2 B L U'\nB2 R\n";

pub static RIGHT: LazyLock<Right> = LazyLock::new(Right::new);

/// The name of the table's file.
pub const FILE: &str = "square1-corners.redb";

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
        let phase1 = TableBytes::open(&Store::open(dir), phase1, CacheMode::Off, &Context::silent()).expect("a table");
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

    pub fn folder(&self) -> &Path {
        self.fixture.path()
    }

    pub fn table(&self) -> &'static TwistTable {
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
pub fn rows(table: &StoredTable) -> Vec<Vec<u8>> {
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
    symlink(CUBE3.with(&[phase1]).dir().expect("a folder").join("phase1.redb"), dir.join("phase1.redb"))
        .expect("a link");
    let dir = dir.to_str().expect("text");
    let args = job("coset run").args.iter().map(|arg| arg.replace("{}/new/store", dir)).collect::<Vec<_>>();
    succeed(Path::new(dir), &args.iter().map(String::as_str).collect::<Vec<_>>());
    let results = CosetResults::open(dir);
    let solved = all_of(&results).expect("a sound file");
    fs::remove_file(results.path().expect("a folder")).expect("a file");
    assert_eq!(solved.len(), 3);
    solved
}

/// All results of a file.
pub fn all_of(results: &CosetResults) -> Result<Vec<CosetRecord>, Error> {
    results.iter().collect()
}
