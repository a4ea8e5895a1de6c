//! `solve cube3 --method optimal`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use twistbase::Metric;
use twistbase::database::available_memory;
use twistbase::tables::{Definition, heuristics, phase_one};

use super::schemas::validator;
use super::{object, run, run_json, store, twistbase};
use crate::support::CUBE3;
use crate::support::program::{Run, command};
use twistbase_testing::stickers::Stickers;

/// Twenty moves: nothing here waits for its solution.
const SUPERFLIP: &str = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
const METHOD: [&str; 4] = ["solve", "cube3", "--method", "optimal"];

/// The arguments of an optimal search.
fn optimal<'a>(position: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&METHOD[..], &[position], options].concat()
}

/// Runs a batch; its exit status, standard output and standard error.
fn piped(options: &[&str], input: &str) -> (i32, String, String) {
    let output = twistbase(&CUBE3, &optimal("-", options)).output_of(input).unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), stdout, stderr)
}

/// Checks on stickers that a solution leads from a scramble to a position, and returns it.
fn leads<'a>(scramble: &str, solution: &'a str, goal: &Stickers) -> &'a str {
    let mut stickers = Stickers::after(scramble);
    stickers.apply(solution);
    assert_eq!(stickers, *goal, "{scramble}: {solution}");
    solution
}

#[test]
fn one_position() {
    let dir = CUBE3.as_path();
    let (code, text, stderr) = run(dir, &optimal("R U F2 L D'", &[]));
    assert_eq!((code, text.as_str()), (0, "5\tD L' F2 U' R'\n"), "{stderr}");
    assert_eq!(run(dir, &optimal("wca:", &["--all"])).1, "0\t\n");
    let (code, text, _) = run(dir, &optimal("U2 D", &["--metric", "qtm"]));
    assert_eq!((code, text.as_str()), (0, "3\tU2 D'\n"));
    let goal = Stickers::after("F2 D L'");
    for way in ["F2 D L'", &goal.to_string()] {
        let (code, text, _) = run(dir, &optimal("R U R'", &["--goal", way]));
        let (length, moves) = text.trim_end().split_once('\t').unwrap();
        assert_eq!((code, length), (0, "6"));
        leads("R U R'", moves, &goal);
    }
    assert_eq!(run(dir, &optimal("R U R'", &["--goal", "nonsense"])).0, 3);
    // A goal is a pattern of colours, however it is held.
    for (options, moves, held) in [(&[][..], "U", "R U F x"), (&["--normalize"], "F", "R U F")] {
        let (code, text, stderr) = run(dir, &optimal("R U x", &[&["--goal", "R U F z"], options].concat()));
        assert_eq!((code, text), (0, format!("1\t{moves}\n")), "{stderr}");
        leads(if options.is_empty() { "R U x" } else { "R U" }, moves, &Stickers::after(held));
    }
    let japanese = ["W", "R", "G", "B", "O", "Y"].map(|colour| colour.repeat(9)).concat();
    let (code, _, stderr) = run(dir, &optimal(&japanese, &["--goal", "R"]));
    assert!(code == 2 && stderr.contains("start and goal have different colour schemes"), "{stderr}");
    assert_eq!(run(dir, &optimal(&japanese, &["--goal", "x"])).1, "0\t\n");
    assert_eq!(run(dir, &optimal("R U R3 Q", &[])).0, 3);
}

#[test]
fn all_solutions_and_the_summary() {
    let dir = CUBE3.as_path();
    let position = "U2 D2 R2 L2 F2 B2";
    let (code, lines, stderr) = run_json(dir, &optimal(position, &["--all"]));
    assert_eq!(code, 0, "{stderr}");
    let (summary, solutions) = lines.split_last().unwrap();
    assert_eq!(summary["solutions"], solutions.len());
    assert!(summary["complete"] == true && summary["symmetric_copies"] == true, "{summary}");
    assert_eq!((summary["length"].as_u64(), summary["at_least"].as_u64()), (Some(6), Some(6)));
    assert!((1..).zip(solutions).all(|(number, line)| line["number"] == number && line["length"] == 6));
    for line in solutions {
        leads(position, line["solution"].as_str().unwrap(), &Stickers::solved());
    }
    let (code, text, stderr) = run(dir, &optimal(position, &["--all"]));
    assert_eq!((code, text.lines().count()), (0, solutions.len()));
    let remark = format!("{} solutions of 6 moves (htm), all of them\n", solutions.len());
    assert!(stderr.ends_with(&remark), "{stderr}");
    let (code, lines, _) = run_json(dir, &optimal(position, &["--all", "--limit", "2"]));
    let summary = lines.last().unwrap();
    assert_eq!((code, lines.len(), summary["complete"].as_bool()), (0, 3, Some(false)), "{summary}");
    // Longer ones come after the shortest.
    let (code, text, stderr) = run(dir, &optimal("R U F2 L D'", &["--extra", "4"]));
    let lengths: Vec<u8> = text.lines().map(|line| line.split_once('\t').unwrap().0.parse().unwrap()).collect();
    assert_eq!((code, lengths), (0, vec![5, 7, 8]));
    assert!(stderr.contains("solutions of 5 to 9 moves (htm), all of them"), "{stderr}");
}

#[test]
fn a_spent_budget_leaves_a_bound() {
    let dir = CUBE3.as_path();
    for (option, value) in [("--max-nodes", "50000"), ("--time", "100ms"), ("--max-depth", "12")] {
        let (code, text, stderr) = run(dir, &optimal(SUPERFLIP, &[option, value, "--quiet"]));
        assert_eq!((code, text.as_str()), (7, ""), "{option}");
        let words = if option == "--max-depth" {
            "no solution has at most 12 moves"
        } else {
            "limit reached; no solution found"
        };
        assert!(stderr.starts_with(&format!("error: {words}: at least 1")), "{stderr}");
        let (code, lines, _) = run_json(dir, &optimal(SUPERFLIP, &[option, value]));
        assert!(code == 7 && lines.len() == 1 && lines[0]["at_least"].as_u64() > Some(9), "{lines:?}");
        assert!(lines[0]["length"].is_null() && lines[0]["complete"] == false);
    }
    assert!(run(dir, &optimal(SUPERFLIP, &["--max-depth", "12"])).2.contains("at least 13 moves (htm)"));
    // Solutions so far are printed.
    let (code, text, stderr) = run(dir, &optimal("R U F2", &["--extra", "9", "--max-nodes", "100000"]));
    assert!(code == 7 && text.starts_with("3\tF2 U' R'\n"), "{text}");
    assert!(stderr.contains("the shortest solutions have 3 moves; some are missing"), "{stderr}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let dir = CUBE3.as_path();
    for (args, word) in [
        (optimal("R", &["--target", "12"]), "--max-depth"),
        (optimal("R", &["--limit", "3"]), "--all or --extra"),
        (optimal("R", &["--results", "/nowhere/answers"]), "standard input"),
        (optimal("R", &["--as-finished"]), "standard input"),
        (optimal("R", &["--table", "phase2"]), "phase1"),
        (optimal("R", &["--table", "phase1", "--metric", "qtm"]), "--table phase1 counts moves in htm"),
        (optimal("R", &["--max-depth", "33"]), "32"),
        (vec!["solve", "cube3", "R", "--all"], "--all needs --method optimal"),
        (vec!["solve", "cube3", "R", "--table", "phase1"], "--table needs --method optimal"),
        (vec!["solve", "cube3", "U", "--method", "phase2", "--extra", "1"], "--extra needs --method optimal"),
        (optimal("R", &["--table", "phase1", "--map"]), "cannot map table phase1: the solver needs it repacked"),
        (vec!["solve", "cube3", "R", "--map"], "--map needs --method optimal"),
        (vec!["solve", "cube21", "/", "--map"], "--map does not apply to the puzzle cube21"),
        (vec!["solve", "cube3", "-", "--as-finished"], "--as-finished needs --method optimal"),
        (vec!["solve", "cube21", "/", "--max-depth", "1"], "--max-depth does not apply to the puzzle cube21"),
        (vec!["solve", "cube21", "/", "--all"], "--all does not apply to the puzzle cube21"),
    ] {
        let (code, stdout, stderr) = run(dir, &args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(word), "{args:?}: {stderr}");
    }
}

#[test]
fn a_missing_table_names_the_quickest_and_what_fits_best() {
    let empty = store();
    let (_, tables, _) = run_json(empty.path(), &["tables"]);
    let number = |table: &str, member: &str| {
        let line = tables.iter().find(|line| line["table"] == table).unwrap();
        line[member].as_u64().unwrap()
    };
    for (options, metric) in [(&[][..], Metric::Htm), (&["--metric", "qtm"][..], Metric::Qtm)] {
        let (code, stdout, stderr) = run(empty.path(), &optimal("R", options));
        assert_eq!((code, stdout.as_str()), (4, ""));
        let quick = phase_one(metric).name();
        assert!(stderr.ends_with(&format!("run: twistbase build {quick}\n")), "{stderr}");
        let strongest = stderr.split(" is the strongest").next().filter(|before| before.len() < stderr.len());
        let named = strongest.and_then(|before| before.rsplit(' ').next()).unwrap_or(quick);
        let ranked: Vec<&str> = heuristics(metric).map(|table| table.name()).collect();
        let rank = ranked.iter().position(|&name| name == named).unwrap_or_else(|| panic!("{stderr}"));
        assert!(ranked.iter().all(|name| stderr.contains(name)), "all are named: {stderr}");
        // Other tests take memory meanwhile: what is named fits some memory, and what is stronger does not fit twice of it.
        let memory = available_memory();
        assert!(number(named, "build_memory") <= 2 * memory, "{named}");
        let is_too_large = |name: &&str| number(name, "build_memory").max(number(name, "entries") / 4 * 2) > memory / 2;
        let is_unfit = |name: &&str| tables.iter().any(|line| line["table"] == *name && line["fits"] != "memory");
        assert!(ranked[rank + 1..].iter().all(|name| is_unfit(name) || is_too_large(name)), "{named}");
    }
    let (code, _, stderr) = run(empty.path(), &optimal("R", &["--table", "phase1-qtm"]));
    assert!(code == 4 && stderr.contains("run: twistbase build phase1-qtm\n"), "{stderr}");
}

#[test]
fn a_fresh_solve_names_all_tables_that_it_needs() {
    let empty = store();
    let (code, stdout, stderr) = run(empty.path(), &["solve", "cube3", "R U F"]);
    assert_eq!((code, stdout.as_str()), (4, ""));
    assert!(stderr.contains("run: twistbase build phase1 phase2\n"), "{stderr}");
    let (_, _, stderr) = run(empty.path(), &["solve", "cube3", "R U F", "--json"]);
    assert_eq!(object(&stderr)["error"]["data"]["remedy"], "build phase1 phase2");
}

#[test]
fn a_damaged_table_is_not_passed_over() {
    let dir = store();
    twistbase(dir.path(), &["build", "phase1", "--quiet"]).succeed();
    super::reading::damage(&dir.path().join("phase1.redb"));
    let (code, stdout, stderr) = run(dir.path(), &optimal("R", &[]));
    assert_eq!((code, stdout.as_str()), (4, ""), "{stderr}");
    assert!(stderr.contains("phase1") && stderr.contains("run: twistbase "), "{stderr}");
}

#[test]
fn a_batch_is_answered_by_number() {
    let reid = "UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR";
    let input = format!("R U F\n\n{}\nnonsense\n{reid}\n  U2 D \n", Stickers::after("L D2"));
    let expected = ["1\t3\tF' U' R'\t", "2\t2\tD2 L'\t", "3\terror: ", "4\t0\t\t", "5\t2\tU2 D'\t"];
    for options in [&[][..], &["--threads", "1"], &["--threads", "5"]] {
        let (code, text, stderr) = piped(options, &input);
        assert_eq!((code, text.lines().count()), (3, 5), "{text}");
        assert!(text.lines().zip(expected).all(|(line, start)| line.starts_with(start)), "{text}");
        assert!(text.lines().all(|line| line.contains("error") || line.split('\t').count() == 5), "{text}");
        assert!(stderr.ends_with("error: 1 of 5 lines failed; the reason is in the output\n"));
    }
    let (code, text, _) = piped(&["--as-finished"], &input);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert!(code == 3 && lines.iter().zip(expected).all(|(line, start)| line.starts_with(start)), "{text}");
    let (_, text, _) = piped(&["--json"], &input);
    let lines: Vec<Value> = text.lines().map(object).collect();
    assert!((1..).zip(&lines).all(|(number, line)| line["number"] == number), "{text}");
    assert_eq!((&lines[2]["input"], &lines[2]["error"]["code"]), (&"nonsense".into(), &"invalid".into()));
    // Each solution in a line of its own.
    let (code, text, _) = piped(&["--all", "--metric", "qtm"], "U2\nR L\n");
    assert_eq!((code, text.lines().count()), (0, 2));
    let (code, text, stderr) = piped(&["--max-depth", "3"], &format!("R U\n{SUPERFLIP}\n"));
    assert!(code == 7 && text.starts_with("1\t2\tU' R'\t"), "{text}");
    assert!(text.ends_with("\tno solution has at most 3 moves: at least 11 moves (htm)\n"), "{text}");
    assert!(stderr.ends_with("error: 1 of 2 lines hit a limit; best results and bounds shown\n"));
}

/// A batch of several positions of each length, solved by all threads and by one.
#[test]
fn a_batch_has_one_answer_for_every_number_of_threads() {
    let (code, text, _) =
        run(Path::new("/nowhere"), &["random", "cube3", "-n", "60", "--walk", "11", "--seed", "4", "--form", "moves"]);
    assert_eq!(code, 0);
    let lengths = |options: &[&str]| -> Vec<u64> {
        let (code, answers, stderr) = piped(&[options, &["--json"]].concat(), &text);
        assert_eq!(code, 0, "{stderr}");
        let answers: Vec<Value> = answers.lines().map(object).collect();
        for (answer, scramble) in answers.iter().zip(text.lines()) {
            assert_eq!(answer["input"], scramble);
            leads(scramble, answer["solution"].as_str().unwrap(), &Stickers::solved());
        }
        answers.iter().map(|answer| answer["length"].as_u64().unwrap()).collect()
    };
    let alone = lengths(&["--threads", "1"]);
    assert!(alone.len() == 60 && alone.iter().all(|&length| length <= 11));
    assert_eq!(lengths(&["--threads", "3"]), alone);
}

/// The lines of a result file, without their hashes.
fn records(path: &Path) -> Vec<Value> {
    let answer = |line| {
        let mut answer = object(line);
        answer.as_object_mut().unwrap().remove("blake3");
        answer
    };
    fs::read_to_string(path).unwrap_or_default().lines().map(answer).collect()
}

/// Starts a batch with a result file, and waits until some answers are there.
fn start_batch(results: &Path, input: &str, answers: usize) -> Child {
    let mut command = command();
    command.env("TWISTBASE_STORE", CUBE3.as_path()).args(optimal("-", &["--threads", "2", "--results"])).arg(results);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // More may follow: the input is not at its end.
    child.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while fs::read(results).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count() < answers {
        assert!(Instant::now() < patience && child.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(10));
    }
    child
}

fn results() -> (tempfile::TempDir, PathBuf) {
    let dir = store();
    let path = dir.path().join("answers.jsonl");
    (dir, path)
}

#[test]
fn a_killed_batch_goes_on_where_it_stood() {
    let (_dir, path) = results();
    // The fourth takes hours, and is not answered when the program is killed.
    let mut child = start_batch(&path, &format!("R U\nF2\nL D B\n{SUPERFLIP}\n"), 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::read(&path).unwrap();
    let known = records(&path);
    assert_eq!(known.len(), 3);
    // As if it had been killed while it wrote.
    fs::write(&path, [&before, &b"{\"number\":4,\"inp"[..]].concat()).unwrap();
    let file = path.to_str().unwrap();
    let input = "R U\nF2\nL D\nD2 B\n";
    let (code, text, stderr) = piped(&["--results", file, "--json"], input);
    assert_eq!(code, 0, "{stderr}");
    let after = fs::read(&path).unwrap();
    assert!(after.starts_with(&before) && after.ends_with(b"\n"));
    let answers: Vec<Value> = text.lines().map(object).collect();
    let of = |number: u64| known.iter().find(|record| record["number"] == number).unwrap();
    // Seconds are those of the first run: it was not solved again.
    assert_eq!((&answers[0], &answers[1]), (of(1), of(2)));
    // Another position has the third number now.
    let mut added = records(&path)[3..].to_vec();
    added.sort_by_key(|record| record["number"].as_u64());
    assert_eq!(added, answers[2..]);
    let (_, again, _) = piped(&["--results", file, "--json"], input);
    assert_eq!((again, fs::read(&path).unwrap()), (text, after));
    let (code, _, stderr) = piped(&["--results", file, "--metric", "qtm"], input);
    assert!(code == 2 && stderr.contains("another question"), "{stderr}");
    let (code, _, stderr) = piped(&["--results", file, "--goal", "R"], input);
    assert!(code == 2 && stderr.contains("another question"), "{stderr}");
}

#[test]
fn a_batch_that_is_killed_again_and_again_solves_every_line_once() {
    let (dir, path) = results();
    let walks = ["random", "cube3", "-n", "150", "--walk", "13", "--seed", "6", "--form", "moves"];
    let scrambles = run(Path::new("/nowhere"), &walks).1;
    let input = dir.path().join("scrambles");
    fs::write(&input, &scrambles).unwrap();
    let (mut kills, mut patience) = (0, Duration::from_millis(60));
    let (status, text) = loop {
        let mut command = command();
        command.env("TWISTBASE_STORE", CUBE3.as_path()).args(optimal("-", &["--json", "--results"])).arg(&path);
        command.stdin(fs::File::open(&input).unwrap()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        if kills < 12 {
            thread::sleep(patience);
            // Longer each time, so that some runs get on even on a slow machine.
            patience += Duration::from_millis(10);
            child.kill().unwrap();
            kills += 1;
            let _ = child.wait().unwrap();
        } else {
            let output = child.wait_with_output().unwrap();
            break (output.status, String::from_utf8(output.stdout).unwrap());
        }
    };
    assert!(status.success());
    let answers: Vec<Value> = text.lines().map(object).collect();
    assert_eq!(answers.len(), 150);
    for (answer, scramble) in answers.iter().zip(scrambles.lines()) {
        assert_eq!(answer["input"], scramble);
        leads(scramble, answer["solution"].as_str().unwrap(), &Stickers::solved());
    }
    let mut kept = records(&path);
    kept.sort_by_key(|record| record["number"].as_u64());
    assert_eq!(kept, answers);
}

#[test]
fn what_a_budget_cut_short_is_solved_again() {
    let (_dir, path) = results();
    let file = path.to_str().unwrap();
    let (code, _, _) = piped(&["--results", file, "--max-depth", "2"], "R U F\nR\n");
    assert_eq!((code, records(&path).len()), (7, 2));
    let (code, text, _) = piped(&["--results", file], "R U F\nR\n");
    assert!(code == 0 && text.starts_with("1\t3\tF' U' R'\t"), "{text}");
    assert_eq!(records(&path).len(), 3);
}

#[test]
fn a_damaged_answer_is_solved_again_and_told() {
    let (_dir, path) = results();
    let file = path.to_str().unwrap();
    let input = "R U F\nL D\n";
    let (code, right, _) = piped(&["--results", file, "--json"], input);
    assert_eq!(code, 0);
    let lengths = |text: &str| text.lines().map(|line| object(line)["length"].clone()).collect::<Vec<_>>();
    // A solution that leads nowhere, and a length that is not its solution's: their hashes do not match.
    let before = fs::read_to_string(&path).unwrap();
    // The file has them in the order in which they were found.
    let mut lines: Vec<&str> = before.lines().collect();
    lines.sort_by_key(|line| object(line)["number"].as_u64());
    let [first, second] = lines[..] else { panic!("{before}") };
    let damaged = [first.replace("F' U' R'", "F' U R'"), second.replace("\"length\":2", "\"length\":1")];
    assert!(damaged[0] != first && damaged[1] != second, "{before}");
    fs::write(&path, format!("{}\n{}\n", damaged[0], damaged[1])).unwrap();
    let (code, text, stderr) = piped(&["--results", file, "--json"], input);
    assert_eq!((code, lengths(&text)), (0, lengths(&right)), "{stderr}");
    let told = stderr.lines().filter(|line| line.contains("solved again") && line.contains("does not match its hash"));
    assert_eq!(told.count(), 2, "{stderr}");
    assert_eq!(records(&path).len(), 4);
    // Lines without a hash, as earlier versions wrote them, count if their solutions do.
    let old = |line: &str| line.split(",\"blake3\"").next().unwrap().to_owned() + "}\n";
    fs::write(&path, old(first) + &old(&second.replace("\"solution\":\"", "\"solution\":\"B "))).unwrap();
    let (code, text, stderr) = piped(&["--results", file, "--json"], input);
    assert_eq!((code, lengths(&text)), (0, lengths(&right)), "{stderr}");
    assert_eq!(text.lines().next().map(object), Some(object(&old(first))), "it was not solved again");
    let lines: Vec<_> = stderr.lines().filter_map(|line| object(line)["log"]["about"]["line"].as_u64()).collect();
    assert_eq!(lines, [2], "{stderr}");
    assert_eq!(records(&path).len(), 3);
    for device in ["/dev/full", "/dev/zero"] {
        let (code, _, stderr) = piped(&["--results", device], input);
        assert!(code == 6 && stderr.contains("a device, not a regular file"), "{stderr}");
    }
}

#[test]
fn a_misspelt_position_is_told_before_tables_are_opened() {
    let dir = store();
    for args in [
        &optimal("R U Q", &[])[..],
        &["solve", "cube3", "R U Q"],
        &["solve", "square1", "01234567-89ABCDEG/"],
        &["query", "cube3", "R U Q"],
    ] {
        let (code, _, stderr) = run(dir.path(), args);
        assert!(code == 3 && !stderr.contains("has not been built"), "{args:?}: {stderr}");
    }
}

#[test]
fn other_files_are_no_result_files() {
    let (_dir, path) = results();
    fs::write(&path, "R U F\nL").unwrap();
    let (code, _, stderr) = piped(&["--results", path.to_str().unwrap()], "R\n");
    assert!(code == 2 && stderr.contains("line 1 of ") && stderr.contains("is not an answer"), "{stderr}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "R U F\nL");
    assert_eq!(piped(&["--results", "/nowhere/answers"], "R\n").0, 6);
}

#[test]
fn an_interrupted_batch_prints_what_it_has() {
    let (_dir, path) = results();
    let child = start_batch(&path, &format!("R U\n{SUPERFLIP}\nF2\n"), 2);
    // The file is in use.
    assert_eq!(piped(&["--results", path.to_str().unwrap()], "R\n").0, 5);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("1\t2\tU' R'") && lines[1].starts_with("3\t1\tF2"), "{text}");
}

#[test]
fn an_interrupt_tells_the_bound() {
    let mut command = command();
    command.env("TWISTBASE_STORE", CUBE3.as_path()).args(optimal(SUPERFLIP, &["--json"]));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let told = lines.find(|line| line.contains("; the next depth takes about ")).unwrap();
    let told = object(&told)["log"]["message"].as_str().unwrap().to_owned();
    assert!(told.starts_with("at least 1") && told.contains(" moves (htm): ") && told.contains("/s; "), "{told}");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let last = lines.last().unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{last}");
    let summary = object(stdout.trim_end());
    let bound = summary["at_least"].as_u64().unwrap();
    assert!(bound > 10 && summary["complete"] == false && summary["look_ups"].is_null(), "{summary}");
    let error = object(&last);
    assert_eq!(error["error"]["message"], format!("interrupted: at least {bound} moves (htm)"));
}

#[test]
fn an_interrupt_leaves_the_best_of_two_phases() {
    let mut command = command();
    let args = ["solve", "cube3", SUPERFLIP, "--method", "two-phase", "--target", "1", "--json"];
    command.env("TWISTBASE_STORE", CUBE3.as_path()).args(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first = object(&lines.next().unwrap());
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let last = object(&lines.last().unwrap());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &first["final"], &last["final"]), (Some(130), &false.into(), &true.into()));
    assert_eq!(last["stopped"], "interrupted");
    validator("solution").validate(&last).unwrap_or_else(|error| panic!("{error}: {last}"));
    let told = String::from_utf8(output.stderr).unwrap();
    let expected = format!("interrupted: the best solution so far has {} moves", last["length"]);
    // That a cache is filled may be told before.
    assert_eq!(object(told.lines().last().unwrap())["error"]["message"], expected);
}

/// A limit is reached by an answer that has so many: it is not searched for again.
#[test]
fn answers_up_to_a_limit_are_kept() {
    let (_dir, path) = results();
    let args = ["--all", "--limit", "1", "--results", path.to_str().unwrap()];
    let (code, first, stderr) = piped(&args, "U2 D2 R2 L2\nR U F\n");
    assert_eq!((code, first.lines().count()), (0, 2), "{stderr}");
    let written = fs::read_to_string(&path).unwrap();
    let (code, again, stderr) = piped(&args, "U2 D2 R2 L2\nR U F\n");
    assert_eq!((code, again), (0, first), "{stderr}");
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
}
