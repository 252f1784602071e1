//! Arguments of the `run` and `reply` tools, and their limits.
//!
//! Arguments of an MCP call are often written by a model. So they can restrict what the server was started with, but
//! never extend it: another folder must be inside those of the launch, and another mode must not be more permissive.

use std::path::{Path, PathBuf};

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sluice_wire::mode::PermissionMode;

/// The options of an agent that a client may set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Errand {
    /// The working folder.
    pub cwd: Option<PathBuf>,
    /// The model.
    pub model: Option<String>,
    /// The initial permission mode.
    pub mode: Option<PermissionMode>,
    /// The maximum number of model requests.
    pub max_turns: Option<u32>,
    /// The session to resume.
    pub resume: Option<String>,
}

/// The limits of all agents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bounds {
    /// The folders of the launch, starting with the working folder.
    pub roots: Vec<PathBuf>,
    /// The permission mode of the launch.
    pub mode: PermissionMode,
}

/// The arguments of `run`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) prompt: String,
    cwd: Option<String>,
    model: Option<String>,
    permission_mode: Option<String>,
    max_turns: Option<u32>,
}

/// The arguments of `reply`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplyTo {
    pub(crate) session_id: String,
    pub(crate) prompt: String,
}

/// The arguments of `cancel`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cancel {
    pub(crate) session_id: Option<String>,
}

/// Parses arguments, or returns an error message.
pub(crate) fn read<T: DeserializeOwned>(tool: &str, arguments: JsonObject) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| format!("{tool} was called wrongly: {error}"))
}

impl Run {
    /// Converts the arguments to an errand, or returns why they exceed the limits.
    pub(crate) fn errand(&self, bounds: &Bounds) -> Result<Errand, String> {
        require_prompt(&self.prompt)?;
        Ok(Errand {
            cwd: self.cwd.as_deref().map(|cwd| folder(cwd, bounds)).transpose()?,
            model: self.model.clone(),
            mode: self
                .permission_mode
                .as_deref()
                .map(|word| mode(word, bounds))
                .transpose()?,
            max_turns: self.max_turns,
            resume: None,
        })
    }
}

/// Returns an error if the prompt is empty.
pub(crate) fn require_prompt(prompt: &str) -> Result<(), String> {
    if prompt.trim().is_empty() {
        return Err("the prompt is empty: say what is to be done".to_owned());
    }
    Ok(())
}

fn folder(cwd: &str, bounds: &Bounds) -> Result<PathBuf, String> {
    let start = bounds.roots.first().map_or(Path::new("/"), PathBuf::as_path);
    let path = start.join(cwd);
    let real = path
        .canonicalize()
        .map_err(|error| format!("cwd {}: {error}", path.display()))?;
    if !real.is_dir() {
        return Err(format!("cwd {} is no folder", path.display()));
    }
    let inside = |root: &PathBuf| root.canonicalize().is_ok_and(|root| real.starts_with(root));
    if !bounds.roots.iter().any(inside) {
        return Err(format!(
            "cwd {} lies outside of the folders this server was started for; start it with --add-dir {} to allow it",
            path.display(),
            real.display()
        ));
    }
    Ok(real)
}

fn mode(word: &str, bounds: &Bounds) -> Result<PermissionMode, String> {
    let mode = match word {
        "manual" => PermissionMode::Default,
        word => PermissionMode::from(word),
    };
    let wanted = permissiveness(&mode).ok_or_else(|| {
        format!("permission_mode {word} is none of default, plan, dontAsk, acceptEdits, bypassPermissions")
    })?;
    if wanted > permissiveness(&bounds.mode).unwrap_or_default() {
        return Err(format!(
            "permission_mode {word} allows more than this server was started with; start it with --permission-mode \
             {word} to allow it"
        ));
    }
    Ok(mode)
}

/// Ranks a mode by how much it allows; `None` for unknown modes.
fn permissiveness(mode: &PermissionMode) -> Option<u8> {
    match mode {
        // Plan mode forbids changes, including those that rules allow.
        PermissionMode::Plan => Some(0),
        PermissionMode::DontAsk => Some(1),
        PermissionMode::Default => Some(2),
        PermissionMode::AcceptEdits | PermissionMode::Auto => Some(3),
        PermissionMode::BypassPermissions => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn run(arguments: &Value) -> Result<Run, String> {
        read("run", arguments.as_object().unwrap().clone())
    }

    #[test]
    fn invalid_arguments_are_named() {
        assert!(run(&json!({})).unwrap_err().contains("prompt"));
        assert!(run(&json!({"prompt": 3})).unwrap_err().contains("string"));
        assert!(run(&json!({"prompt": "x", "promt": 1})).unwrap_err().contains("promt"));
        let empty = run(&json!({"prompt": "  "})).unwrap();
        assert!(empty.errand(&Bounds::default()).is_err());
    }

    #[test]
    fn mode_must_not_be_more_permissive() {
        let may = |word: &str, launched: PermissionMode| {
            let bounds = Bounds {
                mode: launched,
                ..Bounds::default()
            };
            mode(word, &bounds).is_ok()
        };
        assert!(may("plan", PermissionMode::Default));
        assert!(may("plan", PermissionMode::DontAsk));
        assert!(may("dontAsk", PermissionMode::Default));
        for launched in [PermissionMode::Plan, PermissionMode::DontAsk] {
            assert!(!may("manual", launched.clone()) && !may("default", launched));
        }
        assert!(!may("dontAsk", PermissionMode::Plan));
        assert!(!may("acceptEdits", PermissionMode::Default));
        assert!(!may("acceptEdits", PermissionMode::DontAsk));
        assert!(may("acceptEdits", PermissionMode::AcceptEdits));
        assert!(!may("bypassPermissions", PermissionMode::AcceptEdits));
        assert!(may("acceptEdits", PermissionMode::BypassPermissions));
        assert!(!may("sudo", PermissionMode::BypassPermissions));
    }

    #[test]
    fn folder_must_be_inside_the_launch_folders() {
        let dir = tempfile::tempdir().unwrap();
        let (project, other) = (dir.path().join("project"), dir.path().join("other"));
        std::fs::create_dir_all(project.join("sub")).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(project.join("file"), "").unwrap();
        std::os::unix::fs::symlink(&other, project.join("link")).unwrap();
        let bounds = Bounds {
            roots: vec![project.clone()],
            mode: PermissionMode::Default,
        };
        assert_eq!(folder("sub", &bounds), Ok(project.join("sub").canonicalize().unwrap()));
        assert_eq!(folder(".", &bounds), Ok(project.canonicalize().unwrap()));
        for outside in ["..", "../other", "link", "/", "file", "missing"] {
            assert!(folder(outside, &bounds).is_err(), "{outside}");
        }
    }
}
