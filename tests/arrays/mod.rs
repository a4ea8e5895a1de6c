//! Many positions at once against one at a time.

mod errors;
mod puzzles;
mod reading;
mod tables;

use std::sync::LazyLock;

use twistbase::database::{ManyPositions, PositionReport, PositionText, PuzzleArrays, TableArrays};
use twistbase::{Context, Database, RandomRequest, TableId};

use crate::support::folder::lasting_folder;

/// A database in which what is small is built when it is asked for.
static SMALL: LazyLock<Database> =
    LazyLock::new(|| Database::open(lasting_folder()).expect("a folder").building_missing(true));

/// The puzzles, each with how its positions can be drawn.
const NAMES: [&str; 5] = ["cube3", "cube2", "cube21", "square1", "square1-corners"];

fn ctx() -> Context {
    Context::silent()
}

fn arrays(puzzle: &str) -> Box<dyn PuzzleArrays> {
    SMALL.puzzle(puzzle).expect("a puzzle").arrays()
}

fn table(name: &str) -> TableId {
    name.parse().expect("a table")
}

/// The random positions of a puzzle, written in the notation of its arrays.
fn random_texts(puzzle: &str, request: &RandomRequest, seed: u64, count: usize) -> Vec<String> {
    let random = SMALL.puzzle(puzzle).expect("a puzzle").random(request, seed).expect("a request");
    let text = |report: PositionReport| match report.text {
        // Without the symbol of the middle layer.
        PositionText::Square1 { written, .. } => written.hex[..17].to_owned(),
        other => other.to_string(),
    };
    random.take(count).map(text).collect()
}

/// What a text of a puzzle is as numbers, letter by letter.
fn numbers(puzzle: &str, text: &str) -> Vec<u8> {
    let symbols = if puzzle.starts_with("cube3") || puzzle == "cube2" { "URFDLB" } else { "0123456789ABCDEF" };
    text.chars().filter(|&symbol| symbol != '-').map(|symbol| symbols.find(symbol).expect("a symbol") as u8).collect()
}

fn refs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Distances or bounds, whichever the table tells.
fn levels(table: &TableArrays, of: ManyPositions<'_>, count: usize) -> twistbase::Result<Vec<u8>> {
    let mut levels = vec![0xEE; count];
    let told = if table.has_distances() {
        table.distances(of, &mut levels, &ctx())
    } else {
        table.bounds(of, &mut levels, &ctx())
    };
    told.map(|()| levels)
}
