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
    /// The same, of one device.
    pub sockets_per_device: usize,
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
            sockets_per_device: 64,
            revoked_grace: Duration::from_millis(100),
        }
    }
}

/// The part of the descriptors that clients may take is one half: the rest is for the database, the connections to
/// runners and the control socket.
const SHARE_OF_CLIENTS: usize = 2;

impl Limits {
    /// Limits connections and WebSockets to their share of the file descriptors of the process.
    #[must_use]
    pub fn within_descriptors(self, descriptors: usize) -> Self {
        let share = descriptors / SHARE_OF_CLIENTS;
        // Three of four are WebSockets, which last.
        let connections = self.connections.min((share / 4).max(1));
        let sockets = self.sockets.min((share - share / 4).max(1));
        Self {
            connections,
            sockets,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_half_of_the_descriptors() {
        let limits = Limits::default().within_descriptors(256);
        assert_eq!((limits.connections, limits.sockets), (32, 96));
        let limits = Limits::default().within_descriptors(1 << 20);
        assert_eq!((limits.connections, limits.sockets), (2048, 4096));
    }
}
