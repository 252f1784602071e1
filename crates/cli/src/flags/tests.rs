#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::ffi::OsString;

use proptest::prelude::*;
use proptest::sample::{Index, subsequence};

use super::table::{Fills, Flag, GROUPS, Takes};
use super::*;

fn read(args: &[&str]) -> Result<Flags, FlagError> {
    parse(args.iter().map(OsString::from))
}

fn flags(args: &[&str]) -> Flags {
    read(args).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

fn complaint(args: &[&str]) -> String {
    let error = match read(args) {
        Err(error) => error,
        Ok(flags) => flags.validate().expect_err(&format!("{args:?} is accepted")),
    };
    error.message
}

/// Returns the flags that are not refused.
fn accepted() -> Vec<&'static Flag> {
    let refused = |flag: &&Flag| matches!(flag.fills, Fills::Refused(_));
    table::flags().filter(|flag| !refused(flag)).collect()
}

/// Returns a valid value for a flag.
fn sample(flag: &Flag) -> &'static str {
    match flag.fills {
        Fills::Switch(_) => "",
        Fills::Count(_) | Fills::Tokens(_) => "7",
        Fills::Dollars(_) => "0.5",
        Fills::Output(_) | Fills::Input(_) => "stream-json",
        Fills::Mode(_) => "acceptEdits",
        Fills::Rules(_) | Fills::Names(_) => "Read,Bash(git log:*)",
        Fills::Commas(_) => "one,two",
        Fills::Text(_) | Fills::Words(_) | Fills::Refused(_) => "some value",
        Fills::Choice(_, words) => words.last().unwrap(),
        Fills::Window(_) => "200k",
    }
}

#[test]
fn every_flag_is_accepted_in_both_forms_and_changes_something() {
    for flag in accepted() {
        let long = format!("--{}", flag.name);
        let Flag { takes, .. } = flag;
        if *takes == Takes::Nothing {
            assert_ne!(flags(&[&long]), Flags::default(), "{long}");
            assert_eq!(
                complaint(&[&format!("{long}=x")]),
                format!("option '{long}' takes no value")
            );
            continue;
        }
        let value = sample(flag);
        let two_words = flags(&[&long, value]);
        assert_ne!(two_words, Flags::default(), "{long}");
        assert_eq!(flags(&[&format!("{long}={value}")]), two_words, "{long}");
        for alias in flag.aliases {
            assert_eq!(flags(&[&format!("--{alias}"), value]), two_words, "--{alias}");
        }
        if let Some(short) = flag.short {
            assert_eq!(flags(&[&format!("-{short}"), value]), two_words, "-{short}");
        }
    }
}

#[test]
fn free_text_may_be_empty_or_begin_with_a_dash() {
    for flag in accepted()
        .into_iter()
        .filter(|flag| matches!(flag.fills, Fills::Text(_) | Fills::Words(_)))
    {
        let long = format!("--{}", flag.name);
        let [empty, dash] = [flags(&[&format!("{long}=")]), flags(&[&format!("{long}=-x")])];
        assert_ne!(empty, Flags::default(), "{long}=");
        assert_ne!(dash, empty, "{long}=-x");
        if matches!(flag.takes, Takes::One(_)) {
            assert_eq!(flags(&[&long, ""]), empty, "{long} \"\"");
            assert_eq!(flags(&[&long, "-x"]), dash, "{long} -x");
        }
    }
}

#[test]
fn given_and_empty_differs_from_not_given() {
    for args in [&["--tools", ""][..], &["--tools="]] {
        assert_eq!(flags(args).tools, Some(vec![]), "{args:?}");
    }
    for args in [&["--setting-sources", ""][..], &["--setting-sources="]] {
        assert_eq!(flags(args).setting_sources, Some(vec![]), "{args:?}");
    }
    assert_eq!(flags(&["--system-prompt", ""]).system_prompt.as_deref(), Some(""));
    assert_eq!(flags(&["--resume"]).resume.as_deref(), Some(""));
    assert_eq!(flags(&[]), Flags::default());
}

#[test]
fn last_value_counts_and_lists_grow() {
    let twice = flags(&["--model", "a", "--verbose", "--model=b", "--verbose"]);
    assert_eq!((twice.model.as_deref(), twice.verbose), (Some("b"), true));
    let lists = flags(&[
        "--add-dir",
        "a",
        "b",
        "--allowed-tools=Read",
        "--add-dir=c",
        "--allowedTools",
        "Edit",
    ]);
    assert_eq!(lists.add_dir, ["a", "b", "c"]);
    assert_eq!(lists.allowed_tools, ["Read", "Edit"]);
    assert_eq!(
        flags(&["--setting-sources=user", "--setting-sources="]).setting_sources,
        Some(vec![])
    );
}

#[test]
fn words_that_are_no_flags_are_the_prompt() {
    for (args, prompt) in [
        (&["fix the bug"][..], Some("fix the bug")),
        (&["fix", "the", "bug"], Some("fix the bug")),
        (&["-p", "ping"], Some("ping")),
        (&["ping", "--print"], Some("ping")),
        (&["-p", "--", "--not-a-flag"], Some("--not-a-flag")),
        (&["-p", "doctor"], Some("doctor")),
        (&["please", "sim"], Some("please sim")),
        (&["--allowedTools=Bash", "ping"], Some("ping")),
        (&["--allowedTools", "Bash", "Read"], None),
        (&["-p", ""], Some("")),
        (&["-p"], None),
    ] {
        assert_eq!(flags(args).prompt.as_deref(), prompt, "{args:?}");
    }
}

#[test]
fn subcommands() {
    let script = || "a.json".to_owned();
    assert_eq!(flags(&["doctor"]).subcommand, Some(Subcommand::Doctor));
    assert_eq!(
        flags(&["sim", "model", "a.json"]).subcommand,
        Some(Subcommand::Sim(Sim::Model { script: script() }))
    );
    assert_eq!(
        flags(&["sim", "agent", "a.json"]).subcommand,
        Some(Subcommand::Sim(Sim::Agent { script: script() }))
    );
    assert!(flags(&["sim", "--help"]).help);
    assert_eq!(
        flags(&["plugins", "validate", "p", "--strict"]).subcommand,
        Some(Subcommand::Plugin(Plugin::Validate {
            path: "p".to_owned(),
            strict: true,
            json: false,
        }))
    );
    assert_eq!(
        flags(&["plugin", "list", "--json"]).subcommand,
        Some(Subcommand::Plugin(Plugin::List { json: true }))
    );
    for (args, text) in [
        (&["auth", "status"][..], false),
        (&["auth", "status", "--json"], false),
        (&["auth", "status", "--text"], true),
    ] {
        assert_eq!(flags(args).subcommand, Some(Subcommand::AuthStatus { text }));
    }
    for args in [
        &["plugin"][..],
        &["plugin", "validate"],
        &["plugin", "nothing"],
        &["auth"],
        &["mcp"],
    ] {
        let error = read(args).unwrap_err();
        assert!(error.hint.unwrap().ends_with("--help"), "{args:?}: {}", error.message);
    }
    for args in [&["sim"][..], &["sim", "model"], &["sim", "nothing", "a.json"]] {
        assert!(
            read(args)
                .unwrap_err()
                .hint
                .unwrap()
                .contains("sluice sim model SCRIPT"),
            "{args:?}"
        );
    }
}

#[test]
fn a_host_without_print_is_not_a_person() {
    let stream = [
        "--output-format",
        "stream-json",
        "--verbose",
        "--input-format",
        "stream-json",
    ];
    assert!(!flags(&stream).interactive());
    assert!(!flags(&["-p", "ping"]).interactive());
    assert!(flags(&["ping"]).interactive());
}

#[test]
fn version_is_known_without_the_table() {
    for (args, asked) in [
        (&["-v"][..], true),
        (&["--version"], true),
        (&[], false),
        (&["-p", "-v"], false),
    ] {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        assert_eq!(asks_version(&args), asked, "{args:?}");
    }
    assert!(flags(&["--verbose", "-v"]).version);
    let line = version_line();
    assert!(line.starts_with("2.1.326 (Sluice ") && line.ends_with(')'), "{line}");
}

#[test]
fn modes_are_kept_in_the_spelling_of_the_wire() {
    for (said, kept) in [
        ("manual", "default"),
        ("default", "default"),
        ("acceptEdits", "acceptEdits"),
        ("auto", "auto"),
    ] {
        assert_eq!(
            flags(&["--permission-mode", said]).permission_mode.as_deref(),
            Some(kept)
        );
    }
}

#[test]
fn bad_command_lines() {
    let id = "0b5bd1ea-6b0f-4d0c-9d4f-0f3f7c1f4a11";
    for (args, message) in [
        (
            &["-p", "ping", "--nonsense-flag"][..],
            "unknown option '--nonsense-flag'",
        ),
        (
            &["--permission-mode", "delegate"],
            "option '--permission-mode <mode>' argument 'delegate' is invalid",
        ),
        (
            &["--permission-mode="],
            "option '--permission-mode <mode>' argument '' is invalid",
        ),
        (
            &["--output-format", "xml"],
            "option '--output-format <format>' argument 'xml' is invalid",
        ),
        (
            &["--max-turns", "many"],
            "option '--max-turns <n>' argument 'many' is invalid",
        ),
        (&["--max-turns=-1"], "option '--max-turns <n>' argument '-1' is invalid"),
        (
            &["--max-budget-usd", "inf"],
            "option '--max-budget-usd <amount>' argument 'inf' is invalid",
        ),
        (
            &["--max-budget-usd", "0"],
            "option '--max-budget-usd <amount>' argument '0' is invalid",
        ),
        (&["--setting-sources", "user,moon"], "invalid setting source: moon"),
        (
            &["-c", "--resume-session-at", "x"],
            "--resume-session-at requires --resume",
        ),
        (&["--model"], "option '--model <name>' argument missing"),
        (
            &["serve", "--port", "99999"],
            "option '--port <N>' argument '99999' is invalid",
        ),
        (
            &["serve", "--retain", "-1"],
            "option '--retain <DAYS>' argument '-1' is invalid",
        ),
        (
            &["serve", "--log-format", "xml"],
            "option '--log-format <FORMAT>' argument 'xml' is invalid",
        ),
        (&["completions", "tcsh"], "option '<SHELL>' argument 'tcsh' is invalid"),
        (&["--add-dir"], "option '--add-dir <folders>...' argument missing"),
        (
            &["-p", "--input-format", "stream-json"],
            "--input-format=stream-json requires --output-format=stream-json",
        ),
        (
            &["-p", "ping", "--replay-user-messages"],
            "--replay-user-messages requires both --input-format=stream-json and --output-format=stream-json",
        ),
        (
            &["-p", "ping", "--include-partial-messages"],
            "--include-partial-messages requires --output-format=stream-json",
        ),
        (
            &["-p", "ping", "--output-format", "stream-json"],
            "--output-format=stream-json requires --verbose",
        ),
        (
            &["-p", "ping", "--session-id", "nope"],
            "invalid session ID: it must be a UUID",
        ),
        (
            &["--session-id", "0b5bd1ea6b0f4d0c9d4f0f3f7c1f4a11"],
            "invalid session ID: it must be a UUID",
        ),
        (
            &["--session-id", id, "--resume", "x"],
            "--session-id can only be used with --continue or --resume if --fork-session is given too",
        ),
        (
            &["--session-id", id, "-c"],
            "--session-id can only be used with --continue or --resume if --fork-session is given too",
        ),
        (
            &["--mcp-config", "{bad"],
            "invalid MCP configuration: key must be a string at line 1 column 2",
        ),
    ] {
        assert_eq!(complaint(args), message, "{args:?}");
    }
}

#[test]
fn good_command_lines() {
    let id = "0b5bd1ea-6b0f-4d0c-9d4f-0f3f7c1f4a11";
    for args in [
        &[][..],
        &["--session-id", id, "--resume=x", "--fork-session"],
        &["--mcp-config", r#"{"mcpServers":{}}"#, "servers.json"],
        &["--max-turns", "0"],
        &[
            "--output-format=stream-json",
            "--verbose",
            "--input-format=stream-json",
            "--replay-user-messages",
        ],
        &["-p", "ping", "--output-format", "json", "--verbose"],
    ] {
        assert_eq!(flags(args).validate(), Ok(()), "{args:?}");
    }
}

#[test]
fn a_misspelled_flag_gets_a_suggestion() {
    assert_eq!(
        read(&["--modle", "x"]).unwrap_err().hint.as_deref(),
        Some("did you mean '--model'?")
    );
    assert_eq!(read(&["--nonsense-flag"]).unwrap_err().to_string().lines().count(), 2);
}

#[test]
fn rules_are_not_split_inside_parentheses() {
    let rules = flags(&[
        "--allowedTools",
        "Read,Edit(a, b)",
        "Bash(git log:*) Write",
        "--tools=Bash,Read Edit",
    ]);
    assert_eq!(rules.allowed_tools, ["Read", "Edit(a, b)", "Bash(git log:*)", "Write"]);
    assert_eq!(
        rules.tools,
        Some(vec!["Bash".to_owned(), "Read".to_owned(), "Edit".to_owned()])
    );
}

#[test]
fn the_usage_of_a_subcommand_is_what_to_type() {
    for (args, usage) in [
        (&["serve", "--help"][..], "Usage: sluice serve "),
        (&["mcp", "add", "--help"][..], "Usage: sluice mcp add "),
        (&["doctor", "--help"][..], "Usage: sluice doctor "),
    ] {
        let help = flags(args).help_of.unwrap();
        assert!(help.contains(usage), "{help}");
    }
}

#[test]
fn help_has_one_line_for_each_flag_people_say() {
    const WIDEST: usize = 112;
    let help = help();
    for flag in table::flags() {
        let line = format!("--{} ", flag.name);
        let said = |text: &&str| text.get(6..).is_some_and(|text| format!("{text} ").starts_with(&line));
        let lines = help.lines().filter(said).count();
        assert_eq!(lines, usize::from(!flag.hidden), "--{}", flag.name);
    }
    for group in GROUPS {
        assert!(help.contains(group.name), "{}", group.name);
    }
    assert!(help.contains("doctor") && help.contains("PROMPT"));
    for line in help.lines() {
        assert!(line.chars().count() <= WIDEST, "{line}");
    }
}

#[test]
fn unsupported_flags_are_refused_with_an_alternative() {
    for flag in table::flags() {
        let Fills::Refused(instead) = flag.fills else { continue };
        let long = format!("--{}", flag.name);
        for args in [vec![long.as_str()], vec![long.as_str(), "x"]] {
            if flag.takes != Takes::Nothing && args.len() == 1 && !matches!(flag.takes, Takes::Maybe(_)) {
                continue;
            }
            let error = read(&args).unwrap_err();
            assert_eq!(error.message, format!("{long} is not available here"), "{args:?}");
            assert_eq!(error.hint.as_deref(), Some(instead), "{args:?}");
        }
    }
}

#[test]
fn enumerated_values_are_checked() {
    for (args, expected) in [
        (
            ["--prompt-suggestions=maybe"],
            "option '--prompt-suggestions [on|off]' argument 'maybe' is invalid",
        ),
        (
            ["--system-prompt-snapshot=maybe"],
            "option '--system-prompt-snapshot <on|off>' argument 'maybe' is invalid",
        ),
        (
            ["--permission-prompts=me"],
            "option '--permission-prompts <host|none>' argument 'me' is invalid",
        ),
        (
            ["--autocompact=5"],
            "option '--autocompact <auto|tokens>' argument '5' is invalid",
        ),
    ] {
        assert_eq!(complaint(&args), expected);
    }
    let alone = flags(&["--prompt-suggestions"]);
    assert_eq!(alone.prompt_suggestions.as_deref(), Some("true"));
}

#[test]
fn a_window_is_tokens_in_any_unit() {
    let window = |text: &str| Window::read(text);
    assert_eq!(window("auto"), Some(Window::Auto));
    for text in ["200k", "200K", "200", "200000"] {
        assert_eq!(window(text), Some(Window::Tokens(200_000)), "{text}");
    }
    assert_eq!(window("1M"), Some(Window::Tokens(1_000_000)));
    for text in [
        "",
        "5",
        "99k",
        "2M",
        "-1",
        "k",
        "1.5m",
        "99999999999999999999",
        "18446744073709551615m",
    ] {
        assert_eq!(window(text), None, "{text}");
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = table::flags()
        .flat_map(|flag| flag.aliases.iter().copied().chain([flag.name]))
        .collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

proptest! {
    /// The order and form of flags do not matter.
    #[test]
    fn order_and_form_do_not_matter(
        chosen in subsequence((0..accepted().len()).collect::<Vec<_>>(), 0..=accepted().len()),
        order in prop::collection::vec(any::<Index>(), accepted().len()),
        joined in prop::collection::vec(any::<bool>(), accepted().len()),
        prompt in prop::option::of("[a-z][a-z ]{0,12}"),
    ) {
        let words = |position: usize, joined: bool| {
            let flag = accepted()[position];
            let long = format!("--{}", flag.name);
            match flag.takes {
                Takes::Nothing => vec![long],
                _ if joined => vec![format!("{long}={}", sample(flag))],
                _ => vec![long, sample(flag).to_owned()],
            }
        };
        let line = |flags: Vec<Vec<String>>| {
            let tail = prompt.iter().flat_map(|prompt| ["--".to_owned(), prompt.clone()]);
            parse(flags.into_iter().flatten().chain(tail).map(OsString::from))
        };
        let plain = line(chosen.iter().map(|&position| words(position, true)).collect());
        let mut rest = chosen.clone();
        let mut shuffled = Vec::new();
        for index in order.iter().take(chosen.len()) {
            let position = rest.remove(index.index(rest.len()));
            shuffled.push(words(position, joined[position]));
        }
        prop_assert_eq!(line(shuffled)?, plain?);
    }

    /// Any arguments result in flags or in one error.
    #[test]
    fn any_words_are_answered(words in prop::collection::vec("-{0,2}[a-z=,()]{0,12}", 0..8)) {
        match parse(words.iter().map(OsString::from)) {
            Ok(flags) => { flags.validate().ok(); }
            Err(error) => prop_assert!(!error.message.is_empty() && !error.message.contains('\n'), "{}", error),
        }
    }
}
