//! The build script: embedding of the page.

use std::fs;

#[path = "../../build.rs"]
#[allow(dead_code, reason = "cargo runs the rest")]
mod script;

#[test]
fn release_without_a_page_is_refused() {
    let dist = tempfile::tempdir().unwrap();
    assert_eq!(script::check_page(dist.path(), "debug"), Ok(()));
    let refused = script::check_page(dist.path(), "release").unwrap_err();
    assert!(refused.contains("make release"), "{refused}");
    fs::write(dist.path().join("index.html"), "<!doctype html>").unwrap();
    assert_eq!(script::check_page(dist.path(), "release"), Ok(()));
}
