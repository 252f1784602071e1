//! Forms of MCP servers: one field per property of a flat schema.

use serde_json::{Map, Value as Json, json};

use super::hints;
use crate::input::Editor;
use crate::text::{Role, Row, Style, width, wrap};

/// Value of a field.
#[derive(Debug, Clone)]
pub enum Value {
    Text(Editor),
    Choice { options: Vec<(Json, String)>, at: usize },
    Flag(bool),
}

/// A field.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub title: String,
    pub required: bool,
    pub value: Value,
    schema: Json,
}

/// A form.
#[derive(Debug, Clone)]
pub struct Form {
    pub server: String,
    pub message: String,
    pub fields: Vec<Field>,
    pub at: usize,
    /// Index of the invalid field, and the reason.
    pub wrong: Option<(usize, String)>,
}

impl Form {
    /// Builds a form from the schema of a server.
    #[must_use]
    pub fn read(server: &str, message: &str, schema: &Json) -> Self {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
        let fields = properties.map(|(name, schema)| Field::read(name, schema, required.contains(&name.as_str())));
        Self {
            server: server.to_owned(),
            message: message.to_owned(),
            fields: fields.collect(),
            at: 0,
            wrong: None,
        }
    }

    /// Returns the content, or sets `wrong` if a field is invalid.
    pub fn content(&mut self) -> Option<Json> {
        let mut content = Map::new();
        self.wrong = None;
        for (at, field) in self.fields.iter().enumerate() {
            match field.content() {
                Ok(Some(value)) => {
                    content.insert(field.name.clone(), value);
                }
                Ok(None) => {}
                Err(why) => {
                    self.wrong = Some((at, why));
                    self.at = at;
                    return None;
                }
            }
        }
        Some(Json::Object(content))
    }

    /// Returns the rows and the cursor position.
    #[must_use]
    pub fn rows(&self, columns: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        let title = Row::new()
            .add("? ", Role::Ask)
            .add(&format!("{} asks", self.server), Style::TEXT.bold());
        let mut rows = wrap::words(
            &title.add("  ", Style::TEXT).add(&self.message, Style::TEXT),
            columns,
            2,
        );
        let mut cursor = None;
        let label = |field: &Field| format!("{}{}", field.title, if field.required { " *" } else { "" });
        let widest = self
            .fields
            .iter()
            .map(|field| width::of(&label(field)))
            .max()
            .unwrap_or(0);
        for (at, field) in self.fields.iter().enumerate() {
            let mut row = Row::new().add(if at == self.at { "› " } else { "  " }, Role::Accent);
            row.push(&format!("{:widest$}  ", label(field)), Style::TEXT);
            let from = row.width();
            match &field.value {
                Value::Text(editor) => {
                    row.push(editor.text(), Style::TEXT);
                    if at == self.at {
                        let before = editor.text().get(..editor.cursor()).unwrap_or_default();
                        cursor = Some((rows.len(), (from + width::of(before)).min(columns.saturating_sub(1))));
                    }
                }
                Value::Choice { options, at } => {
                    let name = options.get(*at).map_or("", |(_, name)| name);
                    row.push(&format!("‹ {name} ›"), Style::TEXT);
                }
                Value::Flag(set) => row.push(if *set { "[x]" } else { "[ ]" }, Style::TEXT),
            }
            let gap = 14_usize.saturating_sub(row.width() - from);
            let wrong = self.wrong.as_ref().filter(|(place, _)| *place == at);
            match wrong {
                Some((_, why)) => row.push(&format!("{}  ✗ {why}", " ".repeat(gap)), Role::Bad),
                None => row.push(&format!("{}{}", " ".repeat(gap.max(2)), field.hint()), Role::Faint),
            }
            rows.extend(wrap::whole(&row, columns, 4));
        }
        rows.push(hints(
            &["enter next", "ctrl+enter sends", "ctrl+d declines", "esc cancels"],
            columns,
        ));
        (rows, cursor)
    }
}

impl Field {
    fn read(name: &str, schema: &Json, required: bool) -> Self {
        let word = |name: &str| schema.get(name).and_then(Json::as_str);
        let options: Vec<(Json, String)> = match (schema.get("enum"), schema.get("oneOf")) {
            (Some(values), _) => {
                let names = schema.get("enumNames").and_then(Json::as_array);
                let name = |at: usize, value: &Json| {
                    let given = names.and_then(|names| names.get(at)).and_then(Json::as_str);
                    given
                        .or(value.as_str())
                        .map_or_else(|| value.to_string(), str::to_owned)
                };
                let values = values.as_array().into_iter().flatten().enumerate();
                values.map(|(at, value)| (value.clone(), name(at, value))).collect()
            }
            (None, Some(values)) => {
                let values = values.as_array().into_iter().flatten();
                let title = |value: &Json| value.get("title").and_then(Json::as_str).unwrap_or_default().to_owned();
                values
                    .filter_map(|value| Some((value.get("const")?.clone(), title(value))))
                    .collect()
            }
            _ => Vec::new(),
        };
        let default = schema.get("default");
        let value = if !options.is_empty() {
            let at = default
                .and_then(|default| options.iter().position(|(value, _)| value == default))
                .unwrap_or(0);
            Value::Choice { options, at }
        } else if word("type") == Some("boolean") {
            Value::Flag(default.and_then(Json::as_bool) == Some(true))
        } else {
            let mut editor = Editor::default();
            if let Some(default) = default {
                editor.set(&default.as_str().map_or_else(|| default.to_string(), str::to_owned));
            }
            Value::Text(editor)
        };
        Self {
            name: name.to_owned(),
            title: word("title").unwrap_or(name).to_owned(),
            required,
            value,
            schema: schema.clone(),
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.schema.get(name).and_then(Json::as_f64)
    }

    fn is_number(&self) -> bool {
        matches!(
            self.schema.get("type").and_then(Json::as_str),
            Some("number" | "integer")
        )
    }

    /// Returns a description of the accepted values.
    #[must_use]
    pub fn hint(&self) -> String {
        match &self.value {
            Value::Choice { options, .. } => options
                .iter()
                .map(|(_, name)| name.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            Value::Flag(_) => self.about(),
            Value::Text(_) => {
                let kind = if self.is_number() { "number" } else { "text" };
                let (low, high) = if self.is_number() {
                    ("minimum", "maximum")
                } else {
                    ("minLength", "maxLength")
                };
                let unit = if self.is_number() { "" } else { " characters" };
                match (self.number(low), self.number(high)) {
                    (Some(low), Some(high)) => format!("{kind}, {low} to {high}{unit}"),
                    (Some(low), None) => format!("{kind}, from {low}{unit}"),
                    (None, Some(high)) => format!("{kind}, to {high}{unit}"),
                    (None, None) => match self.about() {
                        about if about.is_empty() => kind.to_owned(),
                        about => about,
                    },
                }
            }
        }
    }

    fn about(&self) -> String {
        self.schema
            .get("description")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    }

    fn content(&self) -> Result<Option<Json>, String> {
        let editor = match &self.value {
            Value::Flag(set) => return Ok(Some(json!(set))),
            Value::Choice { options, at } => return Ok(options.get(*at).map(|(value, _)| value.clone())),
            Value::Text(editor) => editor,
        };
        let text = editor.whole();
        if text.is_empty() {
            return if self.required {
                Err("is needed".to_owned())
            } else {
                Ok(None)
            };
        }
        if self.is_number() {
            let number: f64 = text.trim().parse().map_err(|_| "is not a number".to_owned())?;
            let whole = self.schema.get("type").and_then(Json::as_str) == Some("integer");
            if whole && number.fract() != 0.0 {
                return Err("is not a whole number".to_owned());
            }
            if self.number("minimum").is_some_and(|low| number < low)
                || self.number("maximum").is_some_and(|high| number > high)
            {
                return Err(self.hint());
            }
            #[allow(clippy::cast_possible_truncation)]
            return Ok(Some(if whole { json!(number as i64) } else { json!(number) }));
        }
        #[allow(clippy::cast_precision_loss)]
        let length = text.chars().count() as f64;
        if self.number("minLength").is_some_and(|low| length < low)
            || self.number("maxLength").is_some_and(|high| length > high)
        {
            return Err(self.hint());
        }
        Ok(Some(json!(text)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pretty_assertions::assert_eq;

    use super::*;

    fn form() -> Form {
        let schema = json!({"type": "object", "required": ["project"], "properties": {
            "project": {"type": "string", "minLength": 3, "maxLength": 40},
            "priority": {"type": "string", "enum": ["low", "normal", "high"], "default": "normal"},
            "notify": {"type": "boolean"}}});
        Form::read("tracker", "Which project gets the issue?", &schema)
    }

    #[test]
    fn elicit_80() {
        let (rows, cursor) = form().rows(80);
        let rows: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
        assert_eq!(
            rows,
            [
                "? tracker asks  Which project gets the issue?",
                "› project *                text, 3 to 40 characters",
                "  priority   ‹ normal ›    low normal high",
                "  notify     [ ]",
                "  enter next ∙ ctrl+enter sends ∙ ctrl+d declines ∙ esc cancels",
            ]
        );
        assert_eq!(cursor, Some((1, 13)));
    }

    #[test]
    fn an_invalid_value_is_reported_and_the_form_not_sent() {
        let mut form = form();
        assert_eq!(form.content(), None);
        assert_eq!(form.wrong, Some((0, "is needed".to_owned())));
        if let Value::Text(editor) = &mut form.fields[0].value {
            editor.set("sluice");
        }
        assert_eq!(
            form.content(),
            Some(json!({"project": "sluice", "priority": "normal", "notify": false}))
        );
    }
}
