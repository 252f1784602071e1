//! `--permission-prompt-tool`: an MCP tool that answers permission requests.

use std::sync::Arc;

use serde_json::{Value, json};

use super::host::Said;
use super::link::Link;
use super::tool::Call;

/// Asks the tool whether a call is allowed. The answer has the same form as that of a host.
pub async fn ask(link: Arc<Link>, tool: String, full: String, about: About) -> Said {
    let call = Call {
        link: &link,
        tool: &tool,
        full: &full,
        call_id: &about.id,
    };
    let arguments = json!({"tool_name": about.name, "input": about.input, "tool_use_id": about.id});
    let result = call.run(arguments, link.tool_timeout()).await?;
    parse_answer(&result)
}

/// The call to be decided.
#[derive(Debug)]
pub struct About {
    pub id: String,
    pub name: String,
    pub input: Value,
}

/// Parses the answer: the text of the result, as JSON.
fn parse_answer(result: &Value) -> Said {
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
    fn answer_is_json_in_a_text_block() {
        let answer = |text: &str| parse_answer(&json!({"content": [{"type": "text", "text": text}]}));
        assert_eq!(answer("{\"behavior\":\"allow\"}"), Ok(json!({"behavior": "allow"})));
        assert!(answer("yes").is_err());
        assert!(parse_answer(&json!({"isError": true, "content": [{"type": "text", "text": "no"}]})).is_err());
        assert!(parse_answer(&json!({})).is_err());
    }
}
