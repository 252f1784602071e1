//! Builds the parser from the table, and converts its matches to [`Flags`].

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use clap_complete::Shell;
use sluice_permission::split_rules;

use super::fields::{InputFormat, OutputFormat, Window};
use super::table::{Fills, Flag, MODES, Takes, flags as table};
use super::{FlagError, Flags, Plugin, Sim, Subcommand, mcp, serve};

/// Parses a command line without the program name.
///
/// Flags may be in any order, as `--flag value` or `--flag=value`. If a flag is repeated, the last value counts; lists
/// are concatenated.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Flags, FlagError> {
    let args: Vec<OsString> = args.collect();
    let first = args
        .first()
        .and_then(|word| word.to_str())
        .unwrap_or_default()
        .to_owned();
    let matches = match command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return Ok(Flags {
                help: true,
                help_of: Some(error.to_string().trim_end().to_owned()),
                ..Flags::default()
            });
        }
        Err(error) => return Err(explain(&error, &first)),
    };
    let mut flags = Flags {
        subcommand: chosen(&matches),
        ..Flags::default()
    };
    // Unquoted words form one prompt, for example `sluice fix the bug`.
    flags.prompt = matches
        .get_many::<String>(PROMPT)
        .map(|words| words.map(String::as_str).collect::<Vec<_>>().join(" "));
    match matches.subcommand() {
        Some(("mcp", matches)) => mcp::fill(&mut flags, matches)?,
        Some(_) => {}
        None => {
            for flag in table() {
                fill(&mut flags, flag, &matches)?;
            }
        }
    }
    Ok(flags)
}

const PROMPT: &str = "prompt";
const SCRIPT: &str = "script";

pub(crate) fn command() -> Command {
    with_flags(table().map(arg))
}

/// Returns the command for shell completion: with known values and without hidden flags. Not for parsing, because
/// [`fill`] accepts more.
pub(crate) fn completion_command() -> Command {
    with_flags(table().filter(|flag| !flag.hidden).map(|flag| {
        let values = flag.values();
        match flag.takes {
            Takes::Nothing => arg(flag),
            _ if !values.is_empty() => arg(flag).value_parser(values),
            Takes::One(value) | Takes::Maybe(value) | Takes::Several(value) if value.contains("path") => {
                arg(flag).value_hint(ValueHint::AnyPath)
            }
            Takes::Several("folders") => arg(flag).value_hint(ValueHint::DirPath),
            _ => arg(flag),
        }
    }))
}

fn with_flags(flags: impl Iterator<Item = Arg>) -> Command {
    let script = || {
        Arg::new(SCRIPT)
            .value_name("SCRIPT")
            .value_hint(ValueHint::FilePath)
            .required(true)
            .help("A JSON file")
    };
    Command::new("sluice")
        .about(
            "A coding agent compatible with Claude Code: in the terminal, in the browser, and for SDKs (stream-json)",
        )
        .no_binary_name(true)
        .bin_name("sluice")
        .args_override_self(true)
        .args_conflicts_with_subcommands(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .override_usage("sluice [OPTIONS] [PROMPT]\n       sluice <COMMAND>")
        .arg(Arg::new(PROMPT).value_name("PROMPT").num_args(0..).help("What to do"))
        .args(flags)
        .subcommand(
            subcommand("sim", "Test doubles: a scripted model or a scripted agent")
                .subcommand_required(true)
                .subcommand(
                    subcommand(
                        "model",
                        "A Messages API server that answers from the script; prints its address",
                    )
                    .arg(script()),
                )
                .subcommand(
                    subcommand(
                        "agent",
                        "An agent on stdin and stdout (stream-json) that answers from the script",
                    )
                    .arg(script()),
                ),
        )
        .subcommand(
            subcommand("doctor", "Check this machine, settings, hooks, plugins and MCP servers").arg(
                Arg::new(TERMINAL)
                    .long("terminal")
                    .action(ArgAction::SetTrue)
                    .help("Reset a terminal that a killed process left in a bad state"),
            ),
        )
        .subcommand(
            subcommand("attach", "Show a session of the bridge (sluice serve) in this terminal")
                .arg(
                    Arg::new(SESSION)
                        .value_name("SESSION")
                        .help("Its id, the beginning of the id, or its title; without it you choose from a list"),
                )
                .arg(serve::state()),
        )
        .subcommand(serve::command())
        .subcommand(mcp::command())
        .subcommand(
            subcommand("plugin", "List plugins, validate a plugin")
                .visible_alias("plugins")
                .subcommand_required(true)
                .subcommand(subcommand("list", "List the plugins a session in this folder would load").arg(json()))
                .subcommand(
                    subcommand(
                        "validate",
                        "Check the plugin, or the marketplace (list of plugins), in a folder",
                    )
                    .arg(
                        Arg::new(PATH)
                            .value_name("PATH")
                            .value_hint(ValueHint::DirPath)
                            .required(true)
                            .help("The folder"),
                    )
                    .arg(json())
                    .arg(
                        Arg::new(STRICT)
                            .long("strict")
                            .action(ArgAction::SetTrue)
                            .help("Treat warnings as errors"),
                    ),
                ),
        )
        .subcommand(
            subcommand("auth", "Authentication")
                .subcommand_required(true)
                .subcommand(
                    subcommand(
                        "status",
                        "Show which credentials are used, as JSON; exits with 1 if there are none",
                    )
                    .arg(
                        Arg::new(JSON)
                            .long("json")
                            .action(ArgAction::SetTrue)
                            .conflicts_with(TEXT)
                            .help("Print JSON (default)"),
                    )
                    .arg(
                        Arg::new(TEXT)
                            .long("text")
                            .action(ArgAction::SetTrue)
                            .help("Print a sentence"),
                    ),
                ),
        )
        .subcommand(
            subcommand("completions", "Print a completion script for a shell").arg(
                Arg::new(SHELL)
                    .value_name("SHELL")
                    .required(true)
                    .value_parser(value_parser!(Shell))
                    .help("bash, zsh, fish, powershell or elvish"),
            ),
        )
        .subcommand(subcommand("man", "Print the manual page (sluice man | man -l -)"))
}

const SESSION: &str = "session";
const SHELL: &str = "shell";
const PATH: &str = "path";
const STRICT: &str = "strict";
const TERMINAL: &str = "terminal";
const JSON: &str = "json";
const TEXT: &str = "text";

fn json() -> Arg {
    Arg::new(JSON)
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print JSON")
}

fn plugin(matches: &ArgMatches) -> Option<Plugin> {
    let (what, matches) = matches.subcommand()?;
    let json = matches.get_flag(JSON);
    Some(match what {
        "list" => Plugin::List { json },
        _ => Plugin::Validate {
            path: matches.get_one::<String>(PATH)?.clone(),
            strict: matches.get_flag(STRICT),
            json,
        },
    })
}

pub(super) fn subcommand(name: &'static str, about: &'static str) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .hide(true);
    Command::new(name).about(about).disable_help_subcommand(true).arg(help)
}

pub(super) fn arg(flag: &Flag) -> Arg {
    let arg = Arg::new(flag.name)
        .long(flag.name)
        .aliases(flag.aliases)
        .help(flag.help)
        .hide(flag.hidden);
    let arg = match flag.short {
        Some(short) => arg.short(short),
        None => arg,
    };
    let repeated = match flag.fills {
        Fills::Words(_) | Fills::Rules(_) | Fills::Names(_) => ArgAction::Append,
        _ => ArgAction::Set,
    };
    match flag.takes {
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        // A prompt may start with a dash, and SDKs pass it as a separate argument.
        Takes::One(value) => arg.value_name(value).action(repeated).allow_hyphen_values(true),
        Takes::Maybe(value) => arg
            .value_name(value)
            .action(repeated)
            .num_args(0..=1)
            .default_missing_value(""),
        Takes::Several(value) => arg.value_name(value).action(repeated).num_args(1..),
    }
}

fn chosen(matches: &ArgMatches) -> Option<Subcommand> {
    match matches.subcommand()? {
        ("sim", sim) => {
            let (end, matches) = sim.subcommand()?;
            let script = matches.get_one::<String>(SCRIPT)?.clone();
            Some(Subcommand::Sim(if end == "model" {
                Sim::Model { script }
            } else {
                Sim::Agent { script }
            }))
        }
        ("mcp", matches) => mcp::chosen(matches).map(Subcommand::Mcp),
        ("serve", matches) => Some(Subcommand::Serve(Box::new(serve::chosen(matches)))),
        ("attach", matches) => Some(Subcommand::Attach {
            session: matches.get_one::<String>(SESSION).cloned(),
            state: matches.get_one::<String>(serve::STATE).cloned(),
        }),
        ("plugin", matches) => plugin(matches).map(Subcommand::Plugin),
        ("auth", matches) => {
            let (_, status) = matches.subcommand()?;
            Some(Subcommand::AuthStatus {
                text: status.get_flag(TEXT),
            })
        }
        ("completions", matches) => matches.get_one::<Shell>(SHELL).copied().map(Subcommand::Completions),
        ("man", _) => Some(Subcommand::Man),
        ("doctor", matches) if matches.get_flag(TERMINAL) => Some(Subcommand::Repair),
        _ => Some(Subcommand::Doctor),
    }
}

pub(super) fn fill(flags: &mut Flags, flag: &Flag, matches: &ArgMatches) -> Result<(), FlagError> {
    match flag.fills {
        Fills::Switch(field) => {
            *field(flags) = matches.get_flag(flag.name);
            return Ok(());
        }
        Fills::Refused(instead) if matches.value_source(flag.name) == Some(ValueSource::CommandLine) => {
            return Err(FlagError::new(format!("--{} is not available here", flag.name)).hint(instead));
        }
        Fills::Refused(_) => return Ok(()),
        _ => {}
    }
    let Some(words) = matches.get_many::<String>(flag.name) else {
        return Ok(());
    };
    let last = words.clone().next_back().map_or("", String::as_str);
    let invalid = |allowed: &[&str]| FlagError::choice(&flag.usage(), last, allowed);
    match flag.fills {
        Fills::Switch(_) | Fills::Refused(_) => {}
        Fills::Text(field) => *field(flags) = Some(last.to_owned()),
        Fills::Count(field) => *field(flags) = Some(last.parse().map_err(|_| invalid(&["a whole number"]))?),
        Fills::Tokens(field) => *field(flags) = Some(last.parse().map_err(|_| invalid(&["a whole number"]))?),
        Fills::Dollars(field) => {
            let amount = last
                .parse()
                .ok()
                .filter(|amount: &f64| amount.is_finite() && *amount > 0.0);
            *field(flags) = Some(amount.ok_or_else(|| invalid(&["an amount of dollars above 0"]))?);
        }
        Fills::Words(field) => *field(flags) = words.cloned().collect(),
        Fills::Rules(field) => *field(flags) = words.flat_map(|word| split_rules(word)).collect(),
        Fills::Names(field) => *field(flags) = Some(words.flat_map(|word| split_rules(word)).collect()),
        Fills::Commas(field) => *field(flags) = Some(split_commas(last)),
        Fills::Output(field) => {
            *field(flags) = OutputFormat::read(last).ok_or_else(|| invalid(OutputFormat::CHOICES))?;
        }
        Fills::Input(field) => *field(flags) = InputFormat::read(last).ok_or_else(|| invalid(InputFormat::CHOICES))?,
        Fills::Choice(field, allowed) => {
            let word = match last {
                "" => allowed.first(),
                word => allowed.iter().find(|allowed| **allowed == word),
            };
            *field(flags) = Some((*word.ok_or_else(|| invalid(allowed))?).to_owned());
        }
        Fills::Window(field) => {
            let window = Window::read(last);
            let allowed = ["auto", "100k to 1M tokens (500k, 200000, or 200 for 200k)"];
            *field(flags) = Some(window.ok_or_else(|| invalid(&allowed))?);
        }
        Fills::Mode(field) => {
            let Some((_, mode)) = MODES.iter().find(|(spelling, _)| *spelling == last) else {
                return Err(invalid(
                    &MODES.iter().map(|(spelling, _)| *spelling).collect::<Vec<_>>(),
                ));
            };
            *field(flags) = Some((*mode).to_owned());
        }
    }
    Ok(())
}

/// Splits at commas; an empty value is an empty list.
fn split_commas(value: &str) -> Vec<String> {
    value
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Adds the usage of a subcommand to an error in its arguments.
fn of_command(told: FlagError, command: &str) -> FlagError {
    match command {
        "sim" => told.hint("sluice sim model SCRIPT, or sluice sim agent SCRIPT"),
        command => told.hint(format!("sluice {command} --help")),
    }
}

/// Names the rejected value and the accepted ones.
fn invalid_value(error: &clap::Error, option: &str, value: &str) -> FlagError {
    let accepted = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(words)) if !words.is_empty() => format!("allowed: {}", words.join(", ")),
        _ => std::error::Error::source(error)
            .map(ToString::to_string)
            .unwrap_or_default(),
    };
    FlagError::new(format!("option '{option}' argument '{value}' is invalid")).hint(accepted)
}

/// Converts a parser error to a message and an optional hint. `first` is the first argument.
fn explain(error: &clap::Error, first: &str) -> FlagError {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    let option = context(ContextKind::InvalidArg).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let unknown = FlagError::new(format!("unknown option '{option}'"));
            match context(ContextKind::SuggestedArg) {
                Some(similar) => unknown.hint(format!("did you mean '{similar}'?")),
                None => unknown.hint("sluice --help lists every option"),
            }
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation
            if context(ContextKind::InvalidValue).is_some_and(|value| !value.is_empty()) =>
        {
            invalid_value(error, &option, &context(ContextKind::InvalidValue).unwrap_or_default())
        }
        ErrorKind::InvalidValue
        | ErrorKind::ValueValidation
        | ErrorKind::TooFewValues
        | ErrorKind::WrongNumberOfValues => FlagError::new(format!("option '{option}' argument missing")),
        ErrorKind::TooManyValues => FlagError::new(format!("option '{option}' takes no value")),
        ErrorKind::MissingRequiredArgument => of_command(FlagError::new(format!("missing {option}")), first),
        ErrorKind::MissingSubcommand => of_command(FlagError::new(format!("{first} needs a command")), first),
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            of_command(FlagError::new(format!("unknown command '{first} {name}'")), first)
        }
        ErrorKind::InvalidUtf8 => FlagError::new("an argument is not UTF-8"),
        other => FlagError::new(other.as_str().unwrap_or("the command line cannot be read")),
    }
}
