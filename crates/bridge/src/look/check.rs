//! Checks of an agent, an API key or a model server.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::api::{Checked, Code, Problem};
use crate::hub::Hub;

/// How long a check may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Checks one thing: `agent` (by name), `key` (an API key) or `server` (an address).
pub(crate) async fn check(hub: &Hub, what: &str, value: Option<&str>) -> Result<Checked, Problem> {
    match what {
        "agent" => agent(hub, value).await,
        "key" => prompt(hub, &[("ANTHROPIC_API_KEY", value.unwrap_or_default())]).await,
        "server" => {
            let address = value.unwrap_or_default();
            if !(address.starts_with("http://") || address.starts_with("https://")) {
                return Err(Problem::new(Code::Field, "an address begins with http:// or https://"));
            }
            prompt(
                hub,
                &[("ANTHROPIC_BASE_URL", address), ("ANTHROPIC_AUTH_TOKEN", "none")],
            )
            .await
        }
        _ => Err(Problem::new(Code::Field, "what is agent, key or server")),
    }
}

async fn agent(hub: &Hub, name: Option<&str>) -> Result<Checked, Problem> {
    let agents = &hub.shared.agents;
    let agent = agents.find(name)?;
    let program = match agents.locate(&agent.program) {
        Ok(program) => program,
        Err(problem) => {
            return Ok(Checked {
                ok: false,
                message: problem.message,
                hint: problem.hint,
            });
        }
    };
    let mut command = Command::new(program);
    command
        .args(&agent.args)
        .arg("--version")
        .env_clear()
        .envs(agents.clean());
    let said = run(command).await;
    Ok(match said {
        Ok((true, out, _)) => Checked {
            ok: true,
            message: format!("{}: {}", agent.name, out.trim()),
            hint: None,
        },
        Ok((false, _, err)) => Checked {
            ok: false,
            message: format!("{} does not start: {}", agent.name, err.trim()),
            hint: Some("run it in a terminal to see why".to_owned()),
        },
        Err(why) => Checked {
            ok: false,
            message: why,
            hint: None,
        },
    })
}

/// Lets our own agent say one word with these variables.
async fn prompt(hub: &Hub, variables: &[(&str, &str)]) -> Result<Checked, Problem> {
    let shared = &hub.shared;
    let mut command = Command::new(&shared.config.sluice);
    command.args([
        "-p",
        "Answer with the word ready.",
        "--output-format",
        "json",
        "--max-turns",
        "1",
        "--bare",
        "--no-session-persistence",
    ]);
    command
        .env_clear()
        .envs(shared.agents.clean())
        // One try: a check that fails reports it at once.
        .env("CLAUDE_CODE_MAX_RETRIES", "0")
        .current_dir(std::env::temp_dir());
    for (name, value) in variables {
        command.env(name, value);
    }
    Ok(match run(command).await {
        Ok((true, out, _)) => {
            let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
            let failed = answer.get("is_error").and_then(serde_json::Value::as_bool) == Some(true);
            let text = answer
                .get("result")
                .and_then(serde_json::Value::as_str)
                .unwrap_or_default();
            Checked {
                ok: !failed,
                message: if failed {
                    text.to_owned()
                } else {
                    "a model answered".to_owned()
                },
                hint: None,
            }
        }
        Ok((false, out, err)) => {
            let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
            let text = answer
                .get("result")
                .and_then(serde_json::Value::as_str)
                .map(str::to_owned);
            Checked {
                ok: false,
                message: text.unwrap_or_else(|| err.trim().to_owned()),
                hint: Some("set it where `sluice serve` is started, and start that again".to_owned()),
            }
        }
        Err(why) => Checked {
            ok: false,
            message: why,
            hint: None,
        },
    })
}

async fn run(mut command: Command) -> Result<(bool, String, String), String> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await;
    match output {
        Ok(Ok(output)) => Ok((
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer within 20 seconds".to_owned()),
    }
}
