//! Exports and blobs.

use std::io::Read;

use sluice_server::Scope;

use crate::house::{House, MARKUP, ON_DISK, PICTURE};
use crate::raw::get;

#[tokio::test]
async fn images_are_displayed_and_other_files_downloaded_without_scripts() {
    let house = House::open().await;
    let cookie = house.pair(Scope::View).await;
    let fetch = |hash: &str| {
        house
            .as_page(get(&format!("/api/blobs/{hash}")))
            .with("Cookie", &cookie)
    };
    let picture = fetch(PICTURE).send(house.port).await;
    assert_eq!((picture.status, picture.text().as_str()), (200, "PNG"));
    assert_eq!(picture.header("content-type"), Some("image/png"));
    assert_eq!(picture.header("content-disposition"), None);
    assert_eq!(
        picture.header("cache-control"),
        Some("private, max-age=31536000, immutable")
    );
    let markup = fetch(MARKUP).send(house.port).await;
    assert_eq!(markup.header("content-type"), Some("text/html"));
    assert!(markup.header("content-disposition").unwrap().starts_with("attachment;"));
    assert!(
        markup
            .header("content-security-policy")
            .unwrap()
            .starts_with("sandbox; default-src 'none'")
    );
    let again = fetch(PICTURE)
        .with("If-None-Match", &format!("\"{PICTURE}\""))
        .send(house.port)
        .await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn a_blob_is_streamed_and_a_missing_one_reported() {
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let fetch = get(&format!("/api/blobs/{ON_DISK}")).with("Authorization", &token);
    let gone = fetch.send(house.port).await;
    assert_eq!((gone.status, gone.code()), (404, "not_found".to_owned()));
    let content: Vec<u8> = (0..100_000u32).map(|number| (number % 251) as u8).collect();
    std::fs::write(house.folder.path().join("blob"), &content).unwrap();
    let response = fetch.send(house.port).await;
    assert_eq!(response.header("content-length"), Some("100000"));
    assert!(response.body == content);
}

#[tokio::test]
async fn an_export_is_a_file_packed_on_its_way() {
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let export = get("/api/sessions/s-1/export.html?redact=1&name=a%20b%26c").with("Authorization", &token);
    let plain = export.send(house.port).await;
    assert_eq!(plain.status, 200);
    assert_eq!(
        plain.header("content-disposition"),
        Some("attachment; filename=\"s-1.html\"; filename*=UTF-8''s-1.html")
    );
    assert_eq!(plain.header("cache-control"), Some("no-store"));
    assert!(plain.header("content-security-policy").unwrap().starts_with("sandbox;"));
    let packed = export.with("Accept-Encoding", "gzip, br").send(house.port).await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < 500, "{}", packed.body.len());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(packed.body.as_slice())
        .read_to_end(&mut unpacked)
        .unwrap();
    assert!(unpacked == plain.body);
    let asked = house.backend.exports.lock().unwrap()[0].clone();
    let query = [("redact", "1"), ("name", "a b&c")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(asked, ("s-1".to_owned(), "html".to_owned(), query.to_vec()));
}

#[tokio::test]
async fn backend_refusals_include_the_hint() {
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let response = get("/api/sessions/none/export.md")
        .with("Authorization", &token)
        .send(house.port)
        .await;
    assert_eq!(response.status, 404);
    assert_eq!(
        response.text(),
        "{\"type\":\"error\",\"code\":\"not_found\",\"message\":\"no such session\",\"hint\":\"look at the list\"}"
    );
}
