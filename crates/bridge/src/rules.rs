//! Permission rules in settings files.
//!
//! Agents let no host write `permissions`, so the bridge writes the file a person chose. Agents watch their files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::api::{Code, Problem};

/// Two changes of one file at once would lose one of them.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Where rules of `destination` stand; `None` for those that stand in no file.
pub(crate) fn file(destination: &str, folder: &Path, config: &Path) -> Option<PathBuf> {
    match destination {
        "userSettings" => Some(config.join("settings.json")),
        "projectSettings" => Some(folder.join(".claude/settings.json")),
        "localSettings" => Some(folder.join(".claude/settings.local.json")),
        _ => None,
    }
}

/// Adds a rule to a settings file, or removes it. Everything else in the file stays.
///
/// `within`: the folder the file must lie in wherever links lead, for files somebody else may have prepared.
pub(crate) fn change(file: &Path, within: Option<&Path>, behavior: &str, rule: &str, add: bool) -> Result<(), Problem> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let cannot = |error: io::Error| {
        Problem::new(Code::Storage, format!("{} cannot be written: {error}", file.display()))
            .hint("see that the folder is there and may be written to")
    };
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).map_err(cannot)?;
    }
    let place = place(file, within).map_err(cannot)?;
    let text = match fs::read_to_string(&place) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(cannot(error)),
    };
    let Some(changed) = changed(&text, behavior, rule, add) else {
        return Err(Problem::new(
            Code::Refused,
            format!("{} is not a valid settings file; nothing was changed", file.display()),
        )
        .hint("fix its JSON first; `sluice doctor` says where the error is"));
    };
    match changed == text {
        true => Ok(()),
        false => replace(&place, &changed).map_err(cannot),
    }
}

/// Where the file lies when links are followed.
fn place(file: &Path, within: Option<&Path>) -> io::Result<PathBuf> {
    let place = match file.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {
            let (parent, name) = (file.parent(), file.file_name());
            let (Some(parent), Some(name)) = (parent, name) else {
                return Err(error);
            };
            parent.canonicalize()?.join(name)
        }
        place => place?,
    };
    match within.map(Path::canonicalize).transpose()? {
        Some(within) if !place.starts_with(&within) => Err(io::Error::other("it leads out of the folder by a link")),
        _ => Ok(place),
    }
}

/// The text with the rule in it, or without; `None` when it is no settings file.
fn changed(text: &str, behavior: &str, rule: &str, add: bool) -> Option<String> {
    let mut settings: Map<String, Value> = match text.trim() {
        "" => Map::new(),
        text => serde_json::from_str(text).ok()?,
    };
    let permissions = settings
        .entry("permissions")
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()?;
    let rules = permissions
        .entry(behavior)
        .or_insert_with(|| Value::Array(Vec::new()))
        .as_array_mut()?;
    let is_there = rules.iter().any(|it| it == rule);
    if is_there == add {
        return Some(text.to_owned());
    }
    match add {
        true => rules.push(rule.into()),
        false => rules.retain(|it| it != rule),
    }
    let mut text = serde_json::to_string_pretty(&settings).ok()?;
    text.push('\n');
    Some(text)
}

/// Puts a whole new file in the place of the old one, which keeps its mode.
pub(crate) fn replace(place: &Path, text: &str) -> io::Result<()> {
    let mode = fs::metadata(place).map_or(0o600, |about| about.mode() & 0o777);
    let part = place.with_extension(format!("{}.part", uuid::Uuid::new_v4().simple()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&part)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&part, place));
    if written.is_err() {
        let _gone = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn everything_else_in_the_file_stays_in_its_order() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(".claude/settings.local.json");
        change(&file, Some(dir.path()), "allow", "Bash(ls:*)", true).unwrap();
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n"
        );
        let text = r#"{"zebra": 1, "permissions": {"deny": ["Read(./x)"], "defaultMode": "plan"}, "env": {}}"#;
        fs::write(&file, text).unwrap();
        change(&file, Some(dir.path()), "deny", "WebFetch", true).unwrap();
        let now: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let keys: Vec<&String> = now.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["zebra", "permissions", "env"]);
        assert_eq!(now["permissions"]["deny"], serde_json::json!(["Read(./x)", "WebFetch"]));
        assert_eq!(now["permissions"]["defaultMode"], "plan");
    }

    #[test]
    fn what_is_no_settings_file_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        for text in [
            "{broken",
            "[]",
            "{\"permissions\": 7}",
            "{\"permissions\": {\"allow\": {}}}",
        ] {
            fs::write(&file, text).unwrap();
            let refused = change(&file, None, "allow", "Bash", true).unwrap_err();
            assert_eq!(refused.code, Code::Refused, "{text}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }

    #[test]
    fn a_link_out_of_the_folder_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        fs::create_dir_all(inside.join(".claude")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("s.json"), "{}").unwrap();
        let file = inside.join(".claude/settings.json");
        symlink(outside.join("s.json"), &file).unwrap();
        assert!(change(&file, Some(&inside), "allow", "Bash", true).is_err());
        fs::remove_dir_all(inside.join(".claude")).unwrap();
        symlink(&outside, inside.join(".claude")).unwrap();
        assert!(change(&file, Some(&inside), "allow", "Bash", true).is_err());
        assert_eq!(fs::read_to_string(outside.join("s.json")).unwrap(), "{}");
        assert!(!outside.join("settings.json").exists());
        // A person's own settings may lie behind a link of their own.
        let own = dir.path().join("own.json");
        symlink(outside.join("s.json"), &own).unwrap();
        change(&own, None, "allow", "Bash", true).unwrap();
        assert!(own.is_symlink());
        assert!(fs::read_to_string(outside.join("s.json")).unwrap().contains("Bash"));
    }

    proptest! {
        #[test]
        fn what_is_added_is_there_once_and_what_is_removed_is_gone(
            before in proptest::collection::vec("[a-c]", 0..6),
            rule in "[a-c]",
            add in any::<bool>(),
        ) {
            let text = serde_json::json!({"permissions": {"ask": before}}).to_string();
            let once = changed(&text, "ask", &rule, add).unwrap();
            prop_assert_eq!(&changed(&once, "ask", &rule, add).unwrap(), &once, "again changes nothing");
            let now: Value = serde_json::from_str(&once).unwrap();
            let rules = now["permissions"]["ask"].as_array().unwrap();
            prop_assert_eq!(rules.iter().any(|it| *it == rule), add);
            let others = |all: &[Value]| all.iter().filter(|it| **it != rule).cloned().collect::<Vec<_>>();
            let before: Vec<Value> = before.into_iter().map(Value::from).collect();
            prop_assert_eq!(others(rules), others(&before));
        }
    }
}
