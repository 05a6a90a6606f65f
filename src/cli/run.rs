//! The program in short: one cluster is collected, read, judged, pathed, planned, put together and shown. The only
//! place where the stages meet; each of them takes values and gives values.

use clap::ArgMatches;
use jiff::Timestamp;

use super::demo;
use super::flags::CommandLine;
use super::message::{self, Failure};
use super::output;
use super::request::{self, Cluster, Judging, Reading, Showing};
#[cfg(feature = "live")]
use crate::collect::connect::{ConnectError, ConnectErrorKind, ConnectOptions, Connection};
use crate::collect::dump::{self, DumpRequest, Input};
#[cfg(feature = "live")]
use crate::collect::live::{self as cluster, LiveRequest};
use crate::collect::masking::Masker;
use crate::inventory::gap::GapReason;
use crate::inventory::observed::{Listing, Observed};
use crate::inventory::read_gap::Resource;
use crate::inventory::{self, ReadOptions, assumption};
use crate::plan;
use crate::plan::steps::Planned;
use crate::policy;
use crate::policy::apiservers::Apiservers;
use crate::policy::platforms;
use crate::render::{self, Format, sentences};
use crate::report::{self, Mode, Report, ReportParts, Source, TargetAsked};

/// The shell's word for "stopped by the keyboard".
const INTERRUPTED: u8 = 130;

/// Judges the cluster that the flags name, shows the report and says the gate's exit code.
pub(super) fn judge(flags: &CommandLine, matches: &ArgMatches, is_example: bool) -> Result<u8, Failure> {
    let reading = request::reading(flags, matches, is_example)?;
    let judging = request::judging(flags)?;
    let showing = request::showing(&flags.output);
    request::check_files(flags, showing.files.iter().map(|file| file.path.as_path()))?;
    let collected = match collect(&reading) {
        Ok(collected) => collected,
        Err(Uncollected::Unreachable(failure)) if judging.best_effort => {
            return Ok(forgiven(&failure.line()));
        }
        Err(uncollected) => return uncollected.end(),
    };
    if judging.best_effort
        && let Some(reason) = collected.failing_nodes()
    {
        return Ok(forgiven(&reason));
    }
    let masker = collected.masker.clone();
    let report = report_of(collected, &reading, &judging)?;
    show(&report, &showing, &masker)?;
    Ok(report.gate.exit_code)
}

/// `--best-effort`: a warning stands for the judgement.
fn forgiven(reason: &str) -> u8 {
    message::warn(&format!(
        "{reason}; nothing was judged, and --best-effort lets that pass"
    ));
    0
}

/// A cluster as it was collected.
pub(super) struct Collected {
    pub(super) observed: Observed,
    source: Source,
    /// Whether a live cluster that answers at all could not list its nodes.
    nodes_out_of_reach: bool,
    /// The credentials that it was reached by: what a server repeats of them is shown nowhere.
    pub(super) masker: Masker,
}

impl Collected {
    /// Why a live cluster that answers at all could not list its nodes. A refusal is none, it can be granted; nor is a
    /// login page, which no control plane answers with.
    fn failing_nodes(&self) -> Option<String> {
        match &self.observed.nodes {
            Listing::Failed(_) if self.nodes_out_of_reach => {
                let mut reasons = self.observed.nodes.unread(Resource::Nodes, None);
                reasons
                    .pop()
                    .map(|gap| sentences::gap_reason(&GapReason::Read(gap)))
            }
            _ => None,
        }
    }
}

/// Everything between what was observed and the report, in order.
pub(super) fn report_of(
    collected: Collected,
    reading: &Reading,
    judging: &Judging,
) -> Result<Report, Failure> {
    let Collected { observed, source, .. } = collected;
    let inventory = inventory::read(
        observed,
        &ReadOptions {
            pool_label: reading.pool_label.clone(),
        },
    );
    let (inventory, excluded) =
        assumption::exclude(inventory, &judging.exclude).map_err(|error| unmatched("--exclude", &error))?;
    let (inventory, assumed) =
        assumption::assume(inventory, &judging.assume).map_err(|error| unmatched("--assume", &error))?;

    let policy = platforms::choose(&judging.policy, &inventory);
    if let Some(target) = &judging.question.target {
        target
            .check_reach(Apiservers::of(&inventory))
            .map_err(|error| Failure::from_error(&error))?;
    }
    let assessment = policy::evaluate(&inventory, &policy, &judging.question);
    let target = assessment.target.as_ref().and_then(TargetAsked::hop);
    let plan = target.map(|target| plan::plan(&inventory, &policy, target, &judging.plan));
    let obstacle = plan.as_ref().and_then(Planned::obstacle);
    let path = plan::path::path(&inventory, &policy, &judging.question, &assessment, obstacle);

    Ok(report::assemble(ReportParts {
        inventory: &inventory,
        question: &judging.question,
        assessment,
        policy: &policy,
        path,
        plan,
        source,
        assumed,
        excluded,
    }))
}

fn unmatched(flag: &str, error: &assumption::AssumeError) -> Failure {
    Failure::new(flag)
        .because(error.to_string())
        .hint("a selector is node/NAME, pool/NAME, a label KEY=VALUE, or with --assume a component")
}

/// Why nothing was collected.
pub(super) enum Uncollected {
    /// The cluster cannot be reached: what `--best-effort` forgives.
    #[cfg_attr(
        not(feature = "live"),
        expect(dead_code, reason = "files are always within reach")
    )]
    Unreachable(Failure),
    /// The keyboard stopped it.
    #[cfg_attr(
        not(feature = "live"),
        expect(dead_code, reason = "reading files leaves the keyboard to the system")
    )]
    Interrupted,
    /// Anything else.
    Failed(Failure),
}

impl Uncollected {
    /// How the run ends.
    pub(super) fn end(self) -> Result<u8, Failure> {
        match self {
            Self::Unreachable(failure) | Self::Failed(failure) => Err(failure),
            Self::Interrupted => Ok(INTERRUPTED),
        }
    }
}

/// Reads the cluster, live or from files.
pub(super) fn collect(reading: &Reading) -> Result<Collected, Uncollected> {
    #[cfg(feature = "live")]
    exit_on_interrupt();
    match &reading.cluster {
        #[cfg(feature = "live")]
        Cluster::Live { connect, chunk_size } => live(reading, connect, *chunk_size),
        #[cfg(not(feature = "live"))]
        Cluster::Live => Err(Uncollected::Failed(
            Failure::new("this kubectl skew was built without the feature that reads a live cluster")
                .hint("give it a dump by -f, or try 'kubectl skew demo'"),
        )),
        Cluster::Files(inputs) => files(reading, inputs.clone(), Mode::Files),
        Cluster::Example => files(reading, vec![demo::input()], Mode::Example),
    }
}

#[cfg(feature = "live")]
fn live(
    reading: &Reading,
    connect: &ConnectOptions,
    chunk_size: Option<u32>,
) -> Result<Collected, Uncollected> {
    let connection = Connection::open(connect).map_err(|error| connect_failure(&error))?;
    let request = LiveRequest {
        hosted: reading.hosted.clone(),
        chunk_size,
        wanted: reading.wanted.clone(),
        kubectl_version: reading.kubectl_version.clone(),
        server_version: reading.server_version.clone(),
    };
    let (observed, source) =
        cluster::observe(&connection, &request).map_err(|error| connect_failure(&error))?;
    let nodes_out_of_reach = source.nodes_out_of_reach;
    let source = Source {
        mode: Mode::Live,
        context: source.context,
        api_server: Some(source.api_server),
        kubectl_flags: source.kubectl_flags,
        files: Vec::new(),
        skipped: 0,
        captured_at: None,
        age_seconds: None,
        locations: Vec::new(),
    };
    Ok(Collected {
        observed,
        source,
        nodes_out_of_reach,
        masker: connection.masker(),
    })
}

#[cfg(feature = "live")]
fn connect_failure(error: &ConnectError) -> Uncollected {
    let failure = hinted(Failure::from_error(error), error.hint());
    match error.kind() {
        ConnectErrorKind::Interrupted => Uncollected::Interrupted,
        ConnectErrorKind::Unreachable if is_out_of_reach(error) => Uncollected::Unreachable(failure),
        ConnectErrorKind::Unreachable | ConnectErrorKind::Config | ConnectErrorKind::Unauthorized => {
            Uncollected::Failed(failure)
        }
    }
}

/// Whether the cluster is out of reach, and no mistake stands in between.
#[cfg(feature = "live")]
fn is_out_of_reach(error: &ConnectError) -> bool {
    matches!(error, ConnectError::Unreachable { source, .. } if source.is_out_of_reach())
}

#[cfg(feature = "live")]
fn hinted(failure: Failure, hint: Option<String>) -> Failure {
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Ends the program at once when the keyboard says so. An exec plugin or a proxy may hold the main thread, so
/// another one listens.
#[cfg(feature = "live")]
fn exit_on_interrupt() {
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        if let Ok(runtime) = runtime
            && runtime.block_on(tokio::signal::ctrl_c()).is_ok()
        {
            // The reads listen too and leave the terminal whole; this is for whoever does not.
            std::thread::sleep(std::time::Duration::from_millis(100));
            #[expect(
                clippy::exit,
                reason = "nothing is half done: no file is open and the report is not begun"
            )]
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
}

fn files(reading: &Reading, inputs: Vec<Input>, mode: Mode) -> Result<Collected, Uncollected> {
    let request = DumpRequest {
        inputs,
        hosted: reading.hosted.clone(),
        wanted: reading.wanted.clone(),
        server_version: reading.server_version.clone(),
    };
    let (mut observed, source) =
        dump::observe(&request).map_err(|error| Uncollected::Failed(Failure::from_error(&error)))?;
    for warning in &source.warnings {
        message::warn(warning);
    }
    observed.kubectl = reading.kubectl_version.clone().or(observed.kubectl);
    let is_example = mode == Mode::Example;
    let captured_at = source.captured_at.filter(|_| !is_example);
    let source = Source {
        mode,
        context: None,
        api_server: None,
        kubectl_flags: String::new(),
        files: if is_example { Vec::new() } else { source.files },
        skipped: source.skipped,
        captured_at: captured_at.map(|taken| taken.to_string()),
        age_seconds: captured_at.map(|taken| Timestamp::now().as_second() - taken.as_second()),
        locations: source.places,
    };
    Ok(Collected {
        observed,
        source,
        nodes_out_of_reach: false,
        masker: Masker::default(),
    })
}

/// Writes the files that were asked for, then the report.
fn show(report: &Report, showing: &Showing, masker: &Masker) -> Result<(), Failure> {
    let mut files = Vec::new();
    for wanted in &showing.files {
        let bytes = masker.mask_report(rendered(report, wanted.format, &showing.file_style())?);
        files.push((wanted.path.as_path(), bytes));
    }
    output::files(files.iter().map(|(path, bytes)| (*path, bytes.as_slice())))
        .map_err(|error| Failure::from_error(&error))?;
    let bytes = masker.mask_report(rendered(report, showing.format, &showing.style)?);
    for line in render::aside(report, showing.format) {
        message::note(&masker.mask(&line), showing.style.utf8);
    }
    // A reader that left has seen enough; the gate's code still says how it ended.
    output::stdout(&bytes)
        .map(|_reader| ())
        .map_err(|error| Failure::from_error(&error))
}

fn rendered(report: &Report, format: Format, style: &render::Style) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if report.source.mode == Mode::Example && matches!(format, Format::Table | Format::Wide) {
        bytes.extend_from_slice(demo::NOTICE.as_bytes());
    }
    render::render(report, format, style, &mut bytes).map_err(|error| {
        Failure::new(format!("cannot write the report as {}", format.name())).because(error.to_string())
    })?;
    Ok(bytes)
}
