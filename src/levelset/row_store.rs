//! Where rows of sets are stored while a space is searched: in memory, or in a scratch file with as many rows in memory
//! as it has room for.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use rayon::prelude::*;

use super::scratch::scratch_file;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::memory::Zeroed;

/// Rows of sets, empty (zeroed) at first.
pub(crate) struct RowStore<S> {
    /// Those in memory, in slots of the size of a row.
    sets: Zeroed<S>,
    row_sets: usize,
    /// Where the others are; `None` if slots are rows.
    scratch: Option<RowFile>,
}

/// An unnamed file; it vanishes with the process.
struct RowFile {
    file: File,
    folder: PathBuf,
    /// Per row its slot, or [`NOWHERE`].
    slots: Vec<u32>,
    held: Vec<RowSlot>,
    clock: u64,
    /// Of the search: a row may be read and written for long.
    ctx: Context,
}

/// No slot, or no row.
const NOWHERE: u32 = u32::MAX;

/// Bytes of the smallest page of memory.
const PAGE_BYTES: usize = 4096;

/// What a slot holds.
#[derive(Clone, Copy)]
struct RowSlot {
    row: u32,
    /// When the row was last asked for.
    used: u64,
    is_changed: bool,
}

impl<S: Pod + Send> RowStore<S> {
    /// Memory for `rows` rows of `row_sets` sets.
    pub(crate) fn in_memory(rows: usize, row_sets: usize) -> Result<Self> {
        let mut sets = Zeroed::<S>::new(rows * row_sets)?;
        // Written before it is read: a page that is read first is mapped twice, and the second time all processors have
        // to flush their translations.
        sets.par_chunks_mut((PAGE_BYTES / size_of::<S>()).max(1)).for_each(|page| page[0] = S::zeroed());
        Ok(Self { sets, row_sets, scratch: None })
    }

    /// A scratch file in `folder` for `rows` rows, `slots` of them in memory at a time.
    pub(crate) fn in_file(rows: usize, row_sets: usize, slots: usize, folder: &Path, ctx: &Context) -> Result<Self> {
        let file = scratch_file(folder, (rows * row_sets * size_of::<S>()) as u64)?;
        let held = vec![RowSlot { row: NOWHERE, used: 0, is_changed: false }; slots];
        let (folder, ctx) = (folder.to_path_buf(), ctx.clone());
        let scratch = RowFile { file, folder, slots: vec![NOWHERE; rows], held, clock: 0, ctx };
        Ok(Self { sets: Zeroed::new(slots * row_sets)?, row_sets, scratch: Some(scratch) })
    }

    /// How many rows can be in memory.
    pub(crate) fn slots(&self) -> usize {
        self.sets.len() / self.row_sets
    }

    /// Brings rows into memory, at most as many as there are slots; others may leave it. After an error nothing is asked any more.
    ///
    /// # Errors
    /// [`Error::Io`] from the scratch file; [`Error::Interrupted`].
    pub(crate) fn bring(&mut self, rows: &[usize]) -> Result<()> {
        let Self { sets, row_sets, scratch: Some(scratch) } = self else { return Ok(()) };
        for (row, slot) in scratch.assign_slots(rows) {
            scratch.ctx.check()?;
            let sets = &mut sets[slot * *row_sets..][..*row_sets];
            scratch.replace(slot, row, bytemuck::cast_slice_mut(sets))?;
        }
        Ok(())
    }

    /// A row that is in memory.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[S] {
        let slot = self.scratch.as_ref().map_or(row, |scratch| scratch.slots[row] as usize);
        &self.sets[slot * self.row_sets..][..self.row_sets]
    }

    /// Rows that are in memory, in rising order, to be changed.
    pub(crate) fn rows_mut(&mut self, rows: &[usize]) -> Vec<&mut [S]> {
        let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return Vec::new() };
        let slots = self.sets.chunks_mut(self.row_sets);
        match &mut self.scratch {
            None => {
                let mut wanted = rows.iter().copied().peekable();
                let all = (first..=last).zip(slots.skip(first));
                all.filter_map(|(row, sets)| wanted.next_if_eq(&row).map(|_| sets)).collect()
            }
            Some(scratch) => {
                let all = scratch.held.iter_mut().zip(slots);
                let mut found: Vec<(u32, &mut [S])> = all
                    .filter(|(held, _)| rows.binary_search(&(held.row as usize)).is_ok())
                    .map(|(held, sets)| {
                        held.is_changed = true;
                        (held.row, sets)
                    })
                    .collect();
                found.sort_unstable_by_key(|&(row, _)| row);
                found.into_iter().map(|(_, sets)| sets).collect()
            }
        }
    }
}

impl RowFile {
    /// Which of these rows are missing in memory, with the slots that they get.
    fn assign_slots(&mut self, rows: &[usize]) -> Vec<(usize, usize)> {
        self.clock += 1;
        let mut missing = Vec::new();
        for &row in rows {
            match self.held.get_mut(self.slots[row] as usize) {
                Some(slot) => slot.used = self.clock,
                None if missing.last() != Some(&row) => missing.push(row),
                None => {}
            }
        }
        missing.sort_unstable();
        missing.dedup();
        // Rows that were not asked for longest leave first.
        let mut free: Vec<usize> = (0..self.held.len()).filter(|&slot| self.held[slot].used < self.clock).collect();
        free.sort_by_key(|&slot| self.held[slot].used);
        assert!(missing.len() <= free.len(), "more rows are asked for than there are slots");
        missing.into_iter().zip(free).collect()
    }

    /// Puts a row into a slot, whose bytes are `bytes`.
    fn replace(&mut self, slot: usize, row: usize, bytes: &mut [u8]) -> Result<()> {
        let Self { file, folder, slots, held, clock, .. } = self;
        let fail = |source| Error::io("use the scratch file in", &*folder, source);
        let offset = |row: usize| SeekFrom::Start((row * bytes.len()) as u64);
        let old = held[slot];
        if old.row != NOWHERE {
            if old.is_changed {
                file.seek(offset(old.row as usize)).and_then(|_| file.write_all(bytes)).map_err(fail)?;
            }
            slots[old.row as usize] = NOWHERE;
        }
        file.seek(offset(row)).and_then(|_| file.read_exact(bytes)).map_err(fail)?;
        slots[row] = slot as u32;
        held[slot] = RowSlot { row: row as u32, used: *clock, is_changed: false };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OrientationSet, OrientationSet4};

    #[test]
    fn rows_that_left_memory_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let set = |number: usize| OrientationSet4::from_words(|_| number as u64);
        let mut kept = [
            RowStore::in_memory(9, 3).unwrap(),
            RowStore::in_file(9, 3, 4, folder.path(), &Context::silent()).unwrap(),
        ];
        for rows in &mut kept {
            for step in 0..50 {
                let asked = [step % 9, step * 5 % 9, step * step % 9, step % 9];
                rows.bring(&asked).unwrap();
                let mut changed = [step % 9, step * 5 % 9].to_vec();
                changed.sort_unstable();
                changed.dedup();
                for (&number, row) in changed.iter().zip(rows.rows_mut(&changed)) {
                    row[step % 3] = set(1 + step * 9 + number);
                }
            }
        }
        let [memory, scratch] = &mut kept;
        assert_eq!((memory.slots(), scratch.slots()), (9, 4));
        for row in 0..9 {
            scratch.bring(&[row]).unwrap();
            assert_eq!(memory.row(row), scratch.row(row));
        }
    }
}
