//! Requests that are nearly right. None is answered with an error of the server but those that are meant, and nothing panics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Response};
use http_body_util::BodyExt;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;
use twistbase::http::{self, ServeLimits, ServeOptions};
use twistbase::{Context, Database};

use crate::support::CORNERS;
use twistbase_testing::fuzz::{fuzz, fuzz_text, many};

/// Paths with the questions of each, all right.
const PATHS: &[&str] = &[
    "/api/v1/tables",
    "/api/v1/openapi.json",
    "/api/v1/square1-corners/query?position=34FE70BA-658921CD&detail=brief&middle=square&notation=cube21",
    "/api/v1/square1-corners/query?position=(1,0)/(3,3)/(-3,0)/",
    "/api/v1/square1-corners/query?position=wca%3A(1%2C0)%2F(3%2C3)%2F&detail=full",
    "/api/v1/square1-corners/solutions?position=34FE70BA-658921CD-&limit=3&shapes=true",
    "/api/v1/square1-corners/random?n=3&seed=7&walk=5",
    "/api/v1/square1-corners/stats?table=square1-corners",
    "/api/v1/square1-corners/rows",
    "/api/v1/square1-corners/solve?position=//&middle=square&notation=wca",
    "/api/v1/square1-corners/picture.svg?position=(1,0)/&view=perspective&colours=colour-blind",
    "/api/v1/square1-corners/scene?position=/&moves=(0,3)/&colours=wca",
    "/api/v1/cube3/query?position=R%20U2%20F'&metric=qtm&table=phase1-qtm&detail=full",
    "/api/v1/cube3/query?position=R%20U2%20x&normalize=true",
    "/api/v1/cube3/random?n=2&seed=18446744073709551615&walk=9&in_h=false&metric=qtm",
    "/api/v1/cube3/solve?position=RUF&method=optimal&extra=0&limit=5&max_depth=9&table=phase1&max_nodes=1000",
    "/api/v1/cube3/solve?position=reid:UF%20UR%20UB%20UL%20DF%20DR%20DB%20DL%20FR%20FL%20BR%20BL%20UFR%20URB%20UBL%20ULF%20DRF%20DFL%20DLB%20DBR&method=two-phase&target=20&goal=R2",
    "/api/v1/cube3/scene?position=UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB&moves=M2%20x%20Rw'",
    "/api/v1/cube3/picture.svg?position=R+U+R'+U'&view=flat&colours=wca",
    "/api/v1/cube2/query?position=UUUURRRRFFFFDDDDLLLLBBBB&metric=htm",
    "/api/v1/cube2/solutions?position=R2U&metric=qtm&limit=2",
    "/api/v1/cube21/query?position=36547210-BEDCF89A",
    "/api/v1/cube21/stats",
    "/healthz",
    "/readyz",
    "/metrics",
];
/// Paths that take a body.
const BATCHES: &[&str] = &["/api/v1/square1-corners/batch?detail=brief", "/api/v1/cube3/batch?metric=htm"];
const LINES: &str = "/\n(1,0)/(3,3)/\n\n34FE70BA-658921CD\nR U2 F'\n";

/// What answers, in this process, over a store with one table: the others are missing.
struct Answering {
    router: Router,
    runtime: Runtime,
}

impl Answering {
    fn new() -> Self {
        // Long work is cut short: what is looked for is in the questions.
        let limits = ServeLimits {
            search_time: Duration::from_millis(20),
            listed: 100,
            batch_lines: 20,
            body_bytes: 1 << 12,
            ..ServeLimits::default()
        };
        let (database, ctx) = (Database::open(CORNERS.path()).expect("a database"), Context::silent());
        let options = ServeOptions { limits, ..ServeOptions::default() };
        let router = http::Server::new(&database, &options, &ctx).expect("a server").router();
        Self { router, runtime: Builder::new_current_thread().enable_all().build().expect("a runtime") }
    }

    /// The whole response to a request; `None` for one that was cut short after its head, as its time was over.
    fn answer(&self, text: &str) -> Option<Response<Vec<u8>>> {
        self.runtime.block_on(async {
            let response = self.router.clone().oneshot(request(text)).await.expect("no error without a response");
            let (head, body) = response.into_parts();
            match body.collect().await {
                Ok(body) => Some(Response::from_parts(head, body.to_bytes().to_vec())),
                Err(error) if format!("{error:?}").contains("--search-time") => None,
                Err(error) => panic!("{text:?}: {error:?}"),
            }
        })
    }

    /// What is answered to the bytes of a connection.
    fn talk(&self, bytes: &[u8]) -> Vec<u8> {
        self.runtime.block_on(async {
            let (mut client, server) = tokio::io::duplex(1 << 16);
            let service = TowerToHyperService::new(self.router.clone());
            let serving = tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(server), service));
            // What is not a request may be refused before all of it has been sent.
            let _ = client.write_all(bytes).await;
            let _ = client.shutdown().await;
            let mut answer = Vec::new();
            client.read_to_end(&mut answer).await.expect("an end");
            // That the client went away is an error; a panic would be another one.
            assert!(!serving.await.is_err_and(|error| error.is_panic()));
            answer
        })
    }
}

/// A request of four lines and what follows: method, path with its query string, a header; the rest is the body. What cannot
/// stand where it does is left out or escaped, so that every text is a request.
fn request(text: &str) -> Request<Body> {
    let mut parts = text.splitn(4, '\n');
    let mut next = || parts.next().unwrap_or_default();
    let (method, target, header, body) = (next(), next(), next(), next());
    let uri = target.bytes().map(|byte| match byte {
        b'!' | b'$'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    let uri = format!("/{}", uri.collect::<String>().trim_start_matches('/'));
    let mut request = Request::new(Body::from(body.to_owned()));
    *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap_or_default();
    *request.uri_mut() = uri.parse().unwrap_or_else(|error| panic!("{uri}: {error}"));
    request.headers_mut().insert("host", HeaderValue::from_static("localhost"));
    let (name, value) = header.split_once(':').unwrap_or_default();
    if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
        request.headers_mut().insert(name, value);
    }
    request
}

const HEADERS: [&str; 8] = [
    "if-none-match:W/\"0123456789abcdef\", *",
    "accept-encoding:gzip, deflate;q=0.5",
    "host:[::1]:8021",
    "origin:https://cubes.example.org",
    "content-length:5",
    "range:bytes=0-10",
    "accept:text/html",
    "content-type:application/json",
];

/// Right requests, as [`request`] reads them.
fn right() -> Vec<String> {
    let methods = ["GET", "GET", "GET", "HEAD", "OPTIONS"];
    let gets = PATHS.iter().zip(0..).map(|(path, number): (_, usize)| {
        format!("{}\n{path}\n{}\n", methods[number % methods.len()], HEADERS[number % HEADERS.len()])
    });
    let posts = BATCHES.iter().map(|path| format!("POST\n{path}\n{}\n{LINES}", HEADERS[7]));
    let asked_again = PATHS.iter().map(|path| format!("GET\n{path}\n{}\n", HEADERS[0]));
    gets.chain(asked_again).chain(posts).collect()
}

/// Right requests, as bytes of a connection.
fn right_bytes() -> Vec<Vec<u8>> {
    let head =
        |method: &str, path: &str, more: &str| format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n");
    let gets =
        PATHS.iter().zip(HEADERS.iter().cycle()).map(|(path, header)| head("GET", path, &format!("{header}\r\n")));
    let length = format!("Content-Length: {}\r\n", LINES.len());
    let posts = BATCHES.iter().flat_map(|path| {
        let chunks = format!("{:x}\r\n{LINES}\r\n0\r\n\r\n", LINES.len());
        let chunked = head("POST", path, "Transfer-Encoding: chunked\r\n") + &chunks;
        [head("POST", path, &length) + LINES, chunked, head("POST", path, "Expect: 100-continue\r\n")]
    });
    let pipelined = head("GET", "/healthz", "") + &head("HEAD", "/readyz", "Connection: close\r\n");
    gets.chain(posts).chain([pipelined]).map(String::into_bytes).collect()
}

/// Whether a response is what a server that works may answer: no error but that of a table that is missing, and of a search
/// whose time is over. Of a problem that is compressed, or was asked for by HEAD, the status alone can be seen.
fn is_meant(status: u16, body: &[u8], is_readable: bool) -> bool {
    let code = match status {
        ..500 => return true,
        503 => "\"code\":\"data\"",
        504 => "\"code\":\"budget\"",
        _ => return false,
    };
    !is_readable || String::from_utf8_lossy(body).contains(code)
}

/// The response to a changed request is one that is meant, and a problem says its own status.
fn check(answering: &Answering, text: &str, answered: &[AtomicU64; 6]) {
    let Some(response) = answering.answer(text) else { return };
    let (status, body) = (response.status().as_u16(), response.body());
    let is_readable = !body.is_empty() && !response.headers().contains_key("content-encoding");
    assert!(is_meant(status, body, is_readable), "{status}: {}", String::from_utf8_lossy(body));
    let kind = response.headers().get("content-type").map(|kind| kind.as_bytes());
    let is_problem = kind == Some(b"application/problem+json");
    assert!(is_problem || !(400..500).contains(&status), "{status}: {kind:?}");
    if is_problem && is_readable {
        let problem: serde_json::Value = serde_json::from_slice(body).expect("JSON");
        assert_eq!(problem["status"], status);
    }
    assert!(response.headers().contains_key("content-security-policy"));
    answered[usize::from(status / 100)].fetch_add(1, Ordering::Relaxed);
}

/// On each of two threads half of so many requests, of which one tenth are bytes of connections.
fn fuzz_requests(inputs: u64) {
    const MEMORY: usize = 1 << 24;
    let (right, bytes, answered) = (right(), right_bytes(), [const { AtomicU64::new(0) }; 6]);
    thread::scope(|scope| {
        for part in 0..2 {
            // Each thread begins with another one, and so changes others.
            let (mut right, mut bytes, answered) = (right.clone(), bytes.clone(), &answered);
            let halves = [right.len() / 2, bytes.len() / 2].map(|half| part * half);
            right.rotate_left(halves[0]);
            bytes.rotate_left(halves[1]);
            scope.spawn(move || {
                let answering = Answering::new();
                for request in &right {
                    let Some(response) = answering.answer(request) else { continue };
                    // 405 to OPTIONS, of a server that no page elsewhere may read; 504 on a machine that is busy.
                    assert!(matches!(response.status().as_u16(), 200 | 304 | 405 | 503 | 504), "{response:?}");
                }
                let right: Vec<&str> = right.iter().map(String::as_str).collect();
                fuzz_text("requests", inputs * 9 / 20, &right, MEMORY, |text| check(&answering, text, answered));
                fuzz("connections", inputs / 20, &bytes, MEMORY, |bytes| {
                    let answer = answering.talk(bytes);
                    let status = answer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
                    let text = String::from_utf8_lossy(&answer);
                    let is_readable = !text.contains("content-encoding") && !text.ends_with("\r\n\r\n");
                    assert!(status.is_none_or(|status| is_meant(status, &answer, is_readable)), "{text}");
                });
            });
        }
    });
    let [.., fine, known, refused, failed] = answered.map(AtomicU64::into_inner);
    println!("{fine} answered, {known} known, {refused} refused, {failed} without a table");
    assert!([fine, known, refused, failed].iter().all(|&count| count > 0), "{fine} {known} {refused} {failed}");
}

#[test]
fn changed_requests_are_answered_or_refused() {
    fuzz_requests(many(20_000));
}

#[test]
#[ignore = "long suite: 400,000 requests"]
fn hundreds_of_thousands_of_changed_requests_are_answered_or_refused() {
    fuzz_requests(many(400_000));
}
