//! Options whose value a program passes to a shell, or reads further options from, in programs that otherwise run
//! nothing else.

use super::Word;
use super::builtins::listed;
use super::wrappers::{base, stem_of};

/// Programs with such options, by the shortest beginning that they accept; one dash and a letter: also among others and
/// glued.
const ORDERS: &[(&str, &str)] = &[
    ("tar", "--to-c --checkpoint- --use --rs --rm --inf --new -I -F"),
    ("bsdtar", "--use -I"),
    ("cpio", "--rs"),
    ("zip", "-T --unz --tes"),
    ("rsync", "-e --rs"),
    ("scp", "-o -S -F -D"),
    ("sftp", "-o -S -F -D -b"),
    ("split", "--f"),
    ("man", "-P -H -C --pag --ht --conf --pr"),
    ("less", "+ -k --lesskey -t -T"),
    ("more", "+"),
    ("xterm urxvt", "-e"),
    ("sqlite", ". -cmd -init -A"),
    ("npx npm", "-c --cal"),
    ("wget", "-e --exec --use-a --config"),
    ("nano", "-s --sp"),
    ("gpg", "--ph --ex --op"),
    ("dpkg", "--pre --post --status-l"),
    ("pip", "--ed"),
    ("prove", "-e --ex"),
    ("gcc cc g++ c++ cpp", "-wrapper -fplugin -specs"),
    ("clang", "-fplugin"),
    ("apt apt-get", "-o --opt -c --conf"),
];

/// The same for all verbs of git.
const GIT: &str = "--upload-pack --receive-pack --exec --exec-path --open-files-in-pager --extcmd --config --config-env \
    --sendmail-cmd --smtp-server --template --ext-diff";

/// The verb of a git and what follows it; global options stand before it.
#[must_use]
pub fn git_verb(arguments: &[Word]) -> Option<(&str, &[Word])> {
    let mut rest = arguments;
    loop {
        let (first, behind) = rest.split_first()?;
        let text = first.text.as_deref()?;
        rest = match text {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => behind.get(1..)?,
            _ if text.starts_with('-') => behind,
            _ => return Some((text, behind)),
        };
    }
}

/// Whether one of these words is such an option.
#[must_use]
pub fn gives_orders(words: &[Word]) -> bool {
    let Some((first, arguments)) = words.split_first() else {
        return false;
    };
    let name = base(first.text.as_deref().unwrap_or_default());
    let stem = stem_of(name);
    let texts = || arguments.iter().filter_map(|word| word.text.as_deref());
    if stem == "git" {
        let (verb, behind) = git_verb(arguments).unwrap_or(("", &[]));
        let short = |wanted: &[char]| {
            let texts = behind.iter().filter_map(|word| word.text.as_deref()?.strip_prefix('-'));
            texts
                .into_iter()
                .any(|letters| !letters.starts_with('-') && letters.contains(wanted))
        };
        let opens = verb == "grep" && short(&['O']);
        let clones = verb == "clone" && short(&['u', 'c']);
        // As short as they may be written, with or without a value.
        let begins = |text: &str| {
            let name = text.split('=').next().unwrap_or(text);
            let shortened = name.len() > 2 && GIT.split(' ').any(|option| option.starts_with(name));
            shortened || text.starts_with("--smtp-server") || text.contains("ext::")
        };
        return opens || clones || texts().any(begins);
    }
    // It runs an editor, loads a library and writes files by functions.
    let calls = |text: &str| {
        ["edit(", "load_extension", "writefile("]
            .iter()
            .any(|one| text.contains(one))
    };
    if stem == "sqlite" && texts().any(calls) {
        return true;
    }
    let Some((_, options)) = ORDERS
        .iter()
        .find(|(known, _)| listed(known, stem) || listed(known, name))
    else {
        return false;
    };
    // `tar cIf x`: its first word needs no dash.
    let bundle = name == "tar"
        && texts()
            .next()
            .is_some_and(|text| !text.starts_with('-') && text.contains(['I', 'F']));
    bundle
        || texts().any(|text| {
            options.split(' ').any(|option| match option.strip_prefix('-') {
                Some(letter) if letter.len() == 1 => {
                    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
                }
                _ => text.starts_with(option),
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> bool {
        let words: Vec<Word> = line.split(' ').map(Word::plain).collect();
        gives_orders(&words)
    }

    #[test]
    fn options_are_found_short_glued_and_among_others() {
        for line in [
            "tar -cf x --to-com=y",
            "tar cIf y x",
            "tar -xvIy -f x",
            "tar --checkpoint-act=exec=x",
            "zip -TT x y",
            "rsync -ave x y",
            "split --filter=x y",
            "sqlite3 db .shell",
            "git fetch --upload-pack=x",
            "git clone -u x y",
            "git fetch ext::x",
            "man --pager=x ls",
            "less +!x y",
        ] {
            assert!(given(line), "{line}");
        }
        for line in [
            "tar -czf x y",
            "tar xf x",
            "rsync -av x y",
            "git push -u origin x",
            "sqlite3 db",
            "zip -r x y",
        ] {
            assert!(!given(line), "{line}");
        }
    }
}
