//! The response to an ask, from what a person decided: `can_use_tool`, `elicitation`, `request_user_dialog`.

use serde::Deserialize as _;
use serde_json::Value;
use sluice_host::conversation::{Ask, AskKind, AskVerdict};
use sluice_host::wire::Raw;
use sluice_host::wire::control::{
    Allow, Deny, DialogCancelled, DialogCompleted, ElicitationAction, ElicitationResponse, RequestUserDialogResponse,
};
use sluice_host::wire::permission_update::{AddRules, Destination, PermissionUpdate, RemoveRules, Rule, SetMode};

use super::asks::request;
use crate::api::{AnswerAsk, Code, Problem};

/// The control response to an ask.
pub(super) fn verdict(ask: &Ask, answer: &AnswerAsk) -> Result<AskVerdict, Problem> {
    let allow = matches!(answer.decision.as_str(), "allow" | "accept");
    match ask.kind {
        AskKind::Elicitation => {
            let action = match answer.decision.as_str() {
                "allow" | "accept" => ElicitationAction::Accept,
                "deny" | "decline" => ElicitationAction::Decline,
                _ => ElicitationAction::Cancel,
            };
            let response = ElicitationResponse {
                action,
                content: answer.content.as_ref().filter(|_| allow).map(Raw::from),
                ..ElicitationResponse::default()
            };
            Ok(AskVerdict::Give(Raw::of(&response)))
        }
        AskKind::Dialog => {
            let response = match allow {
                true => RequestUserDialogResponse::from(DialogCompleted {
                    result: answer.content.as_ref().map(Raw::from).unwrap_or_default(),
                    ..DialogCompleted::default()
                }),
                false => DialogCancelled::default().into(),
            };
            Ok(AskVerdict::Give(Raw::of(&response)))
        }
        AskKind::Tool if allow => allowed(ask, answer),
        AskKind::Tool => {
            let message = answer.message.clone().filter(|text| !text.trim().is_empty());
            let response = Deny {
                message: message.unwrap_or_else(|| "The user does not want this to be done.".to_owned()),
                interrupt: answer.interrupt.then_some(true),
                ..Deny::default()
            };
            Ok(AskVerdict::Deny(Raw::of(&response)))
        }
        AskKind::Hook | AskKind::Mcp | AskKind::Other => Ok(AskVerdict::Refuse("a person said no".into())),
    }
}

fn allowed(ask: &Ask, answer: &AnswerAsk) -> Result<AskVerdict, Problem> {
    let request = request(ask);
    let mut input = answer.updated_input.clone();
    if let Some(answers) = &answer.answers {
        let mut whole = input
            .take()
            .or_else(|| request.get("input").cloned())
            .unwrap_or_default();
        let Some(fields) = whole.as_object_mut() else {
            return Err(Problem::new(
                Code::Field,
                "the questions cannot be answered: their input is no object",
            ));
        };
        fields.insert("answers".to_owned(), answers.clone());
        input = Some(whole);
    }
    if input.as_ref().is_some_and(|input| !input.is_object()) {
        return Err(Problem::new(Code::Field, "updatedInput is not an object"));
    }
    let mut updates = Vec::new();
    for at in &answer.suggestions {
        let Some(suggestion) = accepted(&request, *at, answer) else {
            let problem = format!("there is no suggestion {at}");
            return Err(Problem::new(Code::Field, problem).hint("suggestions are counted from 0"));
        };
        updates.push(suggestion);
    }
    if let Some(rule) = &answer.rule {
        updates.push(add_rule(
            rule,
            "allow",
            answer.destination.as_deref().unwrap_or("session"),
            true,
        )?);
    }
    if let Some(mode) = &answer.mode {
        updates.push(PermissionUpdate::from(SetMode {
            mode: mode.as_str().into(),
            destination: Destination::Session,
            ..SetMode::default()
        }));
    }
    let response = Allow {
        updated_input: input.map(Raw::from),
        updated_permissions: Some(updates).filter(|all| !all.is_empty()),
        ..Allow::default()
    };
    Ok(AskVerdict::Allow(Some(Raw::of(&response))))
}

/// The suggestions of the agent that an answer accepts, with the destination that the answer gives them.
pub(crate) fn accepted_suggestions(ask: &Ask, answer: &AnswerAsk) -> Vec<PermissionUpdate> {
    let request = request(ask);
    let places = answer.suggestions.iter();
    places.filter_map(|at| accepted(&request, *at, answer)).collect()
}

fn accepted(request: &Value, at: u32, answer: &AnswerAsk) -> Option<PermissionUpdate> {
    let mut suggestion = suggestion(request, at)?;
    if let Some(destination) = &answer.destination {
        suggestion.set_destination(destination.as_str().into());
    }
    Some(suggestion)
}

/// A rule as a change of permissions: `Bash(cargo test:*)`.
pub(crate) fn add_rule(rule: &str, behavior: &str, destination: &str, add: bool) -> Result<PermissionUpdate, Problem> {
    let rule = rule.trim();
    let (tool, content) = match rule.split_once('(') {
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(content) => (tool, Some(content)),
            None => {
                return Err(Problem::new(
                    Code::Field,
                    format!("`{rule}` is no rule: a bracket is missing"),
                ));
            }
        },
        None => (rule, None),
    };
    if tool.trim().is_empty() {
        return Err(
            Problem::new(Code::Field, "a rule begins with the name of a tool").hint("such as Bash(cargo test:*)")
        );
    }
    let known = ["session", "localSettings", "projectSettings", "userSettings"];
    if !known.contains(&destination) {
        return Err(
            Problem::new(Code::Field, format!("`{destination}` is no place for a rule"))
                .hint(format!("one of {}", known.join(", "))),
        );
    }
    let rules = vec![Rule {
        tool_name: tool.trim().to_owned(),
        rule_content: content.map(str::to_owned),
        ..Rule::default()
    }];
    let (behavior, destination) = (behavior.into(), destination.into());
    Ok(match add {
        true => PermissionUpdate::from(AddRules {
            rules,
            behavior,
            destination,
            ..AddRules::default()
        }),
        false => PermissionUpdate::from(RemoveRules {
            rules,
            behavior,
            destination,
            ..RemoveRules::default()
        }),
    })
}

/// A change of permissions that the agent suggests with its ask, counted from 0.
pub(super) fn suggestion(request: &Value, at: u32) -> Option<PermissionUpdate> {
    let suggestions = request.get("permission_suggestions")?.as_array()?;
    PermissionUpdate::deserialize(suggestions.get(at as usize)?).ok()
}
