//! Files in memory: what redb writes to, and the names under which a store finds them again.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use redb::{Builder, Database, DatabaseError, StorageBackend};
use uuid::Uuid;

use super::place::TableFiles;
use twistbase_core::memory::Zeroed;

/// Bytes of a piece of a file in memory, 2^20: files grow without a copy, and what was never written takes none.
const PIECE: usize = 1 << 20;

/// The files of a store in memory, by table. Its clones are the same store; the last one that is dropped frees them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<HashMap<String, TableFiles>>>);

impl Memory {
    /// The files of a table, which begin empty.
    pub fn files(&self, table: &str) -> TableFiles {
        locked(&self.0).entry(table.to_owned()).or_insert_with(TableFiles::in_memory).clone()
    }
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Memory {}

/// A file in memory, or the place for one. All who open it share one open database: redb's own transactions keep readers and the
/// writer apart, and a reader keeps what it opened when another file takes this place.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryFile(Arc<Mutex<Option<Edition>>>);

/// What a file holds.
#[derive(Debug, Clone)]
struct Edition {
    database: Arc<Database>,
    bytes: Pieces,
    /// Tells it from all others, also from those of another process.
    id: Uuid,
}

impl MemoryFile {
    /// The database in the file, if there is one.
    pub fn open(&self) -> Option<Arc<Database>> {
        Some(Arc::clone(&locked(&self.0).as_ref()?.database))
    }

    /// The database in the file, which is created if there is none.
    pub fn open_or_create(&self, builder: &Builder) -> Result<Arc<Database>, DatabaseError> {
        let mut held = locked(&self.0);
        if let Some(edition) = &*held {
            return Ok(Arc::clone(&edition.database));
        }
        let bytes = Pieces::default();
        let database = Arc::new(builder.create_with_backend(bytes.clone())?);
        *held = Some(Edition { database: Arc::clone(&database), bytes, id: Uuid::new_v4() });
        Ok(database)
    }

    /// Takes the file away; who has it open keeps it.
    pub fn remove(&self) {
        let removed = locked(&self.0).take();
        // Closing it takes a moment: not under the lock.
        drop(removed);
    }

    /// Puts the file in the place of another one.
    pub fn rename(&self, to: &Self) {
        let moved = locked(&self.0).take();
        let replaced = std::mem::replace(&mut *locked(&to.0), moved);
        drop(replaced);
    }

    /// Bytes that the file takes.
    pub fn bytes(&self) -> u64 {
        locked(&self.0).as_ref().map_or(0, |edition| edition.bytes.taken())
    }

    /// Which edition is there.
    pub fn edition(&self) -> Option<Uuid> {
        Some(locked(&self.0).as_ref()?.id)
    }
}

/// Who builds a table in memory, if anybody does.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryLock(Arc<Mutex<Weak<()>>>);

impl MemoryLock {
    /// Takes the lock, which is free again when what this returns is dropped; `None` if somebody has it.
    pub fn try_lock(&self) -> Option<Arc<()>> {
        let mut holder = locked(&self.0);
        let is_free = holder.strong_count() == 0;
        is_free.then(|| {
            let held = Arc::new(());
            *holder = Arc::downgrade(&held);
            held
        })
    }

    /// Whether somebody has the lock.
    pub fn is_held(&self) -> bool {
        locked(&self.0).strong_count() > 0
    }
}

/// Nothing under these locks can be half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes of a file, in pieces that are there from the first write on.
#[derive(Debug, Clone, Default)]
struct Pieces(Arc<RwLock<Content>>);

#[derive(Debug, Default)]
struct Content {
    length: u64,
    pieces: Vec<Option<Zeroed<u8>>>,
}

impl Pieces {
    fn taken(&self) -> u64 {
        let content = self.0.read().unwrap_or_else(PoisonError::into_inner);
        (content.pieces.iter().flatten().count() * PIECE) as u64
    }
}

/// For `bytes` bytes from `offset` on of a file of that length: per piece its number, the first of its bytes, and where these are
/// among the others.
fn parts(length: u64, offset: u64, bytes: usize) -> io::Result<impl Iterator<Item = (usize, usize, Range<usize>)>> {
    let end = offset.checked_add(bytes as u64).filter(|&end| end <= length);
    end.ok_or(io::ErrorKind::UnexpectedEof)?;
    // At most the length, of which memory has room for the pieces.
    let (offset, mut at) = (offset as usize, 0);
    Ok(std::iter::from_fn(move || {
        let from = (offset + at) % PIECE;
        let range = at..bytes.min(at + PIECE - from);
        let part = (!range.is_empty()).then(|| ((offset + at) / PIECE, from, range.clone()));
        at = range.end;
        part
    }))
}

impl StorageBackend for Pieces {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.read().unwrap_or_else(PoisonError::into_inner).length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let content = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for (piece, from, range) in parts(content.length, offset, out.len())? {
            let out = &mut out[range];
            match &content.pieces[piece] {
                Some(piece) => out.copy_from_slice(&piece[from..from + out.len()]),
                None => out.fill(0),
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut content = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let pieces = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?.div_ceil(PIECE);
        content.pieces.resize_with(pieces, || None);
        // What is cut off reads as zeros should the file grow again.
        let within = length as usize % PIECE;
        if within > 0
            && let Some(Some(last)) = content.pieces.last_mut()
        {
            last[within..].fill(0);
        }
        content.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut content = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (piece, from, range) in parts(content.length, offset, data.len())? {
            let slot = &mut content.pieces[piece];
            let piece = match slot {
                Some(piece) => piece,
                none => none.insert(Zeroed::new(PIECE).map_err(|_| io::ErrorKind::OutOfMemory)?),
            };
            let data = &data[range];
            piece[from..from + data.len()].copy_from_slice(data);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back_across_pieces_and_zeros_where_nothing_was_written() {
        let (file, mut right) = (Pieces::default(), vec![0; 5 * PIECE / 2]);
        file.set_len(right.len() as u64).unwrap();
        assert_eq!(file.taken(), 0);
        let data: Vec<u8> = (0..PIECE + 9).map(|at| (at % 251) as u8).collect();
        file.write(PIECE as u64 - 5, &data).unwrap();
        right[PIECE - 5..][..data.len()].copy_from_slice(&data);
        let mut read = vec![1; right.len()];
        file.read(0, &mut read).unwrap();
        assert!(read == right && file.taken() == 3 * PIECE as u64);
        // What was cut off is gone.
        file.set_len(PIECE as u64 + 7).unwrap();
        file.set_len(right.len() as u64).unwrap();
        right[PIECE + 7..].fill(0);
        file.read(0, &mut read).unwrap();
        assert!(read == right && file.taken() == 2 * PIECE as u64);
        for offset in [right.len() as u64, u64::MAX] {
            assert!(file.read(offset, &mut [0]).is_err() && file.write(offset, &[0]).is_err());
            assert!(file.read(offset, &mut []).is_ok() == (offset == right.len() as u64));
        }
    }

    #[test]
    fn a_lock_in_memory_has_one_holder() {
        let lock = MemoryLock::default();
        let held = lock.try_lock().unwrap();
        assert!(lock.is_held() && lock.clone().try_lock().is_none());
        drop(held);
        assert!(!lock.is_held() && lock.try_lock().is_some());
    }
}
