//! The example scripts of the crate are valid and do what their descriptions say.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{AgentScript, ModelServer, Script};

use crate::client::{Next, asking, send};

fn example(name: &str) -> Script {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/model").join(name);
    Script::parse(&fs::read_to_string(path).unwrap()).unwrap()
}

async fn serving(name: &str) -> ModelServer {
    ModelServer::start(example(name)).await.unwrap()
}

/// Sends a request with this last message. Returns `None` if the connection is closed without a response.
async fn send_message(server: &ModelServer, content: Value) -> Option<(u16, String)> {
    let mut request = asking("");
    request["messages"][0]["content"] = content;
    let mut answer = send(server, "POST", "/v1/messages", &request).await?;
    if answer.status != 200 {
        return Some((
            answer.status,
            answer.json().await["error"]["type"].as_str().unwrap().to_owned(),
        ));
    }
    let (events, end) = answer.events().await;
    let said: String = events
        .iter()
        .filter_map(|(_, data)| data["delta"]["text"].as_str())
        .collect();
    let end = if end == Next::End { "" } else { " (broken)" };
    Some((200, said + end))
}

#[test]
fn all_examples_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let files = |kind: &str| -> Vec<_> {
        fs::read_dir(folder.join(kind))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect()
    };
    let (models, agents) = (files("model"), files("agent"));
    assert!(models.len() >= 6 && agents.len() >= 6);
    for path in models {
        Script::parse(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    for path in agents {
        AgentScript::load(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

#[test]
fn the_scripts_in_the_documentation_are_valid() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("SCRIPTS.md")).unwrap();
    let blocks: Vec<&str> = page
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert_eq!(blocks.len(), 2);
    assert_eq!(Script::parse(blocks[0]).unwrap().replies().len(), 2);
    AgentScript::parse(blocks[1], Path::new(".")).unwrap();
}

#[tokio::test]
async fn the_hello_script_replies_twice() {
    let server = serving("hello.json").await;
    let first = send_message(&server, json!("hi")).await.unwrap().1;
    assert!(first.starts_with("Hello!"), "{first}");
    assert_eq!(send_message(&server, json!("and?")).await.unwrap().1, "One more thing.");
}

#[tokio::test]
async fn the_tools_script_quotes_the_result_of_its_second_call() {
    let server = serving("tools.json").await;
    send_message(&server, json!("go")).await.unwrap();
    let result = |id: &str, text: &str| json!({"tool_use_id": id, "type": "tool_result", "content": text});
    let said = send_message(
        &server,
        json!([result("toolu_01", "/here"), result("toolu_02", "noon")]),
    )
    .await
    .unwrap()
    .1;
    assert_eq!(said, "The second call says: noon");
}

#[tokio::test]
async fn the_approval_script_depends_on_the_result() {
    for (is_error, words) in [(true, "Then I will not write it."), (false, "Written.")] {
        let server = serving("approval.json").await;
        send_message(&server, json!("go")).await.unwrap();
        let result = json!([{"type": "tool_result", "tool_use_id": "toolu_01", "content": "", "is_error": is_error}]);
        assert_eq!(send_message(&server, result).await.unwrap().1, words);
    }
}

#[tokio::test(start_paused = true)]
async fn the_slow_script_ends() {
    let server = serving("slow.json").await;
    let begin = tokio::time::Instant::now();
    let said = send_message(&server, json!("go")).await.unwrap().1;
    assert!(said.ends_with("to an end."), "{said}");
    assert!(begin.elapsed().as_secs() >= 12, "{:?}", begin.elapsed());
}

#[tokio::test]
async fn the_rate_limited_script_succeeds_the_third_time() {
    let server = serving("rate-limited.json").await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(send_message(&server, json!("go")).await.unwrap());
    }
    let wanted = [
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
        (200, "Now it works."),
    ];
    assert_eq!(answers, wanted.map(|(status, words)| (status, words.to_owned())));
}

#[tokio::test]
async fn the_cut_stream_script_breaks_three_times() {
    let server = serving("cut-stream.json").await;
    assert_eq!(
        send_message(&server, json!("go")).await.unwrap().1,
        "You will  (broken)"
    );
    assert_eq!(send_message(&server, json!("go")).await.unwrap().1, "Nor  (broken)");
    assert_eq!(send_message(&server, json!("go")).await, None);
    assert_eq!(
        send_message(&server, json!("go")).await.unwrap().1,
        "This one is whole."
    );
}
