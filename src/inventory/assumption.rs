//! What if: an inventory in which something runs another minor than was seen, or nodes are left out of the
//! judgement. Both change the inventory and nothing else; the gaps that follow from it follow anew.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::cluster::Inventory;
use super::component::Component;
use super::gaps;
use super::instance::{self, Instance, InstanceSource};
use super::kube_proxy::{KubeProxy, ProxyUnit};
use super::node::Node;
use super::read_gap::Resource;
use super::selector::{NodeSelector, SelectorError};
use super::unread::WhyUnread;
use super::version::{Minor, Version, VersionError};

/// `--assume SELECTOR=MINOR`: what it names is judged as though it ran that minor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What is assumed to run it.
    pub selector: NodeSelector,
    /// The minor.
    pub minor: Minor,
}

/// Something that the report assumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// What `--assume` said before the `=`.
    pub selector: String,
    /// The minor.
    pub minor: Minor,
    /// The nodes that it matched, sorted by name.
    pub nodes: Vec<String>,
}

/// Nodes that the user took out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// What `--exclude` said.
    pub selector: String,
    /// The nodes that it matched, sorted by name.
    pub nodes: Vec<String>,
}

/// Why nothing can be assumed or excluded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssumeError {
    /// There is no `=`.
    #[error(
        "\"{}\" is no assumption; write SELECTOR=MINOR, for example pool/web=1.36 or kube-proxy=1.36",
        .0.escape_debug()
    )]
    Shape(String),
    /// The part before the last `=` is no selector.
    #[error(
        "the selector of \"{}\" cannot be read{}",
        .text.escape_debug(),
        if *.is_name { format!("; for a pool write pool/{}", .text.escape_debug()) } else { String::new() }
    )]
    Selector {
        /// The whole text.
        text: String,
        /// Whether it may be the name of a pool.
        is_name: bool,
        /// Why not.
        source: SelectorError,
    },
    /// The part after the last `=` is no minor.
    #[error("the minor of \"{}\" cannot be read; write one such as 1.36", .text.escape_debug())]
    Minor {
        /// The whole text.
        text: String,
        /// Why not.
        source: VersionError,
    },
    /// The selector matches nothing that was seen.
    #[error("{} matches nothing in this cluster; {}", .selector.escape_debug(), listed(.pools))]
    NoMatch {
        /// The selector.
        selector: String,
        /// The pools that there are, sorted.
        pools: Vec<String>,
    },
    /// The selector matches virtual nodes only, which run no kubelet of this cluster.
    #[error("{} matches virtual nodes only, and those are not judged", .0.escape_debug())]
    OnlyVirtual(String),
    /// A component cannot be excluded.
    #[error(
        "{0} is a component, and only nodes can be excluded; write node/NAME, pool/NAME or a KEY=VALUE label"
    )]
    NotNodes(Component),
}

impl FromStr for Assumption {
    type Err = AssumeError;

    fn from_str(text: &str) -> Result<Self, AssumeError> {
        let (selector, minor) = text
            .rsplit_once('=')
            .ok_or_else(|| AssumeError::Shape(text.to_owned()))?;
        let is_name = !selector.contains(['/', '=']) && !selector.is_empty();
        let selector = selector.parse().map_err(|source| AssumeError::Selector {
            text: text.to_owned(),
            is_name,
            source,
        })?;
        let version: Version = minor.parse().map_err(|source| AssumeError::Minor {
            text: text.to_owned(),
            source,
        })?;
        Ok(Self {
            selector,
            minor: version.minor(),
        })
    }
}

/// The inventory as it would be read if these held, in their order, and what each of them touched.
pub fn assume(
    mut inventory: Inventory,
    assumptions: &[Assumption],
) -> Result<(Inventory, Vec<Assumed>), AssumeError> {
    if assumptions.is_empty() {
        return Ok((inventory, Vec::new()));
    }
    drop_derived(&mut inventory);
    let mut assumed = Vec::new();
    for Assumption { selector, minor } in assumptions {
        let nodes = match selector {
            NodeSelector::Component(component) => assume_component(&mut inventory, *component, *minor),
            _ => assume_nodes(&mut inventory, selector, *minor)?,
        };
        let nodes = nodes.ok_or_else(|| no_match(&inventory, selector))?;
        assumed.push(Assumed {
            selector: selector.to_string(),
            minor: *minor,
            nodes: nodes.into_iter().collect(),
        });
    }
    instance::sort(&mut inventory.instances);
    inventory.instances.dedup();
    gaps::add_derived(&mut inventory);
    Ok((inventory, assumed))
}

/// The inventory with the nodes that these selectors match out of the judgement, and which each of them matched.
pub fn exclude(
    mut inventory: Inventory,
    selectors: &[NodeSelector],
) -> Result<(Inventory, Vec<Excluded>), AssumeError> {
    if selectors.is_empty() {
        return Ok((inventory, Vec::new()));
    }
    drop_derived(&mut inventory);
    let mut excluded = Vec::new();
    for selector in selectors {
        if let NodeSelector::Component(component) = selector {
            return Err(AssumeError::NotNodes(*component));
        }
        let nodes = change_nodes(&mut inventory, selector, |node| node.excluded = true)?;
        let nodes = nodes.ok_or_else(|| no_match(&inventory, selector))?;
        excluded.push(Excluded {
            selector: selector.to_string(),
            nodes: nodes.into_iter().collect(),
        });
    }
    gaps::add_derived(&mut inventory);
    Ok((inventory, excluded))
}

/// Takes away the gaps that follow from the inventory, so that they can follow anew.
fn drop_derived(inventory: &mut Inventory) {
    let derived = gaps::derive(inventory);
    inventory
        .gaps
        .retain(|gap| !derived.iter().any(|derived| derived.reason == gap.reason));
}

/// The names of the nodes touched; `None` where nothing matches.
type Touched = Option<BTreeSet<String>>;

/// Changes the nodes that a selector matches; virtual ones, which are not judged, never match.
fn change_nodes(
    inventory: &mut Inventory,
    selector: &NodeSelector,
    mut change: impl FnMut(&mut Node),
) -> Result<Touched, AssumeError> {
    let (mut touched, mut is_any) = (BTreeSet::new(), false);
    for node in inventory.nodes.iter_mut().filter(|node| selector.matches(node)) {
        is_any = true;
        if node.virtual_node.is_none() {
            change(node);
            touched.insert(node.name.clone());
        }
    }
    match (touched.is_empty(), is_any) {
        (false, _) => Ok(Some(touched)),
        (true, true) => Err(AssumeError::OnlyVirtual(selector.to_string())),
        (true, false) => Ok(None),
    }
}

fn no_match(inventory: &Inventory, selector: &NodeSelector) -> AssumeError {
    let pools: BTreeSet<&String> = inventory
        .nodes
        .iter()
        .filter_map(|node| node.pool.as_ref())
        .collect();
    AssumeError::NoMatch {
        selector: selector.to_string(),
        pools: pools.into_iter().cloned().collect(),
    }
}

/// The pools by name, and how many more there are than fit a message.
fn listed(pools: &[String]) -> String {
    const MOST: usize = 40;
    if pools.is_empty() {
        return "no node is in a pool".to_owned();
    }
    let names: Vec<String> = pools
        .iter()
        .take(MOST)
        .map(|pool| pool.escape_debug().to_string())
        .collect();
    let more = match pools.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("the pools are {}{more}", names.join(", "))
}

fn assume_nodes(
    inventory: &mut Inventory,
    selector: &NodeSelector,
    minor: Minor,
) -> Result<Touched, AssumeError> {
    let touched = change_nodes(inventory, selector, |node| {
        set_kubelet(node, minor);
        for proxy in &mut node.proxies {
            if proxy.unit == ProxyUnit::Static {
                set_proxy(proxy, minor);
            }
        }
    })?;
    let Some(touched) = touched else { return Ok(None) };
    let mut servers = BTreeSet::new();
    for instance in &mut inventory.instances {
        let is_inferred = instance.from == InstanceSource::ServerNode;
        if is_inferred && instance.node.as_ref().is_some_and(|node| touched.contains(node)) {
            set_instance(instance, minor);
            // It stays the server node's: its version is the kubelet's assumed minor.
            instance.from = InstanceSource::ServerNode;
            servers.extend(instance.node.clone());
        }
    }
    for node in &mut inventory.nodes {
        if let Some(binding) = node.binding.as_mut().filter(|_| servers.contains(&node.name)) {
            binding.apiserver = Some(minor);
        }
    }
    forget_read_proxies(inventory);
    Ok(Some(touched))
}

fn assume_component(inventory: &mut Inventory, component: Component, minor: Minor) -> Touched {
    let touched = match component {
        Component::Kubelet => {
            let nodes = inventory
                .nodes
                .iter_mut()
                .filter(|node| node.virtual_node.is_none());
            collect(nodes.map(|node| {
                set_kubelet(node, minor);
                Some(node.name.clone())
            }))
        }
        Component::KubeProxy => {
            let paired = inventory
                .nodes
                .iter_mut()
                .filter(|node| node.virtual_node.is_none())
                .flat_map(|node| &mut node.proxies);
            let touched = collect(paired.chain(&mut inventory.stray_proxies).map(|proxy| {
                set_proxy(proxy, minor);
                proxy.node.clone()
            }));
            forget_read_proxies(inventory);
            touched
        }
        Component::Kubectl => inventory.kubectl.is_some().then(|| {
            inventory.kubectl = Some(Version::of_minor(minor));
            BTreeSet::new()
        }),
        Component::KubeApiserver => Some(assume_apiservers(inventory, minor)),
        Component::KubeControllerManager | Component::KubeScheduler | Component::CloudControllerManager => {
            assume_instances(inventory, component, minor)
        }
    };
    if touched.is_some() {
        inventory.gaps.retain(|gap| gap.component() != Some(component));
    }
    touched
}

/// Every apiserver, and one where none is known: it always matches.
fn assume_apiservers(inventory: &mut Inventory, minor: Minor) -> BTreeSet<String> {
    let touched = assume_instances(inventory, Component::KubeApiserver, minor);
    let touched = touched.unwrap_or_else(|| {
        inventory.instances.push(Instance {
            component: Component::KubeApiserver,
            name: Component::KubeApiserver.name().to_owned(),
            node: None,
            version: Some(Version::of_minor(minor)),
            emulated: None,
            from: InstanceSource::Assumed,
            image: None,
            judged: true,
        });
        BTreeSet::new()
    });
    // What is assumed of all apiservers needs neither an answer nor a count.
    inventory
        .gaps
        .retain(|gap| !matches!(gap.skipped(), Some(Resource::Version | Resource::Leases)));
    inventory.min_compatibility = None;
    for binding in (inventory.nodes.iter_mut()).filter_map(|node| node.binding.as_mut()) {
        binding.apiserver = Some(minor);
    }
    touched
}

fn assume_instances(inventory: &mut Inventory, component: Component, minor: Minor) -> Touched {
    let instances = inventory
        .instances
        .iter_mut()
        .filter(|instance| instance.component == component);
    let touched = collect(instances.map(|instance| {
        // An answer goes by the version it gave, which is no longer so.
        if matches!(instance.from, InstanceSource::Version | InstanceSource::Given)
            && instance.image.is_none()
        {
            component.name().clone_into(&mut instance.name);
        }
        set_instance(instance, minor);
        instance.node.clone()
    }));
    if touched.is_some() {
        inventory.unread.retain(|pod| pod.component != component);
    }
    touched
}

/// The nodes among what was touched; `None` where nothing was.
fn collect(touched: impl Iterator<Item = Option<String>>) -> Touched {
    let mut touched = touched.peekable();
    touched.peek()?;
    Some(touched.flatten().collect())
}

fn set_kubelet(node: &mut Node, minor: Minor) {
    node.kubelet.raw = Some(minor.to_string());
    node.kubelet.version = Some(Version::of_minor(minor));
}

fn set_proxy(proxy: &mut KubeProxy, minor: Minor) {
    proxy.version = Some(Version::of_minor(minor));
    proxy.unread = None;
}

fn set_instance(instance: &mut Instance, minor: Minor) {
    instance.version = Some(Version::of_minor(minor));
    instance.emulated = None;
    instance.from = InstanceSource::Assumed;
    instance.judged = true;
}

/// Forgets that kube-proxies were unread whose version is now assumed. Ended ones stay: nothing runs there.
fn forget_read_proxies(inventory: &mut Inventory) {
    let read: BTreeSet<(&str, Option<&str>)> = inventory
        .nodes
        .iter()
        .flat_map(|node| &node.proxies)
        .chain(&inventory.stray_proxies)
        .filter(|proxy| proxy.unread.is_none())
        .map(|proxy| (proxy.pod.as_str(), proxy.node.as_deref()))
        .collect();
    inventory.unread.retain(|pod| {
        pod.component != Component::KubeProxy
            || pod.why == WhyUnread::Ended
            || !read.contains(&(pod.pod.as_str(), pod.node.as_deref()))
    });
}
