//! What the calls of a tool touch: besides its name, the only fact about a tool that a permission decision uses.

use crate::names;

/// The name of an input, by which it is found in a call.
pub type Key = &'static str;

/// What the calls of a tool touch, and which of their inputs says what exactly.
///
/// A tool that touches more than one of these, or a path that no single input names, is left at [`Touches::Anything`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Touches {
    /// Unknown: the permission request is about the whole tool. For MCP tools, and every tool that does not say what
    /// it touches.
    #[default]
    Anything,
    /// Nothing but the session's own state, and what was allowed before.
    Nothing,
    /// A person, who has to answer.
    Person,
    /// One file, read.
    Reads {
        /// The file.
        path: Key,
    },
    /// One file, made or changed.
    Edits {
        /// The file.
        path: Key,
    },
    /// Files below a folder, read or listed.
    Searches {
        /// The folder; the current directory where it is left out.
        path: Key,
        /// A pattern of names that may lead out of the folder.
        pattern: Option<Key>,
    },
    /// Whatever a command line does.
    Shell {
        /// The command line.
        command: Key,
        /// For a tool whose commands run in the session's sandbox: the input by which one asks to be let out of it.
        /// Without it no sandbox answers for them.
        sandbox: Option<Key>,
    },
    /// A host of the network.
    Fetches {
        /// The address.
        url: Key,
    },
    /// The web, by way of the model's own service.
    SearchesWeb {
        /// The query.
        query: Key,
    },
    /// A subagent, whose calls are decided about one by one.
    Agent {
        /// Its type.
        kind: Key,
        /// The type where none is given.
        usual: &'static str,
    },
    /// A skill, which may contain permission rules or hooks.
    Skill {
        /// Its name.
        name: Key,
    },
    /// What a server has to read.
    Resource {
        /// The server.
        server: Key,
    },
}

impl Touches {
    /// The input that names one file.
    #[must_use]
    pub fn file(self) -> Option<Key> {
        match self {
            Self::Searches { .. } => None,
            _ => self.path(),
        }
    }

    /// The input that names a file or a folder.
    #[must_use]
    pub fn path(self) -> Option<Key> {
        match self {
            Self::Reads { path } | Self::Edits { path } | Self::Searches { path, .. } => Some(path),
            Self::Anything
            | Self::Nothing
            | Self::Person
            | Self::Shell { .. }
            | Self::Fetches { .. }
            | Self::SearchesWeb { .. }
            | Self::Agent { .. }
            | Self::Skill { .. }
            | Self::Resource { .. } => None,
        }
    }

    /// Whether it changes files.
    #[must_use]
    pub fn edits(self) -> bool {
        matches!(self, Self::Edits { .. })
    }

    /// Whether it reads files: one, or those below a folder.
    #[must_use]
    pub fn reads(self) -> bool {
        matches!(self, Self::Reads { .. } | Self::Searches { .. })
    }

    /// Whether it runs commands.
    #[must_use]
    pub fn runs(self) -> bool {
        matches!(self, Self::Shell { .. })
    }
}

/// A tool, as far as a decision depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolFacts<'a> {
    /// Its name.
    pub name: &'a str,
    /// Other names of the tool: rules with one of them apply to it, too.
    pub aliases: &'a [&'static str],
    /// What its calls touch.
    pub touches: Touches,
    /// The MCP server it belongs to, as the name of the tool spells it.
    pub server: Option<&'a str>,
}

impl<'a> ToolFacts<'a> {
    /// A tool of which only the name is known. It is asked about.
    #[must_use]
    pub fn unknown(name: &'a str) -> Self {
        Self {
            name,
            aliases: &[],
            touches: Touches::Anything,
            server: None,
        }
    }

    /// Whether the tool answers to this name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

impl ToolFacts<'static> {
    /// A tool that reads the file of this input, as rules name it.
    #[must_use]
    pub fn reading(path: Key) -> Self {
        Self {
            name: names::READ,
            aliases: &[],
            touches: Touches::Reads { path },
            server: None,
        }
    }

    /// A tool that runs the command line of this input, as rules name it, outside of any sandbox.
    #[must_use]
    pub fn command(command: Key) -> Self {
        Self {
            name: names::BASH,
            aliases: &[],
            touches: Touches::Shell { command, sandbox: None },
            server: None,
        }
    }
}
