//! Resuming sessions from the command line; each run is a separate process.

use serde_json::{Value, json};

use crate::binary::{Lab, says};

const ID: &str = "11111111-2222-4333-8444-555555555555";
const OTHER: &str = "99999999-2222-4333-8444-555555555555";

/// Builds a reply that shows whether the first answer was sent to the model.
fn recalls() -> Value {
    says("Seen $REQ{(First answer)}")
}

#[test]
fn sessions_are_resumed_as_newest_by_id_and_by_title() {
    let lab = Lab::new(&json!([
        says("First answer"),
        recalls(),
        recalls(),
        recalls(),
        recalls()
    ]));
    let first = lab.run(&["-p", "one", "--session-id", ID, "--name", "Blue Fence"], "");
    assert_eq!(first.clean(), "First answer\n");
    for args in [
        &["-p", "two", "--continue"][..],
        &["-p", "three", "--resume", ID],
        &["-p", "four", "--resume", "blue fence"],
        &["-p", "five", "--resume", ID, "--fork-session", "--session-id", OTHER],
    ] {
        assert_eq!(lab.run(args, "").clean(), "Seen First answer\n", "{args:?}");
    }
}

#[test]
fn continuing_without_a_past_begins_one() {
    let lab = Lab::new(&json!([says("First answer")]));
    assert_eq!(lab.run(&["-p", "one", "--continue"], "").clean(), "First answer\n");
}

#[test]
fn unsaved_sessions_cannot_be_resumed() {
    let lab = Lab::new(&json!([says("First answer"), recalls()]));
    let args = ["-p", "one", "--session-id", ID, "--no-session-persistence"];
    assert_eq!(lab.run(&args, "").clean(), "First answer\n");
    let ran = lab.run(&["-p", "two", "--resume", ID], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert_eq!(ran.stderr, format!("No conversation found with session ID: {ID}\n"));
}

#[test]
fn a_host_gets_a_result_if_the_session_does_not_exist() {
    let lab = Lab::new(&json!([]));
    let args = [
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--resume",
        ID,
    ];
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "two"}});
    let ran = lab.run(&args, &format!("{prompt}\n"));
    assert_eq!(ran.code, Some(1));
    let lines = ran.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["subtype"], "error_during_execution");
    assert_eq!(lines[0]["session_id"], ID);
    assert_eq!(
        lines[0]["errors"],
        json!([format!("No conversation found with session ID: {ID}")])
    );
}

#[test]
fn a_session_id_is_used_once() {
    let lab = Lab::new(&json!([says("First answer")]));
    assert_eq!(
        lab.run(&["-p", "one", "--session-id", ID], "").clean(),
        "First answer\n"
    );
    let ran = lab.run(&["-p", "two", "--session-id", ID], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(
        ran.stderr.contains(&format!("Session ID {ID} is already in use.")),
        "{ran:?}"
    );
    let ran = lab.run(&["-p", "two", "--resume", ""], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}
