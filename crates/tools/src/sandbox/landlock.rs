//! Sandbox based on Landlock rules for files and a seccomp filter, for systems on which namespaces are unavailable.
//!
//! Both restrict the calling thread and its children. They are applied to a temporary thread, which starts the command
//! and ends; other threads of this process are not affected.
//!
//! Rules can only allow, and apply to everything below a path. To prevent the creation of a name in a folder, rights
//! are granted for the existing entries instead of the folder, so nothing can be created or removed directly in it.
//!
//! Root loses its capabilities inside, because they would give access to processes outside.
//!
//! Landlock has no rules for permission bits and timestamps; these calls are performed by `modes`.
//!
//! Not prevented: listing the names in a hidden folder and, before version 6, signals to processes outside.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope,
};
use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::BpfProgram;
use tokio::process::{Child, Command};

use super::config::Config;
use super::modes;
use super::plan::Plan;
use super::seccomp;

/// The newest supported version; older kernels apply the subset they support.
const KNOWN: ABI = ABI::V6;
/// Earlier versions allow truncating files that are not writable.
const OLDEST: ABI = ABI::V3;
/// Devices that are always writable.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

const NO_CAPABILITIES: CapabilitySets = CapabilitySets {
    effective: CapabilitySet::empty(),
    permitted: CapabilitySet::empty(),
    inheritable: CapabilitySet::empty(),
};

/// Checks that the kernel supports both; returns the Landlock version.
pub(super) fn probe() -> Result<String, String> {
    let status = std::thread::spawn(|| {
        let filters = seccomp::no_network(false)?;
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(KNOWN))
            .and_then(Ruleset::create)
            .and_then(landlock::RulesetCreated::restrict_self)
            .map_err(io::Error::other)?;
        apply(&filters)?;
        modes::apply(&seccomp::handed_over()?)?;
        io::Result::Ok(status)
    });
    let status = status.join().map_err(|_| "the probe failed".to_owned())?;
    let status = status.map_err(|error| format!("the kernel refuses: {error}"))?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } if effective_abi >= OLDEST => {
            Ok(format!("version {effective_abi}"))
        }
        LandlockStatus::Available { effective_abi, .. } => Err(format!(
            "the kernel's Landlock is version {effective_abi}, and {OLDEST} is needed"
        )),
        LandlockStatus::NotEnabled => Err("the kernel's Landlock is switched off".to_owned()),
        LandlockStatus::NotImplemented => Err("the kernel has no Landlock".to_owned()),
    }
}

/// Rules for one command.
#[derive(Debug)]
pub(super) struct Rules {
    grants: Vec<(PathBuf, BitFlags<AccessFs>)>,
    filters: [BpfProgram; 2],
    modes: BpfProgram,
}

impl Rules {
    pub(super) fn new(plan: &Plan, config: &Config) -> io::Result<Self> {
        let mut grants = Vec::new();
        let (read, write) = (AccessFs::from_read(KNOWN), AccessFs::from_write(KNOWN));
        // names are not secret; without this, no folder above a hidden one could be listed
        grants.push((PathBuf::from("/"), AccessFs::ReadDir.into()));
        grant(
            Path::new("/"),
            read,
            &|path| Exception::of(path, plan.hidden.iter()),
            &mut grants,
        );
        for path in &plan.shown {
            grants.push((path.clone(), read));
        }
        // an impossible name below the folder, so that rights are granted only for its entries
        let sealed: Vec<PathBuf> = plan.sealed.iter().map(|folder| folder.join("\0")).collect();
        for writable in &plan.writable {
            let inside: Vec<&PathBuf> = plan
                .kept()
                .chain(&sealed)
                .filter(|path| path.starts_with(writable) && *path != writable)
                .collect();
            let verdict = |path: &Path| Exception::of(path, inside.iter().copied());
            grant(writable, read | write, &verdict, &mut grants);
        }
        for device in DEVICES {
            grants.push((PathBuf::from(device), AccessFs::WriteFile | AccessFs::IoctlDev));
        }
        Ok(Self {
            grants,
            filters: seccomp::no_network(config.unix_sockets)?,
            modes: seccomp::handed_over()?,
        })
    }

    /// Starts a command restricted by the rules.
    pub(super) fn spawn(self, command: &mut Command) -> io::Result<Child> {
        let runtime = tokio::runtime::Handle::current();
        let (child, listener) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .name("sandbox".to_owned())
                .spawn_scoped(scope, || {
                    let listener = self.bind()?;
                    let _inside = runtime.enter();
                    io::Result::Ok((command.spawn()?, listener))
                })?;
            thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("the sandbox could not be set up")))
        })?;
        let writes = |(path, rights): (PathBuf, BitFlags<AccessFs>)| {
            let device = DEVICES.iter().any(|device| path == Path::new(device));
            (rights.contains(AccessFs::WriteFile) && !device).then_some(path)
        };
        let writable: Vec<PathBuf> = self.grants.into_iter().filter_map(writes).collect();
        // The thread ends with the last process of the command.
        std::thread::Builder::new()
            .name("sandbox modes".to_owned())
            .spawn(move || modes::answer(&listener, &writable))?;
        Ok(child)
    }

    /// Restricts the calling thread.
    fn bind(&self) -> io::Result<OwnedFd> {
        let mut rules = Ruleset::default()
            .handle_access(AccessFs::from_all(KNOWN))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(KNOWN)))
            .and_then(|rules| rules.scope(Scope::from_all(KNOWN)))
            .and_then(Ruleset::create)
            .map_err(io::Error::other)?;
        for (path, rights) in &self.grants {
            // removed meanwhile: no rights needed
            let Ok(place) = PathFd::new(path) else { continue };
            let rights = if path.is_dir() {
                *rights
            } else {
                *rights & AccessFs::from_file(KNOWN)
            };
            rules = rules
                .add_rule(PathBeneath::new(place, rights))
                .map_err(io::Error::other)?;
        }
        let status = rules.restrict_self().map_err(io::Error::other)?;
        if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
            return Err(io::Error::other("the kernel did not take the sandbox's rules"));
        }
        // Without new privileges, executed programs cannot regain capabilities.
        rustix::thread::set_capabilities(None, NO_CAPABILITIES)?;
        apply(&self.filters)?;
        modes::apply(&self.modes)
    }
}

fn apply(filters: &[BpfProgram]) -> io::Result<()> {
    let mut applied = filters.iter().map(|filter| seccompiler::apply_filter(filter));
    applied.try_for_each(|applied| applied.map_err(io::Error::other))
}

/// How exceptions relate to a path.
enum Exception {
    /// No exception applies.
    Whole,
    /// An exception is below the path.
    Partly,
    Excepted,
}

impl Exception {
    fn of<'a>(path: &Path, mut exceptions: impl Iterator<Item = &'a PathBuf>) -> Self {
        exceptions
            .try_fold(Self::Whole, |verdict, exception| {
                if path.starts_with(exception) {
                    Err(Self::Excepted)
                } else if exception.starts_with(path) {
                    Ok(Self::Partly)
                } else {
                    Ok(verdict)
                }
            })
            .unwrap_or_else(|verdict| verdict)
    }
}

/// Grants rights for a path, or for the parts of it without exceptions.
fn grant(
    path: &Path,
    rights: BitFlags<AccessFs>,
    verdict: &dyn Fn(&Path) -> Exception,
    grants: &mut Vec<(PathBuf, BitFlags<AccessFs>)>,
) {
    match verdict(path) {
        Exception::Excepted => {}
        Exception::Whole => grants.push((path.to_owned(), rights)),
        Exception::Partly => {
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                // rights for the target of a symlink are granted at the target
                if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                    grant(&entry.path(), rights, verdict, grants);
                }
            }
        }
    }
}
