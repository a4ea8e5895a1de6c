//! The pruning tables for optimal solving: their numbers, and their values against plain searches.

use std::collections::HashMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twistbase::Kernel;
use twistbase::context::Context;
use twistbase::error::Error;
use twistbase::puzzle::cube3::coordinate::{CornerCosetClasses, SliceKind};
use twistbase::puzzle::cube3::{Cube, Move, Symmetry, random_cube};
use twistbase::query::cube3::Cosets;
use twistbase::store::{Entries, RamTable, Store};
use twistbase::tables::{self, BLOCK_ENTRIES, BuildRequest, Built, CosetTable, Definition, GenerateOptions, NxTable};

use crate::support::cube3::generated;

/// Entries of a block for which there is room.
const SLOTS: u64 = 64;

fn table(name: &str) -> &'static NxTable {
    tables::pruning_tables().find(|table| table.layout().name == name).expect("a table of that name")
}

/// The mean value of all cosets, each counted once: entries are weighted by how many corners their class stands for.
fn average(table: &NxTable, rows: &RamTable<Vec<u8>>) -> f64 {
    let blocks_of_class = table.class_entries() / SLOTS;
    let of_class = |bytes, (number, class): (u64, usize)| {
        let blocks = (number * blocks_of_class..(number + 1) * blocks_of_class).map(|block| {
            // The eighth of the blocks for the places of the middle edges has one entry less.
            let used = if block % 8 == 7 { BLOCK_ENTRIES - 1 } else { BLOCK_ENTRIES } as u64;
            (0..used).map(|slot| u64::from(table.value(bytes, block * SLOTS + slot))).sum::<u64>()
        });
        blocks.sum::<u64>() * CornerCosetClasses::get().classes()[class].size()
    };
    let of_row = |row: u32| {
        let bytes = rows.row(row).expect("a row");
        (0..).zip(table.classes_of_row(row)).map(|class| of_class(bytes, class)).sum::<u64>()
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

/// A table in memory, its distribution compared with what must come out.
fn built(table: &'static NxTable) -> RamTable<Vec<u8>> {
    let options = GenerateOptions { kernel: Kernel::detect(), memory: 8 << 30, scratch: Some(std::env::temp_dir()) };
    let mut found = table.generate(tables::BuildDepth::WHOLE, &options, &Context::silent()).expect("memory");
    assert_eq!(found.distribution(), table.expected().expect("known").positions, "{}", table.layout().name);
    let (mut rows, mut counts) = (Vec::new(), vec![0; usize::from(table.base()) + 4]);
    found
        .for_each_row(&mut |row, bytes, levels| {
            rows.push(bytes.to_vec());
            counts.iter_mut().zip(&levels.positions).for_each(|(sum, count)| *sum += count);
            assert_eq!(levels.positions.iter().sum::<u64>(), table.row_positions(row));
            Ok(())
        })
        .expect("rows");
    assert_eq!(counts, table.expected().expect("known").positions);
    RamTable::new(*table.layout(), rows).expect("rows of the layout")
}

/// Checks a table against its distribution, and its average against Rokicki's, who counted random positions.
fn check_numbers(table: &'static NxTable) -> RamTable<Vec<u8>> {
    let rows = built(table);
    let name = table.layout().name;
    let average = average(table, &rows);
    println!("{name}: average {average:.5}, published {:?}", table.known_average());
    assert!(table.known_average().is_some_and(|known| (known - average).abs() < 0.005), "{name}: {average}");
    assert!((average_of_random(table, &rows, 100_000) - average).abs() < 0.01, "{name}");
    rows
}

/// What a table tells apart.
fn coset(table: &NxTable, position: &Cube) -> (u8, [u8; 8], u16, u16, u16) {
    let (eo, ep) = table.edges();
    let upper = (0..).zip(position.corners()).fold(0, |mask, (place, &corner)| mask | u8::from(corner < 4) << place);
    (
        upper,
        *position.corner_orientations(),
        SliceKind::Places.rank(position.edges()),
        eo.rank(position),
        ep.rank(position),
    )
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

/// Entries are what positions say of themselves, and symmetric positions have entries of the same value.
fn check_images<E: Entries>(table: &'static NxTable, entries: &E) {
    let mut rng = ChaCha8Rng::seed_from_u64(16);
    for position in (0..2000).map(|_| random_cube(&mut rng)) {
        let class = |(row, entry): (u32, u64)| table.classes_of_row(row).nth((entry / table.class_entries()) as usize);
        let (place, value) = (table.place(&position), table.look_up(entries, &position).expect("an answer"));
        let stabiliser = CornerCosetClasses::get().classes()[class(place).expect("a class")].stabiliser;
        for image in Symmetry::keeping_axis().map(|symmetry| symmetry.of(&position)) {
            let other = table.place(&image);
            assert!(other == place || (class(other) == class(place) && stabiliser != 1));
            // The least of a block is that of other positions for each image.
            let other = table.look_up(entries, &image).expect("an answer");
            assert!(other == value || other.bound.max(value.bound) <= table.base(), "{value:?} {other:?}");
        }
    }
}

#[test]
fn values_near_solved_are_those_of_a_search() {
    for (name, depth) in [("nx-eo1-ep1-htm", 5), ("nx-eo1-ep1-qtm", 6)] {
        let table = table(name);
        let rows = generated(table);
        compare(table, &rows, depth);
        check_images(table, &rows);
        let bytes = rows.row(0).expect("a row");
        let mut rng = ChaCha8Rng::seed_from_u64(62);
        for position in (0..20_000).map(|_| random_cube(&mut rng)) {
            let (row, entry) = table.place(&position);
            let value = table.value(rows.row(row).expect("a row"), entry);
            assert_eq!(value, table.look_up(&rows, &position).expect("an answer").bound);
            assert!(value <= table.base() + 3);
        }
        assert_eq!(bytes.len(), table.layout().row_bytes());
    }
}

/// What is no distance is not given as one.
#[test]
fn bounds_are_not_taken_for_distances() {
    let table = table("nx-eo1-ep1-htm");
    let refused = Cosets::over(table, generated(table)).distance(&Cube::SOLVED);
    assert!(matches!(refused, Err(Error::Usage(_))), "{refused:?}");
}

/// With as little memory as it takes at all, the rows are in a scratch file.
#[test]
#[ignore = "tier two: builds a pruning table three times"]
fn full_a_scratch_file_makes_the_same_table() {
    let table = table("nx-eo1-ep1-htm");
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path());
    let build = |memory| {
        let request = BuildRequest { depth: None, force: true, memory, kernel: Kernel::detect() };
        tables::build(&store, table, &request, &Context::silent())
    };
    let digests = [table.working_set(), table.least_memory() + (1 << 20), table.least_memory()].map(|memory| {
        let Built::Now { manifest, .. } = build(memory).expect("the build") else { panic!("built by force") };
        manifest.digest
    });
    assert!(digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
    assert!(matches!(build(table.least_memory() - 1), Err(Error::Memory(_))));
}

#[test]
#[ignore = "tier two: builds pruning tables of up to half a gigabyte"]
fn full_larger_tables_have_the_numbers_that_are_known() {
    for name in ["nx-eo2-ep1-htm", "nx-eo2-ep1-qtm", "nx-eo1-ep2-htm"] {
        let rows = check_numbers(table(name));
        compare(table(name), &rows, 5);
        check_images(table(name), &rows);
    }
}
