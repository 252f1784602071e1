//! The time line of a session.

use std::collections::HashMap;

use sluice_host::conversation::{AskState, ConversationState, EntryKind};
use sluice_host::wire::stdout::SystemSubtype;
use sluice_host::wire::{Frame, MessageType};

use crate::api::{Break, Problem, TurnInfo};
use crate::body::cut;
use crate::hub::Hub;
use crate::session::{TurnNumbers, end_word};

/// The turns of a conversation.
pub(crate) fn turns(state: &ConversationState, numbers: &TurnNumbers) -> Vec<TurnInfo> {
    let time = |at: sluice_host::conversation::Time| i64::try_from(at.0).unwrap_or(0);
    let turns = state.turns().iter().enumerate();
    turns
        .map(|(at, turn)| {
            let waits = state
                .asks()
                .iter()
                .filter(|ask| ask.turn == Some(at) && ask.kind.is_for_a_person());
            let waits = waits.map(|ask| {
                let end = match ask.state {
                    AskState::Pending => state.now(),
                    _ => ask.settled.unwrap_or(ask.at),
                };
                (time(ask.at), time(end))
            });
            let prompt = turn.prompts.first().and_then(|prompt| state.prompts().get(*prompt));
            let prompt = prompt.and_then(|prompt| match prompt.line.to_agent() {
                Ok(sluice_host::wire::ToAgent::User(user)) => Some(user.message.content.text()),
                _ => None,
            });
            TurnInfo {
                turn: numbers.of(at),
                seq: None,
                began: time(turn.began),
                ended: turn.ended.map(time),
                end: turn.end.as_ref().map(|end| end_word(end).to_owned()),
                cost: turn.cost,
                waits: waits.collect(),
                origin: turn.origin.as_ref().map(ToString::to_string),
                prompt: prompt.map(|text| cut(&text, 200).to_owned()),
            }
        })
        .collect()
}

/// Where the agent's memory of the conversation changed.
pub(crate) fn breaks(state: &ConversationState) -> Vec<Break> {
    let said = state.entries().iter().filter(|entry| entry.kind == EntryKind::System);
    said.filter_map(|entry| {
        let frame = Frame::parse(&entry.line).ok()?;
        let kind = match (frame.message_type(), frame.system_subtype()) {
            (_, Some(SystemSubtype::CompactBoundary)) => "compacted",
            (MessageType::ConversationReset, _) => "cleared",
            _ => return None,
        };
        Some(Break {
            at: i64::try_from(entry.at.0).unwrap_or(0),
            kind: kind.to_owned(),
        })
    })
    .collect()
}

/// The first record of each turn, and when each record came.
pub(crate) async fn moments(hub: &Hub, id: &str, epoch: i64) -> Result<(HashMap<i64, i64>, Vec<i64>), Problem> {
    let mut first = HashMap::new();
    let mut moments = Vec::new();
    let mut after = 0;
    loop {
        let page = hub
            .shared
            .store
            .records_after(id, epoch, after, 4000, 8 * 1024 * 1024)
            .await?;
        for record in &page.records {
            let Some(seq) = record.seq else { continue };
            after = seq;
            moments.push(record.at);
            if let Some(turn) = record.turn {
                first.entry(turn).or_insert(seq);
            }
        }
        if !page.more {
            return Ok((first, moments));
        }
    }
}
