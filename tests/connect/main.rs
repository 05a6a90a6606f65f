//! Where kubectl connects, `kubectl skew` connects: a row a trait of kubeconfigs, flags and environment. Each row
//! runs the real kubectl and the product against the same hand-made server and compares what reached it; where
//! the two differ, the row says how and why.

#![cfg(all(feature = "live", unix))]
#![expect(clippy::unwrap_used, reason = "where a test's ground gives way, it fails")]

mod handshakes;
mod programs;

mod rows;
mod secrets;
mod world;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;

use serde_json::Value;
use world::{Certificates, Heard, World};

/// What a row sets up.
#[derive(Default)]
pub(crate) struct Setup {
    /// The kubeconfig, written to `config` in the row's folder; null writes none.
    pub(crate) kubeconfig: Value,
    /// Flags for both programs.
    pub(crate) args: Vec<String>,
    /// The environment of both, beside PATH and HOME.
    pub(crate) env: Vec<(&'static str, String)>,
}

/// What a row expects.
pub(crate) enum Expect {
    /// Both reach the server, and with the same.
    Alike,
    /// Both reach the server with the same, which is this.
    Sent(fn(&Heard) -> bool),
    /// Both fail, and ours says these words.
    Refused(&'static str),
    /// kubectl reaches the server and we fail with these words, for this reason.
    OnlyKubectl(&'static str, &'static str),
    /// We reach the server and kubectl fails, for this reason.
    OnlyOurs(fn(&Heard) -> bool, &'static str),
    /// Both reach the server, we with this, for this reason.
    Otherwise(fn(&Heard) -> bool, &'static str),
}

/// A trait of the connection.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) setup: fn(&Ground<'_>) -> Setup,
    pub(crate) expect: Expect,
}

/// What a row is set up on.
pub(crate) struct Ground<'a> {
    pub(crate) world: &'a World,
    pub(crate) certificates: &'a Certificates,
    /// A folder of the row's own.
    pub(crate) folder: &'a Path,
}

/// The kubectl that the tests' control planes are built with.
pub(crate) fn kubectl() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/control-plane/1.37/kubectl");
    assert!(
        built.exists(),
        "the tests need kubectl 1.37 at {}: run tests/run",
        built.display()
    );
    built
}

/// Runs a program in an environment of its own.
pub(crate) fn run(program: &Path, args: &[&str], setup: &Setup, folder: &Path) -> Output {
    let mut command = Command::new(program);
    command
        .args(args)
        .args(&setup.args)
        .env_clear()
        .env(
            "PATH",
            std::env::join_paths([folder, Path::new("/usr/bin"), Path::new("/bin")]).unwrap(),
        )
        .env("HOME", folder.join("home"))
        .env("KUBECONFIG", folder.join("config"))
        .current_dir(folder)
        .stdin(Stdio::null());
    for (name, value) in &setup.env {
        command.env(name, value);
    }
    command
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// Runs one row; what does not hold is told.
fn check(row: &Row, certificates: &Certificates) -> Result<(), String> {
    let world = World::new(certificates);
    let folder = tempfile::tempdir().unwrap();
    let ground = Ground {
        world: &world,
        certificates,
        folder: folder.path(),
    };
    let setup = (row.setup)(&ground);
    if !setup.kubeconfig.is_null() {
        std::fs::write(folder.path().join("config"), setup.kubeconfig.to_string()).unwrap();
    }
    let theirs = run(&kubectl(), &["get", "--raw", "/version"], &setup, folder.path());
    let they = world.take().filter(|_| theirs.status.success());
    let runs = || std::fs::read_to_string(folder.path().join("runs")).map_or(0, |runs| runs.lines().count());
    let their_runs = runs();
    let skew = Path::new(env!("CARGO_BIN_EXE_kubectl-skew"));
    let ours = run(
        skew,
        &["--target", "1.37", "--kubectl-version", "v1.37.0"],
        &setup,
        folder.path(),
    );
    // The server forbids everything but its version: 2 is a report, 1 is none.
    let we = world.take().filter(|_| ours.status.code() == Some(2));
    let stderr = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let (told, theirs_told) = (stderr(&ours), stderr(&theirs));
    let failed_with = |words: &str| we.is_none() && ours.status.code() == Some(1) && told.contains(words);
    let holds = match &row.expect {
        Expect::Alike => we.is_some() && we == they,
        Expect::Sent(is) => we == they && we.as_ref().is_some_and(is),
        Expect::Refused(words) => they.is_none() && failed_with(words),
        Expect::OnlyKubectl(words, _) => they.is_some() && failed_with(words),
        Expect::OnlyOurs(is, _) => they.is_none() && we.as_ref().is_some_and(is),
        Expect::Otherwise(is, _) => they.is_some() && we != they && we.as_ref().is_some_and(is),
    };
    // What the server warns of is said once, and a plugin is run once, as kubectl does.
    let warned = we.is_none() || told.matches("Warning: this server is old\n").count() == 1;
    let once = runs() - their_runs == usize::from(their_runs > 0);
    if holds && warned && once {
        return Ok(());
    }
    Err(format!(
        "{}\n  kubectl: {they:?}\n    {}\n  skew ({:?}): {we:?}\n    {}",
        row.name,
        theirs_told.trim(),
        ours.status.code(),
        told.trim()
    ))
}

/// Checks rows, a few at a time, and tells all that do not hold.
fn every_row_holds<T: Sync>(rows: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let queue = Mutex::new(rows.iter());
    let broken = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some(row) = next else { break };
                    if let Err(told) = check(row) {
                        broken.lock().unwrap().push(told);
                    }
                }
            });
        }
    });
    let broken = broken.into_inner().unwrap();
    assert!(
        broken.is_empty(),
        "{} rows do not hold:\n\n{}",
        broken.len(),
        broken.join("\n\n")
    );
}

#[test]
fn every_trait_is_answered_as_kubectl_answers_it_or_differs_for_a_reason() {
    let certificates = Certificates::make();
    let rows = rows::all();
    assert!(rows.len() >= 60, "only {} rows", rows.len());
    every_row_holds(&rows, |row| check(row, &certificates));
}

#[test]
fn every_difference_has_its_reason() {
    for row in rows::all() {
        if let Expect::OnlyKubectl(_, why) | Expect::OnlyOurs(_, why) | Expect::Otherwise(_, why) = row.expect
        {
            assert!(why.len() > 20, "{}", row.name);
        }
    }
}
