//! VAPID (RFC 8292): the key of this bridge, and the signatures required by push services.

use std::fs;
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

use super::PushError;
use crate::access::unix_ms;
use crate::private;

/// Validity of a signature in seconds; the maximum is a day.
const VALIDITY: i64 = 12 * 3600;
/// Contact for push services; contains no address of the user.
const SUBJECT: &str = "mailto:sluice@localhost";

pub(super) struct Signer {
    pair: EcdsaKeyPair,
}

impl Signer {
    /// Loads the key from a file, or creates one. Subscriptions depend on the key, so an unreadable one is an error
    /// instead of being replaced.
    pub(super) fn open(path: &Path) -> Result<Self, PushError> {
        let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", path.display()));
        let random = SystemRandom::new();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
                let made = made.map_err(|_| broken("no key can be made"))?;
                private::write(path, made.as_ref())?.sync_all()?;
                made.as_ref().to_vec()
            }
            Err(error) => return Err(error.into()),
        };
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &random);
        let pair = pair.map_err(|_| broken("this is no key; delete it, and devices subscribe anew"))?;
        Ok(Self { pair })
    }

    pub(super) fn public_key(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    /// Returns the `Authorization` header for a service.
    pub(super) fn authorization(&self, audience: &str) -> Result<String, PushError> {
        let head = json!({"typ": "JWT", "alg": "ES256"}).to_string();
        let until = unix_ms() / 1000 + VALIDITY;
        let claims = json!({"aud": audience, "exp": until, "sub": SUBJECT}).to_string();
        let signed = format!("{}.{}", BASE64.encode(head), BASE64.encode(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = signature.map_err(|_| PushError::Keys)?;
        let key = BASE64.encode(self.public_key());
        Ok(format!("vapid t={signed}.{}, k={key}", BASE64.encode(signature)))
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    #[test]
    fn a_service_can_check_who_sends() {
        let folder = tempfile::tempdir().unwrap();
        let signer = Signer::open(&folder.path().join("push.key")).unwrap();
        let header = signer.authorization("https://web.push.apple.com").unwrap();
        let (token, key) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, BASE64.decode(key).unwrap())
            .verify(signed.as_bytes(), &BASE64.decode(signature).unwrap())
            .unwrap();
        let claims = BASE64.decode(signed.split_once('.').unwrap().1).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(claims["aud"], "https://web.push.apple.com");
        let left = claims["exp"].as_i64().unwrap() - unix_ms() / 1000;
        assert!((60..=24 * 3600).contains(&left), "{left}");
    }

    #[test]
    fn a_damaged_key_is_reported_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("push.key");
        fs::write(&path, "junk").unwrap();
        let error = Signer::open(&path).err().unwrap().to_string();
        assert!(error.contains("push.key"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"junk");
    }
}
