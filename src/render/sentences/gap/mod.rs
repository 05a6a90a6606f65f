//! Every sentence about what was not assessed: why, the command that verifies it by hand, the commands that grant a read
//! that was refused. Each is written here from the evidence that a gap holds; commands are our own text about names, and
//! every name in them is one word of a shell.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{count, names, thousands};
use crate::inventory::component::Component;
use crate::inventory::gap::{Capability, Gap, GapReason, Grant, TargetRefusal};
use crate::inventory::namespace::COMPONENT_NAMESPACE;
use crate::inventory::read_gap::{
    CutSign, FilePlace, Malformed, ReadFault, ReadGap, Resource, Sample, UnreadableObject,
};
use crate::inventory::unread::{UnreadKind, UnreadPod, WhyUnread};

/// The verbs that a grant gives.
pub const GRANTED_VERBS: &[&str] = &["list"];

/// How many names a sentence lists.
const NAMED: usize = 5;

/// What a gap says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapText {
    /// How it weighs and what it takes away.
    pub title: String,
    /// Why, without a full stop.
    pub reason: String,
    /// What it takes away.
    pub capability: Capability,
    /// Whether the verdict is unknown because of it.
    pub required: bool,
    /// Whether a part of the capability was assessed all the same.
    pub partial: bool,
    /// What was not read at all.
    pub skipped: Option<&'static str>,
    /// The objects concerned, by name.
    pub objects: Vec<String>,
    /// How many more there are, whose names are not kept.
    pub more_objects: usize,
    /// The command that verifies it by hand.
    pub verify: Option<String>,
    /// The commands that grant the read.
    pub grant: Option<String>,
}

/// What a gap says; `flags` lead kubectl to the cluster that the report is of.
pub fn gap(gap: &Gap, flags: &str) -> GapText {
    let more_objects = match &gap.reason {
        GapReason::Read(ReadGap::Unreadable { objects, .. }) => objects.total() - gap.objects().len(),
        _ => 0,
    };
    GapText {
        title: gap_title(gap),
        reason: gap_reason(&gap.reason),
        capability: gap.capability(),
        required: gap.required,
        partial: gap.partial,
        skipped: gap.skipped().map(Resource::name),
        objects: gap.objects(),
        more_objects,
        verify: verify(&gap.reason, flags),
        grant: gap.grant().map(|it| grant(&it)),
    }
}

/// A gap's head: how it weighs and what it takes away.
fn gap_title(gap: &Gap) -> String {
    let weight = if gap.required { "required" } else { "optional" };
    let component = gap
        .component()
        .map_or_else(String::new, |component| format!(" of {component}"));
    let extent = if gap.partial { "partly" } else { "wholly" };
    format!("{weight}, {}{component} {extent} unread", gap.capability().name())
}

/// Why something was not assessed.
pub fn gap_reason(reason: &GapReason) -> String {
    match reason {
        GapReason::Read(gap) => read_gap(gap),
        GapReason::NoNodes => "no nodes are listed, so kubelet skew was not assessed".to_owned(),
        GapReason::HostedNodes => {
            "the nodes of a hosted control plane are listed only by its own cluster, so kubelet skew was not assessed: \
             run kubectl skew with that cluster's kubeconfig"
                .to_owned()
        }
        GapReason::NoNodeToJudge { excluded } => {
            let why = if *excluded { "excluded or virtual" } else { "virtual" };
            format!("every node is {why}, so kubelet skew was not assessed")
        }
        GapReason::NoPods { namespace } => format!(
            "there are no pods of namespace {namespace}, so kube-proxy and control-plane skew were not assessed"
        ),
        GapReason::NoComponentPods { namespace } => {
            format!("namespace {namespace} has no pod of a control-plane component: check the name given with -n")
        }
        GapReason::NoServerVersion { reported, namespace } => no_server_version(reported.as_deref(), namespace.as_deref()),
        GapReason::FewerApiservers {
            live,
            seen,
            by_answers,
        } => {
            let how = match (by_answers, seen) {
                (true, _) => "answered when asked for its version",
                (false, 1) => "was seen",
                (false, _) => "were seen",
            };
            format!("{live} kube-apiservers hold a live Lease, but only {seen} {how}")
        }
        GapReason::ManagerNotSeen { component, .. } => {
            format!("kube-apiserver runs, but no running {component} was seen, so its version was not assessed")
        }
        GapReason::KubeletsUnread { nodes } => kubelets_unread(nodes),
        GapReason::PodsUnread {
            component,
            kind,
            pods,
        } => pods_unread(*component, *kind, pods),
        GapReason::InstancesUnread { component, names } => {
            let many = names.len();
            format!("the {component} version is unknown in {}", count(many, "pod"))
        }
        GapReason::OperatorVersionMissing { component } => {
            format!("ClusterOperator {component} reports no Kubernetes version under its own name")
        }
        GapReason::OperatorProgressing { component, version } => format!(
            "ClusterOperator {component} is progressing: newer instances than {version} may run, because its version \
             changes last"
        ),
        GapReason::OperatorMissing { component } => {
            format!("ClusterOperator {component} was not found, so the version of {component} is unknown")
        }
        GapReason::TargetRefused { target, why } => target_refused(target, why),
    }
}

fn no_server_version(reported: Option<&str>, namespace: Option<&str>) -> String {
    let why = match (reported, namespace) {
        (Some(raw), _) => format!("the server version \"{raw}\" is not a Kubernetes version"),
        (None, Some(namespace)) => {
            format!("the kube-apiserver version is unknown: no pod in namespace {namespace} shows it")
        }
        (None, None) => {
            "the kube-apiserver version is unknown: neither /version nor a kube-apiserver pod shows it"
                .to_owned()
        }
    };
    format!("{why}; give it with --server-version")
}

fn kubelets_unread(nodes: &[(String, Option<String>)]) -> String {
    let first = nodes
        .first()
        .map_or_else(String::new, |(name, reported)| match reported {
            Some(raw) => format!(": {name} reports \"{raw}\", which is not a Kubernetes version"),
            None => format!(": {name} reports none"),
        });
    format!(
        "the kubelet version of {} cannot be read{first}",
        count(nodes.len(), "node")
    )
}

fn pods_unread(component: Component, kind: UnreadKind, pods: &[UnreadPod]) -> String {
    let many = count(pods.len(), "pod");
    let (name, image) = pods.first().map_or_else(Default::default, |first| {
        (first.full_name(), first.image.as_deref().unwrap_or("no image"))
    });
    match kind {
        UnreadKind::Image => {
            let why = match pods.first().map(|first| first.why) {
                Some(WhyUnread::NoTag) => "the image has neither tag nor digest".to_owned(),
                Some(WhyUnread::NotAVersion) => "the tag is not a Kubernetes version".to_owned(),
                Some(WhyUnread::ByDigest) => "image pinned by digest; no node reports its tag".to_owned(),
                Some(WhyUnread::OtherName) => {
                    format!("the image is not named {component}, so its tag may not be a Kubernetes version")
                }
                _ => "the pod shows no image".to_owned(),
            };
            format!("the {component} version of {many} cannot be read: {name} runs {image} ({why})")
        }
        UnreadKind::NeverRan => {
            format!(
                "{component} has not started in {many}: image {image} of {name} shows only the desired version"
            )
        }
        UnreadKind::Ended => {
            let nodes: BTreeSet<&str> = pods.iter().filter_map(|pod| pod.node.as_deref()).collect();
            let nodes: Vec<&str> = nodes.into_iter().collect();
            format!(
                "no {component} runs on {} ({}): pod {name} ({image}) has failed or completed",
                count(nodes.len(), "node"),
                names(&nodes, NAMED)
            )
        }
        UnreadKind::Emulation => format!(
            "the emulated version of {component} cannot be read in {many}: --emulated-version of {name} ({image}) is \
             not a version"
        ),
    }
}

fn target_refused(target: &str, why: &TargetRefusal) -> String {
    match why {
        TargetRefusal::NoServerVersion => {
            format!(
                "the target {target} counts from the kube-apiserver version, which is unknown: name a minor"
            )
        }
        TargetRefusal::BelowOldest { oldest } => {
            format!("the target {target} is below kube-apiserver {oldest}: a downgrade is not judged")
        }
        TargetRefusal::BelowNewest { newest } => {
            format!(
                "the target {target} is below the newest kube-apiserver, {newest}: a downgrade is not judged"
            )
        }
        TargetRefusal::AlreadyThere => {
            format!("kube-apiserver already runs the target {target}: there is no hop to judge")
        }
        TargetRefusal::NotAbove { running } => {
            format!("the target {target} is not above kube-apiserver {running}: there is nothing to judge")
        }
        TargetRefusal::FarAboveOldest { oldest, limit } => {
            format!(
                "the target {target} is more than {limit} minors above the oldest kube-apiserver, {oldest}"
            )
        }
    }
}

/// What a resource is called, and what its absence leaves open.
fn of_resource(resource: Resource, namespace: Option<&str>) -> (String, &'static str) {
    let namespace = namespace.map_or_else(String::new, |namespace| format!(" of namespace {namespace}"));
    match resource {
        Resource::Nodes => ("nodes".to_owned(), "kubelet skew was not assessed"),
        Resource::Pods => (
            format!("pods{namespace}"),
            "components that run as pods were not assessed",
        ),
        Resource::Leases => (
            "Leases of kube-apiservers".to_owned(),
            "the number of kube-apiservers is unknown",
        ),
        Resource::Version => ("/version".to_owned(), "the server version is not known from it"),
        Resource::ClusterOperators => (
            "ClusterOperators".to_owned(),
            "OpenShift's control plane was not assessed by them",
        ),
    }
}

fn read_gap(gap: &ReadGap) -> String {
    match gap {
        ReadGap::Failed {
            resource,
            namespace,
            read,
            fault,
        } => {
            let (what, missed) = of_resource(*resource, namespace.as_deref());
            let fault = read_fault(fault);
            match (read, resource) {
                (0, Resource::Version) => format!("{what} was not read, so {missed}: {fault}"),
                (0, _) => format!("the {what} were not read, so {missed}: {fault}"),
                (read, _) => format!(
                    "only {} of the {what} were read, the rest was not assessed: {fault}",
                    thousands(*read)
                ),
            }
        }
        ReadGap::OnePage { resource, at } => {
            let (what, _) = of_resource(*resource, None);
            format!(
                "the list of {what}{} is one page of a longer list (metadata.continue is set), so the rest is missing",
                place(at.as_ref())
            )
        }
        ReadGap::FileMayBeCut { at, sign } => {
            let (file, line) = at
                .as_ref()
                .map_or(("a file", None), |at| (at.file.as_str(), Some(at.line)));
            let line = line.map_or_else(String::new, |line| format!(" {}", thousands_of(line)));
            match sign {
                CutSign::LastLineUnended => format!(
                    "{file} ends in the middle of line{line} and may have been cut there: take the dump again"
                ),
                CutSign::LastObjectShort => format!(
                    "the last object of {file} is incomplete, so the file may have been cut at line{line}: take the \
                     dump again"
                ),
            }
        }
        ReadGap::SeveralServerVersions { answers } => {
            let listed: Vec<String> = answers
                .first()
                .iter()
                .map(|(version, at)| {
                    let version = version.as_deref().unwrap_or("a snapshot of kubectl skew");
                    format!("{version}{}", place(at.as_ref()))
                })
                .collect();
            let more = match answers.more() {
                0 => String::new(),
                more => format!(" and {} more", thousands(more)),
            };
            format!(
                "the input has more than one server version: {}{more}; give the files of one cluster, or the version \
                 with --server-version",
                listed.join(", ")
            )
        }
        ReadGap::Unreadable {
            resource, objects, ..
        } => unreadable(*resource, objects),
    }
}

fn unreadable(resource: Resource, objects: &Sample<UnreadableObject>) -> String {
    let kind = resource.singular();
    let Some(first) = objects.first().first() else {
        return format!("{} cannot be read", count(objects.total(), kind));
    };
    let named = first.full_name(resource).unwrap_or_else(|| format!("one {kind}"));
    let why = malformed(&first.malformed);
    let at = place(first.at.as_ref());
    match objects.total() {
        1 => format!("{named}{at} cannot be read: {why}"),
        many => format!("{} cannot be read, first {named}{at}: {why}", count(many, kind)),
    }
}

fn malformed(malformed: &Malformed) -> String {
    match malformed {
        Malformed::Nameless => "it has no metadata.name".to_owned(),
        Malformed::NoContainers => "it has no spec.containers".to_owned(),
        Malformed::NoKind => "it has no kind, no status.nodeInfo and no spec.containers".to_owned(),
        Malformed::Field { member, detail } => format!("unexpected {member}{}", detailed(detail.as_deref())),
        Malformed::Encoding { detail } => format!("its encoding is broken{}", detailed(detail.as_deref())),
    }
}

/// What went wrong with a read.
fn read_fault(fault: &ReadFault) -> String {
    match fault {
        ReadFault::Status {
            code,
            reason,
            message,
            user: _,
        } => {
            let reason = reason
                .as_deref()
                .map_or_else(String::new, |reason| format!(" {reason}"));
            format!(
                "the server answered {code}{reason}{}",
                detailed(message.as_deref())
            )
        }
        ReadFault::NotKubernetes {
            code,
            content_type,
            title,
        } => {
            let kind = content_type.as_deref().unwrap_or("no content type");
            let title = title
                .as_deref()
                .map_or_else(String::new, |title| format!(" titled \"{title}\""));
            format!("what answered is not a Kubernetes API server: status {code}, {kind}{title}")
        }
        ReadFault::OtherServer { code, to } => {
            let to = to.as_deref().map_or_else(String::new, |to| format!(", {to}"));
            format!(
                "the server answered {code} and redirects to another server{to}: no credentials are sent there"
            )
        }
        ReadFault::Garbled { detail } => {
            format!("the answer cannot be read{}", detailed(detail.as_deref()))
        }
        ReadFault::Cut => "the connection was closed before the whole answer was read".to_owned(),
        ReadFault::TimedOut(within) => format!("no complete answer within {}", seconds(*within)),
        ReadFault::RunTimedOut(within) => format!("the time for the whole run, {}, was up", seconds(*within)),
        ReadFault::Expired(times) => {
            format!("the list changed faster than it could be read: its continue token expired {times} times")
        }
        ReadFault::NoConnection { detail } => {
            format!("there was no connection{}", detailed(detail.as_deref()))
        }
    }
}

fn detailed(detail: Option<&str>) -> String {
    detail.map_or_else(String::new, |detail| format!(": {detail}"))
}

fn place(at: Option<&FilePlace>) -> String {
    at.map_or_else(String::new, |FilePlace { file, line, column }| {
        format!(" ({file}:{line}:{column})")
    })
}

fn thousands_of(number: u64) -> String {
    thousands(usize::try_from(number).unwrap_or(usize::MAX))
}

fn seconds(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{} s", duration.as_secs()),
        _ => format!("{} ms", duration.as_millis()),
    }
}

/// The kubectl command that verifies a gap by hand; `flags` lead it to the same cluster.
fn verify(reason: &GapReason, flags: &str) -> Option<String> {
    let nodes = || "kubectl get nodes -o wide".to_owned();
    let pods = |namespace: &str| format!("kubectl get pods -n {} -o wide", word(namespace));
    let operator = |component: &Component| format!("kubectl get clusteroperator {component} -o yaml");
    let command = match reason {
        GapReason::Read(gap) => verify_read(gap),
        GapReason::HostedNodes => {
            // The flags lead to the cluster that hosts it.
            return Some("kubectl --kubeconfig HOSTED-CLUSTER-KUBECONFIG get nodes -o wide".to_owned());
        }
        GapReason::NoNodes | GapReason::NoNodeToJudge { .. } => nodes(),
        GapReason::NoPods { namespace }
        | GapReason::NoComponentPods { namespace }
        | GapReason::ManagerNotSeen { namespace, .. }
        | GapReason::NoServerVersion {
            namespace: Some(namespace),
            ..
        } => pods(namespace),
        GapReason::NoServerVersion { namespace: None, .. } | GapReason::TargetRefused { .. } => {
            "kubectl version".to_owned()
        }
        GapReason::FewerApiservers { .. } => verify_list(Resource::Leases, None),
        GapReason::KubeletsUnread { nodes: unread } => match unread.first() {
            Some((name, _)) => format!(
                "kubectl get {} -o jsonpath='{{.status.nodeInfo.kubeletVersion}}'",
                word(&format!("node/{name}"))
            ),
            None => nodes(),
        },
        GapReason::PodsUnread {
            component,
            kind,
            pods,
        } => return Some(verify_pod(*component, *kind, pods.first()?, flags)),
        GapReason::InstancesUnread { .. } => pods(COMPONENT_NAMESPACE),
        GapReason::OperatorVersionMissing { component }
        | GapReason::OperatorProgressing { component, .. }
        | GapReason::OperatorMissing { component } => operator(component),
    };
    Some(format!("{command}{flags}"))
}

fn verify_list(resource: Resource, namespace: Option<&str>) -> String {
    let namespace = word(namespace.unwrap_or(COMPONENT_NAMESPACE));
    match resource {
        Resource::Nodes => "kubectl get nodes".to_owned(),
        Resource::Pods => format!("kubectl get pods -n {namespace}"),
        Resource::Leases => format!(
            "kubectl get leases -n {COMPONENT_NAMESPACE} -l apiserver.kubernetes.io/identity=kube-apiserver"
        ),
        Resource::Version => "kubectl get --raw /version".to_owned(),
        Resource::ClusterOperators => "kubectl get clusteroperators".to_owned(),
    }
}

fn verify_read(gap: &ReadGap) -> String {
    match gap {
        ReadGap::Failed {
            resource, namespace, ..
        } => verify_list(*resource, namespace.as_deref()),
        ReadGap::OnePage { resource, .. } => format!("{} -o json", verify_list(*resource, None)),
        ReadGap::FileMayBeCut { .. } => "kubectl get nodes,pods -A -o json".to_owned(),
        ReadGap::SeveralServerVersions { .. } => "kubectl version -o json".to_owned(),
        ReadGap::Unreadable {
            resource,
            namespace,
            objects,
        } => {
            let named = objects.first().iter().find_map(|object| {
                let name = object.name.as_deref()?;
                let namespace = object.namespace.as_deref().or(namespace.as_deref());
                let namespace = namespace.map_or_else(String::new, |it| format!(" -n {}", word(it)));
                let name = word(&format!("{}/{name}", resource.singular()));
                Some(format!("kubectl get {name}{namespace} -o yaml"))
            });
            named.unwrap_or_else(|| format!("{} -o yaml", verify_list(*resource, namespace.as_deref())))
        }
    }
}

fn verify_pod(component: Component, kind: UnreadKind, pod: &UnreadPod, flags: &str) -> String {
    let namespace = word(pod.namespace.as_deref().unwrap_or(COMPONENT_NAMESPACE));
    let name = word(&format!("pod/{}", pod.pod));
    match (kind, pod.container.as_deref()) {
        (UnreadKind::Image, Some(container)) => {
            let container = word(container);
            format!("kubectl exec {name} -n {namespace} -c {container}{flags} -- {component} --version")
        }
        (UnreadKind::Emulation, _) => format!("kubectl get {name} -n {namespace} -o yaml{flags}"),
        _ => format!("kubectl get {name} -n {namespace} -o wide{flags}"),
    }
}

/// Commands to paste that grant a read. Their names hold whom they are for, so that a second user's do not meet
/// the first one's.
pub fn grant(grant: &Grant) -> String {
    let Grant {
        group,
        resource,
        namespace,
        user,
    } = grant;
    let whom = user.as_deref().map_or_else(String::new, |user| {
        let user = user.strip_prefix("system:serviceaccount:").unwrap_or(user);
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:@".contains(c);
        format!(":{}", user.replace(|c| !plain(c), "-"))
    });
    let name = format!("kubectl-skew-{resource}{whom}");
    let verbs = GRANTED_VERBS.join(",");
    let dot = if group.is_empty() { "" } else { "." };
    let rule = format!("--verb={verbs} --resource={resource}{dot}{group}");
    let subject = user.as_deref().map_or_else(|| "--user=USER".to_owned(), subject);
    match namespace {
        Some(namespace) => {
            let namespace = word(namespace);
            format!(
                "kubectl create role {name} -n {namespace} {rule} && \
                 kubectl create rolebinding {name} -n {namespace} --role={name} {subject}"
            )
        }
        None => format!(
            "kubectl create clusterrole {name} {rule} && \
             kubectl create clusterrolebinding {name} --clusterrole={name} {subject}"
        ),
    }
}

fn subject(user: &str) -> String {
    match user
        .strip_prefix("system:serviceaccount:")
        .and_then(|account| account.split_once(':'))
    {
        Some((namespace, name)) => format!("--serviceaccount={}", word(&format!("{namespace}:{name}"))),
        None => format!("--user={}", word(user)),
    }
}

/// `text` as one word of a POSIX shell. No name of Kubernetes holds a NUL, and no command can.
fn word(text: &str) -> String {
    let text = text.replace('\0', "");
    shlex::try_quote(&text).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests;
