//! Many connections of one thread.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::kinds::Way;

/// Between two bytes of a slow request.
const BETWEEN_BYTES: Duration = Duration::from_secs(10);

/// A question, and its answer.
pub struct Asked {
    request: Request<Full<Bytes>>,
    pub answer: Vec<u8>,
    pub status: u16,
    /// How many positions or solutions it is about.
    pub units: usize,
}

impl Asked {
    pub fn new(way: &Way, input: &str, (answer, units): (Vec<u8>, usize)) -> Self {
        let (method, path, body) = match way {
            Way::Path(path) => ("GET", format!("/api/v1/{path}{input}"), Bytes::new()),
            Way::Body(path) => ("POST", format!("/api/v1/{path}"), Bytes::copy_from_slice(input.as_bytes())),
        };
        let request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
        Self { request: request.body(Full::new(body)).expect("a request"), answer, status: 200, units }
    }
}

/// A connection on which one question follows the other.
pub struct Requests(SendRequest<Full<Bytes>>);

impl Requests {
    pub async fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        let (requests, connection) = http1::handshake(TokioIo::new(stream)).await.expect("a connection");
        tokio::spawn(connection);
        Self(requests)
    }

    /// The whole response.
    pub async fn ask(&mut self, asked: &Asked) -> Response<Bytes> {
        self.0.ready().await.expect("a connection");
        let response = self.0.send_request(asked.request.clone()).await.expect("a response");
        let (head, body) = response.into_parts();
        Response::from_parts(head, body.collect().await.expect("a body").to_bytes())
    }

    /// Asks for the tag of an answer, and asks from then on whether it still holds.
    pub async fn revalidate(&mut self, asked: &mut Asked) {
        let tag = self.ask(asked).await.headers()[header::ETAG].clone();
        asked.request.headers_mut().insert(header::IF_NONE_MATCH, tag);
        (asked.status, asked.answer) = (304, Vec::new());
    }
}

/// Asks one address on each of so many connections, again and again, as long as the runtime lives. A refused request is repeated when the
/// server says.
pub fn begin_beside(address: &str, paths: &'static [&'static str], connections: usize) {
    for number in 0..connections {
        let address = address.to_owned();
        let path = Way::Path(paths[number % paths.len()].to_owned());
        let asked = Asked::new(&path, "", (Vec::new(), 0));
        tokio::spawn(async move {
            let mut requests = Requests::connect(&address).await;
            loop {
                if requests.ask(&asked).await.status() == StatusCode::SERVICE_UNAVAILABLE {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        });
    }
}

/// What came of asking.
#[derive(Default)]
pub struct Load {
    /// The time of each answer, from the question to its last byte.
    pub latencies: Vec<Duration>,
    /// Answers that were not the library's.
    pub wrong: u64,
    /// What was answered: positions, solutions.
    pub units: usize,
    /// How long it took.
    pub time: Duration,
}

/// Asks on so many connections for a time, each connection one question after the other.
pub async fn load(address: &str, asked: &[Asked], connections: usize, time: Duration) -> Load {
    let (load, next, began) = (RefCell::new(Load::default()), Cell::new(0), Instant::now());
    let one = async || {
        let mut requests = Requests::connect(address).await;
        while began.elapsed() < time {
            let asked = &asked[next.replace(next.get() + 1) % asked.len()];
            let started = Instant::now();
            let response = requests.ask(asked).await;
            let latency = started.elapsed();
            let mut load = load.borrow_mut();
            load.latencies.push(latency);
            load.wrong += u64::from(response.status().as_u16() != asked.status || *response.body() != asked.answer);
            load.units += asked.units;
        }
    };
    join_all((0..connections).map(|_| one())).await;
    Load { time: began.elapsed(), ..load.into_inner() }
}

/// Connections that send their requests slowly, as long as the runtime lives.
pub struct Slow {
    sent: Arc<AtomicU64>,
    closed: Arc<AtomicU64>,
}

impl Slow {
    /// Begins with so many connections, of which each is opened again when the server has closed it.
    pub async fn begin(address: &str, connections: u32) -> Self {
        let slow = Self { sent: Arc::default(), closed: Arc::default() };
        for number in 0..connections {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            let (address, sent, closed) = (address.to_owned(), Arc::clone(&slow.sent), Arc::clone(&slow.closed));
            tokio::spawn(async move {
                // Not all at the same time.
                tokio::time::sleep(BETWEEN_BYTES * number / connections).await;
                for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n".iter().cycle() {
                    if stream.write_all(&[*byte]).await.is_ok() {
                        sent.fetch_add(1, Ordering::Relaxed);
                    } else {
                        closed.fetch_add(1, Ordering::Relaxed);
                        stream = TcpStream::connect(&address).await.expect("a connection");
                    }
                    tokio::time::sleep(BETWEEN_BYTES).await;
                }
            });
        }
        slow
    }

    /// Bytes that they have sent, and connections that the server has closed.
    pub fn counts(&self) -> [u64; 2] {
        [&self.sent, &self.closed].map(|count| count.load(Ordering::Relaxed))
    }
}
