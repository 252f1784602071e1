//! `WebFetch(domain:…)`: hosts, label by label.

/// The host of `url`, in lower case, without user, port and closing dot.
#[must_use]
pub fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    if !scheme
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
    {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    // What stands before the last `@` is a name and a password, whatever it looks like.
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next()?,
        None => host.split(':').next()?,
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '%' | '<' | '>' | '^' | '|');
    (!host.is_empty() && !host.contains(odd)).then_some(host)
}

/// The host a rule's content speaks of.
#[must_use]
pub fn named(content: &str) -> Option<&str> {
    content.trim().strip_prefix("domain:").map(str::trim)
}

/// Whether the rule for `pattern` covers `host`. `*` stands for one label, or, at the front, for
/// one and more; a name alone is that host and no other.
#[must_use]
pub fn covers(pattern: &str, host: &str) -> bool {
    let pattern = pattern.trim_end_matches('.').to_ascii_lowercase();
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
mod tests {
    use super::*;

    #[test]
    fn hosts_are_parsed_not_guessed() {
        assert_eq!(host("https://Docs.RS:443/x?y").as_deref(), Some("docs.rs"));
        assert_eq!(host("http://a@b.c@evil.test/").as_deref(), Some("evil.test"));
        assert_eq!(host("http://good.test\\@evil.test/").as_deref(), Some("good.test"));
        assert_eq!(host("http://[::1]:80/").as_deref(), Some("::1"));
        assert_eq!(host("http://example.com./").as_deref(), Some("example.com"));
        assert_eq!(host("not a url"), None);
        assert_eq!(host("http://"), None);
    }

    #[test]
    fn labels() {
        assert!(covers("example.com", "example.com"));
        assert!(!covers("example.com", "www.example.com"));
        assert!(covers("*.example.com", "a.b.example.com"));
        assert!(!covers("*.example.com", "example.com"));
        assert!(!covers("*.example.com", "evilexample.com"));
        assert!(covers("api.*.com", "api.x.com"));
    }

    /// Trusted hosts compared by the beginning of the text.
    #[test]
    fn cve_2026_24052_hosts_by_label() {
        let pattern = named("domain:docs.python.org").unwrap_or_default();
        for url in [
            "https://docs.python.org.evil.test/",
            "https://docs.python.org@evil.test/",
            "https://docs.python.orgx/",
        ] {
            assert!(!covers(pattern, &host(url).unwrap_or_default()), "{url}");
        }
    }
}
