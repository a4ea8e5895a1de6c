//! Arguments, errors, pipes, completions and manual pages.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::{SMALL, object, run, small_store, store};
use crate::faults::{program, wait_for_handler};
use crate::support::program::{PROGRAM, command};

#[test]
fn bad_arguments_are_usage_errors() {
    let dir = store();
    let bad: &[&[&str]] = &[
        &[],
        &["nonsense"],
        &["build"],
        &["build", "tesseract"],
        &["build", "cube21", "--all"],
        &["build", "cube21", "--memory", "lots"],
        &["build", "cube21", "--memory", "99999999T"],
        &["build", "cube21", "--kernel", "fast"],
        &["tables", "--threads", "0"],
        &["tables", "--threads", "99999"],
        &["tables", "-q", "-v"],
        &["stats", "cube21", "--rows", "--row", "1"],
        &["completions", "tcsh"],
        &["man", "nonsense"],
    ];
    for args in bad {
        let (code, stdout, stderr) = run(dir.path(), args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}");
        assert!(!stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn an_unknown_table_is_answered_with_those_there_are() {
    let dir = store();
    let (_, _, stderr) = run(dir.path(), &["build", "cube22"]);
    let says =
        |text: &str| text.contains("did you mean 'cube21'") && text.contains("'twistbase tables --all' lists all");
    assert!(stderr.contains("'cube22'") && says(&stderr), "{stderr}");
    let (code, _, stderr) = run(dir.path(), &["build", "cube22", "--json"]);
    let error = object(stderr.lines().last().unwrap());
    assert_eq!((code, error["error"]["code"].as_str()), (2, Some("usage")));
    assert!(says(error["error"]["message"].as_str().unwrap()), "{error}");
}

#[test]
fn help_and_version_are_no_errors() {
    let dir = store();
    for args in [&["--help"][..], &["--version"], &["help", "build"], &["prove", "--help", "--json"]] {
        let (code, stdout, stderr) = run(dir.path(), args);
        assert_eq!((code, stderr.as_str()), (0, ""), "{args:?}");
        assert!(stdout.contains("twistbase"), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let dir = small_store();
    let mut command = command();
    // More than a pipe holds, so that the program meets its closed end.
    command.args(["stats", SMALL, "--rows", "--json"]).env("TWISTBASE_STORE", dir.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_standard_output_is_an_io_error() {
    let dir = small_store();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = command();
    let command = command.args(["stats", SMALL]).env("TWISTBASE_STORE", dir.path()).stdout(full).stderr(Stdio::null());
    assert_eq!(command.status().unwrap().code(), Some(6));
}

/// `>&-` of a shell. Nothing would be missed where the standard library opens /dev/null in its place.
#[test]
#[cfg(target_os = "linux")]
fn a_closed_standard_output_is_an_io_error() {
    let dir = small_store();
    let ended = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("\"$0\" {line}")]).arg(PROGRAM).env("TWISTBASE_STORE", dir.path());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for args in [
        "query square1-corners '(1,0)/'",
        "stats square1-corners --json",
        "--help",
        "export square1-corners --levels 0 --format csv -o -",
    ] {
        let (code, stderr) = ended(&format!("{args} >&-"));
        assert!(code == Some(6) && stderr.contains("standard output"), "{args}: {code:?}: {stderr}");
        assert_eq!(ended(&format!("{args} >/dev/null")).0, Some(0), "{args}");
    }
    // What prints nothing needs none.
    assert_eq!(ended("build square1-corners --quiet >&-").0, Some(0));
}

#[test]
fn quiet_says_nothing_and_progress_stays_off_standard_output() {
    let dir = store();
    let (code, stdout, stderr) = run(dir.path(), &["build", SMALL, "--quiet"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""));
    let (_, stdout, stderr) = run(dir.path(), &["build", SMALL, "--force", "--json"]);
    assert!(stderr.contains("levels, all counts as expected"), "{stderr}");
    assert_eq!(stdout.lines().count(), 1);
}

#[test]
fn completions_know_commands_and_tables() {
    let dir = store();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, _) = run(dir.path(), &["completions", shell]);
        assert_eq!(code, 0);
        assert!(script.contains("verify"), "{shell}");
    }
    let script = run(dir.path(), &["completions", "bash"]).1;
    assert!(["square1-corners", "cube3", "phase2-exact"].iter().all(|name| script.contains(name)), "{script}");
}

#[test]
fn manual_pages_are_printed_or_written() {
    let dir = store();
    let (code, page, _) = run(dir.path(), &["man"]);
    assert!(code == 0 && page.contains(".TH twistbase 1") && page.contains("twistbase\\-build"), "{page}");
    let (code, page, _) = run(dir.path(), &["man", "build"]);
    assert!(code == 0 && page.contains(".TH twistbase-build 1") && page.contains("\\-\\-memory"), "{page}");
    let folder = dir.path().join("man/man1");
    let (code, stdout, _) = run(dir.path(), &["man", "--out", folder.to_str().unwrap()]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    for page in ["twistbase.1", "twistbase-build.1", "twistbase-man.1"] {
        assert!(std::fs::metadata(folder.join(page)).unwrap().len() > 500, "{page}");
    }
}

/// `<&-` of a shell. The standard library opens /dev/null in its place, which would pass for an empty input.
#[test]
fn a_closed_standard_input_is_an_io_error() {
    let dir = small_store();
    for args in ["query square1-corners -", "solve square1-corners -", "farm plan solve - --to farm"] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("{PROGRAM} --store {} {args} <&-", dir.path().display())]);
        let output = shell.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(6) && stderr.contains("cannot read"), "{args}: {stderr}");
    }
}

/// Whether a process ignores and whether it catches a signal.
#[cfg(target_os = "linux")]
fn disposition(process: u32, signal: Signal) -> [bool; 2] {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    ["SigIgn:", "SigCgt:"].map(|name| {
        let mask = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << (signal.as_raw() - 1)) != 0
    })
}

/// Whether these tests were started to ignore a signal, as in the background of a script: what they start ignores it, too.
#[cfg(target_os = "linux")]
fn is_ignored_here(signal: Signal) -> bool {
    disposition(std::process::id(), signal)[0]
}

/// As `nohup` starts a program, and a shell without job control one in the background.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_is_ignored_stays_ignored() {
    let dir = small_store();
    for (name, ignored, other) in
        [("HUP", Signal::HUP, Signal::TERM), ("INT", Signal::INT, Signal::TERM), ("TERM", Signal::TERM, Signal::INT)]
    {
        if is_ignored_here(other) {
            continue;
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("trap '' {name}; exec \"$0\" \"$@\"")]).arg(env!("CARGO_BIN_EXE_twistbase"));
        shell.args(["query", SMALL, "-"]).env("TWISTBASE_STORE", dir.path());
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for_handler(&mut child, other);
        assert_eq!(disposition(child.id(), ignored), [true, false], "{name}");
        kill_process(Pid::from_child(&child), ignored).unwrap();
        // Its end is that of its input.
        assert_eq!(child.wait().unwrap().code(), Some(0), "{name}");
    }
}

/// Commands that only print, too: while nobody reads, they wait.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_what_only_prints_with_the_status_of_an_interrupt() {
    let dir = small_store();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP].into_iter().filter(|signal| !is_ignored_here(*signal)) {
        for args in [&["random", SMALL, "-n", "1000000000"][..], &["random", "cube2", "--json", "-n", "1000000000"]] {
            let mut child = program(dir.path(), args).spawn().unwrap();
            let mut first = [0];
            child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
            kill_process(Pid::from_child(&child), signal).unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?} {signal:?}");
        }
    }
}
