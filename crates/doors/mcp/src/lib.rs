//! The tools, or the agent, as an MCP server.
