//! The definitions of puzzles in a folder: `puzzles/NAME.json`, `schema/store.md`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::puzzle_info::PuzzleInfo;
use super::{Database, StoreItem, TableSet, puzzle_name};
use twistbase_core::error::{Error, Result};
use twistbase_definition::PuzzleDefinition;
use twistbase_store::{NewFile, create_folder};
use twistbase_tables::{self as tables, Definition};

/// The folder of definitions, in that of the tables.
const FOLDER: &str = "puzzles";
/// The end of a definition's name.
const ENDING: &str = "json";
/// The end of the name of the file with the sizes of its table: so that positions are numbered only when somebody asks.
const SIZES: &str = "sizes";

impl Database {
    /// Adds a puzzle under a name: to this folder, and to this process for the rest of its life. Every database of the process knows
    /// it then. In memory it leaves nothing behind.
    ///
    /// ```
    /// # mod twistbase { pub use twistbase_core::*; pub use twistbase_definition as definition; pub use twistbase_database::*; }
    /// use twistbase::definition::PuzzleDefinition;
    /// use twistbase::{Database, Question, context::Context};
    ///
    /// let row = "Set TILE 4 1\nMove S\nTILE\n2 1 3 4\nEnd\nMove T\nTILE\n2 3 4 1\nEnd\n";
    /// let database = Database::in_memory().building_missing(true);
    /// database.add_puzzle("row-of-four", PuzzleDefinition::parse(row)?)?;
    /// let answer = database.puzzle("row-of-four")?.query("S T S", &Question::default(), &Context::silent())?;
    /// assert_eq!((answer.distance(), answer.solution()), (Some(3), Some("S T' S")));
    /// # Ok::<(), twistbase::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for a name that is not valid or is taken, and for positions that no table can hold; [`Error::Io`].
    pub fn add_puzzle(&self, name: &str, definition: PuzzleDefinition) -> Result<&'static PuzzleInfo> {
        let is_other = |found: &PuzzleInfo| found.puzzle != name;
        let is_word = TableSet::all().any(|set| set.name() == name) || name == StoreItem::Cosets.name();
        let comes_with_the_program = tables::defined_tables().any(|table| table.is_shipped() && table.puzzle() == name);
        let goals = || definition.goals.clone();
        let is_known = PuzzleDefinition::named(name)
            .is_some_and(|known| PuzzleDefinition { goals: goals(), ..known } != definition);
        if is_word || comes_with_the_program || is_known || puzzle_name::find(name).is_some_and(is_other) {
            return Err(Error::Usage(format!("{name:?} means something else already; choose another name")));
        }
        let text = definition.to_kpuzzle();
        let table = tables::define(name, definition, None)?;
        if let Some(folder) = self.folder() {
            let file = file_of(folder, name);
            create_folder(&folder.join(FOLDER))?;
            NewFile::write_whole(&file, text.as_bytes())?;
            NewFile::write_whole(&file.with_extension(SIZES), table.sizes().as_bytes())?;
        }
        Ok(PuzzleInfo::of(table.puzzle()))
    }

    /// Removes a puzzle from this folder. This process knows it for the rest of its life, and its table stays.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is not there; [`Error::Io`].
    pub fn remove_puzzle(&self, name: &str) -> Result<()> {
        let file = self.folder().map(|folder| file_of(folder, name));
        match file.filter(|file| file.exists()) {
            Some(file) => {
                fs::remove_file(&file).map_err(|error| Error::io("remove", &file, error))?;
                // Without the definition, nobody reads it.
                let _ = fs::remove_file(file.with_extension(SIZES));
                Ok(())
            }
            None => Err(Error::Usage(format!("no puzzle {name:?} was added here"))),
        }
    }

    /// The definition of a puzzle by its name: of one that is data, of the cubes, or of one that is [known](PuzzleDefinition::named); `None`
    /// for any other.
    pub fn definition_of(name: &str) -> Option<PuzzleDefinition> {
        let name = puzzle_name::find(name).map_or(name, |info| info.puzzle);
        let table = tables::defined_tables().find(|table| table.puzzle() == name);
        let of_table = table.map(|table| table.definition().clone());
        of_table.or_else(|| PuzzleDefinition::named(name))
    }

    /// Adds the puzzles of a folder to this process. [`Database::open`] does it, too.
    ///
    /// # Errors
    /// [`Error::Io`], also for a definition that cannot be used.
    #[doc(hidden)]
    pub fn know_puzzles(folder: &Path) -> Result<()> {
        let folder = folder.join(FOLDER);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(error) => return Err(Error::io("read", &folder, error)),
        };
        let files: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
        let mut files = files.map_err(|error| Error::io("read", &folder, error))?;
        files.retain(|file| file.extension().is_some_and(|ending| ending == ENDING));
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file).map_err(|error| Error::io("read", &file, error))?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let sizes = fs::read_to_string(file.with_extension(SIZES)).ok();
            let defined = PuzzleDefinition::parse(&text)
                .and_then(|definition| tables::define(&name, definition, sizes.as_deref()));
            // It says which file.
            let unusable = |error: Error| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
            defined.map_err(|error| Error::io("use", &file, unusable(error)))?;
        }
        Ok(())
    }
}

fn file_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{name}.{ENDING}"))
}
