//! `sluice serve`: flags and subcommands.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};

use super::command::subcommand;
use super::fields::{Serve, ServeAsk};

/// Name of the flag that names the state folder.
pub(super) const STATE: &str = "state";

fn value(name: &'static str, shown: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(shown)
        .allow_negative_numbers(true)
        .help(help)
}

/// Returns the flag for the state folder.
pub(super) fn state() -> Arg {
    value(
        STATE,
        "DIR",
        "State folder: database, logs, keys (default: $XDG_STATE_HOME/sluice)",
    )
    .value_hint(ValueHint::DirPath)
}

fn list(name: &'static str, shown: &'static str, help: &'static str) -> Arg {
    value(name, shown, help).action(ArgAction::Append)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// Returns the flags of `serve` and of `serve unit`.
fn flags() -> Vec<Arg> {
    vec![
        value(
            "port",
            "N",
            "Port; fails if it is taken (default: 4747 or the next free one)",
        )
        .value_parser(value_parser!(u16)),
        list(
            "bind",
            "ADDRESS",
            "Address to listen on instead of localhost (needs --tls or --behind-proxy), or unix:PATH in addition",
        ),
        list("host", "NAME", "Host name under which the bridge is reached"),
        list("root", "DIR", "Folder below which sessions may start (default: home)").value_hint(ValueHint::DirPath),
        list(
            "agent",
            "AGENT",
            "Agent to offer: sluice, claude, or a command line; the first is the default",
        ),
        switch("tls", "Use TLS with a self-signed certificate; prints its fingerprint"),
        value("tls-cert", "FILE", "Use TLS with this certificate (PEM)"),
        value("tls-key", "FILE", "Private key of the certificate (PEM)"),
        switch(
            "behind-proxy",
            "A reverse proxy in front does TLS and sets X-Forwarded-*",
        ),
        value(
            "metrics-addr",
            "ADDRESS:PORT",
            "Serve Prometheus metrics at this address",
        ),
        value(
            "idle",
            "MINUTES",
            "Stop an agent that was idle this long; the next prompt starts it again (default: 30, 0: never)",
        )
        .value_parser(minutes),
        value(
            "retain",
            "DAYS",
            "Delete sessions that were not used for this many days",
        )
        .value_parser(value_parser!(u64)),
        value(
            "expire",
            "DAYS",
            "Devices and tokens that were not used for this many days must be renewed (default: 90, 0: never)",
        )
        .value_parser(value_parser!(u64)),
        switch("qr", "Also show the address as a QR code"),
        value("log-format", "FORMAT", "Log format: text or json").value_parser(["text", "json"]),
        Arg::new("log-verbose")
            .long("log-verbose")
            .action(ArgAction::SetTrue)
            .help("Log more of what the bridge does; never text of sessions"),
    ]
}

pub(super) fn command() -> Command {
    let scope = || {
        value(
            "scope",
            "SCOPE",
            "What the device may do: view, operate, approve or admin",
        )
        .value_parser(["view", "operate", "approve", "admin"])
    };
    let json = || switch("json", "Print JSON");
    subcommand("serve", "Start the bridge: sessions in the browser and on your phone")
        .args(flags())
        .arg(state().global(true))
        .subcommand(subcommand("status", "Show the status of the bridge").arg(json()))
        .subcommand(subcommand("pair", "Print a pairing code for another device").arg(scope()))
        .subcommand(
            subcommand("token", "Make a token for a program; it is shown once")
                .arg(
                    Arg::new("name")
                        .value_name("NAME")
                        .required(true)
                        .help("Name of the token"),
                )
                .arg(scope()),
        )
        .subcommand(
            subcommand("devices", "List or revoke paired devices and tokens")
                .arg(json())
                .arg(value(
                    "revoke",
                    "ID",
                    "Revoke this device or token; its connections close at once",
                )),
        )
        .subcommand(subcommand("stop", "Stop the bridge; agents keep running"))
        .subcommand(subcommand(
            "upgrade",
            "Restart the running bridge with the binary that is now at its path",
        ))
        .subcommand(subcommand("unit", "Print a systemd unit with these flags").args(flags()))
        .subcommand(
            subcommand("backup", "Write the state folder to a file; the bridge may run").arg(file("File to write")),
        )
        .subcommand(subcommand("restore", "Restore a backup to a new state folder").arg(file("Backup to restore")))
}

fn file(help: &'static str) -> Arg {
    Arg::new("file")
        .value_name("FILE")
        .required(true)
        .value_hint(ValueHint::FilePath)
        .help(help)
}

pub(super) fn chosen(matches: &ArgMatches) -> Serve {
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
            "backup" => ServeAsk::Backup {
                file: text("file").unwrap_or_default(),
            },
            "restore" => ServeAsk::Restore {
                file: text("file").unwrap_or_default(),
            },
            _ => ServeAsk::Stop,
        }
    });
    let below = matches.subcommand().map(|(_, matches)| matches);
    // The state folder is accepted after every subcommand, the other flags also after `unit`.
    let both: Vec<&ArgMatches> = below.into_iter().chain([matches]).collect();
    let text = |name: &str| first::<String>(&both, name);
    let texts = |name: &str| {
        let values = both.iter().rev();
        let values = values.filter_map(|matches| matches.try_get_many::<String>(name).ok().flatten());
        values.flatten().cloned().collect()
    };
    let is_set = |name: &str| both.iter().any(|matches| first(&[*matches], name) == Some(true));
    Serve {
        ask,
        port: first(&both, "port"),
        bind: texts("bind"),
        hosts: texts("host"),
        roots: texts("root"),
        state: text(STATE),
        agents: texts("agent"),
        tls: is_set("tls"),
        tls_cert: text("tls-cert"),
        tls_key: text("tls-key"),
        behind_proxy: is_set("behind-proxy"),
        metrics_addr: text("metrics-addr"),
        idle: first(&both, "idle"),
        retain_days: first(&both, "retain"),
        expire_days: first(&both, "expire"),
        qr: is_set("qr"),
        log_format: text("log-format"),
        verbose: is_set("log-verbose"),
    }
}

/// Returns the value of a flag from the first matches that have it.
fn first<T: Clone + Send + Sync + 'static>(all: &[&ArgMatches], name: &str) -> Option<T> {
    let mut values = all
        .iter()
        .filter_map(|matches| matches.try_get_one::<T>(name).ok().flatten());
    values.next().cloned()
}

/// Parses minutes, including fractions: `30`, `0.5`.
fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| "not a number of minutes".to_owned())?;
    Duration::try_from_secs_f64(minutes * 60.0).map_err(|_| "not a number of minutes, 0 or more".to_owned())
}
