//! Variables: their known values, and where a value is no longer known.

use std::rc::Rc;

use brush_parser::ast::{Assignment as Assign, AssignmentName, AssignmentValue, CompoundList};

use super::super::builtins;
use super::super::{Assignment, Problem, Simple, Values, Word};
use super::Walk;

/// Stands for every name.
pub(super) const ANY: &str = "*";
/// How many values of a loop are followed one by one.
const MOST_VALUES: usize = 12;

impl Walk {
    pub(super) fn assigned_twice(&self) -> Vec<String> {
        let mut seen: Vec<&String> = Vec::new();
        let mut twice = Vec::new();
        for name in &self.assigned {
            if seen.contains(&name) {
                twice.push(name.clone());
            }
            seen.push(name);
        }
        twice
    }

    /// Sets the value of `name` for the rest of the line; `None` if it is not known.
    pub(super) fn set(&mut self, name: &str, value: Option<Word>) {
        if !self.again {
            self.assigned.push(name.to_owned());
        }
        // Where we are is written as a dot, which is somewhere else once we move.
        let here = |value: &Word| value.raw.contains("PWD") || value.raw.contains("pwd");
        let known = value.filter(|value| !here(value));
        match known.filter(|_| !self.never.iter().any(|never| never == name || never == ANY)) {
            Some(value) => self.values.insert(name.to_owned(), value),
            // A variable of the line, with any value.
            None => self.values.insert(name.to_owned(), Word::default()),
        };
    }

    /// Forgets what may have been set since `before` was taken.
    pub(super) fn doubt(&mut self, before: &Values) {
        for (name, value) in &mut self.values {
            if before.get(name) != Some(value) {
                *value = Word::default();
            }
        }
    }

    /// A loop over values: one by one where they are few and known.
    pub(super) fn each(&mut self, name: &str, values: Option<Vec<Word>>, body: &CompoundList) {
        // What a command prints, word by word.
        let printed = match values.as_deref() {
            Some([only]) if only.piped => Some(Word {
                split: false,
                raw: String::new(),
                ..only.clone()
            }),
            _ => None,
        };
        let known = values.filter(|values| {
            !values.is_empty()
                && values.len() <= MOST_VALUES
                && values.iter().all(|value| !value.unknown() && !value.split)
        });
        let before = self.values.clone();
        let Some(values) = known else {
            self.set(name, printed);
            self.looped(body, None);
            self.doubt(&before);
            return;
        };
        let again = self.again;
        for (at, value) in values.into_iter().enumerate() {
            self.again = again || at > 0;
            self.set(name, Some(value));
            self.looped(body, None);
            if at == 0 {
                // In the next round it is what this one left.
                let name_value = self.values.get(name).cloned();
                self.doubt(&before);
                self.values.extend(name_value.map(|value| (name.to_owned(), value)));
            }
        }
        self.again = again;
        self.doubt(&before);
        self.values.insert(name.to_owned(), Word::default());
    }

    /// A list that may run or not.
    pub(super) fn branch(&mut self, list: &CompoundList) {
        let before = Rc::clone(&self.chains);
        let values = self.values.clone();
        self.list(list);
        self.also(&before);
        self.doubt(&values);
    }

    /// A list that may run many times: a `cd` in it moves the next round as well.
    pub(super) fn looped(&mut self, list: &CompoundList, condition: Option<&CompoundList>) {
        let moved = std::mem::replace(&mut self.moved, false);
        self.loops += 1;
        let (chains, values) = (Rc::clone(&self.chains), self.values.clone());
        if let Some(condition) = condition {
            // It has run whenever the list does.
            self.list(condition);
            self.also(&chains);
        }
        self.branch(list);
        self.doubt(&values);
        self.loops -= 1;
        if self.moved {
            self.note(Problem::UnknownDirectory);
        }
        self.moved |= moved;
    }

    pub(super) fn check_assignments(&mut self, found: &Simple) {
        for assignment in &found.assignments {
            let problem = Problem::Assignment(assignment.name.clone());
            // A bare assignment lasts for the rest of the line and may change its meaning, unless no program
            // looks at it.
            if !found.words.is_empty() {
                if assignment.value.is_none() {
                    self.note(problem);
                }
            } else if assignment.plain && builtins::own_variable(&assignment.name) {
                self.analysis.note_soft(problem);
                self.set(&assignment.name, assignment.value.clone().filter(|value| !value.glob));
            } else {
                self.set(&assignment.name, None);
                self.note(problem);
            }
        }
    }

    pub(super) fn assignment(&mut self, assignment: &Assign) -> Assignment {
        let (name, plain) = match &assignment.name {
            AssignmentName::VariableName(name) => (name.clone(), true),
            AssignmentName::ArrayElementName(name, index) => {
                // Subscripts are evaluated, quotes or not.
                self.arithmetic(index);
                (name.clone(), false)
            }
        };
        let value = match &assignment.value {
            AssignmentValue::Scalar(value) => Some(self.word(value)),
            AssignmentValue::Array(values) => {
                for (index, value) in values {
                    if let Some(index) = index {
                        self.arithmetic(&index.value);
                    }
                    self.word(value);
                }
                None
            }
        };
        let plain = plain && !assignment.append && value.is_some();
        Assignment {
            name,
            plain,
            // After a colon a home is put in as well.
            value: value.filter(|value| plain && !value.unknown() && !value.raw.contains(":~")),
            raw: String::new(),
        }
    }
}
