//! Messages with content of the model, and messages that the engine sends in its place.

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sluice_model::{Failure, models};
use sluice_wire::stdout::system::{ApiRetry, ModelFallback, ThinkingTokens};
use sluice_wire::stdout::{AbandonedBlocks, Assistant, AssistantError, StreamEvent};
use sluice_wire::{Number, Object, Raw};

use super::{fresh_id, now};
use crate::turn::Turn;

/// One content block of a response, in the envelope of its message.
pub(crate) fn assistant(envelope: Value, block: Value, request_id: Option<String>, turn: &Turn) -> Assistant {
    let mut envelope = envelope;
    if let Some(map) = envelope.as_object_mut() {
        map.insert("content".to_owned(), Value::Array(vec![block]));
        map.entry("context_management").or_insert(Value::Null);
    }
    let (uuid, uuids) = turn.named().unzip();
    Assistant {
        message: serde_json::from_value(envelope).unwrap_or_default(),
        uuid: fresh_id(),
        timestamp: Some(now()),
        request_id,
        user_message_uuid: uuid,
        user_message_uuids: uuids,
        resume_reason: turn.resume_reason(),
        ..Assistant::default()
    }
}

/// The envelope of a response that was not streamed: its usage is final, all keys are present.
pub(crate) fn whole_envelope(message: &Value) -> Value {
    let mut envelope = message.clone();
    if let Some(usage) = envelope.get_mut("usage").and_then(Value::as_object_mut) {
        for (key, value) in no_usage(
            &json!({"thinking_tokens": 0}),
            &json!("standard"),
            &json!([]),
            &json!(""),
        ) {
            usage.entry(key).or_insert(value);
        }
    }
    envelope
}

/// Zero usage with all keys present.
fn no_usage(thinking: &Value, tier: &Value, iterations: &Value, geo: &Value) -> Object {
    let usage = json!({
        "output_tokens_details": thinking,
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": tier,
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        "inference_geo": geo,
        "iterations": iterations,
        "speed": tier,
        "fallback_credit": null,
    });
    match usage {
        Value::Object(map) => map,
        _ => Object::new(),
    }
}

/// An assistant message that the engine wrote.
pub(crate) fn synthetic(text: &str, turn: &Turn) -> Assistant {
    let none = Value::Null;
    let message = json!({
        "diagnostics": null,
        "id": fresh_id(),
        "container": null,
        "model": "<synthetic>",
        "role": "assistant",
        "stop_details": null,
        "stop_reason": "stop_sequence",
        "stop_sequence": "",
        "type": "message",
        "usage": no_usage(&none, &none, &none, &none),
        "context_management": null,
    });
    assistant(message, json!({"type": "text", "text": text}), None, turn)
}

/// The output of a command that ran without the model.
pub(crate) fn local(text: &str, turn: &Turn) -> Assistant {
    let mut message = synthetic(text, turn);
    message.message.stop_reason = Some("end_turn".to_owned());
    message.message.stop_sequence = None;
    message
}

/// The output of a built-in command, as an assistant message.
pub(crate) fn local_reply(text: &str, command: &str, args: &str, failed: bool, turn: &Turn) -> Assistant {
    let mut reply = local(text, turn);
    let channel = if failed { "stderr" } else { "stdout" };
    reply.local_command_source = Some(format!("<local-command-{channel}>{text}</local-command-{channel}>"));
    reply.local_command_run = serde_json::from_value(json!({"command": command, "args": args})).ok();
    reply.local_command_outcome = failed.then(|| Raw::of(&json!({"kind": "failed"})));
    reply
}

/// Replacement in the conversation for an image or document that the server rejected.
pub(crate) const MEDIA_REMOVED: &str = "[An image or document stood here. The server would not take it, so it was \
    taken out; its content was not seen.]";
/// Error text for the person in this case.
pub(crate) const MEDIA_DROPPED: &str = "API Error: images or documents in the conversation could not be processed \
    and were taken out.";

/// Rejected images or documents were removed. `stop_reason` is `tool_use` because the turn continues.
pub(crate) fn media_removed(text: &str, is_too_large: bool, turn: &Turn) -> Assistant {
    let mut message = synthetic(text, turn);
    message.message.stop_reason = Some("tool_use".to_owned());
    message.message.stop_sequence = None;
    message.error = Some(AssistantError::from("invalid_request"));
    message.is_api_error_message = Some(true);
    message.api_error = Some("media_removed".to_owned());
    let reason = if is_too_large {
        "request_too_large"
    } else {
        "unprocessable"
    };
    message.api_error_params = Some(Raw::of(&json!({"media": "image", "media_reason": reason})));
    message
}

/// The error message of a model request that finally failed.
pub(crate) fn api_error(failure: &Failure, text: &str, turn: &Turn) -> Assistant {
    Assistant {
        error: Some(AssistantError::from(failure.final_category())),
        request_id: failure.request_id().map(str::to_owned),
        is_api_error_message: Some(true),
        api_error_status: failure.status().map(u64::from),
        api_error_type: failure.api_error_type().map(str::to_owned),
        api_error: failure.api_error().map(str::to_owned),
        api_error_params: failure
            .limits()
            .filter(|_| failure.is_limit_reached())
            .map(|limits| Raw::of(&json!({"rate_limit_info": super::rate_limit_info(limits)}))),
        ..synthetic(text, turn)
    }
}

/// One event of the stream, with its text unchanged. The first event contains the ids of the prompts.
pub(crate) fn stream_event(raw: Box<RawValue>, message_id: Option<&str>, first: Option<&Turn>) -> StreamEvent {
    let mut event = StreamEvent {
        event: Raw::from(raw),
        uuid: fresh_id(),
        api_message_id: message_id.map(str::to_owned),
        ..StreamEvent::default()
    };
    if let Some(turn) = first {
        event.ttft_ms = Some(millis(
            turn.times.first_request.map(|sent| sent.elapsed()).unwrap_or_default(),
        ));
        if !turn.prompts.uuids.is_empty() {
            event.user_message_uuid.clone_from(&turn.prompts.uuid);
            event.user_message_uuids = Some(turn.prompts.uuids.clone());
            event.owed_rows = Some(Raw::of(&Vec::<Value>::new()));
        }
    }
    event
}

fn made_event(event: &Value, message_id: Option<&str>) -> StreamEvent {
    StreamEvent {
        event: Raw::of(event),
        uuid: fresh_id(),
        api_message_id: message_id.map(str::to_owned),
        ..StreamEvent::default()
    }
}

/// Closes an incomplete block.
pub(crate) fn block_stop(index: usize, message_id: Option<&str>) -> StreamEvent {
    made_event(&json!({"type": "content_block_stop", "index": index}), message_id)
}

/// Closes an incomplete message. Blocks from `kept` on are abandoned.
pub(crate) fn message_stop(message_id: Option<&str>, kept: usize) -> StreamEvent {
    StreamEvent {
        abandoned_blocks: Some(AbandonedBlocks {
            api_message_id: message_id.unwrap_or_default().to_owned(),
            from_block_index: u64::try_from(kept).unwrap_or(u64::MAX),
            ..AbandonedBlocks::default()
        }),
        ..made_event(&json!({"type": "message_stop"}), message_id)
    }
}

/// The `message_delta` of a response that was stopped; it has no stop reason.
pub(crate) fn aborted_delta(message_id: Option<&str>, usage: Option<&Value>) -> StreamEvent {
    let count = |key: &str| {
        usage
            .and_then(|usage| usage.get(key))
            .cloned()
            .unwrap_or_else(|| json!(0))
    };
    made_event(
        &json!({
            "type": "message_delta",
            "context_management": null,
            "delta": {"container": null, "stop_details": null, "stop_reason": null, "stop_sequence": null},
            "usage": {
                "output_tokens_details": {"thinking_tokens": 0},
                "cache_creation_input_tokens": count("cache_creation_input_tokens"),
                "cache_read_input_tokens": count("cache_read_input_tokens"),
                "input_tokens": count("input_tokens"),
                "iterations": [],
                "output_tokens": count("output_tokens"),
                "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
                "fallback_credit": null,
            },
        }),
        message_id,
    )
}

/// The estimated number of thinking tokens so far.
pub(crate) fn thinking_tokens(total: u64, added: u64) -> ThinkingTokens {
    ThinkingTokens {
        estimated_tokens: total,
        estimated_tokens_delta: i64::try_from(added).unwrap_or(i64::MAX),
        uuid: fresh_id(),
        ..ThinkingTokens::default()
    }
}

/// A failed request is retried.
pub(crate) fn api_retry(attempt: u32, max_retries: u32, delay: Duration, failure: &Failure) -> ApiRetry {
    ApiRetry {
        attempt: u64::from(attempt),
        max_retries: u64::from(max_retries),
        retry_delay_ms: millis(delay),
        error_status: failure.status().map(u64::from),
        error: AssistantError::from(failure.category()),
        uuid: fresh_id(),
        ..ApiRetry::default()
    }
}

/// Why the model is replaced by a fallback.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fallback {
    Overloaded,
    Unavailable,
    NotFound,
}

/// The model is replaced by a fallback.
pub(crate) fn model_fallback(original: &str, fallback: &str, why: Fallback) -> ModelFallback {
    let (trigger, words) = match why {
        Fallback::Overloaded => ("overloaded", "is overloaded"),
        Fallback::Unavailable => ("server_error", "is unavailable"),
        Fallback::NotFound => ("model_not_found", "is not available"),
    };
    ModelFallback {
        uuid: fresh_id(),
        trigger: trigger.to_owned(),
        original_model: original.to_owned(),
        fallback_model: fallback.to_owned(),
        content: format!(
            "{} {words}; continuing with {}.",
            models::name(original),
            models::name(fallback)
        ),
        ..ModelFallback::default()
    }
}

pub(crate) fn millis(duration: Duration) -> Number {
    Number::from(u32::try_from(duration.as_millis()).unwrap_or(u32::MAX))
}
