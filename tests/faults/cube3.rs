//! Flipped bits of the cube's tables, whose cache is one file: nibbles in many rows, and digits in one.

use std::fs;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;
use twistbase::cache::{self, CacheMode, CachedTable};
use twistbase::context::Context;
use twistbase::error::{Class, Error};
use twistbase::store::{Entries, Store, TableLayout};
use twistbase::tables;

use super::cached_bytes;
use super::corruption::{Victim, faults, open};
use crate::support::cube3::CUBE3;

/// A table, complete, in a folder of its own, and what its entries must be.
struct Copied {
    dir: TempDir,
    store: Store,
    layout: TableLayout,
    right: Vec<u8>,
    rng: ChaCha8Rng,
}

impl Copied {
    fn new(name: &str) -> Self {
        let definition = tables::find(name).expect("a registered table");
        let (dir, layout) = (tempfile::tempdir().expect("a folder"), *definition.layout());
        let file = format!("{name}.redb");
        fs::copy(CUBE3.with(&[definition]).dir().expect("a folder").join(&file), dir.path().join(&file))
            .expect("a copy");
        let store = Store::open(dir.path());
        let table = store.table(&layout).expect("a table");
        let mut right = vec![0; layout.row_bytes() * layout.rows as usize];
        for (row, bytes) in (0..).zip(right.chunks_mut(layout.row_bytes())) {
            table.read_row(row, bytes).expect("a sound row");
        }
        Self { dir, store, layout, right, rng: ChaCha8Rng::seed_from_u64(60) }
    }

    fn row(&self, row: u32) -> &[u8] {
        &self.right[row as usize * self.layout.row_bytes()..][..self.layout.row_bytes()]
    }

    fn any_entry(&mut self) -> (u32, u64) {
        (self.rng.random_range(0..self.layout.rows), self.rng.random_range(0..self.layout.row_entries()))
    }

    fn right_value(&self, (row, entry): (u32, u64)) -> u8 {
        self.layout.packing.get(self.row(row), entry).expect("an entry")
    }

    /// Flips bits of the store's file. Whatever is read is right or refused, and what is refused `verify` finds, too.
    fn flip_store(&mut self, flips: usize) {
        let victim = Victim::new(self.dir.path().join(format!("{}.redb", self.layout.name)));
        // Much of a file is in reserve: nothing was written there.
        let bytes = victim.bytes();
        let is_used = |at: u64| bytes[at as usize / 4096 * 4096..].iter().take(4096).any(|&byte| byte != 0);
        let (mut refused, mut reported) = (0, 0);
        for _ in 0..flips {
            let bit = self.rng.random_range(0..8);
            let at = std::iter::repeat_with(|| self.rng.random_range(0..victim.len())).find(|&at| is_used(at));
            let at = at.expect("a table has bytes");
            victim.flip(at, bit);
            match open(self.dir.path(), &self.layout) {
                Ok(table) => {
                    let found = faults(&table);
                    // Where all of a segment is unreadable, its first page is named for all of its pages.
                    let is_known = |row: u32, page: u32| {
                        let segments = table.row_record(row).map(|record| &record.segments[..]).unwrap_or_default();
                        let segment = |page: u32| segments.partition_point(|&first| first <= page);
                        let names = |at: Option<u32>| at.is_none_or(|at| segment(at) == segment(page));
                        found.iter().any(|fault| fault.row.is_none_or(|r| r == row) && names(fault.page))
                    };
                    let places: Vec<_> = (0..300).map(|_| self.any_entry()).collect();
                    // And one in each page that is named.
                    let named = found.iter().filter_map(|fault| {
                        let page = u64::from(fault.page?);
                        // The first four fifths of the bytes hold entries in order, in either packing.
                        let per_byte = u64::from(self.layout.packing.per_byte().min(4));
                        let entry = page * self.layout.page_bytes() as u64 * per_byte;
                        (entry < self.layout.row_entries()).then_some((fault.row?, entry))
                    });
                    for (row, entry) in places.into_iter().chain(named) {
                        match table.get(row, entry) {
                            Ok(value) => assert_eq!(value, self.right_value((row, entry)), "byte {at}: a wrong answer"),
                            Err(error) => {
                                assert_eq!(error.class(), Class::Data, "{error}");
                                let page = self.layout.page_of(entry);
                                assert!(is_known(row, page), "byte {at}: {error}, not among {found:?}");
                            }
                        }
                    }
                    reported += usize::from(!found.is_empty());
                }
                Err(error) => {
                    assert_eq!(error.class(), Class::Data, "{error}");
                    refused += 1;
                }
            }
            victim.flip(at, bit);
        }
        assert!(faults(&open(self.dir.path(), &self.layout).expect("sound")).is_empty(), "every flip was mended");
        assert!(reported > flips / 10, "{reported} of {flips} reported");
        println!("{}: {flips} flips of the store, {reported} reported, {refused} refused at once", self.layout.name);
    }

    /// Flips bits of the cache's file: each is reported, and answers come from the store.
    fn flip_cache(&mut self, flips: usize) {
        let ctx = Context::silent();
        let open = |store: &Store, layout: &TableLayout, mode| CachedTable::open(store, layout, mode).expect("a table");
        let store = self.store.clone();
        open(&store, &self.layout, CacheMode::OnDemand).warm(&ctx).expect("room");
        let name = self.layout.name;
        let victim = Victim::new(self.dir.path().join(format!("cache/{name}/table.v3")));
        for _ in 0..flips {
            let (at, bit) = (self.rng.random_range(0..victim.len()), self.rng.random_range(0..8));
            victim.flip(at, bit);
            let mut found = Vec::new();
            let intact = cache::verify(&self.store, &self.layout, &ctx, &mut |fault| found.push(fault));
            assert!(intact.expect("a table") == 0 && found.len() == 1, "byte {at}: {found:?}");
            let table = open(&store, &self.layout, CacheMode::ReadOnly);
            let payload = at.checked_sub(4096).filter(|&byte| byte < self.right.len() as u64);
            // Entries anywhere, and in the byte that was flipped.
            let flipped = payload.map(|byte| {
                let (row, byte) = (byte / self.layout.row_bytes() as u64, byte % self.layout.row_bytes() as u64);
                (row as u32, byte * u64::from(self.layout.packing.per_byte().min(4)))
            });
            let flipped = flipped.filter(|&(_, entry)| entry < self.layout.row_entries());
            for place in (0..200).map(|_| self.any_entry()).collect::<Vec<_>>().into_iter().chain(flipped) {
                let value = table.get(place.0, place.1).expect("an answer");
                assert_eq!(value, self.right_value(place), "byte {at}: a wrong answer");
            }
            assert!(cached_bytes(&table).is_none(), "byte {at}");
            drop(table);
            victim.flip(at, bit);
        }
        let table = open(&store, &self.layout, CacheMode::ReadOnly);
        assert!(cached_bytes(&table).as_deref() == Some(&self.right[..]), "every flip was mended");
        println!("{name}: {flips} flips of the cache, all reported and none answered from");
    }

    /// A store that is damaged where the cache is not needed for an answer, and a cache that cannot be filled.
    fn damaged_store_cannot_be_cached(&mut self) {
        cache::drop_cache(&self.store, self.layout.name).expect("removed");
        let victim = Victim::new(self.dir.path().join(format!("{}.redb", self.layout.name)));
        // Any byte of a segment's pages will do.
        let at = loop {
            let at = self.rng.random_range(0..victim.len());
            victim.flip(at, 0);
            let table = open(self.dir.path(), &self.layout);
            if table.is_ok_and(|table| faults(&table).iter().any(|fault| fault.page.is_some())) {
                break at;
            }
            victim.flip(at, 0);
        };
        let table = CachedTable::open(&self.store, &self.layout, CacheMode::OnDemand).expect("a table");
        let warmed = table.warm(&Context::silent());
        assert!(matches!(&warmed, Err(Error::Data(fault)) if fault.table == self.layout.name), "{warmed:?}");
        assert!(cached_bytes(&table).is_none());
        victim.flip(at, 0);
        let table = CachedTable::open(&self.store, &self.layout, CacheMode::OnDemand).expect("a table");
        assert_eq!(table.warm(&Context::silent()).expect("sound").added, 1);
    }
}

fn flip(name: &str, store: usize, cached: usize) {
    let mut table = Copied::new(name);
    table.flip_store(store);
    table.flip_cache(cached);
    table.damaged_store_cannot_be_cached();
}

#[test]
fn flipped_bits_of_phase2_are_reported_and_never_answer() {
    flip("phase2", 6, 4);
}

#[test]
fn flipped_bits_of_phase2_modulo_3_are_reported_and_never_answer() {
    flip("phase2-kociemba", 6, 4);
}

#[test]
#[ignore = "tier two: hundreds of flips of the cube's tables"]
fn full_many_flipped_bits_of_tables_of_the_cube_are_reported() {
    for name in ["phase2", "phase2-kociemba", "phase1"] {
        flip(name, 30, 30);
    }
}
