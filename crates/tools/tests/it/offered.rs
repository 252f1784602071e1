use pretty_assertions::assert_eq;
use sluice_tools::{Descriptor, registry};

fn names(wanted: impl Fn(&Descriptor) -> bool) -> Vec<&'static str> {
    let mut names: Vec<_> = registry()
        .iter()
        .map(|tool| tool.descriptor())
        .filter(|descriptor| wanted(descriptor))
        .map(|descriptor| &*descriptor.name)
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn default_tools_are_those_hosts_expect() {
    assert_eq!(
        names(|tool| tool.default),
        [
            "AskUserQuestion",
            "Bash",
            "Edit",
            "EnterPlanMode",
            "ExitPlanMode",
            "Monitor",
            "NotebookEdit",
            "Read",
            "SetGoal",
            "TaskStop",
            "ToolSearch",
            "WebFetch",
            "WebSearch",
            "Write",
        ]
    );
    assert_eq!(
        names(|tool| !tool.default),
        [
            "Glob",
            "Grep",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "TaskUpdate",
            "TodoWrite"
        ]
    );
    assert_eq!(
        names(|tool| tool.needs_person),
        ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "SetGoal"]
    );
}
