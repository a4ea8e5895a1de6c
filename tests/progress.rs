//! What long work tells of how far it is: stages that come to their ends, and no farther.

use std::sync::{Arc, Mutex};

use twistbase::context::Progress;
use twistbase::database::StoreItem;
use twistbase::export::{ExportFormat, ExportRequest, RecordRequest, Sample, Selection};
use twistbase::query::DeepRequest;
use twistbase::tables::BuildRequest;
use twistbase::{Context, Database, Error, Kernel, TableId};

use crate::support::cancelling::cancelled_after;

/// A stage: its name, how long it said it would be, and how far it came.
#[derive(Debug, Clone, PartialEq)]
struct Stage {
    name: String,
    total: u64,
    done: u64,
}

/// The stages of some work, and whether it said that it had ended.
#[derive(Default)]
struct Stages(Mutex<(Vec<Stage>, bool)>);

impl Progress for Stages {
    fn begin(&self, stage: &str, total: u64, _unit: &str) {
        let (stages, ended) = &mut *self.0.lock().expect("no panic");
        stages.push(Stage { name: stage.to_owned(), total, done: 0 });
        *ended = false;
    }

    fn advance(&self, count: u64) {
        let (stages, ended) = &mut *self.0.lock().expect("no panic");
        assert!(!*ended, "nothing goes on after the end: {stages:?}");
        stages.last_mut().expect("a stage has begun").done += count;
    }

    fn note(&self, _line: &str) {}

    fn end(&self) {
        self.0.lock().expect("no panic").1 = true;
    }
}

/// The stages that work went through, every one to its end.
fn stages_of<T>(work: impl FnOnce(&Context) -> twistbase::error::Result<T>) -> Vec<String> {
    let stages = Arc::new(Stages::default());
    let ctx = Context::new(Arc::default(), Arc::<Stages>::clone(&stages));
    work(&ctx).expect("work that is done");
    let (stages, ended) = &*stages.0.lock().expect("no panic");
    assert!(*ended, "{stages:?}");
    for Stage { name, total, done } in stages {
        assert!(*total > 0 && total == done, "{name}: {done} of {total}");
    }
    stages.iter().map(|stage| stage.name.clone()).collect()
}

#[test]
fn every_stage_comes_to_its_end() {
    let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let database = Database::open(folder.path()).expect("a folder");
    for name in ["square1-corners", "cube2"] {
        let table: TableId = name.parse().expect("a table");
        let stages = stages_of(|ctx| database.build(table, &BuildRequest::default(), ctx));
        assert!(stages.len() > 3 && stages.last().is_some_and(|last| last == "store"), "{stages:?}");
        let verified = stages_of(|ctx| database.verify(StoreItem::Table(table), None, ctx));
        assert_eq!(verified[0], format!("verifying {name}"));
        let deep = DeepRequest { rows: Some(3), positions: 100, seed: 4, memory: 1 << 30, kernel: Kernel::detect() };
        let deeply = stages_of(|ctx| database.verify(StoreItem::Table(table), Some(&deep), ctx));
        assert!(deeply.len() > verified.len() && deeply[0] == verified[0], "{deeply:?}");
        assert_eq!(stages_of(|ctx| database.cache_warm(table, ctx)).len(), 1);

        let exporting = format!("exporting {name}");
        let raw = folder.path().join("raw");
        assert_eq!(stages_of(|ctx| database.export_raw(table, &raw, true, ctx)), [&*exporting]);
        let import = stages_of(|ctx| Database::open(other.path())?.import(&raw, true, ctx));
        assert_eq!(import, [format!("checking {name}"), format!("importing {name}")]);
        let levels = Some(vec![1..=4]);
        let sample = Some(Sample { count: 50, seed: 1 });
        let few = Selection { levels, ..Selection::default() };
        for (selection, stages) in
            [(few.clone(), &[&*exporting][..]), (Selection { sample, ..few }, &["counting", &exporting])]
        {
            let records = RecordRequest { selection: selection.clone(), ..RecordRequest::default() };
            let request = ExportRequest { records, format: ExportFormat::Csv, zstd: false };
            let csv = folder.path().join("x.csv");
            assert_eq!(stages_of(|ctx| database.export(table, &request, None, &csv, true, ctx)), stages);
            assert_eq!(stages_of(|ctx| database.select(table, &selection, ctx)), stages);
        }
    }
}

/// Those who go on see how far they were.
#[test]
fn a_continued_export_comes_to_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::open(folder.path()).expect("a folder");
    let table: TableId = "cube2".parse().expect("a table");
    database.build(table, &BuildRequest::default(), &Context::silent()).expect("a table");
    for (name, sample) in [("all.csv", None), ("some.csv", Some(Sample { count: 3_000_000, seed: 1 }))] {
        let file = folder.path().join(name);
        let selection = Selection { sample, ..Selection::default() };
        let records = RecordRequest { selection, ..RecordRequest::default() };
        let request = ExportRequest { records, format: ExportFormat::Csv, zstd: false };
        let stopping = cancelled_after("exporting cube2", 100_000);
        // More threads would have all of it in hand before the first part is written.
        let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        let stopped = threads.install(|| database.export(table, &request, None, &file, false, &stopping));
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        let mut resumed = 0;
        stages_of(|ctx| {
            database.export(table, &request, None, &file, false, ctx).map(|report| resumed = report.resumed)
        });
        assert!(resumed > 0);
    }
}
