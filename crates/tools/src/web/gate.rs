//! Who says which addresses a name has, and which of them may be opened.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Name, Resolve, Resolving};

use super::address;
use crate::tool::Pending;

/// Finds the addresses of a name.
type Lookup = Arc<dyn Fn(String) -> Pending<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The gate. The two halves are values so that tests can have names and addresses of their own; there is no other
/// way to set them.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) lookup: Lookup,
    pub(super) may_open: fn(IpAddr) -> bool,
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
        }
    }

    /// A host that is an address needs no name service and never reaches the resolver, so it is judged here.
    pub(super) fn judge(&self, url: &Url) -> Result<(), Closed> {
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) if !(self.may_open)(address) => Err(Closed {
                host: host.to_owned(),
                address,
            }),
            _ => Ok(()),
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
        let Gate { lookup, may_open } = self.0.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = lookup(host.clone()).await?;
            // one closed address closes the name: who mixes them means no good
            if let Some(address) = found.iter().copied().find(|address| !may_open(*address)) {
                return Err(Closed { host, address }.into());
            }
            let found: Vec<SocketAddr> = found.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(Box::new(found.into_iter()) as reqwest::dns::Addrs)
        })
    }
}
