use futures_util::StreamExt as _;
use sluice_host::{PermissionDecision, Options, query, wire::ToHost};

#[tokio::main]
async fn main() -> Result<(), sluice_host::Error> {
    let options = Options::new()
        .on_permission(|ask| async move { PermissionDecision::deny(format!("{} is not for today", ask.tool_name())) });
    let mut answer = query("What is in this folder?", options).await?;
    while let Some(message) = answer.next().await {
        if let Some(ToHost::Result(result)) = message?.to_host() {
            println!("{}", result.result.as_deref().unwrap_or_default());
        }
    }
    Ok(())
}
