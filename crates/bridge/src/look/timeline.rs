//! The time line of a session.

use sluice_host::conversation::{AskState, ConversationState};
use sluice_host::items::{ItemBody, ItemStatus, NoticeKind};

use crate::api::{Break, BreakKind, Problem, TurnInfo};
use crate::body::cut;
use crate::hub::Hub;
use crate::session::turn_result;

/// The turns of a conversation.
pub(crate) fn turns(state: &ConversationState) -> Vec<TurnInfo> {
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
                turn: u32::try_from(at).unwrap_or(u32::MAX),
                item: u32::try_from(at).ok().and_then(|turn| state.first_of_turn(turn)),
                began: time(turn.began),
                ended: turn.ended.map(time),
                end: turn.end.as_ref().map(turn_result),
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
    let breaks = state.items().filter_map(|item| {
        let kind = match &item.body {
            ItemBody::Compaction(_) if item.status == ItemStatus::Done => BreakKind::Compacted,
            ItemBody::Notice(notice) if notice.kind == NoticeKind::Cleared => BreakKind::Cleared,
            _ => return None,
        };
        Some(Break {
            at: i64::try_from(item.at.0).unwrap_or(0),
            kind,
            item: item.id,
        })
    });
    breaks.collect()
}

/// When each record came.
pub(crate) async fn moments(hub: &Hub, id: &str, epoch: i64) -> Result<Vec<i64>, Problem> {
    let mut moments = Vec::new();
    let mut after = 0;
    loop {
        let store = &hub.shared.store;
        let page = store.records_after(id, epoch, after, 4000, 8 * 1024 * 1024).await?;
        for record in &page.records {
            after = record.seq.unwrap_or(after);
            moments.push(record.at);
        }
        if !page.more {
            return Ok(moments);
        }
    }
}
