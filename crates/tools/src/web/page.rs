//! Converts a web page to text for the model.

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};
use reqwest::Url;

use super::clean;

/// A page as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Text; Markdown if the page was HTML.
    pub(crate) text: String,
    /// Size of the response in bytes.
    pub(crate) bytes: usize,
    /// The HTTP status.
    pub(crate) code: u16,
    /// Reason phrase of the status.
    pub(crate) code_text: String,
}

/// Returns the text of a body, or an error that names its type.
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

/// Splits a content type into media type in lower case and charset.
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
    // a missing or generic type is guessed from the bytes; a wrong one is not corrected
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
    // cannot fail when reading from memory
    converter.convert(&clean).unwrap_or(clean)
}
