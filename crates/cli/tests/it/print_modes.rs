//! Print mode: one prompt and one answer, in each output format.

use serde_json::{Value, json};

use crate::binary::{Lab, kinds, runs, says};
use crate::terminal::Terminal;

#[test]
fn text_is_the_answer_and_a_newline() {
    let lab = Lab::new(&json!([says("Hello there")]));
    assert_eq!(lab.run(&["-p", "ping"], "").clean(), "Hello there\n");
}

#[test]
fn the_prompt_may_come_on_stdin_as_an_argument_or_both() {
    // Returns which of these words the model received.
    let seen = |args: &[&str], stdin: &str| {
        let word = |word: &str| json!({ "type": "text", "text": format!("$REQ{{({word})}}") });
        let lab = Lab::new(&json!([[word("piped"), word("spoken")]]));
        let args = [args, &["--output-format", "stream-json", "--verbose"]].concat();
        let ran = lab.run(&args, stdin);
        ran.clean();
        let said = |message: &Value| message["message"]["content"][0]["text"].as_str().map(str::to_owned);
        ran.lines()
            .iter()
            .filter(|message| message["type"] == "assistant")
            .filter_map(said)
            .collect::<Vec<_>>()
    };
    assert_eq!(seen(&["-p"], "piped\n"), ["piped", "no-match"]);
    assert_eq!(seen(&["-p", "spoken"], ""), ["no-match", "spoken"]);
    assert_eq!(seen(&["-p", "spoken"], "piped\n"), ["piped", "spoken"]);
}

#[test]
fn json_is_the_result() {
    let lab = Lab::new(&json!([says("Hello there")]));
    let ran = lab.run(&["-p", "ping", "--output-format", "json"], "");
    let result: Value = serde_json::from_str(ran.clean()).unwrap();
    assert_eq!(result["type"], "result");
    assert_eq!([&result["subtype"], &result["result"]], ["success", "Hello there"]);
    assert_eq!(result["is_error"], false);
}

#[test]
fn json_with_verbose_is_a_list_of_every_message() {
    let lab = Lab::new(&json!([says("Hello there")]));
    let ran = lab.run(&["-p", "ping", "--output-format", "json", "--verbose"], "");
    let messages: Vec<Value> = serde_json::from_str(ran.clean()).unwrap();
    assert_eq!(kinds(&messages), ["system/init", "assistant", "result/success"]);
}

#[test]
fn stream_json_is_a_line_per_message() {
    let lab = Lab::new(&json!([runs("touch made.txt"), says("Made it")]));
    let args = [
        "-p",
        "go",
        "--output-format",
        "stream-json",
        "--verbose",
        "--allowedTools",
        "Bash",
    ];
    let ran = lab.run(&args, "");
    ran.clean();
    let messages = ran.lines();
    assert_eq!(
        kinds(&messages),
        ["system/init", "assistant", "user", "assistant", "result/success"]
    );
    assert!(lab.has("made.txt"));
}

#[test]
fn without_a_host_a_call_is_denied_and_the_turn_continues() {
    let lab = Lab::new(&json!([runs("touch made.txt"), says("Could not")]));
    let ran = lab.run(&["-p", "go", "--output-format", "stream-json", "--verbose"], "");
    ran.clean();
    let result = ran.lines().pop().unwrap();
    assert_eq!([&result["subtype"], &result["result"]], ["success", "Could not"]);
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    assert!(!lab.has("made.txt"));
}

#[test]
fn a_limit_that_is_hit_ends_with_1() {
    let lab = Lab::new(&json!([runs("true"), says("never")]));
    let args = [
        "-p",
        "go",
        "--output-format",
        "json",
        "--max-turns",
        "1",
        "--allowedTools",
        "Bash",
    ];
    let ran = lab.run(&args, "");
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &result["subtype"]), (Some(1), &json!("error_max_turns")));
}

#[test]
fn an_error_of_the_model_is_text_on_stdout_and_ends_with_1() {
    let missing = json!({ "error": 404, "kind": "not_found_error", "message": "model: nobody", "repeat": true });
    let lab = Lab::new(&json!([missing]));
    let ran = lab.run(&["-p", "ping"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.stdout.trim().is_empty(), "{ran:?}");
}

#[test]
fn a_conversation_over_stdin_ends_with_its_input() {
    let lab = Lab::new(&json!([says("one")]));
    let prompt = json!({ "type": "user", "message": { "role": "user", "content": "first" } });
    let args = [
        "--output-format",
        "stream-json",
        "--verbose",
        "--input-format",
        "stream-json",
    ];
    let ran = lab.run(&args, &format!("{prompt}\n"));
    ran.clean();
    assert_eq!(kinds(&ran.lines()), ["system/init", "assistant", "result/success"]);
}

#[test]
fn an_answer_cannot_control_the_terminal_it_is_printed_in() {
    let answer = "a\u{1b}]0;title\u{7}b\u{1b}[2J\u{202e}c\nlast line";
    let lab = Lab::new(&json!([says(answer)]));
    let terminal = Terminal::start(lab, &["-p", "go"], 80, 24, &[]);
    terminal.writes(0, &["last line"]);
    let written = terminal.bytes();
    assert!(written.contains(r"a\x1b]0;title\x07b\x1b[2J\u{202e}c"), "{written:?}");

    for format in ["json", "stream-json"] {
        let answer = "a\u{9b}31mb\u{7f}\u{202e}c";
        let lab = Lab::new(&json!([says(answer)]));
        let args = ["-p", "go", "--verbose", "--output-format", format];
        let terminal = Terminal::start(lab, &args, 80, 24, &[]);
        terminal.writes(0, &["\\u202ec"]);
        let written = terminal.bytes();
        assert!(written.contains(r"a\u009b31mb\u007f\u202ec"), "{format}: {written:?}");
        assert!(
            !written.contains(['\u{9b}', '\u{7f}', '\u{202e}']),
            "{format}: {written:?}"
        );
    }

    // A pipe receives every character unchanged.
    let lab = Lab::new(&json!([says(answer)]));
    assert_eq!(lab.run(&["-p", "go"], "").clean(), format!("{answer}\n"));
}
