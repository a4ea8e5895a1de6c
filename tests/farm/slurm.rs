//! `farm submit` and `farm resubmit`, with programs in the place of Slurm's that write down how they are called.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// A folder with `sbatch`, `squeue` and `scontrol`.
struct FakeSlurm {
    folder: TempDir,
}

impl FakeSlurm {
    fn new() -> Self {
        let fake = Self { folder: tempfile::tempdir().unwrap() };
        fake.program("scontrol", "echo 'MaxArraySize            = 4'");
        fake.program("squeue", "cat \"$(dirname \"$0\")/queue\" 2>/dev/null; true");
        fake.program("sbatch", "cd \"$(dirname \"$0\")\"; echo \"$*\" >> calls; wc -l < calls | tr -d ' '");
        fake
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn path(&self) -> OsString {
        let paths = std::env::var_os("PATH").unwrap();
        std::env::join_paths(std::iter::once(self.folder.path().to_owned()).chain(std::env::split_paths(&paths)))
            .unwrap()
    }

    fn run(&self, farm: &Work, command: &str, options: &[&str]) -> (i32, Vec<Value>, String) {
        let words = [&farm.words(command, options)[..], &["--json"]].concat();
        let output = twistbase(&farm.store, &words).env("PATH", self.path()).output().unwrap();
        let lines: Vec<Value> = String::from_utf8(output.stdout).unwrap().lines().map(crate::cli::object).collect();
        if !lines.is_empty() {
            check("farm-submit", &lines);
        }
        (output.status.code().unwrap(), lines, String::from_utf8(output.stderr).unwrap())
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.folder.path().join("calls")).map_or(0, |text| text.lines().count())
    }
}

/// The first shard and the number of shards of each array.
fn arrays(report: &Value) -> Vec<(u64, u64)> {
    let arrays = report["arrays"].as_array().unwrap().iter();
    arrays.map(|array| (array["first"].as_u64().unwrap(), array["shards"].as_u64().unwrap())).collect()
}

#[test]
fn a_farm_is_submitted_as_arrays() {
    let ((_site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    let options = ["--time", "2:00:00", "--memory", "4G", "--cores", "2", "--throttle", "3", "--account", "puzzles"];
    let (code, dry, stderr) = slurm.run(&farm, "submit", &[&options[..], &["--dry-run"]].concat());
    assert_eq!((code, slurm.calls(), arrays(&dry[0])), (0, 0, vec![(0, 4), (4, 4), (8, 1)]), "{stderr}");
    assert!(!farm.path.join("jobs").exists());
    let (code, report, stderr) = slurm.run(&farm, "submit", &options);
    assert_eq!((code, slurm.calls(), arrays(&report[0])), (0, 3, arrays(&dry[0])), "{stderr}");
    let script = fs::read_to_string(report[0]["arrays"][0]["script"].as_str().unwrap()).unwrap();
    assert_eq!(script, dry[0]["arrays"][0]["text"].as_str().unwrap());
    for line in ["--time=2:00:00", "--mem=4G", "--cpus-per-task=2", "--array=0-3%3", "--account=puzzles"] {
        assert!(script.lines().any(|said| said == format!("#SBATCH {line}")), "{line} is not in {script}");
    }
    // A task of it, as Slurm starts it: the second of the second array is shard 5.
    let second = report[0]["arrays"][1]["script"].as_str().unwrap();
    let task = Command::new("bash").arg(second).env("SLURM_ARRAY_TASK_ID", "1").output().unwrap();
    assert!(task.status.success(), "{task:?}");
    assert!(farm.file("0000005.zst").exists());
    assert_eq!(farm.status()["done"], 1);
}

#[test]
fn what_is_missing_is_submitted_again() {
    let ((_site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    assert_eq!(slurm.run(&farm, "submit", &["--time", "30"]).0, 0);
    farm.work(&["--shard", "0-3,7"]);
    fs::write(farm.file("0000001.zst"), "damaged").unwrap();
    // The second array waits still, but for what is done of it.
    let script = fs::read_to_string(farm.path.join("jobs/0001.sbatch")).unwrap();
    let name = script.lines().find_map(|line| line.strip_prefix("#SBATCH --job-name=")).unwrap();
    let queue: String = [0, 1].map(|index| format!("{name} {index}\n")).concat();
    fs::write(slurm.folder.path().join("queue"), queue).unwrap();
    let (code, report, stderr) = slurm.run(&farm, "resubmit", &[]);
    assert_eq!(code, 0, "{stderr}");
    let script = |array: &Value| fs::read_to_string(array["script"].as_str().unwrap()).unwrap();
    let again: Vec<String> = report[0]["arrays"].as_array().unwrap().iter().map(script).collect();
    let shards: u64 = arrays(&report[0]).iter().map(|array| array.1).sum();
    // Shards 1, 6 and 8: shards 4 and 5 wait.
    assert_eq!((shards, &report[0]["waiting"], &report[0]["done"]), (3, &2.into(), &4.into()), "{report:?}");
    assert!(again.iter().all(|script| script.contains("#SBATCH --time=30")), "{again:?}");
    farm.work(&[]);
    fs::remove_file(slurm.folder.path().join("queue")).unwrap();
    let (code, report, _) = slurm.run(&farm, "resubmit", &[]);
    assert_eq!((code, arrays(&report[0]).len()), (0, 0));
}

#[test]
fn the_same_plan_is_not_submitted_twice() {
    let ((_site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    assert_eq!(slurm.run(&farm, "submit", &[]).0, 0);
    let calls = slurm.calls();
    let (code, _, stderr) = slurm.run(&farm, "submit", &[]);
    // The last of the three arrays.
    assert_eq!((code, stderr.contains("as job 3;")), (2, true), "{stderr}");
    assert_eq!(slurm.calls(), calls);
}

/// What cannot be read may tell of arrays that were submitted.
#[test]
fn a_list_of_jobs_that_cannot_be_read_is_not_an_empty_one() {
    let ((_site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    fs::write(farm.path.join("jobs"), "no folder").unwrap();
    let (code, _, stderr) = slurm.run(&farm, "submit", &["--dry-run"]);
    assert_eq!((code, stderr.contains("jobs")), (6, true), "{stderr}");
}

#[test]
fn paths_that_are_no_text_are_refused() {
    let ((site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    let path = site.folder.path().join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"rows\xff"));
    fs::rename(&farm.path, &path).unwrap();
    let mut command = twistbase(&farm.store, &["farm", "submit", "--dry-run"]);
    let output = command.arg(&path).env("PATH", slurm.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), stderr.contains("not one line of text")), (Some(2), true), "{stderr}");
}

#[test]
fn options_come_from_a_file_and_from_the_command() {
    let ((site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    let file = site.path("site.toml");
    fs::write(&file, "partition = \"short\"\ntime = \"9\"\ncores = 3\nsetup = [\"module load zstd\"]\n").unwrap();
    let (code, report, stderr) =
        slurm.run(&farm, "submit", &["--dry-run", "--time", "5", "--slurm", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let script = report[0]["arrays"][0]["text"].as_str().unwrap();
    for line in ["#SBATCH --partition=short", "#SBATCH --time=5", "#SBATCH --cpus-per-task=3", "module load zstd"] {
        assert!(script.lines().any(|said| said == line), "{line} is not in {script}");
    }
    for wrong in ["cores = 0", "partitions = \"short\"", "time = ", "checkpoint_every = \"often\""] {
        fs::write(&file, wrong).unwrap();
        let (code, _, stderr) = slurm.run(&farm, "submit", &["--dry-run", "--slurm", file.to_str().unwrap()]);
        assert_eq!(code, 2, "{wrong}: {stderr}");
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let ((_site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    let wrong: [&[&str]; 5] = [
        &["--cores", "0"],
        &["--throttle", "0"],
        &["--notice=-5"],
        &["--checkpoint-every", "often"],
        &["--account", "two\nlines"],
    ];
    for options in wrong {
        let (code, _, stderr) = slurm.run(&farm, "submit", options);
        assert_eq!((code, slurm.calls()), (2, 0), "{options:?}: {stderr}");
    }
}

#[test]
fn a_machine_without_slurm_is_told() {
    let (_site, farm) = Site::rows();
    let words = farm.words("submit", &[]);
    let output = twistbase(&farm.store, &words).env("PATH", "/nowhere").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.contains("scontrol")), (Some(6), true), "{stderr}");
    assert!(stderr.contains("Slurm is not installed here; use farm work"), "{stderr}");
    // The plan can be seen there all the same.
    let words = farm.words("submit", &["--dry-run"]);
    assert!(twistbase(&farm.store, &words).env("PATH", "/nowhere").output().unwrap().status.success());
}

#[test]
fn what_sbatch_refuses_is_told_in_its_words() {
    let ((_site, farm), slurm) = (Site::rows(), FakeSlurm::new());
    slurm.program("sbatch", "echo 'sbatch: error: invalid partition specified: shirt' >&2; exit 1");
    let (code, _, stderr) = slurm.run(&farm, "submit", &["--partition", "shirt"]);
    assert_eq!((code, stderr.contains("invalid partition")), (6, true), "{stderr}");
    // Nothing of it stays that would keep the next attempt back.
    slurm.program("sbatch", "echo 7");
    assert_eq!(slurm.run(&farm, "submit", &[]).0, 0);
}
