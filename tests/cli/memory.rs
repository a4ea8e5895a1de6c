//! `--store :memory:`: commands answer, and leave nothing anywhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use twistbase::database::wca_memory;

use super::{SMALL, object, store};
use crate::support::program::{Run, command};

/// Folders that the program may take for its own: the one it is started in, the user's, that of temporary files.
const PLACES: [&str; 3] = ["here", "home", "tmp"];

/// The program in empty folders, with no word about a store but these arguments.
fn in_empty_folders(root: &Path, args: &[&str]) -> Command {
    let [here, home, tmp] = PLACES.map(|name| root.join(name));
    [&here, &home, &tmp].into_iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    let mut command = command();
    command.current_dir(here).env("HOME", home).env("TMPDIR", tmp).args(args);
    let variables = ["TWISTBASE_STORE", "TWISTBASE_BUILD", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"];
    variables.into_iter().for_each(|name| _ = command.env_remove(name));
    command
}

/// Runs the program with `--store :memory:`: its exit status, standard output and standard error.
fn run(root: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let output = in_empty_folders(root, &[args, &["--store", ":memory:"]].concat()).output_of(input).unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), stdout, stderr)
}

fn assert_nothing_is_left(root: &TempDir) {
    for name in PLACES {
        let left: Vec<_> = fs::read_dir(root.path().join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn commands_build_what_they_need_in_memory_and_leave_nothing() {
    let root = store();
    let succeed = |args: &[&str], input: &str| {
        let (code, stdout, stderr) = run(root.path(), args, input);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        stdout
    };
    assert!(succeed(&["build", SMALL], "").contains("2,702,700 positions"));
    let answer = object(&succeed(&["query", SMALL, "(1,0)/(3,3)/(-3,0)/", "--json"], ""));
    assert_eq!(answer["distance"], 3);
    assert_eq!(succeed(&["query", SMALL, "-"], "(1,0)/(3,3)/(-3,0)/\n"), "(1,0)/(3,3)/(-3,0)/\t3\n");
    assert!(succeed(&["solve", SMALL, "(1,0)/(3,3)/(-3,0)/"], "").starts_with("3\t"));
    assert!(succeed(&["stats", SMALL], "").contains("2,702,700 positions"));
    let records = succeed(&["export", SMALL, "--levels", "1", "-o", "-", "--format", "csv"], "");
    assert!(records.starts_with("index,position,distance") && records.lines().count() > 1, "{records}");
    let listed = succeed(&["tables", "--json"], "");
    let small = listed.lines().map(object).find(|info| info["table"] == SMALL).unwrap();
    assert!(small["file"].is_null() && small["status"] == "missing" && small["build_disk"] == 0, "{small}");
    assert!(succeed(&["tables"], "").ends_with("store: :memory:\n"));
    assert_eq!(succeed(&["coset", "list"], ""), succeed(&["coset", "list", "--no-build"], ""));
    assert_nothing_is_left(&root);
    // The variable means the same.
    let mut command = in_empty_folders(root.path(), &["query", SMALL, "/", "--json"]);
    let output = command.env("TWISTBASE_STORE", ":memory:").output().unwrap();
    assert!(output.status.success() && object(str::from_utf8(&output.stdout).unwrap())["distance"] == 1);
    assert_nothing_is_left(&root);
}

#[test]
fn what_cannot_be_in_memory_says_what_to_do_and_leaves_nothing() {
    let root = store();
    for args in [
        &["cache", "warm", SMALL][..],
        &["farm", "plan", "cosets", "--range", "0..9", "--to", "farm"],
        &["farm", "plan", "verify", SMALL, "--to", "farm"],
        &["coset", "run", "--range", "0..1", "-S", "3", "-d", "3", "--checkpoint"],
    ] {
        let (code, _, stderr) = run(root.path(), args, "");
        assert!(code == 2 && stderr.contains("give a folder instead of :memory:"), "{args:?}: {code} {stderr}");
    }
    // The command that is advised does not name the memory of a process that is gone.
    for args in [&["query", SMALL, "/", "--no-build"][..], &["verify"], &["export", SMALL, "--no-build", "-o", "x.csv"]]
    {
        let (code, _, stderr) = run(root.path(), args, "");
        let advice = stderr.contains("run: twistbase build") && !stderr.contains("--store :memory:");
        assert!(code == 4 && advice && stderr.contains("hint: :memory: has only"), "{args:?}: {code} {stderr}");
    }
    let (code, _, stderr) = run(root.path(), &["build", "cube21", "--memory", "300M"], "");
    assert!(code == 7 && stderr.contains("is too small"), "{stderr}");
    // In a folder it is enough, with a scratch file.
    let [least, _] = wca_memory("square1".parse().unwrap()).unwrap();
    let (code, _, stderr) =
        run(root.path(), &["prove", "square1", "--metric", "wca", "--memory", &least.to_string()], "");
    assert_eq!(code, 7, "{stderr}");
    assert_nothing_is_left(&root);
}
