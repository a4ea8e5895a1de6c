//! Simulated power loss: every command that changes files is recorded, system call by system call, and at a random one
//! the power fails. `crash.rs` says what is then there.
//!
//! Whatever that is: what the program had reported is there, nothing is answered wrongly, what cannot be answered is
//! refused with what to run, and the same command goes on to the same files as if nothing had happened.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use tempfile::TempDir;

use super::Numbers;
use super::crash::Disk;
use super::jobs::{Job, jobs, make_right};
use super::record::{Event, Recording, record};
use crate::support::count;

/// So many crashes, instead of the usual number.
const CRASHES: &str = "TWISTBASE_TEST_CRASHES";
/// Of so many crashes one is gone on with by the program itself, and recorded for further crashes.
const PROCESS_EVERY: usize = 50;

/// A folder in memory where there is one.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder")
}

/// A number that is set from outside, or the usual one.
pub fn number_from(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |text| text.parse().expect("a number"))
}

/// A run that was recorded, and what was there before it.
struct Run {
    disk: Disk,
    recording: Recording,
}

impl Run {
    /// Runs a job in a folder whose files are there already.
    fn of(job: &Job, root: &Path) -> Self {
        let disk = Disk::of(root);
        let recording = record(root, &mut job.command(root), None, job.pause);
        // What a crash left of an export may be the whole file.
        let there = recording.ended.code == Some(2) && recording.ended.stderr.contains("exists already");
        assert!(there || recording.ended.code == Some(0), "{}: {}", job.name, recording.ended.stderr);
        Self { disk, recording }
    }
}

/// Says which crash it was if anything panics.
struct Crash<'a>(&'a Job, usize, usize, PathBuf);

impl Drop for Crash<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(job, number, event, root) = self;
            eprintln!("{}, crash {number} at event {event} in {}", job.name, root.display());
        }
    }
}

/// What came of crashes.
#[derive(Default)]
struct Tally {
    crashes: AtomicUsize,
    /// After the program had said that it was done.
    late: AtomicUsize,
    by_program: AtomicUsize,
    /// In the run after another crash.
    second: AtomicUsize,
}

/// Crashes a job so many times.
fn crash_job(job: &Job, count: usize, tally: &Tally) {
    let first = folder();
    job.prepare(first.path());
    let first = Run::of(job, first.path());
    (0..count.div_ceil(PROCESS_EVERY)).into_par_iter().for_each(|group| {
        let mut again: Option<Run> = None;
        for number in group * PROCESS_EVERY..count.min((group + 1) * PROCESS_EVERY) {
            // Half of the crashes are those of a run that goes on after a crash.
            let run = again.as_ref().filter(|_| number % 2 == 1).unwrap_or(&first);
            tally.second.fetch_add(usize::from(!std::ptr::eq(run, &first)), Ordering::Relaxed);
            let next = crash(job, run, number, number % PROCESS_EVERY == 0, tally);
            again = next.or(again);
        }
    });
}

/// One crash. With `by_program` the program goes on after it; that run is returned.
fn crash(job: &Job, run: &Run, number: usize, by_program: bool, tally: &Tally) -> Option<Run> {
    let (mut numbers, root) = (Numbers(number as u64 * 7919 + 1), folder());
    let root = root.path();
    // After the end all that was told must be there: that moment comes more often than others.
    let events = run.recording.events.len();
    // A run that goes on after the end may have nothing to do.
    let event = if numbers.below(6) == 0 { events } else { numbers.below(events.max(1) as u64) as usize };
    let _crash = Crash(job, number, event, root.to_path_buf());
    run.disk.at(&run.recording, event).put(root, &run.recording.log, &mut numbers);
    let said = job.promised(&run.recording, event);
    (job.check)(root, &said);
    let next = by_program.then(|| Run::of(job, root));
    if next.is_none() {
        (job.go_on)(root);
    }
    (job.check_end)(root);
    tally.crashes.fetch_add(1, Ordering::Relaxed);
    tally.late.fetch_add(usize::from(!said.is_empty()), Ordering::Relaxed);
    tally.by_program.fetch_add(usize::from(by_program), Ordering::Relaxed);
    next
}

fn crash_jobs(jobs: &[&Job], count: usize) {
    make_right();
    for job in jobs {
        let (tally, started) = (Tally::default(), std::time::Instant::now());
        crash_job(job, count.div_ceil(jobs.len()), &tally);
        let Tally { crashes, late, by_program, second } = tally;
        println!(
            "{}: {} crashes, {} of them after the end was told, {} in a run after another crash; nothing lost, nothing \
             wrong; {} gone on with by the program; {:.1} s",
            job.name,
            crashes.into_inner(),
            late.into_inner(),
            second.into_inner(),
            by_program.into_inner(),
            started.elapsed().as_secs_f64()
        );
    }
}

#[test]
#[ignore = "long suite: seconds of processor time"]
fn nothing_is_lost_when_the_power_fails() {
    let some: Vec<_> = jobs().into_iter().step_by(5).collect();
    crash_jobs(&some, 6);
}

#[test]
#[ignore = "long suite: hundreds of crashes"]
fn nothing_is_lost_when_the_power_fails_many_times() {
    crash_jobs(&jobs(), number_from(CRASHES, count(100, 900)));
}

/// What a crash would show only where the system happens to write late: nothing counts that is not on the disk. A file is
/// synced before it gets its name, and the part of an export before its journal tells of it.
#[test]
fn files_are_synced_before_anything_tells_of_them() {
    let (mut named, mut counted) = (0, 0);
    for job in jobs().into_iter().filter(|job| job.name.contains("export") || job.name == "cache warm") {
        let root = folder();
        job.prepare(root.path());
        let recording = Run::of(job, root.path()).recording;
        let (mut paths, mut unsynced) = (HashMap::new(), HashSet::new());
        for event in &recording.events {
            match event {
                Event::Create { file, path } => drop(paths.insert(*file, path.clone())),
                Event::Write { file, .. } => {
                    let written = paths[file].to_str().expect("text");
                    if let Some(part) = written.strip_suffix(".journal") {
                        let is_unsynced =
                            |(file, path): (&u64, &PathBuf)| path.ends_with(part) && unsynced.contains(file);
                        assert!(!paths.iter().any(is_unsynced), "{}: {part}", job.name);
                        counted += 1;
                    }
                    unsynced.insert(*file);
                }
                Event::Sync { file } => drop(unsynced.remove(file)),
                Event::Rename { file, to, .. } => {
                    assert!(!unsynced.contains(file), "{}: {}", job.name, to.display());
                    named += 1;
                }
                // A part that is begun anew is cut first; nothing that is written later is cut off.
                Event::Length { .. }
                | Event::SyncFolder { .. }
                | Event::Remove { .. }
                | Event::Folder { .. }
                | Event::Report { .. } => {}
            }
        }
    }
    println!("{named} files got their names, {counted} times a journal was written");
    assert!(named >= 4 && counted >= 8);
}
