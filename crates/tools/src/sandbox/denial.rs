//! Detects errors that look like sandbox denials, and explains them to the model.

use super::Kind;

/// Confinement of a command, reported in its result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Note {
    /// The configured sandbox.
    Sandbox { kind: Kind, network: bool },
    /// The deny rules alone.
    Rules,
}

impl Note {
    /// Returns the kind of the configured sandbox, if the command ran in it.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Sandbox { kind, .. } => Some(*kind),
            Self::Rules => None,
        }
    }

    /// Returns an explanation for the model if an error looks like a denial.
    pub(crate) fn explained(&self, output: &str) -> Option<String> {
        match self {
            Self::Sandbox { kind, network } => explained(*kind, *network, output),
            Self::Rules => of_rules(output),
        }
    }
}

/// Error messages of the kernel and the resolver for denials.
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

/// Error messages for files covered by deny rules.
const SIGNS_OF_RULES: &[&str] = &[
    "Permission denied",
    "Read-only file system",
    "Device or resource busy",
    "EACCES",
    "EROFS",
    "EBUSY",
];

/// Explains output of a failed command that looks as if a deny rule had applied.
fn of_rules(output: &str) -> Option<String> {
    let sign = SIGNS_OF_RULES.iter().find(|sign| output.contains(*sign))?;
    Some(format!(
        "[deny rules] \"{sign}\" may come from the permission rules: commands can neither run the programs nor open the \
         files that a deny rule covers. Programs that raise their rights, such as sudo, only work as a command of their \
         own. Do not look for a way around; ask the person."
    ))
}

/// Explains output of a failed command that looks as if the sandbox had denied something.
fn explained(kind: Kind, network: bool, output: &str) -> Option<String> {
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
