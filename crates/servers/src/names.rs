//! Names of MCP tools and prompts: `mcp__<server>__<tool>`.

/// The prefix of every such name.
const PREFIX: &str = "mcp__";
/// The separator between server and tool.
const SEPARATOR: &str = "__";
/// The maximum length of a tool name in the model API.
const MAX_LENGTH: usize = 128;

/// Replaces all characters that the model API does not allow in tool names.
pub fn normalised(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    name.chars()
        .map(|letter| if fits(letter) { letter } else { '_' })
        .collect()
}

/// Returns the full name of a server's tool.
pub fn tool(server: &str, tool: &str) -> String {
    let mut name = format!("{}{}", server_prefix(server), normalised(tool));
    name.truncate(MAX_LENGTH);
    name
}

/// Returns the command name of a server's prompt. Commands may contain any character, so the prompt's name is unchanged.
pub fn prompt(server: &str, prompt: &str) -> String {
    format!("{}{prompt}", server_prefix(server))
}

fn server_prefix(server: &str) -> String {
    format!("{PREFIX}{}{SEPARATOR}", normalised(server))
}

/// Returns whether an entry of a tool list covers a server's tool.
pub fn covers(word: &str, full: &str) -> bool {
    let word = word.strip_suffix("__*").unwrap_or(word);
    let server = split(full).is_some_and(|(server, _)| word.strip_prefix(PREFIX) == Some(server));
    server || word == full
}

/// Splits a full name into server and tool.
pub fn split(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix(PREFIX)?.split_once(SEPARATOR)?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// Returns a tool's name in title case: `weird name.x` becomes `Weird Name X`.
pub fn spoken(tool: &str) -> String {
    let words = tool.split(|letter: char| !letter.is_alphanumeric());
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}", letters.as_str())
    };
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(capital).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_joined_and_split() {
        assert_eq!(tool("tiny", "add"), "mcp__tiny__add");
        assert_eq!(tool("my server", "weird name.x"), "mcp__my_server__weird_name_x");
        assert_eq!(prompt("tiny", "two words"), "mcp__tiny__two words");
        assert_eq!(split("mcp__tiny__add"), Some(("tiny", "add")));
        assert_eq!(split("mcp__tiny__a__b"), Some(("tiny", "a__b")));
        for none in ["Bash", "mcp__tiny", "mcp____x", "mcp__tiny__", "tiny/add"] {
            assert_eq!(split(none), None, "{none}");
        }
    }

    #[test]
    fn tool_list_entry_may_cover_a_whole_server() {
        for word in ["mcp__s", "mcp__s__*", "mcp__s__t"] {
            assert!(covers(word, "mcp__s__t"), "{word}");
        }
        for word in ["mcp__", "mcp__s2", "mcp__t", "s", "Read"] {
            assert!(!covers(word, "mcp__s__t"), "{word}");
        }
        assert!(!covers("Read", "Bash"));
    }

    #[test]
    fn tool_names_are_converted_to_title_case() {
        assert_eq!(spoken("add"), "Add");
        assert_eq!(spoken("weird name.x"), "Weird Name X");
        assert_eq!(spoken("read_file-now"), "Read File Now");
        assert_eq!(spoken("..."), "");
    }

    proptest! {
        #[test]
        fn every_full_name_is_valid_for_the_api(server in "\\PC{1,40}", name in "\\PC{1,200}") {
            let full = tool(&server, &name);
            prop_assert!(full.len() <= MAX_LENGTH);
            prop_assert!(full.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'));
            prop_assert!(full.starts_with(PREFIX));
        }
    }
}
