//! `twistbase stats`: positions by distance.

use serde::Serialize;
use twistbase::error::Error;
use twistbase::store::{Entries, StoredTable};
use twistbase::tables::Definition;

use crate::cli::arguments::{TableArg, any_table, find_row};
use crate::cli::distribution::{Form, Levels, Scale};
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
  twistbase stats phase1 --entries                  as stored, reduced by symmetry
  twistbase stats phase2 --row 0

Distances are counted in the metric of the table, from solved, or from where the
table counts them (phase1: H). Where whoever published the counts begins
elsewhere (Cube21: solved is level 1), that number is given too.

The last line of a pruning table (nx-) is that of all greater distances, too:
its mean distance is a lower bound.

Of a table that was built to a depth, the levels up to there are shown, and how
many positions are farther.

An entry of a table stands for all positions that are the same by its symmetry:
positions are entries, each weighted by how many it stands for.";

/// Show how many positions, or entries, there are at each distance, overall or by row
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The table
    #[arg(value_parser = any_table())]
    table: TableArg,

    /// Show each row of the table: a shape, a class of corners or of edges
    #[arg(long, conflicts_with = "row")]
    rows: bool,

    /// Show one row, given by its number or its name
    #[arg(long, value_name = "ROW")]
    row: Option<String>,

    /// Count entries as they are stored instead of the positions that they stand for (--json tells both in any case)
    #[arg(long)]
    entries: bool,

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
    entries: u64,
    mean_of_entries: f64,
    farthest: Option<usize>,
    /// The depth to which the table was built, and what is farther.
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond: Option<Beyond>,
    levels: Levels,
}

/// What is farther than the depth to which a table was built.
#[derive(Debug, Clone, Copy, Serialize)]
struct Beyond {
    depth: u8,
    positions: u64,
    entries: u64,
}

impl Beyond {
    fn count(&self, form: Form) -> u64 {
        match form {
            Form::Positions => self.positions,
            Form::Entries => self.entries,
        }
    }
}

impl Line {
    /// How many there are, and their mean distance.
    fn total(&self, form: Form) -> (u64, f64) {
        match form {
            Form::Positions => (self.positions, self.mean),
            Form::Entries => (self.entries, self.mean_of_entries),
        }
    }
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let TableArg(table) = args.table;
    let row = args.row.as_deref().map(|name| find_row(table, name)).transpose()?;
    let stored = env.store()?.table_to_depth(table.layout())?;
    let scale = if args.log { Scale::Logarithmic } else { Scale::Linear };
    let form = if args.entries { Form::Entries } else { Form::Positions };
    let mut out = env.output();
    if args.rows {
        let rows = 0..table.layout().rows;
        let lines = rows.map(|row| of_row(table, &stored, row)).collect::<Result<Vec<_>, _>>()?;
        print_rows(&lines, (form, scale), env.json(), &mut out)?;
    } else {
        let line = match row {
            Some(row) => of_row(table, &stored, row)?,
            None => {
                let manifest = stored.manifest();
                describe(table, manifest.depth, None, &manifest.distribution, &manifest.entries_by_level)
            }
        };
        print_one(&line, (form, scale), env.json(), &mut out)?;
    }
    out.finish()
}

/// A row's distribution, from its record.
fn of_row(table: &'static dyn Definition, stored: &StoredTable, row: u32) -> Result<Line, Error> {
    let record = stored.row_record(row)?;
    Ok(describe(table, stored.depth(), Some(row), &record.positions, &record.levels))
}

fn describe(
    table: &'static dyn Definition,
    depth: Option<u8>,
    row: Option<u32>,
    positions: &[u64],
    entries: &[u64],
) -> Line {
    let levels = Levels::new(table, positions).with_entries(entries);
    let all = match row {
        Some(row) => (table.row_positions(row), table.layout().row_entries()),
        None => (table.positions(), table.layout().entries()),
    };
    let beyond = depth.map(|depth| Beyond {
        depth,
        positions: all.0.saturating_sub(levels.total(Form::Positions)),
        entries: all.1.saturating_sub(levels.total(Form::Entries)),
    });
    Line {
        table: table.layout().name,
        puzzle: table.puzzle(),
        metric: table.metric(),
        row,
        row_name: row.map(|row| table.row_name(row)),
        positions: levels.total(Form::Positions),
        mean: levels.mean(Form::Positions),
        entries: levels.total(Form::Entries),
        mean_of_entries: levels.mean(Form::Entries),
        farthest: levels.farthest(),
        beyond,
        levels,
    }
}

fn print_one(line: &Line, (form, scale): (Form, Scale), json: bool, out: &mut Output) -> Result<(), Failure> {
    if json {
        return out.json(line);
    }
    let title = match (&line.row, &line.row_name) {
        (Some(row), Some(name)) => format!("{}, row {row}: {name}", line.table),
        _ => line.table.to_owned(),
    };
    let plot = line.levels.plotted(form, scale).trim_fmt();
    let (total, mean) = line.total(form);
    let (total, noun, metric) = (format::grouped(total), form.noun(), line.metric);
    let beyond = line.beyond.map_or_else(String::new, |beyond| {
        let (count, depth, table) = (format::grouped(beyond.count(form)), beyond.depth, line.table);
        format!(
            "\n{count} {noun} are farther than {depth} {metric}, the depth to which the table was built; twistbase build \
             {table} goes on"
        )
    });
    out.line(format_args!("{title}\n{plot}\n{total} {noun}, mean distance {mean:.4} {metric}{beyond}"))
}

fn print_rows(lines: &[Line], (form, scale): (Form, Scale), json: bool, out: &mut Output) -> Result<(), Failure> {
    if json {
        return lines.iter().try_for_each(|line| out.json(line));
    }
    use Align::{Left, Right};
    let bounded = lines.iter().any(|line| line.beyond.is_some());
    let mut columns = vec![
        ("row", Right),
        ("name", Left),
        (form.noun(), Right),
        ("mean", Right),
        ("farthest", Right),
        ("by distance", Left),
    ];
    if bounded {
        columns.insert(3, ("farther", Right));
    }
    let mut table = format::table(&columns);
    for line in lines {
        let (total, mean) = line.total(form);
        let mut cells = vec![
            line.row.map_or_else(String::new, |row| row.to_string()),
            line.row_name.clone().unwrap_or_default(),
            format::grouped(total),
            format!("{mean:.4}"),
            line.farthest.map_or_else(String::new, |distance| distance.to_string()),
            format::sparkline(line.levels.heights(form, scale)),
        ];
        if let Some(beyond) = line.beyond {
            cells.insert(3, format::grouped(beyond.count(form)));
        }
        table.add_row(cells);
    }
    out.line(table.trim_fmt())
}
