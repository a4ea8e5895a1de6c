//! Memory for bodies and answers in transfer: what all connections together may hold. Answers that fit into one piece are
//! compressed and counted here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Service;
use super::gzip::Gzip;
use super::problem::HttpProblem;

/// Answers of fewer bytes are not compressed.
const LEAST_COMPRESSED: u64 = 256;

/// Bytes that may be in transfer.
#[derive(Debug)]
pub(super) struct Transfers {
    free: Arc<Semaphore>,
    most: usize,
    refused: AtomicU64,
}

/// Reserved bytes. Dropping this frees them.
pub(super) type Reserved = OwnedSemaphorePermit;

impl Transfers {
    pub fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(most)), most, refused: AtomicU64::new(0) }
    }

    /// Reserves bytes.
    ///
    /// # Errors
    /// 503 if too many are reserved.
    pub fn reserve(&self, bytes: usize) -> Result<Reserved, HttpProblem> {
        let reserved = u32::try_from(bytes).ok().map(|bytes| Arc::clone(&self.free).try_acquire_many_owned(bytes));
        reserved.and_then(Result::ok).ok_or_else(|| {
            self.refused.fetch_add(1, Ordering::Relaxed);
            HttpProblem::too_much_in_transfer()
        })
    }

    /// Number of reserved bytes.
    pub fn reserved(&self) -> usize {
        self.most - self.free.available_permits()
    }

    /// Number of refusals.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

/// Bytes of an answer, with their reservation.
struct Held<B, R> {
    bytes: B,
    #[expect(dead_code, reason = "freed with the bytes")]
    reserved: R,
}

impl<B: AsRef<[u8]>, R> AsRef<[u8]> for Held<B, R> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// Bytes that free their reservation when they are sent.
pub(super) fn held(bytes: impl AsRef<[u8]> + Send + 'static, reserved: impl Send + 'static) -> Bytes {
    Bytes::from_owner(Held { bytes, reserved })
}

/// Whether the client accepts compressed answers.
pub(super) struct AcceptsGzip(pub bool);

impl AcceptsGzip {
    fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let is_gzip = |coding: &str| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
            ["gzip", "*"].iter().any(|own| name.trim().eq_ignore_ascii_case(own)) && weight != Some(0.0)
        };
        Self(accepted.flat_map(|value| value.split(',')).any(is_gzip))
    }
}

impl<S: Sync> FromRequestParts<S> for AcceptsGzip {
    type Rejection = HttpProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpProblem> {
        Ok(Self::of(&parts.headers))
    }
}

/// Reserves the bytes of an answer of known length until they are sent, and compresses it if the client accepts that. Long answers do
/// both by themselves.
pub(super) async fn deliver(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let AcceptsGzip(is_accepted) = AcceptsGzip::of(request.headers());
    let response = next.run(request).await;
    let Some(length) = response.body().size_hint().exact().filter(|&length| length > 0) else { return response };
    let reserved = match service.transfers.reserve(length as usize) {
        Ok(reserved) => reserved,
        Err(problem) => return problem.into_response(),
    };
    let (mut head, body) = response.into_parts();
    // A body of known length is in memory.
    let Ok(mut bytes) = to_bytes(body, usize::MAX).await else { return HttpProblem::internal().into_response() };
    if length >= LEAST_COMPRESSED {
        head.headers.entry(header::VARY).or_insert(HeaderValue::from_name(header::ACCEPT_ENCODING));
        let plain = bytes.clone();
        // Without a place for it, the answer is sent as it is.
        if is_accepted
            && !head.headers.contains_key(header::CONTENT_ENCODING)
            && let Ok(coded) = service.questions.run(move || Gzip::default().encode(&plain, true)).await
        {
            head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            bytes = coded.into();
        }
    }
    Response::from_parts(head, Body::from(held(bytes, reserved)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_until_they_are_sent() {
        let transfers = Transfers::new(10);
        let bytes = held(vec![7; 6], transfers.reserve(6).unwrap());
        let part = bytes.slice(2..4);
        drop(bytes);
        assert_eq!(
            (transfers.reserved(), transfers.reserve(5).unwrap_err().status(), transfers.refused()),
            (6, 503, 1)
        );
        assert_eq!(&part[..], [7; 2]);
        drop(part);
        assert!(transfers.reserve(usize::MAX).is_err() && transfers.reserve(10).is_ok());
        assert_eq!(transfers.reserved(), 0);
    }

    #[test]
    fn who_accepts_gzip_says_so() {
        for (accepted, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0, br", false),
            ("br", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            assert_eq!(AcceptsGzip::of(&headers).0, expected, "{accepted:?}");
        }
        assert!(!AcceptsGzip::of(&HeaderMap::new()).0);
    }
}
