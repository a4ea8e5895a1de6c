//! The body of a request: text of a bounded size.

use std::sync::Arc;

use axum::body::BodyDataStream;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use tokio_stream::StreamExt;

use super::Service;
use super::problem::HttpProblem;
use super::transfer::Reserved;

/// The server reads and discards up to this many times the body limit. Many clients read the answer only after they sent
/// everything, and report a closed connection as a failure.
const THROWN_AWAY: usize = 64;

/// The bytes of a body, up to the server's limit, and their reservation.
pub(super) struct TextBody(pub Vec<u8>, pub Reserved);

impl FromRequest<Arc<Service>> for TextBody {
    type Rejection = HttpProblem;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, HttpProblem> {
        let (head, body) = request.into_parts();
        let most = service.limits.body_bytes;
        let mut pieces = body.into_data_stream();
        if is_encoded(&head.headers) {
            return Err(HttpProblem::encoded_body());
        }
        if let Some(length) = length(&head.headers).filter(|&length| length > most as u64) {
            // Clients that wait for `100 Continue` (curl) get this answer instead.
            if length <= most.saturating_mul(THROWN_AWAY) as u64 && !head.headers.contains_key(header::EXPECT) {
                throw_away(&mut pieces, most).await;
            }
            return Err(HttpProblem::body_is_too_large(most));
        }
        let (mut bytes, mut reserved) = (Vec::new(), service.transfers.reserve(0)?);
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|reason| HttpProblem::of_body(&reason))?;
            if bytes.len() + piece.len() > most {
                throw_away(&mut pieces, most).await;
                return Err(HttpProblem::body_is_too_large(most));
            }
            reserved.merge(service.transfers.reserve(piece.len())?);
            bytes.extend_from_slice(&piece);
        }
        Ok(Self(bytes, reserved))
    }
}

/// Reads and discards the rest of the body, if it ends soon.
async fn throw_away(pieces: &mut BodyDataStream, most: usize) {
    let mut left = most.saturating_mul(THROWN_AWAY);
    while let Some(Ok(piece)) = pieces.next().await
        && piece.len() <= left
    {
        left -= piece.len();
    }
}

/// The length in the header.
fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether the body is compressed.
fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}
