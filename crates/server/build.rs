//! Generates the table of the page's files to embed: from `web/dist`, or the folder in `SLUICE_WEB_DIST`. Without a
//! built page the table is empty, and a release build fails.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SLUICE_WEB_DIST");
    let dist = dist();
    println!("cargo::rerun-if-changed={}", dist.display());
    if let Err(reason) = check_page(&dist, &env::var("PROFILE").unwrap_or_default()) {
        println!("cargo::error={reason}");
        return Ok(());
    }
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    let out = Path::new(&out);
    // Embeds a copy, because the page may be rebuilt during the build.
    let page = out.join("page");
    if page.exists() {
        fs::remove_dir_all(&page)?;
    }
    fs::create_dir_all(&page)?;
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        copy(&dist, &page)?;
        collect(&page, &mut files)?;
    }
    files.sort();
    fs::write(out.join("page_files.rs"), table(&page, &files, out)?)
}

/// Fails for a release without a page. `profile` is `release` for the release profile and those that inherit from it.
pub(crate) fn check_page(dist: &Path, profile: &str) -> Result<(), String> {
    if profile != "release" || dist.join("index.html").is_file() {
        return Ok(());
    }
    Err(format!(
        "there is no page in {}; run `make release`, or `make web` first, or name a built page in SLUICE_WEB_DIST",
        dist.display()
    ))
}

/// Copies a folder without hidden files.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name().filter(|name| !name.to_string_lossy().starts_with('.')) else {
            continue;
        };
        if path.is_dir() {
            fs::create_dir_all(to.join(name))?;
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

fn dist() -> PathBuf {
    if let Some(named) = env::var_os("SLUICE_WEB_DIST").filter(|named| !named.is_empty()) {
        return named.into();
    }
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let web = Path::new(&manifest).join("../../web");
    let dist = web.join("dist");
    if web.is_dir() {
        // Cargo treats a missing folder as changed and would rebuild this crate each time.
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

/// True for a compressed form of another file.
fn is_variant(path: &Path) -> bool {
    let packed = path.extension().is_some_and(|ending| ending == "br" || ending == "gz");
    packed && path.with_extension("").is_file()
}

/// Tag with which the page knows its build.
const MARK: &str = "<meta name=\"sluice-build\" content=\"";

fn table(dist: &Path, files: &[PathBuf], out: &Path) -> io::Result<String> {
    let mut sum = Sha256::new();
    for path in files {
        sum.update(url(dist, path)?.as_bytes());
        sum.update([0]);
        sum.update(Sha256::digest(fs::read(path)?));
    }
    let mut build = short(&sum.finalize(), 12);
    let mut rows = String::new();
    for path in files {
        let url = url(dist, path)?;
        let mut plain = path.canonicalize()?;
        let mut packed = [variant(path, "br"), variant(path, "gz")];
        if url == "/index.html" {
            let text = fs::read_to_string(path)?;
            match marked(&text) {
                Some(own) => build = own.to_owned(),
                None => {
                    // A few hundred bytes; not worth compressing again.
                    plain = out.join("index.html");
                    fs::write(&plain, text.replacen("<head>", &format!("<head>\n{MARK}{build}\">"), 1))?;
                    packed = [None, None];
                }
            }
        }
        let hash = short(&Sha256::digest(fs::read(&plain)?), 32);
        // Nearly all clients accept the compressed form, so the plain one is not stored as well.
        let plain = packed[1].is_none().then_some(plain);
        let [br, gz] = packed;
        let [plain, br, gz] = [plain, br, gz].map(|form| match form {
            Some(form) => format!("Some(include_bytes!({form:?}))"),
            None => "None".to_owned(),
        });
        writeln!(
            rows,
            "    PageFile {{ path: {url:?}, hash: {hash:?}, plain: {plain}, br: {br}, gz: {gz} }},"
        )
        .map_err(io::Error::other)?;
    }
    let build = (!files.is_empty()).then_some(build);
    Ok(format!(
        "const EMBEDDED: &[PageFile] = &[\n{rows}];\nconst EMBEDDED_BUILD: Option<&str> = {build:?};\n"
    ))
}

/// Returns the build in the tag of the page, if there is one.
fn marked(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(MARK)?;
    rest.split('"').next()
}

fn url(dist: &Path, path: &Path) -> io::Result<String> {
    let relative = path.strip_prefix(dist).map_err(io::Error::other)?;
    Ok(format!("/{}", relative.to_string_lossy().replace('\\', "/")))
}

fn variant(path: &Path, ending: &str) -> Option<PathBuf> {
    PathBuf::from(format!("{}.{ending}", path.display()))
        .canonicalize()
        .ok()
}

fn short(bytes: &[u8], length: usize) -> String {
    let mut text = hex(bytes);
    text.truncate(length);
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Cannot fail when writing to a string.
        write!(text, "{byte:02x}").ok();
        text
    })
}
