//! How tasks are submitted to Slurm.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use twistbase_core::error::{Error, Result};

/// What a task is given, and how Slurm is asked for it. Also a file in TOML, with these names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlurmOptions {
    /// The account that pays.
    pub account: Option<String>,
    /// The partition.
    pub partition: Option<String>,
    /// The quality of service.
    pub qos: Option<String>,
    /// Features that nodes must have.
    pub constraint: Option<String>,
    /// The time limit of a task, as sbatch reads it: minutes, or "2:00:00".
    pub time: Option<String>,
    /// The memory of a task, as sbatch reads it: "4G".
    pub memory: Option<String>,
    /// The cores of a task: one if nothing is said.
    pub cores: Option<u32>,
    /// Tasks of an array that may run at once.
    pub throttle: Option<u32>,
    /// Seconds before the time limit when a task is asked to stop; [`SlurmOptions::NOTICE`] if nothing is said.
    pub notice: Option<u32>,
    /// The folder on the nodes' own disks to copy tables to; variables like `$TMPDIR` are those of the node.
    pub stage: Option<String>,
    /// How often a task writes the state of the coset in hand, like "10m".
    pub checkpoint_every: Option<String>,
    /// The folder of the tables, as the nodes see it.
    pub store: Option<PathBuf>,
    /// The program, as the nodes see it: "twistbase" if nothing is said.
    pub program: Option<PathBuf>,
    /// Lines of shell before the program, for instance to load modules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Further options of sbatch, like "--exclusive".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sbatch: Vec<String>,
}

impl SlurmOptions {
    /// Slurm checks limits now and then only, so the notice may come half a minute late: still in time to sync all records to
    /// the disk.
    pub const NOTICE: u32 = 120;

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Usage`] that names unknown options and values; [`Error::Io`].
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        let options: Self = toml::from_str(&text)
            .map_err(|error| Error::Usage(format!("{}: {}", path.display(), error.to_string().trim_end())))?;
        options.check()?;
        Ok(options)
    }

    /// As the text of a file.
    pub(super) fn to_toml(&self) -> String {
        // All of it are texts, numbers and lists of texts.
        toml::to_string(self).unwrap_or_default()
    }

    /// These, and of the others what these do not say.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        let list = |own: Vec<String>, others: Vec<String>| if own.is_empty() { others } else { own };
        Self {
            account: self.account.or(others.account),
            partition: self.partition.or(others.partition),
            qos: self.qos.or(others.qos),
            constraint: self.constraint.or(others.constraint),
            time: self.time.or(others.time),
            memory: self.memory.or(others.memory),
            cores: self.cores.or(others.cores),
            throttle: self.throttle.or(others.throttle),
            notice: self.notice.or(others.notice),
            stage: self.stage.or(others.stage),
            checkpoint_every: self.checkpoint_every.or(others.checkpoint_every),
            store: self.store.or(others.store),
            program: self.program.or(others.program),
            setup: list(self.setup, others.setup),
            sbatch: list(self.sbatch, others.sbatch),
        }
    }

    /// Fails, with every reason, for what would be another line of the script, or nothing.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check(&self) -> Result<()> {
        let texts = [
            ("account", &self.account),
            ("partition", &self.partition),
            ("qos", &self.qos),
            ("constraint", &self.constraint),
            ("time", &self.time),
            ("memory", &self.memory),
            ("stage", &self.stage),
            ("checkpoint_every", &self.checkpoint_every),
        ];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)));
        let lists = [("setup", &self.setup), ("sbatch", &self.sbatch)];
        let lines = lists.into_iter().flat_map(|(name, lines)| lines.iter().map(move |line| (name, line.as_str())));
        let mut reasons: Vec<String> = texts
            .chain(lines)
            .filter(|(_, text)| text.trim().is_empty() || text.contains(['\n', '\r', '\0']))
            .map(|(name, text)| format!("{name} is {text:?}; expected one line of text"))
            .collect();
        // It would be another path in the script, or no line of it.
        let paths = [("store", &self.store), ("program", &self.program)];
        let paths = paths.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)));
        reasons.extend(
            paths
                .filter(|(_, path)| !is_line(path))
                .map(|(name, path)| format!("{name} is {path:?}; expected one line of text")),
        );
        // Tasks begin in another folder.
        let is_looked_for = |path: &Path| path.components().count() == 1;
        let relative = [
            ("store", self.store.as_deref()),
            ("program", self.program.as_deref().filter(|path| !is_looked_for(path))),
        ];
        reasons.extend(relative.into_iter().filter_map(|(name, path)| {
            let path = path.filter(|path| path.is_relative() && !path.as_os_str().is_empty())?;
            Some(format!("{name} is {path:?}; expected an absolute path, because tasks start in another folder"))
        }));
        let numbers = [("cores", self.cores), ("throttle", self.throttle)];
        reasons.extend(numbers.iter().filter(|(_, n)| *n == Some(0)).map(|(name, _)| format!("{name} is 0")));
        let foreign = self.sbatch.iter().filter(|option| !option.starts_with('-'));
        reasons.extend(foreign.map(|option| format!("sbatch has {option:?}; options begin with -")));
        if reasons.is_empty() { Ok(()) } else { Err(Error::Usage(reasons.join("; "))) }
    }
}

/// Whether a path can be written into a line of a script.
pub(super) fn is_line(path: &Path) -> bool {
    path.to_str().is_some_and(|text| !text.contains(['\n', '\r', '\0']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_arguments_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("slurm.toml");
        fs::write(&path, "account = \"puzzles\"\ntime = \"2:00:00\"\ncores = 4\nsetup = [\"module load x\"]\n")
            .unwrap();
        let file = SlurmOptions::read(&path).unwrap();
        let given = SlurmOptions { time: Some("30".to_owned()), ..SlurmOptions::default() };
        let both = given.or(file.clone());
        assert_eq!((both.account.as_deref(), both.time.as_deref(), both.cores), (Some("puzzles"), Some("30"), Some(4)));
        fs::write(&path, both.to_toml()).unwrap();
        assert_eq!(SlurmOptions::read(&path).unwrap(), both);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_every_reason() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("slurm.toml");
        use std::os::unix::ffi::OsStrExt;
        for path in [&b"/a\xff"[..], b"/a\nb"] {
            let path = Some(std::ffi::OsStr::from_bytes(path).into());
            let options = SlurmOptions { store: path.clone(), program: path, ..SlurmOptions::default() };
            let Err(Error::Usage(why)) = options.check() else { panic!("{options:?}") };
            assert!(why.contains("store is") && why.contains("program is"), "{why}");
        }
        for (text, expected) in [
            ("acount = \"x\"\n", "acount"),
            ("cores = \"many\"\n", "cores"),
            ("cores = 0\naccount = \"a\\nb\"\n", "cores is 0"),
            ("cores = 0\naccount = \"a\\nb\"\n", "account is"),
            ("sbatch = [\"exclusive\"]\n", "options begin with -"),
        ] {
            fs::write(&path, text).unwrap();
            let Err(Error::Usage(why)) = SlurmOptions::read(&path) else { panic!("{text}") };
            assert!(why.contains(expected), "{why}");
        }
    }
}
