#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;

use super::*;

const FILE: &str = ".claude/settings.local.json";

/// An index as git writes it.
fn index(version: u8, names: &[&str], extension: Option<&[u8; 4]>) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0".to_vec();
    bytes.push(version);
    bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
    for name in names {
        let start = bytes.len();
        bytes.extend([0xff; FLAGS]);
        let extended: u16 = if version == 3 { 0x4000 } else { 0 };
        bytes.extend((u16::try_from(name.len()).unwrap() | extended).to_be_bytes());
        if version == 3 {
            bytes.extend([0x20, 0]);
        }
        bytes.extend(name.as_bytes());
        bytes.push(0);
        while !(bytes.len() - start).is_multiple_of(8) {
            bytes.push(0);
        }
    }
    if let Some(extension) = extension {
        bytes.extend(extension);
        bytes.extend([0, 0, 0, 3, 1, 2, 3]);
    }
    bytes.extend([7; LONGEST_CHECKSUM]);
    bytes
}

#[test]
fn an_index_is_searched() {
    let path = FILE.as_bytes();
    let others = [
        "a",
        "link.txt",
        "sub/.claude/settings.local.json",
        ".claude/settings.local.json.bak",
    ];
    for version in [2, 3] {
        for extension in [None, Some(b"TREE")] {
            assert!(!holds(&index(version, &others, extension), path));
            let mut with = others.to_vec();
            with.push(FILE);
            assert!(holds(&index(version, &with, extension), path));
        }
    }
    assert!(!holds(&index(2, &[], None), path));
}

#[test]
fn what_cannot_be_told_counts_as_tracked() {
    let path = FILE.as_bytes();
    assert!(holds(b"", path));
    assert!(holds(b"nothing like an index", path));
    assert!(holds(&index(4, &["a"], None), path));
    assert!(holds(&index(2, &["a"], Some(b"link")), path));
    let whole = index(2, &["a", "b"], None);
    assert!(holds(&whole[..90], path));
}

#[test]
fn the_repository_around_the_file_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let file = root.join("proj").join(FILE);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{}").unwrap();
    assert!(!is_tracked(&file));

    // The file is named from the root of the repository, not from the project.
    fs::create_dir_all(root.join(".git")).unwrap();
    assert!(!is_tracked(&file));
    fs::write(root.join(".git/index"), index(2, &[FILE], None)).unwrap();
    assert!(!is_tracked(&file));
    fs::write(
        root.join(".git/index"),
        index(2, &["proj/.claude/settings.local.json"], None),
    )
    .unwrap();
    assert!(is_tracked(&file));

    // A worktree keeps its index elsewhere.
    fs::create_dir_all(root.join("kept")).unwrap();
    fs::write(root.join("proj/.git"), "gitdir: ../kept\n").unwrap();
    assert!(!is_tracked(&file));
    fs::write(root.join("kept/index"), index(3, &[FILE], None)).unwrap();
    assert!(is_tracked(&file));
}
