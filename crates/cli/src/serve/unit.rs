//! The systemd unit file.

use super::arguments;
use crate::environment::Environment;
use crate::flags::Serve;

/// Returns `~/.config/systemd/user/sluice.service` with the given flags.
pub(super) fn text(serve: &Serve, environment: &Environment) -> String {
    let program =
        std::env::current_exe().map_or_else(|_| "sluice".to_owned(), |path| path.to_string_lossy().into_owned());
    let serve = Serve {
        log_format: serve.log_format.clone().or_else(|| Some("json".to_owned())),
        ..serve.clone()
    };
    let start = arguments::of(&serve, &environment.cwd);
    let state = serve.state.iter().flat_map(|_| {
        let at = start.iter().position(|word| word == "--state");
        start.iter().skip(at.unwrap_or(start.len())).take(2)
    });
    let reload = ["serve".to_owned(), "upgrade".to_owned()];
    let reload = words(std::iter::once(&program).chain(&reload).chain(state));
    let start = words(std::iter::once(&program).chain(&start));
    format!(
        "# Save as ~/.config/systemd/user/sluice.service, then: systemctl --user enable --now sluice\n\
         # A key: systemctl --user edit sluice, [Service] Environment=ANTHROPIC_API_KEY=…\n\
         [Unit]\n\
         Description=Sluice, a bridge to coding agents\n\
         After=network.target\n\
         \n\
         [Service]\n\
         ExecStart={start}\n\
         ExecReload={reload}\n\
         # Agents run in separate processes and keep running while the bridge restarts.\n\
         KillMode=process\n\
         OOMPolicy=continue\n\
         Restart=on-failure\n\
         RestartSec=1\n\
         TimeoutStopSec=20\n\
         LimitNOFILE=65536\n\
         # These hold for the agents too: commands cannot gain rights, for example with sudo.\n\
         NoNewPrivileges=yes\n\
         RestrictSUIDSGID=yes\n\
         RestrictRealtime=yes\n\
         \n\
         [Install]\n\
         WantedBy=default.target"
    )
}

/// Quotes command line words for systemd, which expands `%` and `$` and splits at spaces.
fn words<'a>(words: impl Iterator<Item = &'a String>) -> String {
    let quoted = words.map(|word| {
        let word = word.replace('%', "%%").replace('$', "$$");
        match word.contains([' ', '\t', '"', '\'', '\\', ';']) || word.is_empty() {
            true => format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")),
            false => word,
        }
    });
    quoted.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_keeps_the_flags_and_bounds_the_bridge() {
        let serve = Serve {
            state: Some("/var/my state".to_owned()),
            port: Some(4000),
            ..Serve::default()
        };
        let text = text(&serve, &Environment::read());
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        let start = line("ExecStart=");
        assert!(
            start.ends_with("serve --port 4000 --state \"/var/my state\" --log-format json"),
            "{start}"
        );
        let reload = line("ExecReload=");
        assert!(reload.ends_with("serve upgrade --state \"/var/my state\""), "{reload}");
        for setting in ["LimitNOFILE=65536", "NoNewPrivileges=yes", "KillMode=process"] {
            assert_eq!(line(setting), setting);
        }
    }

    #[test]
    fn words_are_not_expanded_by_systemd() {
        let given = [
            "a b".to_owned(),
            "100%".to_owned(),
            "$HOME".to_owned(),
            "q\"q".to_owned(),
        ];
        assert_eq!(words(given.iter()), r#""a b" 100%% $$HOME "q\"q""#);
    }
}
