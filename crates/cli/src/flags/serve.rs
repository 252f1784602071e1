//! `sluice serve`: its flags and its subcommands.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::command::subcommand;
use super::fields::{Serve, ServeAsk};

fn value(name: &'static str, shown: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(shown).help(help)
}

fn list(name: &'static str, shown: &'static str, help: &'static str) -> Arg {
    value(name, shown, help).action(ArgAction::Append)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

pub(super) fn command() -> Command {
    let scope = || value("scope", "SCOPE", "What it may do: view, operate, approve or admin");
    let json = || switch("json", "As JSON, for programs");
    let state = || {
        value(
            "state",
            "DIR",
            "Where everything is kept (default: $XDG_STATE_HOME/sluice)",
        )
        .global(true)
    };
    subcommand(
        "serve",
        "Carry sessions to browsers and phones; prints the address to open",
    )
    .arg(
        value(
            "port",
            "N",
            "This port, or a refusal that says who has it (default: 4747 or the next free one)",
        )
        .value_parser(value_parser!(u16)),
    )
    .arg(list(
        "bind",
        "ADDRESS",
        "Another address than this machine's own; needs --tls or --behind-proxy",
    ))
    .arg(list("host", "NAME", "A name people reach the bridge by"))
    .arg(list("root", "DIR", "Sessions start below this folder (default: home)"))
    .arg(state())
    .arg(list(
        "agent",
        "AGENT",
        "The agent to start: sluice, claude, or a command line; the first is the default",
    ))
    .arg(switch(
        "tls",
        "Encrypt, with a certificate made here; its fingerprint is printed",
    ))
    .arg(value("tls-cert", "FILE", "Encrypt with this certificate (PEM)"))
    .arg(value("tls-key", "FILE", "Its key (PEM)"))
    .arg(switch(
        "behind-proxy",
        "A proxy in front sees to TLS and sets X-Forwarded-*",
    ))
    .arg(value(
        "metrics-addr",
        "ADDRESS:PORT",
        "Metrics for Prometheus at an address of their own",
    ))
    .arg(
        value(
            "idle",
            "MINUTES",
            "End an agent that is idle so long; the next prompt starts it again (default: 30, 0: never)",
        )
        .value_parser(minutes),
    )
    .arg(value("retain", "DAYS", "Delete sessions nobody used for so long").value_parser(value_parser!(u64)))
    .arg(switch("qr", "Show the address as a QR code too"))
    .arg(value("log-format", "FORMAT", "text or json").value_parser(["text", "json"]))
    .arg(
        Arg::new("log-verbose")
            .long("log-verbose")
            .action(ArgAction::SetTrue)
            .help("Write down more of what the bridge does; never what was said"),
    )
    .subcommand(subcommand("status", "How the bridge stands").arg(json()))
    .subcommand(subcommand("pair", "A code to pair another device with").arg(scope()))
    .subcommand(
        subcommand("token", "A token for a program, shown once")
            .arg(
                Arg::new("name")
                    .value_name("NAME")
                    .required(true)
                    .help("What to call it"),
            )
            .arg(scope()),
    )
    .subcommand(
        subcommand("devices", "The devices and tokens that may come in")
            .arg(json())
            .arg(value("revoke", "ID", "Shut one out; its connections close at once")),
    )
    .subcommand(subcommand("stop", "Stop the bridge; agents go on"))
    .subcommand(subcommand(
        "upgrade",
        "Let the running bridge become the program that lies at its path now",
    ))
    .subcommand(subcommand("unit", "Print a unit for systemd"))
}

pub(super) fn chosen(matches: &ArgMatches) -> Serve {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let texts = |name: &str| {
        matches
            .get_many::<String>(name)
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    };
    let ask = matches.subcommand().map(|(what, matches)| {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        match what {
            "status" => ServeAsk::Status {
                json: matches.get_flag("json"),
            },
            "pair" => ServeAsk::Pair { scope: text("scope") },
            "token" => ServeAsk::Token {
                name: text("name").unwrap_or_default(),
                scope: text("scope"),
            },
            "devices" => ServeAsk::Devices {
                json: matches.get_flag("json"),
                revoke: text("revoke"),
            },
            "upgrade" => ServeAsk::Upgrade,
            "unit" => ServeAsk::Unit,
            _ => ServeAsk::Stop,
        }
    });
    let below = matches
        .subcommand()
        .and_then(|(_, matches)| matches.get_one::<String>("state").cloned());
    Serve {
        ask,
        port: matches.get_one::<u16>("port").copied(),
        bind: texts("bind"),
        hosts: texts("host"),
        roots: texts("root"),
        state: below.or_else(|| text("state")),
        agents: texts("agent"),
        tls: matches.get_flag("tls"),
        tls_cert: text("tls-cert"),
        tls_key: text("tls-key"),
        behind_proxy: matches.get_flag("behind-proxy"),
        metrics_addr: text("metrics-addr"),
        idle: matches.get_one::<Duration>("idle").copied(),
        retain_days: matches.get_one::<u64>("retain").copied(),
        qr: matches.get_flag("qr"),
        log_format: text("log-format"),
        verbose: matches.get_flag("log-verbose"),
    }
}

/// Minutes, also parts of one: `30`, `0.5`.
fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| "not a number of minutes".to_owned())?;
    Duration::try_from_secs_f64(minutes * 60.0).map_err(|_| "not a number of minutes, 0 or more".to_owned())
}
