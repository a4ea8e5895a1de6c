//! The help: every command has some, and every example in it works.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::goals::GOALS;
use super::{SMALL, run, small_store};
use crate::defined::TRAPDOOR;
use crate::support::CUBE3;
use crate::support::cube3::coset_store;
use crate::support::program::PROGRAM;

/// The help of a command.
fn help(dir: &Path, command: &[&str]) -> String {
    let (code, text, _) = run(dir, &[command, &["--help"]].concat());
    assert_eq!(code, 0, "{command:?}");
    text
}

/// The commands below one, as its help lists them.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).filter(|name| name != "help").collect()
}

/// Every command with its help, those of commands included.
fn every_help(dir: &Path) -> Vec<(Vec<String>, String)> {
    let mut all = Vec::new();
    let mut left = vec![Vec::new()];
    while let Some(command) = left.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let text = help(dir, &words);
        left.extend(subcommands(&text).into_iter().map(|name| [&command[..], &[name]].concat()));
        all.push((command, text));
    }
    all
}

/// The example in a line of help, without the remark behind it.
fn example(line: &str) -> Option<&str> {
    let line = line.strip_prefix("  ")?;
    line.starts_with("twistbase ").then(|| line.split("   ").next().unwrap_or(line).trim())
}

/// Whether an example is about the Rubik's cube.
fn is_about_cube3(example: &str) -> bool {
    ["cube3", "phase1", "phase2"].iter().any(|name| example.contains(name))
}

/// Whether an example builds many tables at once.
fn builds_many(example: &str) -> bool {
    ["build --all", "build cube3", "build square1-family"].iter().any(|build| example.contains(build))
}

/// The exit status of an example, which is 0 but where it needs more than is there.
fn expected_status(example: &str) -> i32 {
    match example {
        // Many tables would take long; that the options are accepted shows in the budget they do not fit.
        many if builds_many(many) => 7,
        // The exact distances in H are built in the long suite.
        exact if exact.contains("phase2-exact") => 4,
        _ => 0,
    }
}

/// The example as it is run here: about the table that builds at once, without programs that may not be there, and
/// without files of the user's.
fn adapted(example: &str) -> String {
    let mut words = Vec::<&str>::new();
    for word in example.split(' ') {
        match word {
            // Between quotes it is a step after another.
            ">" if words.concat().matches('"').count() % 2 == 0 => break,
            // After --notation it is no table.
            "cube21" | "square1" if words.last() != Some(&"--notation") => words.push(SMALL),
            _ => words.push(word),
        }
    }
    let line = words.join(" ");
    let ours = |part: &&str| part.trim_start().starts_with("twistbase ");
    line.split('|').take_while(ours).collect::<Vec<_>>().join("|")
}

/// Whether an example takes seconds: it searches, builds a table of the cube, or exports a million records.
fn takes_long(example: &str) -> bool {
    ["twistbase coset", "solve cube3", "steps", "analyze", "insertions", "--scrambles", "prove", "rebuild", "1000000"]
        .iter()
        .any(|words| example.contains(words))
}

/// Whether an example has no end, needs others before it and a batch system, all of Square-1, or minutes, or deletes what others
/// read: it is only read here. What it does is in `tests/http/`, `tests/farm/`, `tests/wca.rs` and `tests/cli/`.
fn is_run_elsewhere(example: &str) -> bool {
    let scrambles = ["random square1 --scramble", "random pyraminx-tips --scramble"];
    scrambles.iter().any(|words| example.contains(words))
        || example.contains("--list-from")
        || example.contains("twistbase serve")
        || example.contains("twistbase remove")
        || example.contains("twistbase farm") && !example.contains("simulate")
}

/// Runs the examples of every help that are wanted; returns how many there were.
fn run_examples(wanted: impl Fn(&str) -> bool) -> usize {
    let dir = small_store();
    let home = dir.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::copy(super::puzzle::pyraminx(), home.join("pyraminx.tws")).unwrap();
    fs::write(home.join("trapdoor.tws"), TRAPDOOR).unwrap();
    let program = Path::new(PROGRAM);
    let path = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let cosets = coset_store();
    let mut run_here = 0;
    // The last one found is the first of the list: an import reads what an export wrote.
    for (command, text) in every_help(dir.path()).into_iter().rev() {
        let examples: Vec<&str> = text.lines().filter_map(example).collect();
        let parent_has_them =
            command.first().is_some_and(|first| ["cache", "coset", "farm", "puzzle"].contains(&first.as_str()))
                && command.len() > 1;
        assert!(!examples.is_empty() || parent_has_them, "{command:?} has no examples");
        let (read, to_run): (Vec<_>, Vec<_>) =
            examples.into_iter().filter(|example| wanted(example)).partition(|example| is_run_elsewhere(example));
        for example in read {
            let words: Vec<&str> =
                example.split_whitespace().skip(1).take_while(|word| !["&", "|"].contains(word)).collect();
            let (code, _, stderr) = run(dir.path(), &[&words[..], &["--help"]].concat());
            assert_eq!(code, 0, "{example}: {stderr}");
        }
        for example in to_run {
            let expected = expected_status(example);
            let store = match example {
                coset if coset.contains("twistbase coset") => cosets.path(),
                many if builds_many(many) => dir.path(),
                goal if [
                    "--goal cross",
                    "--goal v",
                    "twistbase steps",
                    "twistbase analyze",
                    "twistbase insertions",
                    "--scrambles",
                ]
                .iter()
                .any(|words| goal.contains(words)) =>
                {
                    GOALS.as_path()
                }
                cube if is_about_cube3(cube) => CUBE3.as_path(),
                _ => dir.path(),
            };
            let example = match builds_many(example) {
                true => example.to_owned() + " --force --memory 1K",
                false => adapted(example),
            };
            let mut shell = Command::new("sh");
            // In a folder of its own: some write files, and read what others wrote.
            shell
                .current_dir(&home)
                .args(["-c", &example])
                .env("PATH", &path)
                .env("HOME", &home)
                .env("TWISTBASE_STORE", store)
                .env("TWISTBASE_BUILD", "never");
            let output = shell.output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(expected), "{example}: {stderr}");
            run_here += 1;
        }
    }
    assert!(home.join(".local/share/man/man1/twistbase-cache-warm.1").exists());
    run_here
}

#[test]
fn the_examples_work() {
    let run_here = run_examples(|example| !takes_long(example));
    assert!(run_here > 25, "{run_here}");
}

#[test]
#[ignore = "long suite: examples of searches"]
fn every_example_works() {
    let run_here = run_examples(|_| true);
    assert!(run_here > 50, "{run_here}");
}

#[test]
fn help_is_written_for_narrow_terminals() {
    let dir = small_store();
    for (command, text) in every_help(dir.path()) {
        // What clap sets, it wraps itself; examples and remarks stand as they were written.
        let ours = text.lines().skip_while(|line| !["Examples:"].contains(line));
        for line in ours {
            assert!(line.chars().count() <= 95, "{command:?}: {line}");
        }
    }
}

#[test]
fn a_manual_page_is_written_for_every_command() {
    let dir = small_store();
    let folder = dir.path().join("man");
    assert_eq!(run(dir.path(), &["man", "--out", folder.to_str().unwrap()]).0, 0);
    for (command, _) in every_help(dir.path()) {
        let name = std::iter::once("twistbase").chain(command.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
        assert!(folder.join(format!("{name}.1")).exists(), "{name}");
        let (code, page, _) =
            run(dir.path(), &[&["man"], &command.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
        assert!(code == 0 && page.contains(&format!(".TH {name} 1")), "{name}: {page}");
    }
}
