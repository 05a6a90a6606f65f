//! What the rules about a distance share: who is judged, and the evidence that they are too far behind or too new.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::{Context, Rule};
use crate::inventory::ProxyUnit;
use crate::inventory::component::Component;
use crate::inventory::version::{Minor, Version};
use crate::policy::evidence::{Behind, Evidence, Group, Limit, Newer, SetBy, Subject};
use crate::policy::limits::{self, UPSTREAM};

/// One running component that a rule judges.
pub(super) struct Judged<'a> {
    /// The node on which it runs, where one is named.
    pub(super) node: Option<&'a str>,
    /// Its name where it is no kubelet and no kube-proxy of a node.
    instance: Option<&'a str>,
    pub(super) version: &'a Version,
    /// The minor that is judged: the emulated one, else the binary's.
    pub(super) minor: Minor,
    fargate: bool,
    /// Whether it moves with its kube-apiserver, inside the hop.
    is_bound: bool,
}

impl Judged<'_> {
    pub(super) fn subject(&self) -> Subject {
        match (self.instance, self.node) {
            (None, Some(node)) => Subject::Node(node.to_owned()),
            (instance, node) => Subject::Instance {
                name: instance.or(node).unwrap_or_default().to_owned(),
                node: node.map(str::to_owned),
            },
        }
    }
}

/// The kubelets that are judged and read.
fn kubelets<'a>(context: &Context<'a>) -> impl Iterator<Item = Judged<'a>> {
    context.judged_nodes().filter_map(|node| {
        let version = node.kubelet.version.as_ref()?;
        Some(Judged {
            node: Some(&node.name),
            instance: None,
            version,
            minor: context.at(version.minor(), node.is_bound()),
            fargate: node.fargate,
            is_bound: node.is_bound(),
        })
    })
}

/// The kube-proxies that are judged and read, those of unlisted nodes included.
fn kube_proxies<'a>(context: &Context<'a>) -> impl Iterator<Item = Judged<'a>> {
    let listed = context.judged_nodes().flat_map(|node| {
        let of_node = node.proxies.iter();
        of_node.map(|proxy| {
            let is_bound = node.is_bound() && proxy.unit == ProxyUnit::Static;
            (Some(node.name.as_str()), proxy, is_bound)
        })
    });
    let stray = context.inventory.stray_proxies.iter();
    listed
        .chain(stray.map(|proxy| (proxy.node.as_deref(), proxy, false)))
        .filter_map(|(node, proxy, is_bound)| {
            let version = proxy.version.as_ref()?;
            Some(Judged {
                node,
                instance: node.is_none().then_some(proxy.pod.as_str()),
                version,
                minor: context.at(version.minor(), is_bound),
                fargate: false,
                is_bound,
            })
        })
}

/// The judged instances of a control-plane component.
pub(super) fn instances<'a>(
    context: &Context<'a>,
    component: Component,
) -> impl Iterator<Item = Judged<'a>> + use<'a> {
    context.instances.iter().filter_map(move |instance| {
        if instance.component != component || !instance.judged {
            return None;
        }
        Some(Judged {
            node: instance.node.as_deref(),
            instance: Some(&instance.name),
            version: instance.version.as_ref()?,
            minor: instance.effective()?,
            fargate: false,
            is_bound: false,
        })
    })
}

/// Those of a component, wherever it runs.
pub(super) fn judged<'a>(context: &Context<'a>, component: Component) -> Vec<Judged<'a>> {
    match component {
        Component::Kubelet => kubelets(context).collect(),
        Component::KubeProxy => kube_proxies(context).collect(),
        _ => instances(context, component).collect(),
    }
}

/// The kube-apiserver that a rule about being behind measures against.
#[derive(Clone, Copy)]
pub(super) enum Against {
    /// The newest of today, with its minCompatibility.
    Newest,
    /// One that is to come.
    Coming(Minor),
}

/// Everything of the rule's component that is too far behind.
pub(super) fn behind(rule: &Rule, context: &Context<'_>, against: Against) -> Option<Evidence> {
    behind_among(rule, context, against, |_| true)
}

/// Everything of the rule's component, among those of such minors, that is too far behind.
pub(super) fn behind_among(
    rule: &Rule,
    context: &Context<'_>,
    against: Against,
    is_meant: impl Fn(Minor) -> bool,
) -> Option<Evidence> {
    let component = rule.component?;
    let policy = context.policy;
    let (apiserver, min_compatibility, is_ahead) = match against {
        Against::Newest => (context.apiservers?.hi, context.inventory.min_compatibility, false),
        Against::Coming(minor) => (minor, None, true),
    };
    let mut all = judged(context, component);
    // What moves with its kube-apiserver is never behind one that is to come.
    if is_ahead {
        for one in all.iter_mut().filter(|one| one.is_bound) {
            one.minor = one.minor.max(apiserver);
        }
    }
    let is_out = |minor| policy.is_behind_today(component, minor, apiserver, min_compatibility);
    let groups = by_minor(
        &all,
        |minor| is_meant(minor) && is_out(minor),
        |minor| {
            let limit = if policy.is_behind(component, minor, apiserver) {
                Limit::of(
                    policy,
                    policy.older(component, Component::KubeApiserver, minor, apiserver),
                )
            } else {
                let reported = min_compatibility?;
                let oldest = limits::floor(component, reported)?;
                Limit::MinCompatibility { reported, oldest }
            };
            let newer = (minor.number()..apiserver.number()).map(|number| Minor::new(number).next());
            let within = newer
                .into_iter()
                .find(|&minor| !is_out(minor))
                .unwrap_or(apiserver);
            Some(Measured {
                distance: minor.distance(apiserver),
                limit,
                within,
                fails_from: Some(policy.good_until(component, minor).next()),
            })
        },
    );
    if groups.is_empty() {
        return None;
    }
    let fargate = all
        .iter()
        .filter(|one| one.fargate && is_meant(one.minor) && is_out(one.minor));
    let fargate: BTreeSet<&str> = fargate.filter_map(|one| one.node).collect();
    Some(Evidence::Behind(Behind {
        component,
        apiserver,
        is_ahead,
        groups,
        judged: all.len(),
        fargate: fargate.into_iter().map(str::to_owned).collect(),
    }))
}

/// Everything of the rule's component that is newer than the oldest apiserver, and those who are.
pub(super) fn newer<'a>(rule: &Rule, context: &Context<'a>) -> Option<(Vec<Judged<'a>>, Evidence)> {
    let component = rule.component?;
    let apiservers = context.apiservers?;
    let lo = apiservers.lo;
    let mut all = judged(context, component);
    let is_out = |minor| context.policy.is_newer(component, minor, lo);
    let groups = by_minor(&all, is_out, |minor| {
        let row = limits::limit(UPSTREAM, component, Component::KubeApiserver, minor)?;
        let limit = Limit::Minors {
            allowed: row.newer,
            upstream: row.newer,
            set_by: SetBy::Upstream,
            source: row.source.clone().into_owned(),
        };
        Some(Measured {
            distance: minor.distance(lo),
            limit,
            within: lo.newer_by(row.newer),
            fails_from: None,
        })
    });
    if groups.is_empty() {
        return None;
    }
    let evidence = Evidence::Newer(Newer {
        component,
        oldest: lo,
        newest: apiservers.hi,
        groups,
        judged: all.len(),
    });
    all.retain(|one| is_out(one.minor));
    Some((all, evidence))
}

/// What is found of one minor.
struct Measured {
    distance: u16,
    limit: Limit,
    within: Minor,
    fails_from: Option<Minor>,
}

/// Those that are out by their minors, the oldest first.
fn by_minor(
    all: &[Judged<'_>],
    is_out: impl Fn(Minor) -> bool,
    measure: impl Fn(Minor) -> Option<Measured>,
) -> Vec<Group> {
    let mut by_minor: BTreeMap<Minor, Vec<&Judged<'_>>> = BTreeMap::new();
    for one in all {
        by_minor.entry(one.minor).or_default().push(one);
    }
    let out = by_minor.into_iter().filter(|(minor, _)| is_out(*minor));
    out.filter_map(|(minor, members)| {
        let Measured {
            distance,
            limit,
            within,
            fails_from,
        } = measure(minor)?;
        let mut subjects: Vec<Subject> = members.iter().map(|one| one.subject()).collect();
        subjects.sort_unstable();
        subjects.dedup();
        Some(Group {
            minor,
            distance,
            limit,
            within,
            fails_from,
            subjects,
            count: members.len(),
            versions: raw(members.iter().map(|one| one.version)),
        })
    })
    .collect()
}

/// Raw versions without repeats.
pub(super) fn raw<'a>(versions: impl Iterator<Item = &'a Version>) -> Vec<String> {
    let versions: BTreeSet<&str> = versions.map(Version::raw).collect();
    versions.into_iter().map(str::to_owned).collect()
}

/// Names, sorted and without repeats.
pub(super) fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().map(str::to_owned).collect()
}
