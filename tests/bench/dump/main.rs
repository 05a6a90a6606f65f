//! Measures judging a large JSON dump: 5,000 nodes and 40,000 pods as kubectl writes them, some 450 MB, from a
//! file, from a pipe and packed, with the peak of memory, beside `jq` reading the kubelet versions of the same
//! file.
//!
//! ```text
//! cargo bench --bench dump               # the dump is made once, below the target directory
//! cargo bench --bench dump -- --make F   # only makes the dump
//! ```
//!
//! Each figure is the best of three runs of a process of its own. Linux tells the peak; elsewhere it is left out.

mod cluster;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kubectl_skew::collect::dump::{DumpRequest, Input, observe};
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::{ReadOptions, read};
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::question::Question;
use kubectl_skew::policy::skew_policy::Policy;

/// What is asked of a dump's reading.
const MIN_SPEED: f64 = 300.0;
const MIN_PACKED_SPEED: f64 = 200.0;
const MAX_PEAK_MIB: f64 = 100.0;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["--make", path] => make(Path::new(path)),
        ["--judge", input] => judge(input),
        [] => measure(),
        _ => Err("usage: cargo bench --bench dump [-- --make FILE]".into()),
    }
}

fn make(path: &Path) -> Result<(), Failure> {
    let mut file = io::BufWriter::with_capacity(1 << 20, File::create(path)?);
    cluster::write(5_000, 8, &mut file)?;
    Ok(file.flush()?)
}

/// The run that is measured: everything but the printing.
fn judge(input: &str) -> Result<(), Failure> {
    let request = DumpRequest {
        inputs: vec![if input == "-" {
            Input::Stdin
        } else {
            Input::Path(PathBuf::from(input))
        }],
        hosted: None,
        wanted: Wanted::new([]),
        server_version: Some("v1.36.2".to_owned()),
    };
    let (observed, _) = observe(&request)?;
    let inventory = read(observed, &ReadOptions::default());
    let question = Question {
        target: Some("1.37".parse()?),
        ..Question::default()
    };
    let assessment = evaluate(&inventory, &Policy::upstream(), &question);
    let proxies: usize = inventory.nodes.iter().map(|node| node.proxies.len()).sum();
    let mut out = io::stdout();
    writeln!(
        out,
        "{} {proxies} {:?}",
        inventory.nodes.len(),
        assessment.verdict
    )?;
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        writeln!(out, "{}", peak.unwrap_or_default().trim().trim_end_matches(" kB"))?;
    }
    Ok(())
}

/// The best time of three, and the highest peak in MiB.
struct Figures {
    time: Duration,
    peak: Option<f64>,
}

fn best(mut run: impl FnMut() -> Result<Figures, Failure>) -> Result<Figures, Failure> {
    let mut best = run()?;
    for _ in 1..3 {
        let next = run()?;
        best.time = best.time.min(next.time);
        best.peak = best.peak.zip(next.peak).map(|(one, other)| one.max(other));
    }
    Ok(best)
}

/// Runs this program on an input; standard input comes from `cat` where the input is a pipe.
fn run(input: &Path, piped: bool) -> Result<Figures, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    let start = Instant::now();
    let output = if piped {
        let mut cat = Command::new("cat").arg(input).stdout(Stdio::piped()).spawn()?;
        let pipe = cat.stdout.take().ok_or("cat has no output")?;
        let output = command.args(["--judge", "-"]).stdin(pipe).output()?;
        cat.wait()?;
        output
    } else {
        command.arg("--judge").arg(input).output()?
    };
    let time = start.elapsed();
    let told = String::from_utf8(output.stdout)?;
    let mut lines = told.lines();
    let result = lines.next().unwrap_or_default();
    if result != "5000 5000 Blocked" {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the dump was judged wrong: \"{result}\" {error}").into());
    }
    let peak = lines
        .next()
        .and_then(|line| line.parse::<f64>().ok())
        .map(|kib| kib / 1024.0);
    Ok(Figures { time, peak })
}

fn measure() -> Result<(), Failure> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (plain, packed) = (folder.join("dump.json"), folder.join("dump.json.gz"));
    if !packed.exists() {
        make(&plain)?;
        let mut encoder =
            flate2::write::GzEncoder::new(File::create(&packed)?, flate2::Compression::default());
        io::copy(&mut File::open(&plain)?, &mut encoder)?;
        encoder.finish()?;
    }
    let bytes = f64::from(u32::try_from(fs::metadata(&plain)?.len() / 1000)?) / 1e3;
    let mut out = io::stdout();
    writeln!(out, "{bytes:.0} MB: 5,000 nodes, 40,000 pods")?;
    let mut missed = Vec::new();
    for (what, figures, floor) in [
        ("file", best(|| run(&plain, false))?, MIN_SPEED),
        ("pipe", best(|| run(&plain, true))?, MIN_SPEED),
        (".json.gz", best(|| run(&packed, false))?, MIN_PACKED_SPEED),
    ] {
        let speed = bytes / figures.time.as_secs_f64();
        let peak = figures
            .peak
            .map_or_else(String::new, |peak| format!(", peak {peak:.1} MiB"));
        writeln!(
            out,
            "{what:10} {:6.2} s  {speed:5.0} MB/s{peak}",
            figures.time.as_secs_f64()
        )?;
        if speed < floor || figures.peak.is_some_and(|peak| peak > MAX_PEAK_MIB) {
            missed.push(what);
        }
    }
    let start = Instant::now();
    let filter = r#".items[] | select(.kind == "Node") | .status.nodeInfo.kubeletVersion"#;
    match Command::new("jq")
        .args(["-r", filter])
        .arg(&plain)
        .stdout(Stdio::null())
        .status()
    {
        Ok(status) if status.success() => {
            let time = start.elapsed().as_secs_f64();
            writeln!(out, "{:10} {time:6.2} s  {:5.0} MB/s", "jq", bytes / time)?;
        }
        _ => writeln!(out, "jq is not there to compare with")?,
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("below what is asked: {}", missed.join(", ")).into())
    }
}
