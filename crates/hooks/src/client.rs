//! Hooks for code beside the session: an MCP server that sends an elicitation, a call that needs a git worktree. It
//! waits for the answers of the hooks; the session runs them.

use std::path::PathBuf;

use sluice_wire::Raw;
use sluice_wire::control::{Elicitation, ElicitationAction, ElicitationResponse};
use sluice_wire::hook::{
    ElicitationInput, ElicitationResultInput, HookInput, HookSpecificOutput, WorktreeCreateInput, WorktreeRemoveInput,
};
use tokio::sync::{mpsc, oneshot};

use crate::merge::Merged;

/// How many may wait for hooks at the same time.
const DEPTH: usize = 16;

/// Runs hooks of the session from outside it.
#[derive(Debug, Clone)]
pub struct HookClient(mpsc::Sender<Consultation>);

/// The input of hooks, and where their merged answer goes.
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

    /// The merged answer of the hooks; empty when the session is gone.
    async fn tell(&self, input: HookInput) -> Merged {
        let (reply, said) = oneshot::channel();
        match self.0.send(Consultation { input, reply }).await {
            Ok(()) => said.await.unwrap_or_default(),
            Err(_) => Merged::default(),
        }
    }

    /// An MCP server sends an elicitation: the answer of an `Elicitation` hook, if there is one.
    pub async fn elicitation(&self, question: &Elicitation) -> Option<ElicitationResponse> {
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

    /// The person has answered an elicitation: another answer, if an `ElicitationResult` hook changes it.
    pub async fn elicitation_result(
        &self,
        question: &Elicitation,
        answer: &ElicitationResponse,
    ) -> Option<ElicitationResponse> {
        let input = ElicitationResultInput {
            mcp_server_name: question.mcp_server_name.clone(),
            elicitation_id: question.elicitation_id.clone(),
            mode: question.mode.clone(),
            action: answer.action.clone(),
            content: answer.content.clone().filter(|content| !content.is_null()),
            ..ElicitationResultInput::default()
        };
        let merged = self.tell(HookInput::ElicitationResult(Box::new(input))).await;
        answered(merged, |specific| match specific {
            HookSpecificOutput::ElicitationResult(it) => Some((it.action?, it.content)),
            _ => None,
        })
    }

    /// A git worktree is needed: the one a `WorktreeCreate` hook made, or why it did not; `None` without such a hook.
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

    /// A git worktree that a hook made is no longer needed (`WorktreeRemove`).
    pub async fn worktree_gone(&self, path: &std::path::Path) {
        let input = WorktreeRemoveInput {
            worktree_path: path.display().to_string(),
            ..WorktreeRemoveInput::default()
        };
        self.tell(HookInput::WorktreeRemove(Box::new(input))).await;
    }
}

/// The answer of hooks to an elicitation: that of the strongest one; a block by any of them declines.
fn answered(
    merged: Merged,
    read: impl FnMut(HookSpecificOutput) -> Option<(ElicitationAction, Option<Raw>)>,
) -> Option<ElicitationResponse> {
    let (action, content) = match merged.block {
        Some(_) => (ElicitationAction::Decline, None),
        None => merged.specific.into_iter().rev().find_map(read)?,
    };
    Some(ElicitationResponse {
        action,
        content,
        ..ElicitationResponse::default()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};
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
        let answer = answered(merged, |specific| match specific {
            HookSpecificOutput::Elicitation(it) => Some((it.action?, it.content)),
            _ => None,
        });
        answer.map(|answer| serde_json::to_value(answer).unwrap())
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
