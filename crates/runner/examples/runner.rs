//! The runner as a standalone program for the tests; it behaves like `sluice runner`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Skips the program name and "runner", which comes first as in `sluice runner`.
    sluice_runner::main(std::env::args_os().skip(2))
}
