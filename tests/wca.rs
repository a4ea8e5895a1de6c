//! Square-1 in the metric of the World Cube Association, beside a plain search over positions as they lie.

use std::collections::{HashMap, HashSet};

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use twistbase::cache::{CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::puzzle::square1::notation::parse_position;
use twistbase::puzzle::square1::{Colouring, Middle, Position, Step, Turn, random_position};
use twistbase::query::{EndingEntries, Square1Table, WcaDistances};
use twistbase::store::{Entries, Store, StoredTable};
use twistbase::tables::{self, BuildRequest, Definition};
use twistbase::{Database, Error, Kernel, RandomRequest};

use crate::cli::square1::{Notation, Puzzle};
use crate::cli::twistbase;
use crate::support::program::Run;
use crate::support::{CORNERS, CUBE21, Fixture, Lying, NEAR_SQUARE1, WHOLE_SQUARE1, golden, golden_path, lying};

/// Positions as they lie that can be twisted, at each distance from solved, middle layer included.
const SQUARE1: [usize; 8] = [1, 64, 78, 2496, 2929, 40064, 46684, 564_992];

/// A position found by the plain search.
struct Found {
    position: Position,
    moves: u8,
    /// The number of shortest sequences of moves from solved.
    sequences: u128,
}

/// The twist, and every turn after which a twist is possible.
fn next(position: &Position) -> impl Iterator<Item = Position> {
    let turns: Vec<_> = position.alignments().filter(|turn| !turn.is_none()).map(|turn| position.turn(turn)).collect();
    position.twist().into_iter().chain(turns)
}

/// Every position that can be twisted, up to so many moves from solved, in the order of their distances.
fn search(colouring: Colouring, depth: u8) -> Vec<Found> {
    let mut found = vec![Found { position: Position::SOLVED, moves: 0, sequences: 1 }];
    let mut numbers: HashMap<Lying, usize> = HashMap::from([(lying(&Position::SOLVED, colouring), 0)]);
    let mut at = 0;
    while at < found.len() && found[at].moves < depth {
        let Found { position, moves, sequences } = found[at];
        for to in next(&position) {
            let number = *numbers.entry(lying(&to, colouring)).or_insert(found.len());
            if number == found.len() {
                found.push(Found { position: to, moves: moves + 1, sequences: 0 });
            }
            if found[number].moves == moves + 1 {
                found[number].sequences += sequences;
            }
        }
        at += 1;
    }
    found
}

fn levels(found: &[Found]) -> Vec<usize> {
    let farthest = found.last().map_or(0, |last| last.moves);
    (0..=farthest).map(|moves| found.iter().filter(|found| found.moves == moves).count()).collect()
}

/// Lists all solutions of a position: each is replayed, counts what the distance is, and is there once; as many as are
/// counted.
fn replay<E: Entries>(table: &Square1Table<E>, position: &Position) -> u128 {
    let moves = WcaDistances::new(table).distance(position).expect("a distance").moves();
    let mut seen = HashSet::new();
    for solution in WcaDistances::new(table).solutions(position).expect("solutions") {
        let sequence = solution.expect("a solution").sequence().clone();
        assert_eq!(sequence.wca_moves(), usize::from(moves), "{position:?}: {sequence}");
        assert!(sequence.steps().windows(2).all(|steps| steps[0] != Step::Twist || steps[1] != Step::Twist));
        let end = sequence.apply(position).unwrap_or_else(|error| panic!("{sequence}: {error}"));
        assert_eq!(lying(&end, table.colouring()), lying(&Position::SOLVED, table.colouring()), "{sequence}");
        assert!(seen.insert(sequence.clone()), "{sequence} twice");
    }
    let counts = WcaDistances::new(table).count(position, &Context::silent()).expect("counts");
    assert_eq!(counts.alignments, seen.len() as u128, "{position:?}");
    assert!(counts.paths >= 1 && counts.paths <= counts.alignments && counts.alignments <= counts.sequences);
    counts.sequences
}

/// Compares every position of the plain search with what the table tells, and the solutions of some.
fn compare<E: Entries>(table: &Square1Table<E>, depth: u8, listed: usize) -> Vec<usize> {
    let found = search(table.colouring(), depth);
    let every = WcaDistances::new(table);
    let mut distances = HashMap::new();
    for Found { position, moves, .. } in &found {
        assert_eq!(every.distance(position).expect("a distance").moves(), *moves, "{position:?}");
        distances.insert(lying(position, table.colouring()), *moves);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for moves in 0..=depth {
        let level: Vec<_> = found.iter().filter(|found| found.moves == moves).collect();
        for Found { position, sequences, .. } in level.sample(&mut rng, listed) {
            assert_eq!(replay(table, position), *sequences, "{position:?}");
            check_moves(table, position, moves, |to| distances.get(&lying(to, table.colouring())).copied(), depth);
            check_blocked(table, position);
        }
    }
    levels(&found)
}

/// What each move does is what the plain search knows of the position after it.
fn check_moves<E: Entries>(
    table: &Square1Table<E>,
    position: &Position,
    moves: u8,
    known: impl Fn(&Position) -> Option<u8>,
    depth: u8,
) {
    let outcomes = WcaDistances::new(table).moves(position).expect("moves");
    assert!(outcomes.iter().map(|outcome| outcome.position).eq(sorted(position)), "{position:?}");
    for outcome in outcomes {
        let found = outcome.distance.moves();
        assert_eq!(known(&outcome.position).unwrap_or(depth + 1), found, "{position:?} {:?}", outcome.step);
        assert_eq!(outcome.change, found as i8 - moves as i8);
        assert_eq!(matches!(outcome.step, Step::Twist), outcome.position.middle() != position.middle());
    }
}

/// [`next`], turns in their order.
fn sorted(position: &Position) -> impl Iterator<Item = Position> {
    let mut turns: Vec<_> = position.alignments().filter(|turn| !turn.is_none()).collect();
    turns.sort_by_key(|turn| turn.wca());
    let position = *position;
    position.twist().into_iter().chain(turns.into_iter().map(move |turn| position.turn(turn)))
}

/// Turned so that a twist is not possible, a position is one more move away than the nearest that it is turned to.
fn check_blocked<E: Entries>(table: &Square1Table<E>, position: &Position) {
    let distance = |position: &Position| WcaDistances::new(table).distance(position).expect("a distance").moves();
    for turn in [Turn::new(1, 0), Turn::new(0, 1), Turn::new(-1, 2), Turn::new(2, -1)] {
        let blocked = position.turn(turn);
        if blocked.is_twistable() {
            continue;
        }
        let nearest = next(&blocked).map(|next| distance(&next)).min().expect("a turn");
        assert_eq!(distance(&blocked), nearest + 1, "{blocked:?}");
        replay(table, &blocked);
    }
}

/// A table of a folder of its own, to a depth.
fn to_depth(name: &str, depth: u8) -> (tempfile::TempDir, Square1Table<StoredTable>) {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, definition) = (Store::open(folder.path()), tables::find_twists(name).expect("a table"));
    let request = BuildRequest { depth: Some(depth), force: false, memory: 8 << 30, kernel: Kernel::detect() };
    tables::build(&store, definition, &request, &Context::silent()).expect("the build");
    let table = Square1Table::stored(&store, definition).expect("a table");
    (folder, table)
}

#[test]
fn square1_near_solved_is_as_a_plain_search_finds_it() {
    assert_eq!(compare(&NEAR_SQUARE1.stored(), 5, 60), SQUARE1[..6].to_vec());
}

#[test]
#[ignore = "tier two: all positions to seven moves"]
fn full_square1_farther_from_solved_is_as_a_plain_search_finds_it() {
    let (_folder, table) = to_depth("square1", 5);
    assert_eq!(compare(&table, 7, 300), SQUARE1.to_vec());
}

#[test]
fn pieces_that_look_alike_are_the_same() {
    compare(&CUBE21.cached(), 5, 40);
    compare(&CORNERS.loaded(), 6, 40);
}

/// The table of a fixture with that of distances to the position one twist from solved, which is built beside it.
fn with_endings(fixture: &Fixture) -> Square1Table<CachedTable> {
    let (store, endings) = (fixture.store(), tables::endings(fixture.definition.colouring()));
    tables::build(&store, endings, &BuildRequest::default(), &Context::silent()).expect("the build");
    let entries = CachedTable::open(&store, endings.layout(), CacheMode::OnDemand).expect("the table");
    fixture.cached().with_endings(EndingEntries::over(endings, entries))
}

/// What walks find and what look-ups in the second table tell is the same: of random positions, with either middle layer, as
/// they lie and turned.
fn compare_ways<A: Entries, B: Entries>(walked: &Square1Table<A>, looked_up: &Square1Table<B>, positions: usize) {
    assert!(walked.endings().is_none() && looked_up.endings().is_some());
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    for _ in 0..positions {
        let position = random_position(&mut rng);
        for middle in [Middle::Square, Middle::Kite] {
            for turn in [Turn::NONE, Turn::new(1, 0), Turn::new(3, -1), Turn::new(6, 6)] {
                let position = position.turn(turn).with_middle(middle);
                let [walked, looked_up] =
                    [WcaDistances::new(walked).distance(&position), WcaDistances::new(looked_up).distance(&position)];
                assert_eq!(walked.expect("a distance"), looked_up.expect("a distance"), "{position:?}");
            }
        }
    }
}

#[test]
fn look_ups_in_the_second_table_tell_what_walks_find() {
    let corners = Fixture::build("square1-corners");
    let both = with_endings(&corners);
    compare(&both, 6, 40);
    compare_ways(&corners.loaded(), &both, 1000);
    check_random(&both, 50);
}

#[test]
#[ignore = "tier two: two searches of all of Cube21"]
fn full_look_ups_tell_what_walks_find_for_cube21() {
    let cube21 = CUBE21.linked();
    let both = with_endings(&cube21);
    compare(&both, 5, 40);
    compare_ways(&cube21.cached(), &both, 1000);
    check_random(&both, 100);
    // The program finds the second table by itself.
    let lines: String = (0..1000u64).map(|number| format!("index:{}\n", number * 1_143_071)).collect();
    let answer = |store: &std::path::Path| {
        let asked = twistbase(store, &["query", "cube21", "-", "--metric", "wca"]).output_of(lines.clone());
        let output = asked.expect("the program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    assert_eq!(answer(CUBE21.path()), answer(cube21.path()));
}

/// Golden answers of a search of another program, as sequences from solved.
fn check_golden<E: Entries>(table: &Square1Table<E>) {
    let mut answers = 0;
    for record in golden("square1_wca.csv").records() {
        let record = record.expect("a record");
        let position =
            parse_position(&record[0], Colouring::Square1).unwrap_or_else(|error| panic!("{error}")).position;
        let moves = WcaDistances::new(table).distance(&position).expect("a distance").moves();
        assert_eq!(moves, record[1].parse::<u8>().expect("a number"), "{}", &record[0]);
        answers += 1;
    }
    assert_eq!(answers, 50);
}

/// Solutions of random positions: each is replayed, and counts what the distance is.
fn check_random<E: Entries>(table: &Square1Table<E>, positions: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(124);
    for _ in 0..positions {
        let position = random_position(&mut rng);
        let moves = WcaDistances::new(table).distance(&position).expect("a distance").moves();
        for solution in WcaDistances::new(table).solutions(&position).expect("solutions").take(20) {
            let sequence = solution.expect("a solution").sequence().clone();
            assert_eq!(sequence.wca_moves(), usize::from(moves), "{sequence}");
            let end = sequence.apply(&position).unwrap_or_else(|error| panic!("{sequence}: {error}"));
            assert_eq!(lying(&end, table.colouring()), lying(&Position::SOLVED, table.colouring()), "{sequence}");
        }
    }
}

#[test]
fn random_positions_of_cube21_are_solved_in_as_many_moves() {
    check_random(&CUBE21.cached(), 100);
}

/// Builds all of Square-1: part of the long suite.
#[test]
#[ignore = "long suite: builds all of Square-1"]
fn square1_positions_through_every_reader() {
    check_golden(&WHOLE_SQUARE1.stored());
    let cache = WHOLE_SQUARE1.cached();
    check_golden(&cache);
    check_random(&cache, 1000);
    check_farthest(&cache);
    check_program(WHOLE_SQUARE1.path());
    check_scrambles(WHOLE_SQUARE1.path());
}

/// The positions that take the most moves: a proof lists them, here walks along their shortest solutions agree.
fn check_farthest<E: Entries>(table: &Square1Table<E>) {
    let lines = std::fs::read_to_string(golden_path("square1_wca_farthest.txt")).expect("the list");
    let distance = |position: &Position| WcaDistances::new(table).distance(position).expect("a distance").moves();
    for (number, line) in lines.lines().step_by(150).enumerate() {
        let position = parse_position(line, Colouring::Square1).unwrap_or_else(|error| panic!("{error}")).position;
        assert!(!position.is_twistable(), "{line}");
        assert_eq!(distance(&position), 27, "{line}");
        // Turned so that it can be twisted, it is as far as such positions are.
        let twistable: Vec<_> = position.alignments().map(|turn| position.turn(turn)).collect();
        assert!(twistable.iter().step_by(7).all(|turned| distance(turned) == 26), "{line}");
        if number == 0 {
            let (distances, ctx) = (WcaDistances::new(table), Context::silent());
            let counted = distances.count(&position, &ctx).expect("a number").alignments;
            let solutions = distances.solutions(&position).expect("solutions");
            let listed = solutions.map(|solution| solution.expect("a solution").sequence().wca_moves());
            assert_eq!(listed.inspect(|&moves| assert_eq!(moves, 27)).count() as u128, counted);
        }
    }
}

/// Scrambles lead to the positions that they are told for, and are as short as can be.
fn check_scrambles(store: &std::path::Path) {
    let output = |args: &[&str], input: &str| {
        let output = twistbase(store, args).output_of(input).expect("the program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let args = ["random", "square1", "--scramble", "-n", "100", "--seed", "3"];
    let (scrambles, positions) = (output(&args, ""), output(&[&args[..], &["--form", "hex"]].concat(), ""));
    let distances = output(&["query", "square1", "-", "--metric", "wca"], &positions);
    let lines = scrambles.lines().zip(positions.lines()).zip(distances.lines());
    for ((scramble, position), distance) in lines.clone() {
        let mut puzzle = Puzzle::solved();
        puzzle.apply(scramble, Notation::Wca);
        assert_eq!(puzzle, Puzzle::from_hex(position), "{scramble}");
        let moves = scramble.matches(['(', '/']).count();
        assert!(distance.ends_with(&format!("\t{moves}")) && moves >= 11, "{scramble}: {distance}");
    }
    assert_eq!(lines.count(), 100);
    // A further one is not searched for when the work is to stop.
    let (database, ctx) = (Database::open(store).expect("a database"), Context::silent());
    let mut scrambles =
        database.puzzle("square1").expect("a puzzle").scrambles(&RandomRequest::default(), 3, &ctx).expect("a table");
    assert!(scrambles.next().is_some_and(|scramble| scramble.is_ok()));
    ctx.cancel();
    assert!(matches!(scrambles.next(), Some(Err(Error::Interrupted))));
}

/// Golden answers, and solutions, of the program: replayed by a model that shares no code with it.
fn check_program(store: &std::path::Path) {
    let records: Vec<_> = golden("square1_wca.csv").records().map(|record| record.expect("a record")).collect();
    let lines: String = records.iter().map(|record| format!("{}\n", &record[0])).collect();
    let answered = |command: &str| {
        let asked = twistbase(store, &[command, "square1", "-", "--metric", "wca"]).output_of(lines.clone());
        let output = asked.expect("the program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        let answers = text.lines().map(|line| line.split_once('\t').expect("an answer").1.to_owned());
        answers.collect::<Vec<_>>()
    };
    let (distances, solutions) = (answered("query"), answered("solve"));
    assert_eq!((distances.len(), solutions.len()), (records.len(), records.len()));
    for (record, (distance, solved)) in records.iter().zip(distances.iter().zip(&solutions)) {
        let (length, solution) = solved.split_once('\t').expect("a length and a solution");
        assert_eq!((distance, length), (&record[1].to_owned(), &record[1]), "{}", &record[0]);
        let mut puzzle = Puzzle::solved();
        puzzle.apply(&record[0], Notation::Wca);
        puzzle.apply(solution, Notation::Wca);
        assert!(puzzle.is_solved_as("square1") && !puzzle.kite, "{}: {solution}", &record[0]);
        let moves = solution.matches(['(', '/']).count();
        assert_eq!(moves.to_string(), record[1], "{solution}");
    }
}
