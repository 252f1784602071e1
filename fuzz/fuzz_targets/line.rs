//! Splits arbitrary bytes into lines, parses each as a message of either direction, serialises it and parses it again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sluice_wire::{Frame, Framer, FramedLine};

fuzz_target!(|bytes: &[u8]| {
    for cap in [64, 1 << 20] {
        let mut framer = Framer::with_cap(cap);
        for piece in bytes.chunks(7) {
            for line in framer.push(piece) {
                decode(&line);
            }
        }
        if let Some(line) = framer.finish() {
            decode(&line);
        }
    }
});

fn decode(line: &FramedLine<'_>) {
    let Some(Ok(frame)) = line.frame() else {
        return;
    };
    let written = [
        frame.to_host().map(|it| it.to_line()),
        frame.to_agent().map(|it| it.to_line()),
    ];
    for written in written.into_iter().flatten() {
        assert!(!written.contains('\n'));
        Frame::parse(&written).expect("a serialised message can be parsed");
        assert!(serde_json::from_str::<&serde_json::value::RawValue>(&written).is_ok());
        drop(serde_json::from_str::<Value>(&written));
    }
}
