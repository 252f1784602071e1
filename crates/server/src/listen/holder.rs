//! Finds the process that uses a port. Linux only.

use std::fmt;
use std::fs;

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub pid: u32,
    pub name: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (pid {})", self.name, self.pid)
    }
}

/// Returns the process that listens on a TCP port, if visible to this user.
pub fn who_listens(port: u16) -> Option<Holder> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let inodes: Vec<String> = tables
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|table| {
            table
                .lines()
                .filter_map(|line| listening(line, port))
                .collect::<Vec<_>>()
        })
        .collect();
    if inodes.is_empty() {
        return None;
    }
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .find(|pid| has_one_of(*pid, &inodes))
        .map(|pid| Holder {
            pid,
            name: fs::read_to_string(format!("/proc/{pid}/comm"))
                .unwrap_or_default()
                .trim()
                .to_owned(),
        })
}

/// Returns the inode of the socket if a line of the table is for a listener on the port.
fn listening(line: &str, port: u16) -> Option<String> {
    let mut fields = line.split_whitespace();
    let local = fields.nth(1)?;
    let state = fields.nth(1)?;
    let inode = fields.nth(5)?;
    let (_, given) = local.rsplit_once(':')?;
    let same = u16::from_str_radix(given, 16).is_ok_and(|given| given == port);
    (same && state == "0A").then(|| inode.to_owned())
}

fn has_one_of(pid: u32, inodes: &[String]) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return false;
    };
    open.flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|target| {
            let target = target.to_string_lossy();
            let inode = target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']'));
            inode.is_some_and(|inode| inodes.iter().any(|given| given == inode))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_line_contains_the_inode_of_the_listener() {
        let line = "   0: 0100007F:128B 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 48213 1 0000000000000000 100 0 0 10 0";
        assert_eq!(listening(line, 0x128b), Some("48213".to_owned()));
        assert_eq!(listening(line, 80), None);
        assert_eq!(
            listening(&line.replace(" 0A ", " 01 "), 0x128b),
            None,
            "a connection, not a listener"
        );
        assert_eq!(listening("  sl  local_address rem_address   st", 80), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_using_a_port_is_named() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let holder = who_listens(listener.local_addr().unwrap().port()).unwrap();
        assert_eq!(holder.pid, std::process::id());
    }
}
