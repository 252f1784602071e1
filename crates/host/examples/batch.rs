//! Asks the same question about every file of a folder, several files at a time.
//! `cargo run -p sluice-host --example batch DIRECTORY QUESTION [PROGRAM]`
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use futures_util::stream::{self, StreamExt as _};
use sluice_host::{Options, SystemPrompt, query};

const CONCURRENCY: usize = 4;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| ".".to_owned());
    let question = args
        .next()
        .unwrap_or_else(|| "Say in one sentence what this file is".to_owned());
    let program = args.next().unwrap_or_else(|| "sluice".to_owned());
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let answers = stream::iter(files)
        .map(|file| ask(file, &question, &program))
        .buffered(CONCURRENCY);
    let mut answers = std::pin::pin!(answers);
    let mut failed = 0;
    while let Some((file, answer)) = answers.next().await {
        match answer {
            Ok(text) => println!("{}: {text}", file.display()),
            Err(error) => {
                failed += 1;
                eprintln!("{}: {error}", file.display());
            }
        }
    }
    if failed > 0 {
        Err(format!("{failed} failed").into())
    } else {
        Ok(())
    }
}

async fn ask(file: PathBuf, question: &str, program: &str) -> (PathBuf, Result<String, sluice_host::Error>) {
    let options = Options::new()
        .program(program)
        .system_prompt(SystemPrompt::preset())
        .allowed_tools(["Read"])
        .persist_session(false);
    let answer = async {
        let query = query(format!("{question}: {}", file.display()), options).await?;
        query.text().await
    };
    let answer = answer.await;
    (file, answer)
}
