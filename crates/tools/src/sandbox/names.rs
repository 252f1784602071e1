//! Which places stay as they are, whatever may be written around them.

/// Names in every root that decide what runs later. They are kept from being made, too: settings that do not exist
/// yet are as good to whoever gets to write them.
pub(super) const IN_ROOTS: &[&str] = &[
    ".git",
    ".claude",
    ".sluice",
    ".mcp.json",
    ".vscode",
    ".idea",
    ".husky",
    ".devcontainer",
];

/// Names in every root that are left alone once they are there. To keep them from being made would put a stand-in in
/// the way of programs that read them all the time.
pub(super) const IN_ROOTS_IF_PRESENT: &[&str] = &[
    ".claude.json",
    ".gitconfig",
    ".gitmodules",
    ".hg",
    ".svn",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".pypirc",
    ".netrc",
    ".ripgreprc",
];

/// Names in the home directory, kept from being made where the home directory can be written at all.
pub(super) const IN_HOME: &[&str] = &[
    ".claude",
    ".claude.json",
    ".sluice",
    ".ssh",
    ".gnupg",
    ".gitconfig",
    ".config/git",
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".inputrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".xinitrc",
    ".xprofile",
    ".vimrc",
    ".exrc",
    ".emacs",
];

/// What stays closed in a `.git` that a person opened with `filesystem.allowWrite`.
pub(super) const IN_OPENED_GIT: &[&str] = &["hooks"];

/// The same, where it is there: as a stand-in it would make git itself fail.
pub(super) const IN_OPENED_GIT_IF_PRESENT: &[&str] = &["config", "config.worktree", "commondir", "modules"];
