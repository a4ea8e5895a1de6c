//! `twistbase build`: generate tables.

use std::path::Path;

use twistbase_core::error::Remedy;
use twistbase_database::{BuildReport, TableId};
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

Two names stand for sets of tables. cube3 is what queries and both methods of
solving want: phase1, phase2, phase2-exact and nx-eo1-ep2-htm. square1-family is
cube21, square1 and square1-corners.

A build may be interrupted or even killed at any moment: the next one takes
over what is stored; one to another depth discards it only with --force. A table
that is built anew keeps answering until the new one is complete. Before
anything is stored, the number of positions at every distance is compared with
what is known.

With --depth K the table holds every position at distance K or nearer, and says
of all others that they are farther. In the Square-1 family query and solve then
search for what is farther, up to about 2K. With a larger K, or none, it is
continued from where it ended, and becomes what it would be if it had been built
at once. What needs a complete table (solve --method, coset) waits for it.";

/// Generate tables, or finish a build that was interrupted
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Tables to build, or sets of tables: cube3, square1-family
    #[arg(value_name = "TABLE", value_parser = table_or_set(), required_unless_present = "all")]
    tables: Vec<TableOrSet>,

    /// Build every table but those named nx- and -endings, one after the other: at most 5.3 GB of disk, and up to 2.9 GB of memory
    ///
    /// With less memory (see --memory) the largest ones take longer, or are refused. twistbase tables tells what each
    /// takes.
    #[arg(long, conflicts_with = "tables")]
    all: bool,

    /// Build to distance K, and no farther; what was built to a smaller distance is continued
    ///
    /// Tables that hold two bits or a remainder by 3 for each entry (nx-, huge, -kociemba) have no value for what is
    /// farther, and are refused.
    #[arg(long, value_name = "K", conflicts_with = "all")]
    depth: Option<u8>,

    /// Build again what is there, and replace files that cannot be used or were begun to another depth
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let all = || TableId::all().filter(|table| table.definition().is_in_all()).collect();
    let tables: Vec<TableId> = if args.all { all() } else { TableOrSet::tables(&args.tables) };
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let request = BuildRequest { depth: args.depth, force: args.force, memory, kernel };
    // All of them, before hours are spent on the first.
    tables.iter().try_for_each(|&table| request.check(table.definition()))?;
    let (database, ctx, mut out) = (env.database()?, env.context()?, env.output());
    for table in tables {
        let report = database.build(table, &request, &ctx)?;
        if env.json() {
            out.json(&report)?
        } else if !env.quiet() {
            out.line(text(&report, database.folder()))?
        }
        out.flush()?;
    }
    out.finish()
}

fn text(report: &BuildReport, folder: &Path) -> String {
    let (name, size) = (report.table, format::bytes(report.bytes));
    let dir = folder.display();
    let Some(generated) = report.generate_seconds else {
        return match report.depth {
            None => format!("{name}: already complete, {size} in {dir}; --force builds it again"),
            Some(depth) => format!(
                "{name}: already there to depth {depth}, {size} in {dir}; {} goes on, --force builds it again",
                command(&Remedy::build(name.name()))
            ),
        };
    };
    let kept = match report.rows_kept {
        0 => String::new(),
        rows => format!(", {rows} rows kept from an interrupted build"),
    };
    let (total, generated) = (format::seconds(report.seconds), format::seconds(generated));
    let done = match report.extended_from {
        None => "built".to_owned(),
        Some(from) => format!("continued from depth {from}"),
    };
    let depth = report.depth.map_or_else(String::new, |depth| format!(" to depth {depth}"));
    format!(
        "{name}: {done}{depth} in {total} (of which generating {generated}), {size}{kept}\n{}\n{} positions; expected: {}",
        compared(&report.levels).trim_fmt(),
        format::grouped(report.positions),
        report.expected_source.unwrap_or("nobody knows")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use twistbase_database::TableSet;

    #[test]
    fn the_help_tells_what_all_tables_take() {
        let all = || TableId::all().map(TableId::definition).filter(|table| table.is_in_all());
        let disk: u64 = all().map(|table| table.layout().bytes()).sum();
        let memory = all().map(|table| table.working_set()).max();
        assert!((5_200_000_000..5_300_000_000).contains(&disk), "{disk}");
        assert!(memory.is_some_and(|memory| (2_800_000_000..2_900_000_000).contains(&memory)), "{memory:?}");
    }

    #[test]
    fn the_help_tells_what_sets_hold() {
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
