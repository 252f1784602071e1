//! Prompts of MCP servers, as slash commands.

use std::sync::Arc;

use rmcp::model::{GetPromptRequestParams, Prompt, Role};
use serde_json::{Map, Value, json};

use super::content::{self, Frame};
use super::link::{Link, explain};
use super::names;

/// A prompt of a server.
#[derive(Debug, Clone)]
pub struct ServerPrompt {
    /// The name of the command: `mcp__<server>__<prompt>`.
    pub name: String,
    /// The description for people and the model.
    pub description: String,
    /// The positional arguments: the name of each, and whether it is required.
    pub arguments: Vec<(String, bool)>,
    prompt: String,
    link: Arc<Link>,
}

impl ServerPrompt {
    pub(super) fn new(link: &Arc<Link>, prompt: &Prompt) -> Self {
        let arguments = prompt.arguments.iter().flatten();
        Self {
            name: names::prompt(&link.name, &prompt.name),
            description: prompt
                .description
                .clone()
                .or_else(|| prompt.title.clone())
                .unwrap_or_default(),
            arguments: arguments
                .map(|argument| (argument.name.clone(), argument.required == Some(true)))
                .collect(),
            prompt: prompt.name.clone(),
            link: link.clone(),
        }
    }

    /// Returns the argument hint of the command.
    pub fn hint(&self) -> String {
        let shown = |(name, required): &(String, bool)| {
            if *required {
                format!("<{name}>")
            } else {
                format!("[{name}]")
            }
        };
        self.arguments.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    /// Requests the prompt with `words` as its arguments. Returns its messages: the role of each (`user` or `assistant`) and
    /// its blocks as the model receives them.
    pub async fn get(&self, words: &str, folder: &std::path::Path) -> Result<Vec<(String, Vec<Value>)>, String> {
        let connection = self.link.connection().await?;
        let mut params = GetPromptRequestParams::new(self.prompt.clone());
        let arguments = self.arguments_from(words)?;
        if !arguments.is_empty() {
            params = params.with_arguments(arguments);
        }
        let response = tokio::time::timeout(self.link.tool_timeout(), connection.service.get_prompt(params)).await;
        let response = response.map_err(|_| format!("{} did not return its prompt in time", self.link.name))?;
        let response = response.map_err(|error| explain(&error))?;
        let frame = Frame {
            server: &self.link.name,
            call_id: &self.name,
            folder,
            max_length: None,
        };
        let mut messages = Vec::new();
        for message in response.messages {
            let role = if message.role == Role::Assistant {
                "assistant"
            } else {
                "user"
            };
            let block = serde_json::to_value(&message.content).unwrap_or_default();
            messages.push((role.to_owned(), content::blocks(&block, &frame).await));
        }
        Ok(messages)
    }

    /// Assigns words to the arguments in order. Extra words are ignored.
    fn arguments_from(&self, words: &str) -> Result<Map<String, Value>, String> {
        let mut words = words.split_whitespace();
        let mut arguments_from = Map::new();
        for (name, required) in &self.arguments {
            match words.next() {
                Some(word) => {
                    arguments_from.insert(name.clone(), json!(word));
                }
                None if *required => return Err(format!("/{} requires {}", self.name, self.hint())),
                None => {}
            }
        }
        Ok(arguments_from)
    }
}
