//! What reading a live cluster costs, beside kubectl and beside the least that the same lists can cost.
//!
//! ```text
//! cargo bench --bench live -- [--nodes 1000] [--pods 8000] [--runs 5] [--beside BINARY] [--no-json]
//! ```
//!
//! Starts a real kube-apiserver, fills it, and runs the contestants in turn, so that what slows one slows
//! the others: `kubectl skew`, another build of it (`--beside`), kubectl's own lists, and a reader that fetches lists
//! and throws them away: those that `kubectl skew` asks for, and all of them. First on three nodes, then on many, then
//! over slow lines. 5,000 nodes and 40,000 pods take four minutes to make, and kubectl a minute a run to list as JSON.

#![expect(clippy::unwrap_used, reason = "where a benchmark's ground gives way, it ends")]
#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

#[path = "../../support/mod.rs"]
#[expect(
    dead_code,
    reason = "a benchmark starts, seeds and measures; the tests need the rest"
)]
mod support;

mod cluster;
mod line;
mod measure;
mod reader;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use line::{Line, Speed};
use measure::{Figures, contest, ratio, run};
use support::control_plane::binaries;
use support::{ControlPlane, Kubeconfig, Server};

const NODES: &str = "/api/v1/nodes?limit=500";
const PODS: &str = "/api/v1/namespaces/kube-system/pods?limit=500";

/// What is measured.
struct Options {
    nodes: usize,
    pods: usize,
    runs: usize,
    /// Another build to run beside.
    beside: Option<PathBuf>,
    /// Whether kubectl lists as JSON too, which takes a minute a run.
    json: bool,
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    if let [reader, kubeconfig, paths @ ..] = &words[..]
        && reader == "reader"
    {
        reader::read(Path::new(kubeconfig), paths);
        return;
    }
    let value = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        Some(
            words
                .get(at + 1)
                .unwrap_or_else(|| panic!("{flag} takes a value")),
        )
    };
    let number = |flag: &str, default: usize| value(flag).map_or(default, |value| value.parse().unwrap());
    let options = Options {
        nodes: number("--nodes", 1000),
        pods: number("--pods", 8000),
        runs: number("--runs", 5),
        beside: value("--beside").map(PathBuf::from),
        json: !words.contains(&"--no-json".to_owned()),
    };

    start_up();
    let plane = ControlPlane::start(&[Server::of("1.37")]);
    {
        let _three = plane.scenario(cluster::objects(3, 12));
        small(&plane, &options);
    }
    println!("\nmaking {} nodes and {} pods …", options.nodes, options.pods);
    let _full = plane.scenario(cluster::objects(options.nodes, options.pods));
    large(&plane, &options);
    for (millis, rate) in [(20, 100), (100, 100), (20, 10), (100, 10)] {
        let speed = Speed {
            round_trip: Duration::from_millis(millis),
            rate: Some(rate * 1_000_000),
        };
        slow(&plane, &options, speed);
    }
}

/// Starting at all: the help, and the size of what starts.
fn start_up() {
    let binary = env!("CARGO_BIN_EXE_kubectl-skew");
    let [help] = contest(40, [&mut || run(Command::new(binary).arg("--help"))]);
    println!("help        {help}");
    println!(
        "binary      {:.1} MiB",
        bytes_in_mib(fs::metadata(binary).unwrap().len())
    );
}

/// Three nodes: what a user waits for on a small cluster.
fn small(plane: &ControlPlane, options: &Options) {
    let runs = options.runs.max(15);
    let admin = plane.admin();
    let [skew, beside, nodes] = contest(
        runs,
        [
            &mut || run(&mut skew(&admin)),
            &mut || run(&mut beside(options, &admin)),
            &mut || run(kubectl(&admin).args(["get", "nodes"])),
        ],
    );
    println!("\nthree nodes, {runs} runs");
    println!("kubectl skew                        {skew}  {}", asked(&admin));
    if options.beside.is_some() {
        println!("the other build                     {beside}");
    }
    println!("kubectl get nodes                   {nodes}");
    println!("ratio to kubectl get nodes          {:.3}", ratio(&skew, &nodes));
}

/// Many nodes and pods, on the server's own machine.
fn large(plane: &ControlPlane, options: &Options) {
    let admin = plane.admin();
    let needed = needed(&admin);
    let read = |paths: &[String]| run(&mut reader(&admin, paths));
    let all = [NODES, PODS].map(str::to_owned);
    let [skew, plain, beside, least, whole, nodes, json] = contest(
        options.runs,
        [
            &mut || run(&mut skew(&admin)),
            &mut || run(skew(&admin).arg("--disable-compression")),
            &mut || run(&mut beside(options, &admin)),
            &mut || read(&needed),
            &mut || read(&all),
            &mut || run(kubectl(&admin).args(["get", "nodes"])),
            &mut || {
                if !options.json {
                    return run(&mut Command::new("true"));
                }
                let get = |what: &[&str]| run(kubectl(&admin).args(["get", "-o", "json"]).args(what));
                get(&["nodes"]).then(get(&["pods", "-n", "kube-system"]))
            },
        ],
    );
    let weight =
        |path: &str| plane.api().text(&format!("{path}?limit=100")).unwrap().len() / options.nodes.min(100);
    println!(
        "\n{} nodes of {} bytes of JSON and {} pods of {}, {} runs",
        options.nodes,
        weight("/api/v1/nodes"),
        options.pods,
        weight("/api/v1/namespaces/kube-system/pods"),
        options.runs
    );
    let line = Line::lay(plane.address().to_owned(), Speed::unlimited());
    let through = plane.admin_at(&line.address);
    let bytes = |command: &mut Command| {
        line.carried();
        run(command);
        format!("{:.1} MB", bytes_in_mib(line.carried()))
    };
    println!(
        "kubectl skew                        {skew}  {}, {}",
        bytes(&mut self::skew(&through)),
        asked(&admin)
    );
    println!(
        "kubectl skew --disable-compression  {plain}  {}",
        bytes(self::skew(&through).arg("--disable-compression"))
    );
    if options.beside.is_some() {
        println!(
            "the other build                     {beside}  {}",
            bytes(&mut self::beside(options, &through))
        );
    }
    println!(
        "the same lists, thrown away         {least}  {}",
        bytes(&mut reader(&through, &needed))
    );
    println!(
        "all nodes and pods, thrown away     {whole}  {}",
        bytes(&mut reader(&through, &all))
    );
    println!(
        "kubectl get nodes                   {nodes}  {}",
        bytes(kubectl(&through).args(["get", "nodes"]))
    );
    println!("ratio to the same lists             {:.3}", ratio(&skew, &least));
    println!("ratio to all nodes and pods         {:.3}", ratio(&skew, &whole));
    println!("ratio to kubectl get nodes          {:.3}", ratio(&skew, &nodes));
    if options.json {
        println!("kubectl get -o json, nodes + pods   {json}");
        println!("ratio to that                       {:.3}", ratio(&skew, &json));
    }
    if options.beside.is_some() {
        println!("ratio to the other build            {:.3}", ratio(&skew, &beside));
    }
}

/// The same over a slow line.
fn slow(plane: &ControlPlane, options: &Options, speed: Speed) {
    let line = Line::lay(plane.address().to_owned(), speed);
    let admin = plane.admin_at(&line.address);
    let [skew, plain, beside, nodes] = contest(
        options.runs,
        [
            &mut || run(&mut skew(&admin)),
            &mut || run(skew(&admin).arg("--disable-compression")),
            &mut || run(&mut beside(options, &admin)),
            &mut || run(kubectl(&admin).args(["get", "nodes"])),
        ],
    );
    println!("\n{speed}, {} runs", options.runs);
    println!("kubectl skew                        {skew}");
    println!("kubectl skew --disable-compression  {plain}");
    println!("kubectl get nodes                   {nodes}");
    println!("ratio to kubectl get nodes          {:.3}", ratio(&skew, &nodes));
    if options.beside.is_some() {
        println!("the other build                     {beside}");
        println!("ratio to the other build            {:.3}", ratio(&skew, &beside));
    }
}

fn skew(kubeconfig: &Kubeconfig) -> Command {
    build(Path::new(env!("CARGO_BIN_EXE_kubectl-skew")), kubeconfig)
}

fn beside(options: &Options, kubeconfig: &Kubeconfig) -> Command {
    let nothing = Path::new("true");
    build(options.beside.as_deref().unwrap_or(nothing), kubeconfig)
}

fn build(binary: &Path, kubeconfig: &Kubeconfig) -> Command {
    let mut command = Command::new(binary);
    command
        .args(["--target", "next", "-o", "json", "--request-timeout", "10m"])
        .env("KUBECONFIG", &kubeconfig.path);
    // The kubectl that the plug-in asks for its version is the one that it competes with.
    command.env(
        "PATH",
        env::join_paths([binaries("1.37"), "/usr/bin".into(), "/bin".into()]).unwrap(),
    );
    command
}

fn reader(kubeconfig: &Kubeconfig, paths: &[String]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.arg("reader").arg(&kubeconfig.path).args(paths);
    command
}

fn kubectl(kubeconfig: &Kubeconfig) -> Command {
    let mut command = Command::new(binaries("1.37").join("kubectl"));
    // A home of its own, so that it keeps what it has discovered, as it does for its users.
    command
        .env("KUBECONFIG", &kubeconfig.path)
        .env("HOME", kubeconfig.path.parent().unwrap());
    command
}

/// The path of every request of a run.
fn requests(kubeconfig: &Kubeconfig) -> Vec<String> {
    let output = skew(kubeconfig)
        .arg("-v=6")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    let path = |line: &str| {
        let (_, url) = line.split_once("\"Response\" verb=\"GET\" url=\"")?;
        let url = url.split('"').next()?;
        Some(url[url.find("://")? + 3..].split_once('/')?.1).map(|path| format!("/{path}"))
    };
    printed.lines().filter_map(path).collect()
}

/// How many requests a run makes.
fn asked(kubeconfig: &Kubeconfig) -> String {
    format!("{} requests", requests(kubeconfig).len())
}

/// The lists that a run needs: each by its first page, but for the page that only showed that there are more pods.
fn needed(kubeconfig: &Kubeconfig) -> Vec<String> {
    let mut lists = requests(kubeconfig);
    lists.retain(|path| !path.contains("continue=") && path != "/version");
    let selects = |path: &String| path.contains("Selector=") || path.contains("includeObject=");
    let is_selected = lists.iter().any(|path| path.contains("includeObject="));
    lists.retain(|path| !(is_selected && path.contains("/kube-system/pods") && !selects(path)));
    lists
}

#[expect(clippy::cast_precision_loss, reason = "a size to one decimal")]
fn bytes_in_mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Median, least and greatest wall time; greatest memory.
impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [least, median, greatest] = self.walls().map(|wall| wall.as_secs_f64() * 1000.0);
        write!(
            f,
            "{median:9.1} ms ({least:.1}–{greatest:.1})  peak {:7.1} MiB",
            bytes_in_mib(self.peak())
        )
    }
}
