//! Glob: finds files by name pattern, newest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Instant;

use rustix::fs::AtFlags;
use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::outcome::Outcome;
use crate::tool::{Activity, Descriptor, Pending, Tool};
use crate::walk::{FileAt, Patience, Root, Scope, each_file};
use crate::{input, paths};

/// Maximum number of listed files.
const MAX_LISTED: usize = 100;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "Glob".into(),
    description: "Finds files by the pattern of their names.\n\n\
        - `**/*.rs` finds at any depth, `src/*.rs` only in that folder, `*.{ts,tsx}` either ending; a pattern without a slash counts at any depth.\n\
        - The files changed last come first; at most 100 are listed, and the answer says if there are more.\n\
        - What .gitignore excludes is left out, unless `path` or the pattern names the folder. Folders themselves are not listed.\n\
        - To look for text inside files use Grep.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "description": "The pattern of the names."},
            "path": {"type": "string", "description": "The folder to look in; the current directory if it is left out."},
        },
        "required": ["pattern"],
        "additionalProperties": false,
    }),
    touches: Touches::Searches {
        path: "path",
        pattern: Some("pattern"),
    },
    activity: Some(Activity {
        words: "Searching for",
        keys: &["pattern"],
    }),
    default: false,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct Glob;

#[derive(Debug, Deserialize)]
struct Input {
    pattern: String,
    path: Option<String>,
}

impl Tool for Glob {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let stop = cx.cancel.child_token();
            // dropping the call stops the search
            let _guard = stop.clone().drop_guard();
            let (context, patience) = (cx.clone(), Patience::new(stop));
            let work = tokio::task::spawn_blocking(move || search(&input, &context, &patience));
            tokio::select! {
                outcome = work => outcome.unwrap_or_else(|_| Outcome::interrupted()),
                () = cx.cancel.cancelled() => Outcome::interrupted(),
            }
        })
    }
}

fn search(input: &Input, cx: &Context, patience: &Patience) -> Outcome {
    let started = Instant::now();
    let scope = match scope(input, cx) {
        Ok(scope) => scope,
        Err(outcome) => return outcome,
    };
    let found = Mutex::new(Newest::default());
    each_file(&scope, patience, || Visitor {
        found: &found,
        own: Newest::default(),
    });
    if patience.is_cancelled() {
        return Outcome::interrupted();
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    report(&found, &scope.root, started, patience.has_expired())
}

/// Determines the folder and patterns to search. Leading folders of the pattern narrow the searched tree.
fn scope(input: &Input, cx: &Context) -> Result<Scope, Outcome> {
    let folder = cx.absolute(input.path.as_deref().unwrap_or_default());
    let pattern = input.pattern.strip_prefix("./").unwrap_or(&input.pattern);
    let (fixed, rest) = divided(pattern);
    if rest.split('/').any(|part| part == "..") {
        return Err(Outcome::refused(
            "`..` may not follow a wildcard; name the folder to look in with `path`.",
        ));
    }
    let (root, glob) = if is_elsewhere(fixed) {
        let folder = paths::absolute(Path::new(fixed), &folder);
        (Root::new(&folder, cx)?, format!("/{rest}"))
    } else {
        let root = Root::new(&folder, cx)?;
        match (!fixed.is_empty()).then(|| root.clone().below(fixed)).flatten() {
            Some(below) => (below, format!("/{rest}")),
            None if pattern.starts_with('!') => (root, format!("\\{pattern}")),
            None => (root, pattern.to_owned()),
        }
    };
    if !root.is_dir() {
        return Err(Outcome::refused(format!(
            "{} is not a folder; `path` names the folder to look in.",
            root.real().display()
        )));
    }
    // patterns that match every file need no check
    let globs = if matches!(glob.as_str(), "*" | "**" | "**/*" | "/**" | "/**/*") {
        Vec::new()
    } else {
        vec![glob]
    };
    Scope::new(root, &globs, None, cx.hidden.clone())
}

/// True if the leading folders of a pattern are outside of the searched folder.
fn is_elsewhere(fixed: &str) -> bool {
    fixed.starts_with('/') || fixed.split('/').any(|part| part == "..")
}

/// Returns the folder to which a pattern points, if it is not below `folder`.
pub(crate) fn leaves(pattern: &str, folder: &Path) -> Option<PathBuf> {
    let (fixed, _) = divided(pattern.strip_prefix("./").unwrap_or(pattern));
    is_elsewhere(fixed).then(|| paths::absolute(Path::new(fixed), folder))
}

/// Splits a pattern into its leading folders and the rest.
fn divided(pattern: &str) -> (&str, &str) {
    let wild = pattern.find(['*', '?', '[', '{', '\\', '!']).unwrap_or(pattern.len());
    match pattern.get(..wild).and_then(|fixed| fixed.rfind('/')) {
        Some(0) => ("/", pattern.get(1..).unwrap_or_default()),
        Some(at) => (
            pattern.get(..at).unwrap_or_default(),
            pattern.get(at + 1..).unwrap_or_default(),
        ),
        None => ("", pattern),
    }
}

/// Modification time in seconds and nanoseconds.
type Changed = (i128, i128);

/// The newest files found so far.
#[derive(Debug, Default)]
struct Newest {
    /// The oldest is on top.
    files: BinaryHeap<(Reverse<Changed>, PathBuf)>,
    total: usize,
}

impl Newest {
    fn saw(&mut self, file: FileAt<'_>) {
        self.total += 1;
        let changed = changed(file);
        if self.files.len() >= MAX_LISTED
            && let Some((Reverse(oldest), _)) = self.files.peek()
            && changed < *oldest
        {
            return;
        }
        self.keep((Reverse(changed), file.path.to_owned()));
    }

    fn keep(&mut self, file: (Reverse<Changed>, PathBuf)) {
        self.files.push(file);
        if self.files.len() > MAX_LISTED {
            self.files.pop();
        }
    }
}

/// Returns the modification time of a file. Looking up a name in an open folder is faster than a path.
fn changed(file: FileAt<'_>) -> Changed {
    let stat = match file.at {
        Some((folder, name)) => rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW),
        None => rustix::fs::lstat(file.path),
    };
    stat.map_or_else(
        |_| Changed::default(),
        |stat| (stat.st_mtime.into(), stat.st_mtime_nsec.into()),
    )
}

/// Results of one thread, merged when it ends.
struct Visitor<'a> {
    found: &'a Mutex<Newest>,
    own: Newest,
}

impl crate::walk::Visit for Visitor<'_> {
    fn file(&mut self, file: FileAt<'_>) {
        self.own.saw(file);
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.total += self.own.total;
        for file in self.own.files.drain() {
            found.keep(file);
        }
    }
}

fn report(found: &Newest, root: &Root, started: Instant, timed_out: bool) -> Outcome {
    let mut files: Vec<_> = found.files.iter().collect();
    files.sort();
    let names: Vec<String> = files.into_iter().map(|(_, path)| root.shown(path)).collect();
    let truncated = found.total > names.len();
    let mut said = if names.is_empty() {
        "No files found".to_owned()
    } else {
        names.join("\n")
    };
    if truncated {
        said.push_str(&format!(
            "\n({} files match, the {} changed last are listed. A narrower path or pattern shows the others.)",
            found.total,
            names.len()
        ));
    }
    if timed_out {
        said.push_str("\n(The search ran out of time; there may be more. Look in a smaller folder.)");
    }
    let mut result = json!({
        "filenames": names,
        "durationMs": u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "numFiles": names.len(),
        "truncated": truncated || timed_out,
        "totalMatches": found.total,
        "countIsComplete": !timed_out,
    });
    if timed_out && let Some(fields) = result.as_object_mut() {
        fields.insert("timedOut".to_owned(), Value::Bool(true));
    }
    Outcome::ok(said, result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_divided_before_the_first_wildcard() {
        assert_eq!(divided("src/a/**/*.rs"), ("src/a", "**/*.rs"));
        assert_eq!(divided("src/a.rs"), ("src", "a.rs"));
        assert_eq!(divided("src{a,b}/c"), ("", "src{a,b}/c"));
        assert_eq!(divided("*.rs"), ("", "*.rs"));
        assert_eq!(divided("/etc/*.conf"), ("/etc", "*.conf"));
        assert_eq!(divided("/*"), ("/", "*"));
        assert_eq!(divided("../x/*"), ("../x", "*"));
    }

    #[test]
    fn only_the_newest_are_kept() {
        let mut newest = Newest::default();
        for number in 0..250 {
            newest.keep((Reverse((number, 0)), PathBuf::from(format!("/{number}"))));
        }
        let mut files: Vec<_> = newest.files.into_iter().collect();
        files.sort();
        assert_eq!(files.len(), MAX_LISTED);
        assert_eq!(files.first().map(|(_, path)| path.clone()), Some(PathBuf::from("/249")));
        assert_eq!(files.last().map(|(_, path)| path.clone()), Some(PathBuf::from("/150")));
    }
}
