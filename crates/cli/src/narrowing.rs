//! `--bare`, `--safe-mode` and `--restricted`, expanded to the flags they imply, so that other modules do not need to
//! know them.

use std::path::Path;

use crate::environment::Environment;
use crate::flags::Flags;

/// Tools of a bare session.
const BARE_TOOLS: &[&str] = &["Bash", "Edit", "Read"];

/// Returns the expanded flags, or an error message.
pub(crate) fn narrowed(mut flags: Flags, environment: &mut Environment) -> Result<Flags, String> {
    flags.bare |= environment.simple;
    flags.safe_mode |= environment.safe_mode;
    if flags.bare {
        let usual = || BARE_TOOLS.iter().map(|&name| name.to_owned()).collect();
        flags.tools.get_or_insert_with(usual);
        environment.set("CLAUDE_CODE_SIMPLE", "1");
    }
    if flags.safe_mode {
        flags.mcp_config.clear();
        flags.plugin_dir.clear();
        flags.plugin_dir_no_mcp.clear();
        flags.plugin_url.clear();
        flags.agent = None;
        flags.agents = None;
        environment.set("CLAUDE_CODE_SAFE_MODE", "1");
    }
    if flags.restricted {
        let bypass = flags.dangerously_skip_permissions
            || flags.allow_dangerously_skip_permissions
            || flags.permission_mode.as_deref() == Some("bypassPermissions");
        if bypass {
            return Err("bypassPermissions is not possible with --restricted: leave out one of them".to_owned());
        }
        flags.setting_sources = Some(Vec::new());
    }
    if let Some(root) = &flags.project_config_root {
        let root = Path::new(root);
        if !root.is_absolute() {
            return Err("--project-config-root must be an absolute path".to_owned());
        }
        if std::fs::read_dir(root).is_err() {
            return Err("--project-config-root is not a folder that exists and can be listed".to_owned());
        }
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn narrow(change: impl FnOnce(&mut Flags)) -> Result<Flags, String> {
        let mut flags = Flags::default();
        change(&mut flags);
        narrowed(flags, &mut Environment::read())
    }

    #[test]
    fn bare_has_few_tools_unless_others_are_named() {
        assert_eq!(narrow(|flags| flags.bare = true).unwrap().tools.unwrap(), BARE_TOOLS);
        let named = narrow(|flags| {
            flags.bare = true;
            flags.tools = Some(vec!["Grep".to_owned()]);
        });
        assert_eq!(named.unwrap().tools.unwrap(), ["Grep"]);
    }

    #[test]
    fn safe_mode_takes_nothing_from_the_command_line_either() {
        let flags = narrow(|flags| {
            flags.safe_mode = true;
            flags.agents = Some("{}".to_owned());
            flags.mcp_config = vec!["{}".to_owned()];
            flags.plugin_dir = vec!["p".to_owned()];
        });
        let safe = Flags {
            safe_mode: true,
            ..Flags::default()
        };
        assert_eq!(flags.unwrap(), safe);
    }

    #[test]
    fn restricted_reads_no_settings_and_asks_always() {
        let flags = narrow(|flags| flags.restricted = true).unwrap();
        assert_eq!(flags.setting_sources, Some(Vec::new()));
        let bypass = narrow(|flags| {
            flags.restricted = true;
            flags.permission_mode = Some("bypassPermissions".to_owned());
        });
        assert!(bypass.unwrap_err().contains("--restricted"));
    }

    #[test]
    fn a_root_of_settings_is_an_absolute_folder() {
        for root in ["relative", "/nowhere/at/all"] {
            let root = root.to_owned();
            assert!(narrow(|flags| flags.project_config_root = Some(root)).is_err());
        }
    }
}
