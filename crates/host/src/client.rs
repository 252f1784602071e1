//! `Client`: an open conversation with an agent. It accepts prompts and control requests and provides events and state.

mod control;

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{Stream, StreamExt as _};
use sluice_wire::control::{HostRequest, Initialize, InitializeResponse, RequestId};
use sluice_wire::stdin::User;
use sluice_wire::{Frame, ToAgent};
use tokio::sync::{mpsc, oneshot};

use crate::callbacks::PermissionDecision;
use crate::conversation::{ConversationState, Snapshot};
use crate::driver::{ClientCommand, Ended, Owner, Stopped, is_harmless};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::log::{Events, Log};
use crate::message::Message;
use crate::options::Options;
use crate::store;
use crate::transport::{ChildTransport, Link, Start, Transport};

/// The maximum number of commands queued for the driver.
const COMMAND_QUEUE: usize = 64;

/// A conversation with an agent. Clones share the conversation; it is closed when the last clone is dropped.
///
/// ```
/// use sluice_host::{Client, Options};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sluice_host::Error> {
/// let options = Options::new().cwd(".");
/// # let agent = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/agent.sh"));
/// # let options = options.program("sh").program_args(["-c", agent]);
/// let client = Client::connect(options).await?;
/// let ended = client.run("What is 2 + 2?").await?;
/// assert_eq!(ended.result.and_then(|result| result.result).as_deref(), Some("4"));
/// client.close().await;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    commands: mpsc::Sender<ClientCommand>,
    log: Log,
    initialized: Arc<InitializeResponse>,
}

impl Client {
    /// Starts the agent according to the options, and sends `initialize`.
    ///
    /// # Errors
    /// Returns an error if the agent cannot be started or does not answer `initialize`.
    pub async fn connect(mut options: Options) -> Result<Self, Error> {
        let layout = store::write_session(&mut options).await?;
        let launch = options.clone();
        let transport = ChildTransport::new(move |start| {
            // Keeps the files of a stored session as long as the agent may be restarted.
            let _ = &layout;
            launch.launch(start)
        });
        Self::over(transport, options).await
    }

    /// Connects to an agent over a transport, and sends `initialize`.
    ///
    /// # Errors
    /// Returns an error if the agent cannot be reached or does not answer `initialize`.
    pub async fn over(transport: impl Transport, options: Options) -> Result<Self, Error> {
        let (mut client, initialized) = Self::open(transport, &options, Owner::attach_first).await?;
        if let Some(initialized) = initialized {
            let answer = initialized.await.map_err(|_| Error::gone())?;
            client.initialized = Arc::new(match answer {
                Ok(success) => control::read(Initialize::SUBTYPE, success)?,
                // The agent was already initialized by an earlier host.
                Err(error) if error.kind() == ErrorKind::Refused => InitializeResponse::default(),
                Err(error) => return Err(error),
            });
        }
        Ok(client)
    }

    /// Observes an agent, or a recording of one, without sending `initialize`.
    ///
    /// # Errors
    /// Returns an error if the agent cannot be reached.
    pub async fn watch(transport: impl Transport, options: Options) -> Result<Self, Error> {
        let attach = |owner: &mut Owner, link| {
            owner.set_passive();
            owner.attach_first(link)
        };
        let (client, _) = Self::open(transport, &options, attach).await?;
        Ok(client)
    }

    async fn open<T>(
        transport: impl Transport,
        options: &Options,
        attach: impl FnOnce(&mut Owner, Link) -> T,
    ) -> Result<(Self, T), Error> {
        let transport: Arc<dyn Transport> = Arc::new(transport);
        let link = transport.connect(Start::fresh()).await?;
        let log = Log::new(options.log_cap);
        let (commands, inbox) = mpsc::channel(COMMAND_QUEUE);
        let mut owner = Owner::new(options, transport, log.clone());
        let result = attach(&mut owner, link);
        tokio::spawn(owner.run(inbox));
        let client = Self {
            commands,
            log,
            initialized: Arc::default(),
        };
        Ok((client, result))
    }

    /// Returns the agent's response to `initialize`: its commands, models and agents.
    #[must_use]
    pub fn greeting(&self) -> &InitializeResponse {
        &self.initialized
    }

    /// Submits a prompt and returns its uuid. The prompt is queued if the agent is not ready.
    ///
    /// # Errors
    /// Returns an error if the agent has exited or does not read its input.
    pub async fn send(&self, prompt: impl Into<Prompt>) -> Result<String, Error> {
        self.submit(prompt.into(), None).await
    }

    /// Submits each prompt of a stream as it becomes available.
    ///
    /// # Errors
    /// See [`Client::send`]. Prompts that were submitted before the error remain submitted.
    pub async fn send_all<P: Into<Prompt>>(&self, prompts: impl Stream<Item = P>) -> Result<Vec<String>, Error> {
        let mut prompts = std::pin::pin!(prompts);
        let mut sent = Vec::new();
        while let Some(prompt) = prompts.next().await {
            sent.push(self.send(prompt).await?);
        }
        Ok(sent)
    }

    /// Submits a prompt and waits until its turn has ended.
    ///
    /// # Errors
    /// Returns an error if the agent exits before it reads the prompt.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> Result<Ended, Error> {
        let (ended, end) = oneshot::channel();
        self.submit(prompt.into(), Some(ended)).await?;
        end.await.map_err(|_| Error::gone())?
    }

    pub(crate) async fn submit(
        &self,
        prompt: Prompt,
        ended: Option<oneshot::Sender<Result<Ended, Error>>>,
    ) -> Result<String, Error> {
        let user = prompt.0;
        let uuid = user.uuid.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let (reply, accepted) = oneshot::channel();
        let command = ClientCommand::Send {
            uuid: uuid.clone(),
            prompt: Box::new(user),
            reply,
            ended,
        };
        self.send_command(command).await?;
        accepted.await.map_err(|_| Error::gone())??;
        Ok(uuid)
    }

    /// Withdraws a prompt whose turn has not started.
    ///
    /// # Errors
    /// Returns an error if the client is closed.
    pub async fn withdraw(&self, uuid: impl Into<String>) -> Result<(), Error> {
        self.send_command(ClientCommand::Withdraw { uuid: uuid.into() }).await
    }

    /// Stops the turn, escalating until it ends: running callbacks are cancelled, the agent is sent an interrupt, its process
    /// group is terminated, then killed, and the agent is restarted with its session. Each step is an event. Prompts that
    /// are sent meanwhile wait.
    ///
    /// # Errors
    /// Returns an error if the agent has exited and could not be restarted.
    pub async fn interrupt(&self) -> Result<Stopped, Error> {
        self.stop(false).await
    }

    /// Like [`Client::interrupt`], and also discards the prompts that are queued inside the agent, if it supports this.
    ///
    /// # Errors
    /// See [`Client::interrupt`].
    pub async fn interrupt_all(&self) -> Result<Stopped, Error> {
        self.stop(true).await
    }

    async fn stop(&self, cancel_queued: bool) -> Result<Stopped, Error> {
        let (reply, stopped) = oneshot::channel();
        self.send_command(ClientCommand::Interrupt { cancel_queued, reply })
            .await?;
        stopped.await.map_err(|_| Error::gone())?
    }

    /// Answers a permission request for which there is no callback. The first answer counts.
    ///
    /// # Errors
    /// Returns an error if the request is not open, or no longer.
    pub async fn answer(&self, ask: impl Into<RequestId>, answer: PermissionDecision) -> Result<(), Error> {
        self.answer_as(ask, answer, None).await
    }

    /// Like [`Client::answer`], and records who answered.
    ///
    /// # Errors
    /// See [`Client::answer`].
    pub async fn answer_as(
        &self,
        ask: impl Into<RequestId>,
        answer: PermissionDecision,
        by: Option<&str>,
    ) -> Result<(), Error> {
        let (reply, answered) = oneshot::channel();
        let command = ClientCommand::Answer {
            ask: ask.into(),
            answer,
            by: by.map(Into::into),
            reply,
        };
        self.send_command(command).await?;
        answered.await.map_err(|_| Error::gone())?
    }

    /// Returns a stream of all events from now on.
    #[must_use]
    pub fn events(&self) -> Events {
        self.log.read_from(self.log.next_number())
    }

    /// Returns a stream of events starting with number `position`, or with the oldest one that is stored.
    #[must_use]
    pub fn events_from(&self, position: u64) -> Events {
        self.log.read_from(position)
    }

    /// Returns a stream of the agent's messages from now on.
    pub fn messages(&self) -> impl Stream<Item = Arc<Message>> + Send + Unpin + use<> {
        messages(self.events())
    }

    /// Calls a function with the conversation state (turns, permission requests, prompts, calls, cost) and returns its result.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sluice_host::Error> {
    /// # let agent = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/agent.sh"));
    /// # let options = sluice_host::Options::new().program("sh").program_args(["-c", agent]);
    /// # let client = sluice_host::Client::connect(options).await?;
    /// let asks = client.look(|state| state.pending_asks().count()).await?;
    /// assert_eq!(asks, 0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the client is closed.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&ConversationState) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, result) = oneshot::channel();
        let look = Box::new(move |state: &ConversationState| {
            reply.send(look(state)).ok();
        });
        self.send_command(ClientCommand::ReadState(look)).await?;
        result.await.map_err(|_| Error::gone())
    }

    /// Releases the text of all items that are complete and were read up to this revision, for a client that has displayed
    /// them and can read them again elsewhere. This bounds the memory of a long session. The items and entries stay, without
    /// text; indices, turns, calls and cost are unchanged.
    ///
    /// # Errors
    /// Returns an error if the client is closed.
    pub async fn let_go(&self, revision: u64) -> Result<(), Error> {
        self.send_command(ClientCommand::ReleaseText(revision)).await
    }

    /// Returns a snapshot of the conversation state, and the number of the event that follows it.
    ///
    /// # Errors
    /// Returns an error if the client is closed.
    pub async fn snapshot(&self) -> Result<(Snapshot, u64), Error> {
        let log = self.log.clone();
        self.look(move |state| (state.snapshot(), log.next_number())).await
    }

    /// Returns the id of the session, or `None` if the agent has not reported it yet.
    ///
    /// # Errors
    /// Returns an error if the client is closed.
    pub async fn session_id(&self) -> Result<Option<String>, Error> {
        self.look(|state| state.session().id().map(str::to_owned)).await
    }

    /// Sends a control request and returns the parsed response.
    ///
    /// # Errors
    /// Returns an error if the agent rejects the request, does not answer, sends an invalid response, or has exited.
    pub async fn request<R: HostRequest>(&self, request: R) -> Result<R::Response, Error> {
        self.ask_agent(request, None).await
    }

    /// Like [`Client::request`], with the given timeout.
    ///
    /// # Errors
    /// See [`Client::request`].
    pub async fn request_within<R: HostRequest>(&self, request: R, within: Duration) -> Result<R::Response, Error> {
        self.ask_agent(request, Some(within)).await
    }

    async fn ask_agent<R: HostRequest>(&self, request: R, within: Option<Duration>) -> Result<R::Response, Error> {
        let (reply, answer) = oneshot::channel();
        let command = ClientCommand::Request {
            request: Box::new(request.into()),
            within,
            reply,
        };
        self.send_command(command).await?;
        let success = answer.await.map_err(|_| Error::gone())??;
        control::read(R::SUBTYPE, success)
    }

    /// Writes one line unchanged, bypassing the conversation. Lines that could make an older agent exit are rejected.
    ///
    /// # Errors
    /// Returns an error if the line is not a valid message of a host, or the agent has exited.
    pub async fn write_line(&self, line: &str) -> Result<(), Error> {
        let read = Frame::parse(line).and_then(|frame| frame.to_agent());
        let message = read.map_err(|error| Error::new(ErrorKind::Forbidden, error))?;
        self.send_message(message).await
    }

    async fn send_message(&self, message: ToAgent) -> Result<(), Error> {
        if !is_harmless(&message) {
            let text = format!(
                "`{}` messages are never sent, because agents of older versions exit when they receive one",
                message.kind()
            );
            return Err(Error::new(ErrorKind::Forbidden, text));
        }
        let (reply, sent) = oneshot::channel();
        let command = ClientCommand::SendMessage {
            message: Box::new(message),
            reply,
        };
        self.send_command(command).await?;
        sent.await.map_err(|_| Error::gone())?
    }

    /// Restarts an agent that has exited, and resumes its session. Does nothing if the agent is running.
    ///
    /// # Errors
    /// Returns an error if the agent cannot be started.
    pub async fn respawn(&self) -> Result<(), Error> {
        let (reply, restarted) = oneshot::channel();
        self.send_command(ClientCommand::Respawn { reply }).await?;
        restarted.await.map_err(|_| Error::gone())?
    }

    /// Closes the agent's input and waits until the agent has exited. A running turn is finished first, within the deadline.
    pub async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.send_command(ClientCommand::Close { reply }).await.is_ok() {
            closed.await.ok();
        }
    }

    async fn send_command(&self, command: ClientCommand) -> Result<(), Error> {
        self.commands.send(command).await.map_err(|_| Error::gone())
    }
}

/// Returns the stream of messages within a stream of events.
pub(crate) fn messages(events: Events) -> impl Stream<Item = Arc<Message>> + Send + Unpin {
    events.filter_map(|event| {
        std::future::ready(match event {
            Event::Message(message) => Some(message),
            _ => None,
        })
    })
}

/// A prompt: text, blocks, or a whole message.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt(pub(crate) User);

impl Prompt {
    /// Creates a prompt from text or content blocks.
    pub fn new(content: impl Into<sluice_wire::content::Content>) -> Self {
        Self(User::new(content))
    }

    /// Sets the uuid. A prompt that is submitted twice with the same uuid runs once.
    #[must_use]
    pub fn uuid(mut self, uuid: impl Into<String>) -> Self {
        self.0.uuid = Some(uuid.into());
        self
    }

    /// Sets the priority among queued prompts.
    #[must_use]
    pub fn priority(mut self, priority: sluice_wire::stdin::Priority) -> Self {
        self.0.priority = Some(priority);
        self
    }

    /// Passes the prompt to the model unchanged, without expanding file mentions and slash commands.
    #[must_use]
    pub fn verbatim(mut self) -> Self {
        self.0.client_composed = Some(true);
        self
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<Vec<sluice_wire::content::Block>> for Prompt {
    fn from(blocks: Vec<sluice_wire::content::Block>) -> Self {
        Self::new(blocks)
    }
}

impl From<User> for Prompt {
    fn from(user: User) -> Self {
        Self(user)
    }
}
