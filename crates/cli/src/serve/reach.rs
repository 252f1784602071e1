//! How a phone can connect to the bridge: the addresses of this machine, and the command that restarts the bridge to
//! listen on them.

use std::net::IpAddr;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use sluice_bridge::api::{Reach, ReachWay};
use tokio::process::Command;

/// Timeout for `tailscale` to report its name.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Options that the restart command replaces: with a value, and without.
const REPLACED: [&str; 2] = ["--bind", "--host"];
const REPLACED_ALONE: [&str; 3] = ["--tls", "--qr", "--behind-proxy"];

/// Returns how the bridge at `urls` can be reached. `args` is the command line of the bridge.
pub(super) async fn look(urls: &[String], fingerprint: Option<String>, args: &[String]) -> Reach {
    let local_only = !urls.iter().any(|url| is_outside(url));
    let mut ways = Vec::new();
    if local_only {
        let table = tokio::fs::read_to_string("/proc/net/fib_trie")
            .await
            .unwrap_or_default();
        ways.extend(addresses(&table).into_iter().map(|address| ReachWay {
            kind: "network".to_owned(),
            address: address.to_string(),
            command: network_command(args, address),
        }));
        if let (Some(name), Some(port)) = (tailscale_name().await, urls.iter().find_map(|url| port_of(url))) {
            ways.push(ReachWay {
                kind: "tailscale".to_owned(),
                command: tailscale_command(args, &name, port),
                address: name,
            });
        }
    }
    Reach {
        local_only,
        fingerprint,
        ways,
    }
}

/// Returns host and port of a URL.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('/').next().unwrap_or(rest);
    match rest.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => rest,
    }
}

fn port_of(url: &str) -> Option<u16> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next()?.rsplit_once(':')?.1.parse().ok()
}

fn is_outside(url: &str) -> bool {
    let host = host_of(url);
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    !(host == "localhost" || address.is_ok_and(|address| address.is_loopback()))
}

/// Returns the addresses in the kernel's routing table without loopback.
fn addresses(table: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    let mut last = None;
    for line in table.lines().map(str::trim) {
        match line.strip_prefix("|-- ") {
            Some(address) => last = address.parse::<IpAddr>().ok(),
            None if line == "/32 host LOCAL" => found.extend(last.filter(|it| !it.is_loopback())),
            None => {}
        }
    }
    // The table contains each of them twice.
    found.sort();
    found.dedup();
    found
}

/// Returns the name of this machine in its tailnet, if `tailscale` is running.
async fn tailscale_name() -> Option<String> {
    let mut command = Command::new("tailscale");
    command
        .args(["status", "--json"])
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(TIMEOUT, command.output()).await.ok()?.ok()?;
    name_in(&serde_json::from_slice(&output.stdout).ok()?)
}

fn name_in(status: &Value) -> Option<String> {
    let name = status.pointer("/Self/DNSName")?.as_str()?.trim_end_matches('.');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    let runs = status.get("BackendState").and_then(Value::as_str) == Some("Running");
    (runs && !name.is_empty() && name.bytes().all(plain)).then(|| name.to_owned())
}

/// Returns the command that restarts the bridge with TLS and a self-signed certificate; it prints a QR code for the
/// phone.
fn network_command(args: &[String], address: IpAddr) -> String {
    let more = ["--bind", "127.0.0.1", "--bind", &address.to_string(), "--tls", "--qr"].map(str::to_owned);
    restart(args, &more)
}

fn tailscale_command(args: &[String], name: &str, port: u16) -> String {
    let more = ["--behind-proxy", "--host", name, "--qr"].map(str::to_owned);
    format!("tailscale serve --bg {port} && {}", restart(args, &more))
}

/// Returns the command that stops the bridge and starts it with other options.
fn restart(args: &[String], more: &[String]) -> String {
    let (program, rest) = args
        .split_first()
        .map_or(("sluice", &[][..]), |(first, rest)| (first.as_str(), rest));
    let (mut kept, mut state) = (Vec::new(), Vec::new());
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let (name, joined) = word
            .split_once('=')
            .map_or((word.as_str(), false), |(name, _)| (name, true));
        if REPLACED_ALONE.contains(&name) {
            continue;
        }
        if REPLACED.contains(&name) {
            if !joined {
                words.next();
            }
            continue;
        }
        kept.push(word.clone());
        if name == "--state" {
            state.push(word.clone());
            if !joined && let Some(value) = words.next() {
                kept.push(value.clone());
                state.push(value.clone());
            }
        }
    }
    let line = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let program = quoted(program);
    let stop = ["serve".to_owned(), "stop".to_owned()]
        .into_iter()
        .chain(state)
        .collect::<Vec<_>>();
    kept.extend(more.iter().cloned());
    format!("{program} {} && {program} {}", line(&stop), line(&kept))
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@+,".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn addresses_of_the_machine_are_read_once_each() {
        let part = "  +-- 192.0.2.0/24 2 0 2\n     |-- 192.0.2.0\n        /24 link UNICAST\n     |-- 192.0.2.2\n        /32 host LOCAL\n     |-- 127.0.0.1\n        /32 host LOCAL\n";
        let table = format!("Main:\n{part}Local:\n{part}");
        assert_eq!(addresses(&table), ["192.0.2.2".parse::<IpAddr>().unwrap()]);
    }

    #[test]
    fn restart_keeps_the_other_options() {
        let args = words("/opt/sluice serve --state /tmp/s --bind 127.0.0.1 --port 4800 --agent=claude --tls");
        let address = "192.0.2.2".parse().unwrap();
        assert_eq!(
            network_command(&args, address),
            "/opt/sluice serve stop --state /tmp/s && /opt/sluice serve --state /tmp/s --port 4800 --agent=claude \
             --bind 127.0.0.1 --bind 192.0.2.2 --tls --qr"
        );
    }

    #[test]
    fn only_addresses_of_other_kinds_are_outside() {
        for url in ["http://127.0.0.1:4747", "http://[::1]:4747", "https://localhost:4747/x"] {
            assert!(!is_outside(url), "{url}");
        }
        for url in ["https://192.0.2.2:4747", "https://box.example"] {
            assert!(is_outside(url), "{url}");
        }
    }

    #[test]
    fn tailscale_is_offered_where_it_runs() {
        let status = |state: &str| json!({"BackendState": state, "Self": {"DNSName": "box.tail1.ts.net."}});
        assert_eq!(name_in(&status("Running")).as_deref(), Some("box.tail1.ts.net"));
        assert_eq!(name_in(&status("Stopped")), None);
        let strange = json!({"BackendState": "Running", "Self": {"DNSName": "$(x)"}});
        assert_eq!(name_in(&strange), None);
    }
}
