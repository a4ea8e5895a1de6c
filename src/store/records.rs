//! Files of records by number: `NAME.redb`, a sealed record for each number that has one. What a record says is the
//! caller's; here it is bytes under a checksum.
//!
//! The file is open only while something is read or written, so that a writer that lives for weeks keeps no reader out. A
//! writer holds a lock for as long as it may write.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use redb::{Database, TableDefinition};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Store;
use super::engine::{self, EngineFailure, META, Site, guard};
use super::lock::BuildLock;
use super::place::{Place, TableFiles};
use super::record::{CREATOR, RecordSlot, SchemaRecord, seal, unseal};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Fault, Remedy, Result};

/// How long a file is waited for that another process has open for the moment of a read or a write.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);
const NEWER: &str = "a newer version wrote the file";

/// What a file of records is.
#[derive(Debug)]
pub struct RecordKind {
    /// What the file and its redb table are called, and what errors call it.
    pub name: &'static str,
    /// What its records are called in their checksums.
    pub record: &'static str,
    /// The schema of the file.
    pub schema: u32,
    /// What mends a fault of the file, or of the record with a number.
    pub remedy: fn(Fault, Option<u32>) -> Remedy,
}

impl RecordKind {
    /// The redb table: a sealed record per number.
    fn table(&self) -> TableDefinition<'static, u32, &'static [u8]> {
        TableDefinition::new(self.name)
    }

    fn slot(&self, number: u32) -> RecordSlot<'static> {
        RecordSlot::Record(self.record, number)
    }
}

/// What the file is, written when it is created.
#[derive(Debug, Serialize, Deserialize)]
struct RecordsMeta {
    schema: u32,
    uuid: String,
    creator: String,
}

/// A file of records, which need not exist.
#[derive(Debug, Clone)]
pub struct RecordFile {
    kind: &'static RecordKind,
    place: Place,
    files: TableFiles,
}

impl RecordFile {
    /// The file for records of a kind in a store.
    pub fn new(store: &Store, kind: &'static RecordKind) -> Self {
        Self { kind, files: store.place.files(kind.name), place: store.place.clone() }
    }

    /// The file, which need not exist; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        self.files.complete.path()
    }

    fn site(&self) -> Site<'_> {
        Site::with_remedy(self.kind.name, &self.files.complete, self.kind.remedy)
    }

    /// The error about the file as a whole.
    pub fn fault(&self, fault: Fault, detail: impl std::fmt::Display) -> Error {
        self.site().fault(fault, detail)
    }

    /// The error about a record that cannot be right.
    pub fn damaged(&self, number: u32, detail: impl std::fmt::Display) -> Error {
        self.site().at(number, None).damaged(detail)
    }

    /// Whether there is a file, or something in its place.
    ///
    /// # Errors
    /// [`Error::Io`] when that cannot be seen.
    pub fn is_there(&self) -> Result<bool> {
        self.files.complete.is_there()
    }

    /// The first records of a range, at most `most`, as they are stored; none if there is no file.
    ///
    /// # Errors
    /// [`Error::Data`] when the file is damaged or foreign, [`Error::Busy`], [`Error::Io`].
    pub fn sealed(&self, range: RangeInclusive<u32>, most: usize) -> Result<Vec<(u32, Vec<u8>)>> {
        let site = self.site();
        if !self.is_there()? {
            return Ok(Vec::new());
        }
        let db = match patiently(|| engine::open_read_only(&site)) {
            Err(error) if engine::was_not_closed(&error) => {
                // A writer was killed, or the power failed.
                match self.mend() {
                    // A writer that wrote nothing took it away meanwhile.
                    Err(_) if !self.is_there()? => return Ok(Vec::new()),
                    mended => mended?,
                }
                patiently(|| engine::open_read_only(&site))?
            }
            opened => opened?,
        };
        let sealed = guard(|| {
            let txn = db.begin_read()?;
            check_meta(self.kind, txn.open_table(META)?.get("meta")?.map(|value| value.value().to_vec()))?;
            let entries = txn.open_table(self.kind.table())?.range(range)?;
            let sealed = entries.take(most).map(|entry| {
                let (number, bytes) = entry?;
                Ok((number.value(), bytes.value().to_vec()))
            });
            sealed.collect()
        });
        sealed.map_err(|failure| match failure {
            EngineFailure::Content(detail) if detail.starts_with(NEWER) => site.fault(Fault::Foreign, detail),
            other => site.reading(other),
        })
    }

    /// Checks and parses a record.
    ///
    /// # Errors
    /// [`Error::Data`] (damaged).
    pub fn unseal<T: DeserializeOwned>(&self, number: u32, bytes: &[u8]) -> Result<T> {
        unseal(self.kind.slot(number), bytes).map_err(|detail| self.damaged(number, detail))
    }

    /// Repairs a file that nobody closed, which takes milliseconds: what was committed is there.
    fn mend(&self) -> Result<()> {
        patiently(|| engine::open_to_mend(&self.site(), &Context::silent())).map(drop)
    }

    /// Takes the right to write records, for as long as the writer lives. Creates the file if it is missing.
    ///
    /// # Errors
    /// [`Error::Busy`] naming the process that has it, [`Error::Io`]; [`Error::Data`] when the file is damaged or foreign.
    pub fn writer(&self, ctx: &Context) -> Result<RecordWriter> {
        self.place.create()?;
        let lock = BuildLock::acquire(&self.files.lock, self.kind.name)?;
        let mut writer = RecordWriter { file: self.clone(), ctx: ctx.clone(), is_unused: false.into(), _lock: lock };
        *writer.is_unused.get_mut() = writer.create_if_missing()?;
        // A file that cannot be written to is noticed now, not after hours of work.
        drop(self.sealed(0..=0, 1)?);
        Ok(writer)
    }
}

/// The one process that writes records.
#[derive(Debug)]
pub struct RecordWriter {
    file: RecordFile,
    ctx: Context,
    /// Whether this writer made the file and wrote nothing to it.
    is_unused: AtomicBool,
    _lock: BuildLock,
}

impl RecordWriter {
    /// A record as it is stored.
    ///
    /// # Errors
    /// [`Error::Data`] if it cannot be serialised.
    pub fn seal(&self, number: u32, record: &impl Serialize) -> Result<Vec<u8>> {
        seal(self.file.kind.slot(number), record).map_err(|error| self.file.damaged(number, error))
    }

    /// Puts sealed records in the place of those with the same numbers, in one transaction that is on disk when this
    /// returns.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Busy`], [`Error::Data`] when the file is damaged.
    pub fn insert(&self, sealed: &[(u32, Vec<u8>)]) -> Result<()> {
        let site = self.file.site();
        let db = patiently(|| engine::open_building(&site, &self.ctx))?;
        // Also where that fails: what there is then is not this writer's to judge.
        self.is_unused.store(false, Ordering::Relaxed);
        guard(|| insert(&db, self.file.kind, sealed)).map_err(|failure| site.writing(failure))
    }

    /// A file that is torn while it is created never opens: it gets its name when it is complete. Returns whether it was
    /// missing.
    fn create_if_missing(&self) -> Result<bool> {
        let RecordFile { files, .. } = &self.file;
        if files.complete.is_there()? {
            return Ok(false);
        }
        files.building.remove()?;
        let kind = self.file.kind;
        let site = Site::with_remedy(kind.name, &files.building, kind.remedy);
        let db = engine::open_building(&site, &self.ctx)?;
        guard(|| create(&db, kind)).map_err(|failure| site.writing(failure))?;
        drop(db);
        engine::check_closed(&site)?;
        files.publish()?;
        Ok(true)
    }
}

impl Drop for RecordWriter {
    /// A file of nothing is no use to anyone, where what was to be written was refused. The lock is held until it is gone.
    fn drop(&mut self) {
        if *self.is_unused.get_mut() {
            let _ = self.file.files.complete.remove();
        }
    }
}

fn check_meta(kind: &RecordKind, sealed: Option<Vec<u8>>) -> Result<(), EngineFailure> {
    let sealed = sealed.ok_or_else(|| EngineFailure::Content("its description is missing".to_owned()))?;
    let SchemaRecord { schema } = unseal(RecordSlot::Meta, &sealed).map_err(EngineFailure::Content)?;
    if schema > kind.schema {
        let newest = kind.schema;
        return Err(EngineFailure::Content(format!(
            "{NEWER}, with schema version {schema}; this version reads {newest}"
        )));
    }
    let _: RecordsMeta = unseal(RecordSlot::Meta, &sealed).map_err(EngineFailure::Content)?;
    Ok(())
}

/// Writes what the file is, and an empty table.
fn create(db: &Database, kind: &RecordKind) -> Result<(), EngineFailure> {
    let meta = RecordsMeta { schema: kind.schema, uuid: Uuid::new_v4().to_string(), creator: CREATOR.to_owned() };
    let sealed = seal(RecordSlot::Meta, &meta).map_err(|error| EngineFailure::Content(error.to_string()))?;
    let mut txn = db.begin_write()?;
    txn.set_quick_repair(true);
    txn.open_table(META)?.insert("meta", sealed.as_slice())?;
    txn.open_table(kind.table())?;
    Ok(txn.commit()?)
}

fn insert(db: &Database, kind: &RecordKind, sealed: &[(u32, Vec<u8>)]) -> Result<(), EngineFailure> {
    let mut txn = db.begin_write()?;
    txn.set_quick_repair(true);
    {
        let mut table = txn.open_table(kind.table())?;
        for (number, bytes) in sealed {
            table.insert(number, bytes.as_slice())?;
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
    use std::fs;

    use super::*;

    static KIND: RecordKind =
        RecordKind { name: "demos", record: "demo", schema: 1, remedy: |_, _| Remedy::build("demos") };

    fn is_foreign(file: &RecordFile) -> bool {
        matches!(file.sealed(0..=9, 9), Err(Error::Data(data)) if data.fault == Fault::Foreign)
    }

    #[test]
    fn records_read_back_and_belong_to_their_numbers() {
        let dir = tempfile::tempdir().unwrap();
        for store in [Store::open(dir.path()), Store::in_memory()] {
            let file = RecordFile::new(&store, &KIND);
            assert_eq!(file.sealed(0..=9, 9).unwrap(), []);
            let writer = file.writer(&Context::silent()).unwrap();
            let sealed = writer.seal(5, &"five").unwrap();
            writer.insert(&[(5, sealed.clone()), (6, sealed.clone())]).unwrap();
            assert_eq!(file.sealed(0..=9, 1).unwrap(), [(5, sealed.clone())]);
            assert_eq!(file.unseal::<String>(5, &sealed).unwrap(), "five");
            let error = file.unseal::<String>(6, &sealed).unwrap_err();
            assert!(error.to_string().contains("row 6"), "{error}");
        }
    }

    #[test]
    fn a_writer_that_writes_nothing_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        for store in [Store::open(dir.path()), Store::in_memory()] {
            let file = RecordFile::new(&store, &KIND);
            drop(file.writer(&Context::silent()).unwrap());
            assert!(!file.is_there().unwrap());
            let writer = file.writer(&Context::silent()).unwrap();
            writer.insert(&[(5, writer.seal(5, &"five").unwrap())]).unwrap();
            drop(writer);
            drop(file.writer(&Context::silent()).unwrap());
            assert_eq!(file.sealed(0..=9, 9).unwrap().len(), 1);
        }
    }

    /// A reader that found a file which nobody closed, and whose writer took it away before it was mended.
    #[test]
    fn what_is_gone_is_not_made_anew_to_be_mended() {
        let dir = tempfile::tempdir().unwrap();
        let file = RecordFile::new(&Store::open(dir.path()), &KIND);
        assert!(matches!(file.mend(), Err(Error::Io { .. })));
        assert!(!file.is_there().unwrap());
        assert_eq!(file.sealed(0..=9, 9).unwrap(), []);
    }

    #[test]
    fn a_file_that_cannot_be_seen_is_not_one_that_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let file = RecordFile::new(&Store::open(dir.path()), &KIND);
        std::os::unix::fs::symlink(file.path().unwrap(), file.path().unwrap()).unwrap();
        assert!(matches!(file.sealed(0..=9, 9), Err(Error::Io { .. })));
        let below = RecordFile::new(&Store::open(dir.path().join("a").join("b")), &KIND);
        fs::write(dir.path().join("a"), "no folder").unwrap();
        assert!(matches!(below.sealed(0..=9, 9), Err(Error::Io { .. })) && below.is_there().is_err());
    }

    #[test]
    fn newer_files_and_other_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = RecordFile::new(&Store::open(dir.path()), &KIND);
        drop(file.writer(&Context::silent()).unwrap());
        let newer = RecordsMeta { schema: 2, uuid: String::new(), creator: String::new() };
        {
            let db = engine::open_building(&file.site(), &Context::silent()).unwrap();
            let txn = db.begin_write().unwrap();
            txn.open_table(META).unwrap().insert("meta", seal(RecordSlot::Meta, &newer).unwrap().as_slice()).unwrap();
            txn.commit().unwrap();
        }
        assert!(is_foreign(&file) && file.writer(&Context::silent()).is_err());
        fs::write(file.path().unwrap(), b"something else").unwrap();
        assert!(is_foreign(&file));
    }
}
