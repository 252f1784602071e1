//! The trait `Tool`, and its descriptor.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use sluice_permission::{Key, ToolFacts, Touches};

use crate::context::Context;
use crate::input;
use crate::outcome::{Invalid, Outcome};

/// A boxed future, so that tools are trait objects.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The descriptor of a tool. Code that treats tools differently uses these fields instead of tool names.
///
/// A tool sets only the fields in which it differs from [`Descriptor::default`]: offered to every model, and subject to
/// permission for each call.
#[derive(Debug, Clone)]
pub struct Descriptor {
    /// The name on the wire.
    pub name: Cow<'static, str>,
    /// Description for the model.
    pub description: Cow<'static, str>,
    /// The JSON Schema of the input.
    pub schema: Value,
    /// Alternative names.
    pub aliases: &'static [&'static str],
    /// Older name used in `system/init`.
    pub listed_as: Option<&'static str>,
    /// What calls touch: the basis for permission decisions, checkpoints and the resolution of paths.
    pub touches: Touches,
    /// True if it is offered by default.
    pub default: bool,
    /// True if it is only useful when a person can answer.
    pub needs_person: bool,
    /// True if it needs a separate model.
    pub needs_model: bool,
    /// True if it only makes sense within a conversation.
    pub of_conversation: bool,
    /// The list that it manages; a session has one kind of list.
    pub list: Option<ListKind>,
    /// Input with which a call requests to continue in the background; refused if that is not possible.
    pub background: Option<Key>,
    /// What a call changes, if that does not follow from `touches`.
    pub changes: Option<Changes>,
    /// How a running call is displayed, if `touches` is not enough.
    pub activity: Option<Activity>,
    /// The MCP server of the tool, as spelled in its name.
    pub server: Option<String>,
}

/// Kinds of lists of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// The older list, replaced as a whole.
    Todos,
    /// Created and changed task by task.
    Tasks,
}

/// Effect of a call on existing data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// Nothing.
    Nothing,
    /// Something, without loss of data.
    Something,
    /// Previous data may be lost.
    Irrevocably,
}

/// Description of a running call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// The verb, for example `Running`.
    pub words: &'static str,
    /// Inputs that name the object; the first one present is used.
    pub keys: &'static [Key],
}

impl Default for Descriptor {
    fn default() -> Self {
        Self {
            name: Cow::Borrowed(""),
            description: Cow::Borrowed(""),
            schema: Value::Null,
            aliases: &[],
            listed_as: None,
            touches: Touches::Anything,
            default: true,
            needs_person: false,
            needs_model: false,
            of_conversation: false,
            list: None,
            background: None,
            changes: None,
            activity: None,
            server: None,
        }
    }
}

impl Descriptor {
    /// Validates input against the schema; returns it in schema order with defaults filled in and an absolute path.
    ///
    /// # Errors
    /// The input does not match the schema.
    pub fn checked(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        input::checked(self, input, cwd)
    }

    /// True if the tool has this name or alias.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.facts().is_called(name)
    }

    /// Returns the effect of a call.
    #[must_use]
    pub fn changes(&self) -> Changes {
        self.changes.unwrap_or(match self.touches {
            Touches::Reads { .. }
            | Touches::Searches { .. }
            | Touches::Fetches { .. }
            | Touches::SearchesWeb { .. } => Changes::Nothing,
            Touches::Edits { .. } | Touches::Shell { .. } | Touches::Anything => Changes::Irrevocably,
            Touches::Nothing
            | Touches::Person
            | Touches::Agent { .. }
            | Touches::Skill { .. }
            | Touches::Resource { .. } => Changes::Something,
        })
    }

    /// Returns the facts for a permission decision.
    #[must_use]
    pub fn facts(&self) -> ToolFacts<'_> {
        ToolFacts {
            name: &self.name,
            aliases: self.aliases,
            touches: self.touches,
            server: self.server.as_deref(),
        }
    }
}

/// Server of a tool and its name there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Name of the server.
    pub server: String,
    /// Configuration source of the server.
    pub source: &'static str,
    /// Name of the tool on the server.
    pub tool: String,
    /// Display name.
    pub title: String,
    /// Name in permission requests.
    pub spoken: String,
    /// Requires an answer from a person regardless of rules.
    pub needs_answer: bool,
}

/// A tool, built in or specific to a session.
pub trait Tool: Send + Sync {
    /// Returns the descriptor.
    fn descriptor(&self) -> &Descriptor;

    /// Returns the input with defaults of the schema filled in, as in the `assistant` frame.
    fn fill(&self, input: &Value) -> Value {
        input::fill(&self.descriptor().schema, input)
    }

    /// Returns validated input in schema order, with defaults filled in and relative paths resolved against `cwd`, as
    /// in a permission request.
    fn check(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        self.descriptor().checked(input, cwd)
    }

    /// True if its schema is hidden until a tool search finds it.
    fn deferred(&self) -> bool {
        false
    }

    /// Returns the server of the tool, if it has one.
    fn provenance(&self) -> Option<Provenance> {
        None
    }

    /// True if this call may run in parallel with others; only for calls that certainly change nothing.
    fn concurrency_safe(&self, input: &Value) -> bool;

    /// Returns the outcome of a call that cannot succeed regardless of permission, or `None`. Called after deny rules
    /// and before a permission request; [`Tool::run`] repeats the check, so the default is safe.
    fn vet<'a>(&'a self, _input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(std::future::ready(None))
    }

    /// Returns the input for the `assistant` frame and the permission request if it differs from the model's; `None`
    /// keeps the results of [`Tool::fill`] and [`Tool::check`]. The returned input is what runs and is not checked
    /// again.
    fn present<'a>(&'a self, _input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Value>> {
        Box::pin(std::future::ready(None))
    }

    /// Runs the call with checked or filled input: a path is resolved against the current directory and reported as
    /// given. Dropping the future stops what the call started, except for background tasks.
    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome>;
}

/// A tool with static lifetime (built in) or shared ownership (specific to a session).
#[derive(Debug, Clone)]
pub enum AnyTool {
    /// A built-in tool.
    Builtin(&'static dyn Tool),
    /// A tool of this session, such as that of a server.
    Own(Arc<dyn Tool>),
}

impl Deref for AnyTool {
    type Target = dyn Tool;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Builtin(tool) => *tool,
            Self::Own(tool) => &**tool,
        }
    }
}

impl fmt::Debug for dyn Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.descriptor().name).finish()
    }
}
