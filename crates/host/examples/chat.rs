//! A minimal chat: reads a line, prints the answer. `cargo run -p sluice-host --example chat [PROGRAM]`
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::Write as _;

use sluice_host::wire::ToHost;
use sluice_host::{Client, Event, Options, SystemPrompt};
use tokio::io::{AsyncBufReadExt as _, BufReader};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::args().nth(1).unwrap_or_else(|| "sluice".to_owned());
    let options = Options::new()
        .program(program)
        .system_prompt(SystemPrompt::preset())
        .include_partial_messages(true);
    let client = Client::connect(options).await?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    prompt()?;
    while let Some(line) = lines.next_line().await? {
        if line.trim().is_empty() {
            prompt()?;
            continue;
        }
        let mut events = client.events();
        client.send(line).await?;
        while let Some(event) = events.next().await {
            match &event {
                Event::Message(message) => match message.to_host() {
                    Some(ToHost::StreamEvent(event)) => {
                        let event = event.event.to_value();
                        if let Some(text) = event.pointer("/delta/text").and_then(|text| text.as_str()) {
                            print!("{text}");
                            std::io::stdout().flush()?;
                        }
                    }
                    Some(ToHost::Result(result)) => {
                        if result.is_error {
                            // Errors of the model's server are in the result text, errors that ended the turn in `errors`.
                            let errors = result.errors.clone().unwrap_or_default().join(", ");
                            println!("[{}]", result.result.clone().unwrap_or(errors));
                        }
                        println!();
                        break;
                    }
                    _ => {}
                },
                Event::Gone { exit } => return Err(format!("the agent has exited: {exit:?}").into()),
                _ => {}
            }
        }
        prompt()?;
    }
    client.close().await;
    Ok(())
}

fn prompt() -> std::io::Result<()> {
    print!("> ");
    std::io::stdout().flush()
}
