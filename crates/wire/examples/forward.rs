//! Compares the cost of forwarding a line with the cost of skipping it.
//!
//! ```text
//! cargo run --release -p sluice-wire --example forward -- FILE…
//! ```
//!
//! Prints the time of a pass over all lines for three operations: skipping each line as a `RawValue`, parsing it
//! as a [`Frame`], and parsing the whole message. Also prints the ratio to the first; that of `frame` must stay
//! under 1.5.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use sluice_wire::{Frame, Framer};

fn main() -> std::io::Result<()> {
    let mut bytes = Vec::new();
    for path in std::env::args().skip(1) {
        bytes.extend(std::fs::read(path)?);
        bytes.push(b'\n');
    }
    let mut framer = Framer::new();
    let lines: Vec<String> = framer
        .push(&bytes)
        .iter()
        .filter_map(|line| line.text())
        .filter(|text| Frame::parse(text).is_ok())
        .map(str::to_owned)
        .collect();
    let size: usize = lines.iter().map(String::len).sum();
    println!("{} lines, {size} bytes", lines.len());

    // The passes are interleaved so that load on the machine affects all three equally. The fastest pass counts.
    let (mut skip, mut peek, mut read) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..60 {
        skip = skip.min(pass(&lines, |line| {
            black_box(serde_json::from_str::<&RawValue>(line).is_ok());
        }));
        peek = peek.min(pass(&lines, |line| {
            black_box(Frame::parse(line).is_ok());
        }));
        read = read.min(pass(&lines, |line| {
            black_box(Frame::parse(line).and_then(|frame| frame.to_host()).is_ok());
        }));
    }
    println!("skip  {skip:?}");
    println!("frame {peek:?}  {:.2} × skip", peek.as_secs_f64() / skip.as_secs_f64());
    println!("read  {read:?}  {:.2} × skip", read.as_secs_f64() / skip.as_secs_f64());
    Ok(())
}

fn pass(lines: &[String], mut step: impl FnMut(&str)) -> Duration {
    let start = Instant::now();
    for line in lines {
        step(line);
    }
    start.elapsed()
}
