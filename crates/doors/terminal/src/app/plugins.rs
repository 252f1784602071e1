//! `/plugin`: the list of plugins, and the questions before one is installed or removed.

use super::{Act, App, Now, Picker, PickerKind};
use crate::plugins::{PluginAct, PluginEntry, PluginOffer};
use crate::text::{Role, Row, Style, clean, wrap};
use crate::view::amount;

impl App {
    /// Carries out `/plugin` with its argument.
    pub(super) fn plugin_command(&mut self, argument: &str, now: Now) {
        match PluginAct::parse(argument, &self.facts.folder, &self.facts.home) {
            Ok(act) => self.acts.push(Act::Plugin(act)),
            Err(why) => self.notify(why, now),
        }
    }

    pub(super) fn pick_plugin(&mut self, plugins: Vec<PluginEntry>, now: Now) {
        if plugins.is_empty() {
            self.notify(
                "no plugins are installed; /plugin install <folder or zip> adds one",
                now,
            );
            return;
        }
        let rows: Vec<(String, String)> = plugins.iter().map(|it| (it.id.clone(), about(it))).collect();
        let mut picker = Picker::new("Plugins", PickerKind::Plugin(plugins), rows);
        picker.hints = vec!["enter its contents", "space on/off", "x remove", "esc"];
        self.picker = Some(picker);
    }

    /// Handles a letter key while a plugin is highlighted.
    pub(super) fn plugin_key(&mut self, letter: char, at: Option<usize>) {
        let Some(Picker {
            picks: PickerKind::Plugin(plugins),
            ..
        }) = &self.picker
        else {
            return;
        };
        let Some(plugin) = at.and_then(|at| plugins.get(at)) else {
            return;
        };
        let act = match letter {
            ' ' => PluginAct::Switch {
                name: plugin.id.clone(),
                on: !plugin.enabled,
            },
            'x' => PluginAct::AskRemoval(plugin.id.clone()),
            _ => return,
        };
        self.picker = None;
        self.acts.push(Act::Plugin(act));
    }

    /// Prints what a plugin contains.
    pub(super) fn show_plugin(&mut self, plugins: &[PluginEntry], at: usize) {
        let Some(plugin) = plugins.get(at) else { return };
        let mut rows = vec![
            Row::new()
                .add(&clean::one_line(&plugin.id), Style::TEXT.bold())
                .add(&format!("  {}", about(plugin)), Role::Faint),
        ];
        rows.extend(self.plugin_lines(&plugin.contents));
        self.say(rows);
    }

    /// Asks whether to install a plugin, with what it contains.
    pub(super) fn offer_plugin(&mut self, offer: &PluginOffer) {
        let head = self.plugin_lines(&offer.lines());
        self.decide_plugin(
            &offer.question(),
            head,
            ["Install and enable it", "Do not install it"],
            (PluginAct::Install(offer.id.clone()), Some(PluginAct::Discard)),
        );
    }

    /// Asks whether to remove a plugin.
    pub(super) fn confirm_removal(&mut self, id: &str) {
        let about = Row::faint("  Its installed files and its setting are deleted.");
        self.decide_plugin(
            &format!("Remove {id}"),
            wrap::words(&about, self.columns, 2),
            ["Remove it", "Keep it"],
            (PluginAct::Remove(id.to_owned()), None),
        );
    }

    /// Opens a yes/no dialog. "No" is highlighted, so that an accidental key changes nothing.
    fn decide_plugin(
        &mut self,
        title: &str,
        head: Vec<Row>,
        choices: [&str; 2],
        (yes, no): (PluginAct, Option<PluginAct>),
    ) {
        let rows = choices.map(|choice| (choice.to_owned(), String::new()));
        let mut picker = Picker::new(&clean::one_line(title), PickerKind::PluginDecision { yes, no }, rows);
        picker.head = head;
        picker.selected = 1;
        self.picker = Some(picker);
    }

    fn plugin_lines(&self, lines: &[String]) -> Vec<Row> {
        let rows = lines
            .iter()
            .map(|line| Row::plain(&format!("  {}", clean::one_line(line))));
        rows.flat_map(|row| wrap::whole(&row, self.columns, 4)).collect()
    }
}

/// Returns state, version and size of a plugin.
fn about(plugin: &PluginEntry) -> String {
    let word = if plugin.enabled { "enabled" } else { "disabled" };
    let size = match &plugin.problem {
        Some(problem) => clean::one_line(problem),
        None => amount::count(plugin.contents.len() as u64, "part"),
    };
    let version = plugin.version.as_deref().map(clean::one_line);
    let words: Vec<String> = version.into_iter().chain([size]).collect();
    format!("{word:<9} {}", words.join(" ∙ "))
}
