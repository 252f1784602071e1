//! Encoding and decoding of frames, for arbitrary values and arbitrary splits of the bytes.

use proptest::prelude::*;
use sluice_runner::{AgentStatus, Decoder, Frame, FrameError, FromRunner, Kind, Record, Signal, ToRunner};

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..300)
}

fn to_runner() -> impl Strategy<Value = ToRunner> {
    prop_oneof![
        any::<(u64, u64)>().prop_map(|(term, from)| ToRunner::Hello { term, from }),
        (any::<u64>(), bytes()).prop_map(|(id, line)| ToRunner::Write { id, line }),
        Just(ToRunner::EndInput),
        prop_oneof![Just(Signal::Interrupt), Just(Signal::Terminate), Just(Signal::Kill)].prop_map(ToRunner::Signal),
        any::<u64>().prop_map(|below| ToRunner::Trim { below }),
        any::<u64>().prop_map(|grace_ms| ToRunner::Shutdown { grace_ms }),
    ]
}

fn from_runner() -> impl Strategy<Value = FromRunner> {
    let agent = prop_oneof![
        any::<(u32, u64)>().prop_map(|(pid, started)| AgentStatus::Running { pid, started }),
        any::<(Option<i32>, Option<i32>)>().prop_map(|(code, signal)| AgentStatus::Exited { code, signal }),
    ];
    let record = (any::<u64>(), any::<u64>(), 1_u8..7, bytes()).prop_map(|(number, at, kind, body)| {
        let kind = Kind::of(kind).unwrap();
        FromRunner::Record(Record { number, at, kind, body })
    });
    prop_oneof![
        (any::<(u64, u64, u64)>(), agent).prop_map(|((term, first, next), agent)| FromRunner::Welcome {
            term,
            first,
            next,
            agent
        }),
        any::<u64>().prop_map(|term| FromRunner::Refused { term }),
        record,
        any::<u64>().prop_map(|next| FromRunner::CaughtUp { next }),
        any::<(u64, u64)>().prop_map(|(id, number)| FromRunner::Wrote { id, number }),
        (any::<u64>(), ".*").prop_map(|(id, reason)| FromRunner::NotWritten { id, reason }),
        any::<u64>().prop_map(|term| FromRunner::Overtaken { term }),
    ]
}

/// Encodes all values, splits the bytes at the given places, and decodes them again.
fn round_trip<T: Frame>(values: &[T], cuts: &[usize]) -> Vec<T> {
    let mut bytes = Vec::new();
    for value in values {
        value.encode(&mut bytes);
    }
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    for piece in cuts.windows(2) {
        decoder.push(&bytes[piece[0]..piece[1]]);
        while let Some(value) = decoder.next().unwrap() {
            out.push(value);
        }
    }
    out
}

proptest! {
    #[test]
    fn frames_to_the_runner_decode_for_any_split(
        values in prop::collection::vec(to_runner(), 0..8),
        cuts in prop::collection::vec(any::<usize>(), 0..30),
    ) {
        prop_assert_eq!(round_trip(&values, &cuts), values);
    }

    #[test]
    fn frames_from_the_runner_decode_for_any_split(
        values in prop::collection::vec(from_runner(), 0..8),
        cuts in prop::collection::vec(any::<usize>(), 0..30),
    ) {
        prop_assert_eq!(round_trip(&values, &cuts), values);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in bytes()) {
        let mut decoder = Decoder::<ToRunner>::new();
        decoder.push(&bytes);
        while let Ok(Some(_)) = decoder.next() {}
        let mut decoder = Decoder::<FromRunner>::new();
        decoder.push(&bytes);
        while let Ok(Some(_)) = decoder.next() {}
    }

    #[test]
    fn flipped_bit_in_a_record_is_detected(body in bytes(), place in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut bytes = Vec::new();
        FromRunner::Record(Record { number: 7, at: 8, kind: Kind::Said, body }).encode(&mut bytes);
        // The length is not changed: that would give another frame, not another record.
        let at = 4 + place.index(bytes.len() - 4);
        bytes[at] ^= 1 << bit;
        let mut decoder = Decoder::<FromRunner>::new();
        decoder.push(&bytes);
        prop_assert!(!matches!(decoder.next(), Ok(Some(FromRunner::Record(_)))));
    }
}

#[test]
fn too_long_frame_is_refused_by_its_length() {
    let mut decoder = Decoder::<ToRunner>::new();
    decoder.push(&u32::MAX.to_le_bytes());
    assert_eq!(
        decoder.next(),
        Err(FrameError::TooLong {
            length: u32::MAX as usize,
            limit: 32 << 20
        })
    );
}

#[test]
fn unknown_tag_and_trailing_payload_are_errors() {
    let mut decoder = Decoder::<ToRunner>::new();
    decoder.push(&[1, 0, 0, 0, 99]);
    assert_eq!(decoder.next(), Err(FrameError::Unknown { tag: 99 }));
    let mut decoder = Decoder::<ToRunner>::new();
    decoder.push(&[2, 0, 0, 0, 3, 0]);
    assert_eq!(decoder.next(), Err(FrameError::Malformed { tag: 3 }));
}
