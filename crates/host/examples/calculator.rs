//! A calculator for the agent: an MCP server inside this program.
//! `cargo run -p sluice-host --example calculator PROMPT [PROGRAM]`
#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde::Deserialize;
use serde_json::json;
use sluice_host::{Client, McpServer, Options, SystemPrompt, ToolOutput};

#[derive(Deserialize)]
struct Operands {
    a: f64,
    b: f64,
}

fn calculator() -> McpServer {
    let operands = || json!({"a": "number", "b": "number"});
    McpServer::new("calculator")
        .tool("add", "Adds two numbers", operands(), |operands: Operands| async move {
            report(operands.a, "+", operands.b, operands.a + operands.b)
        })
        .tool(
            "multiply",
            "Multiplies two numbers",
            operands(),
            |operands: Operands| async move { report(operands.a, "*", operands.b, operands.a * operands.b) },
        )
        .tool(
            "divide",
            "Divides one number by another",
            operands(),
            |operands: Operands| async move {
                if operands.b == 0.0 {
                    return ToolOutput::error("division by zero");
                }
                report(operands.a, "/", operands.b, operands.a / operands.b)
            },
        )
}

fn report(a: f64, sign: &str, b: f64, result: f64) -> ToolOutput {
    println!("{a} {sign} {b} = {result}");
    ToolOutput::text(result.to_string())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "What is 6 times 7? Use the calculator".to_owned());
    let program = std::env::args().nth(2).unwrap_or_else(|| "sluice".to_owned());
    let options = Options::new()
        .program(program)
        .system_prompt(SystemPrompt::preset())
        .mcp_server(calculator())
        .allowed_tools(["mcp__calculator"]);
    let client = Client::connect(options).await?;
    let ended = client.run(prompt).await?;
    println!("{}", ended.result.and_then(|result| result.result).unwrap_or_default());
    client.close().await;
    Ok(())
}
