//! Logs the hooks of a turn, and prevents the agent from deleting files.
//! `cargo run -p sluice-host --example hooks PROMPT [PROGRAM]`
#![allow(clippy::print_stdout, clippy::print_stderr)]

use sluice_host::wire::hook::{HookInput, HookOutput, HookPermissionDecision, PreToolUseOutput};
use sluice_host::{Client, Options, PermissionDecision, SystemPrompt};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "Run the command ls".to_owned());
    let program = std::env::args().nth(2).unwrap_or_else(|| "sluice".to_owned());
    let mut options = Options::new()
        .program(program)
        .system_prompt(SystemPrompt::preset())
        .on_permission(|_| async { PermissionDecision::allow() })
        .hook("PreToolUse", None, |input| async move { guard(&input) });
    for event in [
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SubagentStop",
        "Notification",
    ] {
        options = options.hook(event, None, |input| async move {
            println!("{}: {}", input.kind(), line(&input));
            HookOutput::default()
        });
    }
    let client = Client::connect(options).await?;
    let ended = client.run(prompt).await?;
    println!("{}", ended.result.and_then(|result| result.result).unwrap_or_default());
    client.close().await;
    Ok(())
}

fn guard(input: &HookInput) -> HookOutput {
    println!("{}: {}", input.kind(), line(input));
    let HookInput::PreToolUse(call) = input else {
        return HookOutput::default();
    };
    if !call.tool_input.get().contains("rm ") {
        return HookOutput::default();
    }
    let denial = PreToolUseOutput {
        permission_decision: Some(HookPermissionDecision::Deny),
        permission_decision_reason: Some("nothing is deleted here".to_owned()),
        ..PreToolUseOutput::default()
    };
    HookOutput {
        hook_specific_output: Some(denial.into()),
        ..HookOutput::default()
    }
}

fn line(input: &HookInput) -> String {
    let text = serde_json::to_string(input).unwrap_or_default();
    text.chars().take(160).collect()
}
