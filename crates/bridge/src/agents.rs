//! Agents that can be started: the command line and the environment of a session.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sluice_host::transport::Start;
use sluice_host::wire::control::Initialize;
use sluice_host::{Options, SystemPrompt};
use sluice_runner::Launch;

use crate::api::{Code, Problem};
use crate::git::GitCommand;
use crate::trust::TrustStore;
use crate::worktree::WorktreeMaker;

/// An agent that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// What it is called: `sluice`, `claude`, or as the operator named it.
    pub name: String,
    /// The program; a bare name is looked for on `PATH`.
    pub program: PathBuf,
    /// What stands before every flag.
    pub args: Vec<OsString>,
    /// Variables it gets besides.
    pub env: BTreeMap<String, String>,
    /// Who pays: `key`, `account`, `server`, `demo` or `unknown`.
    pub pays: String,
    /// The same in words.
    pub pays_detail: String,
}

/// The agents of a bridge. The first is the default one.
#[derive(Debug, Clone, Default)]
pub struct Agents {
    /// In the order they are offered.
    pub all: Vec<AgentConfig>,
    /// The environment agents start in, before it is cleaned.
    pub environment: BTreeMap<String, String>,
    /// Where agents keep sessions: `~/.claude`.
    pub config_dir: PathBuf,
    /// Which folders agents trust; none where that is not known.
    pub trust: Option<Arc<dyn TrustStore>>,
    /// How git is run; none where it is not.
    pub git: Option<GitCommand>,
    /// How worktrees are created; none where they are not.
    pub worktree: Option<WorktreeMaker>,
}

/// How an agent is to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Begin {
    /// With a conversation of its own, under this id.
    New(String),
    /// Going on with this one.
    Resume(String),
}

/// Options of the agent of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) agent: String,
    pub(crate) folder: PathBuf,
    pub(crate) permission_mode: String,
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
}

/// Variables that say something about who started the bridge, and nothing an agent should know.
const NOT_INHERITED: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_AGENT_SDK_VERSION",
    "CLAUDE_AGENT_SDK_CLIENT_APP",
    "LISTEN_FDS",
    "LISTEN_PID",
    "LISTEN_FDNAMES",
    "NOTIFY_SOCKET",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "NODE_OPTIONS",
    "OLDPWD",
    "SHLVL",
    "_",
];

/// Whether a variable is one of the bridge's own.
fn is_ours(name: &str) -> bool {
    name.starts_with("SLUICE_") || name.starts_with("CARGO") || name.starts_with("npm_") || name.starts_with("MAKE")
}

impl Agents {
    /// The agent of this name, or the default one.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<&AgentConfig, Problem> {
        let found = match name {
            None => self.all.first(),
            Some(name) => self.all.iter().find(|agent| agent.name == name),
        };
        found.ok_or_else(|| {
            let known: Vec<&str> = self.all.iter().map(|agent| agent.name.as_str()).collect();
            let name = name.unwrap_or_default();
            Problem::new(Code::Agent, format!("there is no agent `{name}`")).hint(format!(
                "known agents: {}; others by `sluice serve --agent`",
                known.join(", ")
            ))
        })
    }

    /// The command line of a session, and its `initialize` request.
    pub(crate) fn launch(&self, wish: &Wish, begin: &Begin) -> Result<(Launch, Initialize), Problem> {
        let agent = self.find(Some(&wish.agent))?;
        let program = self.locate(&agent.program)?;
        let mut options = Options::new()
            .program(program)
            .program_args(agent.args.clone())
            .cwd(&wish.folder)
            .system_prompt(SystemPrompt::Preset { append: None })
            .entrypoint("sluice-serve")
            .permission_mode(wish.permission_mode.as_str())
            .allow_dangerously_skip_permissions(wish.permission_mode == "bypassPermissions")
            .asks(true)
            .include_partial_messages(true)
            .replay_user_messages(true)
            .enable_file_checkpointing(true)
            .forward_subagent_text(true)
            .agent_progress_summaries(true)
            .per_task_stop_affordance(true);
        if let Some(model) = &wish.model {
            options = options.model(model);
        }
        if let Some(effort) = &wish.effort {
            options = options.effort(effort);
        }
        let start = match begin {
            Begin::New(id) => {
                options = options.session_id(id);
                Start::new_session()
            }
            Begin::Resume(id) => Start::resume(id),
        };
        let refused = |error: sluice_host::Error| Problem::new(Code::Agent, error.to_string());
        let greeting = options.greeting();
        let launch = options.launch(&start).map_err(refused)?;
        let text = |it: &OsString| it.to_string_lossy().into_owned();
        let mut env = self.clean();
        for (name, value) in &launch.env {
            match value {
                Some(value) => env.insert(text(name), text(value)),
                None => env.remove(&text(name)),
            };
        }
        env.extend(agent.env.clone());
        let launch = Launch {
            program: launch.program.to_string_lossy().into_owned(),
            args: launch.args.iter().map(text).collect(),
            env,
            cwd: wish.folder.clone(),
            log_cap: sluice_runner::launch::LOG_CAP,
            line_cap: sluice_runner::launch::LINE_CAP,
        };
        Ok((launch, greeting))
    }

    /// The environment without what belongs to the bridge and to whoever started it.
    pub(crate) fn clean(&self) -> BTreeMap<String, String> {
        let kept = |name: &str| !NOT_INHERITED.contains(&name) && !is_ours(name);
        let variables = self.environment.iter().filter(|(name, _)| kept(name));
        variables.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Where a program is.
    pub(crate) fn locate(&self, program: &Path) -> Result<PathBuf, Problem> {
        let missing = || {
            Problem::new(Code::Agent, format!("{} was not found", program.display()))
                .hint("install it, put its folder on PATH, or name another with `sluice serve --agent`")
        };
        if program.components().count() > 1 {
            return program.is_file().then(|| program.to_owned()).ok_or_else(missing);
        }
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        std::env::split_paths(&path)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())
            .ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentConfig, Agents, Begin, Wish};

    #[test]
    fn an_agent_gets_a_clean_environment() {
        let pairs = [
            ("PATH", "/bin:/usr/bin"),
            ("HOME", "/home/someone"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("SLUICE_TERMINAL", "1"),
            ("ANTHROPIC_API_KEY", "kept: the agent needs it"),
        ];
        let agents = Agents {
            all: vec![AgentConfig {
                name: "sh".into(),
                program: "sh".into(),
                args: Vec::new(),
                env: [("SLUICE_DEMO".to_owned(), "1".to_owned())].into(),
                pays: "demo".into(),
                pays_detail: String::new(),
            }],
            environment: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            config_dir: "/home/someone/.claude".into(),
            trust: None,
            git: None,
            worktree: None,
        };
        let wish = Wish {
            agent: "sh".into(),
            folder: "/tmp".into(),
            permission_mode: "default".into(),
            ..Wish::default()
        };
        let (launch, _) = agents
            .launch(&wish, &Begin::New("5c1d5a54-5d35-4d6f-9a3c-0d6a0a7f9a11".into()))
            .unwrap();
        assert_eq!(launch.env.get("CLAUDECODE"), None);
        assert_eq!(launch.env.get("SLUICE_TERMINAL"), None);
        assert_eq!(launch.env.get("SLUICE_DEMO").map(String::as_str), Some("1"));
        assert_eq!(
            launch.env.get("CLAUDE_CODE_ENTRYPOINT").map(String::as_str),
            Some("sluice-serve")
        );
        assert!(launch.env.contains_key("ANTHROPIC_API_KEY"));
        assert!(launch.args.iter().any(|arg| arg.contains("5c1d5a54")));
    }
}
