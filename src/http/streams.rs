//! Streamed answers: solutions, searches, batches.

use std::io::{self, Cursor};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Poll};
use std::thread;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::Instant;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

use super::Service;
use super::body::TextBody;
use super::jobs::{Awaited, Lane};
use super::parameters::{NameInPath, Parameters, QuestionParameters, SolutionsParameters, SolveParameters};
use super::problem::HttpProblem;
use twistbase_core::context::Context;
use twistbase_core::error::{Class, Error, ErrorReport, Result};
use twistbase_database::lines::{LineReader, Portion, answer_in_order, lines_of};
use twistbase_database::{BatchEnd, BatchStop, SearchEnd, Solution, SolveEvent, SolveOutcome, Solved};

/// Maximum pieces of an answer that wait to be sent. A job that has more waits, except a search.
const WAITING: usize = 16;
/// Maximum events of a search that no parameter limits: depths, and shorter and shorter solutions.
const DEPTHS_AND_IMPROVEMENTS: usize = 256;
/// Bytes to collect before sending.
const CHUNK: usize = 1 << 15;
/// Interval of the events `nodes`.
const NODES_INTERVAL: Duration = Duration::from_millis(200);
/// Interval of keep-alive comments while a search finds nothing.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Message when a job reaches --search-time.
const TIME_IS_OVER: &str = "time limit reached (--search-time)";
/// After its time limit, a job waits this long for its reader.
const GRACE: Duration = Duration::from_secs(5);

/// A stream that cancels its job when nobody reads it any more.
struct WorkStream<T> {
    pieces: ReceiverStream<T>,
    /// Whether the job gave up early or panicked. The connection then ends without the end of the answer.
    is_cut: Arc<AtomicBool>,
    _awaited: Awaited,
}

impl<T> Stream for WorkStream<T> {
    type Item = io::Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Option<io::Result<T>>> {
        Pin::new(&mut self.pieces).poll_next(task).map(|piece| match piece {
            None if self.is_cut.swap(false, Ordering::Relaxed) => Some(Err(io::ErrorKind::TimedOut.into())),
            piece => piece.map(Ok),
        })
    }
}

/// The job's end of a stream.
struct Outlet<T> {
    send: Sender<T>,
    /// The server's runtime: pieces come from any thread.
    runtime: Handle,
    /// The job's time limit; `None` for no limit.
    end: Option<Instant>,
    /// How long to wait for a slow reader; `None` for ever.
    until: Option<Instant>,
    is_cut: Arc<AtomicBool>,
}

impl<T> Drop for Outlet<T> {
    fn drop(&mut self) {
        // After a panic the answer is incomplete.
        self.is_cut.fetch_or(thread::panicking(), Ordering::Relaxed);
    }
}

impl<T> Outlet<T> {
    /// Sends a piece, and waits while too many are unread. Fails if the reader is gone or too slow.
    fn leave(&self, piece: T) -> Result<(), BatchStop> {
        if self.is_cut.load(Ordering::Relaxed) {
            return Err(BatchStop);
        }
        let sending = self.send.send(piece);
        let sent = self.runtime.block_on(async {
            match self.until {
                Some(until) => tokio::time::timeout_at(until, sending).await,
                None => Ok(sending.await),
            }
        });
        match sent {
            Ok(sent) => sent.map_err(|_| BatchStop),
            Err(_) => {
                self.is_cut.store(true, Ordering::Relaxed);
                Err(BatchStop)
            }
        }
    }

    /// Sends a piece without waiting. Fails if the reader is gone or the buffer full. A full buffer ends the answer: the rest would
    /// miss this piece.
    fn leave_at_once(&self, piece: T) -> Result<(), BatchStop> {
        if self.is_cut.load(Ordering::Relaxed) {
            return Err(BatchStop);
        }
        self.send.try_send(piece).map_err(|reason| {
            self.is_cut.fetch_or(matches!(reason, TrySendError::Full(_)), Ordering::Relaxed);
            BatchStop
        })
    }

    /// Whether the job's time is over.
    fn is_late(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The text of an error, as in a problem: without paths. The server's time limit counts as a budget.
    fn report(&self, input: Option<&str>, error: Error) -> ErrorReport {
        let error = match error {
            Error::Interrupted if self.is_late() => Error::Budget(TIME_IS_OVER.to_owned()),
            error => error,
        };
        let mut report = ErrorReport::new(input, &error);
        if let Some(data) = &mut report.error.data {
            data.file = None;
        }
        report.error.message = HttpProblem::from(error).into_detail();
        report
    }

    /// Whether the buffer is so full that purely informative events are left out.
    fn is_behind(&self) -> bool {
        self.send.max_capacity() - self.send.capacity() >= WAITING
    }
}

/// Runs a long job in a lane; it sends pieces of an answer. `room`: maximum number of unread pieces.
async fn stream<T: Send + 'static>(
    service: &Service,
    lane: &Lane,
    room: usize,
    work: impl FnOnce(&Context, &Outlet<T>) + Send + 'static,
) -> Result<WorkStream<T>, HttpProblem> {
    let place = lane.enter().await?;
    let (ctx, (send, receive)) = (service.ctx.of_part(), mpsc::channel(room));
    let (timed, time, is_cut) = (ctx.clone(), service.limits.search_time, Arc::new(AtomicBool::new(false)));
    let end = Instant::now().checked_add(time);
    let until = end.and_then(|end| end.checked_add(GRACE));
    let outlet = Outlet { send, runtime: Handle::current(), end, until, is_cut: Arc::clone(&is_cut) };
    let stream = WorkStream { pieces: ReceiverStream::new(receive), is_cut, _awaited: Awaited(ctx.clone()) };
    let timer = tokio::spawn(async move {
        tokio::time::sleep(time).await;
        timed.cancel();
    });
    tokio::task::spawn_blocking(move || {
        let _place = place;
        work(&ctx, &outlet);
        timer.abort();
    });
    Ok(stream)
}

/// JSON objects, one per line.
struct JsonLines<'a> {
    outlet: &'a Outlet<Bytes>,
    text: Vec<u8>,
}

impl<'a> JsonLines<'a> {
    fn new(outlet: &'a Outlet<Bytes>) -> Self {
        Self { outlet, text: Vec::new() }
    }

    /// Adds a line. Fails if the reader is gone.
    fn line(&mut self, line: &impl Serialize) -> Result<(), BatchStop> {
        // Writing to memory cannot fail, and every item here can be JSON.
        let _ = serde_json::to_writer(&mut self.text, line);
        self.text.push(b'\n');
        if self.text.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), BatchStop> {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() { Ok(()) } else { self.outlet.leave(text.into()) }
    }
}

fn json_lines(stream: WorkStream<Bytes>) -> Response {
    // The end is unknown yet: the answer may be cut or reach its time limit.
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(stream)).into_response()
}

/// The last line of a list of solutions.
#[derive(Debug, Serialize)]
struct SolutionsEnd {
    /// Number of listed solutions.
    solutions: u64,
    /// Whether there are more.
    truncated: bool,
}

/// `GET /api/v1/{puzzle}/solutions`: all shortest solutions, one per line; the last line gives their number.
pub(super) async fn solutions(
    State(service): State<Arc<Service>>,
    NameInPath(puzzle): NameInPath,
    Parameters(asked): Parameters<SolutionsParameters>,
) -> Result<Response, HttpProblem> {
    let (puzzle, most) = (service.puzzle(&puzzle)?, service.limits.listed);
    let limit = asked.limit(most);
    // Asking for one more shows whether there are more.
    let question = asked.question(limit.saturating_add(1))?;
    let ctx = service.ctx.of_part();
    let list = move || {
        let normalized = puzzle.read(&asked.position)?.normalized(&asked.position, asked.normalize)?;
        puzzle.solutions(&normalized.text, &question, &ctx)
    };
    let found = service.questions.run(list).await??;
    let work = move |ctx: &Context, outlet: &Outlet<_>| {
        let (mut lines, mut count) = (JsonLines::new(outlet), 0);
        let mut found = found.map(|solution| ctx.check().and(solution));
        let end = loop {
            match found.next() {
                Some(Ok(_)) if count == limit => break lines.line(&SolutionsEnd { solutions: count, truncated: true }),
                Some(Ok(solution)) if lines.line(&solution).is_ok() => count += 1,
                Some(Ok(_)) => return,
                Some(Err(error)) => break lines.line(&outlet.report(None, error)),
                None => break lines.line(&SolutionsEnd { solutions: count, truncated: false }),
            }
        };
        // A reader that is gone needs no end.
        let _ = end.and_then(|()| lines.flush());
    };
    Ok(json_lines(stream(&service, &service.lists, WAITING, work).await?))
}

/// `POST /api/v1/{puzzle}/batch`: answers the positions on the lines of the body, one per line, in order.
pub(super) async fn batch(
    State(service): State<Arc<Service>>,
    NameInPath(puzzle): NameInPath,
    Parameters(asked): Parameters<QuestionParameters>,
    TextBody(body): TextBody,
) -> Result<Response, HttpProblem> {
    let (puzzle, most) = (service.puzzle(&puzzle)?, service.limits.batch_lines);
    if asked.position.is_some() {
        return Err(HttpProblem::usage(
            "a batch has no ?position=: its positions are the lines of the body".to_owned(),
        ));
    }
    if asked.normalize.is_some() {
        return Err(HttpProblem::usage("a batch has no ?normalize=: it is for one position".to_owned()));
    }
    if asked.exact.is_some() {
        return Err(HttpProblem::usage("a batch has no ?exact=: it only looks up".to_owned()));
    }
    if lines_of(&String::from_utf8_lossy(&body)).count() > most {
        return Err(HttpProblem::too_large(format!("too many lines: a batch has {most} at most")));
    }
    let (question, ctx) = (asked.question()?, service.ctx.of_part());
    let prepared = service.questions.run(move || puzzle.prepare(&question, &ctx)).await??;
    let work = move |ctx: &Context, outlet: &Outlet<_>| {
        let mut lines = JsonLines::new(outlet);
        let answer = |inputs: &[&str]| {
            let mut answers = Vec::with_capacity(inputs.len());
            prepared.query_many(inputs, ctx, &mut |input, answer| {
                answers.push(answer.map_err(|error| Box::new(outlet.report(Some(input), error))));
            });
            answers
        };
        let input = LineReader::new(Cursor::new(body), "the body");
        let ended = answer_in_order(&input, Portion::LONG_ANSWERS, ctx, &answer, &mut |answers| {
            answers.iter().flatten().try_for_each(|answer| match answer {
                Ok(answer) => lines.line(answer),
                Err(report) => lines.line(report),
            })?;
            lines.flush()
        });
        if let Err(BatchEnd::Failed(error)) = ended {
            // A reader that is gone needs no end.
            let _ = lines.line(&outlet.report(None, error)).and_then(|()| lines.flush());
        }
    };
    Ok(json_lines(stream(&service, &service.lists, WAITING, work).await?))
}

/// `GET /api/v1/{puzzle}/solve`: server-sent events, from the turns made first, if any, to the result.
pub(super) async fn solve(
    State(service): State<Arc<Service>>,
    NameInPath(puzzle): NameInPath,
    Parameters(asked): Parameters<SolveParameters>,
) -> Result<Response, HttpProblem> {
    let (puzzle, listed, ctx) = (service.puzzle(&puzzle)?, service.limits.listed, service.ctx.of_part());
    let request = asked.request(listed)?;
    // An invalid request gives a status code. Later errors are events.
    let start = puzzle.read(&asked.position)?.normalized(&asked.position, asked.normalize)?;
    let solver = service.questions.run(move || puzzle.solver(&request, &ctx)).await?;
    let solver = solver.map_err(|error| asked.refusal(error))?;
    let work = move |ctx: &Context, outlet: &Outlet<Event>| {
        if let Some(turns) = start.turns
            && outlet.leave(named("turned", &TurnedReport { turns })).is_err()
        {
            return;
        }
        let mut told = Instant::now();
        let solved = solver.solve_position(&start.position, &start.text, ctx, &mut |event| {
            if matches!(event, SolveEvent::Nodes(_)) {
                if told.elapsed() < NODES_INTERVAL || outlet.is_behind() {
                    return;
                }
                told = Instant::now();
            }
            // All searches share this thread: a slow reader must not block it.
            if outlet.leave_at_once(happened(&event)).is_err() {
                ctx.cancel();
            }
        });
        // A reader that is gone needs no end.
        let _ = ended(solved, outlet.is_late()).into_iter().try_for_each(|event| outlet.leave(event));
    };
    let events = stream(&service, &service.searches, room_of_search(listed), work).await?;
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
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
fn happened(event: &SolveEvent) -> Event {
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
fn ended(solved: Result<Solved>, is_late: bool) -> Vec<Event> {
    let Solved { mut outcome, shortfall } = match solved {
        Ok(solved) => solved,
        Err(Error::Interrupted) => return vec![named("shortfall", &stopped(is_late, None))],
        Err(error) => return vec![named("error", &HttpProblem::from(error))],
    };
    if let SolveOutcome::Found(Solution::TwoPhase(solution)) = &mut outcome
        && solution.stopped == Some(SearchEnd::Interrupted)
        && is_late
    {
        solution.stopped = Some(SearchEnd::Budget);
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

fn named(name: &'static str, data: &impl Serialize) -> Event {
    // Every event can be JSON.
    Event::default().event(name).data(serde_json::to_string(data).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;

    use super::*;
    use twistbase_core::error::{DataError, Fault, Remedy};

    /// An outlet with room for `room` pieces, and its stream.
    fn outlet(room: usize) -> (Outlet<usize>, WorkStream<usize>) {
        let ((send, receive), is_cut) = (mpsc::channel(room), Arc::new(AtomicBool::new(false)));
        let outlet = Outlet { send, runtime: Handle::current(), end: None, until: None, is_cut: Arc::clone(&is_cut) };
        (outlet, WorkStream { pieces: ReceiverStream::new(receive), is_cut, _awaited: Awaited(Context::silent()) })
    }

    /// A full buffer ends the answer without its end, and nothing follows.
    #[tokio::test]
    async fn who_finds_no_room_cuts_the_answer() {
        let (outlet, mut stream) = outlet(2);
        assert!((0..2).all(|piece| outlet.leave_at_once(piece).is_ok()));
        assert!(outlet.leave_at_once(2).is_err());
        assert_eq!(stream.next().await.unwrap().unwrap(), 0);
        assert!(outlet.leave_at_once(3).is_err() && outlet.leave(4).is_err());
        drop(outlet);
        assert_eq!(stream.next().await.unwrap().unwrap(), 1);
        assert_eq!(stream.next().await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(stream.next().await.is_none());
    }

    #[tokio::test]
    async fn work_that_panics_cuts_the_answer() {
        let (outlet, mut stream) = outlet(2);
        let work = std::thread::spawn(move || {
            outlet.leave_at_once(0).unwrap();
            panic!("meant");
        });
        assert!(work.join().is_err());
        assert_eq!(stream.next().await.unwrap().unwrap(), 0);
        assert!(stream.next().await.unwrap().is_err() && stream.next().await.is_none());
    }

    #[tokio::test]
    async fn no_line_names_a_path() {
        let (outlet, _stream) = outlet(1);
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
            let text = serde_json::to_string(&outlet.report(Some("/"), error)).unwrap();
            assert!(text.contains(words) && !text.contains("secret"), "{text}");
        }
    }

    #[tokio::test]
    async fn a_reader_that_is_gone_leaves_no_cut() {
        let (outlet, stream) = outlet(1);
        drop(stream);
        assert!(outlet.leave_at_once(0).is_err() && !outlet.is_cut.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn a_reader_is_behind_while_much_waits() {
        let (outlet, mut stream) = outlet(2 * WAITING);
        for piece in 0..WAITING {
            assert!(!outlet.is_behind());
            outlet.leave_at_once(piece).unwrap();
        }
        assert!(outlet.is_behind());
        stream.next().await.unwrap().unwrap();
        assert!(!outlet.is_behind());
    }

    #[test]
    fn the_room_of_a_search_is_one_that_there_can_be() {
        assert_eq!(room_of_search(5), 5 + WAITING + DEPTHS_AND_IMPROVEMENTS);
        let (send, _receive) = mpsc::channel::<()>(room_of_search(u64::MAX));
        assert_eq!(send.capacity(), Semaphore::MAX_PERMITS);
    }
}
