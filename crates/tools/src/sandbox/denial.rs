//! Whether a failure looks like a denial of the sandbox, and what the model is told then.

use super::Kind;

/// How the kernel and the resolver say no.
const SIGNS: &[&str] = &[
    "Read-only file system",
    "Operation not permitted",
    "Permission denied",
    "Device or resource busy",
    "Network is unreachable",
    "Could not resolve host",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Could not connect to server",
    "Invalid cross-device link",
    "EROFS",
    "EPERM",
    "EACCES",
    "ENETUNREACH",
    "EAI_AGAIN",
    "sandbox: ",
    "bwrap: ",
];

/// One line for the model, where a failed command's output looks as if the sandbox had refused something.
pub(super) fn explained(kind: Kind, network: bool, output: &str) -> Option<String> {
    let sign = SIGNS.iter().find(|sign| output.contains(*sign))?;
    let network = if network {
        "only the allowed domains can be reached"
    } else {
        "there is no network"
    };
    let sealed = match kind {
        Kind::Landlock => " Directly in a project's top folder nothing can be made, renamed or removed, only below it.",
        Kind::Bubblewrap => "",
    };
    Some(format!(
        "[sandbox: {kind}] \"{sign}\" is probably the sandbox's refusal: only the project's directories and $TMPDIR are \
         writable, .git and settings are not, and {network}.{sealed} The command was not tried again outside. If it has \
         to run outside, ask the person; do not look for a way around."
    ))
}
