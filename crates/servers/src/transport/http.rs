//! The streamable HTTP transport.

use std::collections::HashMap;

use indexmap::IndexMap;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{AuthClient, AuthorizationManager};

use super::MAX_MESSAGE;
use super::bounded::Bounded;

/// The URL of a server and the headers of every request to it.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
}

impl Address {
    /// Parses a URL and headers, or returns an error message.
    pub(crate) fn read(url: &str, headers: &IndexMap<String, String>) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|error| format!("{url:?} is not a valid URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("{url} is not an http or https URL"));
        }
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let (Ok(key), Ok(mut text)) = (
                HeaderName::try_from(name.as_str()),
                HeaderValue::try_from(value.as_str()),
            ) else {
                return Err(format!("the header {name:?} has an invalid name or value"));
            };
            text.set_sensitive(true);
            map.insert(key, text);
        }
        Ok(Self { url, headers: map })
    }

    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    fn config(&self) -> StreamableHttpClientTransportConfig {
        let headers: HashMap<HeaderName, HeaderValue> = self
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        StreamableHttpClientTransportConfig::with_uri(self.url.as_str())
            .custom_headers(headers)
            .max_sse_event_size(MAX_MESSAGE)
    }
}

/// Opens a transport without a token.
pub(crate) fn open(client: Client, address: &Address) -> StreamableHttpClientTransport<Bounded> {
    StreamableHttpClientTransport::with_client(Bounded(client), address.config())
}

/// Opens a transport that sends an OAuth token.
pub(crate) fn open_signed_in(
    client: Client,
    address: &Address,
    manager: AuthorizationManager,
) -> StreamableHttpClientTransport<AuthClient<Bounded>> {
    StreamableHttpClientTransport::with_client(AuthClient::new(Bounded(client), manager), address.config())
}
