//! What commands find of earlier ones, and what they leave: unfinished builds, refused exports, links, settings that say nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{SMALL, run, small_store, status, store, twistbase};
use crate::support::program::Run;

/// The names in a folder, without locks of builds, which stay by design, and without the cache.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| !name.ends_with(".lock") && name != "cache").collect();
    names.sort();
    names
}

#[test]
fn results_about_cosets_that_cannot_be_read_are_told() {
    let dir = store();
    symlink("cosets.redb", dir.path().join("cosets.redb")).unwrap();
    for args in [&["coset", "list"][..], &["coset", "total"], &["coset", "export"], &["verify"], &["verify", "cosets"]]
    {
        let (code, _, stderr) = run(dir.path(), args);
        assert!(code == 6 && stderr.contains("cosets.redb"), "{args:?}: {code} {stderr}");
    }
}

#[test]
fn cosets_are_exported_to_standard_output() {
    let dir = store();
    let mut command = twistbase(dir.path(), &["coset", "export", "-o", "-"]);
    let output = command.current_dir(dir.path()).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"coset,number,"));
    assert!(names(dir.path()).is_empty());
}

#[test]
fn what_is_refused_leaves_no_results_about_cosets() {
    let dir = store();
    let empty = dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let (code, _, stderr) = run(dir.path(), &["coset", "merge", empty.to_str().unwrap()]);
    assert!(code == 4 && stderr.contains("no .cosets file in ") && stderr.contains("farm merge"), "{stderr}");
    let (code, _, stderr) = run(dir.path(), &["coset", "R"]);
    assert!(code == 4 && stderr.contains("run: twistbase build phase1"), "{stderr}");
    assert_eq!(names(dir.path()), ["empty"]);
}

#[test]
fn unfinished_builds_are_reported() {
    let dir = small_store();
    let [complete, building] = ["", ".building"].map(|kind| dir.path().join(format!("{SMALL}{kind}.redb")));
    fs::copy(&complete, &building).unwrap();
    let found = status(dir.path(), SMALL);
    assert_eq!((&found["status"], &found["detail"]), (&"complete".into(), &"beside an unfinished build".into()));
    assert!(found["building_bytes"].as_u64() > Some(0));
    let (code, text, stderr) = run(dir.path(), &["build", SMALL]);
    assert!(code == 0 && text.contains("already complete"), "{text}");
    assert!(stderr.contains(&format!("build {SMALL} --force resumes it, or")), "{stderr}");
    assert!(stderr.contains(&format!("remove {SMALL} --unfinished deletes it")), "{stderr}");
    fs::remove_file(&complete).unwrap();
    let (code, _, stderr) = run(dir.path(), &["verify"]);
    assert!(code == 4 && stderr.contains(&format!("is unfinished; run: twistbase build {SMALL}")), "{stderr}");
}

#[test]
fn a_refused_export_leaves_nothing() {
    let (dir, to) = (small_store(), store());
    let lines = to.path().join("lines");
    fs::write(&lines, "nonsense\n").unwrap();
    let output = to.path().join("far.csv");
    let [from, into] = [&lines, &output].map(|path| path.to_str().unwrap());
    let export = ["export", SMALL, "--positions", from, "-o", into];
    let (code, _, stderr) = run(dir.path(), &export);
    assert!(code == 3, "{stderr}");
    assert_eq!(names(to.path()), ["lines"]);
    // What another export began is not this one's to remove.
    let part = to.path().join("far.csv.part");
    fs::write(&part, "begun").unwrap();
    fs::create_dir(to.path().join("far.csv.part.journal")).unwrap();
    assert_eq!(run(dir.path(), &export).0, 6);
    assert_eq!(fs::read(&part).unwrap(), b"begun");
}

#[test]
fn a_link_to_a_table_stays_one() {
    let (dir, elsewhere) = (small_store(), store());
    let [link, file] = [dir.path(), elsewhere.path()].map(|folder| folder.join(format!("{SMALL}.redb")));
    fs::copy(&link, &file).unwrap();
    fs::remove_file(&link).unwrap();
    symlink(&file, &link).unwrap();
    let before = status(dir.path(), SMALL)["build"].clone();
    let (code, _, stderr) = run(dir.path(), &["build", SMALL, "--force"]);
    assert_eq!(code, 0, "{stderr}");
    let after = status(dir.path(), SMALL)["build"].clone();
    assert!(before["digest"] == after["digest"] && before["uuid"] != after["uuid"], "{before} {after}");
    assert_eq!(fs::read_link(&link).unwrap(), file);
    assert_eq!(
        (names(dir.path()), names(elsewhere.path())),
        (vec![format!("{SMALL}.redb")], vec![format!("{SMALL}.redb")])
    );
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
}

/// What is written to a link is written to what it leads to, and the link stays.
#[test]
fn a_link_in_the_place_of_an_output_stays_one() {
    let (dir, elsewhere) = (small_store(), store());
    for (name, command) in [
        ("records.csv", &["export", SMALL, "--levels", "1", "--force", "-o"][..]),
        ("picture.svg", &["picture", SMALL, "/", "--force", "-o"]),
    ] {
        let [link, file] = [dir.path(), elsewhere.path()].map(|folder| folder.join(name));
        fs::write(&file, b"old").unwrap();
        symlink(&file, &link).unwrap();
        let (code, _, stderr) = run(dir.path(), &[command, &[link.to_str().unwrap()]].concat());
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(fs::read_link(&link).unwrap(), file);
        assert!(fs::read(&file).unwrap().len() > 20, "{name}");
    }
}

#[test]
fn what_is_written_by_its_name_is_not_written_to_standard_output() {
    let dir = store();
    for command in [&["farm", "merge", "nowhere", "--output", "-"][..], &["solve", "cube3", "-", "--results", "-"]] {
        let (code, _, stderr) = run(dir.path(), command);
        assert!(code == 2 && stderr.contains("give a file name"), "{code} {stderr}");
    }
}

/// A link to nothing in a table's place is told, the others are looked after all the same, and a new table takes its place.
#[test]
fn a_link_to_nothing_is_no_table() {
    let dir = small_store();
    let link = dir.path().join("cube2.redb");
    symlink(dir.path().join("nowhere"), &link).unwrap();
    let (code, stdout, stderr) = run(dir.path(), &["verify"]);
    assert!(code == 4 && stdout.contains("dangling link") && stdout.contains(SMALL), "{stdout}{stderr}");
    assert_eq!(run(dir.path(), &["tables"]).0, 0);
    let (code, _, stderr) = run(dir.path(), &["query", "cube2", "R"]);
    assert!(code == 4 && stderr.contains("build cube2 --force"), "{code} {stderr}");
    assert_eq!(run(dir.path(), &["build", "cube2", "--force", "--depth", "3"]).0, 0);
    assert!(!link.is_symlink() && run(dir.path(), &["verify"]).0 == 0);
}

/// A command that is advised names the store that was given.
#[test]
fn what_goes_on_with_a_bounded_table_names_the_store() {
    let (dir, usual) = (store(), store());
    assert_eq!(run(dir.path(), &["build", "cube2", "--depth", "3"]).0, 0);
    let advised = format!("build cube2 --store {} extends it", dir.path().display());
    for command in [&["stats", "cube2"][..], &["build", "cube2", "--depth", "2"]] {
        let (_, stdout, stderr) = run(usual.path(), &[command, &["--store", dir.path().to_str().unwrap()]].concat());
        assert!(stdout.contains(&advised), "{stdout}{stderr}");
    }
}

/// A file of results that cannot be opened is not one result.
#[test]
fn a_damaged_file_of_cosets_is_left_alone() {
    let dir = store();
    fs::write(dir.path().join("cosets.redb"), b"something else").unwrap();
    let (code, stdout, stderr) = run(dir.path(), &["rebuild", "cosets"]);
    assert!(code == 4 && stdout.contains("cosets: left unchanged"), "{code} {stdout}{stderr}");
    assert!(stderr.contains("1 file left unchanged") && !stderr.contains("solved again"), "{stderr}");
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_position() {
    let dir = small_store();
    let solved = "\u{feff}01234567-89ABCDEF/\n\u{feff}01234567-89ABCDEF/\n";
    let output = twistbase(dir.path(), &["query", SMALL, "-"]).output_of(solved).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "01234567-89ABCDEF/\t0\n".repeat(2));
    let lines = dir.path().join("lines");
    fs::write(&lines, solved).unwrap();
    let export = ["export", SMALL, "--positions", lines.to_str().unwrap(), "-o", "-", "--format", "csv"];
    let (code, text, stderr) = run(dir.path(), &export);
    assert!(code == 0 && text.lines().count() == 3, "{text}{stderr}");
}

/// A script that lost its value would otherwise use another folder, or build what it is not to build.
#[test]
fn an_empty_setting_is_an_error_that_names_it() {
    let dir = store();
    let folder = dir.path().to_str().unwrap();
    for args in [&["tables"][..], &["query", SMALL, "/"], &["build", SMALL]] {
        let (code, stdout, stderr) = run(Path::new(""), args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains("TWISTBASE_STORE is empty; give a folder"), "{stderr}");
        // The option goes before the variable.
        assert_ne!(run(Path::new(""), &[args, &["--store", folder]].concat()).0, 2);
    }
    let (code, _, stderr) = run(dir.path(), &["tables", "--store", ""]);
    assert!(code == 2 && stderr.contains("--store is empty; give a folder"), "{stderr}");
    let query = twistbase(dir.path(), &["query", SMALL, "/"]).env("TWISTBASE_BUILD", "").output().unwrap();
    let stderr = String::from_utf8(query.stderr).unwrap();
    assert!(
        query.status.code() == Some(2) && stderr.contains("TWISTBASE_BUILD is empty; set it to auto or never"),
        "{stderr}"
    );
}
