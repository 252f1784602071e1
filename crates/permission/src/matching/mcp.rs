//! `mcp__server`, `mcp__server__*`, `mcp__server__tool`.

/// Whether a rule for `rule` covers the tool `tool`.
#[must_use]
pub fn covers(rule: &str, tool: &str) -> bool {
    if rule == tool {
        return true;
    }
    let Some(server) = rule.strip_prefix("mcp__") else {
        return false;
    };
    let Some(called) = tool.strip_prefix("mcp__") else {
        return false;
    };
    let server = server.strip_suffix("__*").unwrap_or(server);
    if server.is_empty() || server == "*" {
        return server == "*";
    }
    // The name must end where the server's does: `mcp__a` is not `mcp__ab__x`.
    called.strip_prefix(server).is_some_and(|rest| rest.starts_with("__"))
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn servers_and_tools() {
        for rule in ["mcp__tiny", "mcp__tiny__*", "mcp__tiny__add"] {
            assert!(covers(rule, "mcp__tiny__add"), "{rule}");
        }
        assert!(!covers("mcp__tiny__add", "mcp__tiny__addition"));
        assert!(!covers("mcp__tin", "mcp__tiny__add"));
        assert!(!covers("mcp__tiny", "mcp__tinyx__add"));
        assert!(!covers("mcp__", "mcp__tiny__add"));
        assert!(!covers("Bash", "mcp__tiny__add"));
    }
}
