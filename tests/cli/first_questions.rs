//! Questions to an empty store: what they need is built, unless that is not wanted.

use std::path::Path;
use std::process::{Output, Stdio};

use super::{SMALL, run, store, twistbase};

/// A run in which missing tables may be built.
fn building(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = twistbase(dir, args).env("TWISTBASE_BUILD", "auto").output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn what_a_first_question_needs_is_built() {
    let dir = store();
    let (code, stdout, stderr) = building(dir.path(), &["query", SMALL, "(1,0)/(3,3)/", "--detail", "brief"]);
    assert!(code == 0 && stdout.contains("distance   2 twists"), "{stdout}{stderr}");
    assert!(stderr.contains(&format!("Building {SMALL} (needed to answer this) ...")), "{stderr}");
    let (code, _, stderr) = building(dir.path(), &["solve", SMALL, "(1,0)/(3,3)/"]);
    assert!(code == 0 && stderr.is_empty(), "the second one finds it: {stderr}");
}

/// What is built first guides the search for the distance the first time, too.
#[test]
#[ignore = "long suite: builds phase2-exact"]
fn what_questions_about_the_cube_need_is_built() {
    let dir = store();
    let queries = [(); 2].map(|()| building(dir.path(), &["query", "cube3", "R U F"]));
    assert!(queries.iter().all(|(code, ..)| *code == 0), "{queries:?}");
    assert!(queries[0].1 == queries[1].1 && queries[0].1.contains("distance   3 moves"), "{queries:?}");
    let (code, stdout, stderr) = building(dir.path(), &["solve", "cube3", "R U F", "--quiet"]);
    assert!(code == 0 && stdout.starts_with("3\t") && stderr.is_empty(), "{stdout}{stderr}");
    let (code, stdout, stderr) = building(dir.path(), &["solve", "cube3", "R U F", "--method", "optimal"]);
    assert!(code == 0 && stdout == "3\tF' U' R'\n" && !stderr.contains("Building "), "{stdout}{stderr}");
}

/// One of them builds the table, the others wait for it.
#[test]
fn processes_that_ask_an_empty_store_at_once_are_all_answered() {
    let dir = store();
    let ask = |_| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_twistbase"));
        command.args(["query", "cube2", "R U F", "--detail", "brief"]).env("TWISTBASE_STORE", dir.path());
        command.env("TWISTBASE_BUILD", "auto").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(ask).collect();
    for child in children {
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(status.success() && stdout.contains("distance   3 moves"), "{stdout}{stderr}");
    }
}

#[test]
fn nothing_is_built_where_that_is_not_wanted() {
    let dir = store();
    for (args, variable) in [
        (vec!["query", SMALL, "/", "--no-build"], "auto"),
        (vec!["query", SMALL, "/"], "never"),
        (vec!["solve", "cube3", "R"], "never"),
        (vec!["coset", "R", "--no-build"], "auto"),
        (vec!["coset", "cover", "R"], "never"),
        (vec!["coset", "count", "--depth", "1", "--metric", "qtm"], "never"),
        (vec!["coset", "run", "--range", "0..1", "-S", "3", "-d", "3"], "never"),
    ] {
        let Output { status, stderr, .. } =
            twistbase(dir.path(), &args).env("TWISTBASE_BUILD", variable).output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.code() == Some(4) && stderr.contains("run: twistbase build "), "{args:?}: {stderr}");
    }
    let names = dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    // Whoever adds results has locked them.
    assert!(names.into_iter().all(|name| name == "cosets.lock"));
    let Output { status, stderr, .. } =
        twistbase(dir.path(), &["query", SMALL, "/"]).env("TWISTBASE_BUILD", "yes").output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(status.code() == Some(2) && stderr.contains("set it to auto or never"), "{stderr}");
}

#[test]
fn nothing_is_built_for_what_is_no_position() {
    let dir = store();
    for command in ["query", "solve"] {
        for (puzzle, input) in [(SMALL, "(1,0)/(3,3)/X"), ("cube3", "R U Q"), ("cube2", "UUUX")] {
            let (code, _, stderr) = building(dir.path(), &[command, puzzle, input]);
            assert!(code == 3 && !stderr.contains("needed to answer"), "{command} {puzzle}: {stderr}");
        }
    }
    for args in [&["coset", "R U Q"][..], &["coset", "R", "-S", "5", "-d", "4"], &["coset", "cover", "R", "R U Q"]] {
        let (code, stdout, stderr) = building(dir.path(), args);
        assert!(
            [2, 3].contains(&code) && stdout.is_empty() && !stderr.contains("needed to answer"),
            "{args:?}: {stderr}"
        );
    }
    assert_eq!(dir.path().read_dir().unwrap().count(), 0);
}

/// That is the table of phase 1 in the metric of the question.
#[test]
#[ignore = "long suite: builds phase1 twice, and phase1-qtm"]
fn what_cosets_need_is_built() {
    let dir = store();
    let (code, stdout, stderr) = building(dir.path(), &["coset", "cover", "F1R1U2"]);
    assert!(code == 0 && stdout.starts_with("F1R1U2\tcoset 54089517\t"), "{stdout}{stderr}");
    assert!(stderr.contains("Building phase1 (needed to answer this) ..."), "{stderr}");
    let solve = ["coset", "F1R1U2", "-S", "4", "-d", "4", "--mode", "set"];
    let (code, stdout, stderr) = building(dir.path(), &solve);
    assert!(code == 0 && stdout.contains("exact to depth 4") && !stderr.contains("Building "), "{stdout}{stderr}");
    // What is known needs no table.
    std::fs::remove_file(dir.path().join("phase1.redb")).unwrap();
    let (code, stdout, stderr) = building(dir.path(), &solve);
    assert!(code == 0 && stdout.contains("from the store") && !stderr.contains("Building "), "{stdout}{stderr}");
    let (code, _, stderr) =
        building(dir.path(), &["coset", "run", "--range", "0..1", "-S", "3", "-d", "3", "--mode", "set"]);
    assert!(code == 0 && stderr.contains("Building phase1 (needed to answer this) ..."), "{stderr}");
    let count = ["coset", "count", "--depth", "1", "--range", "0..1000", "--metric", "qtm"];
    let (code, _, stderr) = building(dir.path(), &count);
    assert!(code == 0 && stderr.contains("Building phase1-qtm (needed to answer this) ..."), "{stderr}");
}

/// A table of a family, of which one is chosen by its size, is only built when it is asked for.
#[test]
fn large_tables_of_a_family_are_left_to_be_asked_for() {
    let dir = store();
    let (code, _, stderr) = building(dir.path(), &["query", "cube3", "R", "--table", "nx-eo3-ep4-htm"]);
    assert!(code == 4 && stderr.contains("run: twistbase build nx-eo3-ep4-htm"), "{stderr}");
    assert_eq!(run(dir.path(), &["tables"]).0, 0);
}
