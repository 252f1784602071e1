//! The page: embedded files with their compressed forms.

use std::io::Read as _;

use axum::body::Body;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct PageFile {
    /// Absolute path: `/index.html`.
    pub path: &'static str,
    /// Hash of the content.
    pub hash: &'static str,
    /// Uncompressed content; `None` if only the compressed form is stored, which is decompressed for the few clients
    /// without compression.
    pub plain: Option<&'static [u8]>,
    pub br: Option<&'static [u8]>,
    pub gz: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// Id of the embedded page, which changes with any of its files. `None` if no page was built.
pub const BUILD: Option<&str> = EMBEDDED_BUILD;

/// Served if no page was built.
const NO_PAGE: &str = include_str!("page/missing.html");

/// Files to serve.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    files: &'static [PageFile],
}

impl Page {
    /// The embedded files.
    pub const EMBEDDED: Self = Self { files: EMBEDDED };

    /// Creates a page from other files, for tests.
    pub const fn of(files: &'static [PageFile]) -> Self {
        Self { files }
    }

    /// Returns exactly this file; no folders are searched and nothing is decoded.
    pub(crate) fn find(&self, path: &str) -> Option<&'static PageFile> {
        let path = if path == "/" { "/index.html" } else { path };
        self.files.iter().find(|file| file.path == path)
    }
}

pub(crate) fn missing() -> Response<Body> {
    let mut response = Response::new(Body::from(NO_PAGE));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub(crate) fn serve(file: &'static PageFile, request: &HeaderMap) -> Response<Body> {
    let (content, encoding) = choose(file, request);
    let etag = match encoding {
        Some(encoding) => format!("\"{}-{encoding}\"", file.hash),
        None => format!("\"{}\"", file.hash),
    };
    let known = request
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| {
            let mut tags = value.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
            tags.any(|tag| tag == etag || tag == "*")
        });
    let mut response = if known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(Body::from(content))
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(mime(file.path)));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    let cache = if is_hashed(file.path) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(ETAG, etag);
    }
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

fn choose(file: &'static PageFile, request: &HeaderMap) -> (Bytes, Option<&'static str>) {
    if let Some(br) = file.br.filter(|_| accepts(request, "br")) {
        return (Bytes::from_static(br), Some("br"));
    }
    if let Some(gz) = file.gz.filter(|_| accepts(request, "gzip")) {
        return (Bytes::from_static(gz), Some("gzip"));
    }
    let plain = file.plain.map(Bytes::from_static);
    (plain.unwrap_or_else(|| unpacked(file.gz.unwrap_or_default())), None)
}

fn unpacked(gz: &[u8]) -> Bytes {
    let mut plain = Vec::new();
    // The compressed form comes from the build, so decompression cannot fail.
    let _read = GzDecoder::new(gz).read_to_end(&mut plain);
    plain.into()
}

/// True if `Accept-Encoding` contains the encoding without `q=0`.
pub(crate) fn accepts(request: &HeaderMap, encoding: &str) -> bool {
    let values = request
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let refused = |part: &str| {
            let weight = part.strip_prefix("q=").or(part.strip_prefix("Q="));
            weight
                .and_then(|weight| weight.parse::<f32>().ok())
                .is_some_and(|weight| weight <= 0.0)
        };
        named && !parts.any(refused)
    })
}

/// The bundler puts a hash of the content into these names, so changed content has another name.
fn is_hashed(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/assets/") else {
        return false;
    };
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    stem.len() > 9 && stem.get(stem.len() - 9..).is_some_and(|end| end.starts_with('-'))
}

fn mime(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_used_when_it_is_named_and_not_refused() {
        let accept = |value: &str| HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::try_from(value).unwrap())]);
        assert!(accepts(&accept("gzip, deflate, br"), "br"));
        assert!(accepts(&accept("GZIP;q=0.5"), "gzip"));
        assert!(!accepts(&accept("gzip;q=0, br; q=0.0"), "gzip"));
        assert!(!accepts(&accept("gzip;q=0, br; q=0.0"), "br"));
        assert!(!accepts(&accept("brotli, xbr"), "br"));
        assert!(!accepts(&HeaderMap::new(), "br"));
    }

    #[test]
    fn only_names_with_a_hash_are_kept_for_ever() {
        // A base64url hash may contain or start with a dash.
        for hashed in [
            "/assets/index-B3x_9dQz.js",
            "/assets/theme-ab-cd_12.css",
            "/assets/x--1234567.js",
        ] {
            assert!(is_hashed(hashed), "{hashed}");
        }
        for plain in [
            "/index.html",
            "/sw.js",
            "/assets/logo.svg",
            "/assets/a-b.js",
            "/icon-B3x_9dQz.svg",
        ] {
            assert!(!is_hashed(plain), "{plain}");
        }
    }

    #[test]
    fn compressed_files_are_decompressed_for_clients_without_compression() {
        let no_encoding = HeaderMap::new();
        for file in EMBEDDED {
            let (content, encoding) = choose(file, &no_encoding);
            assert_eq!(encoding, None);
            assert!(!content.is_empty(), "{}", file.path);
            assert_ne!(content.as_ref(), file.gz.unwrap_or_default(), "{}", file.path);
        }
    }

    #[test]
    fn the_build_id_is_set_if_there_is_a_page() {
        assert_eq!(BUILD.is_some(), Page::EMBEDDED.find("/").is_some());
    }
}
