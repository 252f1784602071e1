//! Encrypts a message for one browser: RFC 8291 with the `aes128gcm` coding of RFC 8188.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::{PushError, SubscriptionKeys};

/// Length of an uncompressed P-256 point.
const POINT: usize = 65;
const AUTH: usize = 16;
const SALT: usize = 16;
/// Maximum length of the single record.
const MAX_RECORD: u32 = 4096;

/// Keys of the receiver of a message.
#[derive(Debug)]
pub(super) struct Receiver {
    public: [u8; POINT],
    auth: [u8; AUTH],
}

/// Values derived by both sides for one message.
struct Sealed<'a> {
    shared: &'a [u8],
    sender: &'a [u8],
    salt: [u8; SALT],
}

impl Receiver {
    pub(super) fn read(keys: &SubscriptionKeys) -> Result<Self, PushError> {
        // Some browsers pad base64, others do not.
        let bytes = |text: &str| BASE64.decode(text.trim_end_matches('=')).map_err(|_| PushError::Keys);
        let public: [u8; POINT] = bytes(&keys.p256dh)?.try_into().map_err(|_| PushError::Keys)?;
        let auth: [u8; AUTH] = bytes(&keys.auth)?.try_into().map_err(|_| PushError::Keys)?;
        if public.first() != Some(&4) {
            return Err(PushError::Keys);
        }
        Ok(Self { public, auth })
    }

    /// Encrypts a message with a fresh key and salt.
    pub(super) fn encrypt(&self, plain: &[u8]) -> Result<Vec<u8>, PushError> {
        let failed = |_| PushError::Keys;
        let random = SystemRandom::new();
        let mut salt = [0; SALT];
        random.fill(&mut salt).map_err(failed)?;
        let ours = EphemeralPrivateKey::generate(&ECDH_P256, &random).map_err(failed)?;
        let sender = ours.compute_public_key().map_err(failed)?;
        let theirs = UnparsedPublicKey::new(&ECDH_P256, &self.public);
        let sealed = agree_ephemeral(ours, &theirs, |shared| {
            let sealed = Sealed {
                shared,
                sender: sender.as_ref(),
                salt,
            };
            self.seal(&sealed, plain)
        });
        sealed.map_err(failed)?
    }

    fn seal(&self, sealed: &Sealed<'_>, plain: &[u8]) -> Result<Vec<u8>, PushError> {
        let mut info = b"WebPush: info\0".to_vec();
        info.extend_from_slice(&self.public);
        info.extend_from_slice(sealed.sender);
        let secret: [u8; 32] = derive(&self.auth, sealed.shared, &info)?;
        let key: [u8; 16] = derive(&sealed.salt, &secret, b"Content-Encoding: aes128gcm\0")?;
        let nonce: [u8; 12] = derive(&sealed.salt, &secret, b"Content-Encoding: nonce\0")?;
        let mut record = plain.to_vec();
        // Marks the last record, without padding.
        record.push(2);
        let key = UnboundKey::new(&AES_128_GCM, &key).map_err(|_| PushError::Keys)?;
        LessSafeKey::new(key)
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)
            .map_err(|_| PushError::Keys)?;
        let mut body = Vec::with_capacity(SALT + 5 + POINT + record.len());
        body.extend_from_slice(&sealed.salt);
        body.extend_from_slice(&MAX_RECORD.to_be_bytes());
        body.push(u8::try_from(sealed.sender.len()).map_err(|_| PushError::Keys)?);
        body.extend_from_slice(sealed.sender);
        body.extend_from_slice(&record);
        Ok(body)
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[u8]) -> Result<[u8; N], PushError> {
    let mut out = [0; N];
    Salt::new(HKDF_SHA256, salt)
        .extract(secret)
        .expand(&[info], Length(N))
        .and_then(|derived| derived.fill(&mut out))
        .map_err(|_| PushError::Keys)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        BASE64.decode(text).unwrap()
    }

    fn receiver() -> Receiver {
        Receiver::read(&SubscriptionKeys {
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
                .to_owned(),
            auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned(),
        })
        .unwrap()
    }

    /// RFC 8291, appendix A: the same keys and salt give the same bytes.
    #[test]
    fn the_rfc_example_is_reproduced() {
        let sealed = Sealed {
            shared: &bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"),
            sender: &bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"),
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap(),
        };
        let body = receiver()
            .seal(&sealed, b"When I grow up, I want to be a watermelon")
            .unwrap();
        assert_eq!(
            BASE64.encode(body),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn no_two_messages_are_alike() {
        let (one, two) = (receiver().encrypt(b"x").unwrap(), receiver().encrypt(b"x").unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), SALT + 5 + POINT + 2 + 16);
    }

    #[test]
    fn invalid_keys_are_refused() {
        for (p256dh, auth) in [("", ""), ("AAAA", "BTBZMqHH6r4Tts7J_aSIgg"), ("\u{e9}", "=")] {
            let keys = SubscriptionKeys {
                p256dh: p256dh.to_owned(),
                auth: auth.to_owned(),
            };
            assert!(Receiver::read(&keys).is_err());
        }
        let off_the_curve = SubscriptionKeys {
            p256dh: BASE64.encode([[4].as_slice(), &[7; 64]].concat()),
            auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned(),
        };
        assert!(Receiver::read(&off_the_curve).unwrap().encrypt(b"x").is_err());
    }
}
