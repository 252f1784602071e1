//! Fixed texts of the demo model.

/// The reply to a greeting.
pub(super) const HELLO: &str = "\
Hello! I am the **demo model** that comes with Sluice. I am a small script, not a large model: I need no key and \
no network, and I answer the same way every time.

Try one of these:

- `list files` or `read README.md`
- `make a note: water the plants`
- `run echo hello`
- `tour` for a walk through everything

Say `help` for all I know.";

/// The reply to `help`.
pub(super) const HELP: &str = "\
I understand a few commands and carry them out with the real tools in your folder. Before anything is \
changed, you are asked for permission.

| say | what happens |
|---|---|
| `list files` | I look around with a shell command |
| `read FILE`, `explain FILE` | I open a file and tell you what is in it |
| `search TEXT` | I look for a text in all files |
| `make a note: TEXT` | I write a small file |
| `create FILE with TEXT` | I write a file of your choice |
| `replace OLD with NEW in FILE` | I read, then edit |
| `run COMMAND`, `run the tests` | I use the shell |
| `git status` | I ask git |
| `plan GOAL` | I keep a list of steps |
| `think about X` | I show my thoughts |
| `ask me something` | I ask, you choose |
| `show markdown` | I show what an answer can look like |
| `explain permissions` | also: modes, hooks, tools, sessions, the protocol, keys |

To talk to a real model, say `/login` in the terminal: it takes a key, or a server of your own (Ollama, llama.cpp, \
vLLM). Elsewhere set `ANTHROPIC_API_KEY`, or point `ANTHROPIC_BASE_URL` at a server that speaks the Messages API.";

/// The reply to an unknown prompt.
pub(super) const LOST: &str = "\
I did not understand that: I am only the **demo model**, a small script that runs without a key.

What works: `list files`, `read FILE`, `search TEXT`, `make a note: TEXT`, `run COMMAND`, `plan GOAL`, `tour`, `help`.

For real answers say `/login` in the terminal: it takes a key, or a server of your own. Elsewhere set the key and \
start again:

```bash
export ANTHROPIC_API_KEY=...
```";

pub(super) const THANKS: &str = "You are welcome. Say `help` whenever you want to see what else there is.";

/// A reply with every kind of Markdown, to see it stream.
pub(super) const SHOW: &str = "\
# A heading

A paragraph with *emphasis*, **strength**, `code`, ~~a change of mind~~ and [a link](https://example.com). It goes on \
for a while so that you can watch the words arrive one after the other, as they do with any model.

1. First, a numbered list.
2. Then its second point,
   - with a smaller point,
   - and another one.

> A quotation, said by nobody in particular.

```rust
/// Adds two numbers, as demos do.
fn add(left: u32, right: u32) -> u32 {
    left + right
}
```

| front end | users |
|---|---|
| terminal | people at a prompt |
| stdio | programs and editors |
| page | people with a browser |

- [x] a thing that is done
- [ ] a thing that is not

And that is the end.";

/// The file that the tour writes.
pub(super) const TOUR_FILE: &str = "sluice-tour.md";
/// The content of that file.
pub(super) const TOUR_TEXT: &str = "\
# A note from the tour

The demo model of Sluice wrote this file, after you allowed it.

- Tools read and change real files.
- What changes something is asked about first.
- You can delete this file.
";

/// The program in the sample folder, the bug in it, and the fix.
pub(super) const BUGGY_FILE: &str = "greet.py";
pub(super) const BUG: &str = "\"hello\" + name";
pub(super) const BUG_FIXED: &str = "\"hello \" + name";

/// Maximum length, in words, of a question that is treated as one about Sluice.
const MAX_TOPIC_WORDS: usize = 4;

/// Topics about Sluice: keywords and replies.
const TOPICS: &[(&[&str], &str)] = &[
    (
        &["key", "api", "anthropic", "login", "model"],
        "**Using a real model.** In the terminal say `/login`: it takes a key, or a server of your own. Elsewhere set your key and start Sluice without the demo:\n\n```bash\nexport ANTHROPIC_API_KEY=...\nsluice\n```\n\nAny server that speaks the Messages API works too, a local one for instance: set `ANTHROPIC_BASE_URL` to its address.",
    ),
    (
        &["permission", "approval", "allow", "deny", "rule"],
        "**Permissions.** Before a tool changes anything, Sluice asks you. You can\n\n- allow it once,\n- allow it from now on by a rule such as `Bash(cargo test:*)`,\n- or refuse, with a word to the model on what to do instead.\n\nA rule that denies always wins.",
    ),
    (
        &["mode", "acceptedits", "bypass"],
        "**Modes** decide what is asked about:\n\n| mode | meaning |\n|---|---|\n| `default` | ask before every change |\n| `acceptEdits` | edits of files in the folder go through |\n| `plan` | look and plan, change nothing |\n| `bypassPermissions` | ask nothing; only for throw-away machines |",
    ),
    (
        &["hook"],
        "**Hooks** are commands of yours that run at fixed moments: before a tool (`PreToolUse`), after it (`PostToolUse`), when a prompt comes (`UserPromptSubmit`), when a turn ends (`Stop`). They can deny a call or add context for the model.",
    ),
    (
        &["tool", "bash"],
        "**Tools** are how a model acts: `Bash` runs commands, `Read` opens files, `Write` and `Edit` change them. Each call shows its input before it runs and its result after.",
    ),
    (
        &["session", "resume", "transcript"],
        "**Sessions.** A conversation has an id and a transcript on disk, written before anything is announced. It can be resumed after a crash, or forked to try something else.",
    ),
    (
        &["protocol", "stdio", "sdk"],
        "**The protocol.** One JSON object per line, in both directions:\n\n```json\n{\"type\": \"user\", \"message\": {\"role\": \"user\", \"content\": \"list files\"}}\n```\n\nThe agent answers with `system`, `assistant`, `user` and finally one `result` per turn. Programs drive Sluice this way.",
    ),
    (
        &["demo"],
        "**The demo model** is a script inside Sluice that speaks the Messages API on this machine. Everything around it is real: the engine, the tools, the questions, the transcript.",
    ),
    (
        &["sluice", "engine", "agent"],
        "**Sluice** is an agent with several front ends: a terminal and a web page for people, a stream of JSON lines for programs. All of them use the same engine, which asks a model, runs tools with your permission, and saves the transcript.",
    ),
];

/// Returns the reply about a topic.
pub(super) fn topic(words: &str) -> String {
    let lower = words.to_lowercase();
    let said: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // A longer question is probably about something else and contains the keyword by chance.
    let is_topic = said.len() <= MAX_TOPIC_WORDS || said.iter().any(|word| ["sluice", "demo"].contains(word));
    let names = |word: &&str, name: &str| *word == name || word.strip_suffix('s') == Some(name);
    let found = TOPICS
        .iter()
        .filter(|_| is_topic)
        .find(|(known, _)| known.iter().any(|name| said.iter().any(|word| names(word, name))));
    match found {
        Some((_, text)) => (*text).to_owned(),
        None => format!(
            "About *{words}* I know nothing: I am the demo model and only know Sluice itself. \
             Ask me about keys, permissions, modes, hooks, tools, sessions or the protocol.\n\n\
             A real model can tell you more; set `ANTHROPIC_API_KEY` and start again."
        ),
    }
}

/// Returns the first words of a prompt as the title of a session.
pub(super) fn title(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split_whitespace().take(6).collect();
    if words.is_empty() {
        "Demo session".to_owned()
    } else {
        words.join(" ")
    }
}
