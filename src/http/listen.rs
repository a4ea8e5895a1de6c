//! Connections, and stopping the server.

use std::convert::Infallible;
use std::fmt;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use listenfd::ListenFd;
use tokio::net::{TcpListener, UnixListener};
use tower::ServiceExt;

use super::connection::{LONGEST_HEAD, PacedAnswer, PacedConnection, paced_request};
use super::pace::{Patience, Place, Places};
use super::problem::HttpProblem;
use super::{ServeLimits, Service};
use twistbase_core::error::{Error, Result};

/// Connections beyond the limit, for health checks alone.
pub const RESERVED_CONNECTIONS: usize = 16;
/// Bytes of an answer that the system holds for a client, about: a client that reads nothing is noticed when they are full.
const UNREAD: usize = 1 << 18;
/// Bytes of an answer that wait in the system until the client has room for them. More is not made for a client that does not read: a
/// crowd of such clients would keep all threads busy.
#[cfg(any(target_os = "android", target_os = "linux"))]
const AHEAD: u32 = 1 << 15;
/// What a reserved connection answers.
const HEALTH: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
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

impl ListenAddress {
    /// Whether only this machine reaches it.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => true,
        }
    }
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

/// Serves connections until `stop` ends. Then it accepts no more and lets running answers end. After the time limit it cancels the jobs
/// and still sends their last words.
pub(super) async fn serve(
    listening: Listening,
    router: Router,
    service: &Arc<Service>,
    stop: impl Future<Output = ()>,
) {
    match &listening {
        Listening::Tcp(listener) => {
            bound_unread(listener);
            bound_ahead(listener);
        }
        Listening::Unix(listener, _) => bound_unread(listener),
    }
    match listening {
        Listening::Tcp(listener) => accept(listener, None, router, service, stop).await,
        Listening::Unix(listener, made) => accept(listener, made, router, service, stop).await,
    }
}

/// Bounds what the system holds of answers that clients have not read. Connections inherit this.
fn bound_unread(listener: impl AsFd) {
    // Without it the server works as well, with more memory for slow readers.
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(listener, UNREAD);
}

/// Bounds what waits in the system before it is sent. Connections inherit this.
fn bound_ahead(_listener: &TcpListener) {
    // Where systems have no such bound, the other one has to do.
    #[cfg(any(target_os = "android", target_os = "linux"))]
    let _ = socket2::SockRef::from(_listener).set_tcp_notsent_lowat(AHEAD);
}

async fn accept(
    mut listener: impl Listener,
    made: Option<MadeSocket>,
    router: Router,
    service: &Arc<Service>,
    stop: impl Future<Output = ()>,
) {
    let (graceful, connections) = (GracefulShutdown::new(), &service.connections);
    let mut http = http1::Builder::new();
    http.max_buf_size(LONGEST_HEAD);
    tokio::pin!(stop);
    let watch = async { tokio::join!(connections.places.watch(), connections.reserve.watch()) };
    tokio::pin!(watch);
    loop {
        let next = async {
            let (io, _) = listener.accept().await;
            (io, connections.take().await)
        };
        let (io, taken) = tokio::select! {
            next = next => next,
            _ = &mut watch => break,
            () = &mut stop => break,
        };
        // Without a place, closing the connection is all that is left.
        let Some((place, is_reserved)) = taken else { continue };
        let pace = Arc::clone(&place.pace);
        let (io, router) = (TokioIo::new(PacedConnection::new(io, Arc::clone(&pace))), router.clone());
        let answer = service_fn(move |request| {
            let (request, router, pace) = (paced_request(request, &pace), router.clone(), Arc::clone(&pace));
            async move {
                let response = match is_reserved && !HEALTH.contains(&request.uri().path()) {
                    true => HttpProblem::connections_are_taken().into_response(),
                    false => router.oneshot(request).await?,
                };
                let mut response = response.map(|body| PacedAnswer::new(body, pace));
                if is_reserved {
                    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(response)
            }
        });
        let connection = graceful.watch(http.serve_connection(io, answer));
        tokio::spawn(async move {
            // A connection that ends within a request is no error of the server.
            tokio::select! {
                _ = connection => {}
                () = place.pace.given_up() => {}
            }
        });
    }
    // Remove the file before closing: then no other server sees it as left behind, and its inode number is still ours.
    if let Some(made) = made {
        made.remove();
    }
    drop(listener);
    let shutdown = graceful.shutdown();
    let ended = async {
        tokio::select! {
            () = shutdown => {}
            _ = watch => {}
        }
    };
    tokio::pin!(ended);
    if tokio::time::timeout(service.limits.drain_time, &mut ended).await.is_err() {
        service.ctx.cancel();
        // Readers that do not take the last words miss them.
        let _ = tokio::time::timeout(LAST_WORDS, ended).await;
    }
}

/// The places for all connections.
#[derive(Debug)]
pub(super) struct Connections {
    pub places: Arc<Places>,
    /// For health checks, when no client is slow and all other places are taken.
    pub reserve: Arc<Places>,
    refused: AtomicU64,
}

impl Connections {
    pub fn new(limits: &ServeLimits) -> Self {
        let head = limits.header_time.min(LONGEST_HEADER_TIME);
        let patience = Patience { head, pause: limits.pause_time, least_rate: limits.least_rate };
        let places = |count| Arc::new(Places::new(count, patience));
        Self { places: places(limits.connections), reserve: places(RESERVED_CONNECTIONS), refused: AtomicU64::new(0) }
    }

    /// A place, and whether it is one of the reserve.
    async fn take(&self) -> Option<(Place, bool)> {
        if let Some(place) = self.places.take().await {
            return Some((place, false));
        }
        self.refused.fetch_add(1, Ordering::Relaxed);
        self.reserve.take().await.map(|place| (place, true))
    }

    /// Connections that came when all places were taken.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
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
