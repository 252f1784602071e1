//! Recorded agents: plays back the lines of a recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;

use super::{BoxFuture, Link, Start, Transport};
use crate::error::Error;

/// The playback speed of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// As fast as it is read.
    AtOnce,
    /// In the original time multiplied by a factor: 2.0 is twice as fast. Lines without a time follow immediately.
    Recorded(f64),
    /// With the same time between any two lines.
    Every(Duration),
}

/// Plays back a file with the lines of an agent.
///
/// Two kinds of lines are supported: lines of the agent (`{"type":…}`), and records that contain one:
/// `{"dir":"out","line":{…}}`, optionally with the time `t` in seconds since the beginning. Records with `"dir":"in"` are
/// skipped. Messages of the host are discarded; requests get the recorded responses, or none.
#[derive(Debug, Clone)]
pub struct RecordingTransport {
    path: PathBuf,
    speed: Speed,
    /// Whether the connection is closed after the last line; otherwise it stays open.
    ends: bool,
}

impl RecordingTransport {
    /// Creates a transport that plays the file as fast as possible.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            speed: Speed::AtOnce,
            ends: true,
        }
    }

    /// Sets the playback speed.
    #[must_use]
    pub fn speed(mut self, speed: Speed) -> Self {
        self.speed = speed;
        self
    }

    /// Keeps the connection open after the last line.
    #[must_use]
    pub fn stay(mut self) -> Self {
        self.ends = false;
        self
    }
}

impl Transport for RecordingTransport {
    fn connect(&self, _: Start) -> BoxFuture<'_, Result<Link, Error>> {
        Box::pin(async move {
            let lines = read(&self.path).await?;
            let (sender, receiver) = mpsc::channel(256);
            let (input, mut discarded) = mpsc::channel(16);
            let (speed, ends) = (self.speed, self.ends);
            tokio::spawn(async move {
                tokio::select! {
                    () = play(lines, speed, &sender) => {}
                    () = sender.closed() => {}
                }
                if ends {
                    return;
                }
                // The host ends the connection by closing its side.
                while discarded.recv().await.is_some() {}
            });
            Ok(Link::lines(receiver, input))
        })
    }
}

async fn play(lines: Vec<(Option<Duration>, Arc<str>)>, speed: Speed, sender: &mpsc::Sender<Arc<str>>) {
    let begin = tokio::time::Instant::now();
    for (at, line) in lines {
        match (speed, at) {
            (Speed::Recorded(factor), Some(at)) if factor > 0.0 => {
                tokio::time::sleep_until(begin + at.div_f64(factor)).await;
            }
            (Speed::Every(pause), _) => tokio::time::sleep(pause).await,
            (Speed::AtOnce | Speed::Recorded(_), _) => {}
        }
        if sender.send(line).await.is_err() {
            return;
        }
    }
}

async fn read(path: &Path) -> Result<Vec<(Option<Duration>, Arc<str>)>, Error> {
    let text = tokio::fs::read_to_string(path)
        .await
        .map_err(|error| Error::start(path.display(), &error))?;
    Ok(text.lines().filter_map(parse_line).collect())
}

/// Returns the line of the agent in a line of a recording, and its time.
fn parse_line(line: &str) -> Option<(Option<Duration>, Arc<str>)> {
    if line.trim().is_empty() {
        return None;
    }
    if !line.contains("\"dir\"") {
        return Some((None, line.into()));
    }
    let Ok(record) = serde_json::from_str::<Value>(line) else {
        return Some((None, line.into()));
    };
    match (record.get("dir").and_then(Value::as_str), record.get("line")) {
        (Some("out"), Some(agent_line)) => {
            let at = record.get("t").and_then(Value::as_f64);
            let at = at.and_then(|at| Duration::try_from_secs_f64(at).ok());
            let agent_line = agent_line
                .as_str()
                .map_or_else(|| agent_line.to_string(), str::to_owned);
            Some((at, agent_line.into()))
        }
        (Some("in"), _) => None,
        _ => Some((None, line.into())),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse_line;

    #[test]
    fn records_and_bare_lines_are_parsed() {
        assert_eq!(parse_line(r#"{"type":"x"}"#), Some((None, r#"{"type":"x"}"#.into())));
        assert_eq!(
            parse_line(r#"{"dir":"out","t":1.5,"line":{"type":"x"}}"#),
            Some((Some(Duration::from_millis(1500)), r#"{"type":"x"}"#.into()))
        );
        assert_eq!(parse_line(r#"{"dir":"in","line":{"type":"user"}}"#), None);
        assert_eq!(parse_line("  "), None);
    }
}
