//! How long a bridge takes to start.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::client::{Client, Outcome, Place};
use crate::numbers;

const PATIENCE: Duration = Duration::from_secs(60);

/// A process that ends with what started it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a command several times: until its port takes connections and, when sessions are expected, until a client
/// that says `hello` has a list with all of them.
pub(crate) async fn run(place: &Place, times: usize, expected: Option<usize>, words: &[String]) -> Outcome<Value> {
    let (program, args) = words.split_first().ok_or("a command to start is needed")?;
    let (mut listening, mut serving) = (Vec::new(), Vec::new());
    for _ in 0..times {
        let began = Instant::now();
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null());
        let mut running = Running(command.spawn()?);
        while TcpStream::connect(&place.address).await.is_err() {
            if let Some(status) = running.0.try_wait()? {
                return Err(format!("{program} ended at once: {status}").into());
            }
            if began.elapsed() > PATIENCE {
                return Err(format!("{program} does not listen at {}", place.address).into());
            }
            tokio::time::sleep(Duration::from_micros(500)).await;
        }
        listening.push(micros(began));
        if let Some(expected) = expected {
            let mut client = Client::hello(place, &json!({})).await?;
            let list = client.of("session_list").await?;
            let known = list["sessions"].as_array().map_or(0, Vec::len);
            if known < expected {
                return Err(format!("{known} of {expected} sessions are in the list").into());
            }
            serving.push(micros(began));
            client.close().await;
        }
    }
    Ok(json!({"listening": numbers::spread(listening), "serving": numbers::spread(serving)}))
}

fn micros(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX)
}
