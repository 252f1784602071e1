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
    /// What the command is called: `mcp__<server>__<prompt>`.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What may be said behind it, one after the other: the name, and whether it has to be there.
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

    /// What may follow the command, as a person reads it.
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

    /// Asks the server for the prompt with these words behind the command, and gives its messages: whose each is
    /// (`user` or `assistant`) and its blocks as the model takes them.
    pub async fn get(&self, words: &str, folder: &std::path::Path) -> Result<Vec<(String, Vec<Value>)>, String> {
        let connection = self.link.connection().await?;
        let mut params = GetPromptRequestParams::new(self.prompt.clone());
        let arguments = self.filled(words)?;
        if !arguments.is_empty() {
            params = params.with_arguments(arguments);
        }
        let got = tokio::time::timeout(self.link.tool_timeout(), connection.service.get_prompt(params)).await;
        let got = got.map_err(|_| format!("{} did not give its prompt in time", self.link.name))?;
        let got = got.map_err(|error| explain(&error))?;
        let frame = Frame {
            server: &self.link.name,
            call_id: &self.name,
            folder,
            longest: None,
        };
        let mut messages = Vec::new();
        for message in got.messages {
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

    /// The words behind the command, given to the arguments in their order; words beyond these are nobody's.
    fn filled(&self, words: &str) -> Result<Map<String, Value>, String> {
        let mut words = words.split_whitespace();
        let mut filled = Map::new();
        for (name, required) in &self.arguments {
            match words.next() {
                Some(word) => {
                    filled.insert(name.clone(), json!(word));
                }
                None if *required => return Err(format!("/{} needs {}", self.name, self.hint())),
                None => {}
            }
        }
        Ok(filled)
    }
}
