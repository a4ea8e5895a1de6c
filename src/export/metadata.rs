//! The metadata of an export: its table, metric, notations and selection.

use std::ffi::OsString;
use std::io::{BufReader, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::columns::Column;
use super::records::Records;
use super::selection::Sample;
use super::{RecordRequest, selection};
use twistbase_core::error::{Error, Result};
use twistbase_store::{CREATOR, Entries, read_regular};

/// Version of the meaning of columns.
const FORMAT_VERSION: u32 = 1;

/// Bytes of metadata at most: there are ranges in them.
const LONGEST: u64 = 1 << 24;

/// The metadata of an export: `schema/json/export-metadata.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Metadata {
    format_version: u32,
    creator: &'static str,
    table: &'static str,
    puzzle: &'static str,
    metric: &'static str,
    goal: &'static str,
    spec_version: u32,
    table_digest: String,
    /// The depth to which the table was built: farther entries are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    row: &'static str,
    format: &'static str,
    zstd: bool,
    columns: Vec<&'static str>,
    position_notation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution_notation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution_limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<[u8; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<Sample>,
    pub given_positions: bool,
    /// How many records there are, when all are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
}

impl Metadata {
    /// Those of records in a format, which are compressed as a whole or not.
    pub fn new(run: &dyn Records, request: &RecordRequest, format: &'static str, zstd: bool, given: bool) -> Self {
        let (table, entries, chosen) = (run.definition(), run.entries(), run.chosen());
        let [position_notation, solutions] = run.notations();
        let [metric, goal] = run.metric_and_goal();
        let solved = chosen.columns.iter().any(|column| matches!(column, Column::Solution | Column::Solutions));
        let selection::Selection { levels, rows, sample } = &request.selection;
        Self {
            format_version: FORMAT_VERSION,
            creator: CREATOR,
            table: table.layout().name,
            puzzle: table.puzzle(),
            metric,
            goal,
            spec_version: table.layout().spec_version,
            table_digest: entries.table().manifest().digest.clone(),
            depth: entries.depth(),
            row: table.row_noun(),
            format,
            zstd,
            columns: chosen.columns.iter().map(|column| column.name()).collect(),
            position_notation,
            solution_notation: solved.then_some(solutions),
            solution_limit: request.limit,
            levels: levels.as_deref().map(ends),
            rows: rows.as_deref().map(ends),
            sample: *sample,
            given_positions: given,
            records: None,
        }
    }

    /// The metadata as JSON.
    ///
    /// # Errors
    /// None that is known of: every member can be written.
    pub fn json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::io("write", "the metadata", error.into()))
    }
}

fn ends<T: Copy>(ranges: &[RangeInclusive<T>]) -> Vec<[T; 2]> {
    ranges.iter().map(|range| [*range.start(), *range.end()]).collect()
}

/// Whether a file holds the metadata of an export.
pub(super) fn is_of_an_export(path: &Path) -> bool {
    let found: Option<serde_json::Value> =
        read_regular(path).ok().and_then(|file| serde_json::from_reader(BufReader::new(file.take(LONGEST))).ok());
    found.is_some_and(|found| found["creator"].as_str().is_some_and(|creator| creator.starts_with("twistbase ")))
}

/// The file that holds the metadata of a file in which they have no place.
pub(super) fn beside(file: &Path) -> PathBuf {
    let mut path = OsString::from(file);
    path.push(".meta.json");
    path.into()
}
