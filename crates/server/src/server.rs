//! The server: start and stop.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::access::{Access, unix_ms};
use crate::backend::Backend;
use crate::control::{self, Control, Wanted};
use crate::crowd::Crowd;
use crate::guard::{BadHost, HostRules};
use crate::limits::Limits;
use crate::listen::{
    Accepting, Bound, Inheritance, Inherited, ListenError, ListenOptions, Surface, Tls, TlsError, accept, accept_unix,
    bind, bind_unix, prepare,
};
use crate::metrics::Metrics;
use crate::page::{self, Page};
use crate::push::Push;
use crate::state::{BridgeNote, StateFolder};
use crate::web::{Door, Quiet};

/// Configuration of the server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub listen: ListenOptions,
    pub limits: Limits,
    /// Version of the program, for `/api/health`.
    pub version: String,
    pub page: Page,
    /// Push messages to disconnected devices.
    pub push: Option<Push>,
}

impl ServerOptions {
    pub fn new(version: impl Into<String>) -> Self {
        Self {
            listen: ListenOptions::default(),
            limits: Limits::default(),
            version: version.into(),
            page: Page::EMBEDDED,
            push: None,
        }
    }
}

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Host(#[from] BadHost),
    #[error(
        "the control socket could not be opened in the state folder: {0}\nhint: a shorter path with --state may help"
    )]
    Control(#[source] io::Error),
    #[error("the server could not be set up: {0}")]
    Io(#[from] io::Error),
}

/// The server.
#[derive(Debug)]
pub struct Server;

/// A running server. Dropping it stops it immediately.
pub struct Running {
    addresses: Vec<SocketAddr>,
    metrics_address: Option<SocketAddr>,
    urls: Vec<String>,
    fingerprint: Option<String>,
    door: Arc<Door>,
    state: StateFolder,
    listeners: Bound,
    wanted: mpsc::Receiver<Wanted>,
    stop: CancellationToken,
    tracker: TaskTracker,
    /// Cancels all connections when dropped.
    _end: [DropGuard; 2],
}

impl Server {
    /// Binds the addresses and accepts connections. `inherited` is the result of [`Inherited::take`].
    ///
    /// # Errors
    /// See [`StartError`]; each error says how to fix it.
    pub async fn start(
        options: ServerOptions,
        inherited: Option<Inherited>,
        state: StateFolder,
        access: Access,
        backend: Arc<dyn Backend>,
    ) -> Result<Running, StartError> {
        let ServerOptions {
            listen,
            limits,
            version,
            page,
            push,
        } = options;
        let hosts = HostRules::new(&listen.hosts)?;
        let listeners = bind(&listen, inherited)?;
        let addresses = local_addresses(&listeners.main)?;
        let shown = shown(&addresses);
        let metrics_address = listeners.metrics.as_ref().map(TcpListener::local_addr).transpose()?;
        let tls = match &listen.tls {
            Some(options) => Some(prepare(options, state.path(), certificate_names(&shown, &hosts))?),
            None => None,
        };
        let control_socket = control::listen(state.path()).map_err(StartError::Control)?;
        let urls = urls(&shown, &hosts, tls.is_some(), listen.behind_proxy);
        access.set_bases(urls.clone());
        let note = BridgeNote {
            pid: std::process::id(),
            started_at: unix_ms(),
            addresses: urls.clone(),
            version: version.clone(),
        };
        state.write_note(&note)?;
        let tracker = TaskTracker::new();
        let door = Arc::new(Door {
            access,
            backend,
            hosts,
            behind_proxy: listen.behind_proxy,
            metrics: Metrics::new(&version, page::BUILD),
            crowd: Crowd::new(&limits),
            uploads: Semaphore::new(limits.uploads),
            push,
            quiet: Quiet::default(),
            limits,
            page,
            version,
            cut: CancellationToken::new(),
            sockets: tracker.clone(),
        });
        let stop = CancellationToken::new();
        let accepting = Accepting {
            door: door.clone(),
            tls: tls.clone(),
            stop: stop.clone(),
            tracker: tracker.clone(),
        };
        start_accepting(&listeners, &accepting)?;
        if let Some(path) = &listen.unix {
            let listener = bind_unix(path)?;
            let local = addresses
                .first()
                .copied()
                .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 80)));
            tracker.spawn(accept_unix(listener, local, accepting));
        }
        let fingerprint = tls.as_ref().map(Tls::fingerprint);
        let (wanting, wanted) = mpsc::channel(4);
        let control = Arc::new(Control {
            door: door.clone(),
            note,
            fingerprint: fingerprint.clone(),
            wanted: wanting,
        });
        tokio::spawn(control.run(control_socket, stop.clone()));
        tracing::info!(addresses = ?urls, tls = fingerprint.is_some(), proxy = listen.behind_proxy, "listening");
        let end = [stop.clone().drop_guard(), door.cut.clone().drop_guard()];
        Ok(Running {
            addresses,
            metrics_address,
            urls,
            fingerprint,
            door,
            state,
            listeners,
            wanted,
            stop,
            tracker,
            _end: end,
        })
    }
}

fn start_accepting(listeners: &Bound, accepting: &Accepting) -> io::Result<()> {
    let main = listeners.main.iter().map(|listener| (listener, Surface::All));
    let metrics = listeners.metrics.iter().map(|listener| (listener, Surface::Metrics));
    for (listener, surface) in main.chain(metrics) {
        // A copy: the original remains for a process that takes over.
        let listener = listener.try_clone()?;
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        accepting.tracker.spawn(accept(listener, surface, accepting.clone()));
    }
    Ok(())
}

fn local_addresses(listeners: &[TcpListener]) -> io::Result<Vec<SocketAddr>> {
    listeners.iter().map(TcpListener::local_addr).collect()
}

/// Returns usable addresses: an unspecified address is replaced by loopback and the outgoing address of this machine.
fn shown(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let mut shown = Vec::new();
    for address in addresses {
        if address.ip().is_unspecified() {
            let own = if address.is_ipv4() {
                IpAddr::from([127, 0, 0, 1])
            } else {
                IpAddr::from(Ipv6Addr::LOCALHOST)
            };
            let ips = [Some(own), outward(address.is_ipv4())];
            shown.extend(ips.into_iter().flatten().map(|ip| SocketAddr::new(ip, address.port())));
        } else {
            shown.push(*address);
        }
    }
    shown
}

/// Returns the source address of packets to other networks. Nothing is sent; the target is reserved for documentation.
fn outward(four: bool) -> Option<IpAddr> {
    let (from, to) = if four {
        ("0.0.0.0:0", "192.0.2.1:9")
    } else {
        ("[::]:0", "[2001:db8::1]:9")
    };
    let socket = std::net::UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

/// Returns the URLs of the server. Configured names come first, because other machines can reach them.
fn urls(addresses: &[SocketAddr], hosts: &HostRules, tls: bool, behind_proxy: bool) -> Vec<String> {
    let named = hosts.names().iter().map(|name| match (behind_proxy, name.port) {
        (true, _) => format!("https://{name}"),
        (false, Some(_)) => format!("{}://{name}", scheme(tls)),
        (false, None) => format!("{}://{name}{}", scheme(tls), suffix(addresses, tls)),
    });
    let numbers = addresses
        .iter()
        .filter(|address| !address.ip().is_unspecified())
        .map(|address| {
            let port = suffix(&[*address], tls);
            match address.ip().to_canonical() {
                IpAddr::V6(ip) => format!("{}://[{ip}]{port}", scheme(tls)),
                ip @ IpAddr::V4(_) => format!("{}://{ip}{port}", scheme(tls)),
            }
        });
    named.chain(numbers).collect()
}

fn scheme(tls: bool) -> &'static str {
    if tls { "https" } else { "http" }
}

fn suffix(addresses: &[SocketAddr], tls: bool) -> String {
    match addresses.first().map(SocketAddr::port) {
        None => String::new(),
        Some(port) if port == if tls { 443 } else { 80 } => String::new(),
        Some(port) => format!(":{port}"),
    }
}

fn certificate_names(addresses: &[SocketAddr], hosts: &HostRules) -> BTreeSet<String> {
    let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let given = hosts.names().iter().map(|name| {
        let text = crate::guard::without_port(name);
        text.trim_matches(['[', ']']).to_owned()
    });
    let bound = addresses.iter().map(|address| address.ip().to_string());
    own.into_iter().chain(given).chain(bound).collect()
}

impl Running {
    /// Returns the bound addresses.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// Returns the URLs for a browser; [`Access::offer`] adds a code.
    pub fn urls(&self) -> &[String] {
        &self.urls
    }

    /// Returns the SHA-256 fingerprint of a self-signed certificate.
    pub fn fingerprint(&self) -> Option<&str> {
        self.fingerprint.as_deref()
    }

    /// Waits for the next request on the control socket that concerns the whole program.
    pub async fn wanted(&mut self) -> Wanted {
        match self.wanted.recv().await {
            Some(wanted) => wanted,
            // The control socket closes only after `stop`.
            None => std::future::pending().await,
        }
    }

    /// Returns copies of the listeners for the next program. New connections wait meanwhile.
    ///
    /// # Errors
    /// No file descriptors are left.
    pub fn inheritance(&self) -> io::Result<Inheritance> {
        Inheritance::of_this_program(&self.listeners.main, self.listeners.metrics.as_ref())
    }

    /// Stops accepting connections, notifies the backend, waits for open connections, and closes them at the deadline.
    /// Returns the state folder, still locked.
    pub async fn stop(self, grace: Duration) -> StateFolder {
        let deadline = Instant::now() + grace;
        self.stop.cancel();
        if timeout_at(deadline, self.door.backend.closing()).await.is_err() {
            tracing::warn!("the sessions did not close in time");
        }
        self.tracker.close();
        if timeout_at(deadline, self.tracker.wait()).await.is_err() {
            let left = self.door.crowd.sockets();
            tracing::warn!(sockets = left, "clients were cut off");
            self.door.cut.cancel();
            self.tracker.wait().await;
        }
        self.state.remove_note();
        let path = self.state.path().join(control::SOCKET);
        // The next start removes it otherwise.
        std::fs::remove_file(path).ok();
        tracing::info!("stopped");
        self.state
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Running")
            .field("urls", &self.urls)
            .finish_non_exhaustive()
    }
}
