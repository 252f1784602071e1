//! Named screens that are lists or reports (jobs, prompt history, sessions, context, cost, serving) and their keys.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_host::sessions::SessionInfo;

use super::screens::{called, screen, seen, stage};
use super::stage::Stage;
use crate::app::{Act, ActOutcome, Next, OutputSize, Point};
use crate::input::PastPrompt;

fn session(id: &str, title: &str, ago: u64, folder: &str) -> SessionInfo {
    let mut info = SessionInfo::default();
    info.session_id = format!("{id}-0000-4000-8000-000000000001");
    info.summary = title.to_owned();
    info.last_modified = 10_000_000_000 - ago;
    info.git_branch = Some("main".to_owned());
    info.cwd = Some(folder.to_owned());
    info
}

const HOUR: u64 = 3_600_000;

fn resuming(everywhere: bool) -> Stage {
    let mut stage = stage(80);
    stage.now = 10_000_000_000;
    let sessions = vec![
        session("6da3ebdf", "Fix the retry loop", 2 * HOUR, "/home/me/code/shop"),
        session(
            "7da3ebdf",
            "\"retry budget\" in the bridge",
            26 * HOUR,
            "/home/me/code/bridge",
        ),
        session("8da3ebdf", "nightly review", 9 * 24 * HOUR, "/home/me/code/shop"),
    ];
    let first = ActOutcome::Sessions {
        sessions,
        everywhere,
        first: true,
    };
    stage.app.apply_outcome(first, stage.now);
    stage
}

#[test]
fn resume() {
    let mut stage = resuming(false);
    stage.write("retr");
    screen("resume-80", &stage.region());
    let mut stage = resuming(true);
    screen("resume-everywhere-80", &stage.region());
}

#[test]
fn a_session_is_found_by_its_conversation() {
    let mut stage = resuming(false);
    stage.write("flaky");
    let asked = stage.acts();
    assert!(
        matches!(asked.last(), Some(Act::FindSessions { words, everywhere: false }) if words == "flaky"),
        "{asked:?}"
    );
    assert!(stage.region().iter().any(|row| row.contains("nothing fits")));
    let found = |words: &str| ActOutcome::FoundSessions {
        words: words.to_owned(),
        ids: vec!["8da3ebdf-0000-4000-8000-000000000001".to_owned()],
    };
    stage.app.apply_outcome(found("other words"), stage.now);
    assert!(
        stage.region().iter().any(|row| row.contains("nothing fits")),
        "an answer that comes late is dropped"
    );
    stage.app.apply_outcome(found("flaky"), stage.now);
    stage.press(&["enter"]);
    let acts = stage.acts();
    assert!(
        matches!(acts.last(), Some(Act::StartNext(Next::Resume { session, fork: false })) if session.starts_with("8da3")),
        "{acts:?}"
    );
}

#[test]
fn keys_among_sessions() {
    let mut stage = resuming(false);
    stage.press(&["ctrl+a"]);
    assert_eq!(stage.acts(), [Act::Sessions { everywhere: true }]);
    stage.press(&["down", "ctrl+o"]);
    let read = stage.acts();
    assert!(
        matches!(read.last(), Some(Act::ReadSession { session, .. }) if session.starts_with("7da3")),
        "{read:?}"
    );
    stage.press(&["ctrl+r", "ctrl+u"]);
    stage.write("Budget");
    stage.press(&["enter"]);
    let renamed = stage.acts();
    assert!(
        matches!(renamed.last(), Some(Act::RenameSession { session, title, .. }) if session.starts_with("7da3") && title == "Budget"),
        "{renamed:?}"
    );
    stage.press(&["ctrl+f"]);
    let forked = stage.acts();
    assert!(
        matches!(forked.last(), Some(Act::StartNext(Next::Resume { fork: true, .. }))),
        "{forked:?}"
    );
    // A later page is appended, and the highlight stays.
    let more = ActOutcome::Sessions {
        sessions: vec![session("9da3ebdf", "the oldest", 90 * 24 * HOUR, "/home/me/code/shop")],
        everywhere: false,
        first: false,
    };
    stage.app.apply_outcome(more, stage.now);
    stage.press(&["end"]);
    assert!(
        stage
            .region()
            .iter()
            .any(|row| row.starts_with("› ") && row.contains("the oldest"))
    );
}

#[test]
fn a_session_of_another_folder_shows_its_resume_command() {
    let mut stage = resuming(true);
    stage.press(&["down", "enter"]);
    let acts = stage.acts();
    assert_eq!(
        acts,
        [Act::Copy("cd /home/me/code/bridge && sluice -r 7da3ebdf".to_owned())]
    );
    stage.region();
    assert!(
        stage
            .committed
            .iter()
            .any(|row| row.contains("belongs to another folder"))
    );
}

#[test]
fn jobs() {
    let mut stage = stage(80);
    stage.turn("go");
    let tasks = json!([{"task_id": "b1", "task_type": "local_bash", "description": "npm run dev"},
        {"task_id": "a3", "task_type": "local_agent", "description": "Review the diff"}]);
    stage.says(&json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks, "session_id": "s", "uuid": "x"}));
    stage.later(41_000);
    stage.look();
    stage.write("/tasks");
    stage.press(&["enter"]);
    assert_eq!(stage.acts(), [Act::TaskSize("b1".to_owned())]);
    stage.press(&["down"]);
    let (job, written) = ("b1".to_owned(), OutputSize::Lines(340));
    stage
        .app
        .apply_outcome(ActOutcome::OutputSize { job, written }, stage.now);
    assert!(
        stage.region().iter().any(|row| row.starts_with("› a3")),
        "the highlight stays"
    );
    stage.press(&["up"]);
    screen("jobs-80", &stage.region());
    stage.press(&["x"]);
    assert_eq!(stage.acts(), [Act::StopTask("b1".to_owned())]);
    // An outcome that arrives after the list was closed does not reopen it, but is shown the next time.
    stage.press(&["esc"]);
    let (job, written) = ("b1".to_owned(), OutputSize::Bytes(4_200_000));
    stage
        .app
        .apply_outcome(ActOutcome::OutputSize { job, written }, stage.now);
    assert!(!stage.region().iter().any(|row| row.contains("Jobs")));
    stage.write("/tasks");
    stage.press(&["enter"]);
    assert!(stage.region().iter().any(|row| row.ends_with("41s ∙ 4.2 MB")));
}

#[test]
fn history() {
    let mut stage = stage(80);
    stage.now = 10_000_000_000;
    for (text, ago) in [
        ("fix all clippy warnings in crates/wire, then\na\nb\nc", 2 * HOUR),
        ("something else", HOUR),
        ("also run clippy", HOUR / 6),
    ] {
        stage.app.history.add(PastPrompt {
            text: text.to_owned(),
            at: stage.now - ago,
            folder: "/home/me/code/shop".to_owned(),
            session: None,
        });
    }
    stage.press(&["ctrl+r"]);
    stage.write("clip");
    screen("history-80", &stage.region());
    stage.press(&["enter"]);
    assert_eq!(stage.app.editor.text(), "also run clippy");
}

#[test]
fn context_and_cost() {
    let usage = json!({"categories": [{"name": "Messages", "tokens": 24_100, "color": ""}, {"name": "Tools", "tokens": 8400, "color": ""},
        {"name": "System prompt", "tokens": 3200, "color": ""}, {"name": "Memory files", "tokens": 1900, "color": ""},
        {"name": "Free space", "tokens": 162_400, "color": ""}],
        "totalTokens": 37_600, "maxTokens": 200_000, "rawMaxTokens": 200_000, "percentage": 19, "gridRows": [],
        "model": "claude-sonnet-4-5", "memoryFiles": [], "mcpTools": [], "agents": [], "isAutoCompactEnabled": true});
    for columns in [80, 40] {
        let mut stage = stage(columns);
        let usage = serde_json::from_value(usage.clone()).unwrap();
        stage.app.apply_outcome(ActOutcome::Context(Box::new(usage)), stage.now);
        screen(&format!("context-{columns}"), &seen(&mut stage));
    }
    let mut stage = stage(80);
    let usage = json!({"session": {"total_cost_usd": 0.43, "total_api_duration_ms": 250_000, "total_duration_ms": 1_320_000,
        "total_lines_added": 164, "total_lines_removed": 49, "model_usage": {"claude-sonnet-4-5": {"inputTokens": 5100,
        "outputTokens": 9200, "cacheReadInputTokens": 39_000, "cacheCreationInputTokens": 4000, "webSearchRequests": 0,
        "costUSD": 0.43, "contextWindow": 200_000, "maxOutputTokens": 64_000}}}, "subscription_type": null,
        "rate_limits_available": false, "rate_limits": null, "behaviors": null});
    stage.app.apply_outcome(
        ActOutcome::Cost(Box::new(serde_json::from_value(usage).unwrap())),
        stage.now,
    );
    screen("cost-80", &seen(&mut stage));
}

#[test]
fn serve() {
    let mut stage = stage(80);
    stage.turn("go");
    called(&mut stage, "1", "Bash", &json!({"command": "cargo test"}));
    stage.look();
    stage.region();
    stage.write("/serve");
    stage.press(&["enter"]);
    screen("serve-80", &stage.region());
}

#[test]
fn servers_and_their_keys() {
    let servers = json!([{"name": "tracker", "status": "connected", "scope": "project", "transport": "stdio",
        "tools": [{"name": "search_issues", "description": "Finds issues.\nMore."}, {"name": "close_issue"}]},
        {"name": "docs", "status": "failed", "error": "exit 1: module not found: docs-mcp\nat line 3",
            "config": {"command": "npx", "args": ["secret"], "env": {"TOKEN": "secret"}}},
        {"name": "cloud", "status": "needs-auth", "config": {"url": "https://mcp.example"}}]);
    let open = || {
        let mut stage = stage(80);
        let servers = serde_json::from_value(servers.clone()).unwrap();
        stage.app.apply_outcome(ActOutcome::Servers(servers), stage.now);
        stage
    };
    let mut stage = open();
    stage.press(&["enter"]);
    screen("mcp-tools-80", &seen(&mut stage));
    let mut stage = open();
    stage.press(&["down"]);
    stage.write("l");
    let rows = seen(&mut stage);
    assert!(!rows.concat().contains("secret"), "{rows:?}");
    screen("mcp-log-80", &rows);
    for (keys, wanted) in [
        ("r", Act::Reconnect("cloud".to_owned())),
        (" ", Act::Toggle("cloud".to_owned(), false)),
        ("a", Act::Authenticate("cloud".to_owned())),
    ] {
        let mut stage = open();
        stage.press(&["end"]);
        stage.write(keys);
        assert_eq!(stage.acts(), [wanted]);
    }
    let mut stage = open();
    let sign_in = ActOutcome::SignIn {
        server: "cloud".to_owned(),
        url: Some("https://mcp.example/authorize?x=1".to_owned()),
    };
    stage.app.apply_outcome(sign_in, stage.now);
    assert_eq!(
        stage.acts(),
        [Act::Copy("https://mcp.example/authorize?x=1".to_owned())]
    );
}

#[test]
fn rewind_can_summarise_instead_and_shows_changes() {
    let mut facts = Stage::facts();
    facts.session = Some("6da3ebdf-0000".to_owned());
    let mut stage = Stage::of(facts, 80, 24);
    stage.region();
    let point = Point {
        uuid: "u2".to_owned(),
        before: Some("u1".to_owned()),
        text: "rename Frame to Line".to_owned(),
        at: 1000,
        files: None,
        commands: 0,
    };
    stage.app.apply_outcome(ActOutcome::Points(vec![point]), stage.now);
    stage.press(&["up", "enter"]);
    stage.write("d");
    let acts = stage.acts();
    assert!(
        matches!(acts.as_slice(), [Act::Changes { uuid, .. }] if uuid == "u2"),
        "{acts:?}"
    );
    screen("rewind-summarise-80", &stage.region());
    stage.press(&["2", "enter"]);
    let acts = stage.acts();
    assert!(
        matches!(acts.as_slice(), [Act::Summarise { uuid, before, .. }] if uuid == "u2" && before == "u1"),
        "{acts:?}"
    );
}

#[test]
fn a_plan_can_be_carried_out_in_a_new_session() {
    let mut stage = stage(80);
    stage.turn("plan it");
    stage.later(1000);
    stage.ask(
        "1",
        "ExitPlanMode",
        &json!({"plan": "# The plan\n\n1. Read\n2. Write"}),
        &json!([]),
    );
    stage.region();
    stage.later(500);
    stage.press(&["3"]);
    let acts = stage.acts();
    let [
        Act::Answer { response, .. },
        Act::StartNext(Next::Fresh { prompt: Some(prompt) }),
    ] = acts.as_slice()
    else {
        panic!("{acts:?}")
    };
    assert_eq!(
        serde_json::to_value(response).unwrap()["behavior"],
        "deny",
        "the plan's own session stops"
    );
    assert_eq!(prompt, "Carry out this plan:\n\n# The plan\n\n1. Read\n2. Write");
}
