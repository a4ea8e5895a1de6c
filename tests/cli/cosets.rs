//! Cosets: one, batches, farms of them, what becomes of results.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;
use twistbase::context::Context;
use twistbase::cosets::CosetResults;
use twistbase::puzzle::cube3::coordinate::CosetOfH;
use twistbase::puzzle::cube3::{Cover, Cube, notation};

use super::{run, run_json, store};
use crate::faults::{Ended, Numbers, Span, kill_within, program, wait_for_handler};
use crate::support::KEPT_SHARDS;
use crate::support::cube3::coset_store;
use twistbase_testing::fuzz::is_full;

/// `coset` with these arguments, which must succeed; its lines.
fn ok(dir: &Path, args: &[&str]) -> Vec<Value> {
    let (code, lines, stderr) = run_json(dir, &[&["coset"], args].concat());
    assert_eq!(code, 0, "{args:?}: {stderr}");
    lines
}

/// Counts by level: depth, positions, total, whether exact.
fn levels(report: &Value) -> Vec<(u64, u64, u64, bool)> {
    let level = |level: &Value| {
        let number = |name: &str| level[name].as_u64().unwrap();
        (number("depth"), number("positions"), number("total"), level["exact"].as_bool().unwrap())
    };
    report["levels"].as_array().unwrap().iter().map(level).collect()
}

/// All results as lines, without times.
fn exported(dir: &Path) -> Vec<String> {
    let (code, text, _) = run(dir, &["coset", "export"]);
    assert_eq!(code, 0);
    text.lines().map(|line| line.rsplitn(3, ',').last().unwrap().to_owned()).collect()
}

/// The last coset that a run of ours can find positions in without much searching: H itself.
fn h_itself() -> u32 {
    Cover::get().number(CosetOfH::of(&Cube::SOLVED)).expect("H covers the solved cube")
}

#[test]
fn a_coset_is_counted_and_then_known() {
    let dir = coset_store();
    let expected = [(3, 2, 2, true), (4, 18, 20, true), (5, 118, 138, true), (6, 864, 1002, true)];
    let first = ok(dir.path(), &["F1R1U2", "-S", "6", "-d", "6"]).remove(0);
    assert_eq!((levels(&first), &first["stored"]), (expected.to_vec(), &Value::Bool(false)));
    // The same coset by moves of H before the sequence, its mirror image, and less than is known.
    for (moves, depth) in [("U L2 F R U2", "6"), ("D2 F R U2", "5"), ("F' L' U2", "6")] {
        let again = ok(dir.path(), &[moves, "-S", depth, "-d", depth]).remove(0);
        assert_eq!((&again["stored"], levels(&again)), (&Value::Bool(true), expected.to_vec()), "{moves}");
    }
    let (code, text, _) = run(dir.path(), &["coset", "F1R1U2", "-S", "6", "-d", "6"]);
    assert!(code == 0 && text.contains("from the store") && text.contains("864"), "{text}");
    let more = ok(dir.path(), &["F1R1U2", "-S", "7", "-d", "7"]).remove(0);
    assert_eq!((&more["stored"], levels(&more)[4]), (&Value::Bool(false), (7, 6032, 7034, true)));
}

/// Of a coset that is farther than the search nothing can be counted: it is passed over, and said.
#[test]
fn cosets_beyond_the_depth_are_passed_over_and_counted() {
    let dir = coset_store();
    let h = h_itself();
    let range = format!("{}..{}", h - 200, h + 1);
    let args = ["coset", "run", "--range", &range, "-S", "4", "-d", "4", "--mode", "set"];
    let (code, text, stderr) = run(dir.path(), &args);
    assert!(code == 0 && text.lines().count() == 1 && text.contains("exact to depth 4"), "{text} {stderr}");
    assert!(
        stderr.contains("1 coset solved, 0 already stored, 200 skipped: all their positions are farther than 4"),
        "{stderr}"
    );
    let (_, text, stderr) = run(dir.path(), &args);
    assert!(text.is_empty() && stderr.contains("0 cosets solved, 1 already stored, 200 skipped"), "{stderr}");
    // Deeper than all lie nothing is passed over, nor where it is forced.
    let none = run(dir.path(), &["coset", "run", "--range", "0..1", "-S", "11", "-d", "11", "--mode", "set"]).2;
    assert!(none.contains("1 coset solved, 0 already stored\n"), "{none}");
    let forced = ok(dir.path(), &["run", "--range", "1..2", "-S", "4", "-d", "4", "--force"]).remove(0);
    assert_eq!((levels(&forced).len(), &forced["exact_to"]), (0, &4.into()));
}

/// SIGTERM between cosets that are passed over, of which there are millions, and between short ones.
#[test]
fn a_batch_hears_a_signal_between_cosets() {
    for depth in ["3", "11"] {
        let dir = coset_store();
        let args = ["coset", "run", "-S", depth, "-d", depth, "--mode", "set"];
        let mut child = program(dir.path(), &args).stdout(Stdio::null()).spawn().unwrap();
        wait_for_handler(&mut child, rustix::process::Signal::TERM);
        std::thread::sleep(std::time::Duration::from_millis(300));
        let sent = Command::new("kill").arg(child.id().to_string()).status().unwrap();
        let (asked, mut waited) = (Instant::now(), None);
        while waited.is_none() && asked.elapsed().as_secs() < 60 {
            waited = child.try_wait().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let _ = child.kill();
        let ended = child.wait().unwrap();
        assert!(sent.success() && waited.is_some() && ended.code() == Some(130), "{depth}: {ended}");
    }
}

/// The whole cube, by the cosets that have positions so near.
fn count_cube(metric: &str, expected: &[u64]) {
    let depth = (expected.len() - 1).to_string();
    let lines = ok(crate::support::CUBE3.as_path(), &["count", "--depth", &depth, "--metric", metric]);
    let found: Vec<u64> = lines.iter().map(|line| line["positions"].as_u64().unwrap()).collect();
    assert_eq!(found, expected);
    assert!(lines.iter().all(|line| line["published"] == true && line["metric"] == metric), "{lines:?}");
    assert_eq!(lines.last().unwrap()["total"], expected.iter().sum::<u64>());
    assert_eq!(lines[0]["cosets"], 1);
}

#[test]
#[ignore = "long suite: every coset of the cover, in both metrics"]
fn the_whole_cube_is_counted() {
    count_cube("htm", &[1, 18, 243, 3240]);
    let dir = coset_store();
    let (code, _, stderr) = run(dir.path(), &["coset", "count", "--depth", "3", "--metric", "qtm"]);
    assert!(code == 4 && stderr.contains("build phase1-qtm"), "{stderr}");
    let (code, _, stderr) = run(dir.path(), &["coset", "count", "--depth", "5", "--memory", "1K"]);
    assert!(code == 7 && stderr.contains("do not fit 1.00 kB"), "{code}: {stderr}");
}

#[test]
#[ignore = "long suite: every coset of the cover, again and again"]
fn the_whole_cube_is_counted_in_parts() {
    count_cube("htm", &[1, 18, 243, 3240, 43_239]);
    count_cube("qtm", &[1, 12, 114, 1068, 10_011, 93_840]);
    let dir = coset_store();
    let end = Cover::get().count();
    let mut sum = [0; 4];
    for range in [format!("0..{}", end / 3), format!("{}..{}", end / 3, h_itself()), format!("{}..{end}", h_itself())] {
        for (sum, line) in sum.iter_mut().zip(ok(dir.path(), &["count", "--depth", "3", "--range", &range])) {
            assert!(line["published"].is_null(), "{line}");
            *sum += line["positions"].as_u64().unwrap();
        }
    }
    assert_eq!(sum, [1, 18, 243, 3240]);
    let text = run(dir.path(), &["coset", "count", "--depth", "2"]).1;
    assert!(text.contains("243") && text.contains("262") && text.contains("as published"), "{text}");
}

#[test]
#[ignore = "tier two: a thousand million positions, and ten million in quarter turns; a bitmap for H"]
fn full_the_whole_cube_is_counted_far() {
    count_cube("htm", &[1, 18, 243, 3240, 43_239, 574_908, 7_618_438, 100_803_036, 1_332_343_288]);
    count_cube("qtm", &[1, 12, 114, 1068, 10_011, 93_840, 878_880, 8_221_632]);
}

/// Lists that would fill disks are refused before anything is searched, and what is written is what remains.
#[test]
fn lists_of_batches_are_refused_or_written() {
    let dir = coset_store();
    let file = dir.path().join("left.txt");
    let list = |from: &str, more: &[&str]| {
        let args = ["coset", "run", "--range", "0..2", "--list-from", from, "--list", file.to_str().unwrap()];
        run(dir.path(), &[&args, more].concat())
    };
    for (from, more) in [("18", &["-S", "12", "-d", "20"][..]), ("21", &["-S", "11", "-d", "11"])] {
        let (code, _, stderr) = list(from, more);
        assert!(code == 2 && stderr.contains("--force") && stderr.contains("lines"), "{code}: {stderr}");
        assert!(stderr.contains("if its cosets are average, far fewer if they are near H"), "{stderr}");
    }
    let of_one = ["coset", "F1R1U2", "-S", "4", "-d", "4", "--list-from", "4", "--list", file.to_str().unwrap()];
    let (code, _, stderr) = run(dir.path(), &of_one);
    assert!(code == 2 && stderr.contains("--force") && stderr.contains("lines"), "{code}: {stderr}");
    let (code, _, stderr) = list("21", &["--checkpoint"]);
    assert!(code == 2 && stderr.contains("checkpoint"), "{code}: {stderr}");
    assert_eq!(run(dir.path(), &["coset", "run", "--list-from", "20"]).0, 2);
    assert!(!file.exists() && !dir.path().join("cosets.redb").exists());
    fs::write(&file, "somebody's").unwrap();
    let (code, _, stderr) = list("20", &["-S", "12", "-d", "20"]);
    assert!(code == 2 && stderr.contains("left.txt exists already; --force replaces it"), "{code}: {stderr}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "somebody's");
}

/// Compares the counts of every way of solving.
fn compare_ways(cosets: &[&str]) {
    let dir = coset_store();
    for &moves in cosets {
        let ways =
            [&["--mode", "fast"][..], &["--mode", "bitmap"], &["--mode", "set"], &["-U"], &["--kernel", "portable"]];
        let counts =
            ways.map(|way| levels(&ok(dir.path(), &[&[moves, "-S", "5", "-d", "5", "--force"], way].concat())[0]));
        assert!(counts.iter().all(|count| *count == counts[0] && !count.is_empty()), "{moves}: {counts:?}");
    }
}

#[test]
fn every_way_of_solving_counts_the_same() {
    compare_ways(&["F1R1U2"]);
}

#[test]
#[ignore = "tier two: whole bitmaps"]
fn full_every_way_of_solving_counts_the_same_in_more_cosets() {
    compare_ways(&["wca:", "B3L1F1L2"]);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let dir = coset_store();
    let wrong: &[(&[&str], i32)] = &[
        (&[], 2),
        (&["F1R1U2", "-S", "9", "-d", "8"], 2),
        (&["F1R1U2", "-S", "4", "-d", "4", "--weighted"], 2),
        (&["F1R1U2", "--list", "x"], 2),
        (&["F1R1U2", "-F", "-S", "4"], 2),
        (&["F1R1Q2"], 3),
        (&["F1R1U2", "-S", "4", "--memory", "1M"], 7),
        (&["run", "--range", "5..5"], 2),
        (&["run", "--range", "0..99999999"], 2),
        (&["show", "4000000000"], 2),
        (&["show", "4294967296"], 2),
        (&["F1R1U2", "--mode", "set", "-S", "4", "--list-from", "20", "--list", "x"], 2),
        (&["show", "F1R1U2"], 4),
        (&["merge", "no-such-file"], 6),
    ];
    for (args, expected) in wrong {
        let (code, _, stderr) = run(dir.path(), &[&["coset"], *args].concat());
        assert_eq!(code, *expected, "{args:?}: {stderr}");
    }
    let (code, _, stderr) = run(store().path(), &["coset", "F1R1U2", "-S", "4", "-d", "4"]);
    assert!(code == 4 && stderr.contains("build phase1"), "{stderr}");
}

#[test]
fn a_batch_goes_on_where_it_stopped() {
    let dir = coset_store();
    let batch = |range: &str, more: &[&str]| {
        ok(dir.path(), &[&["run", "--range", range, "-S", "11", "-d", "11", "--mode", "set"], more].concat()).len()
    };
    assert_eq!([batch("0..2", &[]), batch("0..4", &[]), batch("1..3", &[])], [2, 2, 0]);
    assert_eq!(batch("1..3", &["--force"]), 2);
    // More is asked.
    assert_eq!(ok(dir.path(), &["run", "--range", "3..5", "-S", "12", "-d", "12", "--mode", "set"]).len(), 2);
    assert_eq!(ok(dir.path(), &["list"]).len(), 5);
    assert_eq!(ok(dir.path(), &["list", "--exact-to", "12", "--in-cover"]).len(), 2);
    assert_eq!(run(dir.path(), &["coset", "list", "--incomplete"]).1.lines().count(), 6);
    let total = ok(dir.path(), &["total"]).remove(0);
    assert_eq!(
        (&total["solved_of_cover"], &total["levels"][11]["cosets"], &total["levels"][12]["cosets"]),
        (&5.into(), &5.into(), &2.into())
    );
    let file = dir.path().join("out.csv");
    let export = ["coset", "export", "-o", file.to_str().unwrap()];
    assert_eq!(run(dir.path(), &export).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), run(dir.path(), &["coset", "export"]).1);
    fs::write(&file, "old").unwrap();
    let (code, _, stderr) = run(dir.path(), &export);
    assert!(code == 2 && stderr.contains("out.csv exists already; --force replaces it"), "{stderr}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(run(dir.path(), &[&export[..], &["--force"]].concat()).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), run(dir.path(), &["coset", "export"]).1);
}

#[test]
fn options_that_farms_replace_name_them() {
    let dir = store();
    let old: [&[&str]; 3] =
        [&["--shard", "1/2"], &["--out", "x"], &["--shard", "1/2", "--out", "x", "--per-file", "2"]];
    for options in old {
        let (code, _, stderr) = run(dir.path(), &[&["coset", "run", "--range", "0..9"], options].concat());
        assert!(code == 2 && stderr.contains("farm plan cosets"), "{code}: {stderr}");
    }
}

#[test]
fn a_farm_of_cosets_equals_one_run() {
    let (one, two, folder) = (coset_store(), coset_store(), store());
    let h = h_itself();
    let range = format!("{}..{}", h - 4, h + 1);
    let options = ["--range", &range, "-S", "4", "-d", "4", "--mode", "set"];
    ok(one.path(), &[&["run"], &options[..]].concat());
    let farm = folder.path().join("farm");
    let farm = farm.to_str().unwrap();
    let farmed = |dir: &Path, args: &[&str]| {
        let (code, lines, stderr) = run_json(dir, &[&["farm"], args].concat());
        assert_eq!(code, 0, "{args:?}: {stderr}");
        lines
    };
    farmed(two.path(), &[&["plan", "cosets", "--to", farm, "--shard-items", "2"], &options[..]].concat());
    // Results can be written meanwhile, which no task does.
    let writer = CosetResults::open(two.path()).writer(&Context::silent()).unwrap();
    for shards in ["0-1", "2"] {
        assert!(!farmed(two.path(), &["work", farm, "--shard", shards]).is_empty());
        // Nothing is left to do, so nothing is needed.
        let again = farmed(store().path(), &["work", farm, "--shard", shards]);
        assert!(again.iter().all(|shard| shard["outcome"] == "known"), "{again:?}");
    }
    drop(writer);
    assert_eq!(ok(two.path(), &["list"]), [] as [Value; 0], "tasks leave the store alone");
    for new in [5, 0] {
        let merged = farmed(two.path(), &["merge", farm]).remove(0);
        assert_eq!(
            (&merged["complete"], &merged["items_merged"], &merged["new"]),
            (&true.into(), &5.into(), &new.into())
        );
        assert_eq!(exported(one.path()), exported(two.path()));
    }
    assert!(exported(one.path()).iter().any(|line| line.contains(",4,3079,3613,")), "H to depth 4");
}

/// A folder with the files that the last version wrote which wrote such files: H and the three cosets of the cover before it, to
/// depth 4 exactly, and the files.
pub fn kept_shards() -> (TempDir, [PathBuf; 2]) {
    let folder = store();
    let files = ["56160705-56160707.cosets", "56160707-56160709.cosets"].map(|name| {
        let file = folder.path().join(name);
        fs::copy(Path::new(KEPT_SHARDS).join(name), &file).unwrap();
        file
    });
    (folder, files)
}

#[test]
fn shards_of_earlier_versions_are_merged() {
    let (dir, (folder, _)) = (coset_store(), kept_shards());
    let out = folder.path().to_str().unwrap();
    for new in [2, 0] {
        let merged = ok(dir.path(), &["merge", out]);
        let counts = merged.iter().map(|file| (file["results"].as_u64().unwrap(), file["new"].as_u64().unwrap()));
        assert_eq!(counts.collect::<Vec<_>>(), [(2, new), (2, new)]);
    }
    let h = levels(&ok(dir.path(), &["show", &h_itself().to_string()])[0]);
    let totals: Vec<_> = h.iter().map(|&(depth, _, total, exact)| (depth, total, exact)).collect();
    assert_eq!(totals[..5], [(0, 1, true), (1, 11, true), (2, 78, true), (3, 534, true), (4, 3613, true)]);
    assert_eq!(totals[5..], [(5, 23_561, false)], "as many as the prepass found");
    // Their weights are those of the cover before, which are not added up; counted again, they have this program's.
    let weighted = || {
        let total = ok(dir.path(), &["total"]).remove(0);
        assert_eq!(total["solved_of_cover"], 4);
        [0, 1, 2].map(|depth| ["cosets", "positions"].map(|what| total["levels"][depth][what].as_u64().unwrap()))
    };
    assert_eq!(weighted(), [[0, 0]; 3]);
    let range = format!("{}..{}", h_itself(), h_itself() + 1);
    for solved in [1, 0] {
        assert_eq!(ok(dir.path(), &["run", "--range", &range, "-S", "4", "-d", "4", "--mode", "set"]).len(), solved);
    }
    // Of the six half turns all; a quarter turn counts in the coset of another axis.
    assert_eq!(weighted(), [[1, 1], [1, 6], [1, 39]]);
}

#[test]
fn shards_that_are_damaged_or_disagree_are_refused() {
    let (dir, (folder, files)) = (store(), kept_shards());
    let out = folder.path().to_str().unwrap();
    let bytes = fs::read(&files[0]).unwrap();
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 4;
    fs::write(&files[0], damaged).unwrap();
    let refused = |name: &Path, words: &[&str]| {
        let (code, _, stderr) = run(dir.path(), &["coset", "merge", out]);
        let is_named = stderr.contains(name.to_str().unwrap()) && words.iter().all(|word| stderr.contains(word));
        assert!(code == 4 && is_named, "{code}: {stderr}");
    };
    refused(&files[0], &["damaged", "farm plan cosets"]);
    assert_eq!(ok(dir.path(), &["list"]).len(), 2, "the other is taken");
    fs::write(&files[0], bytes).unwrap();
    // A result that cannot be right beside that of the file.
    let results = CosetResults::open(dir.path());
    let mut record = results.iter().map(Result::unwrap).find(|record| !record.levels.is_empty()).unwrap();
    for level in record.levels.iter_mut().filter(|level| level.depth >= 3) {
        level.total = level.total.map(|n| n + 1);
        level.positions = level.positions.map(|n| n + u64::from(level.depth == 3));
    }
    record.remaining -= 1;
    results.writer(&Context::silent()).unwrap().replace(std::slice::from_ref(&record)).unwrap();
    refused(&files[1], &[&record.coset.to_string()]);
    assert_eq!(ok(dir.path(), &["list"]).len(), 4);
    let h = h_itself().to_string();
    assert_eq!(levels(&ok(dir.path(), &["show", &h])[0])[3], (3, 457, 535, true), "the first one stays");
}

#[test]
fn one_process_writes_and_others_read() {
    let dir = coset_store();
    let writer = CosetResults::open(dir.path()).writer(&Context::silent()).unwrap();
    let (code, _, stderr) = run(dir.path(), &["coset", "run", "--range", "0..1", "-S", "3", "-d", "3"]);
    assert!(code == 5 && stderr.contains(&std::process::id().to_string()), "{code}: {stderr}");
    assert_eq!(run(dir.path(), &["coset", "list"]).0, 0);
    drop(writer);
    assert_eq!(ok(dir.path(), &["run", "--range", "0..1", "-S", "3", "-d", "3", "--force"]).len(), 1);
}

/// Changes every record in the file, the current and older ones, and their checksums not.
pub fn damage_records(dir: &Path) {
    replace_in_file(&dir.join("cosets.redb"), br#""mode":"fast""#, br#""mode":"fist""#);
}

/// Undoes it.
pub fn mend_records(dir: &Path) {
    replace_in_file(&dir.join("cosets.redb"), br#""mode":"fist""#, br#""mode":"fast""#);
}

fn replace_in_file(file: &Path, old: &[u8], new: &[u8]) {
    let mut bytes = fs::read(file).unwrap();
    let places: Vec<usize> = (0..bytes.len() - old.len()).filter(|&at| bytes[at..].starts_with(old)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at..at + old.len()].copy_from_slice(new));
    fs::write(file, bytes).unwrap();
}

#[test]
fn damaged_results_are_found_and_solved_again() {
    let dir = coset_store();
    let (code, _, stderr) = run(dir.path(), &["verify", "cosets"]);
    assert!(code == 4 && stderr.contains("run: twistbase coset F1R1U2"), "{stderr}");
    ok(dir.path(), &["run", "--range", "7..8", "-S", "3", "-d", "3", "--force"]);
    // F R U2 is not of the cover.
    ok(dir.path(), &["F1R1U2", "-S", "5", "-d", "5"]);
    let verified = |args: &[&str]| run_json(dir.path(), &[&["verify"], args].concat());
    let (code, lines, _) = verified(&["cosets"]);
    assert_eq!((code, &lines[0]["intact"], &lines[0]["rows"]), (0, &Value::Bool(true), &2.into()));
    damage_records(dir.path());
    let (code, lines, _) = verified(&["cosets"]);
    assert_eq!((code, lines.len(), &lines[2]["faults"]), (4, 3, &2.into()));
    let planned = run_json(dir.path(), &["rebuild", "cosets", "--dry-run"]);
    assert_eq!((planned.0, &planned.1[0]["plan"]), (0, &"solve".into()));
    assert_eq!(run(dir.path(), &["rebuild", "cosets"]).0, 4, "it is not mended");
    let remedies: Vec<&str> = lines[..2].iter().map(|line| line["remedy"].as_str().unwrap()).collect();
    assert!(remedies.contains(&"coset run --range 7..8 --force"), "{remedies:?}");
    for row in planned.1[0]["rows"].as_array().unwrap() {
        let remedy = row["remedy"].as_str().unwrap();
        assert!(remedies.contains(&remedy));
        // As a shell would take it apart.
        let quoted: Vec<&str> = remedy.split('\'').collect();
        let words = quoted.iter().enumerate().flat_map(|(place, &part)| match place % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        });
        let again: Vec<&str> = words.chain(["-S", "3", "-d", "3", "--quiet"]).collect();
        let (code, _, stderr) = run(dir.path(), &again);
        assert_eq!(code, 0, "{again:?}: {stderr}");
    }
    assert_eq!(verified(&["cosets"]).0, 0);
}

#[test]
fn wrong_counts_are_found_by_counting_again() {
    let dir = coset_store();
    ok(dir.path(), &["F1R1U2", "-S", "5", "-d", "5"]);
    ok(dir.path(), &["run", "--range", "0..2", "-S", "3", "-d", "3", "--force"]);
    let deep = |args: &[&str]| run_json(dir.path(), &[&["verify", "cosets", "--deep"], args].concat());
    let (code, lines, stderr) = deep(&[]);
    assert_eq!((code, &lines[0]["deep_rows"]), (0, &3.into()), "{stderr}");
    assert_eq!(deep(&["--rows", "2"]).1[0]["deep_rows"], 2);
    let results = CosetResults::open(dir.path());
    let mut record = results.iter().map(Result::unwrap).find(|record| !record.levels.is_empty()).unwrap();
    let last = record.levels.last_mut().unwrap();
    (last.positions, last.total) = (last.positions.map(|n| n + 1), last.total.map(|n| n + 1));
    record.remaining -= 1;
    results.writer(&Context::silent()).unwrap().replace(&[record]).unwrap();
    let (code, lines, _) = deep(&[]);
    assert_eq!((code, lines.len()), (4, 2));
    assert!(
        lines[0]["detail"].as_str().unwrap().contains("119 positions are stored for depth 5, but 118 are counted"),
        "{lines:?}"
    );
}

#[test]
fn a_batch_tells_how_far_it_is() {
    let dir = coset_store();
    let (code, _, stderr) =
        run(dir.path(), &["coset", "run", "--range", "0..12", "-S", "11", "-d", "11", "--mode", "set"]);
    let lines: Vec<&str> = stderr.lines().filter(|line| line.starts_with("cosets: ")).collect();
    assert!(code == 0 && lines.last().is_some_and(|line| line.starts_with("cosets: 12 cosets in ")), "{stderr}");
    assert!(!stderr.contains("level"), "of each coset nothing: {stderr}");
    assert_eq!(
        run(dir.path(), &["coset", "run", "--range", "0..3", "-S", "12", "-d", "12", "--mode", "set", "--quiet"]).2,
        ""
    );
}

#[test]
#[ignore = "tier two: completes a coset by prepass, a minute and 2.9 GB"]
fn full_positions_that_remain_are_listed() {
    let dir = coset_store();
    let file = dir.path().join("left.txt");
    let (h, list) = (h_itself(), file.to_str().unwrap());
    let range = format!("{h}..{}", h + 1);
    let args = ["coset", "run", "--range", &range, "-S", "8", "--list-from", "18", "--list", list, "--force"];
    let (code, report, stderr) = run_json(dir.path(), &args);
    assert!(code == 0 && stderr.contains(&format!("604 positions written to {list}")), "{code}: {stderr}");
    let last = levels(&report[0]).pop().unwrap();
    assert_eq!((last, &report[0]["complete"]), ((18, 604, 19_508_428_800, false), &Value::Bool(true)));
    let text = fs::read_to_string(&file).unwrap();
    let positions: BTreeSet<Cube> = text.lines().map(|line| notation::reid::parse(line).expect("a position")).collect();
    assert!(text.lines().count() == 604 && positions.len() == 604 && positions.iter().all(Cube::is_in_h));
    let number = h.to_string();
    let args = ["coset", &number, "-S", "8", "--list-from", "18", "--list", "-", "--force"];
    let (code, text, stderr) = run(dir.path(), &args);
    assert!(code == 0 && stderr.contains("604 positions written to standard output\n"), "{code}: {stderr}");
    assert_eq!(text.lines().map(|line| notation::reid::parse(line).unwrap().is_in_h()).filter(|&is| is).count(), 604);
}

/// Runs a batch, and kills it when it has reported so many cosets; the cosets, and whether it ended by itself.
fn killed_after(dir: &Path, args: &[&str], reports: usize) -> (Vec<u64>, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_twistbase"));
    command.args(args).arg("--json").env("TWISTBASE_STORE", dir).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let coset = |line: String| serde_json::from_str::<Value>(&line).unwrap()["coset"].as_u64().unwrap();
    let mut seen: Vec<u64> = lines.by_ref().take(reports).map(|line| coset(line.unwrap())).collect();
    let ended = seen.len() < reports;
    child.kill().unwrap();
    // What it reported before the signal came.
    seen.extend(lines.map_while(Result::ok).map(coset));
    child.wait().unwrap();
    (seen, ended)
}

#[test]
#[ignore = "long suite: kills a batch of cosets over and over"]
fn kills_lose_nothing_that_was_reported() {
    let (cosets, most) = if is_full() { (150, 23) } else { (40, 9) };
    // Where nothing else gets a turn, a batch ends before it is killed.
    assert!((0..5).any(|_| kill_batches(cosets, most) > 5), "too few kills");
}

/// Kills a batch until it ends, and returns how often.
fn kill_batches(cosets: usize, most: usize) -> usize {
    let range = format!("0..{cosets}");
    let (calm, killed) = (coset_store(), coset_store());
    let batch = ["coset", "run", "--range", &range, "-S", "11", "-d", "11", "--mode", "set"];
    assert_eq!(run(calm.path(), &batch).0, 0);
    let (mut reported, mut kills, mut repeated) = (BTreeSet::new(), 0, 0);
    loop {
        // Kills come at once, and after more cosets.
        let (seen, ended) = killed_after(killed.path(), &batch, kills * 7 % most);
        repeated += seen.iter().filter(|coset| !reported.insert(**coset)).count();
        let kept: BTreeSet<u64> =
            ok(killed.path(), &["list"]).iter().map(|line| line["coset"].as_u64().unwrap()).collect();
        assert!(reported.is_subset(&kept), "lost: {:?}", reported.difference(&kept));
        if ended {
            break;
        }
        kills += 1;
    }
    println!("{kills} kills, {} cosets reported, {repeated} of them more than once", reported.len());
    assert!(repeated == 0 && reported.len() <= cosets);
    assert_eq!(exported(calm.path()), exported(killed.path()));
    kills
}

/// What a result says, without how long it took and when, and without whether it was there already: a command may be killed
/// between storing it and its end.
fn findings(mut report: Value) -> Value {
    let levels = report["levels"].as_array_mut().unwrap();
    for object in levels.iter_mut().map(|level| level.as_object_mut().unwrap()) {
        object.retain(|name, _| !name.ends_with("_seconds"));
    }
    let object = report.as_object_mut().unwrap();
    object.retain(|name, _| !["seconds", "finished", "stored"].contains(&name.as_str()));
    report
}

#[test]
#[ignore = "tier two: kills the solution of a coset to depth 11 over and over"]
fn full_a_killed_coset_goes_on_from_its_checkpoint() {
    let (calm, killed) = (coset_store(), coset_store());
    let args = ["coset", "F1R1U2", "-S", "11", "-d", "11", "--checkpoint", "--checkpoint-every", "0"];
    let started = Instant::now();
    let (code, mut lines, stderr) = run_json(calm.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    let (mut span, expected) = (Span(started.elapsed()), findings(lines.remove(0)));
    let checkpoints = |dir: &Path| {
        let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".checkpoint")).count()
    };
    let (mut numbers, mut kills, mut left, mut solved) = (Numbers(11), 0, 0, 0);
    while solved < 3 || kills < 4 {
        let mut command = program(killed.path(), &[&args[..], &["--json"]].concat());
        match kill_within(&mut span, &mut command, &mut numbers) {
            Ended { code: None, .. } => {
                kills += 1;
                left += checkpoints(killed.path());
            }
            ended => {
                assert_eq!(findings(ended.json().remove(0)), expected, "after {kills} kills");
                assert_eq!(checkpoints(killed.path()), 0, "it is of no more use");
                solved += 1;
                fs::remove_file(killed.path().join("cosets.redb")).unwrap();
            }
        }
    }
    println!("{kills} kills of 3 solutions of {:?} each; {left} left a checkpoint", span.0);
    assert!(left > 0, "none was left to go on from");
}
