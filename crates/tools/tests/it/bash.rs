use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Lab, said};

/// Returns the result of a plain success.
fn plain(stdout: &str, silent: bool) -> serde_json::Value {
    json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": silent})
}

#[tokio::test]
async fn outcomes_are_as_recorded() {
    let lab = Lab::new();
    lab.file("a.txt", "alpha\n");
    for (command, content, stdout, silent) in [
        ("echo hi", "hi", "hi", false),
        ("true", "(Bash completed with no output)", "", false),
        ("echo err >&2", "err", "err", false),
        ("printf 'no newline'", "no newline", "no newline", false),
        ("export ZZ=1", "(Bash completed with no output)", "", true),
        ("echo z=$ZZ", "z=", "z=", false),
        (
            "echo one; echo two >&2; echo three",
            "one\ntwo\nthree",
            "one\ntwo\nthree",
            false,
        ),
    ] {
        let outcome = lab.bash(command).await;
        assert_eq!(outcome.content, content, "{command}");
        assert_eq!(outcome.is_error, Some(false), "{command}");
        assert_eq!(outcome.result, plain(stdout, silent), "{command}");
    }
}

/// A command that was classified as read-only cannot write, regardless of settings or names in an untrusted repository.
#[tokio::test]
async fn a_read_only_command_is_run_so_that_it_can_only_read() {
    let lab = Lab::new();
    lab.file("a.txt", "alpha\n");
    let git = lab
        .bash("git init -q . && git config core.fsmonitor 'touch ran;false' && git config core.pager 'touch ran'")
        .await;
    assert_eq!(git.is_error, Some(false), "{}", said(&git));
    let status = lab.bash("git status --short").await;
    assert!(said(&status).contains("a.txt"), "{}", said(&status));
    lab.file("-s", "");
    // A file name does not become an option, and hidden files stay hidden.
    let listed = lab.bash("ls -d *").await;
    assert_eq!(said(&listed), "a.txt");
    let there = lab.bash("test -e ran && echo ran || echo quiet").await;
    assert_eq!(said(&there), "quiet");
    // A command that does more than read runs unchanged.
    let removed = lab.bash("rm -- -* && ls -A").await;
    assert_eq!(said(&removed), ".git\na.txt");
}

#[tokio::test]
async fn failures_are_as_recorded() {
    let lab = Lab::new();
    for (command, content) in [
        ("echo out; echo err >&2; exit 3", "Exit code 3\nout\nerr"),
        ("false", "Exit code 1"),
        (
            "nosuchcmd_zz",
            "Exit code 127\n/bin/bash: line 1: nosuchcmd_zz: command not found",
        ),
        ("bash -c 'kill -9 $$'; exit $?", "Exit code 137"),
    ] {
        let outcome = lab.bash(command).await;
        assert!(said(&outcome).starts_with(content), "{command}: {}", said(&outcome));
        assert_eq!(outcome.is_error, Some(true));
        assert_eq!(outcome.result, format!("Error: {}", said(&outcome)));
    }
}

#[tokio::test]
async fn exit_one_of_grep_is_an_answer() {
    let lab = Lab::new();
    lab.file("a.txt", "alpha\n");
    let outcome = lab.bash("grep zzz a.txt").await;
    assert_eq!(outcome.is_error, Some(false));
    assert_eq!(
        outcome.result.to_string(),
        r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"returnCodeInterpretation":"No matches found","noOutputExpected":false}"#
    );
}

#[tokio::test]
async fn the_directory_persists_inside_the_project_only() {
    let lab = Lab::new();
    lab.file("src/b.txt", "");
    let work = lab.work.display().to_string();
    lab.bash("cd src").await;
    assert_eq!(said(&lab.bash("pwd").await), format!("{work}/src"));
    let outcome = lab.bash("cd /").await;
    assert_eq!(outcome.content, format!("Shell cwd was reset to {work}"));
    assert_eq!(outcome.result["stderr"], format!("\nShell cwd was reset to {work}"));
    assert_eq!(said(&lab.bash("pwd").await), work);
}

#[tokio::test]
async fn the_directory_is_known_however_a_command_ends() {
    for (command, persists) in [
        ("cd src; exit 3", true),
        ("cd src; false", true),
        ("cd src && set -e && false", true),
        ("cd src; (exit 1); echo done", true),
        ("cd src; echo $(", false),
        ("cd src; exec true", false),
        ("cd src; exec 3>out 4>&1; echo hi >&3", true),
    ] {
        let lab = Lab::new();
        lab.file("src/b.txt", "");
        lab.bash(command).await;
        assert_eq!(lab.cx.cwd.get() == lab.work.join("src"), persists, "{command}");
    }
}

#[tokio::test]
async fn a_command_for_a_deleted_folder_does_not_run_elsewhere() {
    let lab = Lab::new();
    lab.file("src/b.txt", "");
    lab.bash("cd src").await;
    std::fs::remove_dir_all(lab.work.join("src")).unwrap();
    let outcome = lab.bash("touch here").await;
    assert_eq!(outcome.is_error, Some(true));
    let gone = format!(
        "Working directory \"{}\" no longer exists",
        lab.work.join("src").display()
    );
    assert!(said(&outcome).contains(&gone), "{}", said(&outcome));
    assert!(!lab.work.join("here").exists());
    let outcome = lab.bash("pwd").await;
    assert_eq!(said(&outcome), lab.work.display().to_string());
}

#[tokio::test]
async fn a_syntax_error_is_the_commands_own() {
    let lab = Lab::new();
    let outcome = lab.bash("if true; then").await;
    assert!(
        said(&outcome).starts_with("Exit code 2\n") && said(&outcome).contains("syntax error"),
        "{}",
        said(&outcome)
    );
}

#[tokio::test]
async fn commands_see_no_stdin_no_arguments_and_no_foreign_startup_file() {
    let mut lab = Lab::new();
    let startup = lab.file("startup", "echo started\n");
    let mut env = lab.cx.env.to_vec();
    env.push(("BASH_ENV".into(), startup.into()));
    env.push(("BASH_FUNC_ls%%".into(), "() { echo fooled; }".into()));
    env.push(("GREETING".into(), "it's set".into()));
    lab.cx.env = env.into();
    assert_eq!(
        said(&lab.bash("cat; echo \"[$#$*] $GREETING 'q'\"; ls startup").await),
        "[0] it's set 'q'\nstartup"
    );
}

#[tokio::test]
async fn commands_lead_a_session_without_a_terminal() {
    let lab = Lab::new();
    let outcome = lab.bash("read -r pid name state parent group session tty rest </proc/$$/stat; echo $((session - $$)) $((group - $$)) $tty").await;
    assert_eq!(said(&outcome), "0 0 0");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_shown_as_such() {
    let lab = Lab::new();
    assert_eq!(said(&lab.bash(r"printf 'a\xffb'").await), "a\u{FFFD}b");
}

#[tokio::test]
async fn long_output_goes_to_a_file() {
    let lab = Lab::new();
    let outcome = lab.bash("for i in $(seq 1 6000); do echo line-$i; done").await;
    let path = outcome.result["persistedOutputPath"].as_str().unwrap();
    assert_eq!(outcome.result["persistedOutputSize"], 58893);
    assert_eq!(std::fs::metadata(path).unwrap().len(), 58893);
    assert!(path.starts_with(lab.outputs.to_str().unwrap()));
    let stdout = outcome.result["stdout"].as_str().unwrap();
    assert_eq!(stdout.chars().count(), 30_000);
    assert!(stdout.ends_with("line-3110\nline-31"), "{}", &stdout[29_900..]);
    let said = said(&outcome);
    assert!(
        said.starts_with(&format!(
            "<persisted-output>\nOutput too large (57.5KB). Full output saved to: {path}\n"
        )),
        "{said}"
    );
    assert!(said.len() < 2600 && said.ends_with("</persisted-output>"));
}

#[tokio::test]
async fn output_of_exactly_the_limit_is_shown() {
    let lab = Lab::new();
    let outcome = lab.bash("head -c 30000 /dev/zero | tr '\\0' x").await;
    assert_eq!(said(&outcome).len(), 30_000);
    assert!(!lab.outputs.exists(), "no file for what fits");
    let outcome = lab.bash("head -c 30001 /dev/zero | tr '\\0' x; exit 4").await;
    assert!(
        said(&outcome).starts_with("Exit code 4\n<persisted-output>"),
        "{}",
        said(&outcome)
    );
}

#[tokio::test]
async fn output_that_cannot_be_saved_is_still_shown_in_part() {
    let mut lab = Lab::new();
    lab.cx.output_dir = lab.file("blocked", "a file, not a folder");
    let outcome = lab.bash("seq 1 100000").await;
    assert_eq!(outcome.is_error, Some(false));
    assert!(said(&outcome).contains("could not be saved"), "{}", said(&outcome));
    assert_eq!(outcome.result.get("persistedOutputPath"), None);
}

/// Returns the peak memory of this process in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn memory_does_not_grow_with_the_output() {
    let lab = Lab::new();
    lab.bash("echo warm").await;
    let before = peak();
    let outcome = lab.bash("yes abcdefghij | head -c 200000000").await;
    assert_eq!(outcome.result["persistedOutputSize"], 200_000_000);
    let grown = peak() - before;
    // Other tests may run in this process, so the limit is half of the output.
    assert!(grown < 100_000, "{grown} kB more for 200 MB of output");
}

#[tokio::test]
async fn a_command_that_leaves_a_server_running_returns() {
    let lab = Lab::new();
    let outcome = lab.bash("sleep 1000 & echo $!").await;
    let pid = said(&outcome).to_owned();
    assert!(crate::support::is_alive(&pid));
    lab.cx.tasks.kill_all().await;
    assert!(
        !crate::support::is_alive(&pid),
        "the end of the session is the end of what it started"
    );
}

#[tokio::test]
async fn a_command_too_long_for_the_system_says_so() {
    let lab = Lab::new();
    let outcome = lab.bash(&format!("echo {}", "x".repeat(200_000))).await;
    assert!(said(&outcome).contains("too long"), "{}", said(&outcome));
}
