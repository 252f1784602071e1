//! Reads messages from stdin.

use std::io::{ErrorKind, Read};

use sluice_engine::{Input, Signal};
use sluice_wire::control::{HostRequest as _, Initialize, Request};
use sluice_wire::{FramedLine, Framer, Malformed, MalformedKind, MessageType, ToAgent};
use tokio::sync::mpsc;

/// The read buffer size, in bytes. Messages that are read together are forwarded together.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Reads until the end of the input and forwards the messages of each read. Invalid lines are also passed to `report`.
///
/// Runs on a separate thread, because reads from standard input block.
///
/// If `greeted` is set, the first message must be `initialize`; otherwise an error is reported and the session ends.
pub fn read(mut source: impl Read, session: &mpsc::Sender<Vec<Input>>, greeted: bool, mut report: impl FnMut(&str)) {
    let mut framer = Framer::new();
    let mut awaits_initialize = greeted;
    let mut chunk = vec![0; READ_BUFFER_BYTES];
    loop {
        let count = match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = chunk.get(..count).unwrap_or_default();
        let inputs: Vec<Input> = framer
            .push(bytes)
            .iter()
            .filter_map(|line| decode(line, &mut report))
            .collect();
        if awaits_initialize && !inputs.is_empty() {
            awaits_initialize = false;
            if !inputs.first().is_some_and(is_initialize) {
                report(
                    "Error: with --await-initialize the first line has to be the control request `initialize`, and it is \
                     another message.",
                );
                forward(session, vec![Input::Signal(Signal::Leave(1))]);
                return;
            }
        }
        if !forward(session, inputs) {
            return;
        }
    }
    let mut inputs: Vec<Input> = framer
        .finish()
        .iter()
        .filter_map(|line| decode(line, &mut report))
        .collect();
    inputs.push(Input::Eof);
    forward(session, inputs);
}

/// True if the message is `initialize`.
fn is_initialize(input: &Input) -> bool {
    match input {
        Input::Message(message) => matches!(
            message.as_ref(),
            ToAgent::ControlRequest(request) if matches!(request.request, Request::Initialize(_))
        ),
        Input::BadRequest { subtype, .. } => subtype.as_deref() == Some(Initialize::SUBTYPE),
        _ => false,
    }
}

/// Forwards inputs. Returns false if the session has ended.
fn forward(session: &mpsc::Sender<Vec<Input>>, inputs: Vec<Input>) -> bool {
    inputs.is_empty() || session.blocking_send(inputs).is_ok()
}

/// Parses a line. Returns `None` if it needs no response.
fn decode(line: &FramedLine<'_>, report: &mut impl FnMut(&str)) -> Option<Input> {
    let problem = match line.frame() {
        None => {
            let FramedLine::TooLong { bytes } = line else {
                return None;
            };
            format!("Skipped an input line of {bytes} bytes: it is longer than the limit.")
        }
        Some(Ok(frame)) => match frame.to_agent() {
            Ok(ToAgent::Unknown(_)) => return None,
            Ok(message) => return Some(Input::Message(Box::new(message))),
            Err(bad) if frame.message_type() == MessageType::ControlRequest => {
                return Some(Input::BadRequest {
                    request_id: frame.request_id(),
                    subtype: frame.request_subtype().map(|it| it.to_string()),
                    problem: bad.error,
                });
            }
            Err(bad) => skipped(&bad)?,
        },
        Some(Err(bad)) => skipped(&bad)?,
    };
    report(&problem);
    Some(Input::Bad(problem))
}

/// Returns the message about an invalid line; `None` for lines that request nothing.
fn skipped(bad: &Malformed) -> Option<String> {
    match bad.kind {
        MalformedKind::Array | MalformedKind::Scalar | MalformedKind::NoType | MalformedKind::NoResponse => None,
        MalformedKind::NotJson => Some(format!(
            "Skipped an input line that is not JSON, at column {}: {}",
            bad.column, bad.error
        )),
        _ => Some(format!(
            "Skipped an input line that cannot be understood: {}",
            bad.error
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    fn parse_all(text: &str) -> (Vec<Input>, Vec<String>) {
        let (session, mut inbox) = mpsc::channel(64);
        let mut reports = Vec::new();
        read(text.as_bytes(), &session, false, |problem| {
            reports.push(problem.to_owned());
        });
        drop(session);
        let mut inputs = Vec::new();
        while let Some(batch) = inbox.blocking_recv() {
            inputs.extend(batch);
        }
        assert!(
            matches!(inputs.pop(), Some(Input::Eof)),
            "the end of the input is told last"
        );
        (inputs, reports)
    }

    #[test]
    fn invalid_line_is_reported_and_the_next_one_is_parsed() {
        let (inputs, reports) = parse_all("{nonsense\n{\"type\":\"keep_alive\"}\n");
        assert!(matches!(inputs[0], Input::Bad(_)));
        assert!(matches!(inputs[1], Input::Message(_)));
        assert_eq!(reports.len(), 1);
        assert!(reports[0].contains("not JSON"), "{}", reports[0]);
    }

    #[test]
    fn lines_without_request_are_ignored() {
        let (inputs, reports) = parse_all("[1]\n7\n{}\n\n{\"type\":\"nonsense\"}\n{\"type\":\"control_response\"}\n");
        assert!(inputs.is_empty(), "{inputs:?}");
        assert!(reports.is_empty(), "{reports:?}");
    }

    #[test]
    fn invalid_user_message_is_reported() {
        for line in [
            r#"{"type":"user"}"#,
            r#"{"type":"user","message":{"content":"x"}}"#,
            r#"{"type":"user","message":{"role":"assistant","content":"x"}}"#,
            r#"{"type":"user","message":{"role":"user","content":null}}"#,
            r#"{"type":"user","message":{"role":"user","content":7}}"#,
            "null",
        ] {
            let (inputs, reports) = parse_all(line);
            assert!(matches!(inputs[..], [Input::Bad(_)]), "{line}: {inputs:?}");
            assert_eq!(reports.len(), 1, "{line}");
        }
    }

    #[test]
    fn invalid_request_keeps_its_id() {
        let (inputs, _) = parse_all(r#"{"type":"control_request","request_id":"r1"}"#);
        let Input::BadRequest {
            request_id, subtype, ..
        } = &inputs[0]
        else {
            unreachable!("{inputs:?}")
        };
        assert_eq!(request_id.as_str(), Some("r1"));
        assert_eq!(*subtype, None);
    }

    #[test]
    fn missing_initialize_ends_the_session() {
        let (session, mut inbox) = mpsc::channel(10);
        let mut reports = Vec::new();
        let prompt = "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n";
        read(prompt.as_bytes(), &session, true, |problem| {
            reports.push(problem.to_owned());
        });
        let inputs = inbox.try_recv();
        assert!(matches!(inputs.as_deref(), Ok([Input::Signal(Signal::Leave(1))])));
        assert!(reports.iter().any(|report| report.contains("--await-initialize")));
        let greeting = "{\"type\":\"control_request\",\"request_id\":\"1\",\"request\":{\"subtype\":\"initialize\"}}\n";
        read(greeting.as_bytes(), &session, true, |_| {});
        assert!(matches!(inbox.try_recv().as_deref(), Ok([Input::Message(_)])));
    }
}
