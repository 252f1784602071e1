//! Background tasks of a session: their list, and the notes about their ends that wait to be delivered to the model.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sluice_tools::TaskView;
use tokio::time::Instant;

use crate::note::Note;

/// The background tasks of a session.
#[derive(Debug, Default)]
pub(crate) struct Background {
    /// All running tasks, shared by a session and its subagents.
    running: Running,
    /// Ids of the tasks that this session itself started.
    own: Vec<String>,
    /// True in a subagent, which does not wait for background commands when it has finished.
    of_agent: bool,
    /// Notes that wait to be delivered to the model.
    notes: VecDeque<Note>,
    /// Stopped subagents that are still ending, each with the note to deliver afterwards.
    ending: Vec<(String, Option<Note>)>,
    /// Ids of tasks that the host has stopped.
    stopped: Vec<String>,
    /// Latest time to wait for tasks after the end of the input.
    deadline: Option<Instant>,
    /// The deadline has passed.
    given_up: bool,
}

/// A list of tasks that several sessions share.
#[derive(Debug, Clone, Default)]
struct Running(Arc<Mutex<Vec<TaskView>>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, Vec<TaskView>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Background {
    /// Creates the state for a subagent. It shares the list of running tasks.
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

    /// Removes a task of a session that has ended.
    pub(crate) fn forget(&self, id: &str) {
        self.running.lock().retain(|running| running.id != id);
    }

    /// Returns true if the host has stopped the task, and clears that mark.
    pub(crate) fn take_stopped(&mut self, id: &str) -> bool {
        let before = self.stopped.len();
        self.stopped.retain(|stopped| stopped != id);
        self.stopped.len() < before
    }

    /// Marks a task as stopped by the host.
    pub(crate) fn note_stopped(&mut self, id: &str) {
        self.stopped.push(id.to_owned());
    }

    /// Delays the note of a stopped subagent that may still send messages, until [`Self::on_ended`].
    pub(crate) fn await_end(&mut self, id: &str, note: Option<Note>) {
        self.ending.push((id.to_owned(), note));
    }

    /// Releases the note of a stopped subagent, which has ended now.
    pub(crate) fn on_ended(&mut self, id: &str) {
        let at = self.ending.iter().position(|(ending, _)| ending == id);
        if let Some((_, note)) = at.map(|at| self.ending.remove(at)) {
            self.notes.extend(note);
        }
    }

    /// Returns the running tasks that this session itself started.
    pub(crate) fn own(&self) -> Vec<TaskView> {
        let mut tasks = self.list();
        tasks.retain(|task| self.own.contains(&task.id));
        tasks
    }

    /// Removes and returns the oldest waiting note. It starts a turn.
    pub(crate) fn pop_note(&mut self) -> Option<Note> {
        self.notes.pop_front()
    }

    /// Removes and returns the notes that may join the running turn.
    pub(crate) fn take_joining(&mut self) -> Vec<Note> {
        let (alone, joins) = self.notes.drain(..).partition(|note| note.alone);
        self.notes = alone;
        Vec::from(joins)
    }

    /// Timestamp of the oldest waiting note.
    pub(crate) fn oldest_note_time(&self) -> Option<&str> {
        self.notes.front().map(|note| note.timestamp.as_str())
    }

    /// Queues a note.
    pub(crate) fn queue(&mut self, note: Note) {
        self.notes.push_back(note);
    }

    /// Queues output of a monitored command. Output of the same monitor that is still waiting is merged.
    pub(crate) fn report(&mut self, id: &str, description: &str, printed: &str, now: String) {
        match self.waiting(id) {
            Some(note) => note.append(printed),
            None => self.queue(Note::of_monitor(id, description, printed, now)),
        }
    }

    /// Queues the note about the end of a task, together with its output that the model has not seen yet.
    pub(crate) fn end(&mut self, id: &str, mut note: Note, printed: Option<&str>) {
        let waiting = self.notes.iter().position(|note| note.source.as_deref() == Some(id));
        if let Some(reports) = waiting.and_then(|at| self.notes.remove(at)) {
            note.take_reports(&reports);
        }
        if let Some(printed) = printed {
            note.append(printed);
        }
        self.queue(note);
    }

    /// Queues a scheduled prompt that is due. At most one note of each job waits at a time.
    pub(crate) fn wake(&mut self, id: &str, prompt: &str, now: String) {
        if self.waiting(id).is_none() {
            self.queue(Note::of_job(id, prompt, now));
        }
    }

    fn waiting(&mut self, source: &str) -> Option<&mut Note> {
        self.notes
            .iter_mut()
            .find(|note| note.source.as_deref() == Some(source))
    }

    /// True if a subagent runs in the background.
    pub(crate) fn has_agents(&self) -> bool {
        self.running.lock().iter().any(|task| task.agent.is_some())
    }

    /// True if the session should stay open after the end of the input.
    pub(crate) fn keeps_session_open(&self) -> bool {
        let runs = if self.of_agent {
            self.own().iter().any(|task| task.agent.is_some())
        } else {
            !self.running.lock().is_empty()
        };
        !self.given_up && (runs || !self.notes.is_empty() || !self.ending.is_empty())
    }

    /// The input has ended: sets the maximum time to wait for tasks.
    pub(crate) fn begin_wait(&mut self, ceiling: Option<Duration>) {
        self.deadline = ceiling.map(|ceiling| Instant::now() + ceiling);
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Ends the wait for tasks.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// Returns the running tasks, as listed by `background_tasks_changed`.
    pub(crate) fn list(&self) -> Vec<TaskView> {
        self.running.lock().clone()
    }
}
