//! `twistbase tables`: what there is.

use twistbase_database::{BuildFit, TableCondition, TableInfo};
use twistbase_tables::Kind;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase tables
  twistbase tables --all                     every pruning table, too
  twistbase tables --json | jq -r 'select(.status == \"complete\") | .table'

Positions are those that the entries of a table stand for; memory is what a build
takes if it may; fits tells whether a build has room now: in memory, with a scratch
file in the store's folder (slower), or not at all for want of disk or memory. On disk
tables take less than their entries do, because pages are compressed; only small ones
may take a little more, because they fill whole blocks of the file. The pruning tables
nx- of which there is nothing are folded into a line; --all lists each, and --json
always does. The status is one of:
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
pub struct Args {
    /// List each pruning table (nx-), also those of which there is nothing
    #[arg(long)]
    all: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let (database, mut out) = (env.database()?, env.output());
    let tables = database.tables()?;
    if env.json() {
        tables.iter().try_for_each(|info| out.json(info))?;
    } else {
        let listing = listing(&tables, args.all);
        out.line(format_args!("{listing}\n\nstore: {}", database.folder().display()))?;
    }
    out.finish()
}

/// Tables below the names of their puzzles, each with a line that says what it is. Pruning tables of which there is nothing
/// are folded into a line, unless all are wanted.
fn listing(tables: &[TableInfo], is_all: bool) -> String {
    let is_folded = |info: &&TableInfo| !is_all && is_pruning(info) && info.status == TableCondition::Missing;
    let (folded, tables): (Vec<&TableInfo>, Vec<&TableInfo>) = tables.iter().partition(is_folded);
    listed(&tables, &folded)
}

/// Whether it is one of the family of pruning tables, of which one is chosen by its size.
fn is_pruning(info: &TableInfo) -> bool {
    matches!(info.table.definition().kind(), Kind::Pruning(_))
}

/// What there is of tables that are not listed.
fn folded_line(folded: &[&TableInfo]) -> String {
    let sizes = || folded.iter().map(|info| info.table.definition().layout().bytes());
    let (least, most) = (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default());
    let fitting = folded.iter().filter(|info| info.fits == BuildFit::Memory).count();
    format!(
        "  nx-*   {} pruning tables for optimal solving, {} to {}: missing\n      {fitting} of them fit in memory now; \
         twistbase tables --all lists them",
        folded.len(),
        format::bytes(least),
        format::bytes(most)
    )
}

/// The tables, and below those of their puzzle what is folded.
fn listed(tables: &[&TableInfo], folded: &[&TableInfo]) -> String {
    let cells = columns(tables).trim_fmt();
    let mut rows = cells.lines();
    let mut text = rows.next().unwrap_or_default().to_owned();
    let mut puzzle = "";
    for ((number, &info), row) in (1..).zip(tables).zip(rows) {
        if info.puzzle != puzzle {
            puzzle = info.puzzle;
            text += &format!("\n\n{puzzle}");
        }
        text += &format!("\n{row}\n      {} ({})", info.summary, info.metric);
        let is_last = tables.get(number).is_none_or(|next| next.puzzle != puzzle);
        if is_last && folded.first().is_some_and(|first| first.puzzle == puzzle) {
            text += &format!("\n{}", folded_line(folded));
        }
    }
    text
}

/// What there is of each table.
fn columns(tables: &[&TableInfo]) -> comfy_table::Table {
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
    for &info in tables {
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

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_database::Database;

    #[test]
    fn pruning_tables_of_which_there_is_nothing_are_folded() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let mut tables = database.tables().unwrap();
        let folded = listing(&tables, false);
        assert!(!folded.contains("nx-eo") && folded.contains("nx-*   24 pruning tables") && folded.contains("--all"));
        assert_eq!(folded.lines().filter(|line| *line == "cube3").count(), 1, "{folded}");
        assert!(folded.contains("huge") && folded.lines().all(|line| line.chars().count() <= 100), "{folded}");
        let all = listing(&tables, true);
        assert!(all.matches("nx-eo").count() >= 24 && !all.contains("nx-*"), "{all}");
        // What is there in any way is listed.
        let first = tables.iter_mut().find(|info| is_pruning(info)).unwrap();
        first.status = TableCondition::Unfinished;
        let folded = listing(&tables, false);
        assert!(folded.contains("nx-eo1-ep1-htm") && folded.contains("nx-*   23 pruning tables"), "{folded}");
    }
}
