//! A connected agent: connecting, losing it, closing it, and connecting again.

use std::sync::Arc;

use sluice_wire::MessageType;
use sluice_wire::control::Success;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::pipes::{Bound, Heard, reader, stderr, writer};
use super::{Arriving, LAST_WORDS, Owner};
use crate::conversation::{Exit, ProcessStatus, What};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::process::Process;
use crate::transport::{BoxFuture, Link, Start};

/// How many batches of lines may wait for the owner, and how many lines for the writer.
const DEPTH: usize = 64;

/// How many of the agent's last words beside the protocol are kept for errors.
const TAIL: usize = 5;

/// An agent that is there.
pub(super) struct Live {
    pub(super) heard: mpsc::Receiver<Vec<Heard>>,
    pub(super) output_open: bool,
    /// `None` once the agent's input was ended.
    pub(super) writer: Option<mpsc::Sender<Arc<str>>>,
    pub(super) stderr: Option<mpsc::Receiver<Arc<str>>>,
    pub(super) process: Option<Process>,
    /// The end of the process, until it has come.
    ends: Option<BoxFuture<'static, Exit>>,
    pub(super) exit: Option<Exit>,
    /// Whether the agent may live on when the way to it is lost.
    outlives: bool,
    /// How hard it is pressed to leave next, and when.
    press: Option<(Press, Instant)>,
    _reader: Bound,
    _stderr: Option<Bound>,
}

/// What comes from an agent that is there.
pub(super) enum News {
    /// Lines; `None` when its output has ended.
    Heard(Option<Vec<Heard>>),
    /// Something can be written; `None` when its input has ended.
    Room(Option<mpsc::OwnedPermit<Arc<str>>>),
    /// A line beside the protocol.
    Aside(Option<Arc<str>>),
    Exited(Exit),
}

/// Waits for the next news; `full` says that something waits to be written.
pub(super) async fn news(live: &mut Option<Live>, full: bool) -> News {
    let Some(live) = live else {
        return std::future::pending().await;
    };
    tokio::select! {
        heard = live.heard.recv(), if live.output_open => News::Heard(heard),
        permit = room(live.writer.as_ref()), if full && live.writer.is_some() => News::Room(permit),
        said = aside(live.stderr.as_mut()), if live.stderr.is_some() => News::Aside(said),
        exit = ended(live.ends.as_mut()), if live.ends.is_some() => News::Exited(exit),
        else => std::future::pending().await,
    }
}

async fn room(writer: Option<&mpsc::Sender<Arc<str>>>) -> Option<mpsc::OwnedPermit<Arc<str>>> {
    writer?.clone().reserve_owned().await.ok()
}

async fn aside(stderr: Option<&mut mpsc::Receiver<Arc<str>>>) -> Option<Arc<str>> {
    stderr?.recv().await
}

async fn ended(ends: Option<&mut BoxFuture<'static, Exit>>) -> Exit {
    match ends {
        Some(ends) => ends.await,
        None => std::future::pending().await,
    }
}

/// How hard an agent is pressed to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Press {
    Terminate,
    Kill,
    /// Its end is known; its output should end too.
    Forget,
}

impl Live {
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.press.map(|(_, at)| at)
    }
}

impl Owner {
    /// Takes a link and greets the agent.
    pub(super) fn attach(
        &mut self,
        link: Link,
        resumed: Option<&Arc<str>>,
    ) -> Option<oneshot::Receiver<Result<Success, Error>>> {
        let (says, heard) = mpsc::channel(DEPTH);
        let (write, lines) = mpsc::channel(DEPTH);
        let (tells, told) = mpsc::channel(DEPTH);
        let reader = Bound(tokio::spawn(reader(link.from_agent, self.line_cap, says)));
        // The writer is not bound: what it was given is still written after the owner has gone.
        tokio::spawn(writer(link.into_agent, lines));
        let aside = link.stderr.map(|source| Bound(tokio::spawn(stderr(source.0, tells))));
        let identity = link.process.as_ref().map(Process::identity);
        let ends = link.process.as_ref().map(Process::ending);
        self.live = Some(Live {
            heard,
            output_open: true,
            writer: Some(write),
            stderr: aside.is_some().then_some(told),
            process: link.process,
            ends: ends.map(|ends| -> BoxFuture<'static, Exit> { Box::pin(ends) }),
            exit: None,
            outlives: link.outlives,
            press: None,
            _reader: reader,
            _stderr: aside,
        });
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.stderr_tail.clear();
        self.log.push(Event::Connected {
            process: identity,
            resumed: resumed.cloned(),
        });
        let greeting = self.greeting.clone().map(|greeting| (self.fresh_id(), greeting));
        self.arriving = greeting
            .as_ref()
            .map(|(id, _)| Arriving::new(id.clone(), resumed.cloned()));
        // An agent that knew nothing of the session has not read the prompts that are in doubt either: it gets them again.
        let anew = std::mem::take(&mut self.anew);
        self.step(What::Starting {
            resumed: resumed.is_some() || anew,
        });
        // The greeting is the first line, before prompts that have waited.
        let greeted = greeting.map(|(id, greeting)| self.request(id, greeting, self.deadlines.greeting));
        self.step(What::Up);
        self.step(What::Connected);
        greeted
    }

    pub(super) async fn take(&mut self, heard: Option<Vec<Heard>>) {
        let Some(batch) = heard else {
            self.output_ended();
            return;
        };
        let mut first = true;
        for heard in batch {
            match heard {
                Heard::Message(message) => {
                    let frame = message.frame().clone();
                    if let Some(mirror) = &mut self.mirror {
                        match frame.message_type() {
                            MessageType::TranscriptMirror => {
                                // For the store alone: those who listen have heard it all.
                                mirror.take(message);
                                continue;
                            }
                            MessageType::Result => mirror.flush(),
                            _ => {}
                        }
                    }
                    if let Some(arriving) = &mut self.arriving {
                        arriving.hear(&message);
                    }
                    self.log.add(Event::Message(message));
                    // Listeners begin with the first line of a read before it is folded, and find the others when they
                    // come back. Whoever looks at the conversation then is answered after all of it.
                    if std::mem::take(&mut first) && self.log.wake() {
                        tokio::task::yield_now().await;
                    }
                    self.step(What::Said(frame));
                }
                Heard::Malformed(malformed) => {
                    let line = Arc::clone(&malformed.text);
                    self.log.push(Event::Malformed(Arc::new(malformed)));
                    self.step(What::Garbled(line.into()));
                }
                Heard::TooLong(bytes) => self.log.push(Event::TooLong { bytes }),
            }
        }
    }

    pub(super) fn take_stderr(&mut self, said: Option<Arc<str>>) {
        match said {
            Some(line) => {
                if self.stderr_tail.len() == TAIL {
                    self.stderr_tail.pop_front();
                }
                self.stderr_tail.push_back(Arc::clone(&line));
                self.log.push(Event::Stderr(line));
            }
            None => {
                if let Some(live) = &mut self.live {
                    live.stderr = None;
                }
            }
        }
    }

    fn output_ended(&mut self) {
        let terminate = self.deadlines.terminate;
        let Some(live) = &mut self.live else { return };
        live.output_open = false;
        match (&live.process, live.exit) {
            (Some(_), None) => {
                // An agent that says no more is of no use; it should be about to leave.
                live.press.get_or_insert((Press::Terminate, Instant::now() + terminate));
            }
            (Some(_), Some(exit)) => self.ended(Some(exit)),
            (None, _) => self.ended(None),
        }
    }

    pub(super) fn take_exit(&mut self, exit: Exit) {
        let Some(live) = &mut self.live else { return };
        live.exit = Some(exit);
        live.ends = None;
        if live.output_open {
            // What it said last may still be in the pipe.
            live.press = Some((Press::Forget, Instant::now() + LAST_WORDS));
        } else {
            self.ended(Some(exit));
        }
    }

    /// Gives the agent up, where there is no process to end.
    pub(super) fn lose(&mut self) {
        self.ended(None);
    }

    fn ended(&mut self, exit: Option<Exit>) {
        let Some(mut live) = self.live.take() else { return };
        // What it wrote beside the protocol before it went.
        while let Some(said) = live.stderr.as_mut().and_then(|stderr| stderr.try_recv().ok()) {
            self.take_stderr(Some(said));
        }
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.log.push(Event::Gone { exit });
        if exit.is_none() && live.outlives {
            self.step(What::Lost);
        } else {
            self.step(What::Exited(exit.unwrap_or_default()));
        }
    }

    /// Ends the agent's input once all is written, and sees to it that it leaves.
    pub(super) fn close(&mut self, reply: Option<oneshot::Sender<()>>) {
        let leave = self.deadlines.leave;
        self.closing.get_or_insert_default().extend(reply);
        self.connecting = None;
        if let Some(live) = &mut self.live {
            live.press.get_or_insert((Press::Terminate, Instant::now() + leave));
        }
        self.end_input();
    }

    /// Ends the input when nothing waits to be written.
    pub(super) fn end_input(&mut self) {
        if self.closing.is_some()
            && self.outbox.is_empty()
            && let Some(live) = &mut self.live
        {
            live.writer = None;
        }
    }

    /// The agent did not leave in time.
    pub(super) fn press(&mut self) {
        let next = Instant::now() + self.deadlines.terminate;
        let Some(live) = &mut self.live else { return };
        live.writer = None;
        match (live.press.map(|(press, _)| press), &live.process) {
            (Some(Press::Terminate), Some(process)) => {
                process.terminate();
                live.press = Some((Press::Kill, next));
            }
            (Some(Press::Kill), Some(process)) => {
                process.kill();
                live.press = Some((Press::Forget, next));
            }
            (Some(Press::Forget), _) | (_, None) => {
                let exit = live.exit;
                self.ended(exit);
            }
            (None, Some(_)) => {}
        }
    }

    /// Reaches the agent again, to go on with its session.
    pub(super) fn respawn(&mut self) {
        if self.live.is_some() || self.connecting.is_some() || self.closing.is_some() {
            return;
        }
        let session: Option<Arc<str>> = self.state.session().id().map(Arc::from);
        match session {
            Some(session) if self.keeps => {
                self.reach(Start::resume(&*session));
                self.resuming = Some(session);
            }
            Some(session) => self.begin_anew(session, "sessions are not kept".into()),
            None => self.reach(Start::fresh()),
        }
    }

    pub(super) fn reach(&mut self, start: Start) {
        let transport = Arc::clone(&self.transport);
        self.connecting = Some(Box::pin(async move { transport.connect(start).await }));
    }

    pub(super) fn take_link(&mut self, link: Result<Link, Error>) {
        self.connecting = None;
        match link {
            Ok(link) => {
                let resumed = self.resuming.take();
                // Whether it greets back shows in `arrived`.
                if self.attach(link, resumed.as_ref()).is_none() {
                    self.arrived(None);
                }
            }
            Err(error) => self.unreachable(&error),
        }
        self.watch_ladder();
    }

    /// Whether nothing can happen any more.
    pub(super) fn is_over(&self) -> bool {
        self.closing.is_some() && self.live.is_none()
    }

    /// Ends what is still open.
    pub(super) fn finish(&mut self) {
        self.step(What::Closed);
        for (_, waiter) in self.waiters.drain() {
            waiter.send(Err(Error::gone())).ok();
        }
        for stop in self.stops.drain(..) {
            stop.reply.send(Err(Error::gone())).ok();
        }
        for (_, reply) in self.ends.drain(..) {
            reply.send(Err(Error::gone())).ok();
        }
        self.log.close();
        for reply in self.closing.take().into_iter().flatten() {
            reply.send(()).ok();
        }
    }

    /// Whether prompts and requests can be taken: an agent is there, or on its way.
    pub(super) fn check_open(&self, bytes: usize) -> Result<(), Error> {
        let gone = self.live.is_none()
            && self.connecting.is_none()
            && matches!(self.state.process(), ProcessStatus::Exited { .. });
        if gone || self.closing.is_some() {
            return Err(Error::gone());
        }
        if self.outbox_bytes + bytes > self.outbox_cap {
            return Err(Error::new(
                ErrorKind::Busy,
                "too much waits to be written; the agent does not read its input",
            ));
        }
        Ok(())
    }
}
