//! Responses and their common headers.

use axum::body::Body;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use crate::backend::Refusal;
use crate::guard::Reason;

/// No inline code and no external resources. The page has one Trusted Types policy, `sluice-worker`, for the URL of its
/// service worker.
pub(super) const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sluice-worker";

/// For content created by agents and users: displayed in isolation, without scripts.
pub(super) const SANDBOX_CSP: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PERMISSIONS: &str = "accelerometer=(), autoplay=(self), camera=(), display-capture=(), \
    encrypted-media=(), fullscreen=(self), geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), \
    magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(self), \
    serial=(), usb=(), xr-spatial-tracking=()";

/// Adds the common headers; headers set by the route are kept. `hsts`: over TLS, for a name other than `localhost`,
/// where it would affect all other servers on this machine.
pub(super) fn finish(response: &mut Response<Body>, hsts: bool) {
    let headers = response.headers_mut();
    // Headers about document features do not apply to scripts and styles.
    let part = |kind: &HeaderValue| {
        ["text/javascript", "text/css"]
            .iter()
            .any(|it| kind.as_bytes().starts_with(it.as_bytes()))
    };
    let is_part = headers.get(CONTENT_TYPE).is_some_and(part);
    let mut put = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    put(CONTENT_SECURITY_POLICY, CSP);
    put(X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(REFERRER_POLICY, "no-referrer");
    put(X_FRAME_OPTIONS, "DENY");
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    if !is_part {
        put(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    }
    put(CACHE_CONTROL, "no-store");
    if hsts {
        put(STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
}

pub(super) fn json(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Builds an error response, in the same form as errors on WebSockets.
pub(crate) fn problem(status: StatusCode, code: &str, message: &str, hint: Option<&str>) -> Response<Body> {
    json(
        status,
        &json!({"type": "error", "code": code, "message": message, "hint": hint}),
    )
}

impl Reason {
    pub(super) fn response(self) -> Response<Body> {
        problem(self.status(), self.code(), self.message(), self.hint())
    }
}

pub(super) fn refusal(refusal: &Refusal) -> Response<Body> {
    let kind = refusal.kind;
    problem(kind.status(), kind.code(), &refusal.message, refusal.hint.as_deref())
}

pub(super) fn nothing_here() -> Response<Body> {
    problem(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is nothing at this address",
        None,
    )
}
