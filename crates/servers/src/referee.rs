//! `--permission-prompt-tool`: an MCP tool that answers permission requests.

use std::sync::Arc;

use serde_json::{Value, json};

use super::host::Said;
use super::link::Link;
use super::tool::Call;

/// Asks the tool about a call. What it answers is what a host would have.
pub async fn ask(link: Arc<Link>, tool: String, full: String, about: About) -> Said {
    let call = Call {
        link: &link,
        tool: &tool,
        full: &full,
        call_id: &about.id,
    };
    let question = json!({"tool_name": about.name, "input": about.input, "tool_use_id": about.id});
    let result = call.run(question, link.tool_timeout()).await?;
    verdict(&result)
}

/// The call that is asked about.
#[derive(Debug)]
pub struct About {
    pub id: String,
    pub name: String,
    pub input: Value,
}

/// The answer is the one text of the result, and JSON.
fn verdict(result: &Value) -> Said {
    let texts: Vec<&str> = result
        .get("content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    let text = texts.join("\n");
    if result.get("isError") == Some(&Value::Bool(true)) {
        return Err(text);
    }
    serde_json::from_str(&text).map_err(|_| format!("the answer of the permission prompt tool is not JSON: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_json_in_a_text() {
        let said = |text: &str| verdict(&json!({"content": [{"type": "text", "text": text}]}));
        assert_eq!(said("{\"behavior\":\"allow\"}"), Ok(json!({"behavior": "allow"})));
        assert!(said("yes").is_err());
        assert!(verdict(&json!({"isError": true, "content": [{"type": "text", "text": "no"}]})).is_err());
        assert!(verdict(&json!({})).is_err());
    }
}
