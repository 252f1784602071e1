//! A copy of a session under new ids.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::info::first_prompt;
use super::read;
use super::scan::last;
use crate::error::{Error, ErrorKind};

/// How a session is forked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fork {
    /// The last message the copy has; all of them without it.
    pub up_to: Option<String>,
    /// The title of the copy; that of the session with ` (fork)` without it.
    pub title: Option<String>,
}

/// What an entry of a fork leaves behind.
const LEFT: &[&str] = &["teamName", "agentName", "slug", "sourceToolAssistantUUID"];

pub(super) fn fork(file: &Path, session_id: &str, how: &Fork) -> Result<String, Error> {
    let text = read(file)?;
    let title = how.title.clone().or_else(|| {
        let known = last(&text, "customTitle")
            .or_else(|| last(&text, "aiTitle"))
            .or_else(|| first_prompt(&text));
        known.map(|title| format!("{title} (fork)"))
    });
    let new_id = uuid::Uuid::new_v4().to_string();
    let lines = copy(&text, session_id, &new_id, how, title.as_deref())?;
    let target = file.with_file_name(format!("{new_id}.jsonl"));
    let failed = |error| Error::session(target.display(), &error);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut open = options.open(&target).map_err(failed)?;
    open.write_all(lines.as_bytes()).map_err(failed)?;
    Ok(new_id)
}

fn copy(text: &str, old_id: &str, new_id: &str, how: &Fork, title: Option<&str>) -> Result<String, Error> {
    let all: Vec<Map<String, Value>> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let str_of = |entry: &Map<String, Value>, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    // Progress entries are not copied: whoever came after one comes after what it came after.
    let skipped: HashMap<String, Option<String>> = all
        .iter()
        .filter(|entry| str_of(entry, "type").as_deref() == Some("progress"))
        .filter_map(|entry| Some((str_of(entry, "uuid")?, str_of(entry, "parentUuid"))))
        .collect();
    let is_said = |entry: &&Map<String, Value>| {
        let kind = str_of(entry, "type");
        matches!(kind.as_deref(), Some("user" | "assistant" | "system" | "attachment"))
            && entry.get("isSidechain").and_then(Value::as_bool) != Some(true)
            && entry.contains_key("uuid")
    };
    let mut kept: Vec<&Map<String, Value>> = all.iter().filter(is_said).collect();
    if let Some(up_to) = &how.up_to {
        let at = kept
            .iter()
            .position(|entry| str_of(entry, "uuid").as_deref() == Some(up_to));
        let missing = || {
            Error::new(
                ErrorKind::Session,
                format!("there is no message {up_to} in session {old_id}"),
            )
        };
        kept.truncate(at.ok_or_else(missing)? + 1);
    }
    if kept.is_empty() {
        return Err(Error::new(
            ErrorKind::Session,
            format!("session {old_id} has no messages"),
        ));
    }
    let ids: HashMap<String, String> = kept
        .iter()
        .filter_map(|entry| str_of(entry, "uuid"))
        .map(|uuid| (uuid, uuid::Uuid::new_v4().to_string()))
        .collect();
    let parent = |of: Option<String>| -> Value {
        let mut next = of;
        for _ in 0..=skipped.len() {
            match next.as_ref().and_then(|uuid| skipped.get(uuid)) {
                Some(before) => next = before.clone(),
                None => break,
            }
        }
        next.and_then(|uuid| ids.get(&uuid).cloned())
            .map_or(Value::Null, Value::String)
    };
    let mut out = String::new();
    let count = kept.len();
    for (at, entry) in kept.into_iter().enumerate() {
        let old = str_of(entry, "uuid").unwrap_or_default();
        let mut entry = entry.clone();
        entry.insert(
            "uuid".to_owned(),
            ids.get(&old).cloned().map_or(Value::Null, Value::String),
        );
        let before = parent(str_of(&entry, "parentUuid"));
        entry.insert("parentUuid".to_owned(), before);
        if let Some(logical) = str_of(&entry, "logicalParentUuid") {
            entry.insert("logicalParentUuid".to_owned(), parent(Some(logical)));
        }
        entry.insert("sessionId".to_owned(), new_id.into());
        entry.insert(
            "forkedFrom".to_owned(),
            json!({"sessionId": old_id, "messageUuid": old}),
        );
        for key in LEFT {
            entry.shift_remove(*key);
        }
        if at + 1 == count {
            entry.insert("timestamp".to_owned(), now().into());
        }
        out.push_str(&Value::Object(entry).to_string());
        out.push('\n');
    }
    let replacements: Vec<Value> = all
        .iter()
        .filter(|entry| str_of(entry, "type").as_deref() == Some("content-replacement"))
        .filter_map(|entry| entry.get("replacements").and_then(Value::as_array))
        .flatten()
        .cloned()
        .collect();
    if !replacements.is_empty() {
        let line = json!({"type": "content-replacement", "sessionId": new_id, "replacements": replacements});
        out.push_str(&format!("{line}\n"));
    }
    if let Some(title) = title {
        let line = json!({"type": "custom-title", "customTitle": title, "sessionId": new_id});
        out.push_str(&format!("{line}\n"));
    }
    Ok(out)
}

/// The time now, as transcripts write it.
fn now() -> String {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let (seconds, milliseconds) = (since.as_secs(), since.subsec_millis());
    let days = i64::try_from(seconds / 86_400).unwrap_or(0);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    // The date of a day since 1970, counted in eras of 400 years from March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

#[cfg(test)]
mod tests {
    use super::super::info::milliseconds;
    use super::now;

    #[test]
    fn the_time_written_is_the_time_read() {
        let read = milliseconds(&now()).unwrap_or(0);
        let is = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |it| it.as_millis());
        assert!(is.abs_diff(u128::from(read)) < 10_000, "{} {read}", now());
    }
}
