//! Web push: notifies disconnected devices that an answer is required.
//!
//! A browser creates the subscription. Messages are encrypted for that browser (RFC 8291) and signed with a key of this
//! bridge (RFC 8292), so push services cannot read them. Requests are only sent to known push services, because an
//! endpoint given by a client could otherwise be any address.

mod message;
mod vapid;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use http::Uri;
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use serde::{Deserialize, Serialize};

use crate::private;
use vapid::Signer;

/// Hosts of push services; a leading dot includes all subdomains.
const PUSH_SERVICES: &[&str] = &[
    "fcm.googleapis.com",
    ".push.services.mozilla.com",
    ".push.apple.com",
    ".notify.windows.com",
];
/// Maximum number of subscriptions per device, one per browser profile.
const MAX_PER_DEVICE: usize = 4;
/// Time for which a push service stores a message for an offline device.
const TTL: Duration = Duration::from_secs(3600);
const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum size of a message in bytes; encrypted it must fit into 4,096 bytes.
const MAX_PAYLOAD: usize = 3000;

/// Subscription of a browser, as in `PushSubscription`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// URL for messages.
    pub endpoint: String,
    /// Encryption keys of the receiver.
    pub keys: SubscriptionKeys,
}

/// Public keys of the browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionKeys {
    pub p256dh: String,
    pub auth: String,
}

/// Errors of push messages.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    #[error("no push service is known at this endpoint")]
    Endpoint,
    #[error("the subscription's keys cannot be read")]
    Keys,
    #[error("a message of {0} bytes is too long to be pushed")]
    TooLong(usize),
    #[error("the push service answered {0}")]
    Refused(u16),
    #[error("the push service cannot be reached")]
    Unreachable,
    #[error("push subscriptions cannot be kept: {0}")]
    Io(#[from] io::Error),
}

/// Creates the HTTP client for push services, with the proxies and root certificates of the program. It must not follow
/// redirects.
pub type Connect = Box<dyn Fn() -> Result<reqwest::Client, String> + Send + Sync>;

type Devices = BTreeMap<String, Vec<Subscription>>;

/// Push subscriptions of devices. Clones share their state.
#[derive(Clone)]
pub struct Push {
    inner: Arc<Inner>,
}

struct Inner {
    file: PathBuf,
    signer: Signer,
    devices: Mutex<Devices>,
    connect: Connect,
    /// Created on first use, because most bridges never send a push message.
    client: OnceLock<Option<reqwest::Client>>,
}

impl std::fmt::Debug for Push {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Push").finish_non_exhaustive()
    }
}

impl Push {
    /// Loads the state; creates a signing key if there is none.
    ///
    /// # Errors
    /// The folder cannot be read or written.
    pub fn open(state: &Path, connect: Connect) -> Result<Self, PushError> {
        let signer = Signer::open(&state.join("push.key"))?;
        let file = state.join("push.json");
        let devices = match fs::read(&file) {
            // Damaged data is discarded; browsers renew their subscriptions at each visit.
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Devices::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            inner: Arc::new(Inner {
                file,
                signer,
                devices: Mutex::new(devices),
                connect,
                client: OnceLock::new(),
            }),
        })
    }

    /// Returns the public key for subscriptions.
    #[must_use]
    pub fn key(&self) -> String {
        BASE64.encode(self.inner.signer.public_key())
    }

    /// Adds a subscription of a device.
    ///
    /// # Errors
    /// It is not a subscription of a known push service, or it cannot be stored.
    pub fn subscribe(&self, device: &str, subscription: Subscription) -> Result<(), PushError> {
        service(&subscription.endpoint)?;
        message::Receiver::read(&subscription.keys)?;
        self.change(|devices| {
            let known = devices.entry(device.to_owned()).or_default();
            known.retain(|it| it.endpoint != subscription.endpoint);
            known.push(subscription);
            if known.len() > MAX_PER_DEVICE {
                known.remove(0);
            }
        })
    }

    /// Removes a subscription.
    ///
    /// # Errors
    /// The change cannot be stored.
    pub fn unsubscribe(&self, device: &str, endpoint: &str) -> Result<(), PushError> {
        self.change(|devices| {
            if let Some(known) = devices.get_mut(device) {
                known.retain(|it| it.endpoint != endpoint);
            }
            devices.retain(|_, known| !known.is_empty());
        })
    }

    /// Sends a message to the devices selected by `wanted`. A newer message with the same `topic` replaces an
    /// undelivered one.
    pub async fn send(&self, wanted: impl Fn(&str) -> bool, topic: &str, payload: &[u8]) {
        let chosen: Vec<(String, Subscription)> = {
            let devices = self.inner.devices.lock().unwrap_or_else(PoisonError::into_inner);
            let chosen = devices.iter().filter(|(device, _)| wanted(device));
            chosen
                .flat_map(|(device, known)| known.iter().map(|it| (device.clone(), it.clone())))
                .collect()
        };
        for (device, subscription) in chosen {
            match self.send_one(&subscription, topic, payload).await {
                Ok(()) => {}
                // The browser has cancelled the subscription.
                Err(PushError::Refused(404 | 410)) => {
                    tracing::info!(device, "a push subscription is gone");
                    if let Err(error) = self.unsubscribe(&device, &subscription.endpoint) {
                        tracing::warn!(device, %error, "a push subscription could not be deleted");
                    }
                }
                // The endpoint is not logged, because anyone who knows it can send to the device.
                Err(error) => tracing::warn!(device, %error, "a device could not be told"),
            }
        }
    }

    async fn send_one(&self, subscription: &Subscription, topic: &str, payload: &[u8]) -> Result<(), PushError> {
        let uri = service(&subscription.endpoint)?;
        self.post(&subscription.endpoint, &uri, subscription, topic, payload)
            .await
    }

    async fn post(
        &self,
        endpoint: &str,
        uri: &Uri,
        subscription: &Subscription,
        topic: &str,
        payload: &[u8],
    ) -> Result<(), PushError> {
        if payload.len() > MAX_PAYLOAD {
            return Err(PushError::TooLong(payload.len()));
        }
        let body = message::Receiver::read(&subscription.keys)?.encrypt(payload)?;
        let audience = format!(
            "{}://{}",
            uri.scheme_str().unwrap_or("https"),
            uri.authority().map_or("", http::uri::Authority::as_str)
        );
        let request = self
            .client()
            .ok_or(PushError::Unreachable)?
            .post(endpoint)
            .timeout(TIMEOUT)
            .header(AUTHORIZATION, self.inner.signer.authorization(&audience)?)
            .header(CONTENT_ENCODING, "aes128gcm")
            .header(CONTENT_TYPE, "application/octet-stream")
            .header("TTL", TTL.as_secs())
            .header("Urgency", "high")
            .header("Topic", topic_of(topic))
            .body(body);
        let response = request.send().await.map_err(|_| PushError::Unreachable)?;
        match response.status() {
            status if status.is_success() => Ok(()),
            status => Err(PushError::Refused(status.as_u16())),
        }
    }

    fn client(&self) -> Option<&reqwest::Client> {
        let connect = || {
            let made = (self.inner.connect)();
            made.inspect_err(|error| tracing::warn!(%error, "nothing can be pushed"))
                .ok()
        };
        self.inner.client.get_or_init(connect).as_ref()
    }

    fn change(&self, change: impl FnOnce(&mut Devices)) -> Result<(), PushError> {
        let mut devices = self.inner.devices.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = devices.clone();
        change(&mut changed);
        if *devices == changed {
            return Ok(());
        }
        let fresh = self.inner.file.with_extension("json.new");
        private::write(&fresh, &serde_json::to_vec(&changed).map_err(io::Error::from)?)?.sync_all()?;
        fs::rename(&fresh, &self.inner.file)?;
        *devices = changed;
        Ok(())
    }
}

/// Checks that an endpoint belongs to a known push service.
fn service(endpoint: &str) -> Result<Uri, PushError> {
    let uri: Uri = endpoint.parse().map_err(|_| PushError::Endpoint)?;
    let known = |host: &str| {
        PUSH_SERVICES.iter().any(|service| match service.strip_prefix('.') {
            Some(_) => host.ends_with(service),
            None => host == *service,
        })
    };
    let plain = uri.authority().is_some_and(|it| !it.as_str().contains('@'));
    let host = uri.host().unwrap_or_default().to_ascii_lowercase();
    let fits = uri.scheme_str() == Some("https") && uri.port_u16().is_none() && plain && known(&host);
    fits.then_some(uri).ok_or(PushError::Endpoint)
}

/// Hashes a topic to at most 32 characters, which reveal nothing to the service.
fn topic_of(topic: &str) -> String {
    let hash = <sha2::Sha256 as sha2::Digest>::digest(topic.as_bytes());
    let mut text = BASE64.encode(hash);
    text.truncate(32);
    text
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn open(state: &Path) -> Push {
        let connect = || {
            rustls::crypto::ring::default_provider().install_default().ok();
            reqwest::Client::builder().build().map_err(|error| error.to_string())
        };
        Push::open(state, Box::new(connect)).unwrap()
    }

    fn subscription(endpoint: &str) -> Subscription {
        Subscription {
            endpoint: endpoint.to_owned(),
            keys: SubscriptionKeys {
                p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
                    .to_owned(),
                auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned(),
            },
        }
    }

    #[test]
    fn only_push_services_are_written_to() {
        for good in [
            "https://fcm.googleapis.com/fcm/send/abc",
            "https://updates.push.services.mozilla.com/wpush/v2/abc",
            "https://web.push.apple.com/abc",
            "https://WNS2-par02p.notify.windows.com/w/?token=x",
        ] {
            assert!(service(good).is_ok(), "{good}");
        }
        for bad in [
            "http://fcm.googleapis.com/fcm/send/abc",
            "https://fcm.googleapis.com:8443/x",
            "https://fcm.googleapis.com@127.0.0.1/x",
            "https://127.0.0.1/x",
            "https://evil.test/fcm.googleapis.com",
            "https://fcm.googleapis.com.evil.test/x",
            "https://evilfcm.googleapis.com/x",
            "https://push.apple.com.evil.test/x",
            "/fcm",
            "",
        ] {
            assert!(service(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn subscriptions_outlive_the_bridge_and_are_bounded() {
        let state = tempfile::tempdir().unwrap();
        let push = open(state.path());
        let key = push.key();
        for number in 0..6 {
            let endpoint = format!("https://web.push.apple.com/{number}");
            push.subscribe("phone", subscription(&endpoint)).unwrap();
            push.subscribe("phone", subscription(&endpoint)).unwrap();
        }
        let bad = Subscription {
            keys: SubscriptionKeys {
                p256dh: "AAAA".to_owned(),
                auth: "x".to_owned(),
            },
            ..subscription("https://web.push.apple.com/7")
        };
        assert!(matches!(push.subscribe("phone", bad), Err(PushError::Keys)));
        drop(push);
        let push = open(state.path());
        assert_eq!(push.key(), key, "browsers are bound to the key");
        let known = push.inner.devices.lock().unwrap().get("phone").cloned().unwrap();
        let ends: Vec<&str> = known.iter().map(|it| it.endpoint.rsplit('/').next().unwrap()).collect();
        assert_eq!(ends, ["2", "3", "4", "5"]);
        push.unsubscribe("phone", "https://web.push.apple.com/3").unwrap();
        assert_eq!(push.inner.devices.lock().unwrap()["phone"].len(), 3);
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &fs::metadata(state.path().join("push.key")).unwrap().permissions(),
        );
        assert_eq!(mode & 0o777, 0o600);
    }

    #[tokio::test]
    async fn a_message_is_sent_encrypted_and_signed() {
        let state = tempfile::tempdir().unwrap();
        let push = open(state.path());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/wpush/abc", listener.local_addr().unwrap());
        let service = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut heard = Vec::new();
            while !heard.windows(4).any(|it| it == b"\r\n\r\n") || heard.len() < 400 {
                let mut piece = [0; 4096];
                let read = stream.read(&mut piece).await.unwrap();
                heard.extend_from_slice(&piece[..read]);
            }
            stream
                .write_all(b"HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n")
                .await
                .unwrap();
            String::from_utf8_lossy(&heard).into_owned()
        });
        let uri: Uri = endpoint.parse().unwrap();
        let sent = push
            .post(&endpoint, &uri, &subscription(&endpoint), "ask-1", b"{\"secret\":1}")
            .await;
        assert!(matches!(sent, Err(PushError::Refused(410))), "{sent:?}");
        let heard = service.await.unwrap().to_lowercase();
        for header in [
            "post /wpush/abc",
            "ttl: 3600",
            "urgency: high",
            "topic: ",
            "content-encoding: aes128gcm",
            "authorization: vapid t=",
        ] {
            assert!(heard.contains(header), "{header} in {heard}");
        }
        assert!(!heard.contains("secret") && !heard.contains("ask-1"));
    }

    #[tokio::test]
    async fn messages_that_are_too_long_are_not_sent() {
        let state = tempfile::tempdir().unwrap();
        let push = open(state.path());
        let to = subscription("https://web.push.apple.com/1");
        let sent = push.send_one(&to, "t", &[b'x'; MAX_PAYLOAD + 1]).await;
        assert!(matches!(sent, Err(PushError::TooLong(_))));
    }
}
