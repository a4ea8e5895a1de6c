//! `twistbase build`: generate tables.

use twistbase_core::error::Remedy;
use twistbase_database::{BuildReport, TableId};
use twistbase_store::Store;
use twistbase_tables::BuildRequest;

use crate::arguments::{EngineArgs, TableOrSet, table_or_set};
use crate::distribution::compared;
use crate::environment::Environment;
use crate::failure::{Failure, command};
use crate::format;

const EXAMPLES: &str = "\
Examples:
  twistbase build cube21
  twistbase build square1 --memory 3G --threads 2
  twistbase build phase1 phase2
  twistbase build --all --quiet
  twistbase build cube21 --depth 7
  twistbase build cube3
  twistbase build square1-family

Sets of tables:
  cube3 is phase1, phase2, phase2-exact and nx-eo1-ep2-htm.
  Queries and both solving methods of the Rubik's cube use them.
  square1-family is cube21, square1 and square1-corners.

Interrupted builds:
  You can interrupt or kill a build at any time. The next build resumes from the
  stored rows. The old table answers queries until the new one is complete. A
  build compares its counts with the published ones before it stores the table.

Depth:
  With --depth K the table stores all positions up to distance K; the rest count as
  farther. In the Square-1 family, query and solve search on from there, to about
  2K. A later build with a larger K, or without --depth, extends the table. The
  result equals that of one build. solve --method and coset need complete tables.";

/// Build tables, or resume an interrupted build
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Tables, or sets of tables: cube3, square1-family
    ///
    /// `twistbase tables --all` lists all tables.
    #[arg(value_name = "TABLE", value_parser = table_or_set(), required_unless_present = "all", hide_possible_values = true)]
    tables: Vec<TableOrSet>,

    /// Build all tables but nx-* and *-endings: 5.5 GB, with 2.9 GB of memory
    ///
    /// With less memory, the largest tables take longer or fail. `twistbase tables` lists the memory and disk of each.
    #[arg(long, conflicts_with = "tables")]
    all: bool,

    /// Build to distance K only, or extend a shallower table to K
    ///
    /// The tables nx-*, huge and *-kociemba have no value for farther positions and cannot be built to a depth.
    #[arg(long, value_name = "K", conflicts_with = "all")]
    depth: Option<u8>,

    /// Rebuild complete tables; replace unusable files
    ///
    /// Also discards an unfinished build to another depth.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let all = || TableId::all().filter(|table| table.definition().facts().is_in_all).collect();
    let tables: Vec<TableId> = if args.all { all() } else { TableOrSet::tables(&args.tables) };
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let request = BuildRequest { depth: args.depth, force: args.force, memory, kernel };
    // All of them, before hours are spent on the first.
    tables.iter().try_for_each(|&table| request.check(table.definition()))?;
    let (database, ctx, mut out) = (env.database()?, env.context(), env.output());
    for table in tables {
        let report = database.build(table, &request, &ctx)?;
        if env.json() || !env.quiet() {
            out.report(&report, |report| text(report, database.store()))?;
        }
        out.flush()?;
    }
    out.finish()
}

fn text(report: &BuildReport, store: &Store) -> String {
    let (name, size) = (report.table, format::bytes(report.bytes));
    let Some(generated) = report.generate_seconds else {
        return match report.depth {
            None => format!("{name}: already complete, {size} in {store}; --force rebuilds it"),
            Some(depth) => format!(
                "{name}: already complete to depth {depth}, {size} in {store}; {} extends it, --force rebuilds it",
                command(&Remedy::build(name.name()))
            ),
        };
    };
    let resumed = match report.rows_kept {
        0 => String::new(),
        rows => format!(", {} from an interrupted build", format::counted(rows, "row")),
    };
    let (total, generated) = (format::seconds(report.seconds), format::seconds(generated));
    let done = match report.extended_from {
        None => "built".to_owned(),
        Some(from) => format!("extended from depth {from}"),
    };
    let depth = report.depth.map_or_else(String::new, |depth| format!(" to depth {depth}"));
    format!(
        "{name}: {done}{depth} in {total} (generating: {generated}), {size}{resumed}\n{}\n{}; expected: {}",
        compared(&report.levels).trim_fmt(),
        format::counted(report.positions, "position"),
        report.expected_source.unwrap_or("no published counts")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_database::TableSet;

    #[test]
    fn the_help_states_the_size_of_all_tables() {
        let all = || TableId::all().map(TableId::definition).filter(|table| table.facts().is_in_all);
        let disk: u64 = all().map(|table| table.layout().bytes()).sum();
        let memory = all().map(|table| table.working_set()).max();
        assert!((5_400_000_000..5_500_000_000).contains(&disk), "{disk}");
        assert!(memory.is_some_and(|memory| (2_800_000_000..2_900_000_000).contains(&memory)), "{memory:?}");
    }

    #[test]
    fn the_help_lists_the_tables_of_sets() {
        let text = EXAMPLES.replace('\n', " ");
        for set in TableSet::all() {
            let names: Vec<_> = set.tables().map(TableId::name).collect();
            let (last, others) = names.split_last().unwrap();
            let listed = format!("{} and {last}.", others.join(", "));
            assert!(text.contains(set.name()) && text.contains(&listed), "{set}: {listed}");
        }
    }

    #[test]
    fn every_table_is_built_once() {
        let named = [TableOrSet::Table("square1".parse().unwrap()), TableOrSet::Set("square1-family".parse().unwrap())];
        let names: Vec<_> = TableOrSet::tables(&named).into_iter().map(TableId::name).collect();
        assert_eq!(names, ["square1", "cube21", "square1-corners"]);
    }
}
