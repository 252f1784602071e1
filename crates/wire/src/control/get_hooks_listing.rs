//! `get_hooks_listing`: list the configured hooks.

use crate::record::wire_struct;
use crate::{Number, Raw};

wire_struct! {
    /// Requests the list of configured hooks.
    pub struct GetHooksListing ["subtype" = "get_hooks_listing"] {}
}

wire_struct! {
    /// A hook event and the number of hooks configured for it.
    pub struct HookEventListing {
        name: String,
        summary: String,
        supports_matcher: bool as "supportsMatcher",
        hook_count: Option<u64> as "hookCount",
    }
}

wire_struct! {
    /// A hook as it is written in its settings file, for a host that edits it.
    pub struct EditableHook {
        matcher: String,
        /// The hook. Values of HTTP headers are removed.
        config: Raw,
        headers_redacted: Option<bool> as "headersRedacted",
    }
}

wire_struct! {
    /// A configured hook.
    pub struct HookListing {
        event: String,
        matcher: String,
        source: String,
        source_label: String as "sourceLabel",
        plugin_name: Option<String> as "pluginName",
        kind: String as "type",
        display_text: String as "displayText",
        command_text: String as "commandText",
        content_label: String as "contentLabel",
        condition: Option<String>,
        timeout: Option<Number>,
        status_message: Option<String> as "statusMessage",
        runs_once: Option<bool> as "runsOnce",
        runs_in_background: Option<bool> as "runsInBackground",
        disabled: Option<bool>,
        editable: Option<EditableHook>,
    }
}

wire_struct! {
    /// Restrictions of hooks by managed settings.
    pub struct HookPolicy {
        disabled_by_policy: bool as "disabledByPolicy",
        managed_only: bool as "managedOnly",
        plugin_only: bool as "pluginOnly",
        all_disabled: bool as "allDisabled",
        policy_hook_count: u64 as "policyHookCount",
        policy_unreadable: Option<bool> as "policyUnreadable",
    }
}

wire_struct! {
    /// The configured hooks.
    pub struct GetHooksListingResponse {
        events: Vec<HookEventListing>,
        hooks: Vec<HookListing>,
        event_catalog: Vec<HookEventListing> as "eventCatalog",
        policy: HookPolicy,
        safe_mode: Option<Raw> as "safeMode",
        bare_mode: Option<Raw> as "bareMode",
        errors: Option<Vec<Raw>>,
    }
}
