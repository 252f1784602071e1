//! Replaces a process with another one that keeps its listeners, as in an upgrade. The test runs its own program again
//! in both roles.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use sluice_server::{AccessOptions, Inherited, Server, StateFolder};

use crate::house::{Echo, open_access, open_store, options};
use crate::raw::{connect, get, read};

const PART: &str = "SLUICE_TEST_PART";
const FOLDER: &str = "SLUICE_TEST_FOLDER";

/// Prints its port, waits for a line and becomes the second process, which prints its process id and waits for another
/// line.
#[tokio::test]
#[ignore = "played by the test below, as a process of its own"]
async fn player() {
    let folder = std::path::PathBuf::from(std::env::var_os(FOLDER).expect("started by the test below"));
    let second = std::env::var_os(PART).is_some_and(|part| part == "second");
    let inherited = Inherited::take();
    assert_eq!(inherited.is_some(), second);
    assert!(Inherited::take().is_none(), "they are taken once");
    let state = StateFolder::take(&folder.join("state")).unwrap();
    let store = open_store(&folder);
    let (access, _) = open_access(&store, AccessOptions::default()).await;
    let backend = Arc::new(Echo::default());
    let running = Server::start(options(), inherited, state, access, backend)
        .await
        .unwrap();
    println!("\nPLAYER {} {}", running.addresses()[0].port(), std::process::id());
    let mut line = String::new();
    // Blocking, so in a separate thread.
    tokio::task::spawn_blocking(move || std::io::stdin().read_line(&mut line).unwrap())
        .await
        .unwrap();
    if second {
        return;
    }
    let inheritance = running.inheritance().unwrap();
    let state = running.stop(Duration::from_secs(20)).await;
    store.close().await.unwrap();
    println!("\nSTOPPED 0 0");
    let mut line = String::new();
    tokio::task::spawn_blocking(move || std::io::stdin().read_line(&mut line).unwrap())
        .await
        .unwrap();
    let variables = inheritance.keep_for_exec().unwrap();
    let error = Command::new(std::env::current_exe().unwrap())
        .args(std::env::args_os().skip(1))
        .env(PART, "second")
        .envs(variables)
        .exec();
    drop(state);
    panic!("{error}");
}

#[tokio::test]
async fn a_connection_during_an_upgrade_is_served_by_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut player = Command::new(std::env::current_exe().unwrap())
        .args([
            "handover::player",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = player.stdin.take().unwrap();
    let mut lines = BufReader::new(player.stdout.take().unwrap()).lines();
    let mut said = |word: &str| -> (u16, u32) {
        let line = lines
            .find_map(|line| line.unwrap().strip_prefix(word).map(str::to_owned))
            .expect("it goes on");
        let mut numbers = line.split_whitespace();
        (
            numbers.next().unwrap().parse().unwrap(),
            numbers.next().unwrap().parse().unwrap(),
        )
    };
    let (port, pid) = said("PLAYER ");
    assert_eq!(get("/api/health").send(port).await.status, 200);
    input.write_all(b"go\n").unwrap();
    said("STOPPED ");
    let mut waiting = connect(port).await;
    tokio::io::AsyncWriteExt::write_all(&mut waiting, &get("/api/health").bytes(port))
        .await
        .unwrap();
    input.write_all(b"go\n").unwrap();
    let (same_port, same_pid) = said("PLAYER ");
    assert_eq!((same_port, same_pid), (port, pid));
    assert_eq!(read(&mut waiting, false).await.unwrap().status, 200);
    input.write_all(b"go\n").unwrap();
    assert!(player.wait().unwrap().success());
}
