//! What mends a fault.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::shell_word;

/// What mends a fault of the data. A front offers it in its own way; [`Display`](fmt::Display) writes the arguments of the
/// program that do it ("build cube21").
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Build a table, or continue its build.
    Build {
        /// The table; several, with spaces between them, where a question needs them all.
        table: Box<str>,
        /// Whether to replace an unusable one.
        force: bool,
    },
    /// Build a table that was built to a depth whole, or search beyond its depth.
    BuildOrSearch {
        /// The table.
        table: Box<str>,
    },
    /// Restore the damaged parts of a table.
    Rebuild {
        /// The table.
        table: Box<str>,
    },
    /// Check tables page by page, to find the one that is damaged.
    Verify {
        /// The tables.
        tables: Box<[&'static str]>,
    },
    /// Make the files of a table's cache again.
    WarmCache {
        /// The table.
        table: Box<str>,
    },
    /// Export a table once more, where it is intact.
    ExportRaw,
    /// Solve a coset.
    SolveCoset {
        /// A position of it, or a sequence to one; `None` for any coset.
        position: Option<Box<str>>,
        /// Whether to solve it again if its result is stored.
        force: bool,
    },
    /// Solve cosets of the cover.
    RunCosets {
        /// Their numbers.
        range: Range<u32>,
        /// Whether to solve them again if their results are stored.
        force: bool,
    },
    /// Bring results about cosets together again, or solve them again.
    RestoreCosets,
    /// Solve the cosets of a file of an earlier version again.
    WriteShardAgain,
    /// Plan a farm anew, in another folder.
    PlanFarm,
    /// Plan a farm.
    PlanFarmIn {
        /// The folder.
        folder: Box<Path>,
    },
    /// Do the missing and damaged shards of a farm.
    WorkFarm {
        /// The folder of the farm.
        folder: Box<Path>,
    },
    /// Find out whether a newer version of the program is needed.
    Update,
}

impl Remedy {
    /// Builds a table that is missing or not complete.
    pub fn build(table: impl Into<Box<str>>) -> Self {
        Self::Build { table: table.into(), force: false }
    }

    /// Builds a table and replaces the present file.
    pub fn replace(table: impl Into<Box<str>>) -> Self {
        Self::Build { table: table.into(), force: true }
    }

    /// The command that does it. `store` is the folder of the tables, where the command has to name it.
    pub fn command(&self, store: Option<&Path>) -> String {
        let on = |with: &str| {
            store.map_or_else(String::new, |store| format!("{with} --store {}", shell_word(&store.to_string_lossy())))
        };
        let option = match self {
            Self::Build { .. } | Self::Rebuild { .. } | Self::Verify { .. } | Self::WarmCache { .. } => on(""),
            Self::SolveCoset { position: Some(_), .. } | Self::RunCosets { .. } => on(""),
            // These are not only a command.
            Self::BuildOrSearch { .. }
            | Self::SolveCoset { position: None, .. }
            | Self::RestoreCosets
            | Self::WriteShardAgain => on(", with"),
            Self::PlanFarm | Self::PlanFarmIn { .. } | Self::WorkFarm { .. } => on(", with"),
            // It has none: a table of another folder is exported, the program is asked.
            Self::ExportRaw | Self::Update => String::new(),
        };
        format!("twistbase {self}{option}")
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forced = |force: &bool| if *force { " --force" } else { "" };
        match self {
            Self::Build { table, force } => write!(f, "build {table}{}", forced(force)),
            Self::BuildOrSearch { table } => write!(f, "build {table}, or query --exact"),
            Self::Rebuild { table } => write!(f, "rebuild {table}"),
            Self::Verify { tables } => write!(f, "verify {}", tables.join(" ")),
            Self::WarmCache { table } => write!(f, "cache warm {table}"),
            Self::ExportRaw => {
                f.write_str("export TABLE --raw --output FILE on a store that has the table, then import FILE")
            }
            Self::SolveCoset { position: None, .. } => f.write_str("coset F1R1U2 (an example), or coset run"),
            Self::SolveCoset { position: Some(moves), force } => {
                write!(f, "coset {}{}", shell_word(moves), forced(force))
            }
            Self::RunCosets { range, force } => {
                write!(f, "coset run --range {}..{}{}", range.start, range.end, forced(force))
            }
            Self::RestoreCosets => {
                f.write_str("coset merge, or coset run --force; first move away a file that does not open")
            }
            Self::WriteShardAgain => f.write_str("coset run, or farm plan cosets, with the --range of the file's name"),
            Self::PlanFarm => f.write_str("farm plan, with this program and its tables, and another folder"),
            Self::PlanFarmIn { folder } => {
                write!(f, "farm plan solve, cosets or verify, with --to {}", shell_word(&folder.display().to_string()))
            }
            Self::WorkFarm { folder } => {
                let folder = folder.display().to_string();
                let folder = shell_word(&folder);
                write!(f, "farm work {folder}, or farm resubmit {folder}")
            }
            Self::Update => f.write_str("--version, and check for a newer release"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_store() {
        let build = Remedy::build("cube2");
        assert_eq!(build.command(None), "twistbase build cube2");
        assert_eq!(build.command(Some(Path::new("/a/b-2"))), "twistbase build cube2 --store /a/b-2");
        assert_eq!(build.command(Some(Path::new("it's a"))), r"twistbase build cube2 --store 'it'\''s a'");
        assert_eq!(Remedy::Update.command(Some(Path::new("/a"))), format!("twistbase {}", Remedy::Update));
    }

    #[test]
    fn what_is_advised_can_be_given_to_a_shell() {
        let coset = Remedy::SolveCoset { position: Some("R U' F".into()), force: true };
        assert_eq!(coset.to_string(), r"coset 'R U'\'' F' --force");
        let farm = Remedy::WorkFarm { folder: Path::new("my farm").into() };
        assert_eq!(farm.to_string(), "farm work 'my farm', or farm resubmit 'my farm'");
    }
}
