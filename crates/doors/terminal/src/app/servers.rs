//! `/mcp`: MCP servers, their status, their tools, and authentication.

use sluice_wire::control::McpServerStatus;

use super::{Act, App, Now, Picker, PickerKind};
use crate::text::{Role, Row, Style, clean, wrap};
use crate::view::amount;

impl App {
    pub(super) fn pick_server(&mut self, servers: Vec<McpServerStatus>, now: Now) {
        if servers.is_empty() {
            self.notify("no servers are configured", now);
            return;
        }
        let rows: Vec<(String, String)> = servers
            .iter()
            .map(|server| {
                let status = server.status.replace('-', " ");
                (server.name.clone(), format!("{status:<11} {}", facts(server)))
            })
            .collect();
        let mut picker = Picker::new("Servers", PickerKind::Server(servers), rows);
        picker.hints = vec![
            "enter its tools",
            "r reconnect",
            "space on/off",
            "a authenticate",
            "l log",
            "esc",
        ];
        self.picker = Some(picker);
    }

    /// Handles a letter key while a server is highlighted.
    pub(super) fn server_key(&mut self, letter: char, at: Option<usize>, now: Now) {
        let Some(Picker {
            picks: PickerKind::Server(servers),
            ..
        }) = &self.picker
        else {
            return;
        };
        let Some(server) = at.and_then(|at| servers.get(at)).cloned() else {
            return;
        };
        let act = match letter {
            'r' => Act::Reconnect(server.name),
            ' ' => Act::Toggle(server.name, server.status == "disabled"),
            'a' => Act::Authenticate(server.name),
            'l' => {
                self.picker = None;
                self.print_log(&server);
                return;
            }
            _ => return,
        };
        self.acts.push(act);
        self.picker = None;
        self.notify("sent to the server", now);
    }

    /// Lists the tools of a server.
    pub(super) fn show_tools(&mut self, servers: &[McpServerStatus], at: usize) {
        let Some(server) = servers.get(at) else { return };
        let tools = server.tools.as_deref().unwrap_or_default();
        let count = amount::count(tools.len() as u64, "tool");
        let mut rows = vec![
            Row::new()
                .add(&clean::one_line(&server.name), Style::TEXT.bold())
                .add(&format!("  {count}"), Role::Faint),
        ];
        let widest = tools.iter().map(|tool| crate::text::width::of(&tool.name)).max();
        let widest = widest.unwrap_or(0).min(self.columns / 2);
        for tool in tools {
            let about = tool.description.as_deref().unwrap_or_default();
            let about = about.trim().lines().next().unwrap_or_default();
            let name = clean::one_line(&tool.name);
            let row = Row::plain(&format!("  {name:<widest$}  ")).add(&clean::one_line(about), Role::Faint);
            rows.extend(wrap::whole(&row, self.columns, 4));
        }
        if let Some(why) = server.error.as_deref().filter(|_| tools.is_empty()) {
            rows.extend(wrap::words(&Row::faint(&format!("  {why}")), self.columns, 2));
        }
        self.say(rows);
    }

    /// Shows the configuration source and the errors of a server.
    fn print_log(&mut self, server: &McpServerStatus) {
        let mut rows = vec![
            Row::new()
                .add(&clean::one_line(&server.name), Style::TEXT.bold())
                .add(&format!("  {}", server.status.replace('-', " ")), Role::Faint),
        ];
        let config = server.config.as_ref().map(sluice_wire::Raw::to_value);
        let word = |name: &str| config.as_ref()?.get(name)?.as_str().map(str::to_owned);
        // Shows only parts of the configuration that cannot contain secrets: no variables, headers or arguments.
        let place = [
            server.scope.clone(),
            server.source.clone(),
            server.transport.clone(),
            word("command"),
            word("url"),
        ];
        let place: Vec<String> = place.into_iter().flatten().collect();
        if !place.is_empty() {
            let place = Row::faint(&format!("  {}", place.join(" ∙ ")));
            rows.extend(wrap::whole(&place, self.columns, 4));
        }
        let said = server.error.as_deref().unwrap_or("no errors");
        for line in said.lines() {
            let line = Row::plain(&format!("    {}", clean::output_line(line)));
            rows.extend(wrap::words(&line, self.columns, 4));
        }
        self.say(rows);
    }

    /// Shows the sign-in URL of a server.
    pub(super) fn sign_in(&mut self, server: &str, url: Option<String>, now: Now) {
        let Some(url) = url else {
            self.notify(format!("{server} is signed in to"), now);
            return;
        };
        // URLs are never wrapped.
        let row = Row::new()
            .add("~ ", Role::Note)
            .add(&format!("sign in to {server}: open  "), Role::Faint)
            .add(&url, Role::Accent);
        self.say(vec![row]);
        self.acts.push(Act::Copy(url));
        self.notify("copied to the clipboard; /mcp shows the result", now);
    }
}

fn facts(server: &McpServerStatus) -> String {
    let tools = server.tools.as_ref().filter(|tools| !tools.is_empty());
    let tools = tools.map(|tools| amount::count(tools.len() as u64, "tool"));
    let url = server.config.as_ref().map(sluice_wire::Raw::to_value);
    let url = url.and_then(|config| config.get("url")?.as_str().map(str::to_owned));
    let facts = tools
        .into_iter()
        .chain(server.error.clone())
        .chain(server.scope.clone())
        .chain(server.transport.clone())
        .chain(url.filter(|_| server.status == "needs-auth"));
    facts.collect::<Vec<_>>().join(" ∙ ")
}
