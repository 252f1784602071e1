//! Web access of one session: a client that opens public addresses only, and a cache of what it fetched.
//!
//! A name is resolved by the [`Gate`], which checks every address; the connection goes to the checked addresses and to
//! no others, so a name cannot change its meaning in between. Every redirect is checked again. Behind a proxy the
//! proxy makes the connection, so the gate checks the names beforehand and cannot enforce the address.

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
    /// Certificates to trust besides the system's, in PEM.
    pub extra_roots: Option<String>,
    /// The proxy everything goes through; an empty text counts as none.
    pub proxy: Option<String>,
    /// Hosts, domains and networks reached directly all the same, separated by commas.
    pub no_proxy: Option<String>,
}

impl fmt::Debug for WebConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // a proxy's address may hold a password
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
    /// Nothing is opened before something is fetched.
    pub fn new(config: WebConfig) -> Self {
        Self::behind(Gate::public(), config)
    }

    /// Names and addresses as the gate says.
    fn behind(mut gate: Gate, mut config: WebConfig) -> Self {
        config.proxy = config.proxy.filter(|proxy| !proxy.trim().is_empty());
        // without a scheme it is plain http
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

    /// The page at an address, from the cache if it was fetched lately.
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

    /// The client for this address.
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
            // Addresses here are often chosen by a model: none of them learns who the person is.
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
