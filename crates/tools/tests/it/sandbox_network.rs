//! Network access from inside, on the real system, with a loopback server as the outside world.
#![allow(clippy::print_stderr)]

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use serde_json::{Value, json};
use sluice_tools::sandbox::{Config, Kind, Lookup, Sandbox};

use crate::sandbox_lab::skip;
use crate::support::{Lab, said};

/// Creates a lab whose sandbox resolves every name to this address.
fn lab(kind: Kind, settings: &Value, address: &str) -> Option<Lab> {
    let mut lab = Lab::new();
    let address: IpAddr = address.parse().unwrap();
    let config = Config::from_settings(settings, vec![lab.work.clone()], lab.work.join("../home"), Vec::new());
    let config = config.unwrap().unwrap();
    let sandbox = match kind {
        Kind::Bubblewrap => Sandbox::new(config),
        Kind::Landlock => Sandbox::landlock(config),
    };
    let lookup: Lookup = Arc::new(move |_| Box::pin(async move { Ok(vec![address]) }));
    match sandbox {
        Ok(sandbox) if sandbox.kind() == Some(kind) => {
            lab.cx.sandbox = Some(Arc::new(sandbox.with_lookup(lookup)));
            Some(lab)
        }
        Ok(other) => {
            skip(&format!("{kind} does not work here, {} does", other.describe()));
            None
        }
        Err(why) => {
            skip(&why.to_string());
            None
        }
    }
}

/// Starts a server that echoes each request; returns its port.
fn world() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut piece = [0; 1024];
            while !head.windows(4).any(|four| four == b"\r\n\r\n") {
                match stream.read(&mut piece) {
                    Ok(0) | Err(_) => break,
                    Ok(count) => head.extend_from_slice(&piece[..count]),
                }
            }
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                head.len()
            );
            stream.write_all(answer.as_bytes()).ok();
            stream.write_all(&head).ok();
        }
    });
    port
}

/// Returns a bash script that sends a request to the proxy given in the environment.
fn ask(target: &str) -> String {
    format!(
        "place=${{http_proxy#http://}}; exec 3<>/dev/tcp/${{place%:*}}/${{place#*:}} && printf '{target}' >&3 && cat <&3"
    )
}

#[tokio::test]
async fn without_domains_nothing_is_reached() {
    // CVE-2025-66479: an empty list allowed every host
    for network in [
        json!({}),
        json!({"allowedDomains": []}),
        json!({"deniedDomains": ["example.com"]}),
    ] {
        for kind in [Kind::Bubblewrap, Kind::Landlock] {
            let settings = json!({"enabled": true, "network": network});
            let Some(lab) = lab(kind, &settings, "127.0.0.1") else {
                continue;
            };
            let port = world();
            for command in [
                format!("exec 3<>/dev/tcp/127.0.0.1/{port}"),
                format!("exec 3<>/dev/udp/127.0.0.1/{port} && echo x >&3"),
                "exec 3<>/dev/tcp/1.1.1.1/443".to_owned(),
                "exec 3<>/dev/tcp/example.com/443".to_owned(),
            ] {
                let outcome = lab.bash(&command).await;
                // a datagram on the private loopback can be sent, but reaches nothing
                if kind == Kind::Bubblewrap && command.contains("udp") {
                    continue;
                }
                assert_eq!(outcome.is_error, Some(true), "{kind}: {command}: {}", said(&outcome));
            }
        }
    }
}

#[tokio::test]
async fn sockets_in_the_file_system_do_not_lead_out() {
    for kind in [Kind::Bubblewrap, Kind::Landlock] {
        for allowed in [false, true] {
            let settings = json!({"enabled": true, "network": {"allowAllUnixSockets": allowed}});
            let Some(lab) = lab(kind, &settings, "127.0.0.1") else {
                continue;
            };
            let path = lab.work.join("../s");
            let _listener = UnixListener::bind(&path).unwrap();
            let command = format!(
                "/usr/bin/perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => shift) or die \"$!\\n\"' {}",
                path.display()
            );
            let outcome = lab.bash(&command).await;
            assert_eq!(outcome.is_error, Some(!allowed), "{kind}: {}", said(&outcome));
            // socket pairs are local to the process and always allowed
            let pair = "/usr/bin/perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or die'";
            assert_eq!(lab.bash(pair).await.is_error, Some(false));
        }
    }
}

#[tokio::test]
async fn an_allowed_domain_is_reached_through_the_proxy_and_no_other() {
    let settings = json!({"enabled": true, "network": {
        "allowedDomains": ["*.good.test", "127.0.0.1"], "deniedDomains": ["bad.good.test"],
    }});
    let Some(lab) = lab(Kind::Bubblewrap, &settings, "127.0.0.1") else {
        return;
    };
    let port = world();
    let plain = |host: &str| {
        ask(&format!(
            "GET http://{host}:{port}/path HTTP/1.1\\r\\nHost: x\\r\\nA: b\\r\\n\\r\\n"
        ))
    };
    let outcome = lab.bash(&plain("www.good.test")).await;
    assert_eq!(outcome.is_error, Some(false), "{}", said(&outcome));
    let text = said(&outcome).replace('\r', "");
    assert!(
        text.contains(&format!("GET /path HTTP/1.1\nHost: www.good.test:{port}\n")),
        "{text}"
    );
    let tunnel =
        format!("CONNECT www.good.test:{port} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: inner\\r\\n\\r\\n");
    let text = said(&lab.bash(&ask(&tunnel)).await).replace('\r', "");
    assert!(
        text.contains("200 Connection established") && text.contains("Host: inner"),
        "{text}"
    );
    for host in [
        "good.test",
        "bad.good.test",
        "evil.test",
        "www.good.test.evil.test",
        "wwwgood.test",
    ] {
        let text = said(&lab.bash(&plain(host)).await).to_owned();
        assert!(
            text.contains("403 Forbidden") && text.contains("not among the allowed domains"),
            "{host}: {text}"
        );
    }
    // without the proxy nothing is reachable
    let outcome = lab.bash(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}")).await;
    assert_eq!(outcome.is_error, Some(true), "{}", said(&outcome));
    let outcome = lab.bash("ls -l /proc/[0-9]*/exe 2>/dev/null | grep perl").await;
    assert_eq!(
        said(&outcome),
        "(Bash completed with no output)",
        "the relay can be seen"
    );
    // the command is as confined as without a network
    assert_eq!(lab.bash("mkdir .claude").await.is_error, Some(true));
    assert_eq!(lab.bash("cd src 2>/dev/null; exit 5").await.is_error, Some(true));
}

#[tokio::test]
async fn socat_works_as_relay() {
    let socat = "/usr/bin/socat";
    if !std::path::Path::new(socat).exists() {
        skip(&format!("there is no {socat}"));
        return;
    }
    let settings =
        json!({"enabled": true, "socatPath": socat, "network": {"allowedDomains": ["good.test", "127.0.0.1"]}});
    let Some(lab) = lab(Kind::Bubblewrap, &settings, "127.0.0.1") else {
        return;
    };
    let port = world();
    let outcome = lab
        .bash(&ask(&format!("GET http://good.test:{port}/ HTTP/1.1\\r\\n\\r\\n")))
        .await;
    assert!(said(&outcome).contains("200 OK"), "{}", said(&outcome));
}

/// An allowed name that resolves to a private address (AgentAPI's CVE-2025-59956 and similar).
#[tokio::test]
async fn cve_2025_59956_a_name_that_turns_inside_is_refused() {
    let settings = json!({"enabled": true, "network": {"allowedDomains": ["good.test", "*"]}});
    for address in ["127.0.0.1", "169.254.169.254", "10.0.0.1", "::1"] {
        let Some(lab) = lab(Kind::Bubblewrap, &settings, address) else {
            return;
        };
        let text = said(&lab.bash(&ask("CONNECT good.test:443 HTTP/1.1\\r\\n\\r\\n")).await).to_owned();
        assert!(text.contains("not a public address"), "{address}: {text}");
    }
}

#[tokio::test]
async fn many_connections_at_once_and_a_large_answer() {
    let settings = json!({"enabled": true, "network": {"allowedDomains": ["good.test", "127.0.0.1"]}});
    let Some(lab) = lab(Kind::Bubblewrap, &settings, "127.0.0.1") else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
                stream.write_all(&vec![b'x'; 3_000_000]).ok();
            });
        }
    });
    let one = ask(&format!("GET http://good.test:{port}/ HTTP/1.1\\r\\n\\r\\n"));
    let outcome = lab
        .bash(&format!("for n in 1 2 3 4 5 6 7 8; do ({one} | wc -c) & done; wait"))
        .await;
    assert_eq!(said(&outcome), ["3000000"; 8].join("\n"));
}
