//! The file of an export while it is written: `FILE.part`, beside it the journal `FILE.part.journal`. The complete file
//! is renamed to `FILE`, so that nothing unfinished ever has that name.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::journal::{self, Checkpoint};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_store::files::{behind_link, is_full, open_regular};
use twistbase_store::{Locked, sync_name};

/// The longest time between two checkpoints: the work that a kill costs.
const INTERVAL: Duration = Duration::from_millis(250);
/// Bytes read at once when an unfinished file is checked.
const CHECK_BYTES: usize = 1 << 20;

/// The files of an export.
#[derive(Debug, Clone)]
struct Paths {
    complete: PathBuf,
    part: PathBuf,
    journal: PathBuf,
}

impl Paths {
    fn new(file: &Path) -> Self {
        let file = behind_link(file);
        let with = |ending: &str| {
            let mut path = OsString::from(&file);
            path.push(ending);
            PathBuf::from(path)
        };
        Self { part: with(".part"), journal: with(".part.journal"), complete: file }
    }
}

/// How far an unfinished file was written when it was opened.
pub(super) type Resumed = Checkpoint;

/// A file that is being written.
#[derive(Debug)]
pub(super) struct PartialFile {
    paths: Paths,
    file: Locked,
    journal: File,
    /// The state of the file; its footers are those that no line of the journal has yet.
    at: Checkpoint,
    /// Hashes all bytes written.
    hasher: blake3::Hasher,
    checked: Instant,
    /// The state when it was opened.
    resumed: Resumed,
}

impl PartialFile {
    /// Begins a file, or resumes one of the same request; `beside` is written with it at the end, and may not be there before. With
    /// `force`, existing files are replaced.
    ///
    /// # Errors
    /// [`Error::Usage`] if the complete file exists, or a file beside it, or an unfinished one of another request; [`Error::Busy`];
    /// [`Error::Io`]; [`Error::Interrupted`].
    pub fn open(file: &Path, beside: Option<&Path>, request: &str, force: bool, ctx: &Context) -> Result<Self> {
        let paths = Paths::new(file);
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        // Who goes on may have written what lies beside the file just before it was killed.
        let beside = beside.filter(|_| !is_there(&paths.journal));
        if !force && let Some(there) = [Some(file), beside].into_iter().flatten().find(|path| is_there(path)) {
            return Err(there_already(there));
        }
        let locked = lock(&paths.part)?;
        let mut options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let journal =
            open_regular(&mut options, &paths.journal).map_err(|source| Error::io("create", &paths.journal, source))?;
        let found = journal::read(BufReader::new(&journal)).map_err(|e| Error::io("read", &paths.journal, e))?;
        let mut part = Self {
            paths,
            file: locked,
            journal,
            at: Checkpoint::default(),
            hasher: blake3::Hasher::new(),
            checked: Instant::now(),
            resumed: Checkpoint::default(),
        };
        match found.filter(|_| !force) {
            Some(found) if found.request != request => {
                let part = part.paths.part.display();
                let message = format!("{part} belongs to another export; give its options to resume");
                return Err(Error::Usage(format!("{message} it, --force to start again, or another file")));
            }
            Some(found) if part.holds(&found.last, ctx)? => part.go_on(found)?,
            _ => part.begin(request)?,
        }
        Ok(part)
    }

    /// Whether the file begins with what the journal says; hashes it.
    fn holds(&mut self, last: &Checkpoint, ctx: &Context) -> Result<bool> {
        let mut left = last.bytes;
        let mut buffer = vec![0; CHECK_BYTES];
        while left > 0 {
            ctx.check()?;
            let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let read = self.file.read(&mut buffer[..wanted]).map_err(|e| Error::io("read", &self.paths.part, e))?;
            if read == 0 {
                return Ok(false);
            }
            self.hasher.update(&buffer[..read]);
            left -= read as u64;
        }
        Ok(last.bytes == 0 || self.digest() == last.digest)
    }

    fn digest(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// Cuts off what was written after the last line of the journal.
    fn go_on(&mut self, found: journal::Journal) -> Result<()> {
        self.cut(found.last.bytes, found.bytes)?;
        self.resumed = found.last.clone();
        self.at = Checkpoint { footers: Vec::new(), ..found.last };
        Ok(())
    }

    fn begin(&mut self, request: &str) -> Result<()> {
        self.hasher = blake3::Hasher::new();
        self.cut(0, 0)?;
        self.write_journal(request)?;
        sync_name(&self.paths.part)
    }

    fn cut(&mut self, file: u64, journal: u64) -> Result<()> {
        let cut = |file: &mut File, bytes| {
            file.set_len(bytes)?;
            file.seek(SeekFrom::Start(bytes)).map(|_| ())
        };
        cut(&mut self.file, file).map_err(|source| Error::io("write", &self.paths.part, source))?;
        cut(&mut self.journal, journal).map_err(|source| Error::io("write", &self.paths.journal, source))
    }

    /// The state when it was opened: the batches before it need not be made again.
    pub fn resumed(&self) -> &Resumed {
        &self.resumed
    }

    /// Bytes written.
    pub fn bytes(&self) -> u64 {
        self.at.bytes
    }

    /// Records written.
    pub fn records(&self) -> u64 {
        self.at.records
    }

    /// Appends a batch, given as slices in order, or the head of the file. From time to time the file is synced and the
    /// journal brought up to date.
    ///
    /// # Errors
    /// [`Error::Io`]; the last checkpoint stays valid.
    pub fn append(&mut self, parts: &[&[u8]], next: Appended) -> Result<()> {
        for bytes in parts {
            self.file.write_all(bytes).map_err(|source| failed(&self.paths.part, source))?;
        }
        // All or nothing: an export whose writing failed resumes behind the last whole batch.
        if !next.footer.is_empty() {
            self.at.footers.push((self.at.bytes, hexadecimal(&next.footer)));
        }
        for bytes in parts {
            self.hasher.update(bytes);
            self.at.bytes += bytes.len() as u64;
        }
        self.at.records += next.records;
        self.at.batches += next.batches;
        if next.input.is_some() {
            self.at.input = next.input;
        }
        if self.checked.elapsed() >= INTERVAL { self.checkpoint() } else { Ok(()) }
    }

    /// Writes what the file begins with, unless it has been begun.
    ///
    /// # Errors
    /// Those of `head` and of [`append`](Self::append).
    pub fn write_head(&mut self, head: impl FnOnce() -> Result<Vec<u8>>) -> Result<()> {
        // A head may be empty, and so may batches be.
        let is_begun = self.at.batches > 0 || self.at.bytes > 0;
        if is_begun { Ok(()) } else { self.append(&[&head()?], Appended::default()) }
    }

    /// Syncs the file, then records its state in the journal.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn checkpoint(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|source| failed(&self.paths.part, source))?;
        self.at.digest = self.digest();
        let json = serde_json::to_string(&self.at).map_err(|e| failed(&self.paths.journal, e.into()))?;
        self.write_journal(&json)?;
        self.at.footers.clear();
        self.checked = Instant::now();
        Ok(())
    }

    /// Ends an export that failed: the same request can resume it. Where nothing was exported, nothing is
    /// left behind, unless the export was interrupted and said that it would be.
    pub fn stop(mut self, error: &Error) {
        // The first error is reported, not one of these.
        if self.at.batches > 0 || matches!(error, Error::Interrupted) {
            let _ = self.checkpoint();
        } else {
            // The lock is held until both are gone.
            let _ = fs::remove_file(&self.paths.journal).and_then(|()| fs::remove_file(&self.paths.part));
        }
    }

    fn write_journal(&mut self, json: &str) -> Result<()> {
        let written = self.journal.write_all(journal::line(json).as_bytes()).and_then(|()| self.journal.sync_data());
        written.map_err(|source| failed(&self.paths.journal, source))
    }

    /// Completes the file: `tail` is its end, and `beside` another file with its content that belongs to it.
    ///
    /// # Errors
    /// [`Error::Io`]; the same request then resumes.
    pub fn publish(mut self, tail: &[u8], beside: Option<(&Path, &str)>) -> Result<(u64, String)> {
        // First of all: after a kill from here on, only the end is missing.
        self.checkpoint()?;
        self.file.write_all(tail).map_err(|source| failed(&self.paths.part, source))?;
        self.hasher.update(tail);
        self.file.sync_all().map_err(|source| failed(&self.paths.part, source))?;
        if let Some((path, content)) = beside {
            publish_small(path, content.as_bytes())?;
        }
        let Paths { complete, part, journal } = &self.paths;
        fs::rename(part, complete).map_err(|source| Error::io("create", complete, source))?;
        // For certain before the journal goes: without it what was written would be begun anew.
        sync_name(complete)?;
        fs::remove_file(journal).map_err(|source| Error::io("remove", journal, source))?;
        sync_name(journal)?;
        Ok((self.at.bytes + tail.len() as u64, self.digest()))
    }
}

impl PartialFile {
    /// Completes a file whose last bytes are the BLAKE3 of all before.
    ///
    /// # Errors
    /// As [`PartialFile::publish`].
    pub fn publish_digested(self) -> Result<(u64, String)> {
        let digest = self.hasher.finalize();
        self.publish(digest.as_bytes(), None)
    }
}

/// Writes a whole file at once, which has its name only when it is complete.
///
/// # Errors
/// [`Error::Usage`] if it is there already, unless `force` is set; [`Error::Io`].
pub fn write_whole(path: &Path, content: &[u8], force: bool) -> Result<()> {
    refuse_existing(path, force)?;
    publish_small(path, content)
}

/// Refuses to replace a file, unless `force` is set.
///
/// # Errors
/// [`Error::Usage`].
pub fn refuse_existing(path: &Path, force: bool) -> Result<()> {
    if !force && path.symlink_metadata().is_ok() { Err(there_already(path)) } else { Ok(()) }
}

fn there_already(path: &Path) -> Error {
    Error::Usage(format!("{} exists already; --force replaces it", path.display()))
}

/// By how much bytes that are appended advance an export.
#[derive(Debug, Clone, Default)]
pub(super) struct Appended {
    pub batches: u64,
    pub records: u64,
    pub footer: Vec<u8>,
    pub input: Option<String>,
}

/// Opens and locks the unfinished file.
fn lock(path: &Path) -> Result<Locked> {
    let cannot = |source| Error::io("create", path, source);
    loop {
        let mut options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let file = open_regular(&mut options, path).map_err(|source| failed(path, source))?;
        let file = match file.try_lock() {
            Ok(()) => Locked::of(file),
            Err(TryLockError::WouldBlock) => {
                let holder = "another process that exports to it".to_owned();
                return Err(Error::Busy { what: path.display().to_string(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(cannot(source)),
        };
        // Whoever held the lock may have completed the file, which then has another name.
        let locked = file.metadata().map_err(cannot)?.ino();
        if fs::metadata(path).is_ok_and(|found| found.ino() == locked) {
            return Ok(file);
        }
    }
}

/// Writes a small file under a temporary name and renames it; its name lasts when this returns.
fn publish_small(path: &Path, content: &[u8]) -> Result<()> {
    let Paths { complete, part: temporary, .. } = Paths::new(path);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    written.map_err(|source| failed(&temporary, source))?;
    fs::rename(&temporary, &complete).map_err(|source| Error::io("create", &complete, source))?;
    sync_name(&complete)
}

fn failed(path: &Path, source: io::Error) -> Error {
    if !is_full(&source) {
        return Error::io("write", path, source);
    }
    let message = "no space left; free some, then run the same command again to resume";
    Error::io("write", path, io::Error::new(source.kind(), message))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

/// The bytes of hexadecimal digits; `None` if they are not.
pub(super) fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(file: &Path) -> PartialFile {
        PartialFile::open(file, None, "{\"table\":\"t\"}", false, &Context::silent()).unwrap()
    }

    fn append(part: &mut PartialFile, bytes: &[u8]) {
        part.append(&[bytes], Appended { batches: 1, records: 1, ..Appended::default() }).unwrap();
    }

    /// A file of two batches, of which the journal has the first, as a kill leaves it.
    fn killed(file: &Path, behind: &[u8]) {
        let mut part = open(file);
        append(&mut part, b"first\n");
        part.checkpoint().unwrap();
        append(&mut part, behind);
    }

    #[test]
    fn what_lies_behind_the_last_checkpoint_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.csv");
        killed(&file, &vec![b'x'; 1 << 20]);
        let mut part = open(&file);
        assert_eq!((part.resumed().records, part.bytes()), (1, 6));
        append(&mut part, b"second\n");
        let (bytes, digest) = part.publish(b"", None).unwrap();
        let content = fs::read(&file).unwrap();
        assert_eq!((content.as_slice(), bytes), (&b"first\nsecond\n"[..], 13));
        assert_eq!(digest, blake3::hash(&content).to_hex().to_string());
    }

    /// Positions without records leave no bytes: what they were is known all the same, also after a refusal.
    #[test]
    fn what_was_read_is_remembered_where_nothing_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.jsonl");
        let no_head = |part: &mut PartialFile| part.write_head(|| Ok(Vec::new())).unwrap();
        let mut part = open(&file);
        no_head(&mut part);
        let input = Some("of the positions".to_owned());
        part.append(&[], Appended { batches: 1, input: input.clone(), ..Appended::default() }).unwrap();
        part.stop(&Error::Interrupted);
        for _ in 0..2 {
            let mut part = open(&file);
            assert_eq!((part.resumed().batches, &part.resumed().input), (1, &input));
            no_head(&mut part);
            part.stop(&Error::Usage("other positions".to_owned()));
        }
    }

    /// What is written beside a file at its end may be somebody's; who goes on may have written it himself.
    #[test]
    fn what_lies_beside_a_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (file, beside) = (folder.path().join("x.csv"), folder.path().join("x.csv.meta.json"));
        fs::write(&beside, "somebody's").unwrap();
        let open = |force| PartialFile::open(&file, Some(&beside), "{}", force, &Context::silent());
        let refused = open(false).unwrap_err().to_string();
        assert!(refused.contains("x.csv.meta.json exists already"), "{refused}");
        drop(open(true).unwrap());
        drop(open(false).unwrap());
    }

    /// Whatever of the file was damaged, and whatever an older one left: it is begun anew.
    #[test]
    fn a_file_that_the_journal_does_not_tell_of_is_begun_anew_and_cut() {
        let folder = tempfile::tempdir().unwrap();
        for (number, damage) in [b"fIrst\n".to_vec(), b"fir".to_vec(), vec![b'x'; 1 << 20]].into_iter().enumerate() {
            let file = folder.path().join(format!("{number}.csv"));
            killed(&file, b"second, and not in the journal\n");
            fs::write(Paths::new(&file).part, damage).unwrap();
            let mut part = open(&file);
            assert_eq!((part.resumed(), part.bytes()), (&Checkpoint::default(), 0), "{number}");
            append(&mut part, b"anew\n");
            part.publish(b"", None).unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"anew\n", "{number}");
        }
        // Without a journal, too.
        let file = folder.path().join("y.csv");
        fs::write(Paths::new(&file).part, vec![b'x'; 1 << 20]).unwrap();
        open(&file).publish(b"end", None).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"end");
    }

    #[test]
    fn bytes_come_from_pairs_of_hexadecimal_digits() {
        assert_eq!(from_hexadecimal("00a17cff"), Some(vec![0x00, 0xa1, 0x7c, 0xff]));
        assert_eq!(from_hexadecimal(""), Some(Vec::new()));
        for refused in ["a", "00a", "0g", "+1", "ä0"] {
            assert_eq!(from_hexadecimal(refused), None, "{refused}");
        }
    }

    #[test]
    fn what_an_export_that_fails_has_written_is_kept_if_there_is_any() {
        let folder = tempfile::tempdir().unwrap();
        let failed = Error::Usage("for a test".to_owned());
        let names = |file: &Path| [Paths::new(file).part, Paths::new(file).journal].map(|path| path.exists());
        let [some, none, waiting] = ["some.csv", "none.csv", "waiting.csv"].map(|name| folder.path().join(name));
        let mut part = open(&some);
        append(&mut part, b"first\n");
        part.stop(&failed);
        assert_eq!((names(&some), open(&some).resumed().records), ([true; 2], 1));
        open(&none).stop(&failed);
        assert_eq!(names(&none), [false; 2]);
        open(&waiting).stop(&Error::Interrupted);
        assert_eq!(names(&waiting), [true; 2]);
    }
}
