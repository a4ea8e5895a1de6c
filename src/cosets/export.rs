//! Results as files for other programs.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::{CosetFilter, CosetRecord, CosetReport, CosetResults};
use twistbase_core::error::{Error, Result};
use twistbase_solve::CosetLevel;
use twistbase_store::NewFile;

/// A format of exported results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CosetFormat {
    /// A line for each coset and depth, with a head.
    Csv,
    /// A [`CosetReport`] a line.
    JsonLines,
}

const CSV_HEAD: &str =
    "coset,number,depth,positions,total,weighted,exact,searched,sequences,prepass_seconds,search_seconds\n";

impl CosetFormat {
    /// What a file begins with.
    pub const fn head(self) -> &'static str {
        match self {
            Self::Csv => CSV_HEAD,
            Self::JsonLines => "",
        }
    }

    /// A result as lines, each with its end.
    pub fn lines(self, record: &CosetRecord) -> String {
        match self {
            Self::Csv => csv(record),
            // It has no map with keys that are no strings, and no failing `Serialize`.
            Self::JsonLines => serde_json::to_string(&CosetReport::new(None, true, record)).unwrap_or_default() + "\n",
        }
    }
}

impl CosetResults {
    /// Writes results to a file, which gets its name when it is complete.
    ///
    /// # Errors
    /// [`Error::Io`]; those of reading the results.
    pub fn export(&self, path: &Path, format: CosetFormat, filter: CosetFilter) -> Result<()> {
        let mut file = BufWriter::new(NewFile::create(path)?);
        let failed = |source| Error::io("write", path, source);
        file.write_all(format.head().as_bytes()).map_err(failed)?;
        for record in self.filtered(filter) {
            file.write_all(format.lines(&record?).as_bytes()).map_err(failed)?;
        }
        file.into_inner().map_err(|error| failed(error.into_error()))?.publish()
    }
}

/// The levels of a result as lines. Weights are those of this program's cover, as the number in it is: the weights of another
/// cover are left out, or whoever adds up the column would mix the two.
fn csv(record: &CosetRecord) -> String {
    let text = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    let place = record.number().map(u64::from);
    let line = |level: &CosetLevel| {
        let weighted = level.weighted.filter(|_| record.has_own_weights());
        let counts = [level.positions, level.total, weighted].map(text).join(",");
        let times = format!("{:.6},{:.6}", level.prepass_seconds, level.search_seconds);
        let (coset, place) = (record.coset, text(place));
        format!(
            "{coset},{place},{},{counts},{},{},{},{times}\n",
            level.depth, level.exact, level.searched, level.sequences
        )
    };
    record.levels.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    /// Whoever adds up the column has weights of one cover.
    #[test]
    fn weights_of_another_cover_are_left_out() {
        let weights = |record: &CosetRecord| -> Vec<String> {
            let lines = CosetFormat::Csv.lines(record);
            assert_eq!(CSV_HEAD.split(',').nth(5), Some("weighted"));
            lines.lines().map(|line| line.split(',').nth(5).expect("a column").to_owned()).collect()
        };
        let own = record(5, &[2, 18, 118], 2);
        let other = CosetRecord { cover: Some("another".to_owned()), ..own.clone() };
        assert_eq!(weights(&own), ["96", "864", ""]);
        assert_eq!(weights(&other), [""; 3]);
        assert_eq!(weights(&CosetRecord { cover: None, ..own }), [""; 3]);
    }
}
