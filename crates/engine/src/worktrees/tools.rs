//! The tools `EnterWorktree` and `ExitWorktree`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;
use sluice_tools::{Context, Descriptor, Effect, Outcome, Pending, Tool};

use super::switch::Worktrees;

const ENTER: &str = "EnterWorktree";
const EXIT: &str = "ExitWorktree";

static ENTER_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: ENTER.into(),
    description:
        "Moves the session into a git worktree: a second checkout of the repository on its own branch. Use it only \
        if the person asks for a worktree.\n\n\
        - Without input it creates a worktree with a generated name in .claude/worktrees; `name` chooses the name.\n\
        - `path` enters an existing worktree in that folder.\n\
        - From then on the session works in that folder. ExitWorktree leaves it."
            .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The name: letters, digits, '.', '_', '-', at most 64."},
            "path": {"type": "string", "description": "An existing worktree of this repository to enter instead."},
        },
        "required": [],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    of_conversation: true,
    ..Descriptor::default()
});

static EXIT_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: EXIT.into(),
    description: "Leaves the worktree that EnterWorktree entered, and returns to the folder the session came from.\n\n\
        - `action: \"keep\"` keeps the worktree and its branch.\n\
        - `action: \"remove\"` deletes both. It fails if there are uncommitted changes or commits on no other branch, unless \
        `discard_changes` is true. Set that only if the person agreed to lose them."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["keep", "remove"], "description": "What happens to the worktree."},
            "discard_changes": {"type": "boolean", "description": "Remove it even if work is lost."},
        },
        "required": ["action"],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    of_conversation: true,
    ..Descriptor::default()
}
});

/// Returns the tools that move a session between worktrees.
pub(crate) fn worktree_tools(worktrees: &Arc<Worktrees>) -> [Arc<dyn Tool>; 2] {
    [
        Arc::new(EnterWorktree(worktrees.clone())),
        Arc::new(ExitWorktree(worktrees.clone())),
    ]
}

/// True for tools that move the session. Subagents do not have them.
pub(crate) fn is_worktree_tool(name: &str) -> bool {
    matches!(name, ENTER | EXIT)
}

#[derive(Debug)]
struct EnterWorktree(Arc<Worktrees>);

#[derive(Debug)]
struct ExitWorktree(Arc<Worktrees>);

#[derive(Debug, Deserialize)]
struct EnterInput {
    name: Option<String>,
    path: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct ExitInput {
    action: Action,
    #[serde(default)]
    discard_changes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Keep,
    Remove,
}

impl Tool for EnterWorktree {
    fn descriptor(&self) -> &Descriptor {
        &ENTER_DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        true
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: EnterInput = match serde_json::from_value(input) {
                Ok(input) => input,
                Err(error) => return Outcome::refused(error.to_string()),
            };
            match self.0.enter(input.name, input.path.as_deref(), cx).await {
                Ok(entered) => {
                    let (path, branch) = (entered.tree.path(), entered.tree.branch());
                    let on = branch.map(|branch| format!(" on branch {branch}")).unwrap_or_default();
                    let message = format!(
                        "The session now works in the worktree {}{on}. Use absolute paths below it; ExitWorktree leaves it.",
                        path.display()
                    );
                    let mut result = json!({"worktreePath": path});
                    insert(&mut result, "worktreeBranch", branch.map(Value::from));
                    insert(&mut result, "message", Some(Value::from(message.as_str())));
                    Outcome::ok(message, result).with(Effect::MoveTo(path.to_owned()))
                }
                Err(error) => Outcome::refused(error.to_string()),
            }
        })
    }
}

impl Tool for ExitWorktree {
    fn descriptor(&self) -> &Descriptor {
        &EXIT_DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        true
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: ExitInput = match serde_json::from_value(input) {
                Ok(input) => input,
                Err(error) => return Outcome::refused(error.to_string()),
            };
            let left = match input.action {
                Action::Keep => self.0.leave().await.map(|left| (left, None)),
                Action::Remove => {
                    let removed = self.0.remove(input.discard_changes).await;
                    removed.map(|(left, lost)| (left, Some(lost)))
                }
            };
            let (left, lost) = match left {
                Ok(left) => left,
                Err(error) => return Outcome::refused(error.to_string()),
            };
            let (path, branch) = (left.tree.path(), left.tree.branch());
            let what = match lost {
                None => "The worktree was kept".to_owned(),
                Some(lost) if lost.is_empty() => "The worktree was removed".to_owned(),
                Some(lost) => format!("The worktree was removed, and with it {lost}"),
            };
            let restored = existing_ancestor(&left.original);
            let message = format!(
                "{what}: {}. The session works in {} again.",
                path.display(),
                restored.display()
            );
            let mut result = json!({
                "action": if lost.is_some() { "remove" } else { "keep" },
                "originalCwd": left.original,
                "worktreePath": path,
                "restoredCwd": restored,
                "originalCwdMissing": restored != left.original,
            });
            insert(&mut result, "worktreeBranch", branch.map(Value::from));
            insert(&mut result, "discardedFiles", lost.map(|lost| Value::from(lost.files)));
            insert(
                &mut result,
                "discardedCommits",
                lost.map(|lost| Value::from(lost.commits)),
            );
            insert(&mut result, "message", Some(Value::from(message.as_str())));
            Outcome::ok(message, result).with(Effect::MoveTo(restored))
        })
    }
}

/// Returns the folder, or its nearest ancestor that still exists.
fn existing_ancestor(original: &Path) -> PathBuf {
    let existing = original.ancestors().find(|folder| folder.is_dir());
    existing.unwrap_or(original).to_owned()
}

fn insert(result: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(map), Some(value)) = (result.as_object_mut(), value) {
        map.insert(key.to_owned(), value);
    }
}
