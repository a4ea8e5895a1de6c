//! A connection with a timeout for readers.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection that fails if the reader takes nothing for too long.
pub(super) struct PatientConnection<T> {
    io: T,
    patience: Duration,
    /// The deadline of the waiting write, if any.
    too_late: Option<Pin<Box<Sleep>>>,
}

impl<T: Unpin> PatientConnection<T> {
    pub fn new(io: T, patience: Duration) -> Self {
        Self { io, patience, too_late: None }
    }

    /// The connection underneath.
    fn io(self: Pin<&mut Self>) -> Pin<&mut T> {
        Pin::new(&mut self.get_mut().io)
    }

    /// The result of a write: an error if it waited too long.
    fn judged(&mut self, written: Poll<io::Result<usize>>, task: &mut TaskContext<'_>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.too_late = None;
            return written;
        }
        let patience = self.patience;
        let too_late = self.too_late.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(too_late.as_mut().poll(task));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for PatientConnection<T> {
    fn poll_read(self: Pin<&mut Self>, task: &mut TaskContext<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.io().poll_read(task, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for PatientConnection<T> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.as_mut().io().poll_write(task, bytes);
        self.judged(written, task)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut TaskContext<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.as_mut().io().poll_write_vectored(task, pieces);
        self.judged(written, task)
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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn who_takes_nothing_is_given_up() {
        let (io, _reader) = duplex(4);
        let mut connection = PatientConnection::new(io, Duration::ZERO);
        let failed = connection.write_all(&[0; 8]).await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
    }

    /// The timeout is per wait: a slow reader that takes something now and then does not fail.
    #[tokio::test]
    async fn who_takes_something_is_waited_for_anew() {
        let (io, mut reader) = duplex(4);
        let mut connection = PatientConnection::new(io, Duration::from_secs(3600));
        for _ in 0..6 {
            connection.write_all(&[0; 4]).await.unwrap();
            assert!(connection.too_late.is_none());
            let write =
                |task: &mut TaskContext<'_>| Poll::Ready(Pin::new(&mut connection).poll_write(task, &[0]).is_pending());
            assert!(poll_fn(write).await);
            assert!(connection.too_late.is_some());
            reader.read_exact(&mut [0; 4]).await.unwrap();
        }
    }
}
