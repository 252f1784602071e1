//! Commands about the folder of a session, and about the templates of the person.

use std::path::PathBuf;

use serde_json::Value;

use super::Connection;
use super::looks::data;
use crate::api::{Code, FileText, GitStep, Problem, WorkingTree};
use crate::git::{self, Repository, Runner};
use crate::look::browse;
use crate::session::Command;
use crate::templates;

/// A session and where it works.
struct Work {
    id: String,
    folder: PathBuf,
    /// Whether the bridge created the folder as a worktree.
    is_worktree: bool,
    runs: bool,
}

impl Connection {
    async fn work(&self, session: &str) -> Result<Work, Problem> {
        let id = self.hub.known(session, &self.person.by).await?;
        let row = self.hub.row(&id).await?;
        let folder = self.hub.shared.roots.resolve(&row.folder)?;
        let extra: Value = serde_json::from_str(&row.extra).unwrap_or_default();
        let runs = self.hub.look(&id, |state, _| state.open_turn().is_some()).await?;
        Ok(Work {
            is_worktree: extra.get("worktree").and_then(Value::as_str) == Some(row.folder.as_str()),
            id,
            folder,
            runs,
        })
    }

    async fn repository(&self, work: &Work) -> Result<Option<Repository>, Problem> {
        let agents = &self.hub.shared.agents;
        let missing = || Problem::new(Code::Internal, "git is not available in this process");
        let runner = Runner {
            git: agents.git.ok_or_else(missing)?,
            env: agents
                .clean()
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        };
        Repository::open(runner, &work.folder, &self.hub.shared.roots).await
    }

    fn has_gh(&self) -> bool {
        self.hub.shared.agents.locate("gh".as_ref()).is_ok()
    }

    pub(super) async fn working_tree(&self, session: &str) -> Result<Value, Problem> {
        let work = self.work(session).await?;
        match self.repository(&work).await? {
            Some(repository) => data(git::working_tree(&repository, work.is_worktree, self.has_gh()).await?),
            None => data(WorkingTree::default()),
        }
    }

    pub(super) async fn git(&self, session: &str, step: GitStep, dry_run: bool) -> Result<Value, Problem> {
        let work = self.work(session).await?;
        let repository = self.repository(&work).await?;
        let missing = || Problem::new(Code::Folder, "the folder of this session is in no git repository");
        let repository = repository.ok_or_else(missing)?;
        let removes = matches!(step, GitStep::DiscardWorktree {}) && !dry_run;
        if removes && work.runs {
            return Err(Problem::new(Code::Refused, "the agent works in this worktree").hint("stop it first"));
        }
        if removes {
            let by = self.person.by.clone();
            self.hub
                .ask(&work.id, |reply| Command::Stop { by: by.clone(), reply })
                .await?;
        }
        let worktree = work.is_worktree.then_some(work.folder.as_path());
        let made = git::carry_out(&repository, &step, worktree, self.has_gh(), dry_run).await;
        if !dry_run {
            let detail = match &made {
                Ok(report) => format!("{} → {}", report.commands.join("; "), report.output),
                Err(problem) => format!("{step:?} failed: {}", problem.message),
            };
            self.hub.audit(&self.person.by, "git", Some(&work.id), &detail).await;
        }
        data(made?)
    }

    pub(super) async fn folder_entries(&self, session: &str, path: &str) -> Result<Value, Problem> {
        let (work, roots, path) = (
            self.work(session).await?,
            self.hub.shared.roots.clone(),
            path.to_owned(),
        );
        let entries = tokio::task::spawn_blocking(move || browse::entries(&roots, &work.folder, &path));
        data(entries.await.map_err(Problem::internal)??)
    }

    pub(super) async fn file_text(&self, session: &str, path: String) -> Result<Value, Problem> {
        let (work, roots) = (self.work(session).await?, self.hub.shared.roots.clone());
        let content = tokio::task::spawn_blocking(move || browse::read(&roots, &work.folder, &path));
        let content = content.await.map_err(Problem::internal)??;
        let text = match content.text {
            Some(text) => {
                let renderings = &self.hub.shared.renderings;
                let lines = renderings.highlight(content.path.clone(), text).await?;
                Some((*lines).clone())
            }
            None => None,
        };
        data(FileText {
            path: content.path,
            bytes: content.bytes,
            text,
            cut: content.cut,
        })
    }

    pub(super) async fn templates(&self) -> Result<Value, Problem> {
        let config = self.hub.shared.agents.config_dir.clone();
        let listed = tokio::task::spawn_blocking(move || templates::list(&config)).await;
        data(listed.map_err(Problem::internal)?)
    }

    pub(super) async fn save_template(&self, name: &str, text: &str, was: Option<&str>) -> Result<Value, Problem> {
        templates::save(&self.hub.shared.agents.config_dir, name, text, was)?;
        self.hub.audit(&self.person.by, "template", None, name).await;
        Ok(Value::Null)
    }

    pub(super) async fn delete_template(&self, name: &str) -> Result<Value, Problem> {
        templates::delete(&self.hub.shared.agents.config_dir, name)?;
        let detail = format!("delete {name}");
        self.hub.audit(&self.person.by, "template", None, &detail).await;
        Ok(Value::Null)
    }
}
