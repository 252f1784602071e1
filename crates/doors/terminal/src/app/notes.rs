//! Notes for memory files, pasted images, and the editor mode.

use std::path::{Path, PathBuf};

use super::{Act, App, Now, Picker, PickerKind};
use crate::input::{Chip, Vim};
use crate::view::amount;

/// Maximum size of an image that is sent, in bytes.
const MAX_IMAGE_SIZE: u64 = 5 << 20;

impl App {
    /// Returns the memory files: name and scope.
    fn memory_files(&self) -> [(String, String); 3] {
        let home = self.facts.config_dir.join("CLAUDE.md");
        let shown = match home.strip_prefix(&self.facts.home) {
            Ok(near) => format!("~/{}", near.display()),
            Err(_) => home.display().to_string(),
        };
        [
            ("CLAUDE.md".to_owned(), "everyone, this project".to_owned()),
            ("CLAUDE.local.md".to_owned(), "only you, this project".to_owned()),
            (shown, "you, everywhere".to_owned()),
        ]
    }

    /// Returns the path of a memory file by its index in the list.
    fn memory_file(&self, at: usize) -> Option<PathBuf> {
        Some(match at {
            0 => self.facts.folder.join("CLAUDE.md"),
            1 => self.facts.folder.join("CLAUDE.local.md"),
            2 => self.facts.config_dir.join("CLAUDE.md"),
            _ => return None,
        })
    }

    /// Lists the memory files; selecting one opens it in the editor.
    pub(super) fn pick_memory(&mut self) {
        let mut picker = Picker::new("Memory", PickerKind::Memory, self.memory_files());
        picker.hints = vec!["enter opens it in $EDITOR", "esc"];
        self.picker = Some(picker);
    }

    /// Opens a memory file in the editor.
    pub(super) fn edit_memory(&mut self, at: usize) {
        self.acts.extend(self.memory_file(at).map(Act::EditFile));
    }

    /// Lists the memory files in which a note can be saved.
    pub(super) fn pick_note(&mut self, text: &str) {
        let prompt = ("send it as a prompt".to_owned(), String::new());
        let rows = self.memory_files().into_iter().chain([prompt]);
        let title = format!("# {text}");
        self.picker = Some(Picker::new(&title, PickerKind::Note(text.to_owned()), rows));
    }

    /// Saves the note in the selected file.
    pub(super) fn keep_note(&mut self, text: &str, at: usize, now: Now) {
        let Some(file) = self.memory_file(at) else {
            let prompt = format!("# {text}");
            self.send(&prompt, Vec::new(), false, now);
            return;
        };
        self.acts.push(Act::Note {
            file,
            text: text.to_owned(),
        });
    }

    /// Attaches the image whose path was pasted.
    pub(super) fn attach_path(&mut self, text: &str) -> bool {
        let Some(path) = picture_path(text, &self.facts.folder, &self.facts.home) else {
            return false;
        };
        let Some(bytes) = (self.read_bytes)(&path) else {
            return false;
        };
        self.attach_picture(&bytes)
    }

    /// Attaches an image to the draft. Returns false if the bytes are not an image.
    pub(super) fn attach_picture(&mut self, bytes: &[u8]) -> bool {
        use base64::Engine as _;
        let Some((kind, sides)) = kind_of(bytes) else {
            return false;
        };
        let images = self.editor.chips().iter();
        let number = images.filter(|chip| matches!(chip, Chip::Image { .. })).count() + 1;
        let sides = sides.map_or_else(
            || amount::bytes(bytes.len() as u64),
            |(wide, high)| format!("{wide}x{high}"),
        );
        self.editor.attach(Chip::Image {
            media_type: format!("image/{kind}"),
            data: base64::engine::general_purpose::STANDARD.encode(bytes),
            label: format!("[image {number}: {sides} {kind}]"),
        });
        true
    }

    /// Enables or disables vim mode.
    pub(super) fn set_vim(&mut self, on: bool) {
        self.vim = on.then(Vim::default);
        self.facts.settings.vim = on;
    }
}

/// Reads a file, unless it is too large to be sent.
pub(super) fn read_bytes(path: &Path) -> Option<Vec<u8>> {
    let data = std::fs::metadata(path).ok()?;
    (data.is_file() && data.len() <= MAX_IMAGE_SIZE).then(|| std::fs::read(path).ok())?
}

/// Returns the path of an image, in the form terminals paste dropped files.
fn picture_path(text: &str, folder: &Path, home: &Path) -> Option<PathBuf> {
    let text = text.trim();
    if text.contains('\n') || text.len() > 4096 {
        return None;
    }
    let text = text.strip_prefix("file://").unwrap_or(text);
    let bare = text.trim_matches(['\'', '"']).replace("\\ ", " ");
    let name = bare.to_ascii_lowercase();
    let is_picture = [".png", ".jpg", ".jpeg", ".gif", ".webp"]
        .iter()
        .any(|end| name.ends_with(end));
    is_picture.then(|| match bare.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => folder.join(bare),
    })
}

/// Returns the media type of an image, and its width and height if the header contains them at a fixed offset.
fn kind_of(bytes: &[u8]) -> Option<(&'static str, Option<(u32, u32)>)> {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes(four.try_into().ok()?))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(("png", number(16).zip(number(20))));
    }
    if bytes.starts_with(b"GIF8") {
        let two = |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
        return Some(("gif", two(6).zip(two(8))));
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Some(("jpeg", None));
    }
    (bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")).then_some(("webp", None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_image_paths_are_detected() {
        let path = |text: &str| picture_path(text, Path::new("/w"), Path::new("/home/me"));
        assert_eq!(path("'/tmp/a b.png'"), Some(PathBuf::from("/tmp/a b.png")));
        assert_eq!(path("/tmp/a\\ b.PNG "), Some(PathBuf::from("/tmp/a b.PNG")));
        assert_eq!(path("file:///x/y.jpg"), Some(PathBuf::from("/x/y.jpg")));
        assert_eq!(path("~/p.webp"), Some(PathBuf::from("/home/me/p.webp")));
        assert_eq!(path("shot.gif"), Some(PathBuf::from("/w/shot.gif")));
        assert_eq!(path("notes.md"), None);
        assert_eq!(path("a\nb.png"), None);
    }

    #[test]
    fn image_type_and_size_are_detected() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend(1280_u32.to_be_bytes());
        png.extend(720_u32.to_be_bytes());
        assert_eq!(kind_of(&png), Some(("png", Some((1280, 720)))));
        assert_eq!(kind_of(b"plain text"), None);
    }
}
