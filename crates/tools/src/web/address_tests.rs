#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;

use super::*;

fn public(text: &str) -> bool {
    is_public(text.parse().unwrap())
}

#[test]
fn the_edges_of_every_block_are_where_they_should_be() {
    let blocks = [
        ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
        ("10.0.0.0", "10.255.255.255", Some("9.255.255.255"), Some("11.0.0.0")),
        (
            "100.64.0.0",
            "100.127.255.255",
            Some("100.63.255.255"),
            Some("100.128.0.0"),
        ),
        (
            "127.0.0.0",
            "127.255.255.255",
            Some("126.255.255.255"),
            Some("128.0.0.0"),
        ),
        (
            "168.63.129.16",
            "168.63.129.16",
            Some("168.63.129.15"),
            Some("168.63.129.17"),
        ),
        (
            "169.254.0.0",
            "169.254.255.255",
            Some("169.253.255.255"),
            Some("169.255.0.0"),
        ),
        (
            "172.16.0.0",
            "172.31.255.255",
            Some("172.15.255.255"),
            Some("172.32.0.0"),
        ),
        (
            "192.168.0.0",
            "192.168.255.255",
            Some("192.167.255.255"),
            Some("192.169.0.0"),
        ),
        (
            "198.18.0.0",
            "198.19.255.255",
            Some("198.17.255.255"),
            Some("198.20.0.0"),
        ),
        ("224.0.0.0", "255.255.255.255", Some("223.255.255.255"), None),
    ];
    for (first, last, before, after) in blocks {
        assert!(!public(first) && !public(last), "{first} {last}");
        assert!(before.is_none_or(public) && after.is_none_or(public), "around {first}");
    }
}

#[test]
fn metadata_services_are_not_public_however_they_are_written() {
    for text in [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "fd00:ec2::254",
        "fe80::a9fe:a9fe",
        "::ffff:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "::169.254.169.254",
        "::1",
        "::",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "2001::1",
        "3fff::1",
        "4000::1",
    ] {
        assert!(!public(text), "{text}");
    }
    for text in [
        "2606:4700::1111",
        "2a00:1450:4001::64",
        "64:ff9b::8.8.8.8",
        "::ffff:8.8.8.8",
        "2001:4860:4860::8888",
    ] {
        assert!(public(text), "{text}");
    }
}

proptest! {
    #[test]
    fn what_the_standard_library_calls_private_is_not_public(bits: u32) {
        let address = Ipv4Addr::from_bits(bits);
        let known = address.is_private() || address.is_loopback() || address.is_link_local() || address.is_multicast()
            || address.is_broadcast() || address.is_documentation() || address.is_unspecified();
        prop_assert!(!(known && is_public(address.into())));
    }

    #[test]
    fn an_ipv4_address_in_ipv6_clothes_is_judged_as_ipv4(bits: u32) {
        let address = Ipv4Addr::from_bits(bits);
        let bare = is_public(address.into());
        prop_assert_eq!(is_public(address.to_ipv6_mapped().into()), bare);
        let [a, b, c, d] = address.octets().map(u16::from);
        let translated = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a << 8 | b, c << 8 | d);
        prop_assert_eq!(is_public(translated.into()), bare);
        prop_assert!(!is_public(address.to_ipv6_compatible().into()));
        prop_assert!(!is_public(Ipv6Addr::new(0x2002, a << 8 | b, c << 8 | d, 0, 0, 0, 0, 1).into()));
    }

    #[test]
    fn nothing_local_in_ipv6_is_public(bits: u128) {
        let address = Ipv6Addr::from_bits(bits);
        let known = address.is_unique_local() || address.is_unicast_link_local() || address.is_multicast()
            || address.is_loopback() || address.is_unspecified();
        prop_assert!(!(known && is_public(address.into())));
        for prefix in [0xfc00_u128, 0xfe80, 0xff00, 0xfec0] {
            let inside = Ipv6Addr::from_bits(prefix << 112 | bits >> 16);
            prop_assert!(!is_public(inside.into()));
        }
    }
}
