//! Restoring files to their state before a prompt.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_engine::transcript::{Choice, Projects, Which, resume};
use sluice_simulator::{Reply, Script};
use tempfile::TempDir;

use crate::stage::Stage;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// The folders of a session.
struct Folders(TempDir);

impl Folders {
    fn new() -> Self {
        let folders = Self(tempfile::tempdir().unwrap());
        fs::create_dir(folders.0.path().join("work")).unwrap();
        folders
    }

    fn path(&self, name: &str) -> String {
        let work = self.0.path().canonicalize().unwrap().join("work");
        work.join(name).display().to_string()
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn projects(&self) -> Projects {
        Projects::new(self.0.path().join("projects"))
    }

    fn set(&self, options: &mut Options) {
        options.cwd = self.path("").into();
        options.session.id = ID.to_owned();
        options.session.keeping.projects = self.projects();
        options.session.keeping.file = Some(self.projects().file(Path::new("/work"), ID));
        options.folders.checkpoints = Some(self.0.path().join("file-history"));
        options.permissions.allowed = vec!["Edit".into(), "Write".into(), "Bash".into()];
    }

    fn write(&self, name: &str, content: &str) -> Reply {
        Reply::tool("Write", json!({"file_path": self.path(name), "content": content}))
    }

    fn edit(&self, name: &str, old: &str, new: &str) -> Reply {
        let input = json!({"file_path": self.path(name), "old_string": old, "new_string": new});
        Reply::tool("Edit", input)
    }

    async fn begin(&self, script: Script) -> Stage {
        Stage::with(script, |options| self.set(options)).await
    }
}

async fn play(stage: &mut Stage, uuid: &str) {
    stage.prompt_as(uuid, uuid).await;
    stage.turn().await;
}

async fn rewind(stage: &mut Stage, uuid: &str, dry_run: bool) -> Value {
    let request = json!({"subtype": "rewind_files", "user_message_id": uuid, "dry_run": dry_run});
    stage.control(request).await
}

#[tokio::test]
async fn rewind_restores_files_and_removes_new_ones() {
    let folders = Folders::new();
    fs::write(folders.path("old.txt"), "as it was\n").unwrap();
    let script = Script::new()
        .reply(folders.write("f.txt", "v1\n"))
        .text("Done")
        .reply(folders.edit("f.txt", "v1", "v2"))
        .reply(folders.edit("old.txt", "was", "is"))
        .reply(folders.write("g.txt", "new\n"))
        .text("Done")
        .reply(folders.edit("f.txt", "v2", "v3"))
        .text("Done");
    let mut stage = folders.begin(script).await;
    for uuid in ["u1", "u2", "u3"] {
        play(&mut stage, uuid).await;
    }
    assert_eq!(folders.read("f.txt").unwrap(), "v3\n");

    let dry = rewind(&mut stage, "u2", true).await;
    let files = [folders.path("f.txt"), folders.path("g.txt"), folders.path("old.txt")];
    assert_eq!(
        dry["response"],
        json!({"canRewind": true, "filesChanged": files, "insertions": 2, "deletions": 3})
    );
    assert_eq!(folders.read("f.txt").unwrap(), "v3\n", "nothing was done");

    let done = rewind(&mut stage, "u3", false).await;
    assert_eq!(done["response"], json!({"canRewind": true, "skippedLinks": 0}));
    assert_eq!(folders.read("f.txt").unwrap(), "v2\n");
    rewind(&mut stage, "u2", false).await;
    assert_eq!(folders.read("f.txt").unwrap(), "v1\n");
    assert_eq!(folders.read("old.txt").unwrap(), "as it was\n");
    assert_eq!(folders.read("g.txt"), None);
    rewind(&mut stage, "u1", false).await;
    assert_eq!(folders.read("f.txt"), None);
    // Later checkpoints are still available.
    rewind(&mut stage, "u3", false).await;
    assert_eq!(folders.read("f.txt").unwrap(), "v2\n");
    assert_eq!(folders.read("g.txt").unwrap(), "new\n");
    stage.end().await;
}

#[tokio::test]
async fn rewind_without_checkpoint_is_an_error() {
    let folders = Folders::new();
    let mut stage = folders.begin(Script::new()).await;
    let unknown = rewind(&mut stage, "u9", false).await;
    assert_eq!(unknown["error"], "No file checkpoint found for this message.");
    let unknown = rewind(&mut stage, "u9", true).await;
    assert_eq!(unknown["response"]["canRewind"], false);
    stage.end().await;
    let mut stage = Stage::begin(Script::new()).await;
    let off = rewind(&mut stage, "u1", false).await;
    assert_eq!(off["error"], "File rewinding is not enabled.");
    stage.end().await;
}

#[tokio::test]
async fn rewind_does_not_follow_links() {
    let folders = Folders::new();
    let script = Script::new()
        .reply(folders.write("f.txt", "v1\n"))
        .text("Done")
        .text("Done");
    let mut stage = folders.begin(script).await;
    play(&mut stage, "u1").await;
    play(&mut stage, "u2").await;
    let elsewhere = folders.0.path().join("elsewhere.txt");
    fs::write(&elsewhere, "mine\n").unwrap();
    fs::remove_file(folders.path("f.txt")).unwrap();
    symlink(&elsewhere, folders.path("f.txt")).unwrap();
    let done = rewind(&mut stage, "u2", false).await;
    assert_eq!(done["response"]["skippedLinks"], 1);
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "mine\n");
    stage.end().await;
}

#[tokio::test]
async fn checkpoints_survive_resume_and_fork() {
    let folders = Folders::new();
    let script = Script::new()
        .reply(folders.write("f.txt", "v1\n"))
        .text("Done")
        .text("Done");
    let mut stage = folders.begin(script).await;
    play(&mut stage, "u1").await;
    play(&mut stage, "u2").await;
    stage.end().await;
    for fork in [false, true] {
        let choice = Choice {
            which: Which::Named(ID.to_owned()),
            at: None,
            drops_turn: None,
            fork,
        };
        let earlier = resume::find(&folders.projects(), Path::new("/work"), &choice).unwrap();
        let script = Script::new().reply(folders.edit("f.txt", "v1", "v2")).text("Done");
        let mut stage = Stage::with(script, |options| {
            folders.set(options);
            options.session.earlier = earlier;
            if fork {
                options.session.id = "99999999-2222-4333-8444-555555555555".to_owned();
                options.session.keeping.file = Some(folders.projects().file(Path::new("/work"), &options.session.id));
            }
        })
        .await;
        play(&mut stage, if fork { "u4" } else { "u3" }).await;
        assert_eq!(folders.read("f.txt").unwrap(), "v2\n");
        rewind(&mut stage, "u2", false).await;
        assert_eq!(folders.read("f.txt").unwrap(), "v1\n", "fork: {fork}");
        stage.end().await;
    }
}
