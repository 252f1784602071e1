//! Grep: searches text in files with regular expressions.

mod found;
mod report;
mod sink;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt as _;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use rustix::fs::OFlags;
use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use self::found::Found;
use self::sink::{Any, Hits, Lines};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::pins::Names;
use crate::tool::{Activity, Descriptor, Pending, Tool};
use crate::walk::{FileAt, Patience, Root, Scope, Visit, each_file};
use crate::{input, text};

/// Default maximum number of lines or files.
const DEFAULT_LIMIT: usize = 250;
/// Maximum length of a line; the search of a file stops at a longer one.
const MAX_LINE: usize = 8 << 20;
/// Maximum size of a file for a multi-line search, which loads it completely.
const MAX_MULTILINE_FILE: usize = 32 << 20;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "Grep".into(),
    description: "Searches the text of files with a regular expression (ripgrep's syntax, without look-around and back-references).\n\n\
        - `output_mode`: `files_with_matches` lists the files, those changed last first (the default); `content` shows the lines; `count` says how many lines of each file match.\n\
        - Narrow the files with `path`, `glob` (`*.rs`, `src/**/*.{ts,tsx}`, `!*.test.js`) or `type` (`rust`, `py`, `js`).\n\
        - A pattern matches within one line; with `multiline` it may span lines and `.` takes in line ends.\n\
        - What .gitignore excludes and binary files are left out. Braces and other signs are escaped as usual: `interface\\{\\}`.\n\
        - 250 lines or files are shown unless `head_limit` says otherwise; `offset` goes on from there.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "description": "The regular expression."},
            "path": {"type": "string", "description": "The file or folder to search; the current directory if it is left out."},
            "glob": {"type": "string", "description": "Only files whose names match; several patterns are separated by spaces."},
            "output_mode": {"type": "string", "enum": ["content", "files_with_matches", "count"], "description": "What to show."},
            "-B": {"type": "integer", "minimum": 0, "description": "Lines to show before each match (content)."},
            "-A": {"type": "integer", "minimum": 0, "description": "Lines to show after each match (content)."},
            "-C": {"type": "integer", "minimum": 0, "description": "Lines to show before and after each match (content)."},
            "context": {"type": "integer", "minimum": 0, "description": "The same as -C."},
            "-n": {"type": "boolean", "description": "Number the lines (content); they are unless this is false."},
            "-i": {"type": "boolean", "description": "Take upper and lower case for the same."},
            "-o": {"type": "boolean", "description": "Show only what matched and not the whole line (content)."},
            "type": {"type": "string", "description": "Only files of this type."},
            "head_limit": {"type": "integer", "minimum": 0, "description": "How many lines or files to show; 0 for as many as there are."},
            "offset": {"type": "integer", "minimum": 0, "description": "How many lines or files to skip."},
            "multiline": {"type": "boolean", "description": "Let the pattern span lines."},
        },
        "required": ["pattern"],
        "additionalProperties": false,
    }),
    touches: Touches::Searches {
        path: "path",
        pattern: None,
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
pub(crate) struct Grep;

#[derive(Debug, Default, Deserialize)]
struct Input {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    output_mode: Mode,
    #[serde(rename = "-B")]
    before: Option<usize>,
    #[serde(rename = "-A")]
    after: Option<usize>,
    #[serde(rename = "-C")]
    around: Option<usize>,
    context: Option<usize>,
    #[serde(rename = "-n")]
    numbered: Option<bool>,
    #[serde(rename = "-i", default)]
    any_case: bool,
    #[serde(rename = "-o", default)]
    only_matching: bool,
    #[serde(rename = "type")]
    kind: Option<String>,
    head_limit: Option<usize>,
    offset: Option<usize>,
    #[serde(default)]
    multiline: bool,
}

/// Output mode.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

impl Input {
    fn before(&self) -> usize {
        self.before.or(self.around).or(self.context).unwrap_or(0)
    }

    fn after(&self) -> usize {
        self.after.or(self.around).or(self.context).unwrap_or(0)
    }

    fn has_context(&self) -> bool {
        self.output_mode == Mode::Content && !self.only_matching && self.before() + self.after() > 0
    }

    fn offset(&self) -> usize {
        self.offset.unwrap_or(0)
    }

    /// Returns the maximum number of results; `None` means unlimited.
    fn limit(&self) -> Option<usize> {
        Some(self.head_limit.unwrap_or(DEFAULT_LIMIT)).filter(|limit| *limit > 0)
    }

    /// Returns how many results from the beginning are needed for the output.
    fn reach(&self) -> usize {
        self.limit()
            .map_or(usize::MAX, |limit| self.offset().saturating_add(limit))
    }
}

impl Tool for Grep {
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
    match searched(input, cx, patience) {
        Ok(_) if patience.is_cancelled() => Outcome::interrupted(),
        Ok(found) => report::outcome(input, &found, patience.has_expired()),
        Err(outcome) => outcome,
    }
}

fn searched(input: &Input, cx: &Context, patience: &Patience) -> Result<Found, Outcome> {
    let root = Root::new(&cx.absolute(input.path.as_deref().unwrap_or_default()), cx)?;
    let globs = globs(input.glob.as_deref().unwrap_or_default());
    let scope = Scope::new(root, &globs, input.kind.as_deref(), cx.hidden.clone())?;
    let matcher = matcher(input)?;
    let found = Mutex::new(Found::new(input));
    let names = OnceLock::new();
    each_file(&scope, patience, || Looking {
        input,
        cx,
        names: &names,
        root: &scope.root,
        matcher: &matcher,
        searcher: searcher(input),
        patience,
        found: &found,
    });
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn matcher(input: &Input) -> Result<RegexMatcher, Outcome> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).case_insensitive(input.any_case);
    if input.multiline {
        builder.dot_matches_new_line(true);
    } else {
        // lets the searcher skip large parts of a file without looking at lines
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&input.pattern).map_err(|error| {
        let mut message = format!("The pattern is not a regular expression that can be searched for: {error}");
        if !input.multiline && input.pattern.contains("\\n") {
            message.push_str("\nTo search across lines set multiline to true.");
        }
        Outcome::refused(message)
    })
}

fn searcher(input: &Input) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder
        .line_number(input.output_mode == Mode::Content)
        .multi_line(input.multiline)
        .heap_limit(Some(if input.multiline { MAX_MULTILINE_FILE } else { MAX_LINE }))
        .binary_detection(BinaryDetection::quit(0));
    if input.has_context() {
        builder.before_context(input.before()).after_context(input.after());
    }
    builder.build()
}

/// Splits several patterns separated by spaces or commas; commas inside braces do not separate.
fn globs(text: &str) -> Vec<String> {
    text.split_whitespace()
        .flat_map(|word| match word.contains('{') {
            true => vec![word],
            false => word.split(',').filter(|part| !part.is_empty()).collect(),
        })
        .map(str::to_owned)
        .collect()
}

/// State of one search thread.
struct Looking<'a> {
    input: &'a Input,
    cx: &'a Context,
    /// Names of the files below the roots; collected on first use.
    names: &'a OnceLock<Names>,
    root: &'a Root,
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    patience: &'a Patience,
    found: &'a Mutex<Found>,
}

impl Visit for Looking<'_> {
    fn file(&mut self, file: FileAt<'_>) {
        let path = file.path;
        let Ok(file) = self.open(&file) else { return };
        if self.is_foreign(&file) {
            return self.note(Found::left_out);
        }
        let mut source = Source {
            file,
            patience: self.patience,
            at_start: true,
            binary: false,
        };
        // a read error ends the search of a file; earlier matches count
        if self.input.output_mode == Mode::FilesWithMatches {
            let mut any = Any::default();
            self.searcher.search_reader(self.matcher, &mut source, &mut any).ok();
            if any.found {
                let changed = source.file.metadata().and_then(|metadata| metadata.modified());
                let shown = self.root.shown(path);
                self.note(|found| found.file(shown, changed.unwrap_or(SystemTime::UNIX_EPOCH)));
            }
            return;
        }
        let mut lines = Lines::new(self.input, self.matcher);
        self.searcher.search_reader(self.matcher, &mut source, &mut lines).ok();
        let hits: Hits = lines.hits;
        if !source.binary && !lines.binary && hits.matches > 0 {
            let shown = self.root.shown(path);
            self.note(|found| found.hits(shown, hits));
        }
    }
}

impl Looking<'_> {
    /// Opens a file; refuses a symlink or pipe that took its place.
    fn open(&self, file: &FileAt<'_>) -> io::Result<File> {
        match file.at {
            Some((folder, name)) => {
                let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                Ok(File::from(rustix::fs::openat(
                    folder,
                    name,
                    flags,
                    rustix::fs::Mode::empty(),
                )?))
            }
            None => self.root.open(),
        }
    }

    /// True if a file also has a name outside of the roots, so that its content may be from there.
    fn is_foreign(&self, file: &File) -> bool {
        let shared = |metadata: &Metadata| metadata.is_file() && metadata.nlink() > 1;
        !self.cx.takes_shared
            && self.root.is_dir()
            && file.metadata().ok().filter(shared).is_some_and(|metadata| {
                let names = self.names.get_or_init(|| Names::below(&self.cx.roots));
                !names.hold_all_of(&metadata)
            })
    }

    fn note(&self, add: impl FnOnce(&mut Found)) {
        add(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A searched file; reading stops when it turns out to be binary or the search is cancelled.
struct Source<'a> {
    file: File,
    patience: &'a Patience,
    at_start: bool,
    binary: bool,
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.patience.is_over() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let count = self.file.read(buffer)?;
        if std::mem::take(&mut self.at_start) {
            self.binary = text::is_binary(buffer.get(..count).unwrap_or_default());
        }
        Ok(if self.binary { 0 } else { count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_globs_stand_in_one_text() {
        assert_eq!(globs("*.rs *.{ts,tsx}"), ["*.rs", "*.{ts,tsx}"]);
        assert_eq!(globs("*.rs,!a.rs"), ["*.rs", "!a.rs"]);
        assert!(globs("").is_empty());
    }

    #[test]
    fn the_side_that_is_named_counts_more_than_both() {
        let input = Input {
            before: Some(1),
            around: Some(3),
            context: Some(5),
            ..Input::default()
        };
        assert_eq!((input.before(), input.after()), (1, 3));
    }
}
