//! `ReadMcpResourceDirTool`: the resources of an MCP server directly below a URI.
//!
//! A server lists all its resources, and which of them are below a URI follows from their URIs. No request is sent.

use std::sync::LazyLock;

use rmcp::model::Resource;
use serde_json::{Value, json};
use sluice_permission::Touches;
use sluice_tools::{Context, Descriptor, Outcome, Pending, Tool};

use super::{LIST, READ_DIRECTORY, ReadDirectory, field, find};

/// The MIME type of folders.
const FOLDER: &str = "inode/directory";

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: READ_DIRECTORY.into(),
    description: "Lists the resources of an MCP server directly below a URI, like the entries of a folder. Takes the \
                  server name and a URI that ListMcpResourcesTool returns, or the beginning of one."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "The server that offers the resources."},
            "uri": {"type": "string", "description": "The URI whose entries to list."},
        },
        "required": ["server", "uri"],
        "additionalProperties": false,
    }),
    touches: Touches::Resource { server: "server" },
    ..Descriptor::default()
});

impl Tool for ReadDirectory {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        self.0.iter().any(|link| link.context.limits.defer)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (Some(server), Some(uri)) = (field(&input, "server"), field(&input, "uri")) else {
                return Outcome::failed("`server` and `uri` are required.");
            };
            let link = match find(&self.0, server) {
                Ok(link) => link,
                Err(outcome) => return *outcome,
            };
            let offer = link.offer();
            let resources = offer.iter().flat_map(|offer| &offer.resources);
            let entries = entries_below(uri, resources);
            if entries.is_empty() {
                let message = format!("{server} has no resources below {uri}. {LIST} lists its resources.");
                return Outcome::ok(message.clone(), json!({"resources": [], "error": message}));
            }
            let result = json!({ "resources": entries });
            Outcome::ok(result.to_string(), result)
        })
    }
}

/// Returns the entries directly below a URI, each once. Deeper resources are represented by their folder.
fn entries_below<'a>(uri: &str, resources: impl Iterator<Item = &'a Resource>) -> Vec<Value> {
    let base = if uri.ends_with('/') {
        uri.to_owned()
    } else {
        format!("{uri}/")
    };
    let mut found: Vec<(String, Value)> = Vec::new();
    for resource in resources {
        let Some(rest) = resource.uri.strip_prefix(base.as_str()).filter(|rest| !rest.is_empty()) else {
            continue;
        };
        let rest = rest.trim_end_matches('/');
        let first = rest.split('/').next().unwrap_or(rest);
        let at = format!("{base}{first}");
        let entry = if first == rest {
            let mut entry = json!({"uri": resource.uri, "name": resource.name});
            if let (Some(kind), Some(entry)) = (&resource.mime_type, entry.as_object_mut()) {
                entry.insert("mimeType".to_owned(), json!(kind));
            }
            entry
        } else {
            json!({"uri": at, "name": first, "mimeType": FOLDER})
        };
        match found.iter_mut().find(|(known, _)| *known == at) {
            // A listed resource has more details than a folder derived from a deeper one.
            Some((_, known)) if first == rest => *known = entry,
            Some(_) => {}
            None => found.push((at, entry)),
        }
    }
    found.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(uri: &str) -> Resource {
        let name = uri.rsplit('/').next().unwrap_or_default();
        Resource::new(uri, name)
    }

    #[test]
    fn direct_entries_are_listed_and_deeper_ones_as_their_folder() {
        let all = [
            "x://d/a",
            "x://d/sub/b",
            "x://d/sub/c",
            "x://d",
            "x://dd/e",
            "x://d/sub",
        ]
        .map(listed);
        let wanted = [
            json!({"uri": "x://d/a", "name": "a"}),
            json!({"uri": "x://d/sub", "name": "sub"}),
        ];
        for uri in ["x://d", "x://d/"] {
            assert_eq!(entries_below(uri, all.iter()), wanted, "{uri}");
        }
        assert_eq!(
            entries_below("x://d", all.iter().take(3)),
            [
                json!({"uri": "x://d/a", "name": "a"}),
                json!({"uri": "x://d/sub", "name": "sub", "mimeType": FOLDER}),
            ]
        );
        assert_eq!(entries_below("x://nothing", all.iter()), Vec::<Value>::new());
        assert_eq!(entries_below("x://d/a", all.iter()), Vec::<Value>::new());
    }
}
