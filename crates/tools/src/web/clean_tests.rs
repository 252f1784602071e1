#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn cleaned(html: &str) -> String {
    clean(html, &Url::parse("https://a.test/docs/page").unwrap())
}

#[test]
fn meaningful_elements_are_kept() {
    assert_eq!(
        cleaned(
            "<DIV class=x><h1 id='a'>One &amp; two</h1><p>Text <B>bold</b> <a href=\"other?x=1&amp;y=2#z\">link</a></DIV>"
        ),
        "<div><h1>One &amp; two</h1><p>Text <strong>bold</strong> <a href=\"https://a.test/docs/other?x=1&amp;y=2#z\">link</a></p></div>"
    );
    assert_eq!(cleaned("a<br/>b<hr>1 < 2"), "a<br>b<hr>1 &lt; 2");
    assert_eq!(
        cleaned("<img src=/x.png alt='A \"cat\"'><img src=/y.png>"),
        "<img src=\"https://a.test/x.png\" alt=\"A &quot;cat&quot;\">"
    );
    assert_eq!(cleaned("<title>A <b> page</title><p>x"), "<p>A &lt;b> page</p><p>x</p>");
}

#[test]
fn meaningless_elements_are_removed() {
    assert_eq!(cleaned("a<script>if (x < y) { '</p>' }</SCRIPT >b"), "ab");
    assert_eq!(
        cleaned("a<style>p{}</style><!-- <p> -->b<!doctype html><?php x ?>c"),
        "abc"
    );
    assert_eq!(cleaned("a<svg><svg/><g><svg>x</svg></g>y</svg>b"), "ab");
    assert_eq!(cleaned("<span title='>'>a</span><custom-tag>b</custom-tag>"), "ab");
    assert_eq!(
        cleaned("<a href='javascript:alert(1)'>a</a><a href=#top>b</a><a>c</a>"),
        "abc"
    );
    assert_eq!(cleaned("a<script>never closed <p>"), "a");
}

#[test]
fn unclosed_elements_are_closed_correctly() {
    assert_eq!(cleaned("<p>a<p>b"), "<p>a</p><p>b</p>");
    assert_eq!(
        cleaned("<ul><li>a<ul><li>b</ul><li>c</ul>"),
        "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"
    );
    assert_eq!(
        cleaned("<table><tr><td>a<td>b<tr><td>c</table>"),
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"
    );
    assert_eq!(cleaned("<p><b>a<h1>t"), "<p><strong>a</strong></p><h1>t</h1>");
    assert_eq!(
        cleaned("<a href=/x><h3>t</h3></a>u"),
        "<a href=\"https://a.test/x\"><h3>t</h3></a>u"
    );
    assert_eq!(cleaned("</b></p>a</div>"), "a");
    assert_eq!(
        cleaned("<div><table><tr><td></div>a</table>"),
        "<div><table><tr><td>a</td></tr></table></div>"
    );
}

/// Returns the nesting depth of tags; fails if they are not balanced.
fn depth(html: &str) -> usize {
    let (mut open, mut deepest) = (Vec::new(), 0);
    for tag in html.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        let name = tag.split(' ').next().unwrap();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{html}");
        } else if !matches!(name, "br" | "hr" | "img") {
            open.push(name);
            deepest = deepest.max(open.len());
        }
    }
    assert!(open.is_empty(), "{open:?} in {html}");
    deepest
}

#[test]
fn markup_meant_to_break_a_parser_comes_out_flat() {
    let url = Url::parse("https://a.test/").unwrap();
    for bomb in [
        "<div>",
        "<b><i>",
        "<ul><li>",
        "<table><tr><td>",
        "<a href=x><p>",
        "<b id=1><p>",
        "<blockquote>",
        "<svg>",
    ] {
        let out = cleaned(&bomb.repeat(20_000));
        assert!(depth(&out) <= MAX_DEPTH, "{bomb}");
        let text = super::super::page::text(bomb.repeat(20_000).as_bytes(), Some("text/html"), &url).unwrap();
        assert!(text.len() < 4 << 20, "{bomb} grew to {}", text.len());
    }
    assert!(cleaned(&"x".repeat(2 * MAX_OUTPUT)).len() <= 2 * MAX_OUTPUT);
    assert!(cleaned(&"<p>x".repeat(MAX_OUTPUT / 4)).len() <= MAX_OUTPUT + 100);
}

proptest! {
    #[test]
    fn any_text_comes_out_balanced(parts in prop::collection::vec(prop::sample::select(vec![
        "<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<a href='x'>", "</a>", "<ul>", "<li>", "</ul>", "<table>",
        "<tr>", "<td>", "</table>", "</td>", "<h1>", "</h1>", "text", "<", ">", "\"", "'", "=", "/", "<!--", "-->", "<script>",
        "</script>", "<svg>", "</svg>", "<img src=x alt=", "é", "<pre>", "</pre>", " ", "<title>", "</",
    ]), 0..60)) {
        depth(&cleaned(&parts.concat()));
    }

    #[test]
    fn no_input_makes_it_fail(text in ".{0,200}") {
        cleaned(&text);
    }
}
