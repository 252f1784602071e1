//! Deny rules enforced by the kernel: in the sandbox, and in `bypassPermissions` mode without one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Call, Guard, STREAM, outcomes};
use crate::binary::Ran;

/// Returns settings with these deny rules and one kind of sandbox.
fn sandboxed(kind: &str, deny: &[&str]) -> Value {
    let mut sandbox = json!({"enabled": true, "autoAllowBashIfSandboxed": true});
    if kind == "landlock" {
        // A bubblewrap that does not work, so that Landlock is used.
        sandbox["bwrapPath"] = json!("/bin/false");
    }
    json!({"sandbox": sandbox, "permissions": {"deny": deny}})
}

fn run(guard: &Guard, settings: &Value, args: &[&str]) -> Vec<Call> {
    let settings = settings.to_string();
    let flags: Vec<&str> = STREAM
        .iter()
        .chain(args)
        .copied()
        .chain(["--settings", &settings, "hi"])
        .collect();
    let mut command = guard.lab.command(&flags);
    command.env("IS_SANDBOX", "1").stdin(Stdio::null());
    outcomes(&Ran::from(command.output().unwrap()))
}

/// True if this kind of sandbox does not work here; prints a message.
#[allow(clippy::print_stderr)]
fn lacks(kind: &str, calls: &[Call]) -> bool {
    let lacking = calls.iter().any(|call| call.text.contains("none works here"));
    assert!(
        !lacking || std::env::var("SLUICE_REQUIRE_SANDBOX").as_deref() != Ok("1"),
        "no {kind} here"
    );
    if lacking {
        eprintln!("skipped: {kind} does not work here");
    }
    lacking
}

const SCRIPT: &str = r#"
import os, sys
for name in sys.argv[1:]:
    try:
        print("read", name, open(name).read().strip())
    except OSError as error:
        print("failed", name)
def write(name):
    try:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        open(name, "w").write("new")
    except OSError:
        pass
for name in ["locked/x", "unborn/x", "src/gen/made.rs"]:
    write(name)
"#;

const RULES: [&str; 5] = [
    "Read(./.env)",
    "Read(**/*.pem)",
    "Edit(./locked/**)",
    "Edit(./unborn/**)",
    "Edit(/src/gen/*.rs)",
];

fn project(guard: &Guard) {
    guard.write("src/s.py", format!("{NAMES}{SCRIPT}"));
    guard.write(".env", "secret one");
    guard.write("src/deep/key.pem", "secret two");
    guard.write("src/plain", "plain");
    guard.write("locked/x", "old");
    guard.write("src/gen/made.rs", "old");
    guard.link("src/link", "../.env");
}

fn check(guard: &Guard, what: &str, call: &Call) {
    assert!(!call.text.contains("secret"), "{what}: {}", call.text);
    assert!(call.text.contains("read src/plain plain"), "{what}: {}", call.text);
    for name in ["locked/x", "src/gen/made.rs"] {
        let text = fs::read_to_string(guard.lab.work().join(name)).unwrap();
        assert_eq!(text, "old", "{what}: {name}");
    }
    assert!(!guard.lab.has("unborn/x"), "{what}");
}

/// The script assembles the file names at run time, so the analysis cannot see them.
const NAMES: &str = "import sys\nsys.argv[1:] = ['.e' + 'nv', 'src/deep/key.p' + 'em', 'src/link', 'src/plain']\n";

#[test]
fn deny_rules_hold_inside_the_sandbox() {
    for kind in ["bubblewrap", "landlock"] {
        let guard = Guard::new(&["python3 src/s.py"]);
        project(&guard);
        // In this mode the analysis is the least strict.
        let calls = run(
            &guard,
            &sandboxed(kind, &RULES),
            &["--permission-mode", "bypassPermissions"],
        );
        if !lacks(kind, &calls) {
            check(&guard, kind, &calls[0]);
        }
    }
}

/// Creates a program that leaves a trace in a folder of the search path outside of the project.
fn program(guard: &Guard, name: &str) -> String {
    let folder = guard.lab.home().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(
        &path,
        format!("#!/bin/sh\ntouch '{}'\n", guard.beside("trace").display()),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

fn bypassing(guard: &Guard, path: &str, deny: &[&str]) -> Vec<Call> {
    let settings = json!({"permissions": {"deny": deny}}).to_string();
    let flags: Vec<&str> = STREAM
        .iter()
        .copied()
        .chain(["--permission-mode", "bypassPermissions", "--settings", &settings, "hi"])
        .collect();
    let mut command = guard.lab.command(&flags);
    command.env("IS_SANDBOX", "1").env("PATH", path).stdin(Stdio::null());
    outcomes(&Ran::from(command.output().unwrap()))
}

/// True if the kernel cannot enforce rules here, because bubblewrap does not work.
#[allow(clippy::print_stderr)]
fn unenforced() -> bool {
    let works = std::process::Command::new("bwrap")
        .args(["--dev-bind", "/", "/", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !works {
        assert!(
            std::env::var("SLUICE_REQUIRE_SANDBOX").as_deref() != Ok("1"),
            "no bubblewrap here"
        );
        eprintln!("skipped: bubblewrap does not work here");
    }
    !works
}

/// The line assembles the names of these programs at run time, so the analysis cannot see them.
#[test]
fn a_denied_program_does_not_run_in_bypass_mode_however_it_is_hidden() {
    if unenforced() {
        return;
    }
    for line in [
        "python3 src/hide.py",
        "python3 src/hide.py linked",
        "python3 src/hide.py through",
        "make -f src/rules",
    ] {
        let guard = Guard::new(&[line]);
        let path = program(&guard, "zap");
        let bin = guard.lab.home().join("bin");
        std::os::unix::fs::symlink("zap", bin.join("linked")).unwrap();
        guard.write(
            "src/hide.py",
            "import subprocess, sys\nname = ''.join(reversed('paz')) if len(sys.argv) < 2 else sys.argv[1]\n\
             if name == 'through':\n    import os, glob\n    name = '/proc/%d/root%s/za' % (os.getppid(), os.environ['PATH'].split(':')[0]) + 'p'\n\
             subprocess.run([name])\n",
        );
        guard.write("src/rules", "X = za\nall:\n\t$(X)p\n");
        let calls = bypassing(&guard, &path, &["Bash(zap:*)"]);
        assert!(!guard.sprung(), "{line}: {calls:?}");
    }
}

#[test]
fn a_denied_path_is_not_opened_in_bypass_mode_without_being_named() {
    if unenforced() {
        return;
    }
    let guard = Guard::new(&["python3 src/s.py"]);
    project(&guard);
    let calls = bypassing(&guard, &std::env::var("PATH").unwrap(), &RULES);
    check(&guard, "bypass", &calls[0]);
}

/// Other commands are unaffected: writing anywhere, other processes, devices, nested sandboxes, exit codes.
#[test]
fn ordinary_commands_are_as_ever_in_bypass_mode() {
    if unenforced() {
        return;
    }
    let lines = [
        "echo x >../beside && cat ../beside",
        "mkdir -p a/b && mv a c && touch new && rm new && echo moved",
        "chmod 700 c && stat -c %a c && echo x >/dev/null",
        "sh lines/exit.sh",
        "sh lines/signal.sh",
        "sh lines/background.sh",
        "sh lines/nested.sh",
        "sh lines/traced.sh",
        "sh lines/spaces.sh",
        "id -u",
        "cd c && pwd",
        "pwd",
    ];
    let with = Guard::new(&lines);
    let without = Guard::new(&lines);
    for guard in [&with, &without] {
        for (name, text) in [
            ("exit", "exit 7"),
            ("signal", "kill -TERM $$"),
            ("background", "sleep 600 &\nkill $!\nwait $! || echo ended $?"),
            ("nested", "bwrap --ro-bind / / --unshare-user echo nested"),
            ("traced", "python3 lines/trace.py"),
            (
                "spaces",
                "readlink /proc/self/ns/net /proc/self/ns/pid /proc/self/ns/ipc; ls -l /dev/tty; umask",
            ),
        ] {
            guard.write(&format!("lines/{name}.sh"), format!("{text}\n"));
        }
        let trace = "import ctypes, os\npid = os.fork()\nif pid == 0:\n    os.kill(os.getpid(), 19)\n    os._exit(3)\n\
                     os.waitpid(pid, 2)\nprint(ctypes.CDLL(None).ptrace(16, pid, 0, 0))\n";
        guard.write("lines/trace.py", trace);
    }
    let path = program(&with, "zap");
    program(&without, "zap");
    let fenced = bypassing(&with, &path, &["Bash(zap:*)", "Read(./.env)"]);
    let free = bypassing(&without, &path, &[]);
    let strip = |guard: &Guard, calls: &[Call]| -> Vec<String> {
        let work = guard.lab.work().display().to_string();
        calls.iter().map(|call| call.text.replace(&work, "")).collect()
    };
    assert_eq!(strip(&with, &fenced), strip(&without, &free));
    assert!(
        fenced.iter().all(|call| !call.text.contains("not checked")),
        "{fenced:?}"
    );
}
