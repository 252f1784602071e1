//! WebSockets: opening, limits, closing.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use sluice_server::Scope;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::house::{House, eventually, options};
use crate::raw::{PATIENCE, connect, get, handshake};

pub(crate) type Client = WebSocketStream<TcpStream>;

/// Opens a WebSocket with these headers.
pub(crate) async fn open(house: &House, headers: &[(&'static str, &str)]) -> Client {
    let mut request = format!("ws://127.0.0.1:{}/ws", house.port)
        .into_client_request()
        .unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let unlimited = WebSocketConfig::default().max_frame_size(None).max_message_size(None);
    let stream = connect(house.port).await;
    let opened = tokio_tungstenite::client_async_with_config(request, stream, Some(unlimited)).await;
    opened.unwrap().0
}

async fn next(client: &mut Client) -> Option<Message> {
    timeout(PATIENCE, client.next())
        .await
        .expect("a message or the end")?
        .ok()
}

/// Returns the code of the close frame, if one was received before the end.
async fn close_code(client: &mut Client) -> Option<u16> {
    loop {
        if let Message::Close(frame) = next(client).await? {
            return frame.map(|frame| frame.code.into());
        }
    }
}

#[tokio::test]
async fn browsers_and_programs_get_a_socket_with_their_device_kind() {
    let house = House::open().await;
    let cookie = house.pair(Scope::Operate).await;
    let origin = house.origin();
    let mut browser = open(&house, &[("cookie", &cookie), ("origin", &origin)]).await;
    let hello: Value = serde_json::from_str(next(&mut browser).await.unwrap().to_text().unwrap()).unwrap();
    assert_eq!(hello["name"], "a browser");
    assert_eq!((&hello["scope"], &hello["kind"]), (&"operate".into(), &"cookie".into()));
    assert_eq!(
        (&hello["address"], &hello["secure"]),
        (&"127.0.0.1".into(), &false.into())
    );
    let token = house.token(Scope::View).await;
    let mut program = open(&house, &[("authorization", &token)]).await;
    let hello: Value = serde_json::from_str(next(&mut program).await.unwrap().to_text().unwrap()).unwrap();
    assert_eq!((&hello["scope"], &hello["kind"]), (&"view".into(), &"token".into()));
    program.send(Message::text("echo")).await.unwrap();
    assert_eq!(next(&mut program).await.unwrap(), Message::text("echo"));
    assert!(house.access.devices().iter().all(|device| device.online));
    drop(program);
    eventually("the program is gone", || !house.access.devices()[1].online).await;
}

#[tokio::test]
async fn revoking_a_device_closes_its_sockets_and_invalidates_its_cookie() {
    let house = House::open().await;
    let cookie = house.pair(Scope::Admin).await;
    let other = house.token(Scope::View).await;
    let origin = house.origin();
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = open(&house, &[("cookie", &cookie), ("origin", &origin)]).await;
        next(&mut socket).await.unwrap();
        sockets.push(socket);
    }
    let mut bystander = open(&house, &[("authorization", &other)]).await;
    next(&mut bystander).await.unwrap();
    let device = house.access.devices()[0].id.clone();
    house.access.revoke(&device, None).await.unwrap();
    for socket in &mut sockets {
        assert_eq!(close_code(socket).await, Some(1008));
    }
    let stolen = handshake("/ws")
        .with("Cookie", &cookie)
        .with("Origin", &origin)
        .send(house.port)
        .await;
    assert_eq!((stolen.status, stolen.code()), (401, "unknown_device".to_owned()));
    let blob = house
        .as_page(get("/metrics"))
        .with("Cookie", &cookie)
        .send(house.port)
        .await;
    assert_eq!(blob.status, 401);
    bystander.send(Message::text("still here")).await.unwrap();
    assert_eq!(next(&mut bystander).await.unwrap(), Message::text("still here"));
}

#[tokio::test]
async fn a_stuck_backend_cannot_keep_a_revoked_device_connected() {
    let house = House::open().await;
    *house.backend.stuck.lock().unwrap() = true;
    let token = house.token(Scope::View).await;
    let mut socket = open(&house, &[("authorization", &token)]).await;
    next(&mut socket).await.unwrap();
    let device = house.access.devices()[0].id.clone();
    house.access.revoke(&device, None).await.unwrap();
    assert_eq!(next(&mut socket).await, None, "the connection is cut");
}

#[tokio::test]
async fn a_frame_is_limited_to_24_mib() {
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let mut socket = open(&house, &[("authorization", &token)]).await;
    next(&mut socket).await.unwrap();
    let largest = "x".repeat(sluice_server::MAX_FRAME);
    socket.send(Message::text(largest.clone())).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap().len(), largest.len());
    // The server may close the connection before everything is sent.
    socket.send(Message::text(largest + "x")).await.ok();
    assert_eq!(close_code(&mut socket).await, Some(1009));
}

#[tokio::test]
async fn a_message_in_pieces_is_held_to_the_same_limit() {
    use tokio_tungstenite::tungstenite::protocol::frame::Frame;
    use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let mut socket = open(&house, &[("authorization", &token)]).await;
    next(&mut socket).await.unwrap();
    let piece = vec![b'x'; 8 * 1024 * 1024];
    for (place, data) in [Data::Text, Data::Continue, Data::Continue, Data::Continue]
        .into_iter()
        .enumerate()
    {
        let frame = Frame::message(piece.clone(), OpCode::Data(data), place == 3);
        if socket.send(Message::Frame(frame)).await.is_err() {
            break;
        }
    }
    assert_eq!(close_code(&mut socket).await, Some(1009));
}

#[tokio::test]
async fn frames_that_are_none_end_their_own_connection_with_the_reason() {
    use tokio::io::AsyncWriteExt;
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    // Invalid UTF-8 in text; an unmasked frame; a reserved opcode; a fragmented control frame.
    let cases: [(&[u8], u16); 4] = [
        (&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff], 1007),
        (&[0x81, 0x01, b'x'], 1002),
        (&[0x83, 0x80, 0, 0, 0, 0], 1002),
        (&[0x09, 0x80, 0, 0, 0, 0], 1002),
    ];
    for (bytes, code) in cases {
        let mut socket = open(&house, &[("authorization", &token)]).await;
        next(&mut socket).await.unwrap();
        socket.get_mut().write_all(bytes).await.unwrap();
        assert_eq!(close_code(&mut socket).await, Some(code), "{bytes:?}");
    }
}

#[tokio::test]
async fn connections_beyond_the_limit_get_an_error() {
    let mut few = options();
    few.limits.sockets = 1;
    let house = House::with(few).await;
    let token = house.token(Scope::View).await;
    let socket = open(&house, &[("authorization", &token)]).await;
    let refused = handshake("/ws").with("Authorization", &token).send(house.port).await;
    assert_eq!((refused.status, refused.code()), (503, "crowded".to_owned()));
    drop(socket);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while handshake("/ws")
        .with("Authorization", &token)
        .send(house.port)
        .await
        .status
        != 101
    {
        assert!(tokio::time::Instant::now() < deadline, "the place never came free");
    }
}

#[tokio::test]
async fn stopping_notifies_the_backend_first_and_waits_for_it() {
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let mut socket = open(&house, &[("authorization", &token)]).await;
    next(&mut socket).await.unwrap();
    let state = house.running.stop(Duration::from_secs(20)).await;
    assert_eq!(next(&mut socket).await, Some(Message::text("bye")));
    assert!(!state.path().join("bridge.json").exists());
    assert!(
        TcpStream::connect(("127.0.0.1", house.port)).await.is_err(),
        "nobody new"
    );
}

#[tokio::test]
async fn stopping_times_out() {
    let house = House::open().await;
    *house.backend.stuck.lock().unwrap() = true;
    let token = house.token(Scope::View).await;
    let mut socket = open(&house, &[("authorization", &token)]).await;
    next(&mut socket).await.unwrap();
    timeout(PATIENCE, house.running.stop(Duration::from_millis(50)))
        .await
        .expect("an end");
    assert_eq!(next(&mut socket).await, None);
}

#[tokio::test]
async fn an_invalid_handshake_gets_an_explanation() {
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let response = get("/ws").with("Authorization", &token).send(house.port).await;
    assert_eq!((response.status, response.code()), (426, "upgrade".to_owned()));
    let old = get("/ws")
        .with("Authorization", &token)
        .with("Connection", "Upgrade")
        .with("Upgrade", "websocket")
        .with("Sec-WebSocket-Version", "8")
        .with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    assert_eq!(old.send(house.port).await.status, 426);
}

#[tokio::test]
async fn a_page_can_ask_whether_its_device_is_known_without_opening_a_socket() {
    let house = House::open().await;
    let cookie = house.pair(Scope::View).await;
    // As browsers send reads by our page: without an Origin header.
    let ask = get("/ws").with("Sec-Fetch-Site", "same-origin");
    assert_eq!(ask.send(house.port).await.status, 401);
    let ask = ask.with("Cookie", &cookie);
    assert_eq!(ask.send(house.port).await.status, 426);
    let device = house.access.devices()[0].id.clone();
    house.access.revoke(&device, None).await.unwrap();
    assert_eq!(ask.send(house.port).await.status, 401);
}

#[tokio::test]
async fn a_frame_that_is_too_large_is_refused_by_its_length_before_it_is_sent() {
    use tokio::io::AsyncWriteExt;
    let house = House::open().await;
    let token = house.token(Scope::View).await;
    let mut socket = open(&house, &[("authorization", &token)]).await;
    next(&mut socket).await.unwrap();
    let length = (sluice_server::MAX_FRAME as u64 + 1).to_be_bytes();
    let head: Vec<u8> = [0x81, 0xff].into_iter().chain(length).chain([0; 4]).collect();
    socket.get_mut().write_all(&head).await.unwrap();
    assert_eq!(close_code(&mut socket).await, Some(1009));
}
