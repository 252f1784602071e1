//! Allow rules for one command, and for text in it that was not analysed.

use crate::matching::bash;
use crate::names::BASH;
use crate::policy::Policy;
use crate::rule::{Behavior, Rule};
use crate::shell::{self, Simple, builtins, wrappers};

/// Whose word counts for a text that a program is given to run, where rules deny or ask what it might do.
#[derive(Clone, Copy)]
pub(super) enum Unread<'a> {
    /// That of the rules: one that names the program or the very command.
    Rules(&'a Policy, Option<&'a Rule>),
    /// Any text is fine: what then is still unknown, no rule could mend.
    Trusted,
}

impl<'a> Unread<'a> {
    pub(super) fn by_rules(policy: &'a Policy, line: &str) -> Self {
        Self::Rules(policy, exactly(policy, line))
    }

    /// Whether a person has vouched for what a command is given to run: by a rule for the language it is written in, or
    /// for the command as it is. A rule for a program that may run text besides its purpose does not cover that text.
    pub(super) fn trusts(self, command: &Simple) -> bool {
        let Self::Rules(policy, _) = self else {
            return true;
        };
        let inner = wrappers::transparent(&command.words);
        let language = inner
            .first()
            .and_then(|word| word.text.as_deref())
            .is_some_and(|name| is_language(wrappers::base(name)));
        // `*` names nothing.
        let named = || covering(policy, inner).any(|content| !bash::fixed_part(content).is_empty());
        self.names(command) || (language && named())
    }

    /// Whether a person has vouched for this very command, or for the line it is of, variables and all.
    pub(super) fn names(self, command: &Simple) -> bool {
        match self {
            Self::Rules(policy, line) => line.is_some() || named_by_rule(policy, command),
            Self::Trusted => true,
        }
    }
}

/// Interpreters that people know as such; a rule for `sed` or `awk` is about text that is filtered.
fn is_language(name: &str) -> bool {
    let filters = matches!(
        wrappers::stem_of(name),
        "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed" | "make" | "gmake"
    );
    wrappers::is_interpreter(name) && !filters
}

/// The rule that names this very line.
pub(super) fn exactly<'a>(policy: &'a Policy, line: &str) -> Option<&'a Rule> {
    policy.rules_of(Behavior::Allow).find(|rule| {
        rule.tool == BASH
            && rule
                .content
                .as_deref()
                .is_some_and(|content| bash::is_exact(content) && content.trim() == line.trim())
    })
}

/// Whether a rule names this very command.
pub(super) fn named_by_rule(policy: &Policy, command: &Simple) -> bool {
    let text = command.raw();
    let contents = policy
        .rules_of(Behavior::Allow)
        .filter(|rule| rule.tool == BASH)
        .filter_map(|rule| rule.content.as_deref());
    contents
        .into_iter()
        .any(|content| bash::is_exact(content) && bash::covers(content, &text))
}

/// Whether a rule allows a command whose innermost words are `inner`.
pub(super) fn allowed_by_rule(policy: &Policy, command: &Simple, inner: &[shell::Word]) -> bool {
    covering(policy, inner).next().is_some() || named_by_rule(policy, command)
}

/// The rules that allow what has these innermost words.
fn covering<'a>(policy: &'a Policy, inner: &'a [shell::Word]) -> impl Iterator<Item = &'a str> {
    let innermost = shell::join(inner.iter().map(|word| word.raw.as_str()));
    let carrier = inner.first().and_then(|word| word.text.as_deref()).is_some_and(|name| {
        let name = wrappers::base(name);
        wrappers::is_shell(name)
            || builtins::listed(
                "sudo doas su runuser pkexec xargs parallel watch strace ltrace chroot nsenter unshare busybox \
                toybox eval env nice timeout nohup setsid stdbuf ionice time command builtin exec trap source . \
                script flock fd fdfind entr systemd-run",
                name,
            )
    });
    policy
        .rules_of(Behavior::Allow)
        .filter(|rule| rule.tool == BASH)
        .filter_map(|rule| rule.content.as_deref())
        .filter(move |content| {
            // A rule for what carries a command is a rule for that command only if it names it.
            let names = !carrier || bash::is_exact(content) || carries_name(bash::fixed_part(content), inner);
            names && bash::covers(content, &innermost)
        })
}

fn carries_name(fixed: &str, inner: &[shell::Word]) -> bool {
    let named = fixed.split_whitespace().skip(1).any(|word| !word.starts_with('-'));
    let shell = inner
        .first()
        .and_then(|word| word.text.as_deref())
        .is_some_and(|name| wrappers::is_shell(wrappers::base(name)));
    // `bash script.sh *` names a script; `bash -c 'x *` names nothing.
    named && !(shell && fixed.contains(" -"))
}
