//! Random faults: every subagent ends exactly once, for any behaviour of it and the host, and the session stays usable.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_simulator::Reply;

use crate::agents::agent;
use crate::stage::Stage;
use crate::words::word;

/// The response of a subagent's model.
#[derive(Debug, Clone, Copy)]
enum ModelReply {
    Text,
    /// A command that needs permission.
    Asked,
    Free,
    Impossible,
    Nested,
    Cut,
    Wrong,
    /// No response until the gate is opened or the subagent is stopped.
    Hang,
}

impl ModelReply {
    fn reply(self, n: usize) -> Reply {
        match self {
            Self::Text => Reply::text("one two"),
            Self::Asked => Reply::tool("Bash", json!({"command": "touch a"})),
            Self::Free => Reply::tool("Bash", json!({"command": "echo free"})),
            Self::Impossible => Reply::tool("Teleport", json!({})),
            Self::Nested => Reply::tool(
                "Agent",
                agent(&format!("SUB deeper {n}"), json!({"run_in_background": true})),
            ),
            Self::Cut => Reply::text("one two").cut_after(3),
            Self::Wrong => Reply::error(400),
            Self::Hang => Reply::text("late").gate("late"),
        }
    }
}

/// An action of the host.
#[derive(Debug, Clone, Copy)]
enum HostAction {
    Interrupt,
    /// Stops the newest subagent.
    Stop,
    Allow,
    Deny,
    DenyAndStop,
    Background,
    Wait(usize),
}

fn any_reply() -> impl Strategy<Value = ModelReply> {
    use ModelReply::*;
    prop::sample::select(vec![Text, Text, Asked, Free, Impossible, Nested, Cut, Wrong, Hang])
}

fn any_action() -> impl Strategy<Value = HostAction> {
    use HostAction::*;
    prop_oneof![
        prop::sample::select(vec![Interrupt, Stop, Allow, Deny, DenyAndStop, Background]),
        (1..60_usize).prop_map(Wait),
    ]
}

async fn act(stage: &mut Stage, action: HostAction) {
    let open = || {
        let mut asks = stage.heard.iter().filter(|it| word(it).starts_with("ask:"));
        asks.next_back().cloned()
    };
    match action {
        HostAction::Interrupt => stage.interrupt().await,
        HostAction::Stop => {
            let id = stage
                .heard
                .iter()
                .rfind(|it| it["subtype"] == "task_started")
                .map(|it| it["task_id"].clone());
            stage
                .request(json!({"subtype": "stop_task", "task_id": id.unwrap_or(json!("a0"))}))
                .await;
        }
        HostAction::Background => {
            stage.request(json!({"subtype": "background_tasks"})).await;
        }
        HostAction::Allow | HostAction::Deny | HostAction::DenyAndStop => {
            let answer = match action {
                HostAction::Allow => json!({"behavior": "allow"}),
                HostAction::Deny => json!({"behavior": "deny", "message": "no"}),
                _ => json!({"behavior": "deny", "message": "no", "interrupt": true}),
            };
            if let Some(ask) = open() {
                stage.answer(&ask, answer).await;
            }
        }
        HostAction::Wait(steps) => {
            for _ in 0..steps {
                tokio::task::yield_now().await;
            }
        }
    }
    stage.overhear();
}

async fn play(mine: Vec<(bool, bool)>, theirs: Vec<ModelReply>, acts: Vec<HostAction>) {
    let script = std::sync::Mutex::new(theirs.into_iter());
    let calls = std::sync::Mutex::new(mine.into_iter());
    let brain = move |request: &Value, n: usize| {
        let sub = !request["system"].to_string().contains("You are Sluice");
        if sub {
            return script
                .lock()
                .unwrap()
                .next()
                .map_or_else(|| Reply::text("end"), |reply| reply.reply(n));
        }
        match calls.lock().unwrap().next() {
            Some((background, two)) => {
                let call = |which: &str| agent(&format!("SUB {which} {n}"), json!({"run_in_background": background}));
                let reply = Reply::tool("Agent", call("one"));
                if two {
                    reply.and_tool("Agent", call("two"))
                } else {
                    reply
                }
            }
            None => Reply::text("Done"),
        }
    };
    let mut stage = Stage::with(brain, |options| options.model.max_retries = 0).await;
    stage.prompt("go").await;
    for action in acts {
        act(&mut stage, action).await;
    }
    stage.gate("late").open();
    // Requests fail from now on, and background work comes to its end.
    stage.end_crew().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn every_subagent_ends_exactly_once(
        mine in vec((any::<bool>(), any::<bool>()), 1..3),
        theirs in vec(any_reply(), 0..8),
        acts in vec(any_action(), 0..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play(mine, theirs, acts));
    }
}
