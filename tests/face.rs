//! Square-1 solved in face turns, beside a plain search over positions as they lie.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::LazyLock;
use std::time::Instant;

use rand::SeedableRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand_chacha::ChaCha8Rng;
use twistbase::context::Context;
use twistbase::puzzle::square1::notation::parse_position;
use twistbase::puzzle::square1::{Colouring, Middle, Position, Turn, random_position};
use twistbase::query::{Square1Table, WcaDistances};
use twistbase::solve::{FaceAnswer, FaceDepth, FaceLimits, FaceStop, solve_by_face_turns};
use twistbase::store::{Entries, RamTable};

use crate::cli::square1::{Notation, Puzzle};
use crate::support::{CORNERS, CUBE21, Lying, NEAR_SQUARE1, WHOLE_SQUARE1, count, golden, lying};

/// Positions of Square-1 as they lie that can be twisted, at each distance from solved, middle layer included.
const SQUARE1: [usize; 7] = [1, 15, 69, 212, 1141, 3933, 14_029];

/// Turns of one layer, and of the other.
fn turns() -> impl Iterator<Item = Turn> {
    (1..12).flat_map(|amount| [Turn::new(amount, 0), Turn::new(0, amount)])
}

/// Every position up to so many moves from another, with their distances: those that can be twisted if that one can,
/// for a turn to another is good for nothing.
fn search(from: &Position, colouring: Colouring, depth: u8) -> HashMap<Lying, (Position, u8)> {
    let mut found = HashMap::from([(lying(from, colouring), (*from, 0))]);
    let mut level = vec![*from];
    for moves in 1..=depth {
        let mut next = Vec::new();
        for position in level {
            let turned = turns().map(|turn| position.turn(turn));
            let turned = turned.filter(|to| to.is_twistable() || !position.is_twistable());
            for to in position.twist().into_iter().chain(turned) {
                if let Entry::Vacant(entry) = found.entry(lying(&to, colouring)) {
                    entry.insert((to, moves));
                    next.push(to);
                }
            }
        }
        level = next;
    }
    found
}

/// The distance from solved by what two plain searches have in common.
fn meet(position: &Position, colouring: Colouring, near: &HashMap<Lying, (Position, u8)>, depth: u8) -> Option<u8> {
    let from = search(position, colouring, depth);
    from.iter().filter_map(|(lying, (_, moves))| Some(moves + near.get(lying)?.1)).min()
}

fn solve<E: Entries>(table: &Square1Table<E>, position: &Position, limits: FaceLimits) -> FaceAnswer {
    let mut told = 0;
    let mut hear = |FaceDepth { depth, .. }| {
        assert!(depth >= told, "depths come in their order");
        told = depth;
    };
    let answer = solve_by_face_turns(table, position, &limits, &Context::silent(), &mut hear);
    answer.unwrap_or_else(|error| panic!("{position:?}: {error}"))
}

/// The moves of a solution by a model that shares no code with the program, which it must solve.
fn replay(position: &Position, solution: &str, colouring: Colouring) -> usize {
    let slots = [position.top(), position.bottom()].map(|slots| slots.iter().map(|piece| piece.hex_digit()).collect());
    let mut puzzle = Puzzle::of_slots(slots, position.middle() == Middle::Kite);
    puzzle.apply(solution, Notation::Wca);
    assert!(puzzle.is_solved_as(colouring.name()) && !puzzle.kite, "{position:?}: {solution}");
    face_moves(solution)
}

/// Counts the moves of a sequence as it is written: twists, and amounts that are not 0.
fn face_moves(written: &str) -> usize {
    let amounts = written.split(['(', ')', ',', '/', ' ']).filter(|amount| !amount.is_empty() && *amount != "0");
    written.matches('/').count() + amounts.count()
}

/// Solves a position that is known to be so far away.
fn check<E: Entries>(table: &Square1Table<E>, position: &Position, moves: u8) {
    let FaceAnswer { solution, at_least, stopped, .. } = solve(table, position, FaceLimits::default());
    let solution = solution.expect("a solution");
    assert_eq!((at_least, stopped), (moves, None), "{position:?}: {solution}");
    assert_eq!(solution.face_moves(), usize::from(moves), "{position:?}: {solution}");
    assert_eq!(replay(position, &solution.to_string(), table.colouring()), usize::from(moves), "{solution}");
}

/// Solves every position of the first levels of a plain search, some of the others, and some that have a piece in the
/// way of the twist; returns how many there are.
fn compare<E: Entries>(table: &Square1Table<E>, [every, depth]: [u8; 2], some: usize) -> Vec<usize> {
    let colouring = table.colouring();
    let found = search(&Position::SOLVED, colouring, depth);
    let mut levels = vec![Vec::new(); usize::from(depth) + 1];
    found.values().for_each(|(position, moves)| levels[usize::from(*moves)].push(*position));
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    for (moves, level) in (0..).zip(&mut levels) {
        level.sort_by_key(|position| lying(position, colouring));
        let wanted = if moves <= every { level.len() } else { some };
        level.sample(&mut rng, wanted).for_each(|position| check(table, position, moves));
    }
    // A turn of one layer, or of both, and what is left after it.
    for position in levels[..=usize::from(every)].iter().flatten().sample(&mut rng, some) {
        for turn in [Turn::new(1, 0), Turn::new(0, 1), Turn::new(-1, 2)] {
            let blocked = position.turn(turn);
            if !blocked.is_twistable() {
                let near = meet(&blocked, colouring, &found, 2).expect("it was turned by two moves at most");
                check(table, &blocked, near);
            }
        }
    }
    levels.iter().map(Vec::len).collect()
}

/// The corners in memory.
static CORNER_TABLE: LazyLock<Square1Table<RamTable<Vec<u8>>>> = LazyLock::new(|| CORNERS.loaded());

#[test]
#[ignore = "long suite: a plain search over millions of positions"]
fn square1_near_solved_is_solved_as_a_plain_search_finds_it() {
    assert_eq!(compare(&NEAR_SQUARE1.stored(), [4, 6], 60), SQUARE1);
}

#[test]
fn pieces_that_look_alike_are_the_same() {
    compare(&CUBE21.cached(), [3, 5], 100);
    compare(&*CORNER_TABLE, [3, 5], 100);
}

/// Ends of random walks of so many face moves.
fn walk(rng: &mut ChaCha8Rng, moves: usize) -> Position {
    let mut position = Position::SOLVED;
    for _ in 0..moves {
        let turned = turns().map(|turn| position.turn(turn)).filter(Position::is_twistable);
        // As likely a twist as a turn.
        let turned = turned.choose(rng).expect("half a circle is always possible");
        position = *[position.twist().expect("it can be twisted"), turned].choose(rng).expect("two");
    }
    position
}

#[test]
fn ends_of_walks_are_solved_as_two_plain_searches_meet() {
    let (table, mut rng) = (&*CORNER_TABLE, ChaCha8Rng::seed_from_u64(10));
    let near = search(&Position::SOLVED, table.colouring(), 6);
    for moves in [8, 9, 10].into_iter().cycle().take(30) {
        let position = walk(&mut rng, moves);
        let met = meet(&position, table.colouring(), &near, 4).expect("it is ten moves away at most");
        check(table, &position, met);
    }
}

#[test]
fn solved_in_other_ways_takes_six_moves() {
    check(&*CORNER_TABLE, &Position::SOLVED, 0);
    for turn in [Turn::new(3, 0), Turn::new(1, 0), Turn::new(0, -2)] {
        check(&*CORNER_TABLE, &Position::SOLVED.turn(turn), 1);
    }
    check(&*CORNER_TABLE, &Position::SOLVED.turn(Turn::new(1, 1)), 2);
    check(&*CORNER_TABLE, &Position::SOLVED.turn_over(), 6);
    check(&*CORNER_TABLE, &Position::SOLVED.with_middle(Middle::Kite), 6);
}

#[test]
fn what_stops_a_search_leaves_a_bound() {
    let (table, mut rng) = (CUBE21.cached(), ChaCha8Rng::seed_from_u64(5));
    for number in 0..6 {
        let position = random_position(&mut rng);
        let exact = solve(&table, &position, FaceLimits::default());
        let length = exact.solution.as_ref().expect("a solution").face_moves();
        assert_eq!((exact.stopped, usize::from(exact.at_least)), (None, length));
        // Split among threads it comes to the same.
        let shared = solve(&table, &position, FaceLimits { parallel: true, ..FaceLimits::default() });
        assert_eq!((shared.stopped, shared.at_least), (None, exact.at_least));
        for limits in [
            FaceLimits { max_nodes: Some(1), ..FaceLimits::default() },
            FaceLimits { max_nodes: Some(exact.nodes / 2), parallel: number % 2 == 0, ..FaceLimits::default() },
            FaceLimits { deadline: Some(Instant::now()), ..FaceLimits::default() },
        ] {
            let FaceAnswer { solution, at_least, stopped, .. } = solve(&table, &position, limits);
            assert!(stopped.is_none_or(|stop| stop == FaceStop::Budget));
            assert!(stopped.is_some() || limits.max_nodes != Some(1), "{limits:?}");
            assert!(usize::from(at_least) <= length, "{at_least} of {length}");
            if let Some(solution) = solution {
                let moves = replay(&position, &solution.to_string(), table.colouring());
                assert!(moves >= length && (stopped.is_some() || moves == length));
            }
        }
        let ctx = Context::silent();
        ctx.cancel();
        let answer = solve_by_face_turns(&table, &position, &FaceLimits::default(), &ctx, &mut |_| {}).unwrap();
        assert!(answer.stopped == Some(FaceStop::Interrupted) && usize::from(answer.at_least) <= length);
    }
}

/// Golden answers of a search from both ends without a table, as sequences from solved.
fn golden_positions() -> Vec<(Position, u8)> {
    let records = golden("square1_face.csv").into_records().map(|record| {
        let record = record.expect("a record");
        let position = parse_position(&record[0], Colouring::Square1).unwrap_or_else(|error| panic!("{error}"));
        (position.position, record[1].parse().expect("a number"))
    });
    records.collect()
}

/// Builds all of Square-1: part of the long suite.
#[test]
#[ignore = "long suite: builds all of Square-1"]
fn positions_of_square1_are_solved_as_golden_answers_and_wca_s_metric_tell() {
    let mut rng = ChaCha8Rng::seed_from_u64(2017);
    let (table, golden) = (WHOLE_SQUARE1.cached(), golden_positions());
    assert_eq!(golden.len(), 40);
    golden.iter().for_each(|(position, moves)| check(&table, position, *moves));
    for _ in 0..count(60, 300) {
        let position = random_position(&mut rng);
        let answer = solve(&table, &position, FaceLimits { parallel: true, ..FaceLimits::default() });
        let solution = answer.solution.expect("a solution");
        let moves = replay(&position, &solution.to_string(), table.colouring());
        assert_eq!(moves, usize::from(answer.at_least));
        let by_wca = WcaDistances::new(&table).distance(&position).expect("a distance").moves();
        assert!(moves >= usize::from(by_wca) && moves <= 31, "{position:?}: {solution}");
    }
}
