//! Starting etcd and kube-apiservers, waiting until they serve, lending the cluster to one test at a time.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::api::Api;
use super::certificates::Authority;
use super::front::Balancer;
use super::kubeconfig::Kubeconfig;
use super::objects::Object;
use super::outcome::Program;

/// How long the servers may take to say that they are ready. They need three seconds on an idle machine.
const READY_WITHIN: Duration = Duration::from_secs(180);

/// A kube-apiserver to start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Server {
    /// The minor of its binary: `1.36` or `1.37`.
    pub(crate) minor: &'static str,
    /// `--emulated-version`.
    pub(crate) emulated: Option<&'static str>,
    /// A host name other than this machine's. An apiserver names its identity Lease after its host, so a second
    /// one needs its own.
    pub(crate) host_name: Option<&'static str>,
}

impl Server {
    /// A server of a minor, as it starts by itself.
    pub(crate) const fn of(minor: &'static str) -> Self {
        Self {
            minor,
            emulated: None,
            host_name: None,
        }
    }
}

/// A running control plane. Dropping it, or ending the process in whatever way, stops it.
pub(crate) struct ControlPlane {
    keeper: Child,
    /// Certificates, kubeconfigs, logs and data; the keeper removes it.
    directory: PathBuf,
    authority: Authority,
    /// The address of each server, in the order that they were asked for.
    pub(crate) addresses: Vec<String>,
    balancer: Option<Balancer>,
    api: Api,
    seeded: Mutex<Vec<Object>>,
}

impl ControlPlane {
    /// Starts one and waits until every server is ready; panics with the end of the logs when it is not in time.
    /// With more than one server, a balancer that hands out connections in turn stands in front.
    pub(crate) fn start(servers: &[Server]) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("kubectl-skew-test-")
            .tempdir()
            .unwrap()
            .keep();
        let authority = Authority::create(&directory);
        let run = directory.join("run");
        fs::create_dir_all(&run).unwrap();
        let [client, peer] = free_ports();
        write_script(&run.join("etcd"), &etcd(&directory, client, peer));
        let mut addresses = Vec::new();
        for (index, server) in servers.iter().enumerate() {
            let [port] = free_ports();
            addresses.push(format!("127.0.0.1:{port}"));
            write_script(
                &run.join(format!("kube-apiserver-{index}-{}", server.minor)),
                &apiserver(&directory, *server, port, client),
            );
        }
        let keeper = Command::new(repository().join("tests/support/keeper"))
            .arg(&directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let balancer = (servers.len() > 1).then(|| Balancer::start(addresses.clone()));
        let mut plane = Self {
            api: Api::unconnected(),
            keeper,
            directory,
            authority,
            addresses,
            balancer,
            seeded: Mutex::default(),
        };
        for index in 0..servers.len() {
            plane.wait_until_ready(index);
        }
        plane.api = Api::connect(&plane.admin().path);
        plane
    }

    fn wait_until_ready(&self, index: usize) {
        let name = format!("admin-{index}");
        let api = Api::connect(
            &self
                .kubeconfig(&name, &self.addresses[index], "admin", &["system:masters"])
                .path,
        );
        let deadline = Instant::now() + READY_WITHIN;
        loop {
            // The namespace comes by a hook of its own, a moment after the server calls itself ready.
            let state = api
                .text("/readyz")
                .and_then(|_| api.text("/api/v1/namespaces/kube-system"));
            let Err(state) = state else { return };
            let ended = self.ended();
            assert!(
                ended.is_empty() && Instant::now() < deadline,
                "kube-apiserver {index} is not ready: {state}; ended by themselves: {ended:?}\n{}",
                self.logs()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Servers that ended by themselves.
    fn ended(&self) -> Vec<String> {
        files(&self.directory.join("log"))
            .into_iter()
            .filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".exit")?.to_owned()))
            .collect()
    }

    /// The end of every server's log.
    pub(crate) fn logs(&self) -> String {
        let mut text = String::new();
        for path in files(&self.directory.join("log")) {
            let log = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
            let lines: Vec<_> = log.lines().collect();
            let tail = lines[lines.len().saturating_sub(30)..].join("\n");
            write!(text, "--- {}\n{tail}\n", path.display()).unwrap();
        }
        text
    }

    /// Empties the cluster, fills it, and lends it to the caller alone.
    pub(crate) fn scenario(&self, objects: impl IntoIterator<Item = Object>) -> Scenario<'_> {
        let objects: Vec<_> = objects.into_iter().collect();
        // A test that failed while it held the cluster leaves nothing that the next one could trip over.
        let mut seeded = self.seeded.lock().unwrap_or_else(PoisonError::into_inner);
        self.api.delete(&seeded);
        seeded.clone_from(&objects);
        self.api.create(&objects);
        Scenario { plane: self, seeded }
    }

    /// What talks to the server with all rights.
    pub(crate) fn api(&self) -> &Api {
        &self.api
    }

    /// Where clients connect: the balancer where there is one, else the server.
    pub(crate) fn address(&self) -> &str {
        self.balancer.as_ref().map_or(&self.addresses[0], |b| &b.address)
    }

    /// The kubeconfig of an administrator.
    pub(crate) fn admin(&self) -> Kubeconfig {
        self.kubeconfig("admin", self.address(), "admin", &["system:masters"])
    }

    /// The kubeconfig of a user, who has no rights but those that a test binds.
    pub(crate) fn user(&self, name: &str) -> Kubeconfig {
        self.kubeconfig(name, self.address(), name, &[])
    }

    /// The kubeconfig of an administrator at another address, such as a proxy's.
    pub(crate) fn admin_at(&self, address: &str) -> Kubeconfig {
        let name = format!("admin-at-{}", address.replace(':', "-"));
        self.kubeconfig(&name, address, "admin", &["system:masters"])
    }

    fn kubeconfig(&self, file: &str, address: &str, user: &str, groups: &[&str]) -> Kubeconfig {
        let (certificate, key) = self.authority.client(user, groups);
        Kubeconfig::write(
            &self.directory.join(format!("{file}.kubeconfig")),
            &json!({"server": format!("https://{address}"), "certificate-authority": self.authority.certificate()}),
            &json!({"client-certificate": certificate, "client-key": key}),
        )
    }

    /// A directory that goes with the control plane.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// A cluster with the objects of one test; nobody else has it while this lives.
pub(crate) struct Scenario<'a> {
    plane: &'a ControlPlane,
    seeded: MutexGuard<'a, Vec<Object>>,
}

impl Scenario<'_> {
    /// Adds objects to it.
    pub(crate) fn add(&mut self, objects: impl IntoIterator<Item = Object>) {
        let objects: Vec<_> = objects.into_iter().collect();
        self.seeded.extend(objects.iter().cloned());
        self.plane.api.create(&objects);
    }

    /// Takes on objects that somebody else made, so that they go with the scenario.
    pub(crate) fn adopt(&mut self, objects: impl IntoIterator<Item = Object>) {
        self.seeded.extend(objects);
    }

    /// `kubectl skew` as an administrator.
    pub(crate) fn skew(&self) -> Program {
        Program::skew(&self.plane.admin())
    }

    /// kubectl as an administrator.
    pub(crate) fn kubectl(&self) -> Program {
        Program::kubectl(&self.plane.admin())
    }
}

impl Deref for Scenario<'_> {
    type Target = ControlPlane;

    fn deref(&self) -> &ControlPlane {
        self.plane
    }
}

/// The directory of the built servers of a minor.
pub(crate) fn binaries(minor: &str) -> PathBuf {
    repository().join("target/control-plane").join(minor)
}

fn binary(minor: &str, name: &str) -> String {
    let path = binaries(minor).join(name);
    assert!(
        path.exists(),
        "the tests need {name} {minor}, and there is none at {}: run tests/run, or tests/control-plane/build",
        path.display()
    );
    path.to_str().unwrap().to_owned()
}

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn etcd(directory: &Path, client: u16, peer: u16) -> Vec<String> {
    vec![
        binary("1.37", "etcd"),
        format!("--data-dir={}", directory.join("etcd").display()),
        format!("--listen-client-urls=http://127.0.0.1:{client}"),
        format!("--advertise-client-urls=http://127.0.0.1:{client}"),
        format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-cluster=default=http://127.0.0.1:{peer}"),
        "--unsafe-no-fsync".to_owned(),
        "--quota-backend-bytes=8589934592".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

fn apiserver(directory: &Path, server: Server, port: u16, etcd: u16) -> Vec<String> {
    let file = |name: &str| directory.join(name).display().to_string();
    let mut command = Vec::new();
    if let Some(name) = server.host_name {
        command.extend(other_host_name(name));
    }
    command.extend([
        binary(server.minor, "kube-apiserver"),
        format!("--etcd-servers=http://127.0.0.1:{etcd}"),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        "--endpoint-reconciler-type=none".to_owned(),
        format!("--cert-dir={}", file("apiserver")),
        format!("--client-ca-file={}", file("ca.crt")),
        format!("--tls-cert-file={}", file("server.crt")),
        format!("--tls-private-key-file={}", file("server.key")),
        format!("--service-account-key-file={}", file("service-account.pub")),
        format!(
            "--service-account-signing-key-file={}",
            file("service-account.key")
        ),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        // No controller makes the default service accounts, so pods must do without.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        "--max-requests-inflight=2000".to_owned(),
        "--max-mutating-requests-inflight=1000".to_owned(),
    ]);
    command.extend(server.emulated.map(|minor| format!("--emulated-version={minor}")));
    command
}

/// The words that start a command under another host name; panics where this machine can't.
fn other_host_name(name: &str) -> Vec<String> {
    // A user who is not root may still get a host name of his own inside a user namespace.
    for namespaces in [vec!["--uts"], vec!["--user", "--map-root-user", "--uts"]] {
        let words: Vec<String> = ["unshare"]
            .into_iter()
            .chain(namespaces)
            .chain([
                "--",
                "sh",
                "-c",
                "hostname \"$1\" && shift && exec \"$@\"",
                "sh",
                name,
            ])
            .map(str::to_owned)
            .collect();
        let tried = Command::new(&words[0]).args(&words[1..]).arg("true").output();
        if tried.is_ok_and(|tried| tried.status.success()) {
            return words;
        }
    }
    panic!(
        "two kube-apiservers on one machine need two host names, and `unshare --uts` gives none here: \
         run the tests on Linux as root, or where user namespaces are allowed"
    );
}

/// A script that becomes the command, so that a test's servers can be looked at and started by hand.
fn write_script(path: &Path, command: &[String]) {
    let words: Vec<_> = command
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    fs::write(path, format!("exec {}\n", words.join(" \\\n  "))).unwrap();
}

/// Ports that nobody listens on. They are all held at once, so that no two are the same.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    let held = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(directory)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    paths.sort();
    paths
}
