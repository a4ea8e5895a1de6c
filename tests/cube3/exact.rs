//! Distances by all moves, and the moves that lead nearer, against a plain search from solved.

use std::collections::HashMap;

use twistbase::database::{Answer, Cube3Answer, ExactSearch, FromSolved, SearchBudget};
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

fn ask(metric: Metric, exact: ExactSearch, positions: &[&Cube]) -> Vec<Cube3Answer> {
    let question = Question { metric: Some(metric.into()), exact: Some(exact), ..Question::default() };
    let cube = Database::open(CUBE3.as_path()).unwrap().cube3();
    let prepared = cube.prepare(&question, &Context::silent()).unwrap();
    let ask = |position: &&Cube| match prepared.query(&reid::print(position), &Context::silent()).unwrap() {
        Answer::Cube3(answer) => answer,
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
            for (&position, answer) in positions.iter().zip(ask(metric, exact, &positions)) {
                let distance = distances[position];
                for next in answer.moves.as_ref().unwrap() {
                    // What the plain search did not reach is farther than its depth.
                    let known = distances.get(&position.turned(next.r#move)).copied();
                    let FromSolved { distance, at_least } = next.from_solved;
                    assert!(at_least <= known.unwrap_or(u8::MAX), "{} {next:?}", reid::print(position));
                    assert!(distance.is_none_or(|told| known.map_or(told > depth, |known| known == told)), "{next:?}");
                }
                let report = answer.search.unwrap();
                assert_eq!(answer.from_solved, report.from_solved);
                let leads = |turn: &Move| {
                    distances.get(&position.turned(*turn)).is_some_and(|after| after + metric.cost(*turn) == distance)
                };
                assert_eq!(report.from_solved, FromSolved { distance: Some(distance), at_least: distance });
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
    let [first, again] = [first, again].map(|answers| answers.into_iter().next().unwrap().search.unwrap());
    assert_eq!(first, again);
    assert!(first.from_solved.distance.is_none() && first.solution.is_none() && first.nearer.is_none());
    assert!((10..=20).contains(&first.from_solved.at_least), "{first:?}");
}

#[test]
fn all_shortest_solutions_of_a_near_position_are_listed() {
    let cube = Database::open(CUBE3.as_path()).unwrap().cube3();
    for (metric, position, expected) in [
        (Metric::Htm, "R2 L2 U2 D2 F2 B2", 0),
        (Metric::Htm, "U2 D2 R2 L2", 2),
        (Metric::Qtm, "U2 R", 1),
        (Metric::Htm, "", 1),
    ] {
        let question = Question { metric: Some(metric.into()), solutions: true, ..Question::default() };
        let found = cube.solutions(position, &question, &Context::silent()).unwrap();
        let found: Vec<_> = found.map(|solution| solution.unwrap()).collect();
        let different: std::collections::BTreeSet<_> = found.iter().map(|solution| solution.moves()).collect();
        assert!(
            different.len() == found.len() && (found.len() == expected || expected == 0),
            "{position}: {different:?}"
        );
        let start = parse_sequence(position).unwrap().apply(&Cube::SOLVED);
        let [whole] = &ask(metric, ExactSearch::WhereCheap, &[&start])[..] else { panic!("one answer") };
        let search = whole.search.as_ref().unwrap();
        assert_eq!(search.solutions, Some(found.len() as u64), "{position}");
        for solution in &found {
            let moves = parse_sequence(solution.moves()).unwrap();
            assert!(moves.apply(&start).is_solved(), "{position}: {}", solution.moves());
            assert_eq!(Some(solution.length() as u8), whole.from_solved.distance, "{position}");
        }
        let limited = Question { limit: Some(1), ..question };
        assert_eq!(cube.solutions(position, &limited, &Context::silent()).unwrap().count(), 1);
    }
    let superflip = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
    let question = Question { solutions: true, ..Question::default() };
    let error = cube.solutions(superflip, &question, &Context::silent()).err().unwrap();
    assert!(error.to_string().contains("at least"), "{error}");
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
        Answer::Cube3(Cube3Answer { from_solved: FromSolved { distance, at_least }, .. }) => {
            assert!(distance.is_none() && at_least > 8)
        }
        other => panic!("{other:?}"),
    }
}
