//! What dialogs show, and what is changed in them.

use std::time::Duration;

use sluice_wire::control::{
    FileSuggestions, GetContextUsage, GetHooksListing, GetSettings, GetUsage, ListModels, ListPermissionRules,
    McpAuthenticate, McpReconnect, McpStatus, McpToggle, UpdateSettings,
};

use super::{Doer, PATIENCE, said};
use crate::app::{Act, Told};

impl Doer {
    /// For a dialog.
    pub(super) async fn lists(&self, act: Act) -> Result<Option<Told>, String> {
        let client = &self.client;
        Ok(Some(match act {
            Act::Models => match client.request_within(ListModels::default(), PATIENCE).await {
                Ok(answer) => Told::Models(answer.models),
                Err(_) => Told::Models(client.greeting().models.clone().unwrap_or_default()),
            },
            Act::Servers => {
                let answer = client
                    .request_within(McpStatus::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Servers(answer.mcp_servers)
            }
            Act::Reconnect(server_name) => {
                let request = McpReconnect {
                    server_name,
                    ..McpReconnect::default()
                };
                client.request(request).await.map_err(said)?;
                Told::Notice("connected".to_owned())
            }
            Act::Toggle(server_name, enabled) => {
                let request = McpToggle {
                    server_name,
                    enabled,
                    ..McpToggle::default()
                };
                client.request(request).await.map_err(said)?;
                Told::Notice(if enabled { "on" } else { "off" }.to_owned())
            }
            Act::Rules => {
                let answer = client
                    .request_within(ListPermissionRules::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Rules(Box::new(answer.state))
            }
            Act::Context => {
                let answer = client
                    .request_within(GetContextUsage::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Context(Box::new(answer))
            }
            Act::Cost => {
                let answer = client
                    .request_within(GetUsage::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Cost(Box::new(answer))
            }
            Act::Files(query) => {
                let request = FileSuggestions {
                    query: query.clone(),
                    ..FileSuggestions::default()
                };
                let mut answer = client.request_within(request.clone(), PATIENCE).await.map_err(said)?;
                // The first answer of an agent that only begins to look is an empty one.
                if answer.suggestions.is_empty() {
                    tokio::time::sleep(Duration::from_millis(150)).await;
                    answer = client.request_within(request, PATIENCE).await.map_err(said)?;
                }
                let found = answer
                    .suggestions
                    .iter()
                    .filter_map(|found| path_of(&found.to_value()))
                    .collect();
                Told::Files { query, found }
            }
            Act::Settings => {
                let answer = client
                    .request_within(GetSettings::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Settings(answer.effective.to_value())
            }
            Act::Setting(settings) => {
                self.keep("userSettings", settings).await?;
                return Ok(None);
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
                    .request_within(ListPermissionRules::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::RulesOf(Box::new(answer.state), kind)
            }
            Act::Agents => Told::Agents(client.greeting().agents.clone().unwrap_or_default()),
            Act::Hooks => {
                let answer = client
                    .request_within(GetHooksListing::default(), PATIENCE)
                    .await
                    .map_err(said)?;
                Told::Hooks(answer.hooks)
            }
            Act::Authenticate(server_name) => {
                let request = McpAuthenticate {
                    server_name: server_name.clone(),
                    ..McpAuthenticate::default()
                };
                let answer = client.request(request).await.map_err(said)?;
                let url = answer.auth_url.filter(|url| !url.is_empty());
                Told::SignIn {
                    server: server_name,
                    url,
                }
            }
            _ => return Ok(None),
        }))
    }

    async fn keep(&self, source: &str, settings: serde_json::Value) -> Result<(), String> {
        let request = UpdateSettings {
            source: source.to_owned(),
            settings: settings.into(),
            ..UpdateSettings::default()
        };
        let kept = self.client.request_within(request, PATIENCE).await;
        kept.map(|_| ()).map_err(|why| format!("not kept: {why}"))
    }

    /// Writes the list of a kind anew, with the rule or without it.
    async fn change_rule(&self, behavior: &str, rule: &str, source: &str, add: bool) -> Result<(), String> {
        let answer = self
            .client
            .request_within(GetSettings::default(), PATIENCE)
            .await
            .map_err(said)?;
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

fn path_of(value: &serde_json::Value) -> Option<String> {
    let path = value.as_str().or_else(|| {
        ["path", "displayText", "display_text", "text", "value"]
            .iter()
            .find_map(|name| value.get(name)?.as_str())
    });
    path.map(str::to_owned)
}
