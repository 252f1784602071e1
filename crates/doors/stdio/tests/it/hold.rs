//! Stream events wait for further events; other messages neither wait nor are delayed.

use std::time::Duration;

use serde_json::json;
use sluice_stdio::{Door, Format, InputMode, Pace};
use tokio::runtime::Handle;

use crate::rig::{FOR_EVER, event, informational, objects, pace, port, result, sink, to_host};

fn holding(hold: Duration) -> Door {
    Door {
        input: InputMode::StreamJson,
        format: Format::StreamJson.into(),
        pace: pace(hold),
        greeted: false,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_written_with_following_messages() {
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let port = port(|session| async move {
        for n in 0..3 {
            session.say(event(n)).await;
        }
        session.say(informational("that was it")).await;
        // The session continues, so its end is not what flushes the messages.
        gone.await.unwrap();
        0
    });
    let (sink, written) = sink();
    let served = tokio::spawn(holding(FOR_EVER).serve(port, std::io::empty(), sink, |_| {}));
    let first = tokio::task::spawn_blocking(move || (written.next(), written))
        .await
        .unwrap();
    let said = objects(&first.0);
    assert_eq!(said.len(), 4, "one write for all of them");
    assert_eq!(said[3]["subtype"], "informational");
    go.send(()).unwrap();
    assert_eq!(served.await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_messages_are_written_immediately() {
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let port = port(|session| async move {
        session.say(informational("now")).await;
        gone.await.unwrap();
        0
    });
    let (sink, written) = sink();
    let served = tokio::spawn(holding(FOR_EVER).serve(port, std::io::empty(), sink, |_| {}));
    let said = tokio::task::spawn_blocking(move || written.next()).await.unwrap();
    assert_eq!(objects(&said).len(), 1);
    go.send(()).unwrap();
    // The reader is gone by now, which must not block the session.
    served.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_written_when_the_hold_ends() {
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let port = port(|session| async move {
        session.say(event(0)).await;
        gone.await.unwrap();
        0
    });
    let (sink, written) = sink();
    let served = tokio::spawn(holding(Duration::from_millis(1)).serve(port, std::io::empty(), sink, |_| {}));
    let said = tokio::task::spawn_blocking(move || (written.next(), written))
        .await
        .unwrap();
    assert_eq!(objects(&said.0).len(), 1);
    go.send(()).unwrap();
    assert_eq!(served.await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn end_of_session_flushes_events() {
    let port = port(|session| async move {
        session.say(event(0)).await;
        0
    });
    let (sink, written) = sink();
    assert_eq!(holding(FOR_EVER).serve(port, std::io::empty(), sink, |_| {}).await, 0);
    assert_eq!(objects(&written.rest()).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_messages_are_written_together() {
    let (output, messages) = tokio::sync::mpsc::channel(16);
    for n in 0..5 {
        output.send(to_host(&event(n))).await.unwrap();
    }
    output.send(to_host(&result(json!({"result": "done"})))).await.unwrap();
    drop(output);
    let (sink, written) = sink();
    let clock = Handle::current();
    tokio::task::spawn_blocking(move || {
        sluice_stdio::writer::write(Format::StreamJson, pace(FOR_EVER), &clock, messages, sink).unwrap();
    })
    .await
    .unwrap();
    let first = written.next();
    assert_eq!(objects(&first).len(), 6);
    assert_eq!(written.rest(), "");
}

/// A host that reads both lines at once handles the request before the message with the input.
#[tokio::test(flavor = "multi_thread")]
async fn permission_request_waits_until_the_message_before_it_is_read() {
    use std::sync::atomic::{AtomicU64, Ordering};
    static UNREAD: AtomicU64 = AtomicU64::new(1);
    let (output, messages) = tokio::sync::mpsc::channel(16);
    output.send(to_host(&informational("the message"))).await.unwrap();
    let ask = json!({"type": "control_request", "request_id": "a", "request": {
        "subtype": "can_use_tool", "tool_name": "Write", "input": {}, "tool_use_id": "t"}});
    output.send(to_host(&ask)).await.unwrap();
    output.send(to_host(&informational("behind it"))).await.unwrap();
    drop(output);
    let (sink, written) = sink();
    let clock = Handle::current();
    let pace = Pace {
        hold: FOR_EVER,
        // At the second call the host has read the message.
        unread: || UNREAD.swap(0, Ordering::SeqCst),
    };
    tokio::task::spawn_blocking(move || {
        sluice_stdio::writer::write(Format::StreamJson, pace, &clock, messages, sink).unwrap();
    })
    .await
    .unwrap();
    assert_eq!(
        objects(&written.next()).len(),
        1,
        "the message is out before the request"
    );
    assert_eq!(UNREAD.load(Ordering::SeqCst), 0, "it was waited for");
    assert_eq!(objects(&written.rest()).len(), 2);
}
