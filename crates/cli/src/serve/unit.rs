//! The systemd unit.

use crate::flags::Serve;

/// `~/.config/systemd/user/sluice.service`.
pub(super) fn text(serve: &Serve) -> String {
    let program =
        std::env::current_exe().map_or_else(|_| "sluice".to_owned(), |path| path.to_string_lossy().into_owned());
    let port = serve.port.map(|port| format!(" --port {port}")).unwrap_or_default();
    format!(
        "# Save as ~/.config/systemd/user/sluice.service, then: systemctl --user enable --now sluice\n\
         # A key: systemctl --user edit sluice, [Service] Environment=ANTHROPIC_API_KEY=…\n\
         [Unit]\n\
         Description=Sluice, a bridge to coding agents\n\
         After=network.target\n\
         \n\
         [Service]\n\
         ExecStart={program} serve{port} --log-format json\n\
         ExecReload={program} serve upgrade\n\
         # Agents live in processes of their own and go on while the bridge restarts.\n\
         KillMode=process\n\
         Restart=on-failure\n\
         RestartSec=1\n\
         TimeoutStopSec=20\n\
         \n\
         [Install]\n\
         WantedBy=default.target"
    )
}
