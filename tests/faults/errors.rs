//! An error at every nth change: of each command that changes files, the first write, sync, rename, opening for writing,
//! change of length, removal or new folder fails, then the second, and so on until there is none left to fail.
//!
//! Then the program says what it could not do and exits with status 6, or it could do without (a note in a lock, the
//! cache of a query) and has done all that it says. Nothing is lost, and the same command goes on to the same files.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::jobs::{Job, jobs, make_right};
use super::power::{folder, number_from};
use super::record::{Recording, Way, record};
use crate::support::count;

/// So many changes of each command fail in each way, instead of the usual number; a thousand are all that there are.
const ERRORS: &str = "TWISTBASE_TEST_ERRORS";
/// Of so many runs that failed, one is gone on with by the program itself.
const PROCESS_EVERY: u64 = 8;

const WAYS: [Way; 5] = [Way::Once, Way::FromThenOn, Way::Full, Way::Interrupted, Way::Short];

/// What came of errors.
#[derive(Default)]
struct Tally {
    /// Changes that were made to fail.
    failed: AtomicU64,
    /// The program could do without them.
    without: AtomicU64,
    /// The program could not.
    said: AtomicU64,
}

/// Says which run it was if anything panics.
struct Run<'a>(&'a Job, Way, u64);

impl Drop for Run<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(job, way, change) = self;
            eprintln!("{}, change {change}, {way:?}", job.name);
        }
    }
}

/// Every which change of a job has to fail, so that about so many do.
fn step(job: &Job, errors: u64) -> u64 {
    let root = folder();
    job.prepare(root.path());
    let run = record(root.path(), &mut job.command(root.path()), None, 0);
    (run.events.len() as u64 / errors).max(1)
}

/// Makes a change of a job fail; whether there were so many.
fn fail(job: &Job, way: Way, change: u64, tally: &Tally) -> bool {
    let root = folder();
    let (root, _run) = (root.path(), Run(job, way, change));
    job.prepare(root);
    let run = record(root, &mut job.command(root), Some((change, way)), 0);
    if !run.reached {
        assert_eq!(run.ended.code, Some(0), "{}", run.ended.stderr);
        return false;
    }
    tally.failed.fetch_add(u64::from(run.failed), Ordering::Relaxed);
    if run.ended.code == Some(0) {
        tally.without.fetch_add(u64::from(run.failed), Ordering::Relaxed);
        (job.check)(root, &run.ended.stdout);
    } else {
        tally.said.fetch_add(1, Ordering::Relaxed);
        check_message(way, &run);
        (job.check)(root, &run.ended.stdout);
        if change.is_multiple_of(PROCESS_EVERY) {
            let again = job.command(root).output().expect("the program");
            let stderr = String::from_utf8_lossy(&again.stderr);
            assert!(again.status.success() || stderr.contains("exists already"), "{stderr}");
        } else {
            (job.go_on)(root);
        }
    }
    (job.check_end)(root);
    true
}

/// What is said of a change that failed.
fn check_message(way: Way, run: &Recording) {
    let (code, stderr) = (run.ended.code, &run.ended.stderr);
    assert_eq!(code, Some(6), "{stderr}");
    let closed = "cannot close the file";
    let words: &[&str] = match way {
        Way::Once | Way::FromThenOn => &["Input/output error", "an earlier write failed", closed],
        Way::Full => &["No space left on device", "no space left", closed],
        Way::Interrupted | Way::Short => panic!("that is no failure: {stderr}"),
    };
    assert!(stderr.contains("cannot ") && words.iter().any(|words| stderr.contains(words)), "{stderr}");
}

fn fail_jobs(jobs: &[&Job], errors: u64, ways: &[Way]) {
    make_right();
    let tallies: Vec<(Tally, AtomicU64)> = jobs.iter().map(|_| Default::default()).collect();
    let steps: Vec<u64> = jobs.par_iter().map(|job| step(job, errors)).collect();
    let with_tallies = jobs.iter().zip(&tallies).zip(&steps);
    let pairs: Vec<_> = with_tallies.flat_map(|job| ways.iter().map(move |&way| (job, way))).collect();
    pairs.into_par_iter().for_each(|(((job, (tally, changes)), &step), way)| {
        // The ways begin at different changes, so that together they miss fewer.
        let first = 1 + way as u64 % step;
        let last = (0..).map(|nth| first + nth * step).take_while(|&change| fail(job, way, change, tally)).last();
        changes.fetch_max(last.unwrap_or(0), Ordering::Relaxed);
    });
    for ((job, (tally, changes)), step) in jobs.iter().zip(tallies).zip(steps) {
        let Tally { failed, without, said } = tally;
        println!(
            "{}: one in {step} of {} changes, each way; {} failures, {} said and gone on with, {} that it could do without",
            job.name,
            changes.into_inner(),
            failed.into_inner(),
            said.into_inner(),
            without.into_inner()
        );
    }
}

#[test]
#[ignore = "long suite: dozens of failed writes"]
fn a_failed_write_is_told_and_gone_on_with() {
    let some: Vec<_> = jobs().into_iter().step_by(5).collect();
    fail_jobs(&some, 1, &[Way::Once, Way::Full]);
}

#[test]
#[ignore = "long suite: hundreds of failed writes"]
fn every_failed_write_is_told_and_gone_on_with() {
    fail_jobs(&jobs(), number_from(ERRORS, count(1, 4)) as u64, &WAYS);
}
