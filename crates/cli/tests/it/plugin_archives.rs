//! Plugins in zip archives, from a URL or a file.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::binary::{Lab, Ran, says};

const STREAM: [&str; 3] = ["--output-format", "stream-json", "--verbose"];

fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(sum & 1))
        })
    };
    !bytes.iter().fold(!0, step)
}

/// Creates an uncompressed archive of these files.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let at = u32::try_from(out.len()).unwrap();
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        let mut fields = vec![0; 6];
        fields.extend(checksum(content.as_bytes()).to_le_bytes());
        fields.extend(length);
        fields.extend(length);
        fields.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        fields.extend([0, 0]);
        out.extend(b"PK\x03\x04\x14\0\0\0");
        out.extend(&fields);
        out.extend(name.as_bytes());
        out.extend(content.as_bytes());
        list.extend(b"PK\x01\x02\x14\x03\x14\0\0\0");
        list.extend(&fields);
        list.extend([0; 10]);
        list.extend(at.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    let at = u32::try_from(out.len()).unwrap().to_le_bytes();
    let length = u32::try_from(list.len()).unwrap().to_le_bytes();
    out.extend(list);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend(length);
    out.extend(at);
    out.extend([0, 0]);
    out
}

fn plugin() -> Vec<u8> {
    zip(&[
        (
            "remote-1.2/.claude-plugin/plugin.json",
            r#"{"name":"remote","version":"1.2.3"}"#,
        ),
        ("remote-1.2/commands/hello.md", "Say hello to $ARGUMENTS"),
    ])
}

/// Serves the archive to all clients; returns the URL.
fn serve(archive: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/p/remote.zip?token=secret", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _asked = stream.read(&mut [0; 4096]).unwrap();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                archive.len()
            );
            // Write errors are ignored: the client may have disconnected.
            let _gone = stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(&archive));
        }
    });
    url
}

fn run(command: &mut Command, temp: &Path) -> Ran {
    let mut child = command.env("TMPDIR", temp).spawn().unwrap();
    drop(child.stdin.take());
    Ran::from(child.wait_with_output().unwrap())
}

fn init(ran: &Ran) -> Value {
    let lines = ran.lines();
    lines.iter().find(|line| line["subtype"] == "init").unwrap().clone()
}

#[test]
fn a_plugin_is_fetched_for_one_session_and_leaves_nothing_behind() {
    let lab = Lab::new(&json!([says("Hello")]));
    let temp = lab.home().join("tmp");
    fs::create_dir(&temp).unwrap();
    let url = serve(plugin());
    let args = [&["-p", "/remote:hello Ann", "--plugin-url", &url][..], &STREAM].concat();
    let ran = run(&mut lab.command(&args), &temp);
    let init = init(&ran);
    let plugin = init["plugins"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "remote");
    let plugin = plugin.unwrap_or_else(|| panic!("{ran:?}"));
    assert_eq!(
        (&plugin["source"], &plugin["version"]),
        (&json!("remote@inline"), &json!("1.2.3"))
    );
    let path = plugin["path"].as_str().unwrap();
    assert!(
        path.starts_with(temp.to_str().unwrap()) && path.ends_with("/url-0-remote/remote-1.2"),
        "{path}"
    );
    assert_eq!(init["plugin_errors"], Value::Null);
    let commands = init["slash_commands"].as_array().unwrap();
    assert!(commands.contains(&json!("remote:hello")), "{commands:?}");
    assert_eq!(fs::read_dir(&temp).unwrap().count(), 0, "it goes with the session");
}

#[test]
fn an_unavailable_plugin_does_not_affect_others_or_the_session() {
    let lab = Lab::new(&json!([says("Hello")]));
    let temp = lab.home().join("tmp");
    fs::create_dir(&temp).unwrap();
    fs::write(lab.work().join("local.zip"), plugin()).unwrap();
    let evil = serve(zip(&[("../../evil", "x")]));
    let args = [
        &[
            "-p",
            "hi",
            "--plugin-url",
            &evil,
            "--plugin-url",
            "http://example.com/x.zip",
        ][..],
        &["--plugin-dir", "local.zip"],
        &STREAM,
    ]
    .concat();
    let ran = run(&mut lab.command(&args), &temp);
    let init = init(&ran);
    let names: Vec<&Value> = init["plugins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert!(names.contains(&&json!("remote")), "{init}");
    let errors = init["plugin_errors"].as_array().unwrap();
    let told: Vec<(&str, &str)> = errors
        .iter()
        .map(|error| (error["plugin"].as_str().unwrap(), error["message"].as_str().unwrap()))
        .collect();
    let [(first, outside), (second, plain)] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!((*first, *second), ("inline[1]", "inline[2]"));
    assert!(
        outside.ends_with(r#"/p/remote.zip: its entry "../../evil" leads out of its folder"#),
        "{outside}"
    );
    assert!(plain.ends_with("http://example.com/x.zip: only https addresses are fetched, and http on this machine"));
    assert_eq!(errors[0]["type"], "generic-error");
    assert!(
        ran.stderr.contains("a plugin is skipped: ") && !ran.stderr.contains("secret"),
        "{ran:?}"
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
