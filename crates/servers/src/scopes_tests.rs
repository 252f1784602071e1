#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_settings::{Chosen, Places};

use super::*;

struct Lab {
    dir: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("work/sub")).unwrap();
        fs::create_dir_all(dir.path().join("home/.claude")).unwrap();
        Self { dir }
    }

    fn write(&self, path: &str, value: &Value) -> &Self {
        fs::write(self.dir.path().join(path), value.to_string()).unwrap();
        self
    }

    fn settings(&self, cwd: &str, opener: Opener) -> Settings {
        let root = self.dir.path();
        let places = Places {
            cwd: root.join(cwd),
            home: root.join("home"),
            config_dir: root.join("home/.claude"),
            managed: root.join("managed-settings.json"),
            global: root.join("home/.claude.json"),
        };
        Settings::load(&places, &Chosen::ALL, None, None).opened_by(opener)
    }

    fn gather_servers(&self, opener: Opener) -> Vec<(String, Scope, ServerApproval)> {
        let dynamic = IndexMap::new();
        let all = gather(&self.settings("work", opener), &dynamic, false);
        all.into_iter()
            .map(|named| (named.name, named.scope, named.approval))
            .collect()
    }
}

fn server(command: &str) -> Value {
    json!({"mcpServers": {"s": {"command": command}}})
}

#[test]
fn nearer_scope_takes_precedence() {
    let lab = Lab::new();
    lab.write("home/.claude.json", &server("user"));
    assert_eq!(lab.gather_servers(Opener::Host)[0].1, Scope::User);
    lab.write("work/.mcp.json", &server("project"));
    assert_eq!(lab.gather_servers(Opener::Host)[0].1, Scope::Project);
    let key = lab.dir.path().join("work").canonicalize().unwrap();
    let global =
        json!({"mcpServers": {"s": {"command": "user"}}, "projects": {key.to_str().unwrap(): server("local")}});
    lab.write("home/.claude.json", &global);
    assert_eq!(lab.gather_servers(Opener::Host)[0].1, Scope::Local);

    let dynamic = IndexMap::from([("s".to_owned(), Ok(ServerConfig::sdk("s")))]);
    let settings = lab.settings("work", Opener::Host);
    assert_eq!(gather(&settings, &dynamic, false)[0].scope, Scope::Dynamic);
    assert_eq!(
        gather(&settings, &IndexMap::new(), true).len(),
        0,
        "strict ignores the files"
    );
}

#[test]
fn project_servers_need_approval_of_a_person_but_not_of_a_host() {
    let lab = Lab::new();
    lab.write("work/.mcp.json", &server("x"));
    assert_eq!(lab.gather_servers(Opener::Host)[0].2, ServerApproval::Approved);
    assert_eq!(lab.gather_servers(Opener::Person)[0].2, ServerApproval::Pending);

    // An approval takes effect once the folder is trusted.
    fs::create_dir_all(lab.dir.path().join("work/.claude")).unwrap();
    lab.write("home/.claude/settings.json", &json!({"enabledMcpjsonServers": ["s"]}));
    assert_eq!(lab.gather_servers(Opener::Person)[0].2, ServerApproval::Pending);
    let key = lab.dir.path().join("work").canonicalize().unwrap();
    let trusted = json!({"projects": {key.to_str().unwrap(): {"hasTrustDialogAccepted": true}}});
    lab.write("home/.claude.json", &trusted);
    assert_eq!(lab.gather_servers(Opener::Person)[0].2, ServerApproval::Approved);

    // A rejection always takes effect.
    lab.write("work/.claude/settings.json", &json!({"disabledMcpjsonServers": ["s"]}));
    assert_eq!(lab.gather_servers(Opener::Host)[0].2, ServerApproval::Rejected);
    assert_eq!(lab.gather_servers(Opener::Person)[0].2, ServerApproval::Rejected);
}

#[test]
fn files_are_searched_up_to_the_repository_root() {
    let lab = Lab::new();
    lab.write(".mcp.json", &server("planted"));
    lab.write("work/.mcp.json", &server("outer"));
    let settings = lab.settings("work/sub", Opener::Host);
    assert_eq!(
        gather(&settings, &IndexMap::new(), false).len(),
        0,
        "without a repository only this folder is searched"
    );
    fs::create_dir(lab.dir.path().join("work/.git")).unwrap();
    let all = gather(&settings, &IndexMap::new(), false);
    let Reach::Stdio { command, .. } = &all[0].config.as_ref().unwrap().reach else {
        panic!()
    };
    assert_eq!((all.len(), command.as_str()), (1, "outer"));
}

#[test]
fn denied_servers_are_removed_and_managed_list_replaces_all() {
    let lab = Lab::new();
    lab.write(
        "work/.mcp.json",
        &json!({"mcpServers": {"a": {"command": "x", "args": ["-y"]}, "b": {"url": "https://e.example/mcp"}}}),
    );
    for denied in [json!({"serverName": "a"}), json!({"serverCommand": ["x", "-y"]})] {
        lab.write("home/.claude/settings.json", &json!({"deniedMcpServers": [denied]}));
        let names: Vec<String> = lab
            .gather_servers(Opener::Host)
            .into_iter()
            .map(|found| found.0)
            .collect();
        assert_eq!(names, ["b"]);
    }
    lab.write(
        "home/.claude/settings.json",
        &json!({"deniedMcpServers": [{"serverUrl": "https://*.example/*"}]}),
    );
    assert_eq!(lab.gather_servers(Opener::Host).len(), 1);
    lab.write("managed-settings.json", &json!({"allowedMcpServers": []}));
    assert_eq!(lab.gather_servers(Opener::Host).len(), 0);
    lab.write("managed-settings.json", &json!({}));
    lab.write("managed-mcp.json", &server("theirs"));
    let found = lab.gather_servers(Opener::Host);
    assert_eq!((found.len(), found[0].1), (1, Scope::Managed));
}

#[test]
fn unreadable_file_is_listed_and_does_not_affect_others() {
    let lab = Lab::new();
    lab.write("home/.claude.json", &server("user"));
    fs::write(lab.dir.path().join("work/.mcp.json"), "{bad").unwrap();
    let found = lab.gather_servers(Opener::Host);
    assert_eq!(found.len(), 2);
    assert!(
        matches!(&found[1].2, ServerApproval::Invalid(why) if why.contains(".mcp.json")),
        "{found:?}"
    );
}

#[test]
fn urls_match_wildcard_patterns() {
    for (pattern, url, yes) in [
        ("https://a/mcp", "https://a/mcp", true),
        ("https://a/mcp", "https://a/mcp2", false),
        ("https://*.corp/*", "https://x.corp/mcp", true),
        ("https://*.corp/*", "https://x.evil/mcp", false),
        ("*", "anything", true),
    ] {
        assert_eq!(covers(pattern, url), yes, "{pattern} {url}");
    }
}
