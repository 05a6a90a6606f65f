//! What the rules about a distance share: who is judged, and the words for how far they are.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Context, Rule};
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::policy::finding::{Finding, Severity};
use crate::policy::limits;

/// How many names a detail gives before it counts the rest; a finding's own lists are always complete.
const NAMES: usize = 5;

/// One running component that a rule found something about.
pub(super) struct Subject<'a> {
    /// The node it stands on, where one is named.
    pub(super) node: Option<&'a str>,
    /// What it is called: the node, or the pod where no node is named.
    pub(super) name: &'a str,
    pub(super) version: &'a Version,
    /// The minor that is judged: the emulated one, else the binary's.
    pub(super) minor: Minor,
    pub(super) fargate: bool,
}

/// The kubelets that are judged and read.
pub(super) fn kubelets<'a>(context: &Context<'a>) -> impl Iterator<Item = Subject<'a>> + use<'a> {
    context.judged_nodes().filter_map(|node| {
        let version = node.kubelet.version.as_ref()?;
        Some(Subject {
            node: Some(&node.name),
            name: &node.name,
            version,
            minor: version.minor(),
            fargate: node.fargate,
        })
    })
}

/// The kube-proxies that are judged and read, those of unlisted nodes included.
pub(super) fn kube_proxies<'a>(context: &Context<'a>) -> impl Iterator<Item = Subject<'a>> + use<'a> {
    let listed = context
        .judged_nodes()
        .flat_map(|node| node.proxies.iter().map(|proxy| (Some(node.name.as_str()), proxy)));
    let stray = context.inventory.stray_proxies.iter();
    listed
        .chain(stray.map(|proxy| (proxy.node.as_deref(), proxy)))
        .filter_map(|(node, proxy)| {
            let version = proxy.version.as_ref()?;
            Some(Subject {
                node,
                name: node.unwrap_or(&proxy.pod),
                version,
                minor: version.minor(),
                fargate: false,
            })
        })
}

/// The judged instances of a control-plane component.
pub(super) fn instances<'a>(
    context: &Context<'a>,
    component: Component,
) -> impl Iterator<Item = Subject<'a>> + use<'a> {
    let instances = context.inventory.instances.iter();
    instances.filter_map(move |instance| {
        if instance.component != component || !instance.judged {
            return None;
        }
        Some(Subject {
            node: instance.node.as_deref(),
            name: &instance.name,
            version: instance.version.as_ref()?,
            minor: instance.effective()?,
            fargate: false,
        })
    })
}

/// The subjects of a component wherever it runs.
fn subjects<'a>(context: &Context<'a>, component: Component) -> Vec<Subject<'a>> {
    match component {
        Component::Kubelet => kubelets(context).collect(),
        Component::KubeProxy => kube_proxies(context).collect(),
        _ => instances(context, component).collect(),
    }
}

/// A finding about everything of the rule's component that is too far behind the newest apiserver: today's, or with
/// `target` the one that it is to become.
pub(super) fn behind(
    rule: &Rule,
    context: &Context<'_>,
    severity: Severity,
    target: Option<Minor>,
) -> Vec<Finding> {
    let Some(component) = rule.component else {
        return Vec::new();
    };
    let Some(hi) = target.or(context.apiservers.map(|apiservers| apiservers.hi)) else {
        return Vec::new();
    };
    let bound = if target.is_some() {
        None
    } else {
        context.inventory.min_compatibility
    };
    let mut out = subjects(context, component);
    out.retain(|subject| {
        context
            .policy
            .is_behind_today(component, subject.minor, hi, bound)
    });
    if out.is_empty() {
        return Vec::new();
    }
    let what = count(out.len(), component);
    let title = if target.is_some() {
        format!("{what} would be too far behind kube-apiserver {hi}")
    } else {
        format!("{what} too far behind kube-apiserver {hi}")
    };
    let mut finding = rule.finding(severity, title, String::new());
    finding.detail = by_minor(&out, |minor, names| {
        distance_behind(rule, context, minor, hi, bound, target.is_some(), names)
    });
    cite_house(&mut finding, context, component, &out, hi);
    concern(&mut finding, &out);
    vec![finding]
}

/// A finding about everything of the rule's component that is newer than the oldest apiserver.
pub(super) fn newer(
    rule: &Rule,
    context: &Context<'_>,
    severity: impl FnOnce(&[Subject<'_>]) -> Severity,
) -> Vec<Finding> {
    let (Some(component), Some(apiservers)) = (rule.component, context.apiservers) else {
        return Vec::new();
    };
    let lo = apiservers.lo;
    let mut out = subjects(context, component);
    out.retain(|subject| context.policy.is_newer(component, subject.minor, lo));
    if out.is_empty() {
        return Vec::new();
    }
    let oldest = if apiservers.lo == apiservers.hi {
        format!("kube-apiserver {lo}")
    } else {
        format!("the oldest kube-apiserver, {lo}")
    };
    let title = format!("{} newer than {oldest}", count(out.len(), component));
    let mut finding = rule.finding(severity(&out), title, String::new());
    finding.detail = by_minor(&out, |minor, names| {
        let minors = plural(u32::from(minor.distance(lo)), "minor");
        format!("{component} {minor} ({names}) is {minors} newer than {oldest}: it may not be newer")
    });
    concern(&mut finding, &out);
    vec![finding]
}

fn distance_behind(
    rule: &Rule,
    context: &Context<'_>,
    minor: Minor,
    hi: Minor,
    bound: Option<Minor>,
    is_ahead: bool,
    names: &str,
) -> String {
    let component = rule.component.unwrap_or(Component::Kubelet);
    let policy = context.policy;
    if !policy.is_behind(component, minor, hi) {
        let floor = bound.and_then(|bound| Some((bound, limits::floor(component, bound)?)));
        return floor.map_or_else(String::new, |(bound, floor)| {
            format!(
                "{component} {minor} ({names}) is below {floor}, the oldest that a kube-apiserver with \
                 minCompatibility {bound} bears"
            )
        });
    }
    let limit = policy.older(component, Component::KubeApiserver, minor, hi);
    let distance = u32::from(minor.distance(hi));
    let is = if is_ahead { "would be" } else { "is" };
    let mut text = format!(
        "{component} {minor} ({names}) {is} {} behind {hi}",
        plural(distance, "minor")
    );
    if limit.is_house {
        let refuses = if distance > u32::from(limit.upstream_older) {
            "would refuse it too"
        } else {
            "would accept it"
        };
        let _ = write!(
            text,
            ": the {} policy allows {}; upstream, which allows {}, {refuses}",
            policy.name, limit.older, limit.upstream_older
        );
    } else {
        let _ = write!(text, ": the policy allows {}", limit.older);
    }
    text
}

/// A part of a detail for each minor, oldest first.
fn by_minor(subjects: &[Subject<'_>], part: impl Fn(Minor, &str) -> String) -> String {
    let mut groups: BTreeMap<Minor, Vec<&str>> = BTreeMap::new();
    for subject in subjects {
        groups.entry(subject.minor).or_default().push(subject.name);
    }
    let parts = groups.into_iter().map(|(minor, mut names)| {
        names.sort_unstable();
        names.dedup();
        part(minor, &list(&names))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Cites the house policy where it is the one that refuses.
fn cite_house(
    finding: &mut Finding,
    context: &Context<'_>,
    component: Component,
    subjects: &[Subject<'_>],
    hi: Minor,
) {
    let mut minors: Vec<Minor> = subjects.iter().map(|subject| subject.minor).collect();
    minors.sort_unstable();
    minors.dedup();
    for minor in minors {
        let limit = context
            .policy
            .older(component, Component::KubeApiserver, minor, hi);
        if limit.is_house && !finding.citations.iter().any(|cited| cited == limit.source) {
            finding.citations.push(limit.source.to_owned());
        }
    }
}

/// Names the nodes and versions concerned.
pub(super) fn concern(finding: &mut Finding, subjects: &[Subject<'_>]) {
    finding.nodes = nodes(subjects.iter().filter_map(|subject| subject.node));
    finding.versions = versions(subjects.iter().map(|subject| subject.version));
    if subjects.iter().any(|subject| subject.fargate) {
        finding
            .remediation
            .push_str(" A Fargate node takes a new kubelet when its pods are recreated; it is not drained.");
    }
}

/// Node names, sorted and without repeats.
pub(super) fn nodes<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// Raw versions by release, without repeats.
pub(super) fn versions<'a>(versions: impl Iterator<Item = &'a Version>) -> Vec<String> {
    let mut versions: Vec<&Version> = versions.collect();
    versions.sort_unstable_by(|a, b| a.release().cmp(b.release()).then_with(|| a.raw().cmp(b.raw())));
    versions.dedup();
    versions
        .into_iter()
        .map(|version| version.raw().to_owned())
        .collect()
}

/// Names in a sentence, with the rest counted.
pub(super) fn list(names: &[impl AsRef<str>]) -> String {
    let mut text = names
        .iter()
        .take(NAMES)
        .map(AsRef::as_ref)
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > NAMES {
        let _ = write!(text, " and {} more", names.len() - NAMES);
    }
    text
}

/// `1 kubelet`, `12 kubelets`, `2 kube-proxies`.
pub(super) fn count(number: usize, component: Component) -> String {
    match (number, component) {
        (1, _) => format!("1 {component}"),
        (_, Component::KubeProxy) => format!("{number} kube-proxies"),
        _ => format!("{number} {component}s"),
    }
}

/// `1 minor`, `2 minors`.
pub(super) fn plural(number: impl Into<u64>, noun: &str) -> String {
    match number.into() {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}
