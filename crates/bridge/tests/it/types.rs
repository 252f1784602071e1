//! The committed TypeScript is that of the types.

#[test]
fn the_page_knows_the_dialect_as_it_is() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/api/types.ts");
    let committed = std::fs::read_to_string(file).unwrap();
    let made = sluice_bridge::api::typescript::file();
    assert!(
        committed == made,
        "web/src/api/types.ts is old: run `make types` and commit it"
    );
}
