//! Archive format of backups: a compressed tar file.

use std::io::{self, Read, Write};
use std::path::{Component, Path};

use tar::{Archive, Builder, EntryType, Header};

/// Appends a file of `length` bytes. If the file has become shorter, it is padded with zeros.
pub(crate) fn append<W: Write>(
    archive: &mut Builder<W>,
    name: &str,
    length: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_mode(0o600);
    header.set_size(length);
    archive.append_data(&mut header, name, content.chain(io::repeat(0)).take(length))
}

/// Reads an archive and passes each file to `take`, with its path and content.
pub(crate) fn read(
    mut archive: impl Read,
    mut take: impl FnMut(&Path, &mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    let mut files = Archive::new(&mut archive);
    for file in files.entries()? {
        let mut file = file?;
        let path = file.path()?.into_owned();
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if file.header().entry_type() != EntryType::Regular || !is_inside || path.as_os_str().is_empty() {
            let why = "the archive contains something other than files of a state folder";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        take(&path, &mut file)?;
    }
    // The checksum of the compression is at the end.
    io::copy(&mut archive, &mut io::sink())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use flate2::Compression;
    use flate2::read::GzDecoder;
    use flate2::write::GzEncoder;

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = Header::new_ustar();
            header.set_size(content.len() as u64);
            // `append` would refuse some names.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            archive.append(&header, *content).unwrap();
        }
        archive.into_inner().unwrap()
    }

    fn files(archive: impl Read) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
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
        let mut written = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let expected = [("a", Vec::new()), ("deep/er/b", b"text".to_vec()), ("c", large)];
        for (name, content) in &expected {
            append(&mut written, name, content.len() as u64, content.as_slice()).unwrap();
        }
        let bytes = written.into_inner().and_then(GzEncoder::finish).unwrap();
        assert_eq!(
            files(GzDecoder::new(bytes.as_slice())).unwrap(),
            expected.map(|(name, content)| (name.into(), content))
        );
        for cut in 0..bytes.len() {
            assert!(files(GzDecoder::new(&bytes[..cut])).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_file_that_became_shorter_keeps_its_place() {
        let mut written = Builder::new(Vec::new());
        append(&mut written, "short", 700, b"x".as_slice()).unwrap();
        append(&mut written, "next", 1, b"y".as_slice()).unwrap();
        let found = files(written.into_inner().unwrap().as_slice()).unwrap();
        assert_eq!((found[0].1.len(), found[1].1.as_slice()), (700, b"y".as_slice()));
    }

    #[test]
    fn names_that_lead_out_of_the_folder_are_refused() {
        for name in ["../x", "/etc/x", "a/../../x", ""] {
            assert!(files(archive(&[(name, b"")]).as_slice()).is_err(), "{name}");
        }
        let mut bytes = archive(&[("x", b"")]);
        bytes[0] = b'y';
        assert!(files(bytes.as_slice()).is_err(), "a header that was changed");
    }
}
