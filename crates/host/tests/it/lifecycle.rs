//! Scenarios of a conversation that run with every kind of agent: the scripted agent, `sluice`, and, if
//! `SLUICE_HOST_AGENT` is set, any other program that speaks the protocol.

pub(crate) mod cast;

use std::time::Duration;

use serde_json::json;
use sluice_host::conversation::{AskState, End, PromptState, Rung};
use sluice_host::wire::control::RequestId;
use sluice_host::{Client, Ended, Event, Events, PermissionDecision};

use cast::{Cast, Scenario};

/// Long enough for any agent on a busy machine; a test that reaches it has failed.
const TIMEOUT: Duration = Duration::from_secs(120);

async fn with_timeout<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(TIMEOUT, future).await {
        Ok(done) => done,
        Err(_) => panic!("waited too long for {what}"),
    }
}

/// Waits until a function of the conversation state returns a value.
async fn until<T: Send + 'static>(
    client: &Client,
    what: &str,
    look: impl Fn(&sluice_host::conversation::ConversationState) -> Option<T> + Send + Copy + 'static,
) -> T {
    let mut events = client.events();
    with_timeout(what, async {
        loop {
            if let Some(found) = client.look(look).await.unwrap() {
                return found;
            }
            events.next().await.expect("the events end");
        }
    })
    .await
}

async fn wait_for_permission_request(client: &Client) -> RequestId {
    until(client, "an ask", |state| {
        state.pending_asks().next().map(|ask| ask.id.clone())
    })
    .await
}

/// Waits until text of the model's answer is received.
async fn streaming(events: &mut Events) {
    with_timeout("the first text", async {
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

fn is_error(ended: &Ended) -> bool {
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
    let client = cast.client(Scenario::Normal).await;
    let ended = with_timeout("the turn", client.run("Say hello")).await.unwrap();
    assert!(text(&ended).contains("Hello there"), "{ended:?}");
    assert!(!is_error(&ended));
    let prompt = client.look(|state| state.prompts()[0].state).await.unwrap();
    assert_eq!(prompt, PromptState::Delivered);
    with_timeout("the end", client.close()).await;
}

async fn interrupted(cast: &Cast) {
    let client = cast.client(Scenario::Interrupted).await;
    let mut events = client.events();
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Go on and on").await });
    streaming(&mut events).await;
    let stopped = with_timeout("the stop", client.interrupt()).await.unwrap();
    assert_eq!(stopped.rung, Some(Rung::Acknowledged));
    let ended = with_timeout("the turn", run).await.unwrap().unwrap();
    assert!(is_error(&ended), "{ended:?}");
    let ended = with_timeout("the next turn", client.run("Say hello")).await.unwrap();
    assert!(!is_error(&ended), "the session continues: {ended:?}");
    with_timeout("the end", client.close()).await;
}

async fn interrupted_while_asking(cast: &Cast) {
    let client = cast.client(Scenario::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = wait_for_permission_request(&client).await;
    with_timeout("the stop", client.interrupt()).await.unwrap();
    let ended = with_timeout("the turn", run).await.unwrap().unwrap();
    assert!(is_error(&ended));
    let id = ask.clone();
    let state = client.look(move |state| state.ask(&id).unwrap().state).await.unwrap();
    assert_eq!(state, AskState::Cancelled);
    assert!(
        client.answer(ask, PermissionDecision::allow()).await.is_err(),
        "a late answer is rejected"
    );
    with_timeout("the end", client.close()).await;
}

async fn denied(cast: &Cast) {
    let client = cast.client(Scenario::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = wait_for_permission_request(&client).await;
    client
        .answer(ask.clone(), PermissionDecision::deny("not today"))
        .await
        .unwrap();
    let ended = with_timeout("the turn", run).await.unwrap().unwrap();
    assert!(!is_error(&ended), "a denial does not end the turn: {ended:?}");
    let state = client.look(move |state| state.ask(&ask).unwrap().state).await.unwrap();
    assert_eq!(state, AskState::Denied);
    assert!(!cast.touched(), "the call did not run");
    with_timeout("the end", client.close()).await;
}

async fn denied_and_stopped(cast: &Cast) {
    let client = cast.client(Scenario::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = wait_for_permission_request(&client).await;
    client
        .answer(ask, PermissionDecision::deny("stop").and_stop())
        .await
        .unwrap();
    let ended = with_timeout("the turn", run).await.unwrap().unwrap();
    assert!(is_error(&ended), "{ended:?}");
    assert!(!cast.touched());
    with_timeout("the end", client.close()).await;
}

async fn allowed(cast: &Cast) {
    let client = cast.client(Scenario::Ask).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Touch it").await });
    let ask = wait_for_permission_request(&client).await;
    client.answer(ask, PermissionDecision::allow()).await.unwrap();
    let ended = with_timeout("the turn", run).await.unwrap().unwrap();
    assert!(!is_error(&ended));
    assert!(cast.touched() || cast.is_scripted(), "the call ran");
    with_timeout("the end", client.close()).await;
}

async fn question_answered(cast: &Cast) {
    let client = cast.client(Scenario::Question).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Ask me").await });
    let ask = wait_for_permission_request(&client).await;
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
    let ended = with_timeout("the turn", run).await.unwrap().unwrap();
    assert!(!is_error(&ended), "{ended:?}");
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
    assert!(results > 0 || cast.is_scripted(), "the answer was sent to the model");
    with_timeout("the end", client.close()).await;
}

async fn queued(cast: &Cast) {
    let client = cast.client(Scenario::Queue).await;
    let mut events = client.events();
    let running = client.clone();
    let first = tokio::spawn(async move { running.run("Go on and on").await });
    streaming(&mut events).await;
    let running = client.clone();
    let second = tokio::spawn(async move { running.run("And then this").await });
    // The agent must have the second prompt before the first turn ends.
    until(&client, "the second prompt", |state| {
        (state.prompts().len() == 2).then_some(())
    })
    .await;
    cast.release();
    let first = with_timeout("the first turn", first).await.unwrap().unwrap();
    let second = with_timeout("the second turn", second).await.unwrap().unwrap();
    assert!(!is_error(&first) && !is_error(&second), "{first:?} {second:?}");
    let states = client
        .look(|state| state.prompts().iter().map(|it| it.state).collect::<Vec<_>>())
        .await
        .unwrap();
    assert_eq!(states, [PromptState::Delivered, PromptState::Delivered]);
    with_timeout("the end", client.close()).await;
}

async fn background_turn(cast: &Cast) {
    let allow = |options: sluice_host::Options| options.allowed_tools(["Bash"]);
    let client = cast.client_with(Scenario::Background, allow).await;
    let ended = with_timeout("the turn", client.run("Start it")).await.unwrap();
    assert!(!is_error(&ended), "{ended:?}");
    cast.release();
    if !cast.starts_turns() {
        println!("skipped: this agent does not start turns by itself");
        with_timeout("the end", client.close()).await;
        return;
    }
    let own = until(&client, "a turn started by the agent", |state| {
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
    assert_eq!(mine, 1, "the agent's turn does not count as a turn of the host");
    with_timeout("the end", client.close()).await;
}

async fn crashed(cast: &Cast) {
    let client = cast.client(Scenario::Crash).await;
    // A first turn, as an agent need not save a session without any answer.
    with_timeout("the first turn", client.run("Say hello")).await.unwrap();
    let mut events = client.events();
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Go on and on").await });
    streaming(&mut events).await;
    cast.crash(&client).await;
    let ended = with_timeout("the turn", run).await.unwrap().unwrap();
    assert!(matches!(ended.turn.end, Some(End::Died(_))), "{ended:?}");
    with_timeout("the exit event", async {
        while !matches!(events.next().await, Some(Event::Gone { .. })) {}
    })
    .await;
    with_timeout("the respawn", client.respawn()).await.unwrap();
    let ended = with_timeout("the next turn", client.run("Say hello")).await.unwrap();
    assert!(!is_error(&ended), "{ended:?}");
    with_timeout("the end", client.close()).await;
}

async fn resumed_and_forked(cast: &Cast) {
    let client = cast.client(Scenario::Normal).await;
    with_timeout("the turn", client.run("Say hello")).await.unwrap();
    let id = client.session_id().await.unwrap().unwrap();
    with_timeout("the end", client.close()).await;

    let again = cast.client_with(Scenario::Normal, |options| options.resume(&id)).await;
    let ended = with_timeout("the turn", again.run("And again")).await.unwrap();
    assert!(!is_error(&ended), "{ended:?}");
    assert_eq!(
        again.session_id().await.unwrap().as_deref(),
        Some(&*id),
        "the same session"
    );
    with_timeout("the end", again.close()).await;

    let fork = cast
        .client_with(Scenario::Forked, |options| options.resume(&id).fork_session(true))
        .await;
    let ended = with_timeout("the turn", fork.run("Elsewhere")).await.unwrap();
    assert!(!is_error(&ended), "{ended:?}");
    assert_ne!(
        fork.session_id().await.unwrap().as_deref(),
        Some(&*id),
        "another session"
    );
    with_timeout("the end", fork.close()).await;
}

/// Defines a test for each scenario and each kind of agent.
macro_rules! scenarios {
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

scenarios!(
    normal,
    interrupted,
    interrupted_while_asking,
    denied,
    denied_and_stopped,
    allowed,
    question_answered,
    queued,
    background_turn,
    crashed,
    resumed_and_forked
);
