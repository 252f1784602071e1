//! MCP servers that are added and removed while a session runs, by the host, plugins or settings, and lists of theirs that
//! change.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use sluice_settings::Settings;

use super::config::ServerConfig;
use super::link::{Link, Phase};
use super::options::ServerOptions;
use super::scopes::{self, Named, Scope, Standing};
use super::servers::{Replaced, Servers, dial, expanded, link};

/// How long a request to the model waits for lists that changed.
const RELISTED: Duration = Duration::from_secs(3);

impl Servers {
    /// Resolves when the lists that servers announced as changed were read, after a short time at the latest; `None` if
    /// there are none.
    pub fn relisted(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let waits: Vec<_> = self.links.iter().filter_map(|link| link.relisted()).collect();
        if waits.is_empty() {
            return None;
        }
        Some(async move {
            let all = async {
                for wait in waits {
                    wait.await;
                }
            };
            tokio::time::timeout(RELISTED, all).await.ok();
        })
    }

    /// Adds servers; they replace others of the same name.
    pub fn add(&mut self, named: Vec<Named>) {
        for named in named {
            self.links.retain(|link| link.name != named.name);
            let link = link(named, &self.around);
            dial(&link);
            self.links.push(link);
        }
    }

    /// Takes in what plugins bring now: what they brought before and bring no more goes, what stayed the same stays.
    pub fn take_plugins(&mut self, named: Vec<Named>) {
        let has = self.links.iter().any(|link| link.scope == Scope::Plugin);
        if named.is_empty() && !has {
            return;
        }
        let (before, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.links)
            .into_iter()
            .partition(|link| link.scope == Scope::Plugin);
        let mut links: Vec<Arc<Link>> = Vec::new();
        for named in named {
            let fresh = link(named, &self.around);
            let same = |known: &&Arc<Link>| known.name == fresh.name && known.config == fresh.config;
            match before.iter().find(same) {
                // Whoever switched one off or on meanwhile has the last word.
                Some(known) => links.push(known.clone()),
                None => {
                    dial(&fresh);
                    links.push(fresh);
                }
            }
        }
        for gone in before {
            if !links.iter().any(|link| Arc::ptr_eq(link, &gone)) {
                gone.hang_up(Phase::Off);
            }
        }
        links.extend(others);
        self.links = links;
        self.around.news.notify_one();
    }

    /// The settings changed: servers that are no longer allowed are disconnected, those that are now allowed are
    /// connected. Others stay as they are.
    pub fn reconsider(&mut self, settings: &Settings, options: &ServerOptions) {
        let named = scopes::gather(settings, &options.dynamic, options.strict);
        let of_files = |link: &Arc<Link>| {
            !link.added && matches!(link.scope, Scope::Managed | Scope::User | Scope::Project | Scope::Local)
        };
        self.links.retain(|link| {
            let stays = !of_files(link) || named.iter().any(|named| named.name == link.name);
            if !stays {
                link.hang_up(Phase::Off);
            }
            stays
        });
        for named in named.into_iter().filter(|named| !named.is_skipped()) {
            let Some(at) = self.links.iter().position(|link| link.name == named.name) else {
                self.add(vec![named]);
                continue;
            };
            let Some(link) = self.links.get_mut(at).filter(|link| of_files(link)) else {
                continue;
            };
            match (&named.standing, link.phase()) {
                (Standing::Approved, Phase::Off | Phase::Unapproved) => {
                    *link = super::servers::link(named, &self.around);
                    dial(link);
                }
                (Standing::Rejected, phase) if !matches!(phase, Phase::Off) => link.hang_up(Phase::Off),
                (Standing::Waiting, phase) if !matches!(phase, Phase::Unapproved) => link.hang_up(Phase::Unapproved),
                _ => {}
            }
        }
        self.around.news.notify_one();
    }

    /// Adds the servers that the host named in `initialize`; they replace others of the same name.
    pub fn take_dynamic(&mut self, settings: &Settings, options: &ServerOptions) {
        let named = scopes::gather(settings, &options.dynamic, options.strict);
        let named: Vec<Named> = named
            .into_iter()
            .filter(|named| named.scope == Scope::Dynamic)
            .collect();
        self.skipped = named.iter().filter_map(Named::error).collect();
        for named in named.into_iter().filter(|named| !named.is_skipped()) {
            let fresh = link(named, &self.around);
            let same = |known: &Arc<Link>| known.name == fresh.name && known.config == fresh.config;
            if self.links.iter().any(same) {
                continue;
            }
            self.links.retain(|link| link.name != fresh.name);
            // Those inside the host are dialled by `greet`.
            if !fresh.config.is_sdk() {
                dial(&fresh);
            }
            self.links.push(fresh);
        }
        self.around.news.notify_one();
    }

    /// Replaces the servers of the host (`mcp_set_servers`). Returns which were added and removed, and the errors of
    /// the others.
    pub fn replace(&mut self, servers: IndexMap<String, Result<ServerConfig, String>>) -> Replaced {
        let mut replaced = Replaced::default();
        let gone = |link: &Arc<Link>| {
            // Entries of a server inside the host differ in policies and timeout only: the connection stays.
            let is_same = |config: &ServerConfig| *config == link.config || (config.is_sdk() && link.config.is_sdk());
            let same = matches!(servers.get(&link.name), Some(Ok(config)) if is_same(config));
            // One of the configuration's gives way only to another of its name.
            !same && (link.added || matches!(servers.get(&link.name), Some(Ok(_))))
        };
        let (out, stay): (Vec<_>, Vec<_>) = std::mem::take(&mut self.links).into_iter().partition(gone);
        self.links = stay;
        for link in out {
            link.hang_up(Phase::Off);
            if link.added && !servers.contains_key(&link.name) {
                replaced.removed.push(link.name.clone());
            }
        }
        for (name, config) in servers {
            // An entry that declares no policies ends those declared before.
            self.around.policies.clear(&name);
            if let Ok(config) = &config {
                self.around.policies.state(&name, config.raw.get("tools"));
            }
            if self.find(&name).is_some() {
                continue;
            }
            replaced.added.push(name.clone());
            match config {
                Err(why) => {
                    replaced.errors.insert(name, why);
                }
                Ok(config) => {
                    let config = expanded(&config, &self.around);
                    let link = Link::new(
                        &name,
                        Scope::Dynamic,
                        config,
                        Phase::Idle,
                        true,
                        None,
                        self.around.clone(),
                    );
                    dial(&link);
                    replaced.dialled.push(link.clone());
                    self.links.push(link);
                }
            }
        }
        self.around.news.notify_one();
        replaced
    }
}
