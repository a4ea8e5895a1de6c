//! Puzzles as data: known by name, from files, or from the line of their geometry.

use std::ffi::OsStr;
use std::path::Path;

use clap::builder::TypedValueParser;
use twistbase_core::error::{Error, Result};
use twistbase_core::spelling;
use twistbase_database::{Database, Puzzle, PuzzleInfo};
use twistbase_definition::{Geometry, PuzzleDefinition};

use crate::arguments::puzzle;
use crate::batch;

/// The definition in a file, or that of a puzzle that is known.
pub fn read(file: &Path) -> Result<PuzzleDefinition> {
    let name = file.to_str().filter(|_| !file.exists());
    if let Some(known) = name.and_then(Database::definition_of) {
        return Ok(known);
    }
    match name.filter(|name| *name != "-" && !name.contains(['.', '/'])) {
        Some(name) => {
            let nearest = spelling::nearest(name, Database::puzzles());
            let meant = spelling::did_you_mean(&nearest).map(|meant| format!("{meant} ")).unwrap_or_default();
            Err(Error::Usage(format!(
                "{name:?} is no file and no puzzle that is known; {meant}twistbase help puzzle lists all"
            )))
        }
        // One byte more than is read: what is too long is refused.
        None => PuzzleDefinition::parse(&batch::beginning_of(file, PuzzleDefinition::MOST_BYTES as u64 + 1)?),
    }
}

/// The definition of a geometry.
pub fn of_geometry(line: &str) -> Result<PuzzleDefinition> {
    Ok(Geometry::parse(line)?.definition().clone())
}

/// Parses a puzzle: its name, or a file or the line of a geometry, as [`open`] reads it.
pub fn any_puzzle() -> impl TypedValueParser<Value = String> {
    AnyPuzzle(puzzle())
}

/// Parses names as another parser does, and takes what is no name as a definition.
#[derive(Clone)]
struct AnyPuzzle<P>(P);

impl<P: TypedValueParser<Value = String>> TypedValueParser for AnyPuzzle<P> {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> std::result::Result<String, clap::Error> {
        // The table of a goal is asked by its puzzle.
        let is_asked = |info: &&PuzzleInfo| !info.has_table || Database::puzzles().any(|name| name == info.puzzle);
        let known = value.to_str().and_then(|name| Database::find_puzzle(name).ok()).filter(is_asked);
        match (known, value.to_str()) {
            (Some(known), _) => Ok(known.puzzle.to_owned()),
            (None, Some(text)) if is_line(text) || is_file(text) => Ok(text.to_owned()),
            _ => self.0.parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Whether a text is the line of a geometry: a solid or the sizes of a box, then more.
fn is_line(text: &str) -> bool {
    let Some((solid, _)) = text.trim().split_once(char::is_whitespace) else { return false };
    let is_box = || solid.split('x').count() == 3 && solid.split('x').all(|size| size.parse::<u8>().is_ok());
    ["t", "c", "o", "d", "i"].contains(&solid) || is_box()
}

/// Whether a text names a file, be it there or not.
fn is_file(text: &str) -> bool {
    text.contains(['.', '/']) || Path::new(text).is_file()
}

/// Opens a puzzle as [`any_puzzle`] parses it.
///
/// # Errors
/// Those of reading the definition.
pub fn open(database: &Database, text: &str) -> Result<Box<dyn Puzzle>> {
    if Database::find_puzzle(text).is_ok() {
        return database.puzzle(text);
    }
    let definition = if is_line(text) { of_geometry(text)? } else { read(Path::new(text))? };
    let name = match definition.name.trim() {
        "" => Path::new(text).file_stem().filter(|_| !is_line(text)).and_then(OsStr::to_str).unwrap_or(text).to_owned(),
        name => name.to_owned(),
    };
    Ok(database.puzzle_of(&name, definition))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_files_are_told_from_names() {
        for line in ["c f 0.333", " o f 0 hold UFRL", "3x3x2 hold DBL", "d\tf 0.7"] {
            assert!(is_line(line), "{line}");
        }
        for name in ["cube3", "fto", "rubiks cube", "Rubik's cube", "c", "3x3", "3x3 hold"] {
            assert!(!is_line(name) && !is_file(name), "{name}");
        }
        assert!(is_file("trapdoor.tws") && is_file("puzzles/trapdoor"));
    }
}
