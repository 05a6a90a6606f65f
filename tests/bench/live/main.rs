//! What reading a live cluster costs, beside kubectl and beside the least that the same pages can cost.
//!
//! ```text
//! cargo bench --bench live -- [--nodes 1000] [--pods 8000] [--runs 5]
//! ```
//!
//! Starts a real kube-apiserver, fills it, and runs the contestants in turn, so that what slows one slows
//! the others: `kubectl skew`, kubectl's own lists of nodes and pods, and a reader that fetches the same
//! protobuf pages the same way and throws them away. Then the same on three nodes, beside `kubectl get nodes`.
//! 5,000 nodes and 40,000 pods take four minutes to make, and kubectl a minute a run to list.

#![expect(clippy::unwrap_used, reason = "where a benchmark's ground gives way, it ends")]
#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

#[path = "../../support/mod.rs"]
#[expect(
    dead_code,
    reason = "a benchmark starts, seeds and measures; the tests need the rest"
)]
mod support;

mod cluster;
mod measure;
mod reader;

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use measure::{Figures, Sample, contest, ratio};
use support::control_plane::binaries;
use support::{ControlPlane, Kubeconfig, Server};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    if let [reader, kubeconfig] = &words[..]
        && reader == "reader"
    {
        reader::read(Path::new(kubeconfig));
        return;
    }
    let number = |flag: &str, default: usize| {
        let at = words.iter().position(|word| word == flag);
        at.map_or(default, |at| {
            words[at + 1]
                .parse()
                .unwrap_or_else(|_| panic!("{flag} takes a number"))
        })
    };
    let (nodes, pods, runs) = (
        number("--nodes", 1000),
        number("--pods", 8000),
        number("--runs", 5),
    );

    start_up();
    let plane = ControlPlane::start(&[Server::of("1.37")]);
    {
        let _three = plane.scenario(cluster::objects(3, 12));
        small(&plane, runs.max(15));
    }
    println!("\nmaking {nodes} nodes and {pods} pods …");
    let _full = plane.scenario(cluster::objects(nodes, pods));
    large(&plane, nodes, pods, runs);
}

/// Starting at all: the help, and the size of what starts.
fn start_up() {
    let binary = env!("CARGO_BIN_EXE_kubectl-skew");
    let [help] = contest(40, [&mut || measure::run(Command::new(binary).arg("--help"))]);
    println!("help        {help}");
    println!(
        "binary      {:.1} MiB",
        bytes_in_mib(fs::metadata(binary).unwrap().len())
    );
}

/// Three nodes: what a user waits for on a small cluster.
fn small(plane: &ControlPlane, runs: usize) {
    let admin = plane.admin();
    let [skew, nodes] = contest(
        runs,
        [&mut || measure::run(&mut skew(&admin)), &mut || {
            measure::run(kubectl(&admin).args(["get", "nodes"]))
        }],
    );
    println!("\nthree nodes, {runs} runs");
    println!("kubectl skew                        {skew}");
    println!("kubectl get nodes                   {nodes}");
    println!("wall time, ratio                    {:.3}", ratio(&skew, &nodes));
}

/// Many nodes and pods: the whole lists, as each contestant reads them.
fn large(plane: &ControlPlane, nodes: usize, pods: usize, runs: usize) {
    let admin = plane.admin();
    let [skew, reader, kubectl] = contest(
        runs,
        [
            &mut || measure::run(&mut skew(&admin)),
            &mut || {
                measure::run(
                    Command::new(env::current_exe().unwrap())
                        .arg("reader")
                        .arg(&admin.path),
                )
            },
            &mut || {
                let nodes = measure::run(kubectl(&admin).args(["get", "nodes", "-o", "json"]));
                nodes.then(measure::run(kubectl(&admin).args([
                    "get",
                    "pods",
                    "-n",
                    "kube-system",
                    "-o",
                    "json",
                ])))
            },
        ],
    );
    let weight = |path: &str| plane.api().text(&format!("{path}?limit=100")).unwrap().len() / nodes.min(100);
    println!(
        "\n{nodes} nodes of {} bytes of JSON and {pods} pods of {}, {runs} runs",
        weight("/api/v1/nodes"),
        weight("/api/v1/namespaces/kube-system/pods")
    );
    println!("kubectl skew                        {skew}");
    println!("the same pages, thrown away         {reader}");
    println!("kubectl get -o json, nodes + pods   {kubectl}");
    println!(
        "wall time, ratio to kubectl         {:.3}",
        ratio(&skew, &kubectl)
    );
    println!("wall time, ratio to the reader      {:.3}", ratio(&skew, &reader));
}

fn skew(kubeconfig: &Kubeconfig) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-skew"));
    command
        .args(["--target", "next", "-o", "json"])
        .env("KUBECONFIG", &kubeconfig.path);
    // The kubectl that the plug-in asks for its version is the one that it competes with.
    command.env("PATH", binaries("1.37"));
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

#[expect(clippy::cast_precision_loss, reason = "a size to one decimal")]
fn bytes_in_mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

impl Sample {
    /// One after the other: the times add up, the greater memory stands.
    fn then(self, next: Self) -> Self {
        Self {
            wall: self.wall + next.wall,
            peak: self.peak.max(next.peak),
        }
    }
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
