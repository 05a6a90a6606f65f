//! The planner's view of an inventory: nodes that stand alike are one class, kube-proxies that move together are
//! one unit. Nothing is decided here; the judgement of a class is in `breach`, its moves in `mover`.

use std::collections::{BTreeMap, HashMap};

use super::PlanOptions;
use crate::inventory::component::Component;
use crate::inventory::observed::Owner;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Instance, Inventory, KubeProxy, Node, ProxyUnit, Unread};
use crate::policy::apiservers::Apiservers;

/// What the planner plans for.
pub(super) struct Cluster {
    /// The effective apiserver minors of today.
    pub(super) today: Apiservers,
    /// The highest minCompatibility reported today.
    pub(super) min_compatibility: Option<Minor>,
    /// Each apiserver whose version is known.
    pub(super) apiservers: Vec<Apiserver>,
    /// Each judged manager, in the inventory's order.
    pub(super) managers: Vec<Manager>,
    /// The kube-proxy workloads, in order of their names.
    pub(super) units: Vec<Unit>,
    /// The nodes, and the kube-proxies without one, by what they run.
    pub(super) classes: Vec<Class>,
    /// Nodes that cannot be planned for, by index.
    pub(super) unplanned: Vec<usize>,
}

/// One apiserver: its binary and what it emulates.
#[derive(Clone, Copy)]
pub(super) struct Apiserver {
    pub(super) binary: Minor,
    pub(super) effective: Minor,
}

/// One judged controller-manager, scheduler or cloud-controller-manager.
#[derive(Clone)]
pub(super) struct Manager {
    pub(super) component: Component,
    pub(super) name: String,
    pub(super) minor: Minor,
}

/// A kube-proxy workload.
pub(super) struct Unit {
    /// Its name, as the step's note tells it.
    pub(super) name: String,
    /// The judged nodes on which its pods stand, by index, ascending.
    pub(super) nodes: Vec<usize>,
    /// Nodes that its pods name and that are not listed.
    pub(super) unlisted: Vec<String>,
}

/// Nodes that stand alike.
pub(super) struct Class {
    /// What they run.
    pub(super) runs: Runs,
    /// The nodes, by index, ascending.
    pub(super) nodes: Vec<usize>,
    /// Pods of kube-proxies without a listed node.
    pub(super) stray: Vec<String>,
}

impl Class {
    /// How many it stands for.
    pub(super) fn size(&self) -> u64 {
        u64::try_from(self.nodes.len() + self.stray.len()).unwrap_or(u64::MAX)
    }
}

/// What tells one class from another.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Runs {
    /// The kubelet; `None` for one that is unread and for a kube-proxy without a node.
    pub(super) kubelet: Option<Minor>,
    /// The read kube-proxies.
    pub(super) proxies: Vec<(Minor, MovedBy)>,
    /// Whether a step may roll it.
    pub(super) is_planned: bool,
    /// Whether the rollout names it.
    pub(super) in_rollout: bool,
}

/// What moves a kube-proxy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum MovedBy {
    /// A roll of its node.
    Node,
    /// An update of that unit.
    Unit(usize),
}

impl Cluster {
    /// The view of `inventory`; `None` where no apiserver's version is known.
    pub(super) fn of(inventory: &Inventory, options: &PlanOptions) -> Option<Self> {
        let apiservers: Vec<Apiserver> = inventory.instances.iter().filter_map(apiserver).collect();
        let today = Apiservers::span(apiservers.iter().map(|a| a.effective))?;
        let mut units = Units::of(inventory);
        let (classes, unplanned) = classes(inventory, options, &mut units);
        Some(Self {
            today,
            min_compatibility: inventory.min_compatibility,
            apiservers,
            managers: inventory.instances.iter().filter_map(manager).collect(),
            units: units.all,
            classes,
            unplanned,
        })
    }
}

fn apiserver(instance: &Instance) -> Option<Apiserver> {
    let effective = instance.effective()?;
    (instance.judged && instance.component == Component::KubeApiserver).then(|| Apiserver {
        binary: instance.version.as_ref().map_or(effective, Version::minor),
        effective,
    })
}

fn manager(instance: &Instance) -> Option<Manager> {
    (instance.judged && instance.component.is_manager()).then_some(Manager {
        component: instance.component,
        name: instance.name.clone(),
        minor: instance.effective()?,
    })
}

/// The workloads, found once by name.
struct Units<'a> {
    all: Vec<Unit>,
    by_owner: HashMap<&'a Owner, usize>,
    by_name: BTreeMap<String, usize>,
}

impl<'a> Units<'a> {
    fn of(inventory: &'a Inventory) -> Self {
        let on_nodes = inventory
            .nodes
            .iter()
            .filter(|node| node.is_judged())
            .flat_map(|node| &node.proxies);
        let mut by_owner = HashMap::new();
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for proxy in on_nodes.chain(&inventory.stray_proxies) {
            match &proxy.unit {
                ProxyUnit::Workload(owner) if by_owner.contains_key(owner) => {}
                ProxyUnit::Workload(owner) => {
                    by_owner.insert(owner, 0);
                    by_name.entry(owner_name(owner)).or_default();
                }
                ProxyUnit::Lone => {
                    by_name.entry(lone_name(proxy)).or_default();
                }
                ProxyUnit::Static => {}
            }
        }
        for (index, unit) in by_name.values_mut().enumerate() {
            *unit = index;
        }
        let units = by_name
            .keys()
            .map(|name| Unit {
                name: name.clone(),
                nodes: Vec::new(),
                unlisted: Vec::new(),
            })
            .collect();
        let by_owner = by_owner
            .into_keys()
            .map(|owner| {
                (
                    owner,
                    by_name.get(&owner_name(owner)).copied().unwrap_or_default(),
                )
            })
            .collect();
        Self {
            all: units,
            by_owner,
            by_name,
        }
    }

    fn moved_by(&self, proxy: &KubeProxy) -> MovedBy {
        let unit = match &proxy.unit {
            ProxyUnit::Static => None,
            ProxyUnit::Workload(owner) => self.by_owner.get(owner).copied(),
            ProxyUnit::Lone => self.by_name.get(&lone_name(proxy)).copied(),
        };
        unit.map_or(MovedBy::Node, MovedBy::Unit)
    }
}

fn owner_name(owner: &Owner) -> String {
    format!("{} {}", owner.kind, owner.name)
}

/// A pod that tells no owner (a trimmed dump) is taken to belong with those whose names begin alike.
fn lone_name(proxy: &KubeProxy) -> String {
    let pod = proxy.pod.as_str();
    let of_node = proxy
        .node
        .as_ref()
        .and_then(|node| pod.strip_suffix(node.as_str())?.strip_suffix('-'));
    let name = of_node.or_else(|| pod.rsplit_once('-').map(|(name, _)| name));
    format!("{} (owner unknown)", name.unwrap_or(pod))
}

fn classes<'a>(
    inventory: &'a Inventory,
    options: &PlanOptions,
    units: &mut Units<'a>,
) -> (Vec<Class>, Vec<usize>) {
    let mut classes: Vec<Class> = Vec::new();
    let mut known: HashMap<Runs, usize> = HashMap::new();
    let mut unplanned = Vec::new();
    let mut class_of = |runs: Runs, classes: &mut Vec<Class>| {
        *known.entry(runs).or_insert_with_key(|runs| {
            classes.push(Class {
                runs: runs.clone(),
                nodes: Vec::new(),
                stray: Vec::new(),
            });
            classes.len() - 1
        })
    };
    let rollout = options.rollout_names();
    for (index, node) in inventory.nodes.iter().enumerate().filter(|(_, n)| n.is_judged()) {
        let runs = runs(node, units, rollout.names(node));
        if !runs.is_planned {
            unplanned.push(index);
        }
        for proxy in &node.proxies {
            if let MovedBy::Unit(unit) = units.moved_by(proxy)
                && let Some(unit) = units.all.get_mut(unit)
                && unit.nodes.last() != Some(&index)
            {
                unit.nodes.push(index);
            }
        }
        let class = class_of(runs, &mut classes);
        classes[class].nodes.push(index);
    }
    for proxy in &inventory.stray_proxies {
        let moved_by = units.moved_by(proxy);
        if let (MovedBy::Unit(unit), Some(node)) = (moved_by, &proxy.node)
            && let Some(unit) = units.all.get_mut(unit)
        {
            unit.unlisted.push(node.clone());
        }
        let Some(minor) = read(proxy) else { continue };
        let runs = Runs {
            kubelet: None,
            proxies: vec![(minor, moved_by)],
            is_planned: false,
            in_rollout: false,
        };
        let class = class_of(runs, &mut classes);
        classes[class].stray.push(proxy.pod.clone());
    }
    (classes, unplanned)
}

fn runs(node: &Node, units: &Units<'_>, in_rollout: bool) -> Runs {
    let kubelet = node.kubelet.version.as_ref().map(Version::minor);
    let mut proxies: Vec<(Minor, MovedBy)> = node
        .proxies
        .iter()
        .filter_map(|proxy| Some((read(proxy)?, units.moved_by(proxy))))
        .collect();
    proxies.sort_unstable_by_key(|&(minor, moved_by)| (moved_by, minor));
    let is_unread = node
        .proxies
        .iter()
        .any(|proxy| read(proxy).is_none() && proxy.unread == Some(Unread::Required));
    Runs {
        kubelet,
        proxies,
        is_planned: kubelet.is_some() && !is_unread,
        in_rollout,
    }
}

fn read(proxy: &KubeProxy) -> Option<Minor> {
    proxy.version.as_ref().map(Version::minor)
}
