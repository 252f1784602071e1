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

/// A boxed future, so that tools can live in one table.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The descriptor of a tool. Code that treats tools differently asks here, and knows no tool by its name.
///
/// A tool states what is special about it and leaves the rest to [`Descriptor::default`]: offered to every model, and
/// asked about whenever it is called.
#[derive(Debug, Clone)]
pub struct Descriptor {
    /// The name on the wire.
    pub name: Cow<'static, str>,
    /// What it does and how to use it, for the model.
    pub description: Cow<'static, str>,
    /// The JSON Schema of the input.
    pub schema: Value,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The older name `system/init` lists it by.
    pub listed_as: Option<&'static str>,
    /// What its calls touch: what is decided about, kept before it changes, and looked at where it really lies.
    pub touches: Touches,
    /// Whether it is offered by default.
    pub default: bool,
    /// Whether it makes sense only where a person can answer.
    pub needs_person: bool,
    /// Whether it asks a model of its own.
    pub needs_model: bool,
    /// Whether it means something only within a conversation.
    pub of_conversation: bool,
    /// The list it keeps track in: a session has one of them.
    pub list: Option<ListKind>,
    /// The input by which a call asks to go on after it has returned; refused where nothing may.
    pub background: Option<Key>,
    /// What a call leaves otherwise than it was, where what it touches does not say it.
    pub changes: Option<Changes>,
    /// How a running call is shown, if `touches` is not enough.
    pub activity: Option<Activity>,
    /// The MCP server the tool belongs to, as its name spells it.
    pub server: Option<String>,
}

/// The lists a session may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// The older one, written as a whole.
    Todos,
    /// Made and changed task by task.
    Tasks,
}

/// What a call leaves otherwise than it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// Nothing.
    Nothing,
    /// Something, and nothing is lost by it.
    Something,
    /// What was there before may be gone.
    Irrevocably,
}

/// How a running call is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// What it does: `Running`.
    pub words: &'static str,
    /// The inputs that name the object; the first that is given counts.
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
    /// The input held against the schema, in the schema's order, with its defaults filled in and its path absolute.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn checked(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        input::checked(self, input, cwd)
    }

    /// Whether the tool answers to this name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.facts().is_called(name)
    }

    /// What a call leaves otherwise than it was.
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

    /// The tool, as far as a decision depends on it.
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

/// Which server a tool belongs to, and what it is called there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The server's name.
    pub server: String,
    /// Where the server comes from.
    pub source: &'static str,
    /// What the server calls the tool.
    pub tool: String,
    /// What a person is shown for it.
    pub title: String,
    /// What a person is shown when asked about it.
    pub spoken: String,
    /// It needs an answer of a person, whatever the rules say.
    pub needs_answer: bool,
}

/// One tool: built in, or made for a session.
pub trait Tool: Send + Sync {
    /// What the model is told about it.
    fn descriptor(&self) -> &Descriptor;

    /// The input with the schema's defaults filled in and nothing else changed: what the `assistant` frame shows.
    fn fill(&self, input: &Value) -> Value {
        input::fill(&self.descriptor().schema, input)
    }

    /// The validated input in the schema's order, defaults filled in, relative paths made absolute against `cwd`:
    /// what a permission question shows.
    fn check(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        self.descriptor().checked(input, cwd)
    }

    /// Whether it is there without its schema being shown, until it is searched for.
    fn deferred(&self) -> bool {
        false
    }

    /// Where it comes from, for tools of servers.
    fn provenance(&self) -> Option<Provenance> {
        None
    }

    /// Whether this call may run beside others. `false` unless it certainly changes nothing.
    fn concurrency_safe(&self, input: &Value) -> bool;

    /// The outcome of a call that cannot succeed whatever a person answers, `None` for one worth asking about.
    /// Comes after deny rules and before the question; [`Tool::run`] repeats it, so leaving it out is safe.
    fn vet<'a>(&'a self, _input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(std::future::ready(None))
    }

    /// The input as the `assistant` frame and the question show it, where that is not what the model sent; `None`
    /// leaves it as [`Tool::fill`] and [`Tool::check`] made it. What it gives is what runs, and is not checked again.
    fn present<'a>(&'a self, _input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Value>> {
        Box::pin(std::future::ready(None))
    }

    /// Does it. Takes checked input or the filled one: a path is resolved against the current directory and
    /// reported as it was given.
    /// Dropping the future ends what it started, except what has moved to the background.
    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome>;
}

/// A tool wherever it lives: those built in are there for ever, others come and go with a session.
#[derive(Debug, Clone)]
pub enum AnyTool {
    /// One of the table.
    Builtin(&'static dyn Tool),
    /// One that this session alone has, such as a server's.
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
