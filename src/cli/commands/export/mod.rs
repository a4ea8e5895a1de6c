//! `twistbase export`: tables for other programs.

mod arguments;

use std::path::Path;

use twistbase_core::context::Context;
use twistbase_core::error::{Class, Error};
use twistbase_database::lines::is_passed_over;
use twistbase_database::{Database, ExportReport, TableId};
use twistbase_export::{ExportRequest, PositionLines};

use crate::batch;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format;
use crate::output::StandardOutput;

pub use arguments::Args;
use arguments::{Content, ExportSource};

pub fn run(args: Args, env: &Environment) -> Result<(), Failure> {
    let content = args.content()?;
    let to_stdout = args.output.as_os_str() == "-";
    if to_stdout && args.force {
        return Err(Error::Usage("--force replaces a file and does not apply to standard output".to_owned()).into());
    }
    match content {
        Content::Shapes => shapes(&args, to_stdout, env),
        Content::Raw(_) if to_stdout => Err(Error::Usage("--raw needs a file: --output FILE".to_owned()).into()),
        Content::Raw(table) => {
            let (database, ctx) = (filled(table, env)?, env.context());
            let exported = database.export_raw(table, &args.output, args.force, &ctx);
            env.print(&exported.map_err(|error| resumable(error, &args.output))?, text)
        }
        Content::Records { table, request, source } => {
            let mut lines = source.lines(&env.context())?;
            if to_stdout {
                return stream(table, &request, lines.as_mut(), env);
            }
            let (database, ctx) = (filled(table, env)?, env.context());
            let exported = database.export(table, &request, lines.as_mut(), &args.output, args.force, &ctx);
            env.print(&exported.map_err(|error| resumable(error, &args.output))?, text)
        }
    }
}

/// The database, with the table if it is in memory.
fn filled(table: TableId, env: &Environment) -> Result<Database, Error> {
    let database = env.database()?;
    env.fill_memory(&database, table)?;
    Ok(database)
}

/// Writes records to standard output, which holds nothing else.
fn stream(
    table: TableId,
    request: &ExportRequest,
    lines: Option<&mut PositionLines<'_>>,
    env: &Environment,
) -> Result<(), Failure> {
    let (database, ctx) = (filled(table, env)?, env.context());
    let exported = database.export_to(table, request, lines, &mut StandardOutput, &ctx);
    exported.map(drop).map_err(|error| Failure::from(error).of_standard_output())
}

impl ExportSource {
    /// The positions, where positions are exported.
    fn lines(self, ctx: &Context) -> Result<Option<PositionLines<'static>>, Error> {
        match self {
            Self::Entries => Ok(None),
            Self::Positions(file) => lines(&file, ctx).map(Some),
        }
    }
}

/// The positions on standard input, or in a file.
fn lines(file: &Path, ctx: &Context) -> Result<PositionLines<'static>, Error> {
    let input = batch::lines_of(file)?;
    let (ctx, mut number) = (ctx.clone(), 0);
    Ok(PositionLines::numbered(move || {
        let Some(chunk) = input.next_chunk(&ctx)? else { return Ok(None) };
        let numbered = chunk.all_lines().map(|line| {
            number += 1;
            (number, line.to_owned())
        });
        Ok(Some(numbered.filter(|(_, line)| !is_passed_over(line)).collect()))
    }))
}

/// An interrupt leaves a file that the same command resumes, and says so.
fn resumable(error: Error, file: &Path) -> Failure {
    if error.class() != Class::Interrupted {
        return error.into();
    }
    let file = file.display();
    Failure::Interrupted(format!("the export so far is in {file}.part; the same command resumes it"))
}

fn text(report: &ExportReport) -> String {
    let resumed = match report.resumed {
        0 => String::new(),
        some => format!(", {} of them earlier", format::grouped(some)),
    };
    let (records, bytes) = (format::counted(report.records, "record"), format::bytes(report.bytes));
    let (table, file, time) = (report.table, report.file.display(), format::seconds(report.seconds));
    format!("{table}: {records}{resumed}, {bytes} in {file}, {time}")
}

/// Writes the shapes of the Square-1 family.
fn shapes(args: &Args, to_stdout: bool, env: &Environment) -> Result<(), Failure> {
    let database = env.database()?;
    if !to_stdout {
        return env.print(&database.export_shapes(&args.output, args.force)?, text);
    }
    let mut out = env.output();
    out.json(&database.shapes()?)?;
    out.finish()
}
