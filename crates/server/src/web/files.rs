//! Serves exports and blobs. Both contain content from agents and users, so neither may act as our page.

use axum::body::Body;
use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use tokio_util::io::ReaderStream;

use super::answer::{SANDBOX_CSP, problem};
use super::packed;
use crate::backend::{BlobFile, Content, Exported};
use crate::page::accepts;

/// Image types that are displayed inline; other types are downloaded.
pub(super) const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

pub(super) fn export(exported: Exported, request: &HeaderMap) -> Response<Body> {
    let mut response = content(exported.body, &exported.mime, None, request);
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, attachment(&exported.file_name));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub(super) async fn blob(hash: &str, file: BlobFile, request: &HeaderMap) -> Response<Body> {
    let etag = format!("\"{hash}\"");
    let known = request
        .get(IF_NONE_MATCH)
        .is_some_and(|value| value.as_bytes() == etag.as_bytes());
    let mut response = if known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let body = match file.content {
            Content::Bytes(bytes) => Body::from(bytes),
            Content::File(path) => match tokio::fs::File::open(&path).await {
                Ok(file) => Body::from_stream(ReaderStream::with_capacity(file, 64 * 1024)),
                Err(error) => {
                    tracing::error!(%error, "a heavy body cannot be read");
                    return problem(StatusCode::NOT_FOUND, "not_found", "its content is gone", None);
                }
            },
        };
        content(body, &file.mime, Some(file.len), request)
    };
    let headers = response.headers_mut();
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=31536000, immutable"),
    );
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(ETAG, etag);
    }
    if !IMAGES.contains(&file.mime.as_str()) {
        let name = hash.get(..16).unwrap_or(hash);
        headers.insert(CONTENT_DISPOSITION, attachment(name));
    }
    response
}

fn content(body: Body, mime: &str, len: Option<u64>, request: &HeaderMap) -> Response<Body> {
    let pack = packed::is_text(mime) && len.is_none_or(|len| len > 1024) && accepts(request, "gzip");
    let mut response = Response::new(if pack { packed::gzip(body) } else { body });
    let headers = response.headers_mut();
    let mime = HeaderValue::try_from(mime).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    headers.insert(CONTENT_TYPE, mime);
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX_CSP));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if pack {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    } else if let Some(len) = len {
        headers.insert(CONTENT_LENGTH, len.into());
    }
    response
}

/// Builds the header with the file name: in UTF-8, and in ASCII for old browsers.
fn attachment(name: &str) -> HeaderValue {
    use std::fmt::Write;
    let safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let plain: String = name
        .chars()
        .map(|letter| if safe(letter) { letter } else { '_' })
        .take(100)
        .collect();
    let mut whole = String::new();
    for byte in name
        .chars()
        .filter(|letter| !letter.is_control())
        .take(100)
        .collect::<String>()
        .bytes()
    {
        if safe(char::from(byte)) {
            whole.push(char::from(byte));
        } else {
            // Cannot fail when writing to a string.
            write!(whole, "%{byte:02X}").ok();
        }
    }
    let text = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_file_name_is_saved_whole_and_breaks_nothing() {
        assert_eq!(
            attachment("größe \"x\".md"),
            "attachment; filename=\"gr__e__x_.md\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%22x%22.md"
        );
    }

    proptest! {
        #[test]
        fn no_name_gets_out_of_its_header(name in "\\PC{0,60}|[\\x00-\\x7f]{0,60}") {
            let header = attachment(&name);
            let text = header.to_str().unwrap();
            prop_assert!(text.starts_with("attachment; filename=\""));
            prop_assert_eq!(text.matches('"').count(), 2);
            prop_assert_eq!(text.matches(';').count(), 2);
        }
    }
}
