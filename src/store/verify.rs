//! Checking a whole table: every page, digest and histogram.

use rayon::prelude::*;

use super::encode::histogram;
use super::read::StoredTable;
use super::record::{self, RowRecord};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::Zeroed;

/// What [`StoredTable::verify`] went through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verified {
    /// Rows checked.
    pub rows: u32,
    /// Pages checked.
    pub pages: u64,
    /// Faults found, each of which was reported.
    pub faults: u64,
}

impl StoredTable {
    /// Checks every page, every row's digest and histogram, and that the file holds nothing else. Each fault is
    /// handed to `found` as the error that a reader would meet there, and the check goes on.
    ///
    /// # Errors
    /// Only [`Error::Interrupted`], and [`Error::Memory`] where there is none for a row; what is wrong with the table goes to `found`.
    pub fn verify(&self, ctx: &Context, found: &mut dyn FnMut(Error)) -> Result<Verified> {
        let layout = *self.layout();
        let mut result = Verified::default();
        let mut report = |error| {
            result.faults += 1;
            found(error);
        };
        let mut segments = 0;
        let mut buffer = Zeroed::<u8>::new(layout.row_bytes())?;
        ctx.progress().begin(&format!("verifying {}", layout.name), u64::from(layout.rows), "rows");
        for row in 0..layout.rows {
            ctx.check()?;
            self.check_row(row, &mut buffer).into_iter().for_each(&mut report);
            segments += self.row_record(row).map_or(0, |record| record.segments.len() as u64);
            ctx.progress().advance(1);
        }
        self.check_whole(segments).into_iter().for_each(&mut report);
        ctx.progress().end();
        result.rows = layout.rows;
        result.pages = u64::from(layout.rows) * u64::from(layout.pages);
        Ok(result)
    }

    /// Checks one row and returns its faults: none when the row is intact.
    pub fn verify_row(&self, row: u32) -> Vec<Error> {
        match Zeroed::new(self.layout().row_bytes()) {
            Ok(mut buffer) => self.check_row(row, &mut buffer),
            Err(error) => vec![error],
        }
    }

    fn check_row(&self, row: u32, buffer: &mut [u8]) -> Vec<Error> {
        let record = match self.row_record(row) {
            Ok(record) => record,
            Err(error) => return vec![error],
        };
        let faults: Vec<Error> = self
            .split_row(record, buffer)
            .into_par_iter()
            .enumerate()
            .flat_map_iter(|(at, bytes)| self.decode_segment(record, at, bytes))
            .collect();
        // With a page missing, digest and histogram cannot agree and would say nothing new.
        if faults.is_empty() { self.check_content(record, buffer) } else { faults }
    }

    fn check_content(&self, record: &RowRecord, row_bytes: &[u8]) -> Vec<Error> {
        let site = self.site().at(record.row, None);
        let mut faults = Vec::new();
        let (digest, counts) = rayon::join(|| blake3::hash(row_bytes).to_hex(), || histogram(self.layout(), row_bytes));
        if digest.as_str() != record.digest {
            faults.push(site.damaged("the row does not match its digest"));
        }
        match counts {
            Ok(counts) if counts == record.histogram => {}
            Ok(_) => faults.push(site.damaged("the row does not match its histogram")),
            Err(reason) => faults.push(site.damaged(reason)),
        }
        faults
    }

    /// Checks what concerns the table as a whole: its digest, and that nothing is stored beyond its rows.
    fn check_whole(&self, segments: u64) -> Vec<Error> {
        let layout = *self.layout();
        // A row without a valid record was reported as such.
        let Ok(records) = (0..layout.rows).map(|row| self.row_record(row)).collect::<Result<Vec<_>>>() else {
            return Vec::new();
        };
        let mut faults = Vec::new();
        let digests = records.iter().map(|record| record.digest.as_str());
        if record::table_digest(&self.manifest().geometry, self.manifest().depth, digests) != self.manifest().digest {
            faults.push(self.site().damaged("the rows' digests do not add up to the table's digest"));
        }
        let mut sums = (Vec::new(), Vec::new());
        records.iter().for_each(|record| record.add_to(&mut sums.0, &mut sums.1));
        if sums != (self.manifest().entries_by_level.clone(), self.manifest().distribution.clone()) {
            faults.push(self.site().damaged("the rows' levels do not add up to the table's"));
        }
        match self.lengths() {
            Ok(lengths) if lengths != (u64::from(layout.rows), segments) => {
                faults.push(self.site().damaged("the file holds rows or segments of another table"));
            }
            Ok(_) => {}
            Err(error) => faults.push(error),
        }
        faults
    }
}
