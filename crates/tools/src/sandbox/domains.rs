//! Allowed domains, compared label by label instead of as text.

use std::net::IpAddr;

/// An entry of a domain list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// `*`: every host.
    Any,
    /// `example.com`: this host.
    Host(String),
    /// `*.example.com`: every subdomain.
    Below(String),
    /// An IP address.
    Address(IpAddr),
}

/// Domain lists of the settings. With an empty list, no host is reachable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Domains {
    /// `allowedDomains`.
    pub allowed: Vec<Pattern>,
    /// `deniedDomains`, which take precedence.
    pub denied: Vec<Pattern>,
}

impl Pattern {
    /// Parses an entry.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        match (text.strip_prefix("*."), canonical(text)) {
            (Some(rest), _) => match canonical(rest)? {
                Host::Name(name) => Some(Self::Below(name)),
                Host::Address(_) => None,
            },
            (None, Some(Host::Name(name))) => Some(Self::Host(name)),
            (None, Some(Host::Address(address))) => Some(Self::Address(address)),
            (None, None) => None,
        }
    }

    fn matches(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::Any, _) => true,
            (Self::Host(name), Host::Name(host)) => name == host,
            (Self::Below(parent), Host::Name(host)) => host
                .strip_suffix(parent.as_str())
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            (Self::Address(address), Host::Address(host)) => address == host,
            _ => false,
        }
    }
}

/// The host of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    Name(String),
    Address(IpAddr),
}

/// Normalizes a host name: lower case, no trailing dot, only valid characters.
pub(super) fn canonical(text: &str) -> Option<Host> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Some(Host::Address(address.to_canonical()));
    }
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    (name.len() <= 253 && name.split('.').all(label)).then_some(Host::Name(name))
}

impl Domains {
    /// True if no host is allowed.
    pub(super) fn is_none(&self) -> bool {
        self.allowed.is_empty()
    }

    /// True if the lists allow a host.
    pub(super) fn allows(&self, host: &Host) -> bool {
        self.allowed.iter().any(|pattern| pattern.matches(host)) && !self.denies(host)
    }

    /// True if a resolved address may be connected to: public addresses, and listed ones. Listing a name that resolves
    /// to a private address does not allow it.
    pub(super) fn opens(&self, host: &Host, address: IpAddr) -> bool {
        let found = Host::Address(address.to_canonical());
        if self.denies(&found) {
            return false;
        }
        let listed = |wanted: &Host| {
            self.allowed
                .iter()
                .any(|pattern| !matches!(pattern, Pattern::Any) && pattern.matches(wanted))
        };
        let own = *host == Host::Name("localhost".to_owned()) && address.is_loopback() && listed(host);
        crate::web::is_public(address) || listed(&found) || own
    }

    fn denies(&self, host: &Host) -> bool {
        self.denied.iter().any(|pattern| pattern.matches(host))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn domains(allowed: &[&str], denied: &[&str]) -> Domains {
        let list = |list: &[&str]| list.iter().map(|text| Pattern::parse(text).unwrap()).collect();
        Domains {
            allowed: list(allowed),
            denied: list(denied),
        }
    }

    /// CVE-2025-66479: an empty list allowed every host.
    #[test]
    fn cve_2025_66479_an_empty_list_allows_nothing() {
        let none = domains(&[], &[]);
        assert!(none.is_none());
        assert!(!none.allows(&canonical("example.com").unwrap()));
    }

    /// CVE-2026-24052: hosts were compared by prefix.
    #[test]
    fn cve_2026_24052_hosts_are_compared_by_labels() {
        let some = domains(&["example.com", "*.example.org", "192.0.2.7"], &["bad.example.org"]);
        for (host, allowed) in [
            ("example.com", true),
            ("EXAMPLE.com.", true),
            ("www.example.com", false),
            ("example.com.evil.net", false),
            ("notexample.com", false),
            ("a.example.org", true),
            ("a.b.example.org", true),
            ("example.org", false),
            ("bad.example.org", false),
            ("evilexample.org", false),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
        ] {
            assert_eq!(some.allows(&canonical(host).unwrap()), allowed, "{host}");
        }
        for odd in [
            "",
            ".",
            "a..b",
            "exa mple.com",
            "example.com\0.evil.net",
            "a/b",
            "exämple.com",
        ] {
            assert_eq!(canonical(odd), None, "{odd:?}");
        }
        assert_eq!(Pattern::parse("*.*.com"), None);
        assert_eq!(Pattern::parse("*.1.2.3.4"), None);
    }

    #[test]
    fn names_of_private_addresses_are_not_allowed() {
        let some = domains(&["*", "10.1.2.3"], &["8.8.8.8"]);
        let name = canonical("a.example").unwrap();
        for (address, opened) in [
            ("1.1.1.1", true),
            ("8.8.8.8", false),
            ("127.0.0.1", false),
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("10.1.2.4", false),
            ("169.254.169.254", false),
            ("::1", false),
        ] {
            assert_eq!(some.opens(&name, address.parse().unwrap()), opened, "{address}");
        }
        let own = domains(&["localhost"], &[]);
        assert!(own.opens(&canonical("localhost").unwrap(), "127.0.0.1".parse().unwrap()));
        assert!(!own.opens(&canonical("localhost").unwrap(), "10.0.0.1".parse().unwrap()));
        assert!(!own.opens(&name, "127.0.0.1".parse().unwrap()));
    }
}
