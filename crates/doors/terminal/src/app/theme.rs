//! `/theme`: a list of themes; the highlighted one is previewed.

use super::{Act, App, Picker, PickerKind};
use crate::text::{Role, Row, Style};
use crate::theme::Theme;
use crate::view::diff;

const THEMES: [(&str, &str); 7] = [
    ("terminal", "its own 16 colours"),
    ("auto", "dark or light, by the terminal's background"),
    ("dark", "for dark backgrounds"),
    ("dark-daltonized", "dark, colour-blind friendly"),
    ("light", "for light backgrounds"),
    ("light-daltonized", "light, colour-blind friendly"),
    ("none", "no colours"),
];

impl App {
    pub(super) fn pick_theme(&mut self) {
        let rows = THEMES.map(|(name, about)| (name.to_owned(), about.to_owned()));
        let mut picker = Picker::new("Theme", PickerKind::Theme, rows);
        let settings = &self.facts.settings;
        let name = if settings.auto_theme {
            "auto"
        } else {
            settings.theme.name()
        };
        picker.selected = THEMES.iter().position(|(known, _)| *known == name).unwrap_or(0);
        picker.foot = sample();
        self.picker = Some(picker);
    }

    fn theme_at(&self, at: usize) -> Option<(&'static str, Theme)> {
        let (name, _) = THEMES.get(at)?;
        let theme = Theme::named(name)?;
        let truecolor = self.facts.settings.truecolor;
        Some((name, if truecolor { theme } else { theme.without_truecolor() }))
    }

    /// Previews the highlighted theme.
    pub(super) fn preview_theme(&mut self) {
        let Some(picker) = &self.picker else { return };
        if !matches!(picker.picks, PickerKind::Theme) {
            return;
        }
        if let Some((_, theme)) = self.theme_at(picker.selected)
            && self.tried.unwrap_or(self.facts.settings.theme) != theme
        {
            self.tried = Some(theme);
            self.acts.push(Act::SetTheme(theme));
        }
    }

    /// Ends the preview of a theme.
    pub(super) fn end_theme_preview(&mut self) {
        if self.tried.take().is_some() {
            self.acts.push(Act::SetTheme(self.facts.settings.theme));
        }
    }

    pub(super) fn choose_theme(&mut self, at: usize) {
        let Some((name, theme)) = self.theme_at(at) else { return };
        // A preview until the choice is saved.
        self.tried = Some(theme);
        self.acts.push(Act::SetTheme(theme));
        self.acts
            .push(Act::SettingIn("userSettings", serde_json::json!({ "theme": name })));
    }
}

impl App {
    /// Applies a theme by its name.
    pub(super) fn apply_theme(&mut self, name: &str) {
        let at = THEMES.iter().position(|(known, _)| *known == name);
        let Some((name, theme)) = at.and_then(|at| self.theme_at(at)) else {
            return;
        };
        self.tried = None;
        self.facts.settings.auto_theme = name == "auto";
        self.facts.settings.theme = theme;
        self.acts.push(Act::SetTheme(theme));
    }
}

/// Returns a sample diff with code, to preview the colours.
fn sample() -> Vec<Row> {
    let mut rows = diff::rows(&diff::of_texts("    a - b\n", "    a + b\n", 7));
    if let Some(last) = rows.last_mut() {
        last.push("      ", Style::TEXT);
        last.push("`code`", Role::Accent);
        last.push("  ", Style::TEXT);
        last.push("\"text\"", Role::String);
        last.push("  ", Style::TEXT);
        last.push("// note", Role::Comment);
    }
    rows
}
