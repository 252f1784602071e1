//! Runs the fuzz target's corpus without a fuzzer.

use std::path::Path;

use sluice_wire::{FramedLine, Framer};

/// Does what `fuzz/fuzz_targets/line.rs` does with its input.
fn run(bytes: &[u8]) -> usize {
    let mut frames = 0;
    for cap in [64, 1 << 20] {
        let mut framer = Framer::with_cap(cap);
        for piece in bytes.chunks(7) {
            for line in framer.push(piece) {
                frames += usize::from(decode(&line));
            }
        }
        if let Some(line) = framer.finish() {
            frames += usize::from(decode(&line));
        }
    }
    frames
}

fn decode(line: &FramedLine<'_>) -> bool {
    let Some(Ok(frame)) = line.frame() else {
        return false;
    };
    for written in [
        frame.to_host().map(|it| it.to_line()),
        frame.to_agent().map(|it| it.to_line()),
    ]
    .into_iter()
    .flatten()
    {
        assert!(!written.contains('\n'));
        sluice_wire::Frame::parse(&written).expect("a serialised message can be parsed");
    }
    true
}

#[test]
fn all_files_of_the_fuzz_corpus_are_handled() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/line");
    let mut frames = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        frames += run(&std::fs::read(entry.unwrap().path()).unwrap());
    }
    assert!(frames > 20, "only {frames} frames in the corpus");
}
