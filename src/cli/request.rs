//! What the flags ask for together: where to read, the question, the plan's wishes and the looks. Everything that
//! can be refused without a cluster is refused here, before the first request.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::flags::{CommandLine, OutputFlags, group};
use super::message::Failure;
use super::output;
use super::terminal::{self, Terminal};
use super::usage::usage;
use super::values::FileFormat;
use super::values::NodeStep;
#[cfg(feature = "live")]
use crate::collect::connect::ConnectOptions;
use crate::collect::dump::Input;
use crate::inventory::assumption::Assumption;
use crate::inventory::labels::Wanted;
use crate::inventory::selector::{NodeSelector, Selector};
use crate::plan::PlanOptions;
use crate::policy::platforms::PolicyChoice;
use crate::policy::policy_file;
use crate::policy::question::Question;
use crate::policy::skew_policy::Policy;
use crate::render::{Format, Style};

/// The namespace that a cluster's own control plane stands in.
const KUBE_SYSTEM: &str = "kube-system";

/// The cluster that is to be read.
#[derive(Clone, Debug)]
pub(super) enum Cluster {
    /// The one that the kubeconfig and the connection flags name.
    #[cfg(feature = "live")]
    Live {
        /// The flags.
        connect: Box<ConnectOptions>,
        /// `--chunk-size`.
        chunk_size: Option<u32>,
    },
    /// A live one, which this build cannot read.
    #[cfg(not(feature = "live"))]
    Live,
    /// Dumps.
    Files(Vec<Input>),
    /// The one that is built in.
    Example,
}

/// What to read of it, and from where.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// Where.
    pub(super) cluster: Cluster,
    /// `-n`, where it is another namespace than kube-system.
    pub(super) hosted: Option<String>,
    /// The labels to keep.
    pub(super) wanted: Wanted,
    /// `--server-version`.
    pub(super) server_version: Option<String>,
    /// `--kubectl-version`.
    pub(super) kubectl_version: Option<String>,
    /// `--pool-label`.
    pub(super) pool_label: Option<String>,
}

/// What to judge.
#[derive(Clone, Debug)]
pub(super) struct Judging {
    /// The question.
    pub(super) question: Question,
    /// Which policy.
    pub(super) policy: PolicyChoice,
    /// `--exclude`.
    pub(super) exclude: Vec<NodeSelector>,
    /// `--assume`.
    pub(super) assume: Vec<Assumption>,
    /// What the plan is held to.
    pub(super) plan: PlanOptions,
    /// `--best-effort`.
    pub(super) best_effort: bool,
}

/// How the report goes out.
#[derive(Clone, Debug)]
pub(super) struct Showing {
    /// The format on standard output.
    pub(super) format: Format,
    /// How it is to look there.
    pub(super) style: Style,
    /// Files to write as well.
    pub(super) files: Vec<FileFormat>,
}

/// Where to read, by the flags.
pub(super) fn reading(
    flags: &CommandLine,
    matches: &ArgMatches,
    is_example: bool,
) -> Result<Reading, Failure> {
    let excluded = flags.what_if.exclude.iter().flat_map(NodeSelector::label_keys);
    let assumed = flags.what_if.assume.iter().map(|assumption| &assumption.selector);
    let assumed = assumed.flat_map(NodeSelector::label_keys);
    let shown = flags.output.selector.iter().flat_map(Selector::label_keys);
    let typed = excluded.chain(assumed).chain(shown).map(str::to_owned);
    let hosted = flags
        .reading
        .namespace
        .clone()
        .filter(|name| !name.is_empty() && name != KUBE_SYSTEM);
    Ok(Reading {
        cluster: cluster(flags, matches, is_example)?,
        hosted,
        wanted: Wanted::new(typed.chain(flags.reading.pool_label.clone())),
        server_version: flags.reading.server_version.clone(),
        kubectl_version: flags.reading.kubectl_version.clone(),
        pool_label: flags.reading.pool_label.clone(),
    })
}

fn cluster(flags: &CommandLine, matches: &ArgMatches, is_example: bool) -> Result<Cluster, Failure> {
    let inputs = &flags.dumps.filename;
    let connection = typed_of(matches, &[group::CONNECTION])
        .into_iter()
        .find(|flag| !super::is_common(flag));
    if is_example {
        return Ok(Cluster::Example);
    }
    if inputs.is_empty() {
        return Ok(live(flags));
    }
    if let Some(flag) = connection {
        return Err(usage(format!(
            "{flag} speaks of a live cluster and cannot be used together with -f, which judges a dump"
        )));
    }
    let standard_inputs = inputs.iter().filter(|input| is_dash(input)).count();
    let names_too = flags.target.rollout_file.as_deref().is_some_and(is_dash);
    if standard_inputs + usize::from(names_too) > 1 {
        return Err(usage("standard input can be read only once".to_owned()));
    }
    Ok(Cluster::Files(
        inputs.iter().flat_map(|input| comma_separated(input)).collect(),
    ))
}

#[cfg(feature = "live")]
fn live(flags: &CommandLine) -> Cluster {
    let typed = &flags.connection;
    Cluster::Live {
        connect: Box::new(ConnectOptions {
            kubeconfig: typed.kubeconfig.clone(),
            context: typed.context.clone(),
            cluster: typed.cluster.clone(),
            user: typed.user.clone(),
            server: typed.server.clone(),
            token: typed.token.clone(),
            impersonate: typed.impersonate.clone(),
            impersonate_groups: typed.impersonate_group.clone(),
            impersonate_uid: typed.impersonate_uid.clone(),
            impersonate_extra: typed.impersonate_extra.clone(),
            certificate_authority: typed.certificate_authority.clone(),
            client_certificate: typed.client_certificate.clone(),
            client_key: typed.client_key.clone(),
            tls_server_name: typed.tls_server_name.clone(),
            insecure_skip_tls_verify: typed.insecure_skip_tls_verify,
            request_timeout: typed.request_timeout.clone(),
            disable_compression: typed.disable_compression,
            verbosity: typed.verbosity,
            stdin_taken: flags.target.rollout_file.as_deref().is_some_and(is_dash),
        }),
        chunk_size: typed.chunk_size,
    }
}

#[cfg(not(feature = "live"))]
fn live(_flags: &CommandLine) -> Cluster {
    Cluster::Live
}

fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// kubectl takes `-f a,b` for two files; a file with a comma in its name still is one.
fn comma_separated(typed: &Path) -> Vec<Input> {
    if is_dash(typed) {
        return vec![Input::Stdin];
    }
    match typed.to_str() {
        Some(text) if text.contains(',') && !typed.exists() => text
            .split(',')
            .filter(|part| !part.is_empty())
            .map(|part| match part {
                "-" => Input::Stdin,
                part => Input::Path(PathBuf::from(part)),
            })
            .collect(),
        _ => vec![Input::Path(typed.to_owned())],
    }
}

/// What to judge, by the flags.
pub(super) fn judging(flags: &CommandLine) -> Result<Judging, Failure> {
    let rollout = rollout(flags)?;
    let policy = match &flags.target.policy_file {
        Some(file) => PolicyChoice::File(policy_file(file)?),
        None => flags.target.policy.clone(),
    };
    Ok(Judging {
        question: Question {
            target: flags.target.target.clone(),
            fail_on: flags.gate.fail_on,
            allow_incomplete: flags.gate.allow_incomplete,
            rollout: rollout.clone(),
        },
        policy,
        exclude: flags.what_if.exclude.clone(),
        assume: flags.what_if.assume.clone(),
        plan: PlanOptions {
            node_step_one: flags.target.node_step.map(|step| step == NodeStep::One),
            finish_nodes: flags.target.finish_nodes,
            whole_pools: flags.target.whole_pools,
            keep_rollback: flags.target.keep_rollback,
            rollout,
        },
        best_effort: flags.gate.best_effort,
    })
}

fn policy_file(file: &Path) -> Result<Policy, Failure> {
    let name = file.display().to_string();
    let text = text_of(file).map_err(|error| {
        Failure::new(format!("cannot read --policy-file {name}")).because(error.to_string())
    })?;
    policy_file::from_text(&name, &text).map_err(|error| Failure::from_error(&error))
}

/// The names that `--rollout` and `--rollout-file` list; `None` where neither was given.
fn rollout(flags: &CommandLine) -> Result<Option<Vec<String>>, Failure> {
    let typed = &flags.target.rollout;
    let file = flags.target.rollout_file.as_deref();
    if typed.is_empty() && file.is_none() {
        return Ok(None);
    }
    let mut names: Vec<String> = typed.iter().map(|name| name.trim().to_owned()).collect();
    if let Some(file) = file {
        let text = text_of(file).map_err(|error| {
            Failure::new(format!("cannot read --rollout-file {}", file.display()))
                .because(error.to_string())
                .hint("it holds the name of a node a line; # starts a comment")
        })?;
        names.extend(
            text.lines()
                .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned()),
        );
    }
    names.retain(|name| !name.is_empty());
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Err(usage("the rollout names no node".to_owned()));
    }
    Ok(Some(names))
}

fn text_of(file: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if is_dash(file) {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(file)?;
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8"))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Refuses files to write that would take each other's place, or that of a file that is read.
pub(super) fn check_files<'a>(
    flags: &CommandLine,
    written: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let dumps = flags.dumps.filename.iter();
    let target = &flags.target;
    let read: Vec<&PathBuf> = dumps
        .chain(&target.rollout_file)
        .chain(&target.policy_file)
        .chain(&flags.connection.kubeconfig)
        .collect();
    let mut earlier: Vec<&Path> = Vec::new();
    for path in written {
        if read.iter().any(|read| output::is_same_file(read, path)) {
            let path = path.display();
            return Err(usage(format!("{path} is read, and would be overwritten")));
        }
        if earlier.iter().any(|earlier| output::is_same_file(earlier, path)) {
            let path = path.display();
            return Err(usage(format!(
                "{path} would be written twice; name a file for each format"
            )));
        }
        earlier.push(path);
    }
    Ok(())
}

/// How the report goes out, by the flags.
pub(super) fn showing(flags: &OutputFlags) -> Showing {
    let terminal = Terminal::of_stdout();
    let color = terminal::is_colored(flags.color, terminal.is_there, |name| std::env::var_os(name));
    let fold = match (flags.fold, flags.no_fold) {
        (Some(fold), _) => Some(fold),
        (None, Some(no_fold)) => Some(!no_fold),
        (None, None) if terminal.is_there => None,
        (None, None) => Some(false),
    };
    Showing {
        format: flags.output,
        style: Style {
            width: terminal.width,
            height: terminal.height,
            color,
            utf8: terminal.utf8,
            fold,
            no_headers: flags.no_headers,
            quiet: flags.quiet,
            sort_by: flags.sort_by,
            group_by: flags.group_by,
            selector: flags.selector.clone(),
            only_problems: flags.only.is_some(),
        },
        files: flags.output_file.clone(),
    }
}

impl Showing {
    /// How the same report is to look in a file: whole, without colour, unless the user asked otherwise.
    pub(super) fn file_style(&self) -> Style {
        Style {
            width: None,
            height: None,
            color: false,
            utf8: true,
            fold: self.style.fold.filter(|fold| *fold).or(Some(false)),
            quiet: false,
            ..self.style.clone()
        }
    }
}

/// The flags of some groups that were typed, as they are spelled, in the order of the help.
pub(super) fn typed_of(matches: &ArgMatches, groups: &[&str]) -> Vec<String> {
    super::command()
        .get_arguments()
        .filter(|flag| {
            flag.get_help_heading()
                .is_some_and(|heading| groups.contains(&heading))
        })
        .filter(|flag| matches.value_source(flag.get_id().as_str()) == Some(ValueSource::CommandLine))
        .filter_map(|flag| flag.get_long().map(|long| format!("--{long}")))
        .collect()
}
