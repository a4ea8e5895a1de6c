//! Streamed answers: solutions, searches, batches.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Poll};
use std::thread;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::http::{HeaderValue, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use rayon::prelude::*;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::Sleep;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

use super::Service;
use super::body::TextBody;
use super::jobs::{Awaited, JobPlace};
use super::pace::Pace;
use super::parameters::{Asked, QuestionParameters, SolutionsParameters, SolveParameters};
use super::pieces::{self, Source, TIME_IS_OVER, Work, write_line};
use super::problem::HttpProblem;
use super::transfer::{AcceptsGzip, Reserved, Transfers};
use twistbase_core::error::{Class, Error, Result};
use twistbase_database::lines::lines_of;
use twistbase_database::{BatchStop, Prepared, Solution, Solutions, SolveEvent, SolveOutcome, Solved};
use twistbase_solve::Stopped;

/// Unread events above which purely informative ones are left out.
const WAITING: usize = 16;
/// Maximum events of a search that no parameter limits: depths, and shorter and shorter solutions.
const DEPTHS_AND_IMPROVEMENTS: usize = 256;
/// Interval of the events `nodes`.
const NODES_INTERVAL: Duration = Duration::from_millis(200);
/// Interval of keep-alive comments while a search finds nothing.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// First interval of comments to a client that sends nothing more, until one fails; each is twice as long as the one before.
const FIRST_PROBE: Duration = Duration::from_millis(5);
/// The media type of JSON Lines.
const LINES: &str = "application/x-ndjson";
/// Least and most lines of a batch to answer at a time.
const LINES_AT_ONCE: [usize; 2] = [16, 512];
/// Bytes of answers to make at a time.
const BYTES_AT_ONCE: usize = 1 << 15;
/// Longer lines are cut: they are no position, and their error repeats them.
const LONGEST_LINE: usize = 20_000;

/// An event, and its reservation.
type HeldEvent = (Event, Reserved);

/// The events of a search, which is cancelled when nobody reads them any more.
struct Events {
    events: ReceiverStream<HeldEvent>,
    /// Whether the search gave up early or panicked. The connection then ends without the end of the answer.
    is_cut: Arc<AtomicBool>,
    /// The client's pace, and when to find out whether a client that sends nothing more is still there.
    pace: Option<Arc<Pace>>,
    probe: Option<(Pin<Box<Sleep>>, Duration)>,
    _awaited: Awaited,
}

impl Events {
    /// A comment now and then for a client that sends nothing more. If it is gone, the comment fails, which ends the search. (The
    /// connection looks here whenever something arrives, also the end of what the client sends.)
    fn poll_probe(&mut self, task: &mut TaskContext<'_>) -> Poll<Event> {
        if !self.pace.as_ref().is_some_and(|pace| pace.is_half_closed()) {
            return Poll::Pending;
        }
        let next = match &mut self.probe {
            None => FIRST_PROBE,
            Some((sleep, interval)) => {
                std::task::ready!(sleep.as_mut().poll(task));
                interval.saturating_mul(2).min(KEEP_ALIVE)
            }
        };
        self.probe = Some((Box::pin(tokio::time::sleep(next)), next));
        Poll::Ready(Event::default().comment(""))
    }
}

impl Stream for Events {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Option<io::Result<Event>>> {
        match Pin::new(&mut self.events).poll_next(task) {
            Poll::Ready(None) if self.is_cut.swap(false, Ordering::Relaxed) => {
                Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
            }
            Poll::Ready(event) => Poll::Ready(event.map(|(event, _)| Ok(event))),
            Poll::Pending => self.poll_probe(task).map(|event| Some(Ok(event))),
        }
    }
}

/// The search's end of the events.
struct Outlet {
    send: Sender<HeldEvent>,
    transfers: Arc<Transfers>,
    is_cut: Arc<AtomicBool>,
}

impl Drop for Outlet {
    fn drop(&mut self) {
        // After a panic the answer is incomplete.
        self.is_cut.fetch_or(thread::panicking(), Ordering::Relaxed);
    }
}

impl Outlet {
    /// Sends an event without waiting. Fails if the reader is gone, or if there is no room for the event. That ends the answer: the
    /// rest would miss this event.
    fn leave(&self, (event, bytes): SizedEvent) -> Result<(), BatchStop> {
        if self.is_cut.load(Ordering::Relaxed) {
            return Err(BatchStop);
        }
        let Ok(reserved) = self.transfers.reserve(bytes) else {
            self.is_cut.store(true, Ordering::Relaxed);
            return Err(BatchStop);
        };
        self.send.try_send((event, reserved)).map_err(|reason| {
            self.is_cut.fetch_or(matches!(reason, TrySendError::Full(_)), Ordering::Relaxed);
            BatchStop
        })
    }

    /// Whether so much is unread that purely informative events are left out.
    fn is_behind(&self) -> bool {
        self.send.max_capacity() - self.send.capacity() >= WAITING
    }
}

/// The last line of a list of solutions.
#[derive(Debug, Serialize)]
struct SolutionsEnd {
    /// Number of listed solutions.
    solutions: u64,
    /// Whether there are more.
    truncated: bool,
}

/// Solutions as lines, up to `limit`, and the end.
fn lines_of_solutions(mut found: Solutions, limit: u64) -> Source {
    let mut count = 0;
    Box::new(move |work, text| {
        match work.ctx.check().and(found.next().transpose()) {
            Ok(Some(solution)) if count < limit => {
                count += 1;
                write_line(text, &solution);
                return Ok(true);
            }
            Ok(more) => write_line(text, &SolutionsEnd { solutions: count, truncated: more.is_some() }),
            Err(error) => write_line(text, &work.report(None, error)),
        }
        Ok(false)
    })
}

/// `GET /api/v1/{puzzle}/solutions`: all shortest solutions, one per line; the last line gives their number.
pub(super) async fn solutions(
    Asked { service, puzzle, asked }: Asked<SolutionsParameters>,
    gzip: AcceptsGzip,
) -> Result<Response, HttpProblem> {
    let limit = asked.limit(service.limits.listed);
    // Asking for one more shows whether there are more.
    let question = asked.question(limit.saturating_add(1))?;
    let open = move |work: &Work| {
        let normalized = puzzle.read(&asked.position)?.normalized(&asked.position, asked.normalize)?;
        let found = puzzle.solutions(&normalized.text, &question, &work.ctx);
        Ok(lines_of_solutions(found.map_err(|error| work.error(error))?, limit))
    };
    answer_in_lines(&service, gzip, open).await
}

/// Answers in JSON Lines.
async fn answer_in_lines(
    service: &Service,
    gzip: AcceptsGzip,
    open: impl FnOnce(&Work) -> Result<Source, HttpProblem> + Send + 'static,
) -> Result<Response, HttpProblem> {
    let mut response = pieces::answer(service, gzip, LINES, open).await?;
    // The end is unknown yet: the answer may be cut or reach its time limit.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A batch, of which some lines are answered.
struct Batch {
    prepared: Box<dyn Prepared>,
    text: String,
    /// Where the next line begins.
    at: usize,
    /// Lines to answer next.
    lines: usize,
    _reserved: Reserved,
}

impl Batch {
    /// Answers some lines, on all threads. Returns whether more follow.
    fn answer(&mut self, work: &Work, text: &mut Vec<u8>) -> Result<bool> {
        let rest = &self.text[self.at..];
        let mut lines: Vec<&str> = lines_of(rest).take(self.lines).collect();
        let Some(last) = lines.last() else { return Ok(false) };
        // What follows the last line begins after it in the text: lines are parts of the text.
        let next = last.as_ptr().addr() - rest.as_ptr().addr() + last.len();
        lines.iter_mut().for_each(|line| *line = cut(line));
        let per_thread = lines.len().div_ceil(2 * rayon::current_num_threads()).max(1);
        let answer = |inputs: &[&str]| {
            let mut text = Vec::new();
            self.prepared.query_many(inputs, &work.ctx, &mut |input, answer| match answer {
                Ok(answer) => write_line(&mut text, &answer),
                Err(error) => write_line(&mut text, &work.report(Some(input), error)),
            });
            text
        };
        let answers: Vec<_> = lines.par_chunks(per_thread).map(answer).collect();
        // The answers of a cancelled search are invalid.
        if let Err(error) = work.ctx.check() {
            write_line(text, &work.report(None, error));
            return Ok(false);
        }
        let bytes: usize = answers.iter().map(Vec::len).sum();
        self.lines = (lines.len() * BYTES_AT_ONCE / bytes.max(1)).clamp(LINES_AT_ONCE[0], LINES_AT_ONCE[1]);
        text.extend(answers.into_iter().flatten());
        self.at += next;
        Ok(lines_of(&self.text[self.at..]).next().is_some())
    }
}

/// The beginning of a line that is too long for any position.
fn cut(line: &str) -> &str {
    match line.len() > LONGEST_LINE {
        true => &line[..(0..=LONGEST_LINE).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0)],
        false => line,
    }
}

/// `POST /api/v1/{puzzle}/batch`: answers the positions on the lines of the body, one per line, in order.
pub(super) async fn batch(
    Asked { service, puzzle, asked }: Asked<QuestionParameters>,
    gzip: AcceptsGzip,
    TextBody(body, reserved): TextBody,
) -> Result<Response, HttpProblem> {
    let most = service.limits.batch_lines;
    let refused = [
        (asked.position.is_some(), "position=: its positions are the lines of the body"),
        (asked.normalize.is_some(), "normalize=: it is for one position"),
    ];
    if let Some((_, why)) = refused.into_iter().find(|(is_given, _)| *is_given) {
        return Err(HttpProblem::usage(format!("a batch has no ?{why}")));
    }
    let question = asked.question()?;
    let open = move |work: &Work| {
        let text =
            String::from_utf8(body).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        if lines_of(&text).nth(most).is_some() {
            return Err(HttpProblem::too_large(format!("too many lines: a batch has {most} at most")));
        }
        let prepared = puzzle.prepare(&question, &work.ctx).map_err(|error| work.error(error))?;
        let mut batch = Batch { prepared, text, at: 0, lines: LINES_AT_ONCE[0], _reserved: reserved };
        Ok::<Source, _>(Box::new(move |work, text| batch.answer(work, text)))
    };
    answer_in_lines(&service, gzip, open).await
}

/// `GET /api/v1/{puzzle}/solve`: server-sent events, from the turns made first, if any, to the result.
pub(super) async fn solve(
    Asked { service, puzzle, asked }: Asked<SolveParameters>,
    pace: Option<Extension<Arc<Pace>>>,
) -> Result<Response, HttpProblem> {
    let listed = service.limits.listed;
    let request = asked.request(listed)?;
    let place = service.searches.enter().await?;
    let (work, time) = (Work::new(service.ctx.of_part()), service.limits.search_time);
    let (awaited, ctx) = (Awaited(work.ctx.clone()), work.ctx.clone());
    // Its tables are opened for all searches that follow: that is no part of the time of this one.
    let open = move || {
        // An invalid request gives a status code. Later errors are events.
        let start = puzzle.read(&asked.position)?.normalized(&asked.position, asked.normalize)?;
        let solver = puzzle.solver(&request, &ctx).map_err(|error| asked.refusal(error))?;
        Ok::<_, HttpProblem>((solver, start, place))
    };
    let opened = tokio::task::spawn_blocking(open).await.map_err(|_| HttpProblem::internal())?;
    let (solver, start, place) = opened?;
    let search = move |work: &Work, outlet: &Outlet| {
        if let Some(turns) = start.turns
            && outlet.leave(named("turned", &TurnedReport { turns })).is_err()
        {
            return;
        }
        let mut reported = Instant::now();
        let solved = solver.solve_position(&start.position, &start.text, &work.ctx, &mut |event| {
            if matches!(event, SolveEvent::Nodes(_)) {
                if reported.elapsed() < NODES_INTERVAL || outlet.is_behind() {
                    return;
                }
                reported = Instant::now();
            }
            // All searches share this thread: a slow reader must not block it.
            if outlet.leave(happened(&event)).is_err() {
                work.ctx.cancel();
            }
        });
        // A reader that is gone needs no end.
        let _ = ended(solved, work.is_late()).into_iter().try_for_each(|event| outlet.leave(event));
    };
    let (is_cut, (send, receive)) = (Arc::<AtomicBool>::default(), mpsc::channel(room_of_search(listed)));
    let outlet = Outlet { send, transfers: Arc::clone(&service.transfers), is_cut: Arc::clone(&is_cut) };
    tokio::spawn(searched(work, time, place, move |work| search(work, &outlet)));
    let pace = pace.map(|Extension(pace)| pace);
    let events = Events { events: ReceiverStream::new(receive), is_cut, pace, probe: None, _awaited: awaited };
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

/// Runs a search to its end, or to that of its time.
async fn searched(work: Work, mut time: Duration, place: JobPlace, search: impl FnOnce(&Work) + Send + 'static) {
    let of_search = work.clone();
    let part = move || {
        let _place = place;
        search(&of_search);
    };
    // After a panic the answer is cut.
    let _ = work.run(&mut time, part).await;
}

/// Buffer size for all events of a search that lists up to `listed` solutions. Takes memory only as it fills.
fn room_of_search(listed: u64) -> usize {
    let listed = usize::try_from(listed).unwrap_or(usize::MAX);
    listed.saturating_add(WAITING + DEPTHS_AND_IMPROVEMENTS).min(Semaphore::MAX_PERMITS)
}

/// The turns of the whole cube made before the search.
#[derive(Debug, Serialize)]
struct TurnedReport {
    turns: String,
}

/// A lower bound, and nodes visited.
#[derive(Debug, Serialize)]
struct DepthReport {
    at_least: u8,
    metric: &'static str,
    nodes: u64,
}

/// Nodes visited.
#[derive(Debug, Serialize)]
struct NodesReport {
    nodes: u64,
}

/// The reason why a search missed the request.
#[derive(Debug, Serialize)]
struct ShortfallReport {
    code: &'static str,
    message: String,
}

/// Events during a search: `solution`, `depth` or `nodes`.
fn happened(event: &SolveEvent) -> SizedEvent {
    match event {
        SolveEvent::Solution(solution) => named("solution", solution),
        SolveEvent::DepthFinished { bound, nodes } => {
            let report = DepthReport { at_least: bound.at_least, metric: bound.metric.name(), nodes: *nodes };
            named("depth", &report)
        }
        SolveEvent::Nodes(nodes) => named("nodes", &NodesReport { nodes: *nodes }),
    }
}

/// The last events of a search: `solved` with the result and `shortfall` if it misses the request, or `error`. `is_late`: its time
/// is over.
fn ended(solved: Result<Solved>, is_late: bool) -> Vec<SizedEvent> {
    let Solved { mut outcome, shortfall } = match solved {
        Ok(solved) => solved,
        Err(Error::Interrupted) => return vec![named("shortfall", &stopped(is_late, None))],
        Err(error) => return vec![named("error", &HttpProblem::from(error))],
    };
    if let SolveOutcome::Found(Solution::TwoPhase(solution)) = &mut outcome
        && solution.stopped == Some(Stopped::Interrupted)
        && is_late
    {
        solution.stopped = Some(Stopped::Budget);
    }
    let found = match &outcome {
        SolveOutcome::NotFound => None,
        outcome => Some(named("solved", outcome)),
    };
    let short = shortfall.map(|shortfall| match shortfall.class() {
        Class::Interrupted => stopped(is_late, Some(shortfall.to_string())),
        class => ShortfallReport { code: class.code(), message: shortfall.to_string() },
    });
    found.into_iter().chain(short.map(|short| named("shortfall", &short))).collect()
}

/// Why a search stopped early, and its result by then. The server's time limit counts as a budget.
fn stopped(is_late: bool, known: Option<String>) -> ShortfallReport {
    let (class, reason) = match is_late {
        true => (Class::Budget, TIME_IS_OVER),
        false => (Class::Interrupted, "the server is about to stop"),
    };
    let message = [reason.to_owned()].into_iter().chain(known).collect::<Vec<_>>().join("; ");
    ShortfallReport { code: class.code(), message }
}

/// An event, and its bytes in memory.
type SizedEvent = (Event, usize);

fn named(name: &'static str, data: &impl Serialize) -> SizedEvent {
    // Every event can be JSON.
    let data = serde_json::to_string(data).unwrap_or_default();
    let bytes = size_of::<HeldEvent>() + data.len();
    (Event::default().event(name).data(data), bytes)
}

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;

    use super::*;
    use twistbase_core::context::Context;
    use twistbase_core::error::{DataError, Fault, Remedy};

    /// An outlet with room for `room` events, and its stream.
    fn outlet(room: usize) -> (Outlet, Events) {
        let ((send, receive), is_cut) = (mpsc::channel(room), Arc::<AtomicBool>::default());
        let outlet = Outlet { send, transfers: Arc::new(Transfers::new(1 << 20)), is_cut: Arc::clone(&is_cut) };
        let (events, awaited) = (ReceiverStream::new(receive), Awaited(Context::silent()));
        (outlet, Events { events, is_cut, pace: None, probe: None, _awaited: awaited })
    }

    fn event() -> SizedEvent {
        named("event", &7)
    }

    /// A full buffer ends the answer without its end, and nothing follows.
    #[tokio::test]
    async fn who_finds_no_room_cuts_the_answer() {
        let (outlet, mut stream) = outlet(2);
        assert!((0..2).all(|_| outlet.leave(event()).is_ok()));
        assert!(outlet.leave(event()).is_err());
        drop(stream.next().await.unwrap().unwrap());
        assert!(outlet.leave(event()).is_err());
        drop(outlet);
        drop(stream.next().await.unwrap().unwrap());
        assert_eq!(stream.next().await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(stream.next().await.is_none());
    }

    /// So does memory that is full of what others do not read.
    #[tokio::test]
    async fn who_finds_no_memory_cuts_the_answer() {
        let (outlet, mut stream) = outlet(2);
        let others = outlet.transfers.reserve(1 << 20).unwrap();
        assert!(outlet.leave(event()).is_err());
        drop(others);
        assert!(outlet.leave(event()).is_err());
        drop(outlet);
        assert!(stream.next().await.unwrap().is_err() && stream.next().await.is_none());
    }

    #[tokio::test]
    async fn work_that_panics_cuts_the_answer() {
        let (outlet, mut stream) = outlet(2);
        let work = std::thread::spawn(move || {
            outlet.leave(event()).unwrap();
            panic!("meant");
        });
        assert!(work.join().is_err());
        drop(stream.next().await.unwrap().unwrap());
        assert!(stream.next().await.unwrap().is_err() && stream.next().await.is_none());
    }

    #[test]
    fn no_line_names_a_path() {
        let work = Work::new(Context::silent());
        let data = DataError {
            fault: Fault::Damaged,
            table: "square1".to_owned(),
            file: Some("/secret/square1.redb".into()),
            row: Some(7),
            page: None,
            detail: "a checksum is another one".to_owned(),
            remedy: Remedy::build("square1"),
        };
        let io = Error::io("read", "/secret/square1.redb", io::ErrorKind::PermissionDenied.into());
        for (error, words) in [(Error::Data(data), "row 7: a checksum"), (io, "cannot read its data")] {
            let text = serde_json::to_string(&work.report(Some("/"), error)).unwrap();
            assert!(text.contains(words) && !text.contains("secret"), "{text}");
        }
    }

    #[tokio::test]
    async fn a_reader_that_is_gone_leaves_no_cut() {
        let (outlet, stream) = outlet(1);
        drop(stream);
        assert!(outlet.leave(event()).is_err() && !outlet.is_cut.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn a_reader_is_behind_while_much_waits() {
        let (outlet, mut stream) = outlet(2 * WAITING);
        for _ in 0..WAITING {
            assert!(!outlet.is_behind());
            outlet.leave(event()).unwrap();
        }
        assert!(outlet.is_behind());
        drop(stream.next().await.unwrap().unwrap());
        assert!(!outlet.is_behind());
    }

    #[test]
    fn the_room_of_a_search_is_one_that_there_can_be() {
        assert_eq!(room_of_search(5), 5 + WAITING + DEPTHS_AND_IMPROVEMENTS);
        let (send, _receive) = mpsc::channel::<()>(room_of_search(u64::MAX));
        assert_eq!(send.capacity(), Semaphore::MAX_PERMITS);
    }
}
