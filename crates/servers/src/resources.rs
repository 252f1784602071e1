//! `ListMcpResourcesTool` and `ReadMcpResourceTool`: resources of MCP servers, for the model.

mod directory;

use std::sync::{Arc, LazyLock};

use rmcp::model::ErrorCode;
use rmcp::service::ServiceError;
use serde::Serialize;
use serde_json::{Value, json};
use sluice_permission::{ToolFacts, Touches};
use sluice_tools::{Context, Descriptor, Outcome, Pending, Tool};

use super::content::{self, Frame};
use super::link::{Link, explain};

/// The name of the tool that lists resources.
pub const LIST: &str = "ListMcpResourcesTool";
/// The name of the tool that reads a resource.
pub const READ: &str = "ReadMcpResourceTool";

/// The name of the tool that lists the resources below a URI.
pub const READ_DIRECTORY: &str = "ReadMcpResourceDirTool";

static LIST_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: LIST.into(),
    description: "Lists the resources of the connected MCP servers, such as documents and records. Each entry names \
                  the server that offers it. Pass a server name to list only the resources of that server."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {"server": {"type": "string", "description": "List only the resources of this server."}},
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    ..Descriptor::default()
});

static READ_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: READ.into(),
    description: "Reads a resource of an MCP server. Takes the server name and the URI that ListMcpResourcesTool \
                  returns. Binary content is saved to a file; the result contains its path."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "The server that offers the resource."},
            "uri": {"type": "string", "description": "The URI of the resource."},
        },
        "required": ["server", "uri"],
        "additionalProperties": false,
    }),
    touches: Touches::Resource { server: "server" },
    ..Descriptor::default()
});

/// Returns the facts about the reading tool that permission decisions need.
pub fn reading() -> ToolFacts<'static> {
    READ_DESCRIPTOR.facts()
}

/// Creates the three tools for these servers.
pub fn tools(links: &[Arc<Link>]) -> [Arc<dyn Tool>; 3] {
    let links: Arc<[Arc<Link>]> = links.into();
    [
        Arc::new(ListResources(links.clone())),
        Arc::new(ReadResource(links.clone())),
        Arc::new(ReadDirectory(links)),
    ]
}

#[derive(Debug)]
struct ListResources(Arc<[Arc<Link>]>);

#[derive(Debug)]
struct ReadResource(Arc<[Arc<Link>]>);

#[derive(Debug)]
struct ReadDirectory(Arc<[Arc<Link>]>);

fn find<'a>(links: &'a [Arc<Link>], name: &str) -> Result<&'a Arc<Link>, Box<Outcome>> {
    links.iter().find(|link| link.name == name).ok_or_else(|| {
        let known: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        Box::new(Outcome::failed(format!(
            "Server \"{name}\" not found. Available servers: {}",
            known.join(", ")
        )))
    })
}

fn field<'a>(input: &'a Value, key: &str) -> Option<&'a str> {
    input.get(key).and_then(Value::as_str)
}

impl Tool for ListResources {
    fn descriptor(&self) -> &Descriptor {
        &LIST_DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        self.0.iter().any(|link| link.context.limits.defer)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let chosen: Vec<&Arc<Link>> = match field(&input, "server") {
                Some(name) => match find(&self.0, name) {
                    Ok(link) => vec![link],
                    Err(outcome) => return *outcome,
                },
                None => self.0.iter().collect(),
            };
            let resources: Vec<Value> = chosen.into_iter().flat_map(resources_of).collect();
            if resources.is_empty() {
                return Outcome::ok(
                    "No resources found. The tools of the servers may still provide data.",
                    json!([]),
                );
            }
            let resources = Value::from(resources);
            Outcome::ok(resources.to_string(), resources)
        })
    }
}

/// The maximum number of suggested resources beside files.
const MAX_SUGGESTIONS: usize = 4;

/// A resource that matches the text typed after an `@`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The text to insert after the `@`: `server:uri`.
    path: String,
    #[serde(rename = "type")]
    kind: &'static str,
    server: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// Returns the resources of connected servers whose URI or name contains all words of `query`, in the order of the
/// servers.
pub fn suggestions(links: &[Arc<Link>], query: &str) -> Vec<Suggestion> {
    let query = query.to_lowercase();
    let offered = links.iter().filter_map(|link| Some((link, link.offer()?)));
    let all = offered.flat_map(|(link, offer)| {
        let suggestions = offer.resources.iter().map(|resource| Suggestion {
            path: format!("{}:{}", link.name, resource.uri),
            kind: "resource",
            server: link.name.clone(),
            name: resource.title.clone().unwrap_or_else(|| resource.name.clone()),
            description: resource.description.clone(),
        });
        suggestions.collect::<Vec<_>>()
    });
    all.filter(|it| matches_query(it, &query))
        .take(MAX_SUGGESTIONS)
        .collect()
}

fn matches_query(resource: &Suggestion, query: &str) -> bool {
    let (path, name) = (resource.path.to_lowercase(), resource.name.to_lowercase());
    query
        .split_whitespace()
        .all(|word| path.contains(word) || name.contains(word))
}

/// Returns the resources of a server as JSON, each with the name of the server.
fn resources_of(link: &Arc<Link>) -> Vec<Value> {
    let offer = link.offer();
    let resources = offer.iter().flat_map(|offer| &offer.resources);
    let result = |resource| {
        let mut result = serde_json::to_value(resource).unwrap_or_default();
        if let Some(object) = result.as_object_mut() {
            object.insert("server".to_owned(), json!(link.name));
        }
        result
    };
    resources.map(result).collect()
}

impl Tool for ReadResource {
    fn descriptor(&self) -> &Descriptor {
        &READ_DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        self.0.iter().any(|link| link.context.limits.defer)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (Some(server), Some(uri)) = (field(&input, "server"), field(&input, "uri")) else {
                return Outcome::failed("`server` and `uri` are required.");
            };
            let link = match find(&self.0, server) {
                Ok(link) => link,
                Err(outcome) => return *outcome,
            };
            let frame = Frame {
                server,
                call_id: &cx.call_id,
                folder: &cx.output_dir,
                max_length: link.context.limits.output,
            };
            match link.read_resource(uri).await {
                Ok(read) => {
                    let result = json!({"contents": content::contents(&read, &frame).await});
                    let shown = content::fitting(Value::from(result.to_string()), &frame).await;
                    Outcome::ok(shown, result)
                }
                // A missing resource is an answer, not a failure.
                Err(ServiceError::McpError(error)) if error.code == ErrorCode::RESOURCE_NOT_FOUND => {
                    let message = format!("{server} has no resource {uri}. {LIST} lists the current ones.");
                    Outcome::ok(message.clone(), json!({"contents": [], "error": message}))
                }
                Err(error) => Outcome::failed(explain(&error)),
            }
        })
    }
}
