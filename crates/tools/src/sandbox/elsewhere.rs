//! Other systems than Linux have no sandbox; with one enabled, every command is refused.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tokio::process::{Child, Command};

use super::config::Config;
use super::plan::Plan;

const WHY: &str = "only on Linux";

/// Never constructed.
#[derive(Debug, Clone)]
pub(super) enum Bubblewrap {}

impl Bubblewrap {
    pub(super) fn probe(_: &Config) -> Result<Self, String> {
        Err(WHY.to_owned())
    }

    pub(super) fn program(&self) -> &Path {
        match *self {}
    }

    pub(super) fn relay(&self) -> Option<&super::relay::Relay> {
        match *self {}
    }

    pub(super) fn words<'a>(
        &self,
        _: &Plan,
        _: impl Iterator<Item = &'a PathBuf>,
        _: &Path,
        _: Option<&Path>,
        _: &[(OsString, OsString)],
    ) -> Vec<OsString> {
        match *self {}
    }
}

pub(crate) fn fenced(_: &str, _: &super::Place<'_>) -> Result<Option<super::Confined>, String> {
    Ok(None)
}

/// Never constructed.
#[derive(Debug)]
pub(super) enum Rules {}

impl Rules {
    pub(super) fn new(_: &Plan, _: &Config) -> io::Result<Self> {
        Err(io::Error::other(WHY))
    }

    pub(super) fn spawn(self, _: &mut Command) -> io::Result<Child> {
        match self {}
    }
}

pub(super) fn probe() -> Result<String, String> {
    Err(WHY.to_owned())
}
