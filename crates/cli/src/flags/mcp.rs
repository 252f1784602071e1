//! `sluice mcp …`: what its words say.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::command::{arg, fill as fill_one, subcommand};
use super::table::{FLAGS, Flag};
use super::{FlagError, Flags, Mcp};

const AGENT: &str = "agent-door";

/// The flags of `mcp serve`: who may do what, where, and with which model.
const SERVE: &[&str] = &[
    "permission-mode",
    "allowedTools",
    "disallowedTools",
    "tools",
    "add-dir",
    "settings",
    "setting-sources",
    "managed-settings",
    "allow-dangerously-skip-permissions",
    "dangerously-skip-permissions",
    "model",
    "fallback-model",
    "effort",
    "max-turns",
    "max-budget-usd",
    "system-prompt",
    "append-system-prompt",
    "no-session-persistence",
];

/// What has to do with MCP servers, ours among them.
pub(super) fn command() -> Command {
    let agent = Arg::new(AGENT)
        .long("agent")
        .action(ArgAction::SetTrue)
        .help("Offer the agent itself, not its tools: run, reply, cancel");
    let serve = subcommand(
        "serve",
        "Offer the tools on stdin and stdout, behind the permissions of this folder",
    );
    subcommand("mcp", "Be an MCP server")
        .subcommand_required(true)
        .subcommand(
            serve.args_override_self(true).arg(agent).args(
                FLAGS
                    .iter()
                    .filter(|flag| serves(flag))
                    .map(|flag| arg(flag).hide(false)),
            ),
        )
}

/// What is to be done.
pub(super) fn chosen(matches: &ArgMatches) -> Option<Mcp> {
    match matches.subcommand()? {
        ("serve", serve) => Some(Mcp::Serve {
            agent: serve.get_flag(AGENT),
        }),
        _ => None,
    }
}

/// Reads the flags that stand behind the words.
pub(super) fn fill(flags: &mut Flags, matches: &ArgMatches) -> Result<(), FlagError> {
    if let Some(("serve", serve)) = matches.subcommand() {
        for flag in FLAGS.iter().filter(|flag| serves(flag)) {
            fill_one(flags, flag, serve)?;
        }
    }
    Ok(())
}

/// Whether `mcp serve` takes this flag as a session does.
fn serves(flag: &Flag) -> bool {
    SERVE.contains(&flag.name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::{Subcommand, parse};
    use super::*;

    fn read(line: &str) -> Result<Flags, FlagError> {
        parse(line.split(' ').map(Into::into))
    }

    #[test]
    fn every_flag_of_the_server_is_one_of_the_table() {
        for name in SERVE {
            assert!(FLAGS.iter().any(|flag| flag.name == *name), "{name}");
        }
    }

    #[test]
    fn the_server_takes_the_flags_of_a_session() {
        let flags =
            read("mcp serve --permission-mode manual --allowedTools Bash(ls:*),Read --add-dir /a /b --agent").unwrap();
        assert_eq!(flags.subcommand, Some(Subcommand::Mcp(Mcp::Serve { agent: true })));
        assert_eq!(flags.permission_mode.as_deref(), Some("default"));
        assert_eq!(flags.allowed_tools, ["Bash(ls:*)", "Read"]);
        assert_eq!(flags.add_dir, ["/a", "/b"]);
        let flags = read("mcp serve").unwrap();
        assert_eq!(flags.subcommand, Some(Subcommand::Mcp(Mcp::Serve { agent: false })));
    }

    #[test]
    fn what_the_server_does_not_take_is_refused() {
        assert!(read("mcp serve --print").unwrap_err().message.contains("--print"));
        assert!(read("mcp").unwrap_err().message.contains("mcp needs"));
        assert!(read("mcp serve --permission-mode nothing").is_err());
    }

    #[test]
    fn the_server_tells_about_its_own_flags() {
        let help = read("mcp serve --help").unwrap().help_of.unwrap();
        assert!(help.contains("--agent") && help.contains("--allowedTools"), "{help}");
        assert!(!help.contains("--output-format"), "{help}");
    }
}
