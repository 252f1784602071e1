//! The runner by itself, as `sluice runner` is: what the tests start.

use std::process::ExitCode;

fn main() -> ExitCode {
    // "runner" comes first, as it does behind `sluice`.
    sluice_runner::main(std::env::args_os().skip(2))
}
