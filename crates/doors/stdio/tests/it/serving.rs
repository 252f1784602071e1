//! The end of a run.

use std::io::{self, Write};

use serde_json::json;
use sluice_engine::Input;
use sluice_stdio::{Door, Format, HOLD, InputMode};
use sluice_wire::ToAgent;

use crate::rig::{door, informational, pace, port, result, sink};

/// A stream whose reader is gone.
struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn broken_output_ends_the_session() {
    let (reader, _writer) = io::pipe().unwrap();
    let port = port(|session| async move {
        session.say(informational("is anybody there?")).await;
        // Only the door can end the session: its input stays open.
        session.quit.cancelled().await;
        7
    });
    assert_eq!(door(Format::StreamJson).serve(port, reader, Broken, |_| {}).await, 7);
}

/// A full disk.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn lost_output_is_an_error() {
    let port = port(|session| async move {
        session.say(result(json!({"result": "Hello"}))).await;
        0
    });
    let (tell, told) = std::sync::mpsc::channel();
    let report = move |problem: &str| tell.send(problem.to_owned()).unwrap();
    assert_eq!(door(Format::Text).serve(port, io::empty(), Full, report).await, 1);
    assert!(told.recv().unwrap().contains("standard output cannot be written"));
}

#[tokio::test]
async fn exit_code_is_that_of_the_session() {
    for code in [0, 1, 143] {
        let port = port(|_| async move { code });
        let (sink, _written) = sink();
        let served = door(Format::StreamJson).serve(port, io::empty(), sink, |_| {});
        assert_eq!(served.await, code);
    }
}

#[tokio::test]
async fn all_messages_are_written_before_the_run_ends() {
    let port = port(|session| async move {
        for n in 0..500 {
            session.say(informational(&n.to_string())).await;
        }
        session.say(result(json!({"result": "Hello"}))).await;
        0
    });
    let (sink, written) = sink();
    door(Format::StreamJson).serve(port, io::empty(), sink, |_| {}).await;
    let text = written.rest();
    assert_eq!(text.lines().count(), 501);
    assert!(text.lines().last().unwrap().contains("Hello"));
}

#[tokio::test]
async fn print_run_sends_one_prompt_and_end_of_input() {
    let port = port(|mut session| async move {
        let batch = session.inbox.recv().await.unwrap();
        let [Input::Message(message), Input::Eof] = &batch[..] else {
            panic!("{batch:?}")
        };
        let ToAgent::User(user) = &**message else {
            panic!("{message:?}")
        };
        let said = serde_json::to_value(&user.message.content).unwrap();
        session.say(result(json!({"result": format!("You said {said}")}))).await;
        0
    });
    let (sink, written) = sink();
    let door = Door {
        input: InputMode::Prompt("ping".to_owned()),
        format: Format::Text.into(),
        pace: pace(HOLD),
        greeted: false,
    };
    assert_eq!(door.serve(port, io::empty(), sink, |_| {}).await, 0);
    assert_eq!(written.rest(), "You said \"ping\"\n");
}

#[tokio::test]
async fn ended_session_is_an_error() {
    let port = port(|session| async move {
        drop(session);
        0
    });
    while !port.input.is_closed() {
        tokio::task::yield_now().await;
    }
    let (sink, _written) = sink();
    let door = Door {
        input: InputMode::Prompt("ping".to_owned()),
        format: Format::Text.into(),
        pace: pace(HOLD),
        greeted: false,
    };
    assert_eq!(door.serve(port, io::empty(), sink, |_| {}).await, 1);
}
