//! The system calls that fail inside the sandbox.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// Puts a character into a terminal's input as if it had been typed there.
const TIOCSTI: u64 = 0x5412;
/// Calls of the x32 way are the same calls under other numbers.
#[cfg(target_arch = "x86_64")]
const ALIASES: &[i64] = &[0, 0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const ALIASES: &[i64] = &[0];

/// The kinds of sockets for a sandbox with a network of its own. Sockets of machines (vsock) know no such borders, and
/// sockets in the file system lead to whoever listens there: a terminal multiplexer, a container daemon.
pub(super) fn own_network(unix_sockets: bool) -> io::Result<BpfProgram> {
    let mut families = vec![libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    if unix_sockets {
        families.push(libc::AF_UNIX);
    }
    filter(&families)
}

/// The kinds of sockets for a sandbox in the host's network: none that lead out.
pub(super) fn no_network(unix_sockets: bool) -> io::Result<BpfProgram> {
    filter(if unix_sockets { &[libc::AF_UNIX] } else { &[] })
}

fn filter(families: &[i32]) -> io::Result<BpfProgram> {
    build(families).map_err(|error| io::Error::other(format!("seccomp: {error}")))
}

fn build(families: &[i32]) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules = BTreeMap::new();
    let mut refuse = |call: i64, rule: Vec<SeccompRule>| {
        for alias in ALIASES {
            rules.insert(call | alias, rule.clone());
        }
    };
    let others = families
        .iter()
        .map(|family| {
            let family = u64::try_from(*family).unwrap_or_default();
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
        })
        .collect::<Result<Vec<_>, _>>()?;
    // a rule without conditions is an empty list
    let other_sockets = if others.is_empty() {
        Vec::new()
    } else {
        vec![SeccompRule::new(others)?]
    };
    refuse(libc::SYS_socket, other_sockets);
    for call in [
        // they open sockets without the call above
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        // the kernel's keys belong to the person's session
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
    ] {
        refuse(call, Vec::new());
    }
    let typing = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, TIOCSTI)?;
    refuse(libc::SYS_ioctl, vec![SeccompRule::new(vec![typing])?]);
    let refused = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)?.try_into()
}

/// The program as bash's `printf %b` writes it.
pub(super) fn spelled(program: &BpfProgram) -> String {
    let mut text = String::new();
    for step in program {
        let [code_low, code_high] = step.code.to_ne_bytes();
        let rest = step.k.to_ne_bytes();
        for byte in [code_low, code_high, step.jt, step.jf].iter().chain(&rest) {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}
