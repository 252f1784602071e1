//! OAuth sign-in to an MCP server: the tokens, and the sign-in in the person's browser.

mod callback;
mod store;

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Url};
use rmcp::transport::auth::{AuthorizationManager, AuthorizationRequest, AuthorizationSession, OAuthHttpClientFuture};
use rmcp::transport::{OAuthHttpClient, OAuthHttpRequest};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::config::{OAuth, Reach};
use super::context::ServerContext;
use super::link::{Link, Phase};
use store::Store;

/// How long a sign-in waits for the person.
const SIGN_IN_TIMEOUT: Duration = Duration::from_mins(10);
/// The maximum size in bytes of a response from an authorization server.
const MAX_RESPONSE: usize = 1 << 20;

/// A sign-in that waits for the person.
#[derive(Debug)]
pub struct SignIn {
    /// The authorization page to open in a browser.
    pub url: String,
    /// The `state` parameter that the callback URL has to carry.
    pub state: String,
    /// The local port that the browser is redirected to.
    pub port: u16,
    session: Session,
    /// Cancelled when the sign-in is finished; cancelling it aborts the sign-in.
    pub over: CancellationToken,
}

struct Session(AuthorizationSession);

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuthorizationSession")
    }
}

impl SignIn {
    /// Completes the sign-in with the callback URL: exchanges the code for a token, which is stored.
    pub async fn finish(&self, callback: &str) -> Result<(), String> {
        let callback_url = Url::parse(callback).map_err(|error| format!("Not a valid URL: {error}"))?;
        let value = |name: &str| {
            callback_url
                .query_pairs()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        if value("state").as_deref() != Some(self.state.as_str()) || value("code").is_none() {
            return Err(
                "Callback URL not accepted: it has no code or belongs to another sign-in. This sign-in is still open: \
                 paste the URL on which the browser ended."
                    .to_owned(),
            );
        }
        let signed_in = self.session.0.handle_callback_url(callback).await;
        signed_in.map_err(|error| format!("The sign-in failed: {error}"))?;
        self.over.cancel();
        Ok(())
    }
}

/// Returns the URL of a server whose transport supports OAuth.
fn address(link: &Link) -> Result<Url, String> {
    match &link.config.reach {
        Reach::Http { url, .. } | Reach::Sse { url, .. } => {
            Url::parse(url).map_err(|error| format!("{url:?} is not a valid URL: {error}"))
        }
        _ => Err(format!(
            "Server type \"{}\" does not support OAuth authentication",
            link.config.transport()
        )),
    }
}

/// Starts a sign-in. The callback is awaited in a separate task.
pub async fn start(link: &Arc<Link>) -> Result<Arc<SignIn>, String> {
    let url = address(link)?;
    let oauth = &link.config.oauth;
    let listener = TcpListener::bind(("127.0.0.1", oauth.callback_port.unwrap_or(0))).await;
    let listener = listener.map_err(|error| format!("Cannot listen for the OAuth callback: {error}"))?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let session = start_session(&link.context, &url, oauth, &link.name, port).await?;
    let auth_url = session.get_authorization_url().to_owned();
    let page = web_page(&auth_url)?;
    let state = page.query_pairs().find(|(key, _)| key == "state");
    let state = state.map(|(_, state)| state.into_owned());
    let sign_in = Arc::new(SignIn {
        url: auth_url,
        state: state.unwrap_or_default(),
        port,
        session: Session(session),
        over: link.context.quit.child_token(),
    });
    if let Some(before) = link.replace_sign_in(Some(sign_in.clone())) {
        before.over.cancel();
    }
    tokio::spawn(await_callback(listener, link.clone(), sign_in.clone()));
    Ok(sign_in)
}

/// Parses a URL that may be opened in a browser. It comes from the server, and other schemes could start programs.
fn web_page(url: &str) -> Result<Url, String> {
    match Url::parse(url) {
        Ok(page) if matches!(page.scheme(), "https" | "http") => Ok(page),
        _ => Err(format!("The server's authorization URL is not a web page: {url:?}")),
    }
}

async fn start_session(
    context: &ServerContext,
    url: &Url,
    oauth: &OAuth,
    server: &str,
    port: u16,
) -> Result<AuthorizationSession, String> {
    let mut manager = new_manager(context, url).await?;
    let resolved = manager.resolve_metadata().await;
    let resolved = resolved.map_err(|error| format!("The server provides no OAuth metadata: {error}"))?;
    manager.set_metadata(resolved.metadata);
    let mut request = AuthorizationRequest::new(format!("http://localhost:{port}/callback"))
        .with_client_name(format!("Sluice ({server})"))
        .with_application_type("native")
        .with_initial_scope_selection();
    if !oauth.scopes.is_empty() {
        request = request.with_scopes(oauth.scopes.clone());
    }
    if let Some(id) = &oauth.client_id {
        request = request.with_preregistered_client(id.clone());
    }
    let session = AuthorizationSession::new(manager, request).await;
    session.map_err(|(_, error)| format!("The sign-in could not be started: {error}"))
}

/// Waits for the callback, then connects.
async fn await_callback(listener: TcpListener, link: Arc<Link>, sign_in: Arc<SignIn>) {
    let callback_url = callback::serve(&listener, |address| {
        let sign_in = sign_in.clone();
        async move { sign_in.finish(&address).await }
    });
    tokio::select! {
        () = callback_url => {}
        () = sign_in.over.cancelled() => {}
        () = tokio::time::sleep(SIGN_IN_TIMEOUT) => sign_in.over.cancel(),
    }
    let is_current = link.sign_in().is_some_and(|current| Arc::ptr_eq(&current, &sign_in));
    if is_current {
        link.replace_sign_in(None);
    }
    if link.context.quit.is_cancelled() || !is_current {
        return;
    }
    if let Phase::NeedsAuth | Phase::Down(_) = link.phase() {
        // The result is visible in the phase of the server.
        link.dial().await.ok();
    }
}

/// Deletes the token and disconnects.
pub async fn forget(link: &Arc<Link>) -> Result<(), String> {
    let url =
        address(link).map_err(|_| format!("Cannot clear auth for server type \"{}\"", link.config.transport()))?;
    store(&link.context, &url).forget().map_err(|error| error.to_string())?;
    link.disconnect(Phase::NeedsAuth);
    Ok(())
}

/// Returns the manager of a stored token, if there is one. The token is refreshed if necessary.
pub(super) async fn manager(context: &ServerContext, url: &Url) -> Option<AuthorizationManager> {
    if !store(context, url).has_token() {
        return None;
    }
    let mut manager = new_manager(context, url).await.ok()?;
    manager.initialize_from_store().await.ok()?.then_some(manager)
}

/// Adds the stored token, if there is one, to the request headers.
pub(super) async fn add_token(context: &ServerContext, url: &Url, headers: &mut HeaderMap) {
    let Some(manager) = manager(context, url).await else {
        return;
    };
    let Ok(token) = manager.get_access_token().await else {
        return;
    };
    if let Ok(mut value) = HeaderValue::try_from(format!("Bearer {token}")) {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
}

async fn new_manager(context: &ServerContext, url: &Url) -> Result<AuthorizationManager, String> {
    // A server without TLS may still refer to authorization servers with TLS.
    let client = Arc::new(OAuthClient {
        client: context.http(true)?,
    });
    let manager = AuthorizationManager::new_with_oauth_http_client(url.clone(), client).await;
    let mut manager = manager.map_err(|error| error.to_string())?;
    manager.set_credential_store(store(context, url));
    Ok(manager)
}

fn store(context: &ServerContext, url: &Url) -> Store {
    Store::new(context.credentials.clone(), url)
}

/// The HTTP client for authorization servers. Like that for MCP servers, it does not follow redirects.
struct OAuthClient {
    client: Client,
}

impl OAuthHttpClient for OAuthClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = reqwest::Request::try_from(request.request)?;
            let mut response = self.client.execute(request).await?;
            let mut answer = http::Response::new(Vec::new());
            *answer.status_mut() = response.status();
            *answer.headers_mut() = std::mem::take(response.headers_mut());
            while let Some(piece) = response.chunk().await? {
                if answer.body().len() + piece.len() > MAX_RESPONSE {
                    return Err("the response of the authorization server is too large".into());
                }
                answer.body_mut().extend_from_slice(&piece);
            }
            Ok(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_pages_are_accepted_as_authorization_url() {
        assert!(web_page("https://a.example/authorize?state=x").is_ok());
        for other in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "ms-settings:x",
            "no address",
            "",
        ] {
            assert!(web_page(other).is_err(), "{other}");
        }
    }
}
