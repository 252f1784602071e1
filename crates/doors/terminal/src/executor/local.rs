//! Acts on local files and programs, without the agent.

use std::path::Path;
use std::time::Duration;

use sluice_host::sessions::Sessions;

use super::Executor;
use crate::app::{Act, ActOutcome};
use crate::text::Row;

impl Executor {
    /// Carries out acts on local files and programs.
    pub(super) async fn outside(&self, act: Act) -> Result<Option<ActOutcome>, String> {
        Ok(Some(match act {
            Act::Note { file, text } => note(&file, &text)?,
            Act::PasteImage => ActOutcome::Image(clipboard().await),
            Act::StatusLine { command, facts } => match self.status_line(&command, &facts).await {
                Some(text) => ActOutcome::StatusLine(text),
                None => return Ok(None),
            },
            Act::Shell { id, command, asks } => self.shell(id, command, asks).await,
            Act::StopShells => {
                self.shells.stop().await;
                return Ok(None);
            }
            Act::Open(url) => open(&url)?,
            Act::Branch => ActOutcome::Branch(branch(&self.facts.folder)),
            _ => return Ok(None),
        }))
    }

    /// Runs the status line command and returns its output; `None` if it fails or times out.
    async fn status_line(&self, command: &str, facts: &serde_json::Value) -> Option<String> {
        use tokio::io::AsyncWriteExt as _;
        let mut facts = facts.clone();
        let session = facts
            .get("session_id")
            .and_then(serde_json::Value::as_str)
            .unwrap_or_default();
        let file = Sessions::under(&self.facts.config_dir).file(session, &self.facts.folder);
        if let Some(facts) = facts.as_object_mut() {
            facts.insert("transcript_path".to_owned(), file.display().to_string().into());
        }
        const TIMEOUT: Duration = Duration::from_secs(2);
        let mut child = tokio::process::Command::new("/bin/sh")
            .arg("-c")
            .arg(command)
            .current_dir(&self.facts.folder)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .ok()?;
        let mut stdin = child.stdin.take()?;
        stdin.write_all(facts.to_string().as_bytes()).await.ok();
        drop(stdin);
        let output = tokio::time::timeout(TIMEOUT, child.wait_with_output())
            .await
            .ok()?
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Opens a URL with the default program, without waiting for it.
fn open(url: &str) -> Result<ActOutcome, String> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut opens = tokio::process::Command::new(program);
    opens
        .arg(url)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let child = opens
        .spawn()
        .map_err(|error| format!("{program}: {error}; open {url} yourself"))?;
    drop(child);
    Ok(ActOutcome::Notice("opened in your browser".to_owned()))
}

/// Appends a note to a memory file.
pub(super) fn note(file: &Path, text: &str) -> Result<ActOutcome, String> {
    use std::io::Write as _;
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let before = std::fs::read_to_string(file).unwrap_or_default();
    let gap = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let mut out = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .map_err(failed)?;
    out.write_all(format!("{gap}- {text}\n").as_bytes()).map_err(failed)?;
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let row = Row::new()
        .add("# ", crate::text::Role::Note)
        .add(text, crate::text::Style::TEXT)
        .add(&format!("  kept in {name}"), crate::text::Style::FAINT);
    Ok(ActOutcome::Rows(vec![row]))
}

/// Returns the image in the clipboard, using the first clipboard program that is available.
pub(super) async fn clipboard() -> Option<Vec<u8>> {
    const READERS: &[&str] = &[
        "wl-paste --no-newline --type image/png",
        "xclip -selection clipboard -target image/png -out",
        "pngpaste -",
    ];
    for reader in READERS {
        let mut command = tokio::process::Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(reader)
            .stdin(std::process::Stdio::null())
            .kill_on_drop(true);
        let Ok(Ok(output)) = tokio::time::timeout(Duration::from_secs(2), command.output()).await else {
            continue;
        };
        if output.status.success() && !output.stdout.is_empty() {
            return Some(output.stdout);
        }
    }
    None
}

/// Returns the branch checked out in a folder.
pub(crate) fn branch(folder: &Path) -> Option<String> {
    let head = folder.ancestors().find_map(|folder| {
        let git = folder.join(".git");
        if git.is_dir() {
            return Some(git.join("HEAD"));
        }
        let link = std::fs::read_to_string(&git).ok()?;
        Some(folder.join(link.trim().strip_prefix("gitdir: ")?).join("HEAD"))
    })?;
    let head = std::fs::read_to_string(head).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}
