//! `twistbase build`: generate tables.

use serde::Serialize;
use twistbase::context::Context;
use twistbase::store::{Manifest, Store};
use twistbase::tables::{self, BuildRequest, Built, Definition, REGISTRY};

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

A build may be interrupted or even killed at any moment: the next one takes
over what is stored. A table that is built anew keeps answering until the new
one is complete. Before anything is stored, the number of positions at every
distance is compared with what is known.";

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

    /// Build again what is complete, and replace files that cannot be used
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
    /// "built" or "already-complete".
    outcome: &'static str,
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
    let request = BuildRequest { force: args.force, memory, kernel };
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
    let (outcome, manifest, rows_kept, generate_seconds): (_, &Manifest, _, _) = match built {
        Built::Already(manifest) => ("already-complete", manifest, 0, None),
        Built::Now { manifest, rows_kept, generated } => ("built", manifest, *rows_kept, Some(*generated)),
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
    let Some(generated) = line.generate_seconds else {
        return format!("{name}: already complete, {size} in {}; --force builds it again", store.dir().display());
    };
    let kept = match line.rows_kept {
        0 => String::new(),
        rows => format!(", {rows} rows kept from an interrupted build"),
    };
    let (total, generated) = (format::seconds(line.seconds), format::seconds(generated));
    format!(
        "{name}: built in {total} (of which generating {generated}), {size}{kept}\n{}\n{} positions; expected: {}",
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
