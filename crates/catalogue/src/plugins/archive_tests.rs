#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use proptest::prelude::*;

use super::*;

const FILE: u32 = 0o100_644;
const LINK: u32 = 0o120_777;

/// Creates an archive of these entries (name, mode, content), compressed or stored.
pub(in super::super) fn zip(entries: &[(&str, u32, &[u8])], pack: bool) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (name, mode, content) in entries {
        let mut crc = Crc::new();
        crc.update(content);
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
        packer.write_all(content).unwrap();
        let data = if pack {
            packer.finish().unwrap()
        } else {
            content.to_vec()
        };
        let at = u32::try_from(out.len()).unwrap();
        let lengths = |into: &mut Vec<u8>| {
            into.extend(crc.sum().to_le_bytes());
            into.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
            into.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
            into.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
            into.extend([0, 0]);
        };
        let method = if pack { 8_u16 } else { 0 }.to_le_bytes();
        out.extend(b"PK\x03\x04\x14\0\0\0");
        out.extend(method);
        out.extend([0; 4]);
        lengths(&mut out);
        out.extend(name.as_bytes());
        out.extend(&data);
        list.extend(b"PK\x01\x02\x14\x03\x14\0\0\0");
        list.extend(method);
        list.extend([0; 4]);
        lengths(&mut list);
        list.extend([0; 6]);
        list.extend((mode << 16).to_le_bytes()[..].iter());
        list.extend(at.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    let (at, length) = (out.len(), list.len());
    out.extend(list);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend(u32::try_from(length).unwrap().to_le_bytes());
    out.extend(u32::try_from(at).unwrap().to_le_bytes());
    out.extend([0, 0]);
    out
}

const MANIFEST: (&str, u32, &[u8]) = (".claude-plugin/plugin.json", FILE, br#"{"name":"p"}"#);

fn refused(archive: &[u8]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let into = dir.path().join("in");
    fs::create_dir(&into).unwrap();
    let why = unpack(archive, &into).unwrap_err().to_string();
    let outside: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(outside.len(), 1, "nothing was written next to the folder");
    why
}

#[test]
fn files_are_unpacked_with_content_and_mode() {
    for pack in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let long = vec![b'x'; 100_000];
        let entries = [
            MANIFEST,
            ("commands/", 0o040_755, b"".as_slice()),
            ("commands/hello.md", FILE, &long),
            ("hooks/run.sh", 0o104_755, b"#!/bin/sh\n"),
        ];
        assert_eq!(unpack(&zip(&entries, pack), dir.path()).unwrap(), dir.path());
        assert_eq!(fs::read(dir.path().join("commands/hello.md")).unwrap(), long);
        let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode("commands/hello.md"), mode("hooks/run.sh")), (0o600, 0o700));
    }
}

#[test]
fn a_single_folder_in_the_archive_is_the_plugin() {
    let dir = tempfile::tempdir().unwrap();
    let inner = ("p-1.0/.claude-plugin/plugin.json", FILE, b"{}".as_slice());
    assert_eq!(
        unpack(&zip(&[inner], true), dir.path()).unwrap(),
        dir.path().join("p-1.0")
    );
}

#[test]
fn names_that_lead_out_and_links_are_rejected() {
    for name in [
        "../evil",
        "/evil",
        "a/../../evil",
        "..\\evil",
        "a\u{1}b",
        "./../evil",
        ".",
    ] {
        let why = refused(&zip(&[MANIFEST, (name, FILE, b"x")], true));
        assert!(why.ends_with("leads out of its folder"), "{name}: {why}");
    }
    for (name, mode) in [("l", LINK), ("dev", 0o060_600), ("fifo", 0o010_600), ("l/", LINK)] {
        let why = refused(&zip(&[MANIFEST, (name, mode, b"/etc/passwd")], true));
        assert!(why.contains("is a link or a device"), "{name}: {why}");
    }
}

#[test]
fn damaged_duplicate_and_too_large_entries_are_rejected() {
    assert!(refused(b"not a zip").contains("not a zip archive"));
    assert!(refused(b"").contains("not a zip archive"));
    let twice = refused(&zip(&[("a", FILE, b"1"), ("a", FILE, b"2")], true));
    assert!(twice.contains("damaged or occurs twice"), "{twice}");
    let mut flipped = zip(&[("a", FILE, b"content")], false);
    flipped[31] ^= 1;
    assert!(refused(&flipped).contains("damaged"));
    // The declared size is smaller than the unpacked size.
    let mut lying = zip(&[("a", FILE, &[0; 5000])], true);
    let at = lying.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    lying[at + 24..at + 28].copy_from_slice(&10_u32.to_le_bytes());
    assert!(refused(&lying).contains("damaged"));
    let mut large = zip(&[("a", FILE, b"x")], true);
    let at = large.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    large[at + 24..at + 28].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refused(&large).contains("more than 10000 files, or more than 256 MiB"));
    let mut secret = zip(&[("a", FILE, b"x")], true);
    let at = secret.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    secret[at + 8] |= 1;
    assert!(refused(&secret).contains("encrypted"));
}

#[test]
fn more_entries_than_the_limit_are_rejected() {
    let names: Vec<String> = (0..=MAX_FILES).map(|at| format!("{at}/")).collect();
    let entries: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), 0o040_755, b"".as_slice()))
        .collect();
    let mut archive = zip(&entries, false);
    assert!(refused(&archive).contains("more than 10000 files"));
    // The end of the archive declares one entry.
    let at = archive.len() - 14;
    archive[at..at + 4].copy_from_slice(&[1, 0, 1, 0]);
    assert!(refused(&archive).contains("more than 10000 files"));
}

proptest! {
    #[test]
    fn no_archive_can_write_outside_the_folder(
        mut bytes in prop::collection::vec(any::<u8>(), 0..64),
        at in 0_usize..200,
        value in any::<u8>(),
    ) {
        let mut archive = zip(&[MANIFEST, ("a/b", FILE, b"x")], true);
        let at = at % archive.len();
        archive[at] = value;
        bytes.extend(archive);
        let dir = tempfile::tempdir().unwrap();
        let into = dir.path().join("in");
        fs::create_dir(&into).unwrap();
        let _either = unpack(&bytes, &into);
        let _either = unpack(&bytes[bytes.len() / 2..], &into);
        prop_assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
