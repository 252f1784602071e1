//! A pairing link: the URL with the code in its fragment, also as a QR code.

use qrcode::{Color, EcLevel, QrCode};

use crate::scope::Scope;

/// A valid pairing code.
#[derive(Clone, PartialEq, Eq)]
pub struct Offer {
    /// The code, as two groups of four characters.
    pub code: String,
    /// URLs of the server with the code in the fragment, which is neither sent to servers nor logged.
    pub urls: Vec<String>,
    /// Expiry in milliseconds since 1970.
    pub expires_at: i64,
    /// Scope of the device; `None` means admin for the first device and approve for others.
    pub scope: Option<Scope>,
}

impl std::fmt::Debug for Offer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Offer")
            .field("scope", &self.scope)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

impl Offer {
    pub(super) fn new(code: String, bases: &[String], expires_at: i64, scope: Option<Scope>) -> Self {
        let urls = bases.iter().map(|base| format!("{base}/#pair={code}")).collect();
        Self {
            code,
            urls,
            expires_at,
            scope,
        }
    }

    /// Returns a URL for a phone: the first one that is not a loopback address, if there is one.
    pub fn url_to_scan(&self) -> Option<&str> {
        let local = |url: &&String| url.contains("//127.") || url.contains("//[::1]") || url.contains("//localhost");
        let outside = self.urls.iter().find(|url| !local(url));
        outside.or(self.urls.first()).map(String::as_str)
    }
}

/// Returns a text as a QR code: rows of `0` and `1` including the quiet zone.
pub fn qr_rows(text: &str) -> Vec<String> {
    const QUIET: usize = 4;
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::M) else {
        return Vec::new();
    };
    let width = code.width();
    let colors = code.to_colors();
    let empty = "0".repeat(width + 2 * QUIET);
    let side = "0".repeat(QUIET);
    let mut rows = vec![empty.clone(); QUIET];
    for row in colors.chunks(width) {
        let dots: String = row.iter().map(|color| color.select('1', '0')).collect();
        rows.push(format!("{side}{dots}{side}"));
    }
    rows.extend(vec![empty; QUIET]);
    debug_assert!(colors.iter().all(|color| matches!(color, Color::Dark | Color::Light)));
    rows
}

/// Returns a text as a QR code for a terminal, with two rows per line in half blocks. Light on dark, as most terminals
/// are; scanners accept both.
pub fn qr_text(text: &str) -> String {
    let rows = qr_rows(text);
    let mut lines = String::new();
    for pair in rows.chunks(2) {
        let upper = pair.first().map(String::as_str).unwrap_or_default();
        let lower = pair.get(1).map(String::as_str);
        // An odd last row is completed with light modules.
        let lower = lower.unwrap_or_default().chars().chain(std::iter::repeat('0'));
        for (up, down) in upper.chars().zip(lower) {
            lines.push(match (up, down) {
                ('0', '0') => '█',
                ('0', _) => '▀',
                (_, '0') => '▄',
                _ => ' ',
            });
        }
        lines.push('\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terminal_shows_the_same_dots_as_the_rows() {
        let url = "http://127.0.0.1:4747/#pair=K7QF-2M9X";
        let rows = qr_rows(url);
        assert!(rows.iter().all(|row| row.len() == rows.len()), "a square");
        let finder = &rows[4][4..11];
        assert_eq!(finder, "1111111", "the finder in the upper left corner");
        let text = qr_text(url);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), rows.len().div_ceil(2));
        for (place, line) in lines.iter().enumerate() {
            for (column, shown) in line.chars().enumerate() {
                let dark = |row: usize| rows.get(row).is_some_and(|row| row.as_bytes()[column] == b'1');
                let expected = match (dark(place * 2), dark(place * 2 + 1)) {
                    (false, false) => '█',
                    (false, true) => '▀',
                    (true, false) => '▄',
                    (true, true) => ' ',
                };
                assert_eq!(shown, expected);
            }
        }
    }

    #[test]
    fn the_qr_code_contains_an_address_that_phones_can_reach() {
        let bases = ["https://127.0.0.1:4747".to_owned(), "https://192.0.2.7:4747".to_owned()];
        let offer = Offer::new("AAAA-BBBB".into(), &bases, 0, None);
        assert_eq!(offer.url_to_scan(), Some("https://192.0.2.7:4747/#pair=AAAA-BBBB"));
    }
}
