//! Cache of fetched pages, because models often request a page twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Url;
use tokio::time::Instant;

use super::page::Page;

/// Time a page stays in the cache.
const MAX_AGE: Duration = Duration::from_secs(15 * 60);
/// Maximum number of pages.
const MAX_PAGES: usize = 64;
/// Maximum total size of text in bytes.
const MAX_BYTES: usize = 32 << 20;

/// Pages by requested URL.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<HashMap<String, Entry>>);

#[derive(Debug)]
struct Entry {
    page: Arc<Page>,
    at: Instant,
}

impl Cache {
    pub(super) fn get(&self, url: &Url) -> Option<Arc<Page>> {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = pages.get(&key(url))?;
        (entry.at.elapsed() < MAX_AGE).then(|| Arc::clone(&entry.page))
    }

    pub(super) fn put(&self, url: &Url, page: &Arc<Page>) {
        if page.text.len() > MAX_BYTES {
            return;
        }
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|_, entry| entry.at.elapsed() < MAX_AGE);
        let entry = Entry {
            page: Arc::clone(page),
            at: Instant::now(),
        };
        pages.insert(key(url), entry);
        while pages.len() > MAX_PAGES || pages.values().map(|entry| entry.page.text.len()).sum::<usize>() > MAX_BYTES {
            let oldest = pages.iter().min_by_key(|(_, entry)| entry.at);
            let Some(oldest) = oldest.map(|(url, _)| url.clone()) else {
                break;
            };
            pages.remove(&oldest);
        }
    }
}

/// Returns the key of a URL: without the fragment, which is never sent to a server.
fn key(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use super::*;

    fn page(size: usize) -> Arc<Page> {
        Arc::new(Page {
            text: "x".repeat(size),
            bytes: size,
            code: 200,
            code_text: "OK".to_owned(),
        })
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_is_cached_for_fifteen_minutes() {
        let cache = Cache::default();
        cache.put(&url("https://a.test/x#one"), &page(1));
        tokio::time::advance(MAX_AGE - Duration::from_secs(1)).await;
        assert!(cache.get(&url("https://a.test/x#two")).is_some());
        assert!(cache.get(&url("https://a.test/y")).is_none());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(cache.get(&url("https://a.test/x")).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_makes_room() {
        let cache = Cache::default();
        for at in 0..=MAX_PAGES {
            cache.put(&url(&format!("https://a.test/{at}")), &page(1));
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(cache.get(&url("https://a.test/0")).is_none());
        assert!(cache.get(&url("https://a.test/1")).is_some());
        cache.put(&url("https://a.test/large"), &page(MAX_BYTES));
        assert!(cache.get(&url("https://a.test/large")).is_some());
        assert!(cache.get(&url("https://a.test/1")).is_none());
        cache.put(&url("https://a.test/larger"), &page(MAX_BYTES + 1));
        assert!(cache.get(&url("https://a.test/larger")).is_none());
    }
}
