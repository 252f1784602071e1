//! What a person types when asked.

use sluice_wire::control::{Allow, CanUseTool, ControlResponse, Deny, RequestId};
use sluice_wire::permission_update::PermissionUpdate;

/// What a typed line says to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// Yes, this once.
    Yes,
    /// Yes, and whatever was suggested along with it.
    Always,
    /// No, with what to do instead.
    No(String),
    /// Neither; ask again.
    Unclear,
}

/// Reads a typed answer.
#[must_use]
pub fn read(line: &str) -> Typed {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_lowercase().as_str() {
        "y" | "yes" => Typed::Yes,
        "a" | "always" => Typed::Always,
        "n" | "no" => Typed::No(rest.trim().to_owned()),
        _ => Typed::Unclear,
    }
}

/// The answer on the wire; none when it has to be asked again.
#[must_use]
pub fn response(id: &RequestId, ask: &CanUseTool, typed: &Typed) -> Option<ControlResponse> {
    let allow = |updates: Option<Vec<PermissionUpdate>>| Allow {
        updated_input: Some(ask.input.clone()),
        updated_permissions: updates,
        ..Allow::default()
    };
    match typed {
        Typed::Yes => Some(ControlResponse::success(id.clone(), &allow(None))),
        Typed::Always => Some(ControlResponse::success(
            id.clone(),
            &allow(ask.permission_suggestions.clone()),
        )),
        Typed::No(instead) => {
            let message = match instead.as_str() {
                "" => "The person said no to this call.".to_owned(),
                instead => format!("The person said no to this call, and: {instead}"),
            };
            Some(ControlResponse::success(
                id.clone(),
                &Deny {
                    message,
                    ..Deny::default()
                },
            ))
        }
        Typed::Unclear => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_a_clear_yes_allows() {
        assert_eq!(read("y"), Typed::Yes);
        assert_eq!(read(" Yes "), Typed::Yes);
        assert_eq!(read("always"), Typed::Always);
        assert_eq!(read("n use ls instead"), Typed::No("use ls instead".into()));
        for unclear in ["", "yep", "ok", "maybe", "да"] {
            assert_eq!(read(unclear), Typed::Unclear, "{unclear}");
        }
    }

    #[test]
    fn an_unclear_answer_is_not_sent() {
        let ask = CanUseTool::default();
        assert!(response(&RequestId::new("r"), &ask, &Typed::Unclear).is_none());
        let no = response(&RequestId::new("r"), &ask, &Typed::No(String::new())).unwrap();
        assert!(serde_json::to_string(&no).unwrap().contains(r#""behavior":"deny""#));
    }
}
