//! `--worktree`: runs a session in a separate git worktree, at the path used by the reference CLI.

use std::ffi::OsString;
use std::path::PathBuf;
use std::pin::Pin;

use sluice_engine::settings::Opener;
use sluice_engine::settings::held::HOW_TO_TRUST;
use sluice_engine::worktree::{self, WorktreeError};
use sluice_terminal::{Questioner, StartQuestion};

use crate::approval::{self, Said};
use crate::environment::Environment;
use crate::flags::Flags;
use crate::interactive::facts_of;
use crate::launch::{self, Place};
use crate::warn;

/// The worktree of a session.
#[derive(Debug)]
pub(crate) struct Worktree {
    worktree: worktree::Worktree,
    env: Vec<(OsString, OsString)>,
}

/// Why a session does not start in a worktree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EnterError {
    /// The user left when asked about trust.
    Left,
    Failed(String),
}

impl From<WorktreeError> for EnterError {
    fn from(error: WorktreeError) -> Self {
        Self::Failed(match error {
            WorktreeError::NoRepository(folder) => format!(
                "--worktree needs a git repository, and {} is not in one",
                folder.display()
            ),
            WorktreeError::Filters(_) => format!("--worktree: {error}. {HOW_TO_TRUST}"),
            WorktreeError::Git(why) => format!("the worktree cannot be created: {why}"),
            error => format!("--worktree: {error}"),
        })
    }
}

/// Creates a worktree for a session of the bridge. `may_filter`: filter programs that the repository configures may run.
pub(crate) fn for_session(
    folder: PathBuf,
    name: String,
    may_filter: bool,
) -> Pin<Box<dyn Future<Output = Result<PathBuf, String>> + Send>> {
    Box::pin(async move {
        let env: Vec<_> = std::env::vars_os().collect();
        match worktree::Worktree::open(&folder, &name, &env, may_filter).await {
            Ok(made) => Ok(made.path().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    })
}

impl Worktree {
    /// Creates the worktree named by `--worktree`, or enters an existing one, and makes it the working folder. Returns
    /// `None` without that flag.
    pub(crate) async fn enter(
        flags: &Flags,
        environment: &mut Environment,
        interactive: bool,
    ) -> Result<Option<Self>, EnterError> {
        let Some(asked) = &flags.worktree else { return Ok(None) };
        let name = match asked.as_str() {
            "" => worktree::generated_name(),
            name => name.to_owned(),
        };
        worktree::check(&name)?;
        let env: Vec<_> = std::env::vars_os().collect();
        let root = worktree::repository_root(&environment.cwd, &env).await?;
        let filters = worktree::filters(&root, &env).await?;
        let may_filter = may_check_out(flags, environment, interactive, &filters).await?;
        let worktree = worktree::Worktree::open(&environment.cwd, &name, &env, may_filter).await?;
        environment.set("PWD", &worktree.path().display().to_string());
        worktree.path().clone_into(&mut environment.cwd);
        Ok(Some(Self { worktree, env }))
    }

    /// Asks whether to keep the worktree, and otherwise removes it with its branch. Without an answer it is kept.
    pub(crate) async fn leave(self, flags: &Flags, environment: &Environment) {
        let facts = facts_of(flags, &Place::look(flags, environment, Opener::Person));
        let choice = |label: &str, about: &str| (label.to_owned(), about.to_owned());
        let changes = match self.worktree.unsaved(&self.env).await {
            Ok(unsaved) if unsaved.is_empty() => "No changes.".to_owned(),
            Ok(unsaved) => unsaved.to_string(),
            Err(error) => error.to_string(),
        };
        let question = StartQuestion {
            title: ("Worktree".to_owned(), facts.folder_word()),
            body: vec![format!("  {changes}")],
            choices: vec![
                choice("Keep it", &format!("branch {}", self.worktree.branch())),
                choice("Remove it", "deletes the folder, its changes and its branch"),
            ],
            ..StartQuestion::default()
        };
        let answer = match Questioner::open(&facts) {
            Ok(mut questioner) => questioner.choose(&question).await.ok().flatten(),
            Err(_) => None,
        };
        if answer == Some(1)
            && let Err(why) = self.worktree.remove(&self.env).await
        {
            warn(&format!("error: the worktree cannot be removed: {why}"));
        }
    }
}

/// Checking out files runs the filter programs of the git configuration. Those configured by the user are allowed;
/// those of the repository need a trusted folder.
async fn may_check_out(
    flags: &Flags,
    environment: &Environment,
    interactive: bool,
    filters: &[String],
) -> Result<bool, EnterError> {
    if filters.is_empty() {
        return Ok(false);
    }
    let place = Place::look(flags, environment, launch::opener(flags));
    if place.settings.trusted() || (!interactive && place.settings.runs_projects()) {
        return Ok(true);
    }
    if !interactive {
        return Ok(false);
    }
    match approval::ask_about_filters(&place, flags, &facts_of(flags, &place), filters).await {
        Ok(Said::Leave) => Err(EnterError::Left),
        Ok(_) => Ok(true),
        Err(error) => Err(EnterError::Failed(error.to_string())),
    }
}
