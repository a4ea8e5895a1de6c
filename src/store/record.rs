//! The small records of a table's file: JSON under a checksum.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::layout::TableLayout;
use super::packing::Packing;
use twistbase_core::math::nibble::UNSET;

/// The schema of complete tables. Tables of an older one are stale.
pub const SCHEMA_VERSION: u32 = 2;

/// The schema of tables that are built to a depth: a program that does not know of these refuses them.
pub const DEPTH_SCHEMA_VERSION: u32 = 3;

/// The schema of a table that is complete, or built to a depth.
pub(crate) const fn schema_of(depth: Option<u8>) -> u32 {
    match depth {
        None => SCHEMA_VERSION,
        Some(_) => DEPTH_SCHEMA_VERSION,
    }
}

/// Whether this program reads that schema.
pub(crate) const fn is_readable(schema: u32) -> bool {
    matches!(schema, SCHEMA_VERSION | DEPTH_SCHEMA_VERSION)
}

/// What the program calls itself in the files it writes.
pub const CREATOR: &str = concat!("twistbase ", env!("CARGO_PKG_VERSION"));

/// Bytes of the checksum in front of a record's JSON.
const SEAL_BYTES: usize = 8;

/// Which record a checksum belongs to, so that a record found under another key is noticed.
#[derive(Debug, Clone, Copy)]
pub enum RecordSlot<'a> {
    /// The table's meta record.
    Meta,
    /// The manifest of a table.
    Manifest(&'a str),
    /// The record of a row of a table.
    Row(&'a str, u32),
    /// A record by its number, of records that are called so.
    Record(&'a str, u32),
    /// The header of a table's raw export, which names the table.
    RawHeader,
    /// What stands before a row there.
    RawRow(&'a str, u32),
}

impl RecordSlot<'_> {
    fn seed(self) -> u64 {
        xxh3_64(&match self {
            // No table's name: `meta` is read before anything is known about the file.
            Self::Meta => b"twistbase meta".to_vec(),
            Self::Manifest(table) => [b"twistbase manifest ", table.as_bytes()].concat(),
            Self::Row(table, row) => [b"twistbase row ", &row.to_le_bytes()[..], table.as_bytes()].concat(),
            Self::Record(name, number) => [b"twistbase ", name.as_bytes(), b" ", &number.to_le_bytes()[..]].concat(),
            Self::RawHeader => b"twistbase raw".to_vec(),
            Self::RawRow(table, row) => [b"twistbase raw row ", &row.to_le_bytes()[..], table.as_bytes()].concat(),
        })
    }
}

/// Serialises a record and puts its checksum in front.
pub fn seal<T: Serialize>(slot: RecordSlot<'_>, record: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = vec![0; SEAL_BYTES];
    serde_json::to_writer(&mut bytes, record)?;
    let hash = xxh3_64_with_seed(&bytes[SEAL_BYTES..], slot.seed());
    bytes[..SEAL_BYTES].copy_from_slice(&hash.to_le_bytes());
    Ok(bytes)
}

/// Checks a record's checksum and parses it; the error says what is wrong.
pub fn unseal<T: DeserializeOwned>(slot: RecordSlot<'_>, bytes: &[u8]) -> Result<T, String> {
    let (hash, json) = bytes.split_first_chunk::<SEAL_BYTES>().ok_or("a record is too short")?;
    if u64::from_le_bytes(*hash) != xxh3_64_with_seed(json, slot.seed()) {
        return Err("a record does not match its checksum".to_owned());
    }
    serde_json::from_slice(json).map_err(|error| format!("a record does not parse: {error}"))
}

/// The one field of `meta` that every schema keeps, so that a file of another can be refused by its version.
#[derive(Debug, Deserialize)]
pub(crate) struct SchemaRecord {
    pub schema: u32,
}

/// What a file is, written when it is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MetaRecord {
    pub schema: u32,
    pub uuid: Uuid,
    pub creator: String,
    pub generation: u64,
    pub geometry: Geometry,
    /// The depth to which the table is built; none if it is to be complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
}

impl MetaRecord {
    /// Stands for a record of which only the schema's version can be understood.
    pub fn of_other_schema(schema: u32) -> Self {
        let geometry = Geometry::default();
        Self { schema, uuid: Uuid::nil(), creator: String::new(), generation: 0, geometry, depth: None }
    }
}

/// A [`TableLayout`] as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    /// The table's name.
    pub name: String,
    /// The table's number.
    pub id: u16,
    /// Rows.
    pub rows: u32,
    /// Pages per row.
    pub pages: u32,
    /// How entries are packed into bytes.
    pub packing: Packing,
    /// Entries for which a page has room.
    pub page_entries: u32,
    /// Entries at the end of a row that are not used.
    pub padding: u32,
    /// Version of the meaning of indices.
    pub spec_version: u32,
    /// Version of the generator.
    pub generator_version: u32,
}

impl Geometry {
    /// What distinguishes this geometry from `layout`, or `None` when they agree.
    #[doc(hidden)]
    pub fn difference(&self, layout: &TableLayout) -> Option<String> {
        if self.name != layout.name || self.id != layout.id {
            return Some(format!(
                "the file holds table {} ({}), not {} ({})",
                self.name, self.id, layout.name, layout.id
            ));
        }
        let needed = Self::from(layout);
        let (found, needed) = (self.numbers(), needed.numbers());
        let different = found.into_iter().zip(needed).find(|(found, needed)| found != needed);
        different.map(|((word, found), (_, needed))| format!("its {word} is {found}; this program needs {needed}"))
    }

    /// What has to agree besides name and number, each with its name.
    fn numbers(&self) -> [(&'static str, u32); 7] {
        [
            ("number of rows", self.rows),
            ("number of pages", self.pages),
            ("number of entries per byte", self.packing.per_byte()),
            ("number of entries per page", self.page_entries),
            ("padding", self.padding),
            ("spec version", self.spec_version),
            ("generator version", self.generator_version),
        ]
    }
}

impl From<&TableLayout> for Geometry {
    fn from(layout: &TableLayout) -> Self {
        Self {
            name: layout.name.to_owned(),
            id: layout.id,
            rows: layout.rows,
            pages: layout.pages,
            packing: layout.packing,
            page_entries: layout.page_entries,
            padding: layout.padding,
            spec_version: layout.spec_version,
            generator_version: layout.generator_version,
        }
    }
}

/// What is known about a stored row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowRecord {
    /// The row.
    pub row: u32,
    /// The generation of the table in which the row was written; its pages' checksums are bound to it.
    pub generation: u64,
    /// Pages, the same for all rows of a table.
    pub pages: u32,
    /// How many entries of the row, its padding not counted, have each value. Raw: not weighted by symmetry.
    pub histogram: [u64; 16],
    /// How many entries of the row are at distance 0, 1, 2, …
    pub levels: Vec<u64>,
    /// How many positions of the puzzle these stand for.
    pub positions: Vec<u64>,
    /// BLAKE3 of the row's bytes, uncompressed, in hexadecimal.
    pub digest: String,
    /// Bytes of the row's segments.
    pub bytes: u64,
    /// The first page of each segment, ascending from 0: the segments' keys.
    pub segments: Vec<u32>,
}

impl RowRecord {
    /// Checks what the reader of a table that is complete, or built to a depth, relies on, beyond the checksum.
    pub(crate) fn check(&self, row: u32, layout: &TableLayout, depth: Option<u8>) -> Result<(), String> {
        let ascending = self.segments.first() == Some(&0) && self.segments.is_sorted_by(|a, b| a < b);
        let inside = self.segments.last().is_some_and(|&last| last < layout.pages);
        if self.row != row || self.pages != layout.pages || !ascending || !inside {
            return Err("the row's record does not fit the table".to_owned());
        }
        self.row_levels().check(layout, depth, &self.histogram)
    }

    /// The row's counts by level.
    pub fn row_levels(&self) -> RowLevels {
        RowLevels { entries: self.levels.clone(), positions: self.positions.clone() }
    }

    /// Adds the row's counts by level to those of other rows.
    pub(crate) fn add_to(&self, entries: &mut Vec<u64>, positions: &mut Vec<u64>) {
        add_levels(entries, &self.levels);
        add_levels(positions, &self.positions);
    }

    /// The position, among the row's segments, of the one that holds `page`.
    pub(crate) fn segment_of(&self, page: u32) -> usize {
        self.segments.partition_point(|&first| first <= page).saturating_sub(1)
    }

    /// The pages of the segment at position `at`: from its first page to the next one's.
    pub(crate) fn segment_pages(&self, at: usize) -> std::ops::Range<u32> {
        self.segments[at]..self.segments.get(at + 1).copied().unwrap_or(self.pages)
    }
}

/// The most levels that a row may have.
const MAX_LEVELS: usize = 64;

/// How far the entries of a row are from solved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowLevels {
    /// How many entries of the row are at distance 0, 1, 2, …
    pub entries: Vec<u64>,
    /// How many positions of the puzzle these stand for.
    pub positions: Vec<u64>,
}

impl RowLevels {
    /// The same up to the last level that the row has: a row of a table that was built counts as many levels as the table,
    /// though its own may end sooner.
    #[doc(hidden)]
    pub fn trimmed(mut self) -> Self {
        let levels = self.entries.iter().zip(&self.positions);
        let used = levels.rev().skip_while(|&(&entries, &positions)| (entries, positions) == (0, 0)).count();
        self.entries.truncate(used);
        self.positions.truncate(used);
        self
    }

    /// Checks that there are as many counts of positions as of entries, at most 64, and that they cover the row but for
    /// the entries that are unset because they are beyond the table's depth; `histogram` is that of the row's values. In
    /// rows of two bits there may be entries that have no level: they are part of another's value.
    #[doc(hidden)]
    pub fn check(&self, layout: &TableLayout, depth: Option<u8>, histogram: &[u64; 16]) -> Result<(), String> {
        let Self { entries, positions } = self;
        let covered: u128 = entries.iter().map(|&count| u128::from(count)).sum();
        let unset = depth.map_or(0, |_| histogram[usize::from(UNSET)]);
        let (covered, all) = (covered + u128::from(unset), u128::from(layout.row_entries()));
        let fits = if layout.packing == Packing::Quarters { covered <= all } else { covered == all };
        let most = depth.map_or(MAX_LEVELS, |depth| MAX_LEVELS.min(usize::from(depth) + 1));
        if entries.len() != positions.len() || entries.len() > most || !fits {
            return Err("the row's levels do not fit its entries".to_owned());
        }
        Ok(())
    }
}

/// Adds counts by level to a sum.
pub fn add_levels(total: &mut Vec<u64>, row: &[u64]) {
    total.resize(total.len().max(row.len()), 0);
    total.iter_mut().zip(row).for_each(|(total, &count)| *total = total.saturating_add(count));
}

/// What a generator knows about a finished table, beyond its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BuildInfo {
    /// The generator's parameters.
    pub parameters: serde_json::Value,
    /// Digests of the tables that this one was made from, under their names.
    pub depends_on: BTreeMap<String, String>,
    /// Wall time of the build in seconds.
    pub seconds: f64,
}

/// The record of a complete table. It is written last: a file without one is unfinished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name, geometry and versions.
    pub geometry: Geometry,
    /// Random, new for every build: with the generation it identifies the bytes.
    pub uuid: Uuid,
    /// 1 for the first build in a store, one more for each rebuild.
    pub generation: u64,
    /// The depth to which the table is built; none if it is complete. Entries that are farther are unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Positions at each distance, from 0: the sum over all rows.
    pub distribution: Vec<u64>,
    /// Entries at each distance, from 0: the sum over all rows.
    pub entries_by_level: Vec<u64>,
    /// The generator's parameters.
    pub parameters: serde_json::Value,
    /// Digests of the tables that this one was made from.
    pub depends_on: BTreeMap<String, String>,
    /// BLAKE3 over name, geometry and the rows' digests, in hexadecimal: equal tables have equal digests.
    pub digest: String,
    /// Bytes of all segments.
    pub bytes: u64,
    /// When the build finished, in seconds since 1970 (UTC).
    pub created: u64,
    /// Wall time of the build in seconds.
    pub seconds: f64,
    /// The program that wrote it.
    pub creator: String,
}

impl Manifest {
    /// Whether the table reaches as far as one that is complete, or built to a depth, would.
    pub fn reaches(&self, depth: Option<u8>) -> bool {
        self.depth.is_none_or(|built| depth.is_some_and(|depth| depth <= built))
    }
}

/// The digest of a whole table, complete or built to a depth, from its rows' digests, in order.
pub fn table_digest<'a>(geometry: &Geometry, depth: Option<u8>, rows: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("twistbase table {}\n", schema_of(depth)).as_bytes());
    hasher.update(geometry.name.as_bytes());
    let Geometry { rows: count, pages, packing, page_entries, padding, spec_version, .. } = *geometry;
    for number in [count, pages, packing.per_byte(), page_entries, padding, spec_version] {
        hasher.update(&number.to_le_bytes());
    }
    if let Some(depth) = depth {
        hasher.update(&u32::from(depth).to_le_bytes());
    }
    for digest in rows {
        hasher.update(digest.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_of_a_record_is_noticed() {
        let geometry = Geometry {
            name: "t".into(),
            id: 1,
            rows: 2,
            pages: 3,
            packing: Packing::Mod3,
            page_entries: 5,
            padding: 4,
            spec_version: 5,
            generator_version: 6,
        };
        let good = seal(RecordSlot::Manifest("t"), &geometry).unwrap();
        assert_eq!(unseal::<Geometry>(RecordSlot::Manifest("t"), &good).unwrap(), geometry);
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(unseal::<Geometry>(RecordSlot::Manifest("t"), &bad).is_err(), "bit {bit}");
        }
        for cut in 0..good.len() {
            assert!(unseal::<Geometry>(RecordSlot::Manifest("t"), &good[..cut]).is_err());
        }
    }

    #[test]
    fn the_digest_of_a_table_says_its_depth() {
        let geometry = Geometry { name: "t".into(), ..Geometry::default() };
        let digest = |depth| table_digest(&geometry, depth, ["a", "b"].into_iter());
        assert!(digest(None) != digest(Some(0)) && digest(Some(0)) != digest(Some(1)));
    }

    #[test]
    fn levels_cover_what_is_not_beyond_the_depth() {
        let layout = crate::tests::SMALL;
        let all = layout.row_entries();
        let levels = RowLevels { entries: vec![1, 2], positions: vec![1, 2] };
        let mut histogram = [0; 16];
        histogram[15] = all - 3;
        assert!(levels.check(&layout, Some(1), &histogram).is_ok());
        assert!(levels.check(&layout, Some(0), &histogram).is_err(), "a level beyond the depth");
        assert!(levels.check(&layout, None, &histogram).is_err(), "a complete table has no unset entries");
        histogram[15] += 1;
        assert!(levels.check(&layout, Some(1), &histogram).is_err());
    }

    #[test]
    fn segments_of_a_row_begin_at_pages_that_ascend() {
        let layout = TableLayout { pages: 4, ..crate::tests::SMALL };
        let all = layout.row_entries();
        let mut histogram = [0; 16];
        histogram[0] = all;
        let is_right = |segments: &[u32]| {
            let record = RowRecord {
                row: 1,
                generation: 0,
                pages: layout.pages,
                histogram,
                levels: vec![all],
                positions: vec![all],
                digest: String::new(),
                bytes: 0,
                segments: segments.to_vec(),
            };
            record.check(1, &layout, None).is_ok()
        };
        assert!(is_right(&[0]) && is_right(&[0, 2, 3]));
        for wrong in [&[][..], &[1, 2], &[0, 0], &[0, 2, 2], &[0, 2, 1], &[0, 4]] {
            assert!(!is_right(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn a_record_under_another_key_is_noticed() {
        let sealed = seal(RecordSlot::Row("t", 3), &7u32).unwrap();
        assert_eq!(unseal::<u32>(RecordSlot::Row("t", 3), &sealed), Ok(7));
        for other in [RecordSlot::Row("t", 4), RecordSlot::Row("u", 3), RecordSlot::Manifest("t"), RecordSlot::Meta] {
            assert!(unseal::<u32>(other, &sealed).is_err());
        }
    }

    /// Records of which nothing is right but the seal, and all that is done with them before they are believed.
    fn fuzz(inputs: u64) {
        let (_dir, store) = crate::tests::built(&crate::tests::SMALL);
        let layout = crate::tests::SMALL;
        let table = store.table(&layout).unwrap();
        let right =
            [serde_json::to_vec(table.row_record(0).unwrap()).unwrap(), serde_json::to_vec(table.manifest()).unwrap()];
        twistbase_testing::fuzz::fuzz("records of rows and manifests", inputs, &right, 1 << 17, |json| {
            if let Ok(record) = serde_json::from_slice::<RowRecord>(json)
                && record.check(0, &layout, None).is_ok()
            {
                // The pages of its segments are those of the row, each in one.
                let pages: Vec<u32> = (0..record.segments.len()).flat_map(|at| record.segment_pages(at)).collect();
                assert!(pages.iter().copied().eq(0..layout.pages));
                assert!(pages.iter().all(|&page| record.segment_pages(record.segment_of(page)).contains(&page)));
                record.add_to(&mut vec![u64::MAX; 3], &mut Vec::new());
            }
            if let Ok(manifest) = serde_json::from_slice::<Manifest>(json) {
                let again: Manifest = serde_json::from_slice(&serde_json::to_vec(&manifest).unwrap()).unwrap();
                assert_eq!(again.geometry.difference(&layout), manifest.geometry.difference(&layout));
            }
            let _ = unseal::<SchemaRecord>(RecordSlot::Meta, json);
        });
    }

    #[test]
    fn records_are_right_or_refused() {
        fuzz(3000);
    }

    #[test]
    #[ignore = "long suite: a million records"]
    fn a_million_records_are_right_or_refused() {
        fuzz(twistbase_testing::fuzz::many(500_000));
    }
}
