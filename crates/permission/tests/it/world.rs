//! A small world to decide in.

use std::path::Path;

use serde_json::{Value, json};
use sluice_permission::{
    Behavior, Call, Decision, Lexical, Paths, PermissionMode, Policy, Rule, Source, ToolFacts, Touches, Verdict, decide,
};

use crate::linked::Linked;

/// What the tools of those names touch.
pub(crate) fn tool(name: &str) -> ToolFacts<'_> {
    let touches = match name {
        "Bash" => Touches::Shell {
            command: "command",
            sandbox: Some("dangerouslyDisableSandbox"),
        },
        "Read" => Touches::Reads { path: "file_path" },
        "Edit" | "Write" => Touches::Edits { path: "file_path" },
        "NotebookEdit" => Touches::Edits { path: "notebook_path" },
        "Glob" => Touches::Searches {
            path: "path",
            pattern: Some("pattern"),
        },
        "Grep" => Touches::Searches {
            path: "path",
            pattern: None,
        },
        "WebFetch" => Touches::Fetches { url: "url" },
        "WebSearch" => Touches::SearchesWeb { query: "query" },
        "Agent" | "Task" => Touches::Agent {
            kind: "subagent_type",
            usual: "general-purpose",
        },
        "Skill" => Touches::Skill { name: "skill" },
        "ReadMcpResourceTool" => Touches::Resource { server: "server" },
        "AskUserQuestion" | "ExitPlanMode" => Touches::Person,
        "TodoWrite"
        | "TaskCreate"
        | "TaskUpdate"
        | "TaskList"
        | "TaskGet"
        | "TaskOutput"
        | "TaskStop"
        | "EnterPlanMode"
        | "ToolSearch"
        | "StructuredOutput"
        | "ListMcpResourcesTool" => Touches::Nothing,
        _ => Touches::Anything,
    };
    ToolFacts {
        touches,
        ..ToolFacts::unknown(name)
    }
}

pub(crate) struct World {
    pub(crate) policy: Policy,
    pub(crate) links: Linked,
}

/// `/w` is the project, `/home/u` the home, `/etc` a directory.
pub(crate) fn world() -> World {
    World {
        policy: Policy::new("/w", "/home/u"),
        links: Linked::default().with_dir("/etc"),
    }
}

impl World {
    pub(crate) fn rule(mut self, behavior: Behavior, text: &str) -> Self {
        self.policy
            .rules
            .push(Rule::parse(behavior, Source::User, "/w", text).unwrap());
        self
    }

    pub(crate) fn allow(self, text: &str) -> Self {
        self.rule(Behavior::Allow, text)
    }

    pub(crate) fn deny(self, text: &str) -> Self {
        self.rule(Behavior::Deny, text)
    }

    pub(crate) fn ask(self, text: &str) -> Self {
        self.rule(Behavior::Ask, text)
    }

    pub(crate) fn mode(mut self, mode: &str) -> Self {
        self.policy.mode = PermissionMode::from(mode);
        self
    }

    pub(crate) fn link(mut self, from: &str, to: &str) -> Self {
        self.links = Linked::new([(from, to)]);
        self
    }

    pub(crate) fn call(&self, tool: &str, input: &Value) -> Decision {
        decide(
            &self.policy,
            &Call::new(self::tool(tool), input, Path::new("/w")),
            &self.links,
        )
    }

    pub(crate) fn bash(&self, command: &str) -> Decision {
        self.call("Bash", &json!({"command": command}))
    }

    pub(crate) fn write(&self, path: &str) -> Decision {
        self.call("Write", &json!({"file_path": path, "content": "x"}))
    }

    pub(crate) fn read(&self, path: &str) -> Decision {
        self.call("Read", &json!({"file_path": path}))
    }

    #[track_caller]
    pub(crate) fn allows(&self, command: &str) {
        let decision = self.bash(command);
        assert_eq!(decision.behavior, Verdict::Allow, "{command}: {decision:?}");
    }

    #[track_caller]
    pub(crate) fn asks(&self, command: &str) {
        let decision = self.bash(command);
        assert_eq!(decision.behavior, Verdict::Ask, "{command}: {decision:?}");
    }

    #[track_caller]
    pub(crate) fn denies(&self, command: &str) {
        let decision = self.bash(command);
        assert_eq!(decision.behavior, Verdict::Deny, "{command}: {decision:?}");
    }

    /// Asks or denies.
    #[track_caller]
    pub(crate) fn stops(&self, command: &str) {
        let decision = self.bash(command);
        assert_ne!(decision.behavior, Verdict::Allow, "{command}: {decision:?}");
    }
}

pub(crate) fn verdict(policy: &Policy, command: &str) -> Verdict {
    verdict_in(policy, command, &Lexical)
}

pub(crate) fn verdict_in(policy: &Policy, command: &str, paths: &dyn Paths) -> Verdict {
    let input = json!({"command": command});
    decide(policy, &Call::new(tool("Bash"), &input, Path::new("/w")), paths).behavior
}
