//! What a host is offered, by value.

use serde_json::{Value, json};
use sluice_permission::{Decision, ReasonKind, Verdict};

use crate::world::{World, world};

pub(crate) fn offered(decision: &Decision) -> Value {
    assert_eq!(decision.behavior, Verdict::Ask, "{decision:?}");
    match &decision.suggestions {
        None => json!("absent"),
        Some(list) => serde_json::to_value(list).unwrap(),
    }
}

fn rule(content: &str) -> Value {
    json!({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":content}],"behavior":"allow","destination":"localSettings"})
}

fn read(content: &str) -> Value {
    json!({"type":"addRules","rules":[{"toolName":"Read","ruleContent":content}],"behavior":"allow","destination":"session"})
}

fn dirs(directory: &str) -> Value {
    json!({"type":"addDirectories","directories":[directory],"destination":"session"})
}

fn edits() -> Value {
    json!({"type":"setMode","mode":"acceptEdits","destination":"session"})
}

#[track_caller]
pub(crate) fn line(world: &World, command: &str, want: Value, blocked: Option<&str>, kind: Option<ReasonKind>) {
    let decision = world.bash(command);
    assert_eq!(offered(&decision), want, "{command}");
    assert_eq!(
        decision.blocked_path.as_deref().and_then(|p| p.to_str()),
        blocked,
        "{command}"
    );
    assert_eq!(decision.reason.kind, kind, "{command}");
}

#[test]
fn a_command_nobody_knows() {
    let w = world();
    for (command, content) in [
        ("npm run build", "npm run *"),
        ("npm run test -- -x", "npm run *"),
        ("npm install", "npm install *"),
        ("git commit -m x", "git commit *"),
        ("git statusx", "git statusx *"),
        ("gitx", "gitx"),
        ("nosuchcmd_zz", "nosuchcmd_zz"),
        ("export ZZ=1", "export ZZ=1"),
        ("aaa b c", "aaa b *"),
        ("aaa", "aaa"),
        ("python3 -c 'print(1)'", "python3 -c 'print(1)'"),
        ("bash -c \"aaa b\"", "bash -c \"aaa b\""),
        ("sudo ls", "sudo ls"),
        ("git -C /tmp status", "git -C /tmp status"),
        ("curl http://127.0.0.1:9/", "curl http://127.0.0.1:9/"),
        ("xargs git status", "xargs git status"),
        ("npx vitest run", "npx vitest run"),
        ("docker run alpine", "docker run alpine"),
        ("docker run --rm x", "docker run --rm x"),
        ("node server", "node server"),
        ("./run.sh a b", "./run.sh a *"),
        ("./run.sh", "./run.sh"),
        ("/usr/local/bin/foo bar x", "/usr/local/bin/foo bar *"),
        ("/usr/bin/env foo", "/usr/bin/env foo"),
        ("./node_modules/.bin/python3 foo", "./node_modules/.bin/python3 foo"),
        ("cargo run --bin x", "cargo run *"),
        ("tee", "tee"),
    ] {
        line(&w, command, json!([rule(content)]), None, Some(ReasonKind::Other));
    }
}

#[test]
fn files_in_the_project() {
    let w = world();
    line(
        &w,
        "touch p.txt",
        json!([rule("touch p.txt"), dirs("/w"), edits()]),
        Some("/w/p.txt"),
        None,
    );
    line(
        &w,
        "touch plain",
        json!([rule("touch plain *"), dirs("/w"), edits()]),
        Some("/w/plain"),
        None,
    );
    line(
        &w,
        "mkdir d1",
        json!([rule("mkdir d1 *"), dirs("/w"), edits()]),
        Some("/w/d1"),
        None,
    );
    line(
        &w,
        "sleep 5; touch late.txt",
        json!([rule("sleep 5; touch late.txt"), dirs("/w"), edits()]),
        Some("/w/late.txt"),
        None,
    );
    line(
        &w,
        "touch p1.txt; echo one",
        json!([rule("touch p1.txt; echo one"), dirs("/w"), edits()]),
        Some("/w/p1.txt"),
        None,
    );
    line(
        &w,
        "rm -rf /tmp/xyz_q",
        json!([rule("rm -rf /tmp/xyz_q"), dirs("/tmp"), edits()]),
        Some("/tmp/xyz_q"),
        None,
    );
    line(
        &w,
        "touch /lab/ext/t",
        json!([rule("touch /lab/ext/t"), dirs("/lab/ext"), edits()]),
        Some("/lab/ext/t"),
        None,
    );
    let some = world().allow("Bash(touch:*)");
    line(
        &some,
        "touch p3.txt && mkdir d3",
        json!([rule("touch p3.txt && mkdir d3"), dirs("/w"), edits()]),
        Some("/w/d3"),
        None,
    );
}

#[test]
fn tee_writes_the_files_it_names() {
    let w = world();
    for (command, blocked) in [
        ("tee out.txt < a.txt", "/w/out.txt"),
        ("tee -a out.txt < a.txt", "/w/out.txt"),
        ("echo hi | tee out.txt", "/w/out.txt"),
        ("tee --append out.txt /dev/stderr", "/w/out.txt"),
    ] {
        let offer = json!([rule(command), dirs("/w"), edits()]);
        line(&w, command, offer, Some(blocked), None);
        world().mode("acceptEdits").allows(command);
    }
    line(
        &w,
        "tee /lab/x < a.txt",
        json!([rule("tee /lab/x < a.txt"), dirs("/lab"), edits()]),
        Some("/lab/x"),
        None,
    );
    for command in ["tee .git/config < a.txt", "tee -a /home/u/.bashrc"] {
        world().mode("acceptEdits").allow("Bash(tee:*)").asks(command);
    }
    world().deny("Edit(out.txt)").denies("echo hi | tee out.txt");
    world().allow("Bash(tee:*)").asks("echo hi | tee /lab/x");
    // The text it stores runs later.
    world()
        .mode("acceptEdits")
        .deny("Bash(zap:*)")
        .asks("echo zap x | tee run.sh");
}

/// Accepting edits alone would not let it run: the other folder is what is in the way.
#[test]
fn a_file_that_is_copied_from_elsewhere() {
    let w = world();
    for (command, blocked) in [
        ("cp /etc/hostname b.txt", "/etc/hostname"),
        ("cp a.txt /etc/zz", "/etc/zz"),
        ("mv a.txt /etc/zz", "/etc/zz"),
    ] {
        let offer = json!([rule(command), dirs("/etc"), edits()]);
        line(&w, command, offer, Some(blocked), None);
    }
    line(
        &w,
        "cp a.txt b.txt",
        json!([rule("cp a.txt b.txt"), dirs("/w"), edits()]),
        Some("/w/a.txt"),
        None,
    );
}

#[test]
fn redirections() {
    let w = world().allow("Bash(aaa:*)");
    line(
        &w,
        "aaa x > out.txt",
        json!([rule("aaa x *"), dirs("/w")]),
        Some("/w/out.txt"),
        None,
    );
    line(
        &w,
        "echo hi > out.txt",
        json!([rule("echo hi *"), dirs("/w")]),
        Some("/w/out.txt"),
        None,
    );
    line(
        &w,
        "echo hi > /etc/zzz",
        json!([rule("echo hi *"), dirs("/etc")]),
        Some("/etc/zzz"),
        None,
    );
    line(
        &w,
        "cat a.txt > b.txt",
        json!([rule("cat a.txt > b.txt"), dirs("/w")]),
        Some("/w/b.txt"),
        None,
    );
}

#[test]
fn reads_outside() {
    let w = world();
    line(
        &w,
        "ls /etc",
        json!([rule("ls /etc"), read("//etc/**")]),
        Some("/etc"),
        None,
    );
    line(
        &w,
        "cat /etc/passwd",
        json!([rule("cat /etc/passwd"), read("//etc/**")]),
        Some("/etc/passwd"),
        None,
    );
    line(
        &w,
        "cd /etc && ls",
        json!([rule("cd /etc && ls"), read("//etc/**")]),
        Some("/etc"),
        None,
    );
    line(&w, "cd /", json!([]), Some("/"), None);
    line(&w, "cd / && ls", json!([]), Some("/"), None);
    line(&w, "ls /nonexistent_zz", json!([]), Some("/nonexistent_zz"), None);
}

#[test]
fn several_commands() {
    let w = world();
    let several = |contents: &[&str]| {
        let rules: Vec<Value> = contents
            .iter()
            .map(|c| json!({"toolName":"Bash","ruleContent":c}))
            .collect();
        json!([{"type":"addRules","rules":rules,"behavior":"allow","destination":"localSettings"}])
    };
    let parts = Some(ReasonKind::SubcommandResults);
    line(&w, "echo out; echo err >&2; exit 3", several(&["exit 3"]), None, parts);
    line(
        &w,
        "yes abcdefghij | head -c 3000000",
        several(&["yes abcdefghij *"]),
        None,
        parts,
    );
    line(
        &w,
        "mkdir d && touch d/x",
        several(&["mkdir d *", "touch d/x"]),
        None,
        parts,
    );
    line(
        &world().allow("Bash(aaa:*)"),
        "aaa x && bbb",
        several(&["bbb"]),
        None,
        parts,
    );
}

#[test]
fn file_tools() {
    let w = world();
    assert_eq!(offered(&w.write("/w/n.txt")), json!([edits()]));
    assert_eq!(w.write("/w/n.txt").reason.kind, None);
    let outside = w.write("/lab_no/n.txt");
    assert_eq!(offered(&outside), json!([edits(), dirs("/lab_no")]));
    assert_eq!(outside.reason.kind, Some(ReasonKind::WorkingDir));
    for path in ["/w/.claude/settings.json", "/w/.git/config"] {
        let decision = w.write(path);
        assert_eq!(offered(&decision), json!([edits()]));
        assert_eq!(decision.reason.kind, Some(ReasonKind::SafetyCheck));
    }
    assert_eq!(offered(&w.write("/home/u/.bashrc")), json!([edits(), dirs("/home/u")]));
    let read_out = w.read("/etc/hostname");
    assert_eq!(offered(&read_out), json!([read("//etc/**")]));
    assert_eq!(read_out.reason.kind, Some(ReasonKind::WorkingDir));
    let accepting = world().mode("acceptEdits");
    assert_eq!(offered(&accepting.write("/ext/n.txt")), json!([dirs("/ext")]));
    assert_eq!(offered(&accepting.write("/w/.mcp.json")), json!([]));
}

#[test]
fn the_web_and_servers() {
    let w = world();
    let fetch = w.call("WebFetch", &json!({"url":"https://docs.rs/x","prompt":"p"}));
    assert_eq!(
        offered(&fetch),
        json!([{"type":"addRules","rules":[{"toolName":"WebFetch","ruleContent":"domain:docs.rs"}],"behavior":"allow","destination":"localSettings"}])
    );
    let server = w.call("mcp__tiny__add", &json!({}));
    assert_eq!(
        offered(&server),
        json!([{"type":"addRules","rules":[{"toolName":"mcp__tiny__add"}],"behavior":"allow","destination":"localSettings"}])
    );
}

#[test]
fn what_is_offered_is_enough() {
    use sluice_permission::{Lexical, apply};
    for command in [
        "npm run build",
        "touch p.txt",
        "mkdir d && touch d/x",
        "cat /etc/passwd",
        "ls /etc",
        "git commit -m x",
        "python3 -c 'print(1)'",
        "cd /etc && ls",
        "touch /lab/ext/t",
        "echo out; exit 3",
        "yes a | head -c 3",
        "sudo ls",
        "FOO=1 git status",
        "echo hi | tee out.txt",
        "cp /etc/hostname b.txt",
        "./run.sh a b",
        "node -e 'console.log(1)'",
        "python3 - < a.py",
        "echo 'print(1)' | python3",
        "ls && perl -e 'print 1'",
        "bash -c 'aaa b'",
    ] {
        // Whatever else is denied: who said "always" is not asked again.
        let denying = [
            world(),
            world().deny("Read(secret/**)"),
            world().deny("Bash(zap:*)"),
            world()
                .deny("Read(secret/**)")
                .deny("Bash(zap:*)")
                .ask("Edit(other/**)"),
        ];
        for mut w in denying {
            let decision = w.bash(command);
            let offer = decision.suggestions.clone().unwrap_or_default();
            assert!(!offer.is_empty(), "{command}: {decision:?}");
            for update in offer {
                apply(&mut w.policy, &update, &|_| "/w".into(), &Lexical).unwrap();
            }
            w.allows(command);
        }
    }
}

#[test]
fn a_rule_for_a_language_is_kept_to_beside_rules_that_deny() {
    for deny in ["Read(secret/**)", "Bash(zap:*)"] {
        let w = || {
            world()
                .allow("Bash(python3:*)")
                .allow("Bash(node *)")
                .allow("Bash(echo:*)")
                .deny(deny)
        };
        for command in [
            "python3 -c 'print(2)'",
            "python3 s.py",
            "node -e 'console.log(1)'",
            "python3 - < s.py",
            "echo 'print(1)' | python3",
            "timeout 5 python3 -c 'print(2)'",
        ] {
            w().allows(command);
        }
        // A trusted language does not hide a denied program.
        for command in [
            "python3 -c 'print(open(\"secret/k\").read())'",
            "python3 secret/k.py",
            "python3 -c 'print(1)' && cat secret/k",
        ] {
            world().allow("Bash(python3:*)").deny("Read(secret/**)").stops(command);
        }
        for command in [
            "python3 -c 'import os; os.system(\"zap x\")'",
            "echo 'import os; os.system(\"zap\")' | python3",
            "python3 -c 'print(1)'; zap",
        ] {
            world()
                .allow("Bash(python3:*)")
                .allow("Bash(echo:*)")
                .deny("Bash(zap:*)")
                .stops(command);
        }
        // A rule for everything, or for a program that can also run text, does not cover text.
        for (allow, command) in [
            ("Bash", "python3 -c 'print(2)'"),
            ("Bash(*)", "python3 -c 'print(2)'"),
            ("Bash(ruby:*)", "python3 -c 'print(2)'"),
            ("Bash(bash:*)", "bash -c 'aaa'"),
            ("Bash(tar:*)", "tar xf x --to-command=aaa"),
            ("Bash(awk:*)", "awk 'BEGIN{system(\"aaa\")}'"),
            ("Bash(make:*)", "make --eval='x:;aaa'"),
        ] {
            let w = world().allow(allow).deny(deny);
            assert_eq!(offered(&w.bash(command)), json!([rule(command)]), "{allow}");
            w.allow(&format!("Bash({command})")).allows(command);
        }
        world()
            .allow("Bash(git:*)")
            .deny(deny)
            .asks("git -c core.pager=aaa status");
    }
}
