//! From text to simple commands.
//!
//! Every `match` on the tree names every kind, so that a new kind does not compile
//! rather than pass.

mod directories;
mod expansions;
mod redirects;
mod values;

use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, Pipeline, Program,
    SeparatorOperator, SimpleCommand, SubshellCommand,
};
use brush_parser::{Parser, ParserOptions};

use super::{Analysis, Assignment, Chain, Problem, Redirect, Simple, Values, Word};
use super::{builtins, caps, shape};

fn options() -> ParserOptions {
    ParserOptions {
        // Off in a script until `shopt` turns it on, and `shopt` is never proven.
        enable_extended_globbing: false,
        ..ParserOptions::default()
    }
}

/// Splits `text` into commands; `depth` is the number of shells around it.
pub(crate) fn analyse(text: &str, depth: usize) -> Analysis {
    read(text, depth, &Values::new(), &[], depth > 0)
}

/// The same where some values are known, and some variables never are.
fn read(text: &str, depth: usize, values: &Values, never: &[String], nested: bool) -> Analysis {
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
    let begin = |analysis: Analysis, never: Vec<String>| Walk {
        analysis,
        chains: Rc::from([Rc::from([]) as Chain]),
        depth,
        nested,
        inner: false,
        grouped: false,
        loops: 0,
        fed: None,
        piped: false,
        again: false,
        pipeline: 0,
        pipelines: 0,
        moved: false,
        adrift: false,
        pushed: Vec::new(),
        values: values.clone(),
        // A value that was known before counts as one assignment.
        assigned: values.keys().cloned().collect(),
        loose: false,
        never,
    };
    let mut walk = begin(analysis.clone(), never.to_vec());
    for list in &program.complete_commands {
        walk.list(list);
    }
    // A variable that is set in two places has no known value: the last assignment depends on what runs.
    let mut twice: Vec<String> = walk.assigned_twice();
    if walk.loose {
        twice.push(values::ANY.to_owned());
    }
    if !twice.is_empty() && never.is_empty() {
        walk = begin(analysis, twice);
        for list in &program.complete_commands {
            walk.list(list);
        }
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
    inner: bool,
    /// Inside a list that is a member of a pipeline.
    grouped: bool,
    /// The loops we are in.
    loops: usize,
    /// The commands whose output the list we are in reads.
    fed: Option<(usize, usize)>,
    piped: bool,
    again: bool,
    pipeline: usize,
    pipelines: usize,
    /// Whether a `cd` was seen since this was last cleared.
    moved: bool,
    /// Whether following the directory was given up.
    adrift: bool,
    /// The directories that `pushd` left, any of which `popd` may go to.
    pushed: Vec<Chain>,
    /// The variables with known values.
    values: Values,
    /// Every name that was set so far, as often as it was.
    assigned: Vec<String>,
    /// Whether something may set variables in a way that is not tracked.
    loose: bool,
    /// Names whose value is never known.
    never: Vec<String>,
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

    /// Runs `inside` as a subshell: where it goes to, we do not, and what it sets is gone.
    fn apart(&mut self, inside: impl FnOnce(&mut Self)) {
        let chains = Rc::clone(&self.chains);
        let values = self.values.clone();
        inside(self);
        self.chains = chains;
        self.values = values;
    }

    fn and_or(&mut self, list: &AndOrList) {
        let mut failed: Vec<Chain> = Vec::new();
        self.step(&list.first, &mut failed);
        let sure = self.values.clone();
        for next in &list.additional {
            match next {
                AndOr::And(pipeline) => self.step(pipeline, &mut failed),
                AndOr::Or(pipeline) => {
                    self.also(&failed);
                    self.doubt(&sure);
                    self.step(pipeline, &mut failed);
                }
            }
        }
        self.also(&failed);
        if !list.additional.is_empty() {
            self.doubt(&sure);
        }
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

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let outer = self.piped;
        let number = self.pipeline;
        if number == 0 {
            self.pipelines += 1;
            self.pipeline = self.pipelines;
        }
        match pipeline.seq.as_slice() {
            [only] => {
                // What a list holds is connected only if the list is.
                let compound = matches!(only, Command::Compound(..));
                if number == 0 && compound {
                    self.pipeline = 0;
                }
                self.command(only);
            }
            several => {
                let (grouped, fed) = (self.grouped, self.fed);
                let begun = self.analysis.commands.len();
                for (at, command) in several.iter().enumerate() {
                    self.piped = outer || at > 0;
                    self.grouped = grouped || !matches!(command, Command::Simple(_));
                    self.fed = (at > 0).then_some((begun, self.analysis.commands.len()));
                    self.apart(|walk| walk.command(command));
                }
                (self.grouped, self.fed) = (grouped, fed);
            }
        }
        self.piped = outer;
        self.pipeline = number;
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.redirect_list(redirects.as_ref());
                let fed = self.fed;
                if redirects.is_some() {
                    self.fed = None;
                }
                self.compound(compound);
                self.fed = fed;
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
                let mut values = Vec::new();
                for value in clause.values.iter().flatten() {
                    self.several(value, &mut values);
                }
                if !builtins::own_variable(&clause.variable_name) {
                    self.note(Problem::Assignment(clause.variable_name.clone()));
                }
                // Its patterns are matched even if no command uses the names.
                let matched = values.iter().filter(|value| value.glob || value.split);
                self.held(":", matched.cloned().collect());
                let values = clause.values.is_some().then_some(values);
                self.each(&clause.variable_name, values, &clause.body.list);
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

    fn subshell(&mut self, subshell: &SubshellCommand) {
        // `((` is arithmetic to bash wherever it can be, with other rules of quoting. Whether there is a blank between
        // them is not known here, and nested subshells are rare.
        let first = subshell.list.0.first().and_then(|item| item.0.first.seq.first());
        if matches!(first, Some(Command::Compound(CompoundCommand::Subshell(_), _))) {
            self.note(Problem::Unparsable);
        }
        self.apart(|walk| walk.list(&subshell.list));
    }

    /// A command at this place, without words.
    fn blank(&self) -> Simple {
        Simple {
            assignments: Vec::new(),
            words: Vec::new(),
            redirects: Vec::new(),
            chains: Rc::clone(&self.chains),
            nested: self.nested,
            inner: self.inner,
            level: 0,
            grouped: self.grouped,
            looped: self.loops > 0,
            piped: self.piped,
            again: self.again,
            pipeline: self.pipeline,
            inputs: Vec::new(),
            takes_descriptor: false,
            joins_errors: false,
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut found = self.blank();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut found, true);
        }
        if let Some(name) = &simple.word_or_name {
            self.several(name, &mut found.words);
            if found.words.first().is_none_or(|word| word.literal().is_none()) {
                self.note(Problem::UnknownProgram);
            }
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut found, false);
        }
        if found.waits() {
            self.analysis.note_soft(Problem::Waits);
        }
        self.check_assignments(&found);
        self.change_directory(&found);
        if builtins::may_assign(&found.words) {
            self.values.clear();
            self.loose = true;
        }
        let names = builtins::reads_into(&found.words);
        // One line of the input of the list, if the command has no other input and no part is cut off.
        let cuts = |one: &Assignment| one.value.as_ref().and_then(Word::literal) != Some("");
        let uncut = !found.assignments.iter().any(|one| one.name == "IFS" && cuts(one));
        let whole = names.len() == 1
            && found.redirects.is_empty()
            && found.inputs.is_empty()
            && !found.takes_descriptor
            && uncut;
        for name in names {
            let from = self.fed.filter(|_| whole);
            let line = from.map(|from| Word {
                piped: true,
                from: Some(from),
                ..Word::default()
            });
            self.set(&name, line);
        }
        if !self.nested && !self.inner && !self.again {
            self.analysis.top += 1;
        }
        self.analysis.commands.push(found);
    }

    /// Something bash does itself, held as the command that does the same, so that its effects are looked at.
    fn held(&mut self, name: &str, arguments: Vec<Word>) {
        if arguments.is_empty() {
            return;
        }
        let words = std::iter::once(Word::plain(name)).chain(arguments).collect();
        self.analysis.commands.push(Simple {
            words,
            grouped: true,
            again: true,
            ..self.blank()
        });
    }

    fn item(&mut self, item: &Item, found: &mut Simple, prefix: bool) {
        match item {
            Item::IoRedirect(redirect) => {
                let redirect = self.redirect(redirect, found);
                found.redirects.extend(redirect);
            }
            Item::Word(written) => self.several(written, &mut found.words),
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
            Item::ProcessSubstitution(kind, subshell) => {
                self.process(kind, subshell);
                found.words.push(Word {
                    raw: "<()".to_owned(),
                    ..Word::plain("/dev/fd/63")
                });
            }
        }
    }
}
