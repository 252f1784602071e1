//! File access inside: both sandboxes with the same cases on the real system. Cases that this machine does not support
//! are skipped with a message.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::sync::Arc;

use serde_json::json;
use sluice_tools::sandbox::Kind;

use crate::sandbox_lab::{each, eventually, skip};
use crate::support::said;

#[tokio::test]
async fn writing_is_for_the_project_and_the_temporary_folder() {
    for inside in each(&json!({})) {
        let base = inside.base.display().to_string();
        inside.lab.file("src/there.txt", "old");
        inside
            .fine("echo new >src/there.txt; mkdir src/deep; echo x >src/deep/y; mv src/deep/y src/z; rm -r src/deep")
            .await;
        assert_eq!(inside.lab.text("src/there.txt"), "new\n");
        assert_eq!(inside.lab.text("src/z"), "x\n");
        inside
            .fine("t=$(mktemp) && echo x >$t && cat <<END >$t.2\nhere\nEND\ntest -s $t.2 && rm $t $t.2")
            .await;
        fs::write(inside.base.join("outside/f"), "old").unwrap();
        fs::write(inside.base.join("home/f"), "old").unwrap();
        for command in [
            format!("echo x >{base}/outside/new"),
            format!("echo x >{base}/outside/f"),
            format!(": >{base}/outside/f"),
            format!("truncate -s 0 {base}/outside/f"),
            format!("rm {base}/outside/f"),
            format!("mv {base}/outside/f src/moved"),
            format!("ln {base}/outside/f src/f && echo x >src/f"),
            format!("mkdir {base}/home/d"),
            format!("echo x >>{base}/home/f"),
            "touch /etc/sluice-test".to_owned(),
            "touch /tmp/sluice-sandbox-test".to_owned(),
        ] {
            inside.refused(&command).await;
        }
        assert_eq!(fs::read_to_string(inside.base.join("outside/f")).unwrap(), "old");
        assert_eq!(fs::read_to_string(inside.base.join("home/f")).unwrap(), "old");
        assert!(!inside.lab.work.join("src/f").exists());
        // harmless devices are accessible
        inside
            .fine("echo x >/dev/null; head -c 4 /dev/urandom >/dev/null; echo y | cat >/dev/stdout")
            .await;
    }
}

#[tokio::test]
async fn the_top_folder_is_open_where_names_can_be_masked() {
    for inside in each(&json!({})) {
        match inside.kind {
            Kind::Bubblewrap => drop(inside.fine("echo x >new; mkdir target").await),
            Kind::Landlock => {
                let outcome = inside.refused("echo x >new").await;
                assert!(said(&outcome).contains("top folder"), "{}", said(&outcome));
            }
        }
    }
}

/// A fresh `/proc` of bubblewrap belongs to root, including the kernel settings in it.
#[tokio::test]
async fn the_kernel_is_not_configured_from_inside() {
    for inside in each(&json!({})) {
        let found = inside
            .fine("find /proc -maxdepth 3 -not -path '/proc/[0-9]*' -not -path '/proc/self*' -not -path '/proc/thread-self*' -type f -writable -exec test -w {} \\; -print 2>/dev/null | head -n 5; echo end")
            .await;
        if inside.kind == Kind::Bubblewrap {
            assert_eq!(found, "end");
        }
        // Opened for writing without writing anything.
        inside.refused(": >>/proc/sys/kernel/core_pattern").await;
    }
}

/// CVE-2026-25725: settings were protected only if they existed. Cursor's CVE-2026-26268: git hooks.
#[tokio::test]
async fn cve_2026_25725_and_26268_protected_places_existing_and_absent() {
    for present in [true, false] {
        for inside in each(&json!({})) {
            if present {
                for (name, text) in [
                    (".git/config", "old"),
                    (".git/hooks/x", "old"),
                    (".claude/settings.json", "old"),
                    (".mcp.json", "old"),
                    (".vscode/tasks.json", "old"),
                    (".npmrc", "old"),
                ] {
                    inside.lab.file(name, text);
                }
            }
            let before = inside.names();
            for command in [
                "mkdir -p .git/hooks && echo evil >.git/hooks/pre-commit",
                "mkdir -p .git && echo evil >.git/config",
                "mkdir -p .claude && echo evil >.claude/settings.json",
                "mkdir -p .claude && echo evil >.claude/settings.local.json",
                "echo evil >.mcp.json",
                "rm -rf .mcp.json && echo evil >.mcp.json",
                "echo evil >src/m && mv -fT src/m .mcp.json",
                "echo evil >src/m && ln -f src/m .mcp.json",
                "mkdir -p .vscode && echo evil >.vscode/tasks.json",
                "mv .claude src/moved && mkdir .claude && echo evil >.claude/settings.json",
                "rm -rf .git && mkdir .git && echo evil >.git/config",
                "mkdir -p src/g && mv -T src/g .git",
                "ln -s src .claude",
            ] {
                let outcome = inside.bash(&format!("{command} || exit 7")).await;
                assert_eq!(
                    outcome.is_error,
                    Some(true),
                    "{}: {command}: {}",
                    inside.kind,
                    said(&outcome)
                );
            }
            if present {
                inside.refused("echo evil >.npmrc").await;
                for name in [
                    ".git/config",
                    ".git/hooks/x",
                    ".claude/settings.json",
                    ".mcp.json",
                    ".npmrc",
                ] {
                    assert_eq!(inside.lab.text(name), "old", "{name}");
                }
                // protected files are readable
                assert_eq!(inside.fine("cat .mcp.json .claude/settings.json").await, "oldold");
            }
            // no stand-in remains
            eventually("stand-ins stay behind", || inside.names() == before).await;
        }
    }
}

/// 2.1.210 in the public changelog: a protected name that is a symlink.
#[tokio::test]
async fn a_protected_name_that_is_a_link_stays_one() {
    for inside in each(&json!({})) {
        inside.lab.file("plain/settings.json", "old");
        symlink("plain", inside.lab.work.join(".claude")).unwrap();
        for command in [
            "echo evil >.claude/settings.json",
            "echo evil >plain/settings.json",
            "rm .claude",
            "ln -sfn src .claude",
            "mv .claude src/x",
        ] {
            inside.refused(command).await;
        }
        assert_eq!(inside.lab.text(".claude/settings.json"), "old");
        assert!(inside.lab.work.join(".claude").is_symlink());
        inside.fine("echo x >src/still-open").await;
    }
}

/// CVE-2025-55345 and CVE-2026-39861: symlinks that lead out of the project, including ones created inside.
#[tokio::test]
async fn cve_2025_55345_links_do_not_lead_out() {
    for inside in each(&json!({})) {
        let base = inside.base.display().to_string();
        fs::write(inside.base.join("outside/f"), "old").unwrap();
        for command in [
            format!("ln -s {base}/outside src/out; echo x >src/out/new"),
            format!("ln -s {base}/outside/f src/f; echo x >src/f"),
            format!("echo x >/proc/self/root{base}/outside/new"),
            "echo x >/proc/self/cwd/../outside/new".to_owned(),
            format!("echo x >/proc/$$/root{base}/outside/new"),
            format!("echo x >/proc/1/root{base}/outside/new"),
            format!("cd {base}/outside && echo x >new"),
            format!("mount -o remount,rw / ; echo x >{base}/outside/new"),
            format!("mount --bind {base}/outside src ; echo x >{base}/outside/new"),
            format!("unshare -Urm sh -c 'mount -o remount,bind,rw {base}/outside; echo x >{base}/outside/new'"),
            format!("nsenter -t $PPID -m sh -c 'echo x >{base}/outside/new'"),
        ] {
            inside.refused(&command).await;
        }
        assert_eq!(fs::read_to_string(inside.base.join("outside/f")).unwrap(), "old");
        assert!(!inside.base.join("outside/new").exists());
    }
}

/// CVE-2025-59532: the working directory of a command determined what it could write.
#[tokio::test]
async fn cve_2025_59532_the_directory_is_no_root() {
    for inside in each(&json!({})) {
        inside.lab.cx.cwd.set(inside.base.join("outside"));
        inside.refused("echo x >new").await;
        assert!(!inside.base.join("outside/new").exists());
    }
}

/// 2.1.224 in the public changelog: a deny rule with a trailing slash had no effect.
#[tokio::test]
async fn paths_closed_and_opened_by_settings() {
    let settings = json!({"filesystem": {
        "allowWrite": ["../outside"], "denyWrite": ["src/closed/", "src/a/b/unborn"],
        "denyRead": ["../home/secrets/", "../home/key"], "allowRead": ["../home/secrets/open"],
    }});
    for inside in each(&settings) {
        let base = inside.base.display().to_string();
        for name in ["src/closed", "src/a/b"] {
            fs::create_dir_all(inside.lab.work.join(name)).unwrap();
        }
        fs::create_dir_all(inside.base.join("home/secrets/open")).unwrap();
        for name in ["home/secrets/f", "home/secrets/open/f", "home/key", "home/plain"] {
            fs::write(inside.base.join(name), format!("text of {name}\n")).unwrap();
        }
        inside.fine(&format!("echo x >{base}/outside/new")).await;
        for command in [
            "touch src/closed/f",
            "mv src/closed src/x",
            "echo x >src/a/b/unborn",
            "mv src/a src/c && mkdir -p src/a/b && touch src/a/b/unborn",
            "mv src/a/b src/a/c && mkdir -p src/a/b && touch src/a/b/unborn",
        ] {
            inside.refused(command).await;
        }
        for name in ["secrets/f", "key"] {
            let outcome = inside.bash(&format!("cat {base}/home/{name}; echo end")).await;
            assert!(
                !said(&outcome).contains("text of"),
                "{}: {}",
                inside.kind,
                said(&outcome).replace(&base, "")
            );
        }
        let shown = inside
            .fine(&format!("cat {base}/home/secrets/open/f {base}/home/plain"))
            .await;
        assert_eq!(shown, "text of home/secrets/open/f\ntext of home/plain");
    }
}

#[tokio::test]
async fn git_that_a_person_opened_keeps_its_hooks_and_config_closed() {
    for inside in each(&json!({"filesystem": {"allowWrite": [".git"]}})) {
        inside.lab.file(".git/config", "old");
        inside.lab.file(".git/refs/x", "old");
        inside.fine("echo new >.git/refs/x").await;
        for command in [
            "echo evil >.git/config",
            "mkdir -p .git/hooks && echo evil >.git/hooks/x",
            "rm -rf .git/config && echo evil >.git/config",
            "mv .git src/g && mkdir .git && echo evil >.git/config",
        ] {
            inside.refused(command).await;
        }
        assert_eq!(inside.lab.text(".git/config"), "old");
    }
}

/// Programs that set up the sandbox run outside, and must not load anything from folders that commands can write.
#[tokio::test]
async fn files_created_by_a_command_do_not_run_outside() {
    for settings in [json!({}), json!({"network": {"allowedDomains": ["good.test"]}})] {
        for mut inside in each(&settings) {
            let bin = inside.lab.work.join("src/bin");
            let mark = inside.base.join("outside/mark");
            let path = std::ffi::OsString::from(format!("{}:/usr/bin:/bin", bin.display()));
            let library = bin.join("evil.so").into_os_string();
            inside.lab.cx.env = Arc::new(vec![("PATH".into(), path), ("LD_PRELOAD".into(), library)]);
            let names = "bash env setsid bwrap printf cat sleep perl kill true";
            let planted = inside
                .fine(&format!(
                    "mkdir src/bin; for name in {names}; do printf '#!/bin/sh\\ntouch {}\\n' >src/bin/$name; done; \
                     /bin/chmod +x src/bin/*; echo $LD_PRELOAD",
                    mark.display()
                ))
                .await;
            // the loader complains only inside
            assert!(planted.contains("evil.so"), "{planted}");
            inside.fine("echo again").await;
            assert!(!mark.exists(), "{}", inside.kind);
        }
    }
}

/// With the home folder as a root, startup files of shells are not created, and no stand-ins disturb other programs.
#[tokio::test]
async fn startup_files_are_not_made_in_a_home_that_is_a_root() {
    for mut inside in each(&json!({})) {
        let home = inside.base.join("home");
        fs::create_dir(home.join("project")).unwrap();
        fs::write(home.join(".profile"), "old").unwrap();
        inside.lab.cx.roots.push(home.clone());
        let home = home.display();
        inside.fine(&format!("echo x >{home}/project/f")).await;
        for command in [
            format!("echo evil >{home}/.bashrc"),
            format!("echo evil >{home}/.profile"),
            format!("mkdir {home}/.ssh"),
            format!("mkdir -p {home}/.config/sluice"),
            format!("mv {home}/project/f {home}/.zshenv"),
        ] {
            inside.refused(&command).await;
        }
        assert_eq!(fs::read_to_string(inside.base.join("home/.profile")).unwrap(), "old");
    }
}

/// The environment of other processes must not be readable, because it often contains keys.
#[tokio::test]
async fn environments_of_outside_processes_are_hidden() {
    let mut other = std::process::Command::new("sleep")
        .arg("600")
        .env("KEY", "secret-key")
        .spawn()
        .unwrap();
    for inside in each(&json!({})) {
        let pid = other.id();
        let read = format!(
            "for n in environ cmdline maps; do tr '\\0' ' ' </proc/{pid}/$n; done; ls -l /proc/{pid}/fd /proc/{pid}/cwd; cat /proc/*/environ | tr '\\0' '\\n'; echo end"
        );
        let outcome = inside.bash(&read).await;
        assert!(
            !said(&outcome).contains("secret-key"),
            "{}: {}",
            inside.kind,
            said(&outcome)
        );
        assert!(
            said(&outcome).contains("end") || outcome.is_error == Some(true),
            "{}",
            said(&outcome)
        );
    }
    other.kill().unwrap();
    other.wait().unwrap();
}

/// Owner, permission bits, times and attributes of files outside stay unchanged.
#[tokio::test]
async fn owners_modes_times_and_attributes_of_files_are_not_changed() {
    const TRY: &str = "import fcntl, os, sys
def tried(what, call, *words, **named):
    try:
        call(*words, **named)
        print('changed', what)
    except OSError as error:
        print('failed', what, error.errno)
path = sys.argv[1]
file = os.open(path, os.O_RDONLY)
own = os.getgid()
tried('owner', os.chown, path, -1, own)
tried('owner', os.lchown, path, -1, own)
tried('owner', os.fchown, file, -1, own)
tried('attribute', os.setxattr, path, 'user.evil', b'x')
tried('attribute', os.setxattr, file, 'user.evil', b'x')
tried('attribute', os.removexattr, path, 'user.mine')
tried('flags', fcntl.ioctl, file, 0x40086602, b'\\x80\\0\\0\\0\\0\\0\\0\\0')
here = os.open(os.path.dirname(path), os.O_RDONLY)
tried('mode', os.chmod, os.path.basename(path), 0o600, dir_fd=here)
tried('mode', os.chmod, '/proc/self/fd/%d' % file, 0o600)
tried('mode', os.chmod, 'src/link', 0o600)
tried('mode', os.chmod, path + '/../f', 0o600)
for held in (path, file):
    tried('times', os.utime, held, (1, 1))
    tried('times', os.utime, held)
tried('times', os.utime, 'src/link', (1, 1))
tried('times', os.utime, here, (1, 1))
tried('times', os.utime, os.path.basename(path), (1, 1), dir_fd=here)
for mode in (0o600, 0o777, 0o4755, 0o2755, 0o6755):
    tried('rights', os.chmod, path, mode)
    tried('rights', os.fchmod, file, mode)
";
    for inside in each(&json!({})) {
        inside.lab.file("src/try.py", TRY);
        let outside = inside.base.join("outside/f");
        fs::write(&outside, "old").unwrap();
        symlink(&outside, inside.lab.work.join("src/link")).unwrap();
        let state = || {
            let about = fs::metadata(&outside).unwrap();
            (about.mode(), about.uid(), about.modified().unwrap(), about.ctime_nsec())
        };
        let before = state();
        let told = inside.fine(&format!("python3 src/try.py {}", outside.display())).await;
        assert_eq!(state(), before, "{}: {told}", inside.kind);
        assert!(
            told.contains("failed owner") && !told.contains("changed"),
            "{}: {told}",
            inside.kind
        );
        // Operations that builds need work.
        inside
            .fine(
                "echo 'echo ran' >src/x; chmod +x src/x; touch -d @5 src/x; cp -p src/x src/y && ./src/y && \
                 test $(stat -c %a-%Y src/y) = 755-5 && cd src && touch -h -d @6 link && test $(stat -c %Y link) = 6 && \
                 touch y && test $(stat -c %Y y) -gt 5 && install -m 600 y z && tar cf t x && rm x && tar --no-same-owner -xpf t && \
                 test $(stat -c %a-%Y x) = 755-5 && python3 -c \"import os; f = os.open('z', os.O_RDWR); os.fchmod(f, 0o640); \
                 os.utime(f, (7, 7)); os.chmod('/proc/self/fd/%d' % f, 0o604)\" && test $(stat -c %a-%Y z) = 604-7",
            )
            .await;
    }
}

/// Repeats the test as another user if root runs the tests.
#[test]
fn the_sandbox_holds_for_another_user_as_well() {
    const AGAIN: &str = "SLUICE_SANDBOX_AGAIN";
    if std::env::var_os(AGAIN).is_some() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let program = temp.path().join("it");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(temp.path(), open).unwrap();
    // Another user may have no access to the build folder.
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let ran = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["sandbox::", "--test-threads=1"])
        .env(AGAIN, "1")
        .env("TMPDIR", temp.path())
        .env("HOME", temp.path())
        .current_dir(temp.path())
        .output();
    match ran {
        Ok(ran) if !rustix::process::geteuid().is_root() => skip(&format!("only root can try it: {}", ran.status)),
        Ok(ran) => assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout)),
        Err(error) => skip(&format!("setpriv: {error}")),
    }
}
