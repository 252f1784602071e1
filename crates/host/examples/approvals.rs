//! An approval bot with a policy: allows reading, writing inside the folder, and some commands, and denies the rest.
//! `cargo run -p sluice-host --example approvals PROMPT [PROGRAM]`
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;

use sluice_host::{Client, Options, PermissionAsk, PermissionDecision, SystemPrompt};

/// Commands that start with one of these may run.
const HARMLESS: &[&str] = &["ls", "cat ", "git status", "git diff", "cargo check", "cargo test"];

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "Write hello to hello.txt".to_owned());
    let program = std::env::args().nth(2).unwrap_or_else(|| "sluice".to_owned());
    let folder = std::env::current_dir()?;
    let root = folder.clone();
    let options = Options::new()
        .program(program)
        .cwd(&*folder)
        .system_prompt(SystemPrompt::preset())
        .on_permission(move |ask| {
            let (answer, why) = decide(&ask, &root);
            println!("{} {}: {why}", ask.tool_name(), ask.input());
            async move { answer }
        });
    let client = Client::connect(options).await?;
    let ended = client.run(prompt).await?;
    println!("{}", ended.result.and_then(|result| result.result).unwrap_or_default());
    client.close().await;
    Ok(())
}

/// Decides about a permission request and explains the decision.
fn decide(ask: &PermissionAsk, root: &Path) -> (PermissionDecision, &'static str) {
    let input = ask.input();
    let text = |key: &str| {
        input
            .get(key)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    match ask.tool_name() {
        "Read" | "Glob" | "Grep" => (PermissionDecision::allow(), "yes, reading is fine"),
        "Write" | "Edit" => {
            let path = text("file_path");
            let inside = Path::new(&path).starts_with(root) && !path.contains("..");
            if inside {
                (PermissionDecision::allow(), "yes, it is inside")
            } else {
                (
                    PermissionDecision::deny("only files inside the folder"),
                    "no, it is outside",
                )
            }
        }
        "Bash" => {
            let command = text("command");
            let simple = !command.contains([';', '|', '&', '>', '<', '`', '$', '\n']);
            if simple && HARMLESS.iter().any(|beginning| command.starts_with(beginning)) {
                (PermissionDecision::allow(), "yes, it is harmless")
            } else {
                (
                    PermissionDecision::deny("that command is not on the list"),
                    "no, not on the list",
                )
            }
        }
        _ => (
            PermissionDecision::deny("this tool is not on the list"),
            "no, unknown tool",
        ),
    }
}
