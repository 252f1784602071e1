//! The built-in slash commands.

/// A built-in command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub description: &'static str,
    pub argument_hint: &'static str,
    pub does: Does,
}

/// The action of a built-in command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Agents,
    Clear,
    Compact,
    Config,
    Context,
    Doctor,
    Effort,
    Goal,
    Mcp,
    Model,
    OutputStyle,
    ReloadPlugins,
    ReloadSkills,
    Rename,
    Usage,
    /// Replies with this text.
    Say(&'static str),
    /// Sends this prompt to the model.
    Prompt(&'static str),
    /// Needs a screen, which only a host has. The reply is what can be shown as text.
    Screen(Screen),
}

/// The reply of a command that needs a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    Help,
    Memory,
    Permissions,
    Status,
    /// The command is not available.
    Nothing,
}

/// The commands that are listed for hosts, by name.
pub const LISTED: &[Builtin] = &[
    listed("agents", "Show where subagents are defined", "", Does::Agents),
    Builtin {
        aliases: &["reset", "new"],
        ..listed(
            "clear",
            "Clear the conversation; the old transcript stays on disk",
            "[name]",
            Does::Clear,
        )
    },
    listed(
        "compact",
        "Compact: replace the conversation with a summary",
        "[what to keep]",
        Does::Compact,
    ),
    Builtin {
        aliases: &["settings"],
        ..listed(
            "config",
            "Show or change settings of this session",
            "[key=value]",
            Does::Config,
        )
    },
    listed("context", "Show context usage", "", Does::Context),
    Builtin {
        aliases: &["checkup"],
        ..listed(
            "doctor",
            "Check settings, hooks, commands, skills, plugins and MCP servers",
            "",
            Does::Doctor,
        )
    },
    listed(
        "effort",
        "Set the effort level",
        "<low|medium|high|xhigh|max|auto>",
        Does::Effort,
    ),
    listed(
        "goal",
        "Set a goal: work until a condition is met",
        "[condition|clear]",
        Does::Goal,
    ),
    listed(
        "init",
        "Create a CLAUDE.md for this project",
        "",
        Does::Prompt(crate::prompts::INIT),
    ),
    listed("mcp", "Show the MCP servers", "", Does::Mcp),
    listed("model", "Show or change the model", "[model]", Does::Model),
    listed(
        "output-style",
        "Show the output styles or switch to one",
        "[style]",
        Does::OutputStyle,
    ),
    listed(
        "reload-plugins",
        "Reload plugins, commands and skills",
        "",
        Does::ReloadPlugins,
    ),
    listed("reload-skills", "Reload commands and skills", "", Does::ReloadSkills),
    Builtin {
        aliases: &["name"],
        ..listed("rename", "Rename this session", "<title>", Does::Rename)
    },
    Builtin {
        aliases: &["code-review"],
        ..listed(
            "review",
            "Review the changes, or a pull request",
            "[what]",
            Does::Prompt(crate::prompts::REVIEW),
        )
    },
    listed(
        "security-review",
        "Review the changes for security problems",
        "[what]",
        Does::Prompt(crate::prompts::SECURITY_REVIEW),
    ),
    Builtin {
        aliases: &["cost", "stats"],
        ..listed("usage", "Show cost and usage of this session", "", Does::Usage)
    },
];

/// Commands that need a screen. They are not listed, but known, so that they are not sent to the model.
const SCREEN_COMMANDS: &[(&str, Screen)] = &[
    ("add-dir", Screen::Nothing),
    ("bashes", Screen::Nothing),
    ("branch", Screen::Nothing),
    ("btw", Screen::Nothing),
    ("bug", Screen::Nothing),
    ("copy", Screen::Nothing),
    ("diff", Screen::Nothing),
    ("exit", Screen::Nothing),
    ("export", Screen::Nothing),
    ("extra-usage", Screen::Nothing),
    ("feedback", Screen::Nothing),
    ("fork", Screen::Nothing),
    ("help", Screen::Help),
    ("hooks", Screen::Nothing),
    ("ide", Screen::Nothing),
    ("login", Screen::Nothing),
    ("logout", Screen::Nothing),
    ("memory", Screen::Memory),
    ("permissions", Screen::Permissions),
    ("plan", Screen::Nothing),
    ("plugin", Screen::Nothing),
    ("privacy-settings", Screen::Nothing),
    ("quit", Screen::Nothing),
    ("release-notes", Screen::Nothing),
    ("resume", Screen::Nothing),
    ("rewind", Screen::Nothing),
    ("sandbox", Screen::Nothing),
    ("schedule", Screen::Nothing),
    ("skills", Screen::Nothing),
    ("status", Screen::Status),
    ("statusline", Screen::Nothing),
    ("tasks", Screen::Nothing),
    ("terminal-setup", Screen::Nothing),
    ("theme", Screen::Nothing),
    ("upgrade", Screen::Nothing),
    ("vim", Screen::Nothing),
];

/// Commands of other products that get a reply here. They are not listed.
const FIXED_REPLIES: &[(&str, &str)] = &[
    ("color", "/color is not available: the host draws the screen."),
    ("fast", "There is no fast mode; use `/model` and `/effort`."),
];

const fn listed(name: &'static str, description: &'static str, argument_hint: &'static str, does: Does) -> Builtin {
    Builtin {
        name,
        aliases: &[],
        description,
        argument_hint,
        does,
    }
}

/// Returns the command with this name or alias.
pub fn find(name: &str) -> Option<Builtin> {
    let known = LISTED
        .iter()
        .find(|command| command.name == name || command.aliases.contains(&name));
    let screen = || {
        let (name, screen) = SCREEN_COMMANDS.iter().find(|(known, _)| *known == name)?;
        Some(listed(name, "", "", Does::Screen(*screen)))
    };
    let reply = || {
        let (name, text) = FIXED_REPLIES.iter().find(|(known, _)| *known == name)?;
        Some(listed(name, "", "", Does::Say(text)))
    };
    known.copied().or_else(screen).or_else(reply)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let aliases = LISTED.iter().flat_map(|command| command.aliases);
        let mut names: Vec<&str> = LISTED
            .iter()
            .map(|command| command.name)
            .chain(aliases.copied())
            .collect();
        names.extend(SCREEN_COMMANDS.iter().map(|(name, _)| *name));
        names.extend(FIXED_REPLIES.iter().map(|(name, _)| *name));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.iter().all(|name| crate::entry::is_name(name)));
    }

    #[test]
    fn commands_are_found_by_name_and_alias() {
        assert_eq!(find("cost").unwrap().name, "usage");
        assert_eq!(find("help").unwrap().does, Does::Screen(Screen::Help));
        assert_eq!(find("nosuch"), None);
    }
}
