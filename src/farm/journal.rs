//! The finished items of a shard: lines that are added one by one, each with its own hash.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::plan::ItemList;
use super::record::FarmRecord;
use twistbase_core::error::{Error, Result};
use twistbase_store::{open_regular, sync_name};

/// How often finished items are synced to the disk: a power cut loses at most the items of this time.
const SYNC_EVERY: Duration = Duration::from_secs(10);
/// Hexadecimal digits of a line's hash.
const HASH_DIGITS: usize = 16;

/// The journal of a shard.
#[derive(Debug)]
pub(super) struct ShardJournal {
    path: PathBuf,
    /// What the lines of this shard of this plan are hashed with.
    key: [u8; 32],
    file: File,
    synced: Instant,
}

impl ShardJournal {
    /// Opens the journal of a shard of a plan and returns its records, by item. Cuts the journal off at the first damaged
    /// line: the items after it are done again.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(path: &Path, plan: &str, shard: u32, list: &ItemList) -> Result<(Self, BTreeMap<u64, FarmRecord>)> {
        let failed = |source| Error::io("open", path, source);
        let options = &mut OpenOptions::new();
        let mut file = open_regular(options.read(true).append(true).create(true), path).map_err(failed)?;
        sync_name(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|source| Error::io("read", path, source))?;
        let key = blake3::derive_key("twistbase farm journal", format!("{plan} {shard}").as_bytes());
        let (mut known, mut sound) = (BTreeMap::new(), 0);
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let Some(record) = parse(&key, line).filter(|record| record.check(list).is_ok()) else { break };
            known.insert(record.item, record);
            sound += line.len();
        }
        if sound < bytes.len() {
            // For certain, before anything is written in its place.
            file.set_len(sound as u64).and_then(|()| file.sync_all()).map_err(failed)?;
        }
        Ok((Self { path: path.to_path_buf(), key, file, synced: Instant::now() }, known))
    }

    /// Adds a record. It is in the hands of the system when this returns: the end of this program, however it comes, does not
    /// lose it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn add(&mut self, record: &FarmRecord) -> Result<()> {
        let json = serde_json::to_string(record).unwrap_or_default();
        let line = format!("{} {json}\n", hash(&self.key, json.as_bytes()));
        self.file.write_all(line.as_bytes()).map_err(|source| self.failed(source))?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Brings what was added to the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|source| self.failed(source))?;
        self.synced = Instant::now();
        Ok(())
    }

    /// Removes the journal of a shard that is done.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(self) -> Result<()> {
        remove_if_there(&self.path)
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::io("write to", &self.path, source)
    }
}

/// Removes a file that need not be there.
pub(super) fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path, error)),
        _ => Ok(()),
    }
}

fn hash(key: &[u8; 32], json: &[u8]) -> String {
    let mut digits = blake3::keyed_hash(key, json).to_hex().to_string();
    digits.truncate(HASH_DIGITS);
    digits
}

/// The record of a line, if the line is as it was written.
fn parse(key: &[u8; 32], line: &[u8]) -> Option<FarmRecord> {
    let line = line.strip_suffix(b"\n")?;
    let (digits, json) = line.split_at_checked(HASH_DIGITS)?;
    let json = json.strip_prefix(b" ")?;
    if hash(key, json).as_bytes() != digits {
        return None;
    }
    serde_json::from_slice(json).ok()
}

#[cfg(test)]
mod tests {
    use super::super::record::FarmFinding;
    use super::*;
    use twistbase_query::RowCheck;

    fn record(item: u64) -> FarmRecord {
        let check = RowCheck { row: item as u32, digest: "d".repeat(64), positions: vec![1, 2], fault: None };
        FarmRecord { item, found: FarmFinding::Row(check) }
    }

    #[test]
    fn a_journal_goes_on_after_what_is_sound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("7.journal");
        let list = ItemList::Numbers { first: 0 };
        let open = |shard| ShardJournal::open(&path, "plan", shard, &list).unwrap();
        let (mut journal, known) = open(7);
        assert!(known.is_empty());
        [3, 5].into_iter().for_each(|item| journal.add(&record(item)).unwrap());
        let written = fs::read(&path).unwrap();
        assert_eq!(open(7).1.keys().copied().collect::<Vec<_>>(), [3, 5]);
        // A line that is half there, zeros that a power cut left, a flipped bit in the first line and in the second.
        let half = written.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for (changed, left) in [
            (written[..written.len() - 1].to_vec(), 1),
            ([&written[..], &[0; 9]].concat(), 2),
            (written.iter().enumerate().map(|(at, &byte)| byte ^ u8::from(at == 40)).collect(), 0),
            (written.iter().enumerate().map(|(at, &byte)| byte ^ u8::from(at == half + 40)).collect(), 1),
        ] {
            fs::write(&path, changed).unwrap();
            let (mut journal, known) = open(7);
            assert_eq!(known.len(), left);
            journal.add(&record(9)).unwrap();
            assert_eq!(open(7).1.len(), left + 1);
        }
        // Another shard's lines are not this one's.
        fs::write(&path, &written).unwrap();
        assert!(open(8).1.is_empty());
        open(8).0.remove().unwrap();
        assert!(!path.exists());
    }
}
