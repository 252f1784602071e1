//! HTTP hooks: the event is sent as a POST request, and the response is the result.

use std::ffi::OsString;

use serde_json::Value;
use sluice_settings::Settings;
use sluice_settings::keys::{self, Key};
use sluice_wire::stdout::system::HookOutcome;

use crate::output::{self, Failure, HookAnswer};
use crate::run::{Due, HookRun, Seen};

/// Limits for HTTP hooks: the allowed URLs and the environment variables for headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// Patterns of allowed URLs; `None` allows all.
    allowed: Option<Vec<String>>,
    /// Names of allowed variables; `None` allows all that the hook declares.
    variables: Option<Vec<String>>,
}

impl Rules {
    /// Reads the limits from the settings. Other settings cannot extend those of the managed settings.
    pub fn of(settings: &Settings) -> Self {
        let list = |key: &Key| -> Option<Vec<String>> {
            let managed = settings.policy(key).cloned().map(|value| vec![value]);
            let values: Vec<Value> = managed.unwrap_or_else(|| {
                let each = settings.each(key).into_iter();
                each.map(|(_, value)| value.clone()).collect()
            });
            let texts = values.iter().filter_map(Value::as_array).flatten();
            let texts = texts.filter_map(|value| value.as_str().map(str::to_owned)).collect();
            (!values.is_empty()).then_some(texts)
        };
        Self {
            allowed: list(&keys::ALLOWED_HTTP_HOOK_URLS),
            variables: list(&keys::HTTP_HOOK_ALLOWED_ENV_VARS),
        }
    }

    fn allow(&self, url: &str) -> bool {
        let patterns = self.allowed.as_deref();
        patterns.is_none_or(|patterns| patterns.iter().any(|pattern| glob(pattern, url)))
    }

    /// Whether a pattern without a wildcard in its host allows the URL. Then the host may have any IP address.
    fn name_host(&self, url: &str) -> bool {
        let patterns = self.allowed.iter().flatten();
        patterns
            .filter(|pattern| glob(pattern, url))
            .any(|pattern| host(pattern).is_some_and(|host| !host.is_empty() && !host.contains('*')))
    }
}

fn host(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    (!scheme.contains('*')).then_some(host)
}

/// Whether the text matches the pattern, in which `*` matches any text.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Replaces `$NAME` and `${NAME}` with the values of variables. Variables that are not allowed are empty.
fn with_variables(text: &str, allowed: &dyn Fn(&str) -> bool, env: &[(OsString, OsString)]) -> String {
    let value = |name: &str| {
        let found = env.iter().rev().find(|(known, _)| allowed(name) && *known == *name);
        found
            .map(|(_, value)| value.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let braced = after.strip_prefix('{').and_then(|after| after.split_once('}'));
        let (name, tail) = braced.unwrap_or_else(|| {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = after.find(|letter| !is_part(letter)).unwrap_or(after.len());
            after.split_at(end)
        });
        if name.is_empty() {
            out.push('$');
        } else {
            out.push_str(&value(name));
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Sends the event and parses the response.
pub async fn run(
    run: &HookRun,
    due: &Due,
    url: &str,
    headers: &[(String, String)],
    variables: &[String],
) -> Result<HookAnswer, Failure> {
    let posted = if run.rules.allow(url) {
        let may_name = |name: &str| {
            let by_settings = run.rules.variables.as_ref();
            variables.iter().any(|known| known == name)
                && by_settings.is_none_or(|names| names.iter().any(|known| known == name))
        };
        let headers: Vec<(String, String)> = headers
            .iter()
            .map(|(name, value)| (name.clone(), with_variables(value, &may_name, &run.env)))
            .collect();
        let any_address = run.rules.name_host(url);
        let body = run.input.to_string();
        sluice_tools::post(run.web.clone(), url, &headers, body, due.patience(), any_address).await
    } else {
        Err("its URL is not in allowedHttpHookUrls".to_owned())
    };
    let (answer, body, outcome) = match posted {
        Ok(posted) if (200..300).contains(&posted.status) => {
            let answer = output::of_text(run.event, &posted.body);
            (answer, posted.body, HookOutcome::Success)
        }
        Ok(posted) => {
            let why = format!("the server responded with status {}", posted.status);
            (Err(Failure::Broken(why)), posted.body, HookOutcome::Error)
        }
        Err(why) => (Err(Failure::Broken(why.clone())), why, HookOutcome::Error),
    };
    let seen = Seen {
        stdout: body.clone(),
        output: body,
        ..Seen::default()
    };
    run.say_ended(&due.id, seen, outcome).await;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_urls_are_requested() {
        let rules = |list: &[&str]| Rules {
            allowed: Some(list.iter().map(|text| (*text).to_owned()).collect()),
            variables: None,
        };
        assert!(Rules::default().allow("http://anywhere/x"));
        assert!(!rules(&[]).allow("http://anywhere/x"));
        let named = rules(&[
            "https://hooks.example.com/*",
            "http://10.0.0.5:8080/hook",
            "https://*.corp.example/*",
        ]);
        for (url, allowed, by_host) in [
            ("https://hooks.example.com/a", true, true),
            ("https://hooks.example.com.evil/a", false, false),
            ("http://10.0.0.5:8080/hook", true, true),
            ("http://10.0.0.5:8080/hook2", false, false),
            ("https://a.corp.example/x", true, false),
        ] {
            assert_eq!((named.allow(url), named.name_host(url)), (allowed, by_host), "{url}");
        }
    }

    #[test]
    fn headers_get_only_allowed_variables() {
        let env: Vec<(OsString, OsString)> = vec![("TOKEN".into(), "t".into()), ("SECRET".into(), "s".into())];
        let may = |name: &str| name == "TOKEN";
        for (text, given) in [
            ("Bearer $TOKEN", "Bearer t"),
            ("Bearer ${TOKEN}!", "Bearer t!"),
            ("$SECRET$TOKEN", "t"),
            ("${SECRET}", ""),
            ("5$ and $", "5$ and $"),
            ("$TOKENS", ""),
        ] {
            assert_eq!(with_variables(text, &may, &env), given, "{text}");
        }
    }
}
