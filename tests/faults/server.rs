//! An API server made by hand, for tests: a small cluster in both encodings, and every way of not answering.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How the server writes its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Protobuf,
    Json,
}

/// A read, and which page of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Version,
    Nodes(u8),
    Pods(u8),
    Leases,
}

impl Place {
    /// The place that a request asks for.
    pub(crate) fn of(target: &str) -> Option<Self> {
        let page = if target.contains("continue=") { 2 } else { 1 };
        let path = target.split('?').next().unwrap_or_default();
        match path {
            "/version" => Some(Self::Version),
            "/api/v1/nodes" => Some(Self::Nodes(page)),
            "/api/v1/namespaces/kube-system/pods" => Some(Self::Pods(page)),
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases" => Some(Self::Leases),
            _ => None,
        }
    }

    pub(crate) fn is_same_read(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A whole answer.
    Whole {
        code: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
        close: bool,
    },
    /// These bytes and the end of the connection.
    Raw(Vec<u8>),
    /// Half of an answer of known length.
    Cut,
    /// Half of an answer in chunks.
    CutChunks,
    /// The end of the connection.
    Close,
    /// Nothing at all, for a long time.
    Silence,
    /// Half an answer, and then nothing.
    Stall,
    /// An answer that would take minutes.
    Drip,
}

impl Reply {
    pub(crate) fn of(code: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = [("content-type", content_type)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self::Whole {
            code,
            headers,
            body: body.into(),
            close: false,
        }
    }

    pub(crate) fn json(code: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::of(code, "application/json", body)
    }

    pub(crate) fn protobuf(code: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::of(code, "application/vnd.kubernetes.protobuf", body)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        if let Self::Whole { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    pub(crate) fn and_close(mut self) -> Self {
        if let Self::Whole { close, .. } = &mut self {
            *close = true;
        }
        self
    }

    /// Answers; `false` where the connection ends with it.
    fn send(self, stream: &mut impl Write) -> std::io::Result<bool> {
        const HALF: &[u8] = b"k8s\0\x12\x7f\x12\x05";
        const PROTOBUF: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/vnd.kubernetes.protobuf\r\n";
        match self {
            Self::Whole {
                code,
                headers,
                body,
                close,
            } => {
                let mut head = format!("HTTP/1.1 {code} Status\r\n");
                for (name, value) in headers {
                    head.extend([&name, ": ", &value, "\r\n"]);
                }
                if close {
                    head += "connection: close\r\n";
                }
                if code != 204 && code != 304 {
                    head.extend(["content-length: ", &body.len().to_string(), "\r\n"]);
                }
                stream.write_all(head.as_bytes())?;
                stream.write_all(b"\r\n")?;
                stream.write_all(&body)?;
                stream.flush()?;
                return Ok(!close);
            }
            Self::Raw(bytes) => stream.write_all(&bytes)?,
            Self::Cut => {
                stream.write_all(format!("{PROTOBUF}content-length: 99\r\n\r\n").as_bytes())?;
                stream.write_all(HALF)?;
            }
            Self::CutChunks => {
                stream.write_all(format!("{PROTOBUF}transfer-encoding: chunked\r\n\r\n8\r\n").as_bytes())?;
                stream.write_all(HALF)?;
                stream.write_all(b"\r\n")?;
            }
            Self::Close => {}
            Self::Silence => thread::sleep(Duration::from_secs(60)),
            Self::Drip => {
                stream.write_all(format!("{PROTOBUF}content-length: 999\r\n\r\n").as_bytes())?;
                for byte in HALF.iter().chain(std::iter::repeat_n(&0, 990)) {
                    stream.write_all(&[*byte])?;
                    stream.flush()?;
                    thread::sleep(Duration::from_millis(100));
                }
            }
            Self::Stall => {
                stream.write_all(format!("{PROTOBUF}content-length: 99\r\n\r\n").as_bytes())?;
                stream.write_all(HALF)?;
                stream.flush()?;
                thread::sleep(Duration::from_secs(60));
            }
        }
        stream.flush()?;
        Ok(false)
    }
}

/// A server on a free port of the loopback; it stops with the value.
pub(crate) struct Server {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server; the handler gets each request's target and what of its head is needed is in it.
    pub(crate) fn start(handler: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let stopped = Arc::new(AtomicBool::new(false));
        let (handler, stop) = (Arc::new(handler), Arc::clone(&stopped));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let handler = Arc::clone(&handler);
                thread::spawn(move || serve(stream, &*handler));
            }
        });
        Self { address, stopped }
    }

    /// Its address, without TLS.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(stream: TcpStream, handler: &dyn Fn(&str) -> Reply) {
    let Ok(mut writer) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(stream);
    while let Some(target) = request(&mut reader) {
        match handler(&target).send(&mut writer) {
            Ok(true) => {}
            Ok(false) | Err(_) => break,
        }
    }
}

/// The target of the next request.
fn request(reader: &mut impl BufRead) -> Option<String> {
    let mut first = String::new();
    reader
        .take(65_536)
        .read_line(&mut first)
        .ok()
        .filter(|read| *read > 0)?;
    loop {
        let mut line = String::new();
        reader
            .take(65_536)
            .read_line(&mut line)
            .ok()
            .filter(|read| *read > 0)?;
        if line.trim().is_empty() {
            return first.split_whitespace().nth(1).map(str::to_owned);
        }
    }
}

/// The small cluster: three nodes and four pods in pages as they are asked for, one Lease.
pub(crate) fn cluster(target: &str, encoding: Encoding) -> Reply {
    match Place::of(target) {
        Some(Place::Version) => Reply::json(200, r#"{"major":"1","minor":"37","gitVersion":"v1.37.1"}"#),
        Some(Place::Nodes(_)) => page(target, encoding, "NodeList", &["n1", "n2", "n3"].map(node)),
        Some(Place::Pods(_)) => pods(
            target,
            encoding,
            &[
                pod("kube-proxy-a", "r.io/kube-proxy:v1.36.0"),
                pod("app-a", "r.io/app:1"),
                pod("kube-proxy-b", "r.io/kube-proxy:v1.35.0"),
                pod("app-b", "r.io/app:1"),
            ],
        ),
        Some(Place::Leases) => page(target, encoding, "LeaseList", &[lease()]),
        None => Reply::of(404, "text/plain", "404 page not found\n"),
    }
}

/// An object in both encodings.
struct Object {
    json: String,
    protobuf: Vec<u8>,
}

fn node(name: &str) -> Object {
    Object {
        json: format!(
            r#"{{"metadata":{{"name":"{name}"}},"spec":{{}},"status":{{"nodeInfo":{{"kubeletVersion":"v1.36.1"}}}}}}"#
        ),
        protobuf: [
            field(1, field(1, name)),
            field(2, ""),
            field(3, field(7, field(7, "v1.36.1"))),
        ]
        .concat(),
    }
}

/// A pod of kube-system.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    pub(crate) name: String,
    pub(crate) node: &'static str,
    pub(crate) version: u32,
    pub(crate) label: Option<(&'static str, &'static str)>,
    pub(crate) image: String,
}

/// A pod without a label, on the first node.
pub(crate) fn pod(name: &str, image: &str) -> Pod {
    Pod {
        name: name.to_owned(),
        node: "n1",
        version: 1,
        label: None,
        image: image.to_owned(),
    }
}

impl Pod {
    fn object(&self) -> Object {
        let Self {
            name,
            node,
            version,
            label,
            image,
        } = self;
        let mut metadata = [
            field(1, name),
            field(3, "kube-system"),
            field(6, version.to_string()),
        ]
        .concat();
        let labels = label.map_or_else(String::new, |(key, value)| {
            metadata.extend(field(11, [field(1, key), field(2, value)].concat()));
            format!(r#""{key}":"{value}""#)
        });
        let container = [field(1, "main"), field(2, image)].concat();
        let spec = [field(2, container), field(10, node)].concat();
        Object {
            json: format!(
                r#"{{"metadata":{{"name":"{name}","namespace":"kube-system","resourceVersion":"{version}","labels":{{{labels}}}}},"spec":{{"nodeName":"{node}","containers":[{{"name":"main","image":"{image}"}}]}},"status":{{"phase":"Running"}}}}"#
            ),
            protobuf: [field(1, metadata), field(2, spec), field(3, field(1, "Running"))].concat(),
        }
    }

    /// Whether the selectors of a request select it.
    fn is_selected(&self, target: &str) -> bool {
        let label = |selector: String| {
            let (key, values) = selector
                .split_once(" in ")
                .or(selector.split_once('='))
                .expect("a selector");
            let values = values.trim_matches(['(', ')']);
            self.label
                .is_some_and(|(own, value)| own == key && values.split(',').any(|one| one == value))
        };
        let name = |selector: String| selector.strip_prefix("metadata.name=") == Some(&self.name);
        parameter(target, "labelSelector").is_none_or(label)
            && parameter(target, "fieldSelector").is_none_or(name)
    }
}

/// The decoded value of a parameter of a request.
pub(crate) fn parameter(target: &str, name: &str) -> Option<String> {
    let query = target.split_once('?')?.1;
    let value = query
        .split('&')
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
    let mut parts = value.split('%');
    let mut decoded = parts.next()?.to_owned();
    for part in parts {
        let (code, rest) = part.split_at(2);
        decoded.push(char::from(u8::from_str_radix(code, 16).expect("two digits")));
        decoded.push_str(rest);
    }
    Some(decoded)
}

/// The pods that a request selects, as the table or the list that it asks for.
pub(crate) fn pods(target: &str, encoding: Encoding, pods: &[Pod]) -> Reply {
    let selected: Vec<_> = pods.iter().filter(|pod| pod.is_selected(target)).collect();
    if parameter(target, "includeObject").is_none() {
        let objects: Vec<_> = selected.into_iter().map(Pod::object).collect();
        return page(target, encoding, "PodList", &objects);
    }
    let (range, next) = page_of(target, selected.len());
    let rows: Vec<_> = selected[range]
        .iter()
        .map(|pod| {
            format!(
                r#"{{"cells":["{}","1/1",0,"{}"],"object":null}}"#,
                pod.name, pod.node
            )
        })
        .collect();
    Reply::json(
        200,
        format!(
            r#"{{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{{"continue":"{next}"}},"columnDefinitions":[{{"name":"Name"}},{{"name":"Ready"}},{{"name":"Restarts"}},{{"name":"Node"}}],"rows":[{}]}}"#,
            rows.join(",")
        ),
    )
}

fn lease() -> Object {
    let label = [
        field(1, "apiserver.kubernetes.io/identity"),
        field(2, "kube-apiserver"),
    ]
    .concat();
    let metadata = [field(1, "apiserver-x"), field(3, "kube-system"), field(11, label)].concat();
    Object {
        json: r#"{"metadata":{"name":"apiserver-x","namespace":"kube-system","labels":{"apiserver.kubernetes.io/identity":"kube-apiserver"}},"spec":{"renewTime":"1970-01-01T00:01:00.000000Z"}}"#
            .to_owned(),
        protobuf: [field(1, metadata), field(2, field(4, [8, 60]))].concat(),
    }
}

fn page(target: &str, encoding: Encoding, kind: &str, objects: &[Object]) -> Reply {
    let (range, next) = page_of(target, objects.len());
    list(encoding, kind, &next, &objects[range])
}

/// The objects of the page that a request asks for, and the token of the page behind it.
pub(crate) fn page_of(target: &str, objects: usize) -> (Range<usize>, String) {
    let number = |name: &str| parameter(target, name).and_then(|value| value.parse().ok());
    let start: usize = number("continue").unwrap_or(0);
    let end = number("limit").map_or(objects, |limit: usize| (start + limit).min(objects));
    let next = if end < objects {
        end.to_string()
    } else {
        String::new()
    };
    (start.min(end)..end, next)
}

fn list(encoding: Encoding, kind: &str, next: &str, items: &[Object]) -> Reply {
    match encoding {
        Encoding::Json => {
            let items: Vec<_> = items.iter().map(|object| object.json.as_str()).collect();
            let body = format!(
                r#"{{"kind":"{kind}","apiVersion":"v1","metadata":{{"continue":"{next}"}},"items":[{}]}}"#,
                items.join(",")
            );
            Reply::json(200, body)
        }
        Encoding::Protobuf => {
            let mut raw = field(1, field(3, next));
            for object in items {
                raw.extend(field(2, &object.protobuf));
            }
            Reply::protobuf(200, envelope(kind, raw))
        }
    }
}

/// Three nodes, the second of which is of odd types.
pub(crate) fn nodes_with_a_broken_one(encoding: Encoding) -> Reply {
    let broken = Object {
        json: r#"{"metadata":{"name":"n2"},"status":{"nodeInfo":{"kubeletVersion":7}}}"#.to_owned(),
        protobuf: [field(1, field(1, "n2")), vec![3 << 3, 1]].concat(),
    };
    list(encoding, "NodeList", "", &[node("n1"), broken, node("n3")])
}

pub(crate) fn json_status(code: u16, reason: &str, message: &str) -> String {
    let message = message.replace('"', "\\\"");
    format!(
        r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{message}","reason":"{reason}","code":{code}}}"#
    )
}

pub(crate) fn proto_status(code: u16, reason: &str, message: &str) -> Vec<u8> {
    let mut number = vec![6 << 3];
    number.extend(varint(u64::from(code)));
    envelope("Status", [field(3, message), field(4, reason), number].concat())
}

impl Reply {
    /// The same answer, compressed in so many members; `keep` bytes of it are sent.
    pub(crate) fn gzipped(self, members: usize, keep: Option<usize>) -> Self {
        let Self::Whole {
            code,
            headers,
            body,
            close,
        } = self
        else {
            return self;
        };
        let mut packed = Vec::new();
        for part in body.chunks(body.len().div_ceil(members).max(1)) {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(part).expect("memory takes it");
            packed.extend(encoder.finish().expect("memory takes it"));
        }
        packed.truncate(keep.unwrap_or(packed.len()));
        Self::Whole {
            code,
            headers,
            body: packed,
            close,
        }
        .with("content-encoding", "gzip")
    }
}

/// An answer that says gzip and is none.
pub(crate) fn gzip_broken() -> Reply {
    Reply::json(200, b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xff\xff\xff\xff".to_vec())
        .with("content-encoding", "gzip")
}

fn envelope(kind: &str, raw: Vec<u8>) -> Vec<u8> {
    let meta = [field(1, "v1"), field(2, kind)].concat();
    [
        b"k8s\0".to_vec(),
        field(1, meta),
        field(2, raw),
        field(3, ""),
        field(4, ""),
    ]
    .concat()
}

fn field(tag: u8, content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    [vec![tag << 3 | 2], varint(content.len() as u64), content.to_vec()].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        bytes.push(if value > 0 { low | 0x80 } else { low });
        if value == 0 {
            return bytes;
        }
    }
}
