//! Where the levels of a space live while it is searched: in memory, or in a scratch file when memory is short.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use twistbase_core::error::{Error, Result};

use super::block::{Block, BlockLevels};
use twistbase_core::memory::{Zeroed, reserve};

/// An unnamed file of that many zeros in `folder`; it vanishes with the process.
pub(super) fn scratch_file(folder: &Path, length: u64) -> Result<File> {
    let fail = |source| Error::io("create a scratch file in", folder, source);
    std::fs::create_dir_all(folder).map_err(fail)?;
    let file = tempfile::tempfile_in(folder).map_err(fail)?;
    reserve(&file, length).map_err(fail)?;
    Ok(file)
}

/// The levels of all blocks of a space.
pub(super) enum Storage {
    /// All in memory.
    Memory(Zeroed<BlockLevels>),
    /// In an unnamed file, visited a batch at a time. The file vanishes with the process.
    Scratch { file: File, folder: PathBuf, blocks: usize, batch: Zeroed<BlockLevels> },
}

impl Storage {
    /// Memory for `blocks` blocks.
    pub(super) fn in_memory(blocks: usize) -> Result<Self> {
        Ok(Self::Memory(Zeroed::new(blocks)?))
    }

    /// A scratch file in `folder` for `blocks` blocks, `batch` of them in memory at a time.
    pub(super) fn in_file(blocks: usize, batch: usize, folder: &Path) -> Result<Self> {
        let file = scratch_file(folder, (blocks * size_of::<BlockLevels>()) as u64)?;
        let batch = Zeroed::new(batch.clamp(1, blocks))?;
        Ok(Self::Scratch { file, folder: folder.to_path_buf(), blocks, batch })
    }

    /// All blocks in memory.
    pub(super) fn into_memory(mut self) -> Result<Zeroed<BlockLevels>> {
        match self {
            Self::Memory(levels) => Ok(levels),
            Self::Scratch { blocks, .. } => {
                let mut levels = Zeroed::<BlockLevels>::new(blocks)?;
                self.for_each_batch(|first, batch| {
                    levels[first..first + batch.len()].copy_from_slice(batch);
                    Ok(false)
                })?;
                Ok(levels)
            }
        }
    }

    /// Visits all blocks in order, in one or more batches; `visit` gets the index of the first block of the batch and
    /// returns whether it changed any of them.
    pub(super) fn for_each_batch(
        &mut self,
        mut visit: impl FnMut(usize, &mut [BlockLevels]) -> Result<bool>,
    ) -> Result<()> {
        match self {
            Self::Memory(levels) => visit(0, levels).map(drop),
            Self::Scratch { file, folder, blocks, batch } => {
                let fail = |source| Error::io("use the scratch file in", &*folder, source);
                for first in (0..*blocks).step_by(batch.len()) {
                    let count = batch.len().min(*blocks - first);
                    let part = &mut batch[..count];
                    let offset = SeekFrom::Start((first * size_of::<BlockLevels>()) as u64);
                    file.seek(offset).and_then(|_| file.read_exact(bytes_mut(part))).map_err(fail)?;
                    if visit(first, part)? {
                        file.seek(offset).and_then(|_| file.write_all(bytes_mut(part))).map_err(fail)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// The blocks as plain bytes (in the machine's byte order: a scratch file never leaves the process).
fn bytes_mut(levels: &mut [BlockLevels]) -> &mut [u8] {
    bytemuck::cast_slice_mut(levels)
}

/// Bytes that [`Storage`] needs for each block held in memory.
pub(super) const LEVELS_BYTES: usize = size_of::<BlockLevels>();
/// Bytes of one set of a block.
pub(super) const SET_BYTES: usize = size_of::<Block>();

// Any bit pattern is a block, and a block has no padding bytes: 632 words are 79 whole lines of 64 bytes.
const _: () = assert!(SET_BYTES == 79 * 64 && LEVELS_BYTES == 4 * SET_BYTES);

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    #[test]
    fn a_scratch_file_keeps_what_changed() {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = Storage::in_memory(7).unwrap();
        let mut scratch = Storage::in_file(7, 3, folder.path()).unwrap();
        for storage in [&mut memory, &mut scratch] {
            storage
                .for_each_batch(|first, batch| {
                    for (i, levels) in batch.iter_mut().enumerate() {
                        let mut set = Block::EMPTY;
                        set.insert((first + i) as u32 * 100);
                        levels.assign(&set, 3);
                    }
                    Ok(first != 3)
                })
                .unwrap();
            let mut found = Vec::new();
            storage
                .for_each_batch(|first, batch| {
                    found.extend(batch.iter().enumerate().map(|(i, l)| l.at(3).contains((first + i) as u32 * 100)));
                    Ok(false)
                })
                .unwrap();
            let all_kept = matches!(storage, Storage::Memory(_));
            let expected: Vec<bool> = (0..7).map(|i| all_kept || !(3..6).contains(&i)).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(BlockLevels::zeroed().reached().count(), 0);
    }
}
