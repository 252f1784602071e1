//! Handles requests and notifications from an MCP server.

// Current servers use roots, although the newest protocol revision deprecates them.
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

use super::context::ServerContext;

/// The minimum interval between two progress messages of a call.
const MIN_PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The maximum length of a stored warning in characters.
const MAX_WARNING: usize = 300;

/// The client's handler of one connection.
pub(crate) struct Handler {
    pub(super) server: String,
    pub(super) context: Arc<ServerContext>,
    pub(super) list_changes: Arc<ListChanges>,
    pub(super) calls: Arc<Calls>,
    /// The last warning in the server's log.
    pub(super) warning: Arc<Mutex<Option<String>>>,
    /// True for a server inside the host: no client capabilities are announced to it, as it can ask its host directly.
    pub(super) inside_host: bool,
}

/// Counts changes of a server's lists, and up to which change the lists were read.
#[derive(Debug)]
pub(crate) struct ListChanges {
    pub(super) notify: Notify,
    changes: watch::Sender<u64>,
    read: watch::Sender<u64>,
}

impl Default for ListChanges {
    fn default() -> Self {
        Self {
            notify: Notify::new(),
            changes: watch::Sender::new(0),
            read: watch::Sender::new(0),
        }
    }
}

impl ListChanges {
    /// Records that a list has changed.
    fn change(&self) {
        self.changes.send_modify(|changes| *changes += 1);
        self.notify.notify_one();
    }

    /// Returns the number of changes so far. Once the lists were read, pass it to [`ListChanges::note_read`].
    pub(super) fn changes(&self) -> u64 {
        *self.changes.borrow()
    }

    /// Records that reading the lists succeeded or failed after this number of changes.
    pub(super) fn note_read(&self, changes: u64) {
        self.read.send_replace(changes);
    }

    /// Resolves when the lists were read after all changes so far. `None` if they already were.
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

/// The calls that are waiting for a result, by the token of their progress notifications.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Mutex<HashMap<ProgressToken, Tracked>>,
    ended: Notify,
}

#[derive(Debug)]
struct Tracked {
    call_id: String,
    tool: String,
    started: Instant,
    last_report: Option<Instant>,
}

impl Calls {
    pub(super) fn track(&self, token: ProgressToken, call_id: &str, tool: &str) {
        let tracked = Tracked {
            call_id: call_id.to_owned(),
            tool: tool.to_owned(),
            started: Instant::now(),
            last_report: None,
        };
        self.lock().insert(token, tracked);
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.lock().remove(token);
        self.ended.notify_waiters();
    }

    /// Resolves when all calls that are open now have ended. Never resolves if none is open.
    async fn all_ended(&self) {
        let open: Vec<ProgressToken> = self.lock().keys().cloned().collect();
        if open.is_empty() {
            return std::future::pending().await;
        }
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            ended.as_mut().enable();
            if !open.iter().any(|token| self.lock().contains_key(token)) {
                return;
            }
            ended.await;
        }
    }

    /// Returns the progress of a call to report. `None` if it was reported recently or there is no such call.
    fn progress(&self, token: &ProgressToken) -> Option<(String, String, Duration)> {
        let mut open = self.lock();
        let tracked = open.get_mut(token)?;
        let now = Instant::now();
        if tracked
            .last_report
            .is_some_and(|last_report| now - last_report < MIN_PROGRESS_INTERVAL)
        {
            return None;
        }
        tracked.last_report = Some(now);
        Some((tracked.call_id.clone(), tracked.tool.clone(), now - tracked.started))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, Tracked>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name and version of this client.
fn introduction() -> Implementation {
    Implementation::new("sluice", env!("CARGO_PKG_VERSION")).with_title("Sluice")
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if !self.inside_host {
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
        let roots = self.context.roots.iter();
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
        let elicitation = to_control_request(&self.server, &request);
        let answered = tokio::select! {
            response = self.ask(elicitation) => response,
            () = context.ct.cancelled() => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
            // The call was interrupted: nobody waits for the answer any more.
            () = self.calls.all_ended() => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
        };
        Ok(answer(answered.as_ref()))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        if let Some((call_id, tool, elapsed)) = self.calls.progress(&params.progress_token) {
            self.context.host.tool_progress(&call_id, &tool, elapsed).await;
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.list_changes.change();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.list_changes.change();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.list_changes.change();
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
            self.context.host.elicitation_complete(&self.server, id).await;
        }
    }
}

impl Handler {
    /// Returns the answer to an elicitation: from a hook, or from the person, possibly changed by a hook.
    async fn ask(&self, question: Elicitation) -> Option<ElicitationResponse> {
        let host = &self.context.host;
        if let Some(answer) = host.elicitation(&question).await {
            return Some(answer);
        }
        let answer = response(host.request(question.clone().into()).await.ok()?.await.ok()?);
        Some(host.elicitation_result(&question, &answer).await.unwrap_or(answer))
    }
}

/// Returns the text of a log message with level warning or higher.
fn warning(line: &LoggingMessageNotificationParam) -> Option<String> {
    use LoggingLevel::{Debug, Info, Notice};
    if matches!(line.level, Debug | Info | Notice) {
        return None;
    }
    let text = match &line.data {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(text.chars().take(MAX_WARNING).collect())
}

/// Converts an elicitation of a server to a control request for the host.
fn to_control_request(server: &str, request: &ElicitRequestParams) -> Elicitation {
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
        // Unknown kinds of elicitations cannot be converted.
        _ => {}
    }
    question
}

/// Parses the host's answer to an `elicitation`. An invalid answer cancels.
fn response(response: Value) -> ElicitationResponse {
    serde_json::from_value(response).unwrap_or_else(|_| ElicitationResponse {
        action: Action::Cancel,
        ..ElicitationResponse::default()
    })
}

/// Converts the answer for the server. Without an answer of the host the elicitation is declined; an unknown action
/// cancels it.
fn answer(response: Option<&ElicitationResponse>) -> ElicitResult {
    let Some(response) = response else {
        return ElicitResult::new(ElicitationAction::Decline);
    };
    match response.action {
        Action::Accept => {
            let accepted = ElicitResult::new(ElicitationAction::Accept);
            match response.content.as_ref().filter(|content| !content.is_null()) {
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
    fn form_is_forwarded_unchanged() {
        let schema = json!({"type": "object", "properties": {
            "zip": {"type": "string", "title": "Zip"}, "age": {"type": "integer"}}, "required": ["zip"]});
        let request = serde_json::from_value(json!({"message": "Who?", "requestedSchema": schema})).unwrap();
        let question = to_control_request("tiny", &request);
        assert_eq!(question.mode.as_deref(), Some("form"));
        assert_eq!(question.property_order.unwrap(), ["zip", "age"]);
        let shown: Value = serde_json::from_str(question.requested_schema.unwrap().get()).unwrap();
        assert_eq!(shown, schema);
        let order: Vec<&String> = shown
            .get("properties")
            .and_then(Value::as_object)
            .unwrap()
            .keys()
            .collect();
        assert_eq!(order, ["zip", "age"]);
    }

    #[test]
    fn every_host_answer_is_converted() {
        let converted = |reply: Option<Value>| serde_json::to_value(answer(reply.map(response).as_ref())).unwrap();
        assert_eq!(
            converted(Some(json!({"action": "accept", "content": {"name": "Zoe"}}))),
            json!({"action": "accept", "content": {"name": "Zoe"}})
        );
        assert_eq!(
            converted(Some(json!({"action": "accept"}))),
            json!({"action": "accept"})
        );
        assert_eq!(
            converted(Some(json!({"action": "decline"}))),
            json!({"action": "decline"})
        );
        assert_eq!(converted(Some(json!({"action": "later"}))), json!({"action": "cancel"}));
        assert_eq!(converted(Some(json!(null))), json!({"action": "cancel"}));
        assert_eq!(converted(None), json!({"action": "decline"}));
    }

    #[tokio::test(start_paused = true)]
    async fn progress_is_reported_once_a_second_for_open_calls_only() {
        let calls = Calls::default();
        let token = ProgressToken(rmcp::model::NumberOrString::Number(4));
        assert!(calls.progress(&token).is_none());
        calls.track(token.clone(), "toolu_1", "mcp__s__t");
        assert!(calls.progress(&token).is_some());
        assert!(calls.progress(&token).is_none());
        tokio::time::advance(MIN_PROGRESS_INTERVAL).await;
        assert_eq!(calls.progress(&token).unwrap().2, MIN_PROGRESS_INTERVAL);
        calls.forget(&token);
        assert!(calls.progress(&token).is_none());
    }
}
