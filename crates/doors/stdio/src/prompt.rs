//! The prompt of `-p`.

use std::io::Read;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use sluice_engine::settings::MAX_NAMED_FILE;

/// How long to wait for data on an open standard input if there is a prompt already.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// The prompt, from the argument and piped input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// The text of the prompt.
    Text(String),
    /// There is no prompt.
    Missing,
}

/// Piped input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piped {
    /// The complete input.
    Text(String),
    /// No data has arrived in time.
    Silent,
    /// More than [`MAX_NAMED_FILE`] bytes. The rest was not read.
    TooLong,
}

/// Reads all of `source`, or returns [`Piped::Silent`] if no data arrives within `patience`. Once data has arrived, it
/// is read to its end without a time limit, up to [`MAX_NAMED_FILE`] bytes.
pub fn piped(mut source: impl Read + Send + 'static, patience: Option<Duration>) -> Piped {
    let (heard, listen) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let mut first = [0; 4096];
        if let Ok(count) = source.read(&mut first) {
            text.extend_from_slice(first.get(..count).unwrap_or_default());
        }
        let begun = heard.send(None).is_ok();
        if begun && !text.is_empty() {
            // After a read error, the data read so far is used.
            let _rest = source.take(MAX_NAMED_FILE).read_to_end(&mut text);
        }
        let too_long = u64::try_from(text.len()).is_ok_and(|length| length > MAX_NAMED_FILE);
        let _gone = heard.send(Some(match too_long {
            true => Piped::TooLong,
            false => Piped::Text(String::from_utf8_lossy(&text).into_owned()),
        }));
    });
    let first = match patience {
        Some(patience) => listen.recv_timeout(patience),
        None => listen.recv().map_err(|_| RecvTimeoutError::Disconnected),
    };
    match first {
        Err(RecvTimeoutError::Timeout) => Piped::Silent,
        _ => {
            let read = listen.recv().ok().flatten();
            read.unwrap_or_else(|| Piped::Text(String::new()))
        }
    }
}

/// Combines the argument and the piped input.
#[must_use]
pub fn join(argument: Option<&str>, piped: &str) -> Prompt {
    let piped = piped.trim_end_matches(['\n', '\r']);
    match (argument.filter(|text| !text.is_empty()), piped) {
        (None, "") => Prompt::Missing,
        (None, piped) => Prompt::Text(piped.to_owned()),
        (Some(argument), "") => Prompt::Text(argument.to_owned()),
        (Some(argument), piped) => Prompt::Text(format!("{argument}\n\n{piped}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argument_and_piped_input_are_combined() {
        assert_eq!(join(Some("explain"), "code\n"), Prompt::Text("explain\n\ncode".into()));
        assert_eq!(join(None, "ping\n"), Prompt::Text("ping".into()));
        assert_eq!(join(Some("ping"), ""), Prompt::Text("ping".into()));
        assert_eq!(join(None, "\n"), Prompt::Missing);
    }

    #[test]
    fn silent_pipe_times_out_and_closed_pipe_is_empty() {
        let (reader, writer) = std::io::pipe().unwrap_or_else(|error| unreachable!("{error}"));
        assert_eq!(piped(reader, Some(Duration::from_millis(5))), Piped::Silent);
        drop(writer);
        assert_eq!(piped(std::io::empty(), Some(PATIENCE)), Piped::Text(String::new()));
    }

    #[test]
    fn endless_input_is_read_up_to_the_limit() {
        assert_eq!(piped(std::io::repeat(b'x'), None), Piped::TooLong);
    }

    #[test]
    fn piped_input_is_read_to_its_end() {
        let (reader, mut writer) = std::io::pipe().unwrap_or_else(|error| unreachable!("{error}"));
        let sender = std::thread::spawn(move || {
            use std::io::Write;
            writer.write_all(b"one ").is_ok() && writer.write_all(b"two").is_ok()
        });
        assert_eq!(piped(reader, None), Piped::Text("one two".into()));
        assert!(sender.join().unwrap_or(false));
    }
}
