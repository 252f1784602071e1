//! Transports other than child processes.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use sluice_host::transport::{ChannelTransport, Link, RecordingTransport, SocketTransport, Speed};
use sluice_host::wire::control::ControlResponse;
use sluice_host::wire::stdout::TurnResult;
use sluice_host::wire::stdout::system::Init;
use sluice_host::wire::{ToAgent, ToHost};
use sluice_host::{Client, Event};
use sluice_simulator::AgentScript;

use crate::stage::{brisk, forever, hello, until};

#[tokio::test]
async fn agent_in_the_same_program_exchanges_messages() {
    let transport = ChannelTransport::new(|_| async {
        let (agent_output, from_agent) = tokio::sync::mpsc::channel(16);
        let (into_agent, mut agent_input) = tokio::sync::mpsc::channel(16);
        tokio::spawn(async move {
            while let Some(message) = agent_input.recv().await {
                let answers: Vec<ToHost> = match message {
                    ToAgent::ControlRequest(request) => vec![ControlResponse::ok(request.request_id).into()],
                    ToAgent::User(user) => vec![
                        Init {
                            session_id: "s".to_owned(),
                            uuid: "i".to_owned(),
                            ..Init::default()
                        }
                        .into(),
                        TurnResult {
                            result: Some(user.message.content.text().to_uppercase()),
                            session_id: "s".to_owned(),
                            uuid: "r".to_owned(),
                            ..TurnResult::default()
                        }
                        .into(),
                    ],
                    _ => Vec::new(),
                };
                for answer in answers {
                    agent_output.send(answer).await.unwrap();
                }
            }
        });
        Ok(Link::values(from_agent, into_agent))
    });
    let client = Client::over(transport, brisk()).await.unwrap();
    let ended = client.run("loud").await.unwrap();
    assert_eq!(ended.result.unwrap().result.as_deref(), Some("LOUD"));
}

/// Plays a script for one connection.
async fn serve(read: impl tokio::io::AsyncRead + Unpin + Send, write: impl tokio::io::AsyncWrite + Unpin + Send) {
    let script = AgentScript::parse(&forever(hello()).to_string(), Path::new(".")).unwrap();
    sluice_simulator::agent::play(&script, read, write).await.ok();
}

#[tokio::test]
async fn agents_are_reachable_over_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sock");
    let unix = tokio::net::UnixListener::bind(&path).unwrap();
    let tcp = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        loop {
            let (read, write) = unix.accept().await.unwrap().0.into_split();
            tokio::spawn(serve(read, write));
        }
    });
    tokio::spawn(async move {
        let (read, write) = tcp.accept().await.unwrap().0.into_split();
        serve(read, write).await;
    });
    for transport in [SocketTransport::unix(&path), SocketTransport::tcp(address)] {
        let client = Client::over(transport, brisk()).await.unwrap();
        assert!(client.run("Hi").await.unwrap().result.is_some());
        client.close().await;
    }
    let nowhere = SocketTransport::unix(folder.path().join("none"));
    assert_eq!(
        Client::over(nowhere, brisk()).await.unwrap_err().kind(),
        sluice_host::ErrorKind::Start
    );
}

#[tokio::test(start_paused = true)]
async fn recording_is_played_in_its_original_time() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let init = json!({"type": "system", "subtype": "init", "session_id": "s", "uuid": "1"});
    for (t, line) in [(0.0, init), (10.0, json!({"type": "from_tomorrow", "n": 1}))] {
        writeln!(file, "{}", json!({"dir": "out", "t": t, "line": line})).unwrap();
    }
    // A recording does not answer `initialize`, so its timeout expires.
    let transport = RecordingTransport::new(file.path()).speed(Speed::Recorded(2.0)).stay();
    let begin = tokio::time::Instant::now();
    let options = brisk().deadlines(sluice_host::Deadlines {
        greeting: Duration::from_secs(1),
        ..sluice_host::Deadlines::default()
    });
    let error = Client::over(transport.clone(), options).await.unwrap_err();
    assert_eq!(error.kind(), sluice_host::ErrorKind::Timeout);
    drop((begin, error));
    let client = Client::watch(transport, brisk()).await.unwrap();
    let begin = tokio::time::Instant::now();
    let mut events = client.events_from(0);
    until(&mut events, |event| {
        matches!(event, Event::Message(it) if it.frame().ty() == "from_tomorrow").then_some(())
    })
    .await;
    assert_eq!(begin.elapsed().as_secs(), 5);
}
