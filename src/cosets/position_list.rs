//! Files of positions, a line each in Reid's notation, which names cubies as Singmaster does.

use std::io::Write;
use std::path::{Path, PathBuf};

use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Cube;
use twistbase_puzzle::cube3::notation::reid;
use twistbase_store::NewFile;

/// A file of positions that gets its name when it is complete.
pub(super) struct PositionList {
    file: NewFile,
    path: PathBuf,
}

impl PositionList {
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self { file: NewFile::create(path)?, path: path.to_path_buf() })
    }

    pub fn add(&mut self, position: &Cube) -> Result<()> {
        writeln!(self.file, "{}", reid::print(position)).map_err(|source| Error::io("write", &self.path, source))
    }

    pub fn publish(self) -> Result<()> {
        self.file.publish()
    }
}

/// A search that goes on from a checkpoint does not list again what it listed before, and the list of then is lost.
///
/// # Errors
/// [`Error::Usage`] if both are wanted.
pub(super) fn refuse_list_with_checkpoint(is_listed: bool, has_checkpoint: bool) -> Result<()> {
    if is_listed && has_checkpoint {
        let why = "a list is complete only if the search is not interrupted";
        return Err(Error::Usage(format!("a list and a checkpoint do not go together: {why}")));
    }
    Ok(())
}
