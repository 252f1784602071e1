//! Agents as processes: nobody is left behind, however it ends.

use std::path::Path;
use std::time::Duration;

use sluice_host::transport::{ChildTransport, Launch};
use sluice_host::{Client, ErrorKind, Event, Identity, Options};

use crate::stage::{brisk, until};

/// A shell that greets back, then does as told. `$1` is a folder for notes.
const GREET: &str = r#"
read -r line
id=${line#*\"request_id\":\"}; id=${id%%\"*}
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
"#;

fn shell(folder: &Path, then: &str) -> ChildTransport {
    let script = format!("{GREET}\n{then}");
    let args = ["-c", &script, "agent", &folder.to_string_lossy()]
        .map(Into::into)
        .to_vec();
    ChildTransport::of(Launch {
        program: "bash".into(),
        args,
        ..Launch::default()
    })
}

fn quick() -> Options {
    brisk().deadlines(sluice_host::Deadlines {
        greeting: Duration::from_secs(20),
        terminate: Duration::from_millis(300),
        leave: Duration::from_millis(300),
        ..sluice_host::Deadlines::default()
    })
}

/// The process whose number a file holds, once it does.
async fn noted(file: &Path) -> Identity {
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some(pid) = text.strip_suffix('\n').and_then(|text| text.parse().ok()) {
            return Identity::of(pid);
        }
        tokio::task::yield_now().await;
    }
}

async fn gone(process: Identity) {
    while process.is_alive() && !is_zombie(process) {
        tokio::task::yield_now().await;
    }
}

/// One that nobody reaps here: its parent is gone, and the first process of a container may not care.
fn is_zombie(process: Identity) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, after)| after.starts_with('Z'))
}

const DESCENDANTS: &str = r#"
sleep 1000 & echo $! > "$1/near"
setsid bash -c 'echo $$ > "$0/far"; exec sleep 1000' "$1" &
"#;

#[tokio::test]
async fn an_agent_that_leaves_takes_everybody_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let transport = shell(folder.path(), &format!("{DESCENDANTS} cat > /dev/null"));
    let client = Client::over(transport, quick()).await.unwrap();
    let near = noted(&folder.path().join("near")).await;
    let far = noted(&folder.path().join("far")).await;
    assert!(near.is_alive() && far.is_alive());
    let mut events = client.events();
    client.close().await;
    let exit = until(&mut events, |event| match event {
        Event::Gone { exit } => *exit,
        _ => None,
    })
    .await;
    assert_eq!(exit.code, Some(0), "the end of its input was enough");
    gone(near).await;
    gone(far).await;
}

#[tokio::test]
async fn an_agent_that_ignores_everything_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let stubborn = format!("trap '' TERM; {DESCENDANTS} while :; do sleep 1000; done");
    let client = Client::over(shell(folder.path(), &stubborn), quick()).await.unwrap();
    let near = noted(&folder.path().join("near")).await;
    let far = noted(&folder.path().join("far")).await;
    let mut events = client.events();
    client.close().await;
    let exit = until(&mut events, |event| match event {
        Event::Gone { exit } => *exit,
        _ => None,
    })
    .await;
    assert_eq!(exit.signal, Some(9));
    gone(near).await;
    gone(far).await;
}

#[tokio::test]
async fn dropping_the_client_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let transport = shell(folder.path(), "echo $$ > \"$1/agent\"; cat > /dev/null");
    let client = Client::over(transport, quick()).await.unwrap();
    let agent = noted(&folder.path().join("agent")).await;
    drop(client);
    gone(agent).await;
}

#[test]
fn a_runtime_that_ends_ends_its_agents() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let transport = shell(folder.path(), &format!("{DESCENDANTS} cat > /dev/null"));
    let (client, far) = runtime.block_on(async {
        let client = Client::over(transport, quick()).await.unwrap();
        (client, noted(&folder.path().join("far")).await)
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
    drop(client);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(gone(far));
}

#[tokio::test]
async fn an_agent_ends_with_a_host_that_is_killed() {
    const ROLE: &str = "SLUICE_HOST_TEST_DIES_IN";
    if let Some(folder) = std::env::var_os(ROLE) {
        // The part of the host, in a process of its own: it connects, and waits to be killed.
        let transport = shell(Path::new(&folder), "echo $$ > \"$1/agent\"; sleep 1000");
        let _client = Client::over(transport, quick()).await.unwrap();
        std::future::pending::<()>().await;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "processes::an_agent_ends_with_a_host_that_is_killed";
    let mut host = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(ROLE, folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let agent = noted(&folder.path().join("agent")).await;
    assert!(agent.is_alive());
    host.kill().await.unwrap();
    gone(agent).await;
}

#[tokio::test]
async fn what_an_agent_says_before_it_dies_is_in_the_error() {
    let launch = Launch {
        program: "bash".into(),
        args: ["-c", "echo 'unknown flag: --levitate' >&2; exit 1"]
            .map(Into::into)
            .to_vec(),
        ..Launch::default()
    };
    let error = Client::over(ChildTransport::of(launch), quick()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gone);
    assert!(error.to_string().contains("unknown flag: --levitate"), "{error}");
    let missing = Options::new().program("/nowhere/agent");
    assert_eq!(Client::connect(missing).await.unwrap_err().kind(), ErrorKind::Start);
    let nowhere = Options::new().program("bash").cwd("/nowhere");
    assert_eq!(Client::connect(nowhere).await.unwrap_err().kind(), ErrorKind::Start);
}

#[tokio::test]
async fn a_process_that_is_deaf_is_terminated_killed_and_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let says = r#"
trap '' TERM
read -r prompt
echo "$@" >> "$1/starts"
echo '{"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555","uuid":"u1","tools":[],"mcp_servers":[],"model":"m","permissionMode":"default","slash_commands":[],"apiKeySource":"none","cwd":"/"}'
while :; do sleep 1000; done
"#;
    let options = quick().deadlines(sluice_host::Deadlines {
        interrupt: Duration::from_millis(200),
        terminate: Duration::from_millis(200),
        leave: Duration::from_millis(200),
        ..sluice_host::Deadlines::default()
    });
    let client = Client::over(shell(folder.path(), says), options).await.unwrap();
    let mut events = client.events();
    client.send("Hi").await.unwrap();
    until(&mut events, |event| {
        (event.message()?.frame().subtype() == Some("init")).then_some(())
    })
    .await;
    let stopped = client.interrupt().await.unwrap();
    assert_eq!(stopped.rung, Some(sluice_host::conversation::Rung::Killed));
    let resumed = until(&mut events, |event| match event {
        Event::Connected { resumed, .. } => resumed.clone(),
        _ => None,
    })
    .await;
    assert_eq!(&*resumed, "11111111-2222-4333-8444-555555555555");
    client.close().await;
}
