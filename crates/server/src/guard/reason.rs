//! Reasons for which a request is refused.

use http::StatusCode;

/// Each reason is counted by its name in the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    /// `Host` is missing, repeated or malformed.
    HostMissing,
    /// Unknown host name.
    Host,
    /// Request from another page.
    Origin,
    /// A browser request with a cookie but without an origin.
    OriginMissing,
    /// Marked by the browser as coming from another page.
    Site,
    /// `Authorization` is not a bearer token.
    Authorization,
    /// No credential.
    Unauthenticated,
    /// Unknown credential.
    Unknown,
    Expired,
    Scope,
    Method,
    /// Unsupported content type.
    ContentType,
    /// The length of the body is not declared.
    Length,
    TooLarge,
    TooSlow,
    /// Too many connections or WebSockets.
    Crowded,
}

impl Reason {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::HostMissing => StatusCode::BAD_REQUEST,
            Self::Host | Self::Origin | Self::OriginMissing | Self::Site | Self::Scope => StatusCode::FORBIDDEN,
            Self::Authorization | Self::Unauthenticated | Self::Unknown | Self::Expired => StatusCode::UNAUTHORIZED,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Length => StatusCode::LENGTH_REQUIRED,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Crowded => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::HostMissing => "host_missing",
            Self::Host => "host",
            Self::Origin => "origin",
            Self::OriginMissing => "origin_missing",
            Self::Site => "site",
            Self::Authorization => "authorization",
            Self::Unauthenticated => "unauthenticated",
            Self::Unknown => "unknown_device",
            Self::Expired => "expired",
            Self::Scope => "scope",
            Self::Method => "method",
            Self::ContentType => "content_type",
            Self::Length => "length",
            Self::TooLarge => "too_large",
            Self::TooSlow => "too_slow",
            Self::Crowded => "crowded",
        }
    }

    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::HostMissing => "the request needs one Host header",
            Self::Host => "this host name is not one of the bridge's",
            Self::Origin => "the request comes from another page",
            Self::OriginMissing => "a cookie needs an Origin header",
            Self::Site => "the request was sent by another site",
            Self::Authorization => "Authorization takes `Bearer TOKEN`",
            Self::Unauthenticated => "this device has to be paired first",
            Self::Unknown => "this device is not known here, or was revoked",
            Self::Expired => "this device was away for too long",
            Self::Scope => "this device may not do that",
            Self::Method => "this address does not take that method",
            Self::ContentType => "this address does not take that kind of content",
            Self::Length => "the body needs a Content-Length",
            Self::TooLarge => "the body is too large",
            Self::TooSlow => "the request body arrived too slowly",
            Self::Crowded => "too many connections are open",
        }
    }

    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            Self::Host => Some("open the address the terminal printed, or start with --host NAME"),
            Self::Origin => Some(
                "open the address the terminal printed; a proxy in front has to pass on Host and X-Forwarded-Proto",
            ),
            Self::OriginMissing => Some("programs use a token: `sluice serve token NAME`"),
            Self::Unauthenticated | Self::Unknown | Self::Expired => {
                Some("`sluice serve pair` makes a code for a browser, `sluice serve token NAME` a token for a program")
            }
            Self::Scope => Some("pair it again with a larger --scope"),
            Self::ContentType => Some("application/json; for an upload image/png, image/jpeg, image/gif or image/webp"),
            Self::Crowded => Some("try again in a moment"),
            _ => None,
        }
    }
}
