//! Sessions to measure with.

use std::collections::HashSet;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, Outcome, Place};

/// How many are started at once.
const AT_ONCE: usize = 4;

/// Starts sessions with a first prompt and waits until each has answered it.
pub(crate) async fn start(place: &Place, count: usize, text: &str) -> Outcome<Vec<String>> {
    let mut starting = JoinSet::new();
    for lane in 0..AT_ONCE.min(count) {
        let (place, text) = (place.clone(), text.to_owned());
        let share = (lane..count).step_by(AT_ONCE).count();
        starting.spawn(async move { start_some(&place, share, &text).await });
    }
    let mut ids = Vec::with_capacity(count);
    while let Some(some) = starting.join_next().await {
        ids.extend(some??);
    }
    Ok(ids)
}

async fn start_some(place: &Place, count: usize, text: &str) -> Outcome<Vec<String>> {
    let mut client = Client::hello(place, &json!({})).await?;
    let mut ids = Vec::new();
    for _ in 0..count {
        let start = json!({"type": "start", "projectPath": place.folder, "text": text});
        let data = client.command(start).await?;
        let id = data["sessionId"]
            .as_str()
            .ok_or("a start without a session")?
            .to_owned();
        client.send(json!({"type": "subscribe", "sessionId": id})).await?;
        client.until(ends_a_turn).await?;
        client.command(json!({"type": "unsubscribe", "sessionId": id})).await?;
        ids.push(id);
    }
    client.close().await;
    Ok(ids)
}

/// Whether the items of a message contain the end of a turn.
pub(crate) fn ends_a_turn(message: &Value) -> bool {
    let items = message["items"].as_array();
    items.is_some_and(|items| items.iter().any(|item| item["body"]["type"] == "turn_end"))
}

/// Ends the agents of all sessions; the sessions stay.
pub(crate) async fn stop(place: &Place) -> Outcome<usize> {
    let mut client = Client::hello(place, &json!({})).await?;
    let list = client.of("session_list").await?;
    let all = list["sessions"].as_array().cloned().unwrap_or_default();
    let mut waiting = HashSet::new();
    for info in &all {
        let stop = json!({"type": "stop_session", "sessionId": info["sessionId"]});
        waiting.insert(client.send(stop).await?);
    }
    while !waiting.is_empty() {
        let receipt = client.of("receipt").await?;
        waiting.remove(receipt["id"].as_str().unwrap_or_default());
    }
    client.close().await;
    Ok(all.len())
}
