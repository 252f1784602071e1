//! The scope that each command needs. [`check`] is the only place that decides it.

use sluice_host::wire::mode::PermissionMode;
use sluice_host::wire::permission_update::{Destination, PermissionUpdate};

use crate::api::{ClientMessage, Problem, Scope};

/// Refuses a command for which the scope of a device does not suffice.
pub(super) fn check(message: &ClientMessage, scope: Scope) -> Result<(), Problem> {
    require(scope, needed(message))
}

/// Refuses an answer to a permission request whose accepted suggestions need more than the answer itself.
pub(super) fn check_updates(updates: &[PermissionUpdate], scope: Scope) -> Result<(), Problem> {
    let needed = updates.iter().map(of_update).max();
    require(scope, needed.unwrap_or(Scope::Approve))
}

fn require(scope: Scope, needed: Scope) -> Result<(), Problem> {
    if scope < needed {
        return Err(Problem::scope(needed.as_str()));
    }
    Ok(())
}

fn needed(message: &ClientMessage) -> Scope {
    use ClientMessage as M;
    match message {
        M::Hello(_)
        | M::Ping {}
        | M::Pong {}
        | M::ListSessions {}
        | M::ListRecentSessions { .. }
        | M::GetHistory { .. }
        | M::GetHistoryDelta { .. }
        | M::ClientCapabilities {}
        | M::Subscribe { .. }
        | M::Unsubscribe { .. }
        | M::FollowLines { .. }
        | M::ItemsBefore { .. }
        | M::ItemRaw { .. }
        | M::FindItem { .. }
        | M::McpStatus { .. }
        | M::TaskOutput { .. }
        | M::ContextUsage { .. }
        | M::Settings { .. }
        | M::Rules { .. }
        | M::Hooks { .. }
        | M::Export { .. }
        | M::Files { .. }
        | M::Folders { .. }
        | M::FolderTrust { .. }
        | M::Search { .. }
        | M::Usage { .. }
        | M::Highlight { .. }
        | M::Diff { .. }
        | M::Changes { .. }
        | M::WorkingTree { .. }
        | M::Folder { .. }
        | M::File { .. }
        | M::Templates {}
        | M::Drift { .. }
        | M::Timeline { .. }
        | M::Rewind { dry_run: true, .. }
        | M::Status {} => Scope::View,
        M::Start(start) => start.permission_mode.as_deref().map_or(Scope::Operate, of_mode_name),
        M::ResumeSession { permission_mode, .. } => permission_mode.as_deref().map_or(Scope::Operate, of_mode_name),
        M::StopSession { .. }
        | M::Input(_)
        | M::Edit { .. }
        | M::Reorder { .. }
        | M::SendNow { .. }
        | M::TakeBack { .. }
        | M::Interrupt { .. }
        | M::ReleaseQueue { .. }
        | M::SetModel { .. }
        | M::SetThinking { .. }
        | M::SetEffort { .. }
        | M::McpReconnect { .. }
        | M::StopTask { .. }
        | M::Background { .. }
        | M::Fork { .. }
        | M::Rename { .. }
        | M::Archive { .. }
        | M::Rewind { dry_run: false, .. } => Scope::Operate,
        M::AnswerAsk(answer) => {
            let of_rule = answer.destination.as_deref().map(|it| of_destination(&it.into()));
            let of_rule = of_rule.unwrap_or(Scope::Approve);
            answer.mode.as_deref().map_or(Scope::Approve, of_mode_name).max(of_rule)
        }
        M::Approve { .. }
        | M::ApproveAlways { .. }
        | M::Reject { .. }
        | M::Answer { .. }
        | M::TrustFolder { .. }
        | M::Git { .. }
        | M::McpToggle { .. }
        | M::McpAuthenticate { .. } => Scope::Approve,
        M::SetPermissionMode { mode, .. } => of_mode_name(mode).max(Scope::Approve),
        M::SetSetting { .. }
        | M::ChangeRule { .. }
        // A template is offered in every session of the person.
        | M::SaveTemplate { .. }
        | M::DeleteTemplate { .. }
        | M::Delete { .. }
        | M::Devices {}
        | M::Revoke { .. }
        | M::Pair { .. }
        | M::Audit { .. }
        | M::Check { .. } => Scope::Admin,
    }
}

/// The scope that a session in this permission mode needs. A mode in which calls run that would otherwise lead to a
/// permission request answers these requests in advance.
fn of_mode(mode: &PermissionMode) -> Scope {
    match mode {
        PermissionMode::Default | PermissionMode::Plan | PermissionMode::DontAsk => Scope::Operate,
        PermissionMode::BypassPermissions => Scope::Admin,
        // Also modes that are added later.
        _ => Scope::Approve,
    }
}

fn of_mode_name(mode: &str) -> Scope {
    of_mode(&mode.into())
}

/// A rule that applies to every project of the person is a setting.
fn of_destination(destination: &Destination) -> Scope {
    match destination {
        Destination::UserSettings => Scope::Admin,
        _ => Scope::Approve,
    }
}

fn of_update(update: &PermissionUpdate) -> Scope {
    let of_mode = match update {
        PermissionUpdate::SetMode(set) => of_mode(&set.mode),
        _ => Scope::Approve,
    };
    // The effect of a kind that this version does not know cannot be judged.
    let of_destination = update.destination().map_or(Scope::Admin, of_destination);
    of_mode.max(of_destination)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sluice_host::wire::permission_update::PermissionUpdate;

    use super::{check, check_updates};
    use crate::api::{ClientMessage, Scope};

    /// Every command, with the fields that change the scope it needs.
    fn commands() -> Vec<(Scope, Value)> {
        use Scope::{Admin, Approve, Operate, View};
        let session = "s";
        let mut commands = vec![
            (View, json!({"type": "hello", "version": 2, "client": "test"})),
            (View, json!({"type": "items_before", "sessionId": session, "before": 1})),
            (View, json!({"type": "item_raw", "sessionId": session, "item": 1})),
            (View, json!({"type": "find_item", "sessionId": session, "record": 1})),
            (View, json!({"type": "export", "sessionId": session, "format": "md"})),
            (View, json!({"type": "files", "query": "a"})),
            (View, json!({"type": "folder_trust", "path": "/"})),
            (View, json!({"type": "search", "text": "a"})),
            (View, json!({"type": "usage", "by": "day"})),
            (View, json!({"type": "highlight", "lang": "rust", "text": "a"})),
            (View, json!({"type": "diff", "sessionId": session, "toolUseId": "t"})),
            (View, json!({"type": "task_output", "task": "t"})),
            (View, json!({"type": "folder", "sessionId": session, "path": ""})),
            (View, json!({"type": "file", "sessionId": session, "path": "a"})),
            (
                Approve,
                json!({"type": "git", "sessionId": session, "step": {"do": "push"}}),
            ),
            (
                Approve,
                json!({"type": "git", "sessionId": session, "step": {"do": "push"}, "dryRun": true}),
            ),
            (Admin, json!({"type": "save_template", "name": "a", "text": "b"})),
            (Admin, json!({"type": "delete_template", "name": "a"})),
            (
                View,
                json!({"type": "rewind", "sessionId": session, "prompt": "p", "dryRun": true}),
            ),
            (Operate, json!({"type": "rewind", "sessionId": session, "prompt": "p"})),
            (Operate, json!({"type": "input", "text": "a"})),
            (Operate, json!({"type": "edit", "uuid": "u", "text": "a"})),
            (Operate, json!({"type": "reorder", "uuid": "u"})),
            (Operate, json!({"type": "send_now", "uuid": "u"})),
            (Operate, json!({"type": "take_back", "uuid": "u"})),
            (Operate, json!({"type": "set_effort", "effort": "low"})),
            (Operate, json!({"type": "mcp_reconnect", "server": "m"})),
            (Operate, json!({"type": "stop_task", "task": "t"})),
            (Operate, json!({"type": "rename", "sessionId": session, "title": "a"})),
            (
                Operate,
                json!({"type": "archive", "sessionId": session, "archived": true}),
            ),
            (Operate, json!({"type": "start", "projectPath": "/"})),
            (Operate, json!({"type": "resume_session", "sessionId": session})),
            (
                View,
                json!({"type": "get_history_delta", "sessionId": session, "sinceSeq": 0}),
            ),
            (Approve, json!({"type": "approve", "id": "i"})),
            (Approve, json!({"type": "approve_always", "id": "i"})),
            (Approve, json!({"type": "reject", "id": "i"})),
            (Approve, json!({"type": "answer", "toolUseId": "t", "result": "a"})),
            (Approve, json!({"type": "answer_ask", "ask": "i", "decision": "allow"})),
            (Approve, json!({"type": "trust_folder", "path": "/"})),
            (Approve, json!({"type": "mcp_toggle", "server": "m", "enabled": true})),
            (Approve, json!({"type": "mcp_authenticate", "server": "m"})),
            (
                Admin,
                json!({"type": "set_setting", "source": "userSettings", "settings": {}}),
            ),
            (
                Admin,
                json!({"type": "change_rule", "op": "add", "behavior": "deny", "rule": "Bash", "destination": "session"}),
            ),
            (Admin, json!({"type": "delete", "sessionId": session})),
            (Admin, json!({"type": "revoke", "device": "d"})),
            (Admin, json!({"type": "check", "what": "agent"})),
        ];
        let without_fields = [
            (
                View,
                "ping pong client_capabilities list_sessions list_recent_sessions mcp_status context_usage settings rules hooks folders status templates",
            ),
            (Operate, "interrupt release_queue set_model set_thinking background"),
            (Admin, "devices pair audit"),
        ];
        let with_session = [
            (
                View,
                "get_history subscribe unsubscribe follow_lines changes working_tree drift timeline",
            ),
            (Operate, "stop_session fork"),
        ];
        for (scope, names) in without_fields {
            commands.extend(names.split(' ').map(|name| (scope, json!({"type": name}))));
        }
        for (scope, names) in with_session {
            commands.extend(
                names
                    .split(' ')
                    .map(|name| (scope, json!({"type": name, "sessionId": session}))),
            );
        }
        let modes = [
            (Operate, "default"),
            (Operate, "plan"),
            (Operate, "dontAsk"),
            (Approve, "acceptEdits"),
            (Approve, "auto"),
            (Approve, "delegate"),
            (Approve, "added later"),
            (Admin, "bypassPermissions"),
        ];
        for (scope, mode) in modes {
            commands.push((
                scope,
                json!({"type": "start", "projectPath": "/", "permissionMode": mode}),
            ));
            commands.push((
                scope,
                json!({"type": "start", "projectPath": "/", "sessionId": session, "permissionMode": mode}),
            ));
            commands.push((
                scope,
                json!({"type": "start", "projectPath": "/", "continue": true, "permissionMode": mode}),
            ));
            commands.push((
                scope,
                json!({"type": "resume_session", "sessionId": session, "permissionMode": mode}),
            ));
            let answered = scope.max(Approve);
            commands.push((answered, json!({"type": "set_permission_mode", "mode": mode})));
            commands.push((
                answered,
                json!({"type": "answer_ask", "ask": "i", "decision": "allow", "mode": mode}),
            ));
        }
        for (scope, destination) in [
            (Approve, "session"),
            (Approve, "localSettings"),
            (Approve, "projectSettings"),
            (Admin, "userSettings"),
        ] {
            commands.push((scope, json!({"type": "answer_ask", "ask": "i", "decision": "allow", "rule": "Bash", "destination": destination})));
        }
        commands
    }

    #[test]
    fn each_command_is_refused_below_its_scope_and_allowed_from_there_on() {
        for (needed, command) in commands() {
            let message: ClientMessage = serde_json::from_value(command.clone()).unwrap();
            for scope in Scope::ALL {
                let allowed = check(&message, scope).is_ok();
                assert_eq!(allowed, scope >= needed, "{} with {command}", scope.as_str());
            }
        }
    }

    #[test]
    fn no_command_is_missing_in_these_tests() {
        // The error for an unknown type names all that exist.
        let error = serde_json::from_str::<ClientMessage>(r#"{"type": "?"}"#)
            .unwrap_err()
            .to_string();
        let named = error.split('`').skip(3).step_by(2);
        let tested = commands();
        let missing: Vec<&str> = named
            .filter(|name| !tested.iter().any(|(_, command)| command["type"] == *name))
            .collect();
        assert!(error.contains("`start`"), "{error}");
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn accepted_suggestions_need_the_scope_of_their_effect() {
        use Scope::{Admin, Approve};
        let cases = [
            (
                Approve,
                json!({"type": "addRules", "rules": [], "behavior": "allow", "destination": "localSettings"}),
            ),
            (
                Approve,
                json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"}),
            ),
            (
                Admin,
                json!({"type": "addRules", "rules": [], "behavior": "allow", "destination": "userSettings"}),
            ),
            (
                Admin,
                json!({"type": "setMode", "mode": "bypassPermissions", "destination": "session"}),
            ),
            (Admin, json!({"type": "added later", "destination": "session"})),
        ];
        for (needed, update) in cases {
            let parsed: PermissionUpdate = serde_json::from_value(update.clone()).unwrap();
            for scope in Scope::ALL {
                let allowed = check_updates(std::slice::from_ref(&parsed), scope).is_ok();
                assert_eq!(allowed, scope >= needed, "{} with {update}", scope.as_str());
            }
        }
    }
}
