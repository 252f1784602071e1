//! Sessions kept elsewhere: handed to a store, and gone on with from there.

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

/// An agent that repeats what it writes, of itself and of a subagent.
fn repeating() -> Stage {
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
async fn what_an_agent_writes_is_kept_in_order_and_told_to_nobody_else() {
    let store = Arc::new(MemoryStore::default());
    let client = repeating().client(brisk().session_store(Arc::clone(&store))).await;
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

/// One that fails so many times, and then keeps.
#[derive(Debug, Default)]
struct Shaky {
    fails: usize,
    tried: AtomicUsize,
    kept: MemoryStore,
}

impl SessionStore for Shaky {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [Raw]) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let tried = self.tried.fetch_add(1, Ordering::Relaxed);
            match tried % 2 {
                _ if tried >= self.fails => self.kept.append(key, entries).await,
                0 => Err("the disk is full".into()),
                _ => std::future::pending().await,
            }
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Vec<Raw>>, StoreError>> {
        self.kept.load(key)
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_or_hangs_is_tried_again_and_keeps_nobody_waiting() {
    let store = Arc::new(Shaky {
        fails: 2,
        ..Shaky::default()
    });
    let client = repeating().client(brisk().session_store(Arc::clone(&store))).await;
    assert!(client.run("Hi").await.unwrap().result.is_some());
    client.close().await;
    let kept = store.load(&SessionKey::new("-work", SESSION)).await.unwrap().unwrap();
    assert_eq!(types(&kept), ["user", "assistant"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_store_does_not_take_is_told() {
    let store = Shaky {
        fails: 3,
        ..Shaky::default()
    };
    let client = repeating().client(brisk().session_store(store)).await;
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
async fn a_folder_keeps_what_it_was_given_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = FolderStore::new(folder.path().join("kept"));
    let key = SessionKey::new("-work", SESSION);
    let part = key.clone().part("subagents/deep/agent-1");
    assert_eq!(store.load(&key).await.unwrap(), None);
    store.append(&key, &[Raw::of(&json!({"n": 1}))]).await.unwrap();
    // A write that broke off.
    let file = folder.path().join(format!("kept/-work/{SESSION}.jsonl"));
    let torn = std::fs::read_to_string(&file).unwrap() + "{\"n\":";
    std::fs::write(&file, torn).unwrap();
    store.append(&key, &[Raw::of(&json!({"n": 2}))]).await.unwrap();
    store.append(&part, &[Raw::of(&json!({"n": 3}))]).await.unwrap();
    let kept = store.load(&key).await.unwrap().unwrap();
    assert_eq!(
        kept.iter().map(|it| it.to_value()["n"].clone()).collect::<Vec<_>>(),
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

/// With an agent that keeps sessions: one is begun, its files are lost, and it goes on from the store.
#[tokio::test]
async fn a_session_goes_on_from_a_store() {
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
    let asked = model.requests();
    let texts = asked.last().unwrap().body["messages"].to_string();
    assert!(texts.contains("First") && texts.contains("One"), "{texts}");
    let left: Vec<_> = std::fs::read_dir(folder.path().join("scratch")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
