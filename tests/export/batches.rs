//! Records in batches against the same records as JSON Lines.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use twistbase::context::Silent;
use twistbase::export::{
    Column, ExportFormat, ExportRequest, Fields, PositionLines, RecordBatch, RecordRequest, Sample, Selection, Texts,
};
use twistbase::{Context, Database, Error, TableId};

use super::{Bench, objects};
use crate::faults::SMALL;
use crate::support::CUBE3;

fn table(name: &str) -> TableId {
    name.parse().unwrap()
}

/// What lies between the ends.
fn parts(ends: &[usize]) -> impl Iterator<Item = Range<usize>> {
    std::iter::once(0).chain(ends.iter().copied()).zip(ends).map(|(start, &end)| start..end)
}

/// Texts, one by one.
fn each(texts: Texts) -> Vec<Value> {
    let (text, ends) = texts.into_parts();
    parts(&ends).map(|part| text[part].into()).collect()
}

/// The fields of a column as JSON Lines have them.
fn fields(column: Fields) -> Vec<Value> {
    match column {
        Fields::Long(numbers) => numbers.into_iter().map(Value::from).collect(),
        Fields::Word(numbers) => numbers.into_iter().map(Value::from).collect(),
        Fields::Byte(numbers) => numbers.into_iter().map(Value::from).collect(),
        Fields::Text(texts) => each(texts),
        Fields::Texts(texts, ends) => {
            let texts = each(texts);
            parts(&ends).map(|part| texts[part].into()).collect()
        }
    }
}

fn records_of(batch: RecordBatch) -> Vec<Value> {
    let mut records = vec![Map::new(); batch.records];
    for (column, values) in batch.columns {
        let values = fields(values);
        assert_eq!(values.len(), records.len());
        for (record, value) in records.iter_mut().zip(values) {
            record.insert(column.name().to_owned(), value);
        }
    }
    records.into_iter().map(Value::Object).collect()
}

fn lines(texts: Vec<String>) -> PositionLines<'static> {
    let mut chunks = texts.chunks(1000).map(<[String]>::to_vec).collect::<Vec<_>>().into_iter();
    PositionLines::new(move || Ok(chunks.next()))
}

/// Compares the batches of a request with its JSON Lines; returns how many records and batches there are.
fn compare(database: &Database, name: &str, records: RecordRequest, given: Option<Vec<String>>) -> (usize, usize) {
    let (ctx, folder) = (Context::silent(), tempfile::tempdir().unwrap());
    let batches = database.record_batches(table(name), &records, given.clone().map(lines), None, &ctx).unwrap();
    let (columns, metadata) = (batches.columns().to_vec(), batches.metadata().to_owned());
    let batches: Vec<RecordBatch> = batches.map(|batch| batch.unwrap()).collect();
    for batch in &batches {
        assert!(batch.records > 0 && batch.columns.iter().map(|(column, _)| *column).eq(columns.iter().copied()));
    }
    let count = batches.len();
    let found: Vec<Value> = batches.into_iter().flat_map(records_of).collect();
    let file = folder.path().join("records.jsonl");
    let request = ExportRequest { records, format: ExportFormat::Jsonl, zstd: false };
    database.export(table(name), &request, given.map(lines).as_mut(), &file, false, &ctx).unwrap();
    let expected = objects(&std::fs::read(&file).unwrap());
    assert!(found == expected, "{name}");
    let beside = std::fs::read(folder.path().join("records.jsonl.meta.json")).unwrap();
    let mut beside: Map<String, Value> = serde_json::from_slice(&beside).unwrap();
    beside.insert("format".to_owned(), "arrow".into());
    assert_eq!(beside.remove("records"), Some(found.len().into()));
    let metadata: Map<String, Value> = serde_json::from_str(&metadata).unwrap();
    assert_eq!(metadata, beside);
    assert!(crate::cli::schemas::validator("export-metadata").is_valid(&Value::Object(metadata)));
    (found.len(), count)
}

#[test]
#[ignore = "long suite: 85,000 records, and a wait"]
fn batches_hold_the_records_of_json_lines() {
    let bench = Bench::new();
    let small = Database::open(bench.store()).unwrap();
    let all: Vec<Column> = Column::ALL.into_iter().filter(|&column| column != Column::Bound).collect();
    let sample = |count| Selection { sample: Some(Sample { count, seed: 4 }), ..Selection::default() };
    let request = |columns: &[Column], selection, limit| RecordRequest {
        columns: columns.to_vec(),
        selection,
        limit,
        ..RecordRequest::default()
    };
    assert_eq!(compare(&small, SMALL, request(&all, sample(5000), None), None).0, 5000);
    assert_eq!(compare(&small, SMALL, request(&all, sample(100), Some(2)), None).0, 100);
    let near = Selection { levels: Some(vec![0..=2, 8..=8]), rows: Some(vec![0..=20]), sample: None };
    assert!(compare(&small, SMALL, request(&[], near.clone(), None), None).0 > 0);
    let rows = Selection { rows: Some(vec![0..=40]), ..Selection::default() };
    let (records, batches) = compare(&small, SMALL, request(&[], rows, None), None);
    assert!(records == 41 * 40_320 && batches > 5, "{batches}");
    // Nothing at all.
    let none = Selection { levels: Some(vec![20..=20]), ..Selection::default() };
    assert_eq!(compare(&small, SMALL, request(&[], none, None), None), (0, 0));
    // Positions that are given, in their order.
    let given: Vec<String> = (0..9000).map(|number| format!("index:{}", number * 17)).collect();
    assert_eq!(compare(&small, SMALL, request(&all, Selection::default(), None), Some(given.clone())).0, 9000);
    assert!(compare(&small, SMALL, request(&[], near, None), Some(given)).0 > 0);
    let cube = Database::open(CUBE3.as_path()).unwrap();
    let bounds = [Column::Index, Column::Row, Column::Entry, Column::Position, Column::Bound, Column::Value];
    for name in ["phase1", "phase2"] {
        assert_eq!(compare(&cube, name, request(&bounds, sample(3000), None), None).0, 3000);
    }
}

/// Lines without end, which count how many chunks were asked for.
fn endless(asked: &Arc<AtomicUsize>) -> PositionLines<'static> {
    let asked = Arc::clone(asked);
    PositionLines::new(move || {
        asked.fetch_add(1, Ordering::Relaxed);
        Ok(Some(vec!["/".to_owned(); 1 << 12]))
    })
}

/// Waits for the thread of a reader to let go of what it was given.
fn wait_for_end<T>(held: &Weak<T>) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while held.strong_count() > 0 {
        assert!(Instant::now() < deadline, "the thread has not ended");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[ignore = "long suite: 85,000 records, and a wait"]
fn a_reader_that_is_slow_holds_batches_back_and_one_that_goes_away_ends_them() {
    let bench = Bench::new();
    let small = Database::open(bench.store()).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let held = Arc::downgrade(&asked);
    let request = RecordRequest::default();
    let mut reader =
        small.record_batches(table(SMALL), &request, Some(endless(&asked)), None, &Context::silent()).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().records, 1 << 12);
    // As soon as nothing more is asked for, it is not for want of time.
    let mut before = usize::MAX;
    while before != asked.load(Ordering::Relaxed) {
        before = asked.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(200));
    }
    // A wave that is read, one that waits, one that is made next.
    let most = 3 * 4 * rayon::current_num_threads() + 1;
    assert!(before <= most, "{before} chunks, not {most} at most");
    drop(asked);
    assert!(held.strong_count() > 0);
    drop(reader);
    wait_for_end(&held);
}

#[test]
fn a_context_cancels_the_reader_and_not_the_other_way_round() {
    let bench = Bench::new();
    let small = Database::open(bench.store()).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let ctx = Context::new(Arc::new(AtomicBool::new(false)), Arc::new(Silent));
    let batches = || small.record_batches(table(SMALL), &RecordRequest::default(), Some(endless(&asked)), None, &ctx);
    drop(batches().unwrap());
    assert!(!ctx.is_cancelled());
    let mut reader = batches().unwrap();
    assert!(reader.next().unwrap().is_ok());
    ctx.cancel();
    let error = reader.find_map(twistbase::Result::err).expect("the error that ends it");
    assert!(matches!(error, Error::Interrupted));
    assert!(reader.next().is_none() && reader.next().is_none());
}

#[test]
fn what_is_wrong_with_a_request_is_told_at_once_and_with_a_line_when_it_is_read() {
    let bench = Bench::new();
    let small = Database::open(bench.store()).unwrap();
    let ctx = Context::silent();
    let refused = |name: &str, request: &RecordRequest, lines| match small.record_batches(
        table(name),
        request,
        lines,
        None,
        &ctx,
    ) {
        Err(error) => error,
        Ok(_) => panic!("it was accepted"),
    };
    let bound = RecordRequest { columns: vec![Column::Bound], ..RecordRequest::default() };
    assert!(matches!(refused(SMALL, &bound, None), Error::Usage(_)));
    let limit = RecordRequest { limit: Some(3), ..RecordRequest::default() };
    assert!(matches!(refused(SMALL, &limit, None), Error::Usage(_)));
    assert!(matches!(refused("cube2", &RecordRequest::default(), None), Error::Data(_)));
    let sample = Selection { sample: Some(Sample { count: 1, seed: 0 }), ..Selection::default() };
    let sample = RecordRequest { selection: sample, ..RecordRequest::default() };
    assert!(matches!(refused(SMALL, &sample, Some(lines(vec![]))), Error::Usage(_)));
    let given = lines(vec!["/".to_owned(), "nonsense".to_owned()]);
    let mut reader = small.record_batches(table(SMALL), &RecordRequest::default(), Some(given), None, &ctx).unwrap();
    let error = reader.next().unwrap().unwrap_err();
    assert!(matches!(&error, Error::Invalid(_)) && error.to_string().contains("line 2"), "{error}");
    assert!(reader.next().is_none());
}
