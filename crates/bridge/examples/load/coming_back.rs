//! Clients that were away.

use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, Outcome, Place};
use crate::{numbers, sessions};

/// How many clients come back at once.
const AT_ONCE: usize = 16;
/// How many changes each of them missed.
const MISSED: u64 = 3;

/// One client that missed `records` records, several times over.
pub(crate) async fn behind(place: &Place, records: u64, times: usize) -> Outcome<Value> {
    let ids = sessions::start(place, 1, &format!("flood {records}")).await?;
    let id = ids.first().ok_or("no session")?;
    let mut took = Vec::new();
    let mut answer = json!({});
    for _ in 0..times {
        let (micros, how) = catch_up(place, id, 1).await?;
        took.push(micros);
        answer = how;
    }
    Ok(json!({"session": id, "took": numbers::spread(took), "how": answer}))
}

/// One client that comes back to this session with an old revision, as after a restart of the bridge.
pub(crate) async fn cold(place: &Place, session: &str) -> Outcome<Value> {
    let (micros, how) = catch_up(place, session, 1).await?;
    Ok(json!({"took": micros as f64 / 1000.0, "how": how}))
}

/// From connecting until the client has what it lacks.
async fn catch_up(place: &Place, session: &str, revision: u64) -> Outcome<(u64, Value)> {
    let began = Instant::now();
    let mut client = Client::hello(place, &json!({session: revision})).await?;
    let caught_up = client.of("caught_up").await?;
    let took = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    let items = caught_up["items"].as_array().map_or(0, Vec::len);
    let how = json!({"reset": caught_up["reset"], "items": items, "bytes": client.bytes});
    client.close().await;
    Ok((took, how))
}

/// Many clients that missed little, each on a connection of its own.
pub(crate) async fn reconnects(place: &Place, count: usize) -> Outcome<Value> {
    let mut client = Client::hello(place, &json!({})).await?;
    let list = client.of("session_list").await?;
    let known: Vec<(String, u64)> = list["sessions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(revision)
        .collect();
    client.close().await;
    let began = Instant::now();
    let mut lanes = JoinSet::new();
    for lane in 0..AT_ONCE {
        let (place, known) = (place.clone(), known.clone());
        lanes.spawn(async move {
            let mut took = Vec::new();
            for number in (lane..count).step_by(AT_ONCE) {
                let (id, revision) = known.get(number % known.len().max(1)).ok_or("no session")?;
                took.push(come_back(&place, id, *revision).await?);
            }
            Outcome::Ok(took)
        });
    }
    let mut took = Vec::with_capacity(count);
    while let Some(lane) = lanes.join_next().await {
        took.extend(lane??);
    }
    let all = began.elapsed().as_secs_f64();
    Ok(json!({"count": count, "seconds": all, "sessions": known.len(), "each": numbers::spread(took)}))
}

/// A session and a revision a little before its last one.
fn revision(info: &Value) -> Option<(String, u64)> {
    let revision = info["revision"].as_u64().filter(|revision| *revision > 0)?;
    Some((info["sessionId"].as_str()?.to_owned(), revision.saturating_sub(MISSED)))
}

async fn come_back(place: &Place, id: &str, revision: u64) -> Outcome<u64> {
    let began = Instant::now();
    let mut client = Client::hello(place, &json!({id: revision})).await?;
    let caught_up = client.of("caught_up").await?;
    if caught_up["reset"] != false {
        return Err(format!("a client that missed {MISSED} changes was not caught up").into());
    }
    let took = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    client.close().await;
    Ok(took)
}
