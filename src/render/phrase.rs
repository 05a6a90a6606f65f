//! The sentences that several formats say alike: the verdict, today, the gate, what is hypothetical, what a
//! step does and why, what would grant a read. They are made of the report's words and of text from the
//! cluster as it stands: each format makes the whole safe in its own way.

use std::collections::{BTreeMap, BTreeSet};

use super::escape::visible;
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, Grant};
use crate::inventory::version::Minor;
use crate::plan::steps::{Obstacle, Plan, Reason, Step, StepKind, StepNote};
use crate::policy::finding::{Finding, RuleKey, Severity, Verdict};
use crate::policy::rules;
use crate::report::{Assumed, Excluded, Gate, InstanceRow, Mode, NodeRow, Report, TargetKind};

/// What was judged, and what was not.
pub const SCOPE: &str = "only version skew is judged: removed APIs, webhooks and add-ons are not looked at";

/// The verbs that a grant gives.
pub const GRANTED_VERBS: &[&str] = &["list"];

/// The verdict in one line, and today's state beside it.
pub fn verdict(report: &Report) -> String {
    let word = report.verdict.name().to_uppercase();
    let missing = report.not_assessed.iter().filter(|gap| gap.required).count();
    let missing = match (report.verdict, missing) {
        (Verdict::Ready, _) | (_, 0) => String::new(),
        (_, gaps) => format!(" · not assessed: {}", count(gaps, "required gap")),
    };
    if let Some(target) = &report.target {
        let patch = match target.kind {
            TargetKind::Patch => " (a patch move)",
            TargetKind::Hop(_) | TargetKind::Refused => "",
        };
        let text = &target.text;
        let today = today(report);
        return format!("{word} for {text}{patch} by version skew{missing} · today: {today}");
    }
    let today = match report.in_policy {
        Some(true) => "IN POLICY today by version skew".to_owned(),
        Some(false) => format!("OUT OF POLICY today by version skew: {}", out_today(report)),
        None => "UNKNOWN today by version skew".to_owned(),
    };
    let means = match report.verdict {
        Verdict::Ready if report.in_policy == Some(false) => " (no blocker)",
        Verdict::Ready | Verdict::Blocked | Verdict::Unknown => "",
    };
    format!("{today}{missing} · verdict: {}{means}", report.verdict)
}

/// Today's state, whatever the target.
pub fn today(report: &Report) -> String {
    match report.in_policy {
        Some(true) => "in policy".to_owned(),
        Some(false) => format!("{} out of policy", out_today(report)),
        None => "not assessed".to_owned(),
    }
}

/// Who is out of policy today: so many nodes, and the components that run on no node.
fn out_today(report: &Report) -> String {
    let today = report
        .findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning && rules::speaks_of_today(finding.rule));
    let mut nodes = BTreeSet::new();
    let mut others = BTreeSet::new();
    for finding in today {
        match finding.component {
            Some(Component::Kubelet | Component::KubeProxy) if !finding.nodes.is_empty() => {
                nodes.extend(finding.nodes.iter());
            }
            Some(component) => {
                others.insert(component);
            }
            None => nodes.extend(finding.nodes.iter()),
        }
    }
    let nodes = (!nodes.is_empty()).then(|| count(nodes.len(), "node"));
    let others = others.iter().map(|component| component.name().to_owned());
    let all: Vec<String> = nodes.into_iter().chain(others).collect();
    if all.is_empty() {
        "something".to_owned()
    } else {
        all.join(", ")
    }
}

/// A rule's key, without the node that some keys end in.
pub fn rule_key(key: RuleKey) -> &'static str {
    rules::rule(key).map_or("", |rule| rule.stem().trim_end_matches('/'))
}

/// Whether a pipeline may go on, and what stops it.
pub fn gate(report: &Report) -> String {
    let Gate {
        fail_on,
        allow_incomplete,
        passed,
        exit_code,
    } = report.gate;
    let outcome = if passed { "passes" } else { "fails" };
    let threshold = match fail_on {
        None => "never fails".to_owned(),
        Some(severity) => format!(
            "fails on a {}{}",
            match severity {
                Severity::Blocker => "blocker",
                Severity::Warning => "warning or a blocker",
                Severity::Info => "finding of any severity",
            },
            if allow_incomplete {
                ", gaps allowed"
            } else {
                " or a required gap"
            }
        ),
    };
    let hypothetical = if report.assumed.is_empty() {
        ""
    } else {
        " · hypothetical"
    };
    format!("gate {outcome}, exit {exit_code} ({threshold}){hypothetical}")
}

/// What is assumed to be so.
pub fn assumed(assumed: &Assumed) -> String {
    let Assumed {
        selector,
        minor,
        nodes,
    } = assumed;
    let nodes = on_nodes(nodes);
    format!("hypothetical: judged as though {selector} ran {minor}{nodes}")
}

/// What was taken out.
pub fn excluded(excluded: &Excluded) -> String {
    let Excluded { selector, nodes } = excluded;
    format!("{selector} was left out of the judgement{}", on_nodes(nodes))
}

fn on_nodes(nodes: &[String]) -> String {
    if nodes.is_empty() {
        String::new()
    } else {
        format!(" ({}: {})", count(nodes.len(), "node"), names(nodes, 5))
    }
}

/// The verdict, what is hypothetical and every gap, a line each, safe to show.
pub fn summary(report: &Report) -> Vec<String> {
    let gaps = report
        .not_assessed
        .iter()
        .map(|gap| format!("{}: {}", gap_title(gap), gap.reason));
    std::iter::once(verdict(report))
        .chain(report.assumed.iter().map(assumed))
        .chain(report.excluded.iter().map(excluded))
        .chain(gaps)
        .map(|line| visible(&line).into_owned())
        .collect()
}

/// How long before now the objects were taken.
pub fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (number, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds / 60, "minute"),
        7_200..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!(
        "{} ago",
        count(usize::try_from(number).unwrap_or(usize::MAX), unit)
    )
}

/// The word for where a report comes from.
pub const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "live",
        // The example is a dump that is built in.
        Mode::Files | Mode::Example => "files",
    }
}

/// "1.36", or "1.36–1.37" while the apiservers differ.
pub fn span(oldest: Option<Minor>, newest: Option<Minor>) -> Option<String> {
    match (oldest, newest) {
        (Some(oldest), Some(newest)) if oldest == newest => Some(oldest.to_string()),
        (Some(oldest), Some(newest)) => Some(format!("{oldest}–{newest}")),
        (Some(minor), None) | (None, Some(minor)) => Some(minor.to_string()),
        (None, None) => None,
    }
}

/// "1 node", "5,000 nodes".
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// "1 more node", "4,000 more nodes".
pub fn more(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} more {noun}{plural}", thousands(number))
}

/// A number with its thousands set apart.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The first names, and how many more there are.
pub fn names(names: &[impl AsRef<str>], at_most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(at_most).map(AsRef::as_ref).collect();
    cut(&shown, names.len())
}

/// A list of which these are the first, of so many.
pub fn cut(shown: &[impl AsRef<str>], total: usize) -> String {
    let list = shown.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match total - shown.len() {
        0 => list,
        rest => format!("{list} and {} more", thousands(rest)),
    }
}

/// A version for the eye: without the `v` that every version starts with.
pub fn version(raw: &str) -> &str {
    match raw.strip_prefix('v') {
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => number,
        _ => raw,
    }
}

/// What an instance of the control plane runs.
pub fn instance_version(row: &InstanceRow) -> String {
    let binary = match (&row.version, &row.image) {
        (Some(raw), _) => version(raw).to_owned(),
        (None, Some(image)) => format!("? ({image})"),
        (None, None) => "?".to_owned(),
    };
    let emulated = row
        .emulated_minor
        .map_or_else(String::new, |minor| format!(" emulating {minor}"));
    let own = if row.judged || row.version.is_none() {
        ""
    } else {
        ", not judged"
    };
    format!("{binary}{emulated}{own}")
}

/// What told an instance's version.
pub fn instance_source(from: &str) -> &str {
    match from {
        "version" => "/version",
        "told" => "--server-version",
        "pod" => "its pod",
        "serverNode" => "its server node",
        "clusterOperator" => "ClusterOperator",
        "assumed" => "--assume",
        other => other,
    }
}

/// Which nodes stand in which pool, to speak of whole pools where whole pools are meant.
pub struct Pools<'a> {
    of: BTreeMap<&'a str, &'a str>,
    sizes: BTreeMap<&'a str, usize>,
}

impl<'a> Pools<'a> {
    /// The pools of the judged nodes.
    pub fn new(rows: &'a [NodeRow]) -> Self {
        let judged = rows.iter().filter(|row| !row.is_virtual && !row.excluded);
        let mut pools = Self {
            of: BTreeMap::new(),
            sizes: BTreeMap::new(),
        };
        for row in judged {
            if let Some(pool) = &row.pool {
                pools.of.insert(&row.name, pool);
                *pools.sizes.entry(pool).or_default() += 1;
            }
        }
        pools
    }

    /// These nodes: whole pools by name and size, the others by name, at most so many of each.
    pub fn describe(&self, nodes: &[String], at_most: usize) -> String {
        let mut by_pool: BTreeMap<&str, usize> = BTreeMap::new();
        for node in nodes {
            if let Some(pool) = self.of.get(node.as_str()) {
                *by_pool.entry(pool).or_default() += 1;
            }
        }
        let whole: Vec<(&str, usize)> = by_pool
            .into_iter()
            .filter(|(pool, moved)| *moved > 1 && self.sizes.get(pool) == Some(moved))
            .collect();
        let is_whole = |node: &&String| {
            let pool = self.of.get(node.as_str());
            pool.is_some_and(|pool| whole.iter().any(|(name, _)| name == pool))
        };
        let parts: Vec<&String> = nodes.iter().filter(|node| !is_whole(node)).collect();
        let mut said = Vec::new();
        if !whole.is_empty() {
            let pools: Vec<String> = whole
                .iter()
                .map(|(pool, nodes)| format!("pool {pool} ({})", count(*nodes, "node")))
                .collect();
            said.push(names(&pools, at_most));
        }
        if !parts.is_empty() {
            said.push(names(&parts, at_most));
        }
        said.join("; ")
    }
}

/// What a step does, to be read after its number.
pub fn step(step: &Step, pools: &Pools<'_>, at_most: usize) -> String {
    let Step {
        kind,
        from,
        to,
        nodes,
        kube_proxy_of,
        component,
        drain,
        reason: _,
        notes: _,
    } = step;
    let moved = format!("{from} → {to}");
    match kind {
        StepKind::Hop => {
            format!("control plane {moved}: kube-apiserver first, then the managers and the scheduler")
        }
        StepKind::Emulation => format!("emulated version of the apiservers {moved}: no binary moves"),
        StepKind::ControlPlane => {
            let who = component.map_or("the managers and the scheduler", Component::name);
            format!("{who} {moved}")
        }
        StepKind::Kubelets => {
            let what = if kube_proxy_of.is_empty() {
                "kubelet"
            } else {
                "kubelet and static kube-proxy"
            };
            let how = if *drain {
                "drain, then roll"
            } else {
                "roll without a drain"
            };
            let who = pools.describe(nodes, at_most);
            format!("{what} {moved} on {who}: {how}")
        }
        StepKind::KubeProxy => {
            let who = pools.describe(kube_proxy_of, at_most);
            format!("kube-proxy {moved} on {who}: a workload update, no drain")
        }
    }
}

/// Why a step is needed.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::BeforeHop { rule, hop: _ } | Reason::MendToday { rule } => {
            format!("{reason} ({})", rule_key(*rule))
        }
        Reason::Target { target: _ } | Reason::FinishHop | Reason::Rollout => reason.to_string(),
    }
}

/// What else to know about a step.
pub fn note(note: &StepNote, at_most: usize) -> String {
    match note {
        StepNote::Workload(name) => format!("all pods of {name}"),
        StepNote::NotInRollout(nodes) => {
            format!(
                "not named by the rollout, yet they must move: {}",
                names(nodes, at_most)
            )
        }
        StepNote::Fargate(nodes) => format!("Fargate: recreate the pods of {}", names(nodes, at_most)),
        StepNote::Cordoned(nodes) => format!("cordoned: {}", names(nodes, at_most)),
        StepNote::NotReady(nodes) => format!("NotReady: {}", names(nodes, at_most)),
        StepNote::Runtime { kind, nodes } => format!("{kind}: {}", names(nodes, at_most)),
    }
}

/// Which kubelets are below the target minor, where some are.
pub fn lagging(report: &Report, pools: &Pools<'_>, at_most: usize) -> Option<String> {
    let nodes: Vec<String> = report
        .lagging_kubelets
        .iter()
        .map(|lagging| lagging.node.clone())
        .collect();
    let target = report.target.as_ref()?;
    (!nodes.is_empty()).then(|| {
        let kubelets = count(nodes.len(), "kubelet");
        format!(
            "{kubelets} below {}: {}",
            target.text,
            pools.describe(&nodes, at_most)
        )
    })
}

/// What a plan comes to.
pub fn plan_counts(plan: &Plan) -> String {
    format!(
        "{} · {} · {}",
        count(plan.hops, "hop"),
        count(plan.node_rolls, "node roll"),
        count(plan.kube_proxy_updates, "kube-proxy update")
    )
}

/// What a plan leaves: why it stops, and which nodes it does not bring to the target.
pub fn plan_rest(plan: &Plan, pools: &Pools<'_>, at_most: usize) -> Vec<String> {
    let left = [
        (
            "still below the target at the end, which the policy allows",
            &plan.optional,
        ),
        ("not planned for, a version is unread", &plan.unplanned),
        ("no step can mend", &plan.remaining),
    ];
    let left = left.into_iter().filter(|(_, nodes)| !nodes.is_empty());
    let left = left.map(|(means, nodes)| format!("{means}: {}", pools.describe(nodes, at_most)));
    plan.obstacle.iter().map(obstacle).chain(left).collect()
}

/// Why a plan stops before its target.
pub fn obstacle(obstacle: &Obstacle) -> String {
    let Obstacle {
        hop,
        node,
        rule,
        detail,
    } = obstacle;
    let hop = hop.map_or_else(String::new, |minor| format!(" before {minor}"));
    let node = node
        .as_ref()
        .map_or_else(String::new, |node| format!(" at {node}"));
    let rule = rule.map_or_else(String::new, |rule| format!(" ({})", rule_key(rule)));
    format!("the plan stops{hop}{node}: {detail}{rule}")
}

/// A gap's head: how it weighs and what it takes away.
pub fn gap_title(gap: &Gap) -> String {
    let weight = if gap.required { "required" } else { "optional" };
    let component = gap
        .component
        .map_or_else(String::new, |component| format!(" of {component}"));
    let extent = if gap.partial { "partly" } else { "wholly" };
    format!("{weight}, {}{component} {extent} unread", gap.capability.name())
}

/// A finding's head: how it weighs and its key.
pub fn finding_title(finding: &Finding) -> String {
    format!("{} {}", finding.severity.name(), finding.key)
}

/// Commands to paste that grant a read.
pub fn grant(grant: &Grant) -> String {
    let Grant {
        group,
        resource,
        namespace,
        user,
    } = grant;
    let name = format!(
        "kubectl-skew-{}",
        resource.trim_start_matches('/').replace('/', "-")
    );
    let verbs = GRANTED_VERBS.join(",");
    let resource = match (resource.starts_with('/'), group.is_empty()) {
        (true, _) => format!("--verb=get --non-resource-url={resource}"),
        (false, true) => format!("--verb={verbs} --resource={resource}"),
        (false, false) => format!("--verb={verbs} --resource={resource}.{group}"),
    };
    let subject = user.as_deref().map_or_else(|| "--user=USER".to_owned(), subject);
    match namespace {
        Some(namespace) => {
            let namespace = shell_word(namespace);
            format!(
                "kubectl create role {name} -n {namespace} {resource} && \
                 kubectl create rolebinding {name} -n {namespace} --role={name} {subject}"
            )
        }
        None => format!(
            "kubectl create clusterrole {name} {resource} && \
             kubectl create clusterrolebinding {name} --clusterrole={name} {subject}"
        ),
    }
}

fn subject(user: &str) -> String {
    match user
        .strip_prefix("system:serviceaccount:")
        .and_then(|account| account.split_once(':'))
    {
        Some((namespace, name)) => format!("--serviceaccount={}", shell_word(&format!("{namespace}:{name}"))),
        None => format!("--user={}", shell_word(user)),
    }
}

/// `text` as one word of a POSIX shell.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@=+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant_of(
        resource: &'static str,
        group: &'static str,
        namespace: Option<&str>,
        user: Option<&str>,
    ) -> String {
        grant(&Grant {
            group,
            resource,
            namespace: namespace.map(str::to_owned),
            user: user.map(str::to_owned),
        })
    }

    #[test]
    fn a_grant_is_two_commands_to_paste() {
        assert_eq!(
            grant_of("nodes", "", None, Some("jane")),
            "kubectl create clusterrole kubectl-skew-nodes --verb=list --resource=nodes && \
             kubectl create clusterrolebinding kubectl-skew-nodes --clusterrole=kubectl-skew-nodes --user=jane"
        );
        assert_eq!(
            grant_of(
                "leases",
                "coordination.k8s.io",
                Some("kube-system"),
                Some("system:serviceaccount:ci:reader")
            ),
            "kubectl create role kubectl-skew-leases -n kube-system --verb=list \
             --resource=leases.coordination.k8s.io && kubectl create rolebinding kubectl-skew-leases \
             -n kube-system --role=kubectl-skew-leases --serviceaccount=ci:reader"
        );
        assert!(grant_of("nodes", "", None, None).ends_with("--user=USER"));
    }

    #[test]
    fn a_hostile_user_stays_one_word_of_the_shell() {
        let command = grant_of("nodes", "", None, Some("a'; rm -rf / #"));
        assert!(command.ends_with(r"--user='a'\''; rm -rf / #'"), "{command}");
    }

    #[test]
    fn numbers_are_set_apart_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (5_000_000, "5,000,000")] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "hop"), "0 hops");
    }

    #[test]
    fn names_are_cut_with_their_number_and_never_silently() {
        assert_eq!(names(&["a", "b"], 2), "a, b");
        assert_eq!(names(&["a", "b", "c"], 2), "a, b and 1 more");
    }

    #[test]
    fn versions_lose_their_v_and_nothing_else() {
        for (raw, shown) in [
            ("v1.36.2-gke.1", "1.36.2-gke.1"),
            ("1.36", "1.36"),
            ("vk", "vk"),
            ("", ""),
        ] {
            assert_eq!(version(raw), shown);
        }
    }

    #[test]
    fn whole_pools_are_named_as_pools_and_parts_by_name() {
        let row = |name: &str, pool: Option<&str>| (name.to_owned(), pool.map(str::to_owned));
        let rows = [
            row("a1", Some("a")),
            row("a2", Some("a")),
            row("b1", Some("b")),
            row("b2", Some("b")),
        ];
        let mut pools = Pools {
            of: BTreeMap::new(),
            sizes: BTreeMap::new(),
        };
        for (name, pool) in &rows {
            let pool = pool.as_deref().unwrap();
            pools.of.insert(name, pool);
            *pools.sizes.entry(pool).or_default() += 1;
        }
        let nodes: Vec<String> = ["a1", "a2", "b1", "c1"].map(str::to_owned).to_vec();
        assert_eq!(pools.describe(&nodes, 5), "pool a (2 nodes); b1, c1");
        assert_eq!(pools.describe(&nodes, 1), "pool a (2 nodes); b1 and 1 more");
    }
}
