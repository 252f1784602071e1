//! Fetches one page: limits size and time, checks redirects and follows them only within the host.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Response, StatusCode, Url};

use super::Web;
use super::gate::Closed;
use super::page::{self, Page};

/// Maximum size of a page after decompression.
const MAX_SIZE: usize = 10 << 20;
/// Timeout for everything together.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of redirects.
const MAX_REDIRECTS: usize = 10;
/// Preferred media types.
const ACCEPTED_TYPES: &str = "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5";

/// Result of a fetch.
#[derive(Debug)]
pub(crate) enum Fetched {
    /// The page.
    Page(Arc<Page>),
    /// A redirect to another host, which needs separate permission.
    Moved(Box<Moved>),
}

/// A redirect to another host.
#[derive(Debug)]
pub(crate) struct Moved {
    pub(crate) from: Url,
    pub(crate) to: Url,
    pub(crate) code: u16,
    pub(crate) code_text: String,
    pub(crate) bytes: usize,
}

/// Why a page could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error(transparent)]
    Closed(#[from] Closed),
    #[error("{0} sends us somewhere that is no web address: {1}")]
    BadRedirect(Url, String),
    #[error("The page sends us on more than {MAX_REDIRECTS} times")]
    TooManyHops,
    #[error("Request failed with status code {code} ({text})")]
    Status { code: u16, text: String },
    #[error("The page is larger than {} MB", MAX_SIZE >> 20)]
    TooLarge,
    #[error("The page took longer than {} seconds", TIMEOUT.as_secs())]
    TooSlow,
    #[error("This is {0}, not text")]
    Binary(String),
    #[error("{0}")]
    Connection(String),
    #[error("The web cannot be reached from here: {0}")]
    Client(String),
}

/// Parses a URL written by a model, or returns what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("Invalid URL \"{text}\": {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "Invalid URL \"{text}\": only http and https pages can be fetched"
        ));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(format!("Invalid URL \"{text}\": it names no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("Invalid URL: a user name or password in an address is not sent anywhere".to_owned());
    }
    Ok(url)
}

pub(super) async fn fetch(web: &Web, url: Url) -> Result<Fetched, Trouble> {
    tokio::time::timeout(TIMEOUT, follow(web, url))
        .await
        .unwrap_or(Err(Trouble::TooSlow))
}

async fn follow(web: &Web, url: Url) -> Result<Fetched, Trouble> {
    let mut url = secured(url);
    for _ in 0..=MAX_REDIRECTS {
        web.gate.judge(&url).await?;
        let request = web.client(&url)?.get(url.clone()).header(ACCEPT, ACCEPTED_TYPES);
        let response = request.send().await.map_err(|error| explained(&error))?;
        let status = response.status();
        if let Some(to) = target(&url, &response)? {
            let to = secured(to);
            if !same_host(&url, &to) {
                return Ok(Fetched::Moved(Box::new(Moved {
                    code: status.as_u16(),
                    code_text: reason(status),
                    bytes: body(response).await.map_or(0, |body| body.len()),
                    from: url,
                    to,
                })));
            }
            url = to;
            continue;
        }
        if !status.is_success() {
            return Err(Trouble::Status {
                code: status.as_u16(),
                text: reason(status),
            });
        }
        return page(url, response).await;
    }
    Err(Trouble::TooManyHops)
}

/// Returns the target of a redirect.
fn target(url: &Url, response: &Response) -> Result<Option<Url>, Trouble> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(LOCATION) else {
        return Ok(None);
    };
    let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
    let to = url
        .join(&location)
        .ok()
        .and_then(|to| parse(to.as_str()).ok())
        .ok_or_else(|| Trouble::BadRedirect(url.clone(), location))?;
    Ok(Some(to))
}

/// Upgrades http to https, unless a port is given or the host is local.
pub(super) fn secured(mut url: Url) -> Url {
    if url.scheme() == "http" && url.port().is_none() && !is_local(&url) {
        // cannot fail between these two schemes
        url.set_scheme("https").ok();
    }
    url.set_fragment(None);
    url
}

/// True if a URL points to this machine.
pub(super) fn is_local(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost"
            || bare.ends_with(".localhost")
            || bare
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    })
}

/// True for the same host and port; the default ports of http and https count as equal.
fn same_host(a: &Url, b: &Url) -> bool {
    a.host() == b.host() && a.port() == b.port()
}

async fn page(url: Url, response: Response) -> Result<Fetched, Trouble> {
    let status = response.status();
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
    let body = body(response).await?;
    let bytes = body.len();
    // large pages take a while, and the parser's tree is not `Send`
    let text = tokio::task::spawn_blocking(move || page::text(&body, kind.as_deref(), &url))
        .await
        .map_err(|error| Trouble::Connection(error.to_string()))?
        .map_err(Trouble::Binary)?;
    Ok(Fetched::Page(Arc::new(Page {
        text,
        bytes,
        code: status.as_u16(),
        code_text: reason(status),
    })))
}

/// Reads the decompressed body up to the size limit.
async fn body(mut response: Response) -> Result<Vec<u8>, Trouble> {
    if response.content_length().is_some_and(|length| length > MAX_SIZE as u64) {
        return Err(Trouble::TooLarge);
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| explained(&error))? {
        if body.len() + piece.len() > MAX_SIZE {
            return Err(Trouble::TooLarge);
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

fn reason(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or_default().to_owned()
}

/// Converts an error by its innermost cause; a refused address is reported as such.
fn explained(error: &reqwest::Error) -> Trouble {
    let mut cause: &dyn Error = error;
    loop {
        if let Some(closed) = cause.downcast_ref::<Closed>() {
            return Trouble::Closed(closed.clone());
        }
        match cause.source() {
            Some(deeper) => cause = deeper,
            None => return Trouble::Connection(format!("The page could not be fetched: {cause}")),
        }
    }
}
