//! Changes to the MCP servers of a running session: servers that the host, plugins or settings add and remove, and
//! lists that servers announce as changed.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use sluice_settings::Settings;

use super::config::ServerConfig;
use super::link::{Link, Phase};
use super::options::ServerOptions;
use super::scopes::{self, Named, Scope, ServerApproval};
use super::servers::{ServerChanges, Servers, expanded, link, start_connecting};

/// How long a request to the model waits for changed lists to be read.
const RELIST_TIMEOUT: Duration = Duration::from_secs(3);

impl Servers {
    /// Resolves when the lists that servers announced as changed were read, after [`RELIST_TIMEOUT`] at the latest. `None` if
    /// no list has changed.
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
            tokio::time::timeout(RELIST_TIMEOUT, all).await.ok();
        })
    }

    /// Adds servers, which replace others of the same name.
    pub fn add(&mut self, named: Vec<Named>) {
        for named in named {
            self.links.retain(|link| link.name != named.name);
            let link = link(named, &self.context);
            start_connecting(&link);
            self.links.push(link);
        }
    }

    /// Replaces the servers of plugins. Servers with an unchanged configuration stay connected.
    pub fn set_plugin_servers(&mut self, named: Vec<Named>) {
        let has = self.links.iter().any(|link| link.scope == Scope::Plugin);
        if named.is_empty() && !has {
            return;
        }
        let (before, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.links)
            .into_iter()
            .partition(|link| link.scope == Scope::Plugin);
        let mut links: Vec<Arc<Link>> = Vec::new();
        for named in named {
            let new = link(named, &self.context);
            let same = |known: &&Arc<Link>| known.name == new.name && known.config == new.config;
            match before.iter().find(same) {
                // Keeps a server that was enabled or disabled meanwhile as it is.
                Some(known) => links.push(known.clone()),
                None => {
                    start_connecting(&new);
                    links.push(new);
                }
            }
        }
        for removed in before {
            if !links.iter().any(|link| Arc::ptr_eq(link, &removed)) {
                removed.disconnect(Phase::Off);
            }
        }
        links.extend(others);
        self.links = links;
        self.context.changed.notify_one();
    }

    /// Applies changed settings: disconnects servers that are no longer allowed and connects those that are now allowed.
    /// Other servers are not affected.
    pub fn apply_settings(&mut self, settings: &Settings, options: &ServerOptions) {
        let named = scopes::gather(settings, &options.dynamic, options.strict);
        let of_files = |link: &Arc<Link>| {
            !link.added && matches!(link.scope, Scope::Managed | Scope::User | Scope::Project | Scope::Local)
        };
        self.links.retain(|link| {
            let stays = !of_files(link) || named.iter().any(|named| named.name == link.name);
            if !stays {
                link.disconnect(Phase::Off);
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
            match (&named.approval, link.phase()) {
                (ServerApproval::Approved, Phase::Off | Phase::Unapproved) => {
                    *link = super::servers::link(named, &self.context);
                    start_connecting(link);
                }
                (ServerApproval::Rejected, phase) if !matches!(phase, Phase::Off) => link.disconnect(Phase::Off),
                (ServerApproval::Pending, phase) if !matches!(phase, Phase::Unapproved) => {
                    link.disconnect(Phase::Unapproved);
                }
                _ => {}
            }
        }
        self.context.changed.notify_one();
    }

    /// Adds the servers that the host named in `initialize`, which replace others of the same name.
    pub fn add_dynamic(&mut self, settings: &Settings, options: &ServerOptions) {
        let named = scopes::gather(settings, &options.dynamic, options.strict);
        let named: Vec<Named> = named
            .into_iter()
            .filter(|named| named.scope == Scope::Dynamic)
            .collect();
        self.skipped = named.iter().filter_map(Named::error).collect();
        for named in named.into_iter().filter(|named| !named.is_skipped()) {
            let new = link(named, &self.context);
            let same = |known: &Arc<Link>| known.name == new.name && known.config == new.config;
            if self.links.iter().any(same) {
                continue;
            }
            self.links.retain(|link| link.name != new.name);
            // Servers inside the host are connected by `greet`.
            if !new.config.is_sdk() {
                start_connecting(&new);
            }
            self.links.push(new);
        }
        self.context.changed.notify_one();
    }

    /// Replaces the servers of the host (`mcp_set_servers`). Returns which were added and removed, and the errors of
    /// the others.
    pub fn replace(&mut self, servers: IndexMap<String, Result<ServerConfig, String>>) -> ServerChanges {
        let mut changes = ServerChanges::default();
        let is_replaced = |link: &Arc<Link>| {
            // Entries of a server inside the host differ in policies and timeout only: the connection stays.
            let is_same = |config: &ServerConfig| *config == link.config || (config.is_sdk() && link.config.is_sdk());
            let same = matches!(servers.get(&link.name), Some(Ok(config)) if is_same(config));
            // A server of the configuration is only replaced by another one of the same name.
            !same && (link.added || matches!(servers.get(&link.name), Some(Ok(_))))
        };
        let (replaced_links, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.links).into_iter().partition(is_replaced);
        self.links = others;
        for link in replaced_links {
            link.disconnect(Phase::Off);
            if link.added && !servers.contains_key(&link.name) {
                changes.removed.push(link.name.clone());
            }
        }
        for (name, config) in servers {
            // An entry without policies removes the policies that were declared before.
            self.context.policies.clear(&name);
            if let Ok(config) = &config {
                self.context.policies.declare(&name, config.raw.get("tools"));
            }
            if self.find(&name).is_some() {
                continue;
            }
            changes.added.push(name.clone());
            match config {
                Err(error) => {
                    changes.errors.insert(name, error);
                }
                Ok(config) => {
                    let config = expanded(&config, &self.context);
                    let link = Link::new(
                        &name,
                        Scope::Dynamic,
                        config,
                        Phase::Idle,
                        true,
                        None,
                        self.context.clone(),
                    );
                    start_connecting(&link);
                    changes.connecting.push(link.clone());
                    self.links.push(link);
                }
            }
        }
        self.context.changed.notify_one();
        changes
    }
}
