//! System calls that fail inside the sandbox.

use std::collections::BTreeMap;
use std::io;

use super::modes::FCHMODAT2;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// Inserts a character into the input of a terminal.
const TIOCSTI: u64 = 0x5412;
/// x32 system calls are the same calls with other numbers.
#[cfg(target_arch = "x86_64")]
const ALIASES: &[i64] = &[0, 0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const ALIASES: &[i64] = &[0];

/// Calls that change the owner of a file.
const OWNERS: &[i64] = &[
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];
/// Calls that change extended attributes of a file; `setxattrat`, `removexattrat` and `file_setattr` by number.
const ATTRIBUTES: &[i64] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    463,
    466,
    469,
];
/// Calls that change the mode of a file, with the index of the mode argument.
const MODES: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
];
/// Calls that change timestamps of a file.
const TIMES: &[i64] = &[
    libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];
/// `ioctl` requests that change file flags: `FS_IOC_SETFLAGS` and `FS_IOC_FSSETXATTR`.
const FLAGS: &[u64] = &[0x4008_6602, 0x401c_5820];
const SET_USER_ID: u64 = 0o4000;
const SET_GROUP_ID: u64 = 0o2000;

/// Filter for socket families in a sandbox with a separate network. VM sockets (vsock) are not isolated by network
/// namespaces, and Unix sockets connect to services of the host such as a terminal multiplexer or a container daemon.
pub(super) fn own_network(unix_sockets: bool) -> io::Result<BpfProgram> {
    let mut families = vec![libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    if unix_sockets {
        families.push(libc::AF_UNIX);
    }
    filter(&families, false)
}

/// Filters for a sandbox that shares the network and file system of the host: no sockets to other hosts, and no file
/// changes that path rules do not cover.
pub(super) fn no_network(unix_sockets: bool) -> io::Result<[BpfProgram; 2]> {
    let mut attributes: BTreeMap<i64, Vec<SeccompRule>> = ATTRIBUTES.iter().map(|call| (*call, Vec::new())).collect();
    let flags = |request: &u64| {
        let asks = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *request)?;
        SeccompRule::new(vec![asks])
    };
    let flags: Result<_, seccompiler::BackendError> = FLAGS.iter().map(flags).collect();
    attributes.insert(libc::SYS_ioctl, flags.map_err(|error| explained(&error))?);
    // Programs that copy files continue without attributes if they are not supported.
    let attributes = finished(attributes, libc::EOPNOTSUPP).map_err(|error| explained(&error))?;
    let families: &[i32] = if unix_sockets { &[libc::AF_UNIX] } else { &[] };
    Ok([filter(families, true)?, attributes])
}

/// Filter that forwards changes of modes and timestamps to [`super::modes`].
pub(super) fn handed_over() -> io::Result<BpfProgram> {
    const TRACED: u32 = libc::SECCOMP_RET_TRACE;
    let calls = MODES.iter().map(|(call, _)| call).chain(TIMES);
    let rules = calls.map(|call| (*call, Vec::new())).collect();
    let mut program = program(rules, SeccompAction::Trace(0)).map_err(|error| explained(&error))?;
    // The filter builder does not support this action, so another one is replaced.
    for step in &mut program {
        if u32::from(step.code) == libc::BPF_RET | libc::BPF_K && step.k == TRACED {
            step.k = libc::SECCOMP_RET_USER_NOTIF;
        }
    }
    Ok(program)
}

fn filter(families: &[i32], owners: bool) -> io::Result<BpfProgram> {
    build(families, owners).map_err(|error| explained(&error))
}

fn explained(error: &seccompiler::BackendError) -> io::Error {
    io::Error::other(format!("seccomp: {error}"))
}

/// Builds a filter in which calls that match a rule fail with `error`. An empty list of rules matches every call.
fn finished(rules: BTreeMap<i64, Vec<SeccompRule>>, error: i32) -> Result<BpfProgram, seccompiler::BackendError> {
    program(rules, SeccompAction::Errno(error.unsigned_abs()))
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    matched: SeccompAction,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let aliases =
        |(call, rules): (i64, Vec<SeccompRule>)| ALIASES.iter().map(move |alias| (call | alias, rules.clone()));
    let rules = rules.into_iter().flat_map(aliases).collect();
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, matched, architecture)?.try_into()
}

fn build(families: &[i32], owners: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules = BTreeMap::new();
    let mut refuse = |call: i64, rule: Vec<SeccompRule>| drop(rules.insert(call, rule));
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
        // io_uring can open sockets without the call above
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        // kernel keyrings belong to the login session of the user
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
    ] {
        refuse(call, Vec::new());
    }
    let typing = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, TIOCSTI)?;
    refuse(libc::SYS_ioctl, vec![SeccompRule::new(vec![typing])?]);
    if owners {
        for call in OWNERS {
            refuse(*call, Vec::new());
        }
        for (call, argument) in MODES {
            let sets =
                |bit| SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bit), bit);
            let rules = [SET_USER_ID, SET_GROUP_ID].map(|bit| SeccompRule::new(vec![sets(bit)?]));
            refuse(*call, rules.into_iter().collect::<Result<_, _>>()?);
        }
    }
    finished(rules, libc::EPERM)
}

/// Escapes the program for bash's `printf %b`.
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
