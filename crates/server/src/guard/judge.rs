//! Decides about a request: first the checks for all requests, then those of its route.

use std::net::{IpAddr, SocketAddr};

use http::header::{HOST, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderMap, Method};

use super::credential::{self, Credential};
use super::host::{Authority, HostRules};
use super::origin::{self, Navigation, Site};
use super::reason::Reason;

/// Properties of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) local: SocketAddr,
    pub(crate) peer: IpAddr,
    pub(crate) tls: bool,
    /// True for a Unix socket, which has no port.
    pub(crate) unix: bool,
}

/// A request that passed the checks of host and origin.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) host: Authority,
    pub(crate) secure: bool,
    /// Address of the client, also behind a proxy.
    pub(crate) address: IpAddr,
    own_origin: bool,
    site: Site,
    navigation: Navigation,
    pub(crate) credential: Option<Credential>,
}

/// Requirements of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// No authentication; links from other pages are allowed.
    Page,
    /// No authentication; requests from other pages are refused.
    Public,
    /// As `Public`, for a request that changes something.
    PublicChange,
    /// An authenticated device that only reads.
    Read,
    /// An authenticated device that changes something or opens a WebSocket.
    Change,
}

/// Performs the checks for all requests.
pub(crate) fn look(parts: &Parts, arrival: &Arrival, rules: &HostRules, behind_proxy: bool) -> Result<Seen, Reason> {
    let headers = &parts.headers;
    let secure = arrival.tls || (behind_proxy && forwarded_https(headers));
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none());
    let host = host.and_then(|value| value.to_str().ok()).and_then(Authority::read);
    let host = host.ok_or(Reason::HostMissing)?;
    let by_socket = arrival.unix && host.is_localhost();
    if !by_socket && !rules.allow(&host, arrival.local, secure) {
        return Err(Reason::Host);
    }
    // The host in `GET http://name/path` is checked like the header.
    if let Some(given) = parts.uri.authority() {
        let same = Authority::read(given.as_str()).is_some_and(|given| given.is_same(&host, secure));
        if !same {
            return Err(Reason::Host);
        }
    }
    // The length of a body must be declared, so that this server and a proxy agree on where a request ends.
    if headers.contains_key(TRANSFER_ENCODING) {
        return Err(Reason::Length);
    }
    let own_origin = origin::is_own(headers, &host, secure)?;
    let credential = credential::read(headers, secure)?;
    Ok(Seen {
        secure,
        address: if behind_proxy {
            forwarded_for(headers).unwrap_or(arrival.peer)
        } else {
            arrival.peer
        }
        .to_canonical(),
        own_origin,
        site: Site::read(headers),
        navigation: match parts.method {
            Method::GET => Navigation::read(headers),
            _ => Navigation::No,
        },
        credential,
        host,
    })
}

/// Performs the checks of a route. The credential itself is verified afterwards.
pub(crate) fn admit(seen: &Seen, need: Need) -> Result<(), Reason> {
    if seen.site == Site::Foreign && !(need == Need::Page && seen.navigation != Navigation::No) {
        return Err(Reason::Site);
    }
    let from_browser = match (need, &seen.credential) {
        (Need::Page | Need::Public, _) => return Ok(()),
        // The code in the body is the credential, like a token; requests from our page include the origin.
        (Need::PublicChange, _) if seen.site == Site::Unsaid => return Ok(()),
        (Need::PublicChange, _) => true,
        (_, None) => return Err(Reason::Unauthenticated),
        (_, Some(Credential::Bearer(_))) => false,
        (_, Some(Credential::Cookies(_))) => true,
    };
    if !from_browser {
        return Ok(());
    }
    match need {
        Need::Read if seen.own_origin => Ok(()),
        // Browsers send no Origin header with mere reads by our page; `Sec-Fetch-Site` identifies it instead.
        Need::Read if seen.site == Site::SameOrigin => Ok(()),
        Need::Read if seen.site == Site::Person && seen.navigation == Navigation::Yes => Ok(()),
        _ if !seen.own_origin => Err(Reason::OriginMissing),
        _ if seen.site == Site::Person => Err(Reason::Site),
        _ => Ok(()),
    }
}

/// Returns the value added by the last proxy; earlier values may be forged.
fn last_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let last = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next().map(str::trim)
}

fn forwarded_https(headers: &HeaderMap) -> bool {
    last_of(headers, "x-forwarded-proto").is_some_and(|proto| proto.eq_ignore_ascii_case("https"))
}

fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    last_of(headers, "x-forwarded-for")?.parse().ok()
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
