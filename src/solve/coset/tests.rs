//! Cosets solved to a few moves, by a table of which only what is near is made, compared with trying every move.

use std::collections::HashSet;
use std::time::Duration;

use super::*;
use crate::coset_moves::CosetMoves;
use crate::images::tests::position;
use crate::tests::{self, NearPositions};

/// As deep as all moves are tried.
const DEPTH: u8 = 4;

type NearCosetSolver = CosetSolver<&'static [u8]>;

fn to_depth(mode: CosetMode, depth: u8) -> CosetOptions {
    CosetOptions { mode, search_depth: depth, depth, ..CosetOptions::default() }
}

fn solver(options: CosetOptions) -> NearCosetSolver {
    CosetSolver::new(tests::phase1(Metric::Htm), options).unwrap()
}

/// Solves the coset of a position, and checks that its levels are told in order.
fn solve(solver: &mut NearCosetSolver, of: &Cube, weights: Option<&CosetWeights>) -> CosetResult {
    let mut depths = Vec::new();
    let mut tell = |event: CosetEvent<'_>| {
        if let CosetEvent::Level(level) = event {
            depths.push(level.depth);
        }
        Ok(())
    };
    let result = solver.solve(of, weights, &Context::silent(), &mut tell).unwrap();
    assert!(result.levels.iter().map(|level| level.depth).eq(depths));
    result
}

/// First depth, and positions at each from there.
fn positions(result: &CosetResult) -> (u8, Vec<u64>) {
    (result.levels[0].depth, result.levels.iter().map(|level| level.positions.unwrap()).collect())
}

/// The same by trying every move.
fn expected(ball: &NearPositions, of: &Cube) -> (u8, Vec<u64>) {
    let moves = CosetMoves::get();
    let mut counts = vec![0; usize::from(DEPTH) + 1];
    let of_coset = ball.positions().filter(|(position, _)| moves.coset(position) == moves.coset(of));
    of_coset.for_each(|(_, distance)| counts[usize::from(distance)] += 1);
    let first = counts.iter().position(|&count| count > 0).unwrap();
    (first as u8, counts.split_off(first))
}

#[test]
fn every_mode_counts_what_every_move_reaches() {
    let ball = NearPositions::new(Metric::Htm, DEPTH);
    let weights = CosetWeights::uniform(3);
    for mode in [CosetMode::Set, CosetMode::Bitmap, CosetMode::Fast] {
        let mut solver = solver(to_depth(mode, DEPTH));
        // One after the other: nothing is left of the one before.
        for moves in ["", "R U2", "F", "R U F'"] {
            let of = position(moves);
            let weights = Some(&weights).filter(|_| moves == "R U2");
            let result = solve(&mut solver, &of, weights);
            assert_eq!(positions(&result), expected(&ball, &of), "{mode:?} {moves:?}");
            let total: u64 = positions(&result).1.iter().sum();
            assert_eq!((result.exact_to, result.remaining), (Some(DEPTH), CosetOfH::POSITIONS - total));
            for level in &result.levels {
                let weighted = level.positions.filter(|_| weights.is_some()).map(|positions| 3 * positions);
                assert_eq!(level.weighted, weighted, "{mode:?} {moves:?}");
                assert!(
                    level.exact && level.searched && !level.ended_early && level.sequences >= level.positions.unwrap()
                );
            }
        }
    }
}

/// The positions of the trivial coset within five moves, counted by Rokicki.
#[test]
fn the_trivial_coset_is_as_it_is_known() {
    let result = solve(&mut solver(to_depth(CosetMode::Bitmap, 5)), &Cube::SOLVED, None);
    assert_eq!(positions(&result), (0, vec![1, 10, 67, 456, 3079, 20_076]));
    assert!(result.levels.iter().all(|level| level.weighted.is_none()));
}

#[test]
fn what_was_reached_is_visited() {
    let (ball, of) = (NearPositions::new(Metric::Htm, DEPTH), position("R U2"));
    let mut solver = solver(to_depth(CosetMode::Set, DEPTH));
    let result = solve(&mut solver, &of, None);
    let mut visited = HashSet::new();
    let mut visit = |position: &Cube| {
        visited.insert(*position);
        Ok(())
    };
    solver.for_each_reached(&of, &Context::silent(), &mut visit).unwrap();
    let moves = CosetMoves::get();
    let of_coset = ball.positions().filter(|(position, _)| moves.coset(position) == moves.coset(&of));
    assert_eq!(visited, of_coset.map(|(position, _)| *position).collect::<HashSet<_>>());
    assert_eq!(visited.len() as u64, CosetOfH::POSITIONS - result.remaining);
}

/// The last level ends as soon as there are more positions than are wanted, and is then not exact.
#[test]
fn a_level_ends_early_where_positions_are_enough() {
    for mode in [CosetMode::Set, CosetMode::Bitmap] {
        let options = CosetOptions { stop_at: Some(1000), ..to_depth(mode, DEPTH) };
        let result = solve(&mut solver(options), &Cube::SOLVED, None);
        let last = result.levels.last().unwrap();
        assert_eq!((last.total, last.ended_early, last.exact), (Some(1001), true, false));
        assert_eq!((result.exact_to, result.remaining), (Some(DEPTH - 1), CosetOfH::POSITIONS - 1001));
        // Where there are more before, it is not even begun; where there are fewer, it is searched to its end.
        for (stop_at, total, exact_to) in [(500, 534, DEPTH - 1), (3613, 3613, DEPTH)] {
            let options = CosetOptions { stop_at: Some(stop_at), ..to_depth(mode, DEPTH) };
            let result = solve(&mut solver(options), &Cube::SOLVED, None);
            assert_eq!(result.levels.last().unwrap().total, Some(total), "{stop_at}");
            assert_eq!(result.exact_to, Some(exact_to), "{stop_at}");
        }
    }
}

#[test]
fn a_set_that_outgrows_its_memory_is_refused() {
    let memory = 600 * FoundPositions::BYTES_OF_POSITION;
    let within = solve(&mut solver(CosetOptions { memory, ..to_depth(CosetMode::Set, 3) }), &Cube::SOLVED, None);
    assert_eq!(positions(&within).1.iter().sum::<u64>(), 534);
    let mut solver = solver(CosetOptions { memory, ..to_depth(CosetMode::Set, DEPTH) });
    let outgrown = solver.solve(&Cube::SOLVED, None, &Context::silent(), &mut |_| Ok(()));
    assert!(matches!(outgrown, Err(Error::Memory(_))), "{outgrown:?}");
}

/// A search that was interrupted goes on from its checkpoint, and one of something else does not.
#[test]
fn a_checkpoint_is_of_a_position_options_and_weights() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = CosetCheckpoint { folder: folder.path().to_path_buf(), every: Duration::ZERO };
    let file = checkpoint.file(CosetOfH::of(&Cube::SOLVED));
    let options = |depth| CosetOptions { checkpoint: Some(checkpoint.clone()), ..to_depth(CosetMode::Bitmap, depth) };
    let mut tell = |event: CosetEvent<'_>| match event {
        CosetEvent::Level(level) if level.depth == 3 => Err(Error::Interrupted),
        _ => Ok(()),
    };
    let interrupted = solver(options(DEPTH)).solve(&Cube::SOLVED, None, &Context::silent(), &mut tell);
    assert!(matches!(interrupted, Err(Error::Interrupted)) && file.exists());
    let saved = std::fs::read(&file).unwrap();
    let weights = CosetWeights::uniform(2);
    let others = [
        (options(DEPTH - 1), Cube::SOLVED, None),
        (CosetOptions { stop_at: Some(1000), ..options(DEPTH) }, Cube::SOLVED, None),
        (CosetOptions { list_from: Some(20), ..options(DEPTH) }, Cube::SOLVED, None),
        (options(DEPTH), position("U"), None),
        (options(DEPTH), Cube::SOLVED, Some(&weights)),
    ];
    for (options, of, weights) in others {
        let words = format!("{options:?}");
        // What would be listed has no end.
        let mut tell = |event: CosetEvent<'_>| match event {
            CosetEvent::Remaining(_) => Err(Error::Interrupted),
            CosetEvent::Level(_) => Ok(()),
        };
        let refused = solver(options).solve(&of, weights, &Context::silent(), &mut tell);
        assert!(matches!(refused, Err(Error::Usage(_))), "{words}: {refused:?}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), saved, "nobody else changes it");
    let mut solver = solver(options(DEPTH));
    let result = solve(&mut solver, &Cube::SOLVED, None);
    assert_eq!(positions(&result), (0, vec![1, 10, 67, 456, 3079]));
    assert_eq!(result.exact_to, Some(DEPTH));
    // The solver leaves it; whoever has the result removes it.
    checkpoint.remove(CosetOfH::of(&Cube::SOLVED)).unwrap();
    assert!(!file.exists() && checkpoint.remove(CosetOfH::of(&Cube::SOLVED)).is_ok());
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let checkpoint = CosetCheckpoint { folder: "x".into(), every: Duration::ZERO };
    for options in [
        CosetOptions { search_depth: 5, ..to_depth(CosetMode::Fast, DEPTH) },
        to_depth(CosetMode::Set, CosetOptions::DEEPEST + 1),
        CosetOptions { bound_20: true, ..to_depth(CosetMode::Bitmap, DEPTH) },
        CosetOptions { checkpoint: Some(checkpoint), ..to_depth(CosetMode::Set, DEPTH) },
    ] {
        let words = format!("{options:?}");
        let refused = CosetSolver::new(tests::phase1(Metric::Htm), options);
        assert!(matches!(refused.map(drop), Err(Error::Usage(_))), "{words}");
    }
    let few = CosetOptions { memory: 1 << 20, ..to_depth(CosetMode::Bitmap, DEPTH) };
    assert!(matches!(CosetSolver::new(tests::phase1(Metric::Htm), few).map(drop), Err(Error::Memory(_))));
    let short = CosetSolver::new(&tests::phase1(Metric::Htm)[1..], to_depth(CosetMode::Set, DEPTH));
    assert!(matches!(short.map(drop), Err(Error::Usage(_))));
    // To show that 20 moves suffice, it is searched to 16; nothing follows a search but in the fast mode.
    let bound =
        CosetOptions { bound_20: true, stop_at: Some(7), ..to_depth(CosetMode::Fast, DEPTH) }.checked().unwrap();
    assert_eq!((bound.search_depth, bound.depth, bound.stop_at, bound.count_after_search), (16, 20, None, false));
    let slow = CosetOptions { depth: 9, ..to_depth(CosetMode::Bitmap, DEPTH) }.checked().unwrap();
    assert_eq!(slow.depth, DEPTH);
}

/// The shortest sequences into cosets near H are as long as the cosets are far, and lead there.
#[test]
fn sequences_lead_into_cosets() {
    let solver = solver(to_depth(CosetMode::Set, DEPTH));
    let ball = NearPositions::new(Metric::Htm, 3);
    let cosets: HashSet<CosetOfH> = ball.positions().map(|(position, _)| CosetOfH::of(position)).collect();
    assert!(cosets.len() > 40);
    for coset in cosets {
        let nearest = ball.positions().filter(|(position, _)| CosetOfH::of(position) == coset).map(|(_, d)| d).min();
        let sequence = solver.sequence_into(coset).unwrap();
        assert_eq!(Some(solver.distance(coset)), nearest);
        assert_eq!(sequence.length(Metric::Htm), usize::from(solver.distance(coset)));
        assert_eq!(CosetOfH::of(&sequence.apply(&Cube::SOLVED)), coset);
    }
}
