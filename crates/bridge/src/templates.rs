//! Prompt templates of a person: files that agents offer as slash commands.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::api::{Code, Problem, Template, Templates};
use crate::rules::replace;

/// The longest template, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// The longest name, in bytes.
const MAX_NAME: usize = 64;
/// The most templates that are listed.
const MAX_TEMPLATES: usize = 500;

/// The folder of the templates, below the folder in which agents keep their files.
fn folder(config: &Path) -> PathBuf {
    config.join("commands")
}

fn file(config: &Path, name: &str) -> Result<PathBuf, Problem> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    match !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(plain) {
        true => Ok(folder(config).join(format!("{name}.md"))),
        false => Err(Problem::new(
            Code::Field,
            "a name has 1 to 64 letters, digits, hyphens and underscores",
        )),
    }
}

fn failed(error: &io::Error, file: &Path) -> Problem {
    Problem::new(Code::Storage, format!("{}: {error}", file.display()))
}

/// All templates, by name.
pub(crate) fn list(config: &Path) -> Templates {
    let entries = fs::read_dir(folder(config)).into_iter().flatten().flatten();
    let mut templates: Vec<Template> = entries
        .filter(|entry| {
            entry
                .metadata()
                .is_ok_and(|about| about.is_file() && about.len() <= MAX_TEXT as u64)
        })
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            file(config, &name).ok().filter(|own| *own == path)?;
            let text = fs::read_to_string(&path).ok()?;
            Some(Template {
                description: description(&text),
                name,
                text,
            })
        })
        .take(MAX_TEMPLATES)
        .collect();
    templates.sort_by(|a, b| a.name.cmp(&b.name));
    Templates {
        templates,
        folder: folder(config).to_string_lossy().into_owned(),
    }
}

/// The description in the header of a template, or else its first line.
fn description(text: &str) -> Option<String> {
    let header = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let line = match header {
        Some((header, _)) => header.lines().find_map(|line| line.strip_prefix("description:"))?,
        None => text.lines().find(|line| !line.trim().is_empty())?,
    };
    let line = line.trim().trim_matches('"');
    (!line.is_empty()).then(|| crate::body::cut(line, 200).to_owned())
}

/// Writes a template. `was`: its name before, if it is renamed.
pub(crate) fn save(config: &Path, name: &str, text: &str, was: Option<&str>) -> Result<(), Problem> {
    let place = file(config, name)?;
    let old = was
        .filter(|was| *was != name)
        .map(|was| file(config, was))
        .transpose()?;
    if text.trim().is_empty() {
        return Err(Problem::new(Code::Field, "a template has a text"));
    }
    if text.len() > MAX_TEXT {
        return Err(Problem::new(Code::Limit, "a template has at most 64 kB"));
    }
    if was != Some(name) && fs::symlink_metadata(&place).is_ok() {
        return Err(Problem::new(
            Code::Field,
            format!("there is a template `{name}` already"),
        ));
    }
    fs::create_dir_all(folder(config)).map_err(|error| failed(&error, &place))?;
    replace(&place, text).map_err(|error| failed(&error, &place))?;
    match old {
        Some(old) => remove(&old),
        None => Ok(()),
    }
}

/// Deletes a template.
pub(crate) fn delete(config: &Path, name: &str) -> Result<(), Problem> {
    remove(&file(config, name)?)
}

fn remove(file: &Path) -> Result<(), Problem> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error, file)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(config: &Path) -> Vec<String> {
        list(config).templates.into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn template_is_written_renamed_and_deleted() {
        let config = tempfile::tempdir().unwrap();
        let config = config.path();
        assert_eq!(names(config), Vec::<String>::new());
        save(
            config,
            "review",
            "---\ndescription: Review a change\n---\nReview $ARGUMENTS.",
            None,
        )
        .unwrap();
        save(config, "tests", "Run the tests.\nAll of them.", None).unwrap();
        let listed = list(config).templates;
        let described: Vec<_> = listed.iter().map(|one| one.description.as_deref()).collect();
        assert_eq!(described, [Some("Review a change"), Some("Run the tests.")]);
        save(config, "check", "Run the tests.", Some("tests")).unwrap();
        assert_eq!(names(config), ["check", "review"]);
        delete(config, "review").unwrap();
        assert_eq!(names(config), ["check"]);
    }

    #[test]
    fn template_replaces_no_other_and_leaves_its_folder_never() {
        let config = tempfile::tempdir().unwrap();
        let config = config.path();
        save(config, "a", "one", None).unwrap();
        assert!(save(config, "a", "two", None).is_err());
        assert_eq!(list(config).templates[0].text, "one");
        save(config, "a", "two", Some("a")).unwrap();
        assert_eq!(list(config).templates[0].text, "two");
        for name in ["", "../a", "a/b", "a.b", ".a", &"a".repeat(65)] {
            assert!(save(config, name, "text", None).is_err(), "{name}");
            assert!(delete(config, name).is_err(), "{name}");
        }
        assert!(save(config, "b", " ", None).is_err());
    }
}
