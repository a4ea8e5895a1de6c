//! `farm work` and `farm status`.

use super::*;
use crate::support::program::Run;

#[test]
fn shards_are_done_once() {
    let (_site, farm) = Site::rows();
    let reports = farm.work(&["--shard", "3,5-6"]);
    assert_eq!(reports.iter().map(|report| report["shard"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 5, 6]);
    assert!(reports.iter().all(|report| report["outcome"] == "done" && report["items"] == 10));
    let written = fs::metadata(farm.file("0000003.zst")).unwrap().modified().unwrap();
    assert_eq!(farm.work(&["--shard", "3"])[0]["outcome"], "known");
    assert_eq!(fs::metadata(farm.file("0000003.zst")).unwrap().modified().unwrap(), written);
    assert_eq!(farm.run("status", &["--to-do"]).1, "0\n1\n2\n4\n7\n8\n");
    let outcomes = farm.work(&[]);
    assert_eq!(outcomes.iter().filter(|report| report["outcome"] == "done").count(), 6);
    let status = farm.status();
    assert_eq!((&status["done"], &status["missing"], &status["damaged"]), (&9.into(), &0.into(), &0.into()));
    assert_eq!((&status["summary"]["rows"]["rows"], &status["summary"]["rows"]["faults"]), (&90.into(), &0.into()));
    // What is done leaves nothing behind.
    assert_eq!(entries(&farm.path.join("shards")), [1, 9]);
}

#[test]
fn a_shard_that_there_is_not_is_told() {
    let (_site, farm) = Site::rows();
    let (code, _, stderr) = farm.run("work", &["--shard", "9"]);
    assert_eq!((code, stderr.contains("0 to 8")), (2, true), "{stderr}");
    // However long a range is: it is refused before its numbers are written out.
    let (code, _, stderr) = farm.run("work", &["--shard", "0-4000000000"]);
    assert_eq!((code, stderr.contains("no shard 4000000000")), (2, true), "{stderr}");
    for words in ["nonsense", "5-3", "-1", ""] {
        assert_eq!(farm.run("work", &["--shard", words]).0, 2, "{words}");
    }
    assert_eq!(entries(&farm.path.join("shards")), [1, 0]);
}

#[test]
fn many_tasks_share_a_farm() {
    let (_site, farm) = Site::rows();
    let tasks: Vec<_> = (0..4).map(|_| farm.start(&["--quiet", "--threads", "1"])).collect();
    for mut task in tasks {
        assert!(task.wait().unwrap().success());
    }
    // A task passes over what another has in hand, so that one of them may end before that is done.
    assert_eq!((farm.status()["done"].as_u64(), farm.status()["failed"].as_u64()), (Some(9), Some(0)));
    let alone = Site::rows();
    alone.1.work(&[]);
    assert_eq!(farm.merged(), alone.1.merged());
}

#[test]
fn tables_are_staged_once_and_checked() {
    let (site, farm) = Site::rows();
    let stage = site.path("node");
    let options = ["--stage", stage.to_str().unwrap()];
    farm.work(&[&options[..], &["--shard", "0-1"]].concat());
    let copy = stage.join("square1-corners.redb");
    let staged = fs::read(&copy).unwrap();
    assert_eq!(staged, fs::read(site.store.path().join("square1-corners.redb")).unwrap());
    // A copy that is not as it was is copied anew.
    let mut flipped = staged.clone();
    flipped[staged.len() / 2] ^= 1;
    fs::write(&copy, flipped).unwrap();
    farm.work(&options);
    assert_eq!(fs::read(&copy).unwrap(), staged);
    assert_eq!(farm.status()["done"], 9);
}

/// Where `flock` fails nothing is lost but time: the folder of a farm, and that to which tables are copied.
#[test]
fn farms_need_no_locks() {
    let site = Site::new();
    let shim = crate::faults::compiled("no_locks");
    let folder = fs::canonicalize(site.folder.path()).unwrap();
    let [farm, stage] = ["rows", "node"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let without_locks = |words: &[&str]| {
        let mut command = twistbase(site.store.path(), words);
        command.env("LD_PRELOAD", &shim).env("TWISTBASE_NO_LOCKS", &folder).succeed();
    };
    without_locks(&["farm", "plan", "verify", SMALL, "--shard-items", "10", "--to", &farm]);
    // What another one writes, as far as anybody can tell: it stays.
    let others = folder.join("rows/shards/000/.twistbase-0000003.zst-x.tmp");
    fs::write(&others, "others").unwrap();
    without_locks(&["farm", "work", &farm, "--stage", &stage, "--quiet"]);
    let output = folder.join("merged");
    without_locks(&["farm", "merge", &farm, "--output", output.to_str().unwrap()]);
    assert!(others.exists());
    let (_site, alone) = Site::rows();
    alone.work(&[]);
    assert_eq!(fs::read(output).unwrap(), alone.merged());
}

#[test]
fn other_tables_and_missing_ones_are_refused() {
    let (site, farm) = Site::rows();
    let other = tempfile::tempdir().unwrap();
    let elsewhere = Work { store: other.path().to_owned(), path: farm.path.clone() };
    assert_eq!(elsewhere.run("work", &["--shard", "0"]).0, 4);
    let status = farm.status();
    assert_eq!((&status["failed"], &status["failures"][0]["shard"]), (&1.into(), &0.into()));
    let (_, text, _) = farm.run("status", &[]);
    assert!(text.contains("1 failed") && text.contains("shard 0"), "{text}");
    // The same table to another depth is another.
    twistbase(other.path(), &["build", SMALL, "--depth", "4", "--quiet"]).succeed();
    let (code, _, stderr) = elsewhere.run("work", &["--shard", "0"]);
    assert_eq!(code, 4, "{stderr}");
    farm.work(&["--shard", "0"]);
    assert_eq!(farm.status()["failed"], 0);
    drop(site);
}
