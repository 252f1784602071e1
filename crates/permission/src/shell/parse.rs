//! From text to simple commands.
//!
//! Every `match` on the tree names every kind, so that a kind nobody thought of does not compile
//! rather than pass.

mod expansions;

use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Assignment as Assign, AssignmentName, AssignmentValue, Command,
    CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, IoFileRedirectKind, IoFileRedirectTarget,
    IoRedirect, Pipeline, Program, RedirectList, SeparatorOperator, SimpleCommand, SubshellCommand, Word as Written,
};
use brush_parser::{Parser, ParserOptions};

use super::{Analysis, Assignment, Chain, Direction, Problem, Redirect, Simple, Word};
use super::{caps, shape};

/// How many ways to have changed directory are kept apart.
const MOST_CHAINS: usize = 4;
/// How long one such way may be.
const MOST_CHANGES: usize = 8;

fn options() -> ParserOptions {
    ParserOptions {
        // Off in a script until `shopt` turns it on, and `shopt` is never proven.
        enable_extended_globbing: false,
        ..ParserOptions::default()
    }
}

/// Takes `text` apart; `depth` counts how many substitutions and shells it stands in.
pub(crate) fn analyse(text: &str, depth: usize) -> Analysis {
    let mut analysis = Analysis::default();
    if let Some(problem) = caps::check(text).or_else(|| shape::check(text)) {
        analysis.note(problem);
        return analysis;
    }
    if depth > caps::MOST_SHELLS {
        analysis.note(Problem::TooDeep);
        return analysis;
    }
    let Some(program) = tree(text) else {
        analysis.note(Problem::Unparsable);
        return analysis;
    };
    analysis.parsed = true;
    let start: Chain = Rc::from([]);
    let mut walk = Walk {
        analysis,
        chains: Rc::from([start]),
        depth,
        nested: depth > 0,
        piped: false,
        moved: false,
        adrift: false,
    };
    for list in &program.complete_commands {
        walk.list(list);
    }
    walk.analysis
}

/// The tree of a line that is closed in itself.
fn tree(text: &str) -> Option<Program> {
    // Where panics unwind, one more net: a parser that gives up has read nothing.
    let parse = || Parser::new(text.as_bytes(), &options()).parse_program().ok();
    std::panic::catch_unwind(parse).ok().flatten()
}

struct Walk {
    analysis: Analysis,
    chains: Rc<[Chain]>,
    depth: usize,
    nested: bool,
    piped: bool,
    /// Whether a `cd` was seen since this was last cleared.
    moved: bool,
    /// Whether following the directory was given up.
    adrift: bool,
}

impl Walk {
    fn note(&mut self, problem: Problem) {
        self.analysis.note(problem);
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            match item.1 {
                SeparatorOperator::Sequence => self.and_or(&item.0),
                SeparatorOperator::Async => self.apart(|walk| walk.and_or(&item.0)),
            }
        }
    }

    /// Runs `inside` as a subshell: where it goes to, we do not.
    fn apart(&mut self, inside: impl FnOnce(&mut Self)) {
        let chains = Rc::clone(&self.chains);
        inside(self);
        self.chains = chains;
    }

    fn and_or(&mut self, list: &AndOrList) {
        let mut failed: Vec<Chain> = Vec::new();
        self.step(&list.first, &mut failed);
        for next in &list.additional {
            match next {
                AndOr::And(pipeline) => self.step(pipeline, &mut failed),
                AndOr::Or(pipeline) => {
                    self.also(&failed);
                    self.step(pipeline, &mut failed);
                }
            }
        }
        self.also(&failed);
    }

    /// One member of an and-or list. What follows by `&&` runs only where a `cd` led to; what
    /// follows otherwise may still be where it was.
    fn step(&mut self, pipeline: &Pipeline, failed: &mut Vec<Chain>) {
        let before = Rc::clone(&self.chains);
        self.pipeline(pipeline);
        if !Rc::ptr_eq(&before, &self.chains) {
            if pipeline.bang {
                self.also(&before);
            }
            failed.extend(before.iter().cloned());
        }
    }

    fn also(&mut self, chains: &[Chain]) {
        let fresh: Vec<Chain> = chains
            .iter()
            .filter(|chain| !self.chains.contains(chain))
            .cloned()
            .collect();
        if fresh.is_empty() {
            return;
        }
        let mut all: Vec<Chain> = self.chains.to_vec();
        for chain in fresh {
            if !all.contains(&chain) {
                all.push(chain);
            }
        }
        self.keep(all);
    }

    fn keep(&mut self, mut chains: Vec<Chain>) {
        if chains.len() > MOST_CHAINS || chains.iter().any(|chain| chain.len() > MOST_CHANGES) {
            // From here on nothing is proven, so following it further would only cost time.
            self.note(Problem::UnknownDirectory);
            self.adrift = true;
        }
        if self.adrift {
            chains.truncate(1);
        }
        self.chains = Rc::from(chains);
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let outer = self.piped;
        match pipeline.seq.as_slice() {
            [only] => self.command(only),
            several => {
                for (at, command) in several.iter().enumerate() {
                    self.piped = outer || at > 0;
                    self.apart(|walk| walk.command(command));
                }
            }
        }
        self.piped = outer;
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.redirect_list(redirects.as_ref());
                self.compound(compound);
            }
            Command::Function(function) => {
                self.note(Problem::Function);
                self.word(&function.fname);
                self.redirect_list(function.body.1.as_ref());
                self.apart(|walk| walk.compound(&function.body.0));
            }
            Command::ExtendedTest(test, redirects) => {
                self.redirect_list(redirects.as_ref());
                self.test(&test.expr);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.arithmetic(&arithmetic.expr.value),
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater]
                    .into_iter()
                    .flatten()
                {
                    self.arithmetic(&part.value);
                }
                self.looped(&clause.body.list, None);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.subshell(subshell),
            CompoundCommand::ForClause(clause) => {
                for value in clause.values.iter().flatten() {
                    self.word(value);
                }
                if !loop_variable(&clause.variable_name) {
                    self.note(Problem::Assignment(clause.variable_name.clone()));
                }
                self.looped(&clause.body.list, None);
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value);
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.word(pattern);
                    }
                    if let Some(list) = &case.cmd {
                        self.branch(list);
                    }
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                self.branch(&clause.then);
                for otherwise in clause.elses.iter().flatten() {
                    if let Some(condition) = &otherwise.condition {
                        self.branch(condition);
                    }
                    self.branch(&otherwise.body);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.looped(&clause.1.list, Some(&clause.0));
            }
            CompoundCommand::Coprocess(coprocess) => {
                self.note(Problem::Coprocess);
                if let Some(name) = &coprocess.name {
                    self.word(name);
                }
                self.apart(|walk| walk.command(&coprocess.body));
            }
        }
    }

    /// A list that may run or not.
    fn branch(&mut self, list: &CompoundList) {
        let before = Rc::clone(&self.chains);
        self.list(list);
        self.also(&before);
    }

    /// A list that may run many times: a `cd` in it moves the next round as well.
    fn looped(&mut self, list: &CompoundList, condition: Option<&CompoundList>) {
        let moved = std::mem::replace(&mut self.moved, false);
        if let Some(condition) = condition {
            self.branch(condition);
        }
        self.branch(list);
        if self.moved {
            self.note(Problem::UnknownDirectory);
        }
        self.moved |= moved;
    }

    fn subshell(&mut self, subshell: &SubshellCommand) {
        self.apart(|walk| walk.list(&subshell.list));
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut found = Simple {
            assignments: Vec::new(),
            words: Vec::new(),
            redirects: Vec::new(),
            chains: Rc::clone(&self.chains),
            nested: self.nested,
            piped: self.piped,
        };
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut found, true);
        }
        if let Some(name) = &simple.word_or_name {
            let word = self.word(name);
            if word.literal().is_none() {
                self.note(Problem::UnknownProgram);
            }
            found.words.push(word);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut found, false);
        }
        self.check_assignments(&found);
        self.change_directory(&found);
        if !self.nested {
            self.analysis.top += 1;
        }
        self.analysis.commands.push(found);
    }

    fn check_assignments(&mut self, found: &Simple) {
        for assignment in &found.assignments {
            // A bare assignment lasts for the rest of the line and may change its meaning.
            let kept = found.words.is_empty();
            if kept || !assignment.literal {
                self.note(Problem::Assignment(assignment.name.clone()));
            }
        }
    }

    fn change_directory(&mut self, found: &Simple) {
        let words = super::wrappers::transparent(&found.words);
        let Some(name) = words.first().and_then(Word::literal) else {
            return;
        };
        match name {
            "cd" if self.adrift => {}
            "cd" => {
                self.moved = true;
                let target = match words.get(1..) {
                    Some([]) => Some(Word {
                        tilde: true,
                        ..Word::plain("~")
                    }),
                    Some([to]) => Some(to.clone()),
                    Some([dashes, to]) if dashes.literal() == Some("--") => Some(to.clone()),
                    _ => None,
                };
                let known = target
                    .filter(|to| to.text.as_deref().is_some_and(|text| !text.starts_with('-')))
                    .filter(|to| !to.glob);
                let Some(target) = known else {
                    return self.note(Problem::UnknownDirectory);
                };
                let moved = self
                    .chains
                    .iter()
                    .map(|chain| {
                        let mut steps = chain.to_vec();
                        steps.push(target.clone());
                        Chain::from(steps)
                    })
                    .collect();
                self.keep(moved);
            }
            "pushd" | "popd" | "dirs" => {
                self.moved = true;
                self.note(Problem::UnknownDirectory);
            }
            _ => {}
        }
    }

    fn item(&mut self, item: &Item, found: &mut Simple, prefix: bool) {
        match item {
            Item::IoRedirect(redirect) => {
                if let Some(redirect) = self.redirect(redirect) {
                    found.redirects.push(redirect);
                }
            }
            Item::Word(written) => {
                let word = self.word(written);
                found.words.push(word);
            }
            Item::AssignmentWord(assignment, written) => {
                if prefix {
                    let mut assignment = self.assignment(assignment);
                    assignment.raw.clone_from(&written.value);
                    found.assignments.push(assignment);
                } else {
                    // `declare x=1` and `dd of=x`: an argument like any other, but its value may
                    // hold an array or a subscript.
                    self.assignment(assignment);
                    let word = self.word(written);
                    found.words.push(word);
                }
            }
            Item::ProcessSubstitution(_, subshell) => {
                self.note(Problem::Nested);
                found.words.push(dynamic("<()"));
                self.inner(|walk| walk.subshell(subshell));
            }
        }
    }

    /// Runs `inside` marked as nested.
    fn inner(&mut self, inside: impl FnOnce(&mut Self)) {
        let nested = std::mem::replace(&mut self.nested, true);
        inside(self);
        self.nested = nested;
    }

    fn assignment(&mut self, assignment: &Assign) -> Assignment {
        let (name, plain) = match &assignment.name {
            AssignmentName::VariableName(name) => (name.clone(), true),
            AssignmentName::ArrayElementName(name, index) => {
                // Subscripts are evaluated, quotes or not.
                self.arithmetic(index);
                (name.clone(), false)
            }
        };
        let literal = match &assignment.value {
            AssignmentValue::Scalar(value) => self.word(value).text.is_some(),
            AssignmentValue::Array(values) => {
                for (index, value) in values {
                    if let Some(index) = index {
                        self.arithmetic(&index.value);
                    }
                    self.word(value);
                }
                false
            }
        };
        Assignment {
            name,
            literal: literal && plain && !assignment.append,
            raw: String::new(),
        }
    }

    fn redirect_list(&mut self, list: Option<&RedirectList>) {
        let redirects: Vec<Redirect> = list
            .into_iter()
            .flat_map(|list| &list.0)
            .filter_map(|redirect| self.redirect(redirect))
            .collect();
        if redirects.is_empty() {
            return;
        }
        // Held as a command without words, so that its effects are looked at like any other.
        self.analysis.commands.push(Simple {
            assignments: Vec::new(),
            words: Vec::new(),
            redirects,
            chains: Rc::clone(&self.chains),
            nested: self.nested,
            piped: self.piped,
        });
        if !self.nested {
            self.analysis.top += 1;
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect) -> Option<Redirect> {
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let direction = match kind {
                    IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput => Direction::Read,
                    IoFileRedirectKind::Write
                    | IoFileRedirectKind::Append
                    | IoFileRedirectKind::Clobber
                    | IoFileRedirectKind::DuplicateOutput => Direction::Write,
                    IoFileRedirectKind::ReadAndWrite => Direction::Both,
                };
                match target {
                    IoFileRedirectTarget::Fd(_) => None,
                    IoFileRedirectTarget::Filename(word) => Some(self.target(direction, word)),
                    IoFileRedirectTarget::Duplicate(word) => {
                        let descriptor = word.value.trim_end_matches('-');
                        if descriptor.chars().all(|c| c.is_ascii_digit()) {
                            return None;
                        }
                        Some(self.target(direction, word))
                    }
                    IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                        self.note(Problem::Nested);
                        self.inner(|walk| walk.subshell(subshell));
                        None
                    }
                }
            }
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion && document.doc.value.contains(['$', '`']) {
                    self.here_document(&document.doc.value);
                }
                None
            }
            IoRedirect::HereString(_, word) => {
                self.word(word);
                None
            }
            IoRedirect::OutputAndError(word, _) => Some(self.target(Direction::Write, word)),
        }
    }

    fn target(&mut self, direction: Direction, written: &Written) -> Redirect {
        let target = self.word(written);
        let network = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
        if target.text.as_deref().is_some_and(network) {
            self.note(Problem::Network);
        }
        if target.glob {
            self.note(Problem::Variable);
        }
        Redirect { direction, target }
    }
}

fn dynamic(raw: &str) -> Word {
    Word {
        raw: raw.to_owned(),
        text: None,
        glob: false,
        tilde: false,
        quoted: false,
    }
}

/// Variables that only change how output looks or which tests run, whatever their value.
pub(crate) fn harmless_variable(name: &str) -> bool {
    const KNOWN: &[&str] = &[
        "CI",
        "COLUMNS",
        "LINES",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LC_COLLATE",
        "LC_MESSAGES",
        "LC_NUMERIC",
        "LC_TIME",
        "TZ",
        "TERM",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLORTERM",
        "RUST_LOG",
        "RUST_BACKTRACE",
        "RUST_TEST_THREADS",
        "CARGO_TERM_COLOR",
        "CARGO_INCREMENTAL",
        "NODE_ENV",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "GOOS",
        "GOARCH",
        "CGO_ENABLED",
        "RAILS_ENV",
        "RACK_ENV",
        "GIT_TERMINAL_PROMPT",
    ];
    KNOWN.contains(&name)
}

/// A loop's own variable: no program looks at a lower-case name without an underscore.
fn loop_variable(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) && name != "histchars"
}
