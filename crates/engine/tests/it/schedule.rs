//! Random schedules of host actions: every turn and every call has exactly one result, and every prompt exactly one
//! end.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::stage::{Stage, prompt, with};
use crate::words::word;

/// The next response of the model.
#[derive(Debug, Clone, Copy)]
enum ModelReply {
    Text,
    Thought,
    /// A command that needs permission.
    Asked,
    /// Two such commands, followed by text.
    AskedTwice,
    /// Two calls that request permission concurrently.
    Reads,
    /// A command that needs no permission.
    Free,
    Impossible,
    Empty,
    TooLong,
    Refused,
    Cut,
    CutEarly,
    Wrong,
}

impl ModelReply {
    /// The response. Texts and inputs wait at a gate.
    fn reply(self) -> Reply {
        let touch = |name: &str| json!({"command": format!("touch {name}")});
        let read = |name: &str| json!({"file_path": format!("/etc/{name}")});
        let reply = match self {
            Self::Text => Reply::text("one two three"),
            Self::Thought => Reply::thinking("so so").and_text("one two"),
            Self::Asked => Reply::tool("Bash", touch("a")),
            Self::AskedTwice => Reply::tool("Bash", touch("a"))
                .and_tool("Bash", touch("b"))
                .and_text("both"),
            Self::Reads => Reply::text("two")
                .and_tool("Read", read("hostname"))
                .and_tool("Read", read("hosts")),
            Self::Free => Reply::tool("Bash", json!({"command": "echo free"})),
            Self::Impossible => Reply::tool("Teleport", json!({})).and_text("hm"),
            Self::Empty => Reply::empty(),
            Self::TooLong => Reply::text("one two").stop_reason("max_tokens"),
            Self::Refused => Reply::text("one").stop_reason("refusal"),
            Self::Cut => Reply::tool("Bash", touch("c")).and_text("one two").cut_after(6),
            Self::CutEarly => Reply::text("one two").error_after(3),
            Self::Wrong => return Reply::error(400),
        };
        reply.gate_each("beat")
    }
}

/// The next action of the host.
#[derive(Debug, Clone)]
enum HostAction {
    Prompt(Option<&'static str>),
    /// A prompt that is only recorded.
    Remember,
    Interrupt {
        cancel_queued: bool,
    },
    /// Answers the oldest open permission request, if there is one.
    Answer(Value),
    Mode(&'static str),
    Model(&'static str),
    TakeBack(usize),
    /// Releases this number of stream events.
    Open(usize),
    /// Yields to the session this number of times.
    Wait(usize),
}

fn any_reply() -> impl Strategy<Value = ModelReply> {
    use ModelReply::*;
    prop::sample::select(vec![
        Text, Text, Thought, Asked, Asked, AskedTwice, Reads, Free, Impossible, Empty, TooLong, Refused, Cut, CutEarly,
        Wrong,
    ])
}

fn any_action() -> impl Strategy<Value = HostAction> {
    let answer = prop::sample::select(vec![
        json!({"behavior": "allow"}),
        json!({"behavior": "deny", "message": "no"}),
        json!({"behavior": "deny", "message": "no", "interrupt": true}),
        json!({"behavior": "nonsense"}),
    ]);
    prop_oneof![
        4 => prop::sample::select(vec![None, Some("now"), Some("next"), Some("later")]).prop_map(HostAction::Prompt),
        1 => Just(HostAction::Remember),
        2 => any::<bool>().prop_map(|cancel_queued| HostAction::Interrupt { cancel_queued }),
        4 => answer.prop_map(HostAction::Answer),
        1 => prop::sample::select(vec!["default", "acceptEdits", "plan", "nonsense"]).prop_map(HostAction::Mode),
        1 => prop::sample::select(vec!["sonnet", "opus"]).prop_map(HostAction::Model),
        1 => (0..8_usize).prop_map(HostAction::TakeBack),
        5 => (1..10_usize).prop_map(HostAction::Open),
        5 => (1..150_usize).prop_map(HostAction::Wait),
    ]
}

/// A host that executes a schedule.
struct Player {
    stage: Stage,
    prompts: usize,
    /// Permission requests that are neither answered nor withdrawn.
    open: Vec<Value>,
    listened: usize,
}

impl Player {
    async fn play(&mut self, step: HostAction) {
        match step {
            HostAction::Prompt(priority) => self.prompt(json!({"priority": priority})).await,
            HostAction::Remember => self.prompt(json!({"shouldQuery": false})).await,
            HostAction::Interrupt { cancel_queued } => {
                let request = json!({"subtype": "interrupt", "cancel_queued": cancel_queued});
                self.stage.request(request).await;
            }
            HostAction::Answer(answer) => {
                self.listen();
                if !self.open.is_empty() {
                    let ask = self.open.remove(0);
                    self.stage.answer(&ask, answer).await;
                }
            }
            HostAction::Mode(mode) => {
                let request = json!({"subtype": "set_permission_mode", "mode": mode});
                self.stage.request(request).await;
            }
            HostAction::Model(model) => {
                self.stage
                    .request(json!({"subtype": "set_model", "model": model}))
                    .await;
            }
            HostAction::TakeBack(n) => {
                let request = json!({"subtype": "cancel_async_message", "message_uuid": format!("u{n}")});
                self.stage.request(request).await;
            }
            HostAction::Open(count) => self.stage.gate("beat").open_n(count),
            HostAction::Wait(turns) => {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            }
        }
        self.listen();
    }

    async fn prompt(&mut self, mut fields: Value) {
        fields["uuid"] = format!("u{}", self.prompts).into();
        self.prompts += 1;
        let fields: Value = fields
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, it)| !it.is_null())
            .map(|(key, it)| (key.clone(), it.clone()))
            .collect();
        self.stage.send(&[with(prompt("go"), fields)]).await;
    }

    fn listen(&mut self) {
        self.stage.overhear();
        for message in &self.stage.heard[self.listened..] {
            if word(message).starts_with("ask:") {
                self.open.push(message.clone());
            }
            if word(message) == "cancel" {
                self.open.retain(|ask| ask["request_id"] != message["request_id"]);
            }
        }
        self.listened = self.stage.heard.len();
    }
}

async fn run(replies: Vec<ModelReply>, actions: Vec<HostAction>) {
    let script = replies
        .iter()
        .fold(Script::new(), |script, it| script.reply(it.reply()));
    let mut player = Player {
        stage: Stage::with(script, |options| options.host.partial = true).await,
        prompts: 0,
        open: Vec::new(),
        listened: 0,
    };
    for step in actions {
        player.play(step).await;
    }
    let (mut stage, prompts) = (player.stage, player.prompts);
    stage.gate("beat").open();
    stage.eof().await;
    stage.hear_out().await;
    let ended = |it: &&Value| {
        let word = word(it);
        word.starts_with("completed:") || word.starts_with("cancelled:")
    };
    assert_eq!(stage.heard.iter().filter(ended).count(), prompts);
    let answers = stage.heard.iter().filter(|it| it["type"] == "control_response").count();
    assert_eq!(answers, stage.asked(), "every request has one answer");
    stage.end().await;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        // A schedule that hangs takes the full timeout of the alarm each time.
        max_shrink_time: 60_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_turn_call_and_prompt_ends_exactly_once(
        replies in vec(any_reply(), 0..8),
        actions in vec(any_action(), 1..24),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(replies, actions));
    }
}
