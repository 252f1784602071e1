use proptest::prelude::*;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

fn letters() -> impl Strategy<Value = [u8; LENGTH]> {
    proptest::array::uniform8(proptest::sample::select(ALPHABET.to_vec()))
}

#[derive(Debug, Clone)]
enum Step {
    Offer([u8; LENGTH]),
    /// An offered code, by index.
    Use(usize),
    Guess([u8; LENGTH]),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        letters().prop_map(Step::Offer),
        (0usize..6).prop_map(Step::Use),
        letters().prop_map(Step::Guess),
        (0u64..400).prop_map(Step::Pass),
    ]
}

proptest! {
    #[test]
    fn a_code_is_accepted_in_any_notation(code in letters(), lower in any::<bool>(), plain in any::<bool>()) {
        let mut text = write(code);
        if lower { text = text.to_ascii_lowercase(); }
        if plain { text = text.replace('-', " "); }
        prop_assert_eq!(read(&text), Some(code));
    }

    #[test]
    fn invalid_codes_are_rejected(text in "\\PC{0,12}") {
        if let Some(code) = read(&text) {
            prop_assert!(code.iter().all(|letter| ALPHABET.contains(letter)));
        }
    }

    /// Compares with a simple model: a code is valid once, within its lifetime, unless pairing is locked; five wrong
    /// codes in a row lock it for a minute.
    #[test]
    fn a_code_is_valid_once_until_expiry_and_guessing_locks(steps in proptest::collection::vec(step(), 1..60)) {
        let limits = PairingLimits { open: 100, ..PairingLimits::default() };
        let mut pairing = Pairing::new(limits);
        let mut now = Duration::ZERO;
        let mut offered: Vec<([u8; LENGTH], Duration, bool)> = Vec::new();
        let (mut wrong, mut locked_until) = (0, Duration::ZERO);
        for step in steps {
            let given = match step {
                Step::Pass(seconds) => { now += Duration::from_secs(seconds); continue }
                Step::Offer(code) => {
                    if offered.iter().any(|(other, ..)| *other == code) { continue }
                    pairing.offer(now, code, None);
                    offered.push((code, now + 10 * MINUTE, false));
                    continue;
                }
                Step::Use(place) => match offered.get(place) { Some((code, ..)) => *code, None => continue },
                Step::Guess(code) => code,
            };
            let attempt = pairing.attempt(now, &write(given));
            if now < locked_until {
                prop_assert_eq!(attempt, Attempt::Locked { wait: locked_until - now });
                continue;
            }
            let open = offered.iter_mut().find(|(code, until, used)| *code == given && now < *until && !used);
            if let Some((.., used)) = open {
                *used = true;
                wrong = 0;
                prop_assert!(matches!(attempt, Attempt::Good(_)));
            } else {
                wrong += 1;
                if wrong == 5 {
                    wrong = 0;
                    locked_until = now + MINUTE;
                    prop_assert_eq!(attempt, Attempt::Locks { wait: MINUTE });
                } else {
                    prop_assert_eq!(attempt, Attempt::Wrong);
                }
            }
        }
    }
}

#[test]
fn the_right_code_is_not_used_up_while_pairing_is_locked() {
    let mut pairing = Pairing::new(PairingLimits::default());
    pairing.offer(Duration::ZERO, *b"ABCDEFGH", Some(Scope::View));
    for _ in 0..4 {
        assert_eq!(pairing.attempt(Duration::ZERO, "AAAA-AAAA"), Attempt::Wrong);
    }
    assert_eq!(
        pairing.attempt(Duration::ZERO, "not a code"),
        Attempt::Locks { wait: MINUTE }
    );
    assert_eq!(
        pairing.attempt(Duration::from_secs(59), "ABCD-EFGH"),
        Attempt::Locked {
            wait: Duration::from_secs(1)
        }
    );
    assert!(matches!(pairing.attempt(MINUTE, "ABCD-EFGH"), Attempt::Good(code) if code.scope == Some(Scope::View)));
}

#[test]
fn the_oldest_code_makes_room() {
    let mut pairing = Pairing::new(PairingLimits {
        open: 2,
        ..PairingLimits::default()
    });
    for code in [b"AAAAAAAA", b"BBBBBBBB", b"CCCCCCCC"] {
        pairing.offer(Duration::ZERO, *code, None);
    }
    assert_eq!(pairing.attempt(Duration::ZERO, "AAAAAAAA"), Attempt::Wrong);
    assert!(matches!(pairing.attempt(Duration::ZERO, "BBBBBBBB"), Attempt::Good(_)));
    assert!(matches!(pairing.attempt(Duration::ZERO, "CCCCCCCC"), Attempt::Good(_)));
}
