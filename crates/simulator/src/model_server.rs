//! The Messages API on loopback: takes requests, lets a [`Brain`] think, carries out the beats of its reply.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::brain::{Brain, is_main};
use crate::capture::{Ending, Kind, Log, Request};
use crate::error::Error;
use crate::gate::{Gate, Gates};
use crate::playback::{Beat, Envelope, beats, error_body, gates, whole};
use crate::script::Script;

type Body = BoxBody<Bytes, io::Error>;

/// Lets what was sent leave the machine before the connection is dropped.
const LINGER: Duration = Duration::from_millis(20);

/// A running scripted model. Stops when dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    log: Log,
    gates: Gates,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl ModelServer {
    /// Serves `brain` (a [`Script`], say) on a free port of the loopback.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn start(brain: impl Brain) -> Result<Self, Error> {
        Self::listen(brain, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
    }

    /// Serves `brain` on `address`.
    ///
    /// # Errors
    /// If the port cannot be had.
    pub async fn listen(brain: impl Brain, address: SocketAddr) -> Result<Self, Error> {
        let refused = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let server = Self {
            address: listener.local_addr().map_err(refused)?,
            log: Log::new(),
            gates: Gates::default(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        if brain.refuses() {
            return Ok(server);
        }
        let stage = Stage {
            brain: Arc::new(brain),
            log: server.log.clone(),
            gates: server.gates.clone(),
            tasks: server.tasks.clone(),
        };
        server.tasks.spawn(accept(listener, stage, server.stop.clone()));
        Ok(server)
    }

    /// What to put into `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The main requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let mut requests = self.log.all();
        requests.retain(Request::is_main);
        requests
    }

    /// Everything that came, errands, token counts and probes included.
    #[must_use]
    pub fn everything(&self) -> Vec<Request> {
        self.log.all()
    }

    /// Waits until `count` main requests have come; gives them back.
    pub async fn wait_requests(&self, count: usize) -> Vec<Request> {
        let enough = |all: &[Request]| {
            let main: Vec<Request> = all.iter().filter(|it| it.is_main()).cloned().collect();
            (main.len() >= count).then_some(main)
        };
        self.log.wait(enough).await.unwrap_or_default()
    }

    /// Waits until the answer to the `n`-th main request (from 1) is over, and says how.
    pub async fn wait_ending(&self, n: usize) -> Ending {
        let over = |all: &[Request]| {
            let request = all.iter().find(|it| it.kind == Kind::Main(n))?;
            (request.ending != Ending::Open).then_some(request.ending)
        };
        self.log.wait(over).await.unwrap_or(Ending::Open)
    }

    /// The gate of that name.
    #[must_use]
    pub fn gate(&self, name: &str) -> Gate {
        self.gates.get(name)
    }

    /// Stops and waits until every connection is closed.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.gates.open_all();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Runs until `stop` is done.
    pub async fn run_until(self, stop: impl Future<Output = ()>) {
        stop.await;
        self.shutdown().await;
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.cancel();
        self.tasks.close();
    }
}

/// Plays the model script in `script_text` on `listen` until the future is dropped.
///
/// # Errors
/// If the script is bad or the port cannot be had.
pub async fn run_model(script_text: &str, listen: SocketAddr, announce: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let server = ModelServer::listen(Script::parse(script_text)?, listen).await?;
    announce(server.address());
    server.run_until(std::future::pending()).await;
    Ok(())
}

/// What a connection needs to answer.
#[derive(Clone)]
struct Stage {
    brain: Arc<dyn Brain>,
    log: Log,
    gates: Gates,
    tasks: TaskTracker,
}

async fn accept(listener: TcpListener, stage: Stage, stop: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        // A connection that broke while it was being accepted is the client's affair.
        let Ok((socket, _)) = accepted else { continue };
        let stage_of_connection = stage.clone();
        let stop = stop.clone();
        stage.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = serve(socket, stage_of_connection) => {}
            }
        });
    }
}

async fn serve(socket: TcpStream, stage: Stage) {
    // Without this a chunk may wait for the next one; tests count chunks.
    drop(socket.set_nodelay(true));
    let service = service_fn(|request| answer(request, stage.clone()));
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service);
    // Cut connections end with an error by intent, and clients may leave when they like.
    drop(connection.await);
}

async fn answer(request: hyper::Request<Incoming>, stage: Stage) -> io::Result<Response<Body>> {
    let request = read(request).await?;
    let (method, path) = (request.method.clone(), request.path.clone());
    let is_message = method == Method::POST.as_str() && path.contains("/v1/messages") && !path.contains("count_tokens");
    let (main, body) = (is_main(&request.body), request.body.clone());
    let (place, kind) = stage.log.add(request, |earlier| {
        let of_kind = |main: bool| {
            let same = |it: &&Request| it.kind != Kind::Other && it.is_main() == main;
            earlier.iter().filter(same).count() + 1
        };
        match (is_message, main) {
            (false, _) => Kind::Other,
            (true, true) => Kind::Main(of_kind(true)),
            (true, false) => Kind::Errand(of_kind(false)),
        }
    });
    let mut ending = Witness {
        log: stage.log.clone(),
        place,
        ending: Ending::ClientLeft,
    };
    let (reply, number) = match kind {
        Kind::Main(n) => (stage.brain.reply(&body, n), n.to_string()),
        Kind::Errand(n) => (stage.brain.errand(&body), format!("aux{n}")),
        Kind::Other => {
            ending.ending = Ending::Complete;
            let count = path.contains("count_tokens");
            let body = if count { json!({"input_tokens": 100}) } else { json!({}) };
            return json_response(200, &body, &[]);
        }
    };
    if let Some(name) = &reply.gate_head {
        stage.gates.get(name).pass().await;
    }
    if !reply.first_delay.is_zero() {
        tokio::time::sleep(reply.first_delay).await;
    }
    if reply.cut_before_headers {
        ending.ending = Ending::Cut;
        return Err(io::Error::other("the script cuts before the headers"));
    }
    let tag = stage.brain.tag();
    let mut headers = vec![("request-id".to_owned(), format!("req_{tag}_{number}"))];
    headers.extend(reply.headers.iter().cloned());
    if let Some(status) = reply.status {
        ending.ending = Ending::Complete;
        return json_response(status, &error_body(&reply, "api_error", "scripted error"), &headers);
    }
    let envelope = Envelope {
        id: format!("msg_{tag}_{number}"),
        model: body.get("model").cloned().unwrap_or(Value::Null),
        call_prefix: format!("toolu_{tag}_{number}"),
    };
    if body.get("stream") != Some(&Value::Bool(true)) {
        for name in gates(&reply) {
            stage.gates.get(name).pass().await;
        }
        ending.ending = Ending::Complete;
        return json_response(200, &whole(&reply, &envelope), &headers);
    }
    let (sender, mut receiver) = mpsc::channel(1);
    stage
        .tasks
        .spawn(play(beats(&reply, &envelope), stage.gates, sender, ending));
    let frames = stream::poll_fn(move |context| receiver.poll_recv(context));
    let mut response = Response::new(BodyExt::boxed(StreamBody::new(frames)));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    add_headers(&mut response, &headers)?;
    Ok(response)
}

/// Notes how an answer ended, also when its task is dropped on the way.
struct Witness {
    log: Log,
    place: usize,
    ending: Ending,
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.log.end(self.place, self.ending);
    }
}

async fn read(request: hyper::Request<Incoming>) -> io::Result<Request> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let body = if bytes.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()))
    };
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Ok(Request {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: head.headers.iter().map(header).collect(),
        body,
        at: SystemTime::now(),
        kind: Kind::Other,
        ending: Ending::Open,
    })
}

type Sender = mpsc::Sender<io::Result<Frame<Bytes>>>;

/// Carries out the beats of a stream until they end or nobody listens any more.
async fn play(beats: Vec<Beat>, gates: Gates, sender: Sender, mut witness: Witness) {
    let ending = tokio::select! {
        () = sender.closed() => Ending::ClientLeft,
        ending = play_beats(beats, &gates, &sender) => ending,
    };
    witness.ending = ending;
}

async fn play_beats(beats: Vec<Beat>, gates: &Gates, sender: &Sender) -> Ending {
    for beat in beats {
        match beat {
            Beat::Event(name, data) => {
                let text = format!("event: {name}\ndata: {data}\n\n");
                if sender.send(Ok(Frame::data(Bytes::from(text)))).await.is_err() {
                    return Ending::ClientLeft;
                }
            }
            Beat::Wait(time) => tokio::time::sleep(time).await,
            Beat::Gate(name) => gates.get(&name).pass().await,
            Beat::Cut => {
                tokio::time::sleep(LINGER).await;
                drop(sender.send(Err(io::Error::other("the script cuts here"))).await);
                return Ending::Cut;
            }
        }
    }
    Ending::Complete
}

fn json_response(status: u16, body: &Value, headers: &[(String, String)]) -> io::Result<Response<Body>> {
    let whole = Full::new(Bytes::from(body.to_string()));
    let mut response = Response::new(whole.map_err(|never: Infallible| match never {}).boxed());
    *response.status_mut() = StatusCode::from_u16(status).map_err(io::Error::other)?;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    add_headers(&mut response, headers)?;
    Ok(response)
}

fn add_headers(response: &mut Response<Body>, headers: &[(String, String)]) -> io::Result<()> {
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(io::Error::other)?;
        let value = HeaderValue::from_str(value).map_err(io::Error::other)?;
        response.headers_mut().insert(name, value);
    }
    Ok(())
}
