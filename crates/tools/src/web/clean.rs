//! Sanitizes HTML before it is parsed into a tree.
//!
//! Malicious markup can make a standard parser build a tree that is very deep or much larger than its source, and
//! walking it would crash the process. The output is balanced, shallow and contains only elements that matter in
//! Markdown: no scripts, styles or drawings. Links are absolute.

use reqwest::Url;

/// Maximum nesting depth of elements.
const MAX_DEPTH: usize = 200;
/// Maximum nesting depth of lists, quotations and tables, whose lines are indented once per level.
const MAX_INDENTED: usize = 12;
/// Maximum number of open inline elements.
const MAX_INLINE: usize = 6;
/// Maximum size of the output in bytes.
const MAX_OUTPUT: usize = 4 << 20;

/// How an element is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Kept; ends a paragraph.
    Block(&'static str),
    /// Kept.
    Inline(&'static str),
    /// Kept; has no end tag.
    Void(&'static str),
    /// Removed with its content, which is raw text.
    RawGone,
    /// Removed with its content.
    Gone,
    /// Its text is kept as a paragraph.
    Title,
    /// Removed; its content is kept.
    Transparent,
}

fn kind(name: &str) -> Kind {
    match name {
        "h1" => Kind::Block("h1"),
        "h2" => Kind::Block("h2"),
        "h3" => Kind::Block("h3"),
        "h4" => Kind::Block("h4"),
        "h5" => Kind::Block("h5"),
        "h6" => Kind::Block("h6"),
        "p" => Kind::Block("p"),
        "ul" | "menu" => Kind::Block("ul"),
        "ol" => Kind::Block("ol"),
        "li" => Kind::Block("li"),
        "blockquote" => Kind::Block("blockquote"),
        "pre" | "listing" => Kind::Block("pre"),
        "table" => Kind::Block("table"),
        "tr" => Kind::Block("tr"),
        "td" => Kind::Block("td"),
        "th" => Kind::Block("th"),
        "div" | "section" | "article" | "main" | "header" | "footer" | "nav" | "aside" | "figure" | "figcaption"
        | "address" | "details" | "summary" | "form" | "fieldset" | "dl" | "dt" | "dd" | "center" | "body" => {
            Kind::Block("div")
        }
        "a" => Kind::Inline("a"),
        "b" | "strong" => Kind::Inline("strong"),
        "i" | "em" => Kind::Inline("em"),
        "code" | "kbd" | "samp" | "tt" => Kind::Inline("code"),
        "br" => Kind::Void("br"),
        "hr" => Kind::Void("hr"),
        "img" => Kind::Void("img"),
        "script" | "style" | "textarea" | "iframe" | "noembed" | "noframes" | "xmp" => Kind::RawGone,
        "svg" | "math" | "template" | "select" | "object" | "canvas" | "audio" | "video" => Kind::Gone,
        "title" => Kind::Title,
        _ => Kind::Transparent,
    }
}

/// Sanitizes a page; links are resolved against `base`.
pub(super) fn clean(html: &str, base: &Url) -> String {
    let mut cleaner = Cleaner {
        rest: html,
        out: String::with_capacity(html.len().min(MAX_OUTPUT) / 2),
        open: Vec::new(),
        base,
    };
    while !cleaner.rest.is_empty() && cleaner.out.len() < MAX_OUTPUT {
        cleaner.step();
    }
    cleaner.close_down_to(0);
    cleaner.out
}

struct Cleaner<'a> {
    rest: &'a str,
    out: String,
    /// Open elements in the output, outermost first.
    open: Vec<&'static str>,
    base: &'a Url,
}

impl<'a> Cleaner<'a> {
    /// Processes the next text or tag.
    fn step(&mut self) {
        let at = self.rest.find('<').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(at);
        self.out.push_str(text);
        self.rest = rest;
        let Some(tag) = rest.strip_prefix('<') else {
            return;
        };
        if let Some(comment) = tag.strip_prefix("!--") {
            self.rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
        } else if tag.starts_with(['!', '?']) {
            self.rest = tag.split_once('>').map_or("", |(_, rest)| rest);
        } else if let Some(end) = tag.strip_prefix('/') {
            let (name, rest) = name(end);
            self.rest = rest.split_once('>').map_or("", |(_, rest)| rest);
            self.end(&name);
        } else if tag.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            self.start(tag);
        } else {
            self.out.push_str("&lt;");
            self.rest = tag;
        }
    }

    fn start(&mut self, tag: &'a str) {
        let (name, rest) = name(tag);
        let (attributes, rest) = attributes(rest);
        self.rest = rest;
        let find = |wanted: &str| {
            attributes
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| *value)
        };
        let ends_itself = find("/").is_some();
        match kind(&name) {
            Kind::Transparent => {}
            Kind::RawGone => {
                self.rest = after_raw(self.rest, &name).1;
            }
            Kind::Title => {
                let (title, rest) = after_raw(self.rest, &name);
                self.rest = rest;
                let title = title.replace('<', "&lt;");
                self.out.push_str(&format!("<p>{}</p>", title.trim()));
            }
            Kind::Gone if ends_itself => {}
            Kind::Gone => self.rest = after_element(self.rest, &name),
            Kind::Void("img") => self.image(find("src"), find("alt")),
            Kind::Void(name) => self.out.push_str(&format!("<{name}>")),
            Kind::Inline(name) => self.open_inline(name, find("href")),
            Kind::Block(name) => self.open_block(name),
        }
    }

    fn image(&mut self, src: Option<&str>, alt: Option<&str>) {
        // an image without description is useless in text
        if let (Some(src), Some(alt)) = (src.and_then(|src| self.absolute(src)), alt)
            && !alt.trim().is_empty()
        {
            self.out
                .push_str(&format!("<img src=\"{src}\" alt=\"{}\">", quoted(alt)));
        }
    }

    fn open_inline(&mut self, name: &'static str, href: Option<&str>) {
        // inline elements cannot contain themselves
        if self.open.contains(&name) {
            if name != "a" {
                return;
            }
            self.close(name);
        }
        let inline = self.open.iter().filter(|open| is_inline(open)).count();
        if inline >= MAX_INLINE || self.open.len() >= MAX_DEPTH {
            return;
        }
        let href = (name == "a").then(|| href.and_then(|href| self.absolute(href)));
        match href {
            Some(None) => {}
            Some(Some(href)) => {
                self.out.push_str(&format!("<a href=\"{href}\">"));
                self.open.push(name);
            }
            None => {
                self.out.push_str(&format!("<{name}>"));
                self.open.push(name);
            }
        }
    }

    fn open_block(&mut self, name: &'static str) {
        // closes elements that a parser would close implicitly, so that both agree on what is open
        let (ended, bounds): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol", "blockquote", "td", "th", "table"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tr" => (&["tr", "td", "th"], &["table"]),
            _ => (&[], &[]),
        };
        let outermost = self
            .open
            .iter()
            .enumerate()
            .rev()
            .take_while(|(_, open)| !bounds.contains(open))
            .filter(|(_, open)| ended.contains(open))
            .last();
        if let Some((at, _)) = outermost {
            self.close_down_to(at);
        }
        let inline = self.open.iter().rev().take_while(|open| is_inline(open)).count();
        let under = self.open.len() - inline;
        if under > 0 && self.open.get(under - 1) == Some(&"p") {
            self.close_down_to(under - 1);
        }
        if is_heading(name) && self.open.last().is_some_and(|open| is_heading(open)) {
            self.close_down_to(self.open.len() - 1);
        }
        let indents = |name: &str| matches!(name, "ul" | "ol" | "blockquote" | "table");
        let indented = self.open.iter().filter(|open| indents(open)).count();
        if self.open.len() < MAX_DEPTH && !(indents(name) && indented >= MAX_INDENTED) {
            self.out.push_str(&format!("<{name}>"));
            self.open.push(name);
        }
    }

    fn end(&mut self, name: &str) {
        match kind(name) {
            Kind::Block(name) | Kind::Inline(name) => self.close(name),
            _ => {}
        }
    }

    /// Closes the innermost element of this name with its content; an end tag without a start tag is ignored. Inline
    /// elements end with their block, and only tables reach beyond a cell.
    fn close(&mut self, name: &str) {
        let at = self
            .open
            .iter()
            .rev()
            .take_while(|open| {
                if is_inline(name) {
                    is_inline(open)
                } else {
                    is_tabular(name) || !is_tabular(open)
                }
            })
            .position(|open| *open == name);
        if let Some(at) = at {
            self.close_down_to((self.open.len() - 1).saturating_sub(at));
        }
    }

    fn close_down_to(&mut self, length: usize) {
        while self.open.len() > length {
            if let Some(name) = self.open.pop() {
                self.out.push_str(&format!("</{name}>"));
            }
        }
    }

    /// Returns the absolute target of a link; `None` for links without a useful target.
    fn absolute(&self, href: &str) -> Option<String> {
        let href = href.trim().replace("&amp;", "&");
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        let url = self.base.join(&href).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then(|| quoted(&url.as_str().replace('&', "&amp;")))
    }
}

fn is_inline(name: &str) -> bool {
    matches!(name, "a" | "strong" | "em" | "code")
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

fn is_tabular(name: &str) -> bool {
    matches!(name, "table" | "tr" | "td" | "th")
}

/// Escapes an attribute value.
fn quoted(value: &str) -> String {
    value.replace('"', "&quot;").replace('<', "&lt;")
}

/// Splits off the tag name in lower case.
fn name(tag: &str) -> (String, &str) {
    let end = tag
        .find(|letter: char| letter.is_whitespace() || letter == '>' || letter == '/')
        .unwrap_or(tag.len());
    let (name, rest) = tag.split_at(end);
    (name.to_ascii_lowercase(), rest)
}

/// Parses the attributes of a tag and returns the text after it. A slash is ignored.
fn attributes(mut rest: &str) -> (Vec<(String, &str)>, &str) {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return (found, rest);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (found, after);
        }
        if let Some(after) = rest.strip_prefix('/') {
            found.push(("/".to_owned(), ""));
            rest = after;
            continue;
        }
        let end = rest
            .find(|letter: char| letter.is_whitespace() || matches!(letter, '=' | '>' | '/'))
            .unwrap_or(rest.len());
        // a lone equals sign counts as a name, so that parsing always advances
        let (name, after) = rest.split_at(end.max(rest.chars().next().map_or(0, char::len_utf8)));
        rest = after.trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = attribute_value(after.trim_start());
        }
        found.push((name.to_ascii_lowercase(), value));
    }
}

fn attribute_value(rest: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(after) = rest.strip_prefix(quote) {
            return after.split_once(quote).unwrap_or((after, ""));
        }
    }
    let end = rest
        .find(|letter: char| letter.is_whitespace() || letter == '>')
        .unwrap_or(rest.len());
    rest.split_at(end)
}

/// Returns the text up to the end tag of a raw text element, and the text after it.
fn after_raw<'a>(rest: &'a str, name: &str) -> (&'a str, &'a str) {
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find("</")) {
        let at = from + at;
        let tail = rest.get(at + 2..).unwrap_or_default();
        if tail.get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name)) {
            let after = tail.split_once('>').map_or("", |(_, after)| after);
            return (rest.get(..at).unwrap_or_default(), after);
        }
        from = at + 2;
    }
    (rest, "")
}

/// Returns the text after the end of an element that may contain elements of the same name.
fn after_element<'a>(mut rest: &'a str, wanted: &str) -> &'a str {
    let mut depth = 1u32;
    while let Some((_, tag)) = rest.split_once('<') {
        let (ends, tag) = match tag.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let (found, after) = name(tag);
        rest = after;
        if found != wanted {
            continue;
        }
        let (attributes, after) = attributes(after);
        rest = after;
        if ends {
            depth -= 1;
            if depth == 0 {
                return rest;
            }
        } else if !attributes.iter().any(|(name, _)| name == "/") {
            depth += 1;
        }
    }
    ""
}

#[cfg(test)]
#[path = "clean_tests.rs"]
mod tests;
