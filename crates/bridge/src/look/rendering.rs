//! Highlighted code and diffs, rendered once and cached by hash.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use sluice_render::diff::{self, PatchHunk, Tag};

use crate::api::{Code, Diff, DiffKind, DiffLine, Highlighted, Hunk, Problem};
use crate::body::hash;

/// How much of what was worked out is kept.
const KEPT_BYTES: usize = 8 * 1024 * 1024;
/// The longest text that is coloured.
const LONGEST: usize = 512 * 1024;
/// Lines around a change.
const AROUND: usize = 3;

/// Code with colours, by hash.
#[derive(Debug, Default)]
pub(crate) struct Renderings {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_hash: HashMap<String, Arc<Highlighted>>,
    order: VecDeque<(String, usize)>,
    bytes: usize,
}

impl Renderings {
    pub(crate) async fn highlight(&self, lang: String, text: String) -> Result<Arc<Highlighted>, Problem> {
        if text.len() > LONGEST {
            return Err(Problem::new(Code::Limit, "a text to be coloured has at most 512 kB"));
        }
        let key = hash(format!("{lang}\0{text}").as_bytes());
        let found = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.by_hash.get(&key).cloned()
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let bytes = text.len() * 2;
        let done = tokio::task::spawn_blocking(move || {
            let lines = sluice_render::highlight::highlight(&lang, &text);
            let run = |run: sluice_render::Run| (run.class.as_str().to_owned(), run.text);
            Highlighted {
                lines: lines
                    .into_iter()
                    .map(|line| line.into_iter().map(run).collect())
                    .collect(),
            }
        });
        let done = Arc::new(done.await.map_err(Problem::internal)?);
        self.keep(key, Arc::clone(&done), bytes);
        Ok(done)
    }

    fn keep(&self, key: String, done: Arc<Highlighted>, bytes: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += bytes;
        kept.order.push_back((key.clone(), bytes));
        kept.by_hash.insert(key, done);
        while kept.bytes > KEPT_BYTES {
            let Some((oldest, bytes)) = kept.order.pop_front() else {
                return;
            };
            kept.bytes -= bytes;
            kept.by_hash.remove(&oldest);
        }
    }
}

/// The difference between two texts.
pub(crate) async fn difference(path: String, old: Option<String>, new: Option<String>) -> Result<Diff, Problem> {
    let done = tokio::task::spawn_blocking(move || {
        let found = diff::diff(&path, old.as_deref(), new.as_deref(), AROUND);
        told(path, found)
    });
    done.await.map_err(Problem::internal)
}

/// The difference an agent told of.
pub(crate) async fn patched(path: String, hunks: Vec<PatchHunk>) -> Result<Diff, Problem> {
    let done = tokio::task::spawn_blocking(move || {
        let found = diff::from_patch(&path, &hunks);
        told(path, found)
    });
    done.await.map_err(Problem::internal)
}

/// Why there is no difference.
pub(crate) fn none(path: &str, problem: impl Into<String>) -> Diff {
    Diff {
        path: path.to_owned(),
        kind: DiffKind::Edit,
        hunks: Vec::new(),
        added: 0,
        removed: 0,
        problem: Some(problem.into()),
        lang: String::new(),
    }
}

fn told(path: String, found: diff::Diff) -> Diff {
    let line = |line: diff::DiffLine| DiffLine {
        t: match line.tag {
            Tag::Same => " ",
            Tag::Added => "+",
            Tag::Removed => "-",
        }
        .to_owned(),
        old: line.old,
        new: line.new,
        parts: line
            .parts
            .into_iter()
            .map(|part| (part.class.as_str().to_owned(), part.text, part.changed))
            .collect(),
    };
    let hunks = found.hunks.into_iter().map(|hunk| Hunk {
        old_start: hunk.old_start,
        new_start: hunk.new_start,
        lines: hunk.lines.into_iter().map(line).collect(),
    });
    let extension = std::path::Path::new(&path).extension();
    let lang = extension
        .map(|it| it.to_string_lossy().into_owned())
        .unwrap_or_default();
    Diff {
        kind: match found.kind {
            diff::DiffKind::New => DiffKind::New,
            diff::DiffKind::Edit => DiffKind::Edit,
            diff::DiffKind::Delete => DiffKind::Delete,
        },
        hunks: hunks.collect(),
        added: u32::try_from(found.added).unwrap_or(u32::MAX),
        removed: u32::try_from(found.removed).unwrap_or(u32::MAX),
        problem: None,
        lang,
        path,
    }
}
