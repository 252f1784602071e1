//! Work that goes on after its call has returned: what hosts are told of it, and the turn the
//! session starts by itself when it ends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sluice_tools::TaskView;
use tokio::time::Instant;

use crate::note::Note;

/// The session's background work.
#[derive(Debug, Default)]
pub(crate) struct Background {
    /// What runs, as it was announced: one list for a session and its subagents.
    running: Running,
    /// The tasks of this session itself.
    own: Vec<String>,
    /// Whether this is a subagent's, which does not outlive its answer for a command's sake.
    of_agent: bool,
    owed: VecDeque<Note>,
    /// Subagents that were stopped and are winding up, and what is owed then.
    winding: Vec<(String, Option<Note>)>,
    /// Tasks the host has stopped.
    stopped: Vec<String>,
    deadline: Option<Instant>,
    given_up: bool,
}

/// A list several sessions keep.
#[derive(Debug, Clone, Default)]
struct Running(Arc<Mutex<Vec<TaskView>>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, Vec<TaskView>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Background {
    /// That of a subagent, which lists its tasks where the session lists them.
    pub(crate) fn of_agent(&self) -> Self {
        Self {
            running: self.running.clone(),
            of_agent: true,
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, task: &TaskView) {
        self.own.push(task.id.clone());
        self.running.lock().push(task.clone());
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.own.retain(|own| own != id);
        self.running.lock().retain(|running| running.id != id);
    }

    /// Takes a task off the list whose session is gone.
    pub(crate) fn forget(&self, id: &str) {
        self.running.lock().retain(|running| running.id != id);
    }

    /// Whether the host has stopped it.
    pub(crate) fn take_stopped(&mut self, id: &str) -> bool {
        let before = self.stopped.len();
        self.stopped.retain(|stopped| stopped != id);
        self.stopped.len() < before
    }

    /// The host stops a task.
    pub(crate) fn note_stopped(&mut self, id: &str) {
        self.stopped.push(id.to_owned());
    }

    /// A subagent was stopped and may still say something; the note follows when it will not.
    pub(crate) fn wind_up(&mut self, id: &str, note: Option<Note>) {
        self.winding.push((id.to_owned(), note));
    }

    /// A stopped subagent will say nothing more.
    pub(crate) fn wound_up(&mut self, id: &str) {
        let at = self.winding.iter().position(|(winding, _)| winding == id);
        if let Some((_, note)) = at.map(|at| self.winding.remove(at)) {
            self.owed.extend(note);
        }
    }

    /// The tasks of this session itself that still run.
    pub(crate) fn own(&self) -> Vec<TaskView> {
        let mut tasks = self.list();
        tasks.retain(|task| self.own.contains(&task.id));
        tasks
    }

    /// The next turn the session owes itself.
    pub(crate) fn owed(&mut self) -> Option<Note> {
        self.owed.pop_front()
    }

    /// What may join the turn that runs.
    pub(crate) fn joins(&mut self) -> Vec<Note> {
        let (alone, joins) = self.owed.drain(..).partition(|note| note.alone);
        self.owed = alone;
        Vec::from(joins)
    }

    /// When the next turn the session owes itself came about.
    pub(crate) fn owed_since(&self) -> Option<&str> {
        self.owed.front().map(|note| note.timestamp.as_str())
    }

    /// Another turn the session owes itself.
    pub(crate) fn owe(&mut self, note: Note) {
        self.owed.push_back(note);
    }

    /// Another turn the session owes itself: a monitored command has printed something. Reports that wait are merged.
    pub(crate) fn report(&mut self, id: &str, description: &str, printed: &str, now: String) {
        match self.waiting(id) {
            Some(note) => note.append(printed),
            None => self.owe(Note::of_monitor(id, description, printed, now)),
        }
    }

    /// Another turn the session owes itself: a scheduled prompt is due. One of each job waits at a time.
    pub(crate) fn wake(&mut self, id: &str, prompt: &str, now: String) {
        if self.waiting(id).is_none() {
            self.owe(Note::of_job(id, prompt, now));
        }
    }

    fn waiting(&mut self, source: &str) -> Option<&mut Note> {
        self.owed.iter_mut().find(|note| note.source.as_deref() == Some(source))
    }

    /// Whether a subagent works in the background.
    pub(crate) fn has_agents(&self) -> bool {
        self.running.lock().iter().any(|task| task.agent.is_some())
    }

    /// Whether there is something worth staying for after the input has ended.
    pub(crate) fn awaited(&self) -> bool {
        let runs = if self.of_agent {
            self.own().iter().any(|task| task.agent.is_some())
        } else {
            !self.running.lock().is_empty()
        };
        !self.given_up && (runs || !self.owed.is_empty() || !self.winding.is_empty())
    }

    /// The input has ended: wait no longer than this.
    pub(crate) fn begin_wait(&mut self, ceiling: Option<Duration>) {
        self.deadline = ceiling.map(|ceiling| Instant::now() + ceiling);
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Enough waited.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// The tasks that run, as `background_tasks_changed` lists them.
    pub(crate) fn list(&self) -> Vec<TaskView> {
        self.running.lock().clone()
    }
}
