//! Detects the language of code from the info string of a fence, the name of a file, or the first line.

use syntect::parsing::SyntaxReference;

use super::grammar;
use super::rules::{self, Rules};

pub(super) enum Language {
    Lexer(&'static Rules),
    Grammar(&'static SyntaxReference),
    Unknown,
}

/// Finds a language by its name, the name or extension of a file, or the interpreter in the first line.
pub(super) fn find(lang: &str, text: &str) -> Language {
    // the info string of a fence may contain more than the language: `rust,ignore`, `js {1,3}`
    let word = lang.split([',', '{', ' ']).next().unwrap_or_default();
    let is_path = lang.contains(['/', '\\', '.']);
    let name = if is_path { lang } else { word };
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let lower = name.to_lowercase();
    if lower.is_empty() {
        return Language::Unknown;
    }
    let extension = lower.rsplit_once('.').map(|(_, extension)| extension);
    for name in [Some(lower.as_str()), extension].into_iter().flatten() {
        if let Some(rules) = rules::ALL.iter().find(|rules| rules.names.contains(&name)) {
            return Language::Lexer(rules);
        }
        if let Some(syntax) = grammar::find(alias(name)) {
            return Language::Grammar(syntax);
        }
    }
    // `Dockerfile.prod`, `Makefile.am`, `.env.local`
    let start = lower.trim_start_matches('.').split('.').next().unwrap_or_default();
    if matches!(start, "dockerfile" | "containerfile" | "makefile" | "env") {
        if let Some(rules) = rules::ALL.iter().find(|rules| rules.names.contains(&start)) {
            return Language::Lexer(rules);
        }
        if let Some(syntax) = grammar::find(start) {
            return Language::Grammar(syntax);
        }
    }
    by_program(text)
}

/// Maps common names of languages to the names in the grammars.
fn alias(name: &str) -> &str {
    match name {
        "vue" | "svelte" | "astro" | "html5" => "html",
        "plist" | "xsl" | "csproj" | "vcxproj" | "wsdl" => "xml",
        "mdx" | "markdown" | "mdc" => "md",
        "mk" | "gnumakefile" => "makefile",
        "patch" => "diff",
        "latex" => "tex",
        "elisp" | "emacs-lisp" | "scheme" | "racket" => "lisp",
        "objc" | "objective-c" => "m",
        "objcpp" | "objective-c++" => "mm",
        "golang" => "go",
        "jl" => "matlab",
        other => other,
    }
}

/// Detects the language from an interpreter line such as `#!/usr/bin/env python3`.
fn by_program(text: &str) -> Language {
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
        return Language::Unknown;
    };
    let program = line
        .split_whitespace()
        .filter_map(|word| word.rsplit('/').next())
        .find(|word| *word != "env" && !word.starts_with('-'))
        .unwrap_or_default();
    let program = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if let Some(rules) = rules::ALL.iter().find(|rules| rules.names.contains(&program)) {
        return Language::Lexer(rules);
    }
    grammar::find(alias(program)).map_or(Language::Unknown, Language::Grammar)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lang: &str, text: &str) -> String {
        match find(lang, text) {
            Language::Lexer(rules) => rules.names[0].to_owned(),
            Language::Grammar(syntax) => format!("grammar {}", syntax.name),
            Language::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn language_is_detected_from_fences_files_and_paths() {
        for (lang, expected) in [
            ("rust", "rust"),
            ("rust,ignore", "rust"),
            ("Rust", "rust"),
            ("src/main.rs", "rust"),
            ("C:\\src\\main.rs", "rust"),
            ("ts", "typescript"),
            ("App.tsx", "typescript"),
            ("js {1,3}", "javascript"),
            ("sh", "shell"),
            (".bashrc", "shell"),
            ("Dockerfile", "dockerfile"),
            ("deploy/Dockerfile.prod", "dockerfile"),
            ("Cargo.lock", "toml"),
            ("Cargo.toml", "toml"),
            (".env.local", "ini"),
            ("a.yml", "yaml"),
            ("README.md", "grammar Markdown"),
            ("Makefile", "grammar Makefile"),
            ("x.vue", "grammar HTML"),
            ("ruby", "grammar Ruby"),
            ("php", "grammar PHP"),
            ("lib.hs", "grammar Haskell"),
            ("", "unknown"),
            ("notes", "unknown"),
            ("a.unheardof", "unknown"),
        ] {
            assert_eq!(found(lang, ""), expected, "{lang}");
        }
    }

    #[test]
    fn language_is_detected_from_the_interpreter_line() {
        assert_eq!(found("run", "#!/usr/bin/env python3\n"), "python");
        assert_eq!(found("run", "#!/bin/bash -e\n"), "shell");
        assert_eq!(found("run", "#!/usr/bin/ruby2.7\n"), "grammar Ruby");
        assert_eq!(found("run", "echo\n"), "unknown");
    }
}
