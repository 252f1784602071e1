//! Command lines that are handled before a session starts.

use serde_json::json;

use crate::binary::Lab;

#[test]
fn version_comes_first_and_names_both() {
    let lab = Lab::new(&json!([]));
    for args in [&["-v"][..], &["--version"], &["--verbose", "--version"]] {
        let ran = lab.run(args, "");
        assert_eq!(
            ran.clean(),
            format!("2.1.326 (Sluice {})\n", env!("CARGO_PKG_VERSION")),
            "{args:?}"
        );
    }
}

#[test]
fn help_is_printed_on_stdout() {
    let lab = Lab::new(&json!([]));
    let ran = lab.run(&["--help"], "");
    assert!(ran.clean().contains("--output-format <format>"), "{ran:?}");
}

#[test]
fn a_bad_command_line_says_so_on_stderr_and_ends_with_1() {
    let lab = Lab::new(&json!([]));
    for (args, complaint) in [
        (
            &["-p", "ping", "--nonsense-flag"][..],
            "unknown option '--nonsense-flag'",
        ),
        (&["-p", "ping", "--session-id", "nope"], "must be a UUID"),
        (
            &["-p", "ping", "--permission-mode", "nonsense"],
            "argument 'nonsense' is invalid",
        ),
        (
            &["-p", "ping", "--replay-user-messages"],
            "--replay-user-messages requires",
        ),
        (
            &["-p", "ping", "--include-partial-messages"],
            "--include-partial-messages requires",
        ),
        (
            &["-p", "--input-format", "stream-json"],
            "--input-format=stream-json requires",
        ),
        (&["-p", "ping", "--output-format", "stream-json"], "requires --verbose"),
        (&["-p", "ping", "--mcp-config", "{bad"], "invalid MCP configuration"),
        (
            &["-p", "ping", "--agents", "{bad"],
            "The agent definitions are not JSON",
        ),
        (
            &["-p", "ping", "--agents", r#"{"x": {"description": "d"}}"#],
            "The agent x: `prompt` is missing",
        ),
        (&["-p"], "prompt"),
    ] {
        let ran = lab.run(args, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(complaint), "{args:?}: {ran:?}");
    }
}
