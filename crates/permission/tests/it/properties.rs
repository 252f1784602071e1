//! What holds for all rules and commands.

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;
use sluice_permission::{Behavior, Call, PermissionMode, Policy, Rule, Source, Verdict, decide};

use crate::linked::Linked;
use crate::world::verdict;

const ATOMS: &[&str] = &[
    "ls",
    "cat a.txt",
    "zap 1",
    "npm test",
    "git log",
    "git push",
    "touch x",
    "rm -rf y",
    "echo $x",
    "echo $(zap)",
    "sed -i s/a/b/ x",
    "cd src",
    "find . -delete",
    "python3 -c 'x'",
    "cat /etc/passwd",
    "ls > out",
    "A=1 ls",
    "sudo ls",
    "grep -r x .",
    "echo 'a b'",
    "aaa b",
    "[ -f x ]",
    "awk '{print $1}' a",
    "curl x",
    "xargs rm",
    "true",
    "rm -rf ~",
    "cat .env",
    "echo x > .git/config",
    "touch .git/config",
    "cp a .claude/x",
    "cd .git && touch config",
];
const RULES: &[&str] = &[
    "Bash(ls:*)",
    "Bash(zap:*)",
    "Bash(npm test)",
    "Bash(git *)",
    "Bash(touch:*)",
    "Bash",
    "Bash(aaa b)",
    "Bash(cat *)",
    "Bash(echo:*)",
    "Bash(cd:*)",
    "Bash(rm:*)",
    "Read(.env)",
    "Read(//etc/**)",
    "Edit(./**)",
    "Bash(grep:*)",
    "Bash(python3:*)",
    "Edit(out)",
    "Read(src/**)",
    "WebFetch(domain:x)",
];
const MODES: &[&str] = &[
    "default",
    "acceptEdits",
    "plan",
    "dontAsk",
    "bypassPermissions",
    "auto",
    "delegate",
];

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask => 1,
        Verdict::Deny => 2,
    }
}

fn pick(list: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    (0..list.len()).prop_map(move |at| list[at])
}

prop_compose! {
    fn command()(first in pick(ATOMS), rest in prop::collection::vec((pick(&["; ", " && ", " || ", " | ", "\n", " & "]), pick(ATOMS)), 0..3)) -> String {
        rest.into_iter().fold(first.to_owned(), |line, (between, next)| line + between + next)
    }
}

prop_compose! {
    fn policy()(mode in pick(MODES), rules in prop::collection::vec((0..3usize, pick(RULES)), 0..5)) -> Policy {
        let mut policy = Policy::new("/w", "/home/u");
        policy.mode = PermissionMode::from(mode);
        for (kind, text) in rules {
            let behavior = [Behavior::Allow, Behavior::Ask, Behavior::Deny][kind];
            policy.rules.push(Rule::parse(behavior, Source::User, "/w", text).unwrap());
        }
        policy
    }
}

fn quoted(command: &str) -> String {
    format!("'{}'", command.replace('\'', "'\\''"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_deny_never_allows_more(policy in policy(), command in command(), rule in pick(RULES)) {
        let before = verdict(&policy, &command);
        let mut stricter = policy;
        stricter.rules.push(Rule::parse(Behavior::Deny, Source::Project, "/w", rule).unwrap());
        prop_assert!(rank(verdict(&stricter, &command)) >= rank(before));
    }

    #[test]
    fn another_ask_never_allows_more(policy in policy(), command in command(), rule in pick(RULES)) {
        let before = verdict(&policy, &command);
        let mut stricter = policy;
        stricter.rules.push(Rule::parse(Behavior::Ask, Source::Project, "/w", rule).unwrap());
        let after = verdict(&stricter, &command);
        prop_assert!(rank(after) >= rank(before).min(1), "{before:?} {after:?}");
    }

    #[test]
    fn appending_never_turns_into_allow(policy in policy(), command in command(), next in pick(ATOMS), between in pick(&[" && ", "; ", " | ", "\n"])) {
        if verdict(&policy, &command) != Verdict::Allow {
            prop_assert_ne!(verdict(&policy, &format!("{command}{between}{next}")), Verdict::Allow);
        }
    }

    #[test]
    fn wrapping_never_turns_into_allow(policy in policy(), command in pick(ATOMS), wrapper in pick(&["env", "timeout 5", "nice", "nohup", "command", "time", "env -i", "env A=1", "sudo", "xargs", "exec", "stdbuf -o0", "setsid"])) {
        // A `cd` that another program runs does not change the shell's directory.
        prop_assume!(!command.starts_with("cd "));
        if verdict(&policy, command) != Verdict::Allow {
            let wrapped = format!("{wrapper} {command}");
            prop_assert_ne!(verdict(&policy, &wrapped), Verdict::Allow, "{}", wrapped);
        }
    }

    #[test]
    fn a_shell_around_it_never_turns_into_allow(policy in policy(), command in command(), shell in pick(&["bash -c", "sh -c", "bash -lc", "eval", "env bash -c", "timeout 5 sh -c"])) {
        if verdict(&policy, &command) != Verdict::Allow {
            let wrapped = format!("{shell} {}", quoted(&command));
            prop_assert_ne!(verdict(&policy, &wrapped), Verdict::Allow, "{}", wrapped);
        }
    }

    #[test]
    fn grouping_never_turns_into_allow(policy in policy(), command in command()) {
        if verdict(&policy, &command) != Verdict::Allow {
            for grouped in [format!("({command})"), format!("{{ {command}; }}"), format!("if true; then {command}; fi"), format!("! {{ {command}; }}")] {
                prop_assert_ne!(verdict(&policy, &grouped), Verdict::Allow, "{}", grouped);
            }
        }
    }

    #[test]
    fn a_link_that_is_allowed_leads_where_it_is_allowed(
        policy in policy(),
        tool in pick(&["Read", "Write", "Edit"]),
        at in pick(&["/w/link", "/w/src/link", "/out/link"]),
        to in pick(&["/etc", "/w/secret", "/w/.git", "/home/u/.ssh", "../x", "/w/src", "/out"]),
        rest in pick(&["", "/a", "/.env", "/out", "/../a"]),
    ) {
        let world = Linked::new([(at, to)]);
        let named = format!("{at}{rest}");
        let target = sluice_permission::Paths::resolve(&world, Path::new(&named));
        let run = |path: &str| {
            let input = json!({"file_path": path});
            decide(&policy, &Call::new(crate::world::tool(tool), &input, Path::new("/w")), &world).behavior
        };
        if run(&named) == Verdict::Allow {
            prop_assert_eq!(run(target.to_str().unwrap()), Verdict::Allow, "{} -> {}", named, target.display());
        }
    }

    #[test]
    fn any_text_is_decided(command in "[ -~\n\t]{0,80}") {
        let mut policy = Policy::new("/w", "/home/u");
        policy.rules.push(Rule::parse(Behavior::Deny, Source::User, "/w", "Bash(zap:*)").unwrap());
        verdict(&policy, &command);
    }

    #[test]
    fn shell_like_text_is_decided(parts in prop::collection::vec(pick(&["$(", ")", "`", "{", "}", "<<X\n", "X\n", "'", "\"", "\\", "if ", "then ", "fi", "for i in ", "do ", "done", "case ", "esac", ";;", "&", "|", ">", "<(", "${", "[[ ", " ]]", "((", "))", "zap ", "a", " ", "\n", "#", "$'", "!", "*", "=", "é", "🙂"]), 0..25)) {
        let policy = Policy::new("/w", "/home/u");
        verdict(&policy, &parts.concat());
    }
}
