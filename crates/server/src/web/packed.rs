//! Compressed responses.

use std::io::Write;

use axum::body::Body;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::{self, StreamExt};

/// True if compression is worthwhile; images are compressed already.
pub(super) fn is_text(mime: &str) -> bool {
    let kind = mime.split(';').next().unwrap_or_default().trim();
    kind.starts_with("text/")
        || matches!(
            kind,
            "application/json" | "application/x-ndjson" | "application/jsonl" | "image/svg+xml"
        )
}

/// Compresses a body with gzip while streaming.
pub(super) fn gzip(body: Body) -> Body {
    let pieces = body.into_data_stream();
    let packer = GzEncoder::new(Vec::new(), Compression::fast());
    let packed = stream::unfold(Some((pieces, packer)), |state| async move {
        let (mut pieces, mut packer) = state?;
        loop {
            let written = match pieces.next().await {
                Some(Ok(piece)) => packer.write_all(&piece),
                Some(Err(error)) => return Some((Err(std::io::Error::other(error)), None)),
                None => return Some((packer.finish().map(Bytes::from), None)),
            };
            if let Err(error) = written {
                return Some((Err(error), None));
            }
            if !packer.get_ref().is_empty() {
                let ready = std::mem::take(packer.get_mut());
                return Some((Ok(Bytes::from(ready)), Some((pieces, packer))));
            }
        }
    });
    Body::from_stream(packed)
}
