//! Exports read back, compared with the program's answers, killed, damaged and imported again.

mod batches;
mod kills;
mod raw;
mod records;
mod requests;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::faults::{Numbers, SMALL, copy_of, digest, program, run, small, succeed};
use crate::support::Fixture;

/// A store with [`SMALL`] and a folder to export to.
struct Bench {
    fixture: Fixture,
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { fixture: small(), folder: tempfile::tempdir().expect("a folder") }
    }

    fn store(&self) -> &Path {
        self.fixture.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Exports [`SMALL`] to a file of that name; returns its bytes.
    fn export(&self, name: &str, options: &[&str]) -> Vec<u8> {
        let path = self.file(name);
        let path = path.to_str().expect("text");
        succeed(self.store(), &[&["export", SMALL, "--force", "-o", path], options].concat());
        fs::read(path).expect("the export")
    }
}

/// The objects of JSON lines.
fn objects(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}
