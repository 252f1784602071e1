//! `mcp__server`, `mcp__server__*`, `mcp__server__tool`.

use crate::rule::{Behavior, Rule};
use crate::touches::ToolFacts;

const PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";

/// Whether a rule covers a tool of an MCP server.
///
/// Server and tool are compared one by one. The text of a rule is split at its first separator, so an allow rule never
/// covers a server with a separator in its name: `mcp__github__evil` could mean a tool of `github`. A deny or ask rule
/// covers both readings.
#[must_use]
pub fn covers(rule: &Rule, tool: ToolFacts<'_>) -> bool {
    let Some(called) = tool.name.strip_prefix(PREFIX) else {
        return false;
    };
    if rule.behavior != Behavior::Allow {
        return may_mean(&rule.tool, called);
    }
    let Some(named) = rule.tool.strip_prefix(PREFIX) else {
        return false;
    };
    let (server, named) = match named.split_once(SEPARATOR) {
        Some((server, tool)) => (server, Some(tool)),
        None => (named, None),
    };
    let own = match tool.server {
        Some(own) => called
            .strip_prefix(own)
            .and_then(|rest| Some((own, rest.strip_prefix(SEPARATOR)?))),
        // Unknown: only a name that can be split in one way.
        None => called
            .split_once(SEPARATOR)
            .filter(|(_, tool)| !tool.starts_with('_') && !tool.contains(SEPARATOR)),
    };
    server == "*" && named.is_none()
        || own.is_some_and(|(own, called)| {
            !own.is_empty() && own == server && named.is_none_or(|named| named == "*" || named == called)
        })
}

/// Whether the text of a rule may mean the server or the tool in `called`.
pub(crate) fn may_mean(rule: &str, called: &str) -> bool {
    let Some(named) = rule.strip_prefix(PREFIX) else {
        return false;
    };
    let server = named.strip_suffix("__*").unwrap_or(named);
    if named == called || server == "*" {
        return true;
    }
    // The name must end where the server's does: `mcp__a` is not `mcp__ab__x`.
    !server.is_empty()
        && called
            .strip_prefix(server)
            .is_some_and(|rest| rest.starts_with(SEPARATOR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Source;

    fn rule(behavior: Behavior, text: &str) -> Rule {
        Rule::parse(behavior, Source::User, "/", text).unwrap()
    }

    fn of<'a>(server: Option<&'a str>, name: &'a str) -> ToolFacts<'a> {
        ToolFacts {
            server,
            ..ToolFacts::unknown(name)
        }
    }

    #[test]
    fn servers_and_tools() {
        for behavior in [Behavior::Allow, Behavior::Deny] {
            let covers = |text: &str, name: &str| covers(&rule(behavior, text), of(None, name));
            for text in ["mcp__tiny", "mcp__tiny__*", "mcp__tiny__add"] {
                assert!(covers(text, "mcp__tiny__add"), "{text}");
            }
            assert!(!covers("mcp__tiny__add", "mcp__tiny__addition"));
            assert!(!covers("mcp__tin", "mcp__tiny__add"));
            assert!(!covers("mcp__tiny", "mcp__tinyx__add"));
            assert!(!covers("mcp__", "mcp__tiny__add"));
            assert!(!covers("Bash", "mcp__tiny__add"));
        }
    }

    #[test]
    fn another_server_inherits_nothing_by_its_name() {
        for text in [
            "mcp__github",
            "mcp__github__*",
            "mcp__github__evil",
            "mcp__github__evil__*",
            "mcp__github__evil__x",
        ] {
            for server in [Some("github__evil"), None] {
                let name = "mcp__github__evil__x";
                assert!(
                    !covers(&rule(Behavior::Allow, text), of(server, name)),
                    "{text} {server:?}"
                );
                assert!(
                    covers(&rule(Behavior::Deny, text), of(server, name)),
                    "{text} {server:?}"
                );
            }
        }
        assert!(!covers(
            &rule(Behavior::Allow, "mcp__github"),
            of(Some("github_"), "mcp__github___x")
        ));
        assert!(covers(
            &rule(Behavior::Allow, "mcp__github"),
            of(Some("github"), "mcp__github__do__it")
        ));
    }
}
