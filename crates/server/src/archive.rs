//! The archive format of backups: a compressed tar file, as `tar tzf` lists it.

use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

const BLOCK: usize = 512;
const NAME: usize = 100;

/// Writes an archive.
pub(crate) struct ArchiveWriter<W> {
    out: W,
}

impl<W: Write> ArchiveWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out }
    }

    /// Appends a file of `length` bytes. A file that became shorter meanwhile is filled up with zeros.
    pub(crate) fn add(&mut self, name: &str, length: u64, content: impl Read) -> io::Result<()> {
        self.out.write_all(&header(name, length)?)?;
        let copied = io::copy(&mut content.take(length), &mut self.out)?;
        let padded = length.next_multiple_of(BLOCK as u64);
        io::copy(&mut io::repeat(0).take(padded - copied), &mut self.out)?;
        Ok(())
    }

    /// Writes the end of the archive.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        Ok(self.out)
    }
}

fn header(name: &str, length: u64) -> io::Result<[u8; BLOCK]> {
    let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, format!("{name}: {why}"));
    if name.len() > NAME {
        return Err(invalid("the name is too long for an archive"));
    }
    let size = format!("{length:011o}\0");
    if size.len() > 12 {
        return Err(invalid("the file is too large for an archive"));
    }
    let mut block = [0; BLOCK];
    let fields: [(usize, &[u8]); 8] = [
        (0, name.as_bytes()),
        (100, b"0000600\0"),
        (108, b"0000000\0"),
        (116, b"0000000\0"),
        (124, size.as_bytes()),
        (136, b"00000000000\0"),
        (148, b"        "),
        (156, b"0"),
    ];
    for (at, bytes) in fields.into_iter().chain([(257, b"ustar\x0000".as_slice())]) {
        for (place, byte) in block.iter_mut().skip(at).zip(bytes) {
            *place = *byte;
        }
    }
    let sum = checksum(&block);
    for (place, byte) in block.iter_mut().skip(148).zip(format!("{sum:06o}\0 ").bytes()) {
        *place = byte;
    }
    Ok(block)
}

/// The sum of the bytes of a header, its own field counted as spaces.
fn checksum(block: &[u8; BLOCK]) -> u32 {
    let byte = |(at, byte): (usize, &u8)| u32::from(if (148..156).contains(&at) { b' ' } else { *byte });
    block.iter().enumerate().map(byte).sum()
}

/// Reads an archive to its end and passes each file to `take`, with its path and its content.
pub(crate) fn read(
    mut archive: impl Read,
    mut take: impl FnMut(&Path, &mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    let damaged = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let mut block = [0; BLOCK];
    loop {
        archive.read_exact(&mut block)?;
        if block.iter().all(|byte| *byte == 0) {
            // The rest is read too: the checksum of the compression is at the end.
            io::copy(&mut archive, &mut io::sink())?;
            return Ok(());
        }
        let text = |from: usize, to: usize| {
            let field = block.get(from..to).unwrap_or_default();
            let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
            std::str::from_utf8(field.get(..end).unwrap_or_default()).map(str::trim)
        };
        let number = |from, to, radix| {
            text(from, to)
                .ok()
                .and_then(|text| u64::from_str_radix(text, radix).ok())
        };
        if number(148, 156, 8) != Some(u64::from(checksum(&block))) {
            return Err(damaged("the archive is damaged"));
        }
        let length = number(124, 136, 8).ok_or_else(|| damaged("the archive is damaged"))?;
        let path = PathBuf::from(text(0, NAME).map_err(|_| damaged("the archive is damaged"))?);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if block.get(156) != Some(&b'0') || !is_inside || path.as_os_str().is_empty() {
            return Err(damaged(
                "the archive contains something other than files of a state folder",
            ));
        }
        let mut content = archive.by_ref().take(length);
        take(&path, &mut content)?;
        let left = content.limit() + (length.next_multiple_of(BLOCK as u64) - length);
        let skipped = io::copy(&mut archive.by_ref().take(left), &mut io::sink())?;
        if skipped < left {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ArchiveWriter::new(Vec::new());
        for (name, content) in files {
            writer.add(name, content.len() as u64, *content).unwrap();
        }
        writer.finish().unwrap()
    }

    fn files(archive: &[u8]) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut found = Vec::new();
        read(archive, |path, content| {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            found.push((path.to_owned(), bytes));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn files_come_back_as_they_were_written() {
        let large = vec![7; 1300];
        let bytes = archive(&[("a", b""), ("deep/er/b", b"text"), ("c", &large)]);
        let expected = [("a", Vec::new()), ("deep/er/b", b"text".to_vec()), ("c", large)];
        assert_eq!(
            files(&bytes).unwrap(),
            expected.map(|(name, content)| (name.into(), content))
        );
        for cut in [0, 100, BLOCK, BLOCK + 10, bytes.len() - 2 * BLOCK - 1] {
            assert!(files(&bytes[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_file_that_became_shorter_keeps_its_place() {
        let mut writer = ArchiveWriter::new(Vec::new());
        writer.add("short", 700, b"x".as_slice()).unwrap();
        writer.add("next", 1, b"y".as_slice()).unwrap();
        let found = files(&writer.finish().unwrap()).unwrap();
        assert_eq!((found[0].1.len(), found[1].1.as_slice()), (700, b"y".as_slice()));
    }

    #[test]
    fn names_that_lead_out_of_the_folder_are_refused() {
        for name in ["../x", "/etc/x", "a/../../x", ""] {
            assert!(files(&archive(&[(name, b"")])).is_err(), "{name}");
        }
        let mut bytes = archive(&[("x", b"")]);
        bytes[0] = b'y';
        assert!(files(&bytes).is_err(), "a header that was changed");
    }
}
