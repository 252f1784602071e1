//! Applies a permission update to a settings document. Only this module depends on the layout of `permissions`.

use serde_json::{Map, Value};
use sluice_permission::Behavior;
use sluice_permission::update::{Edit, List};

use crate::keys::{PERMISSIONS, PermissionKey, permissions};

/// The setting `.0` has the wrong type in the file, so the edit was not made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrongType(pub(crate) String);

/// Returns the setting that contains a list.
fn key(list: List) -> &'static PermissionKey {
    match list {
        List::Rules(Behavior::Allow) => &permissions::ALLOW,
        List::Rules(Behavior::Deny) => &permissions::DENY,
        List::Rules(Behavior::Ask) => &permissions::ASK,
        List::Directories => &permissions::ADDITIONAL_DIRECTORIES,
    }
}

/// Applies `edit` to a settings document. It is an error if `permissions` is not an object, or if the list to change
/// is not a list: the edit would have no effect.
pub(crate) fn apply(document: &mut Map<String, Value>, edit: &Edit) -> Result<(), WrongType> {
    let permissions_object = document
        .entry(PERMISSIONS.name)
        .or_insert_with(|| Value::Object(Map::new()));
    let permissions_object = permissions_object
        .as_object_mut()
        .ok_or_else(|| WrongType(PERMISSIONS.name.to_owned()))?;
    let wrong = |key: &PermissionKey| WrongType(format!("{}.{}", PERMISSIONS.name, key.name));
    let values = |entries: &[String]| -> Vec<Value> { entries.iter().cloned().map(Value::String).collect() };
    match edit {
        Edit::DefaultMode(mode) => {
            permissions_object.insert(permissions::DEFAULT_MODE.name.to_owned(), mode.clone().into());
        }
        Edit::Replace { list, entries } => {
            permissions_object.insert(key(*list).name.to_owned(), values(entries).into());
        }
        Edit::Add { list, entries } => {
            let key = key(*list);
            let have = permissions_object
                .entry(key.name)
                .or_insert_with(|| Value::Array(Vec::new()));
            let have = have.as_array_mut().ok_or_else(|| wrong(key))?;
            for entry in values(entries) {
                if !have.contains(&entry) {
                    have.push(entry);
                }
            }
        }
        Edit::Remove { list, entries } => {
            let key = key(*list);
            match permissions_object.get_mut(key.name) {
                Some(Value::Array(have)) => {
                    have.retain(|have| !entries.iter().any(|gone| have.as_str() == Some(gone)));
                }
                Some(_) => return Err(wrong(key)),
                None => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    const ALLOW: List = List::Rules(Behavior::Allow);

    fn applied(before: Value, edit: &Edit) -> Result<Value, WrongType> {
        let Value::Object(mut document) = before else {
            unreachable!("a document is an object");
        };
        apply(&mut document, edit).map(|()| document.into())
    }

    fn texts(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    #[test]
    fn entries_are_added_replaced_and_removed() {
        let add = |list, entries: &[&str]| Edit::Add {
            list,
            entries: texts(entries),
        };
        let mut document = json!({"model": "x"});
        for _ in 0..2 {
            document = applied(document, &add(ALLOW, &["Bash(npm run *)", "Edit"])).unwrap();
        }
        assert_eq!(
            document,
            json!({"model": "x", "permissions": {"allow": ["Bash(npm run *)", "Edit"]}})
        );
        let remove = Edit::Remove {
            list: ALLOW,
            entries: texts(&["Edit", "Read"]),
        };
        let document = applied(document, &remove).unwrap();
        assert_eq!(document["permissions"], json!({"allow": ["Bash(npm run *)"]}));
        let replace = Edit::Replace {
            list: ALLOW,
            entries: texts(&["Read"]),
        };
        let document = applied(document, &replace).unwrap();
        assert_eq!(document["permissions"], json!({"allow": ["Read"]}));
        for (list, name) in [
            (List::Rules(Behavior::Deny), "deny"),
            (List::Rules(Behavior::Ask), "ask"),
            (List::Directories, "additionalDirectories"),
        ] {
            let document = applied(json!({}), &add(list, &["x"])).unwrap();
            assert_eq!(document, json!({"permissions": {name: ["x"]}}));
        }
        let mode = applied(json!({}), &Edit::DefaultMode("plan".to_owned()));
        assert_eq!(mode, Ok(json!({"permissions": {"defaultMode": "plan"}})));
    }

    #[test]
    fn settings_of_the_wrong_type_are_reported() {
        let add = Edit::Add {
            list: ALLOW,
            entries: texts(&["Read"]),
        };
        let wrong = |name: &str| Err(WrongType(name.to_owned()));
        assert_eq!(applied(json!({"permissions": []}), &add), wrong("permissions"));
        let permissions_object = json!({"permissions": {"allow": "Read"}});
        assert_eq!(applied(permissions_object, &add), wrong("permissions.allow"));
    }
}
