//! `--await-claim`: a process that is started before its session is known and claimed later (`claim_session`).
//!
//! Until then, a parked session answers the host from the folder in which the process was started. It runs no hooks,
//! starts no MCP servers and accepts no prompts. The claim ends it and starts the session in the claimed folder, with
//! the `initialize` request of the parked session. Both are behind one [`Port`].

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use sluice_engine::{Exit, Input, Options, Port};
use sluice_wire::control::{ClaimSession, ControlRequest, ControlResponse, Initialize, Request, RequestId, Response};
use sluice_wire::mode::PermissionMode;
use sluice_wire::{Frame, Raw, ToAgent, ToHost};
use tokio::sync::mpsc;

use crate::environment::Environment;
use crate::flags::Flags;

/// Capacity of the channels between the door and the session.
const CHANNEL_CAPACITY: usize = 64;
/// Environment variables that a claim may set.
const VARIABLES: [&str; 3] = [
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_SESSION_ACCESS_TOKEN",
    "CLAUDE_CODE_HOST_SESSION_ID",
];
/// Id of the `initialize` request sent to the claimed session.
const INITIALIZE_ID: &str = "claimed-initialize";

/// Flags and environment of a claimed session.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) flags: Flags,
    pub(crate) environment: Environment,
}

impl Claimed {
    /// Applies a claim to the options of the process.
    ///
    /// # Errors
    /// The error message for the host, if the claim is refused.
    pub(crate) fn new(flags: &Flags, environment: &Environment, claim: &ClaimSession) -> Result<Self, String> {
        let (mut flags, cwd) = (flags.clone(), folder(&claim.cwd, environment)?);
        if let Some(mode) = &claim.permission_mode {
            let bypass = flags.dangerously_skip_permissions || flags.allow_dangerously_skip_permissions;
            if *mode == PermissionMode::BypassPermissions && !bypass {
                return Err("permission_mode_not_claimable: the process was not started with \
                            --allow-dangerously-skip-permissions"
                    .to_owned());
            }
            flags.permission_mode = Some(mode.as_str().to_owned());
            flags.dangerously_skip_permissions = false;
            flags.allow_dangerously_skip_permissions = bypass;
        }
        let added = claim.additional_directories.iter().flatten();
        let added = added.map(|added| cwd.join(added)).filter(|added| added.is_dir());
        flags.add_dir.extend(added.map(|added| added.display().to_string()));
        let mut variables = vec![("PWD".to_owned(), cwd.display().to_string())];
        for (name, value) in claim.env.iter().flatten() {
            if !VARIABLES.contains(&name.as_str()) {
                return Err(format!(
                    "claim_failed: a claim cannot set the environment variable {name}"
                ));
            }
            variables.push((name.clone(), value.clone()));
        }
        Ok(Self {
            environment: environment.claimed(cwd, variables),
            flags,
        })
    }
}

/// Returns the folder of a claim.
fn folder(named: &str, environment: &Environment) -> Result<PathBuf, String> {
    let path = match named.strip_prefix("~/") {
        Some(below) => environment.home.join(below),
        None => PathBuf::from(named),
    };
    if path.is_absolute() && path.is_dir() {
        return Ok(path);
    }
    Err(format!(
        "claim_failed: {named} is not an existing folder with an absolute path"
    ))
}

/// Parks a session. `plan` returns the options of the claimed session, or why the claim is refused; the process then
/// waits for another claim.
pub(crate) fn park<P>(parked: Port, session_id: String, plan: P) -> Port
where
    P: FnMut(&ClaimSession) -> Result<Options, String> + Send + 'static,
{
    let (input, inbox) = mpsc::channel(CHANNEL_CAPACITY);
    let (out, output) = mpsc::channel(CHANNEL_CAPACITY);
    let quit = tokio_util::sync::CancellationToken::new();
    let spare = Spare {
        session_id,
        inbox,
        out,
        greeting: None,
        began: Instant::now(),
    };
    let ended = quit.clone();
    let done = tokio::spawn(async move {
        tokio::select! {
            exit = spare.run(parked, plan) => exit,
            () = ended.cancelled() => Exit { code: 1 },
        }
    });
    Port {
        input,
        output,
        quit,
        done,
    }
}

/// A process that waits for a claim.
struct Spare {
    session_id: String,
    inbox: mpsc::Receiver<Vec<Input>>,
    out: mpsc::Sender<ToHost>,
    /// The `initialize` request of the host.
    greeting: Option<Initialize>,
    began: Instant,
}

/// Why parking ended.
enum Unparked {
    /// A claim, the options of its session, and input that was read after it.
    Claim(RequestId, Box<ClaimSession>, Box<Options>, Vec<Input>),
    /// A prompt without a claim.
    Prompt,
    /// The parked session ended, or the host disconnected.
    Over,
}

impl Spare {
    async fn run(mut self, mut parked: Port, plan: impl FnMut(&ClaimSession) -> Result<Options, String>) -> Exit {
        let unparked = self.wait(&mut parked, plan).await;
        parked.quit.cancel();
        // Discards the remaining messages of the parked session.
        while parked.output.recv().await.is_some() {}
        let exit = parked.done.await.unwrap_or(Exit { code: 1 });
        match unparked {
            Unparked::Over => exit,
            Unparked::Prompt => {
                let text = "not_claimed: the process waits for claim_session and takes no prompt before it";
                let refusal = sluice_engine::startup_failure(&self.session_id, "not_claimed", text);
                if let Some(message) = Frame::parse(&refusal).ok().and_then(|frame| frame.to_host().ok()) {
                    self.out.send(message).await.ok();
                }
                Exit { code: 1 }
            }
            Unparked::Claim(id, claim, options, rest) => match sluice_engine::start(*options) {
                Ok(port) => self.serve(port, id, &claim, rest).await,
                Err(error) => {
                    let refusal = ControlResponse::error(id, format!("claim_failed: {error}"));
                    self.out.send(refusal.into()).await.ok();
                    Exit { code: 1 }
                }
            },
        }
    }

    /// Connects the host to the parked session until a claim.
    async fn wait(
        &mut self,
        parked: &mut Port,
        mut plan: impl FnMut(&ClaimSession) -> Result<Options, String>,
    ) -> Unparked {
        loop {
            tokio::select! {
                message = parked.output.recv() => match message {
                    Some(message) => {
                        if self.out.send(message).await.is_err() {
                            return Unparked::Over;
                        }
                    }
                    None => return Unparked::Over,
                },
                inputs = self.inbox.recv() => {
                    let mut inputs = inputs.unwrap_or_else(|| vec![Input::Eof]).into_iter();
                    let mut before = Vec::new();
                    while let Some(input) = inputs.next() {
                        match self.sort(input) {
                            Sorted::Forward(Input::Eof) => return Unparked::Over,
                            Sorted::Forward(input) => before.push(input),
                            Sorted::Prompt => return Unparked::Prompt,
                            Sorted::Claim(id, claim) => match plan(&claim) {
                                Ok(options) => {
                                    return Unparked::Claim(id, claim, Box::new(options), inputs.collect());
                                }
                                Err(why) => {
                                    if self.out.send(ControlResponse::error(id, why).into()).await.is_err() {
                                        return Unparked::Over;
                                    }
                                }
                            },
                        }
                    }
                    if parked.input.send(before).await.is_err() {
                        return Unparked::Over;
                    }
                }
            }
        }
    }

    fn sort(&mut self, input: Input) -> Sorted {
        let Input::Message(message) = input else {
            return Sorted::Forward(input);
        };
        match *message {
            ToAgent::User(_) => Sorted::Prompt,
            ToAgent::ControlRequest(request) => match request.request {
                Request::ClaimSession(claim) => Sorted::Claim(request.request_id, claim),
                Request::Initialize(ref greeting) => {
                    self.greeting = Some((**greeting).clone());
                    Sorted::Forward(Input::Message(Box::new(ToAgent::ControlRequest(request))))
                }
                _ => Sorted::Forward(Input::Message(Box::new(ToAgent::ControlRequest(request)))),
            },
            other => Sorted::Forward(Input::Message(Box::new(other))),
        }
    }

    /// Initializes the claimed session like the parked one, and connects the host to it until it ends.
    async fn serve(mut self, port: Port, id: RequestId, claim: &ClaimSession, rest: Vec<Input>) -> Exit {
        let Port {
            input,
            mut output,
            done,
            quit,
        } = port;
        let guard = quit.drop_guard();
        let greeting = self.greeting(claim);
        let first = std::iter::once(greeting).chain(rest).collect();
        if input.send(first).await.is_err() {
            return Exit { code: 1 };
        }
        let claimed_cwd = claim.cwd.clone();
        let mut to_session = Some(input);
        loop {
            tokio::select! {
                inputs = self.inbox.recv(), if to_session.is_some() => {
                    let open = match (inputs, &to_session) {
                        (Some(inputs), Some(input)) => input.send(inputs).await.is_ok(),
                        _ => false,
                    };
                    if !open {
                        to_session = None;
                    }
                }
                message = output.recv() => {
                    let Some(message) = message else { break };
                    let message = self.replaced(message, &id, &claimed_cwd);
                    if self.out.send(message).await.is_err() {
                        break;
                    }
                }
            }
        }
        drop(guard);
        done.await.unwrap_or(Exit { code: 1 })
    }

    /// Builds the `initialize` request for the claimed session, including the additions of the claim.
    fn greeting(&mut self, claim: &ClaimSession) -> Input {
        let mut greeting = self.greeting.take().unwrap_or_default();
        if let Some(append) = &claim.append_system_prompt {
            greeting.append_system_prompt = Some(append.clone());
        }
        if let Some(title) = &claim.title {
            greeting.title = Some(title.clone());
        }
        if let Some(agents) = &claim.agents {
            let mut all = greeting.agents.take().unwrap_or_default();
            all.extend(
                agents
                    .iter()
                    .map(|(name, agent): (&String, &Raw)| (name.clone(), agent.clone())),
            );
            greeting.agents = Some(all);
        }
        let request = ControlRequest::new(RequestId::from(INITIALIZE_ID), Request::Initialize(Box::new(greeting)));
        Input::Message(Box::new(ToAgent::ControlRequest(Box::new(request))))
    }

    /// Converts the response to that request into the response to the claim.
    fn replaced(&self, message: ToHost, id: &RequestId, cwd: &str) -> ToHost {
        let ToHost::ControlResponse(mut response) = message else {
            return message;
        };
        if response.request_id().to_string() != INITIALIZE_ID {
            return ToHost::ControlResponse(response);
        }
        match &mut response.response {
            Response::Success(success) => {
                let parked_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
                success.request_id = id.clone();
                success.response = Some(json!({
                    "status": "ok",
                    "cwd": Path::new(cwd),
                    "session_id": self.session_id,
                    "parked_ms": parked_ms,
                    "sdk_mcp_settled": true,
                    "initialize": success.response.take().unwrap_or(Value::Null),
                }));
            }
            Response::Error(failure) => failure.request_id = id.clone(),
            Response::Unknown(_) => {}
        }
        ToHost::ControlResponse(response)
    }
}

/// How a parked process handles an input.
enum Sorted {
    Forward(Input),
    Prompt,
    Claim(RequestId, Box<ClaimSession>),
}
