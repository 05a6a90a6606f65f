//! Reports made by hand, a kind each: what a renderer can meet. Cells are written as the table shows them
//! (`FAIL 4/4`), so that a row can be read.

use kubectl_skew::inventory::component::Component;
use kubectl_skew::inventory::gap::{Gap, GapReason, TargetRefusal};
use kubectl_skew::inventory::read_gap::{ReadFault, ReadGap, Resource};
use kubectl_skew::inventory::unread::{UnreadKind, UnreadPod, WhyUnread};
use kubectl_skew::inventory::version::{Minor, Version};
use kubectl_skew::plan::steps::{Cause, Held, Obstacle, Plan, Reason, Remaining, Step, StepKind, StepNote};
use kubectl_skew::policy::evidence::{Behind, Evidence, Group, Limit, Newer, Nodes, Pair, SetBy, Subject};
use kubectl_skew::policy::finding::Finding;
use kubectl_skew::policy::rules::{self, About, Allows, Rule, Side};
use kubectl_skew::report::{
    Assumed, Cell, CellState, ControlPlane, Excluded, FindingRow, Gate, Half, InstanceRow, LaggingKubelet,
    Location, Mode, NodeRow, OutToday, PathHop, PolicyInForce, ProxyRow, ReadVersion, Report, Severity,
    Source, TargetAsked, TargetKind, Verdict,
};

use crate::hostile;

/// Every sample, by name.
pub(crate) fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("ready", ready()),
        ("blocked", blocked()),
        ("unknown", unknown()),
        ("mid_upgrade", mid_upgrade()),
        ("every_step", every_step()),
        ("hypothetical", hypothetical()),
        ("today", today()),
        ("patch", patch()),
        ("unreachable", unreachable()),
        ("hostile", hostile()),
    ]
}

pub(crate) fn minor(number: u16) -> Minor {
    Minor::new(number)
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// `ok 2/2`, `limit 3/-`, `FAIL 4/?`, `NEWER -1/0`, `? ?/2`, `not judged`.
pub(crate) fn cell(text: &str) -> Cell {
    let (word, distances) = text.rsplit_once(' ').unwrap();
    let state = match word {
        "ok" => CellState::Ok,
        "limit" => CellState::AtLimit,
        "FAIL" => CellState::Behind,
        "NEWER" => CellState::Newer,
        "?" => CellState::Unknown,
        "not" => CellState::NotJudged,
        other => panic!("no state is called {other}"),
    };
    let (kubelet, kube_proxy) = distances.split_once('/').unwrap_or(("?", "-"));
    let reasons = match state {
        CellState::Behind => texts(&["version-skew/kubelet-post-upgrade"]),
        CellState::Newer => texts(&["version-skew/kubelet-newer-than-apiserver"]),
        _ => Vec::new(),
    };
    Cell {
        state,
        kubelet: kubelet.parse().ok(),
        kube_proxy: match kube_proxy {
            "-" => Half::Absent,
            "?" => Half::Unread,
            minors => Half::Behind(minors.parse().unwrap()),
        },
        reasons,
    }
}

fn read(raw: &str) -> ReadVersion {
    ReadVersion {
        version: Some(raw.to_owned()),
        minor: raw.parse::<Version>().ok().map(|version| version.minor()),
    }
}

/// A node: `kubelet` and `kube_proxy` raw (`-` for none, `?` for unread), cells of now and each column,
/// separated by commas.
pub(crate) fn node(name: &str, pool: &str, kubelet: &str, kube_proxy: &str, cells: &str) -> NodeRow {
    let mut cells = cells.split(", ").map(cell);
    let now = cells.next().unwrap();
    let kubelet = if kubelet == "?" {
        ReadVersion::default()
    } else {
        read(kubelet)
    };
    let proxy = (kube_proxy != "-").then(|| {
        let version = if kube_proxy == "?" {
            ReadVersion::default()
        } else {
            read(kube_proxy)
        };
        ProxyRow {
            pod: format!("kube-proxy-{name}"),
            version: version.version,
            minor: version.minor,
            image: Some(match kube_proxy {
                "?" => "registry.example/kube-proxy@sha256:0123".to_owned(),
                tag => format!("registry.example/kube-proxy:{tag}"),
            }),
        }
    });
    let pair_distance = match (kubelet.minor, proxy.as_ref().and_then(|proxy| proxy.minor)) {
        (Some(kubelet), Some(proxy)) => Some(kubelet.distance(proxy)),
        _ => None,
    };
    let hops: Vec<Cell> = cells.collect();
    let is_bad = |cell: &Cell| {
        matches!(
            cell.state,
            CellState::Behind | CellState::Newer | CellState::Unknown
        )
    };
    NodeRow {
        name: name.to_owned(),
        pool: (pool != "-").then(|| pool.to_owned()),
        zone: Some("eu-1a".to_owned()),
        roles: texts(&["worker"]),
        ready: Some(true),
        cordoned: false,
        is_virtual: false,
        excluded: false,
        bound: false,
        os: Some("linux".to_owned()),
        lagging: false,
        left_behind: false,
        labels: Vec::new(),
        half_unread: proxy.as_ref().is_some_and(|proxy| proxy.version.is_none()),
        kubelet,
        kube_proxy: proxy.into_iter().collect(),
        pair_distance,
        good_until: None,
        is_out_today: false,
        is_problem: is_bad(&now) || hops.iter().any(is_bad),
        now,
        hops,
    }
}

fn until(mut row: NodeRow, minor: u16) -> NodeRow {
    row.good_until = Some(Minor::new(minor));
    row
}

fn instance(component: Component, node: &str, version: &str) -> InstanceRow {
    let version = read(version);
    InstanceRow {
        component,
        name: format!("{component}-{node}"),
        node: Some(node.to_owned()),
        version: version.version.clone(),
        minor: version.minor,
        emulated_minor: None,
        from: "pod",
        image: Some(format!(
            "registry.example/{component}:{}",
            version.version.unwrap()
        )),
        judged: true,
    }
}

fn out_today() -> OutToday {
    OutToday {
        nodes: texts(&["gpu-1", "web-2"]),
        components: Vec::new(),
    }
}

fn limit() -> Limit {
    Limit::Minors {
        allowed: 3,
        upstream: 3,
        set_by: SetBy::Upstream,
        source: "https://kubernetes.io/releases/version-skew-policy/#kubelet".to_owned(),
    }
}

fn finding(rule: &'static Rule, severity: Severity, component: Component, nodes: &[&str]) -> FindingRow {
    let group = Group {
        minor: minor(31),
        distance: 5,
        limit: limit(),
        within: minor(33),
        fails_from: Some(minor(35)),
        subjects: texts(nodes).into_iter().map(Subject::Node).collect(),
        count: nodes.len(),
        versions: texts(&["v1.31.6"]),
    };
    let evidence = match rule.allows {
        Allows::ByTable(Component::Kubelet, _) => Evidence::Pair(Pair {
            node: nodes[0].to_owned(),
            kubelet: minor(31),
            kube_proxy: minor(36),
            distance: 5,
            limit: limit(),
            pods: texts(&["kube-proxy-x2x7z"]),
            versions: texts(&["v1.31.6", "v1.36.0"]),
        }),
        Allows::ByTable(_, Side::Newer) => Evidence::Newer(Newer {
            component,
            oldest: minor(36),
            newest: minor(37),
            groups: vec![group],
            judged: 20,
        }),
        Allows::ByTable(..) => Evidence::Behind(Behind {
            component,
            apiserver: minor(36),
            is_ahead: rule.about == About::Target,
            groups: vec![group],
            judged: 20,
            fargate: Vec::new(),
        }),
        Allows::InWords(_) => Evidence::VirtualNodes(Nodes {
            nodes: texts(nodes),
            versions: Vec::new(),
            of: 20,
        }),
    };
    let told = Finding {
        rule,
        severity,
        evidence: evidence.clone(),
    };
    FindingRow {
        rule,
        key: told.key().into_owned(),
        severity,
        nodes: evidence.nodes(),
        pools: Vec::new(),
        versions: texts(&["v1.30.2", "v1.31.6"]),
        limit: Some(3),
        upstream_limit: Some(3),
        steps: vec![1],
        citations: texts(&["https://kubernetes.io/releases/version-skew-policy/#kubelet"]),
        fails_gate: severity == Severity::Blocker,
        evidence,
    }
}

fn step(kind: StepKind, from: u16, to: u16, nodes: &[&str], reason: Reason) -> Step {
    let moved = matches!(kind, StepKind::Kubelets | StepKind::KubeProxy);
    Step {
        nodes: if moved { texts(nodes) } else { Vec::new() },
        kube_proxy_of: if kind == StepKind::KubeProxy {
            texts(nodes)
        } else {
            Vec::new()
        },
        component: (kind == StepKind::KubeProxy).then_some(Component::KubeProxy),
        workload: (kind == StepKind::KubeProxy).then(|| "DaemonSet kube-proxy".to_owned()),
        drain: kind == StepKind::Kubelets,
        ..Step::new(kind, minor(from), minor(to), reason)
    }
}

/// Without the step something at `own` is too far behind at the hop.
fn before(rule: &'static Rule, component: Component, own: u16, hop: u16) -> Reason {
    Reason::BeforeHop {
        rule,
        hop: minor(hop),
        component,
        minor: minor(own),
        limit: 3,
    }
}

/// The steps, numbered.
fn numbered(mut steps: Vec<Step>) -> Vec<Step> {
    for (number, step) in (1..).zip(&mut steps) {
        step.number = number;
    }
    steps
}

fn hop(from: u16, verdict: Verdict, added: &[&str], move_first: &[&str]) -> PathHop {
    PathHop {
        from: minor(from),
        to: minor(from + 1),
        verdict,
        added: texts(added),
        resolved: Vec::new(),
        carried: 0,
        move_first: texts(move_first),
    }
}

fn target(to: u16) -> TargetAsked {
    TargetAsked {
        text: minor(to).to_string(),
        kind: TargetKind::Hop(minor(to)),
    }
}

/// Two nodes at the apiserver's minor: nothing stands in the way.
pub(crate) fn ready() -> Report {
    Report {
        source: Source {
            mode: Mode::Live,
            context: Some("prod-eu-1".to_owned()),
            api_server: Some("https://10.0.0.1:6443".to_owned()),
            kubectl_flags: String::new(),
            files: Vec::new(),
            skipped: 0,
            captured_at: None,
            age_seconds: None,
            locations: Vec::new(),
        },
        policy: PolicyInForce {
            name: "upstream".to_owned(),
            source: "https://kubernetes.io/releases/version-skew-policy/".to_owned(),
            detected_from: None,
        },
        platform: None,
        server_version: Some("v1.36.2".to_owned()),
        target: Some(target(37)),
        verdict: Verdict::Ready,
        in_policy: Some(true),
        out_today: OutToday::default(),
        gate: Gate {
            fail_on: Some(Severity::Blocker),
            allow_incomplete: false,
            passed: true,
            exit_code: 0,
        },
        control_plane: ControlPlane {
            oldest: Some(minor(36)),
            newest: Some(minor(36)),
            running: Some(1),
            min_compatibility: None,
            answers: None,
            instances: vec![
                instance(Component::KubeApiserver, "cp-1", "v1.36.2"),
                instance(Component::KubeControllerManager, "cp-1", "v1.36.2"),
                instance(Component::KubeScheduler, "cp-1", "v1.36.2"),
            ],
        },
        kubectl: Some(read("v1.36.1")),
        columns: vec![minor(37)],
        stray_kube_proxies: Vec::new(),
        nodes: vec![
            until(node("web-1", "web", "v1.36.2", "v1.36.2", "ok 0/0, ok 1/1"), 39),
            until(node("web-2", "web", "v1.35.9", "v1.35.9", "ok 1/1, ok 2/2"), 38),
        ],
        path: vec![hop(36, Verdict::Ready, &[], &[])],
        plan: Some(Plan {
            steps: numbered(vec![step(
                StepKind::Hop,
                36,
                37,
                &[],
                Reason::Target { target: minor(37) },
            )]),
            hops: 1,
            optional: texts(&["web-1", "web-2"]),
            ..Plan::default()
        }),
        no_plan: None,
        findings: Vec::new(),
        not_assessed: Vec::new(),
        lagging_kubelets: vec![
            LaggingKubelet {
                node: "web-1".to_owned(),
                version: "v1.36.2".to_owned(),
            },
            LaggingKubelet {
                node: "web-2".to_owned(),
                version: "v1.35.9".to_owned(),
            },
        ],
        assumed: Vec::new(),
        excluded: Vec::new(),
    }
}

/// Mixed pools at 1.34 with the target 1.37: pools that break on the way, one out of policy today.
pub(crate) fn blocked() -> Report {
    let post = "version-skew/kubelet-post-upgrade";
    let spot: Vec<String> = (1..=12).map(|number| format!("spot-arm-{number:02}")).collect();
    let spot: Vec<&str> = spot.iter().map(String::as_str).collect();
    let mut cordoned = node(
        "gpu-a-7",
        "gpu",
        "v1.30.6",
        "v1.30.2",
        "FAIL 4/4, FAIL 5/5, FAIL 6/6, FAIL 7/7",
    );
    cordoned.cordoned = true;
    cordoned.is_out_today = true;
    let mut aci = node(
        "virtual-aci",
        "-",
        "v1.19.10-vk-azure-aci-1.4.16",
        "-",
        "not judged, not judged, not judged, not judged",
    );
    aci.is_virtual = true;
    aci.good_until = None;
    let mut nodes = vec![until(cordoned, 33)];
    for name in &spot {
        let cells = "ok 2/3, limit 3/4, FAIL 4/5, FAIL 5/6";
        nodes.push(until(
            node(name, "spot", "v1.32.4-gke.1396000", "v1.31.1", cells),
            34,
        ));
    }
    nodes.push(until(
        node(
            "web-1",
            "web",
            "v1.35.0",
            "-",
            "NEWER -1/-, ok 0/-, ok 1/-, ok 2/-",
        ),
        38,
    ));
    nodes.push(until(
        node(
            "web-2",
            "web",
            "v1.34.1",
            "?",
            "ok 0/?, ok 1/?, ok 2/?, limit 3/?",
        ),
        37,
    ));
    nodes.push(aci);
    let mut everyone = vec!["gpu-a-7"];
    everyone.extend(&spot);
    let mut roll = step(
        StepKind::Kubelets,
        32,
        34,
        &spot,
        before(&rules::kubelet_post_upgrade::RULE, Component::Kubelet, 31, 36),
    );
    roll.notes = vec![StepNote::Cordoned(texts(&["spot-arm-03"]))];
    let mut mend = step(
        StepKind::Kubelets,
        30,
        34,
        &["gpu-a-7"],
        Reason::MendToday {
            rule: &rules::kubelet_current::RULE,
        },
    );
    mend.kube_proxy_of = texts(&["gpu-a-7"]);
    Report {
        server_version: Some("v1.34.3".to_owned()),
        target: Some(target(37)),
        verdict: Verdict::Blocked,
        in_policy: Some(false),
        out_today: out_today(),
        gate: Gate {
            passed: false,
            exit_code: 2,
            ..ready().gate
        },
        control_plane: ControlPlane {
            oldest: Some(minor(34)),
            newest: Some(minor(34)),
            running: Some(3),
            answers: Some("3 live, 3 answers, all 1.34.3".to_owned()),
            instances: vec![InstanceRow {
                name: "v1.34.3".to_owned(),
                node: None,
                from: "version",
                image: None,
                ..instance(Component::KubeApiserver, "-", "v1.34.3")
            }],
            ..ControlPlane::default()
        },
        columns: vec![minor(35), minor(36), minor(37)],
        nodes,
        path: vec![
            hop(34, Verdict::Blocked, &[post], &["gpu-a-7"]),
            hop(35, Verdict::Blocked, &[], &everyone),
            PathHop {
                carried: 2,
                resolved: texts(&["version-skew/kubelet-newer-than-apiserver"]),
                ..hop(36, Verdict::Blocked, &[], &everyone)
            },
        ],
        plan: Some(Plan {
            steps: numbered(vec![
                mend,
                step(StepKind::Hop, 34, 35, &[], Reason::Target { target: minor(37) }),
                roll,
                step(
                    StepKind::KubeProxy,
                    31,
                    35,
                    &spot,
                    before(
                        &rules::kube_proxy_post_upgrade::RULE,
                        Component::KubeProxy,
                        31,
                        36,
                    ),
                ),
                step(StepKind::Hop, 35, 36, &[], Reason::Target { target: minor(37) }),
                step(StepKind::Hop, 36, 37, &[], Reason::Target { target: minor(37) }),
            ]),
            hops: 3,
            node_rolls: 13,
            kube_proxy_updates: 1,
            optional: texts(&everyone),
            ..Plan::default()
        }),
        findings: vec![
            finding(
                &rules::kubelet_post_upgrade::RULE,
                Severity::Blocker,
                Component::Kubelet,
                &everyone,
            ),
            finding(
                &rules::kubelet_current::RULE,
                Severity::Warning,
                Component::Kubelet,
                &["gpu-a-7"],
            ),
            finding(
                &rules::kubelet_newer::RULE,
                Severity::Warning,
                Component::Kubelet,
                &["web-1"],
            ),
            finding(
                &rules::virtual_nodes::RULE,
                Severity::Info,
                Component::Kubelet,
                &["virtual-aci"],
            ),
        ],
        not_assessed: vec![Gap::of(GapReason::PodsUnread {
            component: Component::KubeProxy,
            kind: UnreadKind::Image,
            pods: vec![UnreadPod {
                component: Component::KubeProxy,
                namespace: Some("kube-system".to_owned()),
                pod: "kube-proxy-web-2".to_owned(),
                node: Some("web-2".to_owned()),
                container: Some("kube-proxy".to_owned()),
                image: Some("registry.example/vendor-proxy@sha256:0123".to_owned()),
                why: WhyUnread::ByDigest,
                required: false,
            }],
        })],
        lagging_kubelets: everyone
            .iter()
            .map(|node| LaggingKubelet {
                node: (*node).to_owned(),
                version: "v1.31.4".to_owned(),
            })
            .collect(),
        ..ready()
    }
}

/// Nodes whose kubelets report that, and it is no version.
fn kubelets_unread(nodes: &[&str], reported: Option<&str>) -> Gap {
    let reported = |name: &&str| ((*name).to_owned(), reported.map(str::to_owned));
    Gap::of(GapReason::KubeletsUnread {
        nodes: nodes.iter().map(reported).collect(),
    })
}

/// A read that was refused to that user, with that message.
fn refused(resource: Resource, namespace: Option<&str>, user: &str, message: &str) -> Gap {
    Gap::of(GapReason::Read(ReadGap::Failed {
        resource,
        namespace: namespace.map(str::to_owned),
        read: 0,
        fault: ReadFault::Status {
            code: 403,
            reason: Some("Forbidden".to_owned()),
            message: Some(message.to_owned()),
            user: Some(user.to_owned()),
        },
    }))
}

/// Pods and Leases were refused: nothing stands in the way that could be seen.
pub(crate) fn unknown() -> Report {
    let refused = |resource| {
        refused(
            resource,
            Some("kube-system"),
            "system:serviceaccount:ci:reader",
            &format!("{} is forbidden", Resource::name(resource)),
        )
    };
    Report {
        verdict: Verdict::Unknown,
        in_policy: None,
        gate: Gate {
            passed: false,
            exit_code: 2,
            ..ready().gate
        },
        not_assessed: vec![
            kubelets_unread(&["web-2"], None),
            refused(Resource::Pods),
            refused(Resource::Leases),
        ],
        nodes: vec![
            node("web-2", "web", "?", "-", "? ?/-, ? ?/-"),
            until(node("web-1", "web", "v1.36.2", "-", "ok 0/-, ok 1/-"), 39),
        ],
        plan: Some(Plan {
            unplanned: texts(&["web-2"]),
            ..ready().plan.unwrap()
        }),
        path: vec![hop(36, Verdict::Unknown, &[], &[])],
        ..ready()
    }
}

/// Three apiservers, one of them a minor ahead and one that emulates.
pub(crate) fn mid_upgrade() -> Report {
    let mut emulating = instance(Component::KubeApiserver, "cp-2", "v1.37.0");
    emulating.emulated_minor = Some(minor(36));
    Report {
        verdict: Verdict::Ready,
        in_policy: Some(false),
        out_today: OutToday {
            nodes: Vec::new(),
            components: vec![Component::KubeControllerManager],
        },
        control_plane: ControlPlane {
            oldest: Some(minor(36)),
            newest: Some(minor(37)),
            running: Some(3),
            min_compatibility: Some(minor(36)),
            answers: None,
            instances: vec![
                instance(Component::KubeApiserver, "cp-1", "v1.36.2"),
                emulating,
                instance(Component::KubeApiserver, "cp-3", "v1.37.0"),
                instance(Component::KubeControllerManager, "cp-1", "v1.36.2"),
                instance(Component::KubeControllerManager, "cp-3", "v1.37.0"),
                instance(Component::KubeScheduler, "cp-1", "v1.36.2"),
                InstanceRow {
                    judged: false,
                    ..instance(Component::CloudControllerManager, "cp-1", "v2.9.1")
                },
            ],
        },
        findings: vec![FindingRow {
            nodes: texts(&["cp-3"]),
            ..finding(
                rules::manager_newer::of(Component::KubeControllerManager),
                Severity::Warning,
                Component::KubeControllerManager,
                &["cp-3"],
            )
        }],
        plan: Some(Plan {
            steps: numbered(vec![step(StepKind::Hop, 36, 37, &[], Reason::FinishHop)]),
            hops: 1,
            ..Plan::default()
        }),
        ..ready()
    }
}

/// A plan with a step of every kind that ends at an obstacle.
pub(crate) fn every_step() -> Report {
    let mut managers = step(
        StepKind::ControlPlane,
        33,
        34,
        &[],
        before(
            rules::manager_behind::of(Component::KubeScheduler),
            Component::KubeScheduler,
            33,
            35,
        ),
    );
    managers.component = Some(Component::KubeScheduler);
    let mut fargate = step(
        StepKind::Kubelets,
        31,
        34,
        &["fargate-1"],
        before(&rules::kubelet_post_upgrade::RULE, Component::Kubelet, 31, 35),
    );
    fargate.drain = false;
    fargate.notes = vec![
        StepNote::Fargate(texts(&["fargate-1"])),
        StepNote::NotReady(texts(&["fargate-1"])),
        StepNote::Runtime {
            kind: "containerd",
            kubelet: minor(38),
            change: "the RuntimeConfig call is planned to be needed, which containerd has from 2.0",
            nodes: texts(&["fargate-1"]),
        },
    ];
    Report {
        plan: Some(Plan {
            steps: numbered(vec![
                step(StepKind::Emulation, 33, 34, &[], Reason::FinishHop),
                managers,
                fargate,
                step(
                    StepKind::KubeProxy,
                    31,
                    34,
                    &["gpu-a-7"],
                    Reason::MendToday {
                        rule: &rules::kube_proxy_behind::RULE,
                    },
                ),
                step(StepKind::Hop, 34, 35, &[], Reason::Target { target: minor(37) }),
            ]),
            hops: 1,
            node_rolls: 1,
            kube_proxy_updates: 1,
            optional: Vec::new(),
            unplanned: texts(&["web-2"]),
            remaining: vec![Remaining {
                object: "web-1".to_owned(),
                rule: &rules::kubelet_current::RULE,
            }],
            obstacle: Some(Obstacle {
                hop: Some(minor(36)),
                object: Some("web-9".to_owned()),
                rule: Some(&rules::kubelet_post_upgrade::RULE),
                cause: Cause::TooOld {
                    component: Component::Kubelet,
                    minor: minor(32),
                    newest: minor(36),
                    held: Held::Unread,
                },
            }),
            ..Plan::default()
        }),
        ..blocked()
    }
}

/// What if: a pool assumed, a node excluded, and a rollout list with strangers.
pub(crate) fn hypothetical() -> Report {
    let mut excluded = until(node("db-1", "db", "v1.32.0", "-", "not judged, not judged"), 35);
    excluded.excluded = true;
    let mut nodes = ready().nodes;
    nodes[1].left_behind = true;
    nodes[1].lagging = true;
    nodes.push(excluded);
    Report {
        nodes,
        assumed: vec![Assumed {
            selector: "pool/web".to_owned(),
            minor: minor(36),
            nodes: texts(&["web-1", "web-2"]),
        }],
        excluded: vec![Excluded {
            selector: "node/db-1".to_owned(),
            nodes: texts(&["db-1"]),
        }],
        ..ready()
    }
}

/// No target: today and a preview, from a dump taken some days ago.
pub(crate) fn today() -> Report {
    Report {
        source: Source {
            mode: Mode::Files,
            context: None,
            api_server: None,
            kubectl_flags: String::new(),
            files: texts(&["nodes.json", "pods.json"]),
            skipped: 3,
            captured_at: Some("2026-01-02T03:04:05Z".to_owned()),
            age_seconds: Some(3 * 86_400),
            locations: vec![Location {
                object: "node/gpu-a-7".to_owned(),
                file: "nodes.json".to_owned(),
                line: 12,
            }],
        },
        target: None,
        verdict: Verdict::Ready,
        in_policy: Some(false),
        out_today: out_today(),
        gate: Gate {
            fail_on: Some(Severity::Warning),
            allow_incomplete: true,
            passed: false,
            exit_code: 2,
        },
        path: Vec::new(),
        plan: None,
        findings: blocked()
            .findings
            .into_iter()
            .filter(|finding| finding.severity < Severity::Blocker)
            .collect(),
        lagging_kubelets: Vec::new(),
        ..blocked()
    }
}

/// A patch of the minor that runs: no hop, no columns.
pub(crate) fn patch() -> Report {
    let mut nodes = ready().nodes;
    for row in &mut nodes {
        row.hops.clear();
    }
    Report {
        target: Some(TargetAsked {
            text: "1.36.5".to_owned(),
            kind: TargetKind::Patch,
        }),
        columns: Vec::new(),
        nodes,
        path: Vec::new(),
        plan: None,
        lagging_kubelets: Vec::new(),
        ..ready()
    }
}

/// No server version, no nodes: all there is to say is what is missing.
pub(crate) fn unreachable() -> Report {
    Report {
        server_version: None,
        target: Some(TargetAsked {
            text: "next".to_owned(),
            kind: TargetKind::Refused,
        }),
        verdict: Verdict::Unknown,
        in_policy: None,
        gate: Gate {
            passed: false,
            exit_code: 2,
            ..ready().gate
        },
        control_plane: ControlPlane::default(),
        kubectl: None,
        columns: Vec::new(),
        nodes: Vec::new(),
        path: Vec::new(),
        plan: None,
        not_assessed: vec![
            Gap::of(GapReason::TargetRefused {
                target: "next".to_owned(),
                why: TargetRefusal::NoServerVersion,
            }),
            Gap {
                partial: false,
                ..Gap::of(GapReason::NoNodes)
            },
        ],
        lagging_kubelets: Vec::new(),
        ..ready()
    }
}

/// The same names wherever a cluster or a user can put one.
pub(crate) fn hostile() -> Report {
    let page = hostile::PAGE.map(|(raw, _)| raw);
    let names: Vec<String> = texts(&page);
    let mut report = blocked();
    report.source.context = Some(page[0].to_owned());
    report.source.files.clone_from(&names);
    report.nodes = page
        .iter()
        .map(|name| {
            let cells = "FAIL 4/4, FAIL 5/5, FAIL 6/6, FAIL 7/7";
            let mut row = until(
                node(
                    name,
                    name,
                    &format!("v1.30.1+{name}"),
                    &format!("v1.30.1+{name}"),
                    cells,
                ),
                33,
            );
            row.zone = Some((*name).to_owned());
            row.roles = vec![(*name).to_owned()];
            row.is_out_today = true;
            row
        })
        .collect();
    report.control_plane.instances = page
        .iter()
        .map(|name| InstanceRow {
            version: Some(format!("v1.34.3+{name}")),
            ..instance(Component::KubeScheduler, name, "v1.34.3")
        })
        .collect();
    let mut finding = finding(
        &rules::kubelet_post_upgrade::RULE,
        Severity::Blocker,
        Component::Kubelet,
        &page,
    );
    finding.versions.clone_from(&names);
    report.findings = vec![finding];
    for name in &page {
        report.findings.push(FindingRow {
            key: format!("version-skew/kube-proxy-kubelet/{name}"),
            ..self::finding(
                &rules::kube_proxy_kubelet::RULE,
                Severity::Warning,
                Component::KubeProxy,
                &[*name],
            )
        });
    }
    report.path = vec![hop(
        34,
        Verdict::Blocked,
        &["version-skew/kubelet-post-upgrade"],
        &page,
    )];
    report.columns = vec![minor(35), minor(36), minor(37)];
    report.source.kubectl_flags = format!(" --context '{}'", page[3]);
    report.not_assessed = vec![
        kubelets_unread(&page, Some(page[0])),
        refused(Resource::Pods, Some(page[1]), page[4], page[2]),
    ];
    report.assumed = vec![Assumed {
        selector: format!("node/{}", page[2]),
        minor: minor(36),
        nodes: names.clone(),
    }];
    report.excluded = vec![Excluded {
        selector: format!("node/{}", page[8]),
        nodes: names,
    }];
    report.plan = Some(Plan {
        steps: numbered(vec![step(
            StepKind::Kubelets,
            30,
            34,
            &page,
            Reason::MendToday {
                rule: &rules::kubelet_current::RULE,
            },
        )]),
        node_rolls: page.len(),
        ..Plan::default()
    });
    report
}

/// Many nodes in pools of a hundred, a few of them in trouble.
pub(crate) fn large(nodes: usize) -> Report {
    let mut report = blocked();
    report.nodes = (0..nodes)
        .map(|number| {
            let pool = format!("pool-{:02}", number / 100);
            let name = format!("{pool}-{:03}", number % 100);
            let (kubelet, cells) = if number % 1_000 == 7 {
                ("v1.31.6", "limit 3/0, FAIL 4/1, FAIL 5/2, FAIL 6/3")
            } else {
                ("v1.34.3", "ok 0/0, ok 1/1, ok 2/2, limit 3/3")
            };
            until(node(&name, &pool, kubelet, "v1.34.3", cells), 37)
        })
        .collect();
    let all: Vec<String> = report.nodes.iter().map(|row| row.name.clone()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    report.plan = Some(Plan {
        steps: numbered(vec![step(
            StepKind::Kubelets,
            31,
            34,
            &all,
            before(&rules::kubelet_post_upgrade::RULE, Component::Kubelet, 31, 35),
        )]),
        node_rolls: nodes,
        ..Plan::default()
    });
    report.findings = vec![finding(
        &rules::kubelet_post_upgrade::RULE,
        Severity::Blocker,
        Component::Kubelet,
        &all,
    )];
    report.path.clear();
    report
}
