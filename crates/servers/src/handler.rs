//! Requests and notifications that an MCP server sends to us.

// Servers of today ask for roots, whatever the newest revision thinks of it.
#![allow(deprecated)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomNotification, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ListRootsResult, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion, Root,
    RootsCapabilities, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use sluice_wire::Raw;
use sluice_wire::control::{Elicitation, ElicitationAction as Action, ElicitationResponse};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::surroundings::Surroundings;

/// The least time between two progress messages of a call.
const TELLING: Duration = Duration::from_secs(1);

/// How much of a warning is kept, in letters.
const LONGEST_WARNING: usize = 300;

/// The other end of one connection.
pub(crate) struct Handler {
    pub(super) server: String,
    pub(super) around: Arc<Surroundings>,
    pub(super) stale: Arc<Stale>,
    pub(super) calls: Arc<Calls>,
    /// The last thing the server warned of.
    pub(super) warning: Arc<Mutex<Option<String>>>,
    /// A server inside the host is told of no abilities: whatever it wants it asks its host.
    pub(super) bare: bool,
}

/// Changes of a server's lists, and how many of them have been read.
#[derive(Debug)]
pub(crate) struct Stale {
    pub(super) notify: Notify,
    changes: watch::Sender<u64>,
    read: watch::Sender<u64>,
}

impl Default for Stale {
    fn default() -> Self {
        Self {
            notify: Notify::new(),
            changes: watch::Sender::new(0),
            read: watch::Sender::new(0),
        }
    }
}

impl Stale {
    /// A list has changed.
    fn change(&self) {
        self.changes.send_modify(|changes| *changes += 1);
        self.notify.notify_one();
    }

    /// The number of changes so far, to be given to [`Stale::note_read`] when the lists were read after it.
    pub(super) fn changes(&self) -> u64 {
        *self.changes.borrow()
    }

    /// Records that the lists were read (or could not be read) after this number of changes.
    pub(super) fn note_read(&self, changes: u64) {
        self.read.send_replace(changes);
    }

    /// Resolves when the lists were read after all changes so far; `None` if they were.
    pub(super) fn settled(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let changes = self.changes();
        let mut read = self.read.subscribe();
        if *read.borrow() >= changes {
            return None;
        }
        Some(async move {
            read.wait_for(|read| *read >= changes).await.ok();
        })
    }
}

/// The calls that are out, by the token their progress carries.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Mutex<HashMap<ProgressToken, Tracked>>,
}

#[derive(Debug)]
struct Tracked {
    call_id: String,
    tool: String,
    began: Instant,
    told: Option<Instant>,
}

impl Calls {
    pub(super) fn track(&self, token: ProgressToken, call_id: &str, tool: &str) {
        let tracked = Tracked {
            call_id: call_id.to_owned(),
            tool: tool.to_owned(),
            began: Instant::now(),
            told: None,
        };
        self.lock().insert(token, tracked);
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.lock().remove(token);
    }

    /// The progress of a call to report; `None` if it was just reported, or if there is no such call.
    fn progress(&self, token: &ProgressToken) -> Option<(String, String, Duration)> {
        let mut open = self.lock();
        let tracked = open.get_mut(token)?;
        let now = Instant::now();
        if tracked.told.is_some_and(|told| now - told < TELLING) {
            return None;
        }
        tracked.told = Some(now);
        Some((tracked.call_id.clone(), tracked.tool.clone(), now - tracked.began))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, Tracked>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name and version of this client.
fn introduction() -> Implementation {
    Implementation::new("sluice", env!("CARGO_PKG_VERSION")).with_title("Sluice")
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if !self.bare {
            let mut roots = RootsCapabilities::default();
            roots.list_changed = Some(true);
            capabilities.roots = Some(roots);
            capabilities.elicitation = Some(
                ElicitationCapability::new()
                    .with_form(FormElicitationCapability::default())
                    .with_url(UrlElicitationCapability::default()),
            );
        }
        ClientConfig::new(capabilities, introduction()).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let roots = self.around.roots.iter();
        let uri = |path: &std::path::PathBuf| {
            reqwest::Url::from_file_path(path)
                .ok()
                .map(|url| Root::new(url.to_string()))
        };
        Ok(ListRootsResult::new(roots.filter_map(uri).collect()))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let question = question(&self.server, &request);
        let said = tokio::select! {
            said = self.asked(question) => said,
            () = context.ct.cancelled() => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
        };
        Ok(answer(said.as_ref()))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        if let Some((call_id, tool, elapsed)) = self.calls.progress(&params.progress_token) {
            self.around.host.tool_progress(&call_id, &tool, elapsed).await;
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.stale.change();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.stale.change();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.stale.change();
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        if let Some(warning) = warning(&params) {
            *self.warning.lock().unwrap_or_else(PoisonError::into_inner) = Some(warning);
        }
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _context: NotificationContext<RoleClient>,
    ) {
        let id = notification
            .params
            .as_ref()
            .and_then(|params| params.get("elicitationId")?.as_str());
        if let ("notifications/elicitation/complete", Some(id)) = (notification.method.as_str(), id) {
            self.around.host.elicitation_complete(&self.server, id).await;
        }
    }
}

impl Handler {
    /// What is answered to a question: by a hook in the person's place, or by the person and the hooks that see it.
    async fn asked(&self, question: Elicitation) -> Option<ElicitationResponse> {
        let host = &self.around.host;
        if let Some(said) = host.elicitation(&question).await {
            return Some(said);
        }
        let said = response(host.request(question.clone().into()).await.ok()?.await.ok()?);
        Some(host.elicitation_result(&question, &said).await.unwrap_or(said))
    }
}

/// The warning in a log message of a server; other levels are ignored.
fn warning(line: &LoggingMessageNotificationParam) -> Option<String> {
    use LoggingLevel::{Debug, Info, Notice};
    if matches!(line.level, Debug | Info | Notice) {
        return None;
    }
    let said = match &line.data {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(said.chars().take(LONGEST_WARNING).collect())
}

/// An elicitation of a server, as a control request to the host.
fn question(server: &str, request: &ElicitRequestParams) -> Elicitation {
    let mut question = Elicitation {
        mcp_server_name: server.to_owned(),
        ..Elicitation::default()
    };
    match request {
        ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } => {
            question.message.clone_from(message);
            question.mode = Some("form".to_owned());
            question.requested_schema = Some(Raw::of(requested_schema));
            question.property_order = Some(match &requested_schema.property_order {
                Some(order) => order.clone(),
                None => requested_schema.properties.keys().cloned().collect(),
            });
        }
        ElicitRequestParams::UrlElicitationParams {
            message,
            url,
            elicitation_id,
            ..
        } => {
            question.message.clone_from(message);
            question.mode = Some("url".to_owned());
            question.url = Some(url.clone());
            question.elicitation_id = Some(elicitation_id.clone());
        }
        // A kind of question nobody here knows cannot be put.
        _ => {}
    }
    question
}

/// The host's answer to an `elicitation`. One that cannot be read cancels.
fn response(said: Value) -> ElicitationResponse {
    serde_json::from_value(said).unwrap_or_else(|_| ElicitationResponse {
        action: Action::Cancel,
        ..ElicitationResponse::default()
    })
}

/// The answer a server gets. A host that cannot ask anybody has declined; an unknown action cancels.
fn answer(said: Option<&ElicitationResponse>) -> ElicitResult {
    let Some(said) = said else {
        return ElicitResult::new(ElicitationAction::Decline);
    };
    match said.action {
        Action::Accept => {
            let accepted = ElicitResult::new(ElicitationAction::Accept);
            match said.content.as_ref().filter(|content| !content.is_null()) {
                Some(content) => accepted.with_content(content.to_value()),
                None => accepted,
            }
        }
        Action::Decline => ElicitResult::new(ElicitationAction::Decline),
        Action::Cancel | Action::Other(_) => ElicitResult::new(ElicitationAction::Cancel),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_is_put_as_the_server_wrote_it() {
        let schema = json!({"type": "object", "properties": {
            "zip": {"type": "string", "title": "Zip"}, "age": {"type": "integer"}}, "required": ["zip"]});
        let request = serde_json::from_value(json!({"message": "Who?", "requestedSchema": schema})).unwrap();
        let question = question("tiny", &request);
        assert_eq!(question.mode.as_deref(), Some("form"));
        assert_eq!(question.property_order.unwrap(), ["zip", "age"]);
        let put: Value = serde_json::from_str(question.requested_schema.unwrap().get()).unwrap();
        assert_eq!(put, schema);
        let order: Vec<&String> = put
            .get("properties")
            .and_then(Value::as_object)
            .unwrap()
            .keys()
            .collect();
        assert_eq!(order, ["zip", "age"]);
    }

    #[test]
    fn whatever_the_host_says_is_an_answer() {
        let told = |said: Option<Value>| serde_json::to_value(answer(said.map(response).as_ref())).unwrap();
        assert_eq!(
            told(Some(json!({"action": "accept", "content": {"name": "Zoe"}}))),
            json!({"action": "accept", "content": {"name": "Zoe"}})
        );
        assert_eq!(told(Some(json!({"action": "accept"}))), json!({"action": "accept"}));
        assert_eq!(told(Some(json!({"action": "decline"}))), json!({"action": "decline"}));
        assert_eq!(told(Some(json!({"action": "later"}))), json!({"action": "cancel"}));
        assert_eq!(told(Some(json!(null))), json!({"action": "cancel"}));
        assert_eq!(told(None), json!({"action": "decline"}));
    }

    #[tokio::test(start_paused = true)]
    async fn progress_is_told_once_a_second_and_only_of_open_calls() {
        let calls = Calls::default();
        let token = ProgressToken(rmcp::model::NumberOrString::Number(4));
        assert!(calls.progress(&token).is_none());
        calls.track(token.clone(), "toolu_1", "mcp__s__t");
        assert!(calls.progress(&token).is_some());
        assert!(calls.progress(&token).is_none());
        tokio::time::advance(TELLING).await;
        assert_eq!(calls.progress(&token).unwrap().2, TELLING);
        calls.forget(&token);
        assert!(calls.progress(&token).is_none());
    }
}
