//! Rows of the table with the names of one cluster. A name that a shell could take for something else is quoted; one
//! that no quoting makes safe to read (a line break, a leading dash) is left to the operator as a variable.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::table::{COMMANDS, CommandRow, NO_COMMANDS, Scope, VARIABLES};
use crate::inventory::component::Component;
use crate::inventory::labels::CLUSTER_NAME;
use crate::inventory::platform::Platform;
use crate::inventory::pool::{self, PoolSource};
use crate::inventory::{Inventory, Node};
use crate::plan::steps::{Command, Plan, Step, StepKind};

/// A node of AWS Fargate takes a new kubelet when its pods are created anew.
const FARGATE: CommandRow = CommandRow {
    platform: Some(Platform::Eks),
    kind: StepKind::Kubelets,
    scope: Scope::Nodes,
    run: "kubectl delete pods --all-namespaces --field-selector spec.nodeName={node}",
    source: "https://docs.aws.amazon.com/eks/latest/userguide/fargate-pod-patching.html",
    date: "2026-11-29",
};

/// Gives each step of `plan` its commands.
pub(in crate::plan) fn add_commands(plan: &mut Plan, inventory: &Inventory) {
    let names = ClusterNames::of(inventory);
    for step in &mut plan.steps {
        step.commands = names.commands(step);
    }
}

/// The variables that `commands` leave to the operator, each with what it is, by name.
pub fn variables<'a>(commands: impl IntoIterator<Item = &'a Command>) -> Vec<(&'static str, &'static str)> {
    let mut used = BTreeSet::new();
    for command in commands {
        for part in command.run.split('$').skip(1) {
            let end = part.find(|c: char| c != '_' && !c.is_ascii_uppercase() && !c.is_ascii_digit());
            used.insert(&part[..end.unwrap_or(part.len())]);
        }
    }
    VARIABLES
        .iter()
        .copied()
        .filter(|(name, _)| used.contains(name))
        .collect()
}

/// Why a platform has no command for a kind of step.
pub fn no_command(platform: Option<Platform>, kind: StepKind) -> Option<&'static str> {
    let mut reasons = NO_COMMANDS.iter();
    let row = reasons.find(|row| Some(row.platform) == platform && row.kind == kind)?;
    Some(row.reason)
}

/// What of a cluster stands in its commands.
struct ClusterNames<'a> {
    platform: Option<Platform>,
    cluster: Cow<'a, str>,
    nodes: BTreeMap<&'a str, &'a Node>,
    inventory: &'a Inventory,
}

impl<'a> ClusterNames<'a> {
    fn of(inventory: &'a Inventory) -> Self {
        let labels = inventory.nodes.iter().flat_map(|node| &node.labels);
        let mut cluster = labels
            .filter(|(key, _)| key == CLUSTER_NAME)
            .map(|(_, value)| value);
        Self {
            platform: inventory.platform.as_ref().map(|detected| detected.platform),
            cluster: quoted(cluster.next().map_or("", String::as_str), "CLUSTER"),
            nodes: inventory
                .nodes
                .iter()
                .map(|node| (node.name.as_str(), node))
                .collect(),
            inventory,
        }
    }

    fn commands(&self, step: &Step) -> Vec<Command> {
        let rows = |platform: Option<Platform>| {
            COMMANDS
                .iter()
                .filter(move |row| row.platform == platform && row.kind == step.kind)
        };
        if step.kind == StepKind::Kubelets {
            let own = rows(self.platform).next().or_else(|| rows(None).next());
            return own.map_or_else(Vec::new, |row| self.rolls(step, row));
        }
        rows(self.platform)
            .flat_map(|row| self.repeated(step, row))
            .collect()
    }

    /// A command of a step that rolls no node, for everything that its scope names.
    fn repeated(&self, step: &Step, row: &CommandRow) -> Vec<Command> {
        let one = |names: &[(&str, &str)]| self.command(row, step, names);
        let each = |nodes: &[&str]| {
            nodes
                .iter()
                .map(|node| one(&[("{node}", &quoted(node, "NODE"))]))
                .collect()
        };
        let control_plane = self.control_plane_nodes(step);
        let any = [("{node}", "\"$CONTROL_PLANE_NODE\"")];
        match row.scope {
            Scope::Cluster => vec![one(&[])],
            Scope::Workloads => vec![one(&[("{workload}", &workload(step))])],
            Scope::FirstControlPlaneNode | Scope::ControlPlaneNodes if control_plane.is_empty() => {
                vec![one(&any)]
            }
            Scope::FirstControlPlaneNode => each(&control_plane[..1]),
            Scope::OtherControlPlaneNodes => each(control_plane.get(1..).unwrap_or_default()),
            Scope::ControlPlaneNodes => each(&control_plane),
            Scope::Pools | Scope::Nodes => Vec::new(),
        }
    }

    /// The nodes whose apiserver, or in a `controlPlane` step whose lagging component, the step moves.
    fn control_plane_nodes(&self, step: &Step) -> Vec<&'a str> {
        let component = step.component.filter(|_| step.kind == StepKind::ControlPlane);
        let instances = self
            .inventory
            .instances
            .iter()
            .filter(|instance| match component {
                Some(component) => {
                    instance.component == component
                        && instance.effective().is_some_and(|minor| minor < step.to)
                }
                None => instance.component == Component::KubeApiserver,
            });
        let nodes: BTreeSet<&str> = instances
            .filter_map(|instance| instance.node.as_deref())
            .collect();
        nodes.into_iter().collect()
    }

    /// The commands of a step that rolls nodes: control-plane nodes one at a time, then a command a pool.
    fn rolls(&self, step: &Step, row: &'static CommandRow) -> Vec<Command> {
        let mut commands = Vec::new();
        let mut pools: Vec<(&Node, Vec<&Node>)> = Vec::new();
        for node in step
            .nodes
            .iter()
            .filter_map(|name| self.nodes.get(name.as_str()).copied())
        {
            if node.fargate {
                commands.push(self.rolled(step, &FARGATE, &[node]));
            } else if is_control_plane(node) {
                commands.push(self.rolled(step, by_node(row), &[node]));
            } else if let Some((_, nodes)) = pools.iter_mut().find(|(first, _)| first.pool == node.pool) {
                nodes.push(node);
            } else {
                pools.push((node, vec![node]));
            }
        }
        commands.extend(pools.into_iter().map(|(first, nodes)| {
            let is_group = matches!(first.pool_source, Some(PoolSource::NodeGroup | PoolSource::Label));
            match &first.pool {
                Some(pool) if row.scope == Scope::Pools && is_group => {
                    self.command(row, step, &[("{pool}", &quoted(pool, "POOL"))])
                }
                _ => self.rolled(step, by_node(row), &nodes),
            }
        }));
        commands
    }

    /// A command a node: by its name for one, in a loop for several.
    fn rolled(&self, step: &Step, row: &CommandRow, nodes: &[&Node]) -> Command {
        if let [node] = nodes {
            return self.command(row, step, &[("{node}", &quoted(&node.name, "NODE"))]);
        }
        let command = self.command(row, step, &[("{node}", "\"$node\"")]);
        let body = command.run.lines().map(|line| {
            if line.starts_with('#') {
                format!("  {line}\n")
            } else {
                format!("  {line} || break\n")
            }
        });
        Command {
            run: format!(
                "for node in {}; do\n{}done",
                Self::which(step, nodes),
                body.collect::<String>()
            ),
            ..command
        }
    }

    /// The nodes of a loop: the label of their pool where the step moves all of it, else their names.
    fn which(step: &Step, nodes: &[&Node]) -> String {
        let pool = nodes.first().and_then(|node| node.pool.as_deref());
        let is_whole = step
            .pools
            .iter()
            .any(|moved| moved.name.as_deref() == pool && moved.nodes == moved.of);
        let label = nodes.first().filter(|_| is_whole).and_then(|node| {
            let mut labels = node.labels.iter();
            labels.find(|(key, value)| pool::keys().any(|known| known == key) && Some(value.as_str()) == pool)
        });
        match label {
            Some((key, value)) => format!(
                "$(kubectl get nodes -l {} -o jsonpath='{{.items[*].metadata.name}}')",
                quoted(&format!("{key}={value}"), "POOL")
            ),
            None => nodes
                .iter()
                .map(|node| quoted(&node.name, "NODE"))
                .collect::<Vec<_>>()
                .join(" "),
        }
    }

    fn command(&self, row: &CommandRow, step: &Step, names: &[(&str, &str)]) -> Command {
        let component = step
            .component
            .map_or("kube-controller-manager and kube-scheduler", Component::name);
        let minor = step.to.to_string();
        let known = [
            ("{to}", minor.as_str()),
            ("{component}", component),
            ("{cluster}", &self.cluster),
        ];
        let word = |text: &str| {
            let mut words = known.iter().chain(names);
            words.find(|(word, _)| text.starts_with(word)).copied()
        };
        // In one pass: what a name holds is never taken for a word of the table.
        let mut run = String::new();
        let mut rest = row.run;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            let (word, text) = word(from).unwrap_or(("{", "{"));
            run.push_str(before);
            run.push_str(text);
            rest = &from[word.len()..];
        }
        run.push_str(rest);
        Command {
            run,
            source: row.source,
        }
    }
}

fn is_control_plane(node: &Node) -> bool {
    node.roles
        .iter()
        .any(|role| matches!(role.as_str(), "control-plane" | "master"))
}

/// The row itself where it is typed once a node, else the plain one.
fn by_node(row: &'static CommandRow) -> &'static CommandRow {
    let plain = || {
        COMMANDS
            .iter()
            .find(|row| row.platform.is_none() && row.kind == StepKind::Kubelets)
    };
    if row.scope == Scope::Nodes {
        row
    } else {
        plain().unwrap_or(row)
    }
}

/// `daemonset/NAME` of "DaemonSet NAME".
fn workload(step: &Step) -> String {
    let parts = step
        .workload
        .as_deref()
        .and_then(|workload| workload.split_once(' '));
    let (kind, name) = parts.unwrap_or_default();
    let name = format!("{}/{name}", kind.to_ascii_lowercase());
    quoted(if parts.is_some() { &name } else { "" }, "WORKLOAD").into_owned()
}

/// `name` as one word of a shell; the variable where there is none, or one that could be read as something else.
fn quoted<'a>(name: &'a str, variable: &str) -> Cow<'a, str> {
    let is_plain = !name.is_empty() && !name.starts_with('-') && !name.chars().any(char::is_control);
    match shlex::try_quote(name) {
        Ok(quoted) if is_plain => quoted,
        _ => Cow::Owned(format!("\"${variable}\"")),
    }
}
