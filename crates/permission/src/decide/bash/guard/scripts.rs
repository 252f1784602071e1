//! Files from which a command may take further commands: scripts, rules, hooks.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::super::effects::Effects;
use crate::path::{Found, Paths, normal};
use crate::shell::programs::keeps_nothing;
use crate::shell::wrappers::{self, base};
use crate::shell::{Direction, Simple, Word, evaluators};

/// How many files are read, how far one names another, and how many names in one are tried.
const MOST_FILES: usize = 48;
const MOST_HOPS: usize = 3;
const MOST_TRIED: usize = 256;

/// The first thing that is `said` in the files a command may take its orders from, and in those that they name.
pub(super) fn read_through(
    files: Vec<PathBuf>,
    command: &Simple,
    paths: &dyn Paths,
    said: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    // Too large or too strange to be a script is a program like any other.
    let read = |file: &Path| match paths.read(file) {
        Found::This(text) => Some(text),
        Found::Nothing | Found::Unknown => None,
    };
    let given = files.into_iter().filter_map(|file| Some((read(&file)?, file, 0)));
    let mut open: VecDeque<(String, PathBuf, usize)> = given.collect();
    let mut seen: Vec<PathBuf> = open.iter().map(|(_, file, _)| file.clone()).collect();
    let most = seen.len() + MOST_FILES;
    while let Some((text, file, hops)) = open.pop_front() {
        let text = part_of(&file, text, command);
        if let Some(name) = said(&text) {
            return Some(name);
        }
        if hops >= MOST_HOPS {
            continue;
        }
        let folder = file.parent().unwrap_or(&file);
        for name in named_in(&text).take(MOST_TRIED) {
            let named = normal(&folder.join(&name));
            if seen.len() >= most || seen.contains(&named) {
                continue;
            }
            if let Some(text) = read(&named) {
                seen.push(named.clone());
                open.push_back((text, named, hops + 1));
            }
        }
    }
    None
}

/// Names of files in a script: what has a dot in it, and the modules it imports.
fn named_in(text: &str) -> impl Iterator<Item = String> {
    let part = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '-'));
    let mut before = "";
    text.split(part)
        .filter(|word| !word.is_empty())
        .filter_map(move |word| {
            let imported = matches!(std::mem::replace(&mut before, word), "import" | "from");
            let dotted = word.trim_matches('.').contains('.') && word.len() < 120 && !word.starts_with('/');
            if imported && !dotted {
                return Some(format!("{word}.py"));
            }
            dotted.then(|| word.to_owned())
        })
}

/// Files a command may take its orders from.
pub(super) struct Reachable {
    pub(super) all: Vec<PathBuf>,
    /// Those of them that an interpreter runs.
    pub(super) scripts: Vec<PathBuf>,
    /// Whether it certainly runs one of them.
    pub(super) runs: bool,
}

/// The files from which `own`, a part of `command`, may take commands; `None` if they are not known.
pub(super) fn reachable(command: &Simple, own: &[Word], effects: &Effects<'_>) -> Option<Reachable> {
    let mut words: Vec<Word> = Vec::new();
    let put = |words: &mut Vec<Word>, text: &str, like: &Word| {
        words.push(Word {
            text: Some(text.to_owned()),
            glob: false,
            ..like.clone()
        });
    };
    for word in own {
        let Some(text) = word.text.as_deref() else {
            continue;
        };
        if word.glob || word.tilde {
            words.push(word.clone());
            continue;
        }
        put(&mut words, text, word);
        for part in text.split(['=', '@', ':', ',']).skip(1) {
            put(&mut words, part, word);
        }
        if text.starts_with('-') && !text.starts_with("--") && text.len() > 2 {
            put(&mut words, text.get(2..).unwrap_or_default(), word);
        }
    }
    for redirect in command
        .redirects
        .iter()
        .filter(|redirect| redirect.direction != Direction::Write && !keeps_nothing(&redirect.target))
    {
        words.push(redirect.target.clone());
    }
    let name = own.first().and_then(Word::literal).unwrap_or_default();
    let defaults: &[&str] = match base(name) {
        "make" | "gmake" => &["Makefile", "makefile", "GNUmakefile"],
        "npm" | "yarn" | "pnpm" | "bun" | "npx" => &["package.json"],
        "just" => &["justfile", "Justfile", ".justfile"],
        "rake" => &["Rakefile"],
        "task" => &["Taskfile.yml", "Taskfile.yaml"],
        "cargo" => &["build.rs", ".cargo/config.toml"],
        "git" => &[
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/hooks/commit-msg",
            ".git/hooks/prepare-commit-msg",
            ".git/hooks/post-commit",
            ".git/hooks/pre-push",
            ".git/hooks/post-checkout",
            ".git/hooks/post-merge",
            ".git/hooks/pre-rebase",
        ],
        _ => &[],
    };
    let module = own
        .windows(2)
        .find(|pair| pair.first().and_then(Word::literal) == Some("-m"))
        .and_then(|pair| pair.get(1)?.literal());
    let extra: Vec<String> = match (wrappers::is_interpreter(base(name)), module) {
        (true, Some(module)) => {
            let path = module.replace('.', "/");
            // What a module is given may be modules as well.
            let given = own
                .iter()
                .filter_map(Word::literal)
                .filter(|text| !text.starts_with('-'));
            let mut all = ["{}.py", "{}/__main__.py", "{}/__init__.py"]
                .map(|form| form.replace("{}", &path))
                .to_vec();
            all.extend(given.map(|text| format!("{}.py", text.replace('.', "/"))));
            all
        }
        (true, None) => own
            .iter()
            .skip(1)
            .filter_map(Word::literal)
            .filter(|text| !text.starts_with('-'))
            .flat_map(|text| {
                let forms = ["{}.js", "{}/index.js", "{}/__main__.py", "{}/__init__.py"];
                forms.map(|form| form.replace("{}", text))
            })
            .collect(),
        (false, _) => Vec::new(),
    };
    // A pattern may be the folder.
    if !defaults.is_empty() && own.iter().any(|word| word.glob) && base(name) != "git" {
        return None;
    }
    let here = evaluators::working_folder(own);
    for file in defaults.iter().copied().chain(extra.iter().map(String::as_str)) {
        words.push(Word::plain(file));
        if let Some(here) = here {
            words.push(Word::plain(&format!("{here}/{file}")));
        }
    }
    let hooks = if base(name) == "git" {
        hooks(command, here, effects)
    } else {
        Vec::new()
    };
    let script = own
        .iter()
        .skip(1)
        .find(|word| word.text.as_deref().is_some_and(|text| !text.starts_with('-')));
    let scripts = match script.filter(|_| evaluators::runs_a_file(name) && module.is_none()) {
        Some(script) => effects.files_of(command, script)?,
        None => Vec::new(),
    };
    let runs = name.contains('/') || !defaults.is_empty() || wrappers::is_interpreter(base(name));
    let mut all = hooks;
    for word in &words {
        all.extend(effects.files_of(command, word)?);
    }
    Some(Reachable { all, scripts, runs })
}

/// The settings and hooks of the repository a git works in, wherever it was called from.
fn hooks(command: &Simple, here: Option<&str>, effects: &Effects<'_>) -> Vec<PathBuf> {
    let from = effects.paths_of(command, &Word::plain(here.unwrap_or(".")));
    let parents = from.iter().flat_map(|path| path.ancestors());
    parents.flat_map(|parent| effects.repository_files(parent)).collect()
}

/// Whether a command of npm's runs a script of another name.
fn implies(command: &str, script: &str) -> bool {
    match command {
        "restart" => matches!(script, "stop" | "start" | "restart"),
        "it" | "cit" | "sit" | "install-test" | "install-ci-test" => script == "test",
        _ => false,
    }
}

/// Of a package's description only the scripts a command may run.
fn part_of(file: &Path, text: String, command: &Simple) -> String {
    if file.file_name().is_none_or(|name| name != "package.json") {
        return text;
    }
    let Ok(whole) = serde_json::from_str::<serde_json::Value>(&text) else {
        return text;
    };
    let Some(scripts) = whole.get("scripts").and_then(serde_json::Value::as_object) else {
        return String::new();
    };
    let words: Vec<&str> = command.words.iter().filter_map(|word| word.text.as_deref()).collect();
    let asked = |name: &str| {
        let bare = name
            .strip_prefix("pre")
            .or_else(|| name.strip_prefix("post"))
            .unwrap_or(name);
        words.iter().any(|word| {
            *word == name
                || (word.len() > 1 && bare.starts_with(word))
                || (matches!(*word, "t" | "tst") && bare == "test")
        }) || matches!(
            bare,
            "install" | "prepare" | "publish" | "pack" | "version" | "dependencies"
        ) || words.iter().any(|word| implies(word, bare))
    };
    // One script may run another by its name.
    let runs_others = scripts.iter().any(|(name, value)| {
        asked(name)
            && value
                .as_str()
                .is_some_and(|text| text.contains("run") || text.contains("npm") || text.contains("yarn"))
    });
    let chosen = scripts
        .iter()
        .filter(|(name, _)| runs_others || asked(name))
        .filter_map(|(_, value)| value.as_str());
    chosen.collect::<Vec<_>>().join("\n")
}
