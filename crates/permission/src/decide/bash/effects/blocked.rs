//! The paths for which a command needs permission, and the rules or directories that would allow it.

use std::path::{Path, PathBuf};

use super::super::super::{Access, files::may_read};
use super::super::trees;
use super::{Blocked, Command, Effects, Touch};
use crate::mode::Stance;
use crate::rule::{Behavior, Rule};
use crate::shell::programs::{Kind, Reach};
use crate::suggest;

impl<'a> Effects<'a> {
    /// The redirection that may not be followed.
    pub(in super::super) fn redirect_blocked(&self, at: usize, stance: Stance) -> Option<Blocked> {
        let command = self.commands.get(at)?;
        let mut redirects = command.touches.iter().filter(|touch| touch.redirect);
        redirects.find_map(|touch| match touch.access {
            Access::Write => self.write_blocked(command, touch, stance.edits()),
            Access::Read => self.read_blocked(command, touch),
        })
    }

    /// A write outside the roots, even if a rule allowed the command.
    pub(in super::super) fn written_outside(&self, at: usize) -> Option<Blocked> {
        let command = self.commands.get(at)?;
        let mut writes = command.named(Access::Write);
        writes.find_map(|touch| self.write_blocked(command, touch, true))
    }

    /// The path a known command may not touch.
    pub(in super::super) fn blocked(&self, at: usize, stance: Stance) -> Option<Blocked> {
        let command = self.commands.get(at)?;
        let file_op = command.doing.as_ref().is_some_and(|doing| doing.kind == Kind::FileOp);
        let edits = stance.edits() || !file_op;
        // Another folder is what people have to agree to before the mode: `cp /etc/x here`.
        if file_op && let Some(first) = self.outside(command) {
            return Some(first);
        }
        let blocked = command
            .named(Access::Write)
            .filter_map(|touch| self.write_blocked(command, touch, edits))
            .min_by_key(|blocked| blocked.path.components().count());
        // Where only the mode is in the way, what is named first is what people look for.
        let first = command.touches.iter().find(|touch| !touch.redirect);
        let blocked = blocked.map(|blocked| match first {
            Some(first) if file_op && !edits && first.access == Access::Read && !first.pattern => Blocked {
                directory: self.offered_directory(&first.at.lexical),
                path: first.at.lexical.clone(),
                ..blocked
            },
            _ => blocked,
        });
        blocked.or_else(|| {
            command
                .named(Access::Read)
                .find_map(|touch| self.read_blocked(command, touch))
        })
    }

    /// What a command of known files may not touch for lying outside of the roots: what it reads, or else what it writes.
    fn outside(&self, command: &Command<'a>) -> Option<Blocked> {
        let touches = |access: Access| {
            let all = command.named(access);
            all.filter(|touch| !touch.at.inside(&self.policy.roots, self.paths))
        };
        let read = touches(Access::Read).find_map(|touch| self.read_blocked(command, touch));
        let written = || {
            let all = touches(Access::Write).filter_map(|touch| self.write_blocked(command, touch, true));
            all.min_by_key(|blocked| blocked.path.components().count())
        };
        // Its folder has to be worked in: a rule to read it does not let anything be written.
        read.or_else(written).map(|blocked| Blocked {
            write: true,
            accept_edits: true,
            ..blocked
        })
    }

    /// The directory that is offered for a path that is written: itself, if it is one.
    fn offered_directory(&self, path: &Path) -> PathBuf {
        suggest::directory_of(path, self.paths.is_dir(path))
    }

    fn write_blocked(&self, command: &Command<'_>, touch: &Touch, edits: bool) -> Option<Blocked> {
        let inside = touch.at.inside(&self.policy.roots, self.paths);
        if edits && inside && !touch.pattern {
            return None;
        }
        if self.rule(Behavior::Allow, touch).is_some() && !touch.pattern {
            return None;
        }
        Some(Blocked {
            path: touch.at.lexical.clone(),
            directory: self.offered_directory(&touch.at.lexical),
            write: true,
            accept_edits: !touch.redirect,
            offer: suggest::command(command.simple, &command.simple.raw()).filter(|_| !touch.redirect),
        })
    }

    fn read_blocked(&self, command: &Command<'a>, touch: &Touch) -> Option<Blocked> {
        let allowed = may_read(self.policy, &touch.at, self.paths)
            || self.rule(Behavior::Allow, touch).is_some()
            || self.lists_home(command, touch);
        // Where links are followed they must not lead out.
        let stays = touch.reach != Reach::Linked || trees::is_plain(self.policy, &touch.at.lexical, self.paths);
        if allowed && stays {
            return None;
        }
        if stays && (touch.reach != Reach::File || touch.pattern || self.paths.is_dir(&touch.at.lexical)) {
            let inside = Touch {
                at: touch.at.child(),
                ..*touch
            };
            if self.rule(Behavior::Allow, &inside).is_some_and(Rule::covers_below) {
                return None;
            }
        }
        let is_dir = touch.pattern || self.paths.is_dir(&touch.at.lexical);
        Some(Blocked {
            path: touch.at.lexical.clone(),
            directory: suggest::directory_of(&touch.at.lexical, is_dir),
            write: false,
            accept_edits: false,
            offer: suggest::command(command.simple, &command.simple.raw()),
        })
    }
}
