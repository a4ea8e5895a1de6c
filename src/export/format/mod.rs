//! The formats of exports.

mod csv;
mod jsonl;
mod parquet;

pub(super) use parquet::properties as parquet_properties;

use std::path::Path;

use serde::Serialize;

use super::batch::RecordBatch;
use super::columns::Column;
use twistbase_core::error::{Error, Result};

/// How hard zstd tries: its own default.
const ZSTD_LEVEL: i32 = 3;

/// The key under which a file or schema has the metadata of an export.
pub const METADATA_KEY: &str = "twistbase";

/// A format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// Apache Parquet, its pages compressed with zstd.
    Parquet,
    /// Comma-separated values, with a line of names first.
    Csv,
    /// A JSON object a line.
    Jsonl,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Parquet, Self::Csv, Self::Jsonl];

    /// Its name, which is also the ending of its files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }

    /// The format of a file, `given` or else by its ending, in any case; and whether it is compressed with zstd: its name ends
    /// in `.zst` then.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_export as export; }
    /// use std::path::Path;
    ///
    /// use twistbase::export::ExportFormat;
    ///
    /// assert_eq!(ExportFormat::of_file(Path::new("near.csv.zst"), None)?, (ExportFormat::Csv, true));
    /// assert!(ExportFormat::of_file(Path::new("near.xlsx"), None).is_err());
    /// # Ok::<(), twistbase::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown extension without a given format.
    pub fn of_file(file: &Path, given: Option<Self>) -> Result<(Self, bool)> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let (name, zstd) = name.strip_suffix(".zst").map_or((name.as_str(), false), |name| (name, true));
        let by_ending = || Self::ALL.into_iter().find(|format| name.ends_with(&format!(".{}", format.name())));
        let format = given.or_else(by_ending).ok_or_else(|| {
            Error::Usage(format!(
                "{} has no known extension: name the file .parquet, .csv or .jsonl, or give a format",
                file.display()
            ))
        });
        Ok((format?, zstd))
    }
}

/// Some records, ready to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Encoded {
    pub records: u64,
    pub bytes: Vec<u8>,
    /// Parquet: the metadata of a file of these records alone.
    pub footer: Vec<u8>,
}

/// What turns records into bytes of a format. Its output does not depend on what was encoded before.
#[derive(Debug, Clone)]
pub(super) struct Encoder {
    format: ExportFormat,
    zstd: bool,
    columns: Vec<Column>,
}

impl Encoder {
    pub fn new(format: ExportFormat, zstd: bool, columns: &[Column]) -> Self {
        Self { format, zstd, columns: columns.to_vec() }
    }

    /// Whether the format has no place for metadata.
    pub fn is_without_metadata(&self) -> bool {
        self.format != ExportFormat::Parquet
    }

    /// What a file begins with.
    ///
    /// # Errors
    /// [`Error::Io`] when zstd finds no memory.
    pub fn head(&self) -> Result<Vec<u8>> {
        match self.format {
            ExportFormat::Parquet => Ok(parquet::MAGIC.to_vec()),
            ExportFormat::Csv => self.compressed(csv::head(&self.columns)?),
            ExportFormat::Jsonl => Ok(Vec::new()),
        }
    }

    /// # Errors
    /// [`Error::Io`] when zstd finds no memory.
    pub fn encode(&self, batch: &RecordBatch) -> Result<Encoded> {
        let records = batch.records as u64;
        if records == 0 {
            return Ok(Encoded::default());
        }
        let bytes = match self.format {
            ExportFormat::Parquet => {
                let (bytes, footer) = parquet::row_group(batch)?;
                return Ok(Encoded { records, bytes, footer });
            }
            ExportFormat::Csv => csv::lines(batch)?,
            ExportFormat::Jsonl => jsonl::lines(batch)?,
        };
        Ok(Encoded { records, bytes: self.compressed(bytes)?, footer: Vec::new() })
    }

    /// What a file ends with: nothing, or Parquet's footer. `footers` are those of the batches that have records, each
    /// with where its bytes begin.
    ///
    /// # Errors
    /// [`Error::Io`] for footers that are none.
    pub fn tail(&self, footers: &[(u64, Vec<u8>)], metadata: &str) -> Result<Vec<u8>> {
        match self.format {
            ExportFormat::Parquet => parquet::footer(&self.columns, footers, metadata),
            ExportFormat::Csv | ExportFormat::Jsonl => Ok(Vec::new()),
        }
    }

    /// A zstd frame of its own: frames one behind the other are read as one.
    fn compressed(&self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        if !self.zstd {
            return Ok(bytes);
        }
        zstd::bulk::compress(&bytes, ZSTD_LEVEL).map_err(|source| Error::io("compress", "the export", source))
    }
}

/// The decimal digits of a number.
fn append_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tells_its_format() {
        use ExportFormat::{Csv, Jsonl, Parquet};
        let of = |file: &str, given| ExportFormat::of_file(Path::new(file), given).ok();
        for (file, expected) in [
            ("a.parquet", Some((Parquet, false))),
            ("a.csv", Some((Csv, false))),
            ("folder.csv/a.b.jsonl", Some((Jsonl, false))),
            ("a.csv.zst", Some((Csv, true))),
            ("A.JSONL.Zst", Some((Jsonl, true))),
            ("folder.csv/a", None),
            ("acsv", None),
            ("a.zst", None),
            ("a.xlsx", None),
            ("-", None),
            ("", None),
        ] {
            assert_eq!(of(file, None), expected, "{file}");
        }
        assert_eq!(of("a.parquet", Some(Csv)), Some((Csv, false)));
        assert_eq!(of("a.zst", Some(Jsonl)), Some((Jsonl, true)));
        let error = ExportFormat::of_file(Path::new("a.xlsx"), None).unwrap_err().to_string();
        assert_eq!(error, "a.xlsx has no known extension: name the file .parquet, .csv or .jsonl, or give a format");
    }

    #[test]
    fn numbers_are_written_as_they_are() {
        for number in [0, 7, 10, 99, 12_345, u64::from(u32::MAX), u64::MAX] {
            let mut out = b"x".to_vec();
            append_number(number, &mut out);
            assert_eq!(out, format!("x{number}").into_bytes());
        }
    }
}
