#![allow(clippy::unwrap_used)]

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn read(settings: &Value) -> Result<Option<Config>, ConfigError> {
    Config::from_settings(settings, vec!["/w".into()], "/home/u".into(), Vec::new())
}

#[test]
fn absent_or_disabled_is_no_sandbox() {
    for settings in [
        json!(null),
        json!({}),
        json!({"enabled": false, "network": {"allowedDomains": ["x.y"]}}),
    ] {
        assert!(read(&settings).unwrap().is_none(), "{settings}");
    }
}

#[test]
fn sandbox_settings_are_parsed() {
    let config = read(&json!({
        "enabled": true,
        "somethingNew": {"of": "later"},
        "allowUnsandboxedCommands": false,
        "network": {"allowedDomains": ["*.example.com"], "allowUnixSockets": ["/run/x"]},
        "filesystem": {
            "allowWrite": ["~/.cache/", "build/**", "//var/data"],
            // 2.1.224 in the public changelog: a trailing slash disabled a deny rule
            "denyWrite": ["./secret/", "a/../b"],
            "denyRead": ["~"],
        },
        "credentials": {"files": [{"path": "~/.aws", "mode": "mask"}], "envVars": [{"name": "TOKEN", "mode": "deny"}]},
    }))
    .unwrap()
    .unwrap();
    let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
    assert_eq!(config.allow_write, paths(&["/home/u/.cache", "/w/build", "/var/data"]));
    assert_eq!(config.deny_write, paths(&["/w/secret", "/w/b"]));
    assert_eq!(config.deny_read, paths(&["/home/u", "/home/u/.aws"]));
    assert_eq!(config.deny_env, ["TOKEN"]);
    assert_eq!(config.domains.allowed, [Pattern::Below("example.com".to_owned())]);
    assert!(!config.allow_unsandboxed && !config.unix_sockets && config.auto_allow);
}

#[test]
fn unenforceable_settings_are_refused() {
    for (settings, message) in [
        (json!([]), "sandbox must be an object"),
        (json!({"enabled": "yes"}), "sandbox.enabled must be true or false"),
        (
            json!({"enabled": true, "network": {"allowedDomains": "x"}}),
            "sandbox.network.allowedDomains must be a list of strings",
        ),
        (
            json!({"enabled": true, "network": {"allowedDomains": ["https://x"]}}),
            "sandbox.network.allowedDomains: `https://x` is not a domain, `*.domain` or IP address",
        ),
        (
            json!({"enabled": true, "filesystem": {"denyWrite": ["*.env"]}}),
            "sandbox.filesystem.denyWrite: `*.env` has a wildcard, which the sandbox cannot keep; name the directory instead",
        ),
        (
            json!({"enabled": true, "bwrapPath": "bwrap"}),
            "sandbox.bwrapPath must be an absolute path",
        ),
    ] {
        assert_eq!(read(&settings).unwrap_err().to_string(), message);
    }
}
