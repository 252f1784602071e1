//! Hooks for those who are not the session: an MCP server that elicits something, a call that needs a work tree. They
//! wait for what hooks say; the session runs the hooks where it waits itself.

use std::path::PathBuf;

use serde_json::{Value, json};
use sluice_wire::Raw;
use sluice_wire::control::{Elicitation, ElicitationAction};
use sluice_wire::hook::{
    ElicitationInput, ElicitationResultInput, HookInput, HookSpecificOutput, WorktreeCreateInput, WorktreeRemoveInput,
};
use tokio::sync::{mpsc, oneshot};

use crate::merge::Merged;

/// How many may wait to be heard.
const DEPTH: usize = 16;

/// A client of the session's hooks outside the session.
#[derive(Debug, Clone)]
pub struct HookClient(mpsc::Sender<Consultation>);

/// Something hooks are told, and who waits for what they say.
#[derive(Debug)]
pub struct Consultation {
    pub input: HookInput,
    pub reply: oneshot::Sender<Merged>,
}

impl HookClient {
    pub fn new() -> (Self, mpsc::Receiver<Consultation>) {
        let (tell, heard) = mpsc::channel(DEPTH);
        (Self(tell), heard)
    }

    /// What hooks say; nothing from a session that is gone.
    async fn tell(&self, input: HookInput) -> Merged {
        let (reply, said) = oneshot::channel();
        match self.0.send(Consultation { input, reply }).await {
            Ok(()) => said.await.unwrap_or_default(),
            Err(_) => Merged::default(),
        }
    }

    /// A server wants something from the person: an answer in their place, if a hook has one.
    pub async fn elicitation(&self, question: &Elicitation) -> Option<Value> {
        let input = ElicitationInput {
            mcp_server_name: question.mcp_server_name.clone(),
            message: question.message.clone(),
            mode: question.mode.clone(),
            url: question.url.clone(),
            elicitation_id: question.elicitation_id.clone(),
            requested_schema: question.requested_schema.clone(),
            ..ElicitationInput::default()
        };
        let merged = self.tell(HookInput::Elicitation(Box::new(input))).await;
        answered(merged, |specific| match specific {
            HookSpecificOutput::Elicitation(it) => Some((it.action?, it.content)),
            _ => None,
        })
    }

    /// The person has answered a server: what it is told instead, if a hook changes it.
    pub async fn elicitation_result(&self, question: &Elicitation, answer: &Value) -> Option<Value> {
        let action = answer.get("action").and_then(Value::as_str).unwrap_or("cancel");
        let input = ElicitationResultInput {
            mcp_server_name: question.mcp_server_name.clone(),
            elicitation_id: question.elicitation_id.clone(),
            mode: question.mode.clone(),
            action: ElicitationAction::from(action),
            content: answer.get("content").filter(|content| !content.is_null()).map(Raw::of),
            ..ElicitationResultInput::default()
        };
        let merged = self.tell(HookInput::ElicitationResult(Box::new(input))).await;
        answered(merged, |specific| match specific {
            HookSpecificOutput::ElicitationResult(it) => Some((it.action?, it.content)),
            _ => None,
        })
    }

    /// A work tree is wanted: the one a hook has made, or why there is none; nothing where no hook makes them.
    pub async fn worktree(&self, name: &str) -> Option<Result<PathBuf, String>> {
        let input = WorktreeCreateInput {
            name: name.to_owned(),
            ..WorktreeCreateInput::default()
        };
        let merged = self.tell(HookInput::WorktreeCreate(Box::new(input))).await;
        if let Some(block) = merged.block {
            return Some(Err(block.shown));
        }
        merged.specific.into_iter().rev().find_map(|specific| match specific {
            HookSpecificOutput::WorktreeCreate(it) => Some(Ok(PathBuf::from(it.worktree_path))),
            _ => None,
        })
    }

    /// A work tree that a hook has made is no longer needed.
    pub async fn worktree_gone(&self, path: &std::path::Path) {
        let input = WorktreeRemoveInput {
            worktree_path: path.display().to_string(),
            ..WorktreeRemoveInput::default()
        };
        self.tell(HookInput::WorktreeRemove(Box::new(input))).await;
    }
}

/// The answer hooks give in a person's place: the strongest one's, and a no whoever says it.
fn answered(
    merged: Merged,
    read: impl FnMut(HookSpecificOutput) -> Option<(ElicitationAction, Option<Raw>)>,
) -> Option<Value> {
    if merged.block.is_some() {
        return Some(json!({"action": "decline"}));
    }
    let (action, content) = merged.specific.into_iter().rev().find_map(read)?;
    let mut answer = json!({"action": action});
    if let (Some(content), Some(map)) = (content, answer.as_object_mut()) {
        map.insert("content".to_owned(), content.to_value());
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sluice_wire::hook::ElicitationOutput;

    use super::*;
    use crate::output::Block;

    fn says(action: &str) -> HookSpecificOutput {
        HookSpecificOutput::Elicitation(Box::new(ElicitationOutput {
            action: Some(action.into()),
            content: Some(Raw::of(&json!({"a": 1}))),
            ..ElicitationOutput::default()
        }))
    }

    fn of(merged: Merged) -> Option<Value> {
        answered(merged, |specific| match specific {
            HookSpecificOutput::Elicitation(it) => Some((it.action?, it.content)),
            _ => None,
        })
    }

    #[test]
    fn the_strongest_answers_and_a_no_is_a_no() {
        assert_eq!(of(Merged::default()), None);
        let merged = Merged {
            specific: vec![says("cancel"), says("accept")],
            ..Merged::default()
        };
        assert_eq!(
            of(merged.clone()).unwrap(),
            json!({"action": "accept", "content": {"a": 1}})
        );
        let merged = Merged {
            block: Some(Block::plain("no")),
            ..merged
        };
        assert_eq!(of(merged).unwrap(), json!({"action": "decline"}));
    }

    #[tokio::test]
    async fn a_session_that_is_gone_says_nothing() {
        let (hook_client, heard) = HookClient::new();
        drop(heard);
        assert_eq!(hook_client.elicitation(&Elicitation::default()).await, None);
        assert_eq!(hook_client.worktree("w").await, None);
    }
}
