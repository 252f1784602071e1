#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::*;
use crate::Names;

#[test]
fn aliases_stand_for_ids() {
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
fn every_alias_leads_to_a_model_we_know() {
    for (alias, id) in ALIASES {
        assert!(find(id).is_some(), "{alias}");
    }
    assert!(facts(DEFAULT).is_known() && facts(SMALL).is_known());
}

#[test]
fn a_date_does_not_make_another_model() {
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
fn a_large_window_is_asked_for_where_it_is_not_the_rule() {
    assert_eq!(Names::default().resolve(Some("opus[1m]")), "claude-opus-5-5");
    let large = Names::default().resolve(Some("claude-sonnet-4-5[1m]"));
    assert_eq!(facts(&large).window, 1_000_000);
    assert_eq!(beta(&large), Some("context-1m-2025-08-07"));
    assert_eq!(beta("claude-opus-5-5"), None);
    assert_eq!(facts("claude-sonnet-4-5").window, 200_000);
}

#[test]
fn limits_are_those_on_record() {
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
fn a_model_that_is_not_the_newest_has_its_own_price() {
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
        assert_eq!(model.thinking, Thinks::Adaptively, "{id}");
    }
}

#[test]
fn an_unknown_model_is_called_unknown() {
    let model = facts("llama-local");
    assert!(!model.is_known());
    assert_eq!(model.prices, None);
    assert_eq!(model.thinking.default(), Thinking::Off);
    assert_eq!(name("llama-local"), "llama-local");
}

#[test]
fn a_model_is_asked_to_think_in_a_way_it_can() {
    let (adaptive, budget, never) = (Thinks::Adaptively, Thinks::WithinBudget, Thinks::Never);
    assert_eq!(
        [adaptive, budget, never].map(Thinks::off),
        [Thinking::Adaptive, Thinking::Off, Thinking::Off]
    );
    let asked = [adaptive, budget, never].map(|thinks| thinks.budget(2000));
    assert_eq!(asked, [Thinking::Adaptive, Thinking::Budget(2000), Thinking::Off]);
}

#[test]
fn the_offer_names_each_model_with_its_price() {
    let offer = Names::default().picker();
    let opus = offer.iter().find(|model| model["value"] == "opus").unwrap();
    assert_eq!(opus["resolvedModel"], "claude-opus-5-5");
    assert!(opus["description"].as_str().unwrap().ends_with("$4/$20 per Mtok"));
    assert_eq!(opus["supportedEffortLevels"].as_array().unwrap().len(), 5);
    assert_eq!(offer.len(), 5);
}
