//! Permission policies of tools, as a host declares them for an MCP server (`tools` of its configuration).

use std::sync::{Mutex, PoisonError};

use indexmap::IndexMap;
use serde_json::Value;
use sluice_permission::Behavior;
use sluice_wire::control::{McpPermissionPolicy, McpToolPolicy};

use super::names;

/// The policies of all servers of a session, by normalised server name and full tool name.
#[derive(Debug, Default)]
pub(crate) struct Policies(Mutex<IndexMap<String, IndexMap<String, Behavior>>>);

impl Policies {
    /// Replaces the policies of a server. Anything but a list declares none and leaves the stored ones in effect.
    pub(crate) fn declare(&self, server: &str, tools: Option<&Value>) {
        if let Some(tools) = tools.and_then(Value::as_array) {
            let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            servers.insert(names::normalised(server), read(server, tools));
        }
    }

    /// Removes the policies of a server.
    pub(crate) fn clear(&self, server: &str) {
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        servers.shift_remove(&names::normalised(server));
    }

    /// Returns the behavior that the policy of a tool requires.
    pub(crate) fn of_tool(&self, server: &str, full: &str) -> Option<Behavior> {
        let servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        servers.get(&names::normalised(server))?.get(full).copied()
    }
}

/// Parses the list. An entry without a name is dropped, an unknown policy asks, and of two entries for one tool the
/// stricter one applies. `always_allow` grants nothing: the host allows calls by its answers and rules.
fn read(server: &str, tools: &[Value]) -> IndexMap<String, Behavior> {
    let mut policies = IndexMap::new();
    for entry in tools {
        let Some(name) = entry.get("name").and_then(Value::as_str) else {
            continue;
        };
        let policy = serde_json::from_value(entry.clone()).map_or_else(
            |_| Some(McpPermissionPolicy::AlwaysAsk),
            |policy: McpToolPolicy| policy.permission_policy,
        );
        let behavior = match policy {
            None | Some(McpPermissionPolicy::AlwaysAllow) => continue,
            Some(McpPermissionPolicy::AlwaysDeny) => Behavior::Deny,
            Some(McpPermissionPolicy::AlwaysAsk | McpPermissionPolicy::Other(_)) => Behavior::Ask,
        };
        let known = policies.entry(names::tool(server, name)).or_insert(behavior);
        if behavior == Behavior::Deny {
            *known = behavior;
        }
    }
    policies
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_policy_asks_and_entries_without_name_are_dropped() {
        let policies = Policies::default();
        let tools = json!([
            {"name": "a", "permission_policy": "always_deny"},
            {"permission_policy": "always_deny"},
            5,
            {"name": "b", "permission_policy": "sometimes"},
            {"name": "c", "permission_policy": 7},
            {"name": "d", "permission_policy": "always_allow"},
            {"name": "e"},
            {"name": "f", "permission_policy": "always_deny"},
            {"name": "f", "permission_policy": "always_ask"},
        ]);
        policies.declare("my host", Some(&tools));
        let of = |tool: &str| policies.of_tool("my host", &format!("mcp__my_host__{tool}"));
        assert_eq!(
            ["a", "b", "c", "d", "e", "f"].map(of),
            [
                Some(Behavior::Deny),
                Some(Behavior::Ask),
                Some(Behavior::Ask),
                None,
                None,
                Some(Behavior::Deny)
            ]
        );
    }

    #[test]
    fn value_that_is_not_a_list_keeps_the_stored_policies() {
        let policies = Policies::default();
        policies.declare("s", Some(&json!([{"name": "a", "permission_policy": "always_deny"}])));
        policies.declare("s", Some(&json!({"name": "a"})));
        policies.declare("s", None);
        assert_eq!(policies.of_tool("s", "mcp__s__a"), Some(Behavior::Deny));
        policies.declare("s", Some(&json!([])));
        assert_eq!(policies.of_tool("s", "mcp__s__a"), None);
    }
}
