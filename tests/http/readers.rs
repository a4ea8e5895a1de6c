//! Readers that are slow to read what they asked.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use http_body_util::BodyExt;
use tower::ServiceExt;
use twistbase::http::{ServeLimits, ServeOptions, Server};
use twistbase::{Context, Database};

use super::PATIENCE;
use crate::support::CUBE3;

/// The response to a request, of whose body nothing is read.
async fn begun(router: &Router, path: &str) -> Response<Body> {
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = path.parse().expect("a path");
    request.headers_mut().insert("host", "localhost".parse().expect("a name"));
    let answering = tokio::time::timeout(PATIENCE, router.clone().oneshot(request));
    answering.await.expect("an answer in time").expect("no error without a response")
}

/// The whole body of a response.
async fn read(response: Response<Body>) -> String {
    let body = tokio::time::timeout(PATIENCE, response.into_body().collect()).await.expect("an end in time");
    String::from_utf8(body.expect("a body").to_bytes().to_vec()).expect("text")
}

/// As many searches as there are threads, each with more to tell than waits for a reader elsewhere, come to their ends though nobody
/// reads them, and others are answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_read_holds_no_thread_of_the_searches() {
    let threads = rayon::current_num_threads();
    // Nothing here is to end because its time is over.
    let limits =
        ServeLimits { searches: [threads + 1, 64], search_time: Duration::from_secs(3600), ..ServeLimits::default() };
    let options = ServeOptions { limits, ..ServeOptions::default() };
    let database = Database::open(&*CUBE3).expect("a database");
    let router = Server::new(&database, &options, &Context::silent()).expect("a server").router();
    let path = "/api/v1/cube3/solve?position=R2U2R2U2R2U2&method=optimal&table=phase1&extra=2";
    let mut unread = Vec::new();
    for _ in 0..threads {
        unread.push(begun(&router, path).await);
    }
    let ended = async {
        while !read(begun(&router, "/metrics").await).await.contains("twistbase_running{lane=\"search\"} 0\n") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("searches that nobody reads end");
    let other = read(begun(&router, "/api/v1/cube3/solve?position=RUF&method=optimal&table=phase1").await).await;
    assert!(other.contains("event: solved"), "{other}");
    // Nothing is lost.
    for response in unread {
        let events = read(response).await;
        assert_eq!(events.matches("event: solution").count(), 64, "{events}");
        assert!(events.contains("event: solved") && events.contains("\"complete\":true"), "{events}");
    }
}
