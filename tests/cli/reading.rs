//! `tables`, `stats`, `verify` and `prove`.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use twistbase::tables::{self, Definition};

use super::{SMALL, object, run, run_json, small_store, status, store};
use crate::support::{golden, golden_path};

#[test]
fn tables_lists_what_there_is() {
    let dir = small_store();
    let (code, stdout, _) = run(dir.path(), &["tables"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("cube21") && stdout.contains("missing") && stdout.contains("complete"), "{stdout}");
    let small = status(dir.path(), SMALL);
    assert_eq!((small["positions"].as_u64(), small["rows"].as_u64()), (Some(2_702_700), Some(90)));
    assert!(small["bytes"].as_u64().unwrap() > 0);
    assert_eq!(status(dir.path(), "cube21")["status"], "missing");
    let (_, some, _) = run_json(dir.path(), &["tables", "nx-eo1-ep1-htm", "Square1-Family"]);
    let names: Vec<_> = some.iter().map(|table| table["table"].as_str().unwrap()).collect();
    assert_eq!(names, ["cube21", "square1", SMALL, "nx-eo1-ep1-htm"]);
    assert!(run(dir.path(), &["tables", "nx-eo1-ep1-htm"]).1.contains("\n   nx-eo1-ep1-htm "));
}

#[test]
fn a_store_that_does_not_exist_is_empty() {
    let dir = store();
    let absent = dir.path().join("absent");
    assert_eq!(status(&absent, SMALL)["status"], "missing");
    assert!(!absent.exists());
}

#[test]
fn stats_gives_the_distribution() {
    let dir = small_store();
    let (code, lines, _) = run_json(dir.path(), &["stats", SMALL]);
    assert_eq!(code, 0);
    let levels = lines[0]["levels"].as_array().unwrap();
    let counts: Vec<u64> = levels.iter().map(|level| level["positions"].as_u64().unwrap()).collect();
    assert_eq!(counts, [1, 24, 260, 2337, 20452, 162_520, 965_994, 1_486_536, 64_576]);
    let (_, plot, _) = run(dir.path(), &["stats", SMALL]);
    let longest = plot.lines().max_by_key(|line| line.matches('█').count()).unwrap();
    assert!(longest.contains("1,486,536"), "{plot}");
    let (_, logarithmic, _) = run(dir.path(), &["stats", SMALL, "--log"]);
    assert!(logarithmic.matches('█').count() > plot.matches('█').count());
}

#[test]
fn the_rows_add_up_to_the_table() {
    let dir = small_store();
    let (code, rows, _) = run_json(dir.path(), &["stats", SMALL, "--rows"]);
    assert_eq!((code, rows.len()), (0, 90));
    let mut sums = [0; 9];
    for level in rows.iter().flat_map(|row| row["levels"].as_array().unwrap()) {
        sums[level["distance"].as_u64().unwrap() as usize] += level["positions"].as_u64().unwrap();
    }
    assert_eq!(sums, [1, 24, 260, 2337, 20452, 162_520, 965_994, 1_486_536, 64_576]);
    let (_, by_number, _) = run(dir.path(), &["stats", SMALL, "--row", "89"]);
    let (_, by_name, _) = run(dir.path(), &["stats", SMALL, "--row", rows[89]["row_name"].as_str().unwrap()]);
    assert_eq!(by_number, by_name);
    let (_, text, _) = run(dir.path(), &["stats", SMALL, "--rows"]);
    assert_eq!(text.lines().count(), 91);
}

#[test]
fn a_row_that_does_not_exist_is_a_usage_error() {
    let dir = small_store();
    for row in ["90", "-1", "18446744073709551616", "nowhere", "", "\u{0}é"] {
        let argument = format!("--row={}", row.replace('\0', "?"));
        let (code, _, stderr) = run(dir.path(), &["stats", SMALL, &argument]);
        assert_eq!(code, 2, "{row}: {stderr}");
    }
}

#[test]
fn a_missing_table_names_the_command_that_builds_it() {
    let dir = store();
    for command in ["stats", "verify"] {
        let (code, stdout, stderr) = run(dir.path(), &[command, SMALL]);
        assert_eq!((code, stdout.as_str()), (4, ""));
        assert!(stderr.contains("run: twistbase build square1-corners"), "{stderr}");
        let (code, _, stderr) = run(dir.path(), &[command, SMALL, "--json"]);
        let error = object(stderr.lines().last().unwrap());
        assert_eq!((code, error["error"]["code"].as_str()), (4, Some("data")));
        assert_eq!(error["error"]["data"]["remedy"], "build square1-corners");
    }
    assert_eq!(run(dir.path(), &["verify"]).0, 4);
}

#[test]
fn an_intact_table_is_intact() {
    let dir = small_store();
    let (code, lines, stderr) = run_json(dir.path(), &["verify"]);
    assert_eq!((code, lines.len(), stderr.as_str()), (0, 1, ""));
    assert_eq!((lines[0]["intact"].as_bool(), lines[0]["pages"].as_u64()), (Some(true), Some(90)));
}

/// Flips a bit in the middle of every 4 KiB of a file: some of them hit segments whatever the layout of the file is.
pub(super) fn damage(file: &Path) {
    let handle = OpenOptions::new().read(true).write(true).open(file).unwrap();
    for at in (0..fs::metadata(file).unwrap().len()).skip(1 << 16).step_by(4096) {
        let mut byte = [0];
        if handle.read_at(&mut byte, at + 2048).is_ok_and(|read| read == 1) {
            handle.write_all_at(&[byte[0] ^ 4], at + 2048).unwrap();
        }
    }
}

#[test]
pub(super) fn damage_is_found_and_named() {
    let dir = small_store();
    damage(&dir.path().join("square1-corners.redb"));
    let (code, lines, stderr) = run_json(dir.path(), &["verify"]);
    assert_eq!(code, 4);
    assert_eq!(object(stderr.lines().last().unwrap())["error"]["code"], "data");
    let (summary, findings) = lines.split_last().unwrap();
    assert_eq!((summary["intact"].as_bool(), summary["faults"].as_u64()), (Some(false), Some(findings.len() as u64)));
    assert!(findings.iter().all(|finding| finding["table"] == SMALL && finding["fault"] == "damaged"), "{findings:?}");
    let (code, stdout, _) = run(dir.path(), &["verify", SMALL]);
    assert_eq!(code, 4);
    assert!(stdout.contains("run: twistbase"), "{stdout}");
    assert_eq!(run(dir.path(), &["build", SMALL, "--force"]).0, 0);
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
}

#[test]
fn a_file_that_is_no_table_is_foreign_or_damaged() {
    let dir = store();
    fs::write(dir.path().join("square1-corners.redb"), "not a database").unwrap();
    assert_eq!(status(dir.path(), SMALL)["status"], "foreign");
    assert_eq!(run(dir.path(), &["verify"]).0, 4);
    let (code, _, stderr) = run(dir.path(), &["build", SMALL]);
    assert_eq!(code, 4);
    assert!(stderr.contains("--force"), "{stderr}");
    assert_eq!(run(dir.path(), &["build", SMALL, "--force"]).0, 0);
}

#[test]
fn the_theorem_is_proved() {
    let dir = store();
    let (code, lines, _) = run_json(dir.path(), &["prove", SMALL]);
    assert_eq!((code, lines[0]["theorem"].as_bool()), (0, Some(true)));
    assert_eq!(lines[0]["pairs"]["total"], 2 * 2_702_700);
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none());
}

#[test]
#[ignore = "tier two: all pairs of Cube21"]
fn full_the_theorem_is_proved_for_cube21() {
    let (code, stdout, _) = run(store().path(), &["prove", "cube21"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("13,621,608,000 pairs, equal to") && stdout.contains("theorem holds"), "{stdout}");
}

/// Positions by moves, as `data/wca_distributions.csv` has them of a puzzle: those that can be twisted, and the others.
fn known_wca_counts(puzzle: &str, turned_over: &str) -> [Vec<u64>; 2] {
    let mut counts = [const { Vec::new() }; 2];
    for record in golden("wca_distributions.csv").records() {
        let record = record.unwrap();
        if &record[0] == puzzle && &record[1] == turned_over {
            assert_eq!(record[2].parse::<usize>().unwrap(), counts[0].len());
            counts.iter_mut().zip([3, 4]).for_each(|(counts, field)| counts.push(record[field].parse().unwrap()));
        }
    }
    // Those at the end that are there only because the others go on.
    counts.map(|counts| counts[..=counts.iter().rposition(|&count| count > 0).unwrap()].to_vec())
}

#[test]
fn the_published_numbers_are_those_that_a_proof_is_compared_with() {
    for table in tables::twist_tables() {
        let Some(known) = &table.wca else { continue };
        let counts = [known.twistable.positions.to_vec(), known.blocked.positions.to_vec()];
        assert_eq!(known_wca_counts(table.layout().name, "another"), counts);
        // Both layers turned in any way, the middle layer in either.
        let orders = table.positions() * 2 * 2 * 144;
        assert_eq!(counts.iter().flatten().sum::<u64>(), orders, "{}", table.layout().name);
    }
    let farthest = fs::read_to_string(golden_path("square1_wca_farthest.txt")).unwrap();
    assert_eq!(farthest.lines().count(), 9089);
}

#[test]
fn positions_are_counted_by_wca_s_metric() {
    let dir = store();
    let farthest = dir.path().join("farthest.txt");
    let args = ["prove", SMALL, "--metric", "wca", "--farthest", farthest.to_str().unwrap()];
    let (code, stdout, stderr) = run(dir.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("296,593,920 can be twisted") && stdout.contains("solved agrees"), "{stdout}");
    let (_, lines, _) = run_json(dir.path(), &args[..4]);
    let written = fs::read_to_string(&farthest).unwrap().lines().count();
    assert_eq!(lines[0]["farthest_classes"], written);
    let (code, stdout, stderr) = run(dir.path(), &args);
    assert!(
        code == 2 && stdout.is_empty() && stderr.contains("farthest.txt exists already; --force replaces it"),
        "{stderr}"
    );
    assert_eq!(run(dir.path(), &[&args[..], &["--force"]].concat()).0, 0);
    // A position whose cut is blocked, which a turn does not solve.
    assert!(written > 0);
    // A file that cannot be made is told before anything is counted, and what is no file is not replaced by one.
    for nowhere in ["/nowhere/farthest.txt", "/dev/null"] {
        let (code, stdout, stderr) = run(dir.path(), &[&args[..5], &[nowhere, "--force"]].concat());
        assert!(code == 6 && stdout.is_empty() && stderr.contains(nowhere.rsplit_once('/').unwrap().0), "{stderr}");
    }
    let (code, _, stderr) = run(dir.path(), &["prove", SMALL, "--farthest", "x"]);
    assert!(code == 2 && stderr.contains("--metric wca"), "{stderr}");
}

#[test]
#[ignore = "tier two: all positions of Cube21 as they lie"]
fn full_positions_of_cube21_are_counted_by_wca_s_metric() {
    let (code, lines, stderr) = run_json(store().path(), &["prove", "cube21", "--metric", "wca"]);
    assert_eq!((code, lines[0]["holds"].as_bool()), (0, Some(true)), "{stderr}");
    assert_eq!((&lines[0]["farthest_twistable"], &lines[0]["farthest"]), (&24.into(), &24.into()));
    for (member, turned_over) in [("told_apart", "another"), ("identified", "same")] {
        for (part, known) in ["twistable", "blocked"].into_iter().zip(known_wca_counts("cube21", turned_over)) {
            assert_eq!(lines[0][member][part]["counts"], serde_json::json!(known), "{member} {part}");
        }
    }
}
