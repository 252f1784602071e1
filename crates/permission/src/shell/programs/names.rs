//! File names that a command prints and another command may be given.

use super::super::Word;
use super::super::wrappers::known_name;
use super::table;

/// What a command that only reads prints, where that is names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prints {
    /// Names of files beneath what it reads, each as it stands.
    Names,
    /// Names a repository's index holds.
    Index,
    /// Some of the lines it is given, as they are.
    Some,
}

/// What these words print; `None` where it may be anything, such as what is in a file.
#[must_use]
pub fn prints(words: &[Word]) -> Option<Prints> {
    let (first, arguments) = words.split_first()?;
    let has = |names: &[&str]| {
        arguments
            .iter()
            .any(|word| word.literal().is_some_and(|text| names.contains(&text)))
    };
    let only = |name: &str, known: &str| {
        let given = table::given(name, arguments)?;
        let listed = |name: &String| known.split(' ').any(|one| one == name);
        given.iter().all(listed).then_some(given)
    };
    match known_name(first)? {
        "find" => {
            let shows = |text: &str| text.starts_with("-exec") || matches!(text, "-printf" | "-ls");
            let shows = |word: &Word| word.literal().is_none_or(shows);
            let patterns = |word: &Word| word.glob && word.text.as_deref().is_some_and(|text| !text.starts_with('-'));
            let bad = arguments.iter().any(|word| !patterns(word) && shows(word));
            (!bad).then_some(Prints::Names)
        }
        "rg" => {
            const KNOWN: &str = "l files files-with-matches files-without-match g glob iglob t type T type-not i \
                ignore-case S smart-case s case-sensitive w word-regexp F fixed-strings e regexp hidden . u \
                unrestricted no-ignore no-ignore-vcs d max-depth sort sortr 0 null U multiline no-messages";
            let given = only("rg", KNOWN)?;
            let lists = |name: &String| {
                matches!(
                    name.as_str(),
                    "l" | "files" | "files-with-matches" | "files-without-match"
                )
            };
            given.iter().any(lists).then_some(Prints::Names)
        }
        name @ ("grep" | "egrep" | "fgrep") => {
            const LISTS: &str = "l files-with-matches L files-without-match r recursive i ignore-case E extended-regexp \
                F fixed-strings P perl-regexp w word-regexp x line-regexp e regexp include exclude exclude-dir s \
                no-messages Z null v invert-match I";
            const PASSES: &str = "i ignore-case E extended-regexp F fixed-strings P perl-regexp w word-regexp x \
                line-regexp e regexp v invert-match m max-count";
            if only(name, PASSES).is_some() {
                return Some(Prints::Some);
            }
            let given = only(name, LISTS)?;
            let lists =
                |name: &String| matches!(name.as_str(), "l" | "L" | "files-with-matches" | "files-without-match");
            given.iter().any(lists).then_some(Prints::Names)
        }
        "fd" | "fdfind" => Some(Prints::Names),
        "git" => {
            let (verb, arguments) = arguments.split_first()?;
            // Not `-o`, which lists what is not in the index, nor names in other commits.
            let known: &[&str] = match verb.literal()? {
                "ls-files" => &["-c", "--cached", "-m", "--modified", "-z", "--"],
                "diff" if has(&["--name-only"]) => &["--name-only", "-z"],
                _ => return None,
            };
            let files = verb.literal() == Some("ls-files");
            let plain = |word: &Word| match word.text.as_deref() {
                Some(text) => known.contains(&text) || (files && !text.starts_with('-')),
                None => false,
            };
            arguments.iter().all(plain).then_some(Prints::Index)
        }
        name @ "sort" => {
            only(
                name,
                "r reverse u unique n numeric-sort f ignore-case V version-sort k key t field-separator s",
            )?;
            Some(Prints::Some)
        }
        name @ "uniq" => only(name, "u unique d repeated i ignore-case").map(|_| Prints::Some),
        // Not `-c`: the beginning of a name is the name of something else.
        name @ ("head" | "tail") => only(name, "n lines q quiet").map(|_| Prints::Some),
        _ => None,
    }
}

/// Whether the output of these words contains no path with a pattern, for any input.
#[must_use]
pub fn prints_no_pattern(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).and_then(Word::literal);
    // Some print what they are given.
    let arguments = || words.iter().skip(1).map(|word| word.text.as_deref());
    if arguments().any(|text| text.is_none_or(|text| text.contains(['*', '?', '[']))) {
        return false;
    }
    match words.first().and_then(known_name) {
        Some("seq" | "pwd" | "nproc" | "wc" | "id" | "whoami" | "hostname" | "uname" | "arch" | "uptime") => true,
        // Names of one folder, no slash in them, and not where links lead.
        Some("ls") => arguments().flatten().all(|text| {
            let letters = text.strip_prefix('-').unwrap_or_default();
            !text.contains('/') && letters.chars().all(|c| "1aAtrSXU".contains(c))
        }),
        // No pattern is the name of a branch.
        Some("git") => matches!(text(1), Some("rev-parse" | "merge-base" | "symbolic-ref" | "describe")),
        _ => false,
    }
}

/// Whether these words print the id of a git object, the name they were given for it, or nothing.
#[must_use]
pub fn prints_id(words: &[Word]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    let Some(["git", verb, arguments @ ..]) = texts.as_deref() else {
        return false;
    };
    let (options, names): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|text| text.starts_with('-'));
    match *verb {
        // A name that it does not know it repeats, unless it is to verify that.
        "rev-parse" => {
            let verifies = options
                .iter()
                .any(|text| *text == "--verify" || text.starts_with("--short"));
            let known = |text: &&str| {
                let digits = text.strip_prefix("--short=");
                matches!(*text, "--verify" | "-q" | "--quiet" | "--short")
                    || digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            };
            let sign = |c: char| c.is_ascii_alphanumeric() || "_-.~@^{}".contains(c) || (verifies && c == '/');
            let one = |name: &str| name.chars().all(sign) && !name.starts_with('^') && !name.contains("..");
            options.iter().all(known) && matches!(names.as_slice(), [name] if one(name) && is_one(name))
        }
        // Not `--all`, which prints more than one.
        "merge-base" => options.iter().all(|text| *text == "--fork-point"),
        _ => false,
    }
}

/// Whether a revision is one: `x^@`, `x^!` and `x^-` are several.
fn is_one(revision: &str) -> bool {
    !["^@", "^!", "^-"].iter().any(|several| revision.contains(several))
}
