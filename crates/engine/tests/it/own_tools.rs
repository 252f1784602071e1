//! Custom tools that are only known by their descriptor: rules for Edit apply to tools that declare to edit a file,
//! rules for Read to those that declare to read one, and a tool without a declaration needs permission.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::{Guarded, GuardedAnswer, GuardedCall, Options, Ran, Toolbox};
use sluice_permission::Touches;
use sluice_simulator::{ModelServer, Reply, Script};
use sluice_tools::{Context, Descriptor, Outcome, Pending, Tool};
use sluice_wire::mode::PermissionMode;
use tokio_util::sync::CancellationToken;

use crate::commands::with_files;
use crate::stage::{self, Stage};

fn descriptor(name: &'static str, touches: Touches) -> Descriptor {
    Descriptor {
        name: name.into(),
        description: "A tool of this test.".into(),
        schema: json!({
            "type": "object",
            "properties": {"target": {"type": "string"}, "line": {"type": "string"}},
            "required": ["target"],
            "additionalProperties": false,
        }),
        touches,
        ..Descriptor::default()
    }
}

static APPEND: LazyLock<Descriptor> = LazyLock::new(|| descriptor("Append", Touches::Edits { path: "target" }));
static HEAD: LazyLock<Descriptor> = LazyLock::new(|| descriptor("Head", Touches::Reads { path: "target" }));
static MYSTERY: LazyLock<Descriptor> = LazyLock::new(|| descriptor("Mystery", Touches::default()));

/// The path of the target, and its location at the time of the decision.
fn place(input: &Value, cx: &Context) -> Result<(PathBuf, PathBuf), Box<Outcome>> {
    let path = cx.absolute(input["target"].as_str().unwrap());
    let pin = cx.pin(&path)?;
    let place = pin.map_or_else(|| path.clone(), |pin| pin.place().to_owned());
    Ok((path, place))
}

/// Appends a line to a file.
struct Append;

impl Tool for Append {
    fn descriptor(&self) -> &Descriptor {
        &APPEND
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (path, place) = match place(&input, cx) {
                Ok(found) => found,
                Err(outcome) => return *outcome,
            };
            let mut text = fs::read_to_string(&place).unwrap_or_default();
            text.push_str(input["line"].as_str().unwrap_or_default());
            text.push('\n');
            fs::write(&place, &text).unwrap();
            cx.files.saw(&path, text.as_bytes());
            Outcome::ok("Added", json!({}))
        })
    }
}

/// Returns the first line of a file.
struct Head;

impl Tool for Head {
    fn descriptor(&self) -> &Descriptor {
        &HEAD
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn vet<'a>(&'a self, input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move {
            let (_, place) = place(input, cx).ok()?;
            (!place.exists()).then(|| Outcome::refused("There is no such file."))
        })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (path, place) = match place(&input, cx) {
                Ok(found) => found,
                Err(outcome) => return *outcome,
            };
            let text = fs::read_to_string(&place).unwrap_or_default();
            cx.files.saw(&path, text.as_bytes());
            Outcome::ok(text.lines().next().unwrap_or_default(), json!({}))
        })
    }
}

/// Declares nothing about itself.
struct Mystery;

impl Tool for Mystery {
    fn descriptor(&self) -> &Descriptor {
        &MYSTERY
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn vet<'a>(&'a self, _input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        unreachable!("what it would look at nobody knows")
    }

    fn run<'a>(&'a self, _input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async { Outcome::ok("Done", json!({})) })
    }
}

fn add(options: &mut Options) {
    options.tools.toolbox = Toolbox::default().with(&Append).with(&Head).with(&Mystery);
}

fn append(target: &str) -> Value {
    json!({"target": target, "line": "more"})
}

/// Describes how a session handled one call.
async fn outcome_of(tool: &str, target: &str, change: impl FnOnce(&mut Options)) -> String {
    let script = Script::new().tool(tool, append(target)).text("Done");
    let mut stage = Stage::with(script, |options| {
        add(options);
        with_files(
            options,
            &[("a.txt", "one\n"), ("secret/a.txt", "hush\n"), (".git/config", "x\n")],
        );
        symlink("/etc", options.cwd.join("link")).unwrap();
        change(options);
    })
    .await;
    stage.prompt("go").await;
    loop {
        let said = stage.next().await;
        if said["request"]["subtype"] == "can_use_tool" {
            let reason = said["request"]["decision_reason_type"].as_str().unwrap_or("none");
            let blocked = said["request"]["blocked_path"].as_str().unwrap_or("-");
            let asked = format!("asked {reason} {blocked}");
            stage.deny(&said).await;
            stage.result().await;
            stage.end().await;
            return asked;
        }
        if said["type"] == "user" {
            let block = &said["message"]["content"][0];
            let done = if block["is_error"] == true { "refused" } else { "ran" };
            let mut text = format!("{done} {}", block["content"].as_str().unwrap_or_default());
            if !stage.all("denied").is_empty() {
                text.push_str(" (told)");
            }
            stage.result().await;
            stage.end().await;
            return text;
        }
    }
}

fn mode(mode: PermissionMode) -> impl FnOnce(&mut Options) {
    move |options| options.permissions.mode = Some(mode)
}

fn deny(rule: &str) -> impl FnOnce(&mut Options) {
    let rule = rule.to_owned();
    move |options| {
        options.permissions.mode = Some(PermissionMode::AcceptEdits);
        options.permissions.disallowed = vec![rule];
    }
}

#[tokio::test]
async fn editing_tool_is_decided_like_edit() {
    assert_eq!(outcome_of("Append", "a.txt", |_| {}).await, "asked none -");
    assert_eq!(
        outcome_of("Append", "a.txt", mode(PermissionMode::AcceptEdits)).await,
        "ran Added"
    );
    assert_eq!(
        outcome_of("Append", "a.txt", mode(PermissionMode::Plan)).await,
        "asked mode -"
    );
    let refused = outcome_of("Append", "a.txt", mode(PermissionMode::DontAsk));
    assert!(Box::pin(refused).await.starts_with("refused Append was not run"));
    assert_eq!(
        outcome_of("Append", ".git/config", mode(PermissionMode::AcceptEdits)).await,
        "asked safetyCheck -"
    );
    assert_eq!(
        outcome_of("Append", "link/hosts", mode(PermissionMode::AcceptEdits)).await,
        "asked safetyCheck /etc/hosts"
    );
    let allow = |options: &mut Options| options.permissions.allowed = vec!["Edit(/a.txt)".to_owned()];
    assert_eq!(outcome_of("Append", "a.txt", allow).await, "ran Added");
}

#[tokio::test]
async fn path_rules_apply_to_editing_tools() {
    for rule in ["Edit(secret/**)", "Read(secret/**)", "Append(secret/**)"] {
        let said = outcome_of("Append", "secret/a.txt", deny(rule)).await;
        assert!(said.starts_with("refused Changing ") && said.contains(rule), "{said}");
        assert!(!said.ends_with("(told)"), "its result says it all");
        assert_eq!(outcome_of("Append", "a.txt", deny(rule)).await, "ran Added", "{rule}");
    }
}

#[tokio::test]
async fn reading_tool_is_decided_like_read() {
    assert_eq!(outcome_of("Head", "a.txt", |_| {}).await, "ran one");
    assert_eq!(outcome_of("Head", "/etc/hosts", |_| {}).await, "asked workingDir -");
    assert_eq!(
        outcome_of("Head", "link/hosts", |_| {}).await,
        "asked workingDir /etc/hosts"
    );
    for rule in ["Read(secret/**)", "Head(secret/**)"] {
        let said = outcome_of("Head", "secret/a.txt", deny(rule)).await;
        assert!(said.starts_with("refused Reading ") && said.contains(rule), "{said}");
    }
    // Nothing about the file is revealed before the permission request, not even that it does not exist.
    assert_eq!(
        outcome_of("Head", "/etc/no-such-file", |_| {}).await,
        "asked workingDir -"
    );
    let ask = |options: &mut Options| {
        options
            .settings
            .set_flag(json!({"permissions": {"ask": ["Head"]}}).as_object().unwrap());
    };
    assert_eq!(
        outcome_of("Head", "nowhere", ask).await,
        "refused <tool_use_error>There is no such file.</tool_use_error>"
    );
}

#[tokio::test]
async fn undeclared_tool_needs_permission_and_is_not_vetted() {
    for mode in [
        PermissionMode::Default,
        PermissionMode::AcceptEdits,
        PermissionMode::Plan,
    ] {
        assert_eq!(
            outcome_of("Mystery", "a.txt", |options| options.permissions.mode = Some(mode)).await,
            "asked none -"
        );
    }
}

#[tokio::test]
async fn edits_of_custom_tools_can_be_rewound() {
    let script = Script::new()
        .tool("Append", append("a.txt"))
        .tool("Append", append("new.txt"))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        add(options);
        with_files(options, &[("a.txt", "one\n")]);
        options.permissions.mode = Some(PermissionMode::AcceptEdits);
        options.folders.checkpoints = Some(options.folders.home.join("file-history"));
    })
    .await;
    stage.prompt_as("u1", "go").await;
    stage.result().await;
    let read = |stage: &Stage, name: &str| fs::read_to_string(stage.path(name)).ok();
    assert_eq!(read(&stage, "a.txt").as_deref(), Some("one\nmore\n"));
    let request = json!({"subtype": "rewind_files", "user_message_id": "u1", "dry_run": false});
    assert_eq!(stage.control(request).await["response"]["canRewind"], true);
    assert_eq!(read(&stage, "a.txt").as_deref(), Some("one\n"));
    assert_eq!(read(&stage, "new.txt"), None);
    stage.end().await;
}

#[tokio::test]
async fn custom_tools_load_memory_files_and_mark_files_read() {
    for tool in ["Append", "Head"] {
        let edit = json!({"file_path": "sub/a.txt", "old_string": "one", "new_string": "two"});
        let script = Script::new()
            .tool(tool, append("sub/a.txt"))
            .tool("Edit", edit)
            .text("Done");
        let mut stage = Stage::with(script, |options| {
            add(options);
            with_files(options, &[("sub/a.txt", "one\n"), ("sub/CLAUDE.md", "NEARBY")]);
            options.permissions.mode = Some(PermissionMode::AcceptEdits);
        })
        .await;
        stage.prompt("go").await;
        stage.result().await;
        assert!(stage.said_to_model(2).join("\n").contains("NEARBY"), "{tool}");
        let edited = &stage.last("user:tool_result")["tool_use_result"];
        assert_eq!(edited["newString"], "two", "{edited}");
        assert_eq!(edited.get("contentNotInModelContext"), None, "{tool}");
        stage.end().await;
    }
}

#[tokio::test]
async fn hook_conditions_apply_to_editing_tools() {
    let hooks = json!({"PreToolUse": [{"matcher": "*", "hooks": [
        {"type": "command", "command": "echo no >&2; exit 2", "if": "Edit(secret/**)"}]}]});
    let hook = |options: &mut Options| {
        options.permissions.mode = Some(PermissionMode::AcceptEdits);
        options
            .settings
            .set_flag(json!({"hooks": hooks.clone()}).as_object().unwrap());
    };
    assert_eq!(outcome_of("Append", "a.txt", hook).await, "ran Added");
    let said = outcome_of("Append", "secret/a.txt", hook).await;
    assert!(said.starts_with("refused") && said.contains("no"), "{said}");
}

#[tokio::test]
async fn progress_describes_custom_tools() {
    let start = json!({"description": "add", "prompt": "SUB", "run_in_background": false});
    let script = Script::new()
        .reply(Reply::tool("Agent", start))
        .reply(Reply::tool("Append", append("sub/a.txt")))
        .text("Added")
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        add(options);
        with_files(options, &[("sub/a.txt", "one\n")]);
        options.permissions.mode = Some(PermissionMode::AcceptEdits);
    })
    .await;
    stage.prompt("go").await;
    let progress = stage.until("task_progress").await;
    assert_eq!(progress["description"], "Editing a.txt");
    stage.result().await;
    assert_eq!(fs::read_to_string(stage.path("sub/a.txt")).unwrap(), "one\nmore\n");
    stage.end_crew().await;
}

#[tokio::test]
async fn permissions_apply_without_a_session() {
    let dir = tempfile::tempdir().unwrap();
    let server = ModelServer::start(Script::new()).await.unwrap();
    let mut options = stage::options(&dir, &server);
    add(&mut options);
    options.permissions.disallowed = vec!["Edit(secret/**)".to_owned()];
    let root = dir.path().to_owned();
    with_files(&mut options, &[("a.txt", "one\n"), ("secret/a.txt", "hush\n")]);
    let guarded = Guarded::new(options).unwrap();
    let call = async |tool: &str, target: &Path| {
        let call = GuardedCall {
            id: "call".to_owned(),
            tool: tool.to_owned(),
            input: append(target.to_str().unwrap()),
            cancel: CancellationToken::new(),
        };
        let mut asked = false;
        let ran = guarded
            .call(call, async |_| {
                asked = true;
                GuardedAnswer::Deny("no".to_owned())
            })
            .await;
        (matches!(ran, Ran::Done(_)), asked)
    };
    assert_eq!(call("Head", &root.join("a.txt")).await, (true, false));
    assert_eq!(call("Append", &root.join("a.txt")).await, (false, true));
    assert_eq!(call("Append", &root.join("secret/a.txt")).await, (false, false));
    assert_eq!(call("Mystery", &root.join("a.txt")).await, (false, true));
}

#[tokio::test]
async fn rules_apply_to_aliases_of_a_tool() {
    let script = Script::new()
        .tool("SlashCommand", json!({"skill": "deploy"}))
        .tool("SlashCommand", json!({"skill": "greet"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        let skill = |name: &str| format!("---\ndescription: {name}\n---\nInstructions for {name}.\n");
        let (deploy, greet) = (skill("deploy"), skill("greet"));
        with_files(
            options,
            &[
                (".claude/skills/deploy/SKILL.md", &deploy),
                (".claude/skills/greet/SKILL.md", &greet),
            ],
        );
        options.permissions.disallowed = vec!["Skill(deploy)".to_owned()];
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    let refused = &stage.last("user:tool_error")["message"]["content"][0]["content"];
    assert!(refused.as_str().unwrap().contains("Skill(deploy)"), "{refused}");
    assert_eq!(stage.all("user:tool_result").len(), 1);
    stage.end().await;
}

/// `claude-agent-acp` always passes `--tools=default` and displays the task list as a plan.
#[tokio::test]
async fn named_default_tools_are_the_default_tools() {
    let mut listed = Vec::new();
    for offered in [None, Some(vec!["default".to_owned()])] {
        let mut stage = Stage::with(Script::new().text("Done"), |options| {
            options.model.name = Some("claude-sonnet-4-5".to_owned());
            options.tools.offered = offered;
        })
        .await;
        stage.prompt("go").await;
        stage.result().await;
        listed.push(stage.last("init")["tools"].clone());
        stage.end().await;
    }
    assert!(
        listed[0].as_array().unwrap().contains(&json!("TaskCreate")),
        "{}",
        listed[0]
    );
    assert_eq!(listed[1], listed[0]);
}
