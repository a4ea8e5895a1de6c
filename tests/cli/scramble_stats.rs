//! `stats --scrambles`, beside `query`, `analyze` and a plain search.

use std::fs;

use serde_json::{Value, json};

use super::goals::{GOALS, of_lines, oriented_edges, text, walks};
use super::schemas::check;
use super::{run, run_json, store, twistbase};
use crate::support::program::Run;
use twistbase_testing::labels::{ALL_MOVES, after, distances};

/// The numbers of each distance.
fn counted(distances: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut counts = Vec::new();
    for distance in distances {
        counts.resize(counts.len().max(distance as usize + 1), 0);
        counts[distance as usize] += 1;
    }
    counts
}

#[test]
fn scrambles_are_counted_as_their_distances_are() {
    let mut scrambles = walks(150);
    scrambles.push("R2 U2 F2".to_owned());
    let folder = store();
    let [from, csv, jsonl, parquet] = ["s.txt", "d.csv", "d.jsonl", "d.parquet"].map(|name| folder.path().join(name));
    fs::write(&from, format!("# comment\n\n{}\n", scrambles.join("\n"))).unwrap();
    let goals = ["cross", "cross:any", "eo:UD", "dr", "dr:any", "half-turns"];
    let list = goals.join(",");
    let args = |output: &std::path::Path| {
        let args = ["stats", "--scrambles", from.to_str().unwrap(), "--goals", &list, "-o", output.to_str().unwrap()];
        args.map(str::to_owned).to_vec()
    };
    let run = |output: &std::path::Path| {
        let args = args(output);
        let (code, lines, stderr) = run_json(&GOALS, &args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains("151 scrambles in"), "{stderr}");
        lines
    };
    let counts = run(&jsonl);
    check("stats-scrambles", &counts);
    let lines: Vec<Value> =
        fs::read_to_string(&jsonl).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().map(|line| text(line, "scramble")).eq(scrambles.iter().map(String::as_str)));

    let analyses = of_lines(&["analyze", "cube3", "-"], &scrambles);
    let dr = |analysis: &Value, any: bool| -> Option<u64> {
        let dr = analysis["goals"].as_array().unwrap().iter().find(|goal| goal["goal"] == "dr").unwrap();
        let sides = if any { &["UD", "FB", "RL"][..] } else { &["UD"] };
        sides.iter().map(|side| dr["normal"][side].as_u64().unwrap()).min()
    };
    let labels = oriented_edges("UD", "RL");
    let edges = distances(&labels, ALL_MOVES);
    for (goal, counts) in goals.iter().zip(&counts) {
        let expected: Vec<Option<u64>> = match *goal {
            "dr" | "dr:any" => analyses.iter().map(|analysis| dr(analysis, *goal == "dr:any")).collect(),
            "eo:UD" => scrambles.iter().map(|scramble| Some(edges[&after(&labels, scramble)] as u64)).collect(),
            _ => {
                let answers = of_lines(&["query", "cube3", "-", "--goal", goal], &scrambles);
                answers.iter().map(|answer| answer["distance"].as_u64()).collect()
            }
        };
        let column = goal.replace([':', '-'], "_");
        assert!(lines.iter().map(|line| line[&column].as_u64()).eq(expected.iter().copied()), "{goal}");
        let levels = counted(expected.iter().flatten().copied());
        let found = counts["levels"].as_array().unwrap().iter().map(|level| level["positions"].as_u64().unwrap());
        assert!(found.eq(levels), "{counts}");
        let reached = expected.iter().flatten().count() as u64;
        assert_eq!((&counts["positions"], &counts["unreached"]), (&json!(151), &json!(151 - reached)), "{goal}");
        let mean = expected.iter().flatten().sum::<u64>() as f64 / reached as f64;
        assert!((counts["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{counts}");
    }

    assert_eq!(run(&csv), counts);
    let written = fs::read_to_string(&csv).unwrap();
    assert!(written.starts_with("scramble,cross,cross_any,eo_UD,dr,dr_any,half_turns\n"), "{written}");
    assert!(written.lines().last().unwrap().starts_with("R2 U2 F2,"), "{written}");
    assert_eq!(written.lines().count(), 152);
    assert_eq!(run(&parquet), counts);
    assert!(fs::read(&parquet).unwrap().ends_with(b"PAR1"));
}

#[test]
fn counts_for_people() {
    let (mut command, scrambles) = (twistbase(&GOALS, &["stats", "--scrambles", "-"]), "R U\nF\nF R\n");
    let output = command.output_of(scrambles).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = printed.lines().map(words).collect();
    let expected = ["distance cross eo dr", "0 0 1 0", "1 2 1 1", "2 1 1 2", "mean 1.3333 1.0000 1.6667"];
    assert_eq!(lines[..5], expected, "{printed}");
    assert_eq!(lines[5], "3 scrambles, in moves (htm)");
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let folder = store();
    let there = folder.path().join("there.csv");
    fs::write(&there, "x").unwrap();
    let (there, new) = (there.to_str().unwrap(), folder.path().join("new.csv"));
    for (args, input, code, words) in [
        (&["--goals", "eo,crozz"][..], "R", 2, "choose from: cross, xcross"),
        (&["--goals", "dr:URF"], "R", 2, "for a side"),
        (&["-o", there], "R", 2, "--force replaces it"),
        (&["-o", "x.txt"], "R", 2, "x.txt has no known extension: name the file .parquet, .csv or .jsonl\n"),
        (&["--rows"], "R", 2, "--rows"),
        (&["-o", new.to_str().unwrap()], "R\nR U?\nF", 3, "U?"),
        (&[], "# R\n\nR U?\nF", 3, "not a valid list of scrambles: \"standard input\"\n  line 3: R U?: "),
    ] {
        let args = [&["stats", "--scrambles", "-"], args].concat();
        let output = twistbase(&GOALS, &args).output_of(input).unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && stderr.contains(words), "{args:?}: {stderr}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    let list: String =
        (1..=3000).map(|line| if line % 250 == 0 { format!("R{line}x\n") } else { "R\n".into() }).collect();
    let file = folder.path().join("list.txt");
    fs::write(&file, list).unwrap();
    let (code, text, stderr) = run(&GOALS, &["stats", "--scrambles", file.to_str().unwrap()]);
    let lines: Vec<&str> = stderr.lines().collect();
    assert!((code, text.as_str(), lines.len()) == (3, "", 12) && lines[0].contains("list.txt\""), "{stderr}");
    for (line, number) in lines[1..11].iter().zip((250..).step_by(250)) {
        assert!(line.starts_with(&format!("  line {number}: R{number}x: ")), "{stderr}");
    }
    assert_eq!(lines[11], "  and 2 more");
    assert!(run(&GOALS, &["stats"]).2.contains("TABLE"));
    assert_eq!(run(&GOALS, &["stats", "--scrambles", "/nowhere/x"]).0, 6);
}
