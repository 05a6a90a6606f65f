//! The objects that a cluster holds, in the words of those who run one: a node of a pool, a kube-proxy of a
//! `DaemonSet` on it, a kubeadm control plane. Each ends as the JSON that the API server takes.

use serde_json::{Value, json};

/// An object for the API server.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// The object, status included.
    pub(crate) json: Value,
}

/// Kinds, their path's plural, and whether their status is written apart.
const KINDS: [(&str, &str, bool); 11] = [
    ("ClusterOperator", "clusteroperators", true),
    ("ClusterRole", "clusterroles", false),
    ("ClusterRoleBinding", "clusterrolebindings", false),
    ("CustomResourceDefinition", "customresourcedefinitions", false),
    ("Lease", "leases", false),
    ("Namespace", "namespaces", false),
    // A Node that is posted keeps its status: that is how kubelets register.
    ("Node", "nodes", false),
    ("Pod", "pods", true),
    ("Role", "roles", false),
    ("RoleBinding", "rolebindings", false),
    ("ServiceAccount", "serviceaccounts", false),
];

impl Object {
    /// An object with nothing but a name.
    pub(crate) fn new(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Self {
        let mut json = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
        if let Some(namespace) = namespace {
            json["metadata"]["namespace"] = json!(namespace);
        }
        Self { json }
    }

    /// An object as JSON has it.
    pub(crate) fn from_json(json: Value) -> Self {
        Self { json }
    }

    /// Its kind.
    pub(crate) fn kind(&self) -> &str {
        self.json["kind"].as_str().unwrap()
    }

    /// Its namespace.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.json["metadata"]["namespace"].as_str()
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.json["metadata"]["name"].as_str().unwrap()
    }

    fn row(&self) -> (&'static str, &'static str, bool) {
        let row = KINDS.into_iter().find(|(kind, ..)| *kind == self.kind());
        row.unwrap_or_else(|| panic!("the tests make no {}", self.kind()))
    }

    /// Whether its status is written apart from it.
    pub(crate) fn has_status_subresource(&self) -> bool {
        self.row().2
    }

    /// Whether it defines a kind of object.
    pub(crate) fn is_definition(&self) -> bool {
        self.kind() == "CustomResourceDefinition"
    }

    /// Whether its kind is not built into the API server.
    pub(crate) fn is_custom(&self) -> bool {
        self.kind() == "ClusterOperator"
    }

    /// The path that it is posted to.
    pub(crate) fn collection(&self) -> String {
        let version = self.json["apiVersion"].as_str().unwrap();
        let root = if version.contains('/') { "apis" } else { "api" };
        let namespace = self
            .namespace()
            .map(|name| format!("/namespaces/{name}"))
            .unwrap_or_default();
        format!("/{root}/{version}{namespace}/{}", self.row().1)
    }

    /// Its own path.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.collection(), self.name())
    }

    /// The same with a label.
    #[must_use]
    pub(crate) fn label(mut self, key: &str, value: &str) -> Self {
        self.json["metadata"]["labels"][key] = json!(value);
        self
    }

    /// The same with an annotation.
    #[must_use]
    pub(crate) fn annotation(mut self, key: &str, value: &str) -> Self {
        self.json["metadata"]["annotations"][key] = json!(value);
        self
    }

    /// The same with the field at a JSON pointer set; a pointer that leads nowhere is a mistake of the test.
    #[must_use]
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let place = self
            .json
            .pointer_mut(parent)
            .unwrap_or_else(|| panic!("no {parent} in the object"));
        match place {
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
            place => place[key] = value,
        }
        self
    }
}

/// A Ready Linux node.
pub(crate) fn node(name: &str, kubelet: &str) -> Object {
    let mut node = Object::new("v1", "Node", None, name).label("kubernetes.io/hostname", name);
    node.json["spec"] = json!({});
    node.json["status"] = json!({
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        "addresses": [{"type": "Hostname", "address": name}],
        "nodeInfo": {
            "machineID": "", "systemUUID": "", "bootID": "", "architecture": "amd64",
            "kernelVersion": "6.12.0", "osImage": "Linux", "operatingSystem": "linux",
            "containerRuntimeVersion": "containerd://2.1.4",
            "kubeletVersion": kubelet,
            // Kubelets used to invent this one.
            "kubeProxyVersion": kubelet,
        },
    });
    node
}

impl Object {
    /// A node with the role of the control plane.
    #[must_use]
    pub(crate) fn control_plane(self) -> Self {
        self.label("node-role.kubernetes.io/control-plane", "")
    }

    /// A node of an EKS managed node group.
    #[must_use]
    pub(crate) fn eks_pool(self, name: &str) -> Self {
        self.label("eks.amazonaws.com/nodegroup", name)
    }

    /// A node of a GKE node pool.
    #[must_use]
    pub(crate) fn gke_pool(self, name: &str) -> Self {
        self.label("cloud.google.com/gke-nodepool", name)
    }

    /// A node that takes no new pods.
    #[must_use]
    pub(crate) fn cordoned(self) -> Self {
        self.with("/spec/unschedulable", json!(true))
    }

    /// A node with an image on it, under all its names.
    #[must_use]
    pub(crate) fn holding(mut self, names: &[&str]) -> Self {
        let images = &mut self.json["status"]["images"];
        if images.is_null() {
            *images = json!([]);
        }
        images
            .as_array_mut()
            .unwrap()
            .push(json!({"names": names, "sizeBytes": 1}));
        self
    }
}

/// A running pod of one container in kube-system.
pub(crate) fn pod(name: &str, node: &str, container: &str, image: &str) -> Object {
    let mut pod = Object::new("v1", "Pod", Some("kube-system"), name);
    pod.json["spec"] = json!({"nodeName": node, "containers": [{"name": container, "image": image}]});
    pod.json["status"] = json!({
        "phase": "Running",
        "containerStatuses": [{
            "name": container, "image": image, "imageID": format!("sha256:{:064x}", image.len()),
            "ready": true, "restartCount": 0, "started": true,
            "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, "lastState": {},
        }],
    });
    pod
}

impl Object {
    /// A pod in another namespace.
    #[must_use]
    pub(crate) fn namespaced(self, namespace: &str) -> Self {
        self.with("/metadata/namespace", json!(namespace))
    }

    /// A pod that a `DaemonSet` made.
    #[must_use]
    pub(crate) fn of_daemon_set(self, name: &str) -> Self {
        self.with(
            "/metadata/ownerReferences",
            json!([{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": name, "controller": true,
                    "uid": "00000000-0000-0000-0000-00000000d5e7"}]),
        )
    }

    /// A pod that a kubelet runs from a file.
    #[must_use]
    pub(crate) fn static_pod(self) -> Self {
        let node = self.json["spec"]["nodeName"].clone();
        self.with(
            "/metadata/ownerReferences",
            json!([{"apiVersion": "v1", "kind": "Node", "name": node, "controller": true,
                    "uid": "00000000-0000-0000-0000-000000000de5"}]),
        )
        .annotation("kubernetes.io/config.mirror", "0123456789abcdef0123456789abcdef")
        .annotation("kubernetes.io/config.source", "file")
    }

    /// A pod whose container starts with arguments.
    #[must_use]
    pub(crate) fn command(self, words: &[&str]) -> Self {
        self.with("/spec/containers/0/command", json!(words))
    }

    /// A pod that the kubelet put off its node; it keeps the node's name and its image.
    #[must_use]
    pub(crate) fn evicted(self) -> Self {
        self.with("/status", json!({"phase": "Failed", "reason": "Evicted"}))
    }

    /// A pod whose deletion has begun.
    #[must_use]
    pub(crate) fn terminating(self) -> Self {
        self.with("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"))
    }

    /// A pod that no node has taken.
    #[must_use]
    pub(crate) fn pending(mut self) -> Self {
        self.json["spec"].as_object_mut().unwrap().remove("nodeName");
        self.with("/status", json!({"phase": "Pending"}))
    }

    /// A pod whose image could never be pulled.
    #[must_use]
    pub(crate) fn never_pulled(self) -> Self {
        let (name, image) = (self.container("name"), self.container("image"));
        let waiting = json!({"waiting": {"reason": "ImagePullBackOff"}});
        self.with(
            "/status",
            json!({"phase": "Pending", "containerStatuses": [
                {"name": name, "image": image, "imageID": "", "ready": false, "restartCount": 0,
                 "state": waiting, "lastState": {}},
            ]}),
        )
    }

    fn container(&self, field: &str) -> Value {
        self.json["spec"]["containers"][0][field].clone()
    }
}

/// The kube-proxy of kubeadm's `DaemonSet` on a node.
pub(crate) fn kube_proxy(node: &str, version: &str) -> Object {
    let image = format!("registry.k8s.io/kube-proxy:{version}");
    kube_proxy_image(node, &image)
}

/// The same of another image.
pub(crate) fn kube_proxy_image(node: &str, image: &str) -> Object {
    pod(&format!("kube-proxy-{node}"), node, "kube-proxy", image)
        .label("k8s-app", "kube-proxy")
        .of_daemon_set("kube-proxy")
}

/// The kube-proxy of GKE: a static pod, an image with the architecture in its name.
pub(crate) fn gke_kube_proxy(node: &str, version: &str) -> Object {
    let image = format!("gke.gcr.io/kube-proxy-amd64:{version}");
    pod(&format!("kube-proxy-{node}"), node, "kube-proxy", &image)
        .label("component", "kube-proxy")
        .label("tier", "node")
        .static_pod()
}

/// A component of kubeadm's control plane on a node.
pub(crate) fn control_plane_pod(component: &str, node: &str, version: &str) -> Object {
    let image = format!("registry.k8s.io/{component}:{version}");
    pod(&format!("{component}-{node}"), node, component, &image)
        .label("component", component)
        .label("tier", "control-plane")
        .command(&[component, "--bind-address=127.0.0.1"])
        .static_pod()
}

/// kubeadm's control plane on a node: the three components of one version.
pub(crate) fn control_plane(node: &str, version: &str) -> Vec<Object> {
    ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]
        .map(|component| control_plane_pod(component, node, version))
        .to_vec()
}

/// The right to list a resource, bound to a user: in the whole cluster, or in one namespace.
pub(crate) fn grant(user: &str, namespace: Option<&str>, group: &str, resource: &str) -> [Object; 2] {
    let name = format!("{user}-{resource}");
    let kind = if namespace.is_some() {
        "Role"
    } else {
        "ClusterRole"
    };
    let mut role = Object::new(RBAC, kind, namespace, &name);
    role.json["rules"] = json!([{"apiGroups": [group], "resources": [resource], "verbs": ["list"]}]);
    let binding = bind(user, &role);
    [role, binding]
}

/// A role bound to a user, where the role is.
pub(crate) fn bind(user: &str, role: &Object) -> Object {
    let group = "rbac.authorization.k8s.io";
    let name = format!("{user}-{}", role.name());
    let mut binding = Object::new(RBAC, &format!("{}Binding", role.kind()), role.namespace(), &name);
    binding.json["roleRef"] = json!({"apiGroup": group, "kind": role.kind(), "name": role.name()});
    binding.json["subjects"] = json!([{"apiGroup": group, "kind": "User", "name": user}]);
    binding
}

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// What makes the API server know OpenShift's operators.
pub(crate) fn cluster_operator_definition() -> Object {
    let name = "clusteroperators.config.openshift.io";
    let mut definition = Object::new("apiextensions.k8s.io/v1", "CustomResourceDefinition", None, name);
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    definition.json["spec"] = json!({
        "group": "config.openshift.io",
        "scope": "Cluster",
        "names": {"kind": "ClusterOperator", "plural": "clusteroperators", "singular": "clusteroperator"},
        "versions": [{
            "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": open, "status": open}}},
        }],
    });
    definition
}

/// An operator of OpenShift's control plane, which tells the Kubernetes version that it has rolled out.
pub(crate) fn cluster_operator(component: &str, version: &str, progressing: bool) -> Object {
    let mut operator = Object::new("config.openshift.io/v1", "ClusterOperator", None, component);
    let progressing = if progressing { "True" } else { "False" };
    operator.json["spec"] = json!({});
    operator.json["status"] = json!({
        "versions": [{"name": "operator", "version": "4.24.3"}, {"name": component, "version": version}],
        "conditions": [{"type": "Progressing", "status": progressing}, {"type": "Available", "status": "True"}],
    });
    operator
}
