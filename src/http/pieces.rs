//! Long answers, made piece by piece as the client reads. Between two pieces an answer holds no thread and no place in a lane, so a
//! slow reader delays nobody.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::task;

use super::Service;
use super::gzip::Gzip;
use super::jobs::{Awaited, JobPlace, Lane};
use super::problem::HttpProblem;
use super::transfer::{AcceptsGzip, Reserved, held};
use twistbase_core::context::Context;
use twistbase_core::error::{Error, ErrorReport, Result};

/// Bytes to collect before sending.
const PIECE: usize = 1 << 15;
/// A piece that takes longer is sent incomplete.
const PIECE_TIME: Duration = Duration::from_millis(10);
/// The reservation for an answer in pieces: a piece, and the bytes that the connection collects for one write.
const RESERVED: usize = 1 << 17;
/// Message when a job reaches --search-time.
pub(super) const TIME_IS_OVER: &str = "time limit reached (--search-time)";

/// Appends the next item of an answer, or the end: returns whether more follows.
pub(super) type Source = Box<dyn FnMut(&Work, &mut Vec<u8>) -> Result<bool> + Send>;

/// The job that makes an answer.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub ctx: Context,
    is_late: Arc<AtomicBool>,
}

impl Work {
    pub fn new(ctx: Context) -> Self {
        Self { ctx, is_late: Arc::default() }
    }

    /// Whether the time limit is reached.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Runs a part of the job on a thread of its own. Cancels the job at the end of its time.
    ///
    /// # Errors
    /// 500 if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        time: &mut Duration,
        part: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HttpProblem> {
        let began = Instant::now();
        let mut done = pin!(task::spawn_blocking(part));
        let result = tokio::select! {
            result = &mut done => result,
            () = tokio::time::sleep(*time) => {
                self.is_late.store(true, Ordering::Relaxed);
                self.ctx.cancel();
                done.await
            }
        };
        *time = time.saturating_sub(began.elapsed());
        result.map_err(|_| HttpProblem::internal())
    }

    /// The error of a job: the server's time limit counts as a budget.
    pub fn error(&self, error: Error) -> Error {
        match error {
            Error::Interrupted if self.is_late() => Error::Budget(TIME_IS_OVER.to_owned()),
            error => error,
        }
    }

    /// The line for an error, with the text of a problem: without paths.
    pub fn report(&self, input: Option<&str>, error: Error) -> ErrorReport {
        let error = self.error(error);
        let mut report = ErrorReport::new(input, &error);
        if let Some(data) = &mut report.error.data {
            data.file = None;
        }
        report.error.message = HttpProblem::from(error).into_detail();
        report
    }
}

/// Appends JSON.
pub(super) fn write(text: &mut Vec<u8>, item: &impl Serialize) {
    // Writing to memory cannot fail, and every item here can be JSON.
    let _ = serde_json::to_writer(text, item);
}

/// Appends JSON as a line.
pub(super) fn write_line(text: &mut Vec<u8>, item: &impl Serialize) {
    write(text, item);
    text.push(b'\n');
}

/// Items as a JSON array.
pub(super) fn array<T: Serialize>(mut items: impl Iterator<Item = Result<T>> + Send + 'static) -> Source {
    let mut before = b'[';
    Box::new(move |work, text| {
        work.ctx.check()?;
        let item = items.next().transpose()?;
        if let Some(item) = &item {
            text.push(std::mem::replace(&mut before, b','));
            write(text, item);
        } else {
            text.extend_from_slice(if before == b'[' { b"[]" } else { b"]" });
        }
        Ok(item.is_some())
    })
}

/// What makes the pieces; it moves to a thread and back.
struct Maker {
    source: Source,
    gzip: Option<Gzip>,
    work: Work,
}

impl Maker {
    /// The next piece, and whether more follow.
    fn make(&mut self) -> Result<(Vec<u8>, bool)> {
        let (began, mut text) = (Instant::now(), Vec::with_capacity(PIECE + PIECE / 4));
        let is_enough = |text: &[u8]| text.len() >= PIECE || !text.is_empty() && began.elapsed() >= PIECE_TIME;
        let has_more = loop {
            match (self.source)(&self.work, &mut text).map_err(|error| self.work.error(error))? {
                false => break false,
                true if is_enough(&text) => break true,
                true => {}
            }
        };
        let piece = match &mut self.gzip {
            Some(gzip) => gzip.encode(&text, !has_more),
            None => text,
        };
        Ok((piece, has_more))
    }
}

/// The rest of an answer.
struct Pieces {
    lane: Lane,
    maker: Maker,
    work: Work,
    /// The rest of the job's time.
    time: Duration,
    /// Shared by the pieces that are not yet sent.
    reserved: Arc<Reserved>,
    awaited: Awaited,
}

impl Pieces {
    /// The next piece, made in its turn. An error cuts the answer: its head is sent.
    async fn next(self) -> io::Result<(Bytes, Option<Self>)> {
        let failed = |_| io::Error::other("the answer cannot be finished");
        let place = self.lane.enter_again().await.map_err(failed)?;
        let Self { lane, mut maker, work, mut time, reserved, awaited } = self;
        let part = move || {
            let piece = maker.make();
            drop(place);
            (maker, piece)
        };
        let (maker, piece) = work.run(&mut time, part).await.map_err(failed)?;
        let (text, has_more) = piece.map_err(io::Error::other)?;
        let bytes = held(text, Arc::clone(&reserved));
        let rest = Self { lane, maker, work, time, reserved, awaited };
        Ok((bytes, has_more.then_some(rest)))
    }
}

/// Answers with what `open` finds, piece by piece, in the lane of the lists. `open` runs there, too.
///
/// # Errors
/// 503 at once, if the queue or the memory for answers is full. Those of `open` and of the first piece; 500 if they panic.
pub(super) async fn answer(
    service: &Service,
    AcceptsGzip(is_accepted): AcceptsGzip,
    content_type: &'static str,
    open: impl FnOnce(&Work) -> Result<Source, HttpProblem> + Send + 'static,
) -> Result<Response, HttpProblem> {
    let reserved = Arc::new(service.transfers.reserve(RESERVED)?);
    let place: JobPlace = service.lists.enter().await?;
    let (work, mut time) = (Work::new(service.ctx.of_part()), service.limits.search_time);
    let awaited = Awaited(work.ctx.clone());
    let of_maker = work.clone();
    let part = move || {
        let _place = place;
        let source = open(&of_maker)?;
        let mut maker = Maker { source, gzip: is_accepted.then(Gzip::default), work: of_maker };
        let piece = maker.make()?;
        Ok::<_, HttpProblem>((maker, piece))
    };
    let (maker, (text, has_more)) = work.run(&mut time, part).await??;
    let body = match has_more {
        false => Body::from(text),
        true => {
            let first = held(text, Arc::clone(&reserved));
            let rest = Pieces { lane: service.lists.clone(), maker, work, time, reserved, awaited };
            Body::from_stream(stream::try_unfold((Some(first), Some(rest)), async |(first, rest)| {
                match (first, rest) {
                    (Some(first), rest) => Ok(Some((first, (None, rest)))),
                    (None, Some(rest)) => rest.next().await.map(|(piece, rest)| Some((piece, (None, rest)))),
                    (None, None) => Ok::<_, io::Error>(None),
                }
            }))
        }
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING)),
    ];
    let mut response = (headers, body).into_response();
    if is_accepted {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}
