//! Property tests of the projection: the items do not depend on how a log is read or from which cursor a client follows.

use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_host::conversation::{ConversationEvent, ConversationState, Submit, What, step};
use sluice_host::items::{Item, ItemChange, ItemCursor};
use sluice_wire::stdin::User;

use crate::conversation::play::{Play, ask, message_start, result, stream, system, text, tool_result, tool_use};

/// One thing that happens.
#[derive(Debug, Clone, Copy)]
enum Happening {
    Prompt,
    MessageStart,
    BlockStart(u8),
    Delta(u8, u8),
    MessageStop,
    Text(u8),
    Call(u8),
    Inside(u8),
    Ask(u8),
    Answer(u8),
    Result(u8, bool),
    Task(u8),
    TaskEnd(u8),
    Retry,
    Compacting,
    Compacted,
    Hook(bool),
    Notice,
    TurnEnd,
    Dies,
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening::*;
    let small = 0_u8..3;
    prop_oneof![
        Just(Prompt),
        Just(MessageStart),
        small.clone().prop_map(BlockStart),
        (small.clone(), 0_u8..5).prop_map(|(block, length)| Delta(block, length)),
        (small.clone(), 0_u8..5).prop_map(|(block, length)| Delta(block, length)),
        Just(MessageStop),
        small.clone().prop_map(Text),
        small.clone().prop_map(Call),
        small.clone().prop_map(Inside),
        small.clone().prop_map(Ask),
        small.clone().prop_map(Answer),
        (small.clone(), any::<bool>()).prop_map(|(call, failed)| Result(call, failed)),
        small.clone().prop_map(Task),
        small.prop_map(TaskEnd),
        Just(Retry),
        Just(Compacting),
        Just(Compacted),
        any::<bool>().prop_map(Hook),
        Just(Notice),
        Just(TurnEnd),
        Just(Dies),
    ]
}

fn line(happening: Happening, serial: usize) -> Option<Value> {
    use Happening::*;
    Some(match happening {
        MessageStart => message_start(&format!("m{serial}")),
        BlockStart(block) => {
            let content = match block {
                0 => json!({"type": "text", "text": ""}),
                1 => json!({"type": "thinking", "thinking": ""}),
                _ => json!({"type": "tool_use", "id": format!("c{serial}"), "name": "Bash", "input": {}}),
            };
            stream(json!({"type": "content_block_start", "index": block, "content_block": content}))
        }
        Delta(block, length) => {
            let text = "aé\"\\n"[..].repeat(length.into());
            let delta = match block {
                0 => json!({"type": "text_delta", "text": text}),
                1 => json!({"type": "thinking_delta", "thinking": text}),
                _ => json!({"type": "input_json_delta", "partial_json": "{\"command\": \"l"}),
            };
            stream(json!({"type": "content_block_delta", "index": block, "delta": delta}))
        }
        MessageStop => stream(json!({"type": "message_stop"})),
        Text(which) => text(&format!("m{which}"), "said é \"so\"\n"),
        Call(call) => tool_use(&format!("c{call}"), "Bash"),
        Inside(call) => {
            let mut said = tool_use(&format!("i{call}"), "Read");
            said["parent_tool_use_id"] = json!(format!("c{call}"));
            said
        }
        Ask(call) => ask(&format!("r{serial}"), &format!("c{call}")),
        Result(call, failed) => {
            let mut result = tool_result(&format!("c{call}"));
            result["message"]["content"][0]["is_error"] = json!(failed);
            result
        }
        Task(call) => system(
            "task_started",
            json!({"task_id": format!("t{call}"), "tool_use_id": format!("c{call}"),
            "task_type": "local_bash", "description": "d", "is_backgrounded": serial.is_multiple_of(2)}),
        ),
        TaskEnd(call) => system(
            "task_notification",
            json!({"task_id": format!("t{call}"), "status": "completed",
            "output_file": "f", "summary": "s"}),
        ),
        Retry => system(
            "api_retry",
            json!({"attempt": 1, "max_retries": 2, "retry_delay_ms": 5, "error": "overloaded"}),
        ),
        Compacting => system("status", json!({"status": "compacting"})),
        Compacted => system(
            "compact_boundary",
            json!({"compact_metadata": {"trigger": "auto", "pre_tokens": 9}}),
        ),
        Hook(ended) => system(
            if ended { "hook_response" } else { "hook_started" },
            json!({"hook_id": "h", "hook_name": "Stop", "hook_event": "Stop", "output": "o"}),
        ),
        Notice => system("informational", json!({"content": "note", "level": "info"})),
        TurnEnd => result(),
        Prompt | Answer(_) | Dies => return None,
    })
}

/// The log of a conversation in which these things happen.
fn log(happenings: &[Happening]) -> Vec<ConversationEvent> {
    let mut play = Play::new();
    for (serial, happening) in happenings.iter().enumerate() {
        play.now += 7;
        match (*happening, line(*happening, serial)) {
            (_, Some(line)) => {
                play.says(line);
            }
            (Happening::Prompt, None) => {
                let id = format!("p{serial}");
                play.happens(What::Submit(Submit::new(id.as_str(), User::new("go"))));
                play.takes_up(&id);
            }
            (Happening::Answer(which), None) => {
                let pending: Vec<_> = play.state.pending_asks().map(|ask| ask.id.clone()).collect();
                if let Some(ask) = pending.get(usize::from(which)) {
                    play.answer(sluice_host::conversation::AskAnswer::deny(ask.clone(), "no"));
                }
            }
            _ => {
                play.dies();
                play.happens(What::Starting { resumed: true });
                play.happens(What::Up);
            }
        }
    }
    play.log
}

fn project(log: &[ConversationEvent]) -> ConversationState {
    let mut state = ConversationState::default();
    for event in log {
        step(&mut state, event.clone());
    }
    state
}

fn all(state: &ConversationState) -> Vec<Item> {
    state.items().collect()
}

fn restored(state: &ConversationState) -> ConversationState {
    let snapshot = serde_json::to_string(&state.snapshot()).unwrap();
    ConversationState::restore(serde_json::from_str(&snapshot).unwrap()).unwrap()
}

/// A client that applies changes.
#[derive(Default)]
struct Client {
    cursor: ItemCursor,
    items: Vec<Item>,
    last: u64,
}

impl Client {
    fn follow(&mut self, state: &ConversationState) {
        for change in state.item_changes(&mut self.cursor) {
            let revision = match &change {
                ItemChange::Item(item) => item.revision,
                ItemChange::Delta { revision, .. } | ItemChange::Removed { revision, .. } => *revision,
            };
            assert!(revision > self.last, "revisions come in order");
            self.last = revision;
            change.apply(&mut self.items);
        }
        let items = all(state);
        for (mine, item) in self.items.iter().zip(&items) {
            assert_eq!(mine, item);
        }
        assert_eq!(self.items.len(), items.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 200 } else { 10_000 }))]

    #[test]
    fn a_log_gives_the_same_items_at_once_in_pieces_after_a_restart_and_after_a_rebuild(
        happenings in prop::collection::vec(happening(), 1..60),
        cut in 0.0_f64..1.0,
    ) {
        let log = log(&happenings);
        let whole = project(&log);
        let at = (log.len() as f64 * cut) as usize;
        let mut pieces = project(&log[..at]);
        pieces = restored(&pieces);
        for event in &log[at..] {
            step(&mut pieces, event.clone());
            if event.at.0 % 11 == 0 {
                pieces = restored(&pieces);
            }
        }
        prop_assert_eq!(all(&whole), all(&pieces));
        prop_assert_eq!(whole.item_revision(), pieces.item_revision());
        prop_assert_eq!(all(&whole), all(&project(&log)));
        let items = all(&whole);
        prop_assert!(items.windows(2).all(|pair| pair[0].id < pair[1].id));
        let mut revisions: Vec<u64> = items.iter().map(|item| item.revision).collect();
        revisions.sort_unstable();
        prop_assert!(revisions.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_client_that_follows_from_any_cursor_has_exactly_the_items(
        happenings in prop::collection::vec(happening(), 1..60),
        looks in prop::collection::vec(any::<bool>(), 300),
        late in 0_usize..200,
    ) {
        let log = log(&happenings);
        let mut state = ConversationState::default();
        let (mut client, mut second) = (Client::default(), Client::default());
        for (at, event) in log.iter().enumerate() {
            step(&mut state, event.clone());
            if looks[at % looks.len()] {
                client.follow(&state);
            }
            if at >= late {
                second.follow(&state);
            }
            if at == late {
                // It stored what it has, and continues with the revision alone.
                second.cursor = ItemCursor::at(second.cursor.revision());
            }
        }
        client.follow(&state);
        second.follow(&state);
    }
}
