//! What the host adds to the conversation, and what other programs added to it.

use serde_json::{Value, json};
use sluice_host::conversation::{Activity, AnswerNote, CallState, Exit, HostNote, What};
use sluice_host::items::{
    CardBody, Decider, ExitCause, ItemBody, ItemStatus, NoticeKind, OriginKind, ProcessChange, ProcessEnd, Sender, Text,
};
use sluice_wire::Frame;

use super::{call, items, last, person, spoken};
use crate::conversation::play::{Play, ask, assistant, id, result, system, text};

fn import(play: &mut Play, line: &Value) {
    let frame = Frame::parse(&line.to_string()).unwrap();
    play.happens(What::Noted(HostNote::Imported(frame)));
}

fn prompt(text: &str) -> Value {
    json!({"type": "user", "uuid": text, "message": {"role": "user", "content": text}})
}

fn notice(play: &mut Play, kind: NoticeKind) {
    let text = String::new();
    play.happens(What::Noted(HostNote::Notice { kind, text }));
}

fn sender() -> Sender {
    Sender {
        name: "phone".into(),
        device: Some("d1".into()),
    }
}

/// Prompts and texts with their turns.
fn turns(play: &Play) -> Vec<(String, Option<u32>)> {
    let shown = items(play).into_iter().filter_map(|item| match item.body {
        ItemBody::Prompt(prompt) => Some((prompt.text.to_string(), item.turn)),
        ItemBody::Text { text, .. } => Some((text.to_string(), item.turn)),
        _ => None,
    });
    shown.collect()
}

#[test]
fn messages_of_another_program_are_turns_before_and_between_those_of_this_host() {
    let mut play = Play::new();
    for line in [
        prompt("alpha"),
        text("m1", "beta"),
        prompt("gamma"),
        text("m2", "delta"),
    ] {
        import(&mut play, &line);
    }
    notice(&mut play, NoticeKind::Imported);
    assert!(matches!(play.state.activity(), Activity::Idle), "nothing runs");
    play.submit("p1");
    play.takes_up("p1");
    play.says(text("m3", "epsilon"));
    play.says(result());
    import(&mut play, &prompt("zeta"));
    let found = turns(&play);
    let expected = [("alpha", 0), ("beta", 0), ("gamma", 1), ("delta", 1)];
    let expected = expected.map(|(text, turn)| (text.to_owned(), Some(turn)));
    assert_eq!(found[..4], expected);
    let later: Vec<Option<u32>> = found[4..].iter().map(|it| it.1).collect();
    assert_eq!(later[..2], [Some(2), Some(2)]);
    assert!(later[2] > Some(2), "{later:?}");
}

#[test]
fn a_call_of_another_program_without_a_result_does_not_run() {
    let mut play = Play::new();
    import(&mut play, &prompt("go"));
    let block = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "sleep 9"}});
    import(&mut play, &assistant("m1", block));
    notice(&mut play, NoticeKind::Imported);
    assert_eq!(call(&play, "c1").0, ItemStatus::Cancelled);
    assert_eq!(play.state.running_calls().count(), 0);
    assert_eq!(play.state.call("c1").unwrap().state, CallState::Dropped);
}

#[test]
fn a_command_and_a_summary_of_another_program_are_no_prompts() {
    let mut play = Play::new();
    import(
        &mut play,
        &prompt("<command-name>/compact</command-name><command-args></command-args>"),
    );
    import(
        &mut play,
        &prompt("This session is being continued from a previous conversation that ran out of context."),
    );
    let bodies: Vec<ItemBody> = items(&play).into_iter().map(|item| item.body).collect();
    assert!(
        matches!(&bodies[0], ItemBody::Command(command) if command.name == "compact"),
        "{bodies:?}"
    );
    assert!(
        matches!(&bodies[1], ItemBody::Compaction(it) if it.summary.is_some()),
        "{bodies:?}"
    );
}

#[test]
fn a_prompt_has_its_sender() {
    let mut play = Play::new();
    play.submit("p1");
    play.takes_up("p1");
    let before = play.state.item_revision();
    play.happens(What::Noted(HostNote::Prompt {
        prompt: "p1".into(),
        sender: sender(),
    }));
    let ItemBody::Prompt(prompt) = last(&play).body else {
        panic!()
    };
    assert_eq!(prompt.sender, Some(sender()));
    assert!(play.state.item_revision() > before, "clients are notified");
}

fn answered() -> What {
    What::Noted(HostNote::Answer(AnswerNote {
        ask: id("r1"),
        sender: Some(sender()),
        message: Some("fine".into()),
        rules: vec!["Bash(ls:*)".into()],
        destination: Some("session".into()),
    }))
}

fn allowed() -> What {
    let written = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1",
        "response": {"behavior": "allow", "updatedInput": {"command": "touch y"}}}});
    What::Wrote(Frame::parse(&written.to_string()).unwrap())
}

#[test]
fn who_answered_is_known_whether_the_answer_or_its_details_come_first() {
    for events in [[answered(), allowed()], [allowed(), answered()]] {
        let mut play = Play::new();
        let block = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "touch x"}});
        play.says(assistant("m", block));
        play.says(ask("r1", "c1"));
        for event in events {
            play.happens(event);
        }
        let permission = call(&play, "c1").1.permission.unwrap();
        let by = Decider::Person { sender: Some(sender()) };
        assert_eq!((permission.by, permission.changed_by), (Some(by.clone()), Some(by)));
        assert_eq!(permission.message.as_deref(), Some("fine"));
        assert_eq!(
            (permission.rules.len(), permission.destination.as_deref()),
            (1, Some("session"))
        );
    }
}

#[test]
fn a_form_that_belongs_to_no_call_leaves_its_outcome() {
    let mut play = Play::new();
    play.says(json!({"type": "control_request", "request_id": "r1", "request":
        {"subtype": "elicitation", "mcp_server_name": "papers", "message": "Which?"}}));
    let mut answer = sluice_host::conversation::AskAnswer::new(
        id("r1"),
        sluice_host::conversation::AskVerdict::Give(sluice_wire::Raw::of(&json!({"action": "accept"}))),
    );
    answer.by = Some("desk".into());
    play.answer(answer);
    let ItemBody::Request(request) = last(&play).body else {
        panic!("{:?}", last(&play))
    };
    assert_eq!(
        (&*request.from, request.permission.by),
        ("papers", Some(person("desk")))
    );
}

#[test]
fn the_end_of_a_process_has_its_cause() {
    let mut play = Play::new();
    play.dies();
    let end = ProcessEnd {
        exit: Exit {
            code: Some(1),
            signal: None,
        },
        cause: ExitCause::Crashed,
        reason: Some("no key".into()),
        stderr: vec!["no key".into()],
    };
    play.happens(What::Noted(HostNote::Exit(end.clone())));
    let ends = play.state.items().filter_map(|item| match item.body {
        ItemBody::Process(ProcessChange::Exited(end)) => Some(end),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [end]);
}

#[test]
fn a_long_text_that_is_stored_elsewhere_has_its_beginning() {
    let mut play = Play::new();
    let stored = json!({"$blob": {"hash": "h", "bytes": 99999, "mime": "text/plain", "head": "begin", "tail": "end"}});
    let mut line = text("m1", "x");
    line["message"]["content"][0]["text"] = stored;
    play.says(line);
    let ItemBody::Text { text, .. } = last(&play).body else {
        panic!()
    };
    assert!(matches!(&text, Text::Stored { blob } if blob.hash == "h"));
    assert_eq!(&*text, "begin");
    let block = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}});
    play.says(assistant("m2", block));
    play.says(
        json!({"type": "user", "tool_use_result": {"stdout": {"$blob": {"hash": "o", "bytes": 1, "mime": "t",
        "head": "out"}}, "stderr": ""}, "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": "x"}]}}),
    );
    let CardBody::Shell(shell) = call(&play, "c1").1.card.body else {
        panic!()
    };
    assert!(matches!(shell.output, Some(Text::Stored { blob }) if blob.hash == "o"));
}

#[test]
fn a_turn_after_a_task_says_so() {
    let mut play = Play::new();
    play.says(system("init", json!({})));
    play.says(text("m1", "started"));
    play.says(result());
    play.says(system(
        "task_notification",
        json!({"task_id": "t1", "status": "completed", "summary": "tests pass"}),
    ));
    play.says(system("init", json!({})));
    let ItemBody::TurnOrigin(origin) = last(&play).body else {
        panic!("{:?}", last(&play))
    };
    assert_eq!(
        (origin.kind, &*origin.text, origin.task.as_deref()),
        (OriginKind::Task, "tests pass", Some("t1"))
    );
    play.says(text("m2", "good"));
    assert_eq!(last(&play).body, spoken("good"));
}

#[test]
fn the_lines_behind_an_item_are_those_it_was_made_from() {
    let mut play = Play::new();
    play.says(json!({"type": "from_later", "value": 7}));
    let lines = play.state.lines_of(last(&play).id);
    assert!(lines.len() == 1 && lines[0].contains("from_later"), "{lines:?}");
    let block = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}});
    play.says(assistant("m2", block));
    play.says(json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": "out"}]}}));
    let lines = play.state.lines_of(play.state.item_id_of_call("c1").unwrap());
    assert_eq!(lines.len(), 2, "the call and its result: {lines:?}");
}
