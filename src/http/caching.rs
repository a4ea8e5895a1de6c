//! Cached answers: tags (`ETag`) and 304.
//!
//! An answer depends on the program, the request, and usually the puzzle's tables. A tag stands for these, so it exists before any
//! work: a client that has the answer gets 304. Streamed answers have no tag: their end is unknown when their head is sent.

use std::sync::Arc;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_64;

use super::Service;

/// Tags answers that depend on a puzzle's tables.
pub(super) async fn of_tables(
    State(service): State<Arc<Service>>,
    parameters: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    // The handler rejects a path that is not text.
    let parameters = parameters.ok();
    let name = parameters.iter().flatten().find(|(name, _)| *name == "puzzle").map(|(_, puzzle)| puzzle);
    let Some(puzzle) = name.and_then(|name| service.puzzle(name).ok()) else { return next.run(request).await };
    let database = service.database.clone();
    // Checking files may wait for a disk, like reading them.
    match service.questions.run(move || database.editions(&puzzle.tables())).await {
        Ok(editions) => revalidate(&format!("{editions:?}"), request, next).await,
        Err(problem) => problem.into_response(),
    }
}

/// Tags answers that depend on no table.
pub(super) async fn of_question(request: Request, next: Next) -> Response {
    revalidate("", request, next).await
}

/// Answers with 304 if the client has the answer, and tags the others. `source`: what the answer depends on besides the program and
/// the request.
async fn revalidate(source: &str, request: Request, next: Next) -> Response {
    let tag = tag_of(&format!("{}\n{source}\n{}", env!("CARGO_PKG_VERSION"), request.uri()));
    let known = || tagged(StatusCode::NOT_MODIFIED.into_response(), &tag);
    if names(request.headers(), &tag) {
        return known();
    }
    // `*` matches any answer, but the server does not know yet whether there is one.
    let has_any = names(request.headers(), ANY);
    let response = next.run(request).await;
    let is_its_own = response.headers().contains_key(header::CACHE_CONTROL);
    match response.status() == StatusCode::OK && !is_its_own {
        true if has_any => known(),
        true => tagged(response, &tag),
        false => response,
    }
}

/// Matches the tag of any answer.
const ANY: &str = "*";

/// The tag of an answer, from a text that determines it. Weak, because the bytes depend on the compression.
pub(super) fn tag_of(text: &str) -> String {
    format!("W/\"{:016x}\"", xxh3_64(text.as_bytes()))
}

/// Whether the client has the answer of an existing tag.
pub(super) fn knows(headers: &HeaderMap, tag: &str) -> bool {
    names(headers, tag) || names(headers, ANY)
}

/// Whether a client names a tag.
fn names(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    known.flat_map(|value| value.split(',')).any(|known| opaque(known) == opaque(tag))
}

/// A response with its tag.
pub(super) fn tagged(mut response: Response, tag: &str) -> Response {
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
