//! Answers that clients have already.
//!
//! An answer is a function of the tables of its puzzle, of the program and of the question. A tag of these three is known before
//! any work is done: a client that has the answer of that tag is told so with 304.

use std::sync::Arc;

use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_64;

use super::Service;

/// Answers with 304 where the client has the answer, and tags the others.
pub(super) async fn revalidate(
    State(service): State<Arc<Service>>,
    parameters: RawPathParams,
    request: Request,
    next: Next,
) -> Response {
    let name = parameters.iter().find(|(name, _)| *name == "puzzle").map(|(_, puzzle)| puzzle);
    let Some(puzzle) = name.and_then(|name| service.puzzle(name).ok()) else { return next.run(request).await };
    let editions = service.database.editions(&puzzle.tables());
    let asked = format!("{}\n{editions:?}\n{}", env!("CARGO_PKG_VERSION"), request.uri());
    // Weak: the bytes depend on the compression.
    let tag = format!("W/\"{:016x}\"", xxh3_64(asked.as_bytes()));
    if knows(request.headers(), &tag) {
        return tagged(StatusCode::NOT_MODIFIED.into_response(), &tag);
    }
    let response = next.run(request).await;
    let is_its_own = response.headers().contains_key(header::CACHE_CONTROL);
    if response.status() == StatusCode::OK && !is_its_own { tagged(response, &tag) } else { response }
}

/// Whether a client has the answer of a tag.
fn knows(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    known.flat_map(|value| value.split(',')).any(|known| known.trim() == "*" || opaque(known) == opaque(tag))
}

fn tagged(mut response: Response, tag: &str) -> Response {
    let headers = [(header::CACHE_CONTROL, "no-cache"), (header::ETAG, tag)];
    for (name, value) in headers {
        response.headers_mut().extend(HeaderValue::from_str(value).ok().map(|value| (name, value)));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_weakly() {
        let known = |value: &'static str| {
            knows(&HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(value))]), "W/\"7\"")
        };
        assert!(known("W/\"7\"") && known("\"7\"") && known("\"1\", W/\"7\"") && known("*"));
        assert!(!known("\"1\"") && !known(""));
    }
}
