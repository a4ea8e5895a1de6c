//! A connection and its requests, which report the pace of their client.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::pace::{Awaited, Pace};

/// Maximum bytes of a request's head.
pub(super) const LONGEST_HEAD: usize = 1 << 16;

/// How hyper begins its answer to a head that is too large. The router has no such answer.
const TOO_LARGE: &[u8] = b"HTTP/1.1 431 ";
/// The answer to a head that cannot be read.
const BAD_HEAD: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A connection that reports when the server waits for its reader.
pub(super) struct PacedConnection<T> {
    io: T,
    pace: Arc<Pace>,
    /// Whether a write waits for the reader.
    is_waiting: bool,
    /// Bytes read of the next head, at least.
    of_head: usize,
}

impl<T: Unpin> PacedConnection<T> {
    pub fn new(io: T, pace: Arc<Pace>) -> Self {
        Self { io, pace, is_waiting: false, of_head: 0 }
    }

    /// The connection underneath.
    fn io(self: Pin<&mut Self>) -> Pin<&mut T> {
        Pin::new(&mut self.get_mut().io)
    }

    /// Reports the result of a write.
    fn reported(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending if !self.is_waiting => {
                self.is_waiting = true;
                self.pace.wait(Awaited::Reader);
            }
            Poll::Ready(Ok(bytes)) if self.is_waiting => {
                self.is_waiting = false;
                self.pace.earn(*bytes);
            }
            _ => {}
        }
        written
    }

    /// Whether this is hyper's answer to a head that it calls too large although little of it is here: the head has a length that
    /// is out of range, or too many headers.
    fn is_misnamed(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(TOO_LARGE) && !self.pace.is_working() && self.of_head < LONGEST_HEAD
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for PacedConnection<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut TaskContext<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = self.as_mut().io().poll_read(task, buffer);
        let bytes = buffer.filled().len() - before;
        self.of_head = if self.pace.is_working() { 0 } else { self.of_head + bytes };
        match read {
            // The client has sent everything and reads on. Hyper would take this for its end.
            Poll::Ready(Ok(())) if bytes == 0 && room > 0 => self.pace.poll_half_closed(task).map(Ok),
            read => read,
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for PacedConnection<T> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.is_misnamed(bytes) {
            // So short an answer is written at once, to a client that has read all others.
            return self.as_mut().io().poll_write(task, BAD_HEAD).map_ok(|_| bytes.len());
        }
        let written = self.as_mut().io().poll_write(task, bytes);
        self.reported(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut TaskContext<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = pieces {
            return self.poll_write(task, only);
        }
        let written = self.as_mut().io().poll_write_vectored(task, pieces);
        self.reported(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        self.io().poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        self.io().poll_shutdown(task)
    }
}

/// The request for the router: its body reports when the server waits for it.
pub(super) fn paced_request(request: hyper::Request<Incoming>, pace: &Arc<Pace>) -> Request {
    pace.begin(request.body().is_end_stream());
    let mut request = request.map(|body| Body::new(PacedBody { body, pace: Arc::clone(pace), is_waiting: false }));
    request.extensions_mut().insert(Arc::clone(pace));
    request
}

/// The body of a request.
struct PacedBody {
    body: Incoming,
    pace: Arc<Pace>,
    is_waiting: bool,
}

impl HttpBody for PacedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(task) else {
            if !self.is_waiting {
                self.is_waiting = true;
                self.pace.wait(Awaited::Body);
            }
            let late = || Some(Err(axum::Error::new(io::Error::from(io::ErrorKind::TimedOut))));
            return self.pace.poll_late(task).map(|()| late());
        };
        if std::mem::take(&mut self.is_waiting) {
            let frame = frame.as_ref().and_then(|frame| frame.as_ref().ok());
            self.pace.earn(frame.and_then(Frame::data_ref).map_or(0, Bytes::len));
        }
        if frame.is_none() || self.body.is_end_stream() {
            self.pace.finish_body();
        }
        Poll::Ready(frame.map(|frame| frame.map_err(axum::Error::new)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer. Dropping it ends the request.
pub(super) struct PacedAnswer {
    body: Body,
    pace: Arc<Pace>,
}

impl PacedAnswer {
    pub fn new(body: Body, pace: Arc<Pace>) -> Self {
        Self { body, pace }
    }
}

impl Drop for PacedAnswer {
    fn drop(&mut self) {
        self.pace.end();
    }
}

impl HttpBody for PacedAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(task)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
