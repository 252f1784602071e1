//! The streamable HTTP transport.

use std::collections::HashMap;

use indexmap::IndexMap;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{AuthClient, AuthorizationManager};

use super::LONGEST_MESSAGE;
use super::bounded::Bounded;

/// An address and what every request to it carries.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
}

impl Address {
    /// Reads an address, or says what is wrong with it.
    pub(crate) fn read(url: &str, headers: &IndexMap<String, String>) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|error| format!("{url:?} is not a valid URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("{url} is neither http nor https"));
        }
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let (Ok(key), Ok(mut text)) = (
                HeaderName::try_from(name.as_str()),
                HeaderValue::try_from(value.as_str()),
            ) else {
                return Err(format!("the header {name:?} cannot be sent"));
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
            .max_sse_event_size(LONGEST_MESSAGE)
    }
}

/// As anybody.
pub(crate) fn open(client: Client, address: &Address) -> StreamableHttpClientTransport<Bounded> {
    StreamableHttpClientTransport::with_client(Bounded(client), address.config())
}

/// As the one who signed in.
pub(crate) fn open_signed_in(
    client: Client,
    address: &Address,
    manager: AuthorizationManager,
) -> StreamableHttpClientTransport<AuthClient<Bounded>> {
    StreamableHttpClientTransport::with_client(AuthClient::new(Bounded(client), manager), address.config())
}
