//! The files of a search of a space that is larger than memory: two sets of rows, and the record of what is complete.
//!
//! Each row has its place in a file of rows, and is compressed there: until the middle levels, and again after them, that saves most
//! of what would be read and written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twistbase_core::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use super::orientation::{OrientationSeed, ReachedLevels};

/// The version of the files: `schema/levels.md`.
const VERSION: u32 = 1;

/// How much to compress: as little as possible.
const COMPRESSION: i32 = 1;

/// A row is compressed if at most one bit in this many is set, or is not. A disk reads and writes other rows in less time than
/// compressing takes.
const FEW: u64 = 100;

/// What is in a file of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowFile {
    /// Bytes in the file: 0 for a row without states, as many as the row has if it is not compressed.
    bytes: u32,
    /// Their hash.
    hash: u64,
}

/// A row on its way to a file, or from there.
#[derive(Default)]
pub(crate) struct RowBytes(Vec<u8>);

/// A set of rows in a file.
#[derive(Debug)]
pub(crate) struct RowsInFile {
    file: File,
    path: PathBuf,
    row_bytes: usize,
    rows: Vec<RowFile>,
}

impl RowsInFile {
    fn open(path: PathBuf, rows: usize, row_bytes: usize) -> Result<Self> {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(|source| Error::io("open", &path, source))?;
        Ok(Self { file, path, row_bytes, rows: vec![RowFile::default(); rows] })
    }

    fn offset(&self, row: usize) -> u64 {
        (row * self.row_bytes) as u64
    }

    /// What is in the file of a row.
    pub fn get(&self, row: usize) -> RowFile {
        self.rows[row]
    }

    /// Makes that what is in the file of a row.
    pub fn set(&mut self, row: usize, written: RowFile) {
        self.rows[row] = written;
    }

    /// Whether a row has no states.
    pub fn is_empty(&self, row: usize) -> bool {
        self.rows[row].bytes == 0
    }

    /// Reads a row.
    ///
    /// # Errors
    /// [`Error::Io`], also if the file is not as it was written.
    pub fn read(&self, row: usize, to: &mut [u8], bytes: &mut RowBytes) -> Result<()> {
        let RowFile { bytes: length, .. } = self.rows[row];
        if length == 0 {
            to.fill(0);
            return Ok(());
        }
        if length as usize == self.row_bytes {
            return self.read_stored(row, to);
        }
        bytes.0.resize(length as usize, 0);
        self.read_stored(row, &mut bytes.0)?;
        match zstd::bulk::decompress_to_buffer(&bytes.0, to) {
            Ok(length) if length == to.len() => Ok(()),
            _ => Err(self.damaged(row)),
        }
    }

    fn read_stored(&self, row: usize, to: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(to, self.offset(row)).map_err(|source| Error::io("read", &self.path, source))?;
        if xxh3_64(to) == self.rows[row].hash { Ok(()) } else { Err(self.damaged(row)) }
    }

    /// Writes a row; [`RowsInFile::set`] makes it valid.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, row: usize, from: &[u8], bytes: &mut RowBytes) -> Result<RowFile> {
        let (words, rest) = from.as_chunks::<8>();
        let in_words: u64 = words.iter().map(|&word| u64::from(u64::from_ne_bytes(word).count_ones())).sum();
        let set = in_words + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
        if set == 0 {
            return Ok(RowFile::default());
        }
        let bits = 8 * from.len() as u64;
        if set.min(bits - set) * FEW > bits {
            return self.write_stored(row, from);
        }
        bytes.0.resize(from.len() - 1, 0);
        // Rows that do not become smaller are written as they are.
        match zstd::bulk::compress_to_buffer(from, &mut bytes.0, COMPRESSION) {
            Ok(length) => self.write_stored(row, &bytes.0[..length]),
            Err(_) => self.write_stored(row, from),
        }
    }

    fn write_stored(&self, row: usize, bytes: &[u8]) -> Result<RowFile> {
        self.file.write_all_at(bytes, self.offset(row)).map_err(|source| Error::io("write", &self.path, source))?;
        Ok(RowFile { bytes: bytes.len() as u32, hash: xxh3_64(bytes) })
    }

    fn damaged(&self, row: usize) -> Error {
        damaged(&self.path, format!("row {row} is not as it was written"))
    }
}

/// The error of a file that is not as it was written.
fn damaged(path: &Path, detail: String) -> Error {
    let detail = format!("{detail}; remove the files of that name in its folder, and start again");
    Error::io("read", path, io::Error::new(io::ErrorKind::InvalidData, detail))
}

/// What a search is of: another one does not continue it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SearchName {
    version: u32,
    name: String,
    row_bytes: usize,
    /// A hash of its probes.
    probes: u64,
}

/// The record of what is complete: the first line of its file. The second is the hash of the first.
#[derive(Serialize, Deserialize)]
struct LevelRecord {
    search: SearchName,
    /// The file of the set of the last level, 0 or 1.
    file: usize,
    rows: Vec<RowFile>,
    levels: ReachedLevels,
}

/// The two sets of a search, and its record.
pub(crate) struct LevelFiles {
    /// The set of the level before.
    pub old: RowsInFile,
    /// The set of the level that is counted, or was counted last.
    pub new: RowsInFile,
    /// Which of the two files is `new`.
    number: usize,
    record: PathBuf,
    search: SearchName,
    /// Held as long as the search.
    _lock: File,
}

impl LevelFiles {
    /// Opens the files of the search `name` in a folder, or makes them. A search for the levels of other `probes` is another one.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Busy`] if another search uses them.
    pub fn open(
        (folder, name): (&Path, &str),
        probes: &[OrientationSeed],
        rows: usize,
        row_bytes: usize,
    ) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|source| Error::io("create", folder, source))?;
        let path = |end: &str| folder.join(format!("{name}.{end}"));
        let lock = File::create(path("lock")).map_err(|source| Error::io("create", path("lock"), source))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                return Err(Error::Busy { what: folder.display().to_string(), holder: "another search".to_owned() });
            }
            Err(fs::TryLockError::Error(source)) => return Err(Error::io("lock", path("lock"), source)),
        }
        let [old, new] = ["rows-0", "rows-1"].map(|end| RowsInFile::open(path(end), rows, row_bytes));
        let probes = xxh3_64(&serde_json::to_vec(probes).expect("numbers"));
        let search = SearchName { version: VERSION, name: name.to_owned(), row_bytes, probes };
        Ok(Self { old: old?, new: new?, number: 1, record: path("levels"), search, _lock: lock })
    }

    /// The name of the space.
    pub fn name(&self) -> &str {
        &self.search.name
    }

    /// Makes the new set the old one.
    pub fn exchange(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.number ^= 1;
    }

    /// Copies a row of the old set to the new one.
    ///
    /// # Errors
    /// Those of reading and writing.
    pub fn copy(&self, row: usize, bytes: &mut RowBytes) -> Result<RowFile> {
        if self.old.is_empty(row) {
            return Ok(RowFile::default());
        }
        bytes.0.resize(self.old.get(row).bytes as usize, 0);
        self.old.read_stored(row, &mut bytes.0)?;
        self.new.write_stored(row, &bytes.0)
    }

    /// What a search has found before, and its set as the new one; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Usage`] for the record of another space or search; [`Error::Io`], also for a damaged one.
    pub fn recorded(&mut self) -> Result<Option<ReachedLevels>> {
        let text = match fs::read_to_string(&self.record) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::io("read", &self.record, source)),
        };
        let whole = || damaged(&self.record, "the record of levels is not as it was written".to_owned());
        let (body, hash) = text.trim_end().split_once('\n').ok_or_else(whole)?;
        if hash != hash_of(body) {
            return Err(whole());
        }
        let LevelRecord { search, file, rows, levels } = serde_json::from_str(body).map_err(|_| whole())?;
        if search != self.search || rows.len() != self.new.rows.len() {
            return Err(Error::Usage(format!(
                "{} is the record of another search; use another folder, or remove it with the files of its name",
                self.record.display()
            )));
        }
        if file != self.number {
            self.exchange();
        }
        self.new.rows = rows;
        Ok(Some(levels))
    }

    /// Records that the new set is complete, after all of it is on the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn record(&self, levels: &ReachedLevels) -> Result<()> {
        self.new.file.sync_data().map_err(|source| Error::io("write", &self.new.path, source))?;
        let (search, rows, levels) = (self.search.clone(), self.new.rows.clone(), levels.clone());
        let record = LevelRecord { search, file: self.number, rows, levels };
        let body = serde_json::to_string(&record).expect("numbers and names");
        let text = format!("{body}\n{}\n", hash_of(&body));
        let folder = self.record.parent().unwrap_or(Path::new("."));
        let publish = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.record)?;
            File::open(folder)?.sync_all()
        };
        publish().map_err(|source| Error::io("write", &self.record, source))
    }
}

/// The hash of a record.
fn hash_of(body: &str) -> String {
    format!("{:016x}", xxh3_64(body.as_bytes()))
}
