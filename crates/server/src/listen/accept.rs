//! Accepts connections and serves HTTP on them.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::tls::Tls;
use super::transport::Transport;
use crate::crowd::Place;
use crate::guard::{Arrival, Reason};
use crate::web::{Door, serve_metrics};

/// Service provided by a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    All,
    Metrics,
}

/// State shared by all connections.
#[derive(Clone)]
pub(crate) struct Accepting {
    pub(crate) door: Arc<Door>,
    pub(crate) tls: Option<Tls>,
    /// Stops accepting connections; requests in progress complete.
    pub(crate) stop: CancellationToken,
    pub(crate) tracker: TaskTracker,
}

pub(crate) async fn accept(listener: TcpListener, surface: Surface, accepting: Accepting) {
    loop {
        let accepted = tokio::select! {
            () = accepting.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely out of descriptors, which become free when connections close.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(place) = accepting.place(peer.ip()) else {
            continue;
        };
        accepting
            .tracker
            .spawn(tcp(stream, peer, surface, accepting.clone(), place));
    }
}

/// Accepts connections on a Unix socket. Its clients count as clients of this machine at the address `local`.
pub(crate) async fn accept_unix(listener: UnixListener, local: SocketAddr, accepting: Accepting) {
    let peer = IpAddr::from([127, 0, 0, 1]);
    loop {
        let accepted = tokio::select! {
            () = accepting.stop.cancelled() => {
                remove(&listener);
                return;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let Some(place) = accepting.place(peer) else { continue };
                let transport = Transport::unix(stream, accepting.door.limits.write_stall);
                let arrival = Arrival {
                    local,
                    peer,
                    tls: false,
                    unix: true,
                };
                let serving = serve(transport, arrival, Surface::All, accepting.clone(), place);
                accepting.tracker.spawn(serving);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection to the Unix socket could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Removes the file of a closed Unix socket.
fn remove(listener: &UnixListener) {
    let address = listener.local_addr().ok();
    if let Some(path) = address.as_ref().and_then(|address| address.as_pathname()) {
        // It may have been removed by another program.
        std::fs::remove_file(path).ok();
    }
}

impl Accepting {
    /// Counts a connection from an address; `None` if there are too many.
    fn place(&self, address: IpAddr) -> Option<Place> {
        let door = &self.door;
        door.metrics.accepted();
        let place = door.crowd.connection(address, door.behind_proxy);
        if place.is_none() {
            door.metrics.refused(Reason::Crowded);
            if let Some(left_out) = door.quiet.say() {
                tracing::warn!(%address, left_out, "too many connections");
            }
        }
        place
    }
}

async fn tcp(stream: TcpStream, peer: SocketAddr, surface: Surface, accepting: Accepting, place: Place) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    // Deltas are small and should be sent immediately. An error only delays them.
    stream.set_nodelay(true).ok();
    let limits = &accepting.door.limits;
    let transport = match &accepting.tls {
        None => Transport::plain(stream, limits.write_stall),
        Some(tls) => match timeout(limits.tls_handshake, tls.acceptor().accept(stream)).await {
            Ok(Ok(stream)) => Transport::tls(stream, limits.write_stall),
            Ok(Err(error)) => {
                tracing::debug!(address = %peer.ip(), %error, "the TLS handshake failed");
                return;
            }
            Err(_) => return,
        },
    };
    let arrival = Arrival {
        local,
        peer: peer.ip(),
        tls: accepting.tls.is_some(),
        unix: false,
    };
    serve(transport, arrival, surface, accepting, place).await;
}

/// Serves HTTP on a connection.
async fn serve(transport: Transport, arrival: Arrival, surface: Surface, accepting: Accepting, place: Place) {
    let limits = &accepting.door.limits;
    let door = accepting.door.clone();
    let service = service_fn(move |request| {
        let door = door.clone();
        async move {
            match surface {
                Surface::All => door.answer(arrival, request).await,
                Surface::Metrics => serve_metrics(&door, arrival, request).await,
            }
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_header_size(limits.header_bytes)
        .max_buf_size(limits.header_bytes.max(64 * 1024))
        .max_headers(limits.headers)
        .half_close(false);
    let connection = builder
        .serve_connection(TokioIo::new(transport), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let cut = accepting.door.cut.clone();
    let mut stopping = false;
    let ended = loop {
        tokio::select! {
            ended = connection.as_mut() => break ended,
            () = cut.cancelled() => return,
            () = accepting.stop.cancelled(), if !stopping => {
                stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    };
    if let Err(error) = ended {
        // The error must not quote request data; hyper's does not.
        tracing::debug!(address = %arrival.peer, %error, "a connection broke");
    }
    drop(place);
}
