//! The messages of both directions, distinguished by `type` and, for `system`, by `subtype`.

use serde::{Serialize, Serializer};

use crate::Raw;
use crate::control::{ControlCancelRequest, ControlRequest, ControlResponse};
use crate::stdin;
use crate::stdout;

/// A message of an unknown type.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnknownMessage {
    /// The value of `type`.
    pub ty: String,
    /// The value of `subtype` if it is a string.
    pub subtype: Option<String>,
    /// The whole message.
    pub value: Raw,
}

impl Serialize for UnknownMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// A message that can be parsed from a line whose `type` and `subtype` have already been read.
pub(crate) trait FromText: Sized {
    fn from_text(text: &str, ty: &str, subtype: Option<&str>) -> Result<Self, serde_json::Error>;
}

impl<T: serde::de::DeserializeOwned> FromText for T {
    fn from_text(text: &str, _: &str, _: Option<&str>) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

pub(crate) fn unknown(text: &str, ty: &str, subtype: Option<&str>) -> Result<UnknownMessage, serde_json::Error> {
    Ok(UnknownMessage {
        ty: ty.to_owned(),
        subtype: subtype.map(str::to_owned),
        value: Raw::from_text(text.trim().to_owned())?,
    })
}

/// Defines an enum for the values of a tag: one variant for each known value, and `Unknown` for all others.
macro_rules! kinds {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident {
            $($variant:ident = $text:literal),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $variant,
            )+
            /// An unknown value.
            Unknown,
        }

        impl $name {
            /// All known values.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            /// Returns the variant for a value on the wire.
            #[must_use]
            pub fn of(word: &str) -> Self {
                match word {
                    $($text => Self::$variant,)+
                    _ => Self::Unknown,
                }
            }

            /// Returns the value on the wire; empty for `Unknown`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown => "",
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}
pub(crate) use kinds;

/// Defines the messages of one direction, or the `system` messages within a direction.
macro_rules! messages {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident by $tag:ident, kinds $kinds:ident, inside $outer:ident::$place:ident {
            $($variant:ident($inner:ty) = $text:literal),+ $(,)?
        }
    ) => {
        $crate::message::messages! {
            $(#[doc = $doc])*
            pub enum $name by $tag {
                $($variant($inner) = $text),+
            }
        }
        $crate::message::kinds! {
            /// The `subtype` of a `system` message.
            pub enum $kinds {
                $($variant = $text),+
            }
        }
        $(
            impl From<$inner> for $crate::$outer {
                fn from(inner: $inner) -> Self {
                    Self::$place(Box::new($name::from(inner)))
                }
            }
        )+
    };
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident by $tag:ident {
            $($variant:ident($inner:ty) = $text:literal),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $variant(Box<$inner>),
            )+
            /// A message of an unknown type.
            Unknown(Box<$crate::UnknownMessage>),
        }

        impl $name {
            /// All known values of the tag.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            /// Returns the value of the tag.
            #[must_use]
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $text,)+
                    Self::Unknown(unknown) => $crate::message::tag_of!($tag, unknown),
                }
            }

            pub(crate) fn known(word: &str) -> Option<&'static str> {
                match word {
                    $($text => Some($text),)+
                    _ => None,
                }
            }
        }

        $(
            impl From<$inner> for $name {
                fn from(inner: $inner) -> Self {
                    Self::$variant(Box::new(inner))
                }
            }
        )+

        impl From<$crate::UnknownMessage> for $name {
            fn from(unknown: $crate::UnknownMessage) -> Self {
                Self::Unknown(Box::new(unknown))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => inner.serialize(serializer),)+
                    Self::Unknown(unknown) => unknown.serialize(serializer),
                }
            }
        }

        impl $crate::message::FromText for $name {
            fn from_text(
                text: &str,
                ty: &str,
                subtype: Option<&str>,
            ) -> Result<Self, serde_json::Error> {
                match $crate::message::pick_tag!($tag, ty, subtype) {
                    $(
                        $text => <$inner as $crate::message::FromText>::from_text(text, ty, subtype)
                            .map(Self::from),
                    )+
                    _ => $crate::message::unknown(text, ty, subtype).map(Self::from),
                }
            }
        }

        $crate::record::schema_traits! {
            $name, [$($doc),*],
            schema: |generator| $crate::message::describe!($tag)(
                &[$($doc),*],
                $name::KNOWN,
                vec![$(generator.subschema_for::<$inner>()),+],
            ),
            ts: |config| [$(<$inner as ts_rs::TS>::name(config)),+].join(" | "),
            uses: [$($inner),+]
        }
    };
}
pub(crate) use messages;

macro_rules! tag_of {
    (ty, $unknown:ident) => {
        &$unknown.ty
    };
    (subtype, $unknown:ident) => {
        $unknown.subtype.as_deref().unwrap_or_default()
    };
}
pub(crate) use tag_of;

#[cfg(feature = "schema")]
macro_rules! describe {
    (ty) => {
        $crate::schema::by_type
    };
    (subtype) => {
        $crate::schema::by_subtype
    };
}
#[cfg(feature = "schema")]
pub(crate) use describe;

macro_rules! pick_tag {
    (ty, $ty:ident, $subtype:ident) => {
        $ty
    };
    (subtype, $ty:ident, $subtype:ident) => {
        $subtype.unwrap_or_default()
    };
}
pub(crate) use pick_tag;

messages! {
    /// A message from an agent to its host: a line of the agent's stdout.
    pub enum ToHost by ty {
        System(stdout::System) = "system",
        Assistant(stdout::Assistant) = "assistant",
        User(stdout::User) = "user",
        Result(stdout::TurnResult) = "result",
        StreamEvent(stdout::StreamEvent) = "stream_event",
        ToolProgress(stdout::ToolProgress) = "tool_progress",
        ToolUseSummary(stdout::ToolUseSummary) = "tool_use_summary",
        AuthStatus(stdout::AuthStatus) = "auth_status",
        RateLimitEvent(stdout::RateLimitEvent) = "rate_limit_event",
        PromptSuggestion(stdout::PromptSuggestion) = "prompt_suggestion",
        ConversationReset(stdout::ConversationReset) = "conversation_reset",
        ActiveGoal(stdout::ActiveGoal) = "active_goal",
        CommandLifecycle(stdout::CommandLifecycle) = "command_lifecycle",
        TranscriptMirror(stdout::TranscriptMirror) = "transcript_mirror",
        StreamlinedText(stdout::StreamlinedText) = "streamlined_text",
        StreamlinedToolUseSummary(stdout::StreamlinedToolUseSummary) = "streamlined_tool_use_summary",
        ControlRequest(ControlRequest) = "control_request",
        ControlResponse(ControlResponse) = "control_response",
        ControlCancelRequest(ControlCancelRequest) = "control_cancel_request",
        KeepAlive(stdout::KeepAlive) = "keep_alive",
    }
}

messages! {
    /// A message from a host to its agent: a line of the agent's stdin.
    pub enum ToAgent by ty {
        User(stdin::User) = "user",
        ControlRequest(ControlRequest) = "control_request",
        ControlResponse(ControlResponse) = "control_response",
        ControlCancelRequest(ControlCancelRequest) = "control_cancel_request",
        KeepAlive(stdout::KeepAlive) = "keep_alive",
        UpdateEnvironmentVariables(stdin::UpdateEnvironmentVariables) = "update_environment_variables",
    }
}

kinds! {
    /// The `type` of a message, in either direction.
    pub enum MessageType {
        System = "system",
        Assistant = "assistant",
        User = "user",
        Result = "result",
        StreamEvent = "stream_event",
        ToolProgress = "tool_progress",
        ToolUseSummary = "tool_use_summary",
        AuthStatus = "auth_status",
        RateLimitEvent = "rate_limit_event",
        PromptSuggestion = "prompt_suggestion",
        ConversationReset = "conversation_reset",
        ActiveGoal = "active_goal",
        CommandLifecycle = "command_lifecycle",
        TranscriptMirror = "transcript_mirror",
        StreamlinedText = "streamlined_text",
        StreamlinedToolUseSummary = "streamlined_tool_use_summary",
        ControlRequest = "control_request",
        ControlResponse = "control_response",
        ControlCancelRequest = "control_cancel_request",
        KeepAlive = "keep_alive",
        UpdateEnvironmentVariables = "update_environment_variables",
    }
}

impl ToHost {
    /// Serialises the message as one line, without the line terminator.
    #[must_use]
    pub fn to_line(&self) -> String {
        line(self)
    }
}

impl ToAgent {
    /// Serialises the message as one line, without the line terminator.
    #[must_use]
    pub fn to_line(&self) -> String {
        line(self)
    }
}

/// Serialises a message as one line.
///
/// Line breaks in strings are escaped by the serialiser. Raw JSON may contain line breaks between its values; they
/// are replaced with spaces.
fn line<T: Serialize>(message: &T) -> String {
    let mut text = serde_json::to_string(message).unwrap_or_default();
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some() {
        text = text.replace(['\n', '\r'], " ");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{MessageType, ToAgent, ToHost};

    #[test]
    fn every_message_of_either_direction_has_a_type() {
        let listed: BTreeSet<_> = MessageType::KNOWN.iter().collect();
        let read: BTreeSet<_> = ToHost::KNOWN.iter().chain(ToAgent::KNOWN).collect();
        assert_eq!(listed, read);
    }

    #[test]
    fn every_type_survives_a_round_trip() {
        for word in MessageType::KNOWN {
            assert_eq!(MessageType::of(word).as_str(), *word);
        }
        assert_eq!(MessageType::of("later"), MessageType::Unknown);
    }
}
