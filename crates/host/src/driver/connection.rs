//! The connection to the agent: connecting, losing, closing and restoring it.

use std::sync::Arc;

use sluice_wire::MessageType;
use sluice_wire::control::Success;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::pipes::{AbortOnDrop, Received, reader, stderr, writer};
use super::{Handshake, OUTPUT_DRAIN_TIMEOUT, Owner};
use crate::conversation::{Exit, ProcessStatus, What};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::process::Process;
use crate::transport::{BoxFuture, Link, Start};

/// The capacity of the channels between the owner and the reader, writer and stderr tasks.
const CHANNEL_CAPACITY: usize = 64;

/// How many lines of the agent's standard error are kept for error messages.
const STDERR_TAIL: usize = 5;

/// A connected agent.
pub(super) struct Connection {
    pub(super) lines: mpsc::Receiver<Vec<Received>>,
    pub(super) output_open: bool,
    /// `None` once the agent's input was closed.
    pub(super) writer: Option<mpsc::Sender<Arc<str>>>,
    pub(super) stderr: Option<mpsc::Receiver<Arc<str>>>,
    pub(super) process: Option<Process>,
    /// Resolves when the process exits; `None` afterwards.
    exit_future: Option<BoxFuture<'static, Exit>>,
    pub(super) exit: Option<Exit>,
    /// Whether the agent may keep running when the connection is lost.
    outlives: bool,
    /// The next step of ending the agent, and when it is due.
    shutdown: Option<(ShutdownStep, Instant)>,
    _reader: AbortOnDrop,
    _stderr: Option<AbortOnDrop>,
}

/// An event of a connected agent.
pub(super) enum AgentEvent {
    /// Received lines; `None` when the agent's output has ended.
    Lines(Option<Vec<Received>>),
    /// A line can be written; `None` when the agent's input has ended.
    WriteSlot(Option<mpsc::OwnedPermit<Arc<str>>>),
    /// A line of standard error; `None` at its end.
    Stderr(Option<Arc<str>>),
    Exited(Exit),
}

/// Waits for the next event. `has_output` tells whether a line is waiting to be written.
pub(super) async fn next_event(connection: &mut Option<Connection>, has_output: bool) -> AgentEvent {
    let Some(connection) = connection else {
        return std::future::pending().await;
    };
    tokio::select! {
        lines = connection.lines.recv(), if connection.output_open => AgentEvent::Lines(lines),
        permit = write_slot(connection.writer.as_ref()), if has_output && connection.writer.is_some() => AgentEvent::WriteSlot(permit),
        line = next_stderr_line(connection.stderr.as_mut()), if connection.stderr.is_some() => AgentEvent::Stderr(line),
        exit = wait_for_exit(connection.exit_future.as_mut()), if connection.exit_future.is_some() => AgentEvent::Exited(exit),
        else => std::future::pending().await,
    }
}

async fn write_slot(writer: Option<&mpsc::Sender<Arc<str>>>) -> Option<mpsc::OwnedPermit<Arc<str>>> {
    writer?.clone().reserve_owned().await.ok()
}

async fn next_stderr_line(stderr: Option<&mut mpsc::Receiver<Arc<str>>>) -> Option<Arc<str>> {
    stderr?.recv().await
}

async fn wait_for_exit(exit_future: Option<&mut BoxFuture<'static, Exit>>) -> Exit {
    match exit_future {
        Some(exit_future) => exit_future.await,
        None => std::future::pending().await,
    }
}

/// How an agent that does not exit is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShutdownStep {
    Terminate,
    Kill,
    /// The process has exited; its output is given up.
    GiveUp,
}

impl Connection {
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.shutdown.map(|(_, at)| at)
    }
}

impl Owner {
    /// Attaches a connection and sends `initialize`.
    pub(super) fn attach(
        &mut self,
        link: Link,
        resumed: Option<&Arc<str>>,
    ) -> Option<oneshot::Receiver<Result<Success, Error>>> {
        let (sender, received) = mpsc::channel(CHANNEL_CAPACITY);
        let (write, lines) = mpsc::channel(CHANNEL_CAPACITY);
        let (stderr_sender, stderr_lines) = mpsc::channel(CHANNEL_CAPACITY);
        let reader = AbortOnDrop(tokio::spawn(reader(link.from_agent, self.line_cap, sender)));
        // The writer task is not bound to the connection: it still writes queued lines after the owner has ended.
        tokio::spawn(writer(link.into_agent, lines));
        let stderr_task = link
            .stderr
            .map(|source| AbortOnDrop(tokio::spawn(stderr(source.0, stderr_sender))));
        let identity = link.process.as_ref().map(Process::identity);
        let exit_future = link.process.as_ref().map(Process::ending);
        self.connection = Some(Connection {
            lines: received,
            output_open: true,
            writer: Some(write),
            stderr: stderr_task.is_some().then_some(stderr_lines),
            process: link.process,
            exit_future: exit_future.map(|future| -> BoxFuture<'static, Exit> { Box::pin(future) }),
            exit: None,
            outlives: link.outlives,
            shutdown: None,
            _reader: reader,
            _stderr: stderr_task,
        });
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.stderr_tail.clear();
        self.log.push(Event::Connected {
            process: identity,
            resumed: resumed.cloned(),
        });
        let initialize = self.initialize.clone().map(|request| (self.new_id(), request));
        self.handshake = initialize
            .as_ref()
            .map(|(id, _)| Handshake::new(id.clone(), resumed.cloned()));
        // An agent that did not know the session has not read unconfirmed prompts either, so they are sent again.
        let starting_over = std::mem::take(&mut self.starting_over);
        self.step(What::Starting {
            resumed: resumed.is_some() || starting_over,
        });
        // `initialize` must be the first line, before queued prompts.
        let response = initialize.map(|(id, request)| self.request(id, request, self.deadlines.greeting));
        self.step(What::Up);
        self.step(What::Connected);
        response
    }

    pub(super) async fn on_lines(&mut self, lines: Option<Vec<Received>>) {
        let Some(batch) = lines else {
            self.output_ended();
            return;
        };
        let mut first = true;
        for received in batch {
            match received {
                Received::Message(message) => {
                    let frame = message.frame().clone();
                    if let Some(mirror) = &mut self.mirror {
                        match frame.message_type() {
                            MessageType::TranscriptMirror => {
                                // Only for the store: subscribers already have the messages themselves.
                                mirror.enqueue(message);
                                continue;
                            }
                            MessageType::Result => mirror.flush(),
                            _ => {}
                        }
                    }
                    if let Some(handshake) = &mut self.handshake {
                        handshake.on_message(&message);
                    }
                    self.log.add(Event::Message(message));
                    // Subscribers can process the first line of a batch before it is applied to the state, and receive the others
                    // when they are scheduled again. Reads of the state are answered after the whole batch.
                    if std::mem::take(&mut first) && self.log.wake() {
                        tokio::task::yield_now().await;
                    }
                    self.step(What::Said(frame));
                }
                Received::Malformed(malformed) => {
                    let line = Arc::clone(&malformed.text);
                    self.log.push(Event::Malformed(Arc::new(malformed)));
                    self.step(What::Garbled(line.into()));
                }
                Received::TooLong(bytes) => self.log.push(Event::TooLong { bytes }),
            }
        }
    }

    pub(super) fn on_stderr(&mut self, line: Option<Arc<str>>) {
        match line {
            Some(line) => {
                if self.stderr_tail.len() == STDERR_TAIL {
                    self.stderr_tail.pop_front();
                }
                self.stderr_tail.push_back(Arc::clone(&line));
                self.log.push(Event::Stderr(line));
            }
            None => {
                if let Some(connection) = &mut self.connection {
                    connection.stderr = None;
                }
            }
        }
    }

    fn output_ended(&mut self) {
        let terminate = self.deadlines.terminate;
        let Some(connection) = &mut self.connection else { return };
        connection.output_open = false;
        match (&connection.process, connection.exit) {
            (Some(_), None) => {
                // An agent without output is useless; it should exit soon.
                connection
                    .shutdown
                    .get_or_insert((ShutdownStep::Terminate, Instant::now() + terminate));
            }
            (Some(_), Some(exit)) => self.on_gone(Some(exit)),
            (None, _) => self.on_gone(None),
        }
    }

    pub(super) fn on_exit(&mut self, exit: Exit) {
        let Some(connection) = &mut self.connection else { return };
        connection.exit = Some(exit);
        connection.exit_future = None;
        if connection.output_open {
            // Its last output may still be in the pipe.
            connection.shutdown = Some((ShutdownStep::GiveUp, Instant::now() + OUTPUT_DRAIN_TIMEOUT));
        } else {
            self.on_gone(Some(exit));
        }
    }

    /// Drops the connection to an agent without a process.
    pub(super) fn drop_connection(&mut self) {
        self.on_gone(None);
    }

    fn on_gone(&mut self, exit: Option<Exit>) {
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        // Lines of standard error that were received before the exit.
        while let Some(line) = connection.stderr.as_mut().and_then(|stderr| stderr.try_recv().ok()) {
            self.on_stderr(Some(line));
        }
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.log.push(Event::Gone { exit });
        if exit.is_none() && connection.outlives {
            self.step(What::Lost);
        } else {
            self.step(What::Exited(exit.unwrap_or_default()));
        }
    }

    /// Closes the agent's input once everything is written, and ends the agent if it does not exit.
    pub(super) fn close(&mut self, reply: Option<oneshot::Sender<()>>) {
        let leave = self.deadlines.leave;
        self.closing.get_or_insert_default().extend(reply);
        self.connecting = None;
        if let Some(connection) = &mut self.connection {
            connection
                .shutdown
                .get_or_insert((ShutdownStep::Terminate, Instant::now() + leave));
        }
        self.end_input();
    }

    /// Closes the input if it is to be closed and nothing is waiting to be written.
    pub(super) fn end_input(&mut self) {
        if self.closing.is_some()
            && self.outbox.is_empty()
            && let Some(connection) = &mut self.connection
        {
            connection.writer = None;
        }
    }

    /// Performs the next step of ending an agent that did not exit in time.
    pub(super) fn continue_shutdown(&mut self) {
        let next = Instant::now() + self.deadlines.terminate;
        let Some(connection) = &mut self.connection else { return };
        connection.writer = None;
        match (connection.shutdown.map(|(step, _)| step), &connection.process) {
            (Some(ShutdownStep::Terminate), Some(process)) => {
                process.terminate();
                connection.shutdown = Some((ShutdownStep::Kill, next));
            }
            (Some(ShutdownStep::Kill), Some(process)) => {
                process.kill();
                connection.shutdown = Some((ShutdownStep::GiveUp, next));
            }
            (Some(ShutdownStep::GiveUp), _) | (_, None) => {
                let exit = connection.exit;
                self.on_gone(exit);
            }
            (None, Some(_)) => {}
        }
    }

    /// Reconnects to the agent and resumes its session.
    pub(super) fn respawn(&mut self) {
        if self.connection.is_some() || self.connecting.is_some() || self.closing.is_some() {
            return;
        }
        let session: Option<Arc<str>> = self.state.session().id().map(Arc::from);
        match session {
            Some(session) if self.saves_sessions => {
                self.connect(Start::resume(&*session));
                self.resuming = Some(session);
            }
            Some(session) => self.start_new_session(session, "the agent does not save sessions".into()),
            None => self.connect(Start::fresh()),
        }
    }

    pub(super) fn connect(&mut self, start: Start) {
        let transport = Arc::clone(&self.transport);
        self.connecting = Some(Box::pin(async move { transport.connect(start).await }));
    }

    pub(super) fn on_connected(&mut self, link: Result<Link, Error>) {
        self.connecting = None;
        match link {
            Ok(link) => {
                let resumed = self.resuming.take();
                // Whether it answers `initialize` is handled in `on_handshake_done`.
                if self.attach(link, resumed.as_ref()).is_none() {
                    self.on_handshake_done(None);
                }
            }
            Err(error) => self.on_connect_failed(&error),
        }
        self.update_interrupts();
    }

    /// Returns whether the client is closed and the agent has exited.
    pub(super) fn is_finished(&self) -> bool {
        self.closing.is_some() && self.connection.is_none()
    }

    /// Fails everything that is still waiting.
    pub(super) fn finish(&mut self) {
        self.step(What::Closed);
        for (_, waiter) in self.waiters.drain() {
            waiter.send(Err(Error::gone())).ok();
        }
        for stop in self.stops.drain(..) {
            stop.reply.send(Err(Error::gone())).ok();
        }
        for (_, reply) in self.turn_waiters.drain(..) {
            reply.send(Err(Error::gone())).ok();
        }
        self.log.close();
        for reply in self.closing.take().into_iter().flatten() {
            reply.send(()).ok();
        }
    }

    /// Returns an error if no more prompts and requests can be accepted: the agent has exited, or its queue is has_output.
    pub(super) fn check_open(&self, bytes: usize) -> Result<(), Error> {
        let gone = self.connection.is_none()
            && self.connecting.is_none()
            && matches!(self.state.process(), ProcessStatus::Exited { .. });
        if gone || self.closing.is_some() {
            return Err(Error::gone());
        }
        if self.outbox_bytes + bytes > self.outbox_cap {
            return Err(Error::new(
                ErrorKind::Busy,
                "too much data is waiting to be written; the agent does not read its input",
            ));
        }
        Ok(())
    }
}
