//! Withdrawn requests: why they need no answer any more.

use sluice_host::conversation::{Ask, AskState, ConversationState, End};
use sluice_wire::control::RequestId;
use sluice_wire::stdout::TerminalReason;

/// Maximum number of recent requests checked; older ones were reported before.
const MAX_CHECKED: usize = 64;

/// A request that needs no answer any more, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledRequest {
    pub id: RequestId,
    /// The call that needed permission.
    pub call: Option<String>,
    state: AskState,
    /// Name of the client that answered.
    by: Option<String>,
    /// True if its turn was stopped or is being stopped.
    stopped: bool,
}

/// Returns the recent requests to the user that are no longer pending.
#[must_use]
pub fn settled(state: &ConversationState) -> Vec<SettledRequest> {
    let asks = state.asks().iter().rev().take(MAX_CHECKED);
    let gone = asks.filter(|ask| ask.kind.is_for_a_person() && !ask.is_pending());
    gone.map(|ask| SettledRequest {
        id: ask.id.clone(),
        call: ask.call.as_deref().map(str::to_owned),
        state: ask.state,
        by: ask.by.as_deref().map(str::to_owned),
        stopped: is_stopped(state, ask),
    })
    .collect()
}

fn is_stopped(state: &ConversationState, ask: &Ask) -> bool {
    let Some(at) = ask.turn else { return false };
    let aborted = |end: &End| {
        matches!(
            end,
            End::Result {
                reason: Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools),
                ..
            }
        )
    };
    state.interruption().is_some_and(|under_way| under_way.turn == at)
        || state
            .turns()
            .get(at)
            .and_then(|turn| turn.end.as_ref())
            .is_some_and(aborted)
}

impl SettledRequest {
    /// Returns the reason. `stopped` is true if the user stopped the turn, which the conversation may not record.
    #[must_use]
    pub fn why(&self, stopped: bool) -> String {
        let who = self.by.as_deref().unwrap_or("another client");
        match self.state {
            AskState::Allowed => format!("{who} allowed it"),
            AskState::Denied => format!("{who} denied it"),
            AskState::Expired => "the agent exited".to_owned(),
            _ if self.stopped || stopped => "the turn was stopped".to_owned(),
            AskState::Superseded => "the agent continued without an answer".to_owned(),
            // Another client's answer to a form is reported in a separate row, so this covers both cases.
            _ if self.call.is_none() => "no longer needed".to_owned(),
            AskState::Cancelled | AskState::Pending => "the agent cancelled it".to_owned(),
        }
    }
}
