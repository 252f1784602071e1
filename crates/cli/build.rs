//! Links releases with packed relocations, which makes the program more than 1 MB smaller.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let here = env::var("HOST").is_ok_and(|host| is("TARGET", &host));
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_ENV", "gnu") && here && loader_unpacks() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// True if the glibc loader supports packed relocations (2.36 or later).
fn loader_unpacks() -> bool {
    let Ok(output) = Command::new("getconf").arg("GNU_LIBC_VERSION").output() else {
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|version| version.split_once('.'));
    version.is_some_and(|(major, minor)| (major.parse().unwrap_or(0), minor.parse().unwrap_or(0)) >= (2_u32, 36_u32))
}
