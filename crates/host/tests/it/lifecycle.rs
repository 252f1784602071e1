//! The lives of a conversation, written once and lived with every kind of agent: the scripted one, `sluice`, and, where
//! `SLUICE_HOST_AGENT` names it, any other program that speaks the protocol.

pub(crate) mod cast;

use std::time::Duration;

use serde_json::json;
use sluice_host::conversation::{AskState, End, PromptState, Rung};
use sluice_host::wire::control::RequestId;
use sluice_host::{Client, Ended, Event, Events, PermissionDecision};

use cast::{Cast, Life};

/// Long enough for any agent on a busy machine; a test that needs it has failed.
const PATIENCE: Duration = Duration::from_secs(120);

async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(done) => done,
        Err(_) => panic!("waited too long for {what}"),
    }
}

/// Waits until the conversation looks as wanted.
async fn until<T: Send + 'static>(
    client: &Client,
    what: &str,
    look: impl Fn(&sluice_host::conversation::ConversationState) -> Option<T> + Send + Copy + 'static,
) -> T {
    let mut events = client.events();
    soon(what, async {
        loop {
            if let Some(found) = client.look(look).await.unwrap() {
                return found;
            }
            events.next().await.expect("the events end");
        }
    })
    .await
}

async fn asked(client: &Client) -> RequestId {
    until(client, "an ask", |state| {
        state.pending_asks().next().map(|ask| ask.id.clone())
    })
    .await
}

/// Waits until the model's answer has begun to come.
async fn streaming(events: &mut Events) {
    soon("the first words", async {
        loop {
            let event = events.next().await.expect("the events end");
            let text = event
                .message()
                .map(|message| message.text().to_owned())
                .unwrap_or_default();
            if text.contains("text_delta") {
                return;
            }
        }
    })
    .await;
}

fn went_wrong(ended: &Ended) -> bool {
    ended.turn.end.as_ref().is_some_and(End::is_error)
}

fn text(ended: &Ended) -> String {
    ended
        .result
        .as_ref()
        .and_then(|result| result.result.clone())
        .unwrap_or_default()
}

async fn normal(cast: &Cast) {
    let client = cast.client(Life::Normal).await;
    let ended = soon("the turn", client.run("Say hello")).await.unwrap();
    assert!(text(&ended).contains("Hello there"), "{ended:?}");
    assert!(!went_wrong(&ended));
    let prompt = client.look(|state| state.prompts()[0].state).await.unwrap();
    assert_eq!(prompt, PromptState::Delivered);
    soon("the end", client.close()).await;
}

async fn interrupted(cast: &Cast) {
    let client = cast.client(Life::Interrupted).await;
    let mut events = client.events();
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Go on and on").await });
    streaming(&mut events).await;
    let stopped = soon("the stop", client.interrupt()).await.unwrap();
    assert_eq!(stopped.rung, Some(Rung::Acknowledged));
    let ended = soon("the turn", run).await.unwrap().unwrap();
    assert!(went_wrong(&ended), "{ended:?}");
    let ended = soon("the next turn", client.run("Say hello")).await.unwrap();
    assert!(!went_wrong(&ended), "the session goes on: {ended:?}");
    soon("the end", client.close()).await;
}

async fn interrupted_while_asking(cast: &Cast) {
    let client = cast.client(Life::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = asked(&client).await;
    soon("the stop", client.interrupt()).await.unwrap();
    let ended = soon("the turn", run).await.unwrap().unwrap();
    assert!(went_wrong(&ended));
    let id = ask.clone();
    let state = client.look(move |state| state.ask(&id).unwrap().state).await.unwrap();
    assert_eq!(state, AskState::Cancelled);
    assert!(
        client.answer(ask, PermissionDecision::allow()).await.is_err(),
        "it is too late to answer"
    );
    soon("the end", client.close()).await;
}

async fn denied(cast: &Cast) {
    let client = cast.client(Life::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = asked(&client).await;
    client
        .answer(ask.clone(), PermissionDecision::deny("not today"))
        .await
        .unwrap();
    let ended = soon("the turn", run).await.unwrap().unwrap();
    assert!(!went_wrong(&ended), "a no does not end a turn: {ended:?}");
    let state = client.look(move |state| state.ask(&ask).unwrap().state).await.unwrap();
    assert_eq!(state, AskState::Denied);
    assert!(!cast.touched(), "the call did not run");
    soon("the end", client.close()).await;
}

async fn denied_and_stopped(cast: &Cast) {
    let client = cast.client(Life::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = asked(&client).await;
    client
        .answer(ask, PermissionDecision::deny("stop").and_stop())
        .await
        .unwrap();
    let ended = soon("the turn", run).await.unwrap().unwrap();
    assert!(went_wrong(&ended), "{ended:?}");
    assert!(!cast.touched());
    soon("the end", client.close()).await;
}

async fn allowed(cast: &Cast) {
    let client = cast.client(Life::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = asked(&client).await;
    client.answer(ask, PermissionDecision::allow()).await.unwrap();
    let ended = soon("the turn", run).await.unwrap().unwrap();
    assert!(!went_wrong(&ended));
    assert!(cast.touched() || cast.is_scripted(), "the call ran");
    soon("the end", client.close()).await;
}

async fn questioned(cast: &Cast) {
    let client = cast.client(Life::Question).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Ask me").await });
    let ask = asked(&client).await;
    let id = ask.clone();
    let line = client
        .look(move |state| state.ask(&id).unwrap().line.clone().unwrap())
        .await
        .unwrap();
    let request: serde_json::Value = serde_json::from_str(&line).unwrap();
    let mut input = request["request"]["input"].clone();
    assert_eq!(input["questions"][0]["question"], "Which colour?");
    input["answers"] = json!({"Which colour?": "Red"});
    client.answer(ask, PermissionDecision::allow_with(input)).await.unwrap();
    let ended = soon("the turn", run).await.unwrap().unwrap();
    assert!(!went_wrong(&ended), "{ended:?}");
    let results = client
        .look(|state| {
            state
                .entries()
                .iter()
                .filter(|entry| entry.line.contains("Red"))
                .count()
        })
        .await
        .unwrap();
    assert!(results > 0 || cast.is_scripted(), "the answer went back to the model");
    soon("the end", client.close()).await;
}

async fn queued(cast: &Cast) {
    let client = cast.client(Life::Queue).await;
    let mut events = client.events();
    let running = client.clone();
    let first = tokio::spawn(async move { running.run("Go on and on").await });
    streaming(&mut events).await;
    let running = client.clone();
    let second = tokio::spawn(async move { running.run("And then this").await });
    // The second is with the agent before the first may end.
    until(&client, "the second prompt", |state| {
        (state.prompts().len() == 2).then_some(())
    })
    .await;
    cast.go_on();
    let first = soon("the first turn", first).await.unwrap().unwrap();
    let second = soon("the second turn", second).await.unwrap().unwrap();
    assert!(!went_wrong(&first) && !went_wrong(&second), "{first:?} {second:?}");
    let states = client
        .look(|state| state.prompts().iter().map(|it| it.state).collect::<Vec<_>>())
        .await
        .unwrap();
    assert_eq!(states, [PromptState::Delivered, PromptState::Delivered]);
    soon("the end", client.close()).await;
}

async fn woken(cast: &Cast) {
    let allow = |options: sluice_host::Options| options.allowed_tools(["Bash"]);
    let client = cast.client_with(Life::Background, allow).await;
    let ended = soon("the turn", client.run("Start it")).await.unwrap();
    assert!(!went_wrong(&ended), "{ended:?}");
    cast.go_on();
    if !cast.wakes() {
        println!("skipped: this agent does not wake by itself");
        soon("the end", client.close()).await;
        return;
    }
    let own = until(&client, "a turn nobody asked for", |state| {
        state
            .turns()
            .iter()
            .rev()
            .find(|turn| !turn.is_own() && !turn.is_open())
            .map(|turn| turn.end.clone())
    })
    .await;
    assert!(matches!(own, Some(End::Result { .. })), "{own:?}");
    let mine = client
        .look(|state| state.turns().iter().filter(|turn| turn.is_own()).count())
        .await
        .unwrap();
    assert_eq!(mine, 1, "its turn is not taken for ours");
    soon("the end", client.close()).await;
}

async fn crashed(cast: &Cast) {
    let client = cast.client(Life::Crash).await;
    // Something to go on with: an agent need not have kept a session whose first answer never came.
    soon("the first turn", client.run("Say hello")).await.unwrap();
    let mut events = client.events();
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Go on and on").await });
    streaming(&mut events).await;
    cast.crash(&client).await;
    let ended = soon("the turn", run).await.unwrap().unwrap();
    assert!(matches!(ended.turn.end, Some(End::Died(_))), "{ended:?}");
    soon("the news", async {
        while !matches!(events.next().await, Some(Event::Gone { .. })) {}
    })
    .await;
    soon("the respawn", client.respawn()).await.unwrap();
    let ended = soon("the next turn", client.run("Say hello")).await.unwrap();
    assert!(!went_wrong(&ended), "{ended:?}");
    soon("the end", client.close()).await;
}

async fn resumed_and_forked(cast: &Cast) {
    let client = cast.client(Life::Normal).await;
    soon("the turn", client.run("Say hello")).await.unwrap();
    let id = client.session_id().await.unwrap().unwrap();
    soon("the end", client.close()).await;

    let again = cast.client_with(Life::Normal, |options| options.resume(&id)).await;
    let ended = soon("the turn", again.run("And again")).await.unwrap();
    assert!(!went_wrong(&ended), "{ended:?}");
    assert_eq!(
        again.session_id().await.unwrap().as_deref(),
        Some(&*id),
        "the same session"
    );
    soon("the end", again.close()).await;

    let fork = cast
        .client_with(Life::Forked, |options| options.resume(&id).fork_session(true))
        .await;
    let ended = soon("the turn", fork.run("Elsewhere")).await.unwrap();
    assert!(!went_wrong(&ended), "{ended:?}");
    assert_ne!(
        fork.session_id().await.unwrap().as_deref(),
        Some(&*id),
        "another session"
    );
    soon("the end", fork.close()).await;
}

/// One test for each life, for each kind of agent.
macro_rules! lives {
    ($($name:ident),*) => {
        mod scripted { $(#[tokio::test(start_paused = true)] async fn $name() { super::$name(&super::Cast::scripted()).await; })* }
        mod sluice {
            $(#[tokio::test] async fn $name() {
                if let Some(cast) = super::Cast::sluice().await { super::$name(&cast).await; }
            })*
        }
        mod other {
            $(#[tokio::test] async fn $name() {
                if let Some(cast) = super::Cast::other().await { super::$name(&cast).await; }
            })*
        }
    };
}

lives!(
    normal,
    interrupted,
    interrupted_while_asking,
    denied,
    denied_and_stopped,
    allowed,
    questioned,
    queued,
    woken,
    crashed,
    resumed_and_forked
);
