//! Checks the `Host` header, which reveals DNS rebinding by other web pages.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Value of the `Host` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authority {
    pub(crate) host: Host,
    pub(crate) port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    Ip(IpAddr),
    /// A name in lower case.
    Name(String),
}

impl Authority {
    /// Parses the value strictly: no user, no path, no empty port.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('[') {
            let (inside, after) = rest.split_once(']')?;
            let address: Ipv6Addr = inside.parse().ok()?;
            let port = match after {
                "" => None,
                after => Some(read_port(after.strip_prefix(':')?)?),
            };
            return Some(Self {
                host: Host::Ip(IpAddr::V6(address).to_canonical()),
                port,
            });
        }
        let (name, port) = match text.split_once(':') {
            Some((name, port)) => (name, Some(read_port(port)?)),
            None => (text, None),
        };
        if let Ok(address) = name.parse::<IpAddr>() {
            return Some(Self {
                host: Host::Ip(address),
                port,
            });
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let readable = !name.is_empty() && name.len() <= 253 && name.bytes().all(allowed);
        readable.then(|| Self {
            host: Host::Name(name.to_ascii_lowercase()),
            port,
        })
    }

    pub(crate) fn port_or_default(&self, secure: bool) -> u16 {
        self.port.unwrap_or(if secure { 443 } else { 80 })
    }

    pub(crate) fn is_same(&self, other: &Self, secure: bool) -> bool {
        self.host == other.host && self.port_or_default(secure) == other.port_or_default(secure)
    }

    pub(crate) fn is_localhost(&self) -> bool {
        matches!(&self.host, Host::Name(name) if name == "localhost")
    }
}

/// Returns the name without its port.
pub(crate) fn without_port(authority: &Authority) -> String {
    let alone = Authority {
        host: authority.host.clone(),
        port: None,
    };
    alone.to_string()
}

fn read_port(text: &str) -> Option<u16> {
    let digits = (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|port| *port != 0)
}

impl fmt::Display for Authority {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Ip(IpAddr::V6(address)) => write!(out, "[{address}]")?,
            Host::Ip(address) => write!(out, "{address}")?,
            Host::Name(name) => out.write_str(name)?,
        }
        match self.port {
            Some(port) => write!(out, ":{port}"),
            None => Ok(()),
        }
    }
}

/// A value of `--host` that is not a host name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no host name\nhint: a name or NAME:PORT, as it stands in the address bar")]
pub struct BadHost(pub String);

/// Accepted host names.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostRules {
    names: Vec<Authority>,
}

impl HostRules {
    /// Creates the rules; `names` are the values of `--host`.
    pub(crate) fn new(names: &[String]) -> Result<Self, BadHost> {
        let read = |name: &String| Authority::read(name).ok_or_else(|| BadHost(name.clone()));
        Ok(Self {
            names: names.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn names(&self) -> &[Authority] {
        &self.names
    }

    /// True if the host is accepted. `local` is the address at which the connection was accepted. A literal address
    /// cannot be rebound, so it is accepted if it is `local`; names are accepted if they are configured.
    pub(crate) fn allow(&self, given: &Authority, local: SocketAddr, secure: bool) -> bool {
        let port = given.port_or_default(secure);
        let local_ip = local.ip().to_canonical();
        let reached = match &given.host {
            Host::Ip(address) => *address == local_ip,
            Host::Name(name) => name == "localhost" && local_ip.is_loopback(),
        };
        let at_local_port = port == local.port();
        (reached && at_local_port)
            || self.names.iter().any(|name| {
                name.host == given.host
                    && match name.port {
                        Some(exactly) => exactly == port,
                        None => at_local_port || given.port.is_none_or(|port| port == if secure { 443 } else { 80 }),
                    }
            })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn allowed(names: &[&str], local: &str, host: &str) -> bool {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let rules = HostRules::new(&names).unwrap();
        Authority::read(host).is_some_and(|given| rules.allow(&given, local.parse().unwrap(), false))
    }

    #[test]
    fn our_own_names_and_addresses_are_allowed_with_our_port_alone() {
        for good in ["127.0.0.1:4747", "localhost:4747", "LocalHost:4747"] {
            assert!(allowed(&[], "127.0.0.1:4747", good), "{good}");
        }
        assert!(allowed(&[], "[::1]:4747", "[::1]:4747"));
        assert!(allowed(&[], "[::ffff:192.0.2.1]:4747", "192.0.2.1:4747"));
        assert!(allowed(&[], "127.0.0.1:80", "localhost"));
        let bad = [
            "evil.test",
            "evil.test:4747",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:04747x",
            "127.0.0.2:4747",
            "127.1:4747",
            "localhost",
            "localhost.:4747",
            "localhost.evil.test:4747",
            "0.0.0.0:4747",
            "[::1]:4747",
            "[::ffff:7f00:2]:4747",
            "a@127.0.0.1:4747",
            "127.0.0.1:4747@evil.test",
            "127.0.0.1:4747/",
            "127.0.0.1:",
            "",
            " ",
            "localhost:4747 ",
            "localhost:0",
            "2130706433:4747",
            "0x7f000001:4747",
        ];
        for host in bad {
            assert!(!allowed(&[], "127.0.0.1:4747", host), "{host}");
        }
        assert!(
            !allowed(&[], "192.0.2.1:4747", "localhost:4747"),
            "localhost is not a name of an outside address"
        );
    }

    #[test]
    fn a_given_name_is_allowed_at_its_port() {
        let local = "10.0.0.5:4747";
        assert!(allowed(&["box.example"], local, "box.example"));
        assert!(allowed(&["box.example"], local, "BOX.example:4747"));
        assert!(!allowed(&["box.example"], local, "box.example:8080"));
        assert!(allowed(&["box.example:8080"], local, "box.example:8080"));
        assert!(!allowed(&["box.example:8080"], local, "box.example"));
        assert!(!allowed(&["box.example"], local, "evil.box.example"));
        assert_eq!(
            HostRules::new(&["http://x".into()]).err(),
            Some(BadHost("http://x".into()))
        );
    }

    proptest! {
        #[test]
        fn parsing_and_formatting_round_trip(text in "\\PC{0,40}") {
            if let Some(read) = Authority::read(&text) {
                prop_assert_eq!(Authority::read(&read.to_string()), Some(read));
            }
        }

        #[test]
        fn no_name_but_localhost_is_allowed_by_default(name in "[a-z0-9._-]{1,30}", port in 1u16..) {
            let host = format!("{name}:{port}");
            let expected = port == 4747 && (name == "localhost" || name == "127.0.0.1");
            prop_assert_eq!(allowed(&[], "127.0.0.1:4747", &host), expected);
        }
    }
}
