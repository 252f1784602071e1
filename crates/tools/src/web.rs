//! The way to the web, for one session: a client that opens public addresses only, and what it fetched lately.
//!
//! A name is resolved by the [`Gate`], which judges every address it has; the connection goes to the addresses that
//! were judged and to no others, so a name cannot mean something else a moment later. Every hop of a redirect
//! passes the gate again.

mod address;
mod cache;
mod clean;
mod fetch;
mod gate;
mod page;
mod tls;

use std::fmt;
use std::sync::OnceLock;

use reqwest::Url;

use self::cache::Cache;
pub(crate) use self::fetch::{Fetched, Moved, Trouble, parse};
use self::gate::Gate;
pub(crate) use self::page::Page;

/// What the surroundings say about the way to the web.
#[derive(Debug, Clone, Default)]
pub struct WebConfig {
    /// Certificates to trust besides the system's, in PEM.
    pub extra_roots: Option<String>,
}

/// The way to the web.
pub struct Web {
    config: WebConfig,
    gate: Gate,
    client: OnceLock<reqwest::Client>,
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

    /// For tests: names and addresses as the gate says.
    fn behind(gate: Gate, config: WebConfig) -> Self {
        Self {
            config,
            gate,
            client: OnceLock::new(),
            cache: Cache::default(),
        }
    }

    /// The page at an address, from the cache if it was fetched lately.
    pub(crate) async fn fetch(&self, url: Url) -> Result<Fetched, Trouble> {
        if let Some(page) = self.cache.get(&url) {
            return Ok(Fetched::Page(page));
        }
        let fetched = fetch::fetch(self.client()?, &self.gate, url.clone()).await?;
        if let Fetched::Page(page) = &fetched {
            self.cache.put(&url, page);
        }
        Ok(fetched)
    }

    fn client(&self) -> Result<&reqwest::Client, Trouble> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = self.build().map_err(Trouble::Client)?;
        Ok(self.client.get_or_init(|| client))
    }

    fn build(&self) -> Result<reqwest::Client, String> {
        let tls = tls::config(self.config.extra_roots.as_deref()).map_err(|error| error.to_string())?;
        reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(self.gate.resolver())
            // redirects are followed by hand: each hop is judged
            .redirect(reqwest::redirect::Policy::none())
            // a proxy would resolve names behind the gate's back
            .no_proxy()
            .referer(false)
            .user_agent(concat!("sluice/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())
    }
}

#[cfg(test)]
pub(crate) mod tests;
