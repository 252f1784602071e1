//! What the parts of a session are told at its start.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sluice_catalogue::Catalogue;
use sluice_catalogue::agents::Roster;
use sluice_catalogue::memory::MemoryOptions;

/// What a session is told about subagents at its start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentOptions {
    /// `--agents`: JSON, or the path of a file that holds it.
    pub given: Option<String>,
    /// `--agent`: the kind that leads the conversation.
    pub lead: Option<String>,
    /// Show the host what subagents say, not only what they do.
    pub forward_text: bool,
    /// Every call waits for its subagent.
    pub never_in_background: bool,
    /// The host can stop each by itself, so that an interrupt leaves those in the background alone.
    pub stopped_one_by_one: bool,
    /// The host wants to be told now and then what each is at, in its own words.
    pub summaries: bool,
    /// Nobody is asked what it is at, whatever the host wants.
    pub no_summaries: bool,
}

/// Folders beside the one a session works in.
#[derive(Debug, Clone)]
pub struct Folders {
    /// Further ones it may work in.
    pub added: Vec<PathBuf>,
    /// The person's home.
    pub home: PathBuf,
    /// Where copies of edited files are kept, so that they can be put back; none keeps none.
    pub checkpoints: Option<PathBuf>,
    /// Where plans are kept.
    pub plans: PathBuf,
    /// Where outputs too large for a message go.
    pub outputs: PathBuf,
    /// What was read of them already.
    pub preloaded: Option<Preloaded>,
}

/// What stands before the conversation.
#[derive(Debug, Clone)]
pub struct PromptOptions {
    /// What a host puts in place of, or after, our own words.
    pub words: SystemPrompt,
    /// Which memory files are read.
    pub memory: MemoryOptions,
    /// Whether the agent keeps notes about the project, unless a settings file says otherwise.
    pub notes: bool,
    /// The day.
    pub date: String,
}

/// What a host may put in place of, or after, our own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemPrompt {
    /// Stands in place of our prompt; empty means none at all.
    pub replace: Option<String>,
    /// Follows the prompt.
    pub append: Option<String>,
    /// How to work in plan mode, in place of our words for it.
    pub plan: Option<String>,
    /// Where the session works is said with the first prompt instead of here, so that sessions elsewhere share these
    /// words.
    pub place_apart: bool,
    /// Written down with the conversation and sent again as it was until that is compacted, whatever a later launch says.
    pub keep: bool,
    /// Ours is cut down to what always holds.
    pub bare: bool,
}

/// What was read before the session began, so that it is not read again.
#[derive(Debug, Clone)]
pub struct Preloaded {
    /// What lies in folders for it.
    pub(crate) catalogue: Arc<Catalogue>,
    /// Agent definitions.
    pub(crate) roster: Roster,
    /// What of that has no effect, in a sentence.
    pub(crate) held_back: Option<String>,
}

/// Facts about the place of work that the prompt tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Where the session works.
    pub(crate) cwd: &'a Path,
    /// Whether that is a git repository.
    pub(crate) is_git: bool,
    /// Operating system.
    pub(crate) platform: &'a str,
    /// The day the session began; fixed, so that the prompt's bytes do not change at midnight.
    pub(crate) date: &'a str,
    /// Where the notes about the project lie.
    pub(crate) notes: Option<&'a Path>,
    /// The language the person wants to be answered in.
    pub(crate) language: Option<&'a str>,
}
