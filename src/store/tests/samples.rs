//! Tables that tests put into a store. The tests of the cache use them, too, so that the crate is named as others name it.

use twistbase_core::context::Context;
use twistbase_core::math::trits;
use twistbase_store::{
    BuildInfo, BuildStart, Builder, CacheUnit, EncodedRow, Manifest, Packing, RowEncoder, RowLevels, Store, TableLayout,
};

/// Five rows of seven pages of 20 bytes: everything happens within one segment per row.
pub const SMALL: TableLayout = TableLayout {
    name: "small",
    id: 9,
    rows: 5,
    pages: 7,
    packing: Packing::Nibbles,
    page_entries: 40,
    padding: 0,
    unit: CacheUnit::Row,
    spec_version: 3,
    generator_version: 4,
};

/// Pages of the size of Cube21's, so that a row takes several segments.
pub const REAL: TableLayout = TableLayout { name: "real", id: 10, rows: 2, pages: 30, page_entries: 40_320, ..SMALL };

/// The same number of bytes as [`SMALL`], but of five entries each, with some to spare, and in one file of the cache.
pub const DIGITS: TableLayout = TableLayout {
    name: "digits",
    id: 11,
    packing: Packing::Mod3,
    page_entries: 100,
    padding: 13,
    unit: CacheUnit::Table,
    ..SMALL
};

/// Rows of several segments, none of which ends where a block of the cache does.
pub const BIG_DIGITS: TableLayout =
    TableLayout { name: "big-digits", id: 12, rows: 3, pages: 11, page_entries: 100_000, ..DIGITS };

/// Levels with about the frequencies of a deep table (55 %, 29 %, 14 %, 2 %), different for every row and salt.
pub fn sample_row(layout: &TableLayout, row: u32, salt: u64) -> Vec<u8> {
    let mut state = (u64::from(row) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt;
    let mut level = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match (state >> 33) % 100 {
            0..55 => 11u8,
            55..84 => 12,
            84..98 => 10,
            _ => 9,
        }
    };
    match layout.packing {
        Packing::Nibbles => (0..layout.row_bytes()).map(|_| level() | level() << 4).collect(),
        Packing::Quarters => {
            let mut four = || (0..4).fold(0, |byte, _| byte << 2 | (level() - 9));
            (0..layout.row_bytes()).map(|_| four()).collect()
        }
        Packing::Mod3 => {
            let digits: Vec<u8> = (0..layout.row_entries()).map(|_| level() % 3).collect();
            let mut row = vec![0; layout.row_bytes()];
            trits::pack_row(&mut row, layout.row_entries(), |entry| digits[entry as usize]);
            row
        }
    }
}

/// Levels for a sample: every value a level, every entry as many positions as the row's number and one.
pub fn sample_levels(layout: &TableLayout, row: u32, bytes: &[u8]) -> RowLevels {
    let mut entries = vec![0; 16];
    (0..layout.row_entries()).for_each(|entry| entries[usize::from(layout.packing.get(bytes, entry).unwrap())] += 1);
    let positions = entries.iter().map(|count| count * u64::from(row + 1)).collect();
    RowLevels { entries, positions }
}

/// A row of samples as a builder takes it.
pub fn encoded(encoder: &RowEncoder, layout: &TableLayout, row: u32, salt: u64) -> EncodedRow {
    let bytes = sample_row(layout, row, salt);
    encoder.encode(row, &bytes, &sample_levels(layout, row, &bytes)).unwrap()
}

pub fn begin(store: &Store, layout: &TableLayout, force: bool) -> Box<Builder> {
    match store.build(layout, None, force, &Context::silent()).unwrap() {
        BuildStart::Building(builder) => builder,
        BuildStart::AlreadyThere(_) => panic!("already complete"),
    }
}

pub fn put(builder: &mut Builder, row: u32, salt: u64) {
    let encoded = encoded(&builder.encoder(), builder.layout(), row, salt);
    builder.put_row(encoded).unwrap();
}

pub fn build(store: &Store, layout: &TableLayout, salt: u64) -> Manifest {
    let mut builder = begin(store, layout, true);
    (0..layout.rows).for_each(|row| put(&mut builder, row, salt));
    builder.finish(BuildInfo::default()).unwrap()
}

/// A store in a new folder, with a table.
pub fn built(layout: &TableLayout) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    build(&store, layout, 0);
    (dir, store)
}
