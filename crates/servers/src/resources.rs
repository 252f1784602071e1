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

/// What the list is called.
pub const LIST: &str = "ListMcpResourcesTool";
/// What reading is called.
pub const READ: &str = "ReadMcpResourceTool";

/// What looking into a folder of them is called.
pub const READ_DIRECTORY: &str = "ReadMcpResourceDirTool";

static LIST_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: LIST.into(),
    description: "Lists what the connected MCP servers have to read: documents, records, whatever they call a \
                  resource. Each entry says which server has it. Name a server to see only its own."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {"server": {"type": "string", "description": "Only this server's resources."}},
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    ..Descriptor::default()
});

static READ_DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: READ.into(),
    description: "Reads one resource of an MCP server, by the server's name and the resource's address as \
                  ListMcpResourcesTool gives them. What is no text is saved to a file, and the file is named."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "The server that has it."},
            "uri": {"type": "string", "description": "Its address."},
        },
        "required": ["server", "uri"],
        "additionalProperties": false,
    }),
    touches: Touches::Resource { server: "server" },
    ..Descriptor::default()
});

/// Reading, as far as a decision depends on it.
pub fn reading() -> ToolFacts<'static> {
    READ_DESCRIPTOR.facts()
}

/// The three tools, over these servers.
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
        self.0.iter().any(|link| link.around.limits.defer)
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
            let listed: Vec<Value> = chosen.into_iter().flat_map(listed).collect();
            if listed.is_empty() {
                return Outcome::ok("No server has anything to read; their tools may have.", json!([]));
            }
            let listed = Value::from(listed);
            Outcome::ok(listed.to_string(), listed)
        })
    }
}

/// How many resources are suggested beside the files.
const MOST_SUGGESTED: usize = 4;

/// A resource that fits what a person has typed behind an `@`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// What stands behind the `@`: `server:uri`.
    path: String,
    #[serde(rename = "type")]
    kind: &'static str,
    server: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// Resources of connected servers whose address or name holds all words of `query`, in the order of the servers.
pub fn suggestions(links: &[Arc<Link>], query: &str) -> Vec<Suggestion> {
    let query = query.to_lowercase();
    let offered = links.iter().filter_map(|link| Some((link, link.offer()?)));
    let all = offered.flat_map(|(link, offer)| {
        let told = offer.resources.iter().map(|resource| Suggestion {
            path: format!("{}:{}", link.name, resource.uri),
            kind: "resource",
            server: link.name.clone(),
            name: resource.title.clone().unwrap_or_else(|| resource.name.clone()),
            description: resource.description.clone(),
        });
        told.collect::<Vec<_>>()
    });
    all.filter(|it| fits(it, &query)).take(MOST_SUGGESTED).collect()
}

fn fits(resource: &Suggestion, query: &str) -> bool {
    let (path, name) = (resource.path.to_lowercase(), resource.name.to_lowercase());
    query
        .split_whitespace()
        .all(|word| path.contains(word) || name.contains(word))
}

/// A server's resources, each saying whose it is.
fn listed(link: &Arc<Link>) -> Vec<Value> {
    let offer = link.offer();
    let resources = offer.iter().flat_map(|offer| &offer.resources);
    let told = |resource| {
        let mut told = serde_json::to_value(resource).unwrap_or_default();
        if let Some(object) = told.as_object_mut() {
            object.insert("server".to_owned(), json!(link.name));
        }
        told
    };
    resources.map(told).collect()
}

impl Tool for ReadResource {
    fn descriptor(&self) -> &Descriptor {
        &READ_DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        self.0.iter().any(|link| link.around.limits.defer)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (Some(server), Some(uri)) = (field(&input, "server"), field(&input, "uri")) else {
                return Outcome::failed("A server and the address of its resource are needed.");
            };
            let link = match find(&self.0, server) {
                Ok(link) => link,
                Err(outcome) => return *outcome,
            };
            let frame = Frame {
                server,
                call_id: &cx.call_id,
                folder: &cx.output_dir,
                longest: link.around.limits.output,
            };
            match link.read_resource(uri).await {
                Ok(read) => {
                    let told = json!({"contents": content::contents(&read, &frame).await});
                    let shown = content::fitting(Value::from(told.to_string()), &frame).await;
                    Outcome::ok(shown, told)
                }
                // A resource that is not there is an answer, not a failure.
                Err(ServiceError::McpError(error)) if error.code == ErrorCode::RESOURCE_NOT_FOUND => {
                    let said = format!("{server} has no resource {uri} (any more). {LIST} says what it has now.");
                    Outcome::ok(said.clone(), json!({"contents": [], "error": said}))
                }
                Err(error) => Outcome::failed(explain(&error)),
            }
        })
    }
}
