//! Other programs: which ones are run, and that none outlives us. Ctrl-C while a plugin, a proxy or a server keeps us
//! waiting ends at once, with code 130, and nothing is printed.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::rows::joined;
use super::world::silent;

fn is_alive(pid: &str) -> bool {
    // One that has ended and that nobody has asked about is still listed.
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        return !stat.contains(") Z ");
    }
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

/// A plugin that starts another program and waits for it, and where it notes the numbers of both.
fn plugin_with_a_child(note: &Path, then: &str) -> serde_json::Value {
    let script = format!(
        "sleep 600 & echo $$ $! > {0}.new; mv {0}.new {0}; {then}",
        note.display()
    );
    let exec = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
        "command": "sh", "args": ["-c", script],
    });
    joined(&json!({"server": "https://127.0.0.1:1"}), &json!({"exec": exec}))
}

fn all_have_ended(note: &Path) {
    for pid in std::fs::read_to_string(note).unwrap().split_whitespace() {
        until("the plugin and its child have ended", || !is_alive(pid));
    }
}

#[test]
fn a_plugin_that_hangs_ends_with_us_and_so_does_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pid");
    let said = interrupted(&plugin_with_a_child(&note, "wait"), || note.exists());
    assert_eq!(said, "");
    all_have_ended(&note);
}

#[test]
fn a_plugin_that_is_ended_for_its_answer_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pid");
    let config = folder.path().join("config");
    let plugin = plugin_with_a_child(&note, "tr '\\0' x < /dev/zero");
    std::fs::write(&config, plugin.to_string()).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
        .env("KUBECONFIG", &config)
        .env("HOME", folder.path())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    all_have_ended(&note);
}

/// Standard input may be a file of somebody's, which is not for a plugin; what a plugin says to a person is shown.
#[test]
fn a_plugin_gets_no_input_but_a_terminals_and_speaks_on_stderr() {
    let certificates = super::world::Certificates::make();
    let world = super::world::World::new(&certificates);
    let cluster = json!({
        "server": format!("https://{}", world.tls),
        "certificate-authority-data": STANDARD.encode(&certificates.authority),
    });
    let v1 = "client.authentication.k8s.io/v1";
    let script = format!(
        r#"echo opening a browser >&2
printf '{{"kind":"ExecCredential","apiVersion":"{v1}","status":{{"token":"got-%s."}}}}' "$(cat)""#
    );
    for mode in ["Never", "IfAvailable"] {
        let exec = json!({
            "apiVersion": v1, "interactiveMode": mode, "command": "sh", "args": ["-c", script],
        });
        let folder = tempfile::tempdir().unwrap();
        let (config, input) = (folder.path().join("config"), folder.path().join("input"));
        std::fs::write(&config, joined(&cluster, &json!({"exec": exec})).to_string()).unwrap();
        std::fs::write(&input, "input").unwrap();
        let ran = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
            .args(["--target=1.37", "--kubectl-version=v1.37.0"])
            .env("KUBECONFIG", &config)
            .env("HOME", folder.path())
            .stdin(std::fs::File::open(&input).unwrap())
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        assert_eq!(
            world.take().unwrap().authorization.as_deref(),
            Some("Bearer got-.")
        );
        assert!(
            String::from_utf8_lossy(&ran.stderr).starts_with("opening a browser\n"),
            "{ran:?}"
        );
    }
}

/// kubectl itself may be a script of somebody's: it is asked for its version for two seconds.
#[test]
fn a_kubectl_that_hangs_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pid");
    let kubectl = folder.path().join("kubectl");
    let script = format!("#!/bin/sh\nsleep 600 &\necho $$ $! > {}\nwait\n", note.display());
    std::fs::write(&kubectl, script).unwrap();
    std::fs::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let certificates = super::world::Certificates::make();
    let world = super::world::World::new(&certificates);
    let cluster = json!({"server": format!("http://{}", world.plain)});
    let config = folder.path().join("config");
    std::fs::write(&config, joined(&cluster, &json!({})).to_string()).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
        .env("KUBECONFIG", &config)
        .env("HOME", folder.path())
        .env("KUBECTL_PATH", &kubectl)
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    all_have_ended(&note);
}

/// A directory that somebody else can write to must not decide what runs.
#[test]
fn a_kubectl_of_the_current_directory_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let kubectl = folder.path().join("kubectl");
    std::fs::write(&kubectl, "#!/bin/sh\ntouch ran\n").unwrap();
    std::fs::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let certificates = super::world::Certificates::make();
    let world = super::world::World::new(&certificates);
    let cluster = json!({"server": format!("http://{}", world.plain)});
    let config = folder.path().join("config");
    std::fs::write(&config, joined(&cluster, &json!({})).to_string()).unwrap();
    for path in [":/usr/bin:/bin", ".:/usr/bin:/bin"] {
        for args in [&["--target=1.37"][..], &["__complete", "--namespace", ""]] {
            let ran = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"))
                .args(args)
                .env("KUBECONFIG", &config)
                .env("HOME", folder.path())
                .env("PATH", path)
                .env_remove("KUBECTL_PATH")
                .current_dir(&folder)
                .output()
                .unwrap();
            assert!(matches!(ran.status.code(), Some(0 | 2)), "{ran:?}");
            assert!(!folder.path().join("ran").exists(), "{path} {args:?}");
        }
    }
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
