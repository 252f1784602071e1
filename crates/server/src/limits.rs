//! Limits: sizes, counts, timeouts.

use std::time::Duration;

/// What one client, or all together, may take of the server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// For the request line and headers, and for the next request on a connection that stays open.
    pub header_timeout: Duration,
    pub header_bytes: usize,
    pub headers: usize,
    pub tls_handshake: Duration,
    /// Longest pause in a body.
    pub body_stall: Duration,
    /// Bytes a second a body has to reach on the whole.
    pub body_rate: u64,
    /// Largest JSON body.
    pub json_bytes: usize,
    /// Largest image.
    pub upload_bytes: usize,
    /// Images being received at once.
    pub uploads: usize,
    /// Longest time a client takes nothing of what is sent to it.
    pub write_stall: Duration,
    /// Connections open at once, sockets not counted.
    pub connections: usize,
    /// The same, of one address; this machine's own are bound by `connections` alone.
    pub connections_per_address: usize,
    /// WebSockets open at once.
    pub sockets: usize,
    /// How long a backend may take to let go of the socket of a revoked device.
    pub revoked_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(15),
            header_bytes: 16 * 1024,
            headers: 64,
            tls_handshake: Duration::from_secs(10),
            body_stall: Duration::from_secs(10),
            body_rate: 32 * 1024,
            json_bytes: 16 * 1024,
            upload_bytes: 20 * 1024 * 1024,
            uploads: 4,
            write_stall: Duration::from_secs(60),
            connections: 2048,
            connections_per_address: 128,
            sockets: 4096,
            revoked_grace: Duration::from_millis(100),
        }
    }
}
