//! `Client`: an open conversation with an agent. Prompts, control requests, events and the state go through it.

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

/// How many wishes may wait for the owner.
const DEPTH: usize = 64;

/// A conversation with an agent. Clones are the same conversation; with the last one it is closed.
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
    greeted: Arc<InitializeResponse>,
}

impl Client {
    /// Starts the agent the options name, and sends `initialize`.
    ///
    /// # Errors
    /// When it cannot be started, or does not greet back.
    pub async fn connect(mut options: Options) -> Result<Self, Error> {
        let laid = store::lay_out(&mut options).await?;
        let launch = options.clone();
        let transport = ChildTransport::new(move |start| {
            // What was laid out for the agent is there as long as it can be started.
            let _ = &laid;
            launch.launch(start)
        });
        Self::over(transport, options).await
    }

    /// Connects to an agent over a transport, and sends `initialize`.
    ///
    /// # Errors
    /// When it cannot be reached, or does not greet back.
    pub async fn over(transport: impl Transport, options: Options) -> Result<Self, Error> {
        let (mut client, greeted) = Self::open(transport, &options, Owner::begin).await?;
        if let Some(greeted) = greeted {
            let answer = greeted.await.map_err(|_| Error::gone())?;
            client.greeted = Arc::new(match answer {
                Ok(success) => control::read(Initialize::SUBTYPE, success)?,
                // An agent that was greeted before, by whoever held it, need not be again.
                Err(error) if error.kind() == ErrorKind::Refused => InitializeResponse::default(),
                Err(error) => return Err(error),
            });
        }
        Ok(client)
    }

    /// Listens to an agent, or to a recording of one, without sending `initialize`.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn watch(transport: impl Transport, options: Options) -> Result<Self, Error> {
        let begin = |owner: &mut Owner, link| {
            owner.only_watch();
            owner.begin(link)
        };
        let (client, _) = Self::open(transport, &options, begin).await?;
        Ok(client)
    }

    async fn open<T>(
        transport: impl Transport,
        options: &Options,
        begin: impl FnOnce(&mut Owner, Link) -> T,
    ) -> Result<(Self, T), Error> {
        let transport: Arc<dyn Transport> = Arc::new(transport);
        let link = transport.connect(Start::fresh()).await?;
        let log = Log::new(options.log_cap);
        let (commands, inbox) = mpsc::channel(DEPTH);
        let mut owner = Owner::new(options, transport, log.clone());
        let begun = begin(&mut owner, link);
        tokio::spawn(owner.run(inbox));
        let client = Self {
            commands,
            log,
            greeted: Arc::default(),
        };
        Ok((client, begun))
    }

    /// The agent's response to `initialize`: its commands, models, agents.
    #[must_use]
    pub fn greeting(&self) -> &InitializeResponse {
        &self.greeted
    }

    /// Submits a prompt and gives its uuid. It is queued; nothing is lost by sending early.
    ///
    /// # Errors
    /// When the agent is gone, or does not read.
    pub async fn send(&self, prompt: impl Into<Prompt>) -> Result<String, Error> {
        self.submit(prompt.into(), None).await
    }

    /// Submits every prompt of a stream as it comes.
    ///
    /// # Errors
    /// As [`Client::send`]; what was sent before stays sent.
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
    /// When the agent is gone before it read the prompt.
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
        self.tell(command).await?;
        accepted.await.map_err(|_| Error::gone())??;
        Ok(uuid)
    }

    /// Cancels a prompt that has not begun.
    ///
    /// # Errors
    /// When the client is closed.
    pub async fn withdraw(&self, uuid: impl Into<String>) -> Result<(), Error> {
        self.tell(ClientCommand::Withdraw { uuid: uuid.into() }).await
    }

    /// Stops the turn, whatever it takes: callbacks are withdrawn, the agent is asked, its group is told to end, is ended,
    /// and the agent started again with its session. Each step is an event; prompts sent meanwhile wait.
    ///
    /// # Errors
    /// When the agent is gone and could not be started again.
    pub async fn interrupt(&self) -> Result<Stopped, Error> {
        self.stop(false).await
    }

    /// The same, and forgets the prompts that wait inside the agent, where it can.
    ///
    /// # Errors
    /// As [`Client::interrupt`].
    pub async fn interrupt_all(&self) -> Result<Stopped, Error> {
        self.stop(true).await
    }

    async fn stop(&self, cancel_queued: bool) -> Result<Stopped, Error> {
        let (reply, stopped) = oneshot::channel();
        self.tell(ClientCommand::Interrupt { cancel_queued, reply }).await?;
        stopped.await.map_err(|_| Error::gone())?
    }

    /// Answers an ask that no callback answers. The first answer counts.
    ///
    /// # Errors
    /// When it is not open, or no longer.
    pub async fn answer(&self, ask: impl Into<RequestId>, answer: PermissionDecision) -> Result<(), Error> {
        self.answer_as(ask, answer, None).await
    }

    /// The same, and says who answered.
    ///
    /// # Errors
    /// As [`Client::answer`].
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
        self.tell(command).await?;
        answered.await.map_err(|_| Error::gone())?
    }

    /// Everything that happens from now on.
    #[must_use]
    pub fn events(&self) -> Events {
        self.log.read_from(self.log.next_number())
    }

    /// Everything that happened since event number `position`, as far as it is kept, and from then on.
    #[must_use]
    pub fn events_from(&self, position: u64) -> Events {
        self.log.read_from(position)
    }

    /// The agent's lines from now on.
    pub fn messages(&self) -> impl Stream<Item = Arc<Message>> + Send + Unpin + use<> {
        messages(self.events())
    }

    /// Reads the conversation state: turns, asks, prompts, calls, cost.
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
    /// When the client is closed.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&ConversationState) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, seen) = oneshot::channel();
        let look = Box::new(move |state: &ConversationState| {
            reply.send(look(state)).ok();
        });
        self.tell(ClientCommand::Look(look)).await?;
        seen.await.map_err(|_| Error::gone())
    }

    /// Releases the text of all items that are complete and were read up to this revision, for a client that has shown
    /// them and can read them again elsewhere. A session of hours then needs memory only for what is new in it. The items
    /// and entries stay, without text; so do turns, calls and cost.
    ///
    /// # Errors
    /// When the client is closed.
    pub async fn let_go(&self, revision: u64) -> Result<(), Error> {
        self.tell(ClientCommand::LetGo(revision)).await
    }

    /// A snapshot of the conversation state, with the number of the event that follows it.
    ///
    /// # Errors
    /// When the client is closed.
    pub async fn snapshot(&self) -> Result<(Snapshot, u64), Error> {
        let log = self.log.clone();
        self.look(move |state| (state.snapshot(), log.next_number())).await
    }

    /// The session's id, once the agent has named it.
    ///
    /// # Errors
    /// When the client is closed.
    pub async fn session_id(&self) -> Result<Option<String>, Error> {
        self.look(|state| state.session().id().map(str::to_owned)).await
    }

    /// Makes a request of the agent and reads its answer.
    ///
    /// # Errors
    /// When the agent refuses, stays silent, answers something else or is gone.
    pub async fn request<R: HostRequest>(&self, request: R) -> Result<R::Response, Error> {
        self.ask_agent(request, None).await
    }

    /// The same, with a deadline of its own.
    ///
    /// # Errors
    /// As [`Client::request`].
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
        self.tell(command).await?;
        let success = answer.await.map_err(|_| Error::gone())??;
        control::read(R::SUBTYPE, success)
    }

    /// Writes one line as it is, past the conversation. Lines that could end an agent are refused.
    ///
    /// # Errors
    /// When the line is no message of a host, or the agent is gone.
    pub async fn write_line(&self, line: &str) -> Result<(), Error> {
        let read = Frame::parse(line).and_then(|frame| frame.to_agent());
        let message = read.map_err(|error| Error::new(ErrorKind::Forbidden, error))?;
        self.say(message).await
    }

    async fn say(&self, message: ToAgent) -> Result<(), Error> {
        if !is_harmless(&message) {
            let text = format!(
                "`{}` is never sent: an agent of an older version ends on it",
                message.kind()
            );
            return Err(Error::new(ErrorKind::Forbidden, text));
        }
        let (reply, said) = oneshot::channel();
        let command = ClientCommand::Say {
            message: Box::new(message),
            reply,
        };
        self.tell(command).await?;
        said.await.map_err(|_| Error::gone())?
    }

    /// Starts an agent that is gone again, to go on with its session. Does nothing when it is there.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn respawn(&self) -> Result<(), Error> {
        let (reply, there) = oneshot::channel();
        self.tell(ClientCommand::Respawn { reply }).await?;
        there.await.map_err(|_| Error::gone())?
    }

    /// Ends the agent's input and waits until it is gone: what runs is finished first, within the deadline.
    pub async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.tell(ClientCommand::Close { reply }).await.is_ok() {
            closed.await.ok();
        }
    }

    async fn tell(&self, command: ClientCommand) -> Result<(), Error> {
        self.commands.send(command).await.map_err(|_| Error::gone())
    }
}

/// The messages among events.
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
    /// The text or blocks.
    pub fn new(content: impl Into<sluice_wire::content::Content>) -> Self {
        Self(User::new(content))
    }

    /// Under this uuid: submitting the same one twice runs it once.
    #[must_use]
    pub fn uuid(mut self, uuid: impl Into<String>) -> Self {
        self.0.uuid = Some(uuid.into());
        self
    }

    /// The priority among prompts that wait.
    #[must_use]
    pub fn priority(mut self, priority: sluice_wire::stdin::Priority) -> Self {
        self.0.priority = Some(priority);
        self
    }

    /// Taken as it is: no files mentioned, no slash commands.
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
