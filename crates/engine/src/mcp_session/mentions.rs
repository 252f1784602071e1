//! Resources that prompts mention: `@server:uri`.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sluice_permission::Verdict;
use sluice_servers::content::{self, Frame};
use sluice_servers::link::{Link, explain};
use sluice_servers::resources;

use crate::commands::Attached;
use crate::messages;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;

/// Maximum time to read a mentioned resource, during which the prompt waits.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

impl SessionLoop {
    /// Reads the resource that one of the possible readings of a mention names. `None` if none names one.
    pub(crate) async fn attach_resource(&mut self, readings: &[&str]) -> Option<Attached> {
        let (link, uri) = find_resource(self.session.tooling.servers().all(), readings)?;
        let input = json!({"server": link.name, "uri": uri});
        if self.session.decide(resources::reading(), &input).behavior == Verdict::Deny {
            return None;
        }
        let folder = self.session.options.folders.outputs.clone();
        let id = messages::fresh_id();
        let reading = async {
            let frame = Frame {
                server: &link.name,
                call_id: &id,
                folder: &folder,
                max_length: link.context.limits.output,
            };
            let read = tokio::time::timeout(READ_TIMEOUT, link.read_resource(&uri)).await;
            let read = read.map_err(|_| "it did not come in time".to_owned())?;
            let read = read.map_err(|error| explain(&error))?;
            let mut texts = Vec::new();
            for part in read.as_array().into_iter().flatten() {
                texts.push(content::resource_text(part, &frame).await);
            }
            let shown = content::fitting(Value::from(texts.join("\n\n")), &frame).await;
            Ok::<_, String>(shown.as_str().unwrap_or_default().to_owned())
        };
        let WaitOutcome::Ready(read) = self.wait_for(Some(pin!(reading))).await else {
            return None;
        };
        let text = match read {
            Ok(text) => format!("@{}:{uri}, as mentioned:\n{text}", link.name),
            Err(why) => format!("@{}:{uri} was mentioned and could not be read: {why}", link.name),
        };
        let shown = format!("<system-reminder>\n{text}\n</system-reminder>");
        Some(Attached {
            what: json!({"type": "mcp_resource", "server": link.name, "uri": uri, "name": uri}),
            blocks: vec![json!({"type": "text", "text": shown})],
        })
    }
}

/// Finds the server and the URI: the first reading that the server lists, or else the shortest, because trailing
/// punctuation is rarely part of a URI.
fn find_resource(links: &[Arc<Link>], readings: &[&str]) -> Option<(Arc<Link>, String)> {
    let shortest = *readings.last()?;
    let mut best: Option<&Arc<Link>> = None;
    for link in links {
        let fits = address(shortest, &link.name).is_some();
        // One server name may be a prefix of another.
        if fits && best.is_none_or(|best| best.name.len() < link.name.len()) {
            best = Some(link);
        }
    }
    let link = best?;
    let offer = link.offer().filter(|offer| offer.has_resources)?;
    let listed = |uri: &&str| offer.resources.iter().any(|resource| resource.uri == *uri);
    let mut addresses = readings.iter().filter_map(|reading| address(reading, &link.name));
    let uri = addresses.find(listed).or_else(|| address(shortest, &link.name))?;
    Some((link.clone(), uri.to_owned()))
}

/// The part after `server:`.
fn address<'a>(reading: &'a str, server: &str) -> Option<&'a str> {
    let uri = reading.strip_prefix(server)?.strip_prefix(':')?;
    (!uri.is_empty()).then_some(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uri_follows_the_server_name() {
        assert_eq!(address("docs:docs://a/1", "docs"), Some("docs://a/1"));
        assert_eq!(address("plugin:p:s:x", "plugin:p:s"), Some("x"));
        for none in ["docs", "docs:", "docs2:x", "/docs:x"] {
            assert_eq!(address(none, "docs"), None, "{none}");
        }
    }
}
