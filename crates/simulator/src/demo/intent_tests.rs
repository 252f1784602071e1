#![allow(clippy::unwrap_used)]

use pretty_assertions::assert_eq;

use super::{Intent, of};

fn s(text: &str) -> String {
    text.to_owned()
}

#[test]
fn intents_are_recognised() {
    let run = |command: &str| Intent::Run { command: s(command) };
    let list = |folder: Option<&str>| Intent::List { folder: folder.map(s) };
    let note = |text: &str| Intent::Note { text: s(text) };
    let create = |file: &str, text: Option<&str>| Intent::Create {
        file: s(file),
        text: text.map(s),
    };
    let edit = |file: &str, old: &str, new: &str| Intent::Edit {
        file: s(file),
        old: s(old),
        new: s(new),
    };
    let search = |text: &str| Intent::Search { text: s(text) };
    let cases = [
        ("Hello!", Intent::Hello),
        ("hey there", Intent::Hello),
        ("help", Intent::Help),
        ("What can you do?", Intent::Help),
        ("thanks", Intent::Thanks),
        ("give me a tour", Intent::Tour),
        ("list files", list(None)),
        ("List the files here", list(None)),
        ("please list the files in src", list(Some("src"))),
        ("what files are there?", list(None)),
        ("ls", list(None)),
        ("read README.md", Intent::Read { file: s("README.md") }),
        (
            "Can you show me the file `src/my file.rs`?",
            Intent::Read {
                file: s("src/my file.rs"),
            },
        ),
        ("open Makefile", Intent::Read { file: s("Makefile") }),
        ("search TODO", search("TODO")),
        ("find \"two words\" in the project", search("two words")),
        ("search for fn main in this project", search("fn main")),
        ("where is parse_line?", search("parse_line")),
        ("make a note: buy milk", note("buy milk")),
        ("write a note that says hi", note("says hi")),
        ("remember that the door is green", note("the door is green")),
        ("take a note", note("")),
        (
            "create hello.txt with Hello world",
            create("hello.txt", Some("Hello world")),
        ),
        ("write \"two words\" to a.txt", create("a.txt", Some("two words"))),
        ("make a new file called notes/today.md", create("notes/today.md", None)),
        (
            "create a file `x y.txt` containing the text: \"quoted\"",
            create("x y.txt", Some("quoted")),
        ),
        ("replace foo with bar in a.txt", edit("a.txt", "foo", "bar")),
        (
            "replace \"old words\" by 'new words' in src/a.rs",
            edit("src/a.rs", "old words", "new words"),
        ),
        ("in a.txt, change red to blue", edit("a.txt", "red", "blue")),
        ("edit a.txt: red -> blue", edit("a.txt", "red", "blue")),
        ("run `cargo test -p x`", run("cargo test -p x")),
        ("run echo hi there", run("echo hi there")),
        ("$ uname -a", run("uname -a")),
        ("run the tests", Intent::Tests),
        ("run tests please", Intent::Tests),
        (
            "git status",
            Intent::Git {
                command: "git status --short --branch",
            },
        ),
        (
            "what changed?",
            Intent::Git {
                command: "git status --short --branch",
            },
        ),
        (
            "show me the git log",
            Intent::Git {
                command: "git log --oneline -n 10",
            },
        ),
        ("explain src/lib.rs", Intent::ExplainFile { file: s("src/lib.rs") }),
        ("what's in Cargo.toml?", Intent::ExplainFile { file: s("Cargo.toml") }),
        (
            "explain permissions",
            Intent::Explain {
                topic: s("permissions"),
            },
        ),
        ("How do I set a key?", Intent::Explain { topic: s("set a key") }),
        (
            "plan a birthday party",
            Intent::Plan {
                goal: s("a birthday party"),
            },
        ),
        ("make a plan for the release", Intent::Plan { goal: s("the release") }),
        ("todo: tidy up", Intent::Plan { goal: s("tidy up") }),
        ("think about doors", Intent::Think { about: s("doors") }),
        ("ask me something", Intent::AskMe),
        ("show me some markdown", Intent::Show),
        ("blue elephants dance", Intent::Other),
        ("", Intent::Other),
    ];
    for (words, wanted) in cases {
        assert_eq!(of(words), wanted, "{words}");
    }
}

#[test]
fn a_summary_request_of_the_agent_is_recognised() {
    let words = format!(
        "Write a summary of this conversation {}",
        "so that it can go on. ".repeat(10)
    );
    assert_eq!(of(&words), Intent::Summary);
}
