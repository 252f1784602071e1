//! `sluice mcp …`: flags and subcommands.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::command::{arg, fill as fill_one, subcommand};
use super::table::{Flag, flags as table};
use super::{FlagError, Flags, Mcp, McpAdd};

const AGENT: &str = "agent-door";

/// Session flags that `mcp serve` accepts: permissions, folders and model.
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

/// Returns the `mcp` command.
pub(super) fn command() -> Command {
    let agent = Arg::new(AGENT)
        .long("agent")
        .action(ArgAction::SetTrue)
        .help("Offer the agent itself instead of its tools: run, reply, cancel");
    let serve = subcommand(
        "serve",
        "Run an MCP server on stdin and stdout: the built-in tools, with this folder's permissions",
    );
    subcommand("mcp", "Manage MCP servers, or run one (mcp serve)")
        .subcommand_required(true)
        .subcommand(
            serve
                .args_override_self(true)
                .arg(agent)
                .args(table().filter(|flag| serves(flag)).map(|flag| arg(flag).hide(false))),
        )
        .subcommand(
            subcommand("add", "Add an MCP server: a command with its arguments, or a URL")
                .arg(scope().default_value("local"))
                .arg(option(TRANSPORT, 't', "kind", "stdio, http or sse").value_parser(["stdio", "http", "sse"]))
                .arg(
                    option(
                        ENV,
                        'e',
                        "NAME=value",
                        "An environment variable for the command; may be repeated",
                    )
                    .action(ArgAction::Append),
                )
                .arg(
                    option(
                        HEADER,
                        'H',
                        "Name: value",
                        "An HTTP header for every request; may be repeated",
                    )
                    .action(ArgAction::Append),
                )
                .arg(name())
                .arg(
                    Arg::new(WORDS)
                        .value_name("COMMAND OR URL")
                        .help("The command with its arguments, or the URL")
                        .num_args(1..)
                        .required(true)
                        .trailing_var_arg(true)
                        .allow_hyphen_values(true),
                ),
        )
        .subcommand(
            subcommand("add-json", "Add an MCP server as JSON")
                .arg(scope().default_value("local"))
                .arg(name())
                .arg(
                    Arg::new(JSON)
                        .value_name("JSON")
                        .required(true)
                        .help("The configuration of the server"),
                ),
        )
        .subcommand(subcommand(
            "list",
            "List the MCP servers of this folder: scope, and whether each is approved",
        ))
        .subcommand(subcommand("get", "Show one MCP server").arg(name()))
        .subcommand(subcommand("remove", "Remove an MCP server").arg(scope()).arg(name()))
        .subcommand(subcommand(
            "reset-project-choices",
            "Forget which MCP servers of this project were approved or rejected",
        ))
}

const NAME: &str = "name";
const SCOPE: &str = "scope";
const TRANSPORT: &str = "transport";
const ENV: &str = "env";
const HEADER: &str = "header";
const WORDS: &str = "words";
const JSON: &str = "json";

fn name() -> Arg {
    Arg::new(NAME)
        .value_name("NAME")
        .required(true)
        .help("Name of the MCP server")
}

fn scope() -> Arg {
    option(
        SCOPE,
        's',
        "scope",
        "Scope: local (you, this project), project (all users, in .mcp.json), user (you, everywhere)",
    )
    .value_parser(["local", "project", "user"])
}

fn option(name: &'static str, short: char, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).short(short).value_name(value).help(help)
}

/// Returns the chosen subcommand.
pub(super) fn chosen(matches: &ArgMatches) -> Option<Mcp> {
    match matches.subcommand()? {
        ("serve", serve) => Some(Mcp::Serve {
            agent: serve.get_flag(AGENT),
        }),
        ("add", add) => Some(Mcp::Add(Box::new(McpAdd {
            transport: one(add, TRANSPORT),
            env: all(add, ENV),
            headers: all(add, HEADER),
            words: all(add, WORDS),
            ..named(add)
        }))),
        ("add-json", add) => Some(Mcp::Add(Box::new(McpAdd {
            json: one(add, JSON),
            ..named(add)
        }))),
        ("list", _) => Some(Mcp::List),
        ("get", get) => Some(Mcp::Get {
            name: one(get, NAME).unwrap_or_default(),
        }),
        ("remove", remove) => Some(Mcp::Remove {
            name: one(remove, NAME).unwrap_or_default(),
            scope: one(remove, SCOPE),
        }),
        ("reset-project-choices", _) => Some(Mcp::ResetProjectChoices),
        _ => None,
    }
}

fn named(matches: &ArgMatches) -> McpAdd {
    McpAdd {
        name: one(matches, NAME).unwrap_or_default(),
        scope: one(matches, SCOPE).unwrap_or_default(),
        ..McpAdd::default()
    }
}

fn one(matches: &ArgMatches, key: &str) -> Option<String> {
    matches.get_one::<String>(key).cloned()
}

fn all(matches: &ArgMatches, key: &str) -> Vec<String> {
    matches.get_many::<String>(key).into_iter().flatten().cloned().collect()
}

/// Reads the session flags after the subcommand.
pub(super) fn fill(flags: &mut Flags, matches: &ArgMatches) -> Result<(), FlagError> {
    if let Some(("serve", serve)) = matches.subcommand() {
        for flag in table().filter(|flag| serves(flag)) {
            fill_one(flags, flag, serve)?;
        }
    }
    Ok(())
}

/// True if `mcp serve` accepts this session flag.
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
            assert!(table().any(|flag| flag.name == *name), "{name}");
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
    fn a_server_is_added_by_command_or_url() {
        let chosen = |line: &str| match read(line).unwrap().subcommand {
            Some(Subcommand::Mcp(mcp)) => mcp,
            other => unreachable!("{other:?}"),
        };
        let Mcp::Add(add) = chosen("mcp add -s user -e A=1 -e B=2 tiny -- python3 -m server --port 1") else {
            unreachable!("an addition")
        };
        assert_eq!((add.name.as_str(), add.scope.as_str()), ("tiny", "user"));
        assert_eq!(add.env, ["A=1", "B=2"]);
        assert_eq!(add.words, ["python3", "-m", "server", "--port", "1"]);
        let Mcp::Add(add) = chosen("mcp add --transport http web https://e.example/mcp") else {
            unreachable!("an addition")
        };
        assert_eq!((add.scope.as_str(), add.transport.as_deref()), ("local", Some("http")));
        assert_eq!(chosen("mcp get tiny"), Mcp::Get { name: "tiny".into() });
        assert!(read("mcp add tiny").is_err());
        assert!(read("mcp remove -s nowhere tiny").is_err());
    }

    #[test]
    fn unsupported_server_flags_are_refused() {
        assert!(read("mcp serve --print").unwrap_err().message.contains("--print"));
        assert!(read("mcp").unwrap_err().message.contains("mcp needs"));
        assert!(read("mcp serve --permission-mode nothing").is_err());
    }

    #[test]
    fn the_help_of_the_server_lists_its_flags() {
        let help = read("mcp serve --help").unwrap().help_of.unwrap();
        assert!(help.contains("--agent") && help.contains("--allowedTools"), "{help}");
        assert!(!help.contains("--output-format"), "{help}");
    }
}
