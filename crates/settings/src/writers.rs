//! Which hosts may write a setting with `update_settings`, and to which files.

use serde_json::{Map, Value};
use sluice_permission::Source;

use crate::keys::{self, PERMISSIONS, permissions};

/// The kind of host that controls the agent. It is set at launch; a message of the host cannot change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writer {
    /// Any host: an SDK, an editor, a script.
    #[default]
    Host,
    /// The bridge of Sluice, used from a browser, perhaps on another device.
    Page,
    /// The terminal of Sluice.
    Terminal,
}

/// Which hosts may write a setting, and to which files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writable {
    /// No host: the user edits the file. The setting could start a program, redirect requests or allow calls.
    Never,
    /// The terminal, to any file of the user or the project.
    Terminal,
    /// The terminal and the page, to any file of the user or the project.
    OwnHosts,
    /// As [`Self::OwnHosts`]; other hosts only to the user settings.
    AnyHostUser,
    /// As [`Self::OwnHosts`]; other hosts only to the user and local settings.
    AnyHostUserAndLocal,
}

impl Writable {
    /// Whether this host may write the setting to the file of this scope.
    #[must_use]
    pub fn allows(self, writer: Writer, source: Source) -> bool {
        writer.files().contains(&source)
            && match self {
                Self::Never => false,
                Self::Terminal => writer == Writer::Terminal,
                Self::OwnHosts => writer != Writer::Host,
                Self::AnyHostUser => writer != Writer::Host || source == Source::User,
                Self::AnyHostUserAndLocal => true,
            }
    }
}

impl Writer {
    /// Returns the scopes whose files this host may write.
    #[must_use]
    pub fn files(self) -> &'static [Source] {
        match self {
            Self::Host => &[Source::User, Source::Local],
            Self::Page | Self::Terminal => &[Source::User, Source::Local, Source::Project],
        }
    }

    /// Checks changes to the file of a scope: the keys, and the type of each value. `null` removes a key.
    ///
    /// # Errors
    /// A message that names all keys that cannot be written, or the first value of the wrong type.
    pub fn check(self, source: Source, changes: &Map<String, Value>) -> Result<(), String> {
        let writable = |name: &str| keys::find(name).is_some_and(|key| key.writable.allows(self, source));
        let refused: Vec<&str> = changes
            .keys()
            .map(String::as_str)
            .filter(|name| !writable(name))
            .collect();
        if !refused.is_empty() {
            return Err(format!(
                "these keys cannot be written by {}: {}",
                self.noun(),
                refused.join(", ")
            ));
        }
        if self == Self::Host {
            return match changes.iter().find(|(_, value)| !value.is_string()) {
                Some((key, _)) => Err(format!("{key} must be a string and cannot be removed")),
                None => Ok(()),
            };
        }
        if let Some(key) = keys::misshapen(changes).first() {
            return Err(format!("{} must be {}", key.name, key.shape.words()));
        }
        match changes.get(PERMISSIONS.name) {
            Some(Value::Object(lists)) => check_permissions(lists),
            Some(_) => Err("permissions cannot be removed as a whole".to_owned()),
            None => Ok(()),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Host => "a host",
            Self::Page => "the page; edit the settings file",
            Self::Terminal => "the terminal; edit the settings file",
        }
    }
}

/// Checks changes inside `permissions`. Hosts may write rules and folders, which are lists of strings, but not modes
/// and switches.
fn check_permissions(lists: &Map<String, Value>) -> Result<(), String> {
    let writable = [
        permissions::ALLOW,
        permissions::ASK,
        permissions::DENY,
        permissions::ADDITIONAL_DIRECTORIES,
    ];
    for (name, value) in lists {
        if !writable.iter().any(|key| key.name == name) {
            return Err(format!(
                "permissions.{name} cannot be written by a host; edit the settings file"
            ));
        }
        let strings = |list: &Vec<Value>| list.iter().all(Value::is_string);
        if !value.is_null() && !value.as_array().is_some_and(strings) {
            return Err(format!("permissions.{name} must be a list of strings"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn check(writer: Writer, source: Source, value: &Value) -> Result<(), String> {
        writer.check(source, value.as_object().unwrap())
    }

    #[test]
    fn other_hosts_may_only_write_style_and_effort() {
        let host = |source, value: Value| check(Writer::Host, source, &value);
        assert_eq!(host(Source::Local, json!({"outputStyle": "x"})), Ok(()));
        assert_eq!(host(Source::User, json!({"effortLevel": "low"})), Ok(()));
        assert!(host(Source::Local, json!({"effortLevel": "low"})).is_err());
        assert!(host(Source::Project, json!({"outputStyle": "x"})).is_err());
        assert!(host(Source::User, json!({"outputStyle": null})).is_err());
        assert!(host(Source::User, json!({"theme": "dark"})).is_err());
        let refused = host(
            Source::User,
            json!({"hooks": {}, "outputStyle": "x", "permissions": {}}),
        );
        assert!(refused.unwrap_err().ends_with("hooks, permissions"));
    }

    #[test]
    fn only_the_terminal_may_write_rules_and_the_status_line() {
        let line = json!({"statusLine": {"type": "command", "command": "date"}});
        let rules = json!({"permissions": {"allow": ["Bash(ls)"]}});
        for change in [line, rules] {
            assert_eq!(check(Writer::Terminal, Source::Local, &change), Ok(()));
            assert!(check(Writer::Page, Source::Local, &change).is_err());
            assert!(check(Writer::Host, Source::Local, &change).is_err());
        }
    }

    #[test]
    fn no_host_may_write_programs_variables_or_modes() {
        for change in [
            json!({"hooks": {}}),
            json!({"env": {"PATH": "/x"}}),
            json!({"apiKeyHelper": "x"}),
            json!({"trustedFolders": ["/"]}),
            json!({"permissions": {"defaultMode": "bypassPermissions"}}),
            json!({"permissions": null}),
            json!({"permissions": {"allow": "Bash"}}),
            json!({"unknownKey": 1}),
        ] {
            assert!(check(Writer::Terminal, Source::User, &change).is_err(), "{change}");
        }
    }

    #[test]
    fn own_hosts_must_send_values_of_the_right_type() {
        let page = |value: Value| check(Writer::Page, Source::Project, &value);
        assert_eq!(page(json!({"theme": "dark", "verbose": null})), Ok(()));
        assert_eq!(
            page(json!({"verbose": "yes"})).unwrap_err(),
            "verbose must be true or false"
        );
        assert!(check(Writer::Page, Source::Policy, &json!({"theme": "dark"})).is_err());
    }
}
