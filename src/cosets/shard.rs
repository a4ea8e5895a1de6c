//! Shard files: the results of a range of the cover, made on one machine to be merged on another. `schema/cosets.md`
//! states the format.
//!
//! A file is text: a line that says what it is, a line for each result, and a line with a hash of all lines before it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::CosetRecord;
use super::results::COSETS_NAME;
use crate::error::{DataError, Error, Fault, Remedy, Result};
use crate::puzzle::cube3::Cover;
use crate::puzzle::cube3::coordinate::CosetOfH;
use crate::store::{CREATOR, NewFile};

/// The version of the format.
const VERSION: u32 = 1;
/// The longest file that is read: a result has about 2000 bytes, and a shard at most a few thousand results.
const LONGEST: u64 = 64 << 20;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct ShardHeader {
    twistbase_cosets: u32,
    cover: String,
    first: u32,
    end: u32,
    creator: String,
}

/// The one member of the first line that every version keeps.
#[derive(Debug, Deserialize)]
struct ShardVersion {
    twistbase_cosets: u32,
}

/// The last line.
#[derive(Debug, Serialize)]
struct ShardSeal {
    records: u32,
    blake3: String,
}

/// What is wrong with a file.
type ShardFault = (Fault, String);

/// Results about cosets of a range of the cover.
#[derive(Debug, Clone, PartialEq)]
pub struct CosetShard {
    /// Numbers of the cosets in the cover.
    range: Range<u32>,
    records: Vec<CosetRecord>,
}

impl CosetShard {
    /// The shard of a range, without results yet.
    pub fn new(range: Range<u32>) -> Self {
        Self { range, records: Vec::new() }
    }

    /// Its range of the cover.
    pub fn range(&self) -> Range<u32> {
        self.range.clone()
    }

    /// The results, in the order of the cover.
    pub fn records(&self) -> &[CosetRecord] {
        &self.records
    }

    /// Whether there is a result about every coset of the range.
    pub fn is_finished(&self) -> bool {
        self.records.len() as u32 == self.range.end - self.range.start
    }

    /// The result about the coset with that number in the cover.
    pub fn get(&self, number: u32) -> Option<&CosetRecord> {
        let coset = Cover::get().coset(number)?.number();
        self.records.binary_search_by_key(&coset, |record| record.coset).ok().map(|place| &self.records[place])
    }

    /// Adds a result about a coset of the range, in the place of what was there about it.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is about another coset, or its numbers do not belong together.
    pub fn put(&mut self, record: CosetRecord) -> Result<()> {
        record.check().map_err(Error::Usage)?;
        if !number(record.coset).is_some_and(|number| self.range.contains(&number)) {
            return Err(Error::Usage(format!("coset {} is not in the range {:?}", record.coset, self.range)));
        }
        match self.records.binary_search_by_key(&record.coset, |record| record.coset) {
            Ok(place) => self.records[place] = record,
            Err(place) => self.records.insert(place, record),
        }
        Ok(())
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = ShardHeader {
            twistbase_cosets: VERSION,
            cover: Cover::identity().to_owned(),
            first: self.range.start,
            end: self.range.end,
            creator: CREATOR.to_owned(),
        };
        let mut text = line(&header);
        self.records.iter().for_each(|record| text += &line(record));
        text += &seal(self.records.len(), text.as_bytes());
        text.into_bytes()
    }

    /// Writes its file: the new one or the old one is there, whatever happens.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut file = NewFile::create(path)?;
        file.write_all(&self.to_bytes()).map_err(|source| Error::io("write", path, source))?;
        file.publish()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Data`]: foreign if it is of something else or a newer version, stale if it is about another cover, damaged
    /// if it is not as it was written; [`Error::Io`].
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |source| Error::io("read", path, source);
        let mut bytes = Vec::new();
        File::open(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        Self::from_bytes(&bytes).map_err(|(fault, detail)| fault_in(path, fault, detail))
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, ShardFault> {
        let damaged = |detail: &str| (Fault::Damaged, detail.to_owned());
        let text = std::str::from_utf8(bytes).ok().filter(|_| bytes.len() as u64 <= LONGEST);
        let text = text.ok_or((Fault::Foreign, "it is no shard of cosets".to_owned()))?;
        let first = text.lines().next().unwrap_or_default();
        let ShardVersion { twistbase_cosets: version } =
            serde_json::from_str(first).map_err(|_| (Fault::Foreign, "it is no shard of cosets".to_owned()))?;
        if version != VERSION {
            return Err((Fault::Foreign, format!("it has version {version}, this program reads {VERSION}")));
        }
        let body = text.strip_suffix('\n').ok_or_else(|| damaged("its end is missing"))?;
        let end = body.rfind('\n').ok_or_else(|| damaged("its end is missing"))? + 1;
        let records = text[..end].lines().count() - 1;
        if text[end..] != seal(records, &bytes[..end]) {
            return Err(damaged("it is cut short, or its contents do not match its hash"));
        }
        Self::from_lines(&text[..end])
    }

    /// Reads the lines before the last, which the hash says are as they were written.
    fn from_lines(text: &str) -> Result<Self, ShardFault> {
        let damaged = |detail: String| (Fault::Damaged, detail);
        let mut lines = text.lines();
        let header: ShardHeader = serde_json::from_str(lines.next().unwrap_or_default())
            .map_err(|error| damaged(format!("its first line does not parse: {error}")))?;
        if header.cover != Cover::identity() {
            let needed = Cover::identity();
            return Err((Fault::Stale, format!("it is about cover {}, this program has {needed}", header.cover)));
        }
        let mut shard = Self::new(header.first..header.end);
        if header.first >= header.end || header.end > Cover::get().count() {
            return Err(damaged(format!("{:?} is no range of the cover", shard.range)));
        }
        for line in lines {
            let record: CosetRecord =
                serde_json::from_str(line).map_err(|error| damaged(format!("a result does not parse: {error}")))?;
            let coset = record.coset;
            if shard.records.last().is_some_and(|last| last.coset >= coset) {
                return Err(damaged(format!("coset {coset} is out of order")));
            }
            shard.put(record).map_err(|error| damaged(format!("coset {coset}: {error}")))?;
        }
        Ok(shard)
    }
}

/// The error about a shard's file.
pub(super) fn fault_in(path: &Path, fault: Fault, detail: String) -> Error {
    let remedy = match fault {
        Fault::Foreign => Remedy::Update,
        _ => Remedy::WriteShardAgain,
    };
    Error::Data(DataError {
        fault,
        table: COSETS_NAME.to_owned(),
        file: Some(path.to_path_buf()),
        row: None,
        page: None,
        detail,
        remedy,
    })
}

/// The number of a coset in the cover.
fn number(coset: u32) -> Option<u32> {
    Cover::get().number(CosetOfH::from_number(coset)?)
}

fn line(object: &impl Serialize) -> String {
    // Neither a map with keys that are no strings nor a failing `Serialize` is in it.
    serde_json::to_string(object).unwrap_or_default() + "\n"
}

fn seal(records: usize, before: &[u8]) -> String {
    line(&ShardSeal { records: records as u32, blake3: blake3::hash(before).to_hex().to_string() })
}

/// The shard files in a folder, in the order of their names.
///
/// # Errors
/// [`Error::Io`].
pub fn shard_files(dir: &Path) -> Result<Vec<std::path::PathBuf>> {
    let failed = |source| Error::io("read", dir, source);
    let entries = fs::read_dir(dir).map_err(failed)?.collect::<io::Result<Vec<_>>>().map_err(failed)?;
    let files = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == SHARD_EXTENSION)).collect();
    files.sort();
    Ok(files)
}

/// How the names of finished shards end.
pub const SHARD_EXTENSION: &str = "cosets";

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::solve::CosetLevel;

    /// A result about a coset: so many positions at each depth from 4 on, the first `exact` of these levels exact.
    pub fn record(coset: u32, positions: &[u64], exact: usize) -> CosetRecord {
        let mut total = 0;
        let levels = (0..).zip(positions).map(|(place, &positions)| {
            total += positions;
            let exact = place < exact;
            CosetLevel {
                depth: 4 + place as u8,
                positions: Some(positions),
                total: Some(total),
                weighted: exact.then_some(positions * 48),
                exact,
                searched: exact,
                ended_early: false,
                sequences: positions * 2,
                prepass_seconds: 0.5,
                search_seconds: 0.1,
            }
        });
        let levels: Vec<_> = levels.collect();
        CosetRecord {
            coset,
            search_depth: 3 + exact as u8,
            depth: 3 + positions.len() as u8,
            mode: "fast".to_owned(),
            prepass: true,
            stop_at: None,
            bound_20: false,
            cover: Some(Cover::identity().to_owned()),
            exact_to: Some(3 + exact as u8),
            remaining: CosetOfH::POSITIONS - total,
            levels,
            seconds: 0.1,
            threads: 2,
            finished: 1_700_000_000,
            creator: "test".to_owned(),
        }
    }

    fn shard() -> CosetShard {
        let mut shard = CosetShard::new(1000..1003);
        for number in [1002, 1000] {
            let coset = Cover::get().coset(number).unwrap().number();
            shard.put(record(coset, &[2, 18, 118], 2)).unwrap();
        }
        shard
    }

    #[test]
    fn shards_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cosets");
        let mut shard = shard();
        shard.write(&path).unwrap();
        assert_eq!(CosetShard::read(&path).unwrap(), shard);
        assert!(!shard.is_finished() && shard.get(1000).is_some() && shard.get(1001).is_none());
        let outside = Cover::get().coset(1003).unwrap().number();
        assert!(shard.put(record(outside, &[1], 1)).is_err());
        let last = Cover::get().coset(1001).unwrap().number();
        shard.put(record(last, &[1], 1)).unwrap();
        assert!(shard.is_finished());
        assert_eq!(shard_files(dir.path()).unwrap(), [path]);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let bytes = shard().to_bytes();
        for length in 0..bytes.len() {
            assert!(CosetShard::from_bytes(&bytes[..length]).is_err(), "cut to {length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(CosetShard::from_bytes(&changed).is_err(), "bit {bit}");
        }
    }

    /// A file with this text before its seal.
    fn sealed(text: &str) -> Vec<u8> {
        (text.to_owned() + &seal(text.lines().count() - 1, text.as_bytes())).into_bytes()
    }

    #[test]
    fn what_is_sealed_but_wrong_is_refused() {
        let text = String::from_utf8(shard().to_bytes()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let joined = |lines: &[&str]| lines.join("\n") + "\n";
        let faults = [
            (joined(&[&lines[0].replace("\"twistbase_cosets\":1", "\"twistbase_cosets\":2")]), Fault::Foreign),
            (joined(&["{\"other\":1}"]), Fault::Foreign),
            (joined(&[&lines[0].replace(Cover::identity(), "0000000000000000")]), Fault::Stale),
            (joined(&[&lines[0].replace("1003", "99999999")]), Fault::Damaged),
            (joined(&[lines[0], lines[2], lines[1]]), Fault::Damaged),
            (joined(&[lines[0], lines[1], lines[1]]), Fault::Damaged),
            (joined(&[lines[0], &lines[1].replace("\"total\":20", "\"total\":21")]), Fault::Damaged),
            (joined(&[&lines[0].replace("1003", "1002"), lines[1], lines[2]]), Fault::Damaged),
        ];
        for (text, fault) in faults {
            assert_eq!(CosetShard::from_bytes(&sealed(&text)).unwrap_err().0, fault, "{text}");
        }
        assert_eq!(CosetShard::from_bytes(&sealed(&joined(&lines[..3]))).unwrap(), shard());
    }

    #[test]
    fn levels_that_no_number_counts_are_refused() {
        let mut record = record(5, &[2, 18], 2);
        (record.levels[0].depth, record.levels[1].depth, record.depth) = (255, 0, 255);
        assert!(record.check().is_err());
    }

    /// What is read is read once more from what it writes.
    fn read(bytes: &[u8]) {
        if let Ok(shard) = CosetShard::from_bytes(bytes) {
            assert_eq!(CosetShard::from_bytes(&shard.to_bytes()).unwrap(), shard);
        }
    }

    fn fuzz(inputs: u64) {
        crate::fuzz::fuzz("shards of cosets", inputs, &[shard().to_bytes()], 1 << 18, read);
        let text = String::from_utf8(shard().to_bytes()).unwrap();
        let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
        // Nothing is right but the hash.
        let body = body.to_owned() + "\n";
        crate::fuzz::fuzz_text("sealed shards of cosets", inputs, &[&body], 1 << 18, |text| {
            if text.ends_with('\n') {
                read(&sealed(text));
            }
        });
        let right = serde_json::to_vec(&record(5, &[2, 18, 118], 2)).unwrap();
        crate::fuzz::fuzz("results about cosets", inputs, &[right], 1 << 16, |json| {
            let Ok(found) = serde_json::from_slice::<CosetRecord>(json) else { return };
            if found.check().is_ok() {
                // What is right belongs together with itself.
                assert!(found.clone().combined(found).is_ok());
            }
        });
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        fuzz(1000);
    }

    #[test]
    #[ignore = "long suite: hundreds of thousands of shards"]
    fn hundreds_of_thousands_of_shards_are_read_or_refused() {
        fuzz(crate::fuzz::many(200_000));
    }
}
