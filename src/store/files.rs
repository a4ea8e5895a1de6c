//! The few calls on files that std does not have.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

use twistbase_core::error::{Error, Result};

/// The file to write for this name: the target of a link, so that the link stays. A dangling link is an error of opening.
#[doc(hidden)]
pub fn behind_link(path: &Path) -> PathBuf {
    let behind = if path.is_symlink() { fs::canonicalize(path).ok() } else { None };
    behind.unwrap_or_else(|| path.to_path_buf())
}

/// Opens a file as the options say, if it is a regular one: a pipe would be waited for, and a device read without end.
///
/// # Errors
/// Those of the system; what is there instead.
#[doc(hidden)]
pub fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Before it is opened, which may already do something to a device.
    must_be_regular(path)?;
    // NONBLOCK: what has taken its place since then may be a pipe.
    let file = options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    refuse_others(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens a regular file for reading.
///
/// # Errors
/// As [`open_regular`].
pub fn read_regular(path: &Path) -> io::Result<File> {
    open_regular(OpenOptions::new().read(true), path)
}

/// All bytes of a regular file.
///
/// # Errors
/// As [`open_regular`].
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// For who opens a file by its name: there has to be a regular file, or nothing.
///
/// # Errors
/// What is there instead.
pub(crate) fn must_be_regular(path: &Path) -> io::Result<()> {
    // An unreadable file is an error of opening.
    fs::metadata(path).map_or(Ok(()), |found| refuse_others(found.file_type()))
}

fn refuse_others(found: FileType) -> io::Result<()> {
    let what = match found {
        _ if found.is_file() => return Ok(()),
        _ if found.is_dir() => "a folder",
        _ if found.is_fifo() => "a pipe",
        _ if found.is_socket() => "a socket",
        _ => "a device",
    };
    Err(io::Error::other(format!("the file is {what}, not a regular file")))
}

/// Makes renames and removals in a directory survive a power cut.
#[doc(hidden)]
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Makes the name of a file survive a power cut.
///
/// # Errors
/// [`Error::Io`].
pub fn sync_name(file: &Path) -> Result<()> {
    let folder = folder_of(file);
    sync_dir(folder).map_err(|source| Error::io("write", folder, source))
}

/// Creates a folder, and those above it that are missing, so that they survive a power cut.
///
/// # Errors
/// [`Error::Io`].
pub fn create_folder(dir: &Path) -> Result<()> {
    let failed = |source| Error::io("create", dir, source);
    let missing: Vec<&Path> =
        dir.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()).collect();
    // The lowest that is there may have been made by a run that was killed before it was synced.
    let there = missing.last().map_or(dir, |highest| folder_of(highest));
    match sync_dir(folder_of(there)) {
        // Not ours, then.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        synced => synced.map_err(failed)?,
    }
    for folder in missing.into_iter().rev() {
        fs::create_dir_all(folder).and_then(|()| sync_dir(folder_of(folder))).map_err(failed)?;
    }
    Ok(())
}

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// How often a writer begins again because a cleaner took its file in the moment before it was locked.
const ATTEMPTS: u32 = 100;

/// A new temporary file (`O_EXCL`), removed when dropped. Its lock shows cleaners that the writer is alive; it is lost with
/// the process, however that ends.
#[doc(hidden)]
pub fn locked_temporary(folder: &Path, prefix: &OsStr, suffix: &OsStr, mode: u32) -> io::Result<NamedTempFile> {
    for _ in 0..ATTEMPTS {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix(prefix).suffix(suffix).permissions(Permissions::from_mode(mode));
        let temporary = builder.tempfile_in(folder)?;
        match temporary.as_file().try_lock() {
            // A cleaner that came before the lock has removed the name: the file would never be found again.
            Ok(()) if temporary.as_file().metadata()?.nlink() > 0 => return Ok(temporary),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            // No locks here: no cleaner can take one either, and without it none removes the file.
            Err(TryLockError::Error(error)) if has_no_locks(&error) => return Ok(temporary),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other("temporary files vanish as soon as they are made"))
}

/// Whether an error says that a file system has no locks.
#[doc(hidden)]
pub fn has_no_locks(error: &io::Error) -> bool {
    let none = [rustix::io::Errno::NOLCK, rustix::io::Errno::OPNOTSUPP, rustix::io::Errno::NOSYS];
    none.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Removes a temporary file unless its writer lives. The lock is held until the name is gone, so that a writer that has
/// just made the file either holds the lock already or finds its file without a name. Where there are no locks nothing can be
/// told of the writer, and the file stays.
#[doc(hidden)]
pub fn remove_abandoned(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_file() {
        let file = File::open(path)?;
        file.try_lock()?;
        fs::remove_file(path)?;
    }
    Ok(())
}

/// What the names of temporary files beside a new file begin with, before its own name, and end with.
const PREFIX: &str = ".twistbase-";
const TEMPORARY: &str = ".tmp";

/// A file that has its name only when it is complete, and then takes the place of one that was there, or that a link of this name
/// leads to. Until then, or if it is dropped, there is a temporary file beside its place.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl NewFile {
    /// Begins to write a file. What was left of it by writers that were killed is removed.
    ///
    /// # Errors
    /// [`Error::Io`], also where something is in its place that is no file: a device would be replaced by one, too.
    pub fn create(path: &Path) -> Result<Self> {
        must_be_regular(path).map_err(|source| Error::io("write", path, source))?;
        let path = &behind_link(path);
        let folder = folder_of(path);
        let mut prefix = OsString::from(PREFIX);
        prefix.push(path.file_name().unwrap_or_default());
        prefix.push("-");
        remove_left(folder, &prefix);
        // What the user's mask leaves of it, as of any file.
        let file = locked_temporary(folder, &prefix, TEMPORARY.as_ref(), 0o666);
        let file = file.map_err(|source| Error::io("create a file in", folder, source))?;
        Ok(Self { path: path.clone(), file: BufWriter::new(file) })
    }

    /// Writes a file that is not to be half there.
    ///
    /// # Errors
    /// Those of [`Self::create`].
    pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
        let mut file = Self::create(path)?;
        file.write_all(bytes).map_err(|source| Error::io("write", path, source))?;
        file.publish()
    }

    /// Gives the file its name, when all of it is on the disk.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn publish(self) -> Result<()> {
        let failed = |source| Error::io("write", &self.path, source);
        let file = self.file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        sync_dir(folder_of(&self.path)).map_err(failed)
    }
}

/// Removes the temporary files, of names that begin so, whose writers are gone. One that stays does no harm.
fn remove_left(folder: &Path, prefix: &OsStr) {
    let is_left = |name: &OsStr| {
        name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes())
            && name.as_encoded_bytes().ends_with(TEMPORARY.as_bytes())
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| is_left(&entry.file_name())) {
        let _ = remove_abandoned(&entry.path());
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Bytes that a file occupies: redb's files are sparse, so their length says little. 0 when there is no such file.
#[doc(hidden)]
pub fn bytes_used(path: &Path) -> u64 {
    // st_blocks counts units of 512 bytes whatever the file system's block size is (POSIX stat).
    fs::metadata(path).map_or(0, |found| found.blocks() * 512)
}

/// Whether an error says that the disk, or the user's share of it, is full.
#[doc(hidden)]
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What others of such a name left is removed, what has another name or a writer that lives is not.
    #[test]
    fn a_writer_removes_what_was_left_of_its_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let [left, others] =
            [&[".twistbase-a.svg-1.tmp"][..], &[".twistbase-a.svg-1", "mine.tmp", ".twistbase-b.svg-1.tmp"]];
        for name in left.iter().chain(others) {
            fs::write(folder.path().join(name), b"x").unwrap();
        }
        let path = folder.path().join("a.svg");
        let first = NewFile::create(&path).unwrap();
        let second = NewFile::create(&path).unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        assert!(left.iter().all(|name| !folder.path().join(name).exists()));
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
        assert_eq!(names(), others.len() + 2);
        drop(first);
        second.publish().unwrap();
        assert!(path.exists() && names() == others.len() + 1);
    }

    /// What a link leads to is written, and the link stays; one to nothing becomes the file.
    #[test]
    fn a_link_is_written_through() {
        let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (link, file) = (folder.path().join("a.svg"), other.path().join("b.svg"));
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        NewFile::write_whole(&link, b"new").unwrap();
        assert!(link.is_symlink() && fs::read(&file).unwrap() == b"new");
        fs::remove_file(&file).unwrap();
        NewFile::write_whole(&link, b"newer").unwrap();
        assert!(!link.is_symlink() && fs::read(&link).unwrap() == b"newer" && !file.exists());
    }
}
