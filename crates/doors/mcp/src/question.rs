//! Permission requests to the person at the client, by elicitation.
//!
//! If the client does not support elicitation, the call is denied, with the rule or flag that would allow it.

use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleServer};
use serde_json::{Value, json};
use sluice_permission::shell::caps::visible as plain;
use tokio_util::sync::CancellationToken;

/// The maximum length of a displayed input, in characters; commands are displayed completely.
const MAX_INPUT_CHARS: usize = 4_000;

const ONCE: &str = "allow once";
const FROM_NOW_ON: &str = "allow from now on";
const NO: &str = "deny";

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PersonAnswer {
    /// Allow this call.
    Once,
    /// Allow this call and apply the suggested rules.
    FromNowOn,
    /// Deny.
    No,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    /// The client did not announce the capability in `initialize`.
    #[error("this client cannot ask anybody (it has no `elicitation` capability)")]
    Unable,
    /// The client returned an error.
    #[error("the client could not ask: {0}")]
    Failed(String),
    /// The request was withdrawn.
    #[error("the question was withdrawn")]
    Withdrawn,
}

/// A permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// The text of the request.
    pub(crate) message: String,
    /// What "allow from now on" would additionally allow, as text.
    pub(crate) from_now_on: Option<String>,
}

impl Ask {
    /// Creates a request about a call of `tool`.
    pub(crate) fn about(tool: &str, input: &Value, why: &str) -> Self {
        let why = why.trim();
        let reason = if why.is_empty() {
            String::new()
        } else {
            format!("\n\n{}", plain(why))
        };
        Self {
            message: format!("Allow {}?\n\n{}{reason}", plain(tool), format_input(input)),
            from_now_on: None,
        }
    }

    fn schema(&self) -> Value {
        let mut choices = vec![ONCE];
        let mut says = "Whether it may run".to_owned();
        if let Some(more) = &self.from_now_on {
            choices.push(FROM_NOW_ON);
            says = format!("{says}. \"{FROM_NOW_ON}\" also allows: {}", plain(more));
        }
        choices.push(NO);
        json!({
            "type": "object",
            "properties": {
                "decision": {"type": "string", "title": "Decision", "description": says, "enum": choices, "default": ONCE}
            },
        })
    }
}

/// Sends the request and waits for the answer, until `cancel` is cancelled.
pub(crate) async fn ask(
    peer: &Peer<RoleServer>,
    ask: &Ask,
    cancel: &CancellationToken,
) -> Result<PersonAnswer, NoAnswer> {
    if !can_ask(peer) {
        return Err(NoAnswer::Unable);
    }
    let failed = |error: &dyn std::fmt::Display| NoAnswer::Failed(error.to_string());
    let schema: ElicitationSchema = serde_json::from_value(ask.schema()).map_err(|error| failed(&error))?;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: ask.message.clone(),
        requested_schema: schema,
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let mut handle = peer
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .map_err(|error| failed(&error))?;
    tokio::select! {
        answer = &mut handle.rx => match answer {
            Ok(Ok(ClientResult::ElicitResult(result))) => Ok(read(&result)),
            Ok(Ok(_)) => Err(NoAnswer::Failed("it answered something else".to_owned())),
            Ok(Err(error)) => Err(failed(&error)),
            Err(_) => Err(NoAnswer::Withdrawn),
        },
        () = cancel.cancelled() => {
            // The client may be disconnected.
            let _gone = handle.cancel(Some("the call was cancelled".to_owned())).await;
            Err(NoAnswer::Withdrawn)
        }
    }
}

/// True if the client announced that it supports forms.
pub(crate) fn can_ask(peer: &Peer<RoleServer>) -> bool {
    let info = peer.peer_info();
    let elicitation = info.as_ref().and_then(|info| info.capabilities.elicitation.as_ref());
    elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// Parses the answer. A form without changes means the default; unknown values mean deny.
fn read(result: &ElicitResult) -> PersonAnswer {
    if result.action != ElicitationAction::Accept {
        return PersonAnswer::No;
    }
    let decision = result.content.as_ref().and_then(|content| content.get("decision"));
    match decision {
        None => PersonAnswer::Once,
        Some(word) if word == ONCE => PersonAnswer::Once,
        Some(word) if word == FROM_NOW_ON => PersonAnswer::FromNowOn,
        Some(_) => PersonAnswer::No,
    }
}

/// Formats the input for a person: a command unchanged, anything else field by field.
fn format_input(input: &Value) -> String {
    let Some(fields) = input.as_object() else {
        return plain(&input.to_string());
    };
    let lines = fields.iter().map(|(name, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let text = plain(&text);
        // The person must see the whole command before allowing it.
        match name.as_str() {
            "command" => format!("{name}: {text}"),
            _ => format!("{name}: {}", shortened(&text)),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_INPUT_CHARS) {
        Some((end, _)) => {
            let (head, rest) = text.split_at(end);
            format!("{head}… ({} more characters)", rest.chars().count())
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclear_answers_deny() {
        let said = |action, content: Option<Value>| {
            let mut result = ElicitResult::new(action);
            result.content = content;
            read(&result)
        };
        assert_eq!(said(ElicitationAction::Accept, None), PersonAnswer::Once);
        assert_eq!(said(ElicitationAction::Accept, Some(json!({}))), PersonAnswer::Once);
        assert_eq!(
            said(ElicitationAction::Accept, Some(json!({"decision": ONCE}))),
            PersonAnswer::Once
        );
        assert_eq!(
            said(ElicitationAction::Accept, Some(json!({"decision": FROM_NOW_ON}))),
            PersonAnswer::FromNowOn
        );
        assert_eq!(
            said(ElicitationAction::Accept, Some(json!({"decision": "deny"}))),
            PersonAnswer::No
        );
        assert_eq!(
            said(ElicitationAction::Accept, Some(json!({"decision": true}))),
            PersonAnswer::No
        );
        assert_eq!(
            said(ElicitationAction::Accept, Some(json!({"decision": null}))),
            PersonAnswer::No
        );
        assert_eq!(
            said(ElicitationAction::Decline, Some(json!({"decision": ONCE}))),
            PersonAnswer::No
        );
        assert_eq!(said(ElicitationAction::Cancel, None), PersonAnswer::No);
    }

    #[test]
    fn request_shows_the_whole_command() {
        let command = format!("echo {} && rm -rf /", "x".repeat(9_000));
        let ask = Ask::about("Bash", &json!({"command": command}), "This command requires approval");
        assert!(ask.message.contains("&& rm -rf /"), "commands are shown whole");
        let ask = Ask::about("Bash", &json!({"command": "ls\u{1b}[2K\u{202e}\r"}), "");
        assert_eq!(ask.message, "Allow Bash?\n\ncommand: ls\\u{1b}[2K\\u{202e}\\u{d}");
        let ask = Ask::about("Write", &json!({"file_path": "/a", "content": "y".repeat(5_000)}), "");
        assert!(ask.message.ends_with("… (1000 more characters)"));
    }

    #[test]
    fn request_describes_the_suggested_rules() {
        let mut ask = Ask::about("Bash", &json!({"command": "make"}), "");
        let choices = |ask: &Ask| ask.schema().pointer("/properties/decision/enum").cloned();
        assert_eq!(choices(&ask), Some(json!([ONCE, NO])));
        ask.from_now_on = Some("Bash(make *)".to_owned());
        assert_eq!(choices(&ask), Some(json!([ONCE, FROM_NOW_ON, NO])));
        assert!(ask.schema().to_string().contains("Bash(make *)"));
        let known = serde_json::from_value::<ElicitationSchema>(ask.schema());
        assert!(known.is_ok(), "{known:?}");
    }
}
