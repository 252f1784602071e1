//! A client and a server connected by a pair of pipes. The test acts as the person at the client.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ErrorData, Implementation, JsonObject, ProgressNotificationParam, ServerResult,
};
use rmcp::service::{
    NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RoleClient, RunningService, ServiceError,
    serve_client,
};
use rmcp::{ClientHandler, model::CallToolRequest};
use serde_json::Value;
use sluice_engine::settings::{Chosen, Places, Settings};
use sluice_engine::{ModelAuth, ModelConfig, Options};
use sluice_mcp_door::{Bounds, DoorError, serve_agent, serve_tools};
use sluice_simulator::{Brain, ModelServer};
use tempfile::TempDir;
use tokio::io::DuplexStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longer than any expected wait.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An elicitation that reached the person.
pub(crate) struct Asked {
    pub(crate) message: String,
    pub(crate) choices: Value,
    answer: oneshot::Sender<ElicitResult>,
    /// Cancelled when the elicitation is withdrawn.
    pub(crate) withdrawn: CancellationToken,
}

impl Asked {
    pub(crate) fn say(self, decision: &str) {
        let content = serde_json::json!({"decision": decision});
        let result = ElicitResult::new(ElicitationAction::Accept).with_content(content);
        self.answer.send(result).unwrap();
    }

    pub(crate) fn decline(self) {
        self.answer.send(ElicitResult::new(ElicitationAction::Decline)).unwrap();
    }
}

/// The client's handler for requests and notifications of the server.
pub(crate) struct Person {
    can_answer: bool,
    asks: mpsc::UnboundedSender<Asked>,
    progress: mpsc::UnboundedSender<ProgressNotificationParam>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let capabilities = match self.can_answer {
            true => ClientCapabilities::builder().enable_elicitation().build(),
            false => ClientCapabilities::default(),
        };
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } = request
        else {
            panic!("questions are forms")
        };
        let schema = serde_json::to_value(requested_schema).unwrap();
        let (answer, answered) = oneshot::channel();
        let asked = Asked {
            message,
            choices: schema["properties"]["decision"]["enum"].clone(),
            answer,
            withdrawn: context.ct.clone(),
        };
        assert!(self.asks.send(asked).is_ok(), "the test listens");
        tokio::select! {
            answer = answered => Ok(answer.unwrap_or_else(|_| ElicitResult::new(ElicitationAction::Cancel))),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        // The test may have ended.
        let _over = self.progress.send(params);
    }
}

/// A working folder, a server, and a client.
pub(crate) struct Rig {
    pub(crate) dir: TempDir,
    pub(crate) client: RunningService<RoleClient, Person>,
    asks: mpsc::UnboundedReceiver<Asked>,
    progress: mpsc::UnboundedReceiver<ProgressNotificationParam>,
    server: JoinHandle<Result<(), DoorError>>,
    pub(crate) stop: CancellationToken,
    pub(crate) model: Option<ModelServer>,
}

impl Rig {
    /// Serves the tools to a client that supports elicitation.
    pub(crate) async fn tools() -> Self {
        Self::tools_with(true, |_| {}).await
    }

    /// Serves the tools with changed options.
    pub(crate) async fn tools_with(can_answer: bool, change: impl FnOnce(&mut Options)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut options = options(dir.path(), "http://127.0.0.1:9");
        change(&mut options);
        let stop = CancellationToken::new();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = tokio::spawn(serve_tools(options, tokio::io::split(theirs), stop.clone()));
        Self::meet(dir, ours, server, stop, can_answer, None).await
    }

    /// Serves the agent with a scripted model.
    pub(crate) async fn agent(can_answer: bool, brain: impl Brain) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let model = ModelServer::start(brain).await.unwrap();
        let (root, url) = (dir.path().to_path_buf(), model.url());
        let bounds = Bounds {
            roots: vec![root.clone()],
            ..Bounds::default()
        };
        let stop = CancellationToken::new();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let launcher = Arc::new(move |errand: &sluice_mcp_door::Errand| {
            let mut options = options(&root, &url);
            if let Some(cwd) = &errand.cwd {
                options.cwd.clone_from(cwd);
            }
            options.permissions.mode.clone_from(&errand.mode);
            if let Some(id) = &errand.resume {
                options.session.refusal = Some(format!("No conversation found with session ID: {id}"));
            }
            Ok(options)
        });
        let serving = serve_agent(launcher, bounds, tokio::io::split(theirs), stop.clone());
        let server = tokio::spawn(serving);
        Self::meet(dir, ours, server, stop, can_answer, Some(model)).await
    }

    async fn meet(
        dir: TempDir,
        pipe: DuplexStream,
        server: JoinHandle<Result<(), DoorError>>,
        stop: CancellationToken,
        can_answer: bool,
        model: Option<ModelServer>,
    ) -> Self {
        let (asks_in, asks) = mpsc::unbounded_channel();
        let (progress_in, progress) = mpsc::unbounded_channel();
        let person = Person {
            can_answer,
            asks: asks_in,
            progress: progress_in,
        };
        let client = within(serve_client(person, tokio::io::split(pipe))).await.unwrap();
        Self {
            dir,
            client,
            asks,
            progress,
            server,
            stop,
            model,
        }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    /// Runs a call and waits for its result.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.try_call(tool, arguments).await.unwrap()
    }

    pub(crate) async fn try_call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        finish(self.begin(tool, arguments).await).await
    }

    /// Starts a call.
    pub(crate) async fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(object(&arguments));
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        self.client
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await
            .unwrap()
    }

    /// Waits for an elicitation.
    pub(crate) async fn asked(&mut self) -> Asked {
        within(self.asks.recv()).await.unwrap()
    }

    /// True if no elicitation is open.
    pub(crate) fn unasked(&mut self) -> bool {
        self.asks.try_recv().is_err()
    }

    /// Waits for a progress message that contains this text.
    pub(crate) async fn told(&mut self, wanted: &str) -> String {
        loop {
            let message = within(self.progress.recv()).await.unwrap().message.unwrap_or_default();
            if message.contains(wanted) {
                return message;
            }
        }
    }

    /// Disconnects and waits until the server has ended.
    pub(crate) async fn leave(self) -> TempDir {
        within(self.client.cancel()).await.unwrap();
        within(self.server).await.unwrap().unwrap();
        self.dir
    }
}

/// Waits for the result of a call.
pub(crate) async fn finish(handle: RequestHandle<RoleClient>) -> Result<CallToolResult, ServiceError> {
    match within(handle.await_response()).await? {
        ServerResult::CallToolResult(result) => Ok(result),
        other => panic!("not the result of a call: {other:?}"),
    }
}

/// The text of a result.
pub(crate) fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter().filter_map(|block| block.as_text());
    blocks.map(|text| text.text.clone()).collect::<Vec<_>>().join("\n")
}

/// Checks that a result is a failure. Returns its text.
pub(crate) fn failure(result: &CallToolResult) -> String {
    assert_eq!(result.is_error, Some(true), "{result:?}");
    text(result)
}

/// Awaits the future with a timeout.
pub(crate) async fn within<T>(awaited: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, awaited).await.expect("it takes too long")
}

fn object(value: &Value) -> JsonObject {
    value.as_object().unwrap().clone()
}

/// Options that are independent of this machine.
pub(crate) fn options(root: &Path, url: &str) -> Options {
    let places = Places {
        cwd: root.to_path_buf(),
        home: root.join("home"),
        config_dir: root.join("home/.claude"),
        managed: root.join("managed/settings.json"),
        global: root.join("home/.claude.json"),
    };
    let mut model_config = ModelConfig::new(url, ModelAuth::ApiKey("test".to_owned()));
    model_config.user_agent = "sluice-test".to_owned();
    let mut options = Options::new(Settings::load(&places, &Chosen::ALL, None, None), model_config);
    options.env = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())].into();
    options.prompt.date = "2026-01-01".to_owned();
    options
}
