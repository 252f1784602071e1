//! `/plugin`: the plugin store handles files; the agent saves the setting and reloads plugins.

use std::sync::Arc;

use serde_json::{Value, json};
use sluice_wire::control::{GetSettings, ReloadPlugins};

use super::{Executor, REPLY_TIMEOUT, error_text};
use crate::app::ActOutcome;
use crate::plugins::{PluginAct, PluginEntry, PluginStore};

/// The setting that enables plugins.
const ENABLED: &str = "enabledPlugins";
/// Marketplace name of built-in features, which are disabled like plugins but are not plugins.
const BUILT_IN: &str = "@builtin";

impl Executor {
    pub(super) async fn plugin(&self, act: PluginAct) -> Result<Option<ActOutcome>, String> {
        let store = self.facts.plugins.clone();
        let store = store.ok_or("plugins can be changed only in a session that this terminal runs itself")?;
        Ok(Some(match act {
            PluginAct::List => ActOutcome::Plugins(self.plugins(&store).await?),
            PluginAct::Switch { name, on } => {
                let plugin = named(self.plugins(&store).await?, &name)?;
                self.switch(&plugin.id, Some(on)).await?;
                let word = if on { "enabled" } else { "disabled" };
                ActOutcome::Notice(format!("{} is {word}", plugin.id))
            }
            PluginAct::Stage(source) => ActOutcome::PluginOffer(blocking(move || store.stage(&source)).await?),
            PluginAct::Install(id) => {
                let installed = id.clone();
                blocking(move || store.install(&installed)).await?;
                self.switch(&id, Some(true)).await?;
                ActOutcome::Notice(format!("{id} is installed and enabled"))
            }
            PluginAct::Discard => {
                blocking(move || {
                    store.discard();
                    Ok(())
                })
                .await?;
                return Ok(None);
            }
            PluginAct::AskRemoval(name) => ActOutcome::PluginRemoval(named(self.plugins(&store).await?, &name)?.id),
            PluginAct::Remove(id) => {
                self.switch(&id, None).await?;
                let removed = id.clone();
                blocking(move || store.remove(&removed)).await?;
                ActOutcome::Notice(format!("{id} is removed"))
            }
        }))
    }

    /// Returns the installed plugins, and plugins that are enabled in settings but not installed.
    async fn plugins(&self, store: &Arc<dyn PluginStore>) -> Result<Vec<PluginEntry>, String> {
        let settings = self.client.request_within(GetSettings::default(), REPLY_TIMEOUT).await;
        let settings = settings.map_err(error_text)?.effective.to_value();
        let switches = settings.get(ENABLED).and_then(Value::as_object).cloned();
        let store = Arc::clone(store);
        let installed = blocking(move || Ok(store.list())).await?;
        Ok(with_switches(installed, &switches.unwrap_or_default()))
    }

    /// Saves whether a plugin is enabled in the settings file that takes effect, and reloads plugins. `None` removes
    /// the entry.
    async fn switch(&self, id: &str, on: Option<bool>) -> Result<(), String> {
        let answer = self.client.request_within(GetSettings::default(), REPLY_TIMEOUT).await;
        let sources: Vec<Value> = answer
            .map_err(error_text)?
            .sources
            .iter()
            .map(sluice_wire::Raw::to_value)
            .collect();
        for place in places(&sources, id, on) {
            self.keep(place, json!({ENABLED: {id: on}})).await?;
        }
        let reloaded = self.client.request(ReloadPlugins::default()).await;
        reloaded.map(|_| ()).map_err(error_text)
    }
}

/// Returns the files to write. A value in the shared project file is overridden in the local file. An entry is removed
/// from both user-owned files.
fn places(sources: &[Value], id: &str, on: Option<bool>) -> Vec<&'static str> {
    let names = |place: &str| {
        let mut files = sources
            .iter()
            .filter(|it| it.get("source").and_then(Value::as_str) == Some(place));
        files.any(|it| {
            it.pointer(&format!("/settings/{ENABLED}"))
                .is_some_and(|all| all.get(id).is_some())
        })
    };
    match on {
        None => ["userSettings", "localSettings"]
            .into_iter()
            .filter(|place| names(place))
            .collect(),
        Some(_) if names("projectSettings") || names("localSettings") => vec!["localSettings"],
        Some(_) => vec!["userSettings"],
    }
}

fn with_switches(mut installed: Vec<PluginEntry>, switches: &serde_json::Map<String, Value>) -> Vec<PluginEntry> {
    let is_on = |switch: &Value| !matches!(switch, Value::Bool(false) | Value::Null);
    for plugin in &mut installed {
        plugin.enabled = switches.get(&plugin.id).is_some_and(is_on);
    }
    for (id, _) in switches.iter().filter(|(id, on)| is_on(on) && !id.ends_with(BUILT_IN)) {
        if !installed.iter().any(|plugin| plugin.id == *id) {
            installed.push(PluginEntry {
                id: id.clone(),
                problem: Some("enabled, but not installed".to_owned()),
                enabled: true,
                ..PluginEntry::default()
            });
        }
    }
    installed
}

/// Returns the plugin with this id, or the only one with this name.
fn named(plugins: Vec<PluginEntry>, name: &str) -> Result<PluginEntry, String> {
    let mut fitting: Vec<PluginEntry> = plugins
        .into_iter()
        .filter(|plugin| plugin.id == name || plugin.id.rsplit_once('@').is_some_and(|(own, _)| own == name))
        .collect();
    match (fitting.pop(), fitting.is_empty()) {
        (Some(plugin), true) => Ok(plugin),
        (Some(plugin), false) => Err(format!("several plugins are called {name}; name one as {}", plugin.id)),
        (None, _) => Err(format!("no plugin {name} is installed; /plugin lists them")),
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(error.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    fn plugin(id: &str) -> PluginEntry {
        PluginEntry {
            id: id.to_owned(),
            ..PluginEntry::default()
        }
    }

    #[test]
    fn settings_determine_enabled_plugins() {
        let switches = json!({"a@local": true, "b@local": false, "gone@team": true, "review@builtin": true});
        let all = with_switches(
            vec![plugin("a@local"), plugin("b@local")],
            switches.as_object().unwrap(),
        );
        let on: Vec<(&str, bool)> = all.iter().map(|it| (it.id.as_str(), it.enabled)).collect();
        assert_eq!(on, [("a@local", true), ("b@local", false), ("gone@team", true)]);
        assert_eq!(all[2].problem.as_deref(), Some("enabled, but not installed"));
    }

    #[test]
    fn plugin_is_named_by_its_id_or_by_a_name_that_is_unique() {
        let all = || vec![plugin("a@local"), plugin("a@team"), plugin("b@team")];
        assert_eq!(named(all(), "b").unwrap().id, "b@team");
        assert_eq!(named(all(), "a@team").unwrap().id, "a@team");
        assert!(named(all(), "a").unwrap_err().contains("several"));
        assert!(named(all(), "c").unwrap_err().contains("no plugin c"));
    }

    #[test]
    fn switch_is_saved_where_it_takes_effect() {
        let source = |name: &str| json!({"source": name, "settings": {"enabledPlugins": {"a@b": true}}});
        assert_eq!(places(&[], "a@b", Some(true)), ["userSettings"]);
        assert_eq!(places(&[source("userSettings")], "a@b", Some(false)), ["userSettings"]);
        let project = [source("projectSettings")];
        assert_eq!(places(&project, "a@b", Some(false)), ["localSettings"]);
        assert_eq!(places(&project, "c@d", Some(true)), ["userSettings"]);
        let own = [source("userSettings"), source("localSettings")];
        assert_eq!(places(&own, "a@b", None), ["userSettings", "localSettings"]);
    }
}
