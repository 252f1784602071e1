#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::*;
use crate::Names;

#[test]
fn aliases_resolve_to_ids() {
    for (name, id) in [
        (None, "claude-opus-5-5"),
        (Some(""), "claude-opus-5-5"),
        (Some("default"), "claude-opus-5-5"),
        (Some("Opus"), "claude-opus-5-5"),
        (Some("sonnet"), "claude-sonnet-5-5"),
        (Some(" haiku "), "claude-haiku-5-5"),
        (Some("best"), "claude-opus-5-5"),
        (Some("opusplan"), "claude-sonnet-5-5"),
        (Some("claude-opus-4-20250514"), "claude-opus-5-5"),
        (Some("claude-opus-4-1"), "claude-opus-5-5"),
        (Some("claude-sonnet-4-5-20250929"), "claude-sonnet-4-5-20250929"),
        (Some("nonsense-model"), "nonsense-model"),
        (Some("Qwen3:8B"), "Qwen3:8B"),
    ] {
        assert_eq!(Names::default().resolve(name), id, "{name:?}");
    }
}

#[test]
fn every_alias_resolves_to_a_known_model() {
    for (alias, id) in ALIASES {
        assert!(find(id).is_some(), "{alias}");
    }
    assert!(facts(DEFAULT).is_known() && facts(SMALL).is_known());
}

#[test]
fn id_with_a_date_is_the_same_model() {
    for id in [
        "claude-3-5-haiku-20241022",
        "claude-3-5-haiku-latest",
        "claude-3-5-haiku",
        "claude-3-5-haiku[1m]",
    ] {
        assert_eq!(find(id).unwrap().id, "claude-3-5-haiku");
    }
    assert_eq!(canonical("claude-sonnet-4-5"), "claude-sonnet-4-5");
}

#[test]
fn large_window_is_requested_only_where_needed() {
    assert_eq!(Names::default().resolve(Some("opus[1m]")), "claude-opus-5-5");
    let large = Names::default().resolve(Some("claude-sonnet-4-5[1m]"));
    assert_eq!(facts(&large).window, 1_000_000);
    assert_eq!(beta(&large), Some("context-1m-2025-08-07"));
    assert_eq!(beta("claude-opus-5-5"), None);
    assert_eq!(facts("claude-sonnet-4-5").window, 200_000);
}

#[test]
fn limits_match_those_of_the_reference_cli() {
    for (id, window, output) in [
        ("claude-opus-5-5", 1_000_000, 128_000),
        ("claude-haiku-5-5", 1_000_000, 128_000),
        ("claude-sonnet-4-5-20250929", 200_000, 32_000),
        ("claude-3-5-haiku-20241022", 200_000, 8192),
        ("claude-3-5-sonnet-20241022", 200_000, 8192),
        ("claude-opus-5", 1_000_000, 64_000),
        ("claude-sonnet-5", 1_000_000, 64_000),
        ("claude-fable-5", 1_000_000, 64_000),
        ("claude-opus-4-7", 1_000_000, 64_000),
        ("claude-opus-4-6", 200_000, 64_000),
        ("claude-sonnet-4-6", 200_000, 32_000),
    ] {
        let model = facts(id);
        assert_eq!((model.window, model.max_output), (window, output), "{id}");
    }
}

#[test]
fn older_models_have_their_own_prices() {
    for (id, input, output) in [
        ("claude-opus-5", 5.0, 25.0),
        ("claude-opus-4-8", 5.0, 25.0),
        ("claude-opus-4-6", 5.0, 25.0),
        ("claude-fable-5-1", 10.0, 50.0),
        ("claude-sonnet-5", 2.0, 10.0),
        ("claude-sonnet-4-6", 3.0, 15.0),
    ] {
        let model = facts(id);
        assert_eq!(model.prices, Some(Prices::list(input, output)), "{id}");
        assert_eq!(model.thinking, ThinkingSupport::Adaptive, "{id}");
    }
}

#[test]
fn unknown_model_has_no_prices_and_no_thinking() {
    let model = facts("llama-local");
    assert!(!model.is_known());
    assert_eq!(model.prices, None);
    assert_eq!(model.thinking.default(), Thinking::Off);
    assert_eq!(name("llama-local"), "llama-local");
}

#[test]
fn thinking_mode_is_adapted_to_the_model() {
    let (adaptive, budget, never) = (
        ThinkingSupport::Adaptive,
        ThinkingSupport::Budget,
        ThinkingSupport::None,
    );
    assert_eq!(
        [adaptive, budget, never].map(ThinkingSupport::off),
        [Thinking::Adaptive, Thinking::Off, Thinking::Off]
    );
    let modes = [adaptive, budget, never].map(|thinks| thinks.budget(2000));
    assert_eq!(modes, [Thinking::Adaptive, Thinking::Budget(2000), Thinking::Off]);
}

#[test]
fn picker_lists_each_model_with_its_price() {
    let offer = Names::default().picker();
    let opus = offer.iter().find(|model| model["value"] == "opus").unwrap();
    assert_eq!(opus["resolvedModel"], "claude-opus-5-5");
    assert!(opus["description"].as_str().unwrap().ends_with("$4/$20 per Mtok"));
    assert_eq!(opus["supportedEffortLevels"].as_array().unwrap().len(), 5);
    assert_eq!(offer.len(), 5);
}
