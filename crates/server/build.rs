//! Writes the table of the page's files, to be compiled in: `web/dist`, or what `SLUICE_WEB_DIST` names.
//! Without them (nobody ran node) the table is empty, and the build works all the same.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SLUICE_WEB_DIST");
    let dist = dist();
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        collect(&dist, &mut files)?;
    }
    files.sort();
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("page_files.rs"), table(&dist, &files)?)
}

fn dist() -> PathBuf {
    if let Some(named) = env::var_os("SLUICE_WEB_DIST").filter(|named| !named.is_empty()) {
        return named.into();
    }
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let web = Path::new(&manifest).join("../../web");
    let dist = web.join("dist");
    if web.is_dir() {
        // Cargo takes a folder that is not there as changed, and would build this crate anew every time.
        fs::create_dir_all(&dist).ok();
    }
    dist
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if !is_variant(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// A compressed form of the file beside it.
fn is_variant(path: &Path) -> bool {
    let packed = path.extension().is_some_and(|ending| ending == "br" || ending == "gz");
    packed && path.with_extension("").is_file()
}

fn table(dist: &Path, files: &[PathBuf]) -> io::Result<String> {
    let mut build = Sha256::new();
    let mut rows = String::new();
    for path in files {
        let content = fs::read(path)?;
        let relative = path.strip_prefix(dist).map_err(io::Error::other)?;
        let url = format!("/{}", relative.to_string_lossy().replace('\\', "/"));
        build.update(url.as_bytes());
        build.update([0]);
        build.update(Sha256::digest(&content));
        let hash = hex(&Sha256::digest(&content));
        let variant = |ending: &str| {
            let packed = PathBuf::from(format!("{}.{ending}", path.display()));
            match packed.canonicalize() {
                Ok(packed) => format!("Some(include_bytes!({packed:?}))"),
                Err(_) => "None".to_owned(),
            }
        };
        writeln!(
            rows,
            "    PageFile {{ path: {url:?}, hash: {:?}, plain: include_bytes!({:?}), br: {}, gz: {} }},",
            hash.get(..32).unwrap_or_default(),
            path.canonicalize()?,
            variant("br"),
            variant("gz"),
        )
        .map_err(io::Error::other)?;
    }
    let build = hex(&build.finalize());
    let build = build.get(..12).filter(|_| !files.is_empty());
    Ok(format!(
        "const EMBEDDED: &[PageFile] = &[\n{rows}];\nconst EMBEDDED_BUILD: Option<&str> = {build:?};\n"
    ))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}
