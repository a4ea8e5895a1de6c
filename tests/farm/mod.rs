//! `twistbase farm`: plans, tasks and mergers as a batch system runs them, one process each. A real one is in `tools/check_farm.py`.

mod damage;
mod merging;
mod planning;
mod slurm;
mod tasks;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::schemas::check;
use crate::cli::{SMALL, run, run_json, small_store, twistbase};
use crate::support::program::command;

/// A store with the rows of a small table, and a folder for farms.
struct Site {
    store: TempDir,
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        Self { store: small_store(), folder: tempfile::tempdir().unwrap() }
    }

    /// A farm that checks the 90 rows in shards of ten.
    fn rows() -> (Self, Work) {
        let site = Self::new();
        let farm = site.plan("rows", &["verify", SMALL, "--shard-items", "10"]);
        (site, farm)
    }

    fn plan(&self, name: &str, arguments: &[&str]) -> Work {
        Work::plan(self.store.path(), &self.path(name), arguments)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// A farm, and the store that its tasks read.
struct Work {
    store: PathBuf,
    path: PathBuf,
}

impl Work {
    fn plan(store: &Path, path: &Path, arguments: &[&str]) -> Self {
        let to = ["--to", path.to_str().unwrap()];
        let (code, plan, stderr) = run_json(store, &[&["farm", "plan"], arguments, &to].concat());
        assert_eq!(code, 0, "{stderr}");
        check("farm-plan", &plan);
        Self { store: store.to_owned(), path: path.to_owned() }
    }

    /// The words of `farm COMMAND` about this farm.
    fn words<'a>(&'a self, command: &'a str, options: &[&'a str]) -> Vec<&'a str> {
        [&["farm", command, self.path.to_str().unwrap()], options].concat()
    }

    /// Runs `farm COMMAND`.
    fn run(&self, command: &str, options: &[&str]) -> (i32, String, String) {
        run(&self.store, &self.words(command, options))
    }

    /// Runs `farm COMMAND --json`, whose lines are as its schema says.
    fn json(&self, command: &str, options: &[&str]) -> (i32, Vec<Value>, String) {
        let found = run_json(&self.store, &self.words(command, options));
        if !found.1.is_empty() {
            let schema = if command == "resubmit" { "submit" } else { command };
            check(&format!("farm-{schema}"), &found.1);
        }
        found
    }

    /// Does some shards, or all.
    fn work(&self, options: &[&str]) -> Vec<Value> {
        let (code, reports, stderr) = self.json("work", options);
        assert_eq!(code, 0, "{stderr}");
        reports
    }

    fn status(&self) -> Value {
        self.json("status", &["--check"]).1.remove(0)
    }

    /// What `farm merge` wrote into a file.
    fn merged(&self) -> Vec<u8> {
        let output = self.path.with_extension("merged");
        let (code, reports, stderr) = self.json("merge", &["--force", "--output", output.to_str().unwrap()]);
        assert_eq!((code, &reports[0]["complete"]), (0, &Value::from(true)), "{stderr}");
        fs::read(output).unwrap()
    }

    /// A file of the first shards.
    fn file(&self, name: &str) -> PathBuf {
        self.path.join("shards/000").join(name)
    }

    /// A task that is started, and not waited for.
    fn start(&self, options: &[&str]) -> std::process::Child {
        let mut command = command();
        let words = self.words("work", options);
        command.env("TWISTBASE_STORE", &self.store).args(words).spawn().unwrap()
    }
}

/// How many entries each folder below one has, itself included.
fn entries(folder: &Path) -> Vec<usize> {
    let found: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let below = found.iter().filter(|path| path.is_dir()).flat_map(|path| entries(path));
    std::iter::once(found.len()).chain(below).collect()
}
