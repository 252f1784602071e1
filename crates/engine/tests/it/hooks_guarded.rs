//! Hooks of settings files on tool calls without a session.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::{Guarded, GuardedAnswer, GuardedCall, Ran};
use sluice_simulator::{ModelServer, Script};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::hooks_calls::{on, says};
use crate::stage;

struct GuardedTools {
    dir: TempDir,
    guarded: Guarded,
}

impl GuardedTools {
    async fn with(hooks: Value) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = ModelServer::start(Script::new()).await.unwrap();
        let mut options = stage::options(&dir, &server);
        let settings = json!({"hooks": hooks});
        options.settings.set_flag(settings.as_object().unwrap());
        Self {
            guarded: Guarded::new(options).unwrap(),
            dir,
        }
    }

    /// Runs a command. Returns the outcome and whether permission was requested.
    async fn bash(&self, command: &str, reply: GuardedAnswer) -> (Ran, bool) {
        let call = GuardedCall {
            id: "call".to_owned(),
            tool: "Bash".to_owned(),
            input: json!({"command": command}),
            cancel: CancellationToken::new(),
        };
        let mut asked = false;
        let ran = self
            .guarded
            .call(call, async |_| {
                asked = true;
                reply
            })
            .await;
        (ran, asked)
    }
}

fn said(ran: &Ran) -> String {
    match ran {
        Ran::Done(outcome) => outcome.content.to_string(),
        Ran::Denied(why) => format!("denied: {why}"),
        Ran::Unknown => "unknown".to_owned(),
    }
}

fn decides(word: &str) -> Value {
    let fields = json!({"permissionDecision": word, "permissionDecisionReason": "because"});
    on("PreToolUse", &[&says("PreToolUse", fields)])
}

#[tokio::test]
async fn hook_denies_asks_and_allows() {
    let tools = GuardedTools::with(decides("deny")).await;
    let (ran, asked) = tools.bash("echo hi", GuardedAnswer::Allow).await;
    assert_eq!(
        (said(&ran).as_str(), asked),
        ("denied: PreToolUse:Bash hook error: because", false)
    );

    let tools = GuardedTools::with(decides("ask")).await;
    let (ran, asked) = tools.bash("echo hi", GuardedAnswer::Deny("no".to_owned())).await;
    assert_eq!((said(&ran).as_str(), asked), ("denied: no", true));

    let tools = GuardedTools::with(decides("allow")).await;
    let (_, asked) = tools.bash("touch made", GuardedAnswer::Deny("no".to_owned())).await;
    assert!(!asked && tools.dir.path().join("made").exists());
}

/// A hook that answers permission requests.
fn answers(decision: &Value) -> Value {
    let answer = says("PermissionRequest", json!({"decision": decision}));
    on("PermissionRequest", &[&answer])
}

#[tokio::test]
async fn hook_answers_permission_requests() {
    let tools = GuardedTools::with(answers(&json!({"behavior": "allow"}))).await;
    let (_, asked) = tools.bash("touch made", GuardedAnswer::Deny("no".to_owned())).await;
    assert!(!asked && tools.dir.path().join("made").exists());

    let tools = GuardedTools::with(answers(&json!({"behavior": "deny", "message": "never"}))).await;
    let (ran, asked) = tools.bash("touch made", GuardedAnswer::Allow).await;
    assert_eq!((said(&ran).as_str(), asked), ("denied: never", false));
    assert!(!tools.dir.path().join("made").exists());

    let changed = json!({"behavior": "allow", "updatedInput": {"command": "touch other"}});
    let tools = GuardedTools::with(answers(&changed)).await;
    let (_, asked) = tools.bash("touch made", GuardedAnswer::Allow).await;
    assert!(!asked && tools.dir.path().join("other").exists() && !tools.dir.path().join("made").exists());
}

#[tokio::test]
async fn hook_without_answer_leaves_the_request_open() {
    let tools = GuardedTools::with(on("PermissionRequest", &["true"])).await;
    let (ran, asked) = tools.bash("touch made", GuardedAnswer::Deny("no".to_owned())).await;
    assert_eq!((said(&ran).as_str(), asked), ("denied: no", true));
}

#[tokio::test]
async fn changed_input_is_requested_and_run() {
    let changed = says("PreToolUse", json!({"updatedInput": {"command": "touch other"}}));
    let tools = GuardedTools::with(on("PreToolUse", &[&changed])).await;
    let (_, asked) = tools.bash("echo hi", GuardedAnswer::Allow).await;
    assert!(asked, "the call that was changed needs a question");
    assert!(tools.dir.path().join("other").exists());
}

#[tokio::test]
async fn hook_output_is_appended_to_the_result() {
    let after = says("PostToolUse", json!({"additionalContext": "well run"}));
    let tools = GuardedTools::with(on("PostToolUse", &[&after])).await;
    let (ran, _) = tools.bash("echo hi", GuardedAnswer::Allow).await;
    let said = said(&ran);
    assert!(said.contains("hi") && said.contains("well run"), "{said}");
}

#[tokio::test]
async fn hook_that_needs_a_session_denies() {
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "agent", "prompt": "May it?"}]}]});
    let tools = GuardedTools::with(hooks).await;
    let (ran, asked) = tools.bash("echo hi", GuardedAnswer::Allow).await;
    assert!(said(&ran).contains("needs a session") && !asked, "{ran:?}");
}

#[tokio::test]
async fn cancelling_a_call_ends_its_hooks() {
    let tools = GuardedTools::with(on("PreToolUse", &["sleep 1000"])).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = GuardedCall {
        id: "call".to_owned(),
        tool: "Bash".to_owned(),
        input: json!({"command": "touch made"}),
        cancel,
    };
    let ran = tools.guarded.call(call, async |_| GuardedAnswer::Allow).await;
    assert!(matches!(&ran, Ran::Done(outcome) if outcome.interrupted), "{ran:?}");
    assert!(!tools.dir.path().join("made").exists());
}
