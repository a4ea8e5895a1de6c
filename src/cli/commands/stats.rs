//! `twistbase stats`: positions by distance.

use serde::Serialize;
use twistbase::error::Error;
use twistbase::store::StoredTable;
use twistbase::tables::Definition;

use crate::cli::arguments::{TableArg, any_table};
use crate::cli::distribution::{Levels, Scale};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, Align};
use crate::cli::output::Output;

const EXAMPLES: &str = "\
Examples:
  twistbase stats square1
  twistbase stats cube21 --log                      small levels show as well
  twistbase stats cube21 --rows                     a line for each shape
  twistbase stats cube21 --row CCCCCC/CCeeeeeeee    one shape, or its number

Distances are counted in the metric of the table, from solved. Where whoever
published the counts begins elsewhere (Cube21: solved is level 1), that number
is given too.";

/// Show how many positions there are at each distance, overall or by shape
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The table
    #[arg(value_parser = any_table())]
    table: TableArg,

    /// Show each row (shape) of the table
    #[arg(long, conflicts_with = "row")]
    rows: bool,

    /// Show one row, given by its number or its name
    #[arg(long, value_name = "ROW")]
    row: Option<String>,

    /// Plot the logarithm of the counts
    #[arg(long)]
    log: bool,
}

/// A distribution, of a table or of one of its rows.
#[derive(Debug, Serialize)]
struct Line {
    table: &'static str,
    puzzle: &'static str,
    metric: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row_name: Option<String>,
    positions: u64,
    mean: f64,
    farthest: Option<usize>,
    levels: Levels,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let TableArg(table) = args.table;
    let row = args.row.as_deref().map(|name| find_row(table, name)).transpose()?;
    let stored = env.store()?.table(table.layout())?;
    let scale = if args.log { Scale::Logarithmic } else { Scale::Linear };
    let mut out = env.output();
    if args.rows {
        let rows = 0..table.layout().rows;
        let lines = rows.map(|row| of_row(table, &stored, row)).collect::<Result<Vec<_>, _>>()?;
        print_rows(&lines, scale, env.json(), &mut out)?;
    } else {
        let line = match row {
            Some(row) => of_row(table, &stored, row)?,
            None => describe(table, None, &stored.manifest().distribution),
        };
        print_one(&line, scale, env.json(), &mut out)?;
    }
    out.finish()
}

/// The row of a number or a name.
fn find_row(table: &dyn Definition, name: &str) -> Result<u32, Error> {
    let rows = table.layout().rows;
    let number = name.parse().ok().filter(|&row| row < rows);
    number.or_else(|| (0..rows).find(|&row| table.row_name(row) == name)).ok_or_else(|| {
        let (noun, last) = (table.row_noun(), rows - 1);
        let table = table.layout().name;
        Error::Usage(format!(
            "{table} has no {noun} {name:?}; give a number from 0 to {last} or a name from stats {table} --rows"
        ))
    })
}

/// A row's distribution, from its record.
fn of_row(table: &'static dyn Definition, stored: &StoredTable, row: u32) -> Result<Line, Error> {
    Ok(describe(table, Some(row), &stored.row_record(row)?.positions))
}

fn describe(table: &'static dyn Definition, row: Option<u32>, counts: &[u64]) -> Line {
    let levels = Levels::new(table, counts);
    Line {
        table: table.layout().name,
        puzzle: table.puzzle(),
        metric: table.metric(),
        row,
        row_name: row.map(|row| table.row_name(row)),
        positions: levels.total(),
        mean: levels.mean(),
        farthest: levels.farthest(),
        levels,
    }
}

fn print_one(line: &Line, scale: Scale, json: bool, out: &mut Output) -> Result<(), Failure> {
    if json {
        return out.json(line);
    }
    let title = match (&line.row, &line.row_name) {
        (Some(row), Some(name)) => format!("{}, row {row}: {name}", line.table),
        _ => line.table.to_owned(),
    };
    let (positions, mean, metric) = (format::grouped(line.positions), line.mean, line.metric);
    let plot = line.levels.plotted(scale).trim_fmt();
    out.line(format_args!("{title}\n{plot}\n{positions} positions, mean distance {mean:.4} {metric}"))
}

fn print_rows(lines: &[Line], scale: Scale, json: bool, out: &mut Output) -> Result<(), Failure> {
    if json {
        return lines.iter().try_for_each(|line| out.json(line));
    }
    use Align::{Left, Right};
    let columns = [
        ("row", Right),
        ("name", Left),
        ("positions", Right),
        ("mean", Right),
        ("farthest", Right),
        ("by distance", Left),
    ];
    let mut table = format::table(&columns);
    for line in lines {
        table.add_row([
            line.row.map_or_else(String::new, |row| row.to_string()),
            line.row_name.clone().unwrap_or_default(),
            format::grouped(line.positions),
            format!("{:.4}", line.mean),
            line.farthest.map_or_else(String::new, |distance| distance.to_string()),
            format::sparkline(line.levels.heights(scale)),
        ]);
    }
    out.line(table.trim_fmt())
}
