//! `twistbase stats`: positions by distance.

use twistbase_core::error::Remedy;
use twistbase_database::{CountUnit, TableExplanation, TableId, TableStats};

use crate::arguments::any_table;
use crate::distribution::{Scale, heights, noun, plotted};
use crate::environment::Environment;
use crate::failure::{Failure, command};
use crate::format::{self, Align};
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  twistbase stats square1
  twistbase stats cube21 --log                      small levels show as well
  twistbase stats cube21 --rows                     a line for each shape
  twistbase stats cube21 --row CCCCCC/CCeeeeeeee    one shape, or its number
  twistbase stats phase1 --entries                  as stored, reduced by symmetry
  twistbase stats phase2 --row 0
  twistbase stats phase1 --explain                  from all states to entries

Distances are counted in the metric of the table, from solved, or from where the
table counts them (phase1: H). Where whoever published the counts begins
elsewhere (Cube21: solved is level 1), that number is given too.

The last line of a pruning table (nx-) is that of all greater distances, too:
its mean distance is a lower bound.

Of a table that was built to a depth, the levels up to there are shown, and how
many positions are farther.

--explain tells how the states of the puzzle become the entries of the table, a
step at a time, with the number after each; the table need not have been built.

An entry of a table stands for all positions that are the same by its symmetry:
positions are entries, each weighted by how many it stands for.";

/// Show how many positions, or entries, there are at each distance, overall or by row
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The table
    #[arg(value_parser = any_table())]
    table: TableId,

    /// Show each row of the table: a shape, a class of corners or of edges
    #[arg(long, conflicts_with = "row")]
    rows: bool,

    /// Show one row, given by its number or its name
    #[arg(long, value_name = "ROW")]
    row: Option<String>,

    /// Count entries as they are stored instead of the positions that they stand for (--json tells both in any case)
    #[arg(long)]
    entries: bool,

    /// Tell how all states of the puzzle become the entries of the table, in numbers, instead
    #[arg(long, conflicts_with_all = ["rows", "row", "entries", "log"])]
    explain: bool,

    /// Plot the logarithm of the counts
    #[arg(long)]
    log: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let table = args.table;
    if args.explain {
        return explain(&table.explanation(), env);
    }
    let row = args.row.as_deref().map(|name| table.find_row(name)).transpose()?;
    let (database, mut out) = (env.database()?, env.output());
    let scale = if args.log { Scale::Logarithmic } else { Scale::Linear };
    let unit = if args.entries { CountUnit::Entries } else { CountUnit::Positions };
    if args.rows {
        let rows = database.stats_of_rows(table, 0..table.definition().layout().rows)?;
        print_rows(&rows, (unit, scale), env.json(), &mut out)?;
    } else {
        let all = match row {
            Some(row) => database.stats_of_rows(table, [row])?,
            None => vec![database.stats(table)?],
        };
        all.iter().try_for_each(|stats| print_one(stats, (unit, scale), env.json(), &mut out))?;
    }
    out.finish()
}

/// Prints the steps from all states to entries.
fn explain(explained: &TableExplanation, env: &Environment) -> Result<(), Failure> {
    let mut out = env.output();
    if env.json() {
        out.json(explained)?;
        return out.finish();
    }
    let TableExplanation { table, steps, entries, positions, .. } = explained;
    let counts: Vec<String> = steps.iter().map(|step| format::grouped_wide(step.count)).collect();
    let width = counts.iter().map(String::len).max().unwrap_or_default();
    out.line(table)?;
    for (count, step) in counts.iter().zip(steps) {
        out.line(format_args!("  {count:>width$}  {}", step.what))?;
    }
    let (entries, positions) = (format::grouped(*entries), format::grouped(*positions));
    out.line(format_args!("{entries} entries stand for {positions} positions"))?;
    out.finish()
}

fn print_one(
    stats: &TableStats,
    (unit, scale): (CountUnit, Scale),
    json: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    if json {
        return out.json(stats);
    }
    let title = match (stats.row, &stats.row_name) {
        (Some(row), Some(name)) => format!("{}, row {row}: {name}", stats.table),
        _ => stats.table.to_string(),
    };
    let plot = plotted(&stats.levels, unit, scale).trim_fmt();
    let (total, mean) = stats.total(unit);
    let (total, noun, metric) = (format::grouped(total), noun(unit), stats.metric);
    let beyond = stats.beyond.map_or_else(String::new, |beyond| {
        let (count, table) = (format::grouped(beyond.count(unit)), stats.table);
        let depth = table.definition().metric().count(beyond.depth.into());
        format!(
            "\n{count} {noun} are farther than {depth}, the depth to which the table was built; {} goes on",
            command(&Remedy::build(table.name()))
        )
    });
    out.line(format_args!("{title}\n{plot}\n{total} {noun}, mean distance {mean:.4} {metric}{beyond}"))
}

fn print_rows(
    rows: &[TableStats],
    (unit, scale): (CountUnit, Scale),
    json: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    if json {
        return rows.iter().try_for_each(|stats| out.json(stats));
    }
    use Align::{Left, Right};
    let bounded = rows.iter().any(|stats| stats.beyond.is_some());
    let mut columns = vec![
        ("row", Right),
        ("name", Left),
        (noun(unit), Right),
        ("mean", Right),
        ("farthest", Right),
        ("by distance", Left),
    ];
    if bounded {
        columns.insert(3, ("farther", Right));
    }
    let mut table = format::table(&columns);
    for stats in rows {
        let (total, mean) = stats.total(unit);
        let mut cells = vec![
            stats.row.map_or_else(String::new, |row| row.to_string()),
            stats.row_name.clone().unwrap_or_default(),
            format::grouped(total),
            format!("{mean:.4}"),
            stats.farthest.map_or_else(String::new, |distance| distance.to_string()),
            format::sparkline(heights(&stats.levels, unit, scale)),
        ];
        if let Some(beyond) = stats.beyond {
            cells.insert(3, format::grouped(beyond.count(unit)));
        }
        table.add_row(cells);
    }
    out.line(table.trim_fmt())
}
