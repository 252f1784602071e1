//! The decision about a tool depends on what it declares to touch, not on its name.

use std::path::Path;

use serde_json::{Value, json};
use sluice_permission::{Call, Decision, ToolFacts, Touches, Verdict, decide};

use crate::world::{World, tool, world};

const NEW: &str = "Stamp";

fn of(world: &World, touches: Touches, input: &Value) -> Decision {
    let facts = ToolFacts {
        touches,
        aliases: &["OldStamp"],
        ..ToolFacts::unknown(NEW)
    };
    decide(&world.policy, &Call::new(facts, input, Path::new("/w")), &world.links)
}

fn edit(world: &World, path: &str) -> Decision {
    of(world, Touches::Edits { path: "target" }, &json!({"target": path}))
}

fn read(world: &World, path: &str) -> Decision {
    of(world, Touches::Reads { path: "target" }, &json!({"target": path}))
}

/// All but what the tool is called and how its own name is used in sentences.
fn same(one: &Decision, other: &Decision) -> bool {
    (one.behavior, &one.suggestions, &one.blocked_path) == (other.behavior, &other.suggestions, &other.blocked_path)
        && one.reason.kind == other.reason.kind
}

#[test]
fn a_new_tool_that_edits_is_decided_about_as_edit_is() {
    let paths = [
        "/w/a",
        "/w/.git/config",
        "/etc/passwd",
        "/home/u/.bashrc",
        "/w/link/x",
        "/w/src/a.rs",
    ];
    let modes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"];
    let rules: [fn(World) -> World; 6] = [
        |world| world,
        |world| world.deny("Edit(src/**)"),
        |world| world.deny("Read(src/**)"),
        |world| world.ask("Write(src/**)"),
        |world| world.allow("Edit(/src/**)"),
        |world| world.link("/w/link", "/etc"),
    ];
    for path in paths {
        for mode in modes {
            for rule in rules {
                let world = rule(world().mode(mode));
                let known = world.call("Edit", &json!({"file_path": path}));
                let new = edit(&world, path);
                assert!(
                    same(&new, &known),
                    "{path} {mode} {:?}: {new:?} {known:?}",
                    world.policy.rules
                );
            }
        }
    }
    assert_eq!(edit(&world(), "/w/a").behavior, Verdict::Ask);
    assert_eq!(edit(&world().mode("acceptEdits"), "/w/a").behavior, Verdict::Allow);
    assert_eq!(edit(&world().mode("plan"), "/w/a").behavior, Verdict::Ask);
    assert_eq!(
        edit(&world().mode("acceptEdits"), "/w/.git/config").behavior,
        Verdict::Ask
    );
    assert_eq!(edit(&world().deny("Edit(a)"), "/w/a").behavior, Verdict::Deny);
}

#[test]
fn a_new_tool_that_reads_is_decided_about_as_read_is() {
    for path in ["/w/a", "/etc/passwd", "/w/src/a.rs", "/home/u/.ssh/id"] {
        for mode in ["default", "plan", "dontAsk", "bypassPermissions"] {
            let worlds = [
                world(),
                world().deny("Read(src/**)"),
                world().allow("Read(//etc/**)"),
                world().ask("Read(a)"),
            ];
            for world in worlds.map(|world| world.mode(mode)) {
                let known = world.read(path);
                let new = read(&world, path);
                assert!(
                    same(&new, &known),
                    "{path} {mode} {:?}: {new:?} {known:?}",
                    world.policy.rules
                );
            }
        }
    }
}

#[test]
fn rules_may_be_written_with_the_name_of_the_tool_or_an_older_one() {
    for name in [NEW, "OldStamp"] {
        let secret = format!("{name}(secret/**)");
        assert_eq!(
            edit(&world().mode("acceptEdits").deny(&secret), "/w/secret/a").behavior,
            Verdict::Deny
        );
        assert_eq!(
            edit(&world().mode("acceptEdits").ask(&secret), "/w/secret/a").behavior,
            Verdict::Ask
        );
        assert_eq!(
            edit(&world().mode("acceptEdits").deny(&secret), "/w/a").behavior,
            Verdict::Allow
        );
        assert_eq!(
            edit(&world().mode("acceptEdits").deny(name), "/w/a").behavior,
            Verdict::Deny
        );
        assert_eq!(edit(&world().allow(name), "/w/a").behavior, Verdict::Allow);
        // As of `Write(…)`: paths are allowed by `Edit(…)`.
        assert_eq!(edit(&world().allow(&secret), "/w/secret/a").behavior, Verdict::Ask);
    }
}

#[test]
fn every_shell_is_held_against_the_rules_for_bash() {
    let shell = |world: &World, command: &str, sandbox| {
        let touches = Touches::Shell {
            command: "line",
            sandbox,
        };
        of(world, touches, &json!({"line": command})).behavior
    };
    assert_eq!(shell(&world(), "ls", None), Verdict::Allow);
    assert_eq!(shell(&world(), "make x", None), Verdict::Ask);
    assert_eq!(shell(&world().deny("Bash"), "ls", None), Verdict::Deny);
    assert_eq!(shell(&world().deny("Bash(ls:*)"), "ls", None), Verdict::Deny);
    assert_eq!(shell(&world().ask("Bash"), "ls", None), Verdict::Ask);
    assert_eq!(shell(&world().deny(NEW), "ls", None), Verdict::Deny);
    assert_eq!(shell(&world().allow("Bash(make:*)"), "make x", None), Verdict::Allow);
    // A sandbox answers only for what runs in it.
    let mut confined = world();
    confined.policy.sandboxed = true;
    assert_eq!(shell(&confined, "make x", None), Verdict::Ask);
    assert_eq!(shell(&confined, "make x", Some("outside")), Verdict::Allow);
}

#[test]
fn every_tool_that_fetches_is_held_against_the_rules_for_hosts() {
    let fetch = |world: &World| of(world, Touches::Fetches { url: "at" }, &json!({"at": "https://a.com/x"})).behavior;
    assert_eq!(fetch(&world()), Verdict::Ask);
    assert_eq!(fetch(&world().allow("WebFetch(domain:a.com)")), Verdict::Allow);
    assert_eq!(
        fetch(&world().mode("bypassPermissions").deny("WebFetch(domain:a.com)")),
        Verdict::Deny
    );
    assert_eq!(fetch(&world().mode("bypassPermissions").ask(NEW)), Verdict::Ask);
}

#[test]
fn a_tool_that_says_nothing_about_itself_is_asked_about() {
    assert_eq!(Touches::default(), Touches::Anything);
    for name in ["Edit", "Read", "Bash", "TodoWrite", "Agent", "mcp__x__read", NEW] {
        let input = json!({"file_path": "/w/a", "command": "ls"});
        for mode in ["default", "acceptEdits", "plan", "auto"] {
            let world = world().mode(mode);
            let call = Call::new(ToolFacts::unknown(name), &input, Path::new("/w"));
            assert_eq!(
                decide(&world.policy, &call, &world.links).behavior,
                Verdict::Ask,
                "{name} {mode}"
            );
        }
    }
    assert_eq!(tool("NoSuchTool").touches, Touches::Anything);
}
