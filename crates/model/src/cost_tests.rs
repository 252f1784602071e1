#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::json;

use super::*;

fn usage(input: u64, output: u64) -> Value {
    json!({"input_tokens": input, "output_tokens": output})
}

/// Costs that the reference CLI reported for scripted usage.
#[test]
fn costs_match_those_of_the_reference_cli() {
    for (model, input, output, cost) in [
        ("claude-opus-5-5", 10, 12, 0.00028000000000000003),
        ("claude-opus-5-5", 10, 5, 0.00014000000000000001),
        ("claude-haiku-5-5", 10, 12, 7.000000000000001e-06),
        ("claude-sonnet-4-5-20250929", 10, 12, 0.00021),
        ("claude-3-5-haiku-20241022", 10, 12, 5.6000000000000006e-05),
    ] {
        let got = Ledger::new().add(model, &usage(input, output)).unwrap();
        assert!((got - cost).abs() < 1e-15, "{model}: {got}");
    }
}

#[test]
fn cache_and_web_searches_have_separate_prices() {
    let million = 1_000_000;
    let model = models::facts("claude-opus-5-5");
    for (usage, cost) in [
        (json!({"cache_read_input_tokens": million}), 0.4),
        (json!({"cache_creation_input_tokens": million}), 5.0),
        (
            json!({"cache_creation_input_tokens": million, "cache_creation": {"ephemeral_1h_input_tokens": million}}),
            8.0,
        ),
        (
            json!({"cache_creation_input_tokens": million, "cache_creation":
                {"ephemeral_1h_input_tokens": million / 2, "ephemeral_5m_input_tokens": million / 2}}),
            6.5,
        ),
        (json!({"server_tool_use": {"web_search_requests": 3}}), 0.03),
    ] {
        let got = Tokens::read(&usage).cost(&model).unwrap();
        assert!((got - cost).abs() < 1e-9, "{usage}: {got}");
    }
}

#[test]
fn long_prompts_use_the_higher_price() {
    let cost = |input| {
        Tokens::read(&usage(input, 0))
            .cost(&models::facts("claude-haiku-5-5"))
            .unwrap()
    };
    assert!((cost(100_000) - 0.01).abs() < 1e-9);
    assert!((cost(200_000) - 0.1).abs() < 1e-9);
    let cached = json!({"input_tokens": 1, "cache_read_input_tokens": 100_000});
    let cost = Tokens::read(&cached).cost(&models::facts("claude-haiku-5-5")).unwrap();
    assert!(
        cost > 0.005,
        "cached tokens count towards the length of a prompt: {cost}"
    );
}

#[test]
fn ledger_sums_usage_by_model() {
    let mut ledger = Ledger::new();
    assert_eq!(ledger.total_cost_value().to_string(), "0");
    ledger.add("claude-opus-5-5", &usage(10, 12));
    ledger.add("claude-haiku-5-5", &usage(10, 12));
    ledger.add("claude-opus-5-5", &usage(10, 12));
    let shown = ledger.model_usage();
    assert_eq!(
        shown.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["claude-opus-5-5", "claude-haiku-5-5"]
    );
    let opus = &shown["claude-opus-5-5"];
    assert_eq!((&opus["inputTokens"], &opus["outputTokens"]), (&json!(20), &json!(24)));
    assert_eq!(opus["costUSD"], 0.0005600000000000001);
    assert_eq!(
        (&opus["contextWindow"], &opus["maxOutputTokens"]),
        (&json!(1_000_000), &json!(128_000))
    );
    assert_eq!(
        (&opus["canonicalModel"], &opus["costBasis"]),
        (&json!("claude-opus-5-5"), &json!("list"))
    );
    assert!((ledger.total_cost_usd() - 0.000567).abs() < 1e-12);
    assert_eq!(ledger.tokens().input, 30);
    ledger.reset();
    assert_eq!(ledger, Ledger::new());
}

#[test]
fn unknown_model_is_counted_but_not_priced() {
    let mut ledger = Ledger::new();
    assert_eq!(ledger.add("llama-local", &usage(1000, 500)), None);
    let shown = &ledger.model_usage()["llama-local"];
    assert_eq!(
        (&shown["inputTokens"], &shown["costUSD"], &shown["costBasis"]),
        (&json!(1000), &json!(0), &json!("unknown"))
    );
    assert_eq!(ledger.unpriced().collect::<Vec<_>>(), ["llama-local"]);
    assert_eq!(ledger.total_cost_value(), json!(0));
}

#[test]
fn since_returns_only_what_was_added() {
    let mut ledger = Ledger::new();
    ledger.add("claude-opus-5-5", &usage(10, 12));
    ledger.add("claude-sonnet-5-5", &usage(1, 1));
    let before = ledger.clone();
    assert_eq!(ledger.since(&before), Ledger::new());
    ledger.add("claude-opus-5-5", &usage(5, 6));
    ledger.add("claude-haiku-5-5", &usage(7, 8));
    let added = ledger.since(&before).model_usage();
    assert_eq!(added.as_object().unwrap().len(), 2);
    assert_eq!(added["claude-opus-5-5"]["inputTokens"], 5);
    assert_eq!(added["claude-haiku-5-5"]["outputTokens"], 8);
}

#[test]
fn usage_of_a_turn_is_the_sum_of_its_responses() {
    let full = json!({"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 4,
        "output_tokens_details": {"thinking_tokens": 5}, "server_tool_use": {"web_search_requests": 6, "web_fetch_requests": 7},
        "cache_creation": {"ephemeral_5m_input_tokens": 8, "ephemeral_1h_input_tokens": 9}});
    let sparse = json!({"input_tokens": 1, "output_tokens": null, "server_tool_use": null});
    let sum = Tokens::read(&full).plus(&Tokens::read(&sparse));
    let shown = sum.to_usage();
    assert_eq!(Tokens::read(&shown), sum);
    assert_eq!(shown["input_tokens"], 2);
    assert_eq!(shown["output_tokens_details"]["thinking_tokens"], 5);
    assert_eq!(sum.prompt(), 9);
}

#[test]
fn restored_ledger_equals_the_original() {
    let mut ledger = Ledger::new();
    ledger.add("claude-opus-5-5", &usage(10, 12));
    ledger.add("some-other-model", &usage(1, 1));
    let mut later = Ledger::new();
    later.restore(&ledger.model_usage());
    assert_eq!(later, ledger);
    later.restore(&json!(null));
    assert_eq!(later, ledger, "null adds nothing");
}

#[test]
fn free_ledger_counts_tokens_without_cost() {
    let mut ledger = Ledger::free();
    assert_eq!(ledger.add("claude-opus-5-5", &usage(10, 12)), Some(0.0));
    assert_eq!(ledger.tokens().input, 10);
    assert_eq!(ledger.total_cost_value(), json!(0));
}
