use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_tools::{Effect, SearchHit, SearchPart, SearchReply, SearchRequest, find};

use crate::stand_in::{StandIn, deferred};
use crate::support::{Lab, said};

#[tokio::test]
async fn found_tools_are_referred_to_and_loaded_as_recorded() {
    let (lab, _) = StandIn {
        deferred: vec![
            deferred("WebFetch", "Reads a page."),
            deferred("WebSearch", "Looks for pages."),
        ],
        ..StandIn::default()
    }
    .lab();
    let outcome = lab.call("ToolSearch", json!({"query": "select:WebFetch"})).await;
    assert_eq!(
        outcome.content,
        json!([{"type": "tool_reference", "tool_name": "WebFetch"}])
    );
    assert_eq!(
        outcome.result.to_string(),
        r#"{"matches":["WebFetch"],"query":"select:WebFetch","total_deferred_tools":2}"#
    );
    assert_eq!(outcome.effects, [Effect::LoadTools(vec!["WebFetch".to_owned()])]);
    let outcome = lab.call("ToolSearch", json!({"query": "page", "max_results": 1})).await;
    assert_eq!(outcome.result["matches"], json!(["WebFetch"]));
    let outcome = lab.call("ToolSearch", json!({"query": "select:Bash"})).await;
    assert_eq!(said(&outcome), "No matching deferred tools found");
    assert_eq!(
        outcome.result,
        json!({"matches": [], "query": "select:Bash", "total_deferred_tools": 2})
    );
    assert_eq!(outcome.effects, []);
}

#[test]
fn the_assistant_frame_shows_the_query_alone() {
    let input = json!({"query": "select:WebFetch"});
    assert_eq!(find("ToolSearch").unwrap().fill(&input), input);
}

#[tokio::test]
async fn a_web_search_is_reported_in_the_recorded_format() {
    let hits = vec![SearchHit {
        title: "A [page]".to_owned(),
        url: "https://a.test/x".to_owned(),
    }];
    let (lab, services) = StandIn {
        found: Some(Ok(SearchReply {
            parts: vec![
                SearchPart::Hits {
                    tool_use_id: "srvtoolu_1".to_owned(),
                    hits,
                },
                SearchPart::Text("It is so.".to_owned()),
            ],
            searches: 1,
        })),
        ..StandIn::default()
    }
    .lab();
    let input = json!({"query": "rust", "allowed_domains": ["a.test"]});
    assert_eq!(lab.vet("WebSearch", &input).await, None);
    let outcome = lab.call("WebSearch", input).await;
    let mut result = outcome.result.clone();
    assert!(result["durationSeconds"].is_f64());
    result["durationSeconds"] = json!(0);
    assert_eq!(
        result.to_string(),
        r#"{"query":"rust","results":[{"tool_use_id":"srvtoolu_1","content":[{"title":"A [page]","url":"https://a.test/x"}]},"It is so."],"durationSeconds":0,"searchCount":1}"#
    );
    let told = said(&outcome);
    assert!(told.starts_with("Web search results for query: \"rust\"\n"));
    assert!(told.contains("- [A page](https://a.test/x)") && told.contains("It is so."));
    assert_eq!(
        *services.searched.lock().unwrap(),
        [SearchRequest {
            query: "rust".to_owned(),
            allowed_domains: vec!["a.test".to_owned()],
            blocked_domains: Vec::new(),
        }]
    );
}

#[tokio::test]
async fn a_search_that_cannot_be_made_is_refused() {
    let lab = Lab::new();
    let both = json!({"query": "rust", "allowed_domains": ["a"], "blocked_domains": ["b"]});
    assert!(said(&lab.vet("WebSearch", &both).await.unwrap()).contains("cannot have both"));
    let short = lab.call("WebSearch", json!({"query": "r"})).await;
    assert!(said(&short).contains("InputValidationError"));
    let nobody = lab.call("WebSearch", json!({"query": "rust"})).await;
    assert_eq!(
        said(&nobody),
        "The web could not be searched: there is no web search here"
    );
    let (lab, _) = StandIn::default().lab();
    lab.cx.cancel.cancel();
    assert!(lab.call("WebSearch", json!({"query": "rust"})).await.interrupted);
}
