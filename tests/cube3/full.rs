//! Every table of the cube at full size: its numbers, its integrity, and that its entries agree with their neighbours.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twistbase::context::Context;
use twistbase::puzzle::cube3::coordinate::PhaseTwoPosition;
use twistbase::puzzle::cube3::{Cube, Metric, Move, random_cube, random_in_h};
use twistbase::query::cube3::{Cosets, FaceTurnOutcome, FaceTurnTable, PhaseTwo};
use twistbase::store::Entries;
use twistbase::tables::{self, Definition};

use super::coset::TRIVIAL;
use crate::support::count;
use crate::support::cube3::CUBE3;
use twistbase_testing::fuzz::is_full;

/// Every table of the cube but the pruning tables of which one is chosen. `huge` takes longer than all others together: only the
/// second tier of checks builds it.
pub fn all() -> impl Iterator<Item = &'static dyn Definition> {
    let tables = tables::all().iter().copied().filter(|table| table.puzzle() == "cube3" && table.facts().is_in_all);
    tables.filter(|table| is_built(table.layout().name))
}

fn is_built(table: &str) -> bool {
    is_full() || table != tables::huge().layout().name
}

#[test]
#[ignore = "long suite: builds every table of the cube"]
fn every_table_has_the_numbers_that_are_known() {
    for definition in all() {
        let table = CUBE3.stored(definition);
        let (layout, manifest) = (definition.layout(), table.manifest());
        let (name, expected) = (layout.name, definition.expected().expect("known"));
        assert_eq!(manifest.distribution, expected.positions, "{name}: {}", expected.source);
        assert_eq!(manifest.entries_by_level.iter().sum::<u64>(), layout.entries(), "{name}");
        // Weights: the rows' counts add up to the table's, and to what the rows' entries stand for.
        let mut sums = [vec![0; expected.positions.len()], vec![0; expected.positions.len()]];
        for row in 0..layout.rows {
            let record = table.row_record(row).expect("a row");
            assert_eq!(record.levels.iter().sum::<u64>(), layout.row_entries(), "{name} {row}");
            assert_eq!(record.positions.iter().sum::<u64>(), definition.row_positions(row), "{name} {row}");
            for (sum, counts) in sums.iter_mut().zip([&record.levels, &record.positions]) {
                sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        }
        assert_eq!(sums, [&manifest.entries_by_level[..], &manifest.distribution[..]], "{name}");
        let mut faults = Vec::new();
        let verified = table.verify(&Context::silent(), &mut |fault| faults.push(fault)).expect("not interrupted");
        assert!(faults.is_empty(), "{name}: {faults:?}");
        assert_eq!((verified.rows, verified.faults), (layout.rows, 0));
        let (entries, positions) = (layout.entries(), expected.positions.iter().sum::<u64>());
        println!("{name}: {entries} entries, {positions} positions, {} bytes, verified", manifest.bytes);
    }
}

/// Random positions, the same in every run, on all threads.
fn random<T: Send>(count: u64, draw: impl Fn(&mut ChaCha8Rng) -> T + Sync, check: impl Fn(T) + Sync + Send) {
    const EACH: u64 = 500;
    (0..count.div_ceil(EACH)).into_par_iter().for_each(|part| {
        let mut rng = ChaCha8Rng::seed_from_u64(0x333_0000 + part);
        (0..EACH.min(count - part * EACH)).for_each(|_| check(draw(&mut rng)));
    });
}

fn in_h(rng: &mut ChaCha8Rng) -> PhaseTwoPosition {
    // Now and then a position near solved, which random ones are not.
    let position = match rng.random_range(0..4) {
        0 => {
            let moves: Vec<Move> = Move::all().filter(|turn| turn.is_in_h()).collect();
            let length = rng.random_range(0..12);
            (0..length).fold(Cube::SOLVED, |cube, _| cube.turned(moves[rng.random_range(0..moves.len())]))
        }
        _ => random_in_h(rng),
    };
    PhaseTwoPosition::of(&position).expect("a position in H")
}

fn anything(rng: &mut ChaCha8Rng) -> Cube {
    match rng.random_range(0..4) {
        0 => twistbase::puzzle::cube3::random_walk(rng, Metric::Htm, 6).1,
        1 => random_in_h(rng).turned(Move::from_index(rng.random_range(0..18)).expect("below 18")),
        _ => random_cube(rng),
    }
}

/// A move changes a distance by no more than it costs, and a position that is not solved has a neighbour that is nearer
/// by just that.
fn check_neighbours(name: &str, metric: Metric, distance: u8, moves: &[FaceTurnOutcome]) {
    let cost = |turn: Move| if metric == Metric::Qtm && turn.quarters() == 2 { 2i8 } else { 1 };
    for outcome in moves {
        let after = outcome.known_distance.distance().expect("of a complete table").moves();
        let change = outcome.change.expect("of a complete table");
        assert_eq!(i16::from(change), i16::from(after) - i16::from(distance), "{name}");
        assert!(change.abs() <= cost(outcome.turn), "{name}: {outcome:?} from {distance}");
        // Each quarter turn changes the parity.
        assert!(metric == Metric::Htm || name == "phase1-qtm" || (change - cost(outcome.turn)) % 2 == 0);
    }
    let nearer = moves.iter().any(|outcome| outcome.change == Some(-cost(outcome.turn)));
    assert_eq!(nearer, distance > 0, "{name}: {distance} {moves:?}");
}

#[test]
#[ignore = "long suite: builds every table of the cube"]
fn entries_agree_with_their_neighbours() {
    for definition in tables::phase_two_tables() {
        let table = PhaseTwo::over(definition, CUBE3.cached(definition));
        let (name, metric) = (definition.layout().name, definition.move_metric());
        random(count(4000, 20_000) as u64, in_h, |h_position| {
            let distance = table.distance(&h_position).expect("an answer").moves();
            check_neighbours(name, metric, distance, &table.moves(&h_position).expect("answers"));
        });
        println!("{name}: positions and their neighbours");
    }
    for definition in tables::subgroup_tables().filter(|table| is_built(table.layout().name)) {
        let table = Cosets::over(definition, CUBE3.cached(definition));
        let (name, metric) = (definition.layout().name, definition.move_metric());
        random(count(2000, 10_000) as u64, anything, |position| {
            let distance = table.distance(&position).expect("an answer").moves();
            check_neighbours(name, metric, distance, &table.moves(&position).expect("answers"));
        });
        println!("{name}: positions and their neighbours");
    }
}

/// Packed modulo 3, a distance is found by walking down; in nibbles by one look-up.
#[test]
#[ignore = "long suite: builds every table of the cube"]
fn distances_modulo_3_are_those_in_nibbles() {
    let of = |name: &str| tables::phase_two_tables().find(|table| table.layout().name == name);
    let [nibbles, mod3] = ["phase2", "phase2-kociemba"].map(|name| {
        let definition = of(name).expect("a registered table");
        PhaseTwo::over(definition, CUBE3.cached(definition))
    });
    let some = count(25_000, 250_000) as u64;
    random(some, in_h, |h_position| {
        let distance = nibbles.distance(&h_position).expect("an answer");
        assert_eq!(mod3.distance(&h_position).expect("an answer"), distance, "{h_position:?}");
        assert_eq!(
            mod3.bound(&h_position).expect("an answer").moves().min(16),
            nibbles.bound(&h_position).unwrap().moves()
        );
    });
    let of = |name: &str| tables::subgroup_tables().find(|table| table.layout().name == name);
    let open = |name| {
        let definition = of(name).expect("a registered table");
        Cosets::over(definition, CUBE3.cached(definition))
    };
    let [nibbles, mod3] = ["phase1", "phase1-kociemba"].map(open);
    random(some, anything, |position| {
        let distance = nibbles.distance(&position).expect("an answer");
        assert_eq!(mod3.distance(&position).expect("an answer"), distance, "{position:?}");
    });
    // The subgroup that `huge` leads to is part of H.
    if is_full() {
        let huge = open("huge");
        random(25_000, anything, |position| {
            let [least, distance] = [&nibbles, &huge].map(|table| table.distance(&position).expect("an answer"));
            assert!(least <= distance, "{position:?}");
        });
    }
    println!("{some} positions in each of phase2 and phase1");
}

/// The exact distance in H against the bound, and each reader against the others.
#[test]
#[ignore = "long suite: builds every table of the cube"]
fn exact_distances_are_not_less_than_bounds_in_either_metric() {
    for metric in [Metric::Htm, Metric::Qtm] {
        let [bounds, exact] = [false, true].map(|exact| {
            let definition = tables::phase_two(metric, exact);
            PhaseTwo::over(definition, CUBE3.cached(definition))
        });
        random(count(20_000, 200_000) as u64, in_h, |h_position| {
            let [bound, distance] = [&bounds, &exact].map(|table| table.distance(&h_position).expect("an answer"));
            assert!(bound <= distance, "{h_position:?}");
        });
    }
    // Half turns of the sides count two, those of U and D can be made of quarters: each metric bounds the other.
    let [half, quarter] = [Metric::Htm, Metric::Qtm].map(|metric| {
        let definition = tables::phase_two(metric, true);
        PhaseTwo::over(definition, CUBE3.cached(definition))
    });
    random(count(20_000, 100_000) as u64, in_h, |h_position| {
        let [half, quarter] = [&half, &quarter].map(|table| table.distance(&h_position).expect("an answer").moves());
        assert!(half <= quarter && quarter <= 2 * half, "{h_position:?}: {half} {quarter}");
    });
    let table = tables::phase_two(Metric::Htm, true);
    let (mapped, stored) = (CUBE3.cached(table), CUBE3.stored(table));
    random(2000, in_h, |h_position| {
        let (row, entry) = table.place(&h_position);
        assert_eq!(mapped.get(row, entry).expect("an answer"), stored.get(row, entry).expect("an answer"));
    });
}

/// What H holds by its own moves, and what the trivial coset holds by all moves of the cube: the same positions, of
/// which some are nearer by moves that leave H. The numbers agree up to distance 4, and differ from 5 on: 19,948
/// positions are 5 moves of H away, but 20,076 are 5 moves away.
#[test]
fn sums_of_h_and_of_the_trivial_coset_agree_up_to_distance_4() {
    let in_h = tables::phase_two(Metric::Htm, true).expected().expect("known").positions;
    assert_eq!(in_h.iter().sum::<u64>(), 19_508_428_800);
    assert_eq!(in_h[..5], TRIVIAL[..5]);
    let (mut by_h, mut by_all) = (0, 0);
    for (distance, (&h, all)) in in_h.iter().zip(TRIVIAL).enumerate() {
        (by_h, by_all) = (by_h + h, by_all + all);
        // What is so near by moves of H is so near by all moves.
        assert!(by_h <= by_all && (h != all) == (distance >= 5), "{distance}");
    }
}
