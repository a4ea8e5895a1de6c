//! Connections, and stopping the server.

use std::fmt;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use listenfd::ListenFd;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;

use super::ServeLimits;
use super::connection::PatientConnection;
use twistbase_core::context::Context;
use twistbase_core::error::{Error, Result};

/// Maximum bytes of a request's head.
const LONGEST_HEAD: usize = 1 << 16;
/// Longest timeout for a request's head. (The clock would overflow with arbitrary values.)
pub const LONGEST_HEADER_TIME: Duration = Duration::from_secs(60 * 60);
/// Time for cancelled jobs to report the end to their readers, when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The address of a server: IP address and port, or `unix:PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// An IP address of this machine; port 0 takes any free port.
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
    /// In the file system. The server removes its socket at the end.
    Unix(UnixListener, Option<MadeSocket>),
}

/// A socket in the file system that this server made.
#[derive(Debug)]
pub struct MadeSocket {
    path: PathBuf,
    /// Device and number of its file.
    file: [u64; 2],
}

impl MadeSocket {
    /// The socket just made at a path.
    fn at(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: Self::file_at(path)? })
    }

    fn file_at(path: &Path) -> io::Result<[u64; 2]> {
        fs::symlink_metadata(path).map(|found| [found.dev(), found.ino()])
    }

    /// Removes the socket, but not one that another process put in its place.
    fn remove(&self) {
        if Self::file_at(&self.path).is_ok_and(|file| file == self.file) {
            // Nobody is left to handle an error.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Listening {
    /// Starts to listen. Replaces a socket file that a killed server left behind.
    ///
    /// # Errors
    /// [`Error::Busy`] if another server listens there; [`Error::Io`], also if the path is a file but no socket.
    pub async fn at(address: &ListenAddress) -> Result<Self> {
        match address {
            ListenAddress::Tcp(address) => {
                let listener = TcpListener::bind(address).await;
                Ok(Self::Tcp(listener.map_err(|source| refused(&address.to_string(), source))?))
            }
            ListenAddress::Unix(path) => {
                let text = path.display().to_string();
                let found = fs::symlink_metadata(path).map(|found| found.file_type());
                let is_socket = found.as_ref().is_ok_and(FileTypeExt::is_socket);
                if found.is_ok() && !is_socket {
                    // The system would say that the address is in use.
                    let reason = "a file of this name exists; it is no socket";
                    return Err(refused(&text, io::Error::new(io::ErrorKind::AlreadyExists, reason)));
                }
                if is_socket && is_left_behind(path).await.map_err(|source| refused(&text, source))? {
                    fs::remove_file(path).map_err(|source| refused(&text, source))?;
                }
                let listener = UnixListener::bind(path).map_err(|source| refused(&text, source))?;
                let made = MadeSocket::at(path).map_err(|source| refused(&text, source))?;
                Ok(Self::Unix(listener, Some(made)))
            }
        }
    }

    /// The socket inherited from the parent process by systemd's protocol (`LISTEN_FDS`, `LISTEN_PID`), or `None`. It can be taken
    /// once: this removes the variables from the environment.
    ///
    /// # Errors
    /// [`Error::Usage`] for more than one socket, or for one that does not listen; [`Error::Io`].
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn inherited() -> Result<Option<Self>> {
        let mut passed = ListenFd::from_env();
        match passed.len() {
            0 => return Ok(None),
            1 => {}
            count => return Err(Error::Usage(format!("{count} sockets were passed; a server listens at one"))),
        }
        let failed = |source| Error::io("listen at", INHERITED, source);
        if let Ok(Some(listener)) = passed.take_tcp_listener(0) {
            refuse_connected(&listener)?;
            listener.set_nonblocking(true).map_err(failed)?;
            return Ok(Some(Self::Tcp(TcpListener::from_std(listener).map_err(failed)?)));
        }
        let Some(listener) = passed.take_unix_listener(0).map_err(failed)? else { return Ok(None) };
        refuse_connected(&listener)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Some(Self::Unix(UnixListener::from_std(listener).map_err(failed)?, None)))
    }

    /// The address.
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

/// The name of an inherited socket in errors.
const INHERITED: &str = "the socket that was passed";

/// Rejects a socket that is one connection and accepts no others.
fn refuse_connected(socket: impl AsFd) -> Result<()> {
    match rustix::net::getpeername(socket).is_ok() {
        true => Err(Error::Usage(format!("{INHERITED} is a connection; one that listens is needed (Accept=no)"))),
        false => Ok(()),
    }
}

/// Whether nobody listens at a socket. A server too busy to accept another connection still listens.
async fn is_left_behind(path: &Path) -> io::Result<bool> {
    match tokio::net::UnixStream::connect(path).await {
        Ok(_) => Ok(false),
        Err(error) => match error.kind() {
            io::ErrorKind::ConnectionRefused => Ok(true),
            // Not found: another process removed it just now.
            io::ErrorKind::WouldBlock | io::ErrorKind::NotFound => Ok(false),
            _ => Err(error),
        },
    }
}

fn refused(what: &str, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::AddrInUse => Error::Busy { what: what.to_owned(), holder: "another server".to_owned() },
        _ => Error::io("listen at", what, source),
    }
}

/// Serves connections until `stop` ends. Then it accepts no more and lets running answers end. After the time limit it cancels `ctx`
/// and still sends their last words.
pub async fn serve(
    listening: Listening,
    router: Router,
    limits: &ServeLimits,
    ctx: &Context,
    stop: impl Future<Output = ()>,
) {
    match listening {
        Listening::Tcp(listener) => accept(listener, None, router, limits, ctx, stop).await,
        Listening::Unix(listener, made) => accept(listener, made, router, limits, ctx, stop).await,
    }
}

async fn accept(
    mut listener: impl Listener,
    made: Option<MadeSocket>,
    router: Router,
    limits: &ServeLimits,
    ctx: &Context,
    stop: impl Future<Output = ()>,
) {
    let connections = limits.connections.clamp(1, Semaphore::MAX_PERMITS);
    let (places, graceful) = (Arc::new(Semaphore::new(connections)), GracefulShutdown::new());
    let header_time = limits.header_time.min(LONGEST_HEADER_TIME);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(header_time).max_buf_size(LONGEST_HEAD);
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
        let io = TokioIo::new(PatientConnection::new(io, limits.pause_time));
        let connection = graceful.watch(http.serve_connection(io, service));
        tokio::spawn(async move {
            let _place = place;
            // A connection that ends within a request is no error of the server.
            let _ = connection.await;
        });
    }
    // Remove the file before closing: then no other server sees it as left behind, and its inode number is still ours.
    if let Some(made) = made {
        made.remove();
    }
    drop(listener);
    let shutdown = graceful.shutdown();
    tokio::pin!(shutdown);
    if tokio::time::timeout(limits.drain_time, &mut shutdown).await.is_err() {
        ctx.cancel();
        // Readers that do not take the last words miss them.
        let _ = tokio::time::timeout(LAST_WORDS, shutdown).await;
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
