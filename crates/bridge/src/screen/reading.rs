//! Messages of clients, read from their text.

use serde::Deserialize;
use serde_json::Value;

use crate::api::{ClientMessage, Code, Problem};

/// The fields that every message may have.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Head {
    pub(super) r#type: Option<Value>,
    pub(super) id: Option<Value>,
    #[serde(rename = "sessionId")]
    pub(super) session_id: Option<Value>,
}

impl Head {
    pub(super) fn name(&self) -> &str {
        self.r#type.as_ref().and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn id(&self) -> Option<String> {
        match &self.id {
            Some(Value::String(id)) => Some(id.clone()),
            Some(Value::Number(id)) => Some(id.to_string()),
            _ => None,
        }
    }
}

const A_MESSAGE: &str = "a message is a JSON object with a `type`, a string";

/// The refusal of a text that is no message. Clients of ccpocket compare its words.
fn malformed(hint: &str) -> Problem {
    Problem::new(Code::Frame, "Invalid message format").hint(hint)
}

/// Reads a message, or returns what is wrong with it.
pub(super) fn read(text: &str) -> Result<(Head, ClientMessage), Box<(Head, Problem)>> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            return Err(Box::new((
                Head::default(),
                malformed(&format!("this is not JSON: {error}")),
            )));
        }
    };
    let Value::Object(mut fields) = value else {
        return Err(Box::new((Head::default(), malformed(A_MESSAGE))));
    };
    let head = Head {
        r#type: fields.get("type").cloned(),
        id: fields.get("id").cloned(),
        session_id: fields.get("sessionId").cloned(),
    };
    let Some(name) = head.r#type.as_ref().and_then(Value::as_str).map(str::to_owned) else {
        return Err(Box::new((head, malformed(A_MESSAGE))));
    };
    // A field that is null is one that is missing.
    fields.retain(|_, field| !field.is_null());
    match serde_json::from_value::<ClientMessage>(Value::Object(fields)) {
        Ok(message) => Ok((head, message)),
        Err(error) => {
            let text = error.to_string();
            let problem = if text.starts_with("unknown variant") {
                Problem::new(
                    Code::Type,
                    format!("there is no message `{}`", crate::body::cut(&name, 60)),
                )
            } else {
                Problem::new(Code::Field, format!("{name}: {text}"))
            };
            Err(Box::new((head, problem)))
        }
    }
}
