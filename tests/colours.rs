//! The cube in three colours against stickers, which know nothing of pieces and symmetries.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use twistbase::puzzle::cube3::Metric;
use twistbase::tables::known_three_colours;

use crate::cli::schemas::check;
use crate::cli::{run, run_json, store};
use crate::support::golden;
use twistbase_testing::stickers::Stickers;

/// 54 stickers of three colours, two bits each.
type Colours = u128;

/// For each move that counts one, where the sticker on each facelet comes from.
fn moves(metric: &str) -> Vec<[usize; 54]> {
    let powers: &[&str] = if metric == "htm" { &["", "2", "'"] } else { &["", "'"] };
    let turns = "URFDLB".chars().flat_map(|face| powers.iter().map(move |power| format!("{face}{power}")));
    let from = |turn: String| {
        let letters: Vec<char> = ('0'..).take(54).collect();
        let mut stickers = Stickers::of(&letters.iter().collect::<String>());
        stickers.apply(&turn);
        let moved: Vec<char> = stickers.to_string().chars().collect();
        std::array::from_fn(|facelet| letters.iter().position(|&letter| letter == moved[facelet]).unwrap())
    };
    turns.map(from).collect()
}

fn pack(facelets: &str) -> Colours {
    let colour = |letter| "UDRLFB".find(letter).unwrap() as u128 / 2;
    facelets.chars().rev().fold(0, |packed, letter| packed << 2 | colour(letter))
}

fn turned(colours: Colours, from: &[usize; 54]) -> Colours {
    from.iter().rev().fold(0, |packed, &from| packed << 2 | colours >> (2 * from) & 3)
}

/// All that some moves lead to, level by level.
fn levels(start: Colours, moves: &[[usize; 54]], depth: usize) -> Vec<Vec<Colours>> {
    let (mut known, mut levels) = (HashSet::from([start]), vec![vec![start]]);
    for _ in 0..depth {
        let neighbours = levels.last().unwrap().iter().flat_map(|&at| moves.iter().map(move |from| turned(at, from)));
        let next: Vec<Colours> = neighbours.filter(|&next| known.insert(next)).collect();
        levels.push(next);
    }
    levels
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// Counts of the program to a depth, with the distances of some positions, and what the plain search says of both. What the program
/// says of its work, in half and in quarter turns.
fn compare(dir: &Path, depth: usize, positions: &Path) -> [String; 2] {
    ["htm", "qtm"].map(|metric| {
        let moves = moves(metric);
        let solved = pack(&Stickers::solved().to_string());
        let plain = levels(solved, &moves, depth);
        let plain_counts: Vec<u64> = plain.iter().map(|level| level.len() as u64).collect();
        let (depth, cubes) = (depth.to_string(), positions.to_str().unwrap());
        let args =
            ["prove", "cube3-colours", "--metric", metric, "--depth", &depth, "--memory", "3G", "--positions", cubes];
        let (code, lines, stderr) = run_json(dir, &args);
        assert_eq!(code, 0, "{stderr}");
        check("prove-colours", &lines);
        let report = &lines[0];
        assert_eq!(numbers(&report["positions"]["counts"]), plain_counts);
        assert!(report["holds"] == true && report["complete"] == false, "{report}");
        for probe in report["probes"].as_array().unwrap() {
            let at = pack(&Stickers::after(probe["input"].as_str().unwrap()).to_string());
            let expected = plain.iter().position(|level| level.contains(&at));
            assert_eq!(probe["distance"].as_u64(), expected.map(|distance| distance as u64), "{probe}");
        }
        stderr
    })
}

/// An empty store, and a file of positions in it.
fn beside_positions(positions: &[String]) -> (TempDir, PathBuf) {
    let dir = store();
    let cubes = dir.path().join("cubes");
    fs::write(&cubes, positions.join("\n")).unwrap();
    (dir, cubes)
}

/// Sequences of moves, few enough that some end near solved.
fn sequences(count: usize) -> Vec<String> {
    let turn = |number: usize| format!("{}{}", &"URFDLB"[number % 6..][..1], ["", "2", "'"][number / 7 % 3]);
    (0..count)
        .map(|first| (0..1 + first % 7).map(|at| turn(first * 31 + at * at * 5)).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
#[ignore = "long: rows of 9 MB, nearly all of them"]
fn full_positions_to_six_moves_are_those_of_stickers() {
    let (dir, cubes) = beside_positions(&sequences(300));
    compare(dir.path(), 6, &cubes);
}

/// A count that was stopped continues with the next distance, and with the same request only. The one in quarter turns begins at solved.
#[test]
fn positions_near_solved_are_those_of_stickers_and_a_count_continues() {
    let (dir, cubes) = beside_positions(&sequences(40));
    let count = |more: &[&str]| {
        run(dir.path(), &[&["prove", "cube3-colours", "--depth", "2", "--memory", "3G"], more].concat())
    };
    let farthest = dir.path().join("farthest");
    let (code, stdout, stderr) =
        count(&["--positions", cubes.to_str().unwrap(), "--farthest", farthest.to_str().unwrap()]);
    assert!(
        code == 0 && stdout.contains("Counted up to 2 moves") && stderr.contains("distance 1: 6 positions"),
        "{stdout}{stderr}"
    );
    let found = fs::read_to_string(&farthest).unwrap();
    let second = levels(pack(&Stickers::solved().to_string()), &moves("htm"), 2).remove(2);
    assert!(found.lines().count() > 0 && found.lines().all(|line| second.contains(&pack(line))), "{found}");
    let [continued, begun] = compare(dir.path(), 3, &cubes);
    assert!(!continued.contains("distance 2:") && continued.contains("distance 3:"), "{continued}");
    assert!(begun.contains("distance 1:"), "{begun}");
    let (code, _, stderr) = count(&[]);
    assert!(code == 2 && stderr.contains("is the record of another search"), "{stderr}");
    for args in [
        &["prove", "cube3-colours", "--metric", "wca"][..],
        &["prove", "cube21", "--depth", "3"],
        &["prove", "cube21", "--metric", "htm"],
    ] {
        assert_eq!(run(dir.path(), args).0, 2, "{args:?}");
    }
}

/// The counts of `data/three_colours.csv` are those that the program compares with, and are of all positions.
#[test]
fn counts_of_the_data_are_those_of_the_program() {
    for (metric, name) in [(Metric::Htm, "htm"), (Metric::Qtm, "qtm")] {
        let mut counts: [Vec<u64>; 2] = Default::default();
        for record in golden("three_colours.csv").records().map(Result::unwrap).filter(|record| &record[0] == name) {
            assert_eq!(record[1].parse(), Ok(counts[0].len()));
            let [positions, classes] = [&record[2], &record[3]].map(|count| count.parse().unwrap());
            counts[0].push(positions);
            counts[1].push(classes);
        }
        assert_eq!(counts.each_ref().map(|counts| counts.iter().sum::<u64>()), [10_863_756_288_000, 226_331_259_372]);
        assert_eq!(known_three_colours(metric).map(|known| known.positions.to_vec()), counts);
    }
}
