//! The edge to redb: how files are opened, and how its errors and panics become ours.
//!
//! redb does not verify checksums when it reads, and a damaged B-tree page can make it panic. Every call that
//! touches stored bytes therefore runs inside [`guard`].

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::ops::Deref;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;

use redb::{Database, ReadOnlyDatabase, ReadTransaction, ReadableDatabase, TableDefinition};

use super::files;
use super::place::StoreFile;
use super::segment::KEY_BYTES;
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Fault, Remedy, Result};

/// `meta`: the one record that says what the file is, under "meta".
pub(super) const META: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("meta");
/// `manifest`: the one record of a complete table, under "manifest".
pub(super) const MANIFEST: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("manifest");
/// `rows`: a record per row.
pub(super) const ROWS: TableDefinition<'static, u32, &[u8]> = TableDefinition::new("rows");
/// `segments`: compressed pages.
pub(super) const SEGMENTS: TableDefinition<'static, &[u8; KEY_BYTES], &[u8]> = TableDefinition::new("segments");

/// Cache of a reader. Reads of segments gain nothing from it (the system caches the file), the inner pages of the
/// B-tree do: they are a few hundred KiB for the largest table.
const READER_CACHE: usize = 4 << 20;

/// Cache of a builder: twice what one transaction writes, so that redb writes nothing twice.
pub(super) const WRITER_CACHE: usize = 128 << 20;

/// The first bytes of every redb file (its `docs/design.md`).
const REDB_MAGIC: [u8; 9] = *b"redb\x1A\x0A\xA9\x0D\x0A";

/// What is said of a file that nobody closed.
const NOT_CLOSED: &str = "the file was not closed cleanly";
/// What is said of a file in memory that was there a moment ago.
const GONE: &str = "it was removed";

/// What went wrong inside redb.
#[derive(Debug)]
pub(super) enum EngineFailure {
    /// An error that redb reported.
    Redb(Box<redb::Error>),
    /// redb panicked, which damaged pages can make it do. The text of the panic is for the log alone.
    Panic(String),
    /// Bytes that redb returned are not those that were written.
    Content(String),
    /// There is no memory to decode them.
    NoMemory,
}

impl<E: Into<redb::Error>> From<E> for EngineFailure {
    fn from(error: E) -> Self {
        Self::Redb(Box::new(error.into()))
    }
}

impl EngineFailure {
    /// Whether the handle may refuse, from now on, what it could still read: redb latches I/O errors, and a panic
    /// poisons its locks. A fresh handle helps.
    pub fn spoils_handle(&self) -> bool {
        !matches!(self, Self::Content(_) | Self::NoMemory)
    }
}

thread_local! {
    /// Whether this thread is inside [`guard`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread becomes an error: a damaged file can make redb panic, and the store returns that as
/// [`DataError`].
///
/// The panic hook runs all the same. The library leaves it alone, because it belongs to the program; a program that
/// does not want these panics on stderr installs one that asks this:
///
/// ```
/// # mod twistbase { pub use twistbase_core::*; pub use twistbase_store as store; }
/// let previous = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |panic| {
///     if !twistbase::store::is_guarded() {
///         previous(panic);
///     }
/// }));
/// ```
pub fn is_guarded() -> bool {
    // While a thread ends, its variables may be gone; a panic then is nobody's error.
    GUARDED.try_with(Cell::get).unwrap_or(false)
}

/// Runs `work`, turning a panic into [`EngineFailure::Panic`]; while it runs, [`is_guarded`].
pub(super) fn guard<T>(work: impl FnOnce() -> Result<T, EngineFailure>) -> Result<T, EngineFailure> {
    let outer = GUARDED.replace(true);
    // Unwind safe: after a failure the caller drops or replaces the handle, and nothing of ours is half changed.
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    outcome.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(EngineFailure::Panic(text.lines().next().unwrap_or_default().to_owned()))
    })
}

/// Where a failure happened: the words that an error needs beyond the failure itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    pub table: &'a str,
    pub file: &'a StoreFile,
    pub row: Option<u32>,
    pub page: Option<u32>,
    /// What mends a fault of the file or of a row, where that is not the build of a table.
    remedy: Option<fn(Fault, Option<u32>) -> Remedy>,
}

impl<'a> Site<'a> {
    pub fn new(table: &'a str, file: &'a StoreFile) -> Self {
        Self { table, file, row: None, page: None, remedy: None }
    }

    /// A file that no build brings back, with what mends its faults.
    pub fn with_remedy(table: &'a str, file: &'a StoreFile, remedy: fn(Fault, Option<u32>) -> Remedy) -> Self {
        Self { remedy: Some(remedy), ..Self::new(table, file) }
    }

    pub fn at(self, row: u32, page: Option<u32>) -> Self {
        Self { row: Some(row), page, ..self }
    }

    /// A table that cannot answer, with what mends this kind of fault.
    pub fn fault(&self, fault: Fault, detail: impl fmt::Display) -> Error {
        let remedy = match (self.remedy, fault) {
            (Some(remedy), _) => remedy(fault, self.row),
            (None, Fault::Missing | Fault::Unfinished | Fault::Bounded | Fault::Stale) => Remedy::build(self.table),
            (None, Fault::Damaged) => Remedy::Rebuild { table: self.table.into() },
            (None, Fault::Foreign) => Remedy::replace(self.table),
        };
        let file = self.file.path().map(Path::to_path_buf);
        let error = DataError::new(fault, self.table, detail.to_string(), remedy);
        DataError { file, row: self.row, page: self.page, ..error }.into()
    }

    pub fn damaged(&self, detail: impl fmt::Display) -> Error {
        self.fault(Fault::Damaged, detail)
    }

    /// The error for a failure while reading.
    pub fn reading(&self, failure: EngineFailure) -> Error {
        match failure {
            EngineFailure::Content(detail) => self.damaged(detail),
            EngineFailure::NoMemory => Error::Memory(format!("not enough memory to decode table {}", self.table)),
            EngineFailure::Panic(panic) => {
                tracing::debug!(table = %self.table, %panic, "redb panicked");
                self.damaged("its index is inconsistent")
            }
            EngineFailure::Redb(error) => match *error {
                redb::Error::DatabaseAlreadyOpen => Error::Busy {
                    what: format!("table {}", self.table),
                    holder: "a process that writes to it".to_owned(),
                },
                redb::Error::Io(source) if is_content(&source) => {
                    self.damaged("the file is shorter than its index says")
                }
                redb::Error::Io(source) => self.unread(source),
                redb::Error::PreviousIo => {
                    Error::io("read", self.file.name(), io::Error::other("an earlier read failed"))
                }
                redb::Error::UpgradeRequired(version) => {
                    self.fault(Fault::Foreign, format!("the file has redb's old format {version}"))
                }
                redb::Error::RepairAborted => self.damaged(NOT_CLOSED),
                other => self.damaged(other),
            },
        }
    }

    /// The error for bytes that the system does not read: what its disk has lost is damage like any other.
    fn unread(&self, source: io::Error) -> Error {
        match is_lost(&source) {
            true => self.damaged(format!("the disk cannot read it: {source}")),
            false => Error::io("read", self.file.name(), source),
        }
    }

    /// The error for a failure while writing.
    pub fn writing(&self, failure: EngineFailure) -> Error {
        match failure {
            EngineFailure::Redb(error) => match *error {
                redb::Error::Io(source) if files::is_full(&source) => {
                    Error::io("write", self.file.name(), full(self.table, source.kind()))
                }
                redb::Error::Io(source) if source.kind() == io::ErrorKind::OutOfMemory => {
                    Error::Memory(format!("not enough memory to store table {}", self.table))
                }
                redb::Error::Io(source) if !is_content(&source) => Error::io("write", self.file.name(), source),
                redb::Error::PreviousIo => {
                    Error::io("write", self.file.name(), io::Error::other("an earlier write failed"))
                }
                other => self.reading(EngineFailure::Redb(Box::new(other))),
            },
            other => self.reading(other),
        }
    }
}

/// What to say when the disk is full.
pub(super) fn full(table: &str, kind: io::ErrorKind) -> io::Error {
    io::Error::new(
        kind,
        format!(
            "no space left; free some, then run the same command again to resume (finished rows of {table} are \
             stored; remove {table} --unfinished deletes them)"
        ),
    )
}

/// Whether an I/O error comes from a wrong offset or length in a damaged file rather than from the system.
fn is_content(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | InvalidInput | InvalidData)
}

/// Whether an I/O error says that a disk, or the file system on it, has lost what was written to it.
fn is_lost(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::BADMSG))
}

/// A file that is open for reading.
pub(super) enum Reader {
    /// By this reader alone; other processes may have it open, too.
    File(ReadOnlyDatabase),
    /// By all readers of a file in memory, and by who writes it.
    Shared(Arc<Database>),
}

impl Reader {
    pub fn begin_read(&self) -> Result<ReadTransaction, redb::TransactionError> {
        match self {
            Self::File(database) => database.begin_read(),
            Self::Shared(database) => database.begin_read(),
        }
    }
}

/// Opens a complete file for reading; several processes may do so at once.
pub(super) fn open_read_only(site: &Site<'_>) -> Result<Reader> {
    match site.file {
        StoreFile::Disk(path) => {
            check_magic(site, path)?;
            let mut builder = Database::builder();
            builder.set_cache_size(READER_CACHE);
            let opened = guard(|| Ok(builder.open_read_only(path)?));
            opened.map(Reader::File).map_err(|failure| site.reading(failure))
        }
        StoreFile::Memory(file) => file.open().map(Reader::Shared).ok_or_else(|| site.fault(Fault::Missing, GONE)),
    }
}

/// Whether an error says that a file has to be opened for writing, which repairs it, before it can be read.
pub(super) fn was_not_closed(error: &Error) -> bool {
    matches!(error, Error::Data(data) if data.detail == NOT_CLOSED)
}

/// Makes sure that a file which was dropped was closed: redb reports no errors of closing, and a file that was not
/// closed cannot be opened for reading.
///
/// # Errors
/// [`Error::Io`]: committed rows stay, and the file is repaired when the file is next opened for writing.
pub(super) fn check_closed(site: &Site<'_>) -> Result<()> {
    match open_read_only(site) {
        Err(error) if was_not_closed(&error) => {
            let detail = "cannot close the file; run the same command again to resume";
            Err(Error::io("write", site.file.name(), io::Error::other(detail)))
        }
        other => other.map(drop),
    }
}

/// A file that is open for writing. redb writes once more when it closes a file, and meets its damaged pages then, too.
#[derive(Debug)]
pub(super) struct WritableFile(Option<Arc<Database>>);

impl WritableFile {
    /// The same file, to read.
    pub fn reader(&self) -> Reader {
        Reader::Shared(Arc::clone(self.open()))
    }

    fn open(&self) -> &Arc<Database> {
        self.0.as_ref().unwrap_or_else(|| unreachable!("it is open until it is dropped"))
    }
}

impl Deref for WritableFile {
    type Target = Database;

    fn deref(&self) -> &Database {
        self.open()
    }
}

impl Drop for WritableFile {
    fn drop(&mut self) {
        let db = self.0.take();
        // A file that was not closed is repaired when it is next opened for writing.
        let _ = guard(|| {
            drop(db);
            Ok(())
        });
    }
}

/// Opens or creates the file of a build. Repairing it, which quick repair makes short, is reported to `ctx`.
pub(super) fn open_building(site: &Site<'_>, ctx: &Context) -> Result<WritableFile> {
    open_for_writing(site, ctx, |builder, path| builder.create(path))
}

/// Opens a file that is there as [`open_building`] does, which repairs it. One that somebody takes away meanwhile stays away.
pub(super) fn open_to_mend(site: &Site<'_>, ctx: &Context) -> Result<WritableFile> {
    open_for_writing(site, ctx, |builder, path| builder.open(path))
}

fn open_for_writing(
    site: &Site<'_>,
    ctx: &Context,
    open: impl FnOnce(&redb::Builder, &Path) -> Result<Database, redb::DatabaseError>,
) -> Result<WritableFile> {
    let (ctx, table) = (ctx.clone(), site.table.to_owned());
    let mut builder = Database::builder();
    builder.set_cache_size(WRITER_CACHE).set_repair_callback(move |session| {
        let percent = (session.progress() * 100.0) as u32;
        ctx.progress().note(&format!("repairing the interrupted build of {table}: {percent} %"));
        if ctx.is_cancelled() {
            session.abort();
        }
    });
    let opened = match site.file {
        StoreFile::Disk(path) => {
            files::must_be_regular(path).map_err(|source| Error::io("open", path, source))?;
            guard(|| Ok(WritableFile(Some(Arc::new(open(&builder, path)?)))))
        }
        // Its bytes are in memory already, and nothing of it is ever torn.
        StoreFile::Memory(file) => {
            guard(|| Ok(WritableFile(Some(file.open_or_create(builder.set_cache_size(READER_CACHE))?))))
        }
    };
    opened.map_err(|failure| site.writing(failure))
}

/// Checks whether redb wrote a file: redb itself calls other files corrupted.
fn check_magic(site: &Site<'_>, path: &Path) -> Result<()> {
    let cannot_read = |source| site.unread(source);
    let not_regular = |what| site.fault(Fault::Foreign, format!("{what}; remove it first"));
    files::must_be_regular(path).map_err(not_regular)?;
    let mut file = match files::read_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            return Err(site.fault(Fault::Foreign, "the file is a dangling link"));
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(site
                .fault(Fault::Foreign, format!("you may not read the file ({error}); ask its owner for permission")));
        }
        opened => opened.map_err(cannot_read)?,
    };
    let mut found = Vec::with_capacity(REDB_MAGIC.len());
    file.by_ref().take(REDB_MAGIC.len() as u64).read_to_end(&mut found).map_err(cannot_read)?;
    if found != REDB_MAGIC {
        return Err(site.fault(Fault::Foreign, "the file is not a redb file"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure() {
        let outcome: Result<(), EngineFailure> = guard(|| {
            assert!(is_guarded());
            panic!("page {} is odd\nmore", 7)
        });
        assert!(matches!(outcome, Err(EngineFailure::Panic(text)) if text == "page 7 is odd"));
        assert!(!is_guarded());
    }

    #[test]
    fn no_error_quotes_a_panic() {
        let file = StoreFile::Disk("/x".into());
        let site = Site::new("t", &file);
        let failure = || EngineFailure::Panic("entered unreachable code".to_owned());
        for error in [site.reading(failure()), site.writing(failure())] {
            let text = error.to_string();
            assert!(text.contains("its index is inconsistent") && !text.contains("unreachable"), "{text}");
        }
    }

    #[test]
    fn a_full_disk_says_what_to_do() {
        let file = StoreFile::Disk("/x".into());
        let site = Site::new("t", &file);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = site.writing(redb::StorageError::Io(full).into());
        assert_eq!(error.class(), twistbase_core::error::Class::Io);
        assert!(error.to_string().contains("run the same command again"), "{error}");
    }
}
