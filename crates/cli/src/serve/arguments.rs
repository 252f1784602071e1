//! Command line with the flags of a bridge, for a systemd unit and for the trial of a new version.

use std::path::Path;

use crate::flags::Serve;

/// Returns `serve` with its flags. Paths are absolute, because the command may run in another folder.
pub(super) fn of(serve: &Serve, cwd: &Path) -> Vec<String> {
    let mut words = vec!["serve".to_owned()];
    let mut flag = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([format!("--{name}"), value]);
        }
    };
    let path = |text: &String| cwd.join(text).to_string_lossy().into_owned();
    flag("port", serve.port.map(|port| port.to_string()));
    for address in &serve.bind {
        let address = match address.strip_prefix("unix:") {
            Some(socket) => format!("unix:{}", path(&socket.to_owned())),
            None => address.clone(),
        };
        flag("bind", Some(address));
    }
    for (name, values) in [("host", &serve.hosts), ("agent", &serve.agents)] {
        for value in values {
            flag(name, Some(value.clone()));
        }
    }
    for root in &serve.roots {
        flag("root", Some(path(root)));
    }
    flag("state", serve.state.as_ref().map(path));
    flag("tls-cert", serve.tls_cert.as_ref().map(path));
    flag("tls-key", serve.tls_key.as_ref().map(path));
    flag("metrics-addr", serve.metrics_addr.clone());
    flag("idle", serve.idle.map(|idle| (idle.as_secs_f64() / 60.0).to_string()));
    flag("retain", serve.retain_days.map(|days| days.to_string()));
    flag("expire", serve.expire_days.map(|days| days.to_string()));
    flag("log-format", serve.log_format.clone());
    let switches = [
        ("tls", serve.tls),
        ("behind-proxy", serve.behind_proxy),
        ("qr", serve.qr),
        ("log-verbose", serve.verbose),
    ];
    words.extend(
        switches
            .iter()
            .filter(|(_, on)| *on)
            .map(|(name, _)| format!("--{name}")),
    );
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_comes_back() {
        let serve = Serve {
            port: Some(4000),
            bind: vec!["0.0.0.0".to_owned(), "unix:web.sock".to_owned()],
            hosts: vec!["box.example".to_owned()],
            roots: vec!["work".to_owned()],
            state: Some("X".to_owned()),
            agents: vec!["claude".to_owned()],
            tls: true,
            tls_cert: Some("c.pem".to_owned()),
            tls_key: Some("/k.pem".to_owned()),
            behind_proxy: true,
            metrics_addr: Some("127.0.0.1:9".to_owned()),
            idle: Some(std::time::Duration::from_secs(90)),
            retain_days: Some(3),
            expire_days: Some(10),
            qr: true,
            log_format: Some("json".to_owned()),
            verbose: true,
            ask: None,
        };
        let line = of(&serve, Path::new("/here")).join(" ");
        assert_eq!(
            line,
            "serve --port 4000 --bind 0.0.0.0 --bind unix:/here/web.sock --host box.example --agent claude --root /here/work \
             --state /here/X --tls-cert /here/c.pem --tls-key /k.pem --metrics-addr 127.0.0.1:9 --idle 1.5 --retain 3 \
             --expire 10 --log-format json --tls --behind-proxy --qr --log-verbose"
        );
    }
}
