//! `twistbase build`: generate tables.

use serde::Serialize;
use twistbase::context::Context;
use twistbase::store::Store;
use twistbase::tables::{self, BuildRequest, Built, Definition, REGISTRY, depth_of};

use crate::cli::arguments::{EngineArgs, TableArg, any_table};
use crate::cli::distribution::{Form, Levels};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format;
use crate::cli::output::Output;

const EXAMPLES: &str = "\
Examples:
  twistbase build cube21
  twistbase build square1 --memory 3G --threads 2
  twistbase build phase1 phase2
  twistbase build --all --quiet
  twistbase build cube21 --depth 7

A build may be interrupted or even killed at any moment: the next one takes
over what is stored. A table that is built anew keeps answering until the new
one is complete. Before anything is stored, the number of positions at every
distance is compared with what is known.

With --depth K the table holds every position at distance K or nearer, and says
of all others that they are farther. With a larger K, or none, it is continued
from where it ended, and becomes what it would be if it had been built at once.
What needs a complete table (solve --method, coset) waits for it.";

/// Generate tables, or finish a build that was interrupted
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Tables to build
    #[arg(value_name = "TABLE", value_parser = any_table(), required_unless_present = "all")]
    tables: Vec<TableArg>,

    /// Build every table but those named nx-, one after the other: at most 5.3 GB of disk, and up to 2.9 GB of memory
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

    /// Build again what is there, and replace files that cannot be used
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    engine: EngineArgs,
}

/// What a build did, as JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    table: &'static str,
    puzzle: &'static str,
    metric: &'static str,
    /// "built", "extended", "already-complete" or "already-there".
    outcome: &'static str,
    /// The depth to which it is built; none if it is complete.
    depth: Option<u8>,
    /// The depth of the table that was continued.
    extended_from: Option<u8>,
    /// Rows taken over from an interrupted build.
    rows_kept: u32,
    /// Seconds that the build took, and of these until all distances were known.
    seconds: f64,
    generate_seconds: Option<f64>,
    bytes: u64,
    digest: &'a str,
    positions: u64,
    /// Who says what must come out; nobody may.
    expected_source: Option<&'static str>,
    levels: Levels,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let all = || REGISTRY.into_iter().filter(|table| table.is_in_all()).map(TableArg).collect();
    let tables: Vec<TableArg> = if args.all { all() } else { args.tables };
    let (memory, kernel) = (args.engine.memory(), args.engine.kernel());
    let request = BuildRequest { depth: args.depth, force: args.force, memory, kernel };
    // All of them, before hours are spent on the first.
    tables.iter().try_for_each(|TableArg(table)| depth_of(*table, args.depth).map(|_| ()))?;
    let (store, ctx, mut out) = (env.store()?, env.context()?, env.output());
    for TableArg(table) in tables {
        build(table, &store, &request, &ctx, &mut out, env.json())?;
        out.flush()?;
    }
    out.finish()
}

fn build(
    table: &'static dyn Definition,
    store: &Store,
    request: &BuildRequest,
    ctx: &Context,
    out: &mut Output,
    json: bool,
) -> Result<(), Failure> {
    let built = tables::build(store, table, request, ctx)?;
    let bytes = store.status(table.layout())?.bytes;
    let line = describe(table, &built, bytes);
    if json { out.json(&line) } else { out.line(text(&line, store)) }
}

fn describe<'a>(table: &'static dyn Definition, built: &'a Built, bytes: u64) -> Line<'a> {
    let (outcome, manifest, extended_from, rows_kept, generate_seconds) = match built {
        Built::Already(manifest) if manifest.depth.is_none() => ("already-complete", manifest, None, 0, None),
        Built::Already(manifest) => ("already-there", manifest, None, 0, None),
        Built::Now { manifest, from, rows_kept, generated } => {
            let outcome = if from.is_some() { "extended" } else { "built" };
            (outcome, manifest, *from, *rows_kept, Some(*generated))
        }
    };
    let levels = Levels::new(table, &manifest.distribution);
    let levels = match table.expected() {
        Some(expected) => levels.with_expected(expected.positions),
        None => levels,
    };
    Line {
        table: table.layout().name,
        puzzle: table.puzzle(),
        metric: table.metric(),
        outcome,
        depth: manifest.depth,
        extended_from,
        rows_kept,
        seconds: manifest.seconds,
        generate_seconds,
        bytes,
        digest: &manifest.digest,
        positions: levels.total(Form::Positions),
        expected_source: table.expected().map(|expected| expected.source),
        levels,
    }
}

fn text(line: &Line<'_>, store: &Store) -> String {
    let (name, size) = (line.table, format::bytes(line.bytes));
    let dir = store.dir().display();
    let Some(generated) = line.generate_seconds else {
        return match line.depth {
            None => format!("{name}: already complete, {size} in {dir}; --force builds it again"),
            Some(depth) => format!(
                "{name}: already there to depth {depth}, {size} in {dir}; twistbase build {name} goes on, --force \
                 builds it again"
            ),
        };
    };
    let kept = match line.rows_kept {
        0 => String::new(),
        rows => format!(", {rows} rows kept from an interrupted build"),
    };
    let (total, generated) = (format::seconds(line.seconds), format::seconds(generated));
    let done = match line.extended_from {
        None => "built".to_owned(),
        Some(from) => format!("continued from depth {from}"),
    };
    let depth = line.depth.map_or_else(String::new, |depth| format!(" to depth {depth}"));
    format!(
        "{name}: {done}{depth} in {total} (of which generating {generated}), {size}{kept}\n{}\n{} positions; expected: {}",
        line.levels.compared().trim_fmt(),
        format::grouped(line.positions),
        line.expected_source.unwrap_or("nobody knows")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_tells_what_all_tables_take() {
        let bytes = |table: &&dyn Definition| table.layout().row_bytes() as u64 * u64::from(table.layout().rows);
        let all = || REGISTRY.iter().filter(|table| table.is_in_all());
        let disk = all().map(bytes).sum::<u64>();
        let memory = all().map(|table| table.working_set()).max();
        assert!((5_200_000_000..5_300_000_000).contains(&disk), "{disk}");
        assert!(memory.is_some_and(|memory| (2_800_000_000..2_900_000_000).contains(&memory)), "{memory:?}");
    }
}
