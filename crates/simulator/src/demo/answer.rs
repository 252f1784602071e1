//! What the guide does about a wish: the next call, or the last word.

use serde_json::{Value, json};

use super::intent::{self, Intent};
use super::results::{self, Trouble};
use super::turn::{Call, Turn};
use super::words;
use crate::script::Reply;

/// The reply to the turn as it stands.
pub(super) fn to(turn: &Turn) -> Reply {
    let wish = intent::of(&turn.prompt);
    if let Some((call, trouble)) = turn.calls.iter().find_map(|call| Some((call, results::trouble(call)?))) {
        return Reply::text(troubled(&wish, call, &trouble));
    }
    match &wish {
        Intent::Hello => Reply::text(words::HELLO),
        Intent::Help => Reply::text(words::HELP),
        Intent::Thanks => Reply::text(words::THANKS),
        Intent::Show => Reply::text(words::SHOW),
        Intent::Other => Reply::text(words::LOST),
        Intent::Explain { topic } => Reply::text(words::topic(topic)),
        Intent::Summary => Reply::text(summary(turn)),
        Intent::Think { about } => think(turn, about),
        Intent::Tour => tour(turn),
        Intent::List { folder } => list(turn, folder.as_deref()),
        Intent::Read { file } => read(turn, file),
        Intent::ExplainFile { file } => explain(turn, file),
        Intent::Search { text } => search(turn, text),
        Intent::Note { text } => note(turn, text),
        Intent::Create { file, text } => create(turn, file, text.as_deref()),
        Intent::Edit { file, old, new } => edit(turn, file, old, new),
        Intent::Run { command } => run(turn, command),
        Intent::Git { command } => run(turn, command),
        Intent::Tests => tests(turn),
        Intent::Plan { goal } => plan(turn, goal),
        Intent::AskMe => ask(turn),
    }
}

/// Says a word and calls a tool, or says that there is no such tool.
fn call(turn: &Turn, says: &str, tool: &str, input: Value) -> Reply {
    if turn.offers(tool) {
        return Reply::text(says).and_tool(tool, input);
    }
    Reply::text(format!(
        "For that I need the `{tool}` tool, and it is not offered in this session. \
         Start without limits on tools, or ask me something else: `help` shows what I know."
    ))
}

fn shell(turn: &Turn, says: &str, command: &str, description: &str) -> Reply {
    call(
        turn,
        says,
        "Bash",
        json!({"command": command, "description": description}),
    )
}

fn troubled(wish: &Intent, call: &Call, trouble: &Trouble) -> String {
    match trouble {
        Trouble::Declined(reason) => format!(
            "All right, I leave it. `{}` did not run{}.\n\nNothing was changed by it. Tell me what you would like instead; `help` shows what I know.",
            call.name,
            if reason.is_empty() {
                String::new()
            } else {
                format!(" (*{reason}*)")
            },
        ),
        Trouble::Failed(output) => {
            let hint = match wish {
                Intent::Read { .. } | Intent::ExplainFile { .. } | Intent::Edit { .. } => {
                    "\n\nMaybe the name is different: say `list files` to see what is here."
                }
                Intent::Tests => "\n\nSo the tests do not pass, or could not be started.",
                _ => "",
            };
            format!(
                "That did not work. `{}` said:\n\n{}{hint}",
                call.name,
                results::last_lines(output)
            )
        }
    }
}

fn think(turn: &Turn, about: &str) -> Reply {
    let about = if about.is_empty() {
        "nothing in particular"
    } else {
        about
    };
    let said = format!(
        "I thought about *{about}* for a moment. As a demo model I come to the same end every time: \
         look first, change little, and ask before anything that cannot be undone."
    );
    let thought = format!(
        "The person wants me to think about {about}. I have no opinions, only a script. \
         But thinking is shown apart from the answer, and that is what they want to see."
    );
    if turn.thinks {
        Reply::thinking(thought).and_text(said)
    } else {
        Reply::text(said)
    }
}

fn list(turn: &Turn, folder: Option<&str>) -> Reply {
    let Some(done) = turn.calls.first() else {
        let command = folder.map_or("ls -Ap".to_owned(), |folder| format!("ls -Ap -- {}", quoted(folder)));
        return shell(turn, "I look what is here.", &command, "List the folder");
    };
    Reply::text(listing(&done.output, folder))
}

fn listing(output: &str, folder: Option<&str>) -> String {
    let names: Vec<&str> = names(output).collect();
    let place = folder.map_or("This folder".to_owned(), |folder| format!("`{folder}`"));
    if names.is_empty() {
        return format!("{place} is empty. Say `make a note: hello` and it will not be.");
    }
    let (folders, files): (Vec<&&str>, Vec<&&str>) = names.iter().partition(|name| name.ends_with('/'));
    let mut said = format!(
        "{place} holds {} and {}:\n",
        results::count(folders.len(), "folder"),
        results::count(files.len(), "file")
    );
    for name in folders.iter().chain(&files).take(20) {
        said += &format!("\n- `{name}`");
    }
    if names.len() > 20 {
        said += &format!("\n- … and {} more", names.len() - 20);
    }
    if let Some(file) = files
        .iter()
        .find(|name| name.to_lowercase().starts_with("readme"))
        .or(files.first())
    {
        said += &format!("\n\nSay `read {file}` to look inside.");
    }
    said
}

/// The names in a listing; some shells say in words that there was no output.
fn names(output: &str) -> impl Iterator<Item = &str> {
    output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('('))
}

fn read(turn: &Turn, file: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        return call(
            turn,
            &format!("I open `{file}`."),
            "Read",
            json!({"file_path": turn.path(file)}),
        );
    };
    let text = results::without_numbers(&done.output);
    if text.is_empty() {
        return Reply::text(format!("`{file}` is empty."));
    }
    Reply::text(format!(
        "`{file}` has {}. It begins like this:\n\n{}",
        results::count(text.lines().count(), "line"),
        results::first_lines(&text, results::language(file))
    ))
}

fn explain(turn: &Turn, file: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        return call(
            turn,
            &format!("I read `{file}` first."),
            "Read",
            json!({"file_path": turn.path(file)}),
        );
    };
    let text = results::without_numbers(&done.output);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let blank = lines.iter().filter(|line| line.is_empty()).count();
    let headings: Vec<&str> = lines.iter().copied().filter(|line| landmark(line, file)).collect();
    let mut said = format!(
        "**{file}** is a file of {} ({} blank, {}), by its name {}.",
        results::count(lines.len(), "line"),
        blank,
        results::count(text.split_whitespace().count(), "word"),
        match results::language(file) {
            "text" => "plain text".to_owned(),
            language => format!("written in {language}"),
        }
    );
    if headings.is_empty() {
        said += &format!("\n\n{}", results::first_lines(&text, results::language(file)));
    } else {
        said += "\n\nIts landmarks:\n";
        for line in headings.iter().take(10) {
            said += &format!("\n1. `{}`", line.trim_end_matches(['{', ' ']));
        }
        if headings.len() > 10 {
            said += &format!("\n\n… and {} more.", headings.len() - 10);
        }
    }
    said += "\n\nWhat it *means* only a real model can tell; I count and quote.";
    Reply::text(said)
}

/// Lines that divide a file: headings, functions, types, sections.
fn landmark(line: &str, file: &str) -> bool {
    let starts: &[&str] = match results::language(file) {
        "markdown" => &["# ", "## ", "### "],
        "rust" => &[
            "pub fn ",
            "fn ",
            "pub struct ",
            "struct ",
            "pub enum ",
            "enum ",
            "impl ",
            "pub mod ",
            "mod ",
        ],
        "python" => &["def ", "class ", "async def "],
        "javascript" | "typescript" => &["function ", "export ", "class ", "const "],
        "toml" => &["["],
        "go" => &["func ", "type "],
        _ => &[],
    };
    starts.iter().any(|start| line.starts_with(start))
}

fn search(turn: &Turn, text: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        let says = format!("I look for `{text}` in all files.");
        if turn.offers("Grep") {
            let pattern = regex::escape(text);
            return call(
                turn,
                &says,
                "Grep",
                json!({"pattern": pattern, "output_mode": "content", "-n": true}),
            );
        }
        let command = format!(
            "grep -rnIF --exclude-dir=.git --exclude-dir=target --exclude-dir=node_modules -e {} . | head -n 50",
            quoted(text)
        );
        return shell(turn, &says, &command, "Search all files");
    };
    let hits: Vec<&str> = names(&done.output).filter(|line| line.contains(':')).collect();
    if hits.is_empty() {
        return Reply::text(format!("`{text}` is nowhere in these files."));
    }
    let mut files: Vec<&str> = hits.iter().filter_map(|hit| hit.split(':').next()).collect();
    files.dedup();
    Reply::text(format!(
        "I found `{text}` in {} ({}):\n\n{}",
        results::count(files.len(), "file"),
        results::count(hits.len(), "match"),
        results::first_lines(&hits.join("\n"), "text")
    ))
}

fn note(turn: &Turn, text: &str) -> Reply {
    if text.is_empty() {
        return Reply::text("What shall the note say? For example: `make a note: water the plants`.");
    }
    let file = format!("note-{}.md", slug(text));
    if turn.calls.is_empty() {
        let content = format!("# Note\n\n{text}\n");
        let input = json!({"file_path": turn.path(&file), "content": content});
        return call(turn, &format!("I write that down in `{file}`."), "Write", input);
    }
    Reply::text(format!(
        "Done. `{file}` now says:\n\n> {text}\n\nSay `read {file}` to see it, or `list files`."
    ))
}

fn create(turn: &Turn, file: &str, text: Option<&str>) -> Reply {
    let mut content = text.unwrap_or("Written by the demo model of Sluice.").to_owned();
    if !content.ends_with('\n') {
        content.push('\n');
    }
    if turn.calls.is_empty() {
        let input = json!({"file_path": turn.path(file), "content": content});
        return call(turn, &format!("I write `{file}`."), "Write", input);
    }
    Reply::text(format!(
        "`{file}` is written, {} long:\n\n{}",
        results::count(content.lines().count(), "line"),
        results::first_lines(&content, results::language(file))
    ))
}

fn edit(turn: &Turn, file: &str, old: &str, new: &str) -> Reply {
    let path = turn.path(file);
    match turn.calls.as_slice() {
        [] => call(
            turn,
            &format!("I read `{file}` before I change it."),
            "Read",
            json!({"file_path": path}),
        ),
        [read] => {
            let found = results::without_numbers(&read.output).matches(old).count();
            if found == 0 {
                return Reply::text(format!("`{file}` does not contain `{old}`, so I changed nothing."));
            }
            let says = format!(
                "It is there {}. I replace it.",
                if found == 1 {
                    "once".to_owned()
                } else {
                    format!("{found} times")
                }
            );
            let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": found > 1});
            call(turn, &says, "Edit", input)
        }
        _ => Reply::text(format!("Changed in `{file}`:\n\n```diff\n- {old}\n+ {new}\n```")),
    }
}

fn run(turn: &Turn, command: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        return shell(
            turn,
            &format!("I run `{}`.", results::first_line(command)),
            command,
            "Run what was asked for",
        );
    };
    let output = results::plain(&done.output);
    if output.is_empty() || output.starts_with('(') && output.lines().count() == 1 {
        return Reply::text("It ran and said nothing, which for most commands is good news.");
    }
    Reply::text(format!(
        "It ran. {} of output:\n\n{}",
        results::count(output.lines().count(), "line"),
        results::first_lines(&output, "text")
    ))
}

fn tests(turn: &Turn) -> Reply {
    match turn.calls.as_slice() {
        [] => shell(
            turn,
            "First I look what kind of project this is.",
            "ls -Ap",
            "List the folder",
        ),
        [listing] => {
            let has = |file: &str| names(&listing.output).any(|name| name == file);
            let kinds = [
                ("Cargo.toml", "cargo test"),
                ("package.json", "npm test"),
                ("go.mod", "go test ./..."),
                ("pyproject.toml", "python3 -m pytest -q"),
                ("setup.py", "python3 -m pytest -q"),
                ("Makefile", "make test"),
            ];
            match kinds.iter().find(|(file, _)| has(file)) {
                Some((file, command)) => shell(
                    turn,
                    &format!("There is a `{file}`, so I run `{command}`."),
                    command,
                    "Run the tests",
                ),
                None => Reply::text(
                    "I see no project I know here (no `Cargo.toml`, `package.json`, `go.mod`, `pyproject.toml` or `Makefile`). \
                     Say `run COMMAND` with the command that runs your tests.",
                ),
            }
        }
        [_, done, ..] => Reply::text(format!(
            "The tests pass. The end of the output:\n\n{}",
            results::last_lines(&results::plain(&done.output))
        )),
    }
}

fn plan(turn: &Turn, goal: &str) -> Reply {
    let goal = if goal.is_empty() { "the task" } else { goal };
    let steps = [
        ("Look at what is there", "Looking at what is there"),
        (
            "Make the smallest change that helps",
            "Making the smallest change that helps",
        ),
        ("Check that it works", "Checking that it works"),
        ("Tell others about it", "Telling others about it"),
    ];
    if turn.calls.is_empty() && turn.offers("TodoWrite") {
        let todos = steps.iter().enumerate().map(|(index, (content, active))| {
            let status = if index == 0 { "in_progress" } else { "pending" };
            json!({"content": content, "status": status, "activeForm": active})
        });
        return call(
            turn,
            "I keep the steps in a list.",
            "TodoWrite",
            json!({"todos": todos.collect::<Vec<_>>()}),
        );
    }
    if turn.calls.is_empty() && turn.offers("TaskCreate") {
        return steps
            .iter()
            .fold(Reply::text("I keep the steps in a list."), |reply, (step, active)| {
                let description = format!("{step}, for: {goal}");
                reply.and_tool(
                    "TaskCreate",
                    json!({"subject": step, "description": description, "activeForm": active}),
                )
            });
    }
    let mut said = format!("A plan for **{goal}**:\n");
    for (step, _) in steps {
        said += &format!("\n- [ ] {step}");
    }
    Reply::text(said + "\n\nIt is the plan I have for everything. A real model would look at your files first.")
}

const CHOICES: [(&str, &str); 3] = [
    ("Permissions", "What is asked about, and how rules work"),
    ("Sessions", "Where a conversation is kept, and how to go on"),
    ("The protocol", "How programs drive an agent"),
];

fn ask(turn: &Turn) -> Reply {
    let Some(done) = turn.calls.first() else {
        let options = CHOICES.map(|(label, description)| json!({"label": label, "description": description}));
        let question = json!({
            "question": "What shall I tell you about?", "header": "Topic", "multiSelect": false, "options": options,
        });
        return call(
            turn,
            "I would like to know something.",
            "AskUserQuestion",
            json!({"questions": [question]}),
        );
    };
    let chosen = CHOICES.iter().find(|(label, _)| done.output.contains(label));
    Reply::text(match chosen {
        Some((label, _)) => words::topic(label),
        None => format!(
            "Thank you. You answered: {}",
            results::first_line(&results::plain(&done.output))
        ),
    })
}

fn tour(turn: &Turn) -> Reply {
    let path = turn.path(words::TOUR_FILE);
    match turn.calls.as_slice() {
        [] => shell(
            turn,
            "Welcome! **First stop:** I look around with a shell command.",
            "ls -Ap",
            "List the folder",
        ),
        [listing] => {
            let count = results::count(names(&listing.output).count(), "entry");
            let says = format!("I see {count} here. **Second stop:** I write a small file, which you may refuse.");
            call(
                turn,
                &says,
                "Write",
                json!({"file_path": path, "content": words::TOUR_TEXT}),
            )
        }
        [_, _] => call(
            turn,
            "**Third stop:** I read it back.",
            "Read",
            json!({"file_path": path}),
        ),
        _ => Reply::text(format!(
            "**That was the tour.** You saw a command, a question, a change and its result:\n\n\
             1. `Bash` looked around.\n2. `Write` made `{file}`.\n3. `Read` opened it again.\n\n\
             Next, try `replace tour with trip in {file}`, or `run rm {file}` to tidy up.",
            file = words::TOUR_FILE
        )),
    }
}

fn summary(turn: &Turn) -> String {
    let mut said = "<summary>\nA conversation with the demo model. The person asked, in this order:\n".to_owned();
    for prompt in &turn.earlier {
        said += &format!("\n- {}", results::first_line(prompt));
    }
    said + "\n</summary>"
}

/// A text as one word of a shell command.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The first words as a part of a file name.
fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .collect();
    let slug: String = words.join("-").chars().take(40).collect();
    if slug.is_empty() { "1".to_owned() } else { slug }
}
