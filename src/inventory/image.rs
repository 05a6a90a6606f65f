//! Image references: which component an image runs, by its name, and which version its tag shows. Which
//! container of a pod is asked is [`component_pod`](super::component_pod)'s business.

use super::component::Component;
use super::version::{Minor, Version};

/// Architectures that image names end in.
const ARCHITECTURES: [&str; 5] = ["amd64", "arm", "arm64", "ppc64le", "s390x"];

/// Images that hold every component of Kubernetes: the label or the container's name shows what they run.
const SHARED: [&str; 2] = ["hyperkube", "hardened-kubernetes"];

/// The project whose scheduler images carry the minor of Kubernetes behind a major of 0:
/// <https://github.com/kubernetes-sigs/scheduler-plugins#compatibility-matrix>.
const SCHEDULER_PLUGINS: &str = "scheduler-plugins";

/// A cloud-controller-manager whose releases follow the minors of Kubernetes.
struct FollowingCloud {
    /// The end of the image's path.
    path: &'static str,
    /// The first minor of which that is so.
    from: Minor,
    /// The project's own page about it.
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "the source is beside its row for the reader; a test reads it"
        )
    )]
    source: &'static str,
}

/// Every other cloud-controller-manager counts by its own numbers (hcloud's 1.20 is no Kubernetes 1.20).
const FOLLOWING_CLOUDS: &[FollowingCloud] = &[
    FollowingCloud {
        path: "provider-aws/cloud-controller-manager",
        from: Minor::new(18),
        source: "https://kubernetes.github.io/cloud-provider-aws/",
    },
    FollowingCloud {
        path: "azure-cloud-controller-manager",
        from: Minor::new(23),
        source: "https://github.com/kubernetes-sigs/cloud-provider-azure#version-matrix",
    },
    FollowingCloud {
        path: "openstack-cloud-controller-manager",
        from: Minor::new(18),
        source: "https://github.com/kubernetes/cloud-provider-openstack/blob/master/docs/release-procedure.md",
    },
    FollowingCloud {
        path: "cloud-provider-vsphere",
        from: Minor::new(19),
        source: "https://github.com/kubernetes/cloud-provider-vsphere#compatibility-with-kubernetes",
    },
    FollowingCloud {
        path: "cloud-provider-vsphere/cpi/release/manager",
        from: Minor::new(19),
        source: "https://github.com/kubernetes/cloud-provider-vsphere#compatibility-with-kubernetes",
    },
    // The image of Kubernetes' own release, built until the in-tree providers went.
    FollowingCloud {
        path: "k8s.gcr.io/cloud-controller-manager",
        from: Minor::new(6),
        source: "https://github.com/kubernetes/kubernetes/tree/release-1.20/cmd/cloud-controller-manager",
    },
];

/// cloud-controller-managers whose images are not named so.
const CLOUD_NAMES: [&str; 3] = [
    "rke2-cloud-provider",
    "cloud-provider-vsphere",
    "cloud-provider-oci",
];

/// What an image runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runs {
    /// That component.
    One(Component),
    /// Any component of Kubernetes.
    Shared,
}

/// The parts of an image reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// Registry and path, without tag and digest.
    pub path: &'a str,
    /// The tag.
    pub tag: Option<&'a str>,
    /// The digest, `sha256:…`.
    pub digest: Option<&'a str>,
}

impl<'a> Reference<'a> {
    /// Takes a reference apart. Every text is one: what is not there is `None`.
    pub fn parse(text: &'a str) -> Self {
        let (name, digest) = match text.split_once('@') {
            Some((name, digest)) => (name, Some(digest)),
            None => (text, None),
        };
        // A registry may have a port: only a colon behind the last slash starts a tag.
        let base = name.rfind('/').map_or(0, |slash| slash + 1);
        let (path, tag) = match name[base..].rfind(':') {
            Some(colon) => (&name[..base + colon], Some(&name[base + colon + 1..])),
            None => (name, None),
        };
        Self {
            path,
            tag: tag.filter(|tag| !tag.is_empty()),
            digest: digest.filter(|digest| !digest.is_empty()),
        }
    }

    /// The last part of the path.
    pub fn name(&self) -> &'a str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// What the image runs, where its name shows it.
    pub fn runs(&self) -> Option<Runs> {
        let name = without_architecture(self.name());
        if SHARED.contains(&name) {
            return Some(Runs::Shared);
        }
        let component = name.strip_prefix("hardened-").unwrap_or(name);
        if let Some(component) = Component::PODS
            .into_iter()
            .find(|known| known.name() == component)
        {
            return Some(Runs::One(component));
        }
        let is_cloud =
            name.ends_with("-cloud-controller-manager") || CLOUD_NAMES.contains(&name) || follows(self.path);
        is_cloud.then_some(Runs::One(Component::CloudControllerManager))
    }

    /// Whether the image may run `component`.
    pub fn may_run(&self, component: Component) -> bool {
        match self.runs() {
            Some(Runs::One(one)) => one == component,
            Some(Runs::Shared) => true,
            None => false,
        }
    }

    /// Whether the tag of an image that runs `component` is a version of Kubernetes at all: a
    /// cloud-controller-manager's is only where its project follows Kubernetes.
    pub fn is_numbered_as_kubernetes(&self, component: Component) -> bool {
        if component != Component::CloudControllerManager || self.runs() == Some(Runs::Shared) {
            return true;
        }
        let Some(row) = following(self.path) else {
            return false;
        };
        // Where the tag is unread the project's numbering is still known: a gap, not another numbering.
        self.plain_version()
            .is_none_or(|version| version.minor() >= row.from)
    }

    /// The version of Kubernetes that the tag shows.
    pub fn version(&self) -> Option<Version> {
        let is_of_plugins = self.runs() == Some(Runs::One(Component::KubeScheduler))
            && self.path.split('/').any(|part| part == SCHEDULER_PLUGINS);
        if is_of_plugins {
            self.scheduler_plugins_version()
        } else {
            self.plain_version()
        }
    }

    fn plain_version(&self) -> Option<Version> {
        // A tag cannot hold a plus; `_` is written for it.
        self.tag?.replace('_', "+").parse().ok()
    }

    /// Behind a major of 0; a major of 1 would count that project's own releases, not Kubernetes'.
    fn scheduler_plugins_version(&self) -> Option<Version> {
        let tag = self.tag?;
        let rest = tag.strip_prefix('v').unwrap_or(tag).strip_prefix("0.")?;
        let version: Version = format!("1.{rest}").parse().ok()?;
        // A patch of hundreds counts the project's own releases: 0.18.800 goes with 1.18.0.
        let patch = if version.release().patch >= 100 {
            0
        } else {
            version.release().patch
        };
        Some(version.shown_as(tag, patch))
    }
}

impl Reference<'_> {
    /// The part of the path that shows what the image runs and whose numbering its tag follows, in names that are
    /// everybody's: nothing of it can be somebody's own.
    pub fn known_path(&self) -> Option<String> {
        self.runs()?;
        if let Some(row) = following(self.path) {
            return Some(row.path.to_owned());
        }
        let name = self.name();
        let bare = without_architecture(name);
        let component = bare.strip_prefix("hardened-").unwrap_or(bare);
        let is_known = Component::PODS.iter().any(|known| known.name() == component)
            || SHARED.contains(&bare)
            || CLOUD_NAMES.contains(&bare);
        let name = if is_known {
            name
        } else {
            "other-cloud-controller-manager"
        };
        let of_plugins = self.path.split('/').any(|part| part == SCHEDULER_PLUGINS);
        Some(if of_plugins {
            format!("{SCHEDULER_PLUGINS}/{name}")
        } else {
            name.to_owned()
        })
    }
}

/// Whether an image of that reference names a component: what of a node's images is worth keeping.
pub fn names_component(reference: &str) -> bool {
    Reference::parse(reference).runs().is_some()
}

fn without_architecture(name: &str) -> &str {
    ARCHITECTURES
        .iter()
        .find_map(|architecture| name.strip_suffix(architecture)?.strip_suffix('-'))
        .unwrap_or(name)
}

fn follows(path: &str) -> bool {
    following(path).is_some()
}

fn following(path: &str) -> Option<&'static FollowingCloud> {
    let path = without_architecture(path);
    FOLLOWING_CLOUDS.iter().find(|row| {
        path.strip_suffix(row.path)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (&str, Option<&str>, Option<&str>) {
        let reference = Reference::parse(text);
        (reference.path, reference.tag, reference.digest)
    }

    #[test]
    fn a_reference_falls_apart_at_its_last_slash() {
        assert_eq!(
            parts("registry.k8s.io/kube-proxy:v1.33.0"),
            ("registry.k8s.io/kube-proxy", Some("v1.33.0"), None)
        );
        assert_eq!(
            parts("registry.example:5000/oecp/kube-proxy:v1.20.4-aliyun.1"),
            (
                "registry.example:5000/oecp/kube-proxy",
                Some("v1.20.4-aliyun.1"),
                None
            )
        );
        assert_eq!(
            parts("localhost:5000/kube-proxy"),
            ("localhost:5000/kube-proxy", None, None)
        );
        assert_eq!(
            parts("iad.ocir.io/x/oke-public-kube-proxy@sha256:1755"),
            ("iad.ocir.io/x/oke-public-kube-proxy", None, Some("sha256:1755"))
        );
        assert_eq!(
            parts("registry.k8s.io/kube-proxy:v1.33.0@sha256:ab"),
            ("registry.k8s.io/kube-proxy", Some("v1.33.0"), Some("sha256:ab"))
        );
        assert_eq!(parts("kube-proxy:"), ("kube-proxy", None, None));
        assert_eq!(parts(""), ("", None, None));
        assert_eq!(parts("@"), ("", None, None));
        assert_eq!(parts("é:ü/:"), ("é:ü/", None, None));
    }

    #[test]
    fn an_image_runs_the_component_it_is_named_after() {
        use Component::{CloudControllerManager, KubeApiserver, KubeProxy, KubeScheduler};
        for (image, want) in [
            ("registry.k8s.io/kube-proxy:v1.35.0", Some(Runs::One(KubeProxy))),
            (
                "gke.gcr.io/kube-proxy-amd64:v1.30.5-gke.1",
                Some(Runs::One(KubeProxy)),
            ),
            ("kube-proxy-s390x:v1.30.5", Some(Runs::One(KubeProxy))),
            ("rancher/hardened-kube-proxy:v1.21.2", Some(Runs::One(KubeProxy))),
            (
                "sigwindowstools/kube-proxy:v1.24.2-flannel-hostprocess",
                Some(Runs::One(KubeProxy)),
            ),
            (
                "registry.k8s.io/kube-apiserver-arm64:v1.35.0",
                Some(Runs::One(KubeApiserver)),
            ),
            (
                "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.31.8",
                Some(Runs::One(KubeScheduler)),
            ),
            ("rancher/hardened-kubernetes:v1.21.3-rke2r1", Some(Runs::Shared)),
            ("quay.io/coreos/hyperkube:v1.7.6_coreos.0", Some(Runs::Shared)),
            ("k8s.gcr.io/hyperkube-amd64:v1.15.1", Some(Runs::Shared)),
            ("registry.k8s.io/kops/kube-apiserver-healthcheck:1.30.0", None),
            ("iad.ocir.io/x/oke-public-kube-proxy@sha256:1755", None),
            ("gcr.io/p/my-kube-scheduler:1.0", None),
            ("docker.io/kubelet:v1.30.0", None),
            ("registry.k8s.io/kubectl:v1.30.0", None),
            ("kube-proxy-riscv:v1.30.0", None),
            ("", None),
            (
                "rancher/rke2-cloud-provider:v1.29.3-build2",
                Some(Runs::One(CloudControllerManager)),
            ),
            (
                "hetznercloud/hcloud-cloud-controller-manager:v1.20.0",
                Some(Runs::One(CloudControllerManager)),
            ),
        ] {
            assert_eq!(Reference::parse(image).runs(), want, "{image}");
        }
    }

    #[test]
    fn a_tag_tells_the_version_behind_every_vendors_suffix() {
        for (image, minor, raw) in [
            (
                "x/eks/kube-proxy:v1.33.3-minimal-eksbuild.6",
                33,
                "v1.33.3-minimal-eksbuild.6",
            ),
            ("x/kube-proxy:v1.24.10.3", 24, "v1.24.10.3"),
            ("x/kube-proxy:v1.28.103-akslts", 28, "v1.28.103-akslts"),
            (
                "localhost:5000/vmware.io/kube-proxy:v1.21.6_vmware.1",
                21,
                "v1.21.6+vmware.1",
            ),
            ("x/hyperkube:v1.7.6_coreos.0", 7, "v1.7.6+coreos.0"),
            ("x/kube-proxy:1.32", 32, "1.32"),
        ] {
            let version = Reference::parse(image).version().unwrap();
            assert_eq!(version.minor(), Minor::new(minor), "{image}");
            assert_eq!(version.raw(), raw);
        }
        for image in [
            "x/kube-proxy:latest",
            "x/kube-proxy",
            "x/kube-proxy@sha256:ab",
            "x/kube-proxy:v0.31.8",
        ] {
            assert_eq!(Reference::parse(image).version(), None, "{image}");
        }
    }

    #[test]
    fn scheduler_plugins_write_the_minor_behind_a_zero() {
        let version = |image: &str| Reference::parse(image).version();
        let plugins = version("registry.k8s.io/scheduler-plugins/kube-scheduler:v0.31.8").unwrap();
        assert_eq!((plugins.minor(), plugins.release().patch), (Minor::new(31), 8));
        assert_eq!(plugins.raw(), "v0.31.8");
        let old = version("k8s.gcr.io/scheduler-plugins/kube-scheduler:v0.18.800").unwrap();
        assert_eq!((old.minor(), old.release().patch), (Minor::new(18), 0));
        let mirrored = version("mirror.example:5000/x/scheduler-plugins/amd64/kube-scheduler:v0.31.8");
        assert_eq!(mirrored.unwrap().minor(), Minor::new(31));
        for own in ["v1.35.0", "1.35", "v1.31.8-build1"] {
            let image = format!("registry.k8s.io/scheduler-plugins/kube-scheduler:{own}");
            assert_eq!(version(&image), None, "{own}");
        }
        let other = version("registry.example/my-scheduler-plugins/kube-scheduler:v1.31.8");
        assert_eq!(other.unwrap().minor(), Minor::new(31));
        assert_eq!(version("registry.example/kube-scheduler:v0.31.8"), None);
        assert_eq!(version("scheduler-plugins/kube-proxy:v0.31.8"), None);
        assert!(version("scheduler-plugins/kube-proxy:v1.31.8").is_some());
        assert_eq!(version("scheduler-plugins/kube-scheduler:latest"), None);
    }

    #[test]
    fn only_clouds_that_follow_kubernetes_are_numbered_as_kubernetes() {
        let follows = |image: &str| {
            Reference::parse(image).is_numbered_as_kubernetes(Component::CloudControllerManager)
        };
        for image in [
            "registry.k8s.io/provider-aws/cloud-controller-manager:v1.31.0",
            "mirror.example:5000/k8s/provider-aws/cloud-controller-manager:latest",
            "mcr.microsoft.com/oss/kubernetes/azure-cloud-controller-manager:v1.30.4",
            "registry.k8s.io/provider-os/openstack-cloud-controller-manager:v1.31.1",
            "registry.k8s.io/cloud-pv-vsphere/cloud-provider-vsphere:v1.31.0",
            "k8s.gcr.io/cloud-controller-manager-amd64:v1.15.0",
        ] {
            assert!(follows(image), "{image}");
        }
        for image in [
            "hetznercloud/hcloud-cloud-controller-manager:v1.20.0",
            "mcr.microsoft.com/oss/kubernetes/azure-cloud-controller-manager:v1.1.14",
            "rancher/rke2-cloud-provider:v1.29.3-build20240515",
            "acs/cloud-controller-manager-amd64:v2.9.1",
            "xprovider-aws/cloud-controller-manager:v1.31.0",
        ] {
            assert!(!follows(image), "{image}");
        }
        for row in FOLLOWING_CLOUDS {
            assert!(row.source.starts_with("https://"), "{}", row.path);
            assert!(names_component(row.path), "{}", row.path);
        }
    }
}
