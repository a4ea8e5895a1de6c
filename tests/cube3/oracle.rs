//! Plain breadth-first search over positions, against the tables.

use std::collections::HashMap;
use std::hash::Hash;

use twistbase::puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase::puzzle::cube3::{Cube, EDGES, Metric, Move};
use twistbase::query::cube3::{Cosets, PhaseTwo};
use twistbase::store::Entries;
use twistbase::tables::{self, CosetTable, Definition};

use crate::support::cube3::CUBE3;

/// How many moves of a metric a turn is.
fn cost(metric: Metric, turn: Move) -> u8 {
    if metric == Metric::Qtm && turn.quarters() == 2 { 2 } else { 1 }
}

/// Distances up to `depth` of what `key` tells apart, each with a position that is so near, by making every move
/// everywhere.
fn search<K: Hash + Eq>(moves: &[Move], metric: Metric, depth: u8, key: impl Fn(&Cube) -> K) -> HashMap<K, (u8, Cube)> {
    let mut known = HashMap::from([(key(&Cube::SOLVED), (0, Cube::SOLVED))]);
    let mut levels = vec![vec![Cube::SOLVED]];
    for distance in 1..=depth {
        let mut next = Vec::new();
        for &turn in moves {
            let Some(from) = distance.checked_sub(cost(metric, turn)) else { continue };
            for position in levels[usize::from(from)].iter().map(|position| position.turned(turn)) {
                known.entry(key(&position)).or_insert_with(|| {
                    next.push(position);
                    (distance, position)
                });
            }
        }
        levels.push(next);
    }
    known
}

fn h_moves() -> Vec<Move> {
    Move::all().filter(|turn| turn.is_in_h()).collect()
}

/// How many are at each distance.
fn counts<K>(known: &HashMap<K, (u8, Cube)>) -> Vec<u64> {
    let mut counts = Vec::new();
    for &(distance, _) in known.values() {
        let distance = usize::from(distance);
        counts.resize(counts.len().max(distance + 1), 0);
        counts[distance] += 1;
    }
    counts
}

/// The first numbers of what is expected of a table.
fn expected(table: &dyn Definition, levels: usize) -> &'static [u64] {
    let table = tables::find(table.layout().name).expect("registered");
    &table.expected().expect("known").positions[..levels]
}

/// A position without its middle edges: what H' tells apart.
fn without_middle(position: &Cube) -> ([u8; 8], [u8; 8]) {
    (*position.corners(), std::array::from_fn(|place| position.edges()[place]))
}

/// A coset of H: corner orientations, edge orientations, and which places hold middle edges.
fn coset(position: &Cube) -> ([u8; 8], [u8; EDGES], [bool; EDGES]) {
    (*position.corner_orientations(), *position.edge_orientations(), position.edges().map(|edge| edge >= 8))
}

/// A coset that tells the middle edges apart, as `huge` does.
fn sorted_coset(position: &Cube) -> ([u8; 8], [u8; EDGES], [u8; EDGES]) {
    (
        *position.corner_orientations(),
        *position.edge_orientations(),
        position.edges().map(|edge| if edge >= 8 { edge } else { 0 }),
    )
}

/// Compares a table of positions in H with searches of H and of H'.
fn compare_h<E: Entries>(table: &PhaseTwo<E>, depth: u8) {
    let (definition, levels) = (table.definition(), usize::from(depth) + 1);
    let (metric, name) = (definition.move_metric(), definition.layout().name);
    let in_h = search(&h_moves(), metric, depth, |position| *position);
    let in_h_prime = search(&h_moves(), metric, depth, without_middle);
    assert_eq!(counts(&in_h), expected(tables::phase_two(metric, true), levels));
    assert_eq!(counts(&in_h_prime), expected(tables::phase_two(metric, false), levels));
    // The distance in H' is the least of those of its twelve positions in H.
    let mut least = HashMap::new();
    for (position, &(distance, _)) in &in_h {
        let nearest = least.entry(without_middle(position)).or_insert(distance);
        *nearest = distance.min(*nearest);
    }
    assert_eq!(least.len(), in_h_prime.len());
    for (position, &(distance, _)) in &in_h {
        let h_position = PhaseTwoPosition::of(position).expect("a position in H");
        let in_group = if definition.is_exact() { distance } else { in_h_prime[&without_middle(position)].0 };
        assert_eq!(least[&without_middle(position)], in_h_prime[&without_middle(position)].0);
        assert_eq!(table.distance(&h_position).expect("an answer").moves(), in_group, "{name} {position:?}");
        let bound = table.bound(&h_position).expect("an answer").moves();
        assert!(bound <= distance && (bound > 0 || position.is_solved()), "{name} {position:?} {bound}");
    }
    println!("{name}: {} positions up to distance {depth}", in_h.len());
}

/// Compares a table of cosets with a search of them.
fn compare_cosets<E: Entries, K: Hash + Eq>(table: &Cosets<E>, depth: u8, key: impl Fn(&Cube) -> K) {
    let definition = table.definition();
    let (metric, name) = (definition.move_metric(), definition.layout().name);
    let all: Vec<Move> = Move::all().collect();
    let known = search(&all, metric, depth, key);
    assert_eq!(counts(&known), expected(definition, usize::from(depth) + 1), "{name}");
    for &(distance, position) in known.values() {
        assert_eq!(table.distance(&position).expect("an answer").moves(), distance, "{name} {position:?}");
    }
    println!("{name}: {} cosets up to distance {depth}", known.len());
}

#[test]
fn positions_near_solved_in_h_and_without_the_middle_edges() {
    let table = tables::phase_two(Metric::Htm, false);
    compare_h(&PhaseTwo::over(table, CUBE3.cached(table)), 6);
}

/// The published numbers of both groups in quarter turns, where no table is at hand.
#[test]
fn numbers_of_positions_by_quarter_turns() {
    for exact in [false, true] {
        let key = |position: &Cube| if exact { position.edges()[8..].to_vec() } else { Vec::new() };
        let known = search(&h_moves(), Metric::Qtm, 9, |position| (without_middle(position), key(position)));
        assert_eq!(counts(&known), expected(tables::phase_two(Metric::Qtm, exact), 10), "{exact}");
    }
    let all: Vec<Move> = Move::all().collect();
    let known = search(&all, Metric::Qtm, 5, coset);
    assert_eq!(counts(&known), expected(tables::phase_one(Metric::Qtm), 6));
}

#[test]
fn cosets_near_h() {
    let table = tables::phase_one(Metric::Htm);
    compare_cosets(&Cosets::over(table, CUBE3.cached(table)), 5, coset);
}

#[test]
#[ignore = "tier two: builds every table of the cube"]
fn full_positions_near_solved_in_every_table() {
    for (table, depth) in tables::phase_two_tables().zip([6, 10, 6, 6, 10]) {
        compare_h(&PhaseTwo::over(table, CUBE3.cached(table)), depth);
    }
    for (table, depth) in tables::subgroup_tables().zip([5, 6, 5]) {
        compare_cosets(&Cosets::over(table, CUBE3.cached(table)), depth, coset);
    }
    let huge: &'static dyn CosetTable = tables::huge();
    compare_cosets(&Cosets::over(huge, CUBE3.cached(huge)), 5, sorted_coset);
}
