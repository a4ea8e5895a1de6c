//! What a host of the library relies on: answers from nothing, cancellation, threads, and tables rebuilt beneath it.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use twistbase::error::{Class, Fault};
use twistbase::{
    BuildRequest, Context, Database, Error, Puzzle, Question, RandomRequest, Shortfall, SolveEvent, SolveMethod,
    SolveOutcome, SolveRequest, TableId,
};

const CORNERS: &str = "square1-corners";
/// Three twists from solved.
const NEAR: &str = "(1,0)/(3,3)/(-3,0)/";
/// 20 moves from solved: no search with a small table ends while a test runs.
const SUPERFLIP: &str = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
/// How long a cancelled call may go on, on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

fn empty() -> (TempDir, Database) {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::open(folder.path()).expect("a database");
    (folder, database)
}

fn corners() -> TableId {
    CORNERS.parse().expect("a table")
}

fn build(database: &Database, depth: Option<u8>) -> u64 {
    let request = BuildRequest { depth, ..BuildRequest::default() };
    database.build(corners(), &request, &Context::silent()).expect("a table").positions
}

fn distance(puzzle: &dyn Puzzle, position: &str) -> twistbase::Result<Option<u8>> {
    Ok(puzzle.query(position, &Question::default(), &Context::silent())?.distance())
}

/// Random positions, as a person would write them.
fn positions(puzzle: &dyn Puzzle, count: usize) -> Vec<String> {
    let random = puzzle.random(&RandomRequest::default(), 7).expect("positions");
    random.take(count).map(|report| report.text.to_string()).collect()
}

#[test]
fn from_nothing_to_an_answer() {
    let (_folder, database) = empty();
    let puzzle = database.puzzle(CORNERS).expect("a puzzle");
    let missing = distance(&*puzzle, NEAR).expect_err("no table");
    assert!(matches!(&missing, Error::Data(error) if error.fault == Fault::Missing), "{missing}");

    assert_eq!(build(&database, None), 2_702_700);
    let (question, ctx) = (Question::default(), Context::silent());
    let answer = puzzle.query(NEAR, &question, &ctx).expect("an answer");
    assert_eq!(answer.distance(), Some(3));
    let json = serde_json::to_value(&answer).expect("JSON");
    assert_eq!((&json["puzzle"], &json["distance"]), (&CORNERS.into(), &3.into()));

    let solutions = puzzle.solutions(NEAR, &question, &ctx).expect("solutions");
    let solutions: Vec<_> = solutions.map(|solution| solution.expect("a solution")).collect();
    assert!(!solutions.is_empty() && solutions.iter().all(|solution| solution.length() == 3));
    let solved = puzzle.solve(NEAR, &SolveRequest::default(), &ctx, &mut |_| {}).expect("a solution");
    let SolveOutcome::Found(first) = &solved.outcome else { panic!("{solved:?}") };
    assert!(solved.shortfall.is_none() && first.moves() == solutions[0].moves());
}

#[test]
fn a_search_is_cancelled_by_another_thread() {
    let (_folder, database) = empty();
    let puzzle = database.building_missing(true).puzzle("cube3").expect("a puzzle");
    let request = SolveRequest { method: Some(SolveMethod::Optimal), ..SolveRequest::default() };
    let solver = puzzle.solver(&request, &Context::silent()).expect("a solver");

    let ctx = Context::silent();
    let (events, finished) = mpsc::channel();
    thread::scope(|scope| {
        let ctx = &ctx;
        let canceller = scope.spawn(move || {
            finished.recv().expect("a finished depth");
            ctx.cancel();
            Instant::now()
        });
        let solved = solver.solve(SUPERFLIP, ctx, &mut |event| {
            if matches!(event, SolveEvent::DepthFinished { .. }) {
                // Only the first one has a reader.
                let _ = events.send(());
            }
        });
        let cancelled = canceller.join().expect("the other thread");
        assert!(cancelled.elapsed() < PATIENCE, "{:?}", cancelled.elapsed());
        let shortfall = solved.expect("what was known").shortfall.expect("not all that was asked");
        assert!(matches!(shortfall, Shortfall::Interrupted { .. }) && shortfall.class() == Class::Interrupted);
    });
    // The solver is as good as new.
    let solved = solver.solve("R U F", &Context::silent(), &mut |_| {}).expect("a solution");
    assert!(solved.shortfall.is_none());
}

#[test]
fn a_build_that_was_cancelled_is_done_again() {
    let (_folder, database) = empty();
    let ctx = Context::silent();
    ctx.cancel();
    let cancelled = database.build(corners(), &BuildRequest::default(), &ctx).expect_err("cancelled");
    assert!(matches!(cancelled, Error::Interrupted) && cancelled.class() == Class::Interrupted);
    assert_eq!(build(&database, None), 2_702_700);
}

#[test]
fn threads_share_a_database_and_a_puzzle() {
    let (_folder, database) = empty();
    let shared = database.clone().building_missing(true).puzzle(CORNERS).expect("a puzzle");
    let asked = positions(&*shared, 200);
    let ask = |puzzle: &dyn Puzzle| -> Vec<_> {
        asked.iter().map(|position| distance(puzzle, position).expect("a distance")).collect()
    };
    // The first question builds the table.
    let expected = ask(&*shared);
    assert!(expected.iter().all(Option::is_some));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(ask(&*shared), expected));
            scope.spawn(|| assert_eq!(ask(&*database.puzzle(CORNERS).expect("a puzzle")), expected));
        }
    });
}

#[test]
fn an_open_puzzle_follows_its_table() {
    let (_folder, database) = empty();
    let puzzle = database.puzzle(CORNERS).expect("a puzzle");
    build(&database, Some(3));
    assert_eq!(distance(&*puzzle, NEAR).expect("within the depth"), Some(3));
    let is_refused = |position: &&String| {
        let refused = |error| matches!(error, Error::Data(error) if error.fault == Fault::Bounded);
        distance(&*puzzle, position).is_err_and(refused)
    };
    let random = positions(&*puzzle, 100);
    let far = random.iter().find(is_refused).expect("most positions are farther");
    let (question, ctx) = (Question::default(), Context::silent());
    let prepared = puzzle.prepare(&question, &ctx).expect("tables");

    build(&database, None);
    let complete = distance(&*puzzle, far).expect("a complete table");
    assert!(complete.is_some_and(|distance| distance > 3), "{complete:?}");
    assert_eq!(distance(&*puzzle, NEAR).expect("a distance"), Some(3));
    // What was prepared before keeps the table that it opened.
    assert!(prepared.query(far, &ctx).is_err());
    assert_eq!(prepared.query(NEAR, &ctx).expect("a distance").distance(), Some(3));

    let again = BuildRequest { force: true, ..BuildRequest::default() };
    database.build(corners(), &again, &ctx).expect("a table");
    assert_eq!(distance(&*puzzle, far).expect("a distance"), complete);
}
