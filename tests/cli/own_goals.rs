//! Goals of a definition that nobody else knows, from its file to every front.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::schemas::check;
use super::{run, run_json, store};
use crate::defined::TRAPDOOR;

/// Adds the trapdoor with two goals as the puzzle `loft` to a store, and builds the table of one.
pub fn add_loft(dir: &Path) {
    let file = dir.join("loft.tws");
    fs::write(&file, TRAPDOOR).unwrap();
    let json = run(dir, &["puzzle", "show", file.to_str().unwrap(), "--kpuzzle"]).1;
    let goals = r#","goals":{"roof":"only TILE-l0,TILE-l4","ring":"ignore TILE,LAMP"}}"#;
    let file = dir.join("loft.json");
    fs::write(&file, format!("{}{goals}", json.trim_end().strip_suffix('}').unwrap())).unwrap();
    for args in [&["puzzle", "add", file.to_str().unwrap()][..], &["build", "loft-roof"]] {
        let (code, _, stderr) = run(dir, args);
        assert_eq!(code, 0, "{stderr}");
    }
}

#[test]
fn a_definition_of_ones_own_has_goals() {
    let dir = store();
    add_loft(dir.path());
    let (_, shown, _) = run_json(dir.path(), &["puzzle", "show", "loft"]);
    check("definition", &shown);
    assert_eq!(shown[0]["goals"][1], json!({ "goal": "ring", "restriction": "ignore TILE,LAMP" }));
    let text = run(dir.path(), &["puzzle", "show", "loft"]).1;
    assert!(text.contains("goals       roof: only TILE-l0,TILE-l4\n            ring: ignore TILE,LAMP\n"), "{text}");
    let (_, puzzles, _) = run_json(dir.path(), &["puzzles"]);
    check("puzzle", &puzzles);
    assert!(puzzles.iter().any(|info| info["puzzle"] == "loft" && info["goals"] == json!(["roof", "ring"])));
    assert!(puzzles.iter().all(|info| info["puzzle"] != "loft-roof"));
    // By its name, and in its words: the same answers but for the name and the place in the table.
    let ask = |args: &[&str], goal: &str| {
        let (code, mut lines, stderr) = run_json(dir.path(), &[args, &["--goal", goal]].concat());
        assert_eq!(code, 0, "{stderr}");
        lines.iter_mut().for_each(|line| assert_eq!(line["goal"].take(), goal));
        lines
    };
    for args in [
        &["query", "loft", "A B2 L A"][..],
        &["query", "loft", "A B2 L A", "--solutions"],
        &["solve", "loft", "A B2 L A"],
    ] {
        assert_eq!(ask(args, "roof"), ask(args, "only TILE-l0,TILE-l4"), "{args:?}");
    }
    let (_, lines, _) = run_json(dir.path(), &["query", "loft", "A B2 L A", "--goal", "roof"]);
    check("query", &lines);
    let (_, solutions, _) = run_json(dir.path(), &["query", "loft", "A B2 L A", "--goal", "roof", "--solutions"]);
    check("solution", &solutions);
    assert_eq!(solutions.len() as u64, lines[0]["solutions"].as_u64().unwrap());
    // A search finds as many moves, and the table has the positions that are counted without one.
    let (_, searched, _) =
        run_json(dir.path(), &["solve", "loft", "A B2 L A", "--goal", "roof", "--limit", "1", "--all"]);
    assert_eq!(searched[0]["length"], lines[0]["distance"]);
    let (_, levels, _) = run_json(dir.path(), &["puzzle", "levels", "loft", "--goal", "roof"]);
    let (_, stats, stderr) = run_json(dir.path(), &["stats", "loft-roof"]);
    let counted: Vec<_> = levels.iter().map(|level| level["positions"].clone()).collect();
    let stored: Vec<_> = stats[0]["levels"]
        .as_array()
        .unwrap_or_else(|| panic!("{stderr}"))
        .iter()
        .map(|level| level["positions"].clone())
        .collect();
    assert_eq!(counted, stored);
    // Without a name no table is left behind.
    let mut tables: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    tables.retain(|name| name.to_string_lossy().ends_with(".redb"));
    assert_eq!(tables, ["loft-roof.redb"]);
    // The file says which goals have tables; a changed file is read anew.
    let sizes = fs::read_to_string(dir.path().join("puzzles/loft.sizes")).unwrap();
    assert!(sizes.lines().nth(1).unwrap().starts_with("roof ring "), "{sizes}");
    let file = dir.path().join("puzzles/loft.json");
    let changed = fs::read_to_string(&file).unwrap().replace("\"ring\":\"ignore", "\"hoop\":\"ignore");
    fs::write(&file, changed).unwrap();
    assert_eq!(run(dir.path(), &["build", "loft-hoop"]).0, 0);
    assert_eq!(run(dir.path(), &["query", "loft", "A", "--goal", "hoop"]).0, 0);
    assert_eq!(run(dir.path(), &["query", "loft", "A", "--goal", "ring"]).0, 2);
}

#[test]
fn puzzles_too_large_for_a_table_have_goals() {
    let dir = store();
    for (args, words) in [
        (&["solve", "megaminx", "U R F' BR", "--goal", "star"][..], "4\t"),
        (&["query", "megaminx", "U R F' BR", "--goal", "star"], "distance   4 moves"),
        (&["query", "domino", "U R", "--goal", "ignore CENTER"], "distance   2 moves"),
        (&["puzzle", "levels", "megaminx", "--goal", "star", "--depth", "1"], "\n    1"),
        (&["puzzle", "show", "megaminx"], "star: only UF,UR,UBR,UBL,UL"),
        (&["build", "fto-corners"], "fto-corners"),
        (&["query", "fto", "U R", "--goal", "corners"], "distance   2 moves"),
    ] {
        let (code, out, stderr) = run(dir.path(), args);
        assert!(code == 0 && out.contains(words), "{args:?}: {out}{stderr}");
    }
    for (args, words) in [
        (&["solve", "megaminx", "U", "--goal", "starr"][..], "did you mean star?"),
        (&["query", "fto", "U", "--goal", "only UF,UQ"], "\"UQ\" is no piece"),
        (&["puzzle", "levels", "megaminx", "--goal", "star", "--only", "UF"], "cannot be used with"),
        (&["stats", "megaminx"], "megaminx has no table, but megaminx-block has; query and solve search "),
    ] {
        let (code, _, stderr) = run(dir.path(), args);
        assert!(code == 2 && stderr.contains(words), "{args:?}: {stderr}");
    }
}
