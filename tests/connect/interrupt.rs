//! Ctrl-C while a plugin, a proxy or a server keeps us waiting: the end comes at once, with code 130, nothing is printed
//! and the plugin ends too.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::rows::joined;
use super::world::silent;

fn is_alive(pid: &str) -> bool {
    let zero = Command::new("kill")
        .args(["-0", pid])
        .stderr(Stdio::null())
        .status();
    zero.unwrap().success()
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a run with this kubeconfig, interrupts it when it waits, and gives what it printed.
fn interrupted(kubeconfig: &serde_json::Value, waits: impl Fn() -> bool) -> String {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config");
    std::fs::write(&config, kubeconfig.to_string()).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
        .env("KUBECONFIG", &config)
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("it waits", waits);
    let started = Instant::now();
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_plugin_that_hangs_ends_with_us() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pid");
    // The shell becomes the program that sleeps, under the same number.
    let script = format!(
        "echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600",
        note.display()
    );
    let exec = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
        "command": "sh", "args": ["-c", script],
    });
    let cluster = json!({"server": "https://127.0.0.1:1"});
    let said = interrupted(&joined(&cluster, &json!({"exec": exec})), || note.exists());
    assert_eq!(said, "");
    let pid = std::fs::read_to_string(&note).unwrap();
    until("the plugin has ended", || !is_alive(pid.trim()));
}

#[test]
fn a_silent_proxy_and_a_silent_server_are_left_at_once() {
    let (proxy, proxy_heard) = silent();
    let (server, server_heard) = silent();
    let authority = STANDARD.encode(super::world::Certificates::make().authority);
    for (cluster, heard) in [
        (
            json!({"server": "https://server.example", "proxy-url": format!("http://{proxy}")}),
            proxy_heard,
        ),
        (
            json!({"server": format!("https://{server}"), "certificate-authority-data": authority}),
            server_heard,
        ),
    ] {
        let waits = || heard.load(std::sync::atomic::Ordering::SeqCst) > 0;
        assert_eq!(interrupted(&joined(&cluster, &json!({"token": "t"})), waits), "");
    }
}
