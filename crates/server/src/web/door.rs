//! One request, from its headers to its response.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use http::header::{ALLOW, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING, UPGRADE, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::{finish, json, nothing_here};
use super::api;
use super::quiet::Quiet;
use super::route::Route;
use crate::access::{Access, AuthError};
use crate::backend::{Backend, DeviceKind, Who};
use crate::crowd::Crowd;
use crate::guard::{Arrival, Credential, HostRules, Need, Reason, Seen, admit, look};
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::page::{self, Page};
use crate::push::Push;

/// Handles requests.
pub(crate) struct Door {
    pub(crate) access: Access,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) hosts: HostRules,
    pub(crate) behind_proxy: bool,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) page: Page,
    pub(crate) version: String,
    pub(crate) crowd: Crowd,
    pub(crate) uploads: Semaphore,
    pub(crate) push: Option<Push>,
    pub(crate) quiet: Quiet,
    /// Closes all WebSockets, even if the backend does not.
    pub(crate) cut: CancellationToken,
    /// Tracks open WebSockets.
    pub(crate) sockets: TaskTracker,
}

impl Door {
    pub(crate) async fn answer(
        &self,
        arrival: Arrival,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, Infallible> {
        let began = Instant::now();
        let (parts, body) = request.into_parts();
        let is_upgrade = parts.headers.contains_key(UPGRADE);
        let route = match Route::of(parts.uri.path()) {
            // Clients of other bridges connect to the root.
            Route::Page if is_upgrade && parts.uri.path() == "/" => Route::Socket,
            route => route,
        };
        let (name, method) = (route.name(), parts.method.clone());
        let length = parts.headers.get(CONTENT_LENGTH);
        let has_body = length.is_some_and(|length| length != "0") || parts.headers.contains_key(TRANSFER_ENCODING);
        let seen = look(&parts, &arrival, &self.hosts, self.behind_proxy);
        // Only for names other than `localhost`: see `finish`.
        let hsts = seen.as_ref().is_ok_and(|seen| seen.secure && !seen.host.is_localhost());
        let answered = match seen {
            Ok(seen) => self.pass(&seen, route, parts, Body::new(body)).await,
            Err(reason) => Err(reason),
        };
        let refused = answered.as_ref().err().copied();
        let mut response = answered.unwrap_or_else(Reason::response);
        if let Some(reason) = refused {
            self.complain(reason, name, arrival.peer);
            if has_body {
                // Unread parts of the body must not be taken for the next request.
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
        }
        finish(&mut response, hsts);
        let status = response.status().as_u16();
        self.metrics.answered(name, status);
        // Logs neither URL, headers nor body, because they may contain codes and secrets.
        self.metrics.took(name, began.elapsed());
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(route = name, method = method_name(&method), status, ms, "answered");
        Ok(response)
    }

    async fn pass(&self, seen: &Seen, route: Route, parts: Parts, body: Body) -> Result<Response<Body>, Reason> {
        if !route.takes(&parts.method) {
            let mut response = Reason::Method.response();
            response
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static(route.methods()));
            self.metrics.refused(Reason::Method);
            return Ok(response);
        }
        // Without an upgrade no WebSocket is opened: the page checks in this way whether its device is still known.
        let need = match route {
            Route::Socket if !parts.headers.contains_key(UPGRADE) => Need::Read,
            _ => route.need(),
        };
        admit(seen, need)?;
        let Some(scope) = route.scope() else {
            return match route {
                Route::Page => Ok(self.page(&parts)),
                Route::Health => Ok(self.health(StatusCode::OK)),
                Route::Live => Ok(json(StatusCode::OK, &json!({"status": "ok"}))),
                Route::Ready => Ok(self.health(StatusCode::SERVICE_UNAVAILABLE)),
                Route::Pair => api::pair(self, seen, &parts, body).await,
                _ => Ok(nothing_here()),
            };
        };
        let who = match self.who(seen) {
            Ok(who) => who,
            Err(reason) => {
                let mut response = reason.response();
                response
                    .headers_mut()
                    .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                self.complain(reason, route.name(), seen.address);
                return Ok(response);
            }
        };
        if !who.scope.includes(scope) {
            return Err(Reason::Scope);
        }
        match route {
            Route::Logout => api::logout(self, &who, seen, &parts).await,
            Route::Metrics => Ok(self.metrics_text()),
            Route::Export { session, format } => Ok(api::export(self, &who, &parts, session, format).await),
            Route::Blob { hash } => Ok(api::blob(self, &who, &parts, hash).await),
            Route::Upload => api::upload(self, &who, &parts, body).await,
            Route::PushKey => Ok(api::push_key(self)),
            Route::PushSubscription => api::push_subscription(self, &who, &parts, body).await,
            Route::Socket => api::socket(self, who, parts).await,
            Route::Page | Route::Health | Route::Live | Route::Ready | Route::Pair | Route::Nothing => {
                Ok(nothing_here())
            }
        }
    }

    /// Returns the response to a health check; `unwell` is the status if there are problems.
    fn health(&self, unwell: StatusCode) -> Response<Body> {
        let problems = self.backend.health().problems;
        if problems.is_empty() {
            return json(StatusCode::OK, &json!({"status": "ok", "version": self.version}));
        }
        json(
            unwell,
            &json!({"status": "degraded", "version": self.version, "problems": problems}),
        )
    }

    fn complain(&self, reason: Reason, route: &'static str, address: IpAddr) {
        self.metrics.refused(reason);
        if let Some(left_out) = self.quiet.say() {
            tracing::warn!(reason = reason.code(), route, %address, left_out, "a request was refused");
            self.access.note_refusal(reason.code(), route, address, left_out);
        }
    }

    fn who(&self, seen: &Seen) -> Result<Who, Reason> {
        let (secrets, kind) = match &seen.credential {
            None => return Err(Reason::Unauthenticated),
            Some(Credential::Bearer(token)) => (std::slice::from_ref(token), DeviceKind::Token),
            Some(Credential::Cookies(cookies)) => (cookies.as_slice(), DeviceKind::Cookie),
        };
        let address = seen.address.to_string();
        let mut last = Reason::Unknown;
        for secret in secrets {
            match self.access.authenticate(secret, kind, &address, seen.secure) {
                Ok(who) => return Ok(who),
                Err(AuthError::Expired) => last = Reason::Expired,
                Err(AuthError::Unknown) => {}
            }
        }
        Err(last)
    }

    fn page(&self, parts: &Parts) -> Response<Body> {
        let path = parts.uri.path();
        match self.page.find(path) {
            Some(file) => page::serve(file, &parts.headers),
            None if path == "/" => page::missing(),
            None => nothing_here(),
        }
    }

    pub(crate) fn metrics_text(&self) -> Response<Body> {
        let mut text = self.metrics.text(&self.crowd);
        text.push_str(&self.backend.metrics());
        let mut response = Response::new(Body::from(text));
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}

/// Serves the listener of `--metrics-addr`: only metrics, and only for accepted host names.
pub(crate) async fn serve_metrics(
    door: &Door,
    arrival: Arrival,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let (parts, _) = request.into_parts();
    let seen = look(&parts, &arrival, &door.hosts, door.behind_proxy);
    let passed = seen.and_then(|seen| admit(&seen, Route::Health.need()));
    let mut response = match passed {
        Err(reason) => {
            door.metrics.refused(reason);
            reason.response()
        }
        Ok(()) if Route::of(parts.uri.path()) != Route::Metrics => nothing_here(),
        Ok(()) if !Route::Metrics.takes(&parts.method) => Reason::Method.response(),
        Ok(()) => door.metrics_text(),
    };
    finish(&mut response, false);
    Ok(response)
}

/// Returns the method for logs; unknown methods, which a client may choose, are not logged.
fn method_name(method: &http::Method) -> &str {
    match method.as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS" | "TRACE" | "CONNECT" | "PATCH") => known,
        _ => "other",
    }
}
