//! Positions on standard input: one for each thread, the last ones split among the threads that have nothing left to do.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use twistbase::error::{Class, Error, Result};
use twistbase::solve::Event;

use super::Solver;
use super::report::{Record, text};
use super::results::{Known, Results};
use crate::cli::batch::{gravity, lines_of, pieces, reasons};
use crate::cli::failure::{self, Failure};
use crate::cli::output::{Output, json_line};
use crate::cli::positions::cube3::read;

/// Lines read ahead, for each thread.
const READ_AHEAD: usize = 2;
/// How often it is looked whether to stop while no line arrives.
const LOOK: Duration = Duration::from_millis(100);
/// A line that nothing has followed for so long is not known to be the last one.
const PAUSE: Duration = Duration::from_millis(2);

/// A line of standard input.
struct Job {
    number: u64,
    input: String,
}

/// The answer to a line.
enum Reply {
    /// Found now, or found before; and by what it comes short.
    Answer { record: Record, is_new: bool, shortfall: Option<String> },
    /// It cannot be answered.
    Error { number: u64, input: String, error: Error },
}

/// What the threads that read, search and write share.
struct Batch<'a> {
    solver: &'a Solver,
    /// Whether the last line has been read.
    ended: AtomicBool,
    threads: usize,
}

/// Answers every line.
///
/// # Errors
/// After the last line, [`Failure::Lines`] if any has no answer; what [`Results::open`] says; [`Error::Interrupted`], when
/// the answers found by then are printed.
pub fn run(solver: &Solver, output: &mut Output) -> std::result::Result<(), Failure> {
    let opened = solver.options().results.as_ref().map(|path| Results::open(path, &solver.asked())).transpose()?;
    let (results, known) = opened.map_or((None, Known::new()), |(results, known)| (Some(results), known));
    let threads = rayon::current_num_threads();
    let batch = &Batch { solver, ended: AtomicBool::new(false), threads };
    let (send_jobs, jobs) = channel::bounded(READ_AHEAD * threads);
    let (send, replies) = channel::unbounded();
    let mut writer =
        Writer { solver, output, results, waiting: BTreeMap::new(), next: 1, lines: 0, failed: 0, gravest: None };
    let written = thread::scope(|scope| {
        let send_known = send.clone();
        let reader = scope.spawn(move || batch.read(known, &send_jobs, &send_known));
        // In rayon's threads, so that those that end first help the split searches.
        scope.spawn(move || {
            rayon::scope(|pool| {
                for _ in 0..threads {
                    let (jobs, send) = (jobs.clone(), send.clone());
                    pool.spawn(move |_| batch.work(&jobs, &send));
                }
                // The reader stops when nobody takes its lines any more.
                drop(jobs);
            });
        });
        // However that ended, what was found before is not to be lost.
        let written = writer.write(&replies);
        let written = written.and(writer.results.as_mut().map_or(Ok(()), Results::sync).map_err(Failure::from));
        if written.is_err() {
            solver.context.cancel();
        }
        let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(read.map_err(Failure::from))
    });
    written?;
    if solver.context.is_cancelled() {
        return Err(Error::Interrupted.into());
    }
    writer.conclude()
}

impl Batch<'_> {
    /// Hands lines on to be solved, or to be written if they have their answer.
    fn read(&self, known: Known, jobs: &Sender<Job>, replies: &Sender<Reply>) -> Result<()> {
        let read = self.read_lines(known, jobs, replies);
        self.ended.store(true, Ordering::Release);
        read
    }

    fn read_lines(&self, mut known: Known, jobs: &Sender<Job>, replies: &Sender<Reply>) -> Result<()> {
        let (pieces, mut number) = (pieces(), 0);
        while !self.solver.context.is_cancelled() {
            let piece = match pieces.recv_timeout(LOOK) {
                Ok(piece) => piece.map_err(|source| Error::io("read", "standard input", source))?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            for line in lines_of(&piece) {
                number += 1;
                let input = String::from_utf8_lossy(line).into_owned();
                let key = (number, input);
                let is_taken = match known.remove(&key) {
                    Some(record) => replies.send(Reply::Answer { record, is_new: false, shortfall: None }).is_ok(),
                    None => jobs.send(Job { number, input: key.1 }).is_ok(),
                };
                if !is_taken {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Solves positions until there are no more.
    fn work(&self, jobs: &Receiver<Job>, replies: &Sender<Reply>) {
        while let Ok(Job { number, input }) = jobs.recv() {
            let reply = match self.answer(number, &input, jobs) {
                Err(Error::Interrupted) => return,
                Err(error) => Reply::Error { number, input, error },
                Ok(reply) => reply,
            };
            if replies.send(reply).is_err() {
                return;
            }
        }
    }

    fn answer(&self, number: u64, input: &str, jobs: &Receiver<Job>) -> Result<Reply> {
        let solver = self.solver;
        solver.context.check()?;
        let start = read(input)?;
        let mut found = Vec::new();
        let outcome = solver.search(&start, self.is_last(jobs), &mut |event| {
            if let Event::Solution(moves) = event {
                found.push(text(moves));
            }
        })?;
        let shortfall = solver.shortfall(&outcome);
        let record = solver.record(number, input.to_owned(), found, &outcome);
        Ok(Reply::Answer { record, is_new: true, shortfall })
    }

    /// Whether some thread will have nothing else to do soon. A search that is split does hardly more than one that is not.
    fn is_last(&self, jobs: &Receiver<Job>) -> bool {
        if jobs.is_empty() && !self.ended.load(Ordering::Acquire) {
            thread::sleep(PAUSE);
        }
        self.threads > 1 && self.ended.load(Ordering::Acquire) && jobs.len() < self.threads
    }
}

/// Writes answers, in the order of the lines unless that is not wanted.
struct Writer<'a> {
    solver: &'a Solver,
    output: &'a mut Output,
    results: Option<Results>,
    /// Answers whose turn has not come.
    waiting: BTreeMap<u64, Reply>,
    next: u64,
    lines: u64,
    failed: u64,
    /// The gravest class of error so far.
    gravest: Option<Class>,
}

impl Writer<'_> {
    fn write(&mut self, replies: &Receiver<Reply>) -> std::result::Result<(), Failure> {
        for reply in replies {
            if let (Some(results), Reply::Answer { record, is_new: true, .. }) = (&mut self.results, &reply) {
                results.add(record)?;
            }
            if self.solver.options().as_finished {
                self.print(&reply)?;
            } else {
                self.waiting.insert(reply.number(), reply);
                while let Some(reply) = self.waiting.remove(&self.next) {
                    self.print(&reply)?;
                    self.next += 1;
                }
            }
            if replies.is_empty() {
                self.output.flush()?;
            }
        }
        // Some are left if the work was interrupted: each has its number.
        for reply in std::mem::take(&mut self.waiting).into_values() {
            self.print(&reply)?;
        }
        self.output.flush()
    }

    fn print(&mut self, reply: &Reply) -> std::result::Result<(), Failure> {
        self.lines += 1;
        if let Some(class) = reply.class() {
            self.failed += 1;
            self.gravest = Some(
                self.gravest.map_or(class, |gravest| if gravity(class) > gravity(gravest) { class } else { gravest }),
            );
        }
        let text = match reply {
            Reply::Answer { record, .. } if self.solver.json => json_line(record),
            Reply::Answer { record, shortfall, .. } => {
                let end = shortfall.as_ref().map_or_else(String::new, |reason| format!("\t{reason}")) + "\n";
                record.rows(self.solver.metric()).into_iter().map(|row| row + &end).collect()
            }
            Reply::Error { number, input, error } if self.solver.json => {
                json_line(&failure::report(Some(input), error).numbered(*number))
            }
            Reply::Error { number, error, .. } => format!("{number}\terror: {}\n", reasons(error)),
        };
        self.output.bytes(text.as_bytes())
    }

    /// What the whole run came to.
    fn conclude(self) -> std::result::Result<(), Failure> {
        let (failed, lines) = (self.failed, self.lines);
        self.gravest.map_or(Ok(()), |class| Err(Failure::Lines { failed, lines, class }))
    }
}

impl Reply {
    fn number(&self) -> u64 {
        match self {
            Self::Answer { record, .. } => record.number,
            Self::Error { number, .. } => *number,
        }
    }

    /// The class of what it comes short by.
    fn class(&self) -> Option<Class> {
        match self {
            Self::Answer { shortfall, .. } => shortfall.as_ref().map(|_| Class::Budget),
            Self::Error { error, .. } => Some(error.class()),
        }
    }
}
