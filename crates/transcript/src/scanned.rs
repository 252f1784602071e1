//! An open transcript that was scanned: as far as the conversation needs it, and completely on request.

use std::fs::File;
use std::io;
use std::path::Path;

use super::branch::Extent;
use super::load::EntryLocation;
use super::record::Record;
use super::scan::{self, ScanScope};

/// An open transcript and the record of its scan.
#[derive(Debug)]
pub(super) struct ScannedFile {
    pub(super) file: File,
    pub(super) record: Record,
}

impl ScannedFile {
    /// Scans the transcript of a session as far as its conversation needs it.
    pub(super) fn session(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let record = scan::file(&file, ScanScope::Live)?;
        let enough = record.leaf().is_some_and(|leaf| record.is_complete_to(leaf));
        let mut scanned = Self { file, record };
        if !enough {
            scanned.scan_completely()?;
        }
        Ok(scanned)
    }

    /// Scans the whole transcript of a subagent.
    pub(super) fn agent(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let record = scan::file(&file, ScanScope::Agent)?;
        Ok(Self { file, record })
    }

    /// Scans the whole file, if the first scan dropped a part.
    pub(super) fn scan_completely(&mut self) -> io::Result<()> {
        if self.record.is_partial() {
            self.record = scan::file(&self.file, ScanScope::Whole)?;
        }
        Ok(())
    }

    /// Returns the locations of the entries up to this one, as they are sent to the model.
    pub(super) fn branch(&mut self, leaf: Option<usize>, extent: Extent) -> io::Result<Vec<EntryLocation>> {
        let Some(leaf) = leaf else { return Ok(Vec::new()) };
        let branch = self.record.branch(leaf, extent, &mut self.file)?;
        Ok(self.record.places(&branch))
    }
}
