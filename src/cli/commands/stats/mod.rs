//! `twistbase stats`: positions by distance.

mod scrambles;

use scrambles::ScrambleArgs;
use twistbase_core::error::Remedy;
use twistbase_database::{CountUnit, TableExplanation, TableId, TableStats};
use twistbase_tables::TableMetric;

use crate::arguments::any_table;
use crate::distribution::{Scale, heights, noun, plotted};
use crate::environment::Environment;
use crate::failure::{Failure, command};
use crate::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase stats square1
  twistbase stats cube21 --log                      shows small levels, too
  twistbase stats cube21 --rows                     one line per shape
  twistbase stats cube21 --row CCCCCC/CCeeeeeeee    one shape, by name or number
  twistbase stats phase1 --entries                  stored entries, reduced by symmetry
  twistbase stats phase2 --row 0
  twistbase stats phase1 --explain                  from all states to entries
  twistbase random cube3 -n 100 | twistbase stats --scrambles - --goals cross:any,eo,dr

Distances:
  Counted in the table's metric from its goal: the solved position, or H for phase1.
  The column level gives the published numbers where they differ: Cube21's author
  counts solved as level 1.
  The last line of a pruning table (nx-*) includes all greater distances, so its mean
  is a lower bound.
  A table built to a depth shows its levels and the number of farther positions.

Entries:
  An entry stands for all positions that symmetry makes equal. Positions are entries
  weighted by the size of their class.
  --explain shows this reduction step by step; the table need not be built.

Scrambles (--scrambles):
  For each goal, the number of scrambles at each distance, and the mean. Goals are those
  of query --goal, such as cross:any or eo:UD. A line is a position of cube3 in any
  notation. 'none' counts those that the moves of the goal do not lead to it. Invalid
  lines end the command; the error lists the first ten of them.
  --output has a column scramble and one for each goal; : and - become _ (cross_any).";

/// Show the number of positions at each distance
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Table
    #[arg(value_parser = any_table(), hide_possible_values = true, required_unless_present = "scrambles")]
    table: Option<TableId>,

    /// Show each row of the table: shapes or piece classes
    #[arg(long, conflicts_with = "row")]
    rows: bool,

    /// Show one row, by its number or name
    #[arg(long, value_name = "ROW")]
    row: Option<String>,

    /// Count stored entries instead of positions
    ///
    /// --json always gives both.
    #[arg(long)]
    entries: bool,

    /// Show how the states of the puzzle reduce to the table's entries
    #[arg(long, conflicts_with_all = ["rows", "row", "entries", "log"])]
    explain: bool,

    /// Plot on a logarithmic scale
    #[arg(long)]
    log: bool,

    #[command(flatten)]
    of_scrambles: ScrambleArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    if let Some(file) = args.of_scrambles.scrambles.clone() {
        return scrambles::run(args.of_scrambles, &file, env);
    }
    let table = args.table.expect("required without scrambles");
    if args.explain {
        return env.print(&table.explanation(), explained);
    }
    let row = args.row.as_deref().map(|name| table.find_row(name)).transpose()?;
    let (database, mut out) = (env.database()?, env.output());
    env.fill_memory(&database, table)?;
    let scale = if args.log { Scale::Logarithmic } else { Scale::Linear };
    let unit = if args.entries { CountUnit::Entries } else { CountUnit::Positions };
    if args.rows {
        let rows = database.stats_of_rows(table, 0..table.definition().layout().rows)?;
        out.reports(&rows, |rows| of_rows(rows, unit, scale))?;
    } else {
        let all = match row {
            Some(row) => database.stats_of_rows(table, [row])?,
            None => vec![database.stats(table)?],
        };
        all.iter().try_for_each(|stats| out.report(stats, |stats| one(stats, unit, scale)))?;
    }
    out.finish()
}

/// Prints the steps from all states to entries.
fn explained(explanation: &TableExplanation) -> String {
    let TableExplanation { table, steps, entries, positions, .. } = explanation;
    let counts: Vec<String> = steps.iter().map(|step| format::grouped_wide(step.count)).collect();
    let width = counts.iter().map(String::len).max().unwrap_or_default();
    let mut text = format!("{table}\n");
    for (count, step) in counts.iter().zip(steps) {
        text += &format!("  {count:>width$}  {}\n", step.what);
    }
    let (entries, positions) = (format::grouped(*entries), format::grouped(*positions));
    format!("{text}{entries} entries stand for {positions} positions")
}

fn one(stats: &TableStats, unit: CountUnit, scale: Scale) -> String {
    let title = match (stats.row, &stats.row_name) {
        (Some(row), Some(name)) => format!("{}, row {row}: {name}", stats.table),
        _ => stats.table.to_string(),
    };
    let plot = plotted(&stats.levels, unit, scale).trim_fmt();
    let (total, mean) = stats.total(unit);
    let (total, noun) = (format::grouped(total), noun(unit));
    let metric = match stats.table.definition().metric() {
        TableMetric::FaceTurns(metric) => format!("moves ({})", metric.name()),
        metric => metric.to_string(),
    };
    let beyond = stats.beyond.map_or_else(String::new, |beyond| {
        let (count, table) = (format::grouped(beyond.count(unit)), stats.table);
        let depth = table.definition().metric().count(beyond.depth.into());
        format!(
            "\n{count} {noun} are farther than {depth}, the depth of the table; {} extends it",
            command(&Remedy::build(table.name()))
        )
    });
    format!("{title}\n{plot}\n{total} {noun}, mean distance {mean:.4} {metric}{beyond}")
}

fn of_rows(rows: &[TableStats], unit: CountUnit, scale: Scale) -> String {
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
    table.trim_fmt()
}
