//! The labels that platforms put on the pods of components.

use super::component::Component;

/// A label that platforms put on a component's pods.
struct LabelRow {
    key: &'static str,
    value: &'static str,
    meaning: Meaning,
}

/// What a label means for the pod that carries it.
#[derive(Clone, Copy)]
enum Meaning {
    /// It runs that component, whatever its image.
    Runs(Component),
    /// It runs that component where its image names no other.
    MayRun(Component),
    /// The image alone decides; pods are found faster by the label.
    Nothing,
}

/// By these labels [`labelled`] decides, the first row that fits, and a large namespace is searched
/// ([`label_selectors`]).
const LABELS: [LabelRow; 17] = [
    runs("component", Component::KubeApiserver),
    runs("component", Component::KubeControllerManager),
    runs("component", Component::KubeScheduler),
    runs("component", Component::CloudControllerManager),
    runs("component", Component::KubeProxy),
    runs("k8s-app", Component::KubeApiserver),
    runs("k8s-app", Component::KubeControllerManager),
    runs("k8s-app", Component::KubeScheduler),
    runs("k8s-app", Component::CloudControllerManager),
    runs("k8s-app", Component::KubeProxy),
    // ACK's and sig-windows' kube-proxies.
    may_run_proxy("k8s-app", "kube-proxy-worker"),
    may_run_proxy("k8s-app", "kube-proxy-master"),
    may_run_proxy("k8s-app", "kube-proxy-windows"),
    // Gardener's kube-proxy, beside `app=kubernetes`.
    may_run_proxy("role", "proxy"),
    only_finds("k8s-app", "aws-cloud-controller-manager"),
    only_finds("k8s-app", "openstack-cloud-controller-manager"),
    only_finds("component", "controllermanager"),
];

const fn runs(key: &'static str, component: Component) -> LabelRow {
    LabelRow {
        key,
        value: component.name(),
        meaning: Meaning::Runs(component),
    }
}

const fn may_run_proxy(key: &'static str, value: &'static str) -> LabelRow {
    LabelRow {
        key,
        value,
        meaning: Meaning::MayRun(Component::KubeProxy),
    }
}

const fn only_finds(key: &'static str, value: &'static str) -> LabelRow {
    LabelRow {
        key,
        value,
        meaning: Meaning::Nothing,
    }
}

/// Label selectors, one a key, that together select every pod that a label shows to be a component's, and some that
/// only their image does.
#[cfg(feature = "live")]
pub(crate) fn label_selectors() -> Vec<String> {
    let mut keys: Vec<&str> = LABELS.iter().map(|row| row.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let values: Vec<_> = LABELS
                .iter()
                .filter(|row| row.key == key)
                .map(|row| row.value)
                .collect();
            format!("{key} in ({})", values.join(","))
        })
        .collect()
}

/// What a pod runs by its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) component: Component,
    /// It names the component itself, so that the image does not decide which one it is.
    pub(super) is_firm: bool,
}

/// What a pod runs by its labels; `label` gives the value of one.
pub(super) fn labelled<'a>(label: impl Fn(&str) -> Option<&'a str>) -> Option<Label> {
    // The role alone is anybody's.
    let is_others = |row: &LabelRow| row.key == "role" && label("app").is_some_and(|app| app != "kubernetes");
    let row = LABELS
        .iter()
        .find(|row| label(row.key) == Some(row.value) && !is_others(row))?;
    let (component, is_firm) = match row.meaning {
        Meaning::Runs(component) => (component, true),
        Meaning::MayRun(component) => (component, false),
        Meaning::Nothing => return None,
    };
    Some(Label { component, is_firm })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::component_pod::may_be_component;
    use crate::inventory::namespace::COMPONENT_NAMESPACE;

    #[test]
    fn a_pod_that_a_label_alone_makes_a_components_is_selected() {
        for row in &LABELS {
            let labels = [(row.key.to_owned(), row.value.to_owned())];
            let is_kept = may_be_component(
                Some(COMPONENT_NAMESPACE),
                "x",
                &labels,
                ["registry.example/x:v1"].into_iter(),
                None,
            );
            assert_eq!(
                is_kept,
                !matches!(row.meaning, Meaning::Nothing),
                "{}={}",
                row.key,
                row.value
            );
        }
    }

    #[cfg(feature = "live")]
    #[test]
    fn a_selector_names_every_value_of_its_key() {
        let selectors = label_selectors();
        assert_eq!(selectors.len(), 3, "{selectors:?}");
        assert_eq!(selectors[2], "role in (proxy)");
        for row in &LABELS {
            let selects = |selector: &&String| {
                selector.starts_with(&format!("{} in (", row.key)) && selector.contains(row.value)
            };
            assert_eq!(
                selectors.iter().filter(selects).count(),
                1,
                "{}={}",
                row.key,
                row.value
            );
        }
    }
}
