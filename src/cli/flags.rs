//! What can be typed: every flag and command, once, by kubectl's spellings. Help, completion and the man page
//! derive from it. How a value is read is in `values`; what the flags mean together is in `request`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};

use super::values::{self, FileFormat, ShellName};
use crate::policy::platforms::PolicyChoice;
use crate::policy::question::{FailOn, Target};
use crate::render::{Format, GroupBy, SortBy};

/// The groups of the help. A command says by them which flags it takes.
pub(super) mod group {
    pub(in crate::cli) const TARGET: &str = "Target";
    pub(in crate::cli) const READING: &str = "What is read";
    pub(in crate::cli) const WHAT_IF: &str = "What if";
    pub(in crate::cli) const GATE: &str = "Gate";
    pub(in crate::cli) const OUTPUT: &str = "Output";
    pub(in crate::cli) const DUMPS: &str = "Dumps";
    pub(in crate::cli) const CONNECTION: &str = "Connection";

    pub(in crate::cli) const ALL: [&str; 7] = [TARGET, GATE, OUTPUT, WHAT_IF, DUMPS, READING, CONNECTION];
}

const ABOUT: &str = "May the control plane move, through which minors, which nodes must move first, and what is \
out of policy today? Judged by the Kubernetes version skew policy, read only.";

const EXAMPLES: &str = "\
Examples:
  # May this cluster's control plane move to 1.37, and what must move first?
  kubectl skew --target 1.37

  # Is anything out of policy today?
  kubectl skew

  # In a pipeline: exit 2 unless the next minor is fine, and leave a JUnit file
  kubectl skew --target next --output-file junit=skew.xml

  # Judge a saved dump instead of a live cluster
  kubectl get nodes,pods -A -o json | kubectl skew -f - --server-version 1.36 --target 1.37

  # What if the gpu pool already ran 1.36?
  kubectl skew --target 1.37 --assume pool/gpu=1.36

  # The nodes that must move first, for xargs
  kubectl skew --target 1.37 -o name

  # See a report without a cluster
  kubectl skew demo

Exit codes:
  0  the gate passes        1  it could not be judged: a wrong flag, no cluster, an unreadable file
  2  the gate fails: a finding at or above --fail-on, or something required could not be seen";

const DEMO_EXAMPLES: &str = "\
Examples:
  # The table
  kubectl skew demo

  # Another target, another format
  kubectl skew demo --target 1.35 -o markdown

  # The same cluster under a stricter platform policy
  kubectl skew demo --policy k0s";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  # All rules
  kubectl skew explain

  # One rule: what it checks, why, the limit, the remedy, the source
  kubectl skew explain version-skew/kubelet-post-upgrade

  # The same with the numbers of a cluster: name one by --context, --target, -f …
  kubectl skew explain version-skew/kubelet-post-upgrade --target 1.37";

const SAVE_EXAMPLES: &str = "\
Examples:
  # A small file for a ticket, with stand-ins for all names
  kubectl skew save skew.json --redact

  # It is judged like the cluster
  kubectl skew -f skew.json --target 1.37

  # Make a must-gather small
  kubectl skew save skew.json -f must-gather.tar.gz";

const COMPLETION_EXAMPLES: &str = "\
Examples:
  # Completion of `kubectl skew …`: put the link that kubectl looks for beside the plugin
  kubectl skew completion kubectl --install

  # Completion of `kubectl-skew …` in a shell
  source <(kubectl skew completion bash)
  kubectl skew completion zsh > \"${fpath[1]}/_kubectl-skew\"
  kubectl skew completion fish > ~/.config/fish/completions/kubectl-skew.fish
  kubectl skew completion powershell | Out-String | Invoke-Expression";

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-skew",
    bin_name = "kubectl skew",
    display_name = "kubectl skew",
    version,
    about = ABOUT,
    after_help = EXAMPLES,
    max_term_width = 120,
    args_override_self = true,
    subcommand_value_name = "COMMAND",
    override_usage = "kubectl skew [--target VERSION] [flags]\n       kubectl skew -f DUMP [--target VERSION] [flags]\n       kubectl skew COMMAND [flags]"
)]
pub(super) struct CommandLine {
    #[command(flatten)]
    pub(super) target: TargetFlags,
    #[command(flatten)]
    pub(super) gate: GateFlags,
    #[command(flatten)]
    pub(super) output: OutputFlags,
    #[command(flatten)]
    pub(super) what_if: WhatIfFlags,
    #[command(flatten)]
    pub(super) dumps: DumpFlags,
    #[command(flatten)]
    pub(super) reading: ReadingFlags,
    #[command(flatten)]
    pub(super) connection: ConnectionFlags,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// What to do other than to judge.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Judge an example cluster that is built in
    #[command(after_help = DEMO_EXAMPLES, override_usage = "kubectl skew demo [flags]")]
    Demo,
    /// Explain a rule, with a cluster's numbers where one is named; without KEY list all rules
    #[command(after_help = EXPLAIN_EXAMPLES, override_usage = "kubectl skew explain [KEY] [flags]")]
    Explain {
        /// A rule's key, as the findings and the JSON show it
        #[arg(value_name = "KEY")]
        key: Option<String>,
    },
    /// Write what a judgement needs and nothing else, as a List that -f and kubectl read
    #[command(after_help = SAVE_EXAMPLES, override_usage = "kubectl skew save FILE [--redact] [--force] [flags]")]
    Save {
        /// Where to write it; - is standard output
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Replace a file that is there
        #[arg(long, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true",
              default_value = "false", value_parser = values::boolean(), value_name = "BOOL", hide_default_value = true,
              hide_possible_values = true)]
        force: bool,
        /// Replace names by stable stand-ins: the file is safe to share
        #[arg(long, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true",
              default_value = "false", value_parser = values::boolean(), value_name = "BOOL", hide_default_value = true,
              hide_possible_values = true)]
        redact: bool,
    },
    /// Print a completion script, or install the link that kubectl completes plugins by
    #[command(after_help = COMPLETION_EXAMPLES, override_usage = "kubectl skew completion SHELL")]
    Completion {
        /// The shell; `kubectl` is the script that kubectl looks for
        #[arg(value_name = "SHELL", value_parser = values::shell())]
        shell: ShellName,
        /// With `kubectl`: write kubectl_complete-skew beside the plugin instead of printing it
        #[arg(long)]
        install: bool,
    },
    /// Print the man page
    #[command(hide = true)]
    Man,
}

/// Where the control plane is to move, and by which policy.
#[derive(Args, Debug)]
#[command(next_help_heading = group::TARGET)]
pub(super) struct TargetFlags {
    /// The version to move to: 1.37, 1.36.5 (a patch), next, or +2. Without it today's state is judged
    #[arg(long, global = true, value_name = "VERSION", value_parser = values::target())]
    pub(super) target: Option<Target>,
    /// The policy: auto finds the platform's own, upstream is Kubernetes'
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", value_parser = values::policy(),
          ignore_case = true)]
    pub(super) policy: PolicyChoice,
    /// A policy of your own, YAML or JSON
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "policy")]
    pub(super) policy_file: Option<PathBuf>,
    /// The nodes that this rollout moves; the rest is told as left behind
    #[arg(long, global = true, value_name = "NODE,…", value_delimiter = ',', action = ArgAction::Append)]
    pub(super) rollout: Vec<String>,
    /// The same from a file, a name a line, # for comments; - is standard input
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) rollout_file: Option<PathBuf>,
    /// How far a node moves in one roll of the plan: one minor, or as far as the policy lets it [default: one on k0s
    /// and Talos, else max]
    #[arg(long, global = true, value_name = "STEP", value_parser = values::node_step())]
    pub(super) node_step: Option<values::NodeStep>,
    /// Plan on until every node and kube-proxy runs the target [default: on k0s and ACK]
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = values::boolean(), value_name = "BOOL",
          hide_possible_values = true)]
    pub(super) finish_nodes: Option<bool>,
    /// Roll all nodes of a pool where one of them must move [default: for node groups of EKS, GKE, AKS, ACK and LKE]
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = values::boolean(), value_name = "BOOL",
          hide_possible_values = true)]
    pub(super) whole_pools: Option<bool>,
    /// Roll a node only right before a hop that would leave it too far behind, so that going back stays cheap
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false", value_parser = values::boolean(), value_name = "BOOL",
          hide_default_value = true, hide_possible_values = true)]
    pub(super) keep_rollback: bool,
}

/// What is read, and what is told instead.
#[derive(Args, Debug)]
#[command(next_help_heading = group::READING)]
pub(super) struct ReadingFlags {
    /// Judge the hosted control plane in this namespace, instead of the one in kube-system
    #[arg(short, long, global = true, value_name = "NAMESPACE", value_parser = values::namespace())]
    pub(super) namespace: Option<String>,
    /// The node label that names the pool, where no known one does
    #[arg(long, global = true, value_name = "KEY", value_parser = values::label_key())]
    pub(super) pool_label: Option<String>,
    /// The version of kubectl, instead of asking the one that runs this plugin
    #[arg(long, global = true, value_name = "VERSION", value_parser = values::version())]
    pub(super) kubectl_version: Option<String>,
    /// The version of kube-apiserver, instead of asking it or where a dump does not tell
    #[arg(long, global = true, value_name = "VERSION", value_parser = values::version())]
    pub(super) server_version: Option<String>,
}

/// What to judge in place of a live cluster.
#[derive(Args, Debug)]
#[command(next_help_heading = group::DUMPS)]
pub(super) struct DumpFlags {
    /// A dump: a file, a directory, an archive, or - for standard input; repeatable
    #[arg(short, long, visible_alias = "files", global = true, value_name = "DUMP", action = ArgAction::Append)]
    pub(super) filename: Vec<PathBuf>,
}

/// What to judge otherwise than it is.
#[derive(Args, Debug)]
#[command(next_help_heading = group::WHAT_IF)]
pub(super) struct WhatIfFlags {
    /// Judge as though these already ran that minor: node/NAME, pool/NAME, a label KEY=VALUE or a component, =MINOR
    #[arg(long, global = true, value_name = "SELECTOR=MINOR", action = ArgAction::Append, value_parser = values::assumption())]
    pub(super) assume: Vec<crate::inventory::assumption::Assumption>,
    /// Take nodes out of the judgement: node/NAME, pool/NAME or a label KEY=VALUE
    #[arg(long, global = true, value_name = "SELECTOR", action = ArgAction::Append, value_parser = values::node_selector())]
    pub(super) exclude: Vec<crate::inventory::selector::NodeSelector>,
}

/// When a pipeline is to stop.
#[derive(Args, Debug)]
#[command(next_help_heading = group::GATE)]
pub(super) struct GateFlags {
    /// Exit 2 from this severity on [default: blocker, without a target warning]
    #[arg(long, global = true, value_name = "SEVERITY", value_parser = values::fail_on())]
    pub(super) fail_on: Option<FailOn>,
    /// Let the gate pass although something required could not be seen; the verdict stays unknown
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false", value_parser = values::boolean(), value_name = "BOOL",
          hide_default_value = true, hide_possible_values = true)]
    pub(super) allow_incomplete: bool,
    /// A cluster that cannot be reached is a warning and exit 0, so that a broken control plane can be upgraded
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false", value_parser = values::boolean(), value_name = "BOOL",
          hide_default_value = true, hide_possible_values = true)]
    pub(super) best_effort: bool,
}

/// How the report is to look.
#[derive(Args, Debug)]
#[command(next_help_heading = group::OUTPUT)]
pub(super) struct OutputFlags {
    /// The format
    #[arg(short, long, global = true, value_name = "FORMAT", default_value = "table", value_parser = values::format(),
          ignore_case = true)]
    pub(super) output: Format,
    /// Write the report to a file as well, in a format of its own; repeatable
    #[arg(long, global = true, value_name = "FORMAT=PATH", action = ArgAction::Append, value_parser = values::file_format())]
    pub(super) output_file: Vec<FileFormat>,
    /// Show only the nodes with these labels; all are judged
    #[arg(short = 'l', long, global = true, value_name = "SELECTOR", value_parser = values::selector())]
    pub(super) selector: Option<crate::inventory::selector::Selector>,
    /// Show only nodes that are out of policy today or on the way; all are judged
    #[arg(long, global = true, value_name = "WHICH", value_parser = ["problems"])]
    pub(super) only: Option<String>,
    /// The order of the nodes; without it the worst come first
    #[arg(long, global = true, value_name = "COLUMN", value_parser = values::sort_by())]
    pub(super) sort_by: Option<SortBy>,
    /// Nodes in groups
    #[arg(long, global = true, value_name = "COLUMN", value_parser = values::group_by())]
    pub(super) group_by: Option<GroupBy>,
    /// Fold identical nodes of a pool into one row [default: when they would not fit the terminal]
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = values::boolean(), value_name = "BOOL",
          hide_possible_values = true, overrides_with = "no_fold")]
    pub(super) fold: Option<bool>,
    /// A row for every node, and every node's name in the plan
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = values::boolean(), value_name = "BOOL",
          hide_possible_values = true, overrides_with = "fold")]
    pub(super) no_fold: Option<bool>,
    /// Leave the column headers of table, wide and csv out
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false", value_parser = values::boolean(), value_name = "BOOL",
          hide_default_value = true, hide_possible_values = true)]
    pub(super) no_headers: bool,
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_parser = values::color(),
          help = "Colour: auto follows the terminal, NO_COLOR and CLICOLOR_FORCE")]
    pub(super) color: super::terminal::Color,
    /// Of table and wide the verdict line alone; other formats stay whole
    #[arg(short, long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false", value_parser = values::boolean(), value_name = "BOOL",
          hide_default_value = true, hide_possible_values = true)]
    pub(super) quiet: bool,
}

/// How to reach the cluster: kubectl's own flags.
#[derive(Args, Debug)]
#[command(next_help_heading = group::CONNECTION)]
pub(super) struct ConnectionFlags {
    /// The kubeconfig file
    #[arg(long, global = true, value_name = "FILE", value_parser = values::path_or_none())]
    pub(super) kubeconfig: Option<PathBuf>,
    /// The kubeconfig context
    #[arg(long, global = true, value_name = "NAME")]
    pub(super) context: Option<String>,
    /// The kubeconfig cluster
    #[arg(long, global = true, value_name = "NAME")]
    pub(super) cluster: Option<String>,
    /// The kubeconfig user
    #[arg(long, global = true, value_name = "NAME")]
    pub(super) user: Option<String>,
    /// The address of the API server
    #[arg(short, long, global = true, value_name = "URL")]
    pub(super) server: Option<String>,
    /// The bearer token
    #[arg(long, global = true, value_name = "TOKEN")]
    pub(super) token: Option<String>,
    /// The user to impersonate
    #[arg(long = "as", global = true, value_name = "USER")]
    pub(super) impersonate: Option<String>,
    /// A group to impersonate; repeatable
    #[arg(long = "as-group", global = true, value_name = "GROUP", action = ArgAction::Append)]
    pub(super) impersonate_group: Vec<String>,
    /// The uid to impersonate
    #[arg(long = "as-uid", global = true, value_name = "UID")]
    pub(super) impersonate_uid: Option<String>,
    /// An extra of the user to impersonate; repeatable
    #[arg(long = "as-user-extra", global = true, value_name = "KEY=VALUE", action = ArgAction::Append)]
    pub(super) impersonate_extra: Vec<String>,
    /// The file of the certificate authority
    #[arg(long, global = true, value_name = "FILE", value_parser = values::path_or_none())]
    pub(super) certificate_authority: Option<PathBuf>,
    /// The file of the client certificate
    #[arg(long, global = true, value_name = "FILE", value_parser = values::path_or_none())]
    pub(super) client_certificate: Option<PathBuf>,
    /// The file of the client key
    #[arg(long, global = true, value_name = "FILE", value_parser = values::path_or_none())]
    pub(super) client_key: Option<PathBuf>,
    /// The name to expect in the server's certificate
    #[arg(long, global = true, value_name = "NAME")]
    pub(super) tls_server_name: Option<String>,
    /// Do not check the server's certificate
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = values::boolean(), value_name = "BOOL",
          hide_possible_values = true)]
    pub(super) insecure_skip_tls_verify: Option<bool>,
    /// How long one request may take: 30s, 2m; 0 for no end
    #[arg(long, global = true, value_name = "DURATION")]
    pub(super) request_timeout: Option<String>,
    /// Do not ask for compressed answers
    #[arg(long, global = true, action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false", value_parser = values::boolean(), value_name = "BOOL",
          hide_default_value = true, hide_possible_values = true)]
    pub(super) disable_compression: bool,
    /// Accepted because kubectl has it; nothing is cached
    #[arg(long, global = true, value_name = "DIR", value_parser = values::path_or_none())]
    pub(super) cache_dir: Option<PathBuf>,
    /// How many objects to ask for at once, 0 for all; by default each list has its own number
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(0..))]
    pub(super) chunk_size: Option<u32>,
    /// Show the requests on standard error, from 6 on; credentials are masked
    #[arg(
        short,
        long = "v",
        global = true,
        value_name = "LEVEL",
        default_value_t = 0,
        hide_default_value = true,
        allow_negative_numbers = true
    )]
    pub(super) verbosity: i32,
}
