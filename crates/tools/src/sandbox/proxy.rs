//! Proxy of the sandbox and its only access to the network; checks and resolves host names.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};

use super::domains::{Domains, Host, canonical};
use crate::tool::Pending;

/// Resolves a host name.
pub type Lookup = Arc<dyn Fn(String) -> Pending<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Maximum size of a request head in bytes.
const MAX_HEAD: usize = 32 * 1024;
/// Timeout for the request of a client, and for a connection to a host.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Hop-by-hop headers, which are not forwarded.
const HOP_BY_HOP_HEADERS: &[&str] = &[
    "proxy-connection",
    "proxy-authorization",
    "connection",
    "keep-alive",
    "host",
];

/// A running proxy. Dropping it ends the proxy and its connections.
pub(super) struct Proxy {
    socket: PathBuf,
    task: JoinHandle<()>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("socket", &self.socket)
            .finish_non_exhaustive()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        std::fs::remove_file(&self.socket).ok();
    }
}

/// Returns the system resolver.
pub(super) fn system_lookup() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

impl Proxy {
    /// Starts the proxy on a Unix socket.
    pub(super) fn start(socket: PathBuf, domains: Domains, lookup: Lookup) -> io::Result<Self> {
        std::fs::remove_file(&socket).ok();
        let listener = UnixListener::bind(&socket)?;
        let judge = Arc::new(Judge { domains, lookup });
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                match listener.accept().await {
                    Ok((client, _)) => {
                        let judge = Arc::clone(&judge);
                        connections.spawn(async move { serve(client, &judge).await });
                    }
                    // most likely out of descriptors, which become free when other connections end
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { socket, task })
    }

    /// Returns the path of the socket.
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// True if the proxy is running.
    pub(super) fn is_alive(&self) -> bool {
        !self.task.is_finished() && self.socket.exists()
    }
}

struct Judge {
    domains: Domains,
    lookup: Lookup,
}

/// A request of a client.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    host: String,
    port: u16,
    /// Data to send first: the head of a plain request; `None` for a tunnel.
    head: Option<Vec<u8>>,
}

/// A refused request.
#[derive(Debug, PartialEq, Eq)]
struct Refused {
    status: &'static str,
    why: String,
}

impl Refused {
    fn new(status: &'static str, why: impl Into<String>) -> Self {
        Self {
            status,
            why: why.into(),
        }
    }
}

async fn serve(mut client: UnixStream, judge: &Judge) -> Option<()> {
    let (head, rest) = tokio::time::timeout(TIMEOUT, head_of(&mut client)).await.ok()??;
    let opened = match wanted(&head) {
        Some(wanted) => judge.open(&wanted).await.map(|host| (host, wanted)),
        None => Err(Refused::new(
            "400 Bad Request",
            "this proxy takes CONNECT and http:// requests only",
        )),
    };
    match opened {
        Err(Refused { status, why }) => {
            let body = format!("sandbox: {why}\n");
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            client.write_all(answer.as_bytes()).await.ok()?;
            client.shutdown().await.ok()
        }
        Ok((mut host, wanted)) => {
            match wanted.head {
                Some(head) => host.write_all(&head).await.ok()?,
                None => client
                    .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    .await
                    .ok()?,
            }
            host.write_all(&rest).await.ok()?;
            copy_bidirectional(&mut client, &mut host).await.ok().map(drop)
        }
    }
}

/// Reads the head of a request, and returns the bytes read after it separately.
async fn head_of(client: &mut UnixStream) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut read = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(at) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = read.split_off(at + 4);
            return Some((read, rest));
        }
        if read.len() > MAX_HEAD {
            return None;
        }
        let count = client.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        read.extend_from_slice(piece.get(..count)?);
    }
}

fn wanted(head: &[u8]) -> Option<Wanted> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    if method == "CONNECT" {
        let (host, port) = authority(target, None)?;
        return Some(Wanted { host, port, head: None });
    }
    let rest = target
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case("http://"))
        .and(target.get(7..))?;
    let (place, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let (host, port) = authority(place, Some(80))?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    // one request per connection, because the next may be for another host
    let mut head = format!("{method} {slash}{path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n");
    for line in lines {
        let (name, _) = line.split_once(':')?;
        if !HOP_BY_HOP_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            head.push_str(line);
            head.push_str("\r\n");
        }
    }
    head.push_str("\r\n");
    Some(Wanted {
        host,
        port,
        head: Some(head.into_bytes()),
    })
}

fn authority(text: &str, otherwise: Option<u16>) -> Option<(String, u16)> {
    // user info before the host can disguise it
    if text.contains('@') {
        return None;
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port.parse().ok()?)),
        _ => (text, otherwise),
    };
    Some((host.to_owned(), port.filter(|port| *port != 0)?))
}

impl Judge {
    async fn open(&self, wanted: &Wanted) -> Result<TcpStream, Refused> {
        let Wanted {
            host: written, port, ..
        } = wanted;
        let forbidden = |why: String| Err(Refused::new("403 Forbidden", why));
        let Some(host) = canonical(written) else {
            return forbidden(format!("{written:?} is no host name"));
        };
        if !self.domains.allows(&host) {
            return forbidden(format!("{written} is not among the allowed domains"));
        }
        let addresses = match &host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => match tokio::time::timeout(TIMEOUT, (self.lookup)(name.clone())).await {
                Ok(Ok(found)) if !found.is_empty() => found,
                _ => return Err(Refused::new("502 Bad Gateway", format!("{written} has no address"))),
            },
        };
        // a single forbidden address refuses the host: mixing them indicates an attack
        if let Some(address) = addresses.iter().find(|address| !self.domains.opens(&host, **address)) {
            return forbidden(format!("{written} is at {address}, which is not a public address"));
        }
        for address in addresses {
            let place = SocketAddr::new(address, *port);
            if let Ok(Ok(stream)) = tokio::time::timeout(TIMEOUT, TcpStream::connect(place)).await {
                return Ok(stream);
            }
        }
        Err(Refused::new(
            "502 Bad Gateway",
            format!("{written}:{port} does not answer"),
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn requests_are_read() {
        let tunnel = wanted(b"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!(
            (tunnel.host.as_str(), tunnel.port, tunnel.head),
            ("example.com", 443, None)
        );
        let plain =
            wanted(b"GET http://example.com?x HTTP/1.1\r\nHost: evil\r\nProxy-Connection: x\r\nA: b\r\n\r\n").unwrap();
        assert_eq!((plain.host.as_str(), plain.port), ("example.com", 80));
        assert_eq!(
            String::from_utf8(plain.head.unwrap()).unwrap(),
            "GET /?x HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\nA: b\r\n\r\n"
        );
        for odd in [
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT example.com HTTP/1.1\r\n\r\n",
            "CONNECT allowed.com@evil.com:443 HTTP/1.1\r\n\r\n",
            "GET https://example.com/ HTTP/1.1\r\n\r\n",
            "GET http://a b HTTP/1.1\r\n\r\n",
            "CONNECT example.com:0 HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(wanted(odd.as_bytes()), None, "{odd}");
        }
    }
}
