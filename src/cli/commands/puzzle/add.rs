//! `puzzle add` and `puzzle remove`: puzzles of a database.

use std::path::{Path, PathBuf};

use twistbase_core::error::Error;
use twistbase_database::{Database, TableId, TableInfo};

use super::Shape;
use crate::definitions::{of_geometry, read};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::format::{bytes, counted};

const EXAMPLES: &str = "\
Examples:
  twistbase puzzle add trapdoor.tws
  twistbase build trapdoor && twistbase query trapdoor \"A B2 L'\"
  twistbase puzzle add two-faces --geometry \"c f 0.333 moves R,U\"
  twistbase puzzle add cube3 --name cross --only DF,DR,DB,DL
  twistbase puzzle add cube3 --name htr --moves U,D,R2,L2,F2,B2 --up-to U2,D2,R2,L2,F2,B2

Checks the puzzle and keeps it in the folder of the tables. build, query, solve,
stats, random, export and serve then know the puzzle by its name. Distances are to the
solved position as it is held; each move and each power of it counts one (with
--quarter-turns, moves and their inverses alone). With --moves, --only, --ignore, --up-to
or --goal the puzzle has no pictures. Positions must fit a table: no Illegal lines, memory
for a few bits a position, and with --up-to at most 1,048,576 positions.";

/// Add a puzzle, so that its table can be built and asked
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Definition file; - for standard input; with --geometry, the name of the puzzle
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,

    #[command(flatten)]
    shape: Shape,

    /// Name of the puzzle: a to z, 0 to 9, - and _ [default: from the file's name]
    #[arg(long, value_name = "NAME", conflicts_with = "geometry")]
    name: Option<String>,
}

pub fn run(Args { file, shape, name }: Args, env: &Environment) -> Result<(), Failure> {
    let definition = match &shape.geometry {
        Some(line) => of_geometry(line)?,
        None => read(&file)?,
    };
    let definition = definition.restricted(&shape.restriction(&definition)?)?;
    let database = env.database()?;
    let given = name.or_else(|| shape.geometry.and_then(|_| file.to_str().map(str::to_owned)));
    let Some(name) = given.or_else(|| name_of(&file)) else {
        return Err(Error::Usage("give the puzzle a name: --name NAME".to_owned()).into());
    };
    database.add_puzzle(&name, definition)?;
    let table: TableId = name.parse()?;
    let info = database.table(table)?;
    env.print(&info, text)
}

/// A name for the puzzle from that of the file, in lower case; `None` for standard input.
fn name_of(file: &Path) -> Option<String> {
    let name = file.file_stem()?.to_str()?.to_ascii_lowercase().replace([' ', '.'], "-");
    (name != "-").then_some(name)
}

fn text(info: &TableInfo) -> String {
    let TableInfo { table, rows, entries, build_memory, build_disk, .. } = info;
    format!(
        "{table}: added\n  table  {} in {}; building it takes {} of memory and at most {} of disk\n  next   \
         twistbase build {table}",
        counted(*entries, "entry"),
        counted(*rows, "row"),
        bytes(*build_memory),
        bytes(*build_disk)
    )
}

/// Remove a puzzle that was added
///
/// Its table stays; 'twistbase remove NAME' deletes that, and comes first.
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Name of the puzzle
    name: String,
}

pub fn remove(RemoveArgs { name }: RemoveArgs, env: &Environment) -> Result<(), Failure> {
    let database = env.database()?;
    database.remove_puzzle(&name)?;
    let mut out = env.output();
    if !env.json() && !env.quiet() {
        out.line(format!("{name}: removed{}", table_left(&database, &name)))?;
    }
    out.finish()
}

/// The path of the table of a removed puzzle, if it was built.
fn table_left(database: &Database, name: &str) -> String {
    let info = name.parse::<TableId>().and_then(|table| database.table(table)).ok();
    let file = info.and_then(|info| info.file.filter(|_| info.bytes > 0));
    file.map_or_else(String::new, |file| format!("; its table stays: {}", file.display()))
}
