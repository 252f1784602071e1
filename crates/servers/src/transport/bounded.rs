//! HTTP requests of the streamable HTTP transport with a limit on the message size; the client of the library reads
//! responses of any size into memory. Every 401 response means that the server needs authentication.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::MAX_MESSAGE;

const SESSION: &str = "mcp-session-id";
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
/// The maximum number of characters of an invalid response that are shown in an error.
const MAX_SHOWN: usize = 200;

type Error = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// An HTTP client with limited response sizes.
#[derive(Debug, Clone)]
pub(crate) struct Bounded(pub(crate) Client);

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let headers: HeaderMap = custom_headers.into_iter().collect();
        let mut request = self.0.post(uri.as_ref()).headers(headers);
        request = request.header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &session_id {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.json(&message).send().await?;
        answer(response, &message, session_id.is_some()).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Error> {
        self.0
            .delete_session(uri, session_id, auth_header, custom_headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Error> {
        let max_size = MAX_MESSAGE;
        self.0
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, max_size)
            .await
    }
}

/// Converts the HTTP response to a message.
async fn answer(
    response: Response,
    message: &ClientJsonRpcMessage,
    in_session: bool,
) -> Result<StreamableHttpPostResponse, Error> {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let status = response.status();
    let challenge = header(WWW_AUTHENTICATE.as_str()).map(str::to_owned);
    let kind = header(CONTENT_TYPE.as_str()).unwrap_or_default().to_owned();
    let session = header(SESSION).map(str::to_owned);
    match (status, challenge) {
        (StatusCode::UNAUTHORIZED, challenge) => {
            let required = AuthRequiredError::new(challenge.unwrap_or_default());
            return Err(StreamableHttpError::AuthRequired(required));
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            let scope = scope(&challenge);
            let missing = InsufficientScopeError::new(challenge, scope);
            return Err(StreamableHttpError::InsufficientScope(missing));
        }
        (StatusCode::ACCEPTED | StatusCode::NO_CONTENT, _) => return Ok(StreamableHttpPostResponse::Accepted),
        (StatusCode::NOT_FOUND, _) if in_session => return Err(StreamableHttpError::SessionExpired),
        _ => {}
    }
    let (json, expects_no_response) = (kind.starts_with(JSON), !matches!(message, JsonRpcMessage::Request(_)));
    if !status.is_success() {
        // An older server's error response to the probe may concern something else, so it is not used.
        let is_probe = matches!(message, JsonRpcMessage::Request(sent) if matches!(sent.request, ClientRequest::DiscoverRequest(_)));
        let body = if json && !is_probe {
            body(response).await?
        } else {
            Vec::new()
        };
        return match serde_json::from_slice(&body) {
            Ok(message @ JsonRpcMessage::Error(_)) => Ok(StreamableHttpPostResponse::Json(message, session)),
            _ => Err(HttpStatusError::new(status.as_u16(), None).into()),
        };
    }
    if kind.starts_with(EVENTS) {
        let events = SseStream::from_bytes_stream(limited(response.bytes_stream())).boxed();
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    if !json && !expects_no_response {
        return Err(StreamableHttpError::UnexpectedContentType(Some(kind)));
    }
    let body = body(response).await?;
    match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
        Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
        Err(_) if expects_no_response => Ok(StreamableHttpPostResponse::Accepted),
        Err(error) => {
            let shown: String = String::from_utf8_lossy(&body).chars().take(MAX_SHOWN).collect();
            Err(unexpected(format!("not a JSON-RPC message: {error}: {shown}")))
        }
    }
}

/// Reads a response body of limited size.
async fn body(mut response: Response) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > MAX_MESSAGE {
            return Err(unexpected(too_long()));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// Passes on the bytes of an event stream, and fails if an event exceeds the maximum message size.
fn limited<B, E>(bytes: impl Stream<Item = Result<B, E>>) -> impl Stream<Item = io::Result<B>>
where
    B: AsRef<[u8]>,
    E: std::error::Error + Send + Sync + 'static,
{
    let (mut length, mut blank) = (0_usize, true);
    bytes.map(move |piece| {
        let piece = piece.map_err(io::Error::other)?;
        for byte in piece.as_ref() {
            length += 1;
            match byte {
                // An empty line ends an event.
                b'\n' if blank => length = 0,
                b'\n' => blank = true,
                b'\r' => {}
                _ => blank = false,
            }
            if length > MAX_MESSAGE {
                return Err(io::Error::other(too_long()));
            }
        }
        Ok(piece)
    })
}

fn too_long() -> String {
    format!("the response is larger than {} MiB", MAX_MESSAGE >> 20)
}

fn unexpected(why: String) -> Error {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(why))
}

/// Returns the scope that a challenge requires.
fn scope(challenge: &str) -> Option<String> {
    let (_, rest) = challenge.split_once("scope=\"")?;
    Some(rest.split_once('"')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::convert::Infallible;

    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn size_limit_applies_to_each_event() {
        let run = async |pieces: Vec<Vec<u8>>| {
            let stream = limited(stream::iter(pieces.into_iter().map(Ok::<_, Infallible>)));
            stream.filter_map(async |piece| piece.err()).count().await
        };
        let event = || [b"data: ".to_vec(), vec![b'x'; MAX_MESSAGE / 2], b"\r\n\r\n".to_vec()].concat();
        assert_eq!(run(vec![event(), event(), event()]).await, 0);
        assert!(run(vec![vec![b'x'; MAX_MESSAGE], b"y".to_vec()]).await > 0);
    }

    #[test]
    fn scope_is_parsed_from_a_challenge() {
        assert_eq!(
            scope(r#"Bearer error="insufficient_scope", scope="a b", x="y""#).unwrap(),
            "a b"
        );
        assert_eq!(scope("Bearer"), None);
    }
}
