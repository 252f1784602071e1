//! Limits: sizes, counts, timeouts.

use std::time::Duration;

/// Limits for a client, or for all clients together.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Timeout for the request line and headers, and for the next request on an open connection.
    pub header_timeout: Duration,
    pub header_bytes: usize,
    pub headers: usize,
    pub tls_handshake: Duration,
    /// Maximum pause while receiving a body.
    pub body_stall: Duration,
    /// Minimum average rate of a body in bytes per second.
    pub body_rate: u64,
    /// Maximum size of a JSON body.
    pub json_bytes: usize,
    /// Maximum size of an image.
    pub upload_bytes: usize,
    /// Maximum number of concurrent image uploads.
    pub uploads: usize,
    /// Maximum time without progress while sending to a client.
    pub write_stall: Duration,
    /// Maximum number of open connections without WebSockets.
    pub connections: usize,
    /// As `connections`, per address; not applied to this machine.
    pub connections_per_address: usize,
    /// Maximum number of open WebSockets.
    pub sockets: usize,
    /// As `sockets`, per device.
    pub sockets_per_device: usize,
    /// Time a backend has to close the WebSocket of a revoked device.
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

/// Clients may use half of the file descriptors: the rest is for the database, runners and the control socket.
const SHARE_OF_CLIENTS: usize = 2;

impl Limits {
    /// Limits connections and WebSockets to their share of the file descriptors of the process.
    #[must_use]
    pub fn within_descriptors(self, descriptors: usize) -> Self {
        let share = descriptors / SHARE_OF_CLIENTS;
        // Three quarters are WebSockets, which are long-lived.
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
