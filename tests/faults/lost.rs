//! Disks that have lost what was written to them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use super::corruption::Victim;
use super::record::compiled;
use super::segments::segment_starts;
use super::{Ended, Questions, SMALL, digest, program, run, small, succeed};

/// Bytes of a sector.
const SECTOR: u64 = 4096;
/// What is said of bytes that a disk does not give back.
const LOST: &str = "the disk cannot read it: Input/output error";

/// The rows that `verify` finds faults in.
fn faulty_rows(verified: &Ended) -> BTreeSet<u64> {
    verified.json().iter().filter_map(|line| line["row"].as_u64()).collect()
}

/// A lost sector takes the rows in it, and no other; a rebuild brings these back, and writes to another place.
#[test]
fn a_lost_sector_takes_the_rows_in_it() {
    let dir = small();
    let dir = dir.path();
    let (file, shim) = (dir.join("square1-corners.redb"), compiled("lost_sector"));
    let (questions, right) = (Questions::new(dir, SMALL, 50), digest(dir, SMALL));
    let victim = Victim::new(file.clone());
    let start = segment_starts(&victim.bytes())[40] as u64 + 100;
    // A flip in the same sector tells one of the rows.
    victim.flip(start, 3);
    let flipped = faulty_rows(&run(dir, &["verify", SMALL, "--json"]));
    victim.flip(start, 3);
    let first = start / SECTOR * SECTOR;
    let lost = format!("{} {first} {}", fs::metadata(&file).expect("a file").ino(), first + SECTOR);
    let on_the_disk = |args: &[&str]| {
        let mut command = program(dir, args);
        Ended::of(command.env("LD_PRELOAD", &shim).env("TWISTBASE_LOST", &lost).output().expect("the program"))
    };

    let verified = on_the_disk(&["verify", SMALL, "--json"]);
    let rows = faulty_rows(&verified);
    assert_eq!(verified.code, Some(4), "{}", verified.stderr);
    assert!(flipped.len() == 1 && rows.is_superset(&flipped) && rows.len() < 45, "{flipped:?} {rows:?}");
    let lines = verified.json();
    let (summary, faults) = lines.split_last().expect("a summary");
    assert_eq!(summary["intact"], false);
    for fault in faults {
        assert!(
            fault["fault"] == "damaged" && fault["detail"].as_str().is_some_and(|why| why.contains(LOST)),
            "{fault}"
        );
    }
    // Every thread meets it, and each goes on with the rows beside it.
    for _ in 0..5 {
        assert_eq!(faulty_rows(&on_the_disk(&["verify", SMALL, "--json"])), rows);
    }

    let rebuilt = on_the_disk(&["rebuild", SMALL, "--json"]);
    assert_eq!(rebuilt.code, Some(0), "{}", rebuilt.stderr);
    let report = &rebuilt.json()[0];
    let restored = report["rows"].as_array().expect("rows").iter().map(|row| row["row"].as_u64());
    assert_eq!(restored.collect::<Option<BTreeSet<u64>>>(), Some(rows));
    assert_eq!(on_the_disk(&["verify", SMALL]).code, Some(0));
    assert_eq!(digest(dir, SMALL), right);
    questions.check(dir);
}

/// A table of which not even the first bytes can be read stops nothing of the others.
#[test]
fn a_table_that_cannot_be_read_at_all_stops_no_other() {
    let dir = small();
    let dir = dir.path();
    // At its beginning there is no memory to read, which is EIO, too.
    let unreadable = Path::new("/proc/self/mem");
    if !unreadable.exists() {
        println!("skipped: no file here that cannot be read");
        return;
    }
    symlink(unreadable, dir.join("cube21.redb")).expect("a link");
    for (args, code) in
        [(&["tables"][..], 0), (&["verify"], 4), (&["rebuild", "--dry-run"], 0), (&["query", "cube21", "/"], 4)]
    {
        let ended = run(dir, args);
        let said = ended.stdout + &ended.stderr;
        assert!(ended.code == Some(code) && said.contains(LOST), "{args:?}: {:?} {said}", ended.code);
    }
    assert!(run(dir, &["verify"]).stdout.contains("square1-corners: intact"));
    succeed(dir, &["query", SMALL, "/"]);
}
