//! Results about cosets: `cosets.redb`, a record for each coset. `schema/cosets.md` states the format.
//!
//! The file is open only while something is read or written, so that a batch which runs for weeks keeps no reader out. Who
//! writes holds a lock for as long as it may write.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use redb::{Database, ReadableDatabase, TableDefinition};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::coset_record::CosetRecord;
use super::engine::{self, Failure, META, Site, guard};
use super::files::{TableFiles, create_folder, sync_name};
use super::lock::BuildLock;
use super::record::{CREATOR, SchemaRecord, Slot, seal, unseal};
use crate::context::Context;
use crate::error::{Error, Fault, Result};

/// `cosets`: a sealed record per coset.
const COSETS: TableDefinition<'static, u32, &[u8]> = TableDefinition::new("cosets");
/// Records that are in memory at a time: some megabytes.
const RECORDS_AT_ONCE: usize = 4096;
/// What the file is called, and what errors call it.
pub const NAME: &str = "cosets";
/// The schema of the file.
const SCHEMA: u32 = 1;
/// How long a file is waited for that another process has open for the moment of a read or a write.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// What the file is, written when it is created.
#[derive(Debug, Serialize, Deserialize)]
struct CosetsMeta {
    schema: u32,
    uuid: String,
    creator: String,
}

/// The results about cosets that a store holds.
#[derive(Debug, Clone)]
pub struct CosetResults {
    files: TableFiles,
}

impl CosetResults {
    pub(super) fn new(dir: &Path) -> Self {
        Self { files: TableFiles::new(dir, NAME) }
    }

    /// The file, which need not exist.
    pub fn path(&self) -> &Path {
        &self.files.complete
    }

    fn site(&self) -> Site<'_> {
        Site::of_results(NAME, &self.files.complete)
    }

    /// The result about a coset.
    ///
    /// # Errors
    /// [`Error::Data`] when the file or the record is damaged or foreign, [`Error::Busy`], [`Error::Io`].
    pub fn get(&self, coset: u32) -> Result<Option<CosetRecord>> {
        let found = self.sealed(coset..=coset)?;
        found.into_iter().next().map(|(coset, bytes)| self.unsealed(coset, &bytes)).transpose()
    }

    /// All results, in rising order of their cosets. A few thousand are in memory at a time, and the file is closed while
    /// they are gone through: what is written meanwhile may be among them.
    pub fn iter(&self) -> CosetRecords<'_> {
        CosetRecords { results: self, next: Some(0), waiting: Vec::new().into_iter() }
    }

    /// Checks every record, as reading it does. Each fault is handed to `found`, and the check goes on with the next record
    /// if the file can be read. Returns the number of records, damaged ones among them.
    ///
    /// # Errors
    /// [`Error::Data`] (missing) if there are no results; [`Error::Interrupted`]. What is wrong with them goes to `found`.
    pub fn verify(&self, ctx: &Context, found: &mut dyn FnMut(Error)) -> Result<u32> {
        if !self.files.complete.exists() {
            return Err(self.site().fault(Fault::Missing, "no coset has been solved"));
        }
        let mut records = 0;
        for record in self.iter() {
            ctx.check()?;
            let is_of_file = matches!(&record, Err(Error::Data(fault)) if fault.row.is_none());
            records += u32::from(!is_of_file);
            record.err().into_iter().for_each(&mut *found);
        }
        Ok(records)
    }

    /// The error about a result that cannot be right.
    pub fn contradicted(&self, coset: u32, difference: impl std::fmt::Display) -> Error {
        self.site().at(coset, None).damaged(difference)
    }

    /// The first sealed records of a range, at most [`RECORDS_AT_ONCE`].
    fn sealed(&self, range: RangeInclusive<u32>) -> Result<Vec<(u32, Vec<u8>)>> {
        let site = self.site();
        if !self.files.complete.exists() {
            return Ok(Vec::new());
        }
        let db = match patiently(|| engine::open_read_only(&site)) {
            Err(error) if engine::was_not_closed(&error) => {
                // A writer was killed, or the power failed.
                self.mend()?;
                patiently(|| engine::open_read_only(&site))?
            }
            opened => opened?,
        };
        let sealed = guard(|| {
            let txn = db.begin_read()?;
            check_meta(txn.open_table(META)?.get("meta")?.map(|value| value.value().to_vec()))?;
            let entries = txn.open_table(COSETS)?.range(range)?;
            let sealed = entries.take(RECORDS_AT_ONCE).map(|entry| {
                let (coset, bytes) = entry?;
                Ok((coset.value(), bytes.value().to_vec()))
            });
            sealed.collect()
        });
        sealed.map_err(|failure| self.reading(failure))
    }

    /// Repairs a file that nobody closed, which takes milliseconds: what was committed is there.
    fn mend(&self) -> Result<()> {
        patiently(|| engine::open_building(&self.site(), &Context::silent())).map(drop)
    }

    fn unsealed(&self, coset: u32, bytes: &[u8]) -> Result<CosetRecord> {
        let site = self.site().at(coset, None);
        let record: CosetRecord = unseal(Slot::Coset(coset), bytes).map_err(|detail| site.damaged(detail))?;
        if record.coset != coset {
            return Err(site.damaged("its record is about another coset"));
        }
        record.check().map_err(|detail| site.damaged(detail))?;
        Ok(record)
    }

    fn reading(&self, failure: Failure) -> Error {
        match failure {
            Failure::Content(detail) if detail.starts_with(NEWER) => self.site().fault(Fault::Foreign, detail),
            other => self.site().reading(other),
        }
    }

    /// Takes the right to write results, for as long as the writer lives.
    ///
    /// # Errors
    /// [`Error::Busy`] naming the process that has it, [`Error::Io`]; [`Error::Data`] when the file is damaged or foreign.
    pub fn writer(&self, ctx: &Context) -> Result<CosetWriter> {
        let dir = self.files.complete.parent().unwrap_or(Path::new("."));
        create_folder(dir)?;
        let lock = BuildLock::acquire(&self.files.lock, NAME)?;
        let writer = CosetWriter { results: self.clone(), ctx: ctx.clone(), _lock: lock };
        writer.create_if_missing()?;
        // A file that cannot be written to is noticed now, not after hours of work.
        drop(self.sealed(0..=0)?);
        Ok(writer)
    }
}

/// All results, in rising order of their cosets. After a record that is damaged come the others; after a file that cannot be
/// read nothing.
#[derive(Debug)]
pub struct CosetRecords<'a> {
    results: &'a CosetResults,
    /// The least coset that has not been read; `None` after the last.
    next: Option<u32>,
    waiting: std::vec::IntoIter<(u32, Vec<u8>)>,
}

impl CosetRecords<'_> {
    /// Reads the records that come next.
    fn read(&mut self, first: u32) -> Result<()> {
        let sealed = self.results.sealed(first..=u32::MAX)?;
        let last = sealed.last().map(|&(last, _)| last).filter(|_| sealed.len() == RECORDS_AT_ONCE);
        self.next = last.and_then(|last| last.checked_add(1));
        self.waiting = sealed.into_iter();
        Ok(())
    }
}

impl Iterator for CosetRecords<'_> {
    type Item = Result<CosetRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((coset, bytes)) = self.waiting.next() {
                return Some(self.results.unsealed(coset, &bytes));
            }
            let first = self.next.take()?;
            if let Err(error) = self.read(first) {
                return Some(Err(error));
            }
        }
    }
}

/// The one process that writes results.
#[derive(Debug)]
pub struct CosetWriter {
    results: CosetResults,
    ctx: Context,
    _lock: BuildLock,
}

impl CosetWriter {
    /// The results.
    pub fn results(&self) -> &CosetResults {
        &self.results
    }

    /// Adds results, in one transaction that is on disk when this returns. What is known already about the same coset is
    /// [combined](CosetRecord::combined) with them. Returns how many records changed.
    ///
    /// # Errors
    /// [`Error::Data`] when a result contradicts what is there (nothing is written then), or that is damaged;
    /// [`Error::Io`], [`Error::Busy`].
    pub fn put(&self, records: &[CosetRecord]) -> Result<u64> {
        self.write(records, true)
    }

    /// Puts results in the place of what is there, whatever that is.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Busy`], [`Error::Data`] when the file is damaged.
    pub fn replace(&self, records: &[CosetRecord]) -> Result<u64> {
        self.write(records, false)
    }

    fn write(&self, records: &[CosetRecord], combine: bool) -> Result<u64> {
        let results = &self.results;
        let mut changed = Vec::new();
        for record in records {
            let site = results.site().at(record.coset, None);
            record.check().map_err(|detail| site.damaged(detail))?;
            let known = if combine { results.get(record.coset)? } else { None };
            let combined = match known.clone() {
                Some(known) => known.combined(record.clone()).map_err(|why| disagrees(&site, &why))?,
                None => record.clone(),
            };
            if known.as_ref() != Some(&combined) {
                let sealed = seal(Slot::Coset(combined.coset), &combined);
                changed.push((combined.coset, sealed.map_err(|error| site.damaged(error))?));
            }
        }
        if !changed.is_empty() {
            let db = self.open()?;
            guard(|| insert(&db, &changed)).map_err(|failure| results.site().writing(failure))?;
        }
        Ok(changed.len() as u64)
    }

    fn open(&self) -> Result<Database> {
        let site = self.results.site();
        patiently(|| engine::open_building(&site, &self.ctx))
    }

    /// A file that is torn while it is created never opens: it gets its name when it is complete.
    fn create_if_missing(&self) -> Result<()> {
        let TableFiles { complete, building, .. } = &self.results.files;
        if complete.symlink_metadata().is_ok() {
            return Ok(());
        }
        let cannot = |action, path: &PathBuf| {
            let path = path.clone();
            move |source| Error::io(action, path, source)
        };
        match fs::remove_file(building) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(cannot("remove", building)(error));
            }
            _ => {}
        }
        let site = Site::of_results(NAME, building);
        let db = engine::open_building(&site, &self.ctx)?;
        guard(|| write_meta(&db)).map_err(|failure| site.writing(failure))?;
        drop(db);
        engine::check_closed(&site)?;
        fs::File::open(building).and_then(|file| file.sync_all()).map_err(cannot("write", building))?;
        fs::rename(building, complete).map_err(cannot("rename", building))?;
        sync_name(complete)
    }
}

/// The error for two results about one coset that cannot both be right.
fn disagrees(site: &Site<'_>, why: &str) -> Error {
    site.damaged(format!("a result disagrees with the one that is there: {why}"))
}

const NEWER: &str = "a newer program wrote it";

fn check_meta(sealed: Option<Vec<u8>>) -> Result<(), Failure> {
    let sealed = sealed.ok_or_else(|| Failure::Content("it has no record of what it is".to_owned()))?;
    let SchemaRecord { schema } = unseal(Slot::Meta, &sealed).map_err(Failure::Content)?;
    if schema > SCHEMA {
        return Err(Failure::Content(format!("{NEWER}, with schema version {schema}; this one reads {SCHEMA}")));
    }
    let _: CosetsMeta = unseal(Slot::Meta, &sealed).map_err(Failure::Content)?;
    Ok(())
}

fn write_meta(db: &Database) -> Result<(), Failure> {
    let meta = CosetsMeta { schema: SCHEMA, uuid: Uuid::new_v4().to_string(), creator: CREATOR.to_owned() };
    let sealed = seal(Slot::Meta, &meta).map_err(|error| Failure::Content(error.to_string()))?;
    let mut txn = db.begin_write()?;
    txn.set_quick_repair(true);
    txn.open_table(META)?.insert("meta", sealed.as_slice())?;
    txn.open_table(COSETS)?;
    Ok(txn.commit()?)
}

fn insert(db: &Database, sealed: &[(u32, Vec<u8>)]) -> Result<(), Failure> {
    let mut txn = db.begin_write()?;
    txn.set_quick_repair(true);
    {
        let mut table = txn.open_table(COSETS)?;
        for (coset, bytes) in sealed {
            table.insert(coset, bytes.as_slice())?;
        }
    }
    Ok(txn.commit()?)
}

/// Opens a file that others open for a moment.
fn patiently<T>(open: impl Fn() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    loop {
        match open() {
            Err(Error::Busy { .. }) if started.elapsed() < PATIENCE => thread::sleep(PAUSE),
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::coset_shard::tests::record;
    use super::*;
    use crate::store::{CosetQuestion, Store};

    fn all(results: &CosetResults) -> Vec<CosetRecord> {
        results.iter().collect::<Result<_>>().unwrap()
    }

    fn open(dir: &Path) -> CosetWriter {
        Store::open(dir).cosets().writer(&Context::silent()).unwrap()
    }

    #[test]
    fn results_are_kept_combined_and_listed() {
        let dir = tempfile::tempdir().unwrap();
        let results = Store::open(dir.path()).cosets();
        assert_eq!((results.get(5).unwrap(), all(&results)), (None, Vec::new()));
        let writer = open(dir.path());
        let (shallow, deep) = (record(5, &[2, 18, 118], 2), record(5, &[2, 18, 118, 864], 4));
        assert_eq!(writer.put(&[shallow.clone(), record(7, &[1], 1)]).unwrap(), 2);
        assert_eq!(writer.put(std::slice::from_ref(&shallow)).unwrap(), 0, "nothing new");
        // Readers are let in while the writer lives.
        assert_eq!(results.get(5).unwrap().as_ref(), Some(&shallow));
        assert_eq!(writer.put(std::slice::from_ref(&deep)).unwrap(), 1);
        assert_eq!(writer.put(std::slice::from_ref(&shallow)).unwrap(), 0, "the better one stays");
        assert_eq!(all(&results), [deep, record(7, &[1], 1)]);
        assert_eq!(writer.replace(std::slice::from_ref(&shallow)).unwrap(), 1);
        assert_eq!(results.get(5).unwrap(), Some(shallow));
    }

    #[test]
    fn contradictions_are_refused_and_change_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let writer = open(dir.path());
        let right = record(5, &[2, 18, 118], 2);
        writer.put(std::slice::from_ref(&right)).unwrap();
        let mut weighted = right.clone();
        weighted.levels[0].weighted = Some(1);
        // Another exact count, a bound above an exact count, another weighted count, another first depth.
        let mut late = record(5, &[2, 18], 2);
        late.levels.remove(0);
        late.levels[0].total = Some(18);
        late.remaining += 2;
        for wrong in [record(5, &[2, 19], 2), record(5, &[2, 19, 117], 1), weighted, late] {
            let error = writer.put(&[record(6, &[1], 1), wrong]).unwrap_err();
            assert!(error.to_string().contains("row 5") && error.to_string().contains("disagrees"), "{error}");
        }
        assert_eq!(all(writer.results()), [right]);
    }

    /// More records than are in memory at a time, and a damaged one among them.
    #[test]
    fn records_are_read_some_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let writer = open(dir.path());
        let cosets = (0..2 * RECORDS_AT_ONCE as u32 + 5).map(|number| number * 3).chain([u32::MAX]);
        let records: Vec<_> = cosets.map(|coset| record(coset, &[1], 1)).collect();
        writer.replace(&records).unwrap();
        assert_eq!(all(writer.results()), records);
        insert(&writer.open().unwrap(), &[(records[7].coset, vec![0; 40])]).unwrap();
        let found: Vec<_> = writer.results().iter().collect();
        let damaged = |place: usize| matches!(&found[place], Err(Error::Data(fault)) if fault.row == Some(21));
        assert!((0..found.len()).all(|place| damaged(place) == (place == 7)) && found.len() == records.len());
    }

    #[test]
    fn the_second_writer_learns_who_the_first_is() {
        let dir = tempfile::tempdir().unwrap();
        let _first = open(dir.path());
        let error = Store::open(dir.path()).cosets().writer(&Context::silent()).unwrap_err();
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    }

    #[test]
    fn records_in_the_wrong_place_and_newer_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let writer = open(dir.path());
        let sealed = seal(Slot::Coset(5), &record(5, &[1], 1)).unwrap();
        {
            let db = writer.open().unwrap();
            insert(&db, &[(5, sealed.clone()), (6, sealed)]).unwrap();
        }
        assert!(writer.results().get(5).unwrap().is_some());
        let error = writer.results().get(6).unwrap_err();
        assert!(error.to_string().contains("row 6"), "{error}");
        let newer = CosetsMeta { schema: 2, uuid: String::new(), creator: String::new() };
        {
            let db = writer.open().unwrap();
            let txn = db.begin_write().unwrap();
            txn.open_table(META).unwrap().insert("meta", seal(Slot::Meta, &newer).unwrap().as_slice()).unwrap();
            txn.commit().unwrap();
        }
        let error = writer.results().get(5).unwrap_err();
        assert!(matches!(&error, Error::Data(data) if data.fault == Fault::Foreign), "{error}");
        fs::write(writer.results().path(), b"something else").unwrap();
        assert!(matches!(writer.results().iter().next(), Some(Err(Error::Data(data))) if data.fault == Fault::Foreign));
    }

    #[test]
    fn questions_that_a_result_answers_are_not_asked_again() {
        let result = record(5, &[2, 18, 118], 2); // exact to 5, known to 6
        let cover = crate::puzzle::cube3::Cover::identity();
        let question = CosetQuestion {
            search_depth: 5,
            depth: 6,
            stop_at: None,
            counted: true,
            bound_20: false,
            cover: Some(cover),
        };
        assert!(result.answers(&question));
        assert!(result.answers(&CosetQuestion { search_depth: 4, depth: 4, cover: None, ..question.clone() }));
        let more = [
            CosetQuestion { search_depth: 6, ..question.clone() },
            CosetQuestion { depth: 7, ..question.clone() },
            CosetQuestion { bound_20: true, ..question.clone() },
            CosetQuestion { cover: Some("another"), ..question.clone() },
            CosetQuestion { search_depth: 6, stop_at: Some(138), ..question.clone() },
        ];
        assert!(more.iter().all(|question| !result.answers(question)));
        assert!(result.answers(&CosetQuestion { search_depth: 6, stop_at: Some(137), ..question }));
    }
}
