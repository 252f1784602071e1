//! API routes.

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::IntoResponse;
use http::header::{CONNECTION, RETRY_AFTER, SET_COOKIE, UPGRADE, USER_AGENT};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::answer::{json, problem, refusal};
use super::door::Door;
use super::{body, files};
use crate::access::AccessError;
use crate::backend::{DeviceKind, Who};
use crate::guard::{Credential, Reason, Seen, clear_cookie, set_cookie};
use crate::push::{PushError, Subscription};
use crate::socket::{MAX_FRAME, Socket};

/// Request body of `/api/pair`.
#[derive(Deserialize)]
struct PairRequest {
    code: String,
    /// Display name.
    #[serde(default)]
    device: String,
}

pub(super) async fn pair(door: &Door, seen: &Seen, parts: &Parts, body: Body) -> Result<Response<Body>, Reason> {
    if !body::is_json(&parts.headers) {
        return Err(Reason::ContentType);
    }
    let bytes = body::read(&parts.headers, body, door.limits.json_bytes, &door.limits).await?;
    // The parse error is not reported, because it may quote the code.
    let Ok(asked) = serde_json::from_slice::<PairRequest>(&bytes) else {
        let message = "the body has to be {\"code\": …, \"device\": …}";
        return Ok(problem(StatusCode::BAD_REQUEST, "invalid", message, None));
    };
    let user_agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    let before = known_before(door, seen);
    let address = seen.address.to_string();
    let paired = door
        .access
        .pair(&asked.code, &asked.device, &address, user_agent, before.as_ref())
        .await;
    let paired = match paired {
        Ok(paired) => paired,
        Err(error) => return Ok(not_paired(door, &error)),
    };
    door.metrics.paired(true);
    tracing::info!(device = paired.device.id, scope = %paired.device.scope, %address, "a device was paired");
    let mut response = json(StatusCode::OK, &json!({"device": paired.device}));
    if let Ok(cookie) = HeaderValue::try_from(set_cookie(&paired.secret, seen.secure)) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Returns the device that this browser was until now.
fn known_before(door: &Door, seen: &Seen) -> Option<Who> {
    let Some(Credential::Cookies(cookies)) = &seen.credential else {
        return None;
    };
    let address = seen.address.to_string();
    let known = |cookie: &String| {
        door.access
            .authenticate(cookie, DeviceKind::Cookie, &address, seen.secure)
    };
    cookies.iter().find_map(|cookie| known(cookie).ok())
}

fn not_paired(door: &Door, error: &AccessError) -> Response<Body> {
    door.metrics.paired(false);
    let (status, code) = match error {
        AccessError::WrongCode => (StatusCode::FORBIDDEN, "wrong_code"),
        AccessError::Locked { .. } => (StatusCode::TOO_MANY_REQUESTS, "locked"),
        AccessError::TooMany { .. } => (StatusCode::CONFLICT, "too_many"),
        AccessError::NoSuchDevice(_) | AccessError::Book(_) => (StatusCode::INTERNAL_SERVER_ERROR, "storage"),
    };
    tracing::warn!(code, "a device was not paired");
    let text = error.to_string();
    let (message, hint) = text
        .split_once("\nhint: ")
        .map_or((text.as_str(), None), |(m, h)| (m, Some(h)));
    let mut response = problem(status, code, message, hint);
    if let AccessError::Locked { wait } = error {
        response.headers_mut().insert(RETRY_AFTER, wait.as_secs().max(1).into());
    }
    response
}

pub(super) async fn logout(door: &Door, who: &Who, seen: &Seen, parts: &Parts) -> Result<Response<Body>, Reason> {
    if !body::is_json(&parts.headers) {
        return Err(Reason::ContentType);
    }
    if let Err(error) = door.access.revoke(&who.device, Some(who)).await {
        tracing::error!(device = who.device, %error, "a device that left is still written");
    }
    let mut response = json(StatusCode::OK, &json!({"ok": true}));
    if let Ok(cookie) = HeaderValue::try_from(clear_cookie(seen.secure)) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

pub(super) async fn upload(door: &Door, who: &Who, parts: &Parts, body: Body) -> Result<Response<Body>, Reason> {
    let kind = body::content_type(&parts.headers).filter(|kind| files::IMAGES.contains(&kind.as_str()));
    let kind = kind.ok_or(Reason::ContentType)?;
    let _one_of_few = door.uploads.try_acquire().map_err(|_| Reason::Crowded)?;
    let bytes = body::read(&parts.headers, body, door.limits.upload_bytes, &door.limits).await?;
    Ok(match door.backend.upload(who, kind, bytes).await {
        Ok(uploaded) => json(StatusCode::OK, &json!(uploaded)),
        Err(refused) => refusal(&refused),
    })
}

pub(super) fn push_key(door: &Door) -> Response<Body> {
    match &door.push {
        Some(push) => json(StatusCode::OK, &json!({"key": push.key()})),
        None => problem(StatusCode::NOT_FOUND, "push", "web push is not available", None),
    }
}

/// Request body for removing a push subscription.
#[derive(Deserialize)]
struct Unsubscribe {
    endpoint: String,
}

pub(super) async fn push_subscription(
    door: &Door,
    who: &Who,
    parts: &Parts,
    body: Body,
) -> Result<Response<Body>, Reason> {
    if !body::is_json(&parts.headers) {
        return Err(Reason::ContentType);
    }
    let bytes = body::read(&parts.headers, body, door.limits.json_bytes, &door.limits).await?;
    let Some(push) = &door.push else {
        return Ok(push_key(door));
    };
    let invalid = |error: serde_json::Error| {
        let message = format!("this is no subscription: {error}");
        problem(StatusCode::BAD_REQUEST, "invalid", &message, None)
    };
    let done = match parts.method {
        Method::DELETE => match serde_json::from_slice::<Unsubscribe>(&bytes) {
            Ok(asked) => push.unsubscribe(&who.device, &asked.endpoint),
            Err(error) => return Ok(invalid(error)),
        },
        _ => match serde_json::from_slice::<Subscription>(&bytes) {
            Ok(subscription) => push.subscribe(&who.device, subscription),
            Err(error) => return Ok(invalid(error)),
        },
    };
    Ok(match done {
        Ok(()) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        Err(error @ PushError::Io(_)) => {
            tracing::error!(%error, "a push subscription could not be kept");
            problem(StatusCode::INTERNAL_SERVER_ERROR, "storage", &error.to_string(), None)
        }
        Err(error) => problem(StatusCode::BAD_REQUEST, "push", &error.to_string(), None),
    })
}

pub(super) async fn export(door: &Door, who: &Who, parts: &Parts, session: String, format: String) -> Response<Body> {
    let query = parts.uri.query().unwrap_or_default();
    let Ok(axum::extract::Query(query)) = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
    else {
        let message = format!("the query cannot be read ({} bytes)", query.len());
        return problem(StatusCode::BAD_REQUEST, "invalid", &message, None);
    };
    match door.backend.export(who, session, format, query).await {
        Ok(exported) => files::export(exported, &parts.headers),
        Err(refused) => refusal(&refused),
    }
}

pub(super) async fn blob(door: &Door, who: &Who, parts: &Parts, hash: String) -> Response<Body> {
    match door.backend.blob(who, hash.clone()).await {
        Ok(file) => files::blob(&hash, file, &parts.headers).await,
        Err(refused) => refusal(&refused),
    }
}

/// Performs the WebSocket handshake; the connection then becomes a [`Socket`] for the backend.
pub(super) async fn socket(door: &Door, who: Who, mut parts: Parts) -> Result<Response<Body>, Reason> {
    let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &()).await else {
        let message = "this address speaks WebSocket, version 13";
        let mut response = problem(StatusCode::UPGRADE_REQUIRED, "upgrade", message, None);
        let headers = response.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert("sec-websocket-version", HeaderValue::from_static("13"));
        return Ok(response);
    };
    let place = door.crowd.socket(&who.device).ok_or(Reason::Crowded)?;
    let connected = door.access.connect(&who);
    let (backend, cut, grace) = (door.backend.clone(), door.cut.clone(), door.limits.revoked_grace);
    let (metrics, open) = (door.metrics.clone(), door.sockets.token());
    let upgrade = upgrade
        .max_message_size(MAX_FRAME)
        .max_frame_size(MAX_FRAME)
        // The default of 128 KiB would be most of the memory of an idle WebSocket.
        .read_buffer_size(8 * 1024)
        .on_failed_upgrade(|_| tracing::debug!("a client left during the handshake"));
    let response = upgrade.on_upgrade(move |socket| async move {
        metrics.socket_opened();
        tracing::info!(device = who.device, scope = %who.scope, address = who.address, "a socket opened");
        let revoked = who.revoked.clone();
        let device = who.device.clone();
        let late = async {
            revoked.cancelled().await;
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            () = backend.serve(Socket::new(socket, revoked.clone()), who) => {}
            () = late => {}
            () = cut.cancelled() => {}
        }
        tracing::info!(device, revoked = revoked.is_cancelled(), "a socket closed");
        drop((place, connected, open));
    });
    Ok(response.into_response())
}
