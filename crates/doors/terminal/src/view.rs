//! Views: render the conversation state as rows. Pure, and testable without a terminal.

pub mod amount;
pub mod ask;
pub mod card;
pub mod composer;
pub mod diff;
pub mod earlier;
pub mod export;
pub mod feed;
pub mod inline;
pub mod markdown;
pub mod pager_text;
pub mod prompt;
pub mod report;
pub mod snapshot;
pub mod status;
pub mod table;
pub mod withdrawal;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::{Path, PathBuf};

    /// Names of tools that clients may display.
    const TOOLS: [&str; 34] = [
        "Bash",
        "PowerShell",
        "BashOutput",
        "KillShell",
        "TaskOutput",
        "TaskStop",
        "Read",
        "Edit",
        "MultiEdit",
        "Write",
        "NotebookEdit",
        "Grep",
        "Glob",
        "LS",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "Agent",
        "TodoWrite",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "TaskGet",
        "AskUserQuestion",
        "ExitPlanMode",
        "EnterPlanMode",
        "SetGoal",
        "Skill",
        "StructuredOutput",
        "Monitor",
        "ScheduleWakeup",
        "SendMessage",
        "Workflow",
        "mcp__",
    ];

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            match path.is_dir() {
                true if name != "tests" => sources(&path, found),
                false if name.ends_with(".rs") && !name.contains("tests") => found.push(path),
                _ => {}
            }
        }
    }

    /// How a tool call is displayed is decided in `sluice_host::items`, so that a new tool is displayed well in all
    /// clients.
    #[test]
    fn views_contain_no_tool_names_or_protocol_types() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        sources(&root, &mut found);
        assert!(found.len() > 50);
        let mut hits = Vec::new();
        for path in found {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            let known = TOOLS.iter().filter(|tool| code.contains(&format!("\"{tool}\"")));
            hits.extend(known.map(|tool| format!("{name}: {tool}")));
            if name.starts_with("view/") && (code.contains("to_host()") || code.contains("tool_name.as_str()")) {
                hits.push(format!("{name}: reads a line of the agent"));
            }
        }
        assert!(hits.is_empty(), "{hits:#?}");
    }
}
