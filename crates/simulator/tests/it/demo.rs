//! Conversations with the demo model, as an agent would have them.

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{ModelServer, start_demo};

use crate::client::send;

/// The result of the calls of a reply.
#[derive(Clone, Copy)]
enum CallResult {
    Says(&'static str),
    Blocks(&'static str),
    Fails(&'static str),
}
use CallResult::{Blocks, Fails, Says};

struct Conversation<'a> {
    server: &'a ModelServer,
    tools: &'a [&'a str],
    messages: Vec<Value>,
}

impl Conversation<'_> {
    async fn request(&mut self) -> Vec<Value> {
        let tools: Vec<Value> = self.tools.iter().map(|name| json!({"name": name})).collect();
        let body = json!({
            "model": "demo", "max_tokens": 100, "tools": tools, "thinking": {"type": "adaptive"},
            "system": [{"type": "text", "text": "- Working directory: /home/me/work"}],
            "messages": self.messages,
        });
        let mut answer = send(self.server, "POST", "/v1/messages", &body).await.unwrap();
        let message = answer.json().await;
        let content = message["content"].clone();
        assert!(message["usage"]["input_tokens"].as_u64().unwrap() > 10);
        self.messages.push(json!({"role": "assistant", "content": content}));
        content.as_array().unwrap().clone()
    }

    /// Plays one turn. Returns the calls as `Tool {input}` and the final text.
    async fn turn(&mut self, prompt: &str, results: &[CallResult]) -> (Vec<String>, String) {
        self.messages
            .push(json!({"role": "user", "content": [{"type": "text", "text": prompt}]}));
        let mut calls = Vec::new();
        let mut results = results.iter();
        loop {
            let content = self.request().await;
            let made: Vec<&Value> = content.iter().filter(|block| block["type"] == "tool_use").collect();
            if made.is_empty() {
                let text = content.last().unwrap()["text"].as_str().unwrap().to_owned();
                assert!(results.next().is_none(), "more results than calls: {text}");
                return (calls, text);
            }
            let result = *results
                .next()
                .unwrap_or_else(|| panic!("an unexpected call: {content:?}"));
            let mut blocks = Vec::new();
            for call in made {
                calls.push(format!("{} {}", call["name"].as_str().unwrap(), call["input"]));
                let (content, is_error) = match result {
                    Says(text) => (json!(text), false),
                    Blocks(text) => (json!([{"type": "text", "text": text}]), false),
                    Fails(text) => (json!(text), true),
                };
                blocks.push(json!({
                    "type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": is_error,
                }));
            }
            self.messages.push(json!({"role": "user", "content": blocks}));
        }
    }
}

/// The offered tools, the prompt, the results of the calls, the number of calls, and a part of the reply.
type TestCase<'a> = (&'a [&'a str], &'a str, &'a [CallResult], usize, &'a str);

const ALL: &[&str] = &["Bash", "Read", "Write", "Edit", "AskUserQuestion"];

#[tokio::test]
async fn prompts_lead_to_calls_and_results_to_replies() {
    let ls = r#"Bash {"command":"ls -Ap","description":"List the folder"}"#;
    let cases: &[(&str, &[CallResult], &[&str], &str)] = &[
        ("hello", &[], &[], "demo model"),
        ("help", &[], &[], "ANTHROPIC_API_KEY"),
        ("purple monkey dishwasher", &[], &[], "`/login`"),
        ("explain permissions", &[], &[], "Bash(cargo test:*)"),
        (
            "list files",
            &[Says("src/\nREADME.md\na.txt\n")],
            &[ls],
            "1 folder and 2 files",
        ),
        (
            "list files",
            &[Says("(Bash completed with no output)")],
            &[ls],
            "is empty",
        ),
        (
            "list files in it's",
            &[Says("a")],
            &[r#"Bash {"command":"ls -Ap -- 'it'\\''s'","description":"List the folder"}"#],
            "`it's` holds 0 folders and 1 file",
        ),
        (
            "read a.rs",
            &[Blocks(
                "     1→fn main() {\n     2→}\n<system-reminder>x</system-reminder>",
            )],
            &[r#"Read {"file_path":"/home/me/work/a.rs"}"#],
            "has 2 lines. It begins like this:\n\n```rust\nfn main() {\n}\n```",
        ),
        (
            "read gone.txt",
            &[Fails("<tool_use_error>File does not exist.</tool_use_error>")],
            &[r#"Read {"file_path":"/home/me/work/gone.txt"}"#],
            "did not work. `Read` said:\n\n```text\nFile does not exist.\n```",
        ),
        (
            "explain guide.md",
            &[Says("1\t# One\n2\t\n3\ttwo words\n4\t## Two")],
            &[r#"Read {"file_path":"/home/me/work/guide.md"}"#],
            "1. `# One`\n1. `## Two`",
        ),
        (
            "search for TODO",
            &[Says("./a.rs:3:// TODO\n./a.rs:9:// TODO\n./b.rs:1:TODO")],
            &[
                r#"Bash {"command":"grep -rnIF --exclude-dir=.git --exclude-dir=target --exclude-dir=node_modules -e 'TODO' . | head -n 50","description":"Search all files"}"#,
            ],
            "in 2 files (3 matches)",
        ),
        (
            "make a note: Buy milk!",
            &[Says("File created successfully")],
            &[r##"Write {"file_path":"/home/me/work/note-buy-milk.md","content":"# Note\n\nBuy milk!\n"}"##],
            "> Buy milk!",
        ),
        ("make a note", &[], &[], "What shall the note say?"),
        (
            "make a note: no",
            &[Fails("The user doesn't want to proceed with this tool use.")],
            &[r##"Write {"file_path":"/home/me/work/note-no.md","content":"# Note\n\nno\n"}"##],
            "All right, I leave it",
        ),
        (
            "create hi.txt with Hi",
            &[Says("ok")],
            &[r#"Write {"file_path":"/home/me/work/hi.txt","content":"Hi\n"}"#],
            "1 line long",
        ),
        (
            "replace red with blue in a.txt",
            &[Says("1→red door"), Says("ok")],
            &[
                r#"Read {"file_path":"/home/me/work/a.txt"}"#,
                r#"Edit {"file_path":"/home/me/work/a.txt","old_string":"red","new_string":"blue","replace_all":false}"#,
            ],
            "```diff\n- red\n+ blue\n```",
        ),
        (
            "replace red with blue in a.txt",
            &[Says("1→green door")],
            &[r#"Read {"file_path":"/home/me/work/a.txt"}"#],
            "does not contain `red`",
        ),
        (
            "run echo hi",
            &[Says("hi")],
            &[r#"Bash {"command":"echo hi","description":"Run what was asked for"}"#],
            "```text\nhi\n```",
        ),
        (
            "run false",
            &[Fails("Exit code 1")],
            &[r#"Bash {"command":"false","description":"Run what was asked for"}"#],
            "Exit code 1",
        ),
        (
            "run rm -r x",
            &[Fails("not today")],
            &[r#"Bash {"command":"rm -r x","description":"Run what was asked for"}"#],
            "did not run (*not today*)",
        ),
        (
            "run the tests",
            &[Says("src/\nCargo.toml"), Says("test result: ok. 3 passed")],
            &[ls, r#"Bash {"command":"cargo test","description":"Run the tests"}"#],
            "The tests pass.",
        ),
        ("run the tests", &[Says("a.txt")], &[ls], "no project I know"),
        ("think about doors", &[], &[], "I thought about *doors*"),
        ("show markdown", &[], &[], "| terminal | people at a prompt |"),
    ];
    let server = start_demo(Duration::ZERO).await.unwrap();
    for (prompt, results, calls, said) in cases {
        let mut conversation = Conversation {
            server: &server,
            tools: ALL,
            messages: Vec::new(),
        };
        let (made, text) = conversation.turn(prompt, results).await;
        assert_eq!(&made, calls, "{prompt}");
        assert!(text.contains(said), "{prompt}: {text}");
    }
}

#[tokio::test]
async fn the_tour_uses_all_tools_and_the_conversation_continues() {
    let server = start_demo(Duration::ZERO).await.unwrap();
    let mut conversation = Conversation {
        server: &server,
        tools: ALL,
        messages: Vec::new(),
    };
    let (calls, text) = conversation
        .turn(
            "tour",
            &[
                Says("a\nb"),
                Says("written"),
                Blocks("changed"),
                Says("\"Which way shall we go on?\"=\"The scenic way\""),
                Fails("Exit code 1\ncat: no such file"),
            ],
        )
        .await;
    let tools: Vec<&str> = calls.iter().filter_map(|call| call.split(' ').next()).collect();
    assert_eq!(tools, ["Bash", "Write", "Edit", "AskUserQuestion", "Bash"]);
    assert!(
        text.contains("That was the tour") && text.contains("ordinary one"),
        "{text}"
    );

    let (calls, text) = conversation
        .turn(
            "ask me something",
            &[Says("\"What shall I tell you about?\"=\"Sessions\"")],
        )
        .await;
    assert!(calls[0].starts_with("AskUserQuestion"), "{calls:?}");
    assert!(text.contains("**Sessions.**"), "{text}");

    let long = format!(
        "Please write a summary of the conversation so far. {}",
        "Keep all facts. ".repeat(10)
    );
    let (_, text) = conversation.turn(&long, &[]).await;
    assert!(text.contains("- tour\n- ask me something\n"), "{text}");
}

#[tokio::test]
async fn the_tour_updates_the_task_list_and_ends_at_a_denial() {
    let server = start_demo(Duration::ZERO).await.unwrap();
    let tour = async |tools, results| {
        let mut conversation = Conversation {
            server: &server,
            tools,
            messages: Vec::new(),
        };
        conversation.turn("tour", results).await
    };
    let names = |calls: &[String]| {
        let names = calls.iter().filter_map(|call| call.split(' ').next());
        names.map(str::to_owned).collect::<Vec<String>>()
    };
    let (calls, text) = tour(
        &["TaskCreate", "TaskUpdate", "Bash", "Write"],
        &[
            Says("Task #7 created"),
            Says("a"),
            Says("written"),
            Fails("Exit code 1"),
            Says("ok"),
        ],
    )
    .await;
    let create = ["TaskCreate"; 3];
    let update = "TaskUpdate";
    let stops = [update, "Bash", update, update, "Write", update, update, "Bash", update];
    assert_eq!(names(&calls), [create.as_slice(), &stops].concat());
    let statuses: Vec<&str> = calls
        .iter()
        .filter(|call| call.starts_with(update))
        .map(|call| {
            if call.contains("completed") {
                "completed"
            } else {
                "in_progress"
            }
        })
        .collect();
    let expected = [
        "in_progress",
        "completed",
        "in_progress",
        "completed",
        "in_progress",
        "completed",
    ];
    assert_eq!(statuses, expected);
    assert!(calls[3].contains(r#""taskId":"7""#), "{calls:?}");
    assert!(text.contains("That was the tour"), "{text}");

    let (calls, _) = tour(
        &["TodoWrite", "Bash"],
        &[Says("ok"), Says("a"), Fails("Exit code 1"), Says("ok")],
    )
    .await;
    let list = "TodoWrite";
    assert_eq!(names(&calls), [list, list, "Bash", list, "Bash", list]);
    let counts: Vec<_> = calls
        .iter()
        .filter(|call| call.starts_with(list))
        .map(|call| (call.matches("completed").count(), call.matches("in_progress").count()))
        .collect();
    assert_eq!(counts, [(0, 1), (0, 1), (2, 1), (3, 0)]);

    let (calls, text) = tour(&["Bash", "Write"], &[Says("a"), Fails("The user doesn't want this")]).await;
    assert_eq!(names(&calls), ["Bash", "Write"]);
    assert!(text.contains("I leave it"), "{text}");
}

#[tokio::test]
async fn the_tour_finds_and_fixes_the_bug_of_the_sample_folder() {
    let server = start_demo(Duration::ZERO).await.unwrap();
    let mut conversation = Conversation {
        server: &server,
        tools: &["Bash", "Read", "Write", "Edit"],
        messages: Vec::new(),
    };
    let results = [
        Says("README.md\ngreet.py\n"),
        Says("1\tdef greet(name):\n2\t    print(\"hello\" + name)\n"),
        Says("written"),
        Says("edited"),
        Fails("Exit code 1"),
    ];
    let (calls, text) = conversation.turn("Show me around.", &results).await;
    assert!(calls[1].contains("/home/me/work/greet.py"), "{calls:?}");
    assert!(calls[3].contains(r#""new_string":"\"hello \" + name""#), "{calls:?}");
    assert!(text.contains("run python3 greet.py"), "{text}");
}

#[tokio::test]
async fn the_demo_model_explains_sluice_only_when_asked() {
    let server = start_demo(Duration::ZERO).await.unwrap();
    let cases = [
        ("what is sluice?", "**Sluice**"),
        ("explain hooks", "**Hooks**"),
        ("what are the permission modes?", "**Permissions.**"),
        (
            "why does this function ask for the session twice before it writes",
            "I know nothing",
        ),
        ("explain this", "I know nothing"),
        ("how do I write an essay about rivers", "I know nothing"),
    ];
    for (prompt, said) in cases {
        let mut conversation = Conversation {
            server: &server,
            tools: &[],
            messages: Vec::new(),
        };
        let (_, text) = conversation.turn(prompt, &[]).await;
        assert!(text.contains(said), "{prompt}: {text}");
    }
}

#[tokio::test]
async fn the_demo_model_uses_offered_tools_and_names_missing_ones() {
    let server = start_demo(Duration::ZERO).await.unwrap();
    let cases: &[TestCase<'_>] = &[
        (&["Read"], "list files", &[], 0, "`Bash` tool, and it is not offered"),
        (&["Grep"], "search a.b", &[Says("x:1:a.b")], 1, "in 1 file (1 match)"),
        (
            &["TodoWrite"],
            "plan a party",
            &[Says("ok")],
            1,
            "A plan for **a party**",
        ),
        (
            &["TaskCreate"],
            "plan a party",
            &[Says("ok")],
            4,
            "A plan for **a party**",
        ),
        (&["Bash"], "plan a party", &[], 0, "- [ ] Check that it works"),
    ];
    for (tools, prompt, results, made, said) in cases {
        let mut conversation = Conversation {
            server: &server,
            tools,
            messages: Vec::new(),
        };
        let (calls, text) = conversation.turn(prompt, results).await;
        assert_eq!(calls.len(), *made, "{prompt} {calls:?}");
        assert!(text.contains(said), "{prompt}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn words_are_sent_at_the_configured_pace() {
    let server = start_demo(Duration::from_secs(1)).await.unwrap();
    let begin = tokio::time::Instant::now();
    let text = crate::client::ask(&server, "thanks").await.text().await;
    assert_eq!(begin.elapsed().as_secs() as usize, text.split_whitespace().count());
}

#[tokio::test]
async fn an_auxiliary_request_gets_a_title() {
    let server = start_demo(Duration::ZERO).await.unwrap();
    let body = json!({"model": "claude-haiku-4-5", "messages": [{"role": "user", "content": "list all my files now please ok"}]});
    let message = send(&server, "POST", "/v1/messages", &body).await.unwrap().json().await;
    assert_eq!(message["content"][0]["text"], "list all my files now please");
}
