//! What the files of the jobs are before, what has to hold of them whenever a job ends, and how it is gone on with.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use twistbase::cache::{self, CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::cosets::{CosetRecord, CosetResults};
use twistbase::error::{Class, Error, Fault};
use twistbase::export::{self, Column, ExportFormat, ExportTarget, Sample, Selection};
use twistbase::farm::{Farm, FarmMerge, TaskRequest};
use twistbase::puzzle::cube3::Cube;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::notation::wca;
use twistbase::solve::{CosetCheckpoint, CosetMode, CosetOptions, CosetSolver, TableBytes};
use twistbase::store::{Entries, Store};
use twistbase::tables::{self, BuildRequest};
use twistbase::{Database, Kernel};

use super::right::{FILE, RIGHT, all_of, rows};
use super::{files, run};
use crate::support::KEPT_SHARDS;

/// Where the jobs have the store below their folder, if they make or change one. The folder above is new as well.
pub const STORE: &str = "new/store";
/// Where they export to.
pub const OUT: &str = "out";
/// The farm that they work on, below their folder.
pub const FARM: &str = "farm";

pub fn store(root: &Path) -> Store {
    Store::open(root.join(STORE))
}

pub fn nothing(_: &Path) {}

pub fn make_out(root: &Path) {
    fs::create_dir(root.join(OUT)).expect("a folder");
}

pub fn put_table(root: &Path, bytes: &[u8]) {
    fs::create_dir_all(root.join(STORE)).expect("a folder");
    fs::write(root.join(STORE).join(FILE), bytes).expect("room");
}

pub fn copy_table(root: &Path) {
    put_table(root, &fs::read(RIGHT.folder().join(FILE)).expect("a table"));
}

pub fn copy_damaged_table(root: &Path) {
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
pub fn check_new_table(root: &Path, said: &str) {
    let is_unfinished =
        |error: &Error| matches!(error, Error::Data(data) if matches!(data.fault, Fault::Missing | Fault::Unfinished));
    let is_there = check_table(root, is_unfinished);
    assert!(is_there || said.is_empty(), "lost, after the program said: {said}");
}

/// A table that is replaced: the old one or the new one is there.
pub fn check_old_or_new_table(root: &Path, said: &str) {
    assert!(check_table(root, |_| false), "the old table is lost");
    let generation = store(root).table(&RIGHT.layout).expect("it was there").manifest().generation;
    assert!(generation >= if said.is_empty() { 1 } else { 2 }, "lost, after the program said: {said}");
}

/// A table that is continued: it is as it was, or complete; it is complete after the program said so.
pub fn check_bounded_or_complete_table(root: &Path, said: &str) {
    let table = store(root).table_to_depth(&RIGHT.layout).expect("the bounded table, or the complete one");
    assert!(said.is_empty() || table.depth().is_none(), "lost, after the program said: {said}");
    let must = if table.depth().is_some() { &RIGHT.bounded.1 } else { &RIGHT.rows };
    assert!(rows(&table) == *must, "a wrong answer");
}

/// A damaged table that is replaced by a sound one.
pub fn check_damaged_table(root: &Path, said: &str) {
    let is_done = !said.is_empty() && !said.contains("left unchanged");
    let is_lost_row = |error: &Error| matches!(error, Error::Data(data) if data.row.is_some()) && !is_done;
    assert!(check_table(root, is_lost_row), "the damaged table is lost");
}

fn request(force: bool) -> BuildRequest {
    BuildRequest { depth: None, force, memory: 1 << 30, kernel: Kernel::detect() }
}

pub fn build(root: &Path, force: bool) {
    tables::build(&store(root), RIGHT.table(), &request(force), &Context::silent()).expect("room");
}

pub fn rebuild(root: &Path) {
    let (store, ctx) = (store(root), Context::silent());
    let plan = tables::plan(&store, RIGHT.table(), 1 << 30, &ctx).expect("a table");
    tables::rebuild(&store, RIGHT.table(), &plan, &request(false), &ctx).expect("room");
}

pub fn import(root: &Path) {
    export::import_raw(&store(root), &RIGHT.folder().join("x.twraw"), false, &Context::silent()).expect("a sound file");
}

/// The table is complete and right, and nothing else is there.
pub fn check_built(root: &Path) {
    assert!(check_table(root, |_| false));
    let table = store(root).table(&RIGHT.layout).expect("it was there");
    assert_eq!(table.manifest().digest, RIGHT.digest);
    assert!(super::corruption::faults(&table).is_empty());
    assert_eq!(files(&root.join(STORE)), [Path::new(FILE)]);
}

/// Whatever there is of a cache, nothing is answered wrongly, and no entry is without answer.
pub fn check_cache(root: &Path, _: &str) {
    let table = CachedTable::open(&store(root), &RIGHT.layout, CacheMode::ReadOnly).expect("the table was there");
    let mut buffer = Vec::new();
    for (row, right) in (0..).zip(&RIGHT.rows) {
        for (page, right) in (0..).zip(right.chunks(RIGHT.layout.page_bytes())) {
            assert!(table.page(row, page, &mut buffer).expect("an answer") == right, "a wrong answer in row {row}");
        }
    }
}

pub fn warm(root: &Path) {
    let table = CachedTable::open(&store(root), &RIGHT.layout, CacheMode::OnDemand).expect("the table was there");
    table.warm(&Context::silent()).expect("room");
}

/// All of the cache is there and as it must be, and no temporary file is.
pub fn check_warm(root: &Path) {
    let dir = root.join(STORE);
    let left: Vec<PathBuf> = files(&dir).into_iter().filter(|file| file != Path::new(FILE)).collect();
    assert!(left.iter().eq(RIGHT.cache.keys()), "{left:?}");
    for (file, right) in &RIGHT.cache {
        assert!(fs::read(dir.join(file)).expect("a file") == *right, "{}", file.display());
    }
}

/// What is cached is right, and so are the answers.
pub fn check_cached_answers(root: &Path) {
    let mut faults = Vec::new();
    cache::verify(&store(root), &RIGHT.layout, &Context::silent(), &mut |fault| faults.push(fault)).expect("a table");
    assert!(faults.is_empty(), "{faults:?}");
    check_cache(root, "");
    RIGHT.questions.check(&root.join(STORE));
}

/// A file that is there is the whole export; one that was told to be there is.
pub fn check_export(root: &Path, said: &str, names: &[&str]) {
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

pub fn check_exported(root: &Path, names: &[&str]) {
    check_export(root, "the end", names);
    assert!(!root.join(OUT).join(format!("{}.part", names[0])).exists());
}

pub fn export(root: &Path, name: &str, format: ExportFormat, more: Vec<Column>, count: u64, limit: Option<u64>) {
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

pub fn export_raw(root: &Path) {
    let path = root.join(OUT).join("x.twraw");
    if !path.exists() {
        export::export_raw(&RIGHT.fixture.store(), RIGHT.table(), &path, false, &Context::silent()).expect("room");
    }
}

/// All results that are there are right, and all are that were told to be.
pub fn check_results(root: &Path, said: &str) {
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

pub fn merge(root: &Path) {
    let cosets = Database::open(root.join(STORE)).expect("a folder, or nothing").cosets();
    let merged = cosets.merge(&[KEPT_SHARDS.into()], &Context::silent(), &mut |_| Ok(())).expect("room");
    assert!(merged.refused.is_empty(), "{merged:?}");
}

pub fn link_phase1(root: &Path) {
    fs::create_dir_all(root.join(STORE)).expect("a folder");
    symlink(RIGHT.folder().join("phase1.redb"), root.join(STORE).join("phase1.redb")).expect("a link");
}

/// A result without how long it took and when.
fn timeless(record: &CosetRecord) -> CosetRecord {
    let mut record = CosetRecord { seconds: 0.0, finished: 0, threads: 0, ..record.clone() };
    record.levels.iter_mut().for_each(|level| (level.prepass_seconds, level.search_seconds) = (0.0, 0.0));
    record
}

/// Results that were solved are right, and those that were told are among them.
pub fn check_solved(root: &Path, said: &str) {
    let (found, right) = (results_in(&root.join(STORE)), RIGHT.solved.iter().map(timeless).collect::<Vec<_>>());
    assert!(found.iter().all(|record| right.contains(record)), "a wrong result");
    for line in said.lines() {
        let line: Value = serde_json::from_str(line).expect("an object");
        assert!(found.iter().any(|record| line["coset"] == record.coset), "a coset is lost, after {line} was told");
    }
}

pub fn keep_solved(root: &Path) {
    CosetResults::open(root.join(STORE))
        .writer(&Context::silent())
        .and_then(|writer| writer.put(&RIGHT.solved))
        .expect("room");
}

pub fn check_all_solved(root: &Path) {
    assert_eq!(all_of(&CosetResults::open(root.join(STORE))).expect("a sound file").len(), RIGHT.solved.len());
    assert_eq!(files(&root.join(STORE)), [Path::new("cosets.redb"), Path::new("phase1.redb")]);
}

/// The plan of a farm of which nothing has been done.
pub fn copy_plan(root: &Path) {
    let plan = Path::new(FARM).join("plan.json");
    fs::create_dir_all(root.join(FARM).join("shards/000")).expect("a folder");
    fs::copy(RIGHT.folder().join(&plan), root.join(plan)).expect("a plan");
}

pub fn farm(root: &Path) -> Farm {
    Farm::open(root.join(FARM)).expect("a plan")
}

/// Every shard that is there is whole, and those that were told to be done are there.
pub fn check_shards(root: &Path, said: &str) {
    let status = farm(root).status(true, &Context::silent()).expect("a folder");
    assert_eq!((status.damaged, status.running), (Some(0), 0), "{status:?}");
    for line in said.lines() {
        let line: Value = serde_json::from_str(line).expect("an object");
        assert!(!status.to_do.iter().any(|&shard| line["shard"] == shard), "a shard is lost, after {line} was told");
    }
}

pub fn work(root: &Path) {
    let database = Database::open(RIGHT.folder()).expect("a folder").with_cache(CacheMode::Off);
    farm(root).work(&database, &TaskRequest::default(), &Context::silent(), &mut |_| Ok(())).expect("room");
}

/// What is merged is what one run finds, and nothing of the work is left.
pub fn check_all_shards(root: &Path) {
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
pub fn solve_to_five(phase1: &TableBytes, checkpoint: Option<CosetCheckpoint>) -> CosetRecord {
    let options =
        CosetOptions { mode: CosetMode::Bitmap, search_depth: 5, depth: 5, checkpoint, ..CosetOptions::default() };
    let representative = wca::parse("F R U2").expect("a sequence").apply(&Cube::SOLVED);
    let mut solver = CosetSolver::new(phase1, options).expect("memory");
    let result = solver.solve(&representative, None, &Context::silent(), &mut |_| Ok(())).expect("a sound checkpoint");
    CosetRecord::new(CosetOfH::of(&representative), &result, solver.options(), false, Duration::ZERO)
}

pub fn checkpoint(root: &Path) -> CosetCheckpoint {
    CosetCheckpoint { folder: root.join(STORE), every: Duration::ZERO }
}

/// The result is there, or a checkpoint of the levels before the one that was told last.
pub fn check_checkpoint(root: &Path, said: &str) {
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

pub fn solve_from_checkpoint(root: &Path) {
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
pub fn check_answers(root: &Path, said: &str) {
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

pub fn check_merged(root: &Path) {
    assert_eq!(results_in(&root.join(STORE)), RIGHT.results.iter().map(timeless).collect::<Vec<_>>());
    assert_eq!(files(&root.join(STORE)), [Path::new("cosets.redb")]);
    let listed = run(&root.join(STORE), &["coset", "list", "--json"]);
    assert_eq!((listed.code, listed.stdout.lines().count()), (Some(0), RIGHT.results.len()), "{}", listed.stderr);
}
