//! The 2×2×2 cube of pieces and its tables against the corners of a cube of stickers, which knows nothing of pieces.

use std::collections::{BTreeSet, HashMap};
use std::thread;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use twistbase::Kernel;
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::puzzle::cube2::{Cube2Position, notation, random_cube2, random_walk};
use twistbase::puzzle::cube3::{Metric, Move, MoveSequence};
use twistbase::query::{DeepRequest, DefinedDistances, verify_deep};
use twistbase::store::{Entries, RamTable, Store};
use twistbase::tables::{self, Definition, cube2_place};

use crate::cli::cube2::CUBE2;
use crate::support::cube3::generated;
use twistbase_testing::stickers::{Stickers, corner_facelets};

const METRICS: [Metric; 2] = [Metric::Htm, Metric::Qtm];

fn position(text: &str) -> Cube2Position {
    notation::parse_position(text).unwrap().0
}

fn table(metric: Metric) -> DefinedDistances<RamTable<Vec<u8>>> {
    DefinedDistances::over(tables::cube2(metric), generated(tables::cube2(metric)))
}

/// The turns of U, R and F.
fn turns() -> impl Iterator<Item = Move> {
    Move::all().take(9)
}

#[test]
fn turns_do_the_same_to_pieces_and_stickers() {
    let mut rng = ChaCha8Rng::seed_from_u64(54);
    for metric in METRICS {
        for length in 0..100 {
            let (sequence, cube) = random_walk(&mut rng, metric, length);
            assert_eq!(notation::print(&cube), corner_facelets(&Stickers::after(&sequence.to_string())), "{sequence}");
        }
    }
    for turn in turns() {
        assert_eq!(position(&turn.to_string()), Cube2Position::SOLVED.turned(turn));
    }
}

#[test]
fn every_sequence_leads_to_the_same_position_however_the_cube_is_held_then() {
    let letters: Vec<_> = "URFDLBurfdlbxyz".chars().collect();
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let every = letters.iter().flat_map(|letter| ["", "2", "'"].map(|suffix| format!("{letter}{suffix}")));
    let random = (0..500).map(|_| {
        let moves = (0..20)
            .map(|_| format!("{}{}", letters.choose(&mut rng).unwrap(), ["", "2", "'"].choose(&mut rng).unwrap()));
        moves.collect::<Vec<_>>().join(" ")
    });
    for sequence in every.collect::<Vec<_>>().into_iter().chain(random) {
        let stickers = corner_facelets(&Stickers::after(&sequence));
        assert_eq!(position(&sequence), position(&stickers), "{sequence}");
    }
}

#[test]
fn the_distributions_are_those_published() {
    for metric in METRICS {
        let (table, entries) = (table(metric), generated(tables::cube2(metric)));
        let mut counts = vec![0; table.definition().expected().unwrap().positions.len()];
        for row in 0..table.definition().layout().rows {
            for entry in 0..table.definition().layout().row_entries() {
                counts[usize::from(entries.get(row, entry).unwrap())] += 1;
            }
        }
        assert_eq!(counts, table.definition().expected().unwrap().positions);
    }
}

/// All sequences of up to `most` moves in which no face turns twice in a row, by the facelets that they lead to and
/// their length.
fn sequences(metric: Metric, most: usize) -> HashMap<String, HashMap<usize, Vec<MoveSequence>>> {
    let mut all = vec![Vec::new()];
    let mut found: HashMap<String, HashMap<usize, Vec<MoveSequence>>> = HashMap::new();
    while let Some(moves) = all.pop() {
        let sequence = MoveSequence::new(moves.clone());
        let length = sequence.length(metric);
        let facelets = corner_facelets(&Stickers::after(&sequence.to_string()));
        found.entry(facelets).or_default().entry(length).or_default().push(sequence);
        let longer = turns().filter(|turn| moves.last().is_none_or(|last: &Move| last.face() != turn.face()));
        let longer = longer.map(|turn| [&moves[..], &[turn]].concat());
        all.extend(longer.filter(|longer| metric.length(longer) <= most));
    }
    found
}

#[test]
fn solutions_of_near_positions_are_all_that_stickers_have() {
    for (metric, most) in [(Metric::Htm, 4), (Metric::Qtm, 5)] {
        let table = table(metric);
        let found = sequences(metric, most);
        let near: u64 = table.definition().expected().unwrap().positions[..=most].iter().sum();
        assert_eq!(found.len() as u64, near);
        for (facelets, by_length) in found {
            let (distance, there) = by_length.iter().min_by_key(|(length, _)| **length).unwrap();
            let position = cube2_place(&position(&facelets));
            assert_eq!(usize::from(table.distance(position).unwrap().moves()), *distance, "{facelets}");
            let expected: BTreeSet<String> = there.iter().map(|sequence| sequence.inverse().to_string()).collect();
            let solutions = table.solutions(position).unwrap().map(|turns| table.text(&turns.unwrap()));
            let solutions: Vec<String> = solutions.collect();
            assert_eq!(table.count(position, &Context::silent()).unwrap(), solutions.len() as u64);
            assert_eq!(solutions.len(), expected.len(), "{facelets}");
            assert_eq!(BTreeSet::from_iter(solutions), expected, "{facelets}");
        }
    }
}

/// Far positions: every solution that is listed solves, and they are as many as are counted and all different.
#[test]
fn solutions_of_random_positions_solve_the_stickers() {
    let mut rng = ChaCha8Rng::seed_from_u64(200);
    for metric in METRICS {
        let table = table(metric);
        for cube in (0..100).map(|_| random_cube2(&mut rng)) {
            let (at, turns) = (cube2_place(&cube), turns().collect::<Vec<_>>());
            let distance = usize::from(table.distance(at).unwrap().moves());
            let sequence =
                |solution: Vec<usize>| MoveSequence::new(solution.into_iter().map(|turn| turns[turn]).collect());
            let solutions = table.solutions(at).unwrap().map(|solution| sequence(solution.unwrap()));
            let solutions: Vec<MoveSequence> = solutions.collect();
            for solution in &solutions {
                // What undoes the solution leads to the position, on stickers.
                let scramble = Stickers::after(&solution.inverse().to_string());
                assert_eq!(corner_facelets(&scramble), notation::print(&cube), "{solution}");
                assert_eq!(solution.length(metric), distance);
            }
            let different: BTreeSet<String> = solutions.iter().map(ToString::to_string).collect();
            assert_eq!(table.count(at, &Context::silent()).unwrap(), different.len() as u64);
            assert_eq!(different.len(), solutions.len());
            let nearer = table.moves(at, table.distance(at).unwrap()).unwrap();
            assert!(distance == 0 || nearer.iter().any(|(_, after)| usize::from(after.moves()) + 1 == distance));
        }
    }
}

/// However many positions are asked for, what is kept of them is bounded, and an interrupt is heard.
#[test]
fn a_deep_check_without_end_is_interrupted() {
    let (store, ctx) = (Store::open(CUBE2.as_path()), Context::silent());
    let request = DeepRequest { rows: None, positions: u64::MAX, seed: 1, memory: 0, kernel: Kernel::detect() };
    let checked = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            ctx.cancel();
        });
        verify_deep(&store, tables::cube2(Metric::Htm), &request, &ctx, &mut |error| panic!("{error}"))
    });
    assert!(matches!(checked, Err(Error::Interrupted)), "{checked:?}");
}
