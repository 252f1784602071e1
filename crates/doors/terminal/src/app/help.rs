//! Help: the keys, as they are bound.

use super::App;
use crate::text::{Row, width};

/// Column widths with the default key bindings.
const DEFAULT_WIDTHS: [usize; 3] = [17, 20, 14];

impl App {
    /// Returns the key that moves a call to the background. In tmux, the default key is taken by tmux.
    pub(super) fn background_key(&self) -> String {
        let own = "ctrl+x ctrl+b";
        match self.bindings.key_of("task:background") {
            bound if bound != own => bound,
            _ if self.facts.multiplexer => own.to_owned(),
            _ => "ctrl+b".to_owned(),
        }
    }

    /// Returns the key bindings, shown below the composer.
    pub(super) fn help_rows(&self) -> Vec<Row> {
        let named = |action: &str, word: &str| {
            let key = match action {
                "task:background" => self.background_key(),
                "chat:newline" if self.reports_shift_enter && self.bindings.key_of(action) == "ctrl+j" => {
                    "shift+enter".to_owned()
                }
                action => self.bindings.key_of(action),
            };
            format!("{key} {word}")
        };
        let signs = ["/ commands", "@ files", "! shell", "# note", "esc esc rewind"].map(str::to_owned);
        let history = named("history:search", "history");
        let rows = [
            [
                named("chat:submit", "send"),
                named("chat:newline", "newline"),
                named("chat:externalEditor", "editor"),
                named("app:toggleTranscript", "read it all"),
            ],
            [
                named("chat:cycleMode", "mode"),
                named("chat:modelPicker", "model"),
                named("app:toggleTodos", "tasks"),
                named("task:background", "background"),
            ],
            [
                named("chat:cancel", "stop"),
                named("app:interrupt", "clear, leave"),
                named("chat:stash", "stash"),
                named("chat:copyAnswer", "copy answer"),
            ],
        ];
        let first = format!("  {}   {history}", signs.join("   "));
        let widths = [0, 1, 2].map(|at| {
            rows.iter()
                .filter_map(|row| row.get(at))
                .map(String::len)
                .max()
                .unwrap_or(0)
        });
        // Default bindings use fixed columns; custom ones may need narrower columns.
        for (usual, gap) in [(DEFAULT_WIDTHS, 3), ([0; 3], 3), ([0; 3], 2)] {
            let laid = |row: &[String; 4]| {
                let cells = row
                    .iter()
                    .enumerate()
                    .map(|(at, cell)| match (widths.get(at), usual.get(at)) {
                        (Some(widest), Some(usual)) => {
                            let room = (*widest).max(*usual) + gap;
                            format!("{cell:<room$}")
                        }
                        _ => cell.clone(),
                    });
                format!("  {}", cells.collect::<String>())
            };
            let wide: Vec<String> = std::iter::once(first.clone()).chain(rows.iter().map(laid)).collect();
            if wide.iter().all(|row| width::of(row) <= self.columns) {
                return wide.iter().map(|row| Row::faint(row)).collect();
            }
        }
        self.narrow_help(&signs, &history, &rows)
    }

    /// Returns the key bindings in two columns or one.
    fn narrow_help(&self, signs: &[String], history: &String, rows: &[[String; 4]]) -> Vec<Row> {
        let half = self.columns.saturating_sub(4) / 2;
        let mut shown: Vec<String> = Vec::new();
        let mut open = false;
        for cell in signs.iter().chain([history]).chain(rows.iter().flatten()) {
            match shown.last_mut().filter(|_| open && cell.len() <= half) {
                Some(last) => {
                    let room = half + 4;
                    *last = format!("{last:<room$}{cell}");
                    open = false;
                }
                None => {
                    shown.push(format!("  {cell}"));
                    open = cell.len() <= half;
                }
            }
        }
        shown.iter().map(|row| Row::faint(row).cut(self.columns)).collect()
    }
}
