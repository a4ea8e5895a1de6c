//! `twistbase tables`: what there is.

use twistbase::database::{TableCondition, TableInfo};

use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase tables
  twistbase tables --json | jq -r 'select(.status == \"complete\") | .table'

Positions are those that the entries of a table stand for; memory is what a build
takes if it may; fits tells whether a build has room now: in memory, with a scratch
file in the store's folder (slower), or not at all for want of disk or memory. On disk
a table takes what its entries do at most, mostly less. The status is one of:
  missing        twistbase build TABLE makes it
  building       another process builds it
  unfinished     a build was interrupted; twistbase build TABLE continues it
  complete       ready; only twistbase verify looks at every page
  to depth K     ready for what is no farther; twistbase build TABLE goes on (in JSON: bounded)
  stale          made by another version of the program; twistbase build TABLE makes it anew
  damaged, foreign, busy    cannot be used, for the reason that is given";

/// List the tables: what they hold, their size, and what there is of them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

pub fn run(_: Args, env: &Environment) -> Result<(), Failure> {
    let (database, mut out) = (env.database()?, env.output());
    let tables = database.tables()?;
    if env.json() {
        tables.iter().try_for_each(|info| out.json(info))?;
    } else {
        out.line(format_args!("{}\n\nstore: {}", listing(&tables), database.folder().display()))?;
    }
    out.finish()
}

/// Tables below the names of their puzzles, each with a line that says what it is.
fn listing(tables: &[TableInfo]) -> String {
    let cells = columns(tables).trim_fmt();
    let mut rows = cells.lines();
    let mut text = rows.next().unwrap_or_default().to_owned();
    let mut puzzle = "";
    for (info, row) in tables.iter().zip(rows) {
        if info.puzzle != puzzle {
            puzzle = info.puzzle;
            text += &format!("\n\n{puzzle}");
        }
        text += &format!("\n{row}\n      {} ({})", info.summary, info.metric);
    }
    text
}

/// What there is of each table.
fn columns(tables: &[TableInfo]) -> comfy_table::Table {
    use Align::{Left, Right};
    let mut table = format::table(&[
        ("  table", Left),
        ("positions", Right),
        ("entries", Right),
        ("on disk", Right),
        ("memory", Right),
        ("fits", Left),
        ("status", Left),
    ]);
    // Names and numbers are long: so much closer, lines fit a terminal.
    table.column_iter_mut().skip(1).take(4).for_each(|column| {
        column.set_padding((0, 1));
    });
    for info in tables {
        let disk = if info.bytes + info.building_bytes == 0 {
            "-".to_owned()
        } else {
            format::bytes(info.bytes + info.building_bytes)
        };
        table.add_row([
            format!("  {}", info.table),
            format::grouped(info.positions),
            format::grouped(info.entries),
            disk,
            format::bytes(info.build_memory),
            info.fits.name().to_owned(),
            status_text(info),
        ]);
    }
    table
}

fn status_text(info: &TableInfo) -> String {
    let depth = info.build.as_ref().and_then(|build| build.depth).filter(|_| info.status == TableCondition::Bounded);
    let mut text = depth.map_or_else(|| info.status.name().to_owned(), |depth| format!("to depth {depth}"));
    if let Some(rows) = info.rows_done {
        text += &format!(", {rows} of {} rows", info.rows);
    }
    if let Some(detail) = &info.detail {
        text += &format!(": {detail}");
    }
    text
}
