//! Posts JSON to a configured URL, such as that of an HTTP hook.
//!
//! Unlike pages requested by a model, the URL may be on this machine. Other private addresses are allowed only if
//! `anywhere` says that the user configured them explicitly. Redirects are not followed.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use super::{Web, WebConfig, address, fetch, gate::Gate};

/// Maximum size of a response in bytes.
const MAX_SIZE: usize = 1 << 20;

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// The status code.
    pub status: u16,
    /// Body as text.
    pub body: String,
}

/// Posts a JSON body and returns the response.
///
/// # Errors
/// An error message: the address is not allowed, the connection failed, or the response is too large or too late.
pub async fn post(
    config: WebConfig,
    url: &str,
    headers: &[(String, String)],
    body: String,
    limit: Duration,
    anywhere: bool,
) -> Result<Posted, String> {
    let url = fetch::parse(url)?;
    let headers = header_map(headers)?;
    let mut gate = Gate::public();
    gate.may_open = if anywhere { |_| true } else { here_or_public };
    let web = Web::behind(gate, config);
    let work = send(&web, url, headers, body);
    match tokio::time::timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => Err(format!("no answer within {} seconds", limit.as_secs_f64())),
    }
}

/// True for this machine and public addresses.
fn here_or_public(address: IpAddr) -> bool {
    address.to_canonical().is_loopback() || address::is_public(address)
}

async fn send(web: &Web, url: Url, headers: HeaderMap, body: String) -> Result<Posted, String> {
    web.gate.judge(&url).await.map_err(|closed| closed.to_string())?;
    let client = web.client(&url).map_err(|trouble| trouble.to_string())?;
    let request = client
        .post(url)
        .header(CONTENT_TYPE, "application/json")
        .headers(headers);
    let mut response = request.body(body).send().await.map_err(|error| chain(&error))?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| chain(&error))? {
        if body.len() + piece.len() > MAX_SIZE {
            return Err(format!("the answer is larger than {MAX_SIZE} bytes"));
        }
        body.extend_from_slice(&piece);
    }
    Ok(Posted {
        status,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Formats an error with its causes, without the URL, which may contain a secret.
pub(super) fn chain(error: &reqwest::Error) -> String {
    let mut text = "the connection failed".to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        // A line break in a value would start another header.
        let value: String = value.chars().filter(|letter| !letter.is_control()).collect();
        let key = HeaderName::try_from(name.as_str()).map_err(|_| format!("{name:?} is not a valid header name"))?;
        let value = HeaderValue::try_from(value).map_err(|_| format!("the header {name} cannot have that value"))?;
        map.insert(key, value);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_and_public_addresses_are_allowed() {
        for (address, open) in [
            ("127.0.0.1", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("93.184.216.34", true),
            ("169.254.169.254", false),
            ("10.0.0.1", false),
            ("192.168.1.1", false),
            ("::ffff:10.0.0.1", false),
            ("fd00::1", false),
        ] {
            assert_eq!(address.parse().map(here_or_public), Ok(open), "{address}");
        }
    }

    #[tokio::test]
    async fn a_private_address_is_refused_by_name() {
        let config = WebConfig::default();
        let refused = post(
            config,
            "http://10.1.2.3/x",
            &[],
            String::new(),
            Duration::from_secs(5),
            false,
        )
        .await;
        assert_eq!(
            refused,
            Err("10.1.2.3 is at 10.1.2.3, which is not a public address".to_owned())
        );
    }

    #[test]
    fn a_header_cannot_smuggle_another() {
        let headers = header_map(&[("X-Token".to_owned(), "a\r\nEvil: b".to_owned())]).unwrap_or_default();
        assert_eq!(
            headers.get("x-token").map(|value| value.as_bytes()),
            Some(b"aEvil: b".as_slice())
        );
        assert!(header_map(&[("bad name".to_owned(), String::new())]).is_err());
    }
}
