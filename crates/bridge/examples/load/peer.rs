//! One session over the small dialect, which the bridge of the founding documents speaks too.

use serde_json::{Value, json};

use crate::client::{Client, Outcome, Place};
use crate::{numbers, stamp};

pub(crate) async fn run(place: &Place, deltas: u64, every: u64) -> Outcome<Value> {
    let mut client = Client::connect(place).await?;
    client
        .say(&json!({"type": "start", "projectPath": place.folder, "permissionMode": "default"}))
        .await?;
    let created = client
        .until(|it| it["type"] == "system" && it["sessionId"].is_string())
        .await?;
    let session = created["sessionId"].clone();
    let text = format!("stream {deltas} {every}");
    let (bytes, frames) = (client.bytes, client.frames);
    client
        .say(&json!({"type": "input", "text": text, "sessionId": session}))
        .await?;
    let (mut late, mut told) = (Vec::new(), String::new());
    loop {
        let message: Value = serde_json::from_str(&client.next().await?)?;
        match message["type"].as_str() {
            Some("stream_delta") => {
                let now = stamp::now();
                // A delta may be cut anywhere; each stamp counts when its last byte is there.
                told.push_str(message["text"].as_str().unwrap_or_default());
                let whole = told.len() - told.len() % stamp::LENGTH;
                let rest = told.split_off(whole);
                late.extend(stamp::read(&told).map(|(_, at)| now.saturating_sub(at)));
                told = rest;
            }
            Some("result") => break,
            Some("error") => return Err(format!("it complains: {message}").into()),
            _ => {}
        }
    }
    let lost = deltas.saturating_sub(late.len() as u64);
    let (bytes, frames) = (client.bytes - bytes, client.frames - frames);
    client.close().await;
    Ok(json!({
        "late": numbers::spread(late), "lost": lost, "text": deltas * stamp::LENGTH as u64,
        "bytes": bytes, "frames": frames
    }))
}
