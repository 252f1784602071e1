//! Conflicts between flags, and checks of values that depend on other flags.

use super::{FlagError, Flags, InputFormat, OutputFormat};

impl Flags {
    /// Checks that the flags are consistent. Checks that involve files, the user or the environment are made by the
    /// caller.
    pub(crate) fn validate(&self) -> Result<(), FlagError> {
        self.formats()?;
        self.awaiting()?;
        self.sources()?;
        self.session()?;
        self.mcp()
    }

    fn formats(&self) -> Result<(), FlagError> {
        let streams_out = self.output_format == OutputFormat::StreamJson;
        let streams_in = self.input_format == InputFormat::StreamJson;
        if streams_in && !streams_out {
            return Err(FlagError::new(
                "--input-format=stream-json requires --output-format=stream-json",
            ));
        }
        if self.replay_user_messages && !(streams_in && streams_out) {
            return Err(FlagError::new(
                "--replay-user-messages requires both --input-format=stream-json and --output-format=stream-json",
            ));
        }
        if self.include_partial_messages && !streams_out {
            return Err(FlagError::new(
                "--include-partial-messages requires --output-format=stream-json",
            ));
        }
        if streams_out && !self.verbose {
            return Err(FlagError::new("--output-format=stream-json requires --verbose"));
        }
        Ok(())
    }

    fn awaiting(&self) -> Result<(), FlagError> {
        let streams_in = self.input_format == InputFormat::StreamJson;
        if self.managed_settings_in_initialize && self.managed_settings.is_some() {
            return Err(
                FlagError::new("--managed-settings-in-initialize cannot be used with --managed-settings")
                    .reason("managed_settings_not_delivered"),
            );
        }
        if self.managed_settings_in_initialize && !(self.await_initialize && streams_in) {
            return Err(FlagError::new(
                "--managed-settings-in-initialize requires --await-initialize and --input-format=stream-json",
            )
            .reason("managed_settings_not_delivered"));
        }
        if self.await_initialize && !streams_in {
            return Err(FlagError::new("--await-initialize requires --input-format=stream-json"));
        }
        if self.await_claim && !streams_in {
            return Err(FlagError::new("--await-claim requires --input-format=stream-json"));
        }
        Ok(())
    }

    fn sources(&self) -> Result<(), FlagError> {
        let known = |source: &&String| matches!(source.as_str(), "user" | "project" | "local");
        match self.setting_sources.iter().flatten().find(|source| !known(source)) {
            Some(unknown) => Err(FlagError::new(format!("invalid setting source: {unknown}"))
                .hint("--setting-sources takes user, project and local, separated by commas")),
            None => Ok(()),
        }
    }

    fn session(&self) -> Result<(), FlagError> {
        if self.resume_session_at.is_some() && self.resume.is_none() {
            return Err(FlagError::new("--resume-session-at requires --resume"));
        }
        let Some(id) = &self.session_id else { return Ok(()) };
        if !sluice_engine::transcript::is_id(id) {
            return Err(FlagError::new("invalid session ID: it must be a UUID").hint(format!("got '{id}'")));
        }
        if (self.continue_session || self.resume.is_some()) && !self.fork_session {
            return Err(FlagError::new(
                "--session-id can only be used with --continue or --resume if --fork-session is given too",
            ));
        }
        Ok(())
    }

    fn mcp(&self) -> Result<(), FlagError> {
        for config in self
            .mcp_config
            .iter()
            .filter(|config| config.trim_start().starts_with('{'))
        {
            if let Err(error) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(config) {
                return Err(FlagError::new(format!("invalid MCP configuration: {error}"))
                    .hint("--mcp-config takes a JSON object or the path of a file with one"));
            }
        }
        Ok(())
    }
}
