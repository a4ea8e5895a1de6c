//! `twistbase export`: tables for other programs.

mod arguments;

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use twistbase::database::lines::LineReader;
use twistbase::error::{Class, Error};
use twistbase::export::{self, ExportRequest, ExportTarget, Exported, PositionLines, ShapeDatabase, export_raw};
use twistbase::tables::Definition;

use crate::cli::batch;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::format;

pub use arguments::Args;
use arguments::{Content, Source};

/// What an export did, as JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    table: &'a str,
    file: String,
    /// "parquet", "csv", "jsonl", "raw" or "shapes".
    format: &'a str,
    records: u64,
    /// Of these, the ones that were there when it was gone on with.
    resumed: u64,
    bytes: u64,
    digest: Option<String>,
    seconds: f64,
}

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let content = args.content()?;
    let started = Instant::now();
    let to_stdout = args.output.as_os_str() == "-";
    match content {
        Content::Shapes => shapes(&args, to_stdout, env),
        Content::Raw(_) if to_stdout => Err(Error::Usage("a raw export needs a file: --output FILE".to_owned()).into()),
        Content::Raw(table) => {
            let (store, ctx) = (env.store()?, env.context()?);
            let exported = export_raw(&store, table, &args.output, args.force, &ctx);
            let exported = exported.map_err(|error| resumable(error, &args.output))?;
            report(&args.output, table.layout().name, "raw", &exported, started, env)
        }
        Content::Records { table, request, source } => {
            let exported = records(&args, table, &request, source, to_stdout, env)?;
            // Standard output holds the records themselves.
            if to_stdout {
                Ok(())
            } else {
                report(&args.output, table.layout().name, request.format.name(), &exported, started, env)
            }
        }
    }
}

fn records(
    args: &Args,
    table: &'static dyn Definition,
    request: &ExportRequest,
    source: Source,
    to_stdout: bool,
    env: &Environment,
) -> Result<Exported, Failure> {
    let (store, ctx) = (env.store()?, env.context()?);
    let mut lines = match source {
        Source::Entries => None,
        Source::Positions(file) => Some(lines(file)?),
    };
    if !to_stdout {
        let target = ExportTarget::File { path: &args.output, force: args.force };
        let exported = export::export(&store, table, request, lines.as_mut(), target, &ctx);
        return exported.map_err(|error| resumable(error, &args.output));
    }
    let mut stdout = io::stdout();
    let exported = export::export(&store, table, request, lines.as_mut(), ExportTarget::Stream(&mut stdout), &ctx);
    exported.map_err(|error| match error {
        Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        other => other.into(),
    })
}

/// The positions on standard input, or in a file.
fn lines(file: Option<std::path::PathBuf>) -> Result<PositionLines<'static>, Error> {
    let input = match file {
        None => batch::standard_input(),
        Some(path) => {
            let opened = File::open(&path).map_err(|source| Error::io("read", &path, source))?;
            LineReader::new(opened, path.display().to_string())
        }
    };
    Ok(PositionLines::new(move || {
        let chunk = input.next_chunk()?;
        Ok(chunk.map(|chunk| chunk.lines().map(|line| String::from_utf8_lossy(line).into_owned()).collect()))
    }))
}

/// An interrupt leaves what was written so far, and says so.
fn resumable(error: Error, file: &Path) -> Failure {
    if error.class() != Class::Interrupted {
        return error.into();
    }
    let file = file.display();
    Failure::Interrupted(format!("what was exported is kept in {file}.part; the same command goes on with it"))
}

fn report(
    file: &Path,
    table: &str,
    format: &str,
    exported: &Exported,
    started: Instant,
    env: &Environment,
) -> Result<(), Failure> {
    let &Exported { records, resumed, bytes, .. } = exported;
    let seconds = started.elapsed().as_secs_f64();
    let mut out = env.output();
    if env.json() {
        let (file, digest) = (file.display().to_string(), exported.digest.clone());
        out.json(&Line { table, file, format, records, resumed, bytes, digest, seconds })?;
    } else {
        let kept = match resumed {
            0 => String::new(),
            some => format!(", {} of them from before", format::grouped(some)),
        };
        let (records, bytes, time) = (format::grouped(records), format::bytes(bytes), format::seconds(seconds));
        out.line(format_args!("{table}: {records} records{kept}, {bytes} in {}, {time}", file.display()))?;
    }
    out.finish()
}

/// Writes the shapes of the Square-1 family.
fn shapes(args: &Args, to_stdout: bool, env: &Environment) -> Result<(), Failure> {
    let started = Instant::now();
    let database = ShapeDatabase::new(&env.store()?)?;
    let text = serde_json::to_string(&database).map_err(|error| Error::io("write", &args.output, error.into()))? + "\n";
    if to_stdout {
        let mut out = env.output();
        out.bytes(text.as_bytes())?;
        return out.finish();
    }
    export::write_whole(&args.output, text.as_bytes(), args.force)?;
    let (records, bytes) = (database.shapes.len() as u64, text.len() as u64);
    let exported = Exported { records, resumed: 0, bytes, digest: None };
    report(&args.output, "shapes", "shapes", &exported, started, env)
}
