//! Requests to a running bridge: status, pairing, tokens, devices, stop, upgrade.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use sluice_server::{BridgeRequest, Scope, ask, qr_text, released};
use sluice_wire::printable::one_line;

use crate::flags::ServeAsk;
use crate::{fail, say};

/// Timeout for stopping a bridge, which gives clients and storage a few seconds.
const STOP_LIMIT: Duration = Duration::from_secs(20);

pub(super) fn run(asked: &ServeAsk, state: &Path) -> i32 {
    let request = match request(asked) {
        Ok(request) => request,
        Err(problem) => return fail(&problem),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("the async runtime cannot be started: {error}")),
    };
    match runtime.block_on(ask(state, &request)) {
        Ok(_) if matches!(asked, ServeAsk::Stop) => match runtime.block_on(released(state, STOP_LIMIT)) {
            true => {
                say("stopped; agents keep running, and the next bridge connects to them");
                0
            }
            false => fail(&format!("the bridge did not end within {} s", STOP_LIMIT.as_secs())),
        },
        Ok(answer) => {
            say(&shown(asked, &answer));
            0
        }
        Err(error) => fail(&error.to_string()),
    }
}

fn request(asked: &ServeAsk) -> Result<BridgeRequest, String> {
    let scope = |text: &Option<String>, usual: Scope| match text {
        Some(text) => text.parse::<Scope>().map_err(|error| error.to_string()),
        None => Ok(usual),
    };
    Ok(match asked {
        ServeAsk::Status { .. } => BridgeRequest::Status,
        ServeAsk::Pair { scope: wanted } => BridgeRequest::Pair {
            scope: Some(scope(wanted, Scope::Approve)?),
        },
        ServeAsk::Token { name, scope: wanted } => BridgeRequest::Token {
            name: name.clone(),
            scope: scope(wanted, Scope::Approve)?,
        },
        ServeAsk::Devices {
            revoke: Some(device), ..
        } => BridgeRequest::Revoke { device: device.clone() },
        ServeAsk::Devices { revoke: None, .. } => BridgeRequest::Devices,
        ServeAsk::Stop => BridgeRequest::Stop,
        ServeAsk::Upgrade => BridgeRequest::Upgrade,
        ServeAsk::Unit | ServeAsk::Backup { .. } | ServeAsk::Restore { .. } => {
            return Err("this needs no running bridge".to_owned());
        }
    })
}

fn shown(asked: &ServeAsk, answer: &Value) -> String {
    let text = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match asked {
        ServeAsk::Status { json: true } | ServeAsk::Devices { json: true, .. } => answer.to_string(),
        ServeAsk::Status { json: false } => status(answer),
        ServeAsk::Pair { .. } => {
            let urls = answer.get("urls").and_then(Value::as_array).into_iter().flatten();
            let urls: Vec<&str> = urls.filter_map(Value::as_str).collect();
            format!("{}\n{}", qr_text(&text("scan")), urls.join("\n"))
        }
        ServeAsk::Token { .. } => text("token"),
        ServeAsk::Devices { revoke: Some(_), .. } => format!("revoked {}", text("revoked")),
        ServeAsk::Devices { .. } => devices(answer),
        ServeAsk::Upgrade => "upgrading".to_owned(),
        ServeAsk::Stop | ServeAsk::Unit | ServeAsk::Backup { .. } | ServeAsk::Restore { .. } => String::new(),
    }
}

fn status(answer: &Value) -> String {
    let number = |path: &str| answer.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let addresses = answer.get("addresses").and_then(Value::as_array).into_iter().flatten();
    let addresses: Vec<&str> = addresses.filter_map(Value::as_str).collect();
    let mut lines = vec![
        format!(
            "running, process {}, for {} s, version {}",
            number("/pid"),
            number("/uptimeSeconds"),
            answer.get("version").and_then(Value::as_str).unwrap_or_default()
        ),
        format!("addresses  {}", addresses.join("  ")),
        format!(
            "devices    {} known, {} connected",
            number("/devices"),
            number("/online")
        ),
        format!(
            "memory     {:.1} MiB; database {:.1} MiB",
            number("/bridge/resident") as f64 / 1_048_576.0,
            number("/bridge/database") as f64 / 1_048_576.0
        ),
        format!("sessions   {}", number("/bridge/sessions")),
    ];
    if let Some(problem) = answer.pointer("/bridge/problem").and_then(Value::as_str) {
        lines.push(format!("problem    {}", one_line(problem)));
    }
    for session in answer
        .pointer("/bridge/live")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let field = |key: &str| session.get(key).and_then(Value::as_str).unwrap_or_default();
        lines.push(format!(
            "  {:<9} {}  {}",
            one_line(field("state")),
            one_line(field("folder")),
            one_line(field("title"))
        ));
    }
    lines.join("\n")
}

fn devices(answer: &Value) -> String {
    let devices = answer.get("devices").and_then(Value::as_array).into_iter().flatten();
    let rows: Vec<String> = devices
        .map(|device| {
            let field = |key: &str| device.get(key).and_then(Value::as_str).unwrap_or_default();
            let online = device.get("online").and_then(Value::as_bool) == Some(true);
            format!(
                "{}  {:<8} {:<7} {:<9} {}",
                one_line(field("id")),
                one_line(field("scope")),
                one_line(field("kind")),
                if online { "connected" } else { "" },
                one_line(field("name"))
            )
        })
        .collect();
    match rows.is_empty() {
        true => "no device is paired; `sluice serve pair` prints a pairing code".to_owned(),
        false => rows.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sluice_server::{BridgeRequest, Scope};

    use super::{devices, request, status};
    use crate::flags::ServeAsk;

    #[test]
    fn names_of_sessions_and_devices_cannot_control_the_terminal() {
        let name = "\u{1b}]0;title\u{7}a\n  running   /b\r\u{202e}c\u{9b}2J";
        let session = json!({"state": "idle", "folder": name, "title": name});
        let rows = status(&json!({"bridge": {"live": [session]}}));
        let row = rows.lines().last().unwrap();
        assert!(
            row.contains("title") && row.contains("/b"),
            "all of it is in one row: {row}"
        );
        let device = devices(&json!({"devices": [{"id": "d", "scope": "view", "kind": "token", "name": name}]}));
        for text in [rows.as_str(), device.as_str()] {
            assert!(
                !text.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}', '\u{9b}']),
                "{text:?}"
            );
        }
        assert_eq!(device.lines().count(), 1);
    }

    #[test]
    fn a_pairing_code_gives_approve_unless_another_scope_is_asked_for() {
        let asked = |scope: Option<&str>| {
            request(&ServeAsk::Pair {
                scope: scope.map(str::to_owned),
            })
        };
        let pair = |scope| Ok(BridgeRequest::Pair { scope: Some(scope) });
        assert_eq!(asked(None), pair(Scope::Approve));
        for scope in Scope::ALL {
            assert_eq!(asked(Some(scope.as_str())), pair(scope));
        }
    }
}
