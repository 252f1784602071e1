//! Options of subagents, folders and the system prompt.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sluice_catalogue::Catalogue;
use sluice_catalogue::agents::Roster;
use sluice_catalogue::memory::MemoryOptions;

/// Options of subagents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentOptions {
    /// `--agents`: JSON, or the path of a file with JSON.
    pub given: Option<String>,
    /// `--agent`: the kind of agent that runs the main conversation.
    pub lead: Option<String>,
    /// Forward the text of subagents to the host, not only their calls.
    pub forward_text: bool,
    /// Subagents never run in the background: every call waits for its subagent.
    pub never_in_background: bool,
    /// The host can stop subagents individually, so an interrupt does not stop those in the background.
    pub stopped_one_by_one: bool,
    /// The host asked for progress summaries of subagents.
    pub summaries: bool,
    /// Progress summaries are disabled, even if the host asks for them.
    pub no_summaries: bool,
}

/// Folders other than the working folder.
#[derive(Debug, Clone)]
pub struct Folders {
    /// Additional working folders.
    pub added: Vec<PathBuf>,
    /// The user's home folder.
    pub home: PathBuf,
    /// The folder for file checkpoints. `None` disables them.
    pub checkpoints: Option<PathBuf>,
    /// The folder for plans.
    pub plans: PathBuf,
    /// The folder for output that is too large for a message.
    pub outputs: PathBuf,
    /// Files that have been loaded already.
    pub preloaded: Option<Preloaded>,
}

/// Options of the system prompt.
#[derive(Debug, Clone)]
pub struct PromptOptions {
    /// Texts of a host that replace or extend the system prompt.
    pub words: SystemPrompt,
    /// Which memory files are loaded.
    pub memory: MemoryOptions,
    /// Whether the agent keeps notes about the project, unless a settings file disables them.
    pub notes: bool,
    /// The current date.
    pub date: String,
}

/// Texts of a host that replace or extend the system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemPrompt {
    /// Replaces the system prompt; an empty text means no system prompt.
    pub replace: Option<String>,
    /// Is appended to the system prompt.
    pub append: Option<String>,
    /// Replaces the instructions for plan mode.
    pub plan: Option<String>,
    /// Facts about the working folder are sent with the first prompt instead of in the system prompt, so that sessions
    /// in other folders share the prompt cache.
    pub place_apart: bool,
    /// The system prompt is stored in the transcript and sent unchanged until the next compaction, even by a resumed
    /// session with different options.
    pub keep: bool,
    /// Only the instructions that no style may change are sent.
    pub bare: bool,
}

/// Files that were loaded before the session started, so that they are not loaded again.
#[derive(Debug, Clone)]
pub struct Preloaded {
    /// Commands, skills, styles and plugins.
    pub(crate) catalogue: Arc<Catalogue>,
    /// Agent definitions.
    pub(crate) roster: Roster,
    /// Customizations of an untrusted folder that are not applied, as a sentence.
    pub(crate) held_back: Option<String>,
}

/// Facts about the working folder for the system prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The working folder.
    pub(crate) cwd: &'a Path,
    /// Whether it is a git repository.
    pub(crate) is_git: bool,
    /// Operating system.
    pub(crate) platform: &'a str,
    /// The date on which the session started. It does not change at midnight, so that the prompt's bytes stay the same.
    pub(crate) date: &'a str,
    /// The folder for notes about the project.
    pub(crate) notes: Option<&'a Path>,
    /// The language of responses.
    pub(crate) language: Option<&'a str>,
}
