//! Permission suggestions: the rules that are offered with a permission request.

use std::path::{Path, PathBuf};

use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update as wire;
use sluice_wire::permission_update::{Destination, PermissionUpdate};

use crate::names::READ;
use crate::shell::builtins::listed;
use crate::shell::wrappers::{base, is_interpreter};
use crate::shell::{Simple, words};

/// The longest command that is offered as a rule: people must be able to read what they allow.
const LONGEST: usize = 1_000;

/// "Always allow", for this project and person.
#[must_use]
pub fn rules(tool: &str, contents: Vec<Option<String>>, destination: Destination) -> PermissionUpdate {
    let rules = contents
        .into_iter()
        .map(|content| wire::Rule {
            tool_name: tool.to_owned(),
            rule_content: content,
            ..wire::Rule::default()
        })
        .collect();
    PermissionUpdate::AddRules(Box::new(wire::AddRules {
        rules,
        behavior: wire::Behavior::Allow,
        destination,
        ..wire::AddRules::default()
    }))
}

/// "Accept edits for this session".
#[must_use]
pub fn accept_edits() -> PermissionUpdate {
    PermissionUpdate::SetMode(Box::new(wire::SetMode {
        mode: PermissionMode::AcceptEdits,
        destination: Destination::Session,
        ..wire::SetMode::default()
    }))
}

/// "Work in this directory too".
#[must_use]
pub fn directory(directory: &Path) -> PermissionUpdate {
    directories(&[directory])
}

/// "Work in these directories too".
#[must_use]
pub fn directories(directories: &[&Path]) -> PermissionUpdate {
    PermissionUpdate::AddDirectories(Box::new(wire::AddDirectories {
        directories: directories
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect(),
        destination: Destination::Session,
        ..wire::AddDirectories::default()
    }))
}

/// "Read everything in this directory". Never the whole disk.
#[must_use]
pub fn read_directory(directory: &Path) -> Option<PermissionUpdate> {
    directory.parent()?;
    let content = format!("/{}/**", directory.display());
    Some(rules(READ, vec![Some(content)], Destination::Session))
}

/// The directory of a suggestion for `path`.
#[must_use]
pub fn directory_of(path: &Path, is_dir: bool) -> PathBuf {
    if is_dir {
        return path.to_path_buf();
    }
    path.parent().map_or_else(|| PathBuf::from("/"), Path::to_path_buf)
}

/// The rule for exactly this line.
#[must_use]
pub fn line(command: &str) -> Option<String> {
    let text = command.trim();
    let fits = text.chars().count() <= LONGEST && !text.contains('\n') && !text.is_empty();
    // What would read differently as a rule is not offered as one.
    let plain = !text.contains('*') && !text.ends_with(':');
    (fits && plain).then(|| text.to_owned())
}

/// The rule for one command: its program and subcommand if that is specific enough, else exactly this command.
#[must_use]
pub fn command(simple: &Simple, whole: &str) -> Option<String> {
    generalised(simple).or_else(|| line(whole))
}

fn generalised(simple: &Simple) -> Option<String> {
    if !simple.assignments.is_empty() {
        return None;
    }
    let [program, verb, ..] = simple.words.as_slice() else {
        return None;
    };
    let name = program.literal().filter(|_| !program.quoted)?;
    let verb = verb.literal().filter(|_| !verb.quoted)?;
    let plain = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b'/'));
    if !plain || is_risky(name, verb) || !is_verb(verb) {
        return None;
    }
    Some(format!("{name} {verb} *"))
}

fn is_verb(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_lowercase())
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Programs that would run anything: an open rule for one is a rule for everything.
fn is_risky(name: &str, verb: &str) -> bool {
    let name = base(name);
    is_interpreter(name) && !matches!(name, "make" | "gmake")
        || words::decode(name, &words::Values::new()).word.text.is_none()
        || listed(
            "env timeout nice ionice nohup setsid stdbuf time command builtin exec eval source sudo doas su xargs \
            parallel watch strace ltrace script flock chroot nsenter unshare ssh scp rsync busybox toybox npx bunx \
            pnpx uvx pipx rm dd chmod chown mv ln find fd export kill pkill killall curl wget tmux screen trap \
            alias",
            name,
        )
        || matches!(
            (name, verb),
            ("docker" | "podman", "run" | "exec")
                | ("kubectl", "exec" | "run")
                | ("npm" | "pnpm" | "yarn" | "bun", "exec" | "dlx" | "x")
                | ("uv" | "poetry" | "pipenv" | "rye" | "hatch", "run" | "tool" | "x")
                | (
                    "bundle" | "mise" | "asdf" | "direnv" | "deno",
                    "exec" | "run" | "eval" | "x"
                )
                | ("git", "config" | "filter-branch" | "submodule" | "bisect")
                | ("go" | "nix", "run" | "shell" | "develop")
        )
}
