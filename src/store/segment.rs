//! Segments: whole compressed pages packed into one redb value. `schema/store.md` draws the bytes.

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zstd::bulk::Compressor;
use zstd::zstd_safe::{CParameter, DCtx, ParamSwitch, Strategy, get_error_name};

use super::layout::{CacheUnit, TableLayout};

/// Bytes of a segment's key: table (2), row (4), first page (4), big-endian.
pub(crate) const KEY_BYTES: usize = 2 + 4 + 4;

/// What a redb leaf with one entry of fixed key width adds to key and value: a 4-byte header and a 4-byte offset.
const LEAF_OVERHEAD: usize = 4 + 4;

/// The smallest leaf: redb gives a larger value a power of two of such pages.
const SMALLEST_LEAF: usize = 4096;

/// The largest leaves that segments of several pages fill, of tables of which single pages are looked up, and of those that
/// are read as a whole. Larger ones would save little of the disk, and a look-up reads all of its segment.
const LARGEST_LEAF: usize = 16 * SMALLEST_LEAF;
const LARGEST_LEAF_OF_WHOLES: usize = 64 * SMALLEST_LEAF;

const MAGIC: [u8; 4] = *b"TWSG";
const FORMAT_VERSION: u8 = 1;
const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 16;

/// The key of the segment of `row` that begins with page `first`.
pub(crate) fn key(table: u16, row: u32, first: u32) -> [u8; KEY_BYTES] {
    let mut key = [0; KEY_BYTES];
    key[..2].copy_from_slice(&table.to_be_bytes());
    key[2..6].copy_from_slice(&row.to_be_bytes());
    key[6..].copy_from_slice(&first.to_be_bytes());
    key
}

/// Bytes of the leaf that a segment of that many bytes takes.
fn leaf_of(segment_bytes: usize) -> usize {
    (segment_bytes + KEY_BYTES + LEAF_OVERHEAD).next_power_of_two().max(SMALLEST_LEAF)
}

/// The largest leaf that a segment of this table may take: a page that is too large for the usual one even alone gets the next
/// power of two that holds it uncompressed.
fn largest_leaf(layout: &TableLayout) -> usize {
    let usual = match layout.unit {
        CacheUnit::Row => LARGEST_LEAF,
        CacheUnit::Table => LARGEST_LEAF_OF_WHOLES,
    };
    leaf_of(HEADER_BYTES + ENTRY_BYTES + layout.page_bytes()).max(usual)
}

/// Bytes of a segment: those of its pages, and an entry for each page.
fn segment_bytes(sizes: &[usize]) -> usize {
    HEADER_BYTES + sizes.iter().map(|size| ENTRY_BYTES + size).sum::<usize>()
}

/// How many of the first pages, by their stored sizes, a segment in a leaf of that size holds.
fn fitting(sizes: &[usize], leaf: usize) -> usize {
    let mut taken = HEADER_BYTES + KEY_BYTES + LEAF_OVERHEAD;
    let fits = |size: &&usize| {
        taken += ENTRY_BYTES + **size;
        taken <= leaf
    };
    sizes.iter().take(usize::from(u16::MAX)).take_while(fits).count()
}

/// The stored sizes of a row's pages, shared out among segments.
///
/// Leaves of the largest size are filled as long as there are more pages than one holds.
fn share_out(mut sizes: &[usize], largest: usize) -> Vec<&[usize]> {
    let mut segments = Vec::new();
    loop {
        let (first, rest) = sizes.split_at(fitting(sizes, largest));
        if rest.is_empty() {
            return [segments, share_out_rest(sizes)].concat();
        }
        segments.push(first);
        sizes = rest;
    }
}

/// The same for pages that one leaf holds: where that takes less, a leaf of half the size is filled, and those of the others follow.
fn share_out_rest(sizes: &[usize]) -> Vec<&[usize]> {
    let half = leaf_of(segment_bytes(sizes)) / 2;
    let (first, rest) = sizes.split_at(fitting(sizes, half));
    if half >= SMALLEST_LEAF && !first.is_empty() {
        let rest = share_out_rest(rest);
        if bytes_of_leaves(&rest) < half {
            return [vec![first], rest].concat();
        }
    }
    vec![sizes]
}

/// Bytes of the leaves of segments of these pages.
fn bytes_of_leaves(segments: &[&[usize]]) -> usize {
    segments.iter().map(|sizes| leaf_of(segment_bytes(sizes))).sum()
}

impl TableLayout {
    /// Bytes that the whole table takes in a store, if no page of it becomes smaller: without what redb takes beside the rows.
    #[doc(hidden)]
    pub fn most_stored_bytes(&self) -> u64 {
        let sizes = vec![self.page_bytes(); self.pages as usize];
        bytes_of_leaves(&share_out(&sizes, largest_leaf(self))) as u64 * u64::from(self.rows)
    }
}

/// How a page's bytes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Codec {
    /// As they are, because zstd would not make them smaller.
    Raw = 0,
    /// One zstd frame without content size and without checksum (ours covers the compressed bytes).
    Zstd = 1,
}

impl Codec {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Raw, Self::Zstd].into_iter().find(|&codec| codec as u8 == byte)
    }
}

/// What a segment must be: its place in the table, which its checksums are bound to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identity {
    pub table: u16,
    pub row: u32,
    pub generation: u64,
    pub page_bytes: usize,
}

impl Identity {
    pub fn new(layout: &TableLayout, row: u32, generation: u64) -> Self {
        Self { table: layout.id, row, generation, page_bytes: layout.page_bytes() }
    }

    /// The seed of a page's checksum. The codec is part of it because a frame read as raw bytes, or the other way
    /// round, would pass a checksum of the stored bytes alone.
    fn seed(&self, page: u32, codec: Codec) -> u64 {
        let mut bytes = [0; 28];
        bytes[..4].copy_from_slice(b"TWPG");
        bytes[4..6].copy_from_slice(&self.table.to_le_bytes());
        bytes[6] = codec as u8;
        bytes[8..12].copy_from_slice(&self.row.to_le_bytes());
        bytes[12..16].copy_from_slice(&page.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.generation.to_le_bytes());
        // At most 8 MiB (TableLayout::MAX_PAGE_BYTES).
        bytes[24..].copy_from_slice(&(self.page_bytes as u32).to_le_bytes());
        xxh3_64(&bytes)
    }
}

/// A page, compressed where that helps, with its checksum.
pub(crate) struct PackedPage {
    codec: Codec,
    checksum: u64,
    bytes: Vec<u8>,
}

/// Bytes that the leaping search for repetitions passes over where it found none.
const LEAP: u32 = 512;

/// Compresses pages. Huffman coding is all that helps with levels of neighbouring positions, so zstd is set up hardly to look
/// for repetitions, and for long ones only. `schema/decisions/store-page-codec.md` has the measurements.
struct PageCompressor {
    leaping: Compressor<'static>,
    searching: Compressor<'static>,
}

impl PageCompressor {
    fn new() -> io::Result<Self> {
        let with_leap = |leap| {
            let mut compressor = Compressor::new(1)?;
            compressor.set_parameter(CParameter::Strategy(Strategy::ZSTD_fast))?;
            compressor.set_parameter(CParameter::MinMatch(7))?;
            compressor.set_parameter(CParameter::HashLog(8))?;
            compressor.set_parameter(CParameter::TargetLength(leap))?;
            // Without this zstd takes who leaps for one who has no time for Huffman coding.
            compressor.set_parameter(CParameter::LiteralCompressionMode(ParamSwitch::Enable))?;
            compressor.include_contentsize(false)?;
            compressor.include_checksum(false)?;
            io::Result::Ok(compressor)
        };
        Ok(Self { leaping: with_leap(LEAP)?, searching: with_leap(0)? })
    }

    /// The smaller of what the two searches make of a page. Where much repeats, few values prevail and their Huffman codes are short
    /// by themselves: other pages are not searched twice.
    fn compress(&mut self, page: &[u8]) -> io::Result<Vec<u8>> {
        let leapt = self.leaping.compress(page)?;
        if leapt.len() >= page.len() / 4 {
            return Ok(leapt);
        }
        let searched = self.searching.compress(page)?;
        Ok(if searched.len() < leapt.len() { searched } else { leapt })
    }
}

thread_local! {
    static COMPRESSOR: RefCell<Option<PageCompressor>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// Compresses one page of a row.
pub(crate) fn pack_page(identity: &Identity, page: u32, page_bytes: &[u8]) -> io::Result<PackedPage> {
    let compressed = COMPRESSOR.with_borrow_mut(|slot| match slot {
        Some(compressor) => compressor.compress(page_bytes),
        None => slot.insert(PageCompressor::new()?).compress(page_bytes),
    })?;
    let (codec, bytes) =
        if compressed.len() < page_bytes.len() { (Codec::Zstd, compressed) } else { (Codec::Raw, page_bytes.to_vec()) };
    let checksum = xxh3_64_with_seed(&bytes, identity.seed(page, codec));
    Ok(PackedPage { codec, checksum, bytes })
}

/// Packs the pages of a row into segments; returns first pages and bytes.
pub(crate) fn pack_row(layout: &TableLayout, identity: &Identity, pages: &[PackedPage]) -> Vec<(u32, Vec<u8>)> {
    let sizes: Vec<usize> = pages.iter().map(|page| page.bytes.len()).collect();
    let mut start = 0;
    let segment = |sizes: &[usize]| {
        let first = start;
        start += sizes.len();
        // Page numbers are u32 by the layout.
        (first as u32, write_segment(identity, first as u32, &pages[first..start]))
    };
    share_out(&sizes, largest_leaf(layout)).into_iter().map(segment).collect()
}

fn write_segment(identity: &Identity, first: u32, pages: &[PackedPage]) -> Vec<u8> {
    let payload: usize = pages.iter().map(|page| page.bytes.len()).sum();
    let mut out = Vec::with_capacity(HEADER_BYTES + pages.len() * ENTRY_BYTES + payload);
    out.extend_from_slice(&header_bytes(identity, first, pages.len()));
    for page in pages {
        out.extend_from_slice(&(page.bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(&[page.codec as u8, 0, 0, 0]);
        out.extend_from_slice(&page.checksum.to_le_bytes());
    }
    for page in pages {
        out.extend_from_slice(&page.bytes);
    }
    out
}

/// One page of a segment as found: not yet checked against its checksum.
struct LocatedPage<'a> {
    codec: Codec,
    checksum: u64,
    bytes: &'a [u8],
}

/// A segment whose header and lengths are consistent.
pub(crate) struct Segment<'a> {
    identity: Identity,
    pages: Range<u32>,
    entries: &'a [[u8; ENTRY_BYTES]],
    payload: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Reads a header; `pages` is what the row's record says the segment holds. The error says what is wrong.
    pub fn parse(bytes: &'a [u8], identity: Identity, pages: Range<u32>) -> Result<Self, String> {
        let (header, rest) = bytes.split_first_chunk::<HEADER_BYTES>().ok_or("a segment is too short")?;
        let count = pages.len();
        let expected = header_bytes(&identity, pages.start, count);
        if *header != expected {
            return Err("a segment is in the wrong place".to_owned());
        }
        let (entries, payload) =
            rest.split_at_checked(count * ENTRY_BYTES).ok_or("a segment is shorter than its list of pages")?;
        let (entries, _) = entries.as_chunks::<ENTRY_BYTES>();
        let total: u64 = entries.iter().map(|entry| u64::from(stored_length(entry))).sum();
        if total != payload.len() as u64 {
            return Err("a segment's length is not the sum of its pages".to_owned());
        }
        Ok(Self { identity, pages, entries, payload })
    }

    /// Checks and decodes one page into `out`, which has the size of a page.
    pub fn decode(&self, page: u32, out: &mut [u8]) -> Result<(), String> {
        let found = self.checked(page)?;
        let length = match found.codec {
            Codec::Raw if found.bytes.len() == out.len() => {
                out.copy_from_slice(found.bytes);
                out.len()
            }
            Codec::Raw => found.bytes.len(),
            Codec::Zstd => {
                decompress(found.bytes, out).map_err(|error| format!("the page does not decode: {error}"))?
            }
        };
        if length != out.len() {
            return Err(format!("the page decodes to {length} bytes, not {}", out.len()));
        }
        Ok(())
    }

    /// Checks every page against its checksum without decoding it.
    pub fn check(&self) -> Result<(), String> {
        self.pages.clone().try_for_each(|page| self.checked(page).map(drop))
    }

    fn checked(&self, page: u32) -> Result<LocatedPage<'a>, String> {
        let found = self.find(page)?;
        if xxh3_64_with_seed(found.bytes, self.identity.seed(page, found.codec)) != found.checksum {
            return Err("the page does not match its checksum".to_owned());
        }
        Ok(found)
    }

    fn find(&self, page: u32) -> Result<LocatedPage<'a>, String> {
        let at = page.checked_sub(self.pages.start).map_or(usize::MAX, |at| at as usize);
        let entry = self.entries.get(at).ok_or("the segment does not hold the page")?;
        // The sum of all lengths is the payload's: no prefix of it can pass the end.
        let start: usize = self.entries[..at].iter().map(|entry| stored_length(entry) as usize).sum();
        let bytes = &self.payload[start..start + stored_length(entry) as usize];
        let [_, _, _, _, codec, 0, 0, 0, checksum @ ..] = entry else {
            return Err("the page's entry in its segment is not valid".to_owned());
        };
        let codec = Codec::from_byte(*codec).ok_or_else(|| format!("the page has an unknown codec, {codec}"))?;
        Ok(LocatedPage { codec, checksum: u64::from_le_bytes(*checksum), bytes })
    }
}

fn header_bytes(identity: &Identity, first: u32, count: usize) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&MAGIC);
    header[4] = FORMAT_VERSION;
    // A count past 65,535 cannot have been written; what it truncates to fails the check of the lengths.
    header[6..8].copy_from_slice(&(count as u16).to_le_bytes());
    header[8..12].copy_from_slice(&first.to_le_bytes());
    header[12..].copy_from_slice(&(identity.page_bytes as u32).to_le_bytes());
    header
}

fn stored_length(entry: &[u8; ENTRY_BYTES]) -> u32 {
    u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]])
}

/// Whether this thread has the memory that decoding pages takes; once it has, it keeps it.
pub(crate) fn can_decode() -> bool {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        *slot = slot.take().or_else(DCtx::try_create);
        slot.is_some()
    })
}

fn decompress(frame: &[u8], out: &mut [u8]) -> Result<usize, &'static str> {
    DECOMPRESSOR
        .with_borrow_mut(|slot| slot.get_or_insert_with(DCtx::create).decompress(out, frame).map_err(get_error_name))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::Packing;

    fn layout(page_bytes: usize) -> TableLayout {
        TableLayout {
            name: "segments",
            id: 3,
            rows: 9,
            pages: 9,
            packing: Packing::Quarters,
            page_entries: 4 * page_bytes as u32,
            padding: 0,
            unit: CacheUnit::Row,
            spec_version: 1,
            generator_version: 1,
        }
    }

    fn identity(page_bytes: usize) -> Identity {
        Identity { table: 3, row: 8, generation: 2, page_bytes }
    }

    fn noise(len: usize) -> Vec<u8> {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        (0..len)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect()
    }

    #[test]
    fn pages_of_few_values_and_of_long_runs_become_small() {
        const BYTES: usize = 20_160;
        let identity = identity(BYTES);
        let packed = |page: &[u8]| {
            let packed = pack_page(&identity, 0, page).unwrap();
            assert_eq!((packed.codec, page.len()), (Codec::Zstd, BYTES));
            packed.bytes.len()
        };
        // Four values take two bits each: nothing repeats, and Huffman coding is all that helps.
        let few: Vec<u8> = noise(BYTES).into_iter().map(|byte| byte & 0x11).collect();
        assert!((BYTES / 4..BYTES * 27 / 100).contains(&packed(&few)), "{}", packed(&few));
        // Of two values no Huffman code is shorter than a bit: only the search for repetitions makes less than an eighth.
        let runs: Vec<u8> =
            noise(BYTES / 90).into_iter().flat_map(|byte| [if byte < 64 { 0x98 } else { 0xff }; 90]).collect();
        assert!(packed(&runs) < BYTES / 16, "{}", packed(&runs));
    }

    #[test]
    fn every_flipped_bit_of_a_segment_is_noticed() {
        let identity = identity(64);
        let pages = [vec![7u8; 64], noise(64), vec![0x21; 64]];
        let packed: Vec<_> = (0..).zip(&pages).map(|(i, page)| pack_page(&identity, i, page).unwrap()).collect();
        assert_eq!((packed[0].codec, packed[1].codec), (Codec::Zstd, Codec::Raw));
        let segments = pack_row(&layout(64), &identity, &packed);
        assert_eq!(segments.len(), 1);
        let good = &segments[0].1;
        let mut out = [0; 64];
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let mut faults = 0;
            for (page, expected) in (0..).zip(&pages) {
                match Segment::parse(&bad, identity, 0..3).and_then(|segment| segment.decode(page, &mut out)) {
                    Ok(()) => assert_eq!(&out[..], expected, "bit {bit} page {page}"),
                    Err(_) => faults += 1,
                }
            }
            assert!(faults > 0, "bit {bit}");
        }
    }

    #[test]
    fn a_segment_at_another_place_is_refused() {
        let mine = identity(64);
        let packed = [pack_page(&mine, 0, &[7; 64]).unwrap()];
        let bytes = &pack_row(&layout(64), &mine, &packed)[0].1;
        let read = |identity, pages| {
            Segment::parse(bytes, identity, pages).and_then(|segment| segment.decode(0, &mut [0; 64]))
        };
        assert_eq!(read(mine, 0..1), Ok(()));
        for other in [
            Identity { table: 4, ..mine },
            Identity { row: 9, ..mine },
            Identity { generation: 3, ..mine },
            Identity { page_bytes: 65, ..mine },
        ] {
            assert!(read(other, 0..1).is_err(), "{other:?}");
        }
        assert!(read(mine, 0..2).is_err() && read(mine, 1..2).is_err());
    }

    #[test]
    fn segments_stay_under_a_power_of_two() {
        for (page_bytes, largest) in
            [(20, 65_536), (20_160, 65_536), (65_000, 65_536), (65_487, 131_072), (200_000, 262_144)]
        {
            let (layout, identity) = (layout(page_bytes), identity(page_bytes));
            assert_eq!(largest_leaf(&layout), largest);
            let page = noise(page_bytes);
            let packed: Vec<_> = (0..9).map(|i| pack_page(&identity, i, &page).unwrap()).collect();
            let segments = pack_row(&layout, &identity, &packed);
            for (first, bytes) in &segments {
                let leaf = bytes.len() + KEY_BYTES + LEAF_OVERHEAD;
                assert!(leaf <= largest && largest.is_power_of_two());
                let last = segments.iter().map(|s| s.0).find(|next| next > first).unwrap_or(9);
                let segment = Segment::parse(bytes, identity, *first..last).unwrap();
                let mut out = vec![0; page_bytes];
                segment.decode(*first, &mut out).unwrap();
                assert_eq!(out, page);
            }
        }
    }

    /// The fewest bytes of leaves, by trying every first segment.
    fn fewest(sizes: &[usize], largest: usize, known: &mut HashMap<usize, usize>) -> usize {
        if sizes.is_empty() {
            return 0;
        }
        if let Some(&known) = known.get(&sizes.len()) {
            return known;
        }
        let counts = 1..=fitting(sizes, largest);
        let least = counts
            .map(|count| leaf_of(segment_bytes(&sizes[..count])) + fewest(&sizes[count..], largest, known))
            .min()
            .unwrap();
        known.insert(sizes.len(), least);
        least
    }

    #[test]
    fn leaves_hold_all_pages_and_little_else() {
        let leaves = |sizes: &[usize]| {
            let segments = share_out(sizes, LARGEST_LEAF);
            assert!(segments.concat() == sizes && segments.iter().all(|segment| !segment.is_empty()));
            let leaves: Vec<usize> = segments.iter().map(|segment| leaf_of(segment_bytes(segment))).collect();
            assert!(leaves.iter().all(|&leaf| leaf <= LARGEST_LEAF));
            leaves
        };
        // Eight pages of 4 KiB are a little more than 32 KiB, twelve are 48 KiB.
        assert_eq!(leaves(&[4096; 8]), [32 << 10, 8 << 10]);
        assert_eq!(leaves(&[4060; 8]), [32 << 10]);
        assert_eq!(leaves(&[4060; 12]), [32 << 10, 16 << 10]);
        assert_eq!(leaves(&[8000; 10]), [64 << 10, 16 << 10]);
        let mut random = noise(1 << 16).into_iter().map(usize::from);
        let mut random = |below: usize| (random.next().unwrap() << 8 | random.next().unwrap()) % below;
        let (mut taken, mut best, mut one_size) = (0, 0, 0);
        for _ in 0..200 {
            let most = 1 + random(9000);
            let sizes: Vec<usize> = (0..1 + random(40)).map(|_| most - random(most / 8 + 1)).collect();
            let found: usize = leaves(&sizes).iter().sum();
            let least = fewest(&sizes, LARGEST_LEAF, &mut HashMap::new());
            assert!(found >= least && found * 5 <= least * 6, "{found} {least} {sizes:?}");
            taken += found;
            best += least;
            let mut left = &sizes[..];
            while !left.is_empty() {
                let (segment, rest) = left.split_at(fitting(left, LARGEST_LEAF));
                one_size += leaf_of(segment_bytes(segment));
                left = rest;
            }
        }
        println!("{taken} bytes of leaves; {best} at least, {one_size} in leaves of one size");
        assert!(taken <= one_size && taken * 50 <= best * 51);
    }

    /// Segments of a few small pages; a page that can be read is the one that was written.
    fn fuzz(inputs: u64) {
        let identity = identity(64);
        let pages = [vec![7u8; 64], noise(64), vec![0x21; 64]];
        let packed: Vec<_> = (0..).zip(&pages).map(|(i, page)| pack_page(&identity, i, page).unwrap()).collect();
        let right = pack_row(&layout(64), &identity, &packed).remove(0).1;
        let mut out = [0; 64];
        twistbase_testing::fuzz::fuzz("segments", inputs, std::slice::from_ref(&right), 1 << 12, |bytes| {
            let Ok(segment) = Segment::parse(bytes, identity, 0..3) else { return };
            for (page, written) in (0..).zip(&pages) {
                if segment.decode(page, &mut out).is_ok() {
                    assert_eq!(out[..], written[..], "page {page}");
                }
            }
            assert!(segment.check().is_err() || bytes == right);
        });
        // Pages of which nothing is right but the checksum: what zstd is given.
        let frames: Vec<Vec<u8>> = packed.iter().map(|page| page.bytes.clone()).collect();
        twistbase_testing::fuzz::fuzz("pages", inputs, &frames, 1 << 17, |frame| {
            let checksum = xxh3_64_with_seed(frame, identity.seed(0, Codec::Zstd));
            let page = PackedPage { codec: Codec::Zstd, checksum, bytes: frame.to_vec() };
            let bytes = write_segment(&identity, 0, &[page]);
            let _ = Segment::parse(&bytes, identity, 0..1).unwrap().decode(0, &mut out);
        });
    }

    #[test]
    fn pages_are_right_or_refused_and_take_no_memory() {
        fuzz(3000);
    }

    #[test]
    #[ignore = "long suite: millions of segments"]
    fn millions_of_pages_are_right_or_refused() {
        fuzz(twistbase_testing::fuzz::many(2_000_000));
    }
}
