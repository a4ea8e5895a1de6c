//! `farm plan`, and what it refuses.

use std::fs;

use super::*;
use crate::cli::twistbase;
use crate::support::program::Run;

#[test]
fn shards_are_as_long_as_they_are_to_be() {
    let site = Site::new();
    let shards = |name, options: &[&str]| {
        let farm = site.plan(name, &[&["verify", SMALL], options].concat());
        let plan = fs::read_to_string(farm.path.join("plan.json")).unwrap();
        let plan: Value = serde_json::from_str(plan.lines().next().unwrap()).unwrap();
        assert_eq!(plan["items"], 90);
        plan["ends"].as_array().unwrap().iter().map(|end| end.as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(shards("one", &[]), [90]);
    assert_eq!(shards("items", &["--shard-items", "40"]), [40, 80, 90]);
    assert_eq!(shards("measured", &["--item-time", "1m", "--shard-time", "30m"]), [30, 60, 90]);
    assert_eq!(shards("no-time", &["--item-time", "0s"]), [90]);
    assert_eq!(shards("each", &["--item-time", "1h", "--shard-time", "1m"]).len(), 90);
}

#[test]
fn a_folder_has_one_plan() {
    let (site, farm) = Site::rows();
    let before = fs::read(farm.path.join("plan.json")).unwrap();
    let words = ["farm", "plan", "verify", SMALL, "--to", farm.path.to_str().unwrap()];
    let (code, _, stderr) = run(site.store.path(), &words);
    assert_eq!((code, stderr.contains("has a plan already")), (2, true), "{stderr}");
    assert_eq!(fs::read(farm.path.join("plan.json")).unwrap(), before);
}

#[test]
fn what_cannot_be_planned_is_told_before_anything_is_written() {
    let site = Site::new();
    let (to, list) = (site.path("farm"), site.path("list"));
    let (to, list) = (to.to_str().unwrap(), list.to_str().unwrap());
    let refused = |status, says: &str, text: &str, arguments: &[&str]| {
        fs::write(list, text).unwrap();
        let (code, _, stderr) = run(site.store.path(), &[&["farm", "plan"], arguments, &["--to", to]].concat());
        assert_eq!((code, stderr.contains(says)), (status, true), "{arguments:?}: {stderr}");
        assert!(!site.path("farm").exists(), "{arguments:?}");
    };
    refused(4, "twistbase build phase1", "", &["cosets", "--range", "0..9"]);
    refused(4, "twistbase build cube21", "", &["verify", "cube21"]);
    refused(2, "", "", &["verify", "nonsense"]);
    refused(2, "", "", &["cosets", "--range", "9..9"]);
    refused(2, "", "", &["cosets", "--range", "0..99999999"]);
    refused(2, "line 2", "3\n-1\n", &["cosets", "--numbers", list]);
    refused(4, "twistbase build phase1", "R\n", &["solve", list]);
    refused(2, "the list is empty", "\n\n", &["solve", list, "--table", "phase1"]);
    refused(3, "line 3: ", "R U\n\nR U5\n", &["solve", list]);
    refused(6, "nowhere", "", &["solve", "nowhere"]);
    refused(2, "", "R\n", &["solve", list, "--limit", "3"]);
    refused(2, "", "R\n", &["solve", list, "--metric", "qtm", "--table", "nx-eo1-ep1-htm"]);
    refused(2, "", "", &["verify", SMALL, "--shard-items", "0"]);
    fs::write(list, b"R\n\xFF\n").unwrap();
    let (code, _, stderr) = run(site.store.path(), &["farm", "plan", "solve", list, "--table", "phase1", "--to", to]);
    assert!(code == 3 && stderr.contains("line 2: "), "{code} {stderr}");
}

#[test]
fn positions_are_read_from_standard_input() {
    let site = Site::new();
    let farm = site.path("farm");
    let plan = ["farm", "plan", "solve", "-", "--table", "phase1", "--to", farm.to_str().unwrap()];
    let output = twistbase(site.store.path(), &plan).output_of("R\nR U\n").unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.contains("twistbase build phase1")), (Some(4), true), "{stderr}");
    // What is wrong with them is told with their line.
    let output = twistbase(site.store.path(), &plan).output_of("R\nR X\n").unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.contains("line 2: ")), (Some(3), true), "{stderr}");
}

#[test]
fn a_farm_that_is_none_is_told() {
    let site = Site::new();
    let nowhere = Work { store: site.store.path().to_owned(), path: site.path("nowhere") };
    for command in ["work", "status", "submit", "resubmit", "merge"] {
        let (code, _, stderr) = nowhere.run(command, &[]);
        assert_eq!((code, stderr.contains("no plan")), (4, true), "{command}: {stderr}");
    }
}
