//! Runs hooks of the session for code outside it: an MCP server that sends an elicitation, or a call that needs a git
//! worktree. The session runs the hooks, and the client waits for the result.

use std::path::PathBuf;

use sluice_wire::Raw;
use sluice_wire::control::{Elicitation, ElicitationAction, ElicitationResponse};
use sluice_wire::hook::{
    ElicitationInput, ElicitationResultInput, HookInput, HookSpecificOutput, WorktreeCreateInput, WorktreeRemoveInput,
};
use tokio::sync::{mpsc, oneshot};

use crate::merge::Merged;

/// Maximum number of queued requests.
const QUEUE_LENGTH: usize = 16;

/// Requests runs of the session's hooks.
#[derive(Debug, Clone)]
pub struct HookClient(mpsc::Sender<Consultation>);

/// The input of hooks, and the channel for their merged result.
#[derive(Debug)]
pub struct Consultation {
    pub input: HookInput,
    pub reply: oneshot::Sender<Merged>,
}

impl HookClient {
    pub fn new() -> (Self, mpsc::Receiver<Consultation>) {
        let (sender, requests) = mpsc::channel(QUEUE_LENGTH);
        (Self(sender), requests)
    }

    /// Runs hooks and returns the merged result; empty if the session has ended.
    async fn run_hooks(&self, input: HookInput) -> Merged {
        let (reply, result) = oneshot::channel();
        match self.0.send(Consultation { input, reply }).await {
            Ok(()) => result.await.unwrap_or_default(),
            Err(_) => Merged::default(),
        }
    }

    /// Runs the `Elicitation` hooks. Returns their response to the elicitation, if they give one.
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
        let merged = self.run_hooks(HookInput::Elicitation(Box::new(input))).await;
        elicitation_response(merged, |specific| match specific {
            HookSpecificOutput::Elicitation(it) => Some((it.action?, it.content)),
            _ => None,
        })
    }

    /// Runs the `ElicitationResult` hooks after the user has answered. Returns the changed response, if they change it.
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
        let merged = self.run_hooks(HookInput::ElicitationResult(Box::new(input))).await;
        elicitation_response(merged, |specific| match specific {
            HookSpecificOutput::ElicitationResult(it) => Some((it.action?, it.content)),
            _ => None,
        })
    }

    /// Runs the `WorktreeCreate` hooks. Returns the path of the worktree that a hook created, or its error; `None` if
    /// there is no such hook.
    pub async fn worktree(&self, name: &str) -> Option<Result<PathBuf, String>> {
        let input = WorktreeCreateInput {
            name: name.to_owned(),
            ..WorktreeCreateInput::default()
        };
        let merged = self.run_hooks(HookInput::WorktreeCreate(Box::new(input))).await;
        if let Some(block) = merged.block {
            return Some(Err(block.shown));
        }
        merged.specific.into_iter().rev().find_map(|specific| match specific {
            HookSpecificOutput::WorktreeCreate(it) => Some(Ok(PathBuf::from(it.worktree_path))),
            _ => None,
        })
    }

    /// Runs the `WorktreeRemove` hooks for a worktree that a hook created.
    pub async fn worktree_gone(&self, path: &std::path::Path) {
        let input = WorktreeRemoveInput {
            worktree_path: path.display().to_string(),
            ..WorktreeRemoveInput::default()
        };
        self.run_hooks(HookInput::WorktreeRemove(Box::new(input))).await;
    }
}

/// Returns the response of hooks to an elicitation: that of the strongest hook. A block by any hook declines.
fn elicitation_response(
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

    fn elicitation_output(action: &str) -> HookSpecificOutput {
        HookSpecificOutput::Elicitation(Box::new(ElicitationOutput {
            action: Some(action.into()),
            content: Some(Raw::of(&json!({"a": 1}))),
            ..ElicitationOutput::default()
        }))
    }

    fn response_to(merged: Merged) -> Option<Value> {
        let answer = elicitation_response(merged, |specific| match specific {
            HookSpecificOutput::Elicitation(it) => Some((it.action?, it.content)),
            _ => None,
        });
        answer.map(|answer| serde_json::to_value(answer).unwrap())
    }

    #[test]
    fn the_strongest_hook_answers_and_a_block_declines() {
        assert_eq!(response_to(Merged::default()), None);
        let merged = Merged {
            specific: vec![elicitation_output("cancel"), elicitation_output("accept")],
            ..Merged::default()
        };
        assert_eq!(
            response_to(merged.clone()).unwrap(),
            json!({"action": "accept", "content": {"a": 1}})
        );
        let merged = Merged {
            block: Some(Block::plain("no")),
            ..merged
        };
        assert_eq!(response_to(merged).unwrap(), json!({"action": "decline"}));
    }

    #[tokio::test]
    async fn there_is_no_result_after_the_session_has_ended() {
        let (hook_client, requests) = HookClient::new();
        drop(requests);
        assert_eq!(hook_client.elicitation(&Elicitation::default()).await, None);
        assert_eq!(hook_client.worktree("w").await, None);
    }
}
