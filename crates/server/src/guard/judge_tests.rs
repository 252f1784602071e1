use proptest::prelude::*;

use super::*;

const OWN: &str = "127.0.0.1:4747";

fn arrival() -> Arrival {
    Arrival {
        local: OWN.parse().unwrap(),
        peer: "127.0.0.1".parse().unwrap(),
        tls: false,
        unix: false,
    }
}

fn judge(method: &str, headers: &[(&str, &str)], need: Need, behind_proxy: bool) -> Result<Seen, Reason> {
    let mut request = http::Request::builder().method(method).uri("/");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let rules = HostRules::new(&["box.example".to_owned()]).unwrap();
    let seen = look(&parts, &arrival(), &rules, behind_proxy)?;
    admit(&seen, need).map(|()| seen)
}

fn outcome(method: &str, headers: &[(&str, &str)], need: Need) -> Result<(), Reason> {
    let host = [("host", OWN)];
    let all: Vec<_> = host.iter().chain(headers).copied().collect();
    judge(method, &all, need, false).map(drop)
}

const COOKIE: (&str, &str) = ("cookie", "sluice=x");
const BEARER: (&str, &str) = ("authorization", "Bearer x");
const OUR_PAGE: (&str, &str) = ("origin", "http://127.0.0.1:4747");
const SAME: (&str, &str) = ("sec-fetch-site", "same-origin");

#[test]
fn a_cookie_needs_our_own_page() {
    assert_eq!(outcome("POST", &[COOKIE, OUR_PAGE, SAME], Need::Change), Ok(()));
    assert_eq!(
        outcome("POST", &[COOKIE, OUR_PAGE], Need::Change),
        Ok(()),
        "an old browser"
    );
    assert_eq!(outcome("POST", &[COOKIE], Need::Change), Err(Reason::OriginMissing));
    assert_eq!(
        outcome("POST", &[COOKIE, SAME], Need::Change),
        Err(Reason::OriginMissing)
    );
    assert_eq!(outcome("GET", &[COOKIE], Need::Read), Err(Reason::OriginMissing));
    assert_eq!(outcome("GET", &[COOKIE, SAME], Need::Read), Ok(()));
    assert_eq!(outcome("GET", &[SAME], Need::Read), Err(Reason::Unauthenticated));
    let typed = [
        COOKIE,
        ("sec-fetch-site", "none"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert_eq!(outcome("GET", &typed, Need::Read), Ok(()));
    assert_eq!(outcome("GET", &typed[..2], Need::Read), Err(Reason::OriginMissing));
    assert_eq!(outcome("POST", &typed, Need::Change), Err(Reason::OriginMissing));
}

#[test]
fn a_token_needs_no_origin_but_no_foreign_one_either() {
    assert_eq!(outcome("GET", &[BEARER], Need::Change), Ok(()));
    assert_eq!(
        outcome("GET", &[BEARER, ("origin", "http://evil.test")], Need::Change),
        Err(Reason::Origin)
    );
    assert_eq!(
        outcome("GET", &[BEARER, ("sec-fetch-site", "cross-site")], Need::Change),
        Err(Reason::Site)
    );
}

#[test]
fn another_page_may_link_to_the_page_and_do_nothing_else() {
    let link = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert_eq!(outcome("GET", &link, Need::Page), Ok(()));
    for need in [Need::Public, Need::PublicChange, Need::Read, Need::Change] {
        assert_eq!(outcome("GET", &link, need), Err(Reason::Site));
    }
    let frame = [link[0], link[1], ("sec-fetch-dest", "iframe")];
    assert_eq!(outcome("GET", &frame, Need::Page), Err(Reason::Site));
    let by_worker = [link[0], link[1], ("sec-fetch-dest", "empty")];
    assert_eq!(
        outcome("GET", &by_worker, Need::Page),
        Ok(()),
        "our service worker asks for it"
    );
    assert_eq!(outcome("GET", &by_worker, Need::Read), Err(Reason::Site));
    let script = [link[0], ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "script")];
    assert_eq!(outcome("GET", &script, Need::Page), Err(Reason::Site));
    let other_port = [("sec-fetch-site", "same-site"), COOKIE, OUR_PAGE];
    assert_eq!(outcome("POST", &other_port, Need::Change), Err(Reason::Site));
}

#[test]
fn proxy_headers_count_only_behind_a_proxy_and_only_the_last_value() {
    let forwarded = [
        ("host", "box.example"),
        ("x-forwarded-proto", "http, https"),
        ("x-forwarded-for", "198.51.100.9, 203.0.113.4"),
        ("origin", "https://box.example"),
    ];
    let seen = judge("GET", &forwarded, Need::Public, true).unwrap();
    assert_eq!(
        (seen.secure, seen.address.to_string()),
        (true, "203.0.113.4".to_owned())
    );
    assert_eq!(
        judge("GET", &forwarded, Need::Public, false).unwrap_err(),
        Reason::Origin
    );
    let seen = judge("GET", &forwarded[..3], Need::Public, false).unwrap();
    assert_eq!((seen.secure, seen.address.to_string()), (false, "127.0.0.1".to_owned()));
}

#[test]
fn a_body_without_a_length_is_refused() {
    let chunked = [("transfer-encoding", "chunked")];
    assert_eq!(outcome("POST", &chunked, Need::PublicChange), Err(Reason::Length));
}

fn header() -> impl Strategy<Value = (&'static str, &'static str)> {
    proptest::sample::select(vec![
        COOKIE,
        BEARER,
        OUR_PAGE,
        SAME,
        ("origin", "http://evil.test"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "127.0.0.1:4747"),
        ("host", "evil.test"),
    ])
}

proptest! {
    /// A request from a foreign page or host never changes anything, regardless of its other headers.
    #[test]
    fn nothing_foreign_ever_passes(
        mut headers in proptest::collection::vec(header(), 0..7),
        foreign in proptest::sample::select(vec![
            ("origin", "http://evil.test"), ("origin", "null"), ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"), ("host", "evil.test"),
        ]),
        place in 0usize..7,
        need in proptest::sample::select(vec![Need::Public, Need::PublicChange, Need::Read, Need::Change]),
        post in any::<bool>(),
    ) {
        headers.insert(place.min(headers.len()), foreign);
        let method = if post { "POST" } else { "GET" };
        prop_assert!(outcome(method, &headers, need).is_err());
    }

    /// A cookie is only accepted for changes together with our own origin.
    #[test]
    fn a_cookie_alone_changes_nothing(headers in proptest::collection::vec(header(), 0..7)) {
        let headers: Vec<_> = headers.into_iter().filter(|(name, value)| *name != "authorization" && *value != OUR_PAGE.1).collect();
        prop_assert!(outcome("POST", &headers, Need::Change).is_err());
    }
}
