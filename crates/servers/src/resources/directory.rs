//! `ReadMcpResourceDirTool`: the resources of an MCP server directly below a URI.
//!
//! A server lists all its resources; which of them lie below a URI follows from their URIs. So no request is made.

use std::sync::LazyLock;

use rmcp::model::Resource;
use serde_json::{Value, json};
use sluice_permission::Touches;
use sluice_tools::{Context, Descriptor, Outcome, Pending, Tool};

use super::{LIST, READ_DIRECTORY, ReadDirectory, field, find};

/// What folders say they are.
const FOLDER: &str = "inode/directory";

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: READ_DIRECTORY.into(),
    description: "Says what an MCP server has to read directly beneath an address, as one looks into a folder: by the \
                  server's name and the address as ListMcpResourcesTool gives it, or the beginning of one."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "The server that has it."},
            "uri": {"type": "string", "description": "The address to look beneath."},
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
        self.0.iter().any(|link| link.around.limits.defer)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (Some(server), Some(uri)) = (field(&input, "server"), field(&input, "uri")) else {
                return Outcome::failed("A server and an address are needed.");
            };
            let link = match find(&self.0, server) {
                Ok(link) => link,
                Err(outcome) => return *outcome,
            };
            let offer = link.offer();
            let resources = offer.iter().flat_map(|offer| &offer.resources);
            let beneath = beneath(uri, resources);
            if beneath.is_empty() {
                let said = format!("{server} lists nothing beneath {uri}. {LIST} says what it has.");
                return Outcome::ok(said.clone(), json!({"resources": [], "error": said}));
            }
            let told = json!({ "resources": beneath });
            Outcome::ok(told.to_string(), told)
        })
    }
}

/// What lies directly beneath an address, each once; what lies deeper as the folder it is in.
fn beneath<'a>(uri: &str, resources: impl Iterator<Item = &'a Resource>) -> Vec<Value> {
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
        let told = if first == rest {
            let mut told = json!({"uri": resource.uri, "name": resource.name});
            if let (Some(kind), Some(told)) = (&resource.mime_type, told.as_object_mut()) {
                told.insert("mimeType".to_owned(), json!(kind));
            }
            told
        } else {
            json!({"uri": at, "name": first, "mimeType": FOLDER})
        };
        match found.iter_mut().find(|(known, _)| *known == at) {
            // What is listed itself says more than what was concluded.
            Some((_, known)) if first == rest => *known = told,
            Some(_) => {}
            None => found.push((at, told)),
        }
    }
    found.into_iter().map(|(_, told)| told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(uri: &str) -> Resource {
        let name = uri.rsplit('/').next().unwrap_or_default();
        Resource::new(uri, name)
    }

    #[test]
    fn one_step_is_told_and_what_is_deeper_as_its_folder() {
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
            assert_eq!(beneath(uri, all.iter()), wanted, "{uri}");
        }
        assert_eq!(
            beneath("x://d", all.iter().take(3)),
            [
                json!({"uri": "x://d/a", "name": "a"}),
                json!({"uri": "x://d/sub", "name": "sub", "mimeType": FOLDER}),
            ]
        );
        assert_eq!(beneath("x://nothing", all.iter()), Vec::<Value>::new());
        assert_eq!(beneath("x://d/a", all.iter()), Vec::<Value>::new());
    }
}
