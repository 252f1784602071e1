//! The external editor.

use std::io;
use std::path::Path;

/// Opens a file in the editor and waits until it closes.
///
/// # Errors
/// The editor could not be started or failed.
pub(super) async fn open(editor: &str, folder: &Path, file: &Path) -> Result<(), String> {
    let mut child = tokio::process::Command::new("/bin/sh");
    child
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(file)
        .current_dir(folder);
    match child.status().await {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(match status.code() {
            Some(code) => format!("{editor} ended with exit {code}; nothing was changed"),
            None => format!("{editor} was ended by a signal; nothing was changed"),
        }),
        Err(error) => Err(format!("{editor}: {error}; nothing was changed")),
    }
}

/// Edits a text in the editor, by means of a private temporary file.
///
/// # Errors
/// As [`open`]; also if the file cannot be written or read.
pub(crate) async fn edit_text(editor: &str, folder: &Path, text: &str) -> Result<String, String> {
    let name = format!("sluice-{}.md", uuid::Uuid::new_v4().simple());
    let file = std::env::temp_dir().join(name);
    let failed = |error: io::Error| format!("{}: {error}; nothing was changed", file.display());
    write_private(&file, text).map_err(failed)?;
    let edited = match open(editor, folder, &file).await {
        Ok(()) => std::fs::read_to_string(&file)
            .map_err(failed)
            .map(|new| without_added_end(text, new)),
        Err(why) => Err(why),
    };
    std::fs::remove_file(&file).ok();
    edited
}

/// Removes the line end that editors append to a text without one.
fn without_added_end(old: &str, mut new: String) -> String {
    if !old.ends_with('\n') && new.ends_with('\n') {
        new.pop();
    }
    new
}

pub(super) fn write_private(file: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    async fn edit(editor: &str, text: &str) -> Result<String, String> {
        edit_text(editor, &std::env::temp_dir(), text).await
    }

    #[tokio::test]
    async fn saved_text_is_used_and_a_failed_editor_changes_nothing() {
        assert_eq!(edit("sed -i s/old/new/", "old\nend\n").await.unwrap(), "new\nend\n");
        assert_eq!(
            edit("echo >>", "a + b").await.unwrap(),
            "a + b",
            "the end the editor added"
        );
        assert_eq!(
            edit("f() { echo lost > \"$1\"; return 3; }; f", "kept")
                .await
                .unwrap_err(),
            "f() { echo lost > \"$1\"; return 3; }; f ended with exit 3; nothing was changed"
        );
        assert!(edit("no-such-editor", "kept").await.unwrap_err().contains("exit 127"));
    }
}
