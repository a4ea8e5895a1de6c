//! Every line of every command with `--json` against its schema.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::cube2::CUBE2;
use super::square1::{Notation, Puzzle};
use super::{SMALL, object, run, run_json, small_store, store, twistbase};
use crate::support::cube3::coset_store;
use crate::support::program::Run;
use crate::support::{CUBE3, CUBE21};

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "schema", "json"].iter().collect()
}

fn schema(name: &str) -> Value {
    let text = fs::read_to_string(folder().join(format!("{name}.json"))).expect(name);
    serde_json::from_str(&text).expect(name)
}

pub fn validator(name: &str) -> Validator {
    jsonschema::draft202012::new(&schema(name)).expect(name)
}

/// Checks that lines are as a schema says, and that the schema notices what is missing or too much in them.
pub fn check(name: &str, lines: &[Value]) {
    let validator = validator(name);
    assert!(!lines.is_empty(), "{name}");
    for line in lines {
        let errors: Vec<String> =
            validator.iter_errors(line).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:?} in {line}");
        let mut more = line.clone();
        more["surprise"] = json!(1);
        assert!(!validator.is_valid(&more), "{name} allows anything");
        let mut less = line.clone();
        let subject = ["input", "table", "puzzle", "items", "plan", "log", "depth", "orbits"]
            .into_iter()
            .find(|&member| line.get(member).is_some());
        less.as_object_mut().unwrap().remove(subject.unwrap());
        assert!(!validator.is_valid(&less), "{name} does not demand {subject:?}");
    }
}

/// The objects in `text`, one a line.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(object).collect()
}

/// Standard output of a command that reads `input`, as objects.
fn piped(dir: &std::path::Path, args: &[&str], input: &str) -> Vec<Value> {
    let output = twistbase(dir, &[args, &["--json"]].concat()).output_of(input).unwrap();
    objects(&String::from_utf8(output.stdout).unwrap())
}

#[test]
fn schemas_are_schemas_and_describe_everything() {
    fn walk(name: &str, value: &Value) {
        if let Some(properties) = value["properties"].as_object() {
            assert_eq!(value["additionalProperties"], false, "{name}");
            for (key, property) in properties {
                assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}");
                assert!(property["type"] != "integer" || property["minimum"].is_i64(), "{name}: {key} has no least");
            }
        }
        match value {
            Value::Object(members) => members.values().for_each(|member| walk(name, member)),
            Value::Array(items) => items.iter().for_each(|item| walk(name, item)),
            _ => {}
        }
    }
    let index = fs::read_to_string(folder().join("../README.md")).unwrap();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let schema = schema(name);
        jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(schema["$id"], format!("urn:twistbase:json:{name}"));
        walk(name, &schema);
        assert!(index.contains(&format!("(json/{name}.json)")), "{name} is not in schema/README.md");
    }
}

#[test]
fn the_index_of_formats_names_every_file() {
    let folder = folder().join("..");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    for (folder, prefix) in [(folder.clone(), ""), (folder.join("decisions"), "decisions/")] {
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_named =
                index.contains(&format!("({prefix}{name})")) || index.contains(&format!("({prefix}{name}/)"));
            assert!(is_named || name == "README.md", "{prefix}{name} is not in schema/README.md");
        }
    }
}

#[test]
fn the_design_s_least_members_are_demanded() {
    let required = |schema: &Value| -> BTreeSet<String> {
        schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let has = |name: &str, least: &[&str]| {
        let required = required(&schema(name));
        assert!(least.iter().all(|&member| required.contains(member)), "{name}: {required:?}");
    };
    has("query", &["input", "puzzle", "metric", "distance"]);
    has("solution", &["input", "length", "metric", "solution"]);
    has("error", &["input", "error"]);
    let error = required(&schema("error")["properties"]["error"]);
    assert!(["code", "message", "at"].iter().all(|&member| error.contains(member)));
}

#[test]
fn tables_builds_and_their_checks() {
    let dir = store();
    let ok = |args: &[&str]| {
        let (code, lines, stderr) = run_json(dir.path(), args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        lines
    };
    check("puzzle", &ok(&["puzzles"]));
    check("table", &ok(&["tables"]));
    check("build", &ok(&["build", SMALL]));
    check("build", &ok(&["build", SMALL]));
    check("table", &ok(&["tables"]));
    check("stats", &ok(&["stats", SMALL]));
    check("stats", &ok(&["stats", SMALL, "--rows"]));
    check("stats", &ok(&["stats", SMALL, "--row", "7", "--log"]));
    check("verify", &ok(&["verify"]));
    check("prove", &ok(&["prove", SMALL]));
    check("prove-wca", &ok(&["prove", SMALL, "--metric", "wca"]));
    check("cache-status", &ok(&["cache", "status"]));
    check("cache-warm", &ok(&["cache", "warm"]));
    check("cache-status", &ok(&["cache", "status", SMALL]));
    check("cache-drop", &ok(&["cache", "drop"]));
    exports(dir.path());
    check("random", &ok(&["random", "cube21", "-n", "50"]));
    check("random", &ok(&["random", "square1", "-n", "5", "--walk", "3"]));
    check("remove", &ok(&["remove", SMALL]));
}

/// Every command about tables that were built to a depth.
#[test]
fn tables_that_were_built_to_a_depth() {
    let (dir, folder) = (store(), tempfile::tempdir().unwrap());
    let ok = |args: &[&str]| {
        let (code, lines, stderr) = run_json(dir.path(), args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        lines
    };
    for depth in ["0", "4", "3"] {
        check("build", &ok(&["build", SMALL, "--depth", depth]));
    }
    check("table", &ok(&["tables"]));
    check("stats", &ok(&["stats", SMALL]));
    check("stats", &ok(&["stats", SMALL, "--rows"]));
    check("verify", &ok(&["verify", "--deep"]));
    check("query", &ok(&["query", SMALL, "(1,0)/(3,3)/"]));
    let far = "(1,0)/(3,3)/(-3,0)/(3,0)/(-1,2)/(3,0)/(1,1)/(2,0)/(3,0)/";
    let (code, lines, stderr) = run_json(dir.path(), &["query", SMALL, far, "--no-exact"]);
    assert_eq!((code, lines.len()), (4, 0));
    check("error", &objects(stderr.lines().last().unwrap()));
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    check("export", &ok(&["export", SMALL, "-o", &path("x.jsonl")]));
    let metadata: Value = object(&fs::read_to_string(path("x.jsonl.meta.json")).unwrap());
    check("export-metadata", &[metadata]);
    check("export", &ok(&["export", SMALL, "--raw", "-o", &path("x.twraw")]));
    check("import", &ok(&["import", &path("x.twraw")]));
    check("cache-warm", &ok(&["cache", "warm"]));
    fs::write(dir.path().join(format!("{SMALL}.redb")), []).unwrap();
    drop(twistbase::store::Store::open(dir.path()).build(
        twistbase::tables::find("phase2").unwrap().layout(),
        Some(5),
        false,
        &twistbase::context::Context::silent(),
    ));
    let planned = ok(&["rebuild", "phase2", "--dry-run"]);
    assert_eq!(planned[0]["depth"], 5);
    check("rebuild", &planned);
    check("build", &ok(&["build", "phase2", "--depth", "5"]));
    for position in ["R2 U", "R2 U F2 D L2 U'", "R2 U F2 D L2 U' B2 D2 R2 U F2 D'", "R U"] {
        let (_, lines, stderr) = run_json(dir.path(), &["query", "cube3", position]);
        match lines.is_empty() {
            true => check("error", &objects(stderr.lines().last().unwrap())),
            false => check("query", &lines),
        }
    }
}

#[test]
fn everything_about_the_2x2x2_cube() {
    let ok = |args: &[&str]| {
        let (code, lines, stderr) = run_json(&CUBE2, args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        lines
    };
    for metric in ["htm", "qtm"] {
        check("query", &ok(&["query", "cube2", "R U2 F' L", "--metric", metric]));
        check("query", &piped(&CUBE2, &["query", "cube2", "-", "--metric", metric], "R\nwca:\n"));
        check("solution", &ok(&["query", "cube2", "R U2 F' R2 U", "--solutions", "--metric", metric]));
        check("solution", &ok(&["solve", "cube2", "wca:", "--metric", metric]));
        check("random", &ok(&["random", "cube2", "--walk", "9", "--metric", metric]));
    }
    check("solution", &piped(&CUBE2, &["solve", "cube2", "-"], "R\nwca:\n"));
    check("random", &ok(&["random", "cube2", "-n", "20"]));
    check("random", &ok(&["random", "cube2", "-n", "5", "--scramble"]));
    check("stats", &ok(&["stats", "cube2", "--row", "7"]));
    check("verify", &ok(&["verify", "cube2", "--deep"]));
    let args = ["export", "cube2", "-o", "-", "--format", "jsonl", "--levels", "..2", "--solution", "all"];
    let (code, text, stderr) = run(&CUBE2, &args);
    assert_eq!(code, 0, "{stderr}");
    let records = objects(&text);
    let validator = validator("export-record");
    let errors: Vec<_> = records.iter().filter(|record| !validator.is_valid(record)).collect();
    assert!(errors.is_empty() && records.len() == 64, "{errors:?}");
}

/// Every kind of export of [`SMALL`], what is in its files, and an import.
fn exports(store: &std::path::Path) {
    let folder = tempfile::tempdir().unwrap();
    let export = |name: &str, options: &[&str]| {
        let path = folder.path().join(name);
        let (code, lines, stderr) =
            run_json(store, &[&["export", SMALL, "-o", path.to_str().unwrap()], options].concat());
        assert_eq!(code, 0, "{name}: {stderr}");
        check("export", &lines);
        fs::read(path).unwrap()
    };
    let is_valid = |name: &str, value: &Value| {
        let errors: Vec<String> = validator(name).iter_errors(value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?} in {value}");
    };
    let all = "index,row,entry,position,distance,value,count,solution,solutions";
    let options = ["--columns", all, "--sample", "20", "--levels", "..7", "--rows", "3..", "--limit", "9"];
    let records = objects(std::str::from_utf8(&export("some.jsonl", &options)).unwrap());
    assert_eq!(records.len(), 20);
    records.iter().for_each(|record| is_valid("export-record", record));
    let metadata = fs::read(folder.path().join("some.jsonl.meta.json")).unwrap();
    check("export-metadata", &[serde_json::from_slice(&metadata).unwrap()]);
    export("some.csv.zst", &["--rows", "7"]);
    export("some.parquet", &["--rows", "7"]);
    export("some.twraw", &["--raw"]);
    let shapes = folder.path().join("shapes.json");
    let (code, lines, _) = run_json(store, &["export", "shapes", "-o", shapes.to_str().unwrap()]);
    assert_eq!(code, 0);
    check("export", &lines);
    is_valid("shapes", &serde_json::from_slice(&fs::read(shapes).unwrap()).unwrap());
    let raw = folder.path().join("some.twraw");
    check("import", &run_json(store, &["import", raw.to_str().unwrap()]).1);
    check("import", &run_json(store, &["import", raw.to_str().unwrap(), "--force"]).1);
}

#[test]
fn levels_that_are_numbered_otherwise() {
    let dir = crate::support::CUBE21.path();
    check("stats", &run_json(dir, &["stats", "cube21"]).1);
    check("table", &run_json(dir, &["tables"]).1);
    check("build", &run_json(dir, &["build", "cube21"]).1);
    check("query", &run_json(dir, &["query", "cube21", "(1,0)/(3,3)/(-1,5)/"]).1);
}

/// The numbers of solutions are those of the list, and what each move does is what the next question tells.
#[test]
fn answers_in_the_metric_of_the_world_cube_association() {
    let dir = CUBE21.path();
    let ok = |args: &[&str]| {
        let (code, lines, stderr) = run_json(dir, args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        lines
    };
    for position in ["01234567-89ABCDEF", "wca:x2", "(2,0)", "/", "(1,0)/(3,3)/(-1,5)/", "09BA3621-D457CF8E"] {
        for options in [&[][..], &["--middle"], &["--detail", "brief"], &["--notation", "cube21"]] {
            let answers = ok(&[&["query", "cube21", position, "--metric", "wca"], options].concat());
            check("query", &answers);
            assert_eq!((&answers[0]["metric"], &answers[0]["middle_goal"]), (&"wca".into(), &"square".into()));
            assert!(answers[0].get("level").is_none());
        }
        let answer = ok(&["query", "cube21", position, "--metric", "wca"]).remove(0);
        let solutions = ok(&["query", "cube21", position, "--metric", "wca", "--solutions"]);
        check("solution", &solutions);
        assert_eq!(answer["solutions"], solutions.len());
        assert!(solutions.iter().all(|solution| solution["length"] == answer["distance"]), "{answer}");
        let solved = ok(&["solve", "cube21", position, "--metric", "wca"]);
        check("solution", &solved);
        assert_eq!(solved[0], solutions[0]);
    }
    let twists = ok(&["query", "cube21", "(1,0)/(3,3)/", "--metric", "twists"]);
    assert_eq!(twists, ok(&["query", "cube21", "(1,0)/(3,3)/"]));
    for (puzzle, position, metric, has) in [
        ("cube3", "R", "wca", "htm, qtm"),
        ("cube2", "R", "twists", "htm, qtm"),
        ("cube3", "R", "face", "htm, qtm"),
        ("cube21", "/", "htm", "twists, wca, face"),
        (SMALL, "/", "qtm", "twists, wca, face"),
    ] {
        for command in ["query", "solve"] {
            let (code, _, stderr) = run(dir, &[command, puzzle, position, "--metric", metric]);
            assert_eq!(code, 2, "{stderr}");
            let why = format!("--metric {metric} does not apply to the puzzle {puzzle} (");
            assert!(stderr.contains(&why) && stderr.contains(&format!("choose from: {has}")), "{stderr}");
        }
    }
}

/// Solutions that are searched for in face turns, and what a budget leaves of that.
#[test]
fn solutions_in_face_turns() {
    let dir = CUBE21.path();
    let positions = [("wca:", 0), ("(3,0)/(0,3)", 3), ("wca:x2", 6), ("01234567-89ABCDEF/", 6), ("(1,1)", 2)];
    for (position, moves) in positions {
        for options in [&[][..], &["--middle"], &["--notation", "cube21"], &["--time", "1m", "--max-nodes", "1000000"]]
        {
            let (code, lines, stderr) =
                run_json(dir, &[&["solve", "cube21", position, "--metric", "face"], options].concat());
            assert_eq!((code, lines.len()), (0, 1), "{position}: {stderr}");
            check("solution", &lines);
            let told = ["length", "at_least", "metric", "middle_goal"].map(|name| lines[0][name].clone());
            assert_eq!(told, [json!(moves), json!(moves), json!("face"), json!("square")], "{position}");
        }
    }
    let far = "09BA3621-D457CF8E";
    let (code, text, stderr) = run(dir, &["solve", "cube21", far, "--metric", "face"]);
    assert_eq!(code, 0, "{stderr}");
    let exact = run_json(dir, &["solve", "cube21", far, "--metric", "face"]).1.remove(0);
    assert_eq!(exact["at_least"], exact["length"]);
    let mut puzzle = Puzzle::from_hex(far);
    let (length, moves) = text.trim_end().split_once('\t').unwrap();
    puzzle.apply(moves, Notation::Wca);
    assert!(puzzle.is_solved_as("cube21") && !puzzle.kite, "{text}");
    assert_eq!(length, exact["length"].to_string());
    // What is known by then is a bound, and a solution that is longer or not proved to be shortest.
    let spent = ["solve", "cube21", far, "--metric", "face", "--max-nodes"];
    let (code, lines, stderr) = run_json(dir, &[&spent[..], &["1"]].concat());
    assert_eq!((code, lines.len()), (7, 0), "{lines:?}");
    assert!(stderr.contains("no solution found: at least ") && stderr.contains("(face)"), "{stderr}");
    let nodes = (exact["nodes"].as_u64().unwrap() - 1).to_string();
    let (code, lines, stderr) = run_json(dir, &[&spent[..], &[&nodes]].concat());
    check("solution", &lines);
    if code != 0 {
        assert_eq!(code, 7, "{stderr}");
        assert!(stderr.contains("limit reached; the best solution so far has "), "{stderr}");
        assert!(stderr.contains(&format!("at least {} moves (face)", lines[0]["at_least"])), "{stderr}");
    }
    assert!(lines[0]["at_least"].as_u64() <= exact["length"].as_u64());
    assert!(lines[0]["length"].as_u64() >= exact["length"].as_u64());
    let answers = piped(dir, &["solve", "cube21", "-", "--metric", "face"], &format!("{far}\n(1,1)\nbad\n"));
    check("solution", &answers[..2]);
    check("error", &answers[2..]);
    assert_eq!((&answers[0]["length"], &answers[1]["length"]), (&exact["length"], &2.into()));
    // A lower bound is no distance: what is asked of a look-up is refused.
    for refused in [&["query"][..], &["query", "--solutions"]] {
        let args = [&refused[..1], &["cube21", far, "--metric", "face"], &refused[1..]].concat();
        let (code, _, stderr) = run(dir, &args);
        assert!(code == 2 && stderr.contains("use solve"), "{stderr}");
    }
    for options in [&["--results", "r"][..], &["--as-finished"], &["--target", "9"], &["--goal", "/"], &["--all"]] {
        let (code, _, stderr) = run(dir, &[&["solve", "cube21", "/", "--metric", "face"], options].concat());
        assert!(code == 2 && stderr.contains(options[0]), "{options:?}: {stderr}");
    }
    for options in [&["--time", "1s"][..], &["--max-nodes", "9"]] {
        let (code, _, stderr) = run(dir, &[&["solve", "cube21", "/", "--metric", "wca"], options].concat());
        assert!(code == 2 && stderr.contains(options[0]), "{options:?}: {stderr}");
    }
}

#[test]
fn answers_about_positions() {
    let dir = small_store();
    for options in [&[][..], &["--middle"], &["--detail", "brief"], &["--notation", "cube21", "--middle"]] {
        for position in ["01234567-89ABCDEF", "01234567-89ABCDEF/", "(1,0)/(3,3)/", "index:123456"] {
            let (code, lines, _) = run_json(dir.path(), &[&["query", SMALL, position], options].concat());
            assert_eq!(code, 0);
            check("query", &lines);
        }
    }
    for options in [&[][..], &["--middle"], &["--shapes"], &["--limit", "2", "--notation", "cube21"]] {
        let args = [&["query", SMALL, "(1,0)/(3,3)/(-1,5)/", "--solutions"], options].concat();
        check("solution", &run_json(dir.path(), &args).1);
    }
    for position in ["01234567-89ABCDEF", "x2", "/", "(1,0)/(3,3)/(-1,5)/"] {
        check("solution", &run_json(dir.path(), &["solve", SMALL, position, "--middle"]).1);
    }
    let positions: String = run(dir.path(), &["random", SMALL, "-n", "300"]).1;
    let answers = piped(dir.path(), &["query", SMALL, "-"], &positions);
    assert_eq!(answers.len(), 300);
    check("query", &answers);
    check("query", &piped(dir.path(), &["query", SMALL, "-", "--detail", "full"], &positions));
    check("solution", &piped(dir.path(), &["solve", SMALL, "-"], &positions));
}

#[test]
fn answers_about_the_cube() {
    let dir = CUBE3.as_path();
    let ok = |args: &[&str]| {
        let (code, lines, stderr) = run_json(dir, args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        lines
    };
    for position in ["wca:", "R2 U F2 D"] {
        check("query", &ok(&["query", "cube3", position]));
        check("query", &ok(&["query", "cube3", position, "--table", "phase1"]));
        check("query", &ok(&["query", "cube3", position, "--detail", "brief"]));
        check("solution", &ok(&["solve", "cube3", position]));
        check("solution", &ok(&["solve", "cube3", position, "--goal", "F2", "--max-nodes", "9", "--quiet"]));
    }
    check("query", &ok(&["query", "cube3", "R2 U", "--table", "phase2"]));
    for options in [&["--method", "phase2"][..], &["--method", "two-phase"], &["--metric", "qtm"]] {
        check("solution", &ok(&[&["solve", "cube3", "R2 U F2"], options].concat()));
    }
    let optimal = ["solve", "cube3", "--method", "optimal"];
    for options in [
        &["wca:"][..],
        &["R U F2", "--all", "--goal", "L"],
        &["U2 D2 R2", "--metric", "qtm", "--extra", "2", "--limit", "9"],
    ] {
        check("optimal-cube3", &ok(&[&optimal, options].concat()));
    }
    let hard = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
    check("optimal-cube3", &run_json(dir, &[&optimal[..], &[hard, "--max-nodes", "99"]].concat()).1);
    for options in [&["--max-depth", "9"][..], &["--extra", "1", "--limit", "9", "--goal", "U"]] {
        let lines = format!("R U\n{}\nwca:\n", if options.len() == 2 { hard } else { "R2 D" });
        check("optimal-cube3", &piped(dir, &[&optimal[..], &["-"], options].concat(), &lines));
    }
    check("error", &piped(dir, &[&optimal[..], &["-"]].concat(), "nonsense\n"));
    let positions = run(dir, &["random", "cube3", "-n", "3", "--seed", "1"]).1;
    check("solution", &piped(dir, &["solve", "cube3", "-"], &positions));
    check("query", &piped(dir, &["query", "cube3", "-"], &positions));
    check("random", &ok(&["random", "cube3", "-n", "9"]));
    check("random", &ok(&["random", "cube3", "-n", "9", "--in-h"]));
    check("random", &ok(&["random", "cube3", "--walk", "5", "--metric", "qtm"]));
    check("random", &ok(&["random", "cube3", "-n", "2", "--scramble"]));
    check("stats", &ok(&["stats", "phase1", "--entries"]));
    check("stats", &ok(&["stats", "phase2", "--row", "9"]));
    check("table", &ok(&["tables"]));
    check("build", &ok(&["build", "phase1", "phase2"]));
}

#[test]
fn answers_about_cosets() {
    let (store, (shards, _)) = (coset_store(), super::cosets::kept_shards());
    let out = shards.path().to_str().unwrap();
    let ok = |args: &[&str]| {
        let (code, lines, stderr) = run_json(store.path(), &[&["coset"], args].concat());
        assert_eq!(code, 0, "{args:?}: {stderr}");
        lines
    };
    check("coset", &ok(&["F1R1U2", "-S", "4", "-d", "4"]));
    check("coset", &ok(&["F1R1U2", "-S", "4", "-d", "4"]));
    let lines = piped(store.path(), &["coset", "-", "-S", "4", "-d", "4"], "F1R1U2\nQ\n");
    check("coset", &lines[..1]);
    check("error", &lines[1..]);
    check("coset", &ok(&["run", "--range", "0..2", "-S", "4", "-d", "4", "--force"]));
    check("coset-count", &ok(&["count", "--depth", "2"]));
    check("coset-merge", &ok(&["merge", out]));
    check("coset", &ok(&["list"]));
    check("coset", &ok(&["show", "1"]));
    check("coset-total", &ok(&["total"]));
    check("coset-cover", &ok(&["cover"]));
    check("coset-of-cover", &ok(&["cover", "0", "F1R1U2"]));
    let cover = shards.path().join("cover.bin");
    let search = ["cover", "--search", "--steps", "1000", "-o", cover.to_str().unwrap()];
    check("coset-cover-search", &ok(&search));
    let (code, _, stderr) = run(store.path(), &[&["coset"], &search[..]].concat());
    assert!(code == 2 && stderr.contains("cover.bin exists already; --force replaces it"), "{stderr}");
    for command in ["verify", "rebuild"] {
        let lines = |code, args: &[&str]| {
            let (found, lines, stderr) = run_json(store.path(), &[&[command, "cosets"], args].concat());
            assert_eq!(found, code, "{stderr}");
            lines
        };
        check(command, &lines(0, &[]));
        super::cosets::damage_records(store.path());
        let lines = lines(4, &[]);
        assert!(lines.len() + lines[0]["rows"].as_array().map_or(0, Vec::len) > 2);
        check(command, &lines);
        super::cosets::mend_records(store.path());
    }
    check("coset", &objects(&run(store.path(), &["coset", "export", "--format", "jsonl"]).1));
    let (code, _, stderr) = run_json(store.path(), &["coset", "show", "R U"]);
    assert_eq!(code, 4);
    check("error", &objects(&stderr));
}

#[test]
fn farms_that_are_not_there() {
    let dir = store();
    let more = ["--failures-per-node-hour", "0.1", "--task-failures", "0.1", "--price", "0.05", "--most-files", "20"];
    for options in [&["--nodes", "9"][..], &more] {
        let (code, lines, stderr) =
            run_json(dir.path(), &[&["farm", "simulate", "--cosets", "1,5000"], options].concat());
        assert_eq!((code, lines.len()), (0, 2), "{stderr}");
        check("farm-simulate", &lines);
    }
    let (code, _, stderr) = run_json(dir.path(), &["farm", "simulate", "--nodes", "0", "--efficiency", "2"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("0 nodes") && stderr.contains("efficiency 2"), "{stderr}");
    check("error", &objects(&stderr));
}

#[test]
fn errors() {
    let dir = small_store();
    let many = "x".repeat(11_000);
    let cases: &[&[&str]] = &[
        &["nonsense"],
        &["query", SMALL],
        &["query", SMALL, "u' m D'"],
        &["query", SMALL, "01234567-89ABCDEE"],
        &["query", SMALL, "(1,0)/(2,0)/(x"],
        &["query", SMALL, "index:99999999999"],
        &["query", SMALL, &many],
        &["query", "square1", "/"],
        &["build", "square1", "--memory", "1M"],
        &["verify", "square1"],
        &["random", SMALL, "--form", "moves"],
        &["query", SMALL, "/", "--metric", "qtm"],
        &["query", "cube3", "R"],
        &["query", "cube3", "R U R3"],
        &["solve", "cube3", "R"],
    ];
    for args in cases {
        let (code, stdout, stderr) = run(dir.path(), &[*args, &["--json"]].concat());
        assert!(code != 0 && stdout.is_empty(), "{args:?}");
        check("error", &objects(&stderr));
    }
    check("error", &piped(dir.path(), &["query", SMALL, "-"], "nonsense\n1\n(1,0)/(1,0)/\nAAA\u{e9}\n"));
}

#[test]
fn lines_of_the_log() {
    let dir = store();
    let question = ["query", SMALL, "(1,0)/(3,3)/", "--json"];
    let building = twistbase(dir.path(), &question).env("TWISTBASE_BUILD", "auto").output().unwrap();
    let told = objects(&String::from_utf8(building.stderr).unwrap());
    check("log", &told);
    assert!(told.iter().any(|line| line["log"]["message"] == format!("Building {SMALL} (needed to answer this) ...")));
    assert_eq!(run(dir.path(), &["cache", "warm", SMALL, "--quiet"]).0, 0);
    for entry in fs::read_dir(dir.path().join("cache").join(SMALL)).unwrap() {
        // Its head says what it is.
        fs::write(entry.unwrap().path(), [7; 9000]).unwrap();
    }
    let (code, stdout, stderr) = run(dir.path(), &question);
    assert!(code == 0 && !stdout.is_empty());
    let told = objects(&stderr);
    check("log", &told);
    assert!(told.iter().all(|line| line["log"]["level"] == "warning"), "{stderr}");
    assert!(told[0]["log"]["about"]["path"].as_str().is_some_and(|path| path.contains(SMALL)), "{stderr}");
}

#[test]
fn explanations_of_every_table() {
    let dir = store();
    for table in twistbase::TableId::all() {
        let (code, lines, stderr) = run_json(dir.path(), &["stats", table.name(), "--explain"]);
        assert_eq!(code, 0, "{stderr}");
        check("explain", &lines);
        let steps = lines[0]["steps"].as_array().unwrap();
        assert_eq!(steps.last().unwrap()["count"], lines[0]["entries"], "{table}");
        let (code, text, _) = run(dir.path(), &["stats", table.name(), "--explain"]);
        assert!(code == 0 && text.lines().count() == steps.len() + 2, "{text}");
    }
}

#[test]
fn faults_that_verify_finds() {
    let dir = small_store();
    super::reading::damage(&dir.path().join("square1-corners.redb"));
    let (code, lines, stderr) = run_json(dir.path(), &["verify"]);
    assert_eq!(code, 4);
    assert!(lines.len() > 1);
    check("verify", &lines);
    // Where that takes long, a line of progress comes before.
    check("error", &objects(stderr.lines().last().unwrap()));
    check("table", &run_json(dir.path(), &["tables"]).1);
}

#[test]
fn scenes() {
    let dir = store();
    for (puzzle, moves) in [("cube3", "R U2 F'"), ("cube2", "R U2 F'"), ("square1", "/(3,0)/"), ("cube21", "/(3,0)/")] {
        let (code, lines, stderr) = run_json(dir.path(), &["picture", puzzle, "wca:", "--moves", moves]);
        assert_eq!(code, 0, "{stderr}");
        check("scene", &lines);
    }
}
