//! Prompts of the compaction: the task for the summary, and the text that continues the conversation.

use std::path::Path;

/// The first words of every summary, by which readers recognize it.
pub(crate) const OPENING: &str =
    "This session is being continued from a previous conversation that ran out of context.";

const TASK: &str = "[The conversation above is about to be replaced by a summary that you write now. Whoever goes on with \
the work will have nothing else, so leave out nothing that is needed to go on as well as you could.

Answer in text alone; no tool can be called now. First think inside <analysis> tags: go through the conversation from \
its beginning and note what was asked, what was done, what was found out, and what changed along the way. Then write \
the summary itself inside <summary> tags, under these headings:

1. What the person wants: every request, in their own words where the wording matters, and what they corrected or ruled out.
2. What is known: technologies, conventions, decisions and the reasons for them.
3. Files and code: each file that was read, made or changed, by its full path, with what was done to it and the lines \
that matter, quoted.
4. Errors: what went wrong, what caused it, and how it was put right.
5. Where things stand: what is finished and checked, what is half done, what was not begun.
6. What the person said: all their messages that are no tool results, in order.
7. What comes next: the very next step, if it follows from the last request; quote the words it follows from. If the \
work is finished, say so and propose nothing.

Names, paths, numbers, commands and error messages are given exactly. Nothing is made up.]";

/// The task for the summary, with the instructions of the person if there are any.
pub(crate) fn task(instructions: Option<&str>) -> String {
    match instructions.map(str::trim).filter(|text| !text.is_empty()) {
        None => TASK.to_owned(),
        Some(text) => format!("{TASK}\n\n[What the person wants of this summary in particular:]\n{text}"),
    }
}

/// Extracts the summary from the response. A response without tags is used as it is.
pub(crate) fn summary(answer: &str) -> Option<String> {
    let found = match between(answer, "<summary>", "</summary>") {
        Some(summary) => summary.to_owned(),
        None => without(answer, "<analysis>", "</analysis>"),
    };
    let found = found.trim();
    (!found.is_empty()).then(|| found.to_owned())
}

/// The text with which the conversation continues. `kept`: the last messages follow unchanged.
pub(crate) fn continuation(summary: &str, transcript: Option<&Path>, kept: bool) -> String {
    let mut text = format!("{OPENING} What was said before is summed up here.\n\n{summary}\n");
    if let Some(path) = transcript {
        let path = path.display();
        text += &format!("\nWhat the summary leaves out can be looked up, word for word, in {path}.\n");
    }
    if kept {
        text += "\nThe last messages before the summary follow it as they were. They are newer than the summary: \
                 where it calls something undone, look whether they did it.\n";
    }
    text + "\nGo on with the work where it stands, without thanking for the summary or repeating it."
}

/// The text between the first opening tag and the last closing tag, or to the end if there is none.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    Some(rest.rsplit_once(close).map_or(rest, |(inner, _)| inner))
}

fn without(text: &str, open: &str, close: &str) -> String {
    match text.split_once(open) {
        Some((before, rest)) => {
            let after = rest.split_once(close).map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_is_extracted_from_tags_or_from_all_but_the_analysis() {
        let cases = [
            ("<analysis>hm</analysis>\n<summary>\nSHORT\n</summary>", Some("SHORT")),
            ("<summary>cut off", Some("cut off")),
            ("plain words", Some("plain words")),
            ("<analysis>hm</analysis> plain", Some("plain")),
            ("<analysis>never closed", None),
            ("<summary> </summary>", None),
            ("", None),
        ];
        for (answer, wanted) in cases {
            assert_eq!(summary(answer).as_deref(), wanted, "{answer}");
        }
    }

    #[test]
    fn instructions_are_part_of_the_task() {
        assert!(task(Some(" keep X ")).ends_with("\nkeep X"));
        assert_eq!(task(Some("  ")), task(None));
    }

    #[test]
    fn summary_starts_with_the_opening() {
        let text = continuation("SHORT", Some(Path::new("/t/s.jsonl")), true);
        assert!(text.starts_with("This session is being continued from a previous conversation"));
        assert!(text.contains("SHORT") && text.contains("/t/s.jsonl"));
    }
}
