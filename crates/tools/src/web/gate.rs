//! The gate: resolves host names, and decides which addresses may be opened.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Name, Resolve, Resolving};

use super::address;
use crate::tool::Pending;

/// Finds the addresses of a name.
type Lookup = Arc<dyn Fn(String) -> Pending<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The gate. Names and judgement are values so that tests can have their own; there is no other way to set them.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) lookup: Lookup,
    pub(super) may_open: fn(IpAddr) -> bool,
    /// The host of the proxy, which someone we trust chose: it may be anywhere.
    pub(super) proxy: Option<String>,
}

/// An address that is not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{host} is at {address}, which is not a public address")]
pub(crate) struct Closed {
    /// The host as the URL names it.
    pub(crate) host: String,
    /// Its address.
    pub(crate) address: IpAddr,
}

impl Gate {
    /// The system's names, and public addresses only.
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

    /// Judges what the resolver does not see: hosts that are addresses, and names which a proxy will resolve. The
    /// latter can only be judged as they look from here; where the connection goes is then the proxy's affair.
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

    /// One closed address closes the host: who mixes them means no good.
    fn admit(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Closed> {
        match addresses.iter().find(|address| !(self.may_open)(**address)) {
            Some(address) => Err(Closed {
                host: host.to_owned(),
                address: *address,
            }),
            None => Ok(()),
        }
    }

    /// What the client connects by: the addresses it gives are the ones that were judged.
    pub(super) fn resolver(&self) -> Arc<Resolver> {
        Arc::new(Resolver(self.clone()))
    }
}

/// The gate as the client's resolver.
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
