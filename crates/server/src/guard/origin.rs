//! `Origin` and `Sec-Fetch-Site`: the page from which a request came, as reported by browsers.

use http::HeaderMap;
use http::header::ORIGIN;

use super::host::Authority;
use super::reason::Reason;

/// Value of `Sec-Fetch-Site`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Site {
    /// Missing: an old browser or another program.
    Unsaid,
    SameOrigin,
    /// Typed address or bookmark.
    Person,
    /// Another page, of the same site (another port of this machine) or of another site.
    Foreign,
}

impl Site {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all("sec-fetch-site").iter();
        let first = values.next().map(http::HeaderValue::as_bytes);
        match first {
            _ if values.next().is_some() => Self::Foreign,
            None => Self::Unsaid,
            Some(b"same-origin") => Self::SameOrigin,
            Some(b"none") => Self::Person,
            Some(_) => Self::Foreign,
        }
    }
}

/// Whether the browser navigates to the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Navigation {
    /// No navigation, or in a frame.
    No,
    Yes,
    /// By our service worker on behalf of a navigation (observed in Chromium 148).
    ByWorker,
}

impl Navigation {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let value = |name| headers.get(name).map(http::HeaderValue::as_bytes);
        match (value("sec-fetch-mode"), value("sec-fetch-dest")) {
            (Some(b"navigate"), Some(b"document")) => Self::Yes,
            // Scripts of a page cannot send this combination.
            (Some(b"navigate"), Some(b"empty")) => Self::ByWorker,
            _ => Self::No,
        }
    }
}

/// Returns true if the origin is ours and false if it is missing.
pub(super) fn is_own(headers: &HeaderMap, own: &Authority, secure: bool) -> Result<bool, Reason> {
    let mut values = headers.get_all(ORIGIN).iter();
    let Some(given) = values.next() else {
        return Ok(false);
    };
    let scheme = if secure { "https://" } else { "http://" };
    let given = given
        .to_str()
        .ok()
        .and_then(|text| text.strip_prefix(scheme))
        .and_then(Authority::read);
    let same = given.is_some_and(|given| given.is_same(own, secure)) && values.next().is_none();
    if same { Ok(true) } else { Err(Reason::Origin) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(values: &[&str], own: &str, secure: bool) -> Result<bool, Reason> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ORIGIN, value.parse().unwrap());
        }
        is_own(&headers, &Authority::read(own).unwrap(), secure)
    }

    #[test]
    fn an_origin_is_ours_when_scheme_name_and_port_are() {
        let own = "127.0.0.1:4747";
        assert_eq!(origin(&[], own, false), Ok(false));
        assert_eq!(origin(&["http://127.0.0.1:4747"], own, false), Ok(true));
        assert_eq!(origin(&["http://box"], "box:80", false), Ok(true));
        assert_eq!(origin(&["https://box"], "box", true), Ok(true));
        let foreign = [
            "null",
            "",
            "https://127.0.0.1:4747",
            "http://127.0.0.1:4748",
            "http://127.0.0.1",
            "http://localhost:4747",
            "http://127.0.0.1:4747.evil.test",
            "http://evil.test",
            "http://127.0.0.1:4747/",
            "http://127.0.0.1:4747 http://evil.test",
            "HTTP://127.0.0.1:4747x",
            "file://",
            "chrome-extension://abc",
        ];
        for foreign in foreign {
            assert_eq!(origin(&[foreign], own, false), Err(Reason::Origin), "{foreign}");
        }
        assert_eq!(
            origin(&["http://127.0.0.1:4747", "http://evil.test"], own, false),
            Err(Reason::Origin),
            "two of them"
        );
    }
}
