//! The program as its users run it.

mod analyze;
mod answers;
mod building;
mod coset_lines;
mod cosets;
pub mod cube2;
mod cube3;
mod entering;
mod first_questions;
pub mod goals;
mod help;
mod insertions;
mod leftovers;
mod memory;
mod optimal;
mod options;
pub mod own_goals;
mod patterns;
mod picture;
mod pictures;
mod puzzle;
mod puzzle_goals;
mod reading;
pub mod schemas;
mod scramble_stats;
mod scrambles;
mod shell;
pub mod square1;
mod states;
mod steps;

use std::path::Path;
use std::process::{Command, Output};

use crate::support::program::{Run, command};
use serde_json::Value;
use tempfile::TempDir;

/// A table that builds in a few hundredths of a second.
pub const SMALL: &str = "square1-corners";

/// An empty store.
pub fn store() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A store that holds [`SMALL`].
pub fn small_store() -> TempDir {
    let dir = store();
    twistbase(dir.path(), &["build", SMALL, "--quiet"]).succeed();
    dir
}

/// The program with these arguments, on the store in `dir`.
pub fn twistbase(dir: &Path, args: &[&str]) -> Command {
    let mut command = command();
    command.env("TWISTBASE_STORE", dir).env("TWISTBASE_BUILD", "never").args(args);
    command
}

/// Runs the program and returns its exit status, standard output and standard error.
pub fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = twistbase(dir, args).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Runs the program with `--json`; every line it prints must be an object.
pub fn run_json(dir: &Path, args: &[&str]) -> (i32, Vec<Value>, String) {
    let args = [args, &["--json"]].concat();
    let (status, stdout, stderr) = run(dir, &args);
    (status, stdout.lines().map(object).collect(), stderr)
}

pub fn object(line: &str) -> Value {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert!(value.is_object(), "{line}");
    value
}

/// What `tables` says about one table.
fn status(dir: &Path, table: &str) -> Value {
    let (code, lines, _) = run_json(dir, &["tables"]);
    assert_eq!(code, 0);
    lines.into_iter().find(|line| line["table"] == table).unwrap()
}
