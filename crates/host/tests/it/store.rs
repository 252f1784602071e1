//! Session stores: entries are written to them, and sessions are resumed from them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use sluice_host::store::{FolderStore, MemoryStore, SessionKey, SessionStore, StoreError};
use sluice_host::transport::BoxFuture;
use sluice_host::wire::{Raw, ToHost};
use sluice_host::{Client, Options, SystemPrompt};
use sluice_simulator::{ModelServer, Reply, Script};

use crate::lifecycle::cast::sluice;
use crate::stage::{SESSION, Stage, brisk, forever, until};

fn mirrored(path: &str, entries: &[Value]) -> Value {
    json!({"say": {"type": "transcript_mirror", "filePath": path, "entries": entries}})
}

/// Returns an agent that mirrors its transcript and that of a subagent.
fn mirroring_agent() -> Stage {
    let main = format!("/c/projects/-work/{SESSION}.jsonl");
    let part = format!("/c/projects/-work/{SESSION}/subagents/agent-1.jsonl");
    Stage::new([forever(json!([
        mirrored(&main, &[json!({"type": "user", "uuid": "u1"})]),
        mirrored(&part, &[json!({"type": "agent_metadata", "agentType": "x"})]),
        mirrored(&main, &[json!({"type": "assistant", "uuid": "a1"})]),
        {"result": {"result": "Hello"}}
    ]))])
}

fn types(entries: &[Raw]) -> Vec<Value> {
    entries.iter().map(|entry| entry.to_value()["type"].clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn entries_are_stored_in_order_and_not_sent_to_subscribers() {
    let store = Arc::new(MemoryStore::default());
    let client = mirroring_agent()
        .client(brisk().session_store(Arc::clone(&store)))
        .await;
    let mut events = client.events();
    client.run("Hi").await.unwrap();
    client.close().await;
    let key = SessionKey::new("-work", SESSION);
    assert_eq!(types(&store.load(&key).await.unwrap().unwrap()), ["user", "assistant"]);
    assert_eq!(store.list_subkeys(&key).await.unwrap(), ["subagents/agent-1"]);
    while let Some(event) = events.next().await {
        let ty = event.message().map(|message| message.frame().ty().to_owned());
        assert_ne!(ty.as_deref(), Some("transcript_mirror"));
    }
}

/// A store whose first writes fail or hang.
#[derive(Debug, Default)]
struct UnreliableStore {
    failures: usize,
    attempts: AtomicUsize,
    stored: MemoryStore,
}

impl SessionStore for UnreliableStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [Raw]) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let attempts = self.attempts.fetch_add(1, Ordering::Relaxed);
            match attempts % 2 {
                _ if attempts >= self.failures => self.stored.append(key, entries).await,
                0 => Err("the disk is full".into()),
                _ => std::future::pending().await,
            }
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Vec<Raw>>, StoreError>> {
        self.stored.load(key)
    }
}

#[tokio::test(start_paused = true)]
async fn failing_store_is_retried_without_delaying_the_turn() {
    let store = Arc::new(UnreliableStore {
        failures: 2,
        ..UnreliableStore::default()
    });
    let client = mirroring_agent()
        .client(brisk().session_store(Arc::clone(&store)))
        .await;
    assert!(client.run("Hi").await.unwrap().result.is_some());
    client.close().await;
    let stored = store.load(&SessionKey::new("-work", SESSION)).await.unwrap().unwrap();
    assert_eq!(types(&stored), ["user", "assistant"]);
}

#[tokio::test(start_paused = true)]
async fn failed_write_is_reported() {
    let store = UnreliableStore {
        failures: 3,
        ..UnreliableStore::default()
    };
    let client = mirroring_agent().client(brisk().session_store(store)).await;
    let mut events = client.events();
    assert!(client.run("Hi").await.unwrap().result.is_some());
    let error = until(&mut events, |event| {
        let message = event
            .message()
            .filter(|it| it.frame().subtype() == Some("mirror_error"))?;
        assert!(matches!(message.to_host(), Some(ToHost::System(_))));
        Some(serde_json::from_str::<Value>(message.text()).unwrap())
    })
    .await;
    assert_eq!(error["error"], "the disk is full");
    assert_eq!(error["key"], json!({"projectKey": "-work", "sessionId": SESSION}));
}

#[tokio::test]
async fn folder_store_stays_within_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = FolderStore::new(folder.path().join("kept"));
    let key = SessionKey::new("-work", SESSION);
    let part = key.clone().part("subagents/deep/agent-1");
    assert_eq!(store.load(&key).await.unwrap(), None);
    store.append(&key, &[Raw::of(&json!({"n": 1}))]).await.unwrap();
    // An interrupted write.
    let file = folder.path().join(format!("kept/-work/{SESSION}.jsonl"));
    let torn = std::fs::read_to_string(&file).unwrap() + "{\"n\":";
    std::fs::write(&file, torn).unwrap();
    store.append(&key, &[Raw::of(&json!({"n": 2}))]).await.unwrap();
    store.append(&part, &[Raw::of(&json!({"n": 3}))]).await.unwrap();
    let stored = store.load(&key).await.unwrap().unwrap();
    assert_eq!(
        stored.iter().map(|it| it.to_value()["n"].clone()).collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(store.list_subkeys(&key).await.unwrap(), ["subagents/deep/agent-1"]);
    let listed = store.list_sessions("-work").await.unwrap().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].session_id, SESSION);
    for bad in ["..", "a/b", "", "/etc", "."] {
        assert!(store.load(&SessionKey::new(bad, SESSION)).await.is_err(), "{bad}");
        assert!(store.load(&SessionKey::new("-work", bad)).await.is_err(), "{bad}");
        let part = key.clone().part(format!("subagents/{bad}/.."));
        assert!(store.load(&part).await.is_err(), "{bad}");
    }
    store.delete(&key).await.unwrap();
    assert_eq!(store.load(&key).await.unwrap(), None);
    assert_eq!(store.load(&part).await.unwrap(), None);
}

/// With a real agent: a session is started, its files are deleted, and it is resumed from the store.
#[tokio::test]
async fn session_is_resumed_from_a_store() {
    let Some(program) = sluice() else { return };
    let folder = tempfile::tempdir().unwrap();
    for name in ["work", "config", "scratch"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let script = Script::new().reply(Reply::text("One")).reply(Reply::text("Two"));
    let model = ModelServer::start(script).await.unwrap();
    let store = Arc::new(FolderStore::new(folder.path().join("store")));
    let options = || {
        Options::new()
            .program(program.as_path())
            .cwd(folder.path().join("work"))
            .system_prompt(SystemPrompt::preset())
            .config_dir(folder.path().join("config"))
            .scratch_dir(folder.path().join("scratch"))
            .env("HOME", folder.path())
            .env("ANTHROPIC_BASE_URL", model.url())
            .env("ANTHROPIC_API_KEY", "none")
            .session_store(Arc::clone(&store))
    };
    let client = Client::connect(options()).await.unwrap();
    client.run("First").await.unwrap();
    let session = client.session_id().await.unwrap().unwrap();
    client.close().await;
    std::fs::remove_dir_all(folder.path().join("config/projects")).unwrap();

    let client = Client::connect(options().resume(session.as_str())).await.unwrap();
    let ended = client.run("Second").await.unwrap();
    assert_eq!(ended.result.unwrap().result.as_deref(), Some("Two"));
    assert_eq!(client.session_id().await.unwrap(), Some(session));
    client.close().await;
    drop(client);
    let requests = model.requests();
    let texts = requests.last().unwrap().body["messages"].to_string();
    assert!(texts.contains("First") && texts.contains("One"), "{texts}");
    let left: Vec<_> = std::fs::read_dir(folder.path().join("scratch")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
