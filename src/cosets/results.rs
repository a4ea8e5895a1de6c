//! Results about cosets: `cosets.redb`, a record for each coset. `schema/cosets.md` states the format.

use std::path::Path;

use super::record::CosetRecord;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result, collect_faults};
use twistbase_puzzle::cube3::Cover;
use twistbase_puzzle::cube3::coordinate::CosetOfH;
use twistbase_puzzle::cube3::notation::reid;
use twistbase_store::{RecordFile, RecordKind, RecordWriter, Store};

/// Records that are in memory at a time: some megabytes.
const RECORDS_AT_ONCE: usize = 4096;
/// What the results are called, where tables are named.
pub const COSETS_NAME: &str = "cosets";

static KIND: RecordKind = RecordKind { name: COSETS_NAME, record: "coset", schema: 1, remedy };

/// What mends results: solving the coset again, or bringing them together again.
fn remedy(fault: Fault, coset: Option<u32>) -> Remedy {
    match fault {
        Fault::Missing => Remedy::SolveCoset { position: None, force: false },
        _ => coset.and_then(CosetOfH::from_number).map_or(Remedy::RestoreCosets, solve_again),
    }
}

/// Solves the coset of a number in the cover.
fn run_alone(number: u32, force: bool) -> Remedy {
    Remedy::RunCosets { range: number..number.saturating_add(1), force }
}

/// Solves a coset again and replaces the stored result.
fn solve_again(coset: CosetOfH) -> Remedy {
    match Cover::get().number(coset) {
        Some(number) => run_alone(number, true),
        None => Remedy::SolveCoset { position: Some(reid::print(&coset.representative()).into()), force: true },
    }
}

/// The results about cosets in a store.
#[derive(Debug, Clone)]
pub struct CosetResults {
    file: RecordFile,
}

impl CosetResults {
    /// The results in that folder, of which there need not be any.
    pub fn open(dir: impl AsRef<Path>) -> Self {
        Self::of(&Store::open(dir.as_ref()))
    }

    /// The results in a store.
    pub fn of(store: &Store) -> Self {
        Self { file: RecordFile::new(store, &KIND) }
    }

    /// The file, which need not exist; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    /// Whether there is a file of results, or something in its place.
    ///
    /// # Errors
    /// [`Error::Io`] when that cannot be seen.
    pub fn is_there(&self) -> Result<bool> {
        self.file.is_there()
    }

    /// The stored result about a coset, by its number or sequence.
    ///
    /// # Errors
    /// [`Error::Data`] (missing) if nothing is, and as [`Self::get`].
    pub fn find(&self, coset: CosetOfH, input: &str) -> Result<CosetRecord> {
        self.get(coset.number())?.ok_or_else(|| {
            let remedy = match input.parse::<u32>() {
                Ok(number) => run_alone(number, false),
                Err(_) => Remedy::SolveCoset { position: Some(input.into()), force: false },
            };
            let fault = DataError::new(Fault::Missing, COSETS_NAME, "this coset has not been solved", remedy);
            let (file, row) = (self.path().map(Path::to_path_buf), Some(coset.number()));
            Error::Data(DataError { file, row, ..fault })
        })
    }

    /// The result about a coset.
    ///
    /// # Errors
    /// [`Error::Data`] when the file or the record is damaged or foreign, [`Error::Busy`], [`Error::Io`].
    pub fn get(&self, coset: u32) -> Result<Option<CosetRecord>> {
        let found = self.file.sealed(coset..=coset, 1)?;
        found.into_iter().next().map(|(coset, bytes)| self.unsealed(coset, &bytes)).transpose()
    }

    /// All results, in rising order of their cosets. Reads a few thousand at a time and closes the file in between: results
    /// written meanwhile may be among them.
    pub fn iter(&self) -> CosetRecords<'_> {
        CosetRecords { results: self, next: Some(0), waiting: Vec::new().into_iter() }
    }

    /// Checks every record, as reading it does, and continues with the next one if the file can be read. Returns the number
    /// of records, including damaged ones, and their faults.
    ///
    /// # Errors
    /// [`Error::Data`] (missing) if there are no results; [`Error::Interrupted`], [`Error::Busy`], [`Error::Io`].
    pub fn verify(&self, ctx: &Context) -> Result<(u32, Vec<DataError>)> {
        if !self.is_there()? {
            return Err(self.file.fault(Fault::Missing, "no coset has been solved"));
        }
        collect_faults(|found| {
            let mut records = 0;
            for record in self.iter() {
                ctx.check()?;
                let is_of_file = matches!(&record, Err(Error::Data(fault)) if fault.row.is_none());
                records += u32::from(!is_of_file);
                record.err().into_iter().for_each(&mut *found);
            }
            Ok(records)
        })
    }

    /// The error about a result that cannot be right.
    pub(super) fn contradicted(&self, coset: u32, difference: impl std::fmt::Display) -> Error {
        self.file.damaged(coset, difference)
    }

    /// The error about a result that disagrees with the one that is there.
    #[doc(hidden)]
    pub fn disagrees(&self, coset: u32, why: &str) -> Error {
        self.contradicted(coset, format!("a new result contradicts the stored one: {why}"))
    }

    fn unsealed(&self, coset: u32, bytes: &[u8]) -> Result<CosetRecord> {
        let record: CosetRecord = self.file.unseal(coset, bytes)?;
        if record.coset != coset {
            return Err(self.file.damaged(coset, "its record belongs to another coset"));
        }
        record.check().map_err(|detail| self.file.damaged(coset, detail))?;
        Ok(record)
    }

    /// Takes the right to write results, for as long as the writer lives.
    ///
    /// # Errors
    /// [`Error::Busy`] naming the process that has it, [`Error::Io`]; [`Error::Data`] when the file is damaged or foreign.
    pub fn writer(&self, ctx: &Context) -> Result<CosetWriter> {
        Ok(CosetWriter { writer: self.file.writer(ctx)?, results: self.clone() })
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
        let sealed = self.results.file.sealed(first..=u32::MAX, RECORDS_AT_ONCE)?;
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
    writer: RecordWriter,
}

impl CosetWriter {
    /// The results.
    pub fn results(&self) -> &CosetResults {
        &self.results
    }

    /// Adds results, in one transaction that is on disk when this returns. [Combines](CosetRecord::combined) them with
    /// stored results about the same cosets. Returns how many records changed.
    ///
    /// # Errors
    /// [`Error::Data`] if a result contradicts the stored one (then it writes nothing), or that is damaged;
    /// [`Error::Io`], [`Error::Busy`].
    pub fn put(&self, records: &[CosetRecord]) -> Result<u64> {
        self.write(records, true)
    }

    /// Replaces the stored results.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Busy`], [`Error::Data`] when the file is damaged.
    pub fn replace(&self, records: &[CosetRecord]) -> Result<u64> {
        self.write(records, false)
    }

    /// [Puts](Self::put) results or, by force, [replaces](Self::replace) the stored ones.
    pub(super) fn keep(&self, records: &[CosetRecord], force: bool) -> Result<u64> {
        self.write(records, !force)
    }

    fn write(&self, records: &[CosetRecord], combine: bool) -> Result<u64> {
        let results = &self.results;
        let mut changed = Vec::new();
        for record in records {
            let damaged = |detail: String| results.file.damaged(record.coset, detail);
            record.check().map_err(damaged)?;
            let known = if combine { results.get(record.coset)? } else { None };
            let combined = match known.clone() {
                Some(known) => known.combined(record.clone()).map_err(|why| results.disagrees(record.coset, &why))?,
                None => record.clone(),
            };
            if known.as_ref() != Some(&combined) {
                changed.push((combined.coset, self.writer.seal(combined.coset, &combined)?));
            }
        }
        if !changed.is_empty() {
            self.writer.insert(&changed)?;
        }
        Ok(changed.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::record::tests::record;
    use super::*;

    fn all(results: &CosetResults) -> Vec<CosetRecord> {
        results.iter().collect::<Result<_>>().unwrap()
    }

    fn open(dir: &Path) -> CosetWriter {
        CosetResults::open(dir).writer(&Context::silent()).unwrap()
    }

    #[test]
    fn results_are_kept_combined_and_listed() {
        let dir = tempfile::tempdir().unwrap();
        let results = CosetResults::open(dir.path());
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
            assert!(error.to_string().contains("row 5") && error.to_string().contains("contradicts"), "{error}");
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
        writer.writer.insert(&[(records[7].coset, vec![0; 40])]).unwrap();
        let found: Vec<_> = writer.results().iter().collect();
        let damaged = |place: usize| matches!(&found[place], Err(Error::Data(fault)) if fault.row == Some(21));
        assert!((0..found.len()).all(|place| damaged(place) == (place == 7)) && found.len() == records.len());
    }

    #[test]
    fn the_second_writer_learns_who_the_first_is() {
        let dir = tempfile::tempdir().unwrap();
        let _first = open(dir.path());
        let error = CosetResults::open(dir.path()).writer(&Context::silent()).unwrap_err();
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    }

    #[test]
    fn records_in_the_wrong_place_and_other_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let writer = open(dir.path());
        let sealed = writer.writer.seal(5, &record(5, &[1], 1)).unwrap();
        let of_another = writer.writer.seal(7, &record(5, &[1], 1)).unwrap();
        writer.writer.insert(&[(5, sealed.clone()), (6, sealed), (7, of_another)]).unwrap();
        assert!(writer.results().get(5).unwrap().is_some());
        for wrong in [6, 7] {
            let error = writer.results().get(wrong).unwrap_err();
            assert!(error.to_string().contains(&format!("row {wrong}")), "{error}");
        }
        fs::write(writer.results().path().unwrap(), b"something else").unwrap();
        assert!(matches!(writer.results().iter().next(), Some(Err(Error::Data(data))) if data.fault == Fault::Foreign));
    }
}
