//! Downloads a file from a URL given by the user: with https, or from this machine.
//!
//! The given host may have any address. Redirects are checked like those of pages: public addresses only, and never
//! from https to http.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::LOCATION;

use super::gate::Gate;
use super::post::chain;
use super::{Web, WebConfig, fetch};

/// Maximum number of redirects.
const MAX_REDIRECTS: usize = 5;

/// Downloads a file of up to `largest` bytes within `limit`.
///
/// # Errors
/// An error message: the address is not allowed, the connection failed, or the response is not a file, too large or too
/// late.
pub async fn download(config: WebConfig, url: &str, largest: usize, limit: Duration) -> Result<Vec<u8>, String> {
    match tokio::time::timeout(limit, follow(config, url, largest)).await {
        Ok(done) => done,
        Err(_) => Err(format!("no answer within {} seconds", limit.as_secs_f64())),
    }
}

async fn follow(mut config: WebConfig, url: &str, largest: usize) -> Result<Vec<u8>, String> {
    let named = fetch::parse(url)?;
    if !(named.scheme() == "https" || fetch::is_local(&named)) {
        return Err("only https addresses are fetched, and http on this machine".to_owned());
    }
    if fetch::is_local(&named) {
        // A proxy would connect to itself instead of this machine.
        config.proxy = None;
    }
    let mut anywhere = Gate::public();
    anywhere.may_open = match fetch::is_local(&named) {
        true => |address| address.to_canonical().is_loopback(),
        false => |_| true,
    };
    let first = Web::behind(anywhere, config.clone());
    let others = Web::new(config);
    let mut at = named.clone();
    for _ in 0..=MAX_REDIRECTS {
        let web = if at.host() == named.host() { &first } else { &others };
        web.gate.judge(&at).await.map_err(|closed| closed.to_string())?;
        let client = web.client(&at).map_err(|trouble| trouble.to_string())?;
        let mut response = client.get(at.clone()).send().await.map_err(|error| chain(&error))?;
        if let Some(to) = sent_on(&at, &response)? {
            at = to;
            continue;
        }
        let status = response.status();
        if !status.is_success() {
            let host = at.host_str().unwrap_or_default();
            return Err(format!("HTTP {status} from {host}"));
        }
        let too_large = || format!("it is larger than {} MiB", largest >> 20);
        if response.content_length().is_some_and(|length| length > largest as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| chain(&error))? {
            if body.len() + piece.len() > largest {
                return Err(too_large());
            }
            body.extend_from_slice(&piece);
        }
        return Ok(body);
    }
    Err(format!("it was sent on more than {MAX_REDIRECTS} times"))
}

/// Returns the target of a redirect, which must not be less secure.
fn sent_on(at: &Url, response: &reqwest::Response) -> Result<Option<Url>, String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response
        .headers()
        .get(LOCATION)
        .map(|to| String::from_utf8_lossy(to.as_bytes()));
    let to = location.and_then(|to| fetch::parse(at.join(&to).ok()?.as_str()).ok());
    let to = to.ok_or("it is sent on to no address")?;
    let safe = to.scheme() == "https" || (fetch::is_local(at) && fetch::is_local(&to));
    match safe {
        true => Ok(Some(to)),
        false => Err(format!(
            "it is sent on to {}, which is not https",
            to.host_str().unwrap_or_default()
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Starts a server that answers each request with the next of these responses.
    async fn serve(answers: Vec<String>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/x.zip", listener.local_addr().unwrap());
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut asked = [0; 4096];
                let _read = stream.read(&mut asked).await.unwrap();
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        url
    }

    fn body(text: &str) -> String {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
            text.len()
        )
    }

    fn to(place: &str) -> String {
        format!("HTTP/1.1 302 Found\r\nlocation: {place}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    }

    async fn get(url: &str) -> Result<Vec<u8>, String> {
        download(WebConfig::default(), url, 8, Duration::from_secs(20)).await
    }

    #[tokio::test]
    async fn a_file_is_fetched_and_followed_on_this_machine() {
        let url = serve(vec![to("/elsewhere"), body("12345678")]).await;
        assert_eq!(get(&url).await, Ok(b"12345678".to_vec()));
    }

    #[tokio::test]
    async fn large_missing_or_insecurely_redirected_files_are_refused() {
        let endless = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n123456789".to_owned();
        for (answers, why) in [
            (vec![body("123456789")], "it is larger than 0 MiB"),
            (vec![endless], "it is larger than 0 MiB"),
            (
                vec!["HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()],
                "HTTP 404 Not Found from 127.0.0.1",
            ),
            (
                vec![to("http://example.com/x")],
                "it is sent on to example.com, which is not https",
            ),
            (
                vec![to("https://10.0.0.1/x")],
                "10.0.0.1 is at 10.0.0.1, which is not a public address",
            ),
            (vec![to("file:///etc/passwd")], "it is sent on to no address"),
            (vec![to("/again"); 6], "it was sent on more than 5 times"),
        ] {
            let url = serve(answers).await;
            assert_eq!(get(&url).await, Err(why.to_owned()));
        }
    }

    #[tokio::test]
    async fn an_address_elsewhere_must_be_https_and_hold_no_password() {
        let only = "only https addresses are fetched, and http on this machine";
        assert_eq!(get("http://example.com/x.zip").await, Err(only.to_owned()));
        assert_eq!(get("http://192.168.1.1/x.zip").await, Err(only.to_owned()));
        assert!(
            get("https://u:secret@example.com/")
                .await
                .is_err_and(|why| !why.contains("secret"))
        );
        assert!(get("ftp://example.com/").await.is_err());
    }

    #[tokio::test]
    async fn a_download_times_out() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let late = download(WebConfig::default(), &url, 8, Duration::from_millis(50)).await;
        assert_eq!(late, Err("no answer within 0.05 seconds".to_owned()));
    }
}
