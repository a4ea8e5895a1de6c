//! Puzzles from definition files: `twistbase puzzle`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::schemas::check;
use super::{run, run_json, store, twistbase};
use crate::defined::TRAPDOOR;
use crate::support::program::Run;

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

/// An index that is none is refused by its range, and one that no moves lead to as it was typed.
#[test]
fn indices_are_refused_as_they_were_typed() {
    let dir = store();
    assert_eq!(run(dir.path(), &["build", "dino", "-q"]).0, 0);
    for (index, part) in [
        ("39916800", "table dino has the indices 0 to 39916799"),
        ("99999999999999999999999999", "table dino has the indices 0 to 39916799"),
        ("-1", "expected an index from 0 to 39916799, in decimal digits"),
        ("30000000", "not a valid position: \"index:30000000\"\n  the moves do not lead to this position"),
    ] {
        let position = format!("index:{index}");
        let (code, _, stderr) = run(dir.path(), &["query", "dino", &position]);
        assert!(code == 3 && stderr.contains(part) && !stderr.contains("EDGE"), "{index}: {stderr}");
        let (code, _, stderr) = run(dir.path(), &["query", "dino", &position, "--solutions"]);
        assert!(code == 3 && stderr.contains(part), "{index}: {stderr}");
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

/// A count in files: its levels are those without, also when it is asked for again, to another depth.
#[test]
fn positions_are_counted_in_files() {
    let dir = store();
    let work = dir.path().join("work");
    let args = ["puzzle", "levels", "pancake-8", "--work", work.to_str().unwrap()];
    let (_, whole, _) = run_json(dir.path(), &args[..3]);
    for depth in ["6", "4", "20"] {
        let (code, lines, stderr) = run_json(dir.path(), &[&args[..], &["--depth", depth]].concat());
        let count = whole.len().min(depth.parse::<usize>().unwrap() + 1);
        assert_eq!((code, &lines[..]), (0, &whole[..count]), "{stderr}");
    }
    assert_eq!(fs::read_dir(&work).unwrap().count(), 4);
    let solved_up_to = ["puzzle", "levels", "cube2", "--up-to", "U", "--work", work.to_str().unwrap()];
    let (code, _, stderr) = run(dir.path(), &solved_up_to);
    assert!(code == 2 && stderr.contains("cannot be counted in files (--work)"), "{code}: {stderr}");
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
    // Of 9 GB of nothing no more is read than it takes to refuse them.
    fs::File::create(&file).unwrap().set_len(9 << 30).unwrap();
    let (code, _, stderr) = run(dir.path(), &["puzzle", "show", file.to_str().unwrap()]);
    assert!(code == 3 && stderr.contains("a definition has at most 8388608 bytes"), "{code}: {stderr}");
}

/// From a file that nothing knew to answers: what a user does with a puzzle of their own.
#[test]
fn a_puzzle_that_is_added_is_built_and_asked() {
    let dir = store();
    let file = dir.path().join("My Trapdoor.tws");
    fs::write(&file, TRAPDOOR).unwrap();
    let path = file.to_str().unwrap();
    let (code, text, stderr) = run(dir.path(), &["puzzle", "add", path]);
    assert!(code == 0 && text.starts_with("my-trapdoor: added\n"), "{text}{stderr}");
    assert!(text.ends_with("twistbase build my-trapdoor\n"), "{text}");
    // Again is no error.
    let (code, lines, stderr) = run_json(dir.path(), &["puzzle", "add", path, "--name", "my-trapdoor"]);
    assert_eq!(code, 0, "{stderr}");
    check("table", &lines);
    let (_, lines, _) = run_json(dir.path(), &["puzzles"]);
    check("puzzle", &lines);
    assert!(lines.iter().any(|line| line["puzzle"] == "my-trapdoor" && line["title"] == "Trapdoor"));
    // Every command knows it now.
    let (code, text, stderr) = run(dir.path(), &["puzzle", "show", "my-trapdoor"]);
    assert!(code == 0 && text.contains("A (6) B (6) L (3), as 12 turns"), "{text}{stderr}");
    let (_, _, stderr) = run(dir.path(), &["query", "my-trapdoor", "A B2 L", "--no-build"]);
    assert!(stderr.contains("twistbase build my-trapdoor"), "{stderr}");
    let (code, lines, stderr) = run_json(dir.path(), &["build", "my-trapdoor"]);
    assert_eq!(code, 0, "{stderr}");
    check("build", &lines);
    let (_, lines, _) = run_json(dir.path(), &["stats", "my-trapdoor"]);
    check("stats", &lines);
    let levels = lines[0]["levels"].as_array().unwrap();
    let (_, counted, _) = run_json(dir.path(), &["puzzle", "levels", path]);
    let numbers = |levels: &[Value]| levels.iter().map(|level| level["positions"].clone()).collect::<Vec<_>>();
    assert_eq!(numbers(levels), numbers(&counted));
    // The sizes of its table are kept beside it. What does not fit is not used.
    let sizes = dir.path().join("puzzles/my-trapdoor.sizes");
    let kept = fs::read_to_string(&sizes).unwrap();
    for wrong in ["", "9 9 9 9\n", &format!("9{kept}"), &kept.replace(' ', "  ")] {
        fs::write(&sizes, wrong).unwrap();
        assert_eq!(run(dir.path(), &["verify", "my-trapdoor"]).0, 0, "{wrong:?}");
    }
    fs::write(&sizes, kept).unwrap();

    let (code, text, stderr) = run(dir.path(), &["query", "my-trapdoor", "A B2 L"]);
    assert!(
        code == 0 && text.contains("\n  distance   3 moves\n") && text.contains("\n  solutions  1 shortest\n"),
        "{text}{stderr}"
    );
    let (_, lines, _) = run_json(dir.path(), &["query", "my-trapdoor", "A B2 L"]);
    check("query", &lines);
    let position = lines[0]["position"].to_string();
    let (_, solutions, _) = run_json(dir.path(), &["query", "my-trapdoor", &position, "--solutions"]);
    check("solution", &solutions);
    assert_eq!(solutions.len(), 1);
    let (_, solved, _) = run_json(dir.path(), &["solve", "my-trapdoor", &position]);
    assert_eq!((&solved[0]["solution"], &solved[0]["length"]), (&solutions[0]["solution"], &json!(3)));
    let (_, text, _) = run(dir.path(), &["random", "my-trapdoor", "-n", "5", "--seed", "3"]);
    let (_, lines, _) = run_json(dir.path(), &["random", "my-trapdoor", "-n", "5", "--seed", "3", "--walk", "4"]);
    check("random", &lines);
    let (_, lines, _) = run_json(dir.path(), &["random", "my-trapdoor", "--scramble", "-n", "5"]);
    check("random", &lines);
    let asked = twistbase(dir.path(), &["query", "my-trapdoor", "-"]).output_of(text.clone()).unwrap();
    assert!(asked.status.success());
    assert_eq!(String::from_utf8(asked.stdout).unwrap().lines().count(), 5);
    let (code, text, stderr) = run(
        dir.path(),
        &["export", "my-trapdoor", "--format", "csv", "--columns", "position,distance,solution", "-o", "-"],
    );
    assert!(code == 0 && text.contains("\"solution\"") | text.starts_with("position,distance,solution\n"), "{stderr}");
    assert_eq!(text.lines().count() as u64, 1 + lines_total(levels));
    let (code, _, stderr) = run(dir.path(), &["verify", "my-trapdoor", "--deep"]);
    assert_eq!(code, 0, "{stderr}");
    for (args, part) in [
        (&["query", "my-trapdoor", "A Q B'"][..], "\"Q\" is no move of this puzzle; choose from: A B"),
        (&["query", "my-trapdoor", "A", "--metric", "htm"], "choose from: moves"),
        (&["picture", "my-trapdoor", "A"], "has no geometry, and so no pictures"),
        (
            &["puzzle", "show", "pancake-0"],
            "\"pancake-0\" is no file and no puzzle that is known; twistbase help puzzle",
        ),
        (&["puzzle", "show", "Megamink"], "that is known; did you mean megaminx? twistbase help puzzle lists all"),
        (&["puzzle", "add", "pyraminx"], "\"pyraminx\" means something else already"),
        (&["puzzle", "add", "cube3", "--name", "fto", "--moves", "R2,U2"], "\"fto\" means something else already"),
    ] {
        let (code, _, stderr) = run(dir.path(), args);
        assert!(matches!(code, 2 | 3) && stderr.contains(part), "{args:?} {code}: {stderr}");
    }
    // Another store does not know it.
    let other = store();
    assert_eq!(run(other.path(), &["query", "my-trapdoor", "A"]).0, 2);
    let (code, text, _) = run(dir.path(), &["puzzle", "remove", "my-trapdoor"]);
    assert!(code == 0 && text.starts_with("my-trapdoor: removed; its table stays: "), "{text}");
    assert_eq!(run(dir.path(), &["query", "my-trapdoor", "A"]).0, 2);
    // A definition that changed makes the table stale.
    fs::write(&file, TRAPDOOR.replace("2 3 1 4 5", "3 1 2 4 5")).unwrap();
    assert_eq!(run(dir.path(), &["puzzle", "add", path]).0, 0);
    let (code, _, stderr) = run(dir.path(), &["query", "my-trapdoor", "A", "--no-build"]);
    assert!(code == 4 && stderr.contains("build my-trapdoor"), "{code}: {stderr}");
    // A file that was damaged is named.
    fs::write(dir.path().join("puzzles/my-trapdoor.json"), "{}\n").unwrap();
    let (code, _, stderr) = run(dir.path(), &["query", "cube2", "R"]);
    assert!(code == 6 && stderr.contains("my-trapdoor.json"), "{code}: {stderr}");
}

fn lines_total(levels: &[Value]) -> u64 {
    levels.iter().map(|level| level["positions"].as_u64().unwrap()).sum()
}

/// From one line to pictures and answers.
#[test]
fn a_geometry_is_a_puzzle_with_pictures() {
    let dir = store();
    let line = "c v 0 hold UFR";
    let (code, text, stderr) = run(dir.path(), &["puzzle", "show", "--geometry", line]);
    assert!(
        code == 0 && text.starts_with("geometry    c v 0 hold UFR\norbits      CORNER: 4 pieces"),
        "{text}{stderr}"
    );
    let (_, lines, _) = run_json(dir.path(), &["puzzle", "show", "--geometry", line]);
    check("definition", &lines);
    assert_eq!((&lines[0]["geometry"], &lines[0]["group_order"]), (&json!(line), &json!("3149280")));
    let (code, svg, _) = run(dir.path(), &["puzzle", "show", "--geometry", line, "--svg"]);
    assert!(code == 0 && svg.starts_with("<svg ") && svg.contains("id=\"CORNER2-l0-o2\""), "{svg}");
    assert_eq!(svg.matches("<path id=").count() + svg.matches("<path fill=\"#").count(), 30, "{svg}");

    let (code, text, stderr) = run(dir.path(), &["puzzle", "add", "my-skewb", "--geometry", line]);
    assert!(code == 0 && text.starts_with("my-skewb: added\n"), "{text}{stderr}");
    let (_, lines, _) = run_json(dir.path(), &["puzzles"]);
    let added = lines.iter().find(|line| line["puzzle"] == "my-skewb").expect("it is listed");
    assert_eq!((&added["title"], &added["has_pictures"]), (&json!("my-skewb"), &json!(true)));
    assert_eq!(run(dir.path(), &["build", "my-skewb"]).0, 0);
    let (code, lines, stderr) = run_json(dir.path(), &["query", "my-skewb", "DBR UBL' DFL"]);
    assert!(code == 0 && lines[0]["distance"] == 3, "{stderr}");
    let args = ["picture", "my-skewb", "DBR", "--moves", "UBL' DFL"];
    let (code, lines, stderr) = run_json(dir.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    check("scene", &lines);
    assert_eq!((lines[0]["steps"].as_array().unwrap().len(), lines[0]["choices"].as_array().unwrap().len()), (2, 8));
    let (code, svg, _) = run(dir.path(), &["picture", "my-skewb", "DBR", "--view", "perspective"]);
    assert!(code == 0 && svg.starts_with("<svg "));
    // A file may have the line, and what puzzle show wrote has it.
    for (name, args) in [("line", &["puzzle", "show", "my-skewb", "--kpuzzle"][..]), ("text", &[])] {
        let file = dir.path().join(name);
        let text = if args.is_empty() { format!("{line}\n") } else { run(dir.path(), args).1 };
        fs::write(&file, text).unwrap();
        let (code, text, stderr) = run(dir.path(), &["puzzle", "show", file.to_str().unwrap()]);
        assert!(code == 0 && text.contains("geometry    c v 0 hold UFR\n"), "{text}{stderr}");
    }
    // Pieces that are left out are black.
    let (code, svg, _) = run(dir.path(), &["puzzle", "show", "pyraminx-duo", "--svg"]);
    assert!(code == 0 && !svg.contains("EDGE-l") && svg.contains("id=\"CENTER-l0-o0\""), "{svg}");
    assert_eq!(svg.matches("<path fill=\"#1a1a1a\"").count(), 12, "{svg}");
    for (args, code, part) in [
        (&["puzzle", "show", "--geometry", "c v 0 without X"][..], 3, "no orbit is called X; there are CORNER CORNER2"),
        (&["puzzle", "show", "--geometry", "c v 0 hold X"][..], 3, "no piece is called X"),
        (&["puzzle", "show", "pyraminx", "--geometry", "c v 0"], 2, "not both"),
        (&["puzzle", "show"], 2, "<FILE"),
        (&["puzzle", "add", "x", "--geometry", "c v 0", "--name", "y"], 2, "cannot be used with"),
        (&["puzzle", "add", "my-fto", "--geometry", "o f 0.333"], 2, "cannot be numbered: there are too many"),
        (&["puzzle", "show", pyraminx().to_str().unwrap(), "--svg"], 2, "no geometry"),
    ] {
        let (found, _, stderr) = run(dir.path(), args);
        assert!(found == code && stderr.contains(part), "{args:?} {found}: {stderr}");
    }
}

/// Puzzles of any size are solved by search, named, in a file or as a line.
#[test]
fn positions_are_solved_by_search() {
    let (dir, file) = (store(), pyraminx());
    let path = file.to_str().unwrap();
    for name in ["fto", "megaminx", "4x4x4", "cube3", "3x3", "domino", "2x3x4", "kilominx", "lse"] {
        let (code, text, stderr) = run(dir.path(), &["puzzle", "show", name]);
        assert!(code == 0 && text.starts_with("geometry "), "{name}: {text}{stderr}");
    }
    for (args, expected) in [
        (&[path, "U L' R B"][..], "4\tB' R' L U'\n"),
        (&["pancake-5", "5F 3F"], "2\t3F 5F\n"),
        (&["topspin-9-4", "R2 F"], "2\tF L2\n"),
        (&["2x3x4", "U2 R2"], "2\tR2 U2\n"),
        // With a table, too.
        (&["floppy", "R F2 L2", "--all", "--limit", "1"], "3\tL2 F2 R2\n"),
        (&["ivy", "R L'", "--max-depth", "4"], "2\tL R'\n"),
        (&["ivy", "", "--extra", "32", "--limit", "2"], "0\t\n8\tR L R' L D' L' D L'\n"),
        (&["ivy", "", "--all"], "0\t\n"),
        // What is left of a puzzle: its own steps, pieces that do not matter, longer solutions.
        (&["c f 0.333", "R F R' U2", "--goal", "ignore CORNER,EDGE:places"], "3\tU2 R F\n"),
        (&["c f 0.333", "R2 U", "--goal", "moves R,U quarter-turns", "--all"], "3\tU' R R\n3\tU' R' R'\n"),
        (&["c f 0.333", "R2 U", "--goal", "moves R2,U", "--extra", "7", "--limit", "2"], "2\tU' R2\n"),
        (&["c f 0.333", "F R' U", "--goal", "only DF,DR,DB,DL"], "2\tF' R\n"),
        (&["c f 0.333", "ScrambleAlg one\nR\nU2\nEnd\n"], "2\tU2 R'\n"),
    ] {
        let (code, text, stderr) = run(dir.path(), &[&["solve"][..], args].concat());
        assert!(text == expected && code == 0, "{args:?}: {text}{stderr}");
    }
    let fto = ["solve", "o f 0.333"];
    let (code, lines, stderr) = run_json(dir.path(), &[&fto[..], &["U R F L'", "--all"]].concat());
    assert_eq!((code, lines.len()), (0, 2), "{stderr}");
    check("solution", &lines[..1]);
    assert_eq!((&lines[0]["solution"], &lines[0]["puzzle"]), (&json!("L F' R' U'"), &json!("o f 0.333")));
    check("search", &lines[1..]);
    assert_eq!((&lines[1]["solutions"], &lines[1]["complete"]), (&json!(1), &json!(true)));
    let asked = twistbase(dir.path(), &[&fto[..], &["-"]].concat()).output_of("U R\nU Q\n\nsolved\n").unwrap();
    assert_eq!(asked.status.code(), Some(3));
    let text = String::from_utf8(asked.stdout).unwrap();
    assert_eq!(
        text,
        "U R\t2\tR' U'\nU Q\terror: \"Q\" is no move of this puzzle; choose from: U D F B R BL L BR\nsolved\t0\t\n"
    );
    let mut asked = twistbase(dir.path(), &["solve", "megaminx", "-", "--goal", "star", "--all"]);
    let text = String::from_utf8(asked.output_of("U R F' BR\nsolved\n").unwrap().stdout).unwrap();
    assert_eq!(text, "U R F' BR\t4\tF BR' R' U'\nU R F' BR\t4\tBR' R' F U'\nsolved\t0\t\n");
    // The flips of the edges: 2,048.
    let (_, lines, _) = run_json(dir.path(), &["puzzle", "levels", "cube3", "--ignore", "CORNER,EDGE:places"]);
    let counts: Vec<_> = lines.iter().map(|line| line["positions"].as_u64().unwrap()).collect();
    assert_eq!(counts, [1, 2, 25, 202, 620, 900, 285, 13]);
    for (args, code, part) in [
        (&["c f 0.333", "R", "--goal", "moves R,Q2"][..], 2, "\"Q2\" is no move; choose from: U"),
        (&["c f 0.333", "R", "--goal", "ignore CORNERS"], 2, "CORNERS is no orbit; there are CORNER EDGE"),
        (&["c f 0.333", "R", "--goal", "ignore EDGE:all"], 2, "after : comes places or orientations"),
        (&["c f 0.333", "R", "--goal", "only DF,DQ"], 2, "\"DQ\" is no piece; choose from: UFR"),
        (&["c f nine", "R"], 3, "nine"),
        (&["missing.tws", "R"], 6, "missing.tws"),
        (&["fto", "U R", "--limit", "3"], 2, "--limit needs --all or --extra"),
        (&["fto", "U R", "--target", "3"], 2, "--target does not apply to the puzzle fto"),
        (&["cube2", "U R", "--all"], 2, "--all does not apply to the puzzle cube2"),
        (&["cube3", "U R", "--memory", "1G"], 2, "--memory does not apply"),
        (&["fto", "U R F L' BR U' B L R' F' U BL", "--max-nodes", "1000"], 7, "limit reached; no solution found"),
        (&[path, "U L' R B", "--max-depth", "3"], 7, "no solution has at most 3 moves: at least 4 moves"),
        (&[path], 2, "<POSITION>"),
        (&[path, "Q"], 3, "\"Q\" is no move"),
    ] {
        let (found, _, stderr) = run(dir.path(), &[&["solve"][..], args].concat());
        assert!(found == code && stderr.contains(part), "{args:?} {found}: {stderr}");
    }
}

/// Questions about puzzles without a table: a near position has a distance, a far one a lower bound.
#[test]
fn large_puzzles_are_queried_by_search() {
    let dir = store();
    let ask = |args: &[&str]| {
        let (code, lines, stderr) = run_json(dir.path(), &[&["query"][..], args].concat());
        assert_eq!(code, 0, "{args:?}: {stderr}");
        check("query", &lines);
        lines
    };
    let near = &ask(&["fto", "U R F L'"])[0];
    assert_eq!([&near["distance"], &near["at_least"], &near["solutions"]], [&json!(4), &json!(4), &json!(1)]);
    assert_eq!(near["solution"], "L F' R' U'");
    let moves = near["moves"].as_array().unwrap();
    let nearer: Vec<_> = moves.iter().filter(|next| next["distance"] == 3).map(|next| &next["move"]).collect();
    assert_eq!((moves.len(), nearer), (16, vec![&json!("L")]));
    assert!(moves.iter().all(|next| next["at_least"].as_u64() >= Some(3)));
    // The same answer each time, also as a KPattern.
    let far = "U R F L' BR U' B L R' F' U BL L R D B";
    let (first, again) = (ask(&["fto", far]), ask(&["fto", far]));
    assert_eq!((&first[0]["distance"], &first), (&Value::Null, &again));
    let pattern = ask(&["fto", &first[0]["position"].to_string()]);
    assert_eq!(pattern[0]["at_least"], first[0]["at_least"]);
    let (code, text, _) = run(dir.path(), &["query", "fto", far]);
    assert!(code == 0 && text.contains("  distance   at least ") && text.contains("add --exact"), "{text}");
    let (code, text, stderr) = run(dir.path(), &["query", "fto", far, "--exact", "--max-nodes", "1000"]);
    assert!(code == 7 && text.contains("distance   at least ") && stderr.contains("limit reached"), "{text}{stderr}");
    let solutions = ask_solutions(dir.path(), &["fto", "U R D F L'"]);
    assert!(!solutions.is_empty() && solutions.iter().all(|line| line["length"] == 5), "{solutions:?}");
    assert_eq!(ask(&["fto", "U R D F L'"])[0]["solutions"], solutions.len());
    // Lines are looked up: a lower bound, unless a search is asked for.
    let lines = "U R\nsolved\nU Q\n";
    let asked = twistbase(dir.path(), &["query", "fto", "-"]).output_of(lines).unwrap();
    let text = String::from_utf8(asked.stdout).unwrap();
    assert!(text.starts_with("U R\t>=2\nsolved\t0\nU Q\terror: "), "{text}");
    let asked = twistbase(dir.path(), &["query", "fto", "-", "--exact"]).output_of(lines).unwrap();
    assert!(String::from_utf8(asked.stdout).unwrap().starts_with("U R\t2\nsolved\t0\nU Q\terror: "));
    // Other commands.
    let (code, walks, stderr) = run_json(dir.path(), &["random", "5x5", "--walk", "4", "--seed", "1", "-n", "2"]);
    assert_eq!((code, walks.len()), (0, 2), "{stderr}");
    check("random", &walks);
    let ended = &ask(&["5x5x5", walks[0]["moves"].as_str().unwrap(), "--no-exact"])[0];
    assert_eq!(ended["position"], walks[0]["position"]);
    let (code, svg, _) = run(dir.path(), &["picture", "megaminx", "U R"]);
    assert!(code == 0 && svg.starts_with("<svg"), "{svg}");
    for (args, part) in [
        (&["random", "fto", "--scramble"][..], "--scramble does not apply to the puzzle fto"),
        (&["picture", "pancake-9", "3F"], "pancake-9 has no geometry"),
        (&["query", "fto", "U", "--metric", "qtm"], "metric qtm does not apply to the puzzle fto"),
        (&["query", "fto", "U", "--table", "phase1"], "--table does not apply"),
        (&["build", "fto"], "fto has no table, but fto-corners has"),
    ] {
        let (code, _, stderr) = run(dir.path(), args);
        assert!(code == 2 && stderr.contains(part), "{args:?} {code}: {stderr}");
    }
}

/// The solutions that `query` lists.
fn ask_solutions(dir: &Path, args: &[&str]) -> Vec<Value> {
    let (code, lines, stderr) = run_json(dir, &[&["query"][..], args, &["--solutions"]].concat());
    assert_eq!(code, 0, "{stderr}");
    check("solution", &lines);
    lines
}

/// The half turns solve the rest: 29,400 cosets, as a table of its own.
#[test]
fn a_puzzle_is_solved_up_to_moves() {
    let dir = store();
    let left = ["cube3", "--moves", "U,D,R2,L2,F2,B2", "--up-to", "U2,D2,R2,L2,F2,B2"];
    let (code, lines, stderr) = run_json(dir.path(), &[&["puzzle", "show"], &left[..]].concat());
    assert_eq!((code, &lines[0]["positions"]), (0, &json!("29400")), "{stderr}");
    check("definition", &lines);
    let (_, lines, _) = run_json(dir.path(), &[&["puzzle", "levels"], &left[..]].concat());
    let counts: Vec<_> = lines.iter().map(|line| line["positions"].as_u64().unwrap()).collect();
    assert_eq!(counts, [1, 2, 9, 36, 124, 530, 1806, 3732, 5158, 7070, 7218, 3202, 488, 24]);
    let (code, _, stderr) = run(dir.path(), &[&["puzzle", "add", "--name", "htr"], &left[..]].concat());
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(run(dir.path(), &["-q", "build", "htr"]).0, 0);
    for (position, distance) in [("R2 U2 F2", 0), ("F2 R2 D2 U", 1), ("U R2 D F2 U", 5)] {
        let (_, lines, stderr) = run_json(dir.path(), &["query", "htr", position]);
        assert_eq!(lines[0]["distance"], distance, "{position}: {stderr}");
        // The position that it prints is of the same coset.
        let again = run_json(dir.path(), &["query", "htr", &lines[0]["position"].to_string()]).1;
        assert_eq!((&again[0]["index"], &again[0]["distance"]), (&lines[0]["index"], &lines[0]["distance"]));
        let goal = "moves U,D,R2,L2,F2,B2 up-to U2,D2,R2,L2,F2,B2";
        let solved = run(dir.path(), &["solve", "c f 0.333", position, "--goal", goal]).1;
        assert!(solved.starts_with(&format!("{distance}\t")), "{solved}");
    }
    for (sequences, part) in [
        ("U2,Q", "\"Q\" is no move; choose from: U"),
        ("U2,", "name the moves up to which it is solved"),
        ("U2,R2", "has more than 1048576 positions: give more such moves"),
    ] {
        let (code, _, stderr) = run(dir.path(), &["puzzle", "levels", "cube3", "--up-to", sequences]);
        assert!(code == 2 && stderr.contains(part), "{sequences} {code}: {stderr}");
    }
}
