//! Sessions that stream to several clients each: how late every delta is, and whether anything is missing.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, Outcome, Place};
use crate::{numbers, sessions, stamp};

pub(crate) struct Plan {
    pub(crate) sessions: usize,
    pub(crate) clients: usize,
    pub(crate) deltas: u64,
    /// Milliseconds between two.
    pub(crate) every: u64,
}

/// What one client saw of one session.
#[derive(Default)]
struct Seen {
    /// How late each delta was, in microseconds.
    late: Vec<u64>,
    next: u64,
    /// Deltas that were missing or out of order.
    lost: u64,
    /// How often the client was told to begin anew.
    anew: u64,
    bytes: u64,
    frames: u64,
    /// Bytes by type of message.
    by: BTreeMap<String, (u64, u64)>,
}

pub(crate) async fn run(place: &Place, plan: &Plan) -> Outcome<Value> {
    let ids = sessions::start(place, plan.sessions, "say").await?;
    let mut watching = JoinSet::new();
    for id in &ids {
        for _ in 0..plan.clients {
            let mut client = Client::hello(place, &json!({})).await?;
            client.of("session_list").await?;
            client.send(json!({"type": "subscribe", "sessionId": id})).await?;
            // The receipt comes last: from here on there is only what happens.
            client.of("receipt").await?;
            watching.spawn(watch(client, plan.deltas));
        }
    }
    let mut control = Client::hello(place, &json!({})).await?;
    control.of("session_list").await?;
    let text = format!("stream {} {}", plan.deltas, plan.every);
    for id in &ids {
        control
            .send(json!({"type": "input", "sessionId": id, "text": text}))
            .await?;
    }
    let drain = tokio::spawn(async move { while control.next().await.is_ok() {} });
    let mut all = Seen::default();
    while let Some(seen) = watching.join_next().await {
        all.add(seen??);
    }
    drain.abort();
    let text = plan.deltas * stamp::LENGTH as u64 * (plan.sessions * plan.clients) as u64;
    let by: BTreeMap<&String, Value> = (all.by.iter())
        .map(|(name, (frames, bytes))| (name, json!({"frames": frames, "bytes": bytes})))
        .collect();
    Ok(json!({
        "sessions": plan.sessions, "clients": plan.clients, "deltas": plan.deltas, "every": plan.every,
        "late": numbers::spread(all.late), "lost": all.lost, "anew": all.anew,
        "text": text, "bytes": all.bytes, "frames": all.frames, "by": by
    }))
}

/// Reads until the turn is over.
async fn watch(mut client: Client, deltas: u64) -> Outcome<Seen> {
    let (bytes, frames) = (client.bytes, client.frames);
    let mut seen = Seen {
        late: Vec::with_capacity(usize::try_from(deltas).unwrap_or(0)),
        ..Seen::default()
    };
    loop {
        let before = client.bytes;
        let frame = client.next().await?;
        let (name, rest) = kind(&frame);
        let by = seen.by.entry(name.to_owned()).or_default();
        *by = (by.0 + 1, by.1 + client.bytes - before);
        match name {
            "item_delta" => seen.delta(rest),
            "items" if sessions::ends_a_turn(&serde_json::from_str(&frame)?) => break,
            "caught_up" => seen.anew += 1,
            _ => {}
        }
    }
    seen.lost += deltas - seen.next;
    seen.bytes = client.bytes - bytes;
    seen.frames = client.frames - frames;
    Ok(seen)
}

/// The type of a message, which stands first, and the rest.
fn kind(frame: &str) -> (&str, &str) {
    let rest = frame.strip_prefix(r#"{"type":""#).unwrap_or_default();
    rest.split_once('"').unwrap_or_default()
}

impl Seen {
    fn delta(&mut self, rest: &str) {
        let now = stamp::now();
        let text = rest.split_once(r#""text":""#).map_or("", |(_, text)| text);
        for (number, at) in stamp::read(text.trim_end_matches("\"}")) {
            if number == self.next {
                self.late.push(now.saturating_sub(at));
            } else {
                self.lost += number.abs_diff(self.next);
            }
            self.next = number + 1;
        }
    }

    fn add(&mut self, other: Self) {
        self.late.extend(other.late);
        self.lost += other.lost;
        self.anew += other.anew;
        self.bytes += other.bytes;
        self.frames += other.frames;
        for (name, (frames, bytes)) in other.by {
            let by = self.by.entry(name).or_default();
            *by = (by.0 + frames, by.1 + bytes);
        }
    }
}
