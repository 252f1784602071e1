//! Running commands, and long texts in the pager.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_host::conversation::{AskAnswer, What};

use super::screens::{called, seen, stage};
use super::stage::Stage;
use crate::app::{Act, ActOutcome};

/// A stage on which `!sleep 100` has run for twelve seconds.
fn sleeping() -> Stage {
    let mut stage = stage(80);
    stage.write("!sleep 100");
    stage.press(&["enter"]);
    assert!(matches!(stage.acts().as_slice(), [Act::Shell { id: 1, .. }]));
    stage.later(12_000);
    stage
}

#[test]
fn a_running_shell_command_shows_its_time_and_its_last_lines() {
    let mut stage = sleeping();
    let tail = (1..=9).map(|number| format!("line {number}\n")).collect();
    stage
        .app
        .apply_outcome(ActOutcome::ShellWrote { id: 1, tail }, stage.now);
    let rows = stage.region();
    assert!(
        rows.iter().any(|row| row.contains("!  sleep 100  12s ∙ esc stops")),
        "{rows:#?}"
    );
    assert!(
        rows.contains(&"    line 9".to_owned()) && !rows.contains(&"    line 4".to_owned()),
        "{rows:#?}"
    );
    assert!(stage.app.next_tick(stage.now).is_some(), "the time counts");
}

#[test]
fn escape_and_ctrl_c_stop_a_shell_command() {
    for key in ["esc", "ctrl+c"] {
        let mut stage = sleeping();
        stage.press(&[key]);
        assert_eq!(stage.acts(), [Act::StopShells], "{key}");
        assert!(stage.region().iter().any(|row| row.contains("stopping")), "{key}");
        let ended = ActOutcome::Shell {
            id: 1,
            output: String::new(),
            code: None,
        };
        stage.app.apply_outcome(ended, stage.now);
        let rows = seen(&mut stage);
        assert!(rows.contains(&"    stopped".to_owned()), "{rows:#?}");
        assert_eq!(stage.app.next_tick(stage.now), None, "nothing moves any more");
    }
}

#[test]
fn a_running_bash_call_shows_its_output_and_running_time() {
    let mut stage = stage(80);
    stage.turn("go");
    stage.later(1000);
    stage.ask("1", "Bash", &json!({"command": "make"}), &json!([]));
    stage.region();
    stage.later(60_000);
    stage.press(&["enter"]);
    let answer = stage.acts().into_iter().find_map(|act| match act {
        Act::Answer { ask, .. } => Some(ask),
        _ => None,
    });
    stage.happen(What::Answer(AskAnswer::allow(answer.unwrap())));
    stage.look();
    stage.region();
    stage.later(4000);
    stage.look();
    stage.region();
    let looks = stage.acts();
    assert!(
        matches!(looks.as_slice(), [Act::CallOutput { call, .. }] if call == "t1"),
        "{looks:?}"
    );
    let wrote = ActOutcome::CallWrote {
        call: "t1".to_owned(),
        tail: "cc a.c\ncc b.c\n".to_owned(),
    };
    stage.app.apply_outcome(wrote, stage.now);
    let rows = stage.region();
    assert!(rows.iter().any(|row| row.contains("Bash  make  4s")), "{rows:#?}");
    assert!(rows.contains(&"    cc b.c".to_owned()), "{rows:#?}");
}

#[test]
fn an_idle_terminal_requests_no_output() {
    let mut stage = stage(80);
    stage.turn("go");
    called(&mut stage, "c1", "Read", &json!({"file_path": "/a"}));
    stage.look();
    stage.later(5000);
    stage.region();
    assert!(stage.acts().is_empty());
}

/// Opens the pager on an answer.
fn paged(text: &str) -> Stage {
    let mut stage = stage(80);
    stage.turn("go");
    stage.says(
        &json!({"type": "assistant", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "text", "text": text}], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1}}, "parent_tool_use_id": null, "session_id": "s", "uuid": "a"}),
    );
    let items = stage.state.items().collect();
    stage
        .app
        .apply_outcome(ActOutcome::Transcript { items, title: None }, stage.now);
    let (rows, _) = stage.app.sheet().unwrap();
    assert!(rows.iter().any(|row| !row.is_blank()));
    stage
}

/// The time to open the pager does not depend on text outside the screen.
#[test]
fn only_visible_parts_of_a_long_text_are_laid_out() {
    let words = "one paragraph that goes on and on\n".repeat(60_000);
    let line = "x".repeat(2 << 20);
    let code = format!("```\n{}\n```", "a line of code\n".repeat(140_000));
    for text in [words, line, code] {
        let mut stage = paged(&text);
        let laid_out = |stage: &Stage| stage.app.pager.as_ref().unwrap().pieces_laid_out();
        assert!(laid_out(&stage) <= 4, "{} for {}", laid_out(&stage), &text[..20]);
        let (rows, _) = stage.app.sheet().unwrap();
        assert!(rows.last().unwrap().text().contains("100%"));
        stage.press(&["g"]);
        let (rows, _) = stage.app.sheet().unwrap();
        assert!(rows.iter().any(|row| row.text().starts_with("› go")), "{rows:?}");
        stage.press(&["space", "G", "k", "j"]);
        let (rows, _) = stage.app.sheet().unwrap();
        assert!(rows.last().unwrap().text().contains("100%"));
        assert!(laid_out(&stage) <= 10, "{}", laid_out(&stage));
    }
}

#[test]
fn the_pager_finds_rows_in_any_piece() {
    let text = format!(
        "{}\n\nthe **need**le\n\n{}",
        "before it\n\n".repeat(2000),
        "after it\n\n".repeat(2000)
    );
    let mut stage = paged(&text);
    stage.press(&["g", "/"]);
    stage.write("needle");
    stage.press(&["enter"]);
    let (rows, _) = stage.app.sheet().unwrap();
    assert_eq!(rows[0].text(), "the needle");
    stage.press(&["n"]);
    assert!(
        stage
            .app
            .sheet()
            .unwrap()
            .0
            .last()
            .unwrap()
            .text()
            .contains("nothing found")
    );
    stage.press(&["G", "N"]);
    assert_eq!(stage.app.sheet().unwrap().0[0].text(), "the needle");
}

#[test]
fn the_status_line_command_receives_all_documented_fields() {
    let mut facts = Stage::facts();
    facts.settings.status_line = Some("true".to_owned());
    facts.added_dirs = vec!["/home/me/docs".into()];
    let mut stage = Stage::of(facts, 80, 24);
    stage.turn("go");
    let input = json!({"file_path": "/home/me/code/shop/a.rs", "content": "x\ny\n"});
    super::screens::card(
        &mut stage,
        "c1",
        "Write",
        &input,
        "written",
        &json!({"filePath": "/home/me/code/shop/a.rs"}),
    );
    stage.says(
        &json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 900,
        "duration_api_ms": 700, "num_turns": 1, "result": "", "session_id": "6da3ebdf-0000", "total_cost_usd": 0.42,
        "usage": {"input_tokens": 100, "output_tokens": 20}, "stop_reason": "end_turn", "uuid": "r",
        "permission_denials": [], "modelUsage": {"claude-sonnet-4-5": {"inputTokens": 100, "outputTokens": 20,
        "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 0.42,
        "contextWindow": 1000, "maxOutputTokens": 64000}}}),
    );
    stage.look();
    stage.region();
    stage.later(400);
    stage.region();
    let told = stage.acts().into_iter().find_map(|act| match act {
        Act::StatusLine { facts, .. } => Some(facts),
        _ => None,
    });
    let told = told.unwrap();
    for (path, wanted) in [
        ("/session_id", json!("6da3ebdf-0000")),
        ("/version", json!("0.4.0")),
        ("/output_style/name", json!("default")),
        ("/workspace/added_dirs/0", json!("/home/me/docs")),
        ("/cost/total_cost_usd", json!(0.42)),
        ("/cost/total_api_duration_ms", json!(700)),
        ("/cost/total_lines_added", json!(2)),
        ("/cost/total_lines_removed", json!(0)),
        ("/context_window/context_window_size", json!(1000)),
        ("/context_window/total_input_tokens", json!(100)),
        ("/context_window/total_output_tokens", json!(20)),
    ] {
        assert_eq!(told.pointer(path), Some(&wanted), "{path} in {told}");
    }
    let used = told
        .pointer("/context_window/used_percentage")
        .unwrap()
        .as_u64()
        .unwrap();
    let left = told
        .pointer("/context_window/remaining_percentage")
        .unwrap()
        .as_u64()
        .unwrap();
    assert_eq!(used + left, 100);
}
