//! Binds addresses and ports.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

use super::holder::{Holder, who_listens};
use super::inherit::Inherited;
use super::tls::TlsOptions;

/// Listening options.
#[derive(Debug, Clone, Default)]
pub struct ListenOptions {
    /// Addresses; empty for loopback only.
    pub addresses: Vec<IpAddr>,
    pub port: Port,
    pub tls: Option<TlsOptions>,
    /// True if a proxy terminates TLS; its `X-Forwarded-*` headers are trusted.
    pub behind_proxy: bool,
    /// Host names of the server (`--host`).
    pub hosts: Vec<String>,
    /// Additional Unix socket, for a proxy or programs of this user. Without TLS.
    pub unix: Option<PathBuf>,
    /// Separate listener for metrics.
    pub metrics: Option<SocketAddr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// This port or one of the next hundred.
    From(u16),
    /// Exactly this port; 0 for any.
    Exactly(u16),
}

impl Default for Port {
    fn default() -> Self {
        Self::From(4747)
    }
}

const MAX_PORTS: u16 = 100;

/// Why the server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error(
        "{address} can be reached from other machines, and the connection would not be encrypted\nhint: add --tls (a certificate of your own, or one made here), or --behind-proxy when a proxy in front sees to TLS"
    )]
    NeedsTls { address: IpAddr },
    #[error("port {port} is taken{}\nhint: stop that one, or name another port with --port", by(.holder.as_ref()))]
    Taken { port: u16, holder: Option<Holder> },
    #[error("ports {first} to {last} are all taken\nhint: name a free one with --port")]
    AllTaken { first: u16, last: u16 },
    #[error("port {port} needs root\nhint: name one above 1023 with --port")]
    Privileged { port: u16 },
    #[error("{address} is not an address of this machine\nhint: `ip address` lists them")]
    NotHere { address: IpAddr },
    #[error("cannot listen at {}: {error}\nhint: name a path in a folder of yours with --bind unix:PATH", .path.display())]
    Unix { path: PathBuf, error: io::Error },
    #[error("cannot listen at {address}: {error}")]
    Io { address: SocketAddr, error: io::Error },
}

fn by(holder: Option<&Holder>) -> String {
    holder.map_or_else(
        || " by another user's process".to_owned(),
        |holder| format!(" by {holder}"),
    )
}

/// Bound listeners.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) main: Vec<TcpListener>,
    pub(crate) metrics: Option<TcpListener>,
}

/// Binds the configured addresses, or uses listeners inherited from an earlier process.
pub(crate) fn bind(options: &ListenOptions, inherited: Option<Inherited>) -> Result<Bound, ListenError> {
    let addresses = match options.addresses.as_slice() {
        [] => vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)],
        given => given.to_vec(),
    };
    let metrics = options.metrics.map(|address| address.ip());
    let outside = addresses
        .iter()
        .copied()
        .chain(metrics)
        .find(|address| !address.to_canonical().is_loopback());
    if let Some(address) = outside.filter(|_| options.tls.is_none() && !options.behind_proxy) {
        return Err(ListenError::NeedsTls { address });
    }
    if let Some(inherited) = inherited {
        return Ok(Bound {
            main: inherited.main,
            metrics: inherited.metrics,
        });
    }
    let main = match options.port {
        Port::Exactly(0) => any_port(&addresses)?,
        Port::Exactly(port) => all_at(&addresses, port)?,
        Port::From(first) => first_free(&addresses, first)?,
    };
    let metrics = match options.metrics {
        Some(address) => Some(one_at(address)?),
        None => None,
    };
    Ok(Bound { main, metrics })
}

/// Listens on a Unix socket accessible only to this user. A stale socket is replaced; any other file is kept.
pub(crate) fn bind_unix(path: &Path) -> Result<UnixListener, ListenError> {
    let failed = |error| ListenError::Unix {
        path: path.to_owned(),
        error,
    };
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            return Err(failed(io::Error::new(
                ErrorKind::AlreadyExists,
                "there is another file",
            )));
        }
        Ok(_) if StdUnixStream::connect(path).is_ok() => {
            return Err(failed(io::Error::new(
                ErrorKind::AddrInUse,
                "another process listens there",
            )));
        }
        Ok(_) => fs::remove_file(path).map_err(failed)?,
        Err(_) => {}
    }
    let listener = UnixListener::bind(path).map_err(failed)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

fn first_free(addresses: &[IpAddr], first: u16) -> Result<Vec<TcpListener>, ListenError> {
    let last = first.saturating_add(MAX_PORTS);
    for port in first..=last {
        match all_at(addresses, port) {
            Err(ListenError::Taken { .. }) => {}
            other => return other,
        }
    }
    Err(ListenError::AllTaken { first, last })
}

/// Finds a port that is free on all addresses.
fn any_port(addresses: &[IpAddr]) -> Result<Vec<TcpListener>, ListenError> {
    let first = addresses.first().copied().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let mut tries = 0;
    loop {
        let probe = one_at(SocketAddr::new(first, 0))?;
        let address = SocketAddr::new(first, 0);
        let port = probe
            .local_addr()
            .map_err(|error| ListenError::Io { address, error })?
            .port();
        drop(probe);
        tries += 1;
        match all_at(addresses, port) {
            Err(ListenError::Taken { .. }) if tries < MAX_PORTS => {}
            other => return other,
        }
    }
}

/// Binds all addresses at one port, or none: another program could use the port on the remaining ones.
fn all_at(addresses: &[IpAddr], port: u16) -> Result<Vec<TcpListener>, ListenError> {
    let mut listeners = Vec::new();
    for address in addresses {
        match one_at(SocketAddr::new(*address, port)) {
            Ok(listener) => listeners.push(listener),
            // A machine without IPv6 has no ::1.
            Err(ListenError::NotHere { address }) if address.is_loopback() && !listeners.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(listeners)
}

fn one_at(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let (port, ip) = (address.port(), address.ip());
    TcpListener::bind(address).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => ListenError::Taken {
            port,
            holder: who_listens(port),
        },
        ErrorKind::PermissionDenied => ListenError::Privileged { port },
        ErrorKind::AddrNotAvailable | ErrorKind::Unsupported => ListenError::NotHere { address: ip },
        _ if error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error()) => {
            ListenError::NotHere { address: ip }
        }
        _ => ListenError::Io { address, error },
    })
}
