//! The control socket.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use sluice_server::{BridgeRequest, ControlError, Scope, StateError, StateFolder, What, ask, read_note};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::house::House;
use crate::raw::get;

#[tokio::test]
async fn the_bridge_reports_its_status() {
    let house = House::open().await;
    house.token(Scope::View).await;
    let status = ask(&house.state(), &BridgeRequest::Status).await.unwrap();
    assert_eq!(status["pid"], std::process::id());
    assert_eq!(status["version"], "9.9.9");
    assert_eq!(status["addresses"], json!(house.running.urls()));
    assert_eq!((&status["devices"], &status["online"]), (&json!(1), &json!(0)));
    assert_eq!(status["bridge"], json!({"sessions": 3}));
    let note = read_note(&house.state()).unwrap();
    assert_eq!((note.pid, note.version.as_str()), (std::process::id(), "9.9.9"));
    assert_eq!(note.addresses, house.running.urls());
}

#[tokio::test]
async fn codes_and_tokens_made_there_work_at_the_door() {
    let house = House::open().await;
    let scope = Some(Scope::Operate);
    let offer = ask(&house.state(), &BridgeRequest::Pair { scope }).await.unwrap();
    let code = offer["code"].as_str().unwrap();
    assert_eq!(offer["scan"], format!("{}/#pair={code}", house.origin()));
    assert!(offer["qr"].as_array().unwrap().len() > 20);
    assert_eq!(house.post_code(code).await.status, 200);
    let request = BridgeRequest::Token {
        name: "script".to_owned(),
        scope: Scope::Admin,
    };
    let made = ask(&house.state(), &request).await.unwrap();
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    assert_eq!(
        get("/metrics")
            .with("Authorization", &bearer)
            .send(house.port)
            .await
            .status,
        200
    );
    let listed = ask(&house.state(), &BridgeRequest::Devices).await.unwrap();
    let scopes: Vec<&Value> = listed["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|device| &device["scope"])
        .collect();
    assert_eq!(scopes, ["operate", "admin"]);
    assert!(!listed.to_string().contains(made["token"].as_str().unwrap()));
    let device = made["device"]["id"].as_str().unwrap().to_owned();
    ask(&house.state(), &BridgeRequest::Revoke { device: device.clone() })
        .await
        .unwrap();
    assert_eq!(
        get("/metrics")
            .with("Authorization", &bearer)
            .send(house.port)
            .await
            .status,
        401
    );
    let twice = ask(&house.state(), &BridgeRequest::Revoke { device })
        .await
        .unwrap_err();
    assert!(matches!(twice, ControlError::Refused(message) if message.starts_with("there is no device")));
}

#[tokio::test]
async fn stop_and_upgrade_are_for_the_whole_program() {
    let mut house = House::open().await;
    let state = house.state();
    let asking = tokio::spawn(async move { ask(&state, &BridgeRequest::Stop).await });
    let wanted = house.running.wanted().await;
    assert_eq!(wanted.what, What::Stop);
    wanted.reply.accept(json!({"stopping": true}));
    assert_eq!(asking.await.unwrap().unwrap(), json!({"stopping": true}));
    let state = house.state();
    let asking = tokio::spawn(async move { ask(&state, &BridgeRequest::Upgrade).await });
    let wanted = house.running.wanted().await;
    assert_eq!(wanted.what, What::Upgrade);
    wanted.reply.refuse("the program is gone");
    let refused = asking.await.unwrap().unwrap_err();
    assert!(matches!(refused, ControlError::Refused(message) if message == "the program is gone"));
}

#[tokio::test]
async fn an_invalid_control_request_is_answered_with_an_error() {
    let house = House::open().await;
    for line in ["{\"do\":\"explode\"}\n", "no json\n", "{}\n", "\n"] {
        let mut stream = tokio::net::UnixStream::connect(house.state().join("control.sock"))
            .await
            .unwrap();
        stream.write_all(line.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(
            answer.starts_with("{\"error\":\"the bridge does not know that request"),
            "{answer}"
        );
    }
    assert!(ask(&house.state(), &BridgeRequest::Status).await.is_ok());
}

#[tokio::test]
async fn the_socket_is_private() {
    let house = House::open().await;
    let mode = |name: &str| {
        std::fs::metadata(house.state().join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode("control.sock"), mode("")), (0o600, 0o700));
}

#[tokio::test]
async fn a_missing_bridge_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = ask(folder.path(), &BridgeRequest::Status).await.unwrap_err();
    assert!(matches!(nobody, ControlError::NotRunning(_)));
    // The stale socket of a bridge that was killed.
    drop(std::os::unix::net::UnixListener::bind(folder.path().join("control.sock")).unwrap());
    let nobody = ask(folder.path(), &BridgeRequest::Status).await.unwrap_err();
    assert!(nobody.to_string().contains("hint: `sluice serve` starts one"));
}

#[tokio::test]
async fn a_second_bridge_on_the_folder_is_refused() {
    let house = House::open().await;
    let error = StateFolder::take(&house.state()).unwrap_err();
    assert!(matches!(&error, StateError::InUse { note: Some(note), .. } if note.pid == std::process::id()));
    drop(house.running.stop(std::time::Duration::from_secs(20)).await);
    assert!(StateFolder::take(&house.folder.path().join("state")).is_ok());
}
