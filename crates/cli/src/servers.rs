//! MCP servers of a session, from flags and environment variables.

use std::time::Duration;

use sluice_engine::mcp::{self, ServerOptions, config};
use sluice_engine::settings::read_named;

use crate::environment::Environment;
use crate::flags::Flags;

/// File with the tokens of MCP servers, in the configuration folder.
const CREDENTIALS: &str = "mcp-credentials.json";
/// Estimated number of characters per token.
const LETTERS_PER_TOKEN: usize = 4;

/// Builds the options for MCP servers, or returns an error message.
pub(crate) fn options(flags: &Flags, environment: &Environment) -> Result<ServerOptions, String> {
    let mut options = ServerOptions::new(environment.config_dir.join(CREDENTIALS));
    options.strict = flags.strict_mcp_config;
    for argument in &flags.mcp_config {
        let text = text(argument, environment)?;
        let servers = config::servers(&text).map_err(|error| invalid(argument, &error.to_string()))?;
        // An invalid server is skipped and reported in `system/init`.
        options.dynamic.extend(servers);
    }
    let variables = &environment.mcp;
    options.connect = variables.timeout.unwrap_or(mcp::CONNECT_TIMEOUT);
    options.tool = variables.tool_timeout.unwrap_or(mcp::TOOL_TIMEOUT);
    options.output = variables
        .output_tokens
        .map(|tokens| tokens.saturating_mul(LETTERS_PER_TOKEN));
    options.wait = !variables.nonblocking;
    options.defer = variables.defer;
    Ok(options)
}

/// Variables for MCP servers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    /// `MCP_TIMEOUT`.
    pub(crate) timeout: Option<Duration>,
    /// `MCP_TOOL_TIMEOUT`.
    pub(crate) tool_timeout: Option<Duration>,
    /// `MAX_MCP_OUTPUT_TOKENS`.
    pub(crate) output_tokens: Option<usize>,
    /// `MCP_CONNECTION_NONBLOCKING`.
    pub(crate) nonblocking: bool,
    /// `ENABLE_TOOL_SEARCH`: tools of servers are loaded by tool search unless disabled.
    pub(crate) defer: bool,
}

/// Returns the argument itself if it is JSON, otherwise the contents of the file it names.
fn text(argument: &str, environment: &Environment) -> Result<String, String> {
    if argument.trim_start().starts_with('{') {
        return Ok(argument.to_owned());
    }
    let path = environment.cwd.join(argument);
    read_named(&path).map_err(|error| invalid(argument, &error.to_string()))
}

fn invalid(argument: &str, why: &str) -> String {
    let inline = argument.trim_start().starts_with('{');
    let what = if inline {
        "--mcp-config".to_owned()
    } else {
        format!("--mcp-config {argument}")
    };
    format!("invalid MCP configuration: {what}: {why}")
}
