//! The example of the README is run as shown.

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
fn readme_contains_the_example() {
    let shown = format!("```rust,no_run\n{}```", include_str!("readme/example.rs"));
    assert!(include_str!("../../README.md").contains(&shown), "{shown}");
}

#[tokio::test]
async fn readme_example_runs() {
    const ROLE: &str = "SLUICE_HOST_TEST_README";
    if std::env::var_os(ROLE).is_some() {
        // Runs the example, in a separate process.
        let output = tokio::task::spawn_blocking(example::run).await.unwrap();
        return output.unwrap();
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
    let output = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["readme::readme_example_runs", "--exact", "--nocapture"])
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
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{stdout}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(stdout.contains("Nothing at all"), "{stdout}");
    let requests = model.requests();
    let last_request = requests.last().unwrap().body.to_string();
    assert!(last_request.contains("Bash is not for today"), "{last_request}");
    assert!(!folder.path().join("it").exists());
}
