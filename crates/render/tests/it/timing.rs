//! Prints timings (with `--nocapture`) and checks generous limits that reveal a slowdown by an order of magnitude.

use std::time::{Duration, Instant};

use sluice_render::{diff, highlight};

fn source(lines: usize) -> String {
    let text = include_str!("../../src/highlight/lexer.rs");
    text.lines().cycle().take(lines).flat_map(|line| [line, "\n"]).collect()
}

fn timed<T>(what: &str, work: impl Fn() -> T) -> Duration {
    work();
    let start = Instant::now();
    work();
    let took = start.elapsed();
    println!("{what}: {took:?}");
    took
}

#[test]
fn highlighting_and_diffs_are_fast() {
    let code = source(2000);
    let took = timed("2,000 lines of Rust", || highlight("rust", &code));
    assert!(took < Duration::from_secs(2), "{took:?}");

    let old = source(5000);
    let new: String = old
        .lines()
        .enumerate()
        .filter(|(at, _)| at % 50 != 7)
        .map(|(at, line)| {
            if at % 10 == 3 {
                format!("{line} // {at}\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let took = timed("difference of 2 x 5,000 lines", || {
        diff("a.rs", Some(&old), Some(&new), 3)
    });
    assert!(took < Duration::from_secs(5), "{took:?}");

    let first = Instant::now();
    let lines = highlight("rb", "def a\nend\n");
    assert_eq!(lines.len(), 2);
    println!("first use of the grammars: {:?}", first.elapsed());
    timed("6 lines of Ruby", || highlight("rb", "def a\nend\n\ndef b\n  1\nend\n"));
}
