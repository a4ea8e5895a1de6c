//! `cache`: the hot cache.

use clap::Subcommand;
use serde::Serialize;
use twistbase::TableId;
use twistbase::cache::{self, CacheMode, CachedTable};
use twistbase::error::{Error, Fault};
use twistbase::store::Store;
use twistbase::tables::{self, Definition};

use crate::cli::arguments::any_table;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format::{self, Align, bytes};

const EXAMPLES: &str = "\
Examples:
  twistbase cache warm square1      a copy of the whole table, ready for queries
  twistbase cache warm phase2
  twistbase cache status
  twistbase cache drop              frees the space; nothing is lost

The cache repeats what the tables hold, without compression, in a file for each
row or for a whole table. Queries fill it by themselves, file by file, with what
is asked for often. What was copied from a table that has been built anew since
is stale and is not used.";

/// Warm, list or drop the hot cache: flat copies of tables, memory-mapped by queries
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Copy whole tables into the cache, so that queries never wait
    Warm {
        /// The tables [default: every table in the store]
        #[arg(value_name = "TABLE", value_parser = any_table())]
        tables: Vec<TableId>,
    },
    /// List what is cached
    Status {
        /// The tables [default: all]
        #[arg(value_name = "TABLE", value_parser = any_table())]
        tables: Vec<TableId>,
    },
    /// Delete the cache of tables; queries fill it again
    Drop {
        /// The tables [default: all]
        #[arg(value_name = "TABLE", value_parser = any_table())]
        tables: Vec<TableId>,
    },
}

#[derive(Debug, Serialize)]
struct StatusReport {
    table: &'static str,
    /// Files of a whole cache, and those there that are right, of another edition, or unusable.
    files: u32,
    valid: u32,
    stale: u32,
    damaged: u32,
    /// Bytes on disk.
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct WarmReport {
    table: &'static str,
    files_present: u32,
    files_added: u32,
    /// Bytes of entries that are now cached.
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct DropReport {
    table: &'static str,
    /// Bytes of disk that became free.
    bytes: u64,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let store = env.store()?;
    match args.action {
        Action::Warm { tables } => warm(&tables, &store, env),
        Action::Status { tables } => status(&tables, &store, env),
        Action::Drop { tables } => drop_cache(&tables, &store, env),
    }
}

/// The tables named, or all there are.
fn chosen(names: &[TableId]) -> Vec<&'static dyn Definition> {
    if names.is_empty() { tables::all().to_vec() } else { names.iter().map(|name| name.definition()).collect() }
}

fn warm(names: &[TableId], store: &Store, env: &Environment) -> Result<(), Failure> {
    let context = env.context()?;
    let mut output = env.output();
    let mut found = false;
    for definition in chosen(names) {
        let layout = definition.layout();
        let table = match CachedTable::open_to_depth(store, layout, CacheMode::OnDemand) {
            Err(Error::Data(error))
                if names.is_empty() && matches!(error.fault, Fault::Missing | Fault::Unfinished) =>
            {
                continue;
            }
            table => table?,
        };
        found = true;
        let warmed = table.warm(&context)?;
        let (present, added) = (warmed.present, warmed.added);
        if env.json() {
            output.json(&WarmReport {
                table: layout.name,
                files_present: present,
                files_added: added,
                bytes: warmed.bytes,
            })?;
        } else {
            let size = bytes(warmed.bytes);
            output.line(format!("{}: {added} files added, {present} were there, {size}", layout.name))?;
        }
        output.flush()?;
    }
    output.finish()?;
    if found {
        return Ok(());
    }
    Err(Failure::Findings(format!(
        "there is no table in {} to warm the cache with; run: twistbase build TABLE",
        store.dir().display()
    )))
}

fn status(names: &[TableId], store: &Store, env: &Environment) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for definition in chosen(names) {
        let layout = definition.layout();
        let cache::CacheStatus { files, valid, stale, damaged, bytes } = cache::status(store, layout)?;
        reports.push(StatusReport { table: layout.name, files, valid, stale, damaged, bytes });
    }
    let mut output = env.output();
    if env.json() {
        reports.iter().try_for_each(|report| output.json(report))?;
    } else {
        output.line(listing(&reports).trim_fmt())?;
    }
    output.finish()
}

fn listing(reports: &[StatusReport]) -> comfy_table::Table {
    use Align::{Left, Right};
    let columns = [
        ("table", Left),
        ("files", Right),
        ("cached", Right),
        ("stale", Right),
        ("damaged", Right),
        ("on disk", Right),
    ];
    let mut table = format::table(&columns);
    for report in reports {
        let counts = [report.files, report.valid, report.stale, report.damaged].map(|count| count.to_string());
        table.add_row([&[report.table.to_owned()], &counts[..], &[bytes(report.bytes)]].concat());
    }
    table
}

fn drop_cache(names: &[TableId], store: &Store, env: &Environment) -> Result<(), Failure> {
    let mut output = env.output();
    for definition in chosen(names) {
        let name = definition.layout().name;
        let freed = cache::drop_cache(store, name)?;
        if env.json() {
            output.json(&DropReport { table: name, bytes: freed })?;
        } else {
            output.line(format!("{name}: {} freed", bytes(freed)))?;
        }
    }
    output.finish()
}
