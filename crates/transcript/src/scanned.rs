//! A transcript that was scanned: as far as its conversation needs it, and further on request.

use std::fs::File;
use std::io;
use std::path::Path;

use super::branch::Extent;
use super::load::Place;
use super::record::Record;
use super::scan::{self, Wanted};

/// An open transcript, and what was seen of it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) record: Record,
}

impl Opened {
    /// Looks at what a session of this file goes on with.
    pub(super) fn session(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let record = scan::file(&file, Wanted::Live)?;
        let enough = record.leaf().is_some_and(|leaf| record.reaches(leaf));
        let mut opened = Self { file, record };
        if !enough {
            opened.look_again()?;
        }
        Ok(opened)
    }

    /// Looks at all of a subagent's file.
    pub(super) fn agent(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let record = scan::file(&file, Wanted::Agent)?;
        Ok(Self { file, record })
    }

    /// Looks at what was forgotten, too.
    pub(super) fn look_again(&mut self) -> io::Result<()> {
        if self.record.has_forgotten() {
            self.record = scan::file(&self.file, Wanted::Whole)?;
        }
        Ok(())
    }

    /// Where that is read which is said up to this entry, as the model is shown it.
    pub(super) fn branch(&mut self, leaf: Option<usize>, extent: Extent) -> io::Result<Vec<Place>> {
        let Some(leaf) = leaf else { return Ok(Vec::new()) };
        let branch = self.record.branch(leaf, extent, &mut self.file)?;
        Ok(self.record.places(&branch))
    }
}
