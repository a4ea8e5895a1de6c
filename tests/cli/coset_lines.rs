//! Cosets on lines of an input, and lists of positions on standard output.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::notation::reid;
use twistbase::puzzle::cube3::{Cover, Cube};

use super::{object, run, store, twistbase};
use crate::support::cube3::coset_store;
use crate::support::program::Run;

/// What takes hardly any time and memory.
const NEAR: [&str; 6] = ["-S", "4", "-d", "4", "--mode", "set"];

/// `coset` with these arguments and [`NEAR`] on an input; exit status, standard output and standard error.
fn piped(dir: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let args = [&["coset"], args, &NEAR[..]].concat();
    let Output { status, stdout, stderr } = twistbase(dir, &args).output_of(input).unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// The same as a process that waits for its input.
fn started(dir: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_twistbase"));
    command.arg("coset").args(args).args(NEAR).env("TWISTBASE_STORE", dir).env("TWISTBASE_BUILD", "never");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn cosets_on_lines_are_answered_in_their_order() {
    let dir = coset_store();
    let h = Cover::get().number(CosetOfH::of(&Cube::SOLVED)).unwrap().to_string();
    let input = format!("# near H\nF1R1U2\n\n  // H, twice\nU\nF1R1Q2\n{h}\n99999999\n");
    let (code, text, stderr) = piped(dir.path(), &["-"], &input);
    assert!(code == 2 && stderr.contains("2 of 5 lines failed"), "{code}: {stderr}");
    let mut labels: Vec<&str> = text.lines().map(|line| line.split_once('\t').expect("a label").0).collect();
    labels.dedup();
    assert_eq!(labels, ["F1R1U2", "U", "F1R1Q2", &h, "99999999"], "{text}");
    // The head, two levels and the summary; the same of H with five levels, twice.
    let lines = |label: &str| text.lines().filter(|line| line.starts_with(&format!("{label}\t"))).collect::<Vec<_>>();
    assert_eq!(["F1R1U2", "U", &h, "F1R1Q2"].map(|label| lines(label).len()), [4, 7, 7, 1], "{text}");
    assert!(lines("F1R1U2")[3].starts_with("F1R1U2\tcoset 54089517: exact to depth 4; "), "{text}");
    assert!(!lines("U")[6].contains("from the store") && lines(&h)[6].contains("from the store"), "{text}");
    assert!(lines("F1R1Q2")[0].starts_with("F1R1Q2\terror: "), "{text}");
    assert!(lines("99999999")[0].contains("error: the cover has no coset 99999999"), "{text}");
    let file = dir.path().join("cosets.txt");
    fs::write(&file, input).unwrap();
    let (code, text, _) = piped(dir.path(), &["--from", file.to_str().unwrap(), "--json"], "");
    let objects: Vec<Value> = text.lines().map(object).collect();
    assert_eq!((code, objects.len()), (2, 5), "{text}");
    assert_eq!((&objects[0]["levels"][1]["positions"], &objects[0]["stored"]), (&18.into(), &true.into()));
    assert_eq!((&objects[3]["input"], &objects[3]["coset"]), (&h.as_str().into(), &objects[1]["coset"]));
    assert_eq!((&objects[2]["input"], objects[2]["error"].is_object()), (&"F1R1Q2".into(), true), "{text}");
    // One coset may be a number, too.
    let [(code, one, _), (_, many, _)] =
        [piped(dir.path(), &[&h, "--quiet"], ""), piped(dir.path(), &["--from", "-", "--quiet"], &h)];
    assert!(code == 0 && many == format!("{h}\t{one}"), "{one}{many}");
}

#[test]
fn what_is_wrong_with_one_coset_leaves_the_others() {
    let dir = coset_store();
    // F R U2 is not of the cover.
    let (code, text, _) = piped(dir.path(), &["-", "--weighted", "--quiet"], "F1R1U2\nU\n");
    let lines: Vec<&str> = text.lines().collect();
    assert!(code == 2 && lines.len() == 2, "{code}: {text}");
    assert!(
        lines[0].starts_with("F1R1U2\terror: coset 54089517 is not in the cover") && lines[1].starts_with("U\tcoset ")
    );
    assert_eq!(piped(dir.path(), &["-", "--quiet"], "F1R1Q2\n").0, 3);
    assert_eq!(piped(dir.path(), &["-"], "# nothing\n"), (0, String::new(), String::new()));
    assert_eq!(piped(dir.path(), &["--from", "no-such-file"], "").0, 6);
    assert_eq!(piped(dir.path(), &["U", "--from", "-"], "").0, 2);
    // Without the table no line can be answered.
    let (code, text, stderr) = piped(store().path(), &["-"], "U\nF\n");
    assert!(code == 4 && text.is_empty() && stderr.contains("run: twistbase build phase1"), "{code}: {text}{stderr}");
}

/// Answers come one by one, and an interrupt leaves those that were given.
#[test]
fn an_interrupt_leaves_what_was_answered() {
    let dir = coset_store();
    let mut child = started(dir.path(), &["-", "--quiet"]);
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "U").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("U\tcoset "), "{line}");
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    drop(input);
    let (code, text, _) = run(dir.path(), &["coset", "show", "U"]);
    assert!(code == 0 && text.contains("exact to depth 4"), "{text}");
}

/// The list ends when nobody reads on; what is wrong with lines is told elsewhere.
#[test]
fn a_list_is_all_that_standard_output_has() {
    let dir = coset_store();
    for (args, input) in [
        (&["-", "--force", "--list-from", "4", "--list", "-"][..], "F1R1Q2\nF1R1U2\n"),
        (&["F1R1U2", "--force", "--list-from", "4", "--list", "-", "--json"], ""),
    ] {
        let mut child = started(dir.path(), args);
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let mut list = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..3 {
            let mut line = String::new();
            list.read_line(&mut line).unwrap();
            let position: Cube = reid::parse(line.trim_end()).expect("a position");
            assert_eq!(CosetOfH::of(&position).number(), 54_089_517, "{line}");
        }
        drop(list);
        let Output { status, stderr, .. } = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(status.success() && !stderr.contains("written"), "{stderr}");
        assert_eq!(stderr.contains("F1R1Q2\terror: "), !input.is_empty(), "{stderr}");
    }
}
