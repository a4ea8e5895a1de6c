//! The pruning tables for optimal solving: their numbers, and their values against plain searches.

use std::collections::HashMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::levelset::{Kernel, Options};
use twistbase::puzzle::cube3::coordinate::{CornerCosetClasses, EoKind, EpKind, SliceKind};
use twistbase::puzzle::cube3::{Cube, Move, Symmetry, random_cube};
use twistbase::query::cube3::Cosets;
use twistbase::store::{Entries, RamTable, Store};
use twistbase::tables::{self, BLOCK_ENTRIES, BuildRequest, Built, CosetTable, Definition, NX_TABLES, NxTable};

use crate::support::cube3::{CUBE3, generated};

/// Entries of a block for which there is room.
const SLOTS: u64 = 64;

fn table(name: &str) -> &'static NxTable {
    NX_TABLES.into_iter().find(|table| table.layout().name == name).expect("a table of that name")
}

/// The mean value of all cosets, each counted once: entries are weighted by how many corners their row stands for.
fn average(table: &NxTable, rows: &RamTable<Vec<u8>>) -> f64 {
    let of_row = |row: u32| {
        let bytes = rows.row(row).expect("a row");
        let blocks = (0..table.layout().row_entries() / SLOTS).map(|block| {
            // The eighth of the blocks for the places of the middle edges has one entry less.
            let used = if block % 8 == 7 { BLOCK_ENTRIES - 1 } else { BLOCK_ENTRIES } as u64;
            (0..used).map(|slot| u64::from(table.value(bytes, block * SLOTS + slot))).sum::<u64>()
        });
        blocks.sum::<u64>() * CornerCosetClasses::get().classes()[row as usize].size()
    };
    let sum: u64 = (0..table.layout().rows).into_par_iter().map(of_row).sum();
    sum as f64 / table.positions() as f64
}

/// The mean value of random positions.
fn average_of_random<E: Entries>(table: &NxTable, entries: &E, count: u64) -> f64 {
    const EACH: u64 = 1000;
    let of_part = |part| {
        let mut rng = ChaCha8Rng::seed_from_u64(0x4e58_0000 + part);
        let value = |_| u64::from(table.look_up(entries, &random_cube(&mut rng)).expect("an answer").bound);
        (0..EACH).map(value).sum::<u64>()
    };
    (0..count / EACH).into_par_iter().map(of_part).sum::<u64>() as f64 / count as f64
}

/// Checks a table against its distribution, and its average against Rokicki's, who counted random positions.
fn check_numbers(table: &'static NxTable) -> RamTable<Vec<u8>> {
    let rows = generated(table);
    let name = table.layout().name;
    let average = average(table, &rows);
    println!("{name}: average {average:.5}, published {:?}", table.known_average());
    assert!(table.known_average().is_some_and(|known| (known - average).abs() < 0.002), "{name}: {average}");
    assert!((average_of_random(table, &rows, 100_000) - average).abs() < 0.01, "{name}");
    rows
}

/// What a table tells apart.
fn coset(table: &NxTable, position: &Cube) -> (u8, [u8; 8], u16, u16, u16) {
    let (eo, ep) = table.edges();
    let upper = (0..).zip(position.corners()).fold(0, |mask, (place, &corner)| mask | u8::from(corner < 4) << place);
    (upper, *position.twists(), SliceKind::Places.rank(position.edges()), eo.rank(position), ep.rank(position))
}

/// Compares values with a search over positions: of each coset that is met, the first position is the nearest.
fn compare<E: Entries>(table: &'static NxTable, entries: &E, depth: u8) {
    let moves: Vec<Move> = table.move_metric().moves().collect();
    let mut known = HashMap::from([(coset(table, &Cube::SOLVED), 0)]);
    let (mut level, mut low) = (vec![Cube::SOLVED], 0);
    for distance in 1..=depth {
        let all = level.iter().flat_map(|position| moves.iter().map(|&turn| position.turned(turn)));
        level = all
            .filter(|position| {
                let entry = known.entry(coset(table, position));
                let is_new = matches!(entry, std::collections::hash_map::Entry::Vacant(_));
                entry.or_insert(distance);
                is_new
            })
            .collect();
        for position in &level {
            let value = table.look_up(entries, position).expect("an answer");
            assert!(value.bound <= distance && (!value.is_exact || value.bound == distance), "{value:?} {distance}");
            assert!(!table.is_reached(position));
            low += u64::from(value.bound < distance);
        }
    }
    // Blocks are small enough that most of the least values are those of others.
    println!("{}: {} cosets, {low} told by a lesser bound", table.layout().name, known.len());
}

#[test]
fn the_smallest_table_has_the_numbers_that_are_known() {
    for name in ["nx-eo1-ep1-htm", "nx-eo1-ep1-qtm"] {
        check_numbers(table(name));
    }
}
