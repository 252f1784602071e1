//! Every test file is included as a module; otherwise it would not be compiled.

use std::fs;
use std::path::PathBuf;

use crate::repository::{root, tracked};

/// Returns the `main.rs` of the integration test binary of every crate.
fn binaries() -> Vec<PathBuf> {
    tracked()
        .into_iter()
        .filter(|file| file.ends_with("tests/it/main.rs"))
        .collect()
}

#[test]
fn every_test_file_is_a_module() {
    let root = root();
    let binaries = binaries();
    assert!(!binaries.is_empty());
    for main in binaries {
        let text = fs::read_to_string(root.join(&main)).unwrap();
        for entry in fs::read_dir(root.join(&main).parent().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let module = name != "main" && path.extension().is_some_and(|ext| ext == "rs");
            let named = text
                .lines()
                .any(|line| line.trim_start_matches("pub(crate) ") == format!("mod {name};"));
            assert!(!module || named, "{}: no `mod {name};`", main.display());
        }
    }
}

#[test]
fn a_crate_has_one_integration_test_binary() {
    let stray: Vec<PathBuf> = tracked()
        .into_iter()
        .filter(|file| file.starts_with("crates") && file.extension().is_some_and(|ext| ext == "rs"))
        .filter(|file| file.parent().is_some_and(|folder| folder.ends_with("tests")))
        .filter(|file| !file.iter().any(|part| part == "src"))
        .collect();
    assert!(stray.is_empty(), "belongs into tests/it: {stray:?}");
}
