//! Searches for positions on lines of text: one per thread. Idle threads help with the last ones.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, Sender};

use super::batch::{BatchEnd, LineAnswer, LineSolution, LineSolved, SolveBatch};
use super::lines::LineReader;
use super::puzzle::{OnLine, Solver};
use super::results::{KnownRecords, ResultFile};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};
use twistbase_core::threads;

/// Lines read ahead, for each thread.
const READ_AHEAD: usize = 16;
/// Lines to read ahead while waiting for an earlier line, or for the caller.
const UNANSWERED: usize = 1 << 16;
/// Interval of checks for cancellation while no line arrives.
const PATIENCE: Duration = Duration::from_millis(100);
/// After this pause without a next line, a line does not count as the last one.
const PAUSE: Duration = Duration::from_millis(2);

/// A line to be solved.
struct LineJob {
    number: u64,
    input: String,
}

/// A result, and whether this run found it.
struct LineReply {
    solved: LineSolved,
    is_new: bool,
}

/// The destination of lines.
struct LineOutlets {
    /// Lines to solve.
    jobs: Sender<LineJob>,
    /// Lines with a known answer, to write.
    known: Sender<LineReply>,
    places: Sender<()>,
}

/// State shared by the reading, searching and writing threads.
struct LineBatch<'a, S: ?Sized> {
    search: &'a S,
    ctx: &'a Context,
    /// Whether the last line has been read.
    ended: AtomicBool,
    threads: usize,
}

/// Answers every line. `results` is a file with the answers to some lines; new answers are appended.
///
/// # Errors
/// [`BatchEnd::Failed`] if reading the input or writing the file fails, and with [`Error::Interrupted`] after reporting the answers
/// found so far; [`BatchEnd::Stopped`] if `each` fails.
pub(super) fn run<S: Solver + ?Sized>(
    search: &S,
    input: &LineReader,
    results: Option<(ResultFile, KnownRecords)>,
    batch: &SolveBatch,
    ctx: &Context,
    each: OnLine<'_>,
) -> Result<(), BatchEnd> {
    // A child context: stopping this batch stops nobody else.
    let ctx = &ctx.of_part();
    let (results, known) = results.map_or((None, KnownRecords::new()), |(file, known)| (Some(file), known));
    let (threads, as_finished) = (rayon::current_num_threads(), batch.as_finished);
    let batch = &LineBatch { search, ctx, ended: AtomicBool::new(false), threads };
    let (send_jobs, jobs) = channel::bounded(READ_AHEAD * threads);
    let (send, replies) = channel::unbounded();
    // A line takes a place and its answer frees it: this limits waiting answers.
    let (take_place, places) = channel::bounded(UNANSWERED);
    let mut writer = OrderedWriter { results, as_finished, waiting: BTreeMap::new(), next: 1, places, each };
    thread::scope(|scope| {
        let send_known = send.clone();
        // If one cannot start, the other ends: it gets no lines, or no answers.
        let no_thread = |error| {
            ctx.cancel();
            Error::no_thread(error)
        };
        let to = LineOutlets { jobs: send_jobs, known: send_known, places: take_place };
        let read = move || batch.read(input, known, &to);
        let reader = threads::start_scoped(scope, "lines", read).map_err(no_thread)?;
        let writer = threads::start_scoped(scope, "answers", move || {
            // Saves earlier answers, however the search ended.
            let written = writer.write(&replies);
            let written = written.and(writer.results.as_mut().map_or(Ok(()), ResultFile::sync).map_err(BatchEnd::from));
            if written.is_err() {
                ctx.cancel();
            }
            written
        });
        let writer = writer.map_err(no_thread)?;
        // On the caller's pool: idle threads help with split searches.
        rayon::scope(|pool| {
            for _ in 0..threads {
                let (jobs, send) = (jobs.clone(), send.clone());
                pool.spawn(move |_| batch.work(&jobs, &send));
            }
            // The reader stops when no search takes lines, the writer when no search sends answers.
            drop((jobs, send));
        });
        let read = joined(reader);
        joined(writer).and(read.map_err(BatchEnd::from))
    })?;
    Ok(ctx.check()?)
}

/// The result of a thread. A panic of the thread continues here.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

impl<S: Solver + ?Sized> LineBatch<'_, S> {
    /// Passes lines on: to the solver, or to the writer if the answer is known.
    fn read(&self, input: &LineReader, known: KnownRecords, to: &LineOutlets) -> Result<()> {
        let read = self.read_lines(input, known, to);
        self.ended.store(true, Ordering::Release);
        read
    }

    fn read_lines(&self, input: &LineReader, mut known: KnownRecords, to: &LineOutlets) -> Result<()> {
        let mut number = 0;
        while !self.ctx.is_cancelled() {
            let chunk = match input.next_chunk_within(PATIENCE) {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(None) => continue,
                Err(Some(error)) => return Err(error),
            };
            for line in chunk.lines() {
                number += 1;
                while let Err(full) = to.places.send_timeout((), PATIENCE) {
                    if full.is_disconnected() || self.ctx.is_cancelled() {
                        return Ok(());
                    }
                }
                let key = (number, line.to_owned());
                let is_taken = match known.remove(&key) {
                    Some(record) => {
                        let solution = LineSolution { answer: LineAnswer::Optimal(record), shortfall: None };
                        let solved = LineSolved { number, input: key.1, solved: Ok(solution), is_followed: false };
                        to.known.send(LineReply { solved, is_new: false }).is_ok()
                    }
                    None => to.jobs.send(LineJob { number, input: key.1 }).is_ok(),
                };
                if !is_taken {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Solves positions until there are no more.
    fn work(&self, jobs: &Receiver<LineJob>, replies: &Sender<LineReply>) {
        while let Ok(LineJob { number, input }) = jobs.recv() {
            let solved = match self.ctx.check() {
                Ok(()) => self.search.solve_line(number, &input, &|| self.is_last(jobs), self.ctx),
                Err(error) => Err(error),
            };
            if matches!(solved, Err(Error::Interrupted)) {
                return;
            }
            let solved = LineSolved { number, input, solved, is_followed: false };
            if replies.send(LineReply { solved, is_new: true }).is_err() {
                return;
            }
        }
    }

    /// Whether a thread will soon be idle. Splitting a search adds hardly any work.
    fn is_last(&self, jobs: &Receiver<LineJob>) -> bool {
        if jobs.is_empty() && !self.ended.load(Ordering::Acquire) {
            thread::sleep(PAUSE);
        }
        self.threads > 1 && self.ended.load(Ordering::Acquire) && jobs.len() < self.threads
    }
}

/// Reports answers, in the order of the lines unless the batch is unordered.
struct OrderedWriter<'a> {
    results: Option<ResultFile>,
    as_finished: bool,
    /// Answers that wait for their turn.
    waiting: BTreeMap<u64, LineSolved>,
    next: u64,
    /// The places of lines that are read and not reported.
    places: Receiver<()>,
    each: OnLine<'a>,
}

impl OrderedWriter<'_> {
    fn write(&mut self, replies: &Receiver<LineReply>) -> Result<(), BatchEnd> {
        for LineReply { solved, is_new } in replies {
            if let (Some(results), true, Ok(LineSolution { answer: LineAnswer::Optimal(record), .. })) =
                (&mut self.results, is_new, &solved.solved)
            {
                results.add(record)?;
            }
            if self.as_finished {
                (self.each)(LineSolved { is_followed: !replies.is_empty(), ..solved })?;
                let _ = self.places.try_recv();
                continue;
            }
            self.waiting.insert(solved.number, solved);
            while let Some(solved) = self.waiting.remove(&self.next) {
                self.next += 1;
                let is_followed = self.waiting.contains_key(&self.next) || !replies.is_empty();
                (self.each)(LineSolved { is_followed, ..solved })?;
                // There is a permit: the line's own.
                let _ = self.places.try_recv();
            }
        }
        // After an interrupt some remain, each with its number.
        std::mem::take(&mut self.waiting).into_values().try_for_each(|solved| (self.each)(solved))?;
        Ok(())
    }
}
