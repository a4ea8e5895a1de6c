//! Distances by all moves, and the moves that lead nearer, against a plain search from solved.

use std::collections::HashMap;

use twistbase::database::{Answer, Cube3Answer, ExactReport, ExactSearch, SearchBudget};
use twistbase::puzzle::cube3::notation::{parse_sequence, reid};
use twistbase::puzzle::cube3::{Cube, Metric, Move};
use twistbase::{Context, Database, Puzzle, Question};

use crate::support::CUBE3;

/// The positions up to a distance, and their distances.
fn near(metric: Metric, depth: u8) -> HashMap<Cube, u8> {
    let mut found = HashMap::from([(Cube::SOLVED, 0)]);
    for distance in 0..depth {
        let level: Vec<Cube> = found.iter().filter(|&(_, &at)| at == distance).map(|(&cube, _)| cube).collect();
        let single = Move::all().filter(|&turn| metric.cost(turn) == 1);
        for next in level.iter().flat_map(|cube| single.clone().map(|turn| cube.turned(turn))) {
            found.entry(next).or_insert(distance + 1);
        }
    }
    found
}

fn ask(metric: Metric, exact: ExactSearch, positions: &[&Cube]) -> Vec<ExactReport> {
    let question = Question { metric: Some(metric.into()), exact: Some(exact), ..Question::default() };
    let cube = Database::open(CUBE3.as_path()).unwrap().cube3();
    let prepared = cube.prepare(&question, &Context::silent()).unwrap();
    let ask = |position: &&Cube| match prepared.query(&reid::print(position), &Context::silent()).unwrap() {
        Answer::Cube3(Cube3Answer { exact: Some(exact), .. }) => exact,
        other => panic!("{other:?}"),
    };
    positions.iter().map(ask).collect()
}

#[test]
fn near_positions_and_their_moves_are_those_of_a_plain_search() {
    for (metric, depth) in [(Metric::Htm, 3), (Metric::Qtm, 4)] {
        let distances = near(metric, depth);
        // Neighbours of the last level are not there.
        let mut positions: Vec<&Cube> = distances.keys().collect();
        positions.sort_unstable_by_key(|&position| (distances[position], *position));
        let positions: Vec<&Cube> =
            positions.iter().copied().take(60).chain(positions.iter().copied().step_by(41)).collect();
        for exact in [ExactSearch::WhereCheap, ExactSearch::Within(SearchBudget::default())] {
            for (&position, report) in positions.iter().zip(ask(metric, exact, &positions)) {
                let distance = distances[position];
                let leads = |turn: &Move| {
                    distances.get(&position.turned(*turn)).is_some_and(|after| after + metric.cost(*turn) == distance)
                };
                assert_eq!((report.distance, report.at_least), (Some(distance), distance));
                assert_eq!(report.nearer, Some(Move::all().filter(leads).collect()), "{}", reid::print(position));
                let solution = parse_sequence(&report.solution.unwrap()).unwrap();
                assert!(solution.apply(position).is_solved() && solution.length(metric) == usize::from(distance));
            }
        }
    }
}

#[test]
fn what_is_cheap_has_the_same_answer_every_time() {
    let superflip = parse_sequence("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2").unwrap().apply(&Cube::SOLVED);
    let [first, again] = [(); 2].map(|()| ask(Metric::Htm, ExactSearch::WhereCheap, &[&superflip]));
    assert_eq!(first, again);
    assert!(first[0].distance.is_none() && first[0].solution.is_none() && first[0].nearer.is_none());
    assert!((10..=20).contains(&first[0].at_least), "{first:?}");
}

#[test]
fn an_interrupt_leaves_the_bound() {
    let cube = Database::open(CUBE3.as_path()).unwrap().cube3();
    let within = ExactSearch::Within(SearchBudget::default());
    let question = Question { exact: Some(within), ..Question::default() };
    let prepared = cube.prepare(&question, &Context::silent()).unwrap();
    let cancelled = Context::silent();
    cancelled.cancel();
    match prepared.query("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2", &cancelled).unwrap() {
        Answer::Cube3(Cube3Answer { exact: Some(exact), .. }) => {
            assert!(exact.distance.is_none() && exact.at_least > 8)
        }
        other => panic!("{other:?}"),
    }
}
