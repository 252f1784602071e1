//! One line of the protocol: its text, its `type` and `subtype`, and on request the parsed message.

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

/// One line: the unchanged text and the `type` and `subtype` in it.
///
/// Nothing else is parsed until [`Frame::to_host`] or [`Frame::to_agent`] is called, so forwarding a line
/// is cheap and leaves it unchanged.
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
    /// Repaired copy of `text` for parsing, if `text` contains unpaired surrogates.
    repaired_text: Option<Arc<str>>,
    ty: Cow<'static, str>,
    subtype: Option<Cow<'static, str>>,
    repaired: bool,
}

impl Frame {
    /// Parses one line.
    ///
    /// # Errors
    /// If the line is not a JSON object with a `type`.
    pub fn parse(line: &str) -> Result<Self, Malformed> {
        Self::read(line, false)
    }

    /// Parses one line. `repaired` means that bytes of the line were not UTF-8 and were replaced.
    pub(crate) fn read(line: &str, repaired: bool) -> Result<Self, Malformed> {
        let repaired_text = repair(line);
        let valid_text = repaired_text.as_deref().unwrap_or(line);
        let (ty, subtype) = match scan(valid_text) {
            Some(kind) => (Cow::Borrowed(kind.ty), kind.subtype.map(Cow::Borrowed)),
            None => match serde_json::from_str::<Tags<'_>>(valid_text) {
                Ok(Tags { ty: Some(ty), subtype }) => (ty, subtype),
                Ok(_) => return Err(Malformed::no_type(line)),
                Err(error) => return Err(Malformed::line(line, &error, valid_text)),
            },
        };
        Ok(Self {
            ty: intern(ty),
            subtype: subtype.map(intern),
            repaired: repaired || repaired_text.is_some(),
            repaired_text: repaired_text.map(Into::into),
            text: line.into(),
        })
    }

    /// Returns the unchanged text, without the line terminator.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns a shared reference to the unchanged text.
    #[must_use]
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// Returns the text with unpaired surrogates replaced, because JSON parsers reject them.
    #[must_use]
    pub fn readable(&self) -> &str {
        self.valid_text()
    }

    /// Returns the value of `type`.
    #[must_use]
    pub fn ty(&self) -> &str {
        &self.ty
    }

    /// Returns the value of `subtype` if it is a string.
    #[must_use]
    pub fn subtype(&self) -> Option<&str> {
        self.subtype.as_deref()
    }

    /// Returns the type of the message.
    #[must_use]
    pub fn message_type(&self) -> MessageType {
        MessageType::of(&self.ty)
    }

    /// Returns the subtype of a `system` message, `None` for other messages.
    #[must_use]
    pub fn system_subtype(&self) -> Option<SystemSubtype> {
        let system = self.message_type() == MessageType::System;
        system.then(|| SystemSubtype::of(self.subtype().unwrap_or_default()))
    }

    /// Whether invalid UTF-8 or unpaired surrogates were replaced to parse the line.
    #[must_use]
    pub fn repaired(&self) -> bool {
        self.repaired
    }

    /// Returns the `request_id` of a control message without parsing the message, so that an invalid request can be
    /// answered.
    #[must_use]
    pub fn request_id(&self) -> RequestId {
        crate::malformed::request_id(self.valid_text())
    }

    /// Returns the subtype of the request in a control message without parsing the message: for invalid requests, and
    /// for callers that need no more than the subtype.
    #[must_use]
    pub fn request_subtype(&self) -> Option<Subtype> {
        crate::malformed::request_subtype(self.valid_text())
    }

    /// Parses the message as a line from an agent's stdout.
    ///
    /// # Errors
    /// If a message of a known type has an invalid field. The error names the field.
    pub fn to_host(&self) -> Result<ToHost, Malformed> {
        ToHost::from_text(self.valid_text(), &self.ty, self.subtype()).map_err(|error| self.field(&error))
    }

    /// Parses the message as a line for an agent's stdin.
    ///
    /// # Errors
    /// If a message of a known type has an invalid field. For prompts the error states the reason.
    pub fn to_agent(&self) -> Result<ToAgent, Malformed> {
        let read = ToAgent::from_text(self.valid_text(), &self.ty, self.subtype());
        let fault = match &read {
            Ok(ToAgent::User(user)) if user.message.role != "user" => Some(UserFault::OtherRole),
            Err(_) if self.message_type() == MessageType::User => UserFault::find(self.valid_text()),
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

    fn valid_text(&self) -> &str {
        self.repaired_text.as_deref().unwrap_or(&self.text)
    }

    fn field(&self, error: &serde_json::Error) -> Malformed {
        let kind = match self.message_type() {
            MessageType::ControlRequest if crate::malformed::lacks(self.valid_text(), "request") => {
                MalformedKind::NoRequest
            }
            MessageType::ControlResponse if crate::malformed::lacks(self.valid_text(), "response") => {
                MalformedKind::NoResponse
            }
            _ => MalformedKind::Field,
        };
        Malformed::new(kind, error.to_string(), error.column(), Arc::clone(&self.text))
    }
}

/// Returns the static string for a known `type` or `subtype`, to avoid an allocation per line.
fn intern(word: Cow<'_, str>) -> Cow<'static, str> {
    let known = ToHost::known(&word)
        .or_else(|| System::known(&word))
        .or_else(|| ToAgent::known(&word));
    match known {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(word.into_owned()),
    }
}

/// `type` and `subtype` of a line. If a key occurs twice, the last one counts, as in JavaScript.
#[derive(Default)]
struct Tags<'de> {
    ty: Option<Cow<'de, str>>,
    subtype: Option<Cow<'de, str>>,
}

impl<'de> Deserialize<'de> for Tags<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TagsVisitor;
        impl<'de> Visitor<'de> for TagsVisitor {
            type Value = Tags<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tags<'de>, A::Error> {
                let mut tags = Tags::default();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    match &*key.0 {
                        "type" => tags.ty = map.next_value::<OptionalString<'de>>()?.0,
                        "subtype" => tags.subtype = map.next_value::<OptionalString<'de>>()?.0,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(tags)
            }
        }
        deserializer.deserialize_map(TagsVisitor)
    }
}

/// A string, or `None` for a value of any other type.
struct OptionalString<'de>(Option<Cow<'de, str>>);

impl<'de> Deserialize<'de> for OptionalString<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionalStringVisitor;
        impl<'de> Visitor<'de> for OptionalStringVisitor {
            type Value = OptionalString<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<OptionalString<'de>, E> {
                Ok(OptionalString(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OptionalString<'de>, E> {
                Ok(OptionalString(Some(Cow::Owned(text.to_owned()))))
            }

            fn visit_unit<E: Error>(self) -> Result<OptionalString<'de>, E> {
                Ok(OptionalString(None))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<OptionalString<'de>, E> {
                Ok(OptionalString(None))
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<OptionalString<'de>, E> {
                Ok(OptionalString(None))
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<OptionalString<'de>, E> {
                Ok(OptionalString(None))
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<OptionalString<'de>, E> {
                Ok(OptionalString(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OptionalString<'de>, A::Error> {
                IgnoredAny.visit_seq(seq).map(|_| OptionalString(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OptionalString<'de>, A::Error> {
                IgnoredAny.visit_map(map).map(|_| OptionalString(None))
            }
        }
        deserializer.deserialize_any(OptionalStringVisitor)
    }
}
