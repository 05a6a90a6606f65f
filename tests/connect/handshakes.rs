//! TLS handshakes out of the ordinary: a real server of each kind, written in Go as Kubernetes' own are, is asked by
//! the real kubectl and by the product. A row a kind; where rustls takes less than Go, the error names the kind, the
//! server and what to type next.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

use super::rows::handshakes::{Outcome, ROWS, Row};
use super::{Setup, every_row_holds, kubectl, run};

/// A server, as its program tells of it.
#[derive(Deserialize)]
struct RunningServer {
    name: String,
    server: String,
    authority: String,
    #[serde(default)]
    client: String,
    #[serde(default)]
    key: String,
    /// Whether it is asked without being verified.
    #[serde(default)]
    insecure: bool,
    /// Whether the authority is the system's and not the kubeconfig's.
    #[serde(default)]
    system: bool,
}

/// The servers; they end with the value.
struct Servers {
    program: Child,
    told: Vec<RunningServer>,
}

impl Servers {
    fn start() -> Self {
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/control-plane/handshakes");
        assert!(
            built.exists(),
            "the tests need the servers at {}: run tests/run",
            built.display()
        );
        let mut program = Command::new(built)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let told = serde_json::from_str(&line).unwrap();
        Self { program, told }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        drop(self.program.stdin.take());
        drop(self.program.wait());
    }
}

fn setup(told: &RunningServer, folder: &Path) -> Setup {
    let user = if told.client.is_empty() {
        json!({"token": "t0ken"})
    } else {
        json!({
            "client-certificate-data": STANDARD.encode(&told.client),
            "client-key-data": STANDARD.encode(&told.key),
        })
    };
    let mut setup = Setup::default();
    let mut cluster = json!({"server": told.server});
    if told.insecure {
        cluster["insecure-skip-tls-verify"] = json!(true);
    } else if told.system {
        let authorities = folder.join("authorities");
        std::fs::write(&authorities, &told.authority).unwrap();
        setup
            .env
            .push(("SSL_CERT_FILE", authorities.to_str().unwrap().to_owned()));
        setup.env.push(("SSL_CERT_DIR", "/nonexistent".to_owned()));
    } else {
        cluster["certificate-authority-data"] = json!(STANDARD.encode(&told.authority));
    }
    setup.kubeconfig = super::rows::joined(&cluster, &user);
    setup
}

/// Runs one row; what does not hold is told.
fn check(row: &Row, told: &RunningServer) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(told, folder.path());
    std::fs::write(folder.path().join("config"), setup.kubeconfig.to_string()).unwrap();
    let theirs = run(&kubectl(), &["get", "--raw", "/version"], &setup, folder.path());
    let skew = PathBuf::from(env!("CARGO_BIN_EXE_kubectl-skew"));
    let args = ["--target", "1.37", "--kubectl-version", "v1.37.0"];
    let ours = run(&skew, &args, &setup, folder.path());
    let they_take = theirs.status.success();
    // The server forbids everything but its version: 2 is a report, 1 is none.
    let we_take = ours.status.code() == Some(2);
    let stderr = String::from_utf8_lossy(&ours.stderr).into_owned();
    let failed_with = |words: &str| {
        let (_, error) = stderr.split_at(stderr.find("error: ").unwrap_or_default());
        let (error, hint) = error.trim().split_once('\n').unwrap_or_default();
        // What is wrong with our own certificate or with an authority is told before any server is asked.
        let where_from = error.contains(&told.server)
            || error.starts_with("error: the client ")
            || error.starts_with("error: the certificate authority");
        ours.status.code() == Some(1)
            && ours.stdout.is_empty()
            && where_from
            && error.contains(words)
            && !hint.is_empty()
    };
    let holds = match row.outcome {
        Outcome::Taken => they_take && we_take,
        Outcome::Refused(words) => {
            !they_take
                && failed_with(words)
                && !["kubectl may", "kubectl accepts"]
                    .iter()
                    .any(|it| stderr.contains(it))
        }
        Outcome::OnlyKubectl(words) => they_take && failed_with(words) && stderr.contains("kubectl proxy"),
        Outcome::Either(words) => !they_take && failed_with(words) && stderr.contains("kubectl may"),
    };
    let warned = stderr.contains("Warning: the client certificate has expired");
    if holds && warned == (row.kind == "a client's certificate that has expired") {
        return Ok(());
    }
    Err(format!(
        "{}\n  kubectl: {}\n  skew ({:?}): {}",
        row.kind,
        if they_take {
            "takes it".to_owned()
        } else {
            String::from_utf8_lossy(&theirs.stderr).trim().to_owned()
        },
        ours.status.code(),
        stderr.trim()
    ))
}

#[test]
fn every_handshake_is_taken_as_kubectl_takes_it_or_named() {
    let servers = Servers::start();
    let mut kinds: Vec<_> = servers.told.iter().map(|told| told.name.as_str()).collect();
    let mut rows: Vec<_> = ROWS.iter().map(|row| row.kind).collect();
    kinds.sort_unstable();
    rows.sort_unstable();
    assert_eq!(kinds, rows, "a row a kind");
    every_row_holds(&servers.told, |told| {
        let row = ROWS.iter().find(|row| row.kind == told.name).unwrap();
        check(row, told)
    });
}

#[test]
fn what_kubectl_takes_and_we_do_not_goes_through_kubectl_proxy() {
    let servers = Servers::start();
    let told = servers
        .told
        .iter()
        .find(|told| told.name == "a server key of ECDSA P-521")
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(told, folder.path());
    let config = folder.path().join("config");
    std::fs::write(&config, setup.kubeconfig.to_string()).unwrap();
    let mut proxy = Command::new(kubectl())
        .args(["proxy", "--port=0"])
        .env("KUBECONFIG", &config)
        .env("HOME", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let read = BufReader::new(proxy.stdout.take().unwrap()).read_line(&mut line);
    let address = line.trim().rsplit(' ').next().unwrap_or_default().to_owned();
    let skew = PathBuf::from(env!("CARGO_BIN_EXE_kubectl-skew"));
    let server = format!("--server=http://{address}");
    let args = ["--target", "1.37", "--kubectl-version", "v1.37.0", &server];
    let ours = run(&skew, &args, &setup, folder.path());
    proxy.kill().unwrap();
    proxy.wait().unwrap();
    read.unwrap();
    assert_eq!(ours.status.code(), Some(2), "{ours:?}");
    let stdout = String::from_utf8_lossy(&ours.stdout);
    assert!(
        stdout.contains(&format!("1.37.1 at http://{address}")),
        "{stdout}"
    );
}
