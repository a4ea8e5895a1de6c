//! Puzzles from definition files: `twistbase puzzle`.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::schemas::check;
use super::{run, run_json, store};

/// The pyraminx without its tips.
pub fn pyraminx() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/puzzles/pyraminx.tws")
}

#[test]
fn a_definition_shows_what_follows_from_it() {
    let (dir, file) = (store(), pyraminx());
    let args = ["puzzle", "show", file.to_str().unwrap()];
    let (code, text, stderr) = run(dir.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    let expected = "\
name        pyraminx
orbits      CORNER: 4 pieces, 3 orientations
            EDGE: 6 pieces, 2 orientations
moves       U (3) L (3) R (3) B (3), as 8 turns
group order 933,120
positions   933,120
symmetries  24
";
    assert_eq!(text, expected);
    let (_, lines, _) = run_json(dir.path(), &args);
    check("definition", &lines);
    assert_eq!((&lines[0]["group_order"], &lines[0]["symmetries"]), (&json!("933120"), &json!(24)));
    // Both forms are read back as the same puzzle.
    for form in ["--tws", "--kpuzzle"] {
        let written = dir.path().join(form);
        fs::write(&written, run(dir.path(), &[&args[..], &[form]].concat()).1).unwrap();
        assert_eq!(run(dir.path(), &["puzzle", "show", written.to_str().unwrap()]).1, expected, "{form}");
    }
}

#[test]
fn positions_near_solved_are_counted() {
    let (dir, file) = (store(), pyraminx());
    let args = ["puzzle", "levels", file.to_str().unwrap(), "--depth", "4"];
    let (code, text, stderr) = run(dir.path(), &args);
    let numbers: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        (code, numbers[0].clone(), numbers.last().unwrap().clone()),
        (0, vec!["depth", "positions", "total"], vec!["4", "1,728", "2,073"])
    );
    assert_eq!(stderr, "");
    let (_, lines, _) = run_json(dir.path(), &args);
    check("definition-level", &lines);
    assert_eq!(lines[3], json!({ "depth": 3, "positions": 288, "total": 345 }));
    // Too little memory: what was counted is printed, and the status says that it is not all.
    let (code, text, stderr) = run(dir.path(), &["puzzle", "levels", file.to_str().unwrap(), "--memory", "20K"]);
    assert!(code == 7 && text.contains("48") && stderr.contains("takes more than 20.0 kB of memory"), "{text}{stderr}");
}

#[test]
fn a_wrong_definition_is_refused_with_its_lines() {
    let dir = store();
    let file = dir.path().join("wrong.tws");
    fs::write(&file, fs::read_to_string(pyraminx()).unwrap().replace("Set EDGE 6 2", "Set EDGE 5 2")).unwrap();
    let (code, text, stderr) = run(dir.path(), &["puzzle", "show", file.to_str().unwrap()]);
    assert!(
        code == 3 && text.is_empty() && stderr.contains("line 13: 6 numbers where 5 are expected"),
        "{code}: {stderr}"
    );
    let (code, _, stderr) = run(dir.path(), &["puzzle", "show", "/nowhere.tws"]);
    assert!(code == 6 && stderr.contains("cannot read /nowhere.tws"), "{code}: {stderr}");
}
