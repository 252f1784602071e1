//! Checks where deny and ask rules cannot be matched against everything a line may run.
//!
//! A known program runs nothing but itself. Any other program may run what it is given: an argument, a value glued to
//! an option, text it reads, a script on the disk. If one of these names something a rule is about, a permission
//! request is made.

mod scripts;

use std::path::{Path, PathBuf};

use self::scripts::{reachable, read_through};
use super::allowed::Unread;
use super::effects::Effects;
use crate::matching::bash;
use crate::names::BASH;
use crate::path::{Found, Located, Paths};
use crate::policy::Policy;
use crate::rule::{Behavior, Rule};
use crate::shell::programs::{carried, keeps_nothing};
use crate::shell::wrappers::{self, base};
use crate::shell::{Analysis, Direction, Problem, Simple, Word, analyse, evaluators};

/// How many words of a carrier are tried as the beginning of what it carries.
const MOST_LEVELS: usize = 16;

/// What a rule would have a text name.
struct Named {
    head: String,
    /// Whatever begins with it.
    open: bool,
    /// The word after it, where the rule has one that is no option.
    next: Option<String>,
}

/// Why the Bash rules that deny or ask cannot be held against all of the line.
pub(super) fn unknown(
    policy: &Policy,
    analysis: &Analysis,
    effects: &Effects<'_>,
    paths: &dyn Paths,
    unread: Unread<'_>,
) -> Option<Problem> {
    let rules: Vec<&Rule> = policy
        .rules
        .iter()
        .filter(|rule| rule.behavior != Behavior::Allow && rule.tool == BASH && !rule.whole())
        .collect();
    if rules.is_empty() {
        return None;
    }
    if let Some(problem) = analysis.problems.first() {
        return Some(problem.clone());
    }
    let named: Vec<Named> = rules.iter().filter_map(|rule| names(rule)).collect();
    let known = |at: usize, command: &Simple| command.words.is_empty() || effects.doing(at).is_some();
    let mut runs_files = false;
    let mut writes = false;
    for (at, command) in analysis.commands.iter().enumerate() {
        // An earlier command of the line may have written the settings that git obeys.
        if effects.doing(at).is_some_and(|doing| doing.repository.is_some()) && effects.settings_written_before(at) {
            return Some(Problem::Evaluates("git".to_owned()));
        }
        writes |= effects.changes(at);
        if let Some(variable) = command.unknown_variable().filter(|_| !unread.names(command)) {
            return Some(Problem::Assignment(variable.to_owned()));
        }
        if known(at, command) {
            if let Some(problem) = effects.obeys(at) {
                return Some(problem);
            }
            continue;
        }
        if command.words.iter().any(Word::unknown) {
            return Some(analysis.soft.first().cloned().unwrap_or(Problem::Variable));
        }
        let trusted = unread.trusts(command);
        let evaluating = || evaluators::evaluating(&command.words).filter(|_| !trusted);
        if let Some(problem) = evaluating().or_else(|| carries_unknown(&command.words)) {
            return Some(problem);
        }
        let given = command.piped || !command.inputs.is_empty();
        let inside = || evaluators::runs_inside(wrappers::transparent(&command.words), given);
        let takes = || fed(at, command, analysis).filter(|_| !trusted);
        if let Some(problem) = takes().or_else(inside) {
            return Some(problem);
        }
        if let Some(problem) = linked(command, &named, effects, paths)
            .or_else(|| matched(command, &named, effects, writes))
            .or_else(|| given_as_text(command, &named))
        {
            return Some(problem);
        }
        let mut files = Vec::new();
        for level in wrappers::levels(wrappers::transparent(&command.words)).take(MOST_LEVELS) {
            let Some(more) = reachable(command, level, effects) else {
                return Some(Problem::Variable);
            };
            runs_files |= more.runs;
            files.extend(more.all);
            let before = analysis.commands.get(..at).unwrap_or_default();
            let earlier = || {
                before
                    .iter()
                    .enumerate()
                    .filter(|(at, one)| !known(*at, one))
                    .map(|(_, one)| one)
            };
            let unread = |file: &&PathBuf| match paths.read(file) {
                Found::Unknown => true,
                // It is made before it is run.
                Found::Nothing => earlier().next().is_some() && !paths.is_dir(file),
                Found::This(_) => earlier().any(|one| names_file(one, file)),
            };
            if let Some(file) = more.scripts.iter().find(unread) {
                return Some(Problem::Evaluates(file.display().to_string()));
            }
        }
        let said = |text: &str| mentioned(&named, text);
        if let Some(name) = read_through(files, command, paths, &said) {
            return Some(Problem::Mentions(name));
        }
    }
    // A script that this line writes was not read.
    if runs_files && writes {
        return Some(Problem::Evaluates("a file this command writes".to_owned()));
    }
    texts(analysis, effects, &named)
}

/// Input that is not plain, or not known, for a program that may take it for commands.
fn fed(at: usize, command: &Simple, analysis: &Analysis) -> Option<Problem> {
    let name = wrappers::transparent(&command.words).first()?.text.as_deref()?;
    if !evaluators::obeys_input(name) {
        return None;
    }
    let plain = |text: &str| {
        text.chars().all(|c| {
            c.is_alphanumeric()
                || c.is_whitespace()
                || matches!(c, '.' | '_' | '/' | '-' | '+' | ',' | ':' | ';' | '=' | '@')
        })
    };
    let prints = |(place, one): (usize, &Simple)| {
        let printer = matches!(one.words.first().and_then(Word::literal), Some("echo" | "printf"));
        let words = one.words.iter().skip(1).map(|word| word.text.as_deref());
        one.pipeline == command.pipeline
            && place < at
            && !(printer && words.into_iter().all(|text| text.is_some_and(plain)))
    };
    let reads = command
        .redirects
        .iter()
        .any(|redirect| redirect.direction != Direction::Write && !keeps_nothing(&redirect.target));
    let odd =
        reads || command.inputs.iter().any(|text| !plain(text)) || analysis.commands.iter().enumerate().any(prints);
    odd.then(|| Problem::Evaluates(base(name).to_owned()))
}

/// Names in the words and inputs of what could run them, and of what feeds it.
fn texts(analysis: &Analysis, effects: &Effects<'_>, named: &[Named]) -> Option<Problem> {
    let known = |at: usize, command: &Simple| command.words.is_empty() || effects.doing(at).is_some();
    let runs = |pipeline: usize| {
        let mut all = analysis.commands.iter().enumerate();
        // Text that is kept may run later.
        all.any(|(at, command)| command.pipeline == pipeline && (!known(at, command) || effects.keeps(at)))
    };
    for (at, command) in analysis.commands.iter().enumerate() {
        let feeds = known(at, command) && runs(command.pipeline);
        if known(at, command) && !feeds && !effects.keeps(at) {
            continue;
        }
        let own = wrappers::transparent(&command.words);
        let arguments = own.get(1..).unwrap_or_default();
        let mut text = String::new();
        for word in messages_left_out(own, arguments) {
            text.push_str(word.text.as_deref().unwrap_or(&word.raw));
            text.push(' ');
        }
        for more in &command.inputs {
            text.push_str(more);
            text.push(' ');
        }
        if let Some(name) = mentioned(named, &text) {
            return Some(Problem::Mentions(name));
        }
    }
    None
}

/// The arguments but for what is a message to people.
fn messages_left_out<'a>(words: &[Word], arguments: &'a [Word]) -> Vec<&'a Word> {
    let text = |word: Option<&Word>| word.and_then(|word| word.text.clone()).unwrap_or_default();
    let commits = text(words.first()) == "git" && matches!(text(words.get(1)).as_str(), "commit" | "tag" | "notes");
    let mut left = Vec::new();
    let mut skip = false;
    for word in arguments {
        if std::mem::replace(&mut skip, false) {
            continue;
        }
        skip = commits && matches!(word.literal(), Some("-m" | "--message" | "-am"));
        left.push(word);
    }
    left
}

fn names(rule: &Rule) -> Option<Named> {
    let content = rule.content.as_deref()?.trim();
    let fixed = bash::fixed_part(content);
    let mut parts = fixed.split_whitespace();
    let Some(head) = parts.next() else {
        // It begins with a star: the longest word in it is what it is about.
        let longest = content.split(|c: char| !token(c)).max_by_key(|part| part.len())?;
        return (longest.len() > 1).then(|| Named {
            head: longest.to_owned(),
            open: true,
            next: None,
        });
    };
    let open = content.strip_prefix(head).is_some_and(|rest| rest.starts_with('*'));
    let head = base(head).replace(['"', '\'', '\\'], "");
    let next = parts.next().filter(|part| !part.starts_with('-')).map(str::to_owned);
    (!head.is_empty()).then_some(Named { head, open, next })
}

/// What the name of a program may be made of.
fn token(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '+' | '-')
}

/// The first of the names that `text` holds.
fn mentioned(named: &[Named], text: &str) -> Option<String> {
    let clean: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let tokens = || clean.split(|c: char| !token(c)).filter(|part| !part.is_empty());
    let is = |token: &str, name: &Named| {
        let bare = base(token.trim_end_matches('.'));
        bare == name.head
            || (name.open && bare.starts_with(&name.head))
            // Glued to an option: `-Izap`.
            || (token.starts_with('-') && name.head.len() > 1 && token.ends_with(&name.head))
    };
    named
        .iter()
        .find(|name| {
            tokens().any(|token| is(token, name))
                && name
                    .next
                    .as_deref()
                    .is_none_or(|next| tokens().any(|token| token == next))
        })
        .map(|name| name.head.clone())
}

/// A program, or a file one is given, that is a link to one that is named.
fn linked(command: &Simple, named: &[Named], effects: &Effects<'_>, paths: &dyn Paths) -> Option<Problem> {
    let own = wrappers::transparent(&command.words);
    let mut files = own.iter().enumerate().filter(|(at, word)| {
        let text = word.text.as_deref().unwrap_or_default();
        // Without a slash the first is looked for elsewhere; what it is given are files from here.
        text.contains('/') || (*at > 0 && !text.starts_with('-'))
    });
    files.find_map(|(_, word)| {
        effects.paths_of(command, word).into_iter().find_map(|path| {
            let real = Located::new(&path, paths).resolved;
            let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let named = named.iter().any(|one| one.head == name) && real != path;
            named.then(|| Problem::Mentions(name.to_owned()))
        })
    })
}

/// Whether a command names the file, by its last part.
fn names_file(command: &Simple, file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let texts = command.words.iter().skip(1).filter_map(|word| word.text.as_deref());
    !name.is_empty() && texts.into_iter().any(|text| text.ends_with(name))
}

/// A pattern that matches a named program: any word of a carrier may be the program.
fn matched(command: &Simple, named: &[Named], effects: &Effects<'_>, writes: bool) -> Option<Problem> {
    command.words.iter().filter(|word| word.glob).find_map(|word| {
        let Some(files) = effects.files_of(command, word) else {
            return Some(Problem::Variable);
        };
        // An earlier command creates the file that it will match.
        if files.is_empty() && writes {
            return Some(Problem::Variable);
        }
        let names = files.iter().filter_map(|file| file.file_name()?.to_str());
        names
            .into_iter()
            .find_map(|name| mentioned(named, name))
            .map(Problem::Mentions)
    })
}

/// A text another program gives to a shell, of which not all is known, or which comes to what is named.
fn given_as_text(command: &Simple, named: &[Named]) -> Option<Problem> {
    evaluators::shell_texts(&command.words).find_map(|text| {
        let inner = analyse(text);
        let words = || inner.commands.iter().flat_map(|one| &one.words);
        let open = |word: &Word| word.unknown() || word.glob || word.split;
        let names = |word: &Word| mentioned(named, word.text.as_deref().unwrap_or_default());
        let problem = inner.problems.first().cloned();
        problem
            .or_else(|| words().any(open).then_some(Problem::Variable))
            .or_else(|| words().find_map(names).map(Problem::Mentions))
    })
}

/// `xargs` and `find -exec` that run the names they get as programs.
fn carries_unknown(words: &[Word]) -> Option<Problem> {
    let own = wrappers::transparent(words);
    let name = own.first()?.literal().map(base)?;
    let said = || Some(Problem::Evaluates(name.to_owned()));
    let texts: Vec<&str> = own.iter().skip(1).filter_map(|word| word.text.as_deref()).collect();
    match name {
        "find" | "gfind" => {
            let runs = texts.windows(2).any(
                |pair| matches!(pair, ["-exec" | "-execdir" | "-ok" | "-okdir", program] if program.contains("{}")),
            );
            let open = texts.contains(&"{}") && texts.iter().any(|text| evaluators::runs_its_arguments(text));
            // As a part of a word it may be the value of an option that names a program.
            let part = texts.iter().any(|text| text.contains("{}") && *text != "{}");
            if runs || open || part { said() } else { None }
        }
        "xargs" | "gxargs" | "parallel" => {
            let inner = texts.iter().enumerate().find(|(_, text)| !text.starts_with('-'));
            let open = inner.is_none_or(|(at, text)| {
                let _ = at;
                evaluators::runs_its_arguments(text) || text.contains(['{', '%'])
            });
            // A value of one of its options may stand where the program seems to.
            let any = texts.iter().any(|text| evaluators::runs_its_arguments(text));
            // The text that replaces a mark may be any part of the program's name.
            let marked = carried(own.get(1..).unwrap_or_default())
                .and_then(|inner| inner.first()?.text.as_deref())
                .is_some_and(|program| marks(&texts).iter().any(|mark| program.contains(mark)));
            if open || any || marked { said() } else { None }
        }
        "run-parts" | "batch" | "at" | "crontab" | "newgrp" => said(),
        "git" => {
            let verb = texts.iter().find(|text| !text.starts_with('-'));
            match verb {
                Some(verb) if !evaluators::is_git_verb(verb) => Some(Problem::Evaluates(format!("git {verb}"))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What `xargs` replaces in the words of its command.
fn marks<'a>(texts: &[&'a str]) -> Vec<&'a str> {
    let mut marks = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let glued = ["-I", "-i", "--replace="]
            .iter()
            .find_map(|option| text.strip_prefix(option));
        match glued {
            Some("") => marks.extend(texts.get(at + 1)),
            Some(mark) => marks.push(mark),
            None => {}
        }
    }
    marks.into_iter().filter(|mark| !mark.is_empty()).collect()
}
