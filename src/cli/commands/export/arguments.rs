//! The arguments of `export`, and their meaning.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use twistbase_cache::CacheMode;
use twistbase_core::error::{Error, Result};
use twistbase_database::{QuestionMetric, TableId};
use twistbase_export::{Column, ExportFormat, ExportRequest, RecordRequest, Sample, Selection};

use crate::arguments::{CacheArgs, PuzzleNames, metric, named};

/// Stands for the shapes in the place of a table.
const SHAPES: &str = "shapes";

const EXAMPLES: &str = "\
Examples:
  twistbase export cube21 -o cube21.parquet
  twistbase export square1 --levels ..3 --solution all -o near.csv.zst
  twistbase export square1 --sample 1000000 --seed 7 -o sample.parquet
  twistbase export phase2 --rows 0..9 --columns index,position,bound -o rows.jsonl
  twistbase random cube21 -n 5 | twistbase export cube21 --positions - --format csv -o -
  twistbase export cube21 --raw -o cube21.twraw
  twistbase export shapes -o shapes.json

Records:
  A record is an entry of the table. It stands for all positions that the table's
  symmetry makes equal; a symmetrical position can have several records. The order is
  that of the index: row x entries per row + entry. --levels and --rows filter
  entries, or the lines of --positions. --sample draws from the filtered entries.

Columns:
  index, row, entry, position, value (as stored), count (of shortest solutions),
  solution, solutions (all); distance in tables of exact distances, bound in others.

Files:
  A file gets its name when it is complete. The same command resumes an interrupted
  export. FILE.meta.json beside CSV and JSON Lines gives the metric, the notation and
  the table's digest. Parquet has them inside, under the key twistbase.";

/// Export a table as Parquet, CSV, JSON Lines or raw bytes
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Table; or shapes, for the shapes of Square-1 as JSON
    #[arg(value_name = "TABLE", value_parser = table_or_shapes(), hide_possible_values = true)]
    table: String,

    /// File to write; - is standard output (CSV, JSON Lines, shapes)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Format [default: from the extension of FILE]
    ///
    /// The extensions are .parquet, .csv, .jsonl, .csv.zst and .jsonl.zst.
    #[arg(long, value_parser = format(), conflicts_with = "raw")]
    format: Option<ExportFormat>,

    /// Compress CSV and JSON Lines with zstd [default: for FILE.zst]
    #[arg(long, conflicts_with = "raw")]
    zstd: bool,

    /// Only entries at these distances or bounds, like 0..5 or 3,11..
    ///
    /// Ranges include both ends: 3, 0..5, ..5, 11.., or several of them with commas.
    #[arg(long, value_name = "LEVELS")]
    levels: Option<String>,

    /// Only entries of these rows: numbers, ranges or names
    ///
    /// Ranges like 0..9 include both ends. stats TABLE --rows lists the names.
    #[arg(long, value_name = "ROWS")]
    rows: Option<String>,

    /// Export the positions of a file, one per line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "sample")]
    positions: Option<PathBuf>,

    /// Draw N different entries at random from the selected ones
    #[arg(long, value_name = "N")]
    sample: Option<u64>,

    /// Seed; the same seed draws the same entries [default: 0]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Columns [default: index, position, and distance or bound]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column())]
    columns: Vec<Column>,

    /// Add one shortest solution, or all, to the default columns
    #[arg(long, value_enum, conflicts_with = "columns")]
    solution: Option<SolutionArg>,

    /// At most N solutions per position
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Write the whole table with checksums, for twistbase import
    #[arg(long, conflicts_with_all = ["levels", "rows", "positions", "sample", "seed", "columns", "solution", "limit", "metric", "cache"])]
    raw: bool,

    /// Replace the file; start an unfinished export again
    #[arg(long)]
    pub force: bool,

    /// Metric of distances and solutions [default: the table's]
    ///
    /// Tables of the Square-1 family also have wca: it counts turns and twists. An entry stands for its position with a
    /// square middle layer.
    #[arg(long, value_parser = metric(), value_name = "METRIC")]
    metric: Option<QuestionMetric>,

    #[command(flatten)]
    cache: CacheArgs,
}

fn format() -> impl TypedValueParser<Value = ExportFormat> {
    named([
        ("parquet", "Apache Parquet, always compressed"),
        ("csv", "Comma-separated values with a header line"),
        ("jsonl", "One JSON object per line"),
    ])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SolutionArg {
    /// One
    One,
    /// All
    All,
}

/// Where records come from.
pub enum ExportSource {
    /// The entries of the table.
    Entries,
    /// Positions in a file; - is standard input.
    Positions(PathBuf),
}

/// The subject of the export.
pub enum Content {
    Shapes,
    Raw(TableId),
    Records { table: TableId, request: ExportRequest, source: ExportSource },
}

fn table_or_shapes() -> impl TypedValueParser<Value = String> {
    PuzzleNames(PossibleValuesParser::new(TableId::all().map(TableId::name).chain([SHAPES])))
}

fn column() -> impl TypedValueParser<Value = Column> {
    PossibleValuesParser::new(Column::ALL.map(Column::name)).map(|name| {
        let named = Column::ALL.into_iter().find(|column| column.name() == name);
        named.expect("only names of columns are possible")
    })
}

impl Args {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// [`Error::Usage`] for what contradicts itself.
    pub fn content(&self) -> Result<Content> {
        if self.table == SHAPES {
            return self.for_shapes().map(|()| Content::Shapes);
        }
        let table: TableId = self.table.parse()?;
        if self.raw {
            return Ok(Content::Raw(table));
        }
        let (format, zstd) = self.format()?;
        let mut records = RecordRequest { columns: self.columns(), limit: self.limit, ..RecordRequest::default() };
        if let Some(metric) = self.metric {
            records.count_in(metric.name(), table.definition())?;
        }
        let last = records.last_level(table.definition());
        let levels = self.levels.as_deref().map(|text| ranges(text, last, &|_| None));
        let rows = self
            .rows
            .as_deref()
            .map(|text| ranges(text, table.definition().layout().rows - 1, &|name| table.find_row(name).ok()));
        let sample = Sample::drawn(self.sample, self.seed)?;
        records.selection = Selection { levels: levels.transpose()?, rows: rows.transpose()?, sample };
        records.cache = self.cache.cache;
        let request = ExportRequest { records, format, zstd };
        let source = match &self.positions {
            None => ExportSource::Entries,
            Some(path) => ExportSource::Positions(path.clone()),
        };
        Ok(Content::Records { table, request, source })
    }

    /// Refuses what the shapes do not have.
    fn for_shapes(&self) -> Result<()> {
        let given = [
            ("--format", self.format.is_some()),
            ("--zstd", self.zstd),
            ("--levels", self.levels.is_some()),
            ("--rows", self.rows.is_some()),
            ("--positions", self.positions.is_some()),
            ("--sample", self.sample.is_some()),
            ("--seed", self.seed.is_some()),
            ("--columns", !self.columns.is_empty()),
            ("--solution", self.solution.is_some()),
            ("--limit", self.limit.is_some()),
            ("--metric", self.metric.is_some()),
            ("--raw", self.raw),
            ("--cache", self.cache.cache != CacheMode::OnDemand),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Error::Usage(format!("{option} applies to tables; an export of shapes has no such option")))
            }
            None if self.output.extension().is_some_and(|extension| extension != "json") => {
                Err(Error::Usage("shapes are exported as JSON: name the file .json".to_owned()))
            }
            None => Ok(()),
        }
    }

    /// The format, and whether it is compressed.
    fn format(&self) -> Result<(ExportFormat, bool)> {
        if self.output.as_os_str() == "-" && self.format.is_none() {
            return Err(Error::Usage("writing to standard output needs --format csv or --format jsonl".to_owned()));
        }
        let (format, zstd) = ExportFormat::of_file(&self.output, self.format)?;
        Ok((format, self.zstd || zstd))
    }

    /// The columns; none for the default ones.
    fn columns(&self) -> Vec<Column> {
        let more = match self.solution {
            None => return self.columns.clone(),
            Some(SolutionArg::One) => Column::Solution,
            Some(SolutionArg::All) => Column::Solutions,
        };
        // A table of bounds has no solutions, and is refused for that.
        vec![Column::Index, Column::Position, Column::Distance, more]
    }
}

/// Ranges separated by commas: `3`, `0..5`, `..5`, `11..`, both ends included, or a name.
fn ranges<T>(text: &str, last: T, named: &dyn Fn(&str) -> Option<T>) -> Result<Vec<RangeInclusive<T>>>
where
    T: Copy + Ord + Default + FromStr + std::fmt::Display,
{
    let range = |part: &str| -> Option<RangeInclusive<T>> {
        let number = |text: &str, otherwise: T| match text.trim() {
            "" => Some(otherwise),
            number => number.parse().ok(),
        };
        let (first, last) = match part.split_once("..") {
            Some((first, end)) => (number(first, T::default())?, number(end, last)?),
            None => {
                let one = part.trim().parse().ok().or_else(|| named(part.trim()))?;
                (one, one)
            }
        };
        (first <= last).then_some(first..=last)
    };
    text.split(',')
        .map(|part| {
            let range = range(part).filter(|range| *range.end() <= last);
            range.ok_or_else(|| {
                Error::Usage(format!(
                    "{part:?} is not a number or range within 0..{last}; give numbers or ranges, with commas between them"
                ))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        let name = |text: &str| (text == "five").then_some(5u8);
        let of = |text| ranges(text, 9u8, &name);
        assert_eq!(of("3").unwrap(), [3..=3]);
        assert_eq!(of("0..2, 7..,five,..1").unwrap(), [0..=2, 7..=9, 5..=5, 0..=1]);
        for bad in ["", "10", "4..3", "a", "1..x", "-1", "3,,4", "0..10", "300"] {
            assert!(matches!(of(bad), Err(Error::Usage(_))), "{bad}");
        }
    }

    fn fuzz(inputs: u64) {
        let right = ["3", "0..5", "..5", "11..", "0..2, 7..,five,..1", "1,2,3", "62"];
        let name = |text: &str| (text == "five").then_some(5u8);
        twistbase_testing::fuzz::fuzz_text("ranges of levels", inputs, &right, 1 << 14, |text| {
            let Ok(found) = ranges(text, 62u8, &name) else { return };
            assert!(!found.is_empty() && found.iter().all(|range| !range.is_empty() && *range.end() <= 62));
            let printed: Vec<String> =
                found.iter().map(|range| format!("{}..{}", range.start(), range.end())).collect();
            assert_eq!(ranges(&printed.join(","), 62u8, &name).unwrap(), found);
        });
        twistbase_testing::fuzz::fuzz_text(
            "durations",
            inputs / 4,
            &["3s", "1h 30m", "250ms", "2days"],
            1 << 12,
            |text| {
                // As long a time as this is read from what it is written as.
                if let Ok(time) = humantime::parse_duration(text) {
                    assert_eq!(humantime::parse_duration(&humantime::format_duration(time).to_string()), Ok(time));
                }
            },
        );
    }

    #[test]
    fn any_text_is_ranges_or_refused() {
        fuzz(5000);
    }

    #[test]
    #[ignore = "long suite: millions of ranges"]
    fn millions_of_texts_are_ranges_or_refused() {
        fuzz(twistbase_testing::fuzz::many(2_000_000));
    }
}
