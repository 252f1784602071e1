//! NotebookEdit: replaces, inserts or deletes a cell of a notebook.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::file_state::{FileState, Freshness};
use crate::notebook::Notebook;
use crate::outcome::Outcome;
use crate::pins::Pin;
use crate::tool::{Descriptor, Pending, Tool};
use crate::write::explained;
use crate::{atomic, ids, input, paths};

/// Maximum size of a notebook.
const MAX_FILE_SIZE: u64 = 32 << 20;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    name: "NotebookEdit".into(),
    description: "Changes one cell of a Jupyter notebook (.ipynb). Read the notebook first.\n\n\
        - `replace` (the default) gives the cell `cell_id` a new source; what its code had printed is taken out.\n\
        - `insert` adds a cell after `cell_id`, or before all others if none is named; `cell_type` must be given.\n\
        - `delete` takes the cell `cell_id` out.\n\
        - Cells are named as Read shows them, or by number from 0: `cell-3`, `3`."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "notebook_path": {"type": "string", "minLength": 1, "description": "The absolute path of the notebook."},
            "cell_id": {"type": "string", "description": "The cell to change, or after which to insert."},
            "new_source": {"type": "string", "description": "The new text of the cell."},
            "cell_type": {"type": "string", "enum": ["code", "markdown"], "description": "The kind of the cell; needed to insert one."},
            "edit_mode": {"type": "string", "enum": ["replace", "insert", "delete"], "description": "What to do."},
        },
        "required": ["notebook_path", "new_source"],
        "additionalProperties": false,
    }),
    touches: Touches::Edits { path: "notebook_path" },
    ..Descriptor::default()
});

#[derive(Debug)]
pub(crate) struct NotebookEdit;

#[derive(Debug, Clone, Deserialize)]
struct Input {
    notebook_path: String,
    cell_id: Option<String>,
    new_source: String,
    cell_type: Option<String>,
    #[serde(default)]
    edit_mode: Mode,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Replace,
    Insert,
    Delete,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Insert => "insert",
            Self::Delete => "delete",
        }
    }
}

impl Tool for NotebookEdit {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn vet<'a>(&'a self, input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move {
            let editing = match Editing::new(input, cx) {
                Ok(editing) => editing,
                Err(outcome) => return Some(outcome),
            };
            tokio::task::spawn_blocking(move || editing.plan().err())
                .await
                .unwrap_or_else(|_| Some(Outcome::interrupted()))
        })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let editing = match Editing::new(&input, cx) {
                Ok(editing) => editing,
                Err(outcome) => return outcome,
            };
            // one blocking step, so that it cannot be dropped halfway
            let work = move || match editing.plan() {
                Ok(change) => editing.carry_out(&change),
                Err(outcome) => outcome,
            };
            tokio::task::spawn_blocking(work)
                .await
                .unwrap_or_else(|_| Outcome::interrupted())
        })
    }
}

/// State of one call.
struct Editing {
    input: Input,
    path: PathBuf,
    cwd: PathBuf,
    /// Pin from the permission decision.
    pin: Option<Pin>,
    files: Arc<FileState>,
}

/// A notebook before and after.
struct Change {
    old: String,
    new: String,
    cell_id: String,
    cell_type: String,
    old_source: Option<String>,
    language: String,
}

impl Editing {
    fn new(input: &Value, cx: &Context) -> Result<Self, Outcome> {
        let input: Input = input::parsed(&DESCRIPTOR, input)?;
        let path = cx.absolute(&input.notebook_path);
        Ok(Self {
            pin: cx.pin(&path)?,
            path,
            cwd: cx.cwd.get(),
            files: Arc::clone(&cx.files),
            input,
        })
    }

    /// Computes the change, or why it is not possible.
    fn plan(&self) -> Result<Change, Outcome> {
        let input = &self.input;
        if self.path.extension().is_none_or(|extension| extension != "ipynb") {
            return Err(Outcome::refused(
                "Only notebooks (.ipynb) can be edited by cell; other files are changed with Edit.",
            ));
        }
        if input.edit_mode == Mode::Insert && input.cell_type.is_none() {
            return Err(Outcome::refused("A cell cannot be inserted without `cell_type`."));
        }
        if input.edit_mode != Mode::Insert && input.cell_id.is_none() {
            return Err(Outcome::refused("`cell_id` must say which cell is meant."));
        }
        let bytes = self.read().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Outcome::refused(format!(
                "File does not exist. Note: your current working directory is {}.",
                self.cwd.display()
            )),
            _ => Outcome::refused(explained(&error, &input.notebook_path)),
        })?;
        match self.files.freshness(&self.path, &bytes) {
            Freshness::Current => {}
            Freshness::Unseen => {
                return Err(Outcome::refused(
                    "File has not been read yet. Read it first before writing to it.",
                ));
            }
            Freshness::Stale => {
                return Err(Outcome::refused(
                    "File has changed since it was read. Read it again before writing to it.",
                ));
            }
        }
        let broken = |why: &str| Outcome::refused(format!("{} is not a notebook: {why}", input.notebook_path));
        let old = String::from_utf8(bytes).map_err(|_| broken("it is not UTF-8 text"))?;
        self.change(&old, &Notebook::parse(&old).map_err(|why| broken(&why))?)
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let held = paths::held(&self.path, self.pin.as_ref())?;
        let metadata = held.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() || metadata.len() > MAX_FILE_SIZE {
            return Err(io::Error::other("it is too large, or not a regular file"));
        }
        let mut bytes = Vec::new();
        held.read(self.pin.as_ref().map_or(&self.path, Pin::place))?
            .take(MAX_FILE_SIZE)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn change(&self, old: &str, notebook: &Notebook<'_>) -> Result<Change, Outcome> {
        let input = &self.input;
        let missing = |id: &str| Outcome::refused(format!("Cell with ID \"{id}\" not found in notebook."));
        let at = match input.cell_id.as_deref() {
            Some(id) => Some(notebook.find(id).ok_or_else(|| missing(id))?),
            None => None,
        };
        let cell = at.and_then(|at| Some((at, notebook.cell(at)?)));
        let given = input.cell_id.clone().unwrap_or_default();
        let (new, cell_id, cell_type, old_source) = match (input.edit_mode, cell) {
            (Mode::Insert, _) => {
                let kind = input.cell_type.clone().unwrap_or_else(|| "code".to_owned());
                let id: Option<String> = notebook.has_ids.then(|| ids::base36(8).collect());
                let new = notebook.inserted(at, &input.new_source, &kind, id.as_deref());
                let id = id.unwrap_or_else(|| format!("cell-{}", at.map_or(0, |at| at + 1)));
                (Some(new), id, kind, None)
            }
            (Mode::Replace, Some((at, cell))) => {
                let kind = input.cell_type.as_ref().unwrap_or(&cell.kind).clone();
                let new = notebook.replaced(at, &input.new_source, &kind);
                (new, given, kind, Some(cell.source.clone()))
            }
            (Mode::Delete, Some((at, cell))) => {
                // always reported for a deleted cell (recorded in 2.1.325, notebook_edit)
                let kind = input.cell_type.clone().unwrap_or_else(|| "code".to_owned());
                (notebook.deleted(at), given, kind, Some(cell.source.clone()))
            }
            (Mode::Replace | Mode::Delete, None) => return Err(missing(&given)),
        };
        let new = new.ok_or_else(|| missing(&cell_id))?;
        if let Err(error) = serde_json::from_str::<IgnoredAny>(&new) {
            return Err(Outcome::failed(format!("The change would break the notebook: {error}")));
        }
        Ok(Change {
            old: old.to_owned(),
            new,
            cell_id,
            cell_type,
            old_source,
            language: notebook.language.clone(),
        })
    }

    fn carry_out(&self, change: &Change) -> Outcome {
        let input = &self.input;
        if let Err(error) = atomic::write_checked(&self.path, change.new.as_bytes(), self.pin.as_ref()) {
            return Outcome::failed(explained(&error, &input.notebook_path));
        }
        self.files.edited(&self.path, change.new.as_bytes(), Freshness::Current);
        let mut result = json!({"new_source": input.new_source});
        if let Some(fields) = result.as_object_mut() {
            if let Some(old) = &change.old_source {
                fields.insert("old_source".to_owned(), old.as_str().into());
            }
            for (name, value) in [
                ("cell_type", change.cell_type.as_str()),
                ("language", &change.language),
                ("edit_mode", input.edit_mode.name()),
                ("cell_id", &change.cell_id),
                ("error", ""),
                ("notebook_path", &input.notebook_path),
                ("original_file", &change.old),
                ("updated_file", &change.new),
            ] {
                fields.insert(name.to_owned(), value.into());
            }
        }
        let (id, source) = (&change.cell_id, &input.new_source);
        let said = match input.edit_mode {
            Mode::Replace => format!("Updated cell {id} with {source}"),
            Mode::Insert => format!("Inserted cell {id} with {source}"),
            Mode::Delete => format!("Deleted cell {id}"),
        };
        Outcome::ok(said, result)
    }
}
