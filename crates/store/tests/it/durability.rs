//! What was acknowledged is there after the process was killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use sluice_store::{Opened, Options, ReceiptRow, Settled, Store};

use crate::fixture::{ask, prompt, record, session};

const PLACE: &str = "SLUICE_STORE_OF_CHILD";

/// Writes for ever, and says what was acknowledged.
#[tokio::test]
#[ignore = "the child of the test below, killed by it"]
async fn child() {
    let path = std::env::var_os(PLACE).expect("started by the test below");
    let (store, _) = Store::open(Path::new(&path), Options::default()).unwrap();
    store.create_session(session("s"), None).await.unwrap();
    let mut out = std::io::stdout();
    for number in 0.. {
        let id = format!("k{number}");
        let receipt = ReceiptRow {
            device: "d".to_owned(),
            id: id.clone(),
            at: 1,
            body: "{}".to_owned(),
        };
        let (appending, asking) = (store.clone(), store.clone());
        let question = id.clone();
        let appended = tokio::spawn(async move {
            let records = vec![record(number + 1)];
            appending.append_records("s", 1, number, records, None, None).await
        });
        let asked = tokio::spawn(async move {
            asking.open_ask(ask(&question)).await?;
            let settled = asking.settle_ask("s", &question, "allowed", 1, None, None, None);
            settled.await
        });
        store.put_prompt(prompt(&id, 1.0), Some(receipt)).await.unwrap();
        assert_eq!(asked.await.unwrap(), Ok(Settled::First));
        assert_eq!(appended.await.unwrap(), Ok(number + 1));
        writeln!(out, "\nacknowledged {number}").unwrap();
        out.flush().unwrap();
    }
}

#[tokio::test]
async fn what_was_acknowledged_survives_being_killed() {
    for enough in [1, 20, 60] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bridge.db");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "durability::child", "--ignored", "--nocapture"])
            .env(PLACE, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut last = None;
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for line in lines {
            let line = line.unwrap();
            if let Some(number) = line.strip_prefix("acknowledged ") {
                last = Some(number.parse::<i64>().unwrap());
                if last == Some(enough) {
                    // SIGKILL; what it still says before it dies counts too.
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        let last = last.expect("the child acknowledged nothing");
        assert!(last >= enough, "the child ended by itself after {last}");
        let (store, opened) = Store::open(&path, Options::default()).unwrap();
        assert_eq!(opened, Opened::Ready { checked: true });
        for number in 0..=last {
            let id = format!("k{number}");
            assert_eq!(store.prompt(&id).await.unwrap(), Some(prompt(&id, 1.0)));
            assert!(store.receipt("d", &id).await.unwrap().is_some(), "{id}");
            let asked = store.ask("s", &id).await.unwrap().unwrap();
            assert_eq!(asked.state, "allowed");
        }
        // The process died, not the machine: records are there as well.
        assert!(store.last_n("s").await.unwrap() > last);
    }
}
