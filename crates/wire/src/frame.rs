//! One line of the wire: its text, what it says it is, and what it holds once someone asks.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::control::{RequestId, Subtype};
use crate::field::Key;
use crate::malformed::{Malformed, MalformedKind};
use crate::message::FromText;
use crate::repair::repair;
use crate::scan::scan;
use crate::stdin::UserFault;
use crate::stdout::{System, SystemSubtype};
use crate::{MessageType, ToAgent, ToHost};

/// One line: the text as it came, and the `type` and `subtype` read from it.
///
/// Nothing else is parsed until [`Frame::to_host`] or [`Frame::to_agent`] is called, so passing a line
/// on costs little and changes nothing.
///
/// ```
/// use sluice_wire::{Frame, ToHost};
/// let frame = Frame::parse(r#"{"type":"later","x":1}"#)?;
/// assert_eq!(frame.ty(), "later");
/// assert!(matches!(frame.to_host()?, ToHost::Unknown(_)));
/// # Ok::<(), sluice_wire::Malformed>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    text: Arc<str>,
    /// What is parsed in the place of `text`, when that holds half surrogate pairs.
    mended: Option<Arc<str>>,
    ty: Cow<'static, str>,
    subtype: Option<Cow<'static, str>>,
    repaired: bool,
}

impl Frame {
    /// Reads one line.
    ///
    /// # Errors
    /// When it is not a JSON object with a `type`.
    pub fn parse(line: &str) -> Result<Self, Malformed> {
        Self::read(line, false)
    }

    /// Reads one line; `repaired` says that its bytes were not UTF-8.
    pub(crate) fn read(line: &str, repaired: bool) -> Result<Self, Malformed> {
        let mended = repair(line);
        let sound = mended.as_deref().unwrap_or(line);
        let (ty, subtype) = match scan(sound) {
            Some(kind) => (Cow::Borrowed(kind.ty), kind.subtype.map(Cow::Borrowed)),
            None => match serde_json::from_str::<Peek<'_>>(sound) {
                Ok(Peek { ty: Some(ty), subtype }) => (ty, subtype),
                Ok(_) => return Err(Malformed::no_type(line)),
                Err(error) => return Err(Malformed::line(line, &error, sound)),
            },
        };
        Ok(Self {
            ty: intern(ty),
            subtype: subtype.map(intern),
            repaired: repaired || mended.is_some(),
            mended: mended.map(Into::into),
            text: line.into(),
        })
    }

    /// The text as it came, without its line end.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same text, shared.
    #[must_use]
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The text as it is read: the same, but for half surrogate pairs, which JSON readers refuse.
    #[must_use]
    pub fn readable(&self) -> &str {
        self.sound()
    }

    /// What `type` says.
    #[must_use]
    pub fn ty(&self) -> &str {
        &self.ty
    }

    /// What `subtype` says, when it is a string.
    #[must_use]
    pub fn subtype(&self) -> Option<&str> {
        self.subtype.as_deref()
    }

    /// Which message it is, by its `type`.
    #[must_use]
    pub fn message_type(&self) -> MessageType {
        MessageType::of(&self.ty)
    }

    /// Which `system` message it is, by its `subtype`; `None` when it is no `system` message.
    #[must_use]
    pub fn system_subtype(&self) -> Option<SystemSubtype> {
        let system = self.message_type() == MessageType::System;
        system.then(|| SystemSubtype::of(self.subtype().unwrap_or_default()))
    }

    /// Whether bytes that were not UTF-8, or half a surrogate pair, had to be replaced to read it.
    #[must_use]
    pub fn repaired(&self) -> bool {
        self.repaired
    }

    /// The `request_id` of a control message, wherever it stands; for answering what cannot be read.
    #[must_use]
    pub fn request_id(&self) -> RequestId {
        crate::malformed::request_id(self.sound())
    }

    /// The subtype of the request in a control message, when it has one; for requests that cannot be read, and where
    /// no more of them is needed.
    #[must_use]
    pub fn request_subtype(&self) -> Option<Subtype> {
        crate::malformed::request_subtype(self.sound())
    }

    /// The message, read as a line of an agent's stdout.
    ///
    /// # Errors
    /// When a message of a known kind has a field that cannot be read; the error names it.
    pub fn to_host(&self) -> Result<ToHost, Malformed> {
        ToHost::from_text(self.sound(), &self.ty, self.subtype()).map_err(|error| self.field(&error))
    }

    /// The message, read as a line of an agent's stdin.
    ///
    /// # Errors
    /// When a message of a known kind has a field that cannot be read; for prompts the error tells why.
    pub fn to_agent(&self) -> Result<ToAgent, Malformed> {
        let read = ToAgent::from_text(self.sound(), &self.ty, self.subtype());
        let fault = match &read {
            Ok(ToAgent::User(user)) if user.message.role != "user" => Some(UserFault::OtherRole),
            Err(_) if self.message_type() == MessageType::User => UserFault::find(self.sound()),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(Malformed::new(
                MalformedKind::User(fault),
                fault.to_string(),
                0,
                Arc::clone(&self.text),
            ));
        }
        read.map_err(|error| self.field(&error))
    }

    fn sound(&self) -> &str {
        self.mended.as_deref().unwrap_or(&self.text)
    }

    fn field(&self, error: &serde_json::Error) -> Malformed {
        let kind = match self.message_type() {
            MessageType::ControlRequest if crate::malformed::lacks(self.sound(), "request") => MalformedKind::NoRequest,
            MessageType::ControlResponse if crate::malformed::lacks(self.sound(), "response") => {
                MalformedKind::NoResponse
            }
            _ => MalformedKind::Field,
        };
        Malformed::new(kind, error.to_string(), error.column(), Arc::clone(&self.text))
    }
}

/// Known words are not copied.
fn intern(word: Cow<'_, str>) -> Cow<'static, str> {
    let known = ToHost::known(&word)
        .or_else(|| System::known(&word))
        .or_else(|| ToAgent::known(&word));
    match known {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(word.into_owned()),
    }
}

/// `type` and `subtype`; the last one counts when a key comes twice, as in JavaScript.
#[derive(Default)]
struct Peek<'de> {
    ty: Option<Cow<'de, str>>,
    subtype: Option<Cow<'de, str>>,
}

impl<'de> Deserialize<'de> for Peek<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PeekVisitor;
        impl<'de> Visitor<'de> for PeekVisitor {
            type Value = Peek<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Peek<'de>, A::Error> {
                let mut peek = Peek::default();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    match &*key.0 {
                        "type" => peek.ty = map.next_value::<Word<'de>>()?.0,
                        "subtype" => peek.subtype = map.next_value::<Word<'de>>()?.0,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(peek)
            }
        }
        deserializer.deserialize_map(PeekVisitor)
    }
}

/// A string, or nothing in the place of any other value.
struct Word<'de>(Option<Cow<'de, str>>);

impl<'de> Deserialize<'de> for Word<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordVisitor;
        impl<'de> Visitor<'de> for WordVisitor {
            type Value = Word<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Word<'de>, E> {
                Ok(Word(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Word<'de>, E> {
                Ok(Word(Some(Cow::Owned(text.to_owned()))))
            }

            fn visit_unit<E: Error>(self) -> Result<Word<'de>, E> {
                Ok(Word(None))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Word<'de>, E> {
                Ok(Word(None))
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Word<'de>, E> {
                Ok(Word(None))
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Word<'de>, E> {
                Ok(Word(None))
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Word<'de>, E> {
                Ok(Word(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Word<'de>, A::Error> {
                IgnoredAny.visit_seq(seq).map(|_| Word(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Word<'de>, A::Error> {
                IgnoredAny.visit_map(map).map(|_| Word(None))
            }
        }
        deserializer.deserialize_any(WordVisitor)
    }
}
