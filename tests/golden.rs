//! Golden answers, made by independent brute-force programs, through every reader.

use twistbase::context::Context;
use twistbase::puzzle::square1::notation::parse_position;
use twistbase::puzzle::square1::{Colouring, Middle, Position, Turn};
use twistbase::query::{MiddleGoal, Square1Table};
use twistbase::store::Entries;
use twistbase::tables::Definition;

use crate::support::{CUBE21, WHOLE_SQUARE1, distances, golden};

fn position(text: &str, colouring: Colouring) -> Position {
    parse_position(text, colouring).unwrap_or_else(|e| panic!("{e}")).position
}

fn check_cube21<E: Entries>(table: &Square1Table<E>) {
    let mut answers = 0;
    for record in golden("cube21_positions.csv").records() {
        let record = record.expect("a record");
        let position = position(&record[0], Colouring::Cube21);
        let expected = [2, 3, 4].map(|field: usize| record[field].parse::<u8>().expect("a number"));
        assert_eq!(distances(table, &position), expected, "{}", &record[0]);
        assert_eq!(expected[0] + table.definition().facts().first_level, record[1].parse::<u8>().expect("a level"));
        answers += 1;
    }
    assert_eq!(answers, 300);
}

fn check_not_twistable<E: Entries>(table: &Square1Table<E>) {
    let mut answers = 0;
    for record in golden("cube21_not_twistable.csv").records() {
        let record = record.expect("a record");
        let position = position(&record[0], Colouring::Cube21);
        assert!(!position.is_twistable());
        let level = table.distance(&position, MiddleGoal::Ignored).expect("an answer").twists() + 1;
        assert_eq!(level, record[1].parse::<u8>().expect("a level"), "{}", &record[0]);
        answers += 1;
    }
    assert_eq!(answers, 40);
}

#[test]
fn cube21_positions_through_every_reader() {
    let (memory, store, cache) = (CUBE21.loaded(), CUBE21.stored(), CUBE21.cached());
    check_cube21(&memory);
    check_cube21(&store);
    check_cube21(&cache);
    check_not_twistable(&memory);
    check_not_twistable(&store);
    check_not_twistable(&cache);
}

/// Each solution is executed on the model, which knows nothing of tables, and must end exactly solved.
fn replay<E: Entries>(table: &Square1Table<E>, position: &Position, goal: MiddleGoal) -> u128 {
    let mut seen = std::collections::HashSet::new();
    let distance = table.distance(position, goal).expect("an answer").twists();
    for solution in table.solutions(position, goal).expect("solutions") {
        let solution = solution.expect("a solution");
        assert_eq!(solution.sequence().twists(), usize::from(distance));
        let end = solution.sequence().apply(position).unwrap_or_else(|e| panic!("{}: {e}", solution.sequence()));
        assert_eq!(end.solving_turn(table.colouring()), Some(Turn::NONE), "{}", solution.sequence());
        assert!(goal == MiddleGoal::Ignored || end.middle() == Middle::Square);
        assert_eq!(solution.shapes().len(), usize::from(distance) + 1);
        assert!(seen.insert(solution.sequence().clone()), "{} twice", solution.sequence());
    }
    seen.len() as u128
}

#[test]
fn cube21_numbers_of_solutions_and_every_solution_replayed() {
    let table = CUBE21.cached();
    let ctx = Context::silent();
    let mut counted = 0;
    for record in golden("cube21_positions.csv").records() {
        let record = record.expect("a record");
        let position = position(&record[0], Colouring::Cube21);
        for middle in [Middle::Square, Middle::Kite] {
            let position = position.with_middle(middle);
            let counts = table.count(&position, MiddleGoal::Square, &ctx).expect("counts");
            assert_eq!(replay(&table, &position, MiddleGoal::Square), counts.alignments, "{}", &record[0]);
        }
        let counts = table.count(&position, MiddleGoal::Ignored, &ctx).expect("counts");
        assert_eq!(replay(&table, &position, MiddleGoal::Ignored), counts.alignments, "{}", &record[0]);
        if !record[8].is_empty() {
            let found = [counts.sequences, counts.alignments, counts.paths].map(|count| count.to_string());
            assert_eq!(found, [8, 9, 10].map(|field: usize| record[field].to_owned()), "{}", &record[0]);
            counted += 1;
        }
    }
    assert_eq!(counted, 50);
}

#[test]
fn moves_agree_with_the_distances_of_what_they_lead_to() {
    let table = CUBE21.cached();
    for record in golden("cube21_positions.csv").records().step_by(7) {
        let position = position(&record.expect("a record")[0], Colouring::Cube21);
        for goal in [MiddleGoal::Ignored, MiddleGoal::Square] {
            let before = table.distance(&position, goal).expect("an answer").twists();
            let moves = table.moves(&position, goal).expect("moves");
            assert_eq!(moves.len(), position.distinct_alignments().count());
            for outcome in &moves {
                let next = position.turn(outcome.turn).twist().expect("an alignment");
                assert_eq!(next, outcome.position);
                assert_eq!(outcome.distance, table.distance(&next, goal).expect("an answer"));
                assert_eq!(i16::from(outcome.change), i16::from(outcome.distance.twists()) - i16::from(before));
            }
            assert_eq!(before > 0, moves.iter().any(|outcome| outcome.change == -1));
        }
    }
}

fn check_square1<E: Entries>(table: &Square1Table<E>) {
    let mut answers = 0;
    for record in golden("square1_twists.csv").records() {
        let record = record.expect("a record");
        let [even, odd] = [2, 3].map(|field: usize| record[field].parse::<u8>().expect("a number"));
        let written = position(&record[0], Colouring::Square1);
        let scrambled = position(&format!("wca:{}", &record[1]), Colouring::Square1);
        for position in [written, scrambled] {
            assert_eq!(distances(table, &position), [even.min(odd), even, odd], "{}", &record[0]);
        }
        answers += 1;
    }
    assert_eq!(answers, 200);
}

/// All of Square-1, its cache warmed (3.2 GB of disk): part of the long suite.
#[test]
#[ignore = "long suite: builds all of Square-1"]
fn square1_positions_through_every_reader() {
    check_square1(&WHOLE_SQUARE1.loaded());
    check_square1(&WHOLE_SQUARE1.stored());
    let cache = WHOLE_SQUARE1.cached();
    check_square1(&cache);
    for record in golden("square1_twists.csv").records() {
        let position = position(&record.expect("a record")[0], Colouring::Square1);
        for goal in [MiddleGoal::Ignored, MiddleGoal::Square] {
            let counts = cache.count(&position, goal, &Context::silent()).expect("counts");
            assert_eq!(replay(&cache, &position, goal), counts.alignments);
        }
    }
}
