//! What is done with the person's files and programs, without the agent.

use std::path::Path;
use std::time::Duration;

use crate::app::Told;
use crate::text::Row;

/// Puts a note at the end of a memory file.
pub(super) fn note(file: &Path, text: &str) -> Result<Told, String> {
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
    Ok(Told::Rows(vec![row]))
}

/// The picture in the clipboard, by whichever program reads it here.
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

/// The branch checked out in a folder.
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
