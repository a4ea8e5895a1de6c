//! Nothing that is damaged, of another plan or of another program is merged.

use super::*;

/// Flips a bit in the middle of a file.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_flipped_bit_in_a_shard_is_found_and_done_again() {
    let (_site, farm) = Site::rows();
    farm.work(&[]);
    let merged = farm.merged();
    flip(&farm.file("0000002.zst"));
    let (code, status, stderr) = farm.json("status", &["--check"]);
    assert_eq!((code, &status[0]["damaged"]), (4, &1.into()), "{stderr}");
    assert_eq!(farm.run("status", &["--check", "--to-do"]).1, "2\n");
    let output = farm.path.with_extension("merged");
    let (code, _, stderr) = farm.run("merge", &["--force", "--output", output.to_str().unwrap()]);
    assert_eq!((code, stderr.contains("shard 2")), (4, true), "{stderr}");
    assert_eq!(farm.work(&["--shard", "2"])[0]["outcome"], "done");
    assert_eq!(farm.merged(), merged);
}

#[test]
fn a_flipped_bit_in_a_plan_or_a_list_is_found() {
    let (_site, farm) = Site::rows();
    flip(&farm.path.join("plan.json"));
    for command in ["work", "status", "merge"] {
        let (code, _, stderr) = farm.run(command, &[]);
        assert_eq!((code, stderr.contains("plan.json")), (4, true), "{command}: {stderr}");
    }
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    fs::write(&list, "R U\nF2\n").unwrap();
    let plan = ["solve", list.to_str().unwrap(), "--table", "phase1"];
    let farm = Work::plan(&crate::support::CUBE3, &folder.path().join("farm"), &plan);
    flip(&farm.path.join("items.txt"));
    let (code, _, stderr) = farm.run("work", &[]);
    assert_eq!((code, stderr.contains("items.txt")), (4, true), "{stderr}");
}

#[test]
fn shards_of_other_plans_and_other_numbers_are_refused() {
    let (site, farm) = Site::rows();
    farm.work(&[]);
    let twin = site.plan("twin", &["verify", SMALL, "--shard-items", "10"]);
    twin.work(&[]);
    let merged = twin.merged();
    for (from, to) in [(farm.file("0000004.zst"), "0000004.zst"), (twin.file("0000005.zst"), "0000006.zst")] {
        let kept = fs::read(twin.file(to)).unwrap();
        fs::copy(from, twin.file(to)).unwrap();
        let output = twin.path.with_extension("merged");
        let (code, _, stderr) = twin.run("merge", &["--force", "--output", output.to_str().unwrap()]);
        assert_eq!((code, stderr.contains(&format!("shard {}", &to[6..7]))), (4, true), "{stderr}");
        fs::write(twin.file(to), kept).unwrap();
    }
    assert_eq!(twin.merged(), merged);
}

#[test]
fn a_plan_of_another_version_is_left_alone() {
    let (_site, farm) = Site::rows();
    let path = farm.path.join("plan.json");
    let plan = fs::read_to_string(&path).unwrap();
    for (from, to) in [("\"twistbase_farm\":1", "\"twistbase_farm\":2"), ("{", "nonsense")] {
        assert!(plan.contains(from), "{plan}");
        fs::write(&path, plan.replacen(from, to, 1)).unwrap();
        for command in ["work", "status", "merge"] {
            let (code, _, stderr) = farm.run(command, &[]);
            assert_eq!((code, stderr.contains("plan.json")), (4, true), "{command}: {stderr}");
        }
    }
}

#[test]
fn a_task_that_is_killed_leaves_what_it_finished() {
    // Where nothing else gets a turn, a short task ends before it is killed.
    assert!([12, 100, 800].into_iter().any(kill_task), "each task ended first");
}

/// Kills a task with so many cosets, and lets another finish them. Whether it had not ended before.
fn kill_task(cosets: usize) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let range = format!("0..{cosets}");
    let farm = Work::plan(
        &crate::support::CUBE3,
        &folder.path().join("farm"),
        &["cosets", "--range", &range, "-S", "4", "-d", "4", "--shard-items", &cosets.to_string()],
    );
    let journal = farm.file("0000000.journal");
    let lines = || fs::read(&journal).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count());
    let mut task = farm.start(&["--quiet"]);
    while lines() < 3 && task.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let _ = task.kill();
    task.wait().unwrap();
    if farm.file("0000000.zst").exists() {
        return false;
    }
    let finished = lines();
    assert_eq!((&farm.status()["interrupted"], &farm.status()["running"]), (&1.into(), &0.into()));
    // The last line may be torn by the kill.
    fs::write(&journal, [fs::read(&journal).unwrap(), b"0123456789abcdef {\"ite".to_vec()].concat()).unwrap();
    let report = farm.work(&[]).remove(0);
    assert_eq!((&report["outcome"], &report["journalled"]), (&"done".into(), &finished.into()));
    assert_eq!(farm.status()["summary"]["cosets"]["cosets"], cosets);
    assert!(!journal.exists());
    true
}
