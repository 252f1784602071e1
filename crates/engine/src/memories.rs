//! Loads memory files of a session, and those that accessed files bring.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_permission::Touches;
use sluice_permission::path::absolute;

use crate::memory::{Found, files_of_command, load_for, reminder_of_brought};
use crate::session::Session;

impl Session {
    /// Loads the memory files for the start of a conversation.
    pub(crate) fn memories(&self) -> Found {
        let options = &self.options;
        if options.prompt.memory.off {
            return Found::default();
        }
        let further: &[PathBuf] = if options.prompt.memory.of_added_folders {
            &options.folders.added
        } else {
            &[]
        };
        load_for(&options.settings, further)
    }

    /// Loads memory files near the files that a call accessed. They are added before the next model request.
    pub(crate) fn touched_by_call(&mut self, index: usize) {
        let Some(call) = self.calls.get(index).filter(|_| self.conversation.knows_memory()) else {
            return;
        };
        let text = |key: &str| call.checked.get(key).and_then(Value::as_str);
        let cwd = self.tooling.cwd().get();
        let touches = call.tool.as_ref().map(|tool| tool.descriptor().touches);
        let paths = match touches.unwrap_or_default() {
            Touches::Shell { command, .. } => text(command).map(|command| files_of_command(command, &cwd)),
            touches => touches.file().and_then(text).map(|path| vec![absolute(&cwd, path)]),
        };
        for path in paths.unwrap_or_default() {
            self.touched(&path);
        }
    }

    /// Loads memory files near an accessed file.
    pub(crate) fn touched(&mut self, path: &Path) {
        if self.options.prompt.memory.off {
            return;
        }
        let brought = self.conversation.nearby().touched(path, &self.options.settings);
        self.hooks.note_brought(path, &brought);
        if let Some(text) = reminder_of_brought(&brought) {
            self.hooks.add_context(text);
        }
    }
}
