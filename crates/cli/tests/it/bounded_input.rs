//! Standard input and files named by flags are limited in size and never block.

use std::fs::File;
use std::io::Read as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::binary::Lab;
use crate::peak;

/// Runs the binary; returns exit code, standard error and peak memory in MiB.
fn run(lab: &Lab, args: &[&str], stdin: Stdio) -> (i32, String, u64) {
    let mut child = lab.command(args).stdin(stdin).stdout(Stdio::null()).spawn().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).unwrap();
        text
    });
    let memory = peak::memory_of(&mut child);
    let code = child.wait().unwrap().code().unwrap();
    (code, reader.join().unwrap(), memory)
}

#[test]
fn endless_standard_input_is_refused() {
    let lab = Lab::new(&json!([]));
    let zero = || Stdio::from(File::open("/dev/zero").unwrap());
    for args in [&["-p"][..], &["-p", "explain this"]] {
        let (code, errors, memory) = run(&lab, args, zero());
        assert_eq!(code, 1, "{errors}");
        assert!(errors.contains("standard input is longer than 32 MiB"), "{errors}");
        assert!(memory < 200, "{memory} MiB");
    }
}

#[test]
fn devices_and_pipes_named_in_flags_are_refused() {
    let lab = Lab::new(&json!([]));
    let pipe = lab.work().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.display().to_string();
    for flag in [
        "--settings",
        "--mcp-config",
        "--system-prompt-file",
        "--append-system-prompt-file",
    ] {
        for file in ["/dev/zero", &pipe] {
            let (code, errors, memory) = run(&lab, &["-p", "hi", flag, file], Stdio::null());
            assert_eq!(code, 1, "{flag} {file}: {errors}");
            assert!(errors.contains("not a regular file"), "{flag} {file}: {errors}");
            assert!(errors.contains(file), "{flag} {file}: {errors}");
            assert!(memory < 200, "{flag} {file}: {memory} MiB");
        }
    }
}

#[test]
fn a_device_named_as_agents_is_reported() {
    let lab = Lab::new(&json!([[{"type": "text", "text": "Hello"}]]));
    let (code, errors, memory) = run(&lab, &["-p", "hi", "--agents", "/dev/zero"], Stdio::null());
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("/dev/zero"), "{errors}");
    assert!(memory < 200, "{memory} MiB");
}
