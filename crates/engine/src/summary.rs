//! The first and last message of each turn: `system/init` and `result`.

use std::path::PathBuf;

use sluice_wire::stdout::system::{Init, MemoryPaths};
use sluice_wire::stdout::{FastModeState, TurnResult};
use sluice_wire::{Number, Raw};

use crate::messages;
use crate::session::Session;
use crate::structured;
use crate::turn::Ending;

impl Session {
    /// Builds `system/init`.
    pub(crate) fn init(&self) -> Init {
        let uuids = (!self.turn.prompts.uuids.is_empty()).then(|| self.turn.prompts.uuids.clone());
        Init {
            cwd: self.tooling.cwd().get().display().to_string(),
            tools: self
                .offered()
                .map(|tool| {
                    // The reference CLI lists this tool under its older name.
                    let tool = tool.descriptor();
                    tool.listed_as.unwrap_or(&tool.name).to_owned()
                })
                .chain(
                    self.is_structured(structured::TOOL)
                        .then(|| structured::TOOL.to_owned()),
                )
                .collect(),
            mcp_servers: self
                .tooling
                .servers()
                .all()
                .iter()
                .map(|link| sluice_servers::status::short(link))
                .collect(),
            model: self.model.name.clone(),
            permission_mode: Some(self.policy.mode.clone()),
            api_key_source: self.options.model.key_source.as_str().to_owned(),
            claude_code_version: messages::PROTOCOL_VERSION.to_owned(),
            slash_commands: self.command_names(),
            // All built-in commands work without a terminal.
            terminal_slash_commands: Some(Vec::new()),
            output_style: self.style_name(),
            agents: Some(self.agent_names()),
            skills: Some(self.skill_names()),
            plugins: Some(self.plugin_infos()),
            plugin_errors: self.plugin_errors(),
            capabilities: Some(messages::CAPABILITIES.iter().map(|&word| word.to_owned()).collect()),
            mcp_server_errors: Some(self.tooling.servers().skipped().to_vec()).filter(|errors| !errors.is_empty()),
            // Only model requests leave the machine.
            analytics_disabled: Some(true),
            product_feedback_disabled: Some(true),
            uuid: messages::fresh_id(),
            memory_paths: self.policy.notes.as_deref().map(|folder| MemoryPaths {
                auto: Some(format!("{}/", folder.display())),
                ..MemoryPaths::default()
            }),
            original_cwd: Some(self.options.cwd.display().to_string()),
            additional_directories: Some(further(&self.policy.roots)),
            fast_mode_state: Some(FastModeState::Off),
            fast_mode_disabled_reason: Some(messages::NO_FAST_MODE.to_owned()),
            effort: self.options.model.effort.clone(),
            view_mode: Some("default".to_owned()),
            user_message_uuids: uuids,
            betas: Some(self.options.model.config.betas.clone()).filter(|betas| !betas.is_empty()),
            ..Init::default()
        }
    }

    /// Builds the result of the current turn.
    pub(crate) fn turn_result(&self, ending: &Ending) -> TurnResult {
        let turn = &self.turn;
        let denials = turn
            .denials
            .iter()
            .filter_map(|denial| serde_json::from_value(denial.clone()).ok());
        let mut result = TurnResult {
            duration_ms: u64::try_from(turn.times.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            duration_api_ms: self.account.api_ms(),
            num_turns: turn.num_turns(),
            stop_reason: turn.stop_reason.clone(),
            total_cost_usd: Number(self.account.ledger().total_cost_usd()),
            usage: serde_json::from_value(turn.tokens.to_usage()).unwrap_or_default(),
            model_usage: serde_json::from_value(self.account.ledger().model_usage()).unwrap_or_default(),
            permission_denials: denials.collect(),
            origin: turn
                .prompts
                .origin
                .clone()
                .and_then(|origin| serde_json::from_value(origin).ok()),
            fast_mode_state: Some(FastModeState::Off),
            fast_mode_disabled_reason: Some(messages::NO_FAST_MODE.to_owned()),
            subagent_stats: Some(self.agents.stats()),
            safety_stops: Some(turn.safety_stops()),
            uuid: messages::fresh_id(),
            queued_turn_count: Some(u64::try_from(self.queue.len()).unwrap_or(u64::MAX)),
            result_index: Some(self.line.results()),
            user_message_uuid: turn
                .prompts
                .uuid
                .clone()
                .or_else(|| turn.prompts.folded.last().cloned()),
            user_message_uuids: turn.all_uuids(),
            resume_reason: turn.resume_reason(),
            ttft_ms: turn
                .times
                .first_block
                .map(|at| messages::millis(at.duration_since(turn.times.began))),
            ttft_stream_ms: turn
                .times
                .first_token
                .map(|at| messages::millis(at.duration_since(turn.times.began))),
            time_to_request_ms: turn
                .times
                .first_request
                .map(|at| messages::millis(at.duration_since(turn.times.began))),
            ..TurnResult::default()
        };
        // The field is sent as null, like the reference CLI does.
        result.usage.fallback_credit = Some(Raw::of(&()));
        messages::end(&mut result, ending, turn);
        result
    }
}

/// The additional working folders.
fn further(roots: &[PathBuf]) -> Vec<String> {
    roots.iter().skip(1).map(|root| root.display().to_string()).collect()
}
