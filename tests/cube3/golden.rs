//! Golden answers about positions in H, made by Rokicki's program, through every reader.

use twistbase::context::{Context, SearchMeter};
use twistbase::puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase::puzzle::cube3::notation::{facelets, wca};
use twistbase::puzzle::cube3::{Cube, Metric, Move};
use twistbase::query::cube3::PhaseTwo;
use twistbase::store::Entries;
use twistbase::tables::{self, Definition, PhaseTwoTable};

use crate::support::cube3::{CUBE3, assert_solves, generated};
use crate::support::golden;
use twistbase_testing::stickers::Stickers;

/// A line of the file.
struct Golden {
    position: Cube,
    h_position: PhaseTwoPosition,
    /// What a nibble tells of the distance in H': at most 16.
    bound: u8,
    /// The distance in H.
    distance: u8,
}

fn answers() -> Vec<Golden> {
    let answer = |record: csv::StringRecord| {
        let position = facelets::parse(&record[1]).expect("a position");
        assert_eq!(Stickers::after(&record[0]).to_string(), record[1]);
        let solution = wca::parse(&record[4]).expect("a solution");
        let mut stickers = Stickers::of(&record[1]);
        stickers.apply(&record[4]);
        assert_eq!(stickers, Stickers::solved());
        let [bound, distance] = [2, 3].map(|field: usize| record[field].parse().expect("a number"));
        assert_eq!(solution.length(Metric::Htm), usize::from(distance));
        Golden { position, h_position: PhaseTwoPosition::of(&position).expect("a position in H"), bound, distance }
    };
    let answers: Vec<_> = golden("phase2.csv").records().map(|record| answer(record.expect("a line"))).collect();
    assert_eq!(answers.len(), 100);
    answers
}

/// Bounds of H', or distances of H.
fn check<E: Entries>(table: &PhaseTwo<E>) {
    let (name, exact) = (table.definition().layout().name, table.definition().is_exact());
    for answer in answers() {
        let right = if exact { answer.distance } else { answer.bound };
        let [bound, distance] = [table.bound(&answer.h_position).map(|bound| bound.moves()), distance(table, &answer)];
        let bound = bound.expect("an answer");
        assert_eq!(bound.min(16), right.min(16), "{name} {}", facelets::print(&answer.position));
        let distance = distance.expect("an answer");
        // From 16 on, a nibble is a bound only.
        assert!(distance == right || (!exact && right == 16 && distance > 16), "{name} {distance} {right}");
    }
}

fn distance<E: Entries>(table: &PhaseTwo<E>, answer: &Golden) -> twistbase::error::Result<u8> {
    table.distance(&answer.h_position).map(|distance| distance.moves())
}

fn check_readers(table: &'static PhaseTwoTable) {
    check(&PhaseTwo::over(table, generated(table)));
    check(&PhaseTwo::over(table, CUBE3.loaded(table)));
    check(&PhaseTwo::over(table, CUBE3.stored(table)));
    check(&PhaseTwo::over(table, CUBE3.cached(table)));
}

#[test]
fn bounds_through_every_reader() {
    check_readers(tables::phase_two(Metric::Htm, false));
}

#[test]
#[ignore = "long suite: builds every table of the cube"]
fn bounds_and_distances_of_every_table_through_every_reader() {
    for table in tables::phase_two_tables().filter(|table| table.move_metric() == Metric::Htm) {
        check_readers(table);
    }
}

/// Solutions found by the bound alone, shortest because none shorter was found.
#[test]
fn shortest_solutions_by_the_bound() {
    let table = tables::phase_two(Metric::Htm, false);
    let table = PhaseTwo::over(table, CUBE3.cached(table));
    let ctx = Context::silent();
    let mut meter = SearchMeter::unlimited(&ctx);
    for answer in answers() {
        let solution =
            table.solve(&answer.h_position, 18, &mut || meter.visit()).expect("an answer").expect("a solution");
        assert_solves(&answer.position, &solution);
        assert!(solution.iter().all(|turn| turn.is_in_h()));
        assert_eq!(solution.len(), usize::from(answer.distance), "{}", facelets::print(&answer.position));
        let shorter = table.solve(&answer.h_position, answer.distance - 1, &mut || Ok(true)).expect("an answer");
        assert_eq!(shorter, None);
    }
    assert_eq!(table.solve(&PhaseTwoPosition::SOLVED, 18, &mut || Ok(true)).expect("an answer"), Some(Vec::new()));
    println!("100 positions solved by the bound with {} nodes", meter.nodes());
}

/// All shortest solutions: each replayed, no two the same, as many as counted.
#[test]
#[ignore = "long suite: builds every table of the cube"]
fn every_shortest_solution_in_h() {
    for metric in [Metric::Htm, Metric::Qtm] {
        let definition = tables::phase_two(metric, true);
        let table = PhaseTwo::over(definition, CUBE3.cached(definition));
        let (mut listed, mut most) = (0, 0);
        for answer in answers() {
            let distance = distance(&table, &answer).expect("an answer");
            let mut seen = std::collections::HashSet::new();
            for solution in table.solutions(&answer.h_position).expect("an exact table") {
                let solution: Vec<Move> = solution.expect("a solution");
                assert_eq!(metric.length(&solution), usize::from(distance));
                assert!(solution.iter().all(|turn| turn.is_in_h()));
                assert_solves(&answer.position, &solution);
                assert!(seen.insert(solution));
            }
            let count = table.count(&answer.h_position, &Context::silent()).expect("a count");
            assert!(count == seen.len() as u64 && count > 0, "{count} {}", seen.len());
            listed += count;
            most = most.max(count);
        }
        println!("{metric:?}: {listed} shortest solutions of 100 positions, at most {most} of one");
    }
}
