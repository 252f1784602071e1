//! A small world to decide in.

use std::path::Path;

use serde_json::{Value, json};
use sluice_permission::{
    Behavior, Call, Decision, Lexical, Linked, Paths, PermissionMode, Policy, Rule, Source, Verdict, decide,
};

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
        decide(&self.policy, &Call::new(tool, input, Path::new("/w")), &self.links)
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
    decide(policy, &Call::new("Bash", &input, Path::new("/w")), paths).behavior
}
