#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn prompt(uuid: &str, priority: Priority) -> Prompt {
    Prompt {
        uuid: Some(uuid.to_owned()),
        id: uuid.to_owned(),
        content: json!([{"type": "text", "text": uuid}]),
        priority,
        synthetic: false,
        alone: false,
        verbatim: false,
        resumes: false,
        should_query: true,
        origin: None,
        timestamp: String::new(),
    }
}

fn texts(batch: &Batch) -> Vec<&str> {
    batch.prompts.iter().map(|prompt| prompt.id.as_str()).collect()
}

#[test]
fn repeated_uuid_is_a_duplicate_even_after_it_ran() {
    let mut queue = Queue::default();
    assert_eq!(queue.push(prompt("a", Priority::Next)), Accepted::Queued);
    assert!(queue.next().is_some());
    assert_eq!(queue.push(prompt("a", Priority::Next)), Accepted::Duplicate);
    assert!(queue.is_empty());
}

#[test]
fn queued_prompts_merge_into_one_turn() {
    let mut queue = Queue::default();
    for uuid in ["two", "three", "four"] {
        queue.push(prompt(uuid, Priority::Next));
    }
    let batch = queue.next().unwrap();
    assert_eq!(batch.uuids(), ["two", "three", "four"]);
    assert_eq!(
        batch.content(),
        json!([
            {"type": "text", "text": "two\n"},
            {"type": "text", "text": "three\n"},
            {"type": "text", "text": "four"},
        ])
    );
}

#[test]
fn single_prompt_keeps_its_content_unchanged() {
    let mut queue = Queue::default();
    queue.push(Prompt {
        content: Value::String("hi".into()),
        ..prompt("a", Priority::Next)
    });
    assert_eq!(queue.next().unwrap().content(), json!("hi"));
}

#[test]
fn most_urgent_priority_runs_first_in_its_own_turn() {
    let mut queue = Queue::default();
    queue.push(prompt("later", Priority::Later));
    queue.push(prompt("next", Priority::Next));
    queue.push(prompt("now", Priority::Now));
    assert_eq!(texts(&queue.next().unwrap()), ["now"]);
    assert_eq!(texts(&queue.next().unwrap()), ["next"]);
    assert_eq!(texts(&queue.next().unwrap()), ["later"]);
    assert!(queue.next().is_none());
}

#[test]
fn recorded_prompt_gets_its_own_turn_and_is_not_overtaken() {
    let mut queue = Queue::default();
    queue.push(prompt("a", Priority::Next));
    queue.push(Prompt {
        should_query: false,
        ..prompt("b", Priority::Next)
    });
    queue.push(prompt("c", Priority::Next));
    assert_eq!(texts(&queue.next().unwrap()), ["a"]);
    assert_eq!(texts(&queue.next().unwrap()), ["b"]);
    assert_eq!(texts(&queue.next().unwrap()), ["c"]);
}

#[test]
fn later_prompts_do_not_join_a_running_turn() {
    let mut queue = Queue::default();
    queue.push(prompt("later", Priority::Later));
    queue.push(prompt("next", Priority::Next));
    let folded = queue.fold();
    assert_eq!(folded.len(), 1);
    assert_eq!(folded[0].id, "next");
    assert_eq!(queue.uuids(), ["later"]);
}

#[test]
fn cancel_removes_known_prompts_only() {
    let mut queue = Queue::default();
    queue.push(prompt("a", Priority::Next));
    assert!(!queue.cancel("b"));
    assert!(queue.cancel("a"));
    assert!(queue.is_empty());
}

proptest! {
    /// Every queued prompt is returned exactly once, in the order of arrival within its priority.
    #[test]
    fn prompts_are_never_lost_duplicated_or_reordered(
        classes in prop::collection::vec((0_u8..3, any::<bool>()), 0..24),
        folds in prop::collection::vec(any::<bool>(), 0..24),
    ) {
        let mut queue = Queue::default();
        let mut pushed = Vec::new();
        for (number, (class, query)) in classes.iter().enumerate() {
            let priority = [Priority::Now, Priority::Next, Priority::Later][usize::from(*class)];
            let uuid = format!("p{number}");
            queue.push(Prompt { should_query: *query, ..prompt(&uuid, priority) });
            pushed.push((priority, uuid));
        }
        let mut out: Vec<(Priority, String)> = Vec::new();
        let mut folds = folds.into_iter();
        while !queue.is_empty() {
            let prompts = if folds.next() == Some(true) { queue.fold() } else { Vec::new() };
            let prompts = if prompts.is_empty() { queue.next().unwrap().prompts } else { prompts };
            out.extend(prompts.into_iter().map(|p| (p.priority, p.id)));
        }
        prop_assert_eq!(out.len(), pushed.len());
        let mut sorted = out.clone();
        sorted.sort();
        let mut expected = pushed.clone();
        expected.sort();
        prop_assert_eq!(sorted, expected);
    }
}
