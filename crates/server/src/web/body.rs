//! Request bodies: content type, size and time are limited.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use crate::guard::Reason;
use crate::limits::Limits;

/// Returns the media type without parameters in lower case; `None` if the body is compressed or the header is repeated.
pub(super) fn content_type(headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    let kind = value.to_str().ok()?.split(';').next()?.trim().to_ascii_lowercase();
    (!headers.contains_key(CONTENT_ENCODING)).then_some(kind)
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    content_type(headers).is_some_and(|kind| kind == "application/json")
}

/// # Errors
/// The length is missing or exceeds `most`, or the body stalls.
pub(super) async fn read(headers: &HeaderMap, mut body: Body, most: usize, limits: &Limits) -> Result<Bytes, Reason> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length: usize = length.and_then(|text| text.parse().ok()).ok_or(Reason::Length)?;
    if length > most {
        return Err(Reason::TooLarge);
    }
    let start = Instant::now();
    let seconds = length as f64 / limits.body_rate.max(1) as f64;
    let whole = start + limits.body_stall + std::time::Duration::from_secs_f64(seconds);
    let mut content = BytesMut::new();
    loop {
        let next = (Instant::now() + limits.body_stall).min(whole);
        let frame = match timeout_at(next, body.frame()).await {
            Err(_) => return Err(Reason::TooSlow),
            Ok(None) => return Ok(content.freeze()),
            Ok(Some(Err(_))) => return Err(Reason::Length),
            Ok(Some(Ok(frame))) => frame,
        };
        if let Ok(data) = frame.into_data() {
            if content.len() + data.len() > most {
                return Err(Reason::TooLarge);
            }
            content.extend_from_slice(&data);
        }
    }
}
