//! Web access of one session: a client for public addresses only, and a cache of fetched pages.
//!
//! The [`Gate`] resolves names and checks every address. Connections go only to checked addresses, so a name cannot
//! resolve differently in between. Redirects are checked as well. With a proxy, the proxy connects, so the gate checks
//! names beforehand but cannot enforce addresses.

mod address;
mod cache;
mod clean;
mod download;
mod fetch;
mod gate;
mod page;
mod post;

use std::fmt;
use std::sync::OnceLock;

use reqwest::Url;
use sluice_net::{Network, Proxy};

pub(crate) use self::address::is_public;
use self::cache::Cache;
pub use self::download::download;
pub(crate) use self::fetch::{Fetched, Moved, Trouble, parse};
use self::gate::Gate;
pub(crate) use self::page::Page;
pub use self::post::{Posted, post};

/// Proxy and certificates for web access.
#[derive(Clone, Default)]
pub struct WebConfig {
    /// Additional trusted certificates in PEM format.
    pub extra_roots: Option<String>,
    /// Proxy for all connections; an empty text means none.
    pub proxy: Option<String>,
    /// Hosts, domains and networks that bypass the proxy, separated by commas.
    pub no_proxy: Option<String>,
}

impl fmt::Debug for WebConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // the URL of a proxy may contain a password
        f.debug_struct("WebConfig")
            .field("extra_roots", &self.extra_roots.is_some())
            .field("proxy", &self.proxy.is_some())
            .field("no_proxy", &self.no_proxy)
            .finish()
    }
}

/// Web access of a session.
pub struct Web {
    config: WebConfig,
    gate: Gate,
    secure: OnceLock<reqwest::Client>,
    plain: OnceLock<reqwest::Client>,
    cache: Cache,
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Web")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Web {
    /// Creates a client; opens no connection.
    pub fn new(config: WebConfig) -> Self {
        Self::behind(Gate::public(), config)
    }

    /// Creates a client with a gate.
    fn behind(mut gate: Gate, mut config: WebConfig) -> Self {
        config.proxy = config.proxy.filter(|proxy| !proxy.trim().is_empty());
        // a proxy without a scheme uses http
        let proxy = config.proxy.as_deref().map(str::trim).map(|proxy| {
            let url = Url::parse(proxy).ok().filter(Url::has_host);
            url.or_else(|| Url::parse(&format!("http://{proxy}")).ok())
        });
        gate.proxy = proxy.map(|url| url.and_then(|url| Some(url.host_str()?.to_owned())).unwrap_or_default());
        Self {
            config,
            gate,
            secure: OnceLock::new(),
            plain: OnceLock::new(),
            cache: Cache::default(),
        }
    }

    /// Fetches a page, or returns it from the cache.
    pub(crate) async fn fetch(&self, url: Url) -> Result<Fetched, Trouble> {
        if let Some(page) = self.cache.get(&url) {
            return Ok(Fetched::Page(page));
        }
        let fetched = fetch::fetch(self, url.clone()).await?;
        if let Fetched::Page(page) = &fetched {
            self.cache.put(&url, page);
        }
        Ok(fetched)
    }

    /// Returns the client for a URL.
    fn client(&self, url: &Url) -> Result<&reqwest::Client, Trouble> {
        let proxy = self.config.proxy.as_deref().unwrap_or_default();
        let secure = url.scheme() == "https" || proxy.trim().starts_with("https:");
        let slot = if secure { &self.secure } else { &self.plain };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        let client = self.build(secure).map_err(Trouble::Client)?;
        Ok(slot.get_or_init(|| client))
    }

    fn build(&self, secure: bool) -> Result<reqwest::Client, String> {
        let network = Network {
            proxy: Proxy {
                all: self.config.proxy.clone(),
                no_proxy: self.config.no_proxy.clone(),
                ..Proxy::default()
            },
            extra_roots: self.config.extra_roots.clone(),
            // URLs here are often chosen by a model; a client certificate would identify the user to any server.
            client_certificate: None,
        };
        let builder = network.builder(secure).map_err(|error| error.to_string())?;
        builder
            .dns_resolver(self.gate.resolver())
            .referer(false)
            .user_agent(concat!("sluice/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())
    }
}

#[cfg(test)]
pub(crate) mod tests;
