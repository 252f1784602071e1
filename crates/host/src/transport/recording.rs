//! A recorded agent: plays back the lines of a recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;

use super::{BoxFuture, Link, Start, Transport};
use crate::error::Error;

/// How fast a recording is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// As fast as it is read.
    AtOnce,
    /// As it was lived, times a factor: 2.0 is twice as fast. Lines without a time follow at once.
    Lived(f64),
    /// The same time between any two lines.
    Every(Duration),
}

/// A recording: a file of lines an agent said.
///
/// Two kinds of line are understood: the agent's own (`{"type":…}`), and notes around one:
/// `{"dir":"out","line":{…}}`, with `t` in seconds since the beginning if it is known; `"dir":"in"` is passed over.
/// What a host sends is taken and forgotten; every request gets the answer that was recorded, or none.
#[derive(Debug, Clone)]
pub struct RecordingTransport {
    path: PathBuf,
    speed: Speed,
    /// Whether the agent is gone after the last line; it stays and is silent otherwise.
    ends: bool,
}

impl RecordingTransport {
    /// Plays the file at once.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            speed: Speed::AtOnce,
            ends: true,
        }
    }

    /// Plays at another speed.
    #[must_use]
    pub fn speed(mut self, speed: Speed) -> Self {
        self.speed = speed;
        self
    }

    /// Keeps the connection open, silent, after the last line.
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
            let (says, hears) = mpsc::channel(256);
            let (told, mut forgets) = mpsc::channel(16);
            let (speed, ends) = (self.speed, self.ends);
            tokio::spawn(async move {
                tokio::select! {
                    () = play(lines, speed, &says) => {}
                    () = says.closed() => {}
                }
                if ends {
                    return;
                }
                // The host leaves by closing its side.
                while forgets.recv().await.is_some() {}
            });
            Ok(Link::lines(hears, told))
        })
    }
}

async fn play(lines: Vec<(Option<Duration>, Arc<str>)>, speed: Speed, says: &mpsc::Sender<Arc<str>>) {
    let begin = tokio::time::Instant::now();
    for (at, line) in lines {
        match (speed, at) {
            (Speed::Lived(factor), Some(at)) if factor > 0.0 => {
                tokio::time::sleep_until(begin + at.div_f64(factor)).await;
            }
            (Speed::Every(pause), _) => tokio::time::sleep(pause).await,
            (Speed::AtOnce | Speed::Lived(_), _) => {}
        }
        if says.send(line).await.is_err() {
            return;
        }
    }
}

async fn read(path: &Path) -> Result<Vec<(Option<Duration>, Arc<str>)>, Error> {
    let text = tokio::fs::read_to_string(path)
        .await
        .map_err(|error| Error::start(path.display(), &error))?;
    Ok(text.lines().filter_map(spoken).collect())
}

/// The agent's line in a line of a recording, and when it was said.
fn spoken(line: &str) -> Option<(Option<Duration>, Arc<str>)> {
    if line.trim().is_empty() {
        return None;
    }
    if !line.contains("\"dir\"") {
        return Some((None, line.into()));
    }
    let Ok(note) = serde_json::from_str::<Value>(line) else {
        return Some((None, line.into()));
    };
    match (note.get("dir").and_then(Value::as_str), note.get("line")) {
        (Some("out"), Some(said)) => {
            let at = note.get("t").and_then(Value::as_f64);
            let at = at.and_then(|at| Duration::try_from_secs_f64(at).ok());
            let said = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
            Some((at, said.into()))
        }
        (Some("in"), _) => None,
        _ => Some((None, line.into())),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::spoken;

    #[test]
    fn notes_and_bare_lines_are_understood() {
        assert_eq!(spoken(r#"{"type":"x"}"#), Some((None, r#"{"type":"x"}"#.into())));
        assert_eq!(
            spoken(r#"{"dir":"out","t":1.5,"line":{"type":"x"}}"#),
            Some((Some(Duration::from_millis(1500)), r#"{"type":"x"}"#.into()))
        );
        assert_eq!(spoken(r#"{"dir":"in","line":{"type":"user"}}"#), None);
        assert_eq!(spoken("  "), None);
    }
}
