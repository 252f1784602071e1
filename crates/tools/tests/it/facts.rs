//! Descriptors of the built-in tools, from which permission, checkpoints and display follow.

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_permission::Touches;
use sluice_tools::{Changes, Descriptor, ListKind, Pins, Toolbox, find, registry};

fn names(wanted: impl Fn(&Descriptor) -> bool) -> Vec<&'static str> {
    let all = registry().iter().map(|tool| tool.descriptor());
    let mut names: Vec<_> = all.filter(|tool| wanted(tool)).map(|tool| &*tool.name).collect();
    names.sort_unstable();
    names
}

#[test]
fn every_tool_says_what_it_touches_by_an_input_it_has() {
    for tool in registry() {
        let tool = tool.descriptor();
        let keys = match tool.touches {
            Touches::Anything => panic!("{} says nothing", tool.name),
            Touches::Nothing | Touches::Person => vec![],
            Touches::Reads { path } | Touches::Edits { path } => vec![path],
            Touches::Searches { path, pattern } => [path].into_iter().chain(pattern).collect(),
            Touches::Shell { command, sandbox } => [command].into_iter().chain(sandbox).collect(),
            Touches::Fetches { url } => vec![url],
            Touches::SearchesWeb { query } => vec![query],
            Touches::Agent { kind, .. } => vec![kind],
            Touches::Skill { name } => vec![name],
            Touches::Resource { server } => vec![server],
        };
        let shown = tool.activity.map(|activity| activity.keys).unwrap_or_default();
        for key in keys.iter().chain(shown).chain(&tool.background) {
            assert!(tool.schema["properties"].get(key).is_some(), "{} {key}", tool.name);
        }
    }
    assert_eq!(Descriptor::default().touches, Touches::Anything, "asked about");
}

#[test]
fn each_tool_declares_what_it_touches() {
    assert_eq!(names(|tool| tool.touches.edits()), ["Edit", "NotebookEdit", "Write"]);
    assert_eq!(names(|tool| tool.touches.reads()), ["Glob", "Grep", "Read"]);
    assert_eq!(
        names(|tool| tool.touches.file().is_some()),
        ["Edit", "NotebookEdit", "Read", "Write"]
    );
    assert_eq!(names(|tool| tool.touches.runs()), ["Bash", "Monitor"]);
    assert_eq!(
        names(|tool| matches!(tool.touches, Touches::Fetches { .. })),
        ["WebFetch"]
    );
    assert_eq!(
        names(|tool| tool.touches == Touches::Person),
        ["AskUserQuestion", "ExitPlanMode", "SetGoal"]
    );
    assert_eq!(names(|tool| tool.needs_model), ["WebFetch", "WebSearch"]);
    assert_eq!(names(|tool| tool.of_conversation), ["Monitor", "SetGoal", "ToolSearch"]);
    assert_eq!(names(|tool| tool.background.is_some()), ["Bash"]);
    assert_eq!(names(|tool| tool.list == Some(ListKind::Todos)), ["TodoWrite"]);
    assert_eq!(
        names(|tool| tool.list == Some(ListKind::Tasks)),
        ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]
    );
    assert_eq!(
        names(|tool| tool.changes() == Changes::Nothing),
        [
            "Glob",
            "Grep",
            "Read",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "WebFetch",
            "WebSearch"
        ]
    );
    assert_eq!(
        names(|tool| tool.changes() == Changes::Irrevocably),
        ["Bash", "Edit", "Monitor", "NotebookEdit", "TaskStop", "Write"]
    );
}

#[test]
fn paths_are_looked_up_for_whatever_touches_files() {
    let dir = tempfile::tempdir().unwrap();
    let cwd = dir.path().canonicalize().unwrap();
    let first = |touches, input| {
        let pins = Pins::of(touches, &input, &cwd);
        pins.first().map(|pin| pin.place().to_owned())
    };
    for touches in [Touches::Reads { path: "at" }, Touches::Edits { path: "at" }] {
        assert_eq!(first(touches, json!({"at": "a"})), Some(cwd.join("a")));
        assert_eq!(first(touches, json!({"file_path": "a"})), None);
    }
    let search = Touches::Searches {
        path: "below",
        pattern: Some("names"),
    };
    assert_eq!(first(search, json!({"names": "*.rs"})), Some(cwd.clone()));
    let leaves = Pins::of(search, &json!({"names": "/etc/*.conf"}), &cwd);
    assert!(leaves.resolve(Path::new("/etc")).is_some());
    for touches in [Touches::Anything, Touches::Nothing, Touches::Fetches { url: "at" }] {
        assert_eq!(first(touches, json!({"at": "a", "path": "a", "file_path": "a"})), None);
    }
}

#[test]
fn a_toolbox_begins_with_the_table() {
    let all = |toolbox: &Toolbox| toolbox.iter().map(|tool| &*tool.descriptor().name).collect::<Vec<_>>();
    let table: Vec<_> = registry().iter().map(|tool| &*tool.descriptor().name).collect();
    let toolbox = Toolbox::default();
    assert_eq!(all(&toolbox), table);
    assert_eq!(toolbox.find("KillShell").unwrap().descriptor().name, "TaskStop");
    let more = toolbox.with(find("Read").unwrap());
    assert_eq!(all(&more).last(), Some(&"Read"));
    assert_eq!(all(&more).len(), table.len() + 1);
}
