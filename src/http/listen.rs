//! Connections, and the end of a server.

use std::fmt;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;

use super::ServeLimits;
use crate::context::Context;
use crate::error::{Error, Result};

/// Bytes of the head of a request.
const LONGEST_HEAD: usize = 1 << 16;

/// Where a server is reached: an address and a port, or `unix:PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// An address of this machine; port 0 takes any that is free.
    Tcp(SocketAddr),
    /// A socket in the file system, for a proxy on this machine.
    Unix(PathBuf),
}

impl FromStr for ListenAddress {
    type Err = Error;

    /// # Errors
    /// [`Error::Usage`].
    fn from_str(text: &str) -> Result<Self> {
        match text.strip_prefix("unix:") {
            Some("") => Err(Error::Usage("unix: needs the path of a socket".to_owned())),
            Some(path) => Ok(Self::Unix(path.into())),
            None => text.parse().map(Self::Tcp).map_err(|_| {
                Error::Usage(format!("{text:?} is neither an address with a port, like 127.0.0.1:8021, nor unix:PATH"))
            }),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "http://{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A socket on which connections arrive.
#[derive(Debug)]
pub enum Listening {
    /// At an address.
    Tcp(TcpListener),
    /// In the file system; the path is removed at the end, if the server made it.
    Unix(UnixListener, Option<PathBuf>),
}

impl Listening {
    /// Begins to listen. A socket in the file system that a server which was killed left behind is replaced.
    ///
    /// # Errors
    /// [`Error::Busy`] where another server listens; [`Error::Io`].
    pub async fn at(address: &ListenAddress) -> Result<Self> {
        match address {
            ListenAddress::Tcp(address) => {
                let listener = TcpListener::bind(address).await;
                Ok(Self::Tcp(listener.map_err(|source| refused(&address.to_string(), source))?))
            }
            ListenAddress::Unix(path) => {
                let text = path.display().to_string();
                let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
                if is_socket && tokio::net::UnixStream::connect(path).await.is_err() {
                    fs::remove_file(path).map_err(|source| refused(&text, source))?;
                }
                let listener = UnixListener::bind(path).map_err(|source| refused(&text, source))?;
                Ok(Self::Unix(listener, Some(path.clone())))
            }
        }
    }

    /// Where connections arrive.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn address(&self) -> Result<ListenAddress> {
        match self {
            Self::Tcp(listener) => {
                let address = listener.local_addr().map_err(|source| refused("a socket", source))?;
                Ok(ListenAddress::Tcp(address))
            }
            Self::Unix(listener, _) => {
                let address = listener.local_addr().map_err(|source| refused("a socket", source))?;
                Ok(ListenAddress::Unix(address.as_pathname().map(Into::into).unwrap_or_default()))
            }
        }
    }
}

fn refused(what: &str, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::AddrInUse => Error::Busy { what: what.to_owned(), holder: "another server".to_owned() },
        _ => Error::io("listen at", what, source),
    }
}

/// Serves connections until `stop` is done; then takes no more of them, lets running answers end, and cancels `ctx` when that
/// takes longer than it may.
pub async fn serve(
    listening: Listening,
    router: Router,
    limits: &ServeLimits,
    ctx: &Context,
    stop: impl Future<Output = ()>,
) {
    match listening {
        Listening::Tcp(listener) => accept(listener, router, limits, ctx, stop).await,
        Listening::Unix(listener, made) => {
            accept(listener, router, limits, ctx, stop).await;
            if let Some(path) = made {
                // Nobody is left who could do anything about it.
                let _ = fs::remove_file(path);
            }
        }
    }
}

async fn accept(
    mut listener: impl Listener,
    router: Router,
    limits: &ServeLimits,
    ctx: &Context,
    stop: impl Future<Output = ()>,
) {
    let (places, graceful) = (Arc::new(Semaphore::new(limits.connections)), GracefulShutdown::new());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.header_time).max_buf_size(LONGEST_HEAD);
    tokio::pin!(stop);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, (io, _)) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(http.serve_connection(TokioIo::new(io), service));
        tokio::spawn(async move {
            let _place = place;
            // A connection that ends in the middle of a request is nobody's fault here.
            let _ = connection.await;
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.drain_time, graceful.shutdown()).await.is_err() {
        ctx.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for text in ["127.0.0.1:8021", "[::1]:80", "unix:/run/twistbase.sock"] {
            let address: ListenAddress = text.parse().unwrap();
            assert_eq!(address.to_string().trim_start_matches("http://"), text);
        }
        for wrong in ["", "unix:", "8021", "localhost:8021", "127.0.0.1"] {
            assert!(matches!(wrong.parse::<ListenAddress>(), Err(Error::Usage(_))), "{wrong:?}");
        }
    }
}
