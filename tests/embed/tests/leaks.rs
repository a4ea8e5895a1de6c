//! Puzzles that are opened and dropped leave nothing behind. Alone in its process: it counts what the process holds.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use twistbase::{Context, Database, Question};

/// Open files and mappings of this process.
fn held() -> (usize, usize) {
    let files = fs::read_dir("/proc/self/fd").expect("open files").count();
    let mappings = fs::read_to_string("/proc/self/maps").expect("mappings").lines().count();
    (files, mappings)
}

/// Opens puzzles, asks each, and drops them.
fn open_and_drop(folder: &Path, times: u32) {
    for _ in 0..times {
        let database = Database::open(folder).expect("a database").building_missing(true);
        let puzzle = database.puzzle("square1-corners").expect("a puzzle");
        let answer = puzzle.query("(1,0)/(3,3)/(-3,0)/", &Question::default(), &Context::silent());
        assert_eq!(answer.expect("an answer").distance(), Some(3));
    }
}

#[test]
fn puzzles_are_opened_and_dropped_without_growth() {
    let folder = tempfile::tempdir().expect("a folder");
    // Threads, the table and its cache are made on the way.
    open_and_drop(folder.path(), 100);
    let (files, mappings) = held();
    open_and_drop(folder.path(), 3000);
    let (files_after, mappings_after) = held();
    assert_eq!(files_after, files);
    // The allocator may map a few regions more.
    assert!(mappings_after <= mappings + 50, "{mappings} mappings became {mappings_after}");
}
