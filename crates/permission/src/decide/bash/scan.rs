//! Deny and ask rules, checked against every place on a line where a command could start.

use crate::matching::{bash, domain};
use crate::names::{BASH, WEB_FETCH};
use crate::policy::Policy;
use crate::rule::{Behavior, Rule};
use crate::shell::evaluators::texts;
use crate::shell::parse::analyse;
use crate::shell::wrappers::{base, levels};
use crate::shell::{Analysis, Word, join};

/// How deep texts within arguments are followed.
const MOST_TEXTS: usize = 3;

/// The rule of that behaviour that matches something on the line.
pub(super) fn find<'a>(policy: &'a Policy, behavior: Behavior, analysis: &Analysis, line: &str) -> Option<&'a Rule> {
    let rules: Vec<&Rule> = policy
        .rules_of(behavior)
        .filter(|rule| rule.tool == BASH && !rule.whole())
        .collect();
    if let Some(rule) = hosts(policy, behavior, analysis) {
        return Some(rule);
    }
    if rules.is_empty() {
        return None;
    }
    // The whole line: the author of a rule may expect that `*` also matches a `;`.
    let whole = rules.iter().filter(|_| analysis.parsed).find(|rule| {
        rule.content
            .as_deref()
            .is_some_and(|content| bash::covers(content, line.trim()))
    });
    if let Some(rule) = whole {
        return Some(rule);
    }
    let found = commands(&rules, analysis, 0);
    if found.is_some() || analysis.parsed {
        return found;
    }
    by_word(&rules, line)
}

fn commands<'a>(rules: &[&'a Rule], analysis: &Analysis, depth: usize) -> Option<&'a Rule> {
    let heads: Vec<Option<&str>> = rules.iter().map(|rule| head(rule)).collect();
    for command in &analysis.commands {
        for level in levels(&command.words).filter(|level| begins(&heads, level)) {
            if let Some(rule) = covering(rules, level) {
                return Some(rule);
            }
        }
        if depth >= MOST_TEXTS {
            continue;
        }
        for text in texts(&command.words) {
            let inner = analyse(text, depth + 1);
            let found = commands(rules, &inner, depth + 1);
            let found = if inner.parsed {
                found
            } else {
                found.or_else(|| by_word(rules, text))
            };
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// The word a command must begin with for the rule to cover it, where there is one.
fn head(rule: &Rule) -> Option<&str> {
    let content = rule.content.as_deref()?;
    let first = content.split_whitespace().next()?;
    let first = first.strip_suffix(":*").unwrap_or(first);
    (!first.contains(['*', '\\'])).then_some(first)
}

/// Whether some rule could cover a command that begins with these words.
fn begins(heads: &[Option<&str>], words: &[Word]) -> bool {
    let Some(first) = words.first() else {
        return false;
    };
    let text = first.text.as_deref().unwrap_or(&first.raw);
    // A head that is quoted in the rule, or a name with a space in it, is looked at closely.
    heads.iter().any(|head| {
        head.is_none_or(|head| {
            head == first.raw || head == text || head == base(text) || head.contains(['"', '\'']) || text.contains(' ')
        })
    })
}

/// The rule that covers these words: as written, as bash reads them, or by the program's bare name.
fn covering<'a>(rules: &[&'a Rule], words: &[Word]) -> Option<&'a Rule> {
    let raw = join(words.iter().map(|word| word.raw.as_str()));
    let read = join(words.iter().map(|word| word.text.as_deref().unwrap_or(&word.raw)));
    let bare = match words.split_first() {
        Some((first, rest)) => {
            let name = base(first.text.as_deref().unwrap_or(&first.raw));
            join(std::iter::once(name).chain(rest.iter().map(|word| word.text.as_deref().unwrap_or(&word.raw))))
        }
        None => return None,
    };
    rules.iter().copied().find(|rule| {
        rule.content.as_deref().is_some_and(|content| {
            bash::covers(content, &raw)
                || (read != raw && bash::covers(content, &read))
                || (bare != read && bash::covers(content, &bare))
                || means(content, words)
        })
    })
}

/// Whether words mean what a rule names though options stand between: `git --no-pager push` is `git push`, and
/// `rm -r -f` is `rm -rf`.
fn means(content: &str, words: &[Word]) -> bool {
    let ends_open = content.trim().ends_with('*');
    let fixed: Vec<&str> = bash::fixed_part(content).split_whitespace().collect();
    let Some((program, wanted)) = fixed.split_first() else {
        return false;
    };
    let texts: Vec<&str> = words
        .iter()
        .map(|word| word.text.as_deref().unwrap_or(&word.raw))
        .collect();
    let Some((first, given)) = texts.split_first() else {
        return false;
    };
    if base(first) != base(program) || wanted.is_empty() || !ends_open {
        return false;
    }
    let letters: String = given
        .iter()
        .take_while(|text| **text != "--")
        .filter(|text| text.starts_with('-'))
        .map(|text| match *text {
            // Shortened they are the same.
            text if text.len() > 2 && "--recursive".starts_with(text) => "rR",
            text if text.len() > 2 && "--force".starts_with(text) => "f",
            text if text.starts_with("--") => "",
            text => text,
        })
        .collect();
    let mut rest = given.iter().enumerate();
    for want in wanted {
        let flags = want
            .strip_prefix('-')
            .filter(|flags| !flags.starts_with('-') && !flags.is_empty());
        if let Some(flags) = flags {
            let has = |flag: char| letters.contains(flag) || (flag == 'r' && letters.contains('R'));
            if flags.chars().all(has) || given.contains(want) {
                continue;
            }
            return false;
        }
        // Only options, and what may be their values, are passed over.
        let mut after_option = false;
        let found = loop {
            let Some((_, text)) = rest.next() else {
                break false;
            };
            if text == want {
                break true;
            }
            let option = text.starts_with('-');
            if !option && !after_option {
                break false;
            }
            after_option = option && !text.contains('=');
        };
        if !found {
            return false;
        }
    }
    true
}

/// For what could not be read: every word that could begin what a rule names.
fn by_word<'a>(rules: &[&'a Rule], line: &str) -> Option<&'a Rule> {
    let clean: String = line.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let ends = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(
                c,
                ';' | '|' | '&' | '(' | ')' | '{' | '}' | '<' | '>' | '`' | '$' | '=' | ','
            )
    };
    let words: Vec<&str> = clean.split(ends).filter(|word| !word.is_empty()).collect();
    rules.iter().copied().find(|rule| {
        let Some(content) = rule.content.as_deref() else {
            return false;
        };
        let fixed: Vec<&str> = bash::fixed_part(content).split_whitespace().collect();
        let Some((program, rest)) = fixed.split_first() else {
            // It begins with a star, which may match any part of the line.
            return true;
        };
        let open = content.get(program.len()..).is_some_and(|rest| rest.starts_with('*'));
        // Of the words after the program the first is enough: their order is not known to hold.
        words.iter().enumerate().any(|(at, word)| {
            let name = base(word);
            let named = name == *program || word == program || (open && name.starts_with(program));
            named && rest.first().is_none_or(|next| words.get(at + 1) == Some(next))
        })
    })
}

/// Rules about hosts, held against addresses among the arguments.
fn hosts<'a>(policy: &'a Policy, behavior: Behavior, analysis: &Analysis) -> Option<&'a Rule> {
    let rules: Vec<(&Rule, &str)> = policy
        .rules_of(behavior)
        .filter(|rule| rule.tool == WEB_FETCH)
        .filter_map(|rule| Some((rule, domain::named(rule.content.as_deref()?)?)))
        .collect();
    if rules.is_empty() {
        return None;
    }
    analysis.commands.iter().find_map(|command| {
        let fetches = command.words.iter().any(|word| {
            word.text.as_deref().is_some_and(|text| {
                matches!(
                    base(text),
                    "curl" | "wget" | "http" | "https" | "xh" | "aria2c" | "lynx"
                )
            })
        });
        command.words.iter().skip(1).find_map(|word| {
            let text = word.text.as_deref()?;
            let host = match text.find("://") {
                Some(_) => domain::host(
                    text.rsplit_once('=')
                        .filter(|(_, url)| url.contains("://"))
                        .map_or(text, |(_, url)| url),
                ),
                None if fetches && !text.starts_with('-') => domain::host(&format!("http://{text}")),
                None => None,
            }?;
            rules
                .iter()
                .find(|(_, pattern)| domain::covers(pattern, &host))
                .map(|(rule, _)| *rule)
        })
    })
}
