#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn one(value: &Value) -> Result<ServerConfig, ConfigError> {
    ServerConfig::parse(value)
}

#[test]
fn every_server_type_is_parsed() {
    let stdio = one(&json!({"command": "python3", "args": ["s.py"], "env": {"A": "1", "N": 2}, "timeout": 5})).unwrap();
    let Reach::Stdio { command, args, env } = &stdio.reach else {
        panic!("{stdio:?}")
    };
    assert_eq!(
        (command.as_str(), args.as_slice()),
        ("python3", &["s.py".to_owned()][..])
    );
    assert_eq!(env["N"], "2");
    assert_eq!(
        stdio.timeout,
        Some(Duration::from_secs(1)),
        "the minimum timeout is one second"
    );

    for kind in [
        json!({"type": "http", "url": "http://x/mcp"}),
        json!({"url": "http://x/mcp"}),
    ] {
        assert_eq!(one(&kind).unwrap().transport(), "http");
    }
    assert_eq!(
        one(&json!({"type": "sse", "url": "http://x/sse"})).unwrap().transport(),
        "sse"
    );
    assert!(one(&json!({"type": "sdk", "name": "n"})).unwrap().is_sdk());
}

#[test]
fn invalid_server_error_names_the_problem() {
    for (bad, message) in [
        (json!(1), "a server must be an object with a `command` or a `url`"),
        (json!({}), "`command` must be given"),
        (json!({"command": " "}), "`command` must be given"),
        (json!({"type": "http"}), "`url` must be given"),
        (json!({"command": "x", "args": "y"}), "`args` must be a list of strings"),
        (
            json!({"command": "x", "env": {"A": []}}),
            "`env` must be an object with string values",
        ),
        (
            json!({"type": "carrier-pigeon", "url": "x"}),
            "the server type \"carrier-pigeon\" is not supported; the types are stdio, http, sse and sdk",
        ),
    ] {
        assert_eq!(one(&bad).unwrap_err().to_string(), message, "{bad}");
    }
}

#[test]
fn invalid_server_does_not_affect_the_others() {
    let all = servers(r#"{"mcpServers": {"a": {"command": "x"}, "b": 3}}"#).unwrap();
    assert!(all["a"].is_ok() && all["b"].is_err());
    assert_eq!(
        servers("{bad").unwrap_err().to_string(),
        "key must be a string at line 1 column 2"
    );
    assert_eq!(servers(r#"{"other": 1}"#).unwrap_err(), ConfigError::NoServers);
    assert_eq!(servers(r#"{"a": {"command": "x"}}"#).unwrap().len(), 1);
}

#[test]
fn variables_are_expanded() {
    let known = |name: &str| (name == "HOME").then(|| "/h".to_owned());
    let config = one(&json!({
        "command": "${HOME}/bin/${TOOL:-serve}", "args": ["--key=${KEY}", "${", "${HOME"],
        "env": {"P": "${HOME}"},
    }))
    .unwrap();
    let mut missing = Vec::new();
    let Reach::Stdio { command, args, env } = config.expanded(&known, &mut missing).reach else {
        panic!()
    };
    assert_eq!(command, "/h/bin/serve");
    assert_eq!(args, ["--key=${KEY}", "${", "${HOME"]);
    assert_eq!(env["P"], "/h");
    assert_eq!(missing, ["KEY"]);
}

#[test]
fn shown_configuration_contains_no_secrets() {
    let stdio = one(&json!({"command": "x", "env": {"KEY": "secret"}})).unwrap();
    assert_eq!(
        stdio.shown().unwrap(),
        json!({"type": "stdio", "command": "x", "args": []})
    );
    let http = one(&json!({"type": "http", "url": "http://x", "headers": {"Authorization": "secret"}})).unwrap();
    assert_eq!(http.shown().unwrap(), json!({"type": "http", "url": "http://x"}));
    assert_eq!(ServerConfig::sdk("s").shown(), None);
}

proptest! {
    /// Expansion keeps text without known variables or defaults unchanged.
    #[test]
    fn expansion_keeps_unknown_variables(text in "[a-z${}:\\-]{0,30}") {
        let mut missing = Vec::new();
        let filled = expand(&text, &|_| None, &mut missing);
        if !text.contains(":-") {
            prop_assert_eq!(filled, text);
        }
    }
}
