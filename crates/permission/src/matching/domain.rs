//! `WebFetch(domain:…)`: hosts, compared label by label.
//!
//! A host can be written in many ways: in capitals, with dots and letters of other scripts, as a number. It is parsed
//! as the code that fetches it parses it, and rules are compared with the result.

use std::net::Ipv6Addr;

use url::{Host, Url};

/// The host of `url` as it is looked up, without user, port and closing dot.
#[must_use]
pub fn host(url: &str) -> Option<String> {
    let url = url.trim();
    let parsed = match Url::parse(url).ok() {
        Some(parsed) if matches!(parsed.scheme(), "http" | "https" | "ws" | "wss" | "ftp") => parsed,
        // Only the hosts of these are parsed by themselves.
        _ => {
            let (scheme, rest) = url.split_once("://")?;
            let is_scheme = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-');
            let named = !scheme.is_empty() && scheme.bytes().all(is_scheme);
            let known = named.then(|| format!("http://{rest}"))?;
            Url::parse(&known).ok()?
        }
    };
    let host = normal(&parsed.host()?.to_owned());
    (!host.is_empty()).then_some(host)
}

/// One way to write a host.
fn normal(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.trim_end_matches('.').to_ascii_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => of_six(*address),
    }
}

/// An address of the old kind may be written as one of the new.
fn of_six(address: Ipv6Addr) -> String {
    match address.to_ipv4_mapped() {
        Some(inner) => inner.to_string(),
        None => address.to_string(),
    }
}

/// Replaces `*` while a pattern is parsed: a label that no host has.
const ANY: &str = "sluice--any--label";

/// A pattern as hosts are written.
fn normal_pattern(pattern: &str) -> String {
    let pattern = pattern.trim();
    let bare = pattern.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Ok(address) = bare.unwrap_or(pattern).parse::<Ipv6Addr>() {
        return of_six(address);
    }
    // The full stops of other scripts.
    let pattern = pattern.replace(['\u{3002}', '\u{ff0e}', '\u{ff61}'], ".");
    let labels: Vec<&str> = pattern
        .split('.')
        .map(|label| if label == "*" { ANY } else { label })
        .collect();
    match Host::parse(&labels.join(".")) {
        Ok(host) => {
            let name = normal(&host);
            let labels: Vec<&str> = name
                .split('.')
                .map(|label| if label == ANY { "*" } else { label })
                .collect();
            labels.join(".")
        }
        Err(_) => pattern.trim_end_matches('.').to_ascii_lowercase(),
    }
}

/// The host in a rule's content.
#[must_use]
pub fn named(content: &str) -> Option<&str> {
    content.trim().strip_prefix("domain:").map(str::trim)
}

/// Whether the rule for `pattern` covers `host`. `*` matches one label, or, at the front, one
/// or more; a name alone is that host and no other.
#[must_use]
pub fn covers(pattern: &str, host: &str) -> bool {
    let pattern = normal_pattern(pattern);
    if pattern == "*" {
        return true;
    }
    let mut pattern: Vec<&str> = pattern.split('.').rev().collect();
    let host: Vec<&str> = host.split('.').rev().collect();
    let open = pattern.last() == Some(&"*");
    if open {
        pattern.pop();
    }
    let fits = if open {
        host.len() > pattern.len()
    } else {
        host.len() == pattern.len()
    };
    fits && pattern
        .iter()
        .zip(&host)
        .all(|(want, have)| *want == "*" || want == have)
}

#[cfg(test)]
#[path = "domain_tests.rs"]
mod tests;
