#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_permission::{Behavior, PermissionMode};

use super::*;

#[path = "held_back_tests.rs"]
mod held_back;

struct TestFolders {
    _dir: tempfile::TempDir,
    places: Places,
}

fn folders() -> TestFolders {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["proj/.claude", "home/.claude", "etc/managed-settings.d"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    TestFolders {
        places: Places {
            cwd: root.join("proj"),
            home: root.join("home"),
            config_dir: root.join("home/.claude"),
            managed: root.join("etc/managed-settings.json"),
            global: root.join("home/.claude.json"),
        },
        _dir: dir,
    }
}

impl TestFolders {
    #[allow(clippy::needless_pass_by_value, reason = "values and borrowed texts alike")]
    fn put(&self, source: Source, value: impl ToString) -> &Self {
        fs::write(self.places.file(source).unwrap(), value.to_string()).unwrap();
        self
    }

    fn trust(&self) -> &Self {
        trust::trust(&self.places.global, &self.places.cwd).unwrap();
        self
    }

    fn load(&self) -> Settings {
        Settings::load(&self.places, &Chosen::ALL, None, None)
    }
}

fn inline(value: &Value) -> Option<FlagSettings> {
    Some(FlagSettings::Inline(value.to_string()))
}

fn texts(settings: &Settings) -> Vec<String> {
    settings
        .rules()
        .iter()
        .map(|rule| format!("{} {} {}", rule.source.as_str(), rule.behavior.as_str(), rule.text()))
        .collect()
}

#[test]
fn the_strongest_scope_wins_and_all_sources_are_listed() {
    let folders = folders();
    folders
        .put(
            Source::User,
            json!({"model": "user", "theme": "dark", "language": "fr", "outputStyle": "u"}),
        )
        .put(
            Source::Project,
            json!({"model": "project", "theme": "light", "language": "de"}),
        )
        .put(Source::Local, json!({"model": "local", "theme": "auto"}))
        .put(Source::Policy, json!({"model": "policy"}));
    let settings = Settings::load(&folders.places, &Chosen::ALL, inline(&json!({"model": "flag"})), None);
    assert_eq!(settings.problems(), []);
    assert_eq!(settings.model(), Some("policy"));
    assert_eq!(settings.string(&keys::THEME), Some("auto"));
    assert_eq!(settings.string(&keys::LANGUAGE), Some("de"));
    assert_eq!(settings.output_style(), Some("u"));
    assert_eq!(settings.get(&keys::AGENT), None);
    let sources: Vec<Source> = settings.sources().into_iter().map(|(source, _)| source).collect();
    use Source::{Flag, Local, Policy, Project, User};
    assert_eq!(sources, [User, Project, Local, Flag, Policy]);
    assert_eq!(
        settings.effective(),
        json!({"model": "policy", "theme": "auto", "language": "de", "outputStyle": "u"})
    );
}

#[test]
fn settings_are_empty_without_files() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = |name: &str| dir.path().join(name);
    let places = Places {
        cwd: nowhere("p"),
        home: nowhere("h"),
        config_dir: nowhere("h/.claude"),
        managed: nowhere("m/managed-settings.json"),
        global: nowhere("h/.claude.json"),
    };
    let settings = Settings::load(&places, &Chosen::ALL, None, None);
    assert_eq!(settings.problems(), []);
    assert_eq!(settings.effective(), json!({}));
    assert_eq!(settings.sources(), []);
    assert_eq!(settings.default_mode(), None);
}

#[test]
fn only_requested_files_are_read_and_always_the_administrators() {
    let folders = folders();
    for source in [Source::User, Source::Project, Source::Local, Source::Policy] {
        folders.put(source, json!({"permissions": {"deny": ["Bash"]}}));
    }
    let none = Settings::load(
        &folders.places,
        &Chosen::NONE,
        inline(&json!({"permissions": {"ask": ["Read"]}})),
        None,
    );
    assert_eq!(texts(&none), ["flagSettings ask Read", "policySettings deny Bash"]);
    let user = Chosen {
        user: true,
        ..Chosen::NONE
    };
    let user = Settings::load(&folders.places, &user, None, None);
    assert_eq!(texts(&user), ["userSettings deny Bash", "policySettings deny Bash"]);
}

#[test]
fn rules_have_the_root_of_their_file() {
    let folders = folders();
    let rule = json!({"permissions": {"deny": ["Read(/x)"]}});
    for source in [Source::User, Source::Project, Source::Local, Source::Policy] {
        folders.put(source, &rule);
    }
    let other = folders.places.home.join("flags.json");
    fs::write(&other, rule.to_string()).unwrap();
    let flag = FlagSettings::from_argument("../home/flags.json", &folders.places.cwd);
    let settings = Settings::load(&folders.places, &Chosen::ALL, Some(flag), None);
    let roots: Vec<PathBuf> = settings.rules().into_iter().map(|rule| rule.root).collect();
    let places = &folders.places;
    let flags_root = places.cwd.join("../home");
    let etc = places.managed.parent().unwrap().to_owned();
    assert_eq!(
        roots,
        [
            places.config_dir.clone(),
            places.cwd.clone(),
            places.cwd.clone(),
            flags_root,
            etc
        ]
    );
}

#[test]
fn an_invalid_file_is_reported_and_ignored_completely() {
    let folders = folders();
    folders
        .put(Source::User, json!({"permissions": {"deny": ["Bash(rm:*)"]}}))
        .put(
            Source::Local,
            "{\n \"model\": \"m\",\n \"permissions\": { \"allow\": [\"Bash\"], }\n}",
        )
        .put(Source::Project, json!({"permissions": {"deny": ["Read(.env)"]}}));
    let settings = folders.load();
    assert_eq!(
        texts(&settings),
        ["userSettings deny Bash(rm:*)", "projectSettings deny Read(.env)"]
    );
    assert_eq!(settings.model(), None);
    let [problem] = settings.problems() else {
        panic!("{:?}", settings.problems())
    };
    assert_eq!((problem.source, problem.line, problem.column), (Source::Local, 3, 38));
    assert_eq!(problem.path, folders.places.file(Source::Local).unwrap());
}

#[test]
fn a_file_named_by_a_flag_must_exist() {
    let folders = folders();
    let flag = Some(FlagSettings::from_argument("none.json", &folders.places.cwd));
    let settings = Settings::load(&folders.places, &Chosen::ALL, flag, None);
    let [problem] = settings.problems() else {
        panic!("{:?}", settings.problems())
    };
    assert_eq!(problem.path, folders.places.cwd.join("none.json"));
    let settings = Settings::load(
        &folders.places,
        &Chosen::ALL,
        Some(FlagSettings::Inline("{,}".into())),
        None,
    );
    assert_eq!(settings.problems()[0].path, Path::new("--settings"));
}

#[test]
fn the_mode_of_a_trusted_project_overrides_the_users() {
    let folders = folders();
    folders.trust();
    let mode = |mode: &str| json!({"permissions": {"defaultMode": mode}});
    folders
        .put(Source::User, mode("acceptEdits"))
        .put(Source::Project, mode("plan"));
    assert_eq!(folders.load().default_mode(), Some(PermissionMode::Plan));
    folders.put(Source::Project, mode("bypassPermissions"));
    assert_eq!(folders.load().default_mode(), Some(PermissionMode::BypassPermissions));
    folders.put(Source::Project, mode("manual"));
    assert_eq!(folders.load().default_mode(), Some(PermissionMode::Default));
    folders.put(Source::Project, mode("bogus"));
    let settings = folders.load();
    assert_eq!(settings.default_mode(), Some(PermissionMode::AcceptEdits));
    assert_eq!(settings.problems().len(), 1);
}

#[test]
fn any_scope_can_disable_bypass_mode() {
    let folders = folders();
    folders.put(
        Source::User,
        json!({"permissions": {"defaultMode": "bypassPermissions"}}),
    );
    assert_eq!(folders.load().default_mode(), Some(PermissionMode::BypassPermissions));
    folders.put(
        Source::Project,
        json!({"permissions": {"disableBypassPermissionsMode": "disable"}}),
    );
    let settings = folders.load();
    assert!(settings.bypass_disabled());
    assert_eq!(settings.default_mode(), None);
}

#[test]
fn lists_are_concatenated_except_ordered_ones() {
    let folders = folders();
    folders.trust();
    folders
        .put(
            Source::User,
            json!({"permissions": {"deny": ["A", "B"]}, "fallbackModel": ["x", "y"]}),
        )
        .put(
            Source::Local,
            json!({"permissions": {"deny": ["B", "C"], "allow": ["D"]}, "fallbackModel": ["z"]}),
        );
    assert_eq!(
        folders.load().effective(),
        json!({"permissions": {"deny": ["A", "B", "C"], "allow": ["D"]}, "fallbackModel": ["z"]})
    );
}

#[test]
fn directories_and_variables_are_merged() {
    let folders = folders();
    folders.trust();
    folders
        .put(
            Source::User,
            json!({"permissions": {"additionalDirectories": ["~/notes", "/srv/../data", ""]}, "env": {"A": "1", "B": "2"}}),
        )
        .put(
            Source::Local,
            json!({"permissions": {"additionalDirectories": ["../other", "/data"]}, "env": {"B": 3, "C": true, "D=E": "x"}}),
        );
    let settings = folders.load();
    let root = folders.places.home.parent().unwrap();
    assert_eq!(
        settings.additional_directories(),
        [
            folders.places.home.join("notes"),
            PathBuf::from("/data"),
            root.join("other")
        ]
    );
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(settings.env(), [pair("A", "1"), pair("B", "3"), pair("C", "true")]);
}

#[test]
fn the_host_can_change_the_flag_layer() {
    let folders = folders();
    folders.trust();
    folders.put(
        Source::Local,
        json!({"model": "local", "permissions": {"deny": ["Read(.env)"]}}),
    );
    let mut settings = Settings::load(&folders.places, &Chosen::ALL, inline(&json!({"model": "flag"})), None);
    let change = json!({"model": null, "permissions": {"allow": ["Bash(aaa:*)"], "deny": ["Bash(rm"]}});
    settings.set_flag(change.as_object().unwrap());
    assert_eq!(settings.model(), Some("local"));
    assert_eq!(
        texts(&settings),
        [
            "localSettings deny Read(.env)",
            "flagSettings deny Bash",
            "flagSettings deny Bash(rm)",
            "flagSettings allow Bash(aaa:*)"
        ]
    );
    assert_eq!(settings.problems().len(), 1);
    settings.reload();
    assert_eq!(settings.rules().len(), 4, "settings of the host are preserved");
    assert_eq!(settings.problems().len(), 1);
    settings.set_flag(json!({"permissions": null}).as_object().unwrap());
    assert_eq!(texts(&settings), ["localSettings deny Read(.env)"]);
    assert_eq!(settings.problems(), []);
    assert_eq!(settings.sources().len(), 1);
}

#[test]
fn a_reload_applies_changes_and_keeps_the_content_of_invalid_files() {
    let folders = folders();
    folders.put(Source::User, json!({"permissions": {"deny": ["Bash(rm:*)"]}}));
    let mut settings = folders.load();
    assert!(!settings.reload());
    folders.put(Source::User, "{\"permissions\": {\"de");
    assert!(settings.reload());
    assert_eq!(texts(&settings), ["userSettings deny Bash(rm:*)"]);
    assert_eq!(settings.problems()[0].effect, Effect::Earlier);
    assert!(!settings.reload());
    assert_eq!(settings.rules().len(), 1, "the earlier content still applies");
    for empty in ["", " \n"] {
        folders.put(Source::User, empty);
        settings.reload();
        assert_eq!(texts(&settings), ["userSettings deny Bash(rm:*)"], "{empty:?}");
        assert_eq!(settings.problems()[0].effect, Effect::Earlier);
    }
    for wrong in [
        json!({"permissions": []}),
        json!({"permissions": "deny"}),
        json!({"permissions": {"deny": {}}}),
        json!({"permissions": {"deny": ["Read"], "ask": 1}}),
    ] {
        folders.put(Source::User, wrong.clone());
        settings.reload();
        assert_eq!(texts(&settings), ["userSettings deny Bash(rm:*)"], "{wrong}");
        assert_eq!(settings.problems()[0].effect, Effect::Earlier);
    }
    folders.put(Source::User, json!({"permissions": {"deny": ["Read"]}}));
    assert!(settings.reload());
    assert_eq!(texts(&settings), ["userSettings deny Read"]);
    assert_eq!(settings.problems(), []);
    fs::remove_file(folders.places.file(Source::User).unwrap()).unwrap();
    assert!(settings.reload());
    assert_eq!(settings.rules(), []);

    folders.put(Source::Project, json!({"permissions": {"allow": ["Bash"]}}));
    assert!(settings.reload());
    assert_eq!(settings.rules(), []);
    folders.trust();
    assert!(settings.reload());
    assert_eq!(texts(&settings), ["projectSettings allow Bash"]);
    assert!(settings.paths().contains(&folders.places.global));
}

#[test]
fn drop_in_files_of_the_administrator_are_merged() {
    let folders = folders();
    let folder = folders.places.managed.with_extension("d");
    folders.put(
        Source::Policy,
        json!({"model": "a", "language": "a", "permissions": {"deny": ["A"]}}),
    );
    fs::write(
        folder.join("20.json"),
        r#"{"language": "c", "permissions": {"deny": ["C"]}}"#,
    )
    .unwrap();
    fs::write(
        folder.join("10.json"),
        r#"{"language": "b", "permissions": {"deny": ["B"]}}"#,
    )
    .unwrap();
    fs::write(folder.join(".99.json"), r#"{"language": "no"}"#).unwrap();
    fs::write(folder.join("99.txt"), r#"{"language": "no"}"#).unwrap();
    let settings = folders.load();
    assert_eq!(
        (settings.model(), settings.string(&keys::LANGUAGE)),
        (Some("a"), Some("c"))
    );
    assert_eq!(settings.rules().len(), 3);
    assert_eq!(settings.sources().len(), 1);
}

#[test]
fn policy_of_the_host_only_restricts_if_there_are_managed_settings() {
    let folders = folders();
    let text = r#"{"model": "host", "permissions": {"allow": ["Bash"], "deny": ["Read(.env)"]}}"#;
    let load = || Settings::load(&folders.places, &Chosen::ALL, None, Some(text));
    assert_eq!(load().model(), Some("host"));
    assert_eq!(load().rules().len(), 2);
    folders.put(Source::Policy, json!({"language": "fr"}));
    assert_eq!(load().model(), None);
    assert_eq!(texts(&load()), ["policySettings deny Read(.env)"]);
    folders.put(
        Source::Policy,
        json!({"parentSettingsBehavior": "merge", "permissions": {"ask": ["A"]}}),
    );
    assert_eq!(load().model(), Some("host"));
    assert_eq!(load().rules().len(), 3);
    // An invalid file of the administrator does not remove the restriction.
    folders.put(Source::Policy, "{");
    assert_eq!(texts(&load()), ["policySettings deny Read(.env)"]);
}

#[test]
fn the_administrator_can_reserve_allow_rules_and_hooks() {
    let folders = folders();
    let own = json!({"permissions": {"allow": ["Bash"], "deny": ["Read"]}, "hooks": {"Stop": []}});
    folders.put(Source::User, &own).put(
        Source::Policy,
        json!({
            "allowManagedPermissionRulesOnly": true, "allowManagedHooksOnly": true,
            "permissions": {"allow": ["Grep"]}, "hooks": {"Start": []}
        }),
    );
    let settings = folders.load();
    assert_eq!(
        texts(&settings),
        ["userSettings deny Read", "policySettings allow Grep"]
    );
    assert_eq!(settings.hooks(), [(Source::Policy, &json!({"Start": []}))]);
    // In other scopes the key has no effect.
    folders
        .put(Source::Policy, "{}")
        .put(Source::Local, json!({"allowManagedPermissionRulesOnly": true}));
    assert!(
        folders
            .load()
            .rules()
            .iter()
            .any(|rule| rule.behavior == Behavior::Allow)
    );
}
