//! Prompts: from sending one until its receipt says that it is on disk.

use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Client, Outcome, Place};
use crate::{numbers, sessions};

pub(crate) async fn run(place: &Place, count: usize) -> Outcome<Value> {
    let ids = sessions::start(place, 1, "say").await?;
    let id = ids.first().ok_or("no session")?;
    let mut client = Client::hello(place, &json!({})).await?;
    client.command(json!({"type": "subscribe", "sessionId": id})).await?;
    let mut took = Vec::with_capacity(count);
    for _ in 0..count {
        let began = Instant::now();
        let command = client
            .send(json!({"type": "input", "sessionId": id, "text": "say"}))
            .await?;
        let (mut receipted, mut over) = (false, false);
        while !(receipted && over) {
            let message: Value = serde_json::from_str(&client.next().await?)?;
            if message["type"] == "receipt" && message["id"] == command {
                took.push(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
                receipted = true;
            }
            over |= message["type"] == "record" && message["what"]["type"] == "result";
        }
    }
    client.close().await;
    Ok(json!({"took": numbers::spread(took)}))
}
