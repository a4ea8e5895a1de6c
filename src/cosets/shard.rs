//! Shard files: results of a range of the cover that earlier versions wrote on one machine, to be merged on another.
//! `schema/cosets.md` states the format. [`farm`](twistbase_farm) has taken their place; they are only read.
//!
//! A file is text: a header line, a line for each result, and a line with a hash of all lines before it.

use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::record::CosetRecord;
use super::results::COSETS_NAME;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};
use twistbase_puzzle::cube3::Cover;
use twistbase_store::{read_regular, unseal_text};

/// The version of the format.
const VERSION: u32 = 1;
/// The longest file that is read: a result has about 2000 bytes, and a shard at most a few thousand results.
const LONGEST: u64 = 64 << 20;
/// How the names of finished shards end.
const EXTENSION: &str = "cosets";

/// The first line.
#[derive(Debug, Deserialize)]
struct ShardHeader {
    cover: String,
    first: u32,
    end: u32,
}

/// The one member of the first line that every version keeps.
#[derive(Debug, Deserialize)]
struct ShardVersion {
    twistbase_cosets: u32,
}

/// The fault of a file.
type ShardFault = (Fault, String);

/// Results about cosets of a range of the cover.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CosetShard {
    /// Numbers of the cosets in the cover.
    pub range: Range<u32>,
    /// The results, in the order of the cover.
    pub records: Vec<CosetRecord>,
}

impl CosetShard {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Data`]: foreign if it is of something else or a newer version, stale if it is about another cover, damaged
    /// if the line is damaged; [`Error::Io`].
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |source| Error::io("read", path, source);
        let mut bytes = Vec::new();
        read_regular(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        Self::from_bytes(&bytes).map_err(|(fault, detail)| fault_in(path, fault, detail))
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// The fault.
    fn from_bytes(bytes: &[u8]) -> Result<Self, ShardFault> {
        let damaged = |detail: &str| (Fault::Damaged, detail.to_owned());
        let text = std::str::from_utf8(bytes).ok().filter(|_| bytes.len() as u64 <= LONGEST);
        let text = text.ok_or((Fault::Foreign, "the file is not a shard of cosets".to_owned()))?;
        let first = text.lines().next().unwrap_or_default();
        let ShardVersion { twistbase_cosets: version } = serde_json::from_str(first)
            .map_err(|_| (Fault::Foreign, "the file is not a shard of cosets".to_owned()))?;
        if version != VERSION {
            return Err((
                Fault::Foreign,
                format!("the file has version {version}; this program reads version {VERSION}"),
            ));
        }
        let lines = unseal_text(text).map_err(damaged)?;
        Self::from_lines(lines)
    }

    /// Reads the lines before the last, which the hash says are as they were written.
    fn from_lines(text: &str) -> Result<Self, ShardFault> {
        let damaged = |detail: String| (Fault::Damaged, detail);
        let mut lines = text.lines();
        let header: ShardHeader = serde_json::from_str(lines.next().unwrap_or_default())
            .map_err(|error| damaged(format!("its first line does not parse: {error}")))?;
        let Some(cover) = Cover::with_identity(&header.cover) else {
            let needed = Cover::identity();
            return Err((
                Fault::Stale,
                format!("the file is about cover {}; this program has cover {needed}", header.cover),
            ));
        };
        let range = header.first..header.end;
        if range.is_empty() || range.end > cover.count() {
            return Err(damaged(format!("{range:?} is not a range of the cover")));
        }
        let mut records: Vec<CosetRecord> = Vec::new();
        for line in lines {
            let record: CosetRecord =
                serde_json::from_str(line).map_err(|error| damaged(format!("a result does not parse: {error}")))?;
            let coset = record.coset;
            if records.last().is_some_and(|last| last.coset >= coset) {
                return Err(damaged(format!("coset {coset} is out of order")));
            }
            if !record.number_in(cover).is_some_and(|number| range.contains(&number)) {
                return Err(damaged(format!("coset {coset} is not in the range {range:?}")));
            }
            record.check().map_err(|error| damaged(format!("coset {coset}: {error}")))?;
            records.push(record);
        }
        Ok(Self { range, records })
    }
}

/// The error about a shard's file.
fn fault_in(path: &Path, fault: Fault, detail: String) -> Error {
    let remedy = match fault {
        Fault::Foreign => Remedy::Update,
        _ => Remedy::WriteShardAgain,
    };
    let file = Some(path.to_path_buf());
    Error::Data(DataError { file, ..DataError::new(fault, COSETS_NAME, detail, remedy) })
}

/// The shard files in a folder, in the order of their names.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn shard_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::io("read", dir, source);
    let entries = fs::read_dir(dir).map_err(failed)?.collect::<io::Result<Vec<_>>>().map_err(failed)?;
    let files = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == EXTENSION)).collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;
    use twistbase_store::seal_text;

    /// A file of the release that wrote the last of them: two cosets, H the second.
    const KEPT: &[u8] = include_bytes!("../../data/shards/56160707-56160709.cosets");

    #[test]
    fn shards_of_earlier_versions_are_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/shards");
        let names = ["56160705-56160707.cosets", "56160707-56160709.cosets"].map(|name| folder.join(name));
        assert_eq!(shard_files(&folder).unwrap(), names);
        let shards = names.map(|name| CosetShard::read(&name).unwrap());
        assert_eq!(shards[1], CosetShard::from_bytes(KEPT).unwrap());
        assert_eq!(shards.each_ref().map(|shard| shard.range.clone()), [56160705..56160707, 56160707..56160709]);
        let cover = Cover::with_identity(IDENTITY).unwrap();
        let numbers = shards.iter().flat_map(|shard| &shard.records).map(|record| record.number_in(cover).unwrap());
        assert!(numbers.eq(56160705..56160709));
        assert_ne!(cover.count(), Cover::get().count());
        let totals = |record: &CosetRecord| record.levels.iter().filter_map(|level| level.total).collect::<Vec<_>>();
        assert_eq!(
            shards[1].records.iter().map(totals).collect::<Vec<_>>(),
            [vec![], vec![1, 11, 78, 534, 3613, 23561]]
        );
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        for length in 0..KEPT.len() {
            assert!(CosetShard::from_bytes(&KEPT[..length]).is_err(), "cut to {length}");
        }
        for bit in 0..KEPT.len() * 8 {
            let mut changed = KEPT.to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(CosetShard::from_bytes(&changed).is_err(), "bit {bit}");
        }
    }

    /// The cover that it is about.
    const IDENTITY: &str = "30f17eb31791ff24";

    /// A file with this text before its seal.
    fn sealed(text: &str) -> Vec<u8> {
        seal_text(text.to_owned()).into_bytes()
    }

    /// The lines of the file before its seal.
    fn lines() -> [&'static str; 3] {
        let mut lines = std::str::from_utf8(KEPT).unwrap().lines();
        [(); 3].map(|()| lines.next().unwrap())
    }

    fn joined(lines: &[&str]) -> String {
        lines.join("\n") + "\n"
    }

    #[test]
    fn what_is_sealed_but_wrong_is_refused() {
        let lines = lines();
        let faults = [
            (joined(&[&lines[0].replace("\"twistbase_cosets\":1", "\"twistbase_cosets\":2")]), Fault::Foreign),
            (joined(&["{\"other\":1}"]), Fault::Foreign),
            (joined(&[&lines[0].replace(IDENTITY, "0000000000000000")]), Fault::Stale),
            (joined(&[&lines[0].replace("56160709", "99999999")]), Fault::Damaged),
            (joined(&[&lines[0].replace("56160709", "56160707")]), Fault::Damaged),
            (joined(&[lines[0], lines[2], lines[1]]), Fault::Damaged),
            (joined(&[lines[0], lines[1], lines[1]]), Fault::Damaged),
            (joined(&[lines[0], lines[1], &lines[2].replace("\"total\":11", "\"total\":12")]), Fault::Damaged),
            (joined(&[&lines[0].replace("56160709", "56160708"), lines[1], lines[2]]), Fault::Damaged),
        ];
        for (text, fault) in faults {
            assert_eq!(CosetShard::from_bytes(&sealed(&text)).unwrap_err().0, fault, "{text}");
        }
        assert_eq!(sealed(&joined(&lines)), KEPT);
    }

    /// What is read is sound.
    fn read(bytes: &[u8]) {
        let Ok(CosetShard { range, records }) = CosetShard::from_bytes(bytes) else { return };
        let cover = Cover::with_identity(IDENTITY).unwrap();
        assert!(range.start < range.end && range.end <= cover.count());
        let numbers: Vec<_> = records.iter().filter_map(|record| record.number_in(cover)).collect();
        assert!(numbers.len() == records.len() && numbers.is_sorted_by(|a, b| a < b));
        assert!(numbers.iter().all(|number| range.contains(number)));
        assert!(records.iter().all(|record| record.check().is_ok()));
    }

    fn fuzz(inputs: u64) {
        twistbase_testing::fuzz::fuzz("shards of cosets", inputs, &[KEPT.to_vec()], 1 << 18, read);
        // Nothing is right but the hash.
        let body = joined(&lines());
        twistbase_testing::fuzz::fuzz_text("sealed shards of cosets", inputs, &[&body], 1 << 18, |text| {
            if text.ends_with('\n') {
                read(&sealed(text));
            }
        });
        let right = serde_json::to_vec(&record(5, &[2, 18, 118], 2)).unwrap();
        twistbase_testing::fuzz::fuzz("results about cosets", inputs, &[right], 1 << 16, |json| {
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
        fuzz(twistbase_testing::fuzz::many(200_000));
    }
}
