//! `/login`: tries an API key or model server and saves it. `/logout` removes it.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sluice_engine::settings::{self, keys};
use sluice_model::{Auth, Client, Config, DEFAULT_BASE_URL, Network, Request, http_client};
use sluice_permission::Source;
use sluice_terminal::{Facts, Questioner, StartQuestion};

use crate::launch::Place;

/// Default addresses and names of local model servers.
const DEFAULT_SERVERS: &[(&str, &str)] = &[
    ("http://127.0.0.1:11434", "Ollama"),
    ("http://127.0.0.1:8080", "llama.cpp"),
    ("http://127.0.0.1:8000", "vLLM"),
    ("http://127.0.0.1:1234", "LM Studio"),
    ("http://127.0.0.1:4000", "LiteLLM"),
];
const BASE_URL: &str = "ANTHROPIC_BASE_URL";
/// Variables that a login saves in the user settings.
const SAVED_VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    BASE_URL,
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
];
/// Timeout for detecting a server.
const DETECT_TIMEOUT: Duration = Duration::from_millis(400);
/// Timeout for a response of one token, which includes loading a local model.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);

/// Asks for a key or a server and saves it. Returns false if nothing changed.
pub(crate) async fn ask(place: &Place, facts: &Facts) -> io::Result<bool> {
    let choice = |label: &str, about: &str| (label.to_owned(), about.to_owned());
    let question = StartQuestion {
        title: ("Login".to_owned(), String::new()),
        body: vec!["  It is tested, then saved in your user settings.".to_owned()],
        choices: vec![
            choice("Paste a key", "of the API, sk-ant-⋯"),
            choice("A custom server", "Ollama, llama.cpp, vLLM, a gateway"),
            choice("Keep the current setup", ""),
        ],
        ..StartQuestion::default()
    };
    let mut questioner = Questioner::open(facts)?;
    loop {
        let done = match questioner.choose(&question).await? {
            Some(0) => key(&mut questioner, place).await?,
            Some(1) => server(&mut questioner, place).await?,
            _ => return Ok(false),
        };
        if done {
            return Ok(true);
        }
    }
}

async fn key(questioner: &mut Questioner<'_>, place: &Place) -> io::Result<bool> {
    let Some(key) = questioner.write("A key", "hidden while you type", true).await? else {
        return Ok(false);
    };
    let base = place.environment.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
    let mut config = Config::new(base, Auth::ApiKey(key.clone()));
    config.network = network(place)?;
    let Some(tried) = questioner
        .wait("trying the key", try_out(config, place.environment.model_names.small()))
        .await?
    else {
        return Ok(false);
    };
    match tried {
        Ok(()) => {
            let env = json!({"ANTHROPIC_API_KEY": key, "ANTHROPIC_AUTH_TOKEN": null});
            keep(
                questioner,
                place,
                &json!({ (keys::ENV.name): env }),
                "the key works and was saved",
            )
        }
        Err(why) => {
            questioner.say("✗", &format!("not saved: {why}"))?;
            Ok(false)
        }
    }
}

async fn server(questioner: &mut Questioner<'_>, place: &Place) -> io::Result<bool> {
    let Some(found) = questioner.wait("looking for servers", find()).await? else {
        return Ok(false);
    };
    let mut choices: Vec<(String, String)> = found
        .iter()
        .map(|(address, name, models)| (address.clone(), format!("{name}, {} models", models.len())))
        .collect();
    choices.push(("Another address".to_owned(), String::new()));
    let question = StartQuestion {
        title: ("Server".to_owned(), String::new()),
        body: match found.is_empty() {
            true => vec!["  No server found on the default ports of this machine.".to_owned()],
            false => Vec::new(),
        },
        choices,
        ..StartQuestion::default()
    };
    let Some(at) = questioner.choose(&question).await? else {
        return Ok(false);
    };
    let (address, models) = match found.get(at) {
        Some((address, _, models)) => (address.clone(), models.clone()),
        None => {
            let about = "such as http://127.0.0.1:11434";
            let Some(address) = questioner.write("Address", about, false).await? else {
                return Ok(false);
            };
            let address = address.trim_end_matches('/').trim_end_matches("/v1").to_owned();
            let models = questioner
                .wait("asking for its models", models_of(&address, network(place)?))
                .await?;
            (address, models.flatten().unwrap_or_default())
        }
    };
    let Some(model) = pick_model(questioner, &models).await? else {
        return Ok(false);
    };
    let Some(token) = token(questioner).await? else {
        return Ok(false);
    };
    let mut config = Config::new(&address, Auth::Bearer(token.clone()));
    config.response_timeout = RESPONSE_TIMEOUT;
    config.network = network(place)?;
    let what = format!("testing {model} with a one-word request; it may have to be loaded first");
    let Some(tried) = questioner.wait(&what, try_out(config, &model)).await? else {
        return Ok(false);
    };
    match tried {
        Ok(()) => {
            let env = json!({(BASE_URL): address, "ANTHROPIC_AUTH_TOKEN": token, "ANTHROPIC_API_KEY": null,
                "ANTHROPIC_DEFAULT_HAIKU_MODEL": model});
            let said = format!("{model} answers and is saved");
            keep(
                questioner,
                place,
                &json!({(keys::ENV.name): env, (keys::MODEL.name): model}),
                &said,
            )
        }
        Err(why) => {
            questioner.say("✗", &format!("not saved: {why}"))?;
            Ok(false)
        }
    }
}

async fn token(questioner: &mut Questioner<'_>) -> io::Result<Option<String>> {
    let question = StartQuestion {
        title: ("Does the server need a token?".to_owned(), String::new()),
        choices: vec![
            ("No".to_owned(), "most local servers do not".to_owned()),
            ("Yes".to_owned(), String::new()),
        ],
        ..StartQuestion::default()
    };
    match questioner.choose(&question).await? {
        Some(0) => Ok(Some("local".to_owned())),
        Some(_) => questioner.write("Token", "hidden while you type", true).await,
        None => Ok(None),
    }
}

async fn pick_model(questioner: &mut Questioner<'_>, models: &[String]) -> io::Result<Option<String>> {
    if models.is_empty() {
        return questioner.write("Model", "a model on this server", false).await;
    }
    let most = models.iter().take(9);
    let question = StartQuestion {
        title: ("Model".to_owned(), String::new()),
        choices: most
            .map(|model| (model.clone(), String::new()))
            .chain([("Another".to_owned(), "by its name".to_owned())])
            .collect(),
        ..StartQuestion::default()
    };
    let Some(at) = questioner.choose(&question).await? else {
        return Ok(None);
    };
    match models.get(at).filter(|_| at < 9) {
        Some(model) => Ok(Some(model.clone())),
        None => questioner.write("Model", "a model on this server", false).await,
    }
}

/// Returns the network configuration that sessions use.
fn network(place: &Place) -> io::Result<Network> {
    place.environment.network().map_err(io::Error::other)
}

/// Sends a request for one token to check that the model works.
async fn try_out(config: Config, model: &str) -> Result<(), String> {
    let client = Client::new(config).map_err(|error| error.to_string())?;
    let mut request = Request::new(model, [json!({"role": "user", "content": "Say yes."})]);
    request.max_tokens = 1;
    match client.create(&request).await {
        Ok(_) => Ok(()),
        Err(failure) => Err(client.explain(&failure, model)),
    }
}

/// Finds servers on the default ports: address, name and models.
async fn find() -> Vec<(String, String, Vec<String>)> {
    let asked = DEFAULT_SERVERS.iter().map(|(address, name)| async move {
        let models = models_of(address, Network::default()).await?;
        Some(((*address).to_owned(), (*name).to_owned(), models))
    });
    let found = futures_util::future::join_all(asked).await;
    found.into_iter().flatten().collect()
}

async fn models_of(address: &str, network: Network) -> Option<Vec<String>> {
    let mut config = Config::new(address, Auth::None);
    config.network = network;
    let client = http_client(&config, address.starts_with("https")).ok()?;
    let answer = tokio::time::timeout(DETECT_TIMEOUT, client.get(format!("{address}/v1/models")).send());
    let answer = answer.await.ok()?.ok()?;
    let bytes = tokio::time::timeout(DETECT_TIMEOUT, answer.bytes()).await.ok()?.ok()?;
    Some(names(&serde_json::from_slice(&bytes).unwrap_or_default()))
}

/// Returns the names in a list of models.
fn names(list: &Value) -> Vec<String> {
    let models = list.get("data").and_then(Value::as_array).into_iter().flatten();
    models
        .filter_map(|model| Some(model.get("id")?.as_str()?.to_owned()))
        .collect()
}

/// True if the user settings contain this variable.
fn is_saved(place: &Place, name: &str) -> bool {
    let mut layers = place.settings.layers().iter();
    let user = layers.find(|layer| layer.source == Source::User);
    let env = user.and_then(|layer| layer.value.get(keys::ENV.name));
    env.is_some_and(|env| env.get(name).is_some())
}

/// `/logout`: removes the key or server saved by `/login`. Returns a message with what was removed, or why nothing was.
pub(crate) fn forget(place: &Place) -> String {
    let saved: Vec<&str> = SAVED_VARIABLES
        .iter()
        .copied()
        .filter(|name| is_saved(place, name))
        .collect();
    if saved.is_empty() {
        return match place.has_key() {
            true => "not signed out: the key is not from /login; remove it where it is set".to_owned(),
            false => "not signed in".to_owned(),
        };
    }
    let env: Map<String, Value> = saved.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    let mut changes = Map::from_iter([(keys::ENV.name.to_owned(), Value::Object(env))]);
    if saved.contains(&BASE_URL) {
        // The model belongs to the removed server.
        changes.insert(keys::MODEL.name.to_owned(), Value::Null);
    }
    match settings::update(place.settings.places(), Source::User, &changes) {
        Ok(path) => format!("signed out: {} removed from {}", saved.join(", "), path.display()),
        Err(error) => format!("not signed out: {error}"),
    }
}

fn keep(questioner: &mut Questioner<'_>, place: &Place, changes: &Value, said: &str) -> io::Result<bool> {
    let mut changes: Map<String, Value> = changes.as_object().cloned().unwrap_or_default();
    // Only existing variables are removed.
    if let Some(Value::Object(env)) = changes.get_mut(keys::ENV.name) {
        env.retain(|name, value| !value.is_null() || is_saved(place, name));
    }
    match settings::update(place.settings.places(), Source::User, &changes) {
        Ok(path) => {
            // The file now contains a secret.
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).ok();
            questioner.say("✓", &format!("{said} in {}", path.display()))?;
            Ok(true)
        }
        Err(error) => {
            questioner.say("✗", &format!("it works, but could not be saved: {error}"))?;
            Ok(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_read_from_the_usual_list() {
        assert_eq!(
            names(&json!({"data": [{"id": "qwen3"}, {"id": "gemma"}, {}]})),
            ["qwen3", "gemma"]
        );
        assert!(names(&Value::Null).is_empty());
    }
}
