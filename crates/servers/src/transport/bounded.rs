//! HTTP requests of the streamable HTTP transport, with a limit on the size of a message. The library's own client
//! reads a response of any size into memory. Every 401 means that the server needs authentication.

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

use super::LONGEST_MESSAGE;

const SESSION: &str = "mcp-session-id";
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
/// How much of an answer that is none is shown.
const SHOWN: usize = 200;

type Error = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// A client whose answers have an end.
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
        let longest = LONGEST_MESSAGE;
        self.0
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, longest)
            .await
    }
}

/// What a server made of a message.
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
    let (json, wants_none) = (kind.starts_with(JSON), !matches!(message, JsonRpcMessage::Request(_)));
    if !status.is_success() {
        // What an older server says to the probe need not be about the probe.
        let probes = matches!(message, JsonRpcMessage::Request(sent) if matches!(sent.request, ClientRequest::DiscoverRequest(_)));
        let body = if json && !probes {
            body(response).await?
        } else {
            Vec::new()
        };
        return match serde_json::from_slice(&body) {
            Ok(said @ JsonRpcMessage::Error(_)) => Ok(StreamableHttpPostResponse::Json(said, session)),
            _ => Err(HttpStatusError::new(status.as_u16(), None).into()),
        };
    }
    if kind.starts_with(EVENTS) {
        let events = SseStream::from_bytes_stream(limited(response.bytes_stream())).boxed();
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    if !json && !wants_none {
        return Err(StreamableHttpError::UnexpectedContentType(Some(kind)));
    }
    let body = body(response).await?;
    match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
        Ok(said) => Ok(StreamableHttpPostResponse::Json(said, session)),
        Err(_) if wants_none => Ok(StreamableHttpPostResponse::Accepted),
        Err(error) => {
            let shown: String = String::from_utf8_lossy(&body).chars().take(SHOWN).collect();
            Err(unexpected(format!("not a JSON-RPC message: {error}: {shown}")))
        }
    }
}

/// A whole answer, unless it is longer than any message.
async fn body(mut response: Response) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > LONGEST_MESSAGE {
            return Err(unexpected(too_long()));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// The bytes of an event stream, as long as no event is longer than any message.
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
            if length > LONGEST_MESSAGE {
                return Err(io::Error::other(too_long()));
            }
        }
        Ok(piece)
    })
}

fn too_long() -> String {
    format!("the answer is longer than {} MiB", LONGEST_MESSAGE >> 20)
}

fn unexpected(why: String) -> Error {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(why))
}

/// The scope a challenge asks for.
fn scope(challenge: &str) -> Option<String> {
    let (_, behind) = challenge.split_once("scope=\"")?;
    Some(behind.split_once('"')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::convert::Infallible;

    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn many_events_may_be_long_and_one_may_not() {
        let run = async |pieces: Vec<Vec<u8>>| {
            let stream = limited(stream::iter(pieces.into_iter().map(Ok::<_, Infallible>)));
            stream.filter_map(async |piece| piece.err()).count().await
        };
        let event = || {
            [
                b"data: ".to_vec(),
                vec![b'x'; LONGEST_MESSAGE / 2],
                b"\r\n\r\n".to_vec(),
            ]
            .concat()
        };
        assert_eq!(run(vec![event(), event(), event()]).await, 0);
        assert!(run(vec![vec![b'x'; LONGEST_MESSAGE], b"y".to_vec()]).await > 0);
    }

    #[test]
    fn a_challenge_says_what_it_wants() {
        assert_eq!(
            scope(r#"Bearer error="insufficient_scope", scope="a b", x="y""#).unwrap(),
            "a b"
        );
        assert_eq!(scope("Bearer"), None);
    }
}
