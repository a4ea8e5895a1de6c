//! `twistbase tables`: contents, size and status of tables.

use twistbase_database::{BuildFit, Database, TableCondition, TableInfo};
use twistbase_tables::Kind;

use crate::arguments::{TableOrSet, table_or_set};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{self, Align};

const EXAMPLES: &str = "\
Examples:
  twistbase tables
  twistbase tables square1 phase2
  twistbase tables --all                     every pruning table, too
  twistbase tables --json | jq -r 'select(.status == \"complete\") | .table'

Columns:
  positions   positions that the entries stand for
  on disk     compressed size; small tables fill whole blocks of the file
  memory      memory of a build without a limit
  fits        whether a build has room now: in memory, with a scratch file in the
              store's folder (slower), or no, for lack of disk or memory
  status      one of:
    missing        twistbase build TABLE builds it
    building       another process builds it
    unfinished     a build was interrupted; twistbase build TABLE resumes it,
                   twistbase remove TABLE deletes it
    complete       ready; only twistbase verify reads every page
    to depth K     ready to distance K; twistbase build TABLE extends it (JSON: bounded)
    stale          from another version; twistbase build TABLE rebuilds it
    damaged, foreign, busy    unusable, for the given reason

Missing pruning tables (nx-*) share one line. --all and --json list each of them.";

/// List the tables: contents, size and status
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Tables, or sets of tables: cube3, square1-family [default: all]
    #[arg(value_name = "TABLE", value_parser = table_or_set(), hide_possible_values = true)]
    tables: Vec<TableOrSet>,

    /// List every pruning table (nx-*), missing ones too
    #[arg(long)]
    all: bool,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let database = env.database()?;
    let (mut tables, wanted) = (database.tables()?, TableOrSet::tables(&args.tables));
    tables.retain(|info| wanted.is_empty() || wanted.contains(&info.table));
    env.print_all(&tables, |tables| {
        let listing = listing(tables, args.all || !wanted.is_empty());
        format!("{listing}\n\nstore: {}", database.store())
    })
}

/// Tables below the names of their puzzles, each with a line of description. Missing pruning tables share a line, unless
/// all are wanted.
fn listing(tables: &[TableInfo], is_all: bool) -> String {
    let is_folded = |info: &&TableInfo| !is_all && is_pruning(info) && info.status == TableCondition::Missing;
    let (folded, tables): (Vec<&TableInfo>, Vec<&TableInfo>) = tables.iter().partition(is_folded);
    listed(&tables, &folded)
}

/// Whether it is a pruning table; users choose one of these by size.
fn is_pruning(info: &TableInfo) -> bool {
    matches!(info.table.definition().kind(), Kind::Pruning(_))
}

/// A line about the tables that are not listed.
fn folded_line(folded: &[&TableInfo]) -> String {
    let sizes = || folded.iter().map(|info| info.table.definition().layout().bytes());
    let (least, most) = (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default());
    let fitting = folded.iter().filter(|info| info.fits == BuildFit::Memory).count();
    format!(
        "  nx-*   {} pruning tables for optimal solving, {} to {}: missing\n      {fitting} of them fit in memory now; \
         list them with twistbase tables --all",
        folded.len(),
        format::bytes(least),
        format::bytes(most)
    )
}

/// What a table is listed below: its puzzle, or the goals.
fn heading_of(info: &TableInfo) -> String {
    let Kind::Defined(table) = info.table.definition().kind() else { return info.puzzle.to_owned() };
    let of_puzzle = |puzzle| format!("goals of {puzzle} (query {puzzle} --goal)");
    match (table.cube_goal(), table.puzzle_goal()) {
        (Some(goal), _) => of_puzzle(goal.puzzle),
        (_, Some(goal)) if Database::puzzles().any(|puzzle| puzzle == goal.puzzle) => of_puzzle(goal.puzzle),
        // The puzzle itself has no table.
        (_, Some(goal)) => format!("goals of {}", goal.puzzle),
        (None, None) => info.puzzle.to_owned(),
    }
}

/// The tables, and below those of their puzzle what is folded.
fn listed(tables: &[&TableInfo], folded: &[&TableInfo]) -> String {
    let cells = columns(tables).trim_fmt();
    let mut rows = cells.lines();
    let mut text = rows.next().unwrap_or_default().to_owned();
    let mut heading = String::new();
    for ((number, &info), row) in (1..).zip(tables).zip(rows) {
        if heading_of(info) != heading {
            heading = heading_of(info);
            text += &format!("\n\n{heading}");
        }
        text += &format!("\n{row}\n      {} ({})", info.summary, info.metric);
        let is_last = tables.get(number).is_none_or(|next| next.puzzle != info.puzzle);
        if is_last && folded.first().is_some_and(|first| first.puzzle == info.puzzle) {
            text += &format!("\n{}", folded_line(folded));
        }
    }
    text
}

/// Size and status of each table.
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
    // Names and numbers are long; narrow columns fit a terminal.
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
    fn missing_pruning_tables_are_folded() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let mut tables = database.tables().unwrap();
        let folded = listing(&tables, false);
        assert!(!folded.contains("nx-eo") && folded.contains("nx-*   24 pruning tables") && folded.contains("--all"));
        assert_eq!(folded.lines().filter(|line| *line == "cube3").count(), 1, "{folded}");
        assert!(folded.contains("huge") && folded.lines().all(|line| line.chars().count() <= 100), "{folded}");
        let all = listing(&tables, true);
        assert_eq!(all.lines().filter(|line| *line == "cube3").count(), 1, "{all}");
        assert!(all.matches("nx-eo").count() >= 24 && !all.contains("nx-*"), "{all}");
        // An unfinished table is listed.
        let first = tables.iter_mut().find(|info| is_pruning(info)).unwrap();
        first.status = TableCondition::Unfinished;
        let folded = listing(&tables, false);
        assert!(folded.contains("nx-eo1-ep1-htm") && folded.contains("nx-*   23 pruning tables"), "{folded}");
    }
}
