//! The cover and its weights with the solver: levels of the whole cube.

use std::collections::{BTreeSet, HashSet};

use twistbase::cache::CacheMode;
use twistbase::context::Context;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::{Cover, Cube, Metric, Move, Symmetry};
use twistbase::solve::{CosetOptions, CosetSolver, CosetWeights, TableBytes};
use twistbase::store::Store;
use twistbase::tables::{self, Definition};

use crate::support::CUBE3;

/// Positions at each distance from solved (Rokicki, Kociemba, Davidson and Dethridge).
const POSITIONS: [u64; 6] = [1, 18, 243, 3240, 43_239, 574_908];

/// The cosets of the cover in which some image of a position of at most `depth` moves is.
fn cosets_within(depth: usize) -> BTreeSet<u32> {
    let mut seen = HashSet::from([Cube::SOLVED]);
    let mut level = vec![Cube::SOLVED];
    for _ in 0..depth {
        let next = level.iter().flat_map(|position| Move::all().map(|turn| position.turned(turn)));
        level = next.filter(|&position| seen.insert(position)).collect();
    }
    // The images along the three axes: the other symmetries lead to the same cosets.
    let axes = [0, 16, 32].map(Symmetry::from_index);
    let numbers =
        seen.iter().flat_map(|position| axes.map(|axis| Cover::get().number(CosetOfH::of(&axis.of(position)))));
    numbers.flatten().collect()
}

/// All positions of the cube to a depth, by solving every coset of the cover that has any of them.
fn assert_levels(depth: u8) {
    let store = Store::open(CUBE3.as_path());
    let layout = tables::phase_one(Metric::Htm).layout();
    let phase1 = TableBytes::open(&store, layout, CacheMode::Off, &Context::silent()).expect("phase1");
    let options = CosetOptions { search_depth: depth, depth, ..CosetOptions::default() };
    let mut solver = CosetSolver::new(phase1, options).expect("a solver");
    let mut sums = vec![0u64; usize::from(depth) + 1];
    let cosets = cosets_within(depth.into());
    for &number in &cosets {
        let coset = Cover::get().coset(number).expect("in the cover");
        let representative = solver.sequence_into(coset).expect("a sequence").apply(&Cube::SOLVED);
        assert_eq!(CosetOfH::of(&representative), coset);
        let weights = CosetWeights::of_cover(&representative).expect("weights");
        let result =
            solver.solve(&representative, Some(&weights), &Context::silent(), &mut |_| Ok(())).expect("a result");
        for level in &result.levels {
            assert!(level.exact);
            sums[usize::from(level.depth)] += level.weighted.expect("weights");
        }
    }
    println!("depth {depth}: {} cosets of the cover have the positions {sums:?}", cosets.len());
    assert_eq!(sums, POSITIONS[..=usize::from(depth)]);
}

#[test]
fn cosets_of_the_cover_count_every_position_once() {
    assert_levels(2);
}

#[test]
#[ignore = "tier two: all cosets of the cover that have positions of at most 4 moves"]
fn full_cosets_of_the_cover_count_every_position_once_to_depth_4() {
    assert_levels(4);
}
