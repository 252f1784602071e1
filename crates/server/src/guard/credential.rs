//! Credentials of a request: read from two headers, never from the URL.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};

use super::reason::Reason;

/// A secret from a request. It must not be shown or logged.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    /// All cookies with our name: a page on another port of this machine can set another one.
    Cookies(Vec<String>),
    Bearer(String),
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Cookies(_) => "Cookies",
            Self::Bearer(_) => "Bearer",
        })
    }
}

const MAX_COOKIES: usize = 4;

/// Under TLS the prefix makes browsers ensure that no other host, port or path can set the cookie.
fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-sluice" } else { "sluice" }
}

pub(super) fn read(headers: &HeaderMap, secure: bool) -> Result<Option<Credential>, Reason> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    if let Some(value) = given.next() {
        let text = value
            .to_str()
            .ok()
            .filter(|_| given.next().is_none())
            .unwrap_or_default();
        let (scheme, token) = text.split_once(' ').unwrap_or_default();
        if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
            return Err(Reason::Authorization);
        }
        return Ok(Some(Credential::Bearer(token.to_owned())));
    }
    let name = cookie_name(secure);
    let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let cookies: Vec<String> = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(given, _)| *given == name)
        .map(|(_, value)| value.to_owned())
        .take(MAX_COOKIES)
        .collect();
    Ok((!cookies.is_empty()).then_some(Credential::Cookies(cookies)))
}

/// 400 days, the maximum of browsers. The expiry of devices is decided by the server.
const MAX_AGE: u32 = 400 * 24 * 3600;

pub(crate) fn set_cookie(secret: &str, secure: bool) -> String {
    let name = cookie_name(secure);
    let suffix = if secure { "; Secure" } else { "" };
    format!("{name}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={MAX_AGE}{suffix}")
}

pub(crate) fn clear_cookie(secure: bool) -> String {
    let name = cookie_name(secure);
    let suffix = if secure { "; Secure" } else { "" };
    format!("{name}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_secret_comes_from_its_header_alone() {
        let cookies = |values: &[&str]| {
            Ok(Some(Credential::Cookies(
                values.iter().map(|v| (*v).to_owned()).collect(),
            )))
        };
        let given = headers(&[("cookie", "a=b; sluice=one;sluice=two; Sluice=no; xsluice=no")]);
        assert_eq!(read(&given, false), cookies(&["one", "two"]));
        assert_eq!(read(&given, true), Ok(None), "under TLS another name");
        let given = headers(&[("cookie", "__Host-sluice=one")]);
        assert_eq!(read(&given, true), cookies(&["one"]));
        let given = headers(&[("authorization", "bearer abc"), ("cookie", "sluice=one")]);
        assert_eq!(read(&given, false), Ok(Some(Credential::Bearer("abc".into()))));
        for bad in ["Basic abc", "Bearer", "Bearer ", "abc"] {
            assert_eq!(
                read(&headers(&[("authorization", bad)]), false),
                Err(Reason::Authorization)
            );
        }
        let two = headers(&[("authorization", "Bearer a"), ("authorization", "Bearer b")]);
        assert_eq!(read(&two, false), Err(Reason::Authorization));
    }

    #[test]
    fn a_cookie_is_kept_from_scripts_and_other_sites() {
        assert_eq!(
            set_cookie("x", false),
            "sluice=x; HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000"
        );
        assert_eq!(
            set_cookie("x", true),
            "__Host-sluice=x; HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000; Secure"
        );
    }
}
