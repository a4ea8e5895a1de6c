//! The distance and some shortest solutions of a position: `twistbase-embed FOLDER PUZZLE POSITION`. A table that is missing
//! and quickly built is built.

use std::error::Error;

use twistbase::{Context, Database, Question};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, puzzle, position] = arguments.as_slice() else {
        return Err("usage: twistbase-embed FOLDER PUZZLE POSITION".into());
    };
    let ctx = Context::silent();
    let question = Question { limit: Some(10), ..Question::default() };
    let puzzle = Database::open(folder)?.building_missing(true).puzzle(puzzle)?;
    match puzzle.query(position, &question, &ctx)?.distance() {
        Some(distance) => println!("distance {distance}"),
        None => println!("distance not known exactly"),
    }
    for solution in puzzle.solutions(position, &question, &ctx)? {
        println!("{}", solution?.moves());
    }
    Ok(())
}
