//! Contents of the dialogs, and the changes made in them.

use std::time::Duration;

use sluice_wire::control::{
    ApplyFlagSettings, FileSuggestions, GetContextUsage, GetHooksListing, GetPlan, GetSettings, GetUsage, ListModels,
    ListPermissionRules, McpAuthenticate, McpReconnect, McpStatus, McpToggle, ReloadSkills, UpdateSettings,
};

use super::{Executor, REPLY_TIMEOUT, error_text};
use crate::app::{Act, ActOutcome};
use crate::text::{Role, Row};

impl Executor {
    /// Carries out acts of dialogs.
    pub(super) async fn lists(&self, act: Act) -> Result<Option<ActOutcome>, String> {
        let client = &self.client;
        Ok(Some(match act {
            Act::Effort(level) => {
                self.apply_settings(serde_json::json!({ "effortLevel": level })).await?;
                ActOutcome::Notice(format!("effort: {level}"))
            }
            Act::Diff => self.diff().await?,
            Act::AddFolder(folder) => self.add_folder(&folder).await?,
            Act::Skills => {
                let answer = client.request_within(ReloadSkills::default(), REPLY_TIMEOUT).await;
                ActOutcome::Skills(answer.map_err(error_text)?.skills)
            }
            Act::SettingIn(place, settings) => match self.keep(place, settings.clone()).await {
                Ok(()) => ActOutcome::Saved { place, settings },
                Err(why) => ActOutcome::NotSaved(why),
            },
            Act::Models => {
                // Sent in parallel, so that one missing reply does not delay the other.
                let (settings, models) = tokio::join!(
                    client.request_within(GetSettings::default(), REPLY_TIMEOUT),
                    client.request_within(ListModels::default(), REPLY_TIMEOUT)
                );
                if let Ok(settings) = settings {
                    let level = settings.applied.and_then(|applied| applied.effort);
                    let level = level.and_then(|level| level.to_value().as_str().map(str::to_owned));
                    self.outcomes.send(ActOutcome::Effort(level)).ok();
                }
                ActOutcome::Models(match models {
                    Ok(answer) => answer.models,
                    Err(_) => client.greeting().models.clone().unwrap_or_default(),
                })
            }
            Act::Servers => {
                let answer = client
                    .request_within(McpStatus::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Servers(answer.mcp_servers)
            }
            Act::Reconnect(server_name) => {
                let request = McpReconnect {
                    server_name,
                    ..McpReconnect::default()
                };
                client.request(request).await.map_err(error_text)?;
                ActOutcome::Notice("connected".to_owned())
            }
            Act::Toggle(server_name, enabled) => {
                let request = McpToggle {
                    server_name,
                    enabled,
                    ..McpToggle::default()
                };
                client.request(request).await.map_err(error_text)?;
                ActOutcome::Notice(if enabled { "on" } else { "off" }.to_owned())
            }
            Act::Rules => {
                let answer = client
                    .request_within(ListPermissionRules::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Rules(Box::new(answer.state))
            }
            Act::Learn => {
                let request = GetContextUsage {
                    detail: Some("summary".to_owned()),
                    ..GetContextUsage::default()
                };
                // Context usage then arrives with the conversation state; an agent that does not support the request
                // reports it later.
                match client.request_within(request, REPLY_TIMEOUT).await {
                    Ok(answer) => ActOutcome::Model(answer.model),
                    Err(_) => return Ok(None),
                }
            }
            Act::Context => {
                let answer = client
                    .request_within(GetContextUsage::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Context(Box::new(answer))
            }
            Act::Cost => {
                let answer = client
                    .request_within(GetUsage::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Cost(Box::new(answer))
            }
            Act::Files(query) => {
                let request = FileSuggestions {
                    query: query.clone(),
                    ..FileSuggestions::default()
                };
                let mut answer = client
                    .request_within(request.clone(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                // An agent that has just started indexing returns an empty list first.
                if answer.suggestions.is_empty() {
                    tokio::time::sleep(Duration::from_millis(150)).await;
                    answer = client
                        .request_within(request, REPLY_TIMEOUT)
                        .await
                        .map_err(error_text)?;
                }
                let found = answer.suggestions.iter().filter_map(|found| path_of(&found.to_value()));
                let mut found: Vec<String> = found.collect();
                let agents = client.greeting().agents.iter().flatten();
                found.extend(agents_like(agents.map(|agent| agent.name.as_str()), &query));
                ActOutcome::Files { query, found }
            }
            Act::Settings => {
                let answer = client
                    .request_within(GetSettings::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Settings(answer.effective.to_value())
            }
            Act::ChangeRule {
                behavior,
                rule,
                source,
                add,
                kind,
            } => {
                self.change_rule(&behavior, &rule, &source, add).await?;
                let answer = client
                    .request_within(ListPermissionRules::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::RulesOf(Box::new(answer.state), kind)
            }
            Act::Agents => {
                let files = agent_files(&[self.facts.folder.join(".claude"), self.facts.config_dir.clone()]);
                self.outcomes.send(ActOutcome::AgentFiles(files)).ok();
                ActOutcome::Agents(client.greeting().agents.clone().unwrap_or_default())
            }
            Act::Plan => {
                let answer = client
                    .request_within(GetPlan::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                match answer.plan {
                    Some(plan) => ActOutcome::Rows(crate::view::markdown::rows(&plan, 80)),
                    None => return Err("there is no plan yet".to_owned()),
                }
            }
            Act::Hooks => {
                let answer = client
                    .request_within(GetHooksListing::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Hooks(answer.hooks)
            }
            Act::Authenticate(server_name) => {
                let request = McpAuthenticate {
                    server_name: server_name.clone(),
                    ..McpAuthenticate::default()
                };
                let answer = client.request(request).await.map_err(error_text)?;
                let url = answer.auth_url.filter(|url| !url.is_empty());
                ActOutcome::SignIn {
                    server: server_name,
                    url,
                }
            }
            _ => return Ok(None),
        }))
    }

    /// Applies settings to this session.
    async fn apply_settings(&self, settings: serde_json::Value) -> Result<(), String> {
        let request = ApplyFlagSettings {
            settings: settings.into(),
            ..ApplyFlagSettings::default()
        };
        let laid = self.client.request_within(request, REPLY_TIMEOUT).await;
        laid.map(|_| ()).map_err(|why| format!("not accepted: {why}"))
    }

    /// Adds a working folder to those that the session already has.
    async fn add_folder(&self, folder: &std::path::Path) -> Result<ActOutcome, String> {
        let folder = folder
            .canonicalize()
            .ok()
            .filter(|folder| folder.is_dir())
            .ok_or_else(|| format!("{} is not a folder", folder.display()))?;
        let given = self.client.request_within(GetSettings::default(), REPLY_TIMEOUT).await;
        let given = given.map_err(error_text)?;
        let sources = given.sources.iter().map(sluice_wire::Raw::to_value);
        let mut flags =
            sources.filter(|it| it.get("source").and_then(serde_json::Value::as_str) == Some("flagSettings"));
        let permissions = flags.next().and_then(|it| it.pointer("/settings/permissions").cloned());
        let mut permissions = permissions.unwrap_or_else(|| serde_json::json!({}));
        let name = folder.display().to_string();
        if let Some(fields) = permissions.as_object_mut() {
            let list = fields
                .entry("additionalDirectories")
                .or_insert_with(|| serde_json::json!([]));
            if let Some(list) = list.as_array_mut() {
                if list.iter().any(|known| known.as_str() == Some(&name)) {
                    return Err(format!("{name} is already a working folder"));
                }
                list.push(name.clone().into());
            }
        }
        self.apply_settings(serde_json::json!({ "permissions": permissions }))
            .await?;
        Ok(ActOutcome::Rows(vec![Row::new().add("~ ", Role::Note).add(
            &format!("working folder for this session: {name}"),
            Role::Faint,
        )]))
    }

    pub(super) async fn keep(&self, source: &str, settings: serde_json::Value) -> Result<(), String> {
        let request = UpdateSettings {
            source: source.to_owned(),
            settings: settings.into(),
            ..UpdateSettings::default()
        };
        let kept = self.client.request_within(request, REPLY_TIMEOUT).await;
        kept.map(|_| ()).map_err(|why| format!("not saved: {why}"))
    }

    /// Rewrites the rules of a kind with or without one rule.
    async fn change_rule(&self, behavior: &str, rule: &str, source: &str, add: bool) -> Result<(), String> {
        let answer = self
            .client
            .request_within(GetSettings::default(), REPLY_TIMEOUT)
            .await
            .map_err(error_text)?;
        let sources: Vec<serde_json::Value> = answer.sources.iter().map(sluice_wire::Raw::to_value).collect();
        let known = sources
            .iter()
            .find(|it| it.get("source").and_then(serde_json::Value::as_str) == Some(source))
            .and_then(|it| it.pointer(&format!("/settings/permissions/{behavior}")))
            .and_then(serde_json::Value::as_array)
            .cloned()
            .unwrap_or_default();
        let mut list: Vec<serde_json::Value> = known.into_iter().filter(|it| it.as_str() != Some(rule)).collect();
        if add {
            list.push(rule.into());
        }
        self.keep(source, serde_json::json!({"permissions": {behavior: list}}))
            .await
    }
}

/// Returns the definition files of subagents by declared name; the first folder wins.
fn agent_files(places: &[std::path::PathBuf]) -> std::collections::HashMap<String, std::path::PathBuf> {
    let mut found = std::collections::HashMap::new();
    let folders = places
        .iter()
        .filter_map(|place| std::fs::read_dir(place.join("agents")).ok());
    for file in folders.flatten().flatten().map(|file| file.path()) {
        if file.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let name = text.lines().find_map(|line| line.strip_prefix("name:"));
        let own = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name
            .map(|name| name.trim().trim_matches(['"', '\'']).to_owned())
            .or(own);
        found.entry(name.unwrap_or_default()).or_insert(file);
    }
    found
}

/// Returns matching subagents in the form of a mention.
fn agents_like<'a>(names: impl Iterator<Item = &'a str>, query: &str) -> Vec<String> {
    let wanted = query.strip_prefix("agent-").unwrap_or(query).to_lowercase();
    let fits = |name: &&str| !wanted.is_empty() && name.to_lowercase().contains(&wanted) || query == "agent-";
    names.filter(fits).map(|name| format!("agent-{name}")).collect()
}

fn path_of(value: &serde_json::Value) -> Option<String> {
    let path = value.as_str().or_else(|| {
        ["path", "displayText", "display_text", "text", "value"]
            .iter()
            .find_map(|name| value.get(name)?.as_str())
    });
    path.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn agents_are_completed_as_mentions() {
        let names = || ["linter", "Explore"].into_iter();
        assert_eq!(agents_like(names(), "li"), ["agent-linter"]);
        assert_eq!(agents_like(names(), "agent-"), ["agent-linter", "agent-Explore"]);
        assert_eq!(agents_like(names(), "agent-exp"), ["agent-Explore"]);
        assert!(agents_like(names(), "").is_empty());
    }

    #[test]
    fn an_agent_is_found_by_declared_name_in_the_first_folder() {
        let place = tempfile::tempdir().unwrap();
        let folders = ["near", "far"].map(|name| place.path().join(name));
        for folder in &folders {
            std::fs::create_dir_all(folder.join("agents")).unwrap();
        }
        let write = |folder: usize, file: &str, text: &str| {
            std::fs::write(folders.get(folder).unwrap().join("agents").join(file), text).unwrap();
        };
        write(0, "a.md", "---\nname: \"release\"\n---\nDo it.");
        write(1, "b.md", "---\nname: release\n---\n");
        write(1, "plain.md", "no front matter");
        write(1, "not.txt", "name: x");
        let found = agent_files(&folders);
        assert_eq!(found.len(), 2);
        assert!(found.get("release").unwrap().ends_with("near/agents/a.md"));
        assert!(found.get("plain").unwrap().ends_with("far/agents/plain.md"));
    }
}
