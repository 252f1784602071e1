#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;

use super::*;

fn read(config: &Value) -> (Vec<Hook>, Vec<String>) {
    let reader = Reader {
        cwd: Path::new("/p"),
        home: Path::new("/h"),
    };
    reader.read(&Origin::Settings(Source::User), config)
}

#[test]
fn all_types_of_handlers_are_parsed() {
    let (hooks, problems) = read(&json!({"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [
        {"type": "command", "command": "a b", "timeout": 5, "if": "Bash(ls)", "onFailure": "block"},
        {"type": "command", "command": "/bin/x", "args": ["a b"], "asyncRewake": true},
        {"type": "http", "url": "http://localhost/h", "headers": {"A": "$B"}, "allowedEnvVars": ["B"]},
        {"type": "prompt", "prompt": "ok?", "model": "m"},
        {"type": "agent", "prompt": "look"},
        {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1}}]}]}));
    assert_eq!(problems, Vec::<String>::new());
    let kinds: Vec<_> = hooks.iter().map(|hook| hook.handler.kind()).collect();
    assert_eq!(kinds, ["command", "command", "http", "prompt", "agent", "mcp_tool"]);
    assert_eq!(hooks[0].timeout, Some(Duration::from_secs(5)));
    assert_eq!(hooks[0].refuses_on_failure, Some(true));
    assert!(hooks[0].condition.is_some() && hooks[1].condition.is_none());
    assert_eq!(hooks[1].handler.text(), "/bin/x a b");
    assert!(hooks.iter().all(|hook| hook.matcher.meets(Some("Edit"))));
}

#[test]
fn invalid_entries_do_not_affect_others() {
    let (hooks, problems) = read(&json!({
        "PreToolUse": [
            {"hooks": [{"type": "sing"}, {"type": "command"}, {}, 5, {"type": "command", "command": "good"}]},
            {"matcher": "(", "hooks": [{"type": "command", "command": "also good"}]},
            7],
        "Stop": [{"hooks": [{"type": "command", "command": "x", "if": "Bash(ls)"}]}],
        "Sometimes": [], "PostToolUse": {}}));
    let texts: Vec<_> = hooks.iter().map(|hook| hook.handler.text()).collect();
    assert_eq!(texts, ["good", "also good"]);
    assert_eq!(problems.len(), 8, "{problems:#?}");
    assert!(read(&json!([])).0.is_empty());
}

#[test]
fn once_is_for_skills_and_stop_of_an_agent_means_subagent_stop() {
    let config = json!({"Stop": [{"hooks": [{"type": "command", "command": "x", "once": true}]}]});
    assert!(!read(&config).0[0].once);
    let reader = Reader {
        cwd: Path::new("/p"),
        home: Path::new("/h"),
    };
    let skill = Origin::Skill {
        name: "s".into(),
        root: "/s".into(),
    };
    assert!(reader.read(&skill, &config).0[0].once);
    let agent = Origin::Agent { name: "x".into() };
    assert_eq!(reader.read(&agent, &config).0[0].event, Event::SubagentStop);
}

#[test]
fn callbacks_of_a_host_are_parsed() {
    let group = HookMatcher {
        matcher: Some("Bash".into()),
        hook_callback_ids: vec!["a".into(), "b".into()],
        timeout: Some(sluice_wire::Number(0.5)),
        on_failure: Some("block".into()),
        ..HookMatcher::default()
    };
    let groups = [group];
    let (hooks, problems) = of_host([("PreToolUse", &groups[..]), ("Never", &groups[..])].into_iter());
    assert_eq!((hooks.len(), problems.len()), (2, 1));
    assert_eq!(hooks[1].handler, Handler::Callback("b".into()));
    assert_eq!(hooks[1].timeout, Some(Duration::from_millis(500)));
}
