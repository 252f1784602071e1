#![allow(clippy::unwrap_used)]

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

#[test]
fn hosts_are_parsed_not_guessed() {
    for (url, wanted) in [
        ("https://Docs.RS:443/x?y", "docs.rs"),
        ("http://a@b.c@evil.test/", "evil.test"),
        ("http://good.test\\@evil.test/", "good.test"),
        ("http://[::1]:80/", "::1"),
        ("http://example.com./", "example.com"),
        ("http:evil.test", "evil.test"),
        ("http:/evil.test", "evil.test"),
        ("ht\ntp://ev\til.test/", "evil.test"),
        ("git://Evil\u{3002}test/x", "evil.test"),
        ("http://ex%61mple.com", "example.com"),
        ("http://b\u{fc}cher.example", "xn--bcher-kva.example"),
        ("http://[::ffff:7f00:1]/", "127.0.0.1"),
        ("http://0x7f.1/", "127.0.0.1"),
    ] {
        assert_eq!(host(url).as_deref(), Some(wanted), "{url}");
    }
    for none in ["not a url", "http://", "http://a b/", "", "://x"] {
        assert_eq!(host(none), None, "{none}");
    }
}

#[test]
fn labels() {
    assert!(covers("example.com", "example.com"));
    assert!(!covers("example.com", "www.example.com"));
    assert!(covers("*.example.com", "a.b.example.com"));
    assert!(!covers("*.example.com", "example.com"));
    assert!(!covers("*.example.com", "evilexample.com"));
    assert!(covers("api.*.com", "api.x.com"));
    assert!(covers("*", "127.0.0.1"));
}

#[test]
fn patterns_may_be_written_in_any_way_too() {
    for (pattern, url) in [
        ("Example.COM.", "https://example.com"),
        ("*.b\u{fc}cher.example", "https://www.xn--bcher-kva.example"),
        ("evil\u{ff0e}test", "https://evil.test"),
        ("2130706433", "http://127.0.0.1"),
        ("[0:0:0:0:0:0:0:1]", "http://[::1]"),
        ("::ffff:127.0.0.1", "http://127.1"),
        ("127.0.0.1", "http://[::ffff:127.0.0.1]"),
    ] {
        assert!(covers(pattern, &host(url).unwrap()), "{pattern} {url}");
    }
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

/// One letter or dot, as it may also be written.
fn spelled(letter: char, how: u8) -> String {
    let wide = |letter: char| char::from_u32(u32::from(letter) - 0x21 + 0xff01).unwrap();
    match (letter, how % 5) {
        ('.', 1) => "\u{3002}".to_owned(),
        ('.', 2) => "\u{ff0e}".to_owned(),
        ('.', 3) => "\u{ff61}".to_owned(),
        (letter, 1) => letter.to_ascii_uppercase().to_string(),
        (letter, 2) if letter.is_ascii_alphabetic() => wide(letter).to_string(),
        (letter, 3) if letter.is_ascii_alphabetic() => wide(letter.to_ascii_uppercase()).to_string(),
        (letter, 4) => format!("%{:02x}", u32::from(letter)),
        (letter, _) => letter.to_string(),
    }
}

/// A number as C reads it.
fn number(value: u32, how: u8) -> String {
    match how % 4 {
        0 => value.to_string(),
        1 => format!("0x{value:x}"),
        2 => format!("0{value:o}"),
        _ => format!("0X{value:X}"),
    }
}

proptest! {
    #[test]
    fn every_spelling_of_a_name_is_that_name(
        labels in prop::collection::vec("[a-z][a-z0-9]{0,6}", 2..5),
        hows in prop::collection::vec(any::<u8>(), 40),
        dot: bool, port in prop::option::of(1u16..), user in prop::option::of("[a-z.@:]{1,8}"),
    ) {
        let name = labels.join(".");
        let written: String = name.chars().zip(hows).map(|(letter, how)| spelled(letter, how)).collect();
        prop_assume!(written.len() >= name.len());
        let user = user.map(|user| format!("{user}@")).unwrap_or_default();
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        let url = format!("https://{user}{written}{}{port}/x", if dot { "." } else { "" });
        prop_assert_eq!(host(&url), Some(name.clone()), "{}", url);
        prop_assert!(covers(&name, &host(&url).unwrap()));
    }

    #[test]
    fn every_spelling_of_an_address_is_that_address(bits: u32, hows in prop::collection::vec(any::<u8>(), 4), parts in 1usize..5, dot: bool) {
        let address = Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = address.octets().map(u32::from);
        let values = match parts {
            1 => vec![bits],
            2 => vec![a, bits & 0x00ff_ffff],
            3 => vec![a, b, bits & 0xffff],
            _ => vec![a, b, c, d],
        };
        let words: Vec<String> = values.iter().zip(&hows).map(|(value, how)| number(*value, *how)).collect();
        let written = format!("{}{}", words.join("."), if dot { "." } else { "" });
        let same = [
            format!("http://{written}/"),
            format!("http://[::ffff:{address}]/"),
            format!("http://[0:0:0:0:0:ffff:{:x}:{:x}]/", bits >> 16, bits & 0xffff),
        ];
        for url in same {
            prop_assert_eq!(host(&url), Some(address.to_string()), "{}", url);
        }
        prop_assert!(covers(&written, &address.to_string()), "{}", written);
    }

    #[test]
    fn every_spelling_of_a_new_address_is_that_address(segments: [u16; 8], capitals: bool) {
        let address = Ipv6Addr::from(segments);
        prop_assume!(address.to_ipv4_mapped().is_none());
        let long: Vec<String> = segments.iter().map(|part| format!("{part:04x}")).collect();
        let long = if capitals { long.join(":").to_uppercase() } else { long.join(":") };
        for url in [format!("http://[{long}]:8080/"), format!("http://[{address}]/")] {
            prop_assert_eq!(host(&url), Some(address.to_string()));
        }
        prop_assert!(covers(&long, &address.to_string()));
    }

    /// What a tool would connect to is what the rule is held against.
    #[test]
    fn the_host_is_the_one_that_is_connected_to(text in "(https?:)?[/\\\\]{0,3}[a-z0-9.@:\\[\\]%x\u{ff0e}\\\\/?# \t-]{1,24}") {
        if let Ok(url) = Url::parse(text.trim())
            && matches!(url.scheme(), "http" | "https")
            && let Some(found) = url.host()
        {
            let wanted = normal(&found.to_owned());
            prop_assert_eq!(host(&text).unwrap_or_default(), wanted);
        }
    }
}
