//! A bridge whose records lack what the log of a runner has, with a runner that the test plays.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use sluice_host::conversation::{ConversationState, ProcessStatus};
use sluice_runner::process::Identity;
use sluice_runner::{AgentStatus, Decoder, FromRunner, Kind, Record, Registration, SOCKET, ToRunner};
use sluice_store::{NewRecord, Options, PromptRow, SessionRow, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};

use crate::agents::Agents;
use crate::hub::{Config, Hub};
use crate::session::records::kind;

mod feed;

const FIRST: &str = "11111111-1111-4111-8111-111111111111";
const SECOND: &str = "22222222-2222-4222-8222-222222222222";

/// A runner whose agent runs.
struct Runner {
    socket: UnixStream,
    decoder: Decoder<ToRunner>,
}

impl Runner {
    async fn say(&mut self, frames: Vec<FromRunner>) {
        let mut bytes = Vec::new();
        frames.iter().for_each(|frame| frame.encode(&mut bytes));
        self.socket.write_all(&bytes).await.unwrap();
    }

    /// The number of the line of the log from which on the bridge wants to read it.
    async fn asked_from(&mut self) -> u64 {
        let mut bytes = vec![0; 4096];
        loop {
            if let Some(frame) = self.decoder.next().unwrap() {
                let ToRunner::Hello { from, .. } = frame else {
                    panic!("no hello, but {frame:?}")
                };
                return from;
            }
            let count = self.socket.read(&mut bytes).await.unwrap();
            self.decoder.push(&bytes[..count]);
        }
    }

    /// The first frame that is no hello, no trim and no shutdown.
    async fn hear(&mut self) -> ToRunner {
        let mut bytes = vec![0; 4096];
        loop {
            match self.decoder.next().unwrap() {
                Some(ToRunner::Hello { .. } | ToRunner::Trim { .. } | ToRunner::Shutdown { .. }) => {}
                Some(frame) => return frame,
                None => {
                    let read = tokio::time::timeout(Duration::from_secs(10), self.socket.read(&mut bytes)).await;
                    let count = read.expect("the bridge says nothing").unwrap();
                    assert!(count > 0, "the bridge has gone");
                    self.decoder.push(&bytes[..count]);
                }
            }
        }
    }

    /// Gives its log to the bridge.
    async fn replay(&mut self, committed: u64, log: &[(Kind, Value)]) {
        let next = committed + log.len() as u64 + 1;
        let agent = AgentStatus::Running { pid: 7, started: 1 };
        let (term, first) = (1, 1);
        let mut frames = vec![FromRunner::Welcome {
            term,
            first,
            next,
            agent,
        }];
        for (number, (kind, body)) in (committed + 1..).zip(log) {
            frames.push(record(number, *kind, body));
        }
        frames.push(FromRunner::CaughtUp { next });
        self.say(frames).await;
    }

    /// The prompt that the bridge writes next.
    async fn prompt(&mut self) -> String {
        self.write().await.1
    }

    /// The same, with the number of the write.
    async fn write(&mut self) -> (u64, String) {
        let heard = self.hear().await;
        let ToRunner::Write { id, line } = heard else {
            panic!("no prompt is written, but {heard:?}");
        };
        let line: Value = serde_json::from_slice(&line).unwrap();
        (id, line["uuid"].as_str().unwrap().to_owned())
    }
}

/// A bridge with one session that has these records and open prompts, and the runner of that session.
async fn open(state: &Path, records: Vec<(u8, Value)>, prompts: [(&str, &str); 2]) -> (Hub, Runner) {
    let safe = i64::try_from(records.len()).unwrap();
    open_from(state, records, safe, prompts).await
}

/// The same, where a message was being written since the line `safe` of the log.
async fn open_from(state: &Path, records: Vec<(u8, Value)>, safe: i64, prompts: [(&str, &str); 2]) -> (Hub, Runner) {
    let store = store(state, "starting", records, safe, prompts).await;
    let listener = listen(state);
    let hub = open_hub(state, store).await;
    (hub, accept(&listener).await)
}

/// A store with one session that has this status, these records and open prompts.
async fn store(state: &Path, status: &str, records: Vec<(u8, Value)>, safe: i64, prompts: [(&str, &str); 2]) -> Store {
    let store = Store::open(&state.join("bridge.db"), Options::default()).unwrap().0;
    let session = SessionRow {
        id: "s".to_owned(),
        folder: "/".to_owned(),
        // None of the agents, so that nothing but prompts is written.
        agent: "none".to_owned(),
        status: status.to_owned(),
        provider_id: Some("p".to_owned()),
        epoch: 1,
        extra: "{}".to_owned(),
        ..SessionRow::default()
    };
    store.create_session(session, None).await.unwrap();
    for (position, (uuid, state)) in (1_u8..).zip(prompts) {
        let prompt = PromptRow {
            uuid: uuid.to_owned(),
            session: "s".to_owned(),
            position: position.into(),
            state: state.to_owned(),
            content: "[]".to_owned(),
            text: "hello".to_owned(),
            ..PromptRow::default()
        };
        store.put_prompt(prompt, None).await.unwrap();
    }
    let committed = i64::try_from(records.len()).unwrap();
    let records = records.into_iter().map(|(kind, body)| NewRecord {
        kind,
        body: body.to_string(),
        ..NewRecord::default()
    });
    let records = records.collect();
    store
        .append_records("s", 1, 0, records, Some(committed), Some(safe))
        .await
        .unwrap();
    store
}

/// The socket of the runner.
fn listen(state: &Path) -> UnixListener {
    let dir = state.join("runners/s");
    std::fs::create_dir_all(&dir).unwrap();
    UnixListener::bind(dir.join(SOCKET)).unwrap()
}

async fn open_hub(state: &Path, store: Store) -> Hub {
    let config = Config {
        state: state.to_owned(),
        sluice: "/nowhere".into(),
        roots: Vec::new(),
        home: state.to_owned(),
        idle_after: None,
    };
    Hub::open(store, Agents::default(), config, None).await.unwrap()
}

/// The connection of the bridge to the runner.
async fn accept(listener: &UnixListener) -> Runner {
    let accepted = tokio::time::timeout(Duration::from_secs(10), listener.accept()).await;
    let (socket, _) = accepted.expect("the bridge does not connect").unwrap();
    let decoder = Decoder::new();
    Runner { socket, decoder }
}

/// Records of a process in a turn, without those of its start.
fn records_without_start() -> Vec<(u8, Value)> {
    vec![
        (kind::WROTE, prompt(FIRST)),
        (kind::SAID, init()),
        (
            kind::SAID,
            json!({"type": "assistant", "session_id": "p", "uuid": "a", "parent_tool_use_id": null,
            "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "hello"}]}}),
        ),
    ]
}

/// Registers this process as the runner.
fn register(state: &Path) {
    let registration = Registration {
        runner: Identity::of(std::process::id()),
        agent: None,
        mark: "none".to_owned(),
        term: 1,
        socket: SOCKET.into(),
        boot: sluice_runner::process::boot(),
        place: None,
    };
    let bytes = serde_json::to_vec(&registration).unwrap();
    std::fs::write(state.join("runners/s/runner.json"), bytes).unwrap();
}

/// Waits until the process of the session is up, or until it is not.
async fn wait_until(hub: &Hub, up: bool, status: &str) {
    let wait = async {
        loop {
            let look = |state: &ConversationState, row: &SessionRow| {
                (matches!(state.process(), ProcessStatus::Up { .. }), row.status.clone())
            };
            if hub.look("s", look).await.unwrap() == (up, status.to_owned()) {
                return;
            }
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(10), wait).await;
    waited.unwrap_or_else(|_| panic!("the session does not become {status}"));
}

fn prompt(uuid: &str) -> Value {
    json!({"type": "user", "uuid": uuid, "session_id": "p", "parent_tool_use_id": null,
        "message": {"role": "user", "content": "hello"}})
}

fn init() -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "p", "uuid": uuid::Uuid::new_v4().to_string()})
}

fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "p",
        "uuid": uuid::Uuid::new_v4().to_string()})
}

fn record(number: u64, kind: Kind, body: &Value) -> FromRunner {
    FromRunner::Record(Record {
        number,
        at: number * 1000,
        kind,
        body: body.to_string().into_bytes(),
    })
}

fn message_start() -> Value {
    json!({"type": "stream_event", "session_id": "p", "parent_tool_use_id": null, "uuid": "u",
        "event": {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}})
}

fn started() -> (Kind, Value) {
    (Kind::Started, json!({"pid": 7}))
}

#[tokio::test]
async fn the_turn_of_a_process_that_was_killed_unnoticed_is_over_when_the_next_one_runs() {
    let state = tempfile::tempdir().unwrap();
    let (_hub, mut runner) = open(state.path(), Vec::new(), [(FIRST, "delivered"), (SECOND, "queued")]).await;
    let log = [
        started(),
        (Kind::Wrote, prompt(FIRST)),
        (Kind::Said, init()),
        (Kind::Said, message_start()),
        started(),
    ];
    runner.replay(0, &log).await;
    assert_eq!(runner.prompt().await, SECOND);
}

#[tokio::test]
async fn a_prompt_that_an_earlier_process_lost_is_written_again_and_the_running_one_goes_on() {
    let state = tempfile::tempdir().unwrap();
    let (_hub, mut runner) = open(
        state.path(),
        Vec::new(),
        [(FIRST, "delivered"), (SECOND, "indeterminate")],
    )
    .await;
    let log = [
        started(),
        (Kind::Wrote, prompt(FIRST)),
        (Kind::Said, init()),
        (Kind::Said, result()),
        (Kind::Wrote, prompt(SECOND)),
        (Kind::Exited, json!({"code": null, "signal": 9})),
        started(),
    ];
    runner.replay(0, &log).await;
    assert_eq!(runner.prompt().await, SECOND);
}

#[tokio::test]
async fn a_prompt_that_no_record_shows_written_to_the_process_is_written() {
    let state = tempfile::tempdir().unwrap();
    let records = vec![
        (kind::PROCESS, json!({"starting": {"resumed": false}})),
        (kind::PROCESS, json!({"up": {"pid": 6}})),
        (kind::WROTE, prompt(FIRST)),
        (kind::SAID, init()),
        (kind::SAID, result()),
        (kind::WROTE, prompt(SECOND)),
        (kind::PROCESS, json!({"exited": {"code": null, "signal": 9}})),
        (kind::PROCESS, json!({"starting": {"resumed": true}})),
        (kind::PROCESS, json!({"up": {"pid": 7}})),
    ];
    let committed = records.len() as u64;
    let (_hub, mut runner) = open(state.path(), records, [(FIRST, "delivered"), (SECOND, "indeterminate")]).await;
    runner.replay(committed, &[]).await;
    assert_eq!(runner.prompt().await, SECOND);
}

#[tokio::test]
async fn a_prompt_that_was_written_again_to_the_running_process_is_not_written_a_third_time() {
    let state = tempfile::tempdir().unwrap();
    let third = "33333333-3333-4333-8333-333333333333";
    let (_hub, mut runner) = open(state.path(), Vec::new(), [(SECOND, "sent"), (third, "queued")]).await;
    let log = [
        started(),
        (Kind::Wrote, prompt(FIRST)),
        (Kind::Said, init()),
        (Kind::Said, result()),
        (Kind::Wrote, prompt(SECOND)),
        started(),
        (Kind::Wrote, prompt(SECOND)),
        (Kind::Said, init()),
        (Kind::Said, result()),
    ];
    runner.replay(0, &log).await;
    assert_eq!(runner.prompt().await, third);
}

#[tokio::test]
async fn a_message_that_an_ended_process_left_unfinished_is_not_read_as_one_of_the_next_process() {
    let state = tempfile::tempdir().unwrap();
    let records = vec![
        (kind::PROCESS, json!({"starting": {"resumed": false}})),
        (kind::PROCESS, json!({"up": {"pid": 6}})),
        (kind::WROTE, prompt(FIRST)),
        (kind::SAID, init()),
        (kind::PROCESS, json!({"exited": {"code": null, "signal": 9}})),
        (kind::PROCESS, json!({"starting": {"resumed": true}})),
    ];
    let (committed, safe) = (records.len() as u64, 3);
    let prompts = [(FIRST, "delivered"), (SECOND, "queued")];
    let (_hub, mut runner) = open_from(state.path(), records, safe, prompts).await;
    let from = runner.asked_from().await;
    let old = [
        (Kind::Said, init()),
        (Kind::Said, message_start()),
        (Kind::Said, message_start()),
    ];
    let log: Vec<(Kind, Value)> = old
        .into_iter()
        .skip(usize::try_from(from - 4).unwrap())
        .chain([started()])
        .collect();
    runner.replay(committed + 1 - log.len() as u64, &log).await;
    assert_eq!(runner.prompt().await, SECOND);
}

#[tokio::test]
async fn a_prompt_that_the_runner_refused_as_the_agent_ended_is_written_to_the_next_process() {
    let state = tempfile::tempdir().unwrap();
    let (_hub, mut runner) = open(state.path(), Vec::new(), [(FIRST, "queued"), (SECOND, "queued")]).await;
    let (kind, body) = started();
    runner.replay(0, &[(kind, body.clone())]).await;
    let (id, first) = runner.write().await;
    let reason = "the agent has ended".to_owned();
    let exited = json!({"code": null, "signal": 9});
    let frames = vec![
        FromRunner::NotWritten { id, reason },
        record(2, Kind::Exited, &exited),
        record(3, kind, &body),
    ];
    runner.say(frames).await;
    assert_eq!((first.as_str(), runner.prompt().await.as_str()), (FIRST, FIRST));
}

#[tokio::test]
async fn a_runner_is_reached_though_the_records_lack_the_start_of_its_process() {
    let state = tempfile::tempdir().unwrap();
    let records = records_without_start();
    let committed = records.len() as u64;
    let prompts = [(FIRST, "delivered"), (SECOND, "queued")];
    let store = store(state.path(), "idle", records, 3, prompts).await;
    let listener = listen(state.path());
    let _hub = open_hub(state.path(), store).await;
    let mut runner = accept(&listener).await;
    runner.replay(committed, &[(Kind::Said, result())]).await;
    assert_eq!(runner.prompt().await, SECOND);
}

#[tokio::test]
async fn a_living_runner_is_reached_though_the_row_and_the_records_show_no_process() {
    let state = tempfile::tempdir().unwrap();
    let records = vec![
        (kind::PROCESS, json!({"starting": {"resumed": false}})),
        (kind::PROCESS, json!({"up": {"pid": 6}})),
        (kind::PROCESS, json!({"exited": {"code": 0, "signal": null}})),
    ];
    let committed = records.len() as u64;
    let prompts = [(FIRST, "failed"), (SECOND, "failed")];
    let store = store(state.path(), "crashed", records, 3, prompts).await;
    let listener = listen(state.path());
    register(state.path());
    let hub = open_hub(state.path(), store).await;
    let mut runner = accept(&listener).await;
    runner.replay(committed, &[started()]).await;
    wait_until(&hub, true, "idle").await;
}

#[tokio::test]
async fn a_session_without_a_runner_has_crashed_whatever_the_records_lack() {
    let ended = vec![
        (kind::PROCESS, json!({"starting": {"resumed": false}})),
        (kind::PROCESS, json!({"up": {"pid": 6}})),
        (kind::PROCESS, json!({"exited": {"code": null, "signal": 9}})),
    ];
    for records in [records_without_start(), ended] {
        let state = tempfile::tempdir().unwrap();
        let prompts = [(FIRST, "delivered"), (SECOND, "queued")];
        let store = store(state.path(), "idle", records, 3, prompts).await;
        let hub = open_hub(state.path(), store).await;
        wait_until(&hub, false, "crashed").await;
    }
}
