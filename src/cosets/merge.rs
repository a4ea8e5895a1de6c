//! Results of shard files, which earlier versions wrote, into the results of a database.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::report::PUZZLE;
use super::shard::{CosetShard, shard_files};
use super::{CosetDatabase, CosetWriter};
use twistbase_core::context::Context;
use twistbase_core::error::{DataError, Error, Result};

/// A shard file that was merged, as JSON: `schema/json/coset-merge.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedShard<'a> {
    /// "cube3".
    pub puzzle: &'static str,
    /// The file.
    pub file: &'a Path,
    /// The first number in the cover of its range.
    pub first: u32,
    /// The number after the last.
    pub end: u32,
    /// Results in it.
    pub results: usize,
    /// Those that the database did not know, or not so well.
    pub new: u64,
}

/// What became of a merger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeTotals {
    /// Files that there were.
    pub files: usize,
    /// Why files were refused, in their order: they are damaged, of another cover or a newer program, or disagree with
    /// stored results.
    pub refused: Vec<DataError>,
}

impl CosetDatabase {
    /// Takes the results of shard files, given by their names or those of folders of them; `on` hears of each file that was
    /// merged. Only earlier versions wrote such files: see `Farm::merge`. A file is merged as a whole or refused; merging it once more changes nothing.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Busy`], [`Error::Interrupted`]; those of `on`; [`Error::Data`] if the results themselves are
    /// damaged.
    pub fn merge(
        &self,
        from: &[PathBuf],
        ctx: &Context,
        on: &mut dyn FnMut(&MergedShard<'_>) -> Result<()>,
    ) -> Result<MergeTotals> {
        let mut files = Vec::new();
        for path in from {
            if path.is_dir() { files.append(&mut shard_files(path)?) } else { files.push(path.clone()) }
        }
        if files.is_empty() {
            return Ok(MergeTotals::default());
        }
        let writer = self.results.writer(ctx)?;
        let mut refused = Vec::new();
        for file in &files {
            ctx.check()?;
            match merge(&writer, file) {
                Ok(merged) => on(&merged)?,
                Err(Error::Data(error)) => refused.push(error),
                Err(other) => return Err(other),
            }
        }
        Ok(MergeTotals { files: files.len(), refused })
    }
}

fn merge<'a>(writer: &CosetWriter, file: &'a Path) -> Result<MergedShard<'a>> {
    let CosetShard { range, records } = CosetShard::read(file)?;
    let new = match writer.put(&records) {
        // The file that is refused is the shard's, not the database's.
        Err(Error::Data(mut error)) if error.row.is_some() => {
            error.detail = format!("{} was refused: {}", file.display(), error.detail);
            return Err(error.into());
        }
        other => other?,
    };
    Ok(MergedShard { puzzle: PUZZLE, file, first: range.start, end: range.end, results: records.len(), new })
}
