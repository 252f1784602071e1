//! A web page as text for a model.

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};
use reqwest::Url;

use super::clean;

/// A page as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its text; Markdown where it was HTML.
    pub(crate) text: String,
    /// How many bytes came.
    pub(crate) bytes: usize,
    /// The HTTP status.
    pub(crate) code: u16,
    /// The status in words.
    pub(crate) code_text: String,
}

/// The text of a body, or what it is instead.
pub(super) fn text(body: &[u8], kind: Option<&str>, url: &Url) -> Result<String, String> {
    let (essence, charset) = split(kind.unwrap_or_default());
    if !is_text(&essence, body) {
        let essence = if essence.is_empty() { "binary data" } else { &essence };
        return Err(essence.to_owned());
    }
    let text = decoded(body, &charset);
    let start = text.trim_start();
    let looks_like_html = ["<!doctype html", "<html"].iter().any(|mark| {
        start
            .get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
    });
    let html =
        matches!(essence.as_str(), "text/html" | "application/xhtml+xml") || (essence.is_empty() && looks_like_html);
    Ok(if html { markdown(&text, url) } else { text })
}

/// The media type in small letters, and its charset.
fn split(kind: &str) -> (String, String) {
    let mut parts = kind.split(';').map(|part| part.trim().to_ascii_lowercase());
    let essence = parts.next().unwrap_or_default();
    let charset = parts
        .find_map(|part| {
            let charset = part.strip_prefix("charset=")?;
            Some(charset.trim_matches('"').to_owned())
        })
        .unwrap_or_default();
    (essence, charset)
}

fn is_text(essence: &str, body: &[u8]) -> bool {
    let known = essence.starts_with("text/")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
        || essence.ends_with("+yaml")
        || matches!(
            essence,
            "application/json"
                | "application/ld+json"
                | "application/x-ndjson"
                | "application/xml"
                | "application/javascript"
                | "application/x-javascript"
                | "application/ecmascript"
                | "application/yaml"
                | "application/x-yaml"
                | "application/toml"
                | "application/x-sh"
                | "application/sql"
                | "application/rtf"
        );
    // who says nothing, or nothing of use, is believed by the look of the bytes; who lies is not
    let vague = matches!(essence, "" | "application/octet-stream" | "binary/octet-stream");
    let printable = !body.iter().take(8192).any(|byte| *byte == 0);
    (known && printable) || (vague && printable && std::str::from_utf8(body).is_ok())
}

fn decoded(body: &[u8], charset: &str) -> String {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match charset {
        "iso-8859-1" | "latin1" | "windows-1252" | "us-ascii" if std::str::from_utf8(body).is_err() => {
            body.iter().copied().map(char::from).collect()
        }
        _ => String::from_utf8_lossy(body).into_owned(),
    }
}

fn markdown(html: &str, url: &Url) -> String {
    let clean = clean::clean(html, url);
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let converter = HtmlToMarkdown::builder().options(options).build();
    // it reads from memory, so there is nothing to fail
    converter.convert(&clean).unwrap_or(clean)
}
