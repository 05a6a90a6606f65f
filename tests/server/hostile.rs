//! A page of hostile texts through a real kube-apiserver, wherever it takes them: what the product reads and shows of
//! it comes back from every format by a parser that is not ours, and nothing of it acts.
//!
//! Names, labels and taints are held to a narrow alphabet by the server, and are here as long as it lets them be.
//! Of what kubelets and controllers report it checks nothing: versions, systems, addresses, conditions, images,
//! commands, owners, annotations and the holders of Leases hold anything, up to a NUL.

use kubectl_skew::render::Format;
use serde_json::{Value, json};

use crate::control_planes::SINGLE;
use crate::encodings::{assert_same, judgement, save};
use crate::page::{LONG_NAME, PAGE};
use crate::reading::told::Row;
use crate::reading::{harmless, told};
use crate::support::objects::{
    Object, cluster_operator, cluster_operator_definition, control_plane_pod, kube_proxy, kube_proxy_image,
    node,
};
use crate::support::outcome::{Outcome, Program};

/// The longest value of a label.
const LONG_LABEL: &str = "p-23456789-123456789-123456789-123456789-123456789-123456789-63";
/// More than anybody reads, in one version.
const FOUR_KILOBYTES: usize = 4_096;

/// A node, a kube-proxy and a second scheduler for each text: whatever they report of themselves holds it.
fn texts(number: usize, text: &str) -> Vec<Object> {
    let name = format!("told-{number:02}");
    let reported = node(&name, &format!("v1.33.0-{text}"))
        .annotation("cluster.x-k8s.io/owner-name", text)
        .with(
            "/status/nodeInfo/containerRuntimeVersion",
            json!(format!("containerd://1.7.{number}-{text}")),
        )
        .with("/status/nodeInfo/operatingSystem", json!(text))
        .with("/status/nodeInfo/osImage", json!(text))
        .with("/status/nodeInfo/kernelVersion", json!(text))
        .with("/status/addresses/0/address", json!(text))
        .with(
            "/status/conditions",
            json!([
                {"type": text, "status": text, "reason": text, "message": text},
                {"type": "Ready", "status": text, "reason": text, "message": text},
            ]),
        )
        .holding(&[text, &format!("registry.k8s.io/kube-proxy:{text}")]);
    let proxy = kube_proxy_image(&name, &image_ending_in("kube-proxy", text))
        .with("/metadata/ownerReferences/0/name", json!(text))
        .with("/status/reason", json!(text))
        .with("/status/message", json!(text));
    let scheduler = control_plane_pod("kube-scheduler", &name, &format!("v1.37.0-{text}")).command(&[
        "kube-scheduler",
        &format!("--emulated-version=1.37{text}"),
        text,
    ]);
    let unread = node(&format!("unread-{number:02}"), text);
    vec![reported, proxy, scheduler, unread]
}

fn image_ending_in(component: &str, text: &str) -> String {
    format!("registry.k8s.io/{component}:v1.37.0-{text}")
}

/// What the tag of an image says whose name ends in a text: an `@` starts a digest, a slash or a colon makes it
/// another image, and `_` stands for `+`.
fn version_ending_in(text: &str) -> Option<String> {
    let tag = text.split('@').next().unwrap();
    (!tag.contains(['/', ':'])).then(|| format!("v1.37.0-{}", tag.replace('_', "+")))
}

fn cluster() -> Vec<Object> {
    let mut objects: Vec<Object> = (0..)
        .zip(PAGE)
        .flat_map(|(number, (text, _))| texts(number, text))
        .collect();
    let longest = node(LONG_NAME, "v1.34.0")
        .label("kubernetes.io/hostname", LONG_LABEL)
        .label("agentpool", LONG_LABEL)
        .label("topology.kubernetes.io/zone", LONG_LABEL)
        .label(&format!("node-role.kubernetes.io/{LONG_LABEL}"), LONG_LABEL)
        .with(
            "/spec/taints",
            json!([
                {"key": format!("{}/{LONG_LABEL}", LONG_NAME), "value": LONG_LABEL, "effect": "NoSchedule"},
            ]),
        );
    let proxy = kube_proxy(LONG_NAME, "v1.34.0").with("/metadata/name", json!(LONG_NAME));
    let stuffed = node("stuffed", &stuffed()).annotation("cluster.x-k8s.io/owner-name", &stuffed());
    objects.extend([longest, proxy, stuffed]);
    objects.push(lease());
    objects.push(
        control_plane_pod("kube-apiserver", "told-00", "v1.37.0").with("/spec/nodeName", json!(LONG_NAME)),
    );
    objects.push(control_plane_pod(
        "kube-controller-manager",
        "unread-00",
        PAGE[0].0,
    ));
    objects
}

fn stuffed() -> String {
    format!("v1.35.0-{}", "x".repeat(FOUR_KILOBYTES))
}

/// An apiserver's identity, renewed far from now.
fn lease() -> Object {
    let mut lease = Object::new("coordination.k8s.io/v1", "Lease", Some("kube-system"), LONG_NAME)
        .label("apiserver.kubernetes.io/identity", "kube-apiserver");
    lease.json["spec"] = json!({"holderIdentity": PAGE[1].0, "renewTime": "2001-01-01T00:00:00.000000Z"});
    lease
}

/// A text in which texts of the page stand, as it is shown.
fn shown(text: &str) -> String {
    // The longest first, so that none is taken for a part of another.
    let mut page = PAGE;
    page.sort_by_key(|(raw, _)| std::cmp::Reverse(raw.len()));
    page.iter()
        .fold(text.to_owned(), |text, (raw, shown)| text.replace(raw, shown))
}

/// Runs the product for a format, as a pipeline would.
fn output(program: Program, format: Format) -> Outcome {
    program
        .env("LANG", "C.UTF-8")
        .args(["--target", "1.38", "-o", format.name()])
        .run()
}

/// A node's row as a format must give it back: raw for programs, shown for people, and cut where the format says
/// that it cuts.
fn row(format: Format, name: &str, pool: Option<&str>, kubelet: &str, kube_proxy: Option<&str>) -> Row {
    let text = |raw: &str| match format {
        Format::Json | Format::Yaml => raw.to_owned(),
        Format::Markdown => cut_behind(&shown(raw), 600),
        Format::Table | Format::Wide => cut_in_the_middle(&shown(raw), 300),
        Format::Junit | Format::Sarif | Format::Csv | Format::Html | Format::Name | Format::Runbook => {
            shown(raw)
        }
    };
    let version = |raw: &str| match format {
        Format::Json | Format::Yaml => raw.to_owned(),
        _ => text(raw.strip_prefix('v').unwrap_or(raw)),
    };
    Row {
        name: name.to_owned(),
        pool: (format != Format::Junit).then(|| pool.map_or_else(|| "-".to_owned(), text)),
        kubelet: version(kubelet),
        kube_proxy: kube_proxy.map_or_else(|| "-".to_owned(), version),
    }
}

fn cut_behind(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most).chain(['…']).collect()
}

fn cut_in_the_middle(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let tail = text.chars().skip(count - (most - 1) / 2);
    text.chars().take(most / 2).chain(['…']).chain(tail).collect()
}

/// Every row of the cluster, by name.
fn rows(format: Format) -> Vec<Row> {
    let mut rows = vec![
        row(format, LONG_NAME, Some(LONG_LABEL), "v1.34.0", Some("v1.34.0")),
        row(format, "stuffed", Some(&stuffed()), &stuffed(), None),
    ];
    for (number, (text, _)) in (0..).zip(PAGE) {
        let proxy = version_ending_in(text).unwrap_or_else(|| "?".to_owned());
        let kubelet = format!("v1.33.0-{text}");
        rows.push(row(
            format,
            &format!("told-{number:02}"),
            Some(text),
            &kubelet,
            Some(&proxy),
        ));
        rows.push(row(format, &format!("unread-{number:02}"), None, text, None));
    }
    rows.sort();
    rows
}

/// Asserts that a format's output is harmless and gives back all that it should.
fn hold(format: Format, outcome: &Outcome, gaps: &[String]) {
    harmless(format, &outcome.stdout);
    harmless(Format::Name, &outcome.stderr);
    let told = told(format, &outcome.stdout, &outcome.stderr);
    assert!(
        told.verdicts.iter().all(|verdict| verdict == "blocked"),
        "{format}"
    );
    assert!(told.today.iter().all(|today| *today == Some(false)), "{format}");
    for gap in gaps {
        let gap = if matches!(format, Format::Json | Format::Yaml) {
            gap.clone()
        } else if format == Format::Sarif {
            // Brackets would make links of it.
            shown(gap).replace('[', "\\[").replace(']', "\\]")
        } else {
            shown(gap)
        };
        assert!(told.gaps.contains(&gap), "{format} lacks the gap: {gap}");
    }
    if let Some(mut nodes) = told.nodes {
        nodes.sort();
        assert_eq!(nodes, rows(format), "{format}");
    }
}

#[test]
fn every_format_gives_the_texts_back_and_nothing_of_them_acts() {
    let cluster = SINGLE.scenario(cluster());
    let image = |component: &str, tag: &str| format!("runs registry.k8s.io/{component}:{tag}");
    // Each gap names the first of its pods or nodes, with what it says.
    let gaps = [
        image("kube-controller-manager", PAGE[0].0),
        image("kube-scheduler", &format!("v1.37.0-{}", PAGE[1].0)),
        image("kube-proxy", &format!("v1.37.0-{}", PAGE[1].0)),
        format!("unread-00 reports \"{}\"", PAGE[0].0),
    ];
    for format in Format::ALL {
        hold(format, &output(cluster.skew(), format), &gaps);
    }
    let colored = output(cluster.skew().args(["--color", "always"]), Format::Table);
    let plain = output(cluster.skew(), Format::Table);
    assert_eq!(without_our_colors(&colored.stdout), plain.stdout);

    let report = output(cluster.skew(), Format::Json).report();
    let among = |pointer: &str, field: &str, value: &str| -> Value {
        let all = report.json.pointer(pointer).and_then(Value::as_array).unwrap();
        all.iter().find(|one| one[field] == value).unwrap().clone()
    };
    let runtimes = among("/findings", "key", "node-runtime/containerd")["versions"].clone();
    for (number, (text, _)) in (0..).zip(PAGE) {
        let node = report.node(&format!("told-{number:02}"));
        assert_eq!(node["os"], text);
        assert_eq!(node["kubeProxy"][0]["image"], image_ending_in("kube-proxy", text));
        let name = format!("kube-scheduler-told-{number:02}");
        let scheduler = among("/controlPlane/instances", "name", &name);
        assert_eq!(scheduler["image"], image_ending_in("kube-scheduler", text));
        assert_eq!(scheduler["version"].as_str(), version_ending_in(text).as_deref());
        let runtime = json!(format!("containerd://1.7.{number}-{text}"));
        assert!(runtimes.as_array().unwrap().contains(&runtime), "{runtime}");
    }
    let names = output(cluster.skew(), Format::Name).stdout;
    let mut moved: Vec<String> = (0..PAGE.len())
        .map(|number| format!("node/told-{number:02}"))
        .collect();
    moved.extend([format!("node/{LONG_NAME}")]);
    moved.sort();
    assert_eq!(names.lines().collect::<Vec<_>>(), moved);
}

/// A text without the colours that the product paints in; whatever else is escaped stays.
fn without_our_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let (color, rest) = part.split_once('m').unwrap();
        assert!(color.chars().all(|c| c.is_ascii_digit() || c == ';'), "{color}");
        plain.push_str(rest);
    }
    plain
}

#[test]
fn what_is_saved_of_them_is_judged_like_the_cluster() {
    let cluster = SINGLE.scenario(cluster());
    let live = judgement(output(cluster.skew(), Format::Json).report().json);
    let path = cluster.directory().join("hostile.json").display().to_string();
    cluster.skew().args(["save", &path]).run().success();
    harmless(Format::Json, &std::fs::read_to_string(&path).unwrap());
    let saved = output(Program::skew_alone().args(["-f", &path]), Format::Json);
    assert_same(&judgement(saved.report().json), &live, "saved");

    // kubectl's own YAML writer refuses control characters.
    let [objects, version] = [
        ["get", "nodes,pods,leases", "-A", "-o", "json"].as_slice(),
        ["version", "-o", "json"].as_slice(),
    ]
    .map(|words| {
        save(
            &cluster,
            &format!("hostile-{}.json", words[0]),
            cluster.kubectl().args(words),
        )
    });
    let files = ["-f", &objects, "-f", &version];
    let dumped = output(Program::skew_alone().args(files), Format::Json);
    assert_same(&judgement(dumped.report().json), &live, "saved by kubectl");
}

/// Whose reads are refused is named in the refusal, by a name that the server takes from a certificate as it stands.
#[test]
fn a_hostile_user_and_context_are_named_and_act_nowhere() {
    let cluster = SINGLE.scenario([node("a", "v1.37.0")]);
    // A common name has 64 characters, a kubeconfig is YAML, and the certificate lies in a file of the user's name.
    let fits =
        |text: &str| text.len() <= 64 && !text.contains(|c| matches!(c, '\0' | '/' | '\u{7f}'..='\u{9f}'));
    let page = PAGE.into_iter().filter(|(text, _)| fits(text));
    for ((text, shown), format) in page.zip(Format::ALL.into_iter().cycle()) {
        let user = cluster.user(text).changed("hostile-user.kubeconfig", |config| {
            config["contexts"][0]["name"] = json!(text);
            config["current-context"] = json!(text);
        });
        let outcome = output(Program::skew(&user), format);
        harmless(format, &outcome.stdout);
        harmless(Format::Name, &outcome.stderr);
        let told = told(format, &outcome.stdout, &outcome.stderr);
        assert!(
            told.verdicts.iter().all(|verdict| verdict == "unknown"),
            "{format}"
        );
        let refused = told.gaps.matches("403 Forbidden").count();
        assert!(refused >= 3, "{format}: {shown}: {}", told.gaps);

        let report = output(Program::skew(&user), Format::Json).report();
        assert_eq!(report.text("/source/context"), text);
        // What the server cannot print, or HTML would take, it writes in its own escapes; else the grant names the user.
        if text == shown && !text.contains(['"', '\\', '&', '<', '>']) {
            assert_eq!(report.text("/notAssessed/0/grant/user"), text);
        }
    }
}

/// OpenShift's operators report versions of their own, which nobody checks either.
#[test]
fn hostile_operators_are_told_and_act_nowhere() {
    let text = |number: usize| PAGE[number].0;
    let cluster = SINGLE.scenario([
        node("master-0", "v1.37.0")
            .control_plane()
            .label("node.openshift.io/os_id", "rhel"),
        cluster_operator_definition(),
        cluster_operator("kube-apiserver", &format!("1.37.2-{}", text(0)), false),
        cluster_operator("kube-controller-manager", &format!("1.37.2-{}", text(4)), false),
        cluster_operator("kube-scheduler", text(7), false),
    ]);
    for format in Format::ALL {
        let outcome = output(cluster.skew(), format);
        harmless(format, &outcome.stdout);
        harmless(Format::Name, &outcome.stderr);
    }
    let report = output(cluster.skew(), Format::Json).report();
    let of = |component: &str| {
        let instances = report.json["controlPlane"]["instances"]
            .as_array()
            .unwrap()
            .iter();
        let mut versions = instances
            .filter(|one| one["component"] == component)
            .map(|one| &one["version"]);
        versions.next_back().cloned().unwrap_or_default()
    };
    assert_eq!(of("kube-controller-manager"), format!("1.37.2-{}", text(4)));
    assert_eq!(of("kube-scheduler"), Value::Null);
}
