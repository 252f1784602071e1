//! OAuth sign-in to an MCP server: discovery, registration, browser redirect, stored and refreshed tokens.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_engine::mcp::ServerConfig;
use sluice_model::{Auth, Config};
use sluice_simulator::Script;

use crate::stage::Stage;
use crate::web::{ReceivedRequest, Reply, Web};

/// An MCP server that requires sign-in, together with its authorization server.
#[derive(Default)]
struct OAuthServer {
    url: Mutex<String>,
    /// The number of the currently valid token.
    token: AtomicUsize,
    /// The lifetime of a token, in seconds.
    token_lifetime: AtomicUsize,
    /// The code challenge of the current sign-in.
    challenge: Mutex<String>,
}

impl OAuthServer {
    fn answer(&self, asked: &ReceivedRequest) -> Reply {
        let url = self.url.lock().unwrap().clone();
        let path = asked.path.split('?').next().unwrap_or_default();
        match path {
            "/mcp" => self.serve(asked, &url),
            "/.well-known/oauth-protected-resource" | "/.well-known/oauth-protected-resource/mcp" => {
                Reply::json(&json!({
                    "resource": format!("{url}/mcp"), "authorization_servers": [url], "scopes_supported": ["read"],
                }))
            }
            "/.well-known/oauth-authorization-server" => Reply::json(&json!({
                "issuer": url,
                "authorization_endpoint": format!("{url}/authorize"),
                "token_endpoint": format!("{url}/token"),
                "registration_endpoint": format!("{url}/register"),
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            })),
            "/register" => {
                let mut client = asked.json();
                client["client_id"] = json!("the-client");
                Reply::Respond(
                    201,
                    vec![("content-type", "application/json".to_owned())],
                    client.to_string().into(),
                )
            }
            "/token" => self.token(asked),
            _ => Reply::status(404),
        }
    }

    fn serve(&self, asked: &ReceivedRequest, url: &str) -> Reply {
        let token = format!("Bearer token-{}", self.token.load(Ordering::SeqCst));
        if asked.header("authorization") != token {
            let challenge = format!("Bearer resource_metadata=\"{url}/.well-known/oauth-protected-resource\"");
            return Reply::status(401).with("www-authenticate", &challenge);
        }
        if asked.method != "POST" {
            return Reply::status(405);
        }
        let message = asked.json();
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            "tools/call" => json!({"content": [{"type": "text", "text": "heard"}]}),
            method if method.starts_with("notifications/") => return Reply::status(202),
            _ => {
                let error = json!({"code": -32601, "message": "no"});
                return Reply::json(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
            }
        };
        Reply::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    /// Issues a token for a code with the matching verifier, or for a refresh token.
    fn token(&self, asked: &ReceivedRequest) -> Reply {
        let refused = || {
            Reply::Respond(
                400,
                vec![("content-type", "application/json".to_owned())],
                json!({"error": "invalid_grant"}).to_string().into(),
            )
        };
        match asked.field("grant_type").as_deref() {
            Some("authorization_code") => {
                let verifier = asked.field("code_verifier").unwrap_or_default();
                let proof = sha256(&verifier);
                if asked.field("code").as_deref() != Some("the-code") || proof != *self.challenge.lock().unwrap() {
                    return refused();
                }
            }
            Some("refresh_token") => {
                let kept = format!("refresh-{}", self.token.load(Ordering::SeqCst));
                if asked.field("refresh_token") != Some(kept) {
                    return refused();
                }
            }
            _ => return refused(),
        }
        let number = self.token.fetch_add(1, Ordering::SeqCst) + 1;
        Reply::json(&json!({
            "access_token": format!("token-{number}"), "token_type": "Bearer",
            "expires_in": self.token_lifetime.load(Ordering::SeqCst), "refresh_token": format!("refresh-{number}"), "scope": "read",
        }))
    }
}

/// The SHA-256 digest of a text in the encoding of code challenges.
fn sha256(text: &str) -> String {
    let mut child = std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let digits = out.split(' ').next().unwrap();
    let bytes: Vec<u8> = (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

async fn start_server(token_lifetime: usize) -> (Arc<OAuthServer>, Web) {
    let server = Arc::<OAuthServer>::default();
    server.token_lifetime.store(token_lifetime, Ordering::SeqCst);
    let answering = server.clone();
    let web = Web::start(move |asked| answering.answer(asked)).await;
    server.url.lock().unwrap().clone_from(&web.url);
    (server, web)
}

fn at(url: &str, credentials: Option<std::path::PathBuf>) -> impl FnOnce(&mut Options) {
    let config = json!({"type": "http", "url": format!("{url}/mcp")});
    move |options: &mut Options| {
        let config = ServerConfig::parse(&config).unwrap();
        options.servers.dynamic.insert("s".to_owned(), Ok(config));
        options.servers.connect = Duration::from_secs(5);
        options.permissions.allowed.push("mcp__s".to_owned());
        if let Some(credentials) = credentials {
            options.servers.credentials = credentials;
        }
    }
}

async fn status(stage: &mut Stage) -> String {
    let status = stage.control(json!({"subtype": "mcp_status"})).await;
    status["response"]["mcpServers"][0]["status"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Starts a sign-in. Returns the response and the authorization URL.
async fn begin(stage: &mut Stage, server: &OAuthServer) -> (Value, reqwest::Url) {
    let begun = stage
        .control(json!({"subtype": "mcp_authenticate", "serverName": "s"}))
        .await;
    let begun = begun["response"].clone();
    let url = reqwest::Url::parse(begun["authUrl"].as_str().unwrap_or_else(|| panic!("{begun}"))).unwrap();
    *server.challenge.lock().unwrap() = query(&url, "code_challenge").unwrap();
    (begun, url)
}

fn query(url: &reqwest::Url, name: &str) -> Option<String> {
    let found = url.query_pairs().find(|(key, _)| key == name)?;
    Some(found.1.into_owned())
}

/// The callback URL to which the browser is redirected.
fn callback_url(url: &reqwest::Url, state: &str) -> String {
    let home = query(url, "redirect_uri").unwrap();
    format!("{home}?code=the-code&state={state}")
}

#[tokio::test]
async fn server_is_connected_after_sign_in() {
    let (server, web) = start_server(3600).await;
    let script = Script::new().text("Hello").tool("mcp__s__echo", json!({})).text("Done");
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("credentials.json");
    let mut stage = Stage::with(script, at(&web.url, Some(kept.clone()))).await;
    stage.prompt("hi").await;
    stage.result().await;
    assert_eq!(status(&mut stage).await, "needs-auth");

    let (begun, url) = begin(&mut stage, &server).await;
    assert_eq!(begun["requiresUserAction"], true);
    assert_eq!(
        query(&url, "client_id").as_deref(),
        Some("the-client"),
        "it registered itself"
    );
    assert_eq!(query(&url, "code_challenge_method").as_deref(), Some("S256"));
    assert_eq!(query(&url, "resource"), Some(format!("{}/mcp", web.url)));
    let state = query(&url, "state").unwrap();
    // A callback with another state has no effect.
    let way = Config::new(web.url.clone(), Auth::ApiKey(String::new()));
    let browser = sluice_model::http_client(&way, false).unwrap();
    let foreign = browser.get(callback_url(&url, "another")).send().await.unwrap();
    assert_eq!(foreign.status(), 400);
    let elsewhere = query(&url, "redirect_uri")
        .unwrap()
        .replace("/callback", "/favicon.ico");
    assert_eq!(browser.get(elsewhere).send().await.unwrap().status(), 404);
    let came = browser.get(callback_url(&url, &state)).send().await.unwrap();
    assert_eq!(came.status(), 200, "{}", came.text().await.unwrap());

    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(status(&mut stage).await, "connected");
    let said = stage.last("user:tool_result")["message"]["content"][0]["content"][0]["text"].clone();
    assert_eq!(said, "heard");
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    // Clearing the credentials requires a new sign-in.
    let cleared = stage
        .control(json!({"subtype": "mcp_clear_auth", "serverName": "s"}))
        .await;
    assert_eq!(cleared["subtype"], "success");
    assert_eq!(status(&mut stage).await, "needs-auth");
    assert!(!std::fs::read_to_string(&kept).unwrap().contains("token-1"));
    stage.end().await;
    let token = web.asked().into_iter().find(|it| it.path == "/token").unwrap();
    assert_eq!(token.field("client_id").as_deref(), Some("the-client"));
}

#[tokio::test]
async fn host_can_complete_sign_in_with_the_callback_url() {
    let (server, web) = start_server(3600).await;
    let mut stage = Stage::with(Script::new().text("Hello"), at(&web.url, None)).await;
    stage.prompt("hi").await;
    stage.result().await;
    let come = |url: String| json!({"subtype": "mcp_oauth_callback_url", "serverName": "s", "callbackUrl": url});
    let none = stage.control(come("http://localhost/callback?code=x".to_owned())).await;
    assert_eq!(none["error"], "No active OAuth flow for server: s");
    let (_, url) = begin(&mut stage, &server).await;
    let state = query(&url, "state").unwrap();
    let foreign = stage.control(come(callback_url(&url, "another"))).await;
    assert_eq!(foreign["subtype"], "error");
    let back = stage.control(come(callback_url(&url, &state))).await;
    assert_eq!(back["subtype"], "success", "{back}");
    // The server is connected concurrently; the next turn waits for it.
    stage.prompt("hi").await;
    stage.result().await;
    assert_eq!(status(&mut stage).await, "connected");
    stage.end().await;
}

#[tokio::test]
async fn stored_token_is_used_and_refreshed() {
    // A token that expires immediately is refreshed before it is used.
    let (server, web) = start_server(0).await;
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("credentials.json");
    let mut stage = Stage::with(Script::new().text("Hello"), at(&web.url, Some(kept.clone()))).await;
    stage.prompt("hi").await;
    stage.result().await;
    let (_, url) = begin(&mut stage, &server).await;
    let state = query(&url, "state").unwrap();
    let come =
        json!({"subtype": "mcp_oauth_callback_url", "serverName": "s", "callbackUrl": callback_url(&url, &state)});
    assert_eq!(stage.control(come).await["subtype"], "success");
    stage.end().await;
    server.token_lifetime.store(3600, Ordering::SeqCst);
    let before = server.token.load(Ordering::SeqCst);

    let script = Script::new().tool("mcp__s__echo", json!({})).text("Done");
    let mut stage = Stage::with(script, at(&web.url, Some(kept.clone()))).await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(status(&mut stage).await, "connected");
    stage.end().await;
    let refreshed = web
        .asked()
        .iter()
        .any(|it| it.field("grant_type").as_deref() == Some("refresh_token"));
    assert!(refreshed && server.token.load(Ordering::SeqCst) > before);
    let written = std::fs::read_to_string(&kept).unwrap();
    assert!(
        written.contains(&format!("token-{}", server.token.load(Ordering::SeqCst))),
        "{written}"
    );
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn sign_in_without_metadata_is_an_error() {
    let web = Web::start(|asked| match asked.path.as_str() {
        "/mcp" => Reply::status(401),
        _ => Reply::status(404),
    })
    .await;
    let mut stage = Stage::with(Script::new().text("Hello"), at(&web.url, None)).await;
    stage.prompt("hi").await;
    stage.result().await;
    let begun = stage
        .control(json!({"subtype": "mcp_authenticate", "serverName": "s"}))
        .await;
    assert_eq!(begun["subtype"], "error", "{begun}");
    stage.end().await;
}
