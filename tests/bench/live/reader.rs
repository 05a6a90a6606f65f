//! The least that reading can cost: the same lists in the same pages, all side by side, each page asked for as soon as
//! the one before has shown its token, unpacked and thrown away.

use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzDecoder;
use http::Request;
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use tokio::task::JoinSet;

/// Reads lists to their end.
pub(crate) fn read(kubeconfig: &Path, paths: &[String]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
            .await
            .unwrap();
        let client = Client::try_from(config).unwrap();
        let mut lists = JoinSet::new();
        for path in paths {
            lists.spawn(list(client.clone(), path.clone()));
        }
        lists.join_all().await;
    });
}

async fn list(client: Client, path: String) {
    let accept = if path.contains("includeObject=None") {
        "application/json;as=Table;g=meta.k8s.io;v=v1"
    } else {
        "application/vnd.kubernetes.protobuf, application/json"
    };
    let mut token = String::new();
    loop {
        let separator = if path.contains('?') { '&' } else { '?' };
        let request = Request::get(format!("{path}{separator}continue={token}"))
            .header("Accept", accept)
            .header("Accept-Encoding", "gzip")
            .body(Body::empty())
            .unwrap();
        let response = client.send(request).await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.status());
        let is_packed = response.headers().contains_key("content-encoding");
        let mut head = Head::default();
        let mut unpacked = GzDecoder::new(&mut head);
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            if let Some(bytes) = frame.unwrap().data_ref() {
                if is_packed {
                    unpacked.write_all(bytes).unwrap();
                } else {
                    unpacked.get_mut().write_all(bytes).unwrap();
                }
            }
        }
        drop(unpacked);
        match continue_token(&head.0) {
            Some(next) if !next.is_empty() => token = next,
            _ => return,
        }
    }
}

/// The beginning of a body; the rest is thrown away.
#[derive(Default)]
struct Head(Vec<u8>);

impl Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() < 4096 {
            self.0.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `metadata.continue` of a list, from the first bytes of its body: behind four bytes of magic a
/// `runtime.Unknown`, whose raw bytes are the list, whose first field is its metadata.
fn continue_token(body: &[u8]) -> Option<String> {
    let Some(unknown) = body.strip_prefix(b"k8s\0") else {
        // A table, in JSON: its metadata comes first.
        let head = String::from_utf8_lossy(body);
        let (_, token) = head.split_once("\"continue\":\"")?;
        return Some(token.split('"').next()?.to_owned());
    };
    let list = field(unknown, 2)?;
    let metadata = field(list, 1)?;
    field(metadata, 3).map(|token| String::from_utf8_lossy(token).into_owned())
}

/// The bytes of the first field of a number, as far as they are here; all fields before it carry bytes too.
fn field(mut message: &[u8], wanted: u64) -> Option<&[u8]> {
    loop {
        let key = varint(&mut message)?;
        // Numbers, such as remainingItemCount, are passed over.
        if key % 8 == 0 {
            varint(&mut message)?;
            continue;
        }
        let length = usize::try_from(varint(&mut message)?).ok()?;
        let value = &message[..length.min(message.len())];
        if key / 8 == wanted {
            return Some(value);
        }
        message = message.get(length..)?;
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
