//! Clients that were away.

use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, Outcome, Place};
use crate::{numbers, sessions};

/// How many clients come back at once.
const AT_ONCE: usize = 16;
/// How many records each of them missed.
const MISSED: i64 = 3;

/// One client that missed `records` records, several times over.
pub(crate) async fn behind(place: &Place, records: u64, times: usize) -> Outcome<Value> {
    let ids = sessions::start(place, 1, &format!("flood {records}")).await?;
    let id = ids.first().ok_or("no session")?;
    let first = first_cursor(place, id).await?;
    let mut took = Vec::new();
    let mut answer = json!({});
    for _ in 0..times {
        let (micros, how) = catch_up(place, id, &first).await?;
        took.push(micros);
        answer = how;
    }
    Ok(json!({"session": id, "epoch": first["epoch"], "took": numbers::spread(took), "how": answer}))
}

/// One client that comes back to this session with only its first record, as after a restart of the bridge.
pub(crate) async fn cold(place: &Place, session: &str, epoch: i64) -> Outcome<Value> {
    let first = json!({"epoch": epoch, "seq": 1});
    let (micros, how) = catch_up(place, session, &first).await?;
    Ok(json!({"took": micros as f64 / 1000.0, "how": how}))
}

/// The first record of a session.
async fn first_cursor(place: &Place, session: &str) -> Outcome<Value> {
    let mut client = Client::hello(place, &json!({})).await?;
    client.send(json!({"type": "subscribe", "sessionId": session})).await?;
    let caught_up = client.of("caught_up").await?;
    client.close().await;
    Ok(json!({"epoch": caught_up["cursor"]["epoch"], "seq": 1}))
}

/// From connecting until everything was heard that was missed: every record, or the snapshot instead.
async fn catch_up(place: &Place, session: &str, cursor: &Value) -> Outcome<(u64, Value)> {
    let seq = cursor["seq"].as_i64().unwrap_or(0);
    let began = Instant::now();
    let mut client = Client::hello(place, &json!({session: cursor})).await?;
    let caught_up = client.of("caught_up").await?;
    let end = caught_up["cursor"]["seq"].as_i64().unwrap_or(0);
    let mut records = 0;
    if caught_up["verdict"] == "ok" {
        let mut at = seq;
        while at < end {
            let record = client.of("record").await?;
            at = record["seq"].as_i64().unwrap_or(end);
            records += 1;
        }
    } else {
        let snapshot = client.of("snapshot").await?;
        records = snapshot["records"].as_array().map_or(0, Vec::len);
    }
    let took = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    let how = json!({"verdict": caught_up["verdict"], "behind": end - seq, "records": records, "bytes": client.bytes});
    client.close().await;
    Ok((took, how))
}

/// Many clients that missed little, each on a connection of its own.
pub(crate) async fn reconnects(place: &Place, count: usize) -> Outcome<Value> {
    let mut client = Client::hello(place, &json!({})).await?;
    let list = client.of("session_list").await?;
    let known: Vec<(String, Value)> = list["sessions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(cursor)
        .collect();
    client.close().await;
    let began = Instant::now();
    let mut lanes = JoinSet::new();
    for lane in 0..AT_ONCE {
        let (place, known) = (place.clone(), known.clone());
        lanes.spawn(async move {
            let mut took = Vec::new();
            for number in (lane..count).step_by(AT_ONCE) {
                let (id, cursor) = known.get(number % known.len().max(1)).ok_or("no session")?;
                took.push(come_back(&place, id, cursor).await?);
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

/// A session and a place in it a little before its end.
fn cursor(info: &Value) -> Option<(String, Value)> {
    let seq = info["cursor"]["seq"].as_i64()? - MISSED;
    let cursor = json!({"epoch": info["cursor"]["epoch"], "seq": seq.max(0)});
    Some((info["sessionId"].as_str()?.to_owned(), cursor))
}

async fn come_back(place: &Place, id: &str, cursor: &Value) -> Outcome<u64> {
    let began = Instant::now();
    let mut client = Client::hello(place, &json!({id: cursor})).await?;
    let caught_up = client.of("caught_up").await?;
    if caught_up["verdict"] != "ok" {
        return Err(format!("a client that missed {MISSED} records was not caught up: {caught_up}").into());
    }
    let missed = caught_up["cursor"]["seq"].as_i64().unwrap_or(0) - cursor["seq"].as_i64().unwrap_or(0);
    for _ in 0..missed {
        client.of("record").await?;
    }
    let took = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    client.close().await;
    Ok(took)
}
