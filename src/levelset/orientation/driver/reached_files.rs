//! The files of a search of a space that is larger than memory: two sets of rows, and the record of what is complete.
//!
//! Each row has its place in a file of rows, and is compressed there: until the middle levels, and again after them, that saves most
//! of what would be read and written.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use twistbase_core::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use super::reached::{ReachedLevels, ReachedOptions};
use super::search::OrientationSeed;

/// The first line of a record.
const TITLE: &str = "twistbase: levels of a large space, version 1";

/// How much to compress: as little as possible.
const COMPRESSION: i32 = 1;

/// Rows are compressed in which at most one bit in so many is set, or is not: of others a disk reads and writes all in less time.
const FEW: u64 = 100;

/// Where the bytes of a row end, and what they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowFile {
    /// Bytes in the file: 0 for a row without states, as many as the row has if it is not compressed.
    bytes: u32,
    /// Their hash.
    hash: u64,
}

/// A row on its way to a file, or from there.
#[derive(Default)]
pub(super) struct RowBytes(Vec<u8>);

/// A set of rows in a file.
#[derive(Debug)]
pub(super) struct RowsInFile {
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

/// The two sets of a search, and its record.
pub(super) struct LevelFiles {
    pub name: String,
    /// The set of the level before.
    pub old: RowsInFile,
    /// The set of the level that is counted, or was counted last.
    pub new: RowsInFile,
    /// Which of the two files is `new`.
    number: usize,
    record: PathBuf,
    /// What a record has to begin with.
    head: String,
    /// Held as long as the search.
    _lock: File,
}

impl LevelFiles {
    /// Opens the files of a folder, or makes them.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Busy`] if another search uses them.
    pub fn open(options: &ReachedOptions<'_>, rows: usize, row_bytes: usize) -> Result<Self> {
        let ReachedOptions { folder, name, probes, .. } = *options;
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
        let probes: String = probes.iter().map(|probe| format!("{} ", state_text(probe))).collect();
        let head =
            format!("{TITLE}\n{name}: {rows} rows of {row_bytes} bytes\nprobes {:016x}\n", xxh3_64(probes.as_bytes()));
        Ok(Self { name: name.to_owned(), old: old?, new: new?, number: 1, record: path("levels"), head, _lock: lock })
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
        let RowFile { bytes: length, .. } = self.old.get(row);
        bytes.0.resize(length as usize, 0);
        self.old.read_stored_or_empty(row, &mut bytes.0)?;
        if length == 0 { Ok(RowFile::default()) } else { self.new.write_stored(row, &bytes.0) }
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
        let (text, check) = text.trim_end().rsplit_once('\n').ok_or_else(whole)?;
        if check != check_line(text) {
            return Err(whole());
        }
        let Some(rest) = format!("{text}\n").strip_prefix(&self.head).map(str::to_owned) else {
            return Err(Error::Usage(format!(
                "{} is the record of another search; use another folder, or remove it with the files of its name",
                self.record.display()
            )));
        };
        let (number, rows, levels) = parse(&rest, self.old.rows.len()).ok_or_else(whole)?;
        if number != self.number {
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
        let mut text = self.head.clone();
        write_body(&mut text, self.number, &self.new.rows, levels);
        let text = format!("{text}{}\n", check_line(text.trim_end()));
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

impl RowsInFile {
    fn read_stored_or_empty(&self, row: usize, to: &mut [u8]) -> Result<()> {
        if to.is_empty() { Ok(()) } else { self.read_stored(row, to) }
    }
}

/// The last line of a record.
fn check_line(text: &str) -> String {
    format!("check {:016x}", xxh3_64(text.as_bytes()))
}

fn state_text(state: &OrientationSeed) -> String {
    let OrientationSeed { row, part, group, orientations } = state;
    format!("{row}:{part}:{group}:{orientations}")
}

/// The lines of a record after its head: file, rows, probes, farthest, and two lines for each level.
fn write_body(text: &mut String, number: usize, rows: &[RowFile], levels: &ReachedLevels) {
    let mut line = |name: &str, words: Vec<String>| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name} {}", words.join(" "));
    };
    line("file", vec![number.to_string()]);
    line("rows", rows.iter().map(|row| format!("{}:{:x}", row.bytes, row.hash)).collect());
    line("probes", levels.probes.iter().map(|level| level.map_or("-".to_owned(), |level| level.to_string())).collect());
    if let Some(farthest) = &levels.farthest {
        line("farthest", farthest.iter().map(state_text).collect());
    }
    for (counts, tallies) in levels.counts.iter().zip(&levels.tallies) {
        line("level", counts.iter().map(u64::to_string).collect());
        line("tallies", tallies.iter().map(u64::to_string).collect());
    }
}

/// Reads what [`write_body`] wrote.
fn parse(text: &str, rows: usize) -> Option<(usize, Vec<RowFile>, ReachedLevels)> {
    let (mut number, mut in_file, mut levels) = (None, Vec::new(), ReachedLevels::default());
    for line in text.lines() {
        let (name, words) = line.split_once(' ')?;
        let mut words = words.split(' ').filter(|word| !word.is_empty());
        match name {
            "file" => number = words.next()?.parse().ok().filter(|&number: &usize| number < 2),
            "rows" => {
                let row = |word: &str| {
                    let (bytes, hash) = word.split_once(':')?;
                    Some(RowFile { bytes: bytes.parse().ok()?, hash: u64::from_str_radix(hash, 16).ok()? })
                };
                in_file = words.map(row).collect::<Option<_>>()?;
            }
            "probes" => {
                let level = |word: &str| if word == "-" { Some(None) } else { word.parse().ok().map(Some) };
                levels.probes = words.map(level).collect::<Option<_>>()?;
            }
            "farthest" => {
                let state = |word: &str| {
                    let numbers: Vec<u32> = word.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
                    let &[row, part, group, orientations] = numbers.as_slice() else { return None };
                    Some(OrientationSeed { row, part, group, orientations: orientations.try_into().ok()? })
                };
                levels.farthest = Some(words.map(state).collect::<Option<_>>()?);
            }
            "level" => levels.counts.push(words.map(|count| count.parse().ok()).collect::<Option<_>>()?),
            "tallies" => levels.tallies.push(words.map(|count| count.parse().ok()).collect::<Option<_>>()?),
            _ => return None,
        }
    }
    let is_whole = in_file.len() == rows && levels.counts.len() == levels.tallies.len();
    let is_whole = is_whole && levels.counts.iter().chain(&levels.tallies).all(|counts| counts.len() == rows);
    is_whole.then_some((number?, in_file, levels))
}
