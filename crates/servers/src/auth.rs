//! OAuth sign-in to an MCP server: the tokens, and the way through a person's browser.

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
use super::link::{Link, Phase};
use super::surroundings::Surroundings;
use store::Store;

/// How long a sign-in waits for its person.
const PATIENCE: Duration = Duration::from_mins(10);
/// The largest answer of an authorization server.
const LARGEST: usize = 1 << 20;

/// A sign-in that waits for a person.
#[derive(Debug)]
pub struct SignIn {
    /// Where the person has to go.
    pub url: String,
    /// What their way back carries.
    pub state: String,
    /// The port of this machine their browser comes back to.
    pub port: u16,
    session: Session,
    /// Ends it.
    pub over: CancellationToken,
}

struct Session(AuthorizationSession);

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuthorizationSession")
    }
}

impl SignIn {
    /// The person has come back by this address: their leave is turned into a token, which is kept.
    pub async fn finish(&self, callback: &str) -> Result<(), String> {
        let came = Url::parse(callback).map_err(|error| format!("Not a valid URL: {error}"))?;
        let value = |name: &str| {
            came.query_pairs()
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

/// Where a server that takes sign-ins is.
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

/// Begins a sign-in; the person's way back is waited for beside everything else.
pub async fn begin(link: &Arc<Link>) -> Result<Arc<SignIn>, String> {
    let url = address(link)?;
    let oauth = &link.config.oauth;
    let listener = TcpListener::bind(("127.0.0.1", oauth.callback_port.unwrap_or(0))).await;
    let listener = listener.map_err(|error| format!("Cannot listen for the OAuth callback: {error}"))?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let session = open(&link.around, &url, oauth, &link.name, port).await?;
    let auth_url = session.get_authorization_url().to_owned();
    let page = web_page(&auth_url)?;
    let state = page.query_pairs().find(|(key, _)| key == "state");
    let state = state.map(|(_, state)| state.into_owned());
    let sign_in = Arc::new(SignIn {
        url: auth_url,
        state: state.unwrap_or_default(),
        port,
        session: Session(session),
        over: link.around.quit.child_token(),
    });
    if let Some(before) = link.replace_sign_in(Some(sign_in.clone())) {
        before.over.cancel();
    }
    tokio::spawn(await_person(listener, link.clone(), sign_in.clone()));
    Ok(sign_in)
}

/// An address that may be opened in a browser. The server names it: one of another kind could run something.
fn web_page(url: &str) -> Result<Url, String> {
    match Url::parse(url) {
        Ok(page) if matches!(page.scheme(), "https" | "http") => Ok(page),
        _ => Err(format!("The server's authorization URL is not a web page: {url:?}")),
    }
}

async fn open(
    around: &Surroundings,
    url: &Url,
    oauth: &OAuth,
    server: &str,
    port: u16,
) -> Result<AuthorizationSession, String> {
    let mut manager = unsigned(around, url).await?;
    let found = manager.resolve_metadata().await;
    let found = found.map_err(|error| format!("The server does not say how to sign in: {error}"))?;
    manager.set_metadata(found.metadata);
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
    session.map_err(|(_, error)| format!("The sign-in could not begin: {error}"))
}

/// Waits for the browser, then connects.
async fn await_person(listener: TcpListener, link: Arc<Link>, sign_in: Arc<SignIn>) {
    let came = callback::serve(&listener, |address| {
        let sign_in = sign_in.clone();
        async move { sign_in.finish(&address).await }
    });
    tokio::select! {
        () = came => {}
        () = sign_in.over.cancelled() => {}
        () = tokio::time::sleep(PATIENCE) => sign_in.over.cancel(),
    }
    let ours = link.sign_in().is_some_and(|current| Arc::ptr_eq(&current, &sign_in));
    if ours {
        link.replace_sign_in(None);
    }
    if link.around.quit.is_cancelled() || !ours {
        return;
    }
    if let Phase::NeedsAuth | Phase::Down(_) = link.phase() {
        // How it came out is told by how the server stands.
        link.dial().await.ok();
    }
}

/// Forgets the token, and with it the connection.
pub async fn forget(link: &Arc<Link>) -> Result<(), String> {
    let url =
        address(link).map_err(|_| format!("Cannot clear auth for server type \"{}\"", link.config.transport()))?;
    store(&link.around, &url).forget().map_err(|error| error.to_string())?;
    link.hang_up(Phase::NeedsAuth);
    Ok(())
}

/// The manager of a token that is kept, refreshed where it has to be.
pub(super) async fn manager(around: &Surroundings, url: &Url) -> Option<AuthorizationManager> {
    if !store(around, url).has_token() {
        return None;
    }
    let mut manager = unsigned(around, url).await.ok()?;
    manager.initialize_from_store().await.ok()?.then_some(manager)
}

/// Adds a kept token to what every request carries.
pub(super) async fn add_token(around: &Surroundings, url: &Url, headers: &mut HeaderMap) {
    let Some(manager) = manager(around, url).await else {
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

async fn unsigned(around: &Surroundings, url: &Url) -> Result<AuthorizationManager, String> {
    // Where a server's metadata leads may be https even where the server is not.
    let browser = Arc::new(Browser {
        client: around.http(true)?,
    });
    let manager = AuthorizationManager::new_with_oauth_http_client(url.clone(), browser).await;
    let mut manager = manager.map_err(|error| error.to_string())?;
    manager.set_credential_store(store(around, url));
    Ok(manager)
}

fn store(around: &Surroundings, url: &Url) -> Store {
    Store::new(around.credentials.clone(), url)
}

/// The HTTP client for authorization servers: as for any other server, without redirects.
struct Browser {
    client: Client,
}

impl OAuthHttpClient for Browser {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = reqwest::Request::try_from(request.request)?;
            let mut response = self.client.execute(request).await?;
            let mut answer = http::Response::new(Vec::new());
            *answer.status_mut() = response.status();
            *answer.headers_mut() = std::mem::take(response.headers_mut());
            while let Some(piece) = response.chunk().await? {
                if answer.body().len() + piece.len() > LARGEST {
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
    fn only_web_pages_are_opened() {
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
