//! Activity: idle, running, waiting or stalled, computed from the open turn, its last evidence and the time.

use std::time::Duration;

use super::{Activity, ConversationState, Evidence, Rung, Time, Turn};

/// What `state` is doing at `now`.
pub(crate) fn of(state: &ConversationState, now: Time) -> Activity {
    let open = state.index.open.and_then(|at| Some((at, state.turns.get(at)?)));
    if let Some((turn, it)) = open
        && let Some(interrupt) = &state.interrupt
    {
        // An interrupt is evidence only while its rung has time left.
        return match rung_ends(state, it) {
            Some(end) if now > end => stalled(turn, it),
            _ => Activity::Interrupting {
                rung: interrupt.rung,
                since: interrupt.since,
            },
        };
    }
    let waiting = state.index.pending.iter().find_map(|at| {
        let ask = state.asks.get(*at as usize)?;
        ask.kind.is_for_a_person().then_some((*at as usize, ask.at))
    });
    if let Some((ask, since)) = waiting {
        return Activity::Waiting { ask, since };
    }
    match open {
        None => Activity::Idle,
        Some((turn, it)) if now > stalls_at(state, it) => stalled(turn, it),
        Some((turn, it)) => Activity::Running {
            turn,
            evidence: it.evidence,
            seen: it.seen,
        },
    }
}

fn stalled(turn: usize, it: &Turn) -> Activity {
    Activity::Stalled {
        turn,
        evidence: it.evidence,
        seen: it.seen,
    }
}

/// Until when the evidence for `turn` is believed.
pub(crate) fn stalls_at(state: &ConversationState, turn: &Turn) -> Time {
    let patience = &state.patience;
    // A callback of the host itself keeps the agent waiting.
    if !state.index.pending.is_empty() {
        return turn.seen.after(patience.call);
    }
    let mut calls = state.running_calls().peekable();
    if calls.peek().is_some() {
        let beat = calls.filter_map(|call| call.heartbeat).max();
        return match beat {
            Some(beat) => beat.max(turn.seen).after(patience.heartbeat),
            None => turn.seen.after(patience.call),
        };
    }
    turn.seen.after(match turn.evidence {
        Evidence::Stopped | Evidence::SaidIdle => patience.result,
        Evidence::Calling => patience.call,
        Evidence::Streaming => patience.stream,
        Evidence::Announced | Evidence::Requesting | Evidence::Said | Evidence::Retrying | Evidence::Compacting => {
            patience.model
        }
    })
}

/// When the present rung of an interrupt has had its time.
pub(crate) fn rung_ends(state: &ConversationState, turn: &Turn) -> Option<Time> {
    let interrupt = state.interrupt.as_ref()?;
    let Some(ladder) = state.patience.ladder else {
        return Some(stalls_at(state, turn));
    };
    let wait: Duration = match interrupt.rung {
        Rung::Asked => ladder.acknowledge,
        Rung::Acknowledged => ladder.result,
        Rung::Terminated | Rung::Killed => ladder.terminate,
    };
    Some(interrupt.since.after(wait))
}

/// Until when a prompt that was sent may stay without a sign.
pub(crate) fn uptake_ends(state: &ConversationState, sent: Time) -> Time {
    let free = state.turns.last().and_then(|turn| turn.ended).unwrap_or_default();
    sent.max(free).after(state.patience.uptake)
}

/// The next moment at which something changes by itself; moments that are past say nothing new.
pub(crate) fn deadline(state: &ConversationState) -> Option<Time> {
    let mut next: Option<Time> = None;
    let mut add = |at: Time| {
        // A deadline passes once it is over, so the moment to look is the one after.
        let at = at.after(Duration::from_millis(1));
        if at > state.now && next.is_none_or(|it| at < it) {
            next = Some(at);
        }
    };
    for request in &state.requests {
        add(request.until);
    }
    match state.index.open.and_then(|at| state.turns.get(at)) {
        Some(turn) => match rung_ends(state, turn) {
            Some(end) => add(end),
            None => add(stalls_at(state, turn)),
        },
        // A callback of the host itself keeps the agent waiting.
        None if !state.index.pending.is_empty() => {}
        None => {
            for prompt in state.queue() {
                if prompt.state == super::PromptState::Sent {
                    add(uptake_ends(state, prompt.since));
                }
            }
        }
    }
    next
}
