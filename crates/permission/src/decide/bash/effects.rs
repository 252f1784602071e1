//! The files a command line reads and writes, checked against the path rules.

mod asked;
mod blocked;
mod removed;

use std::path::{Component, Path, PathBuf};

use super::super::{Access, path_rule, path_rules};
use super::allowed::Unread;
use super::trees;
use crate::matching::path::{covers, reaches_beneath};
use crate::path::{Located, Paths, normal};
use crate::policy::{Call, Policy};
use crate::protect;
use crate::rule::{Behavior, Rule};
use crate::shell::builtins::listed;
use crate::shell::effects::{Place, places};
use crate::shell::evaluators::{evaluating, working_folder};
use crate::shell::programs::{Doing, Reach, keeps_nothing, look_up};
use crate::shell::wrappers::{known_name, levels, transparent};
use crate::shell::{Analysis, Direction, Problem, Simple, Word};

/// A path a command may not touch.
#[derive(Debug, Clone)]
pub(super) struct Blocked {
    pub(super) path: PathBuf,
    pub(super) directory: PathBuf,
    pub(super) write: bool,
    /// Accepting edits would let it run.
    pub(super) accept_edits: bool,
    /// The rule that would let it run.
    pub(super) offer: Option<String>,
}

struct Touch {
    at: Located,
    reach: Reach,
    access: Access,
    /// Anything in that directory.
    pattern: bool,
    redirect: bool,
}

struct Command<'a> {
    simple: &'a Simple,
    doing: Option<Doing>,
    touches: Vec<Touch>,
    /// A path is not known.
    lost: bool,
    /// Arguments of an unknown program that could be paths.
    perhaps: Vec<Located>,
}

impl<'a> Command<'a> {
    fn new(simple: &'a Simple) -> Self {
        Self {
            simple,
            doing: None,
            touches: Vec::new(),
            lost: false,
            perhaps: Vec::new(),
        }
    }

    /// What its arguments touch in this way.
    fn named(&self, access: Access) -> impl Iterator<Item = &Touch> {
        let touches = self.touches.iter();
        touches.filter(move |touch| !touch.redirect && touch.access == access)
    }

    /// The paths it writes.
    fn writes(&self) -> impl Iterator<Item = &Touch> {
        self.touches.iter().filter(|touch| touch.access == Access::Write)
    }

    /// The words of the program that runs in the end.
    fn words(&self) -> &'a [Word] {
        transparent(&self.simple.words)
    }

    /// The name of that program, if the tables know it.
    fn name(&self) -> Option<&'a str> {
        self.words().first().and_then(known_name)
    }
}

/// The effects of every command of a line.
pub(super) struct Effects<'a> {
    policy: &'a Policy,
    cwd: &'a Path,
    paths: &'a dyn Paths,
    commands: Vec<Command<'a>>,
}

/// How many words of a carrier are tried as the beginning of what it carries.
const MOST_CARRIED: usize = 16;

/// How many names in a text are tried as paths.
const MOST_NAMED: usize = 64;

/// Verbs of git that copy or show what is in a repository.
fn exports(verb: &str) -> bool {
    listed(
        "archive bundle format-patch fast-export checkout-index daemon send-email log show diff diff-tree \
        diff-index diff-files whatchanged cat-file grep blame annotate range-diff stash worktree",
        verb,
    )
}

/// Files with the same content for every user.
const PUBLIC: &str = "/dev/stdin /dev/zero /dev/random /dev/urandom /etc/os-release /etc/debian_version /proc/cpuinfo \
    /proc/meminfo /proc/version /proc/loadavg /proc/uptime";

/// Characters by which a name outside quotes would become several words, or a pattern.
fn is_odd(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '?' | '[' | '\\')
}

impl<'a> Effects<'a> {
    pub(super) fn of(policy: &'a Policy, call: &'a Call<'a>, paths: &'a dyn Paths, analysis: &'a Analysis) -> Self {
        let mut effects = Self {
            policy,
            cwd: call.cwd,
            paths,
            commands: Vec::new(),
        };
        let guarded = effects.guarded();
        for simple in &analysis.commands {
            let mut command = effects.command(simple, guarded);
            command.lost |= effects.is_moved(&command);
            // Bash itself reads the names that a pattern matches, for any program.
            let known = command.doing.is_some();
            for word in simple.words.iter().filter(|word| word.glob && known) {
                effects.touch(&mut command, word, Access::Read, Reach::Names, false);
            }
            // What falls apart outside quotes may hold patterns as well, for names anywhere.
            command.lost |= simple.words.iter().any(|word| effects.scatters(simple, word));
            // A pattern may match a name that is an option; a name outside quotes may fall apart.
            let tame = command.doing.as_ref().is_some_and(|doing| doing.tame);
            command.lost |= simple
                .words
                .iter()
                .any(|word| word.glob && effects.surprises(simple, word, tame));
            effects.commands.push(command);
        }
        if guarded {
            effects.name_what_is_fed();
        }
        effects
    }

    /// An unknown program may take its input for names of files.
    fn name_what_is_fed(&mut self) {
        for at in 0..self.commands.len() {
            let Some(command) = self.commands.get(at).filter(|command| command.doing.is_none()) else {
                continue;
            };
            let simple = command.simple;
            let printers = self.commands.iter().take(at).map(|one| one.simple);
            let printers = printers.filter(|one| one.pipeline == simple.pipeline);
            let words: Vec<Word> = simple
                .inputs
                .iter()
                .map(|text| Word::plain(text))
                .chain(printers.flat_map(|one| one.words.iter().skip(1).cloned()))
                .collect();
            let mut fed = Command::new(simple);
            for word in &words {
                self.perhaps(&mut fed, word);
            }
            if let Some(command) = self.commands.get_mut(at) {
                command.perhaps.append(&mut fed.perhaps);
                command.lost |= fed.lost;
            }
        }
    }

    fn command(&self, simple: &'a Simple, guarded: bool) -> Command<'a> {
        let doing = look_up(transparent(&simple.words)).filter(|doing| !self.shadowed(simple, doing));
        let mut command = Command::new(simple);
        if let Some(doing) = &doing {
            self.touches(&mut command, doing);
        } else {
            // Carried by something else it does the same, or worse.
            let carried = levels(&simple.words).skip(1).take(MOST_CARRIED).filter_map(look_up);
            for doing in carried {
                self.touches(&mut command, &doing);
            }
        }
        if doing.is_none() && guarded {
            for word in simple.words.iter().skip(1) {
                self.perhaps(&mut command, word);
            }
            // These take all there is without a word about it.
            let words = transparent(&simple.words);
            let text = |at: usize| words.get(at).and_then(Word::literal);
            if text(0) == Some("git") && words.iter().any(|word| word.literal().is_some_and(exports)) {
                self.perhaps(&mut command, &Word::plain("."));
            }
        }
        for redirect in &simple.redirects {
            if keeps_nothing(&redirect.target) || redirect.target.literal() == Some("/dev/stdin") {
                continue;
            }
            if redirect.target.split {
                command.lost = true;
            }
            if redirect.direction != Direction::Write {
                self.touch(&mut command, &redirect.target, Access::Read, Reach::File, true);
            }
            if redirect.direction != Direction::Read {
                self.touch(&mut command, &redirect.target, Access::Write, Reach::File, true);
            }
        }
        command.doing = doing;
        command
    }

    fn touches(&self, command: &mut Command<'a>, doing: &Doing) {
        let public = |word: &Word| word.literal().is_some_and(|text| listed(PUBLIC, text));
        for (word, reach) in &doing.reads {
            if !keeps_nothing(word) && !public(word) {
                self.touch(command, word, Access::Read, *reach, false);
            }
        }
        for word in &doing.writes {
            // A folder is moved or removed together with its content.
            let reach = match doing.removes.contains(word) {
                true => Reach::Tree,
                false => Reach::File,
            };
            self.touch(command, word, Access::Write, reach, false);
        }
    }

    fn located(&self, simple: &Simple, word: &Word) -> Option<Vec<(Located, bool)>> {
        let all: Vec<Place> = places(simple, word, self.cwd, &self.policy.home)?;
        // There names depend on the process that uses them, which will be another one.
        let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        let by_asker = |place: &Place| {
            normal(&place.path).starts_with("/proc") || (place.path.starts_with("/dev") && climbs(&place.path))
        };
        if all.iter().any(by_asker) {
            return None;
        }
        let mut found = Vec::new();
        for place in all {
            let matched = match place.pattern {
                // A pattern that cannot be matched may cover any entry, a link that leads out too.
                true => {
                    Some(trees::matches(&place.path, &place.whole, self.paths)?).filter(|matched| !matched.is_empty())
                }
                false => None,
            };
            match matched {
                None if place.pattern && climbs(&place.whole) => return None,
                Some(files) => found.extend(files.iter().map(|file| (Located::new(file, self.paths), false))),
                None => found.push((Located::new(&place.path, self.paths), place.pattern)),
            }
        }
        Some(found)
    }

    fn touch(&self, command: &mut Command<'a>, word: &Word, access: Access, reach: Reach, redirect: bool) {
        let all = if word.piped && word.unknown() {
            self.printed(command, word)
        } else {
            self.located(command.simple, word).map(|all| (all, reach))
        };
        let Some((all, reach)) = all else {
            command.lost = true;
            return;
        };
        if word.split && !word.glob && all.iter().any(|(at, _)| at.lexical.to_string_lossy().contains(is_odd)) {
            command.lost = true;
            return;
        }
        for (at, pattern) in all {
            command.touches.push(Touch {
                at,
                reach,
                access,
                pattern,
                redirect,
            });
        }
    }

    /// Any part of an argument could be a path: `if=x`, `-fx`, `@x`, `host:x`, `HEAD:x`.
    fn perhaps(&self, command: &mut Command<'a>, word: &Word) {
        let Some(text) = word.text.as_deref() else {
            return;
        };
        // An address of a file can be spelled in any number of ways.
        command.lost |= text.contains("file:");
        let glued = text
            .strip_prefix('-')
            .and_then(|rest| rest.get(1..))
            .filter(|_| !text.starts_with("--"));
        // `-include.env`
        let behind = text
            .find(['.', '/'])
            .and_then(|at| text.get(at..))
            .filter(|_| text.starts_with('-'));
        let parts = text
            .split(['=', ':', '@', ','])
            .chain(glued)
            .chain(behind)
            .chain([text]);
        // The text may be a script: any name in it.
        let names = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | '~' | '+'));
        let inside = text.split(names).take(MOST_NAMED);
        let from = working_folder(&command.simple.words);
        for part in parts.chain(inside).filter(|part| !part.is_empty()) {
            let moved = from.map(|from| format!("{from}/{part}"));
            for text in moved.into_iter().chain([part.to_owned()]) {
                let word = Word {
                    text: Some(text),
                    ..word.clone()
                };
                match self.located(command.simple, &word) {
                    Some(all) => command.perhaps.extend(all.into_iter().map(|(at, _)| at)),
                    None => command.lost |= part.contains('/'),
                }
            }
        }
    }

    /// The path rules that deny this access or ask about it.
    fn restrictions(&self, access: Access) -> impl Iterator<Item = &'a Rule> {
        let behaviors = [Behavior::Deny, Behavior::Ask].into_iter();
        behaviors.flat_map(move |behavior| path_rules(self.policy, behavior, access))
    }

    /// Whether such a rule covers `at`.
    fn restricts(&self, access: Access, at: &Located) -> bool {
        self.restrictions(access)
            .any(|rule| covers(self.policy, rule, at, self.cwd, self.paths))
    }

    /// Whether such a rule may cover something beneath `at`.
    fn may_restrict_beneath(&self, access: Access, at: &Located) -> bool {
        self.restrictions(access)
            .any(|rule| reaches_beneath(self.policy, rule, at, self.cwd, self.paths))
    }

    /// Whether a path rule denies or asks anything at all.
    pub(super) fn guarded(&self) -> bool {
        [Access::Read, Access::Write]
            .into_iter()
            .any(|access| self.restrictions(access).next().is_some())
    }

    fn rule(&self, behavior: Behavior, touch: &Touch) -> Option<&'a Rule> {
        path_rule(self.policy, behavior, touch.access, &touch.at, self.cwd, self.paths)
    }

    fn touches_of_all(&self) -> impl Iterator<Item = &Touch> {
        self.commands.iter().flat_map(|command| &command.touches)
    }

    /// The rule that denies a path, and whether only its names were to be read.
    pub(super) fn denied(&self) -> Option<(&'a Rule, bool)> {
        self.touches_of_all()
            .find_map(|touch| Some((self.rule(Behavior::Deny, touch)?, touch.reach == Reach::Names)))
    }

    pub(super) fn asked(&self) -> Option<&'a Rule> {
        self.touches_of_all().find_map(|touch| self.rule(Behavior::Ask, touch))
    }

    /// Where a denied path may be touched without our knowing.
    pub(super) fn unclear(&self, unread: Unread<'_>) -> Option<Problem> {
        for command in &self.commands {
            if command.lost {
                return Some(Problem::UnknownDirectory);
            }
            for touch in &command.touches {
                if touch.reach == Reach::Revision && !self.is_there(&touch.at.lexical) && self.guarded() {
                    return Some(Problem::Variable);
                }
                if touch.reach == Reach::Commit && !self.is_there(&touch.at.lexical) {
                    continue;
                }
                let of_git = matches!(touch.reach, Reach::History | Reach::Objects);
                let wide = touch.pattern || !matches!(touch.reach, Reach::File | Reach::Names);
                // A file is nothing but itself.
                let file = !touch.pattern && !of_git && self.is_there(&touch.at.lexical);
                if file && !self.paths.is_dir(&touch.at.lexical) {
                    continue;
                }
                let work_tree = (of_git || touch.reach == Reach::Index).then(|| self.work_tree(&touch.at.lexical));
                let reached = work_tree.flatten();
                let reached = reached.as_ref().unwrap_or(&touch.at);
                if !wide || !self.may_restrict_beneath(touch.access, reached) {
                    continue;
                }
                // Denied files may not exist at all.
                let denied = |path: &Path| self.restricts(touch.access, &Located::new(path, self.paths));
                let at = &touch.at.lexical;
                let held = match touch.reach {
                    Reach::Objects => true,
                    Reach::History => self.index_holds(at, &denied) || self.history_holds(at, &denied),
                    Reach::Index => self.index_holds(at, &denied) || trees::holds(at, self.paths, &denied),
                    _ => trees::holds(at, self.paths, &denied),
                };
                if held {
                    return Some(Problem::Variable);
                }
            }
            let named = command.perhaps.iter().any(|at| {
                let directory = self.paths.is_dir(&at.lexical);
                [Access::Read, Access::Write].into_iter().any(|access| {
                    let restricted = |path: &Path| self.restricts(access, &Located::new(path, self.paths));
                    let beneath = directory && self.may_restrict_beneath(access, at);
                    self.restricts(access, at) || (beneath && trees::holds(&at.lexical, self.paths, &restricted))
                })
            });
            if named {
                let name = command.simple.words.first().map_or("it", |word| word.raw.as_str());
                return Some(Problem::Evaluates(name.to_owned()));
            }
            if command.doing.is_some() {
                continue;
            }
            if command.simple.words.iter().any(Word::unknown) {
                return Some(Problem::Variable);
            }
            // Text given to an interpreter can open any file.
            if let Some(problem) = evaluating(&command.simple.words).filter(|_| !unread.trusts(command.simple)) {
                return Some(problem);
            }
        }
        None
    }

    /// Whether a path is not known, such as that of another user's home.
    pub(super) fn lost(&self) -> bool {
        self.commands.iter().any(|command| command.lost)
    }

    /// A protected place that is written to.
    pub(super) fn protected(&self) -> Option<PathBuf> {
        let mut written = self.commands.iter().flat_map(Command::writes);
        let found = written.find(|touch| protect::is_protected(self.policy, &touch.at, self.paths))?;
        Some(found.at.lexical.clone())
    }

    /// Whether the line is known to write.
    pub(super) fn writes(&self) -> bool {
        self.commands.iter().any(|command| command.writes().next().is_some())
    }

    pub(super) fn doing(&self, at: usize) -> Option<&Doing> {
        self.commands.get(at)?.doing.as_ref()
    }
}
