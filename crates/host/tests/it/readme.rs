//! The example of the README, run as it is shown.

use serde_json::json;
use sluice_simulator::{ModelServer, Reply, Script};

use crate::lifecycle::cast::sluice;

mod example {
    include!("readme/example.rs");

    pub(super) fn run() -> Result<(), sluice_host::Error> {
        main()
    }
}

#[test]
fn the_example_is_the_one_that_is_shown() {
    let shown = format!("```rust,no_run\n{}```", include_str!("readme/example.rs"));
    assert!(include_str!("../../README.md").contains(&shown), "{shown}");
}

#[tokio::test]
async fn the_example_runs_as_shown() {
    const ROLE: &str = "SLUICE_HOST_TEST_README";
    if std::env::var_os(ROLE).is_some() {
        // The part of the reader who tries it, in a process of its own.
        let ran = tokio::task::spawn_blocking(example::run).await.unwrap();
        return ran.unwrap();
    }
    let Some(program) = sluice() else { return };
    let script = Script::new()
        .reply(Reply::tool(
            "Bash",
            json!({"command": "touch it", "description": "Touches it"}),
        ))
        .reply(Reply::text("Nothing at all").repeat());
    let model = ModelServer::start(script).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut path = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>();
    path.insert(0, program.parent().unwrap().to_owned());
    let ran = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["readme::the_example_runs_as_shown", "--exact", "--nocapture"])
        .env(ROLE, "1")
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("HOME", folder.path())
        .env("CLAUDE_CONFIG_DIR", folder.path())
        .env("ANTHROPIC_BASE_URL", model.url())
        .env("ANTHROPIC_API_KEY", "none")
        .current_dir(folder.path())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("Nothing at all"), "{said}");
    let asked = model.requests();
    let told = asked.last().unwrap().body.to_string();
    assert!(told.contains("Bash is not for today"), "{told}");
    assert!(!folder.path().join("it").exists());
}
