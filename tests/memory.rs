//! A database in memory: it answers as one in a folder does, and another one has none of it.

use std::collections::BTreeMap;

use twistbase::database::{BuildFit, BuildOutcome, StoreItem, TableCondition};
use twistbase::error::{Class, Error, Fault};
use twistbase::export::{ExportFormat, ExportRequest, RecordRequest, Selection};
use twistbase::tables::Plan;
use twistbase::{BuildRequest, Context, Database, Question, RandomRequest, TableId};

/// Three twists from solved.
const NEAR: &str = "(1,0)/(3,3)/(-3,0)/";

fn corners() -> TableId {
    "square1-corners".parse().expect("a table")
}

fn build(database: &Database, request: BuildRequest) -> BuildOutcome {
    database.build(corners(), &request, &Context::silent()).expect("a table").outcome
}

/// What a database says, in text: answers, all solutions, records, random positions, counts, and what verifying comes to.
fn told(database: &Database) -> Vec<String> {
    let (ctx, question) = (Context::silent(), Question::default());
    let puzzle = database.puzzle(corners().name()).expect("a puzzle");
    let answer = puzzle.query(NEAR, &question, &ctx).expect("an answer");
    assert_eq!(answer.distance(), Some(3));
    let mut told = vec![serde_json::to_string(&answer).expect("JSON")];
    let solutions = puzzle.solutions(NEAR, &question, &ctx).expect("solutions");
    told.extend(solutions.map(|solution| solution.expect("a solution").moves().to_owned()));
    let selection = Selection { levels: Some(vec![0..=3]), ..Selection::default() };
    let records = RecordRequest { selection, ..RecordRequest::default() };
    let request = ExportRequest { records, format: ExportFormat::Csv, zstd: false };
    let mut bytes = Vec::new();
    database.export_to(corners(), &request, None, &mut bytes, &ctx).expect("records");
    told.push(String::from_utf8(bytes).expect("text"));
    let drawn = puzzle.random(&RandomRequest::default(), 7).expect("positions").take(5);
    told.extend(drawn.map(|drawn| serde_json::to_string(&drawn).expect("JSON")));
    told.push(serde_json::to_string(&database.stats(corners()).expect("counts")).expect("JSON"));
    let verified = database.verify(StoreItem::Table(corners()), None, &ctx).expect("a table").summary;
    assert!(verified.intact && verified.pages > 0);
    told.push(database.table(corners()).expect("a table").build.expect("a record").digest);
    told
}

#[test]
fn a_database_in_memory_tells_what_one_in_a_folder_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let [stored, database] = [Database::open(folder.path()).expect("a folder"), Database::in_memory()];
    for database in [&stored, &database] {
        assert_eq!(build(database, BuildRequest::default()), BuildOutcome::Built);
    }
    let right = told(&stored);
    assert_eq!(told(&database), right);
    assert_eq!(build(&database, BuildRequest::default()), BuildOutcome::AlreadyComplete);

    // A row that is restored from its neighbours, while somebody reads; then all of them.
    let puzzle = database.puzzle(corners().name()).expect("a puzzle");
    let distance = || puzzle.query(NEAR, &Question::default(), &Context::silent()).expect("an answer").distance();
    assert_eq!(distance(), Some(3));
    let plan = Plan::Restore { rows: BTreeMap::from([(11, "a test".to_owned())]) };
    let done = database.rebuild(corners(), &plan, &BuildRequest::default(), &Context::silent()).expect("a table");
    assert!(done.done && distance() == Some(3));
    assert_eq!(build(&database, BuildRequest { force: true, ..BuildRequest::default() }), BuildOutcome::Built);
    assert_eq!(database.table(corners()).expect("a table").build.expect("a record").generation, 3);
    assert_eq!(told(&database), right);
}

#[test]
fn a_table_in_memory_is_deepened_and_belongs_to_its_database() {
    let database = Database::open(":memory:").expect("a database");
    let clone = database.clone();
    let to_depth = |depth| BuildRequest { depth: Some(depth), ..BuildRequest::default() };
    assert_eq!(build(&database, to_depth(3)), BuildOutcome::Built);
    assert_eq!(build(&clone, to_depth(5)), BuildOutcome::Extended);
    let info = database.table(corners()).expect("a table");
    assert_eq!((info.status, info.file, info.build_disk), (TableCondition::Bounded, None, 0));
    assert!(info.fits == BuildFit::Memory && info.bytes > 0 && info.building_bytes == 0);
    assert_eq!(build(&database, BuildRequest::default()), BuildOutcome::Extended);
    let other = Database::in_memory();
    assert_eq!(other.table(corners()).expect("a table").status, TableCondition::Missing);
    let refused =
        other.puzzle(corners().name()).expect("a puzzle").query(NEAR, &Question::default(), &Context::silent());
    assert!(matches!(refused, Err(Error::Data(error)) if error.fault == Fault::Missing && error.file.is_none()));
}

#[test]
fn what_does_not_fit_or_needs_a_folder_is_refused() {
    let (database, ctx) = (Database::in_memory(), Context::silent());
    let cube21: TableId = "cube21".parse().expect("a table");
    // In a folder it would be enough, with a scratch file or without.
    let definition = cube21.definition();
    for memory in [definition.least_memory(), definition.working_set()] {
        let refused = database.build(cube21, &BuildRequest { memory, ..BuildRequest::default() }, &ctx);
        let error = refused.expect_err("too little memory");
        assert!(matches!(&error, Error::Memory(_)) && error.to_string().contains("is too small"), "{error}");
    }
    assert_eq!(build(&database, BuildRequest::default()), BuildOutcome::Built);
    let error = database.cache_warm(corners(), &ctx).expect_err("no folder");
    assert!(error.class() == Class::Usage && error.to_string().contains("a folder instead of :memory:"), "{error}");
    let status = database.cache_status(corners()).expect("no cache");
    assert_eq!((status.files, status.bytes, database.cache_drop(corners()).expect("no cache").bytes), (0, 0, 0));
}
