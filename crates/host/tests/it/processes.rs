//! Agents as processes: no process is left behind, however an agent ends.

use std::path::Path;
use std::time::Duration;

use sluice_host::transport::{ChildTransport, Launch};
use sluice_host::{Client, ErrorKind, Event, Identity, Options};

use crate::stage::{brisk, until};

/// A shell script that answers `initialize`, then runs more code. `$1` is a folder for its files.
const ANSWER_INITIALIZE: &str = r#"
read -r line
id=${line#*\"request_id\":\"}; id=${id%%\"*}
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
"#;

fn shell(folder: &Path, then: &str) -> ChildTransport {
    let script = format!("{ANSWER_INITIALIZE}\n{then}");
    let args = ["-c", &script, "agent", &folder.to_string_lossy()]
        .map(Into::into)
        .to_vec();
    ChildTransport::of(Launch {
        program: "bash".into(),
        args,
        ..Launch::default()
    })
}

fn short_deadlines() -> Options {
    brisk().deadlines(sluice_host::Deadlines {
        greeting: Duration::from_secs(20),
        terminate: Duration::from_millis(300),
        leave: Duration::from_millis(300),
        ..sluice_host::Deadlines::default()
    })
}

/// Waits until a file contains a process id, and returns the identity of the process.
async fn read_pid(file: &Path) -> Identity {
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some(pid) = text.strip_suffix('\n').and_then(|text| text.parse().ok()) {
            return Identity::of(pid);
        }
        tokio::task::yield_now().await;
    }
}

async fn wait_for_exit(process: Identity) {
    while process.is_alive() && !is_zombie(process) {
        tokio::task::yield_now().await;
    }
}

/// Returns whether a process is a zombie: its parent is gone, and the init process of a container may not reap it.
fn is_zombie(process: Identity) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, after)| after.starts_with('Z'))
}

const DESCENDANTS: &str = r#"
sleep 1000 & echo $! > "$1/near"
setsid bash -c 'echo $$ > "$0/far"; exec sleep 1000' "$1" &
"#;

#[tokio::test]
async fn descendants_end_with_an_agent_that_exits() {
    let folder = tempfile::tempdir().unwrap();
    let transport = shell(folder.path(), &format!("{DESCENDANTS} cat > /dev/null"));
    let client = Client::over(transport, short_deadlines()).await.unwrap();
    let near = read_pid(&folder.path().join("near")).await;
    let far = read_pid(&folder.path().join("far")).await;
    assert!(near.is_alive() && far.is_alive());
    let mut events = client.events();
    client.close().await;
    let exit = until(&mut events, |event| match event {
        Event::Gone { exit } => *exit,
        _ => None,
    })
    .await;
    assert_eq!(exit.code, Some(0), "closing its input was enough");
    wait_for_exit(near).await;
    wait_for_exit(far).await;
}

#[tokio::test]
async fn agent_that_ignores_signals_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let stubborn = format!("trap '' TERM; {DESCENDANTS} while :; do sleep 1000; done");
    let client = Client::over(shell(folder.path(), &stubborn), short_deadlines())
        .await
        .unwrap();
    let near = read_pid(&folder.path().join("near")).await;
    let far = read_pid(&folder.path().join("far")).await;
    let mut events = client.events();
    client.close().await;
    let exit = until(&mut events, |event| match event {
        Event::Gone { exit } => *exit,
        _ => None,
    })
    .await;
    assert_eq!(exit.signal, Some(9));
    wait_for_exit(near).await;
    wait_for_exit(far).await;
}

#[tokio::test]
async fn dropping_the_client_ends_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    let transport = shell(folder.path(), "echo $$ > \"$1/agent\"; cat > /dev/null");
    let client = Client::over(transport, short_deadlines()).await.unwrap();
    let agent = read_pid(&folder.path().join("agent")).await;
    drop(client);
    wait_for_exit(agent).await;
}

#[test]
fn agents_end_with_the_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let transport = shell(folder.path(), &format!("{DESCENDANTS} cat > /dev/null"));
    let (client, far) = runtime.block_on(async {
        let client = Client::over(transport, short_deadlines()).await.unwrap();
        (client, read_pid(&folder.path().join("far")).await)
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
    drop(client);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(wait_for_exit(far));
}

#[tokio::test]
async fn agent_ends_when_its_host_is_killed() {
    const ROLE: &str = "SLUICE_HOST_TEST_DIES_IN";
    if let Some(folder) = std::env::var_os(ROLE) {
        // The host part of the test, in a separate process: it connects and waits to be killed.
        let transport = shell(Path::new(&folder), "echo $$ > \"$1/agent\"; sleep 1000");
        let _client = Client::over(transport, short_deadlines()).await.unwrap();
        std::future::pending::<()>().await;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "processes::agent_ends_when_its_host_is_killed";
    let mut host = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(ROLE, folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let agent = read_pid(&folder.path().join("agent")).await;
    assert!(agent.is_alive());
    host.kill().await.unwrap();
    wait_for_exit(agent).await;
}

#[tokio::test]
async fn stderr_of_an_agent_that_exits_is_in_the_error() {
    let launch = Launch {
        program: "bash".into(),
        args: ["-c", "echo 'unknown flag: --levitate' >&2; exit 1"]
            .map(Into::into)
            .to_vec(),
        ..Launch::default()
    };
    let error = Client::over(ChildTransport::of(launch), short_deadlines())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gone);
    assert!(error.to_string().contains("unknown flag: --levitate"), "{error}");
    let missing = Options::new().program("/nowhere/agent");
    assert_eq!(Client::connect(missing).await.unwrap_err().kind(), ErrorKind::Start);
    let nowhere = Options::new().program("bash").cwd("/nowhere");
    assert_eq!(Client::connect(nowhere).await.unwrap_err().kind(), ErrorKind::Start);
}

#[tokio::test]
async fn unresponsive_process_is_terminated_killed_and_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
trap '' TERM
read -r prompt
echo "$@" >> "$1/starts"
echo '{"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555","uuid":"u1","tools":[],"mcp_servers":[],"model":"m","permissionMode":"default","slash_commands":[],"apiKeySource":"none","cwd":"/"}'
while :; do sleep 1000; done
"#;
    let options = short_deadlines().deadlines(sluice_host::Deadlines {
        interrupt: Duration::from_millis(200),
        terminate: Duration::from_millis(200),
        leave: Duration::from_millis(200),
        ..sluice_host::Deadlines::default()
    });
    let client = Client::over(shell(folder.path(), script), options).await.unwrap();
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
