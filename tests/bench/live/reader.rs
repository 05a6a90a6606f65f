//! The least that reading can cost: the same protobuf pages, both lists at once, each page asked for as soon as
//! the one before has told its token, and nothing kept.

use std::path::Path;

use http::Request;
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};

/// Reads all nodes and the pods of kube-system.
pub(crate) fn read(kubeconfig: &Path) {
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
        tokio::join!(
            list(client.clone(), "/api/v1/nodes"),
            list(client, "/api/v1/namespaces/kube-system/pods"),
        );
    });
}

async fn list(client: Client, path: &str) {
    let mut token = String::new();
    loop {
        let request = Request::get(format!("{path}?limit=500&continue={token}"))
            .header("Accept", "application/vnd.kubernetes.protobuf")
            .body(Body::empty())
            .unwrap();
        let response = client.send(request).await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.status());
        let mut body = response.into_body();
        let mut head = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.unwrap();
            if let Some(bytes) = frame.data_ref()
                && head.len() < 4096
            {
                head.extend_from_slice(bytes);
            }
        }
        match continue_token(&head) {
            Some(next) if !next.is_empty() => token = next,
            _ => return,
        }
    }
}

/// `metadata.continue` of a list, from the first bytes of its body: behind four bytes of magic a
/// `runtime.Unknown`, whose raw bytes are the list, whose first field is its metadata.
fn continue_token(body: &[u8]) -> Option<String> {
    let unknown = body.strip_prefix(b"k8s\0")?;
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
