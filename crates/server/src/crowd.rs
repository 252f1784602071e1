//! Limits on connections: before authentication, and on open WebSockets.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::Limits;

#[derive(Debug, Clone)]
pub(crate) struct Crowd {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    connections: usize,
    per_address: usize,
    sockets: usize,
    per_device: usize,
    now: Mutex<Now>,
}

#[derive(Debug, Default)]
struct Now {
    connections: usize,
    addresses: HashMap<IpAddr, usize>,
    sockets: usize,
    devices: HashMap<String, usize>,
}

/// A counted connection or WebSocket; uncounted when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    crowd: Crowd,
    of: PlaceOf,
}

#[derive(Debug)]
enum PlaceOf {
    Connection(IpAddr),
    /// A WebSocket, by the id of its device.
    Socket(String),
}

impl Crowd {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            inner: Arc::new(Inner {
                connections: limits.connections,
                per_address: limits.connections_per_address,
                sockets: limits.sockets,
                per_device: limits.sockets_per_device,
                now: Mutex::default(),
            }),
        }
    }

    /// Counts a connection; `None` if a limit is reached. With `proxy`, all connections come from the proxy's address,
    /// so there is no limit per address.
    pub(crate) fn connection(&self, address: IpAddr, proxy: bool) -> Option<Place> {
        let address = address.to_canonical();
        let mut now = self.now();
        let here = now.addresses.get(&address).copied().unwrap_or(0);
        let most = if address.is_loopback() || proxy {
            usize::MAX
        } else {
            self.inner.per_address
        };
        if now.connections >= self.inner.connections || here >= most {
            return None;
        }
        now.connections += 1;
        now.addresses.insert(address, here + 1);
        Some(Place {
            crowd: self.clone(),
            of: PlaceOf::Connection(address),
        })
    }

    /// Counts a WebSocket of a device; `None` if the limit of the device or the total limit is reached.
    pub(crate) fn socket(&self, device: &str) -> Option<Place> {
        let mut now = self.now();
        let here = now.devices.get(device).copied().unwrap_or(0);
        if now.sockets >= self.inner.sockets || here >= self.inner.per_device {
            return None;
        }
        now.sockets += 1;
        now.devices.insert(device.to_owned(), here + 1);
        Some(Place {
            crowd: self.clone(),
            of: PlaceOf::Socket(device.to_owned()),
        })
    }

    pub(crate) fn connections(&self) -> usize {
        self.now().connections
    }

    pub(crate) fn sockets(&self) -> usize {
        self.now().sockets
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        // Counts are consistent between statements.
        self.inner.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut now = self.crowd.now();
        match &self.of {
            PlaceOf::Connection(address) => {
                now.connections = now.connections.saturating_sub(1);
                leave(&mut now.addresses, address);
            }
            PlaceOf::Socket(device) => {
                now.sockets = now.sockets.saturating_sub(1);
                leave(&mut now.devices, device);
            }
        }
    }
}

/// Decrements a count, and removes it when it is zero.
fn leave<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(here) = counts.get_mut(key) {
        *here = here.saturating_sub(1);
        if *here == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_every_place() {
        let crowd = Crowd::new(&Limits {
            connections: 3,
            connections_per_address: 2,
            sockets: 1,
            ..Limits::default()
        });
        let one: IpAddr = "192.0.2.1".parse().unwrap();
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        let first = crowd.connection(one, false).unwrap();
        let _second = crowd.connection(mapped, false).unwrap();
        assert!(crowd.connection(one, false).is_none());
        let third = crowd.connection(other, false).unwrap();
        assert!(crowd.connection(other, false).is_none(), "full");
        drop(first);
        assert!(crowd.connection(one, false).is_some());
        drop(third);
        let socket = crowd.socket("a").unwrap();
        assert!(crowd.socket("b").is_none());
        drop(socket);
        assert_eq!((crowd.connections(), crowd.sockets()), (1, 0));
        assert_eq!(crowd.now().addresses.len(), 1, "nobody is remembered who is not here");
    }

    #[test]
    fn one_device_cannot_take_every_socket() {
        let crowd = Crowd::new(&Limits::default());
        let mut open: Vec<Place> = (0..64).map(|_| crowd.socket("a").unwrap()).collect();
        assert!(crowd.socket("a").is_none());
        assert!(crowd.socket("b").is_some());
        open.pop();
        open.push(crowd.socket("a").unwrap());
        drop(open);
        assert!(crowd.now().devices.is_empty(), "nobody is remembered who is not here");
    }
}
