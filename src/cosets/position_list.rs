//! Lists of positions, a line each in Reid's notation, which names cubies as Singmaster does.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use twistbase_core::error::{Error, Result};
use twistbase_puzzle::cube3::Cube;
use twistbase_puzzle::cube3::notation::reid;
use twistbase_store::NewFile;

/// Where the positions go that [`CosetOptions::list_from`](twistbase_solve::CosetOptions::list_from) lists, coset after coset, a
/// line each in Reid's notation.
pub struct PositionList {
    target: ListTarget,
    /// The name of the target in errors.
    name: PathBuf,
    written: u64,
}

enum ListTarget {
    File(NewFile),
    Stream(BufWriter<Box<dyn Write + Send>>),
}

impl PositionList {
    /// A file, which gets its name when the list is complete.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self { target: ListTarget::File(NewFile::create(path)?), name: path.to_path_buf(), written: 0 })
    }

    /// A stream, which errors call `name`.
    pub fn of_stream(stream: impl Write + Send + 'static, name: &str) -> Self {
        Self { target: ListTarget::Stream(BufWriter::new(Box::new(stream))), name: name.into(), written: 0 }
    }

    pub(super) fn add(&mut self, position: &Cube) -> Result<()> {
        let target: &mut dyn Write = match &mut self.target {
            ListTarget::File(file) => file,
            ListTarget::Stream(stream) => stream,
        };
        writeln!(target, "{}", reid::print(position)).map_err(|source| Error::io("write", &self.name, source))?;
        self.written += 1;
        Ok(())
    }

    /// Completes the list; returns the number of its positions.
    pub(super) fn publish(self) -> Result<u64> {
        match self.target {
            ListTarget::File(file) => file.publish()?,
            ListTarget::Stream(mut stream) => {
                stream.flush().map_err(|source| Error::io("write", &self.name, source))?;
            }
        }
        Ok(self.written)
    }
}

/// A search resumed from a checkpoint does not list earlier positions again; their list is lost.
///
/// # Errors
/// [`Error::Usage`] if both are wanted.
pub(super) fn refuse_list_with_checkpoint(is_listed: bool, has_checkpoint: bool) -> Result<()> {
    if is_listed && has_checkpoint {
        let why = "a resumed search would miss positions of the list";
        return Err(Error::Usage(format!("a list and a checkpoint exclude each other: {why}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_counts_its_positions_and_is_named_when_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("list");
        let mut lists = [PositionList::create(&file).unwrap(), PositionList::of_stream(std::io::sink(), "nowhere")];
        lists.iter_mut().for_each(|list| (0..3).for_each(|_| list.add(&Cube::SOLVED).unwrap()));
        assert!(!file.exists());
        assert_eq!(lists.map(|list| list.publish().unwrap()), [3, 3]);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.lines().count() == 3 && text.lines().all(|line| reid::parse(line).unwrap() == Cube::SOLVED));
    }
}
