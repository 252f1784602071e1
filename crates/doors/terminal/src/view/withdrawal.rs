//! Withdrawn asks: why they no longer wait for the person.

use sluice_host::conversation::{Ask, AskState, ConversationState, End};
use sluice_wire::control::RequestId;
use sluice_wire::stdout::TerminalReason;

/// So many of the last asks are looked at: those before were told of long ago.
const LAST: usize = 64;

/// What became of an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub id: RequestId,
    /// The call it was about.
    pub call: Option<String>,
    state: AskState,
    /// Who answered.
    by: Option<String>,
    /// Its turn was stopped, or is about to be.
    stopped: bool,
}

/// The asks for a person that wait no longer.
#[must_use]
pub fn settled(state: &ConversationState) -> Vec<Settled> {
    let asks = state.asks().iter().rev().take(LAST);
    let gone = asks.filter(|ask| ask.kind.is_for_a_person() && !ask.is_pending());
    gone.map(|ask| Settled {
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

impl Settled {
    /// In words; `stopped` when the person stopped the turn, which the conversation need not know any more.
    #[must_use]
    pub fn why(&self, stopped: bool) -> String {
        let who = self.by.as_deref().unwrap_or("somebody else");
        match self.state {
            AskState::Allowed => format!("{who} said yes"),
            AskState::Denied => format!("{who} said no"),
            AskState::Expired => "the agent that asked is gone".to_owned(),
            _ if self.stopped || stopped => "the turn was stopped".to_owned(),
            AskState::Superseded => "the agent went on without an answer".to_owned(),
            // Who answered a form on another screen is said in a row of its own: this holds for both.
            _ if self.call.is_none() => "nobody waits for it any more".to_owned(),
            AskState::Cancelled | AskState::Pending => "the agent took it back".to_owned(),
        }
    }
}
