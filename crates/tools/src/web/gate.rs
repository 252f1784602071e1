//! The gate: resolves host names and decides which addresses may be connected to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Name, Resolve, Resolving};

use super::address;
use crate::tool::Pending;

/// Resolves a host name.
type Lookup = Arc<dyn Fn(String) -> Pending<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The gate. Resolver and check are fields so that tests can replace them.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) lookup: Lookup,
    pub(super) may_open: fn(IpAddr) -> bool,
    /// Host of the configured proxy, which is trusted and may have any address.
    pub(super) proxy: Option<String>,
}

/// An address that may not be connected to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{host} is at {address}, which is not a public address")]
pub(crate) struct Closed {
    /// Host in the URL.
    pub(crate) host: String,
    /// Address of the host.
    pub(crate) address: IpAddr,
}

impl Gate {
    /// Creates a gate with the system resolver that allows public addresses only.
    pub(super) fn public() -> Self {
        Self {
            lookup: Arc::new(|name| {
                Box::pin(async move {
                    let found = tokio::net::lookup_host((name, 0)).await?;
                    Ok(found.map(|address| address.ip()).collect())
                })
            }),
            may_open: address::is_public,
            proxy: None,
        }
    }

    /// Checks hosts that bypass the resolver: IP addresses, and names that a proxy will resolve. The latter are checked
    /// as they resolve here; the proxy may connect elsewhere.
    pub(super) async fn judge(&self, url: &Url) -> Result<(), Closed> {
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = match bare.parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) if self.proxy.is_some() => (self.lookup)(host.to_owned()).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        self.admit(host, &addresses)
    }

    /// A single forbidden address refuses the host: mixing them indicates an attack.
    fn admit(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Closed> {
        match addresses.iter().find(|address| !(self.may_open)(**address)) {
            Some(address) => Err(Closed {
                host: host.to_owned(),
                address: *address,
            }),
            None => Ok(()),
        }
    }

    /// Returns a resolver for the client that returns only checked addresses.
    pub(super) fn resolver(&self) -> Arc<Resolver> {
        Arc::new(Resolver(self.clone()))
    }
}

/// The gate as a resolver of the HTTP client.
pub(super) struct Resolver(Gate);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let gate = self.0.clone();
        Box::pin(async move {
            let host = name.as_str();
            let found = (gate.lookup)(host.to_owned()).await?;
            if gate.proxy.as_deref() != Some(host) {
                gate.admit(host, &found)?;
            }
            let found: Vec<SocketAddr> = found.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(Box::new(found.into_iter()) as reqwest::dns::Addrs)
        })
    }
}
