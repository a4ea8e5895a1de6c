//! Options that cannot be what somebody means are refused, with what to give instead.

use std::fs;

use super::{SMALL, run, run_json, small_store, store};
use crate::support::program::command;

/// What a usage error says.
fn refused(dir: &std::path::Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = run(dir, args);
    assert!(code == 2 && stdout.is_empty(), "{args:?}: {code}: {stdout}{stderr}");
    stderr
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let dir = small_store();
    for budget in [["--time", "1s"], ["--max-nodes", "5"]] {
        let args = ["query", SMALL, "(1,0)/", "--no-exact", budget[0], budget[1]];
        assert!(refused(dir.path(), &args).contains("--no-exact"));
    }
    let args = ["query", SMALL, "(1,0)/", "--solutions", "--limit", "0"];
    assert!(refused(dir.path(), &args).contains("1.."));
    assert!(refused(dir.path(), &["coset", "export", "--format", "csv", "--json"]).contains("--format csv"));
}

/// An option that needs another one is refused without it, also where something else excludes that one.
#[test]
fn no_option_is_ignored() {
    let dir = small_store();
    for (args, option) in [
        (&["stats", SMALL, "-o", "x.csv"][..], "--output"),
        (&["stats", SMALL, "--goals", "cross"], "--goals"),
        (&["stats", SMALL, "--force"], "--force"),
        (&["query", SMALL, "(1,0)/", "--detail", "full", "--limit", "5"], "--limit"),
        (&["query", SMALL, "(1,0)/", "--detail", "brief", "--shapes"], "--shapes"),
        (&["coset", "cover", "5", "--steps", "5000"], "--steps"),
        (&["coset", "cover", "5", "-o", "x"], "--output"),
        (&["random", "cube3", "--in-h", "--metric", "qtm"], "--metric"),
    ] {
        assert!(refused(dir.path(), args).contains(option), "{args:?}");
    }
}

#[test]
fn numbers_that_a_check_does_not_draw_are_refused() {
    let dir = small_store();
    let deep = |table, option: [&'static str; 2]| ["verify", table, "--deep", option[0], option[1]];
    assert!(refused(dir.path(), &deep("cube2", ["--rows", "1"])).contains("--positions"));
    assert!(refused(dir.path(), &deep(SMALL, ["--positions", "5"])).contains("--rows"));
    assert_eq!(run(dir.path(), &deep(SMALL, ["--rows", "1"])).0, 0);
    // Of all tables each takes its own.
    assert_eq!(run(dir.path(), &["verify", "--deep", "--rows", "1", "--positions", "5"]).0, 0);
}

#[test]
fn errors_about_negative_numbers_name_the_possible_ones() {
    let dir = store();
    for args in
        [["random", "cube21", "-n", "-1"], ["random", "cube21", "--seed", "-5"], ["solve", "cube3", "--target", "-1"]]
    {
        let said = refused(dir.path(), &args);
        assert!(said.contains("invalid value '-"), "{said}");
    }
    let given = |number: &str| refused(dir.path(), &["random", "cube21", "-n", number]);
    for (number, expected) in [
        ("-1", "invalid value '-1' for '--count <N>': expected a whole number without a sign"),
        ("1e3", "a whole number without a sign"),
        ("99999999999999999999", "a smaller number"),
    ] {
        assert!(given(number).contains(expected), "{}", given(number));
    }
}

#[test]
fn puzzles_have_the_names_that_people_type() {
    let dir = small_store();
    let said = |name| run(dir.path(), &["picture", name, "wca:"]);
    for (name, puzzle) in [("3x3", "cube3"), ("333", "cube3"), ("rubik", "cube3"), ("2x2", "cube2"), ("222", "cube2")] {
        assert_eq!((said(name).0, said(name).1), (0, said(puzzle).1), "{name}");
    }
    for name in ["sq1", "square-1", "Square-1"] {
        assert_eq!((said(name).0, said(name).1), (0, said("square1").1), "{name}");
    }
    assert!(refused(dir.path(), &["picture", "4x4x", "wca:"]).contains("invalid value '4x4x'"));
    let (code, lines, stderr) = run_json(dir.path(), &["query", "sq1-corners", "/"]);
    assert_eq!((code, &lines[0]["puzzle"]), (0, &SMALL.into()), "{stderr}");
    let (code, lines, stderr) = run_json(dir.path(), &["stats", "SQ1-corners"]);
    assert_eq!((code, &lines[0]["table"]), (0, &SMALL.into()), "{stderr}");
}

#[test]
fn what_was_meant_is_suggested() {
    let dir = store();
    let said = refused(dir.path(), &["query", "cube3", "R", "U", "F"]);
    assert!(said.contains("twistbase query cube3 'R U F'"), "{said}");
    let said = refused(dir.path(), &["query", "cube3", "R", "U", "F", "--json"]);
    assert!(said.starts_with('{') && said.contains("twistbase query cube3 'R U F'"), "{said}");
    for (args, meant) in [
        (&["solve", "cube3", "R U F", "--optimal"][..], "--method optimal"),
        (&["query", "cube3", "--file", "positions.txt"], "query cube3 - < positions.txt"),
        (&["solve", "cube3", "--file", "positions.txt"], "solve cube3 - < positions.txt"),
        (&["solve", "cube3", "R", "--time", "abc"], "'--time <DURATION>': not a duration; write 500ms, 2s or 1m"),
        (&["solve", "cube3", "R", "--limit", "0"], "'--limit <N>': 0 would list nothing; write 1 or more"),
        (&["solve", "cube3", "R", "--limit", "few"], "'--limit <N>': not a whole number; write 1 or more"),
        (&["picture", "cube3", "R U F", "--colors", "wca"], "--colours"),
        (&["scramble"], "random PUZZLE --scramble"),
        (&["random", "square1", "--scrambles"], "random PUZZLE --scramble"),
    ] {
        let said = refused(dir.path(), args);
        assert!(said.contains(meant), "{args:?}: {said}");
    }
    for args in [&["stats", "nx-eo1"][..], &["build", "cube12"], &["solve", "cube3", "R", "--table", "nx"]] {
        let said = refused(dir.path(), args);
        assert!(said.lines().next().is_some_and(|line| line.contains("invalid value")), "{said}");
        assert!(said.contains("nx-*]") || said.contains("'twistbase tables --all' lists all tables"), "{said}");
        assert!(said.matches("nx-eo").count() <= 5 && said.lines().all(|line| line.len() < 200), "{said}");
    }
}

#[test]
fn a_memory_limit_that_is_too_small_is_reported() {
    for table in ["nx-eo1-ep1-htm", "nx-eo2-ep1-qtm", "cube21", "cube2", "cube21-endings", "huge"] {
        let (code, _, stderr) = run(store().path(), &["build", table, "--memory", "10K"]);
        assert!(code == 7 && stderr.contains("a memory limit of 10.0 kB is too small"), "{table}: {stderr}");
    }
}

/// Only tables whose rows follow from others can be checked by a farm.
#[test]
fn farms_check_what_they_can() {
    let dir = store();
    let said = refused(dir.path(), &["farm", "plan", "verify", "phase1", "--to", "farm"]);
    assert!(said.contains("square1-corners"), "{said}");
    let (code, _, said) = run(dir.path(), &["farm", "status", dir.path().to_str().unwrap()]);
    assert!(code == 4 && said.contains("the farm is missing") && !said.contains("table farm"), "{said}");
}

#[test]
fn what_is_not_a_raw_export_is_no_table() {
    let dir = store();
    let file = dir.path().join("far.csv");
    fs::write(&file, "position,distance\n").unwrap();
    let (code, lines, stderr) = run_json(dir.path(), &["import", file.to_str().unwrap()]);
    let error: serde_json::Value = serde_json::from_str(&stderr).unwrap();
    assert!(code == 4 && lines.is_empty() && error["error"]["data"]["table"] == "raw", "{stderr}");
    let (_, _, said) = run(dir.path(), &["import", file.to_str().unwrap()]);
    assert!(said.contains("the raw export is foreign") && !said.contains("--output far.csv"), "{said}");
}

/// The help that cannot be written is an error like any output.
#[test]
fn help_that_cannot_be_written_is_told() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut help = command();
    let ended = help.arg("help").stdout(full).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.code() == Some(6) && said.contains("standard output"), "{said}");
}

/// A command that is advised works on the store of the command that failed.
#[test]
fn advice_names_the_store() {
    let dir = store();
    let folder = dir.path().to_str().unwrap();
    let mut query = command();
    let query = query.env_remove("TWISTBASE_STORE").args(["--store", folder, "--no-build", "query", "cube2", "R"]);
    let ended = query.output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains(&format!("run: twistbase build cube2 --store {folder}")), "{said}");
}
