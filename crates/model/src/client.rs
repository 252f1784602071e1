//! The HTTP client, which sends one request at a time.

use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;
use tokio::time::timeout;

use crate::body::Body;
use crate::bounds::MAX_CONTENT;
use crate::config::{Auth, Config, DEFAULT_BASE_URL};
use crate::failure::{Context, Failure};
use crate::helper::Keys;
use crate::limits::Limits;
use crate::models;
use crate::names::Names;
use crate::refusal::{causes, connect_failure, head, header, http_failure};
use crate::request::Request;
use crate::stream::Stream;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const BETA: HeaderName = HeaderName::from_static("anthropic-beta");
const VERSION: HeaderName = HeaderName::from_static("anthropic-version");
/// The beta for requests with a task budget.
const TASK_BUDGETS: &str = "task-budgets-2026-03-13";
/// The beta of requests with the token of a subscription.
const SUBSCRIPTION: &str = "oauth-2025-04-20";

/// An invalid configuration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The base URL is not an http or https URL.
    #[error("not an http or https URL: {0}")]
    BaseUrl(String),
    /// A header has an invalid name or value.
    #[error("invalid header: {0}")]
    Header(String),
    /// The value of a custom header contains a character that is not allowed in headers.
    #[error(
        "ANTHROPIC_CUSTOM_HEADERS: the value of {name} cannot be sent because of its character {position} (U+{code:04X}); headers carry Latin letters, digits and ASCII signs"
    )]
    HeaderCharacter {
        /// The name of the header.
        name: String,
        /// The position of the character in the value, from 1.
        position: usize,
        /// Its code point.
        code: u32,
    },
    /// The network configuration is invalid.
    #[error(transparent)]
    Network(#[from] sluice_net::Error),
}

/// Facts from the headers of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// The `request-id` header.
    pub request_id: Option<String>,
    /// The status code.
    pub status: u16,
    /// The usage limits of the account, if the credential is a personal token.
    pub limits: Option<Limits>,
}

/// A client of the Messages API. Creating and cloning it is cheap; clones share connections.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    messages: Url,
    count: Url,
    headers: HeaderMap,
    custom: HeaderMap,
    betas: Vec<String>,
    credential: Credential,
    config: Config,
    http: OnceLock<reqwest::Client>,
}

#[derive(Debug)]
enum Credential {
    /// The credential is part of the headers, or there is none.
    Fixed {
        present: bool,
    },
    Helper(Keys),
}

impl Client {
    /// Creates a client. No connection is opened and no certificate read before the first request.
    ///
    /// # Errors
    /// Returns an error if the URL, a header or a proxy is malformed.
    pub fn new(config: Config) -> Result<Self, Error> {
        let base = config.base_url.trim_end_matches('/');
        let messages = endpoint(base, "/v1/messages")?;
        let count = endpoint(base, "/v1/messages/count_tokens")?;
        let mut custom = custom_headers(&config.headers)?;
        // Betas in a custom header are added to those that requests need, instead of replacing them.
        let added = custom.get_all(BETA).into_iter().filter_map(|value| value.to_str().ok());
        let added: Vec<String> = added
            .flat_map(|values| values.split(','))
            .map(|beta| beta.trim().to_owned())
            .filter(|beta| !beta.is_empty())
            .collect();
        custom.remove(BETA);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(VERSION, HeaderValue::from_static("2023-06-01"));
        headers.insert(USER_AGENT, header_value(&config.user_agent, "user-agent")?);
        let credential = match &config.auth {
            Auth::None => Credential::Fixed {
                present: custom.contains_key(AUTHORIZATION) || custom.contains_key(API_KEY),
            },
            Auth::ApiKey(key) => {
                headers.insert(API_KEY, secret(key, "x-api-key")?);
                Credential::Fixed { present: true }
            }
            Auth::Bearer(token) | Auth::Subscription(token) => {
                headers.insert(AUTHORIZATION, secret(&format!("Bearer {token}"), "authorization")?);
                Credential::Fixed { present: true }
            }
            Auth::Both { key, token } => {
                headers.insert(API_KEY, secret(key, "x-api-key")?);
                headers.insert(AUTHORIZATION, secret(&format!("Bearer {token}"), "authorization")?);
                Credential::Fixed { present: true }
            }
            Auth::Helper(helper) => {
                if let Some(key) = &helper.key {
                    headers.insert(API_KEY, secret(key, "x-api-key")?);
                }
                if let Some(token) = &helper.token {
                    headers.insert(AUTHORIZATION, secret(&format!("Bearer {token}"), "authorization")?);
                }
                Credential::Helper(Keys::new(helper.clone()))
            }
        };
        config.network.check()?;
        let betas = config.betas.iter().cloned().chain(added).collect();
        let http = OnceLock::new();
        let inner = Inner {
            messages,
            count,
            headers,
            custom,
            betas,
            credential,
            config,
            http,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Sends a request and returns the stream of its events.
    ///
    /// # Errors
    /// Returns an error if there is no response, or one that is not an event stream.
    pub async fn stream(&self, request: &Request) -> Result<Stream, Failure> {
        let inner = &*self.inner;
        let sending = inner.send(
            &inner.messages,
            || request.build_body(true, &inner.config.adjustments),
            request,
        );
        let response = timeout(inner.config.response_timeout, sending)
            .await
            .map_err(|_| Failure::Timeout)??;
        // For example a gateway that ignores `stream`, or a login page.
        if let Some(kind) = header(&response, "content-type").filter(|kind| !kind.starts_with("text/event-stream")) {
            return Err(Failure::Protocol(format!("expected an event stream, got {kind}")));
        }
        Ok(Stream::new(
            inner.head(&response),
            response,
            inner.config.stall_timeout,
            inner.config.max_response_time,
        ))
    }

    /// Sends a request without streaming and returns the complete message.
    ///
    /// # Errors
    /// Returns an error if there is no response, or one that is not a message.
    pub async fn create(&self, request: &Request) -> Result<(Value, Head), Failure> {
        let (message, head) = self
            .fetch_json(
                &self.inner.messages,
                || request.build_body(false, &self.inner.config.adjustments),
                request,
            )
            .await?;
        if message.get("content").is_some_and(Value::is_array) {
            Ok((message, head))
        } else {
            Err(Failure::Protocol("the response is not a message".to_owned()))
        }
    }

    /// Returns the number of tokens of a request, as counted by the server.
    ///
    /// # Errors
    /// Returns an error if there is no response, or one without a count.
    pub async fn count_tokens(&self, request: &Request) -> Result<u64, Failure> {
        let (answer, _) = self
            .fetch_json(
                &self.inner.count,
                || request.count_body(&self.inner.config.adjustments),
                request,
            )
            .await?;
        let count = answer.get("input_tokens").and_then(Value::as_u64);
        count.ok_or_else(|| Failure::Protocol("the response has no input_tokens".to_owned()))
    }

    /// Returns the model names of this client.
    pub fn names(&self) -> &Names {
        &self.inner.config.names
    }

    /// Returns host and port, if requests do not go to the default URL.
    pub fn gateway(&self) -> Option<String> {
        let url = &self.inner.messages;
        if url.origin().ascii_serialization() == DEFAULT_BASE_URL {
            return None;
        }
        let host = url.host_str()?;
        Some(
            url.port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
        )
    }

    /// Returns the message for a person about a failed request to `model`.
    pub fn explain(&self, failure: &Failure, model: &str) -> String {
        failure.text(&Context {
            model,
            gateway: self.gateway().as_deref(),
        })
    }

    async fn fetch_json(
        &self,
        url: &Url,
        body: impl Fn() -> Body,
        request: &Request,
    ) -> Result<(Value, Head), Failure> {
        let answer = async {
            let response = self.inner.send(url, body, request).await?;
            let head = self.inner.head(&response);
            let body = read_body(response).await?;
            let value = serde_json::from_slice(&body)
                .map_err(|error| Failure::Protocol(format!("the response is not JSON ({error})")))?;
            Ok((value, head))
        };
        timeout(self.inner.config.response_timeout, answer)
            .await
            .map_err(|_| Failure::Timeout)?
    }
}

/// Reads the complete body of a response, up to the maximum size.
async fn read_body(mut response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| Failure::Lost {
        message: causes(&error),
    })? {
        if body.len() + piece.len() > MAX_CONTENT {
            return Err(Failure::Excess(format!("it has more than {MAX_CONTENT} bytes")));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

impl Inner {
    /// Sends a request and returns the response if its status is a success. If the server rejects a credential of a helper,
    /// it is requested again once.
    async fn send(&self, url: &Url, body: impl Fn() -> Body, request: &Request) -> Result<Response, Failure> {
        match self.send_once(url, body(), request).await {
            Err(Failure::Http { status: 401, .. }) if matches!(self.credential, Credential::Helper(_)) => {
                self.send_once(url, body(), request).await
            }
            sent => sent,
        }
    }

    async fn send_once(&self, url: &Url, body: Body, request: &Request) -> Result<Response, Failure> {
        let mut headers = self.headers.clone();
        let mut betas: Vec<&str> = Vec::new();
        let budget = request.task_budget.map(|_| TASK_BUDGETS);
        let requested = self
            .betas
            .iter()
            .chain(&request.betas)
            .map(String::as_str)
            .chain(budget);
        let cache = self.config.adjustments.cache_beta(request.cache);
        let personal = matches!(self.config.auth, Auth::Subscription(_)).then_some(SUBSCRIPTION);
        for beta in requested.chain(models::beta(&request.model)).chain(cache).chain(personal) {
            if !betas.contains(&beta) {
                betas.push(beta);
            }
        }
        if !betas.is_empty() {
            let value = header_value(&betas.join(","), "anthropic-beta").map_err(|error| invalid_credential(&error))?;
            headers.insert(BETA, value);
        }
        let key = match &self.credential {
            Credential::Fixed { present: true } => None,
            Credential::Fixed { present: false } => return Err(Failure::NoCredentials),
            Credential::Helper(keys) => Some((keys, keys.get().await?)),
        };
        if let Some((_, key)) = &key {
            let value = |text: &str, name| secret(text, name).map_err(|error| invalid_credential(&error));
            if !headers.contains_key(API_KEY) {
                headers.insert(API_KEY, value(key, "x-api-key")?);
            }
            if !headers.contains_key(AUTHORIZATION) {
                headers.insert(AUTHORIZATION, value(&format!("Bearer {key}"), "authorization")?);
            }
        }
        headers.extend(self.custom.clone());
        let response = self
            .http()?
            .post(url.clone())
            .headers(headers)
            .body(body.into_reqwest())
            .send()
            .await;
        let response = response.map_err(|error| connect_failure(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        if let (Some((keys, key)), 401) = (&key, response.status().as_u16()) {
            keys.discard(key).await;
        }
        let head = self.head(&response);
        Err(http_failure(response, head).await)
    }

    /// Returns the facts from the headers. Only a personal token has usage limits.
    fn head(&self, response: &Response) -> Head {
        let personal = matches!(self.config.auth, Auth::Subscription(_));
        Head {
            limits: personal.then(|| {
                let refused = response.status() == StatusCode::TOO_MANY_REQUESTS;
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Limits::read(response.headers(), refused, now.as_secs_f64())
            }),
            ..head(response)
        }
    }

    fn http(&self) -> Result<&reqwest::Client, Failure> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let http = self
            .build()
            .map_err(|message| Failure::Connect { code: None, message })?;
        Ok(self.http.get_or_init(|| http))
    }

    fn build(&self) -> Result<reqwest::Client, String> {
        connector(&self.config, self.messages.scheme() == "https")
    }
}

/// Creates an HTTP client for other servers with the same network settings: proxies, certificates, no redirects.
///
/// # Errors
/// Returns an error if a proxy is malformed or the certificates of the system cannot be used.
pub fn http_client(config: &Config, secure: bool) -> Result<reqwest::Client, String> {
    connector(config, secure)
}

fn connector(config: &Config, secure: bool) -> Result<reqwest::Client, String> {
    let builder = config.network.builder(secure).map_err(|error| error.to_string())?;
    let builder = builder.connect_timeout(config.connect_timeout);
    builder.build().map_err(|error| causes(&error))
}

fn endpoint(base: &str, path: &str) -> Result<Url, Error> {
    let usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    // The base is validated separately: with a path appended, "http://" would have a host.
    let joined = Url::parse(base)
        .ok()
        .filter(usable)
        .and_then(|_| Url::parse(&format!("{base}{path}")).ok());
    joined.ok_or_else(|| Error::BaseUrl(base.to_owned()))
}

fn custom_headers(pairs: &[(String, String)]) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Error::Header(name.clone()))?;
        headers.append(header, latin_value(value, name)?);
    }
    Ok(headers)
}

/// Encodes a header value as Latin-1.
fn latin_value(value: &str, name: &str) -> Result<HeaderValue, Error> {
    let byte = |(index, letter): (usize, char)| {
        let byte = u8::try_from(letter).ok();
        byte.filter(|byte| *byte == b'\t' || !(*byte < 32 || *byte == 127))
            .ok_or_else(|| Error::HeaderCharacter {
                name: name.to_owned(),
                position: index + 1,
                code: u32::from(letter),
            })
    };
    let bytes: Vec<u8> = value.chars().enumerate().map(byte).collect::<Result<_, _>>()?;
    HeaderValue::from_bytes(&bytes).map_err(|_| Error::Header(name.to_owned()))
}

fn header_value(value: &str, name: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(value).map_err(|_| Error::Header(name.to_owned()))
}

fn secret(value: &str, name: &str) -> Result<HeaderValue, Error> {
    let mut value = header_value(value, name)?;
    value.set_sensitive(true);
    Ok(value)
}

fn invalid_credential(error: &Error) -> Failure {
    Failure::Helper {
        message: error.to_string(),
    }
}
