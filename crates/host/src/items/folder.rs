//! The folder in which the next command runs, after a command that may have changed it.

/// Returns the folder after a command that succeeded, where the command says it plainly: `cd src`, or `cd src && make`.
/// The reference CLI keeps the folder between commands only below the folder of the session.
pub(crate) fn folder_after(root: &str, folder: &str, command: &str) -> Option<String> {
    let first = command.trim().split(['\n', ';', '&', '|']).next()?.trim();
    let mut words = first.split_whitespace();
    let (Some("cd"), Some(path), None) = (words.next(), words.next(), words.next()) else {
        return None;
    };
    // In a pipe it runs in a separate shell.
    if command.contains('|') || command.matches("cd ").count() > 1 {
        return None;
    }
    let path = path.trim_matches(['"', '\'']);
    if path.contains(['$', '~', '*', '`', '(', '\\']) || path.starts_with('-') {
        return None;
    }
    let joined = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let found = format!("/{}", parts.join("/"));
    let inside = found == root || found.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
    Some(if inside { found } else { root.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::folder_after;

    #[test]
    fn a_plain_change_of_the_folder_is_followed() {
        for (command, wanted) in [
            ("cd src", Some("/w/src")),
            ("cd src && cargo test", Some("/w/src")),
            ("cd \"src\"; ls", Some("/w/src")),
            ("cd /w/a/../b", Some("/w/b")),
            ("cd ..", Some("/w")),
            ("cd /etc", Some("/w")),
            ("cd $HOME", None),
            ("(cd src && ls)", None),
            ("ls && cd src", None),
            ("cd src && cd ..", None),
            ("cd src | cat", None),
            ("make", None),
        ] {
            assert_eq!(folder_after("/w", "/w", command).as_deref(), wanted, "{command}");
        }
    }
}
