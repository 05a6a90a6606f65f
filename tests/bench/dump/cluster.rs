//! A large cluster as `kubectl get nodes,pods -A -o json` writes it: every object with the fields that a real
//! one has, most of which nobody reads.

use std::fmt::Write as _;
use std::io::{self, Write};

/// The agents that run on every node; the first is the one that is read.
const AGENTS: [(&str, &str); 8] = [
    ("kube-proxy", "registry.k8s.io/kube-proxy:v1.35.4"),
    ("network-agent", "registry.example/network/agent:v1.20.4"),
    ("storage-agent", "registry.example/storage/agent:v1.44.0"),
    ("dns-cache", "registry.k8s.io/dns/k8s-dns-node-cache:1.26.4"),
    ("log-shipper", "registry.example/logs/shipper:4.0.9"),
    ("metrics-agent", "registry.example/metrics/agent:v0.133.0"),
    ("device-plugin", "registry.example/devices/plugin:v0.17.4"),
    (
        "node-problem-detector",
        "registry.k8s.io/node-problem-detector/node-problem-detector:v0.8.21",
    ),
];

/// Writes a List of so many nodes, each with so many of the agents' pods.
pub(crate) fn write(nodes: usize, agents: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")?;
    let mut text = String::new();
    for number in 0..nodes {
        text.clear();
        node(number, &mut text);
        out.write_all(text.as_bytes())?;
        out.write_all(b",\n")?;
    }
    for number in 0..nodes {
        for (index, (agent, image)) in AGENTS.iter().take(agents).enumerate() {
            text.clear();
            pod(number, agent, image, &mut text);
            out.write_all(text.as_bytes())?;
            let is_last = number + 1 == nodes && index + 1 == agents.min(AGENTS.len());
            out.write_all(if is_last { b"\n" } else { b",\n" })?;
        }
    }
    out.write_all(
        b"    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
    )
}

/// Lines of pretty JSON, at a depth of four spaces a level.
struct Lines<'t> {
    text: &'t mut String,
    depth: usize,
}

impl Lines<'_> {
    fn line(&mut self, line: &str) {
        let opens = line.ends_with('{') || line.ends_with('[');
        if line.starts_with('}') || line.starts_with(']') {
            self.depth -= 1;
        }
        let _ = writeln!(self.text, "{:1$}{line}", "", self.depth * 4);
        if opens {
            self.depth += 1;
        }
    }

    fn lines<'l>(&mut self, lines: impl IntoIterator<Item = &'l str>) {
        for line in lines {
            self.line(line);
        }
    }

    /// `"key": "value",` for every pair, without the last comma.
    fn pairs(&mut self, pairs: &[(String, String)]) {
        for (index, (key, value)) in pairs.iter().enumerate() {
            let comma = if index + 1 < pairs.len() { "," } else { "" };
            self.line(&format!("\"{key}\": \"{value}\"{comma}"));
        }
    }
}

fn uid(seed: usize) -> String {
    let mixed = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!(
        "{:08x}-{:04x}-4{:03x}-9{:03x}-{:012x}",
        mixed >> 32,
        mixed & 0xffff,
        mixed & 0xfff,
        mixed >> 52,
        mixed >> 16
    )
}

fn digest(seed: usize) -> String {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!(
        "{mixed:016x}{:016x}{:016x}{:016x}",
        mixed.rotate_left(7),
        mixed.rotate_left(23),
        mixed.rotate_left(41)
    )
}

fn pair(key: &str, value: impl Into<String>) -> (String, String) {
    (key.to_owned(), value.into())
}

fn node(number: usize, text: &mut String) {
    let name = format!(
        "ip-10-{}-{}.eu-north-1.compute.example",
        number / 250,
        number % 250
    );
    let version = if number % 40 == 7 { "v1.33.5" } else { "v1.35.4" };
    let mut lines = Lines { text, depth: 2 };
    lines.lines([
        "{",
        "\"apiVersion\": \"v1\",",
        "\"kind\": \"Node\",",
        "\"metadata\": {",
        "\"annotations\": {",
    ]);
    lines.pairs(&[
        pair(
            "alpha.kubernetes.io/provided-node-ip",
            format!("10.{}.{}.4", number / 250, number % 250),
        ),
        pair(
            "csi.volume.kubernetes.io/nodeid",
            format!("{{\\\"storage.example\\\":\\\"i-{number:017x}\\\"}}"),
        ),
        pair("node.alpha.kubernetes.io/ttl", "15"),
        pair("volumes.kubernetes.io/controller-managed-attach-detach", "true"),
    ]);
    lines.lines([
        "},",
        "\"creationTimestamp\": \"2026-01-12T08:01:44Z\",",
        "\"labels\": {",
    ]);
    lines.pairs(&[
        pair("beta.kubernetes.io/arch", "amd64"),
        pair("beta.kubernetes.io/instance-type", "m7i.4xlarge"),
        pair("beta.kubernetes.io/os", "linux"),
        pair("eks.amazonaws.com/capacityType", "ON_DEMAND"),
        pair("eks.amazonaws.com/nodegroup", format!("pool-{}", number % 12)),
        pair("failure-domain.beta.kubernetes.io/region", "eu-north-1"),
        pair("kubernetes.io/arch", "amd64"),
        pair("kubernetes.io/hostname", name.clone()),
        pair("kubernetes.io/os", "linux"),
        pair("node.kubernetes.io/instance-type", "m7i.4xlarge"),
        pair("topology.kubernetes.io/region", "eu-north-1"),
        pair(
            "topology.kubernetes.io/zone",
            format!("eu-north-1{}", ["a", "b", "c"][number % 3]),
        ),
    ]);
    lines.line("},");
    lines.line(&format!("\"name\": \"{name}\","));
    lines.line(&format!("\"resourceVersion\": \"{}\",", 90_000_000 + number));
    lines.line(&format!("\"uid\": \"{}\"", uid(number)));
    lines.lines(["},", "\"spec\": {"]);
    lines.line(&format!("\"providerID\": \"aws:///eu-north-1a/i-{number:017x}\""));
    lines.lines(["},", "\"status\": {", "\"addresses\": [", "{"]);
    lines.line(&format!(
        "\"address\": \"10.{}.{}.4\",",
        number / 250,
        number % 250
    ));
    lines.lines(["\"type\": \"InternalIP\"", "},", "{"]);
    lines.line(&format!("\"address\": \"{name}\","));
    lines.lines(["\"type\": \"Hostname\"", "}", "],"]);
    for (what, comma) in [("allocatable", ","), ("capacity", ",")] {
        lines.line(&format!("\"{what}\": {{"));
        lines.pairs(&[
            pair("cpu", "15890m"),
            pair("ephemeral-storage", "95551679124"),
            pair("hugepages-1Gi", "0"),
            pair("hugepages-2Mi", "0"),
            pair("memory", "61847028Ki"),
            pair("pods", "234"),
        ]);
        lines.line(&format!("}}{comma}"));
    }
    lines.line("\"conditions\": [");
    for (index, (kind, status, reason)) in [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID"),
        ("Ready", "True", "KubeletReady"),
    ]
    .into_iter()
    .enumerate()
    {
        lines.lines([
            "{",
            "\"lastHeartbeatTime\": \"2026-03-02T11:40:09Z\",",
            "\"lastTransitionTime\": \"2026-01-12T08:02:06Z\",",
        ]);
        lines.pairs(&[
            pair("message", format!("kubelet has told that {reason} holds")),
            pair("reason", reason),
            pair("status", status),
            pair("type", kind),
        ]);
        lines.line(if index == 3 { "}" } else { "}," });
    }
    lines.lines([
        "],",
        "\"daemonEndpoints\": {",
        "\"kubeletEndpoint\": {",
        "\"Port\": 10250",
        "}",
        "},",
        "\"images\": [",
    ]);
    for image in 0..25 {
        let (path, tag) = match image {
            0 => ("registry.k8s.io/kube-proxy".to_owned(), "v1.35.4".to_owned()),
            _ => (
                format!("registry.example/platform/team-{}/service-{image}", image % 7),
                format!("v3.{image}.{}", number % 9),
            ),
        };
        lines.lines(["{", "\"names\": ["]);
        lines.line(&format!("\"{path}@sha256:{}\",", digest(image * 9 + number % 9)));
        lines.line(&format!("\"{path}:{tag}\""));
        lines.line("],");
        lines.line(&format!("\"sizeBytes\": {}", 31_000_000 + image * 1_048_576));
        lines.line(if image == 24 { "}" } else { "}," });
    }
    lines.lines(["],", "\"nodeInfo\": {"]);
    lines.pairs(&[
        pair("architecture", "amd64"),
        pair("bootID", uid(number + 1)),
        pair("containerRuntimeVersion", "containerd://2.1.5"),
        pair("kernelVersion", "6.12.48-71.130.amzn2023.x86_64"),
        pair("kubeProxyVersion", version),
        pair("kubeletVersion", version),
        pair("machineID", digest(number)),
        pair("operatingSystem", "linux"),
        pair("osImage", "Amazon Linux 2023.9.20251208"),
        pair("systemUUID", uid(number + 2)),
    ]);
    lines.lines(["}", "}"]);
    let _ = write!(lines.text, "        }}");
}

fn pod(number: usize, agent: &str, image: &str, text: &mut String) {
    let node = format!(
        "ip-10-{}-{}.eu-north-1.compute.example",
        number / 250,
        number % 250
    );
    let suffix = format!("{:05x}", number * 7 + agent.len());
    let mut lines = Lines { text, depth: 2 };
    lines.lines([
        "{",
        "\"apiVersion\": \"v1\",",
        "\"kind\": \"Pod\",",
        "\"metadata\": {",
    ]);
    lines.line("\"creationTimestamp\": \"2026-01-12T08:01:45Z\",");
    lines.line(&format!("\"generateName\": \"{agent}-\","));
    lines.line("\"labels\": {");
    lines.pairs(&[
        pair("controller-revision-hash", "6ddfc594c"),
        pair("k8s-app", agent),
        pair("pod-template-generation", "14"),
    ]);
    lines.line("},");
    lines.line(&format!("\"name\": \"{agent}-{suffix}\","));
    lines.lines(["\"namespace\": \"kube-system\",", "\"ownerReferences\": [", "{"]);
    lines.lines([
        "\"apiVersion\": \"apps/v1\",",
        "\"blockOwnerDeletion\": true,",
        "\"controller\": true,",
        "\"kind\": \"DaemonSet\",",
    ]);
    lines.line(&format!("\"name\": \"{agent}\","));
    lines.line(&format!("\"uid\": \"{}\"", uid(agent.len())));
    lines.lines(["}", "],"]);
    lines.line(&format!("\"resourceVersion\": \"{}\",", 91_000_000 + number));
    lines.line(&format!("\"uid\": \"{}\"", uid(number * 64 + agent.len())));
    lines.lines(["},", "\"spec\": {", "\"affinity\": {", "\"nodeAffinity\": {"]);
    lines.lines([
        "\"requiredDuringSchedulingIgnoredDuringExecution\": {",
        "\"nodeSelectorTerms\": [",
        "{",
        "\"matchFields\": [",
        "{",
    ]);
    lines.lines([
        "\"key\": \"metadata.name\",",
        "\"operator\": \"In\",",
        "\"values\": [",
    ]);
    lines.line(&format!("\"{node}\""));
    lines.lines([
        "]",
        "}",
        "]",
        "}",
        "]",
        "}",
        "}",
        "},",
        "\"containers\": [",
        "{",
        "\"command\": [",
    ]);
    lines.line(&format!("\"/usr/local/bin/{agent}\","));
    lines.lines([
        "\"--v=2\",",
        "\"--config=/var/lib/config/config.conf\",",
        "\"--hostname-override=$(NODE_NAME)\"",
        "],",
        "\"env\": [",
    ]);
    for variable in 0..4 {
        lines.line("{");
        lines.pairs(&[
            pair("name", format!("SETTING_NUMBER_{variable}")),
            pair("value", format!("a value of usual length {variable}")),
        ]);
        lines.line(if variable == 3 { "}" } else { "}," });
    }
    lines.line("],");
    lines.line(&format!("\"image\": \"{image}\","));
    lines.lines(["\"imagePullPolicy\": \"IfNotPresent\","]);
    lines.line(&format!("\"name\": \"{agent}\","));
    lines.lines([
        "\"resources\": {",
        "\"requests\": {",
        "\"cpu\": \"100m\",",
        "\"memory\": \"128Mi\"",
        "}",
        "},",
        "\"securityContext\": {",
        "\"privileged\": true",
        "},",
    ]);
    lines.lines([
        "\"terminationMessagePath\": \"/dev/termination-log\",",
        "\"terminationMessagePolicy\": \"File\",",
        "\"volumeMounts\": [",
    ]);
    for mount in 0..3 {
        lines.line("{");
        lines.line(&format!("\"mountPath\": \"/var/lib/mount-{mount}\","));
        lines.line(&format!("\"name\": \"volume-{mount}\","));
        lines.line("\"readOnly\": true");
        lines.line(if mount == 2 { "}" } else { "}," });
    }
    lines.lines([
        "]",
        "}",
        "],",
        "\"dnsPolicy\": \"ClusterFirst\",",
        "\"enableServiceLinks\": true,",
        "\"hostNetwork\": true,",
    ]);
    lines.line(&format!("\"nodeName\": \"{node}\","));
    lines.lines([
        "\"priority\": 2000001000,",
        "\"priorityClassName\": \"system-node-critical\",",
        "\"restartPolicy\": \"Always\",",
    ]);
    lines.line(&format!("\"serviceAccountName\": \"{agent}\","));
    lines.lines(["\"terminationGracePeriodSeconds\": 30,", "\"tolerations\": ["]);
    for (index, key) in [
        "not-ready",
        "unreachable",
        "disk-pressure",
        "memory-pressure",
        "pid-pressure",
        "unschedulable",
    ]
    .iter()
    .enumerate()
    {
        lines.line("{");
        lines.pairs(&[
            pair("effect", "NoExecute"),
            pair("key", format!("node.kubernetes.io/{key}")),
            pair("operator", "Exists"),
        ]);
        lines.line(if index == 5 { "}" } else { "}," });
    }
    lines.lines(["],", "\"volumes\": ["]);
    for volume in 0..3 {
        lines.lines(["{", "\"hostPath\": {"]);
        lines.line(&format!("\"path\": \"/var/lib/host-{volume}\","));
        lines.lines(["\"type\": \"FileOrCreate\"", "},"]);
        lines.line(&format!("\"name\": \"volume-{volume}\""));
        lines.line(if volume == 2 { "}" } else { "}," });
    }
    lines.lines(["]", "},", "\"status\": {", "\"conditions\": ["]);
    for (index, kind) in [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
    ]
    .iter()
    .enumerate()
    {
        lines.lines([
            "{",
            "\"lastProbeTime\": null,",
            "\"lastTransitionTime\": \"2026-01-12T08:02:11Z\",",
            "\"status\": \"True\",",
        ]);
        lines.line(&format!("\"type\": \"{kind}\""));
        lines.line(if index == 4 { "}" } else { "}," });
    }
    lines.lines(["],", "\"containerStatuses\": [", "{"]);
    lines.line(&format!("\"containerID\": \"containerd://{}\",", digest(number)));
    lines.line(&format!("\"image\": \"{image}\","));
    lines.line(&format!(
        "\"imageID\": \"{}@sha256:{}\",",
        image.split(':').next().unwrap_or(image),
        digest(agent.len())
    ));
    lines.lines(["\"lastState\": {},"]);
    lines.line(&format!("\"name\": \"{agent}\","));
    lines.lines([
        "\"ready\": true,",
        "\"restartCount\": 0,",
        "\"started\": true,",
        "\"state\": {",
        "\"running\": {",
        "\"startedAt\": \"2026-01-12T08:02:10Z\"",
        "}",
        "}",
        "}",
        "],",
    ]);
    lines.line(&format!(
        "\"hostIP\": \"10.{}.{}.4\",",
        number / 250,
        number % 250
    ));
    lines.line("\"phase\": \"Running\",");
    lines.line(&format!("\"podIP\": \"10.{}.{}.4\",", number / 250, number % 250));
    lines.lines([
        "\"qosClass\": \"Burstable\",",
        "\"startTime\": \"2026-01-12T08:01:46Z\"",
        "}",
    ]);
    let _ = write!(lines.text, "        }}");
}
