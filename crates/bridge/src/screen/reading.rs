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

/// Reads a message, or returns what is wrong with it.
pub(super) fn read(text: &str) -> Result<(Head, ClientMessage), Box<(Head, Problem)>> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let problem = Problem::new(Code::Frame, format!("not JSON: {error}"));
            return Err(Box::new((Head::default(), problem)));
        }
    };
    let Value::Object(mut fields) = value else {
        let problem = Problem::new(Code::Frame, "a message is a JSON object with a `type`");
        return Err(Box::new((Head::default(), problem)));
    };
    let head = Head {
        r#type: fields.get("type").cloned(),
        id: fields.get("id").cloned(),
        session_id: fields.get("sessionId").cloned(),
    };
    let Some(name) = head.r#type.as_ref().and_then(Value::as_str).map(str::to_owned) else {
        return Err(Box::new((
            head,
            Problem::new(Code::Frame, "a message has a `type`, a string"),
        )));
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
