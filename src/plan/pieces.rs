//! The planner's view of an inventory: what moves in one piece. A *piece* is a set of nodes that are rolled alike:
//! all that run the same, or a whole pool. A *unit* is a kube-proxy workload, whose pods move all at once. Nothing is
//! decided here.

use std::collections::{BTreeMap, HashMap};

use super::options::{PlanOptions, Settings};
use crate::inventory::binding::BindingKind;
use crate::inventory::component::Component;
use crate::inventory::observed::Owner;
use crate::inventory::version::{Minor, Version};
use crate::inventory::{Instance, Inventory, KubeProxy, Node, ProxyUnit, Unread};
use crate::policy::apiservers::Apiservers;

/// Where a piece or a unit is: `None` as today, else all of it at one minor.
pub(super) type Place = Option<Minor>;

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
    /// The nodes, the kube-proxies without one and the kube-proxy workloads, apart where nothing connects them.
    pub(super) parts: Vec<Part>,
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

/// Pieces and units that have to do with each other, and with nothing outside.
#[derive(Default)]
pub(super) struct Part {
    /// Its pieces.
    pub(super) pieces: Vec<Piece>,
    /// Its units, in order of their names.
    pub(super) units: Vec<Unit>,
}

/// A kube-proxy workload.
pub(super) struct Unit {
    /// Its kind and name: `DaemonSet kube-proxy`.
    pub(super) name: String,
    /// The judged nodes on which its pods are, by index, ascending.
    pub(super) nodes: Vec<usize>,
    /// Nodes that its pods name and that are not listed.
    pub(super) unlisted: Vec<String>,
    /// Excluded nodes on which it has pods.
    pub(super) excluded: Vec<String>,
    /// The oldest and the newest of its pods; `None` where none was read.
    pub(super) span: Option<(Minor, Minor)>,
    /// Whether the platform moves it at the end of each hop.
    pub(super) follows: bool,
}

impl Unit {
    /// Where it is today.
    pub(super) fn start(&self) -> Place {
        self.span.and_then(|(low, high)| (low == high).then_some(low))
    }

    /// The oldest and the newest of its pods at `place`.
    pub(super) fn span_at(&self, place: Place) -> Option<(Minor, Minor)> {
        let (low, high) = self.span?;
        Some((place.unwrap_or(low), place.unwrap_or(high)))
    }
}

/// Nodes that are rolled alike, and kube-proxies without a node.
#[derive(Clone)]
pub(super) struct Piece {
    /// Those of it that run the same: one, or several of a whole pool.
    pub(super) members: Vec<Member>,
    /// The units of its part that have pods on it, ascending.
    pub(super) units: Vec<usize>,
    /// Whether a step may roll it.
    pub(super) is_planned: bool,
    /// What moves it beside a roll.
    pub(super) follows: Follows,
}

/// What moves nodes in a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Follows {
    /// Nothing.
    Nothing,
    /// Their own apiserver, which is at this minor today, while they run the minor of it.
    Apiserver(Minor),
    /// The platform, at the end of each hop.
    Platform,
}

/// Nodes that run the same.
#[derive(Clone)]
pub(super) struct Member {
    /// What they run.
    pub(super) runs: Runs,
    /// The nodes, by index, ascending.
    pub(super) nodes: Vec<usize>,
    /// Pods of kube-proxies without a listed node.
    pub(super) stray: Vec<String>,
}

impl Member {
    /// How many it stands for.
    pub(super) fn size(&self) -> u64 {
        u64::try_from(self.nodes.len() + self.stray.len()).unwrap_or(u64::MAX)
    }
}

/// What tells one member from another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Runs {
    /// The kubelet; `None` for one that is unread and for a kube-proxy without a node.
    pub(super) kubelet: Option<Minor>,
    /// The read static kube-proxies, ascending.
    pub(super) statics: Vec<Minor>,
    /// The read kube-proxies of workloads: the unit of the part, and the minor; ascending.
    pub(super) pods: Vec<(usize, Minor)>,
    /// Whether the rollout names it.
    pub(super) in_rollout: bool,
    /// Whether a step may roll it.
    pub(super) is_planned: bool,
    /// What moves it beside a roll.
    pub(super) follows: Follows,
    /// Whether an unread static kube-proxy keeps it from being known to run the minor of its apiserver.
    pub(super) is_unsure: bool,
    /// The pool with which it is rolled.
    pub(super) pool: Option<String>,
}

impl Piece {
    /// Where it is today: at one minor where all of it that a roll moves is.
    pub(super) fn start(&self) -> Place {
        let [member] = &self.members[..] else {
            return None;
        };
        let kubelet = member.runs.kubelet?;
        let is_there = member.runs.statics.iter().all(|&minor| minor == kubelet);
        (is_there && !member.runs.is_unsure).then_some(kubelet)
    }

    /// How many nodes and pods it stands for.
    pub(super) fn size(&self) -> u64 {
        self.members.iter().map(Member::size).sum()
    }
}

impl Cluster {
    /// The view of `inventory`; `None` where no apiserver's version is known.
    pub(super) fn of(inventory: &Inventory, options: &PlanOptions, settings: Settings) -> Option<Self> {
        let apiservers: Vec<Apiserver> = inventory.instances.iter().filter_map(apiserver).collect();
        let today = Apiservers::span(apiservers.iter().map(|a| a.effective))?;
        let mut units = Units::of(inventory);
        let mut members = Members::default();
        let mut unplanned = Vec::new();
        let rollout = options.rollout_names();
        let platform = inventory.platform.as_ref().map(|found| found.platform.upgrade());
        let moves_nodes = platform.is_some_and(|upgrade| upgrade.moves_nodes);
        for (index, node) in inventory.nodes.iter().enumerate().filter(|(_, n)| n.is_judged()) {
            let mut runs = runs(node, &units, moves_nodes);
            runs.in_rollout = rollout.names(node);
            if runs.is_planned && runs.follows == Follows::Nothing && settings.whole_pools.holds(node) {
                runs.pool.clone_from(&node.pool);
            }
            if !runs.is_planned {
                unplanned.push(index);
            }
            units.meet(node, index);
            members.of(runs).nodes.push(index);
        }
        for proxy in &inventory.stray_proxies {
            let unit = units.unit_of(proxy);
            if let (Some(unit), Some(node)) = (unit, &proxy.node) {
                units.all[unit].unlisted.push(node.clone());
            }
            let Some(minor) = read(proxy) else { continue };
            let runs = Runs {
                statics: unit.is_none().then_some(minor).into_iter().collect(),
                pods: unit.map(|unit| (unit, minor)).into_iter().collect(),
                ..Runs::nothing()
            };
            members.of(runs).stray.push(proxy.pod.clone());
        }
        let pieces = pieces(members.all);
        let mut units = units.all;
        for (unit, minor) in pieces
            .iter()
            .flat_map(|piece| &piece.members)
            .flat_map(|m| &m.runs.pods)
        {
            let (low, high) = units[*unit].span.unwrap_or((*minor, *minor));
            units[*unit].span = Some((low.min(*minor), high.max(*minor)));
        }
        for unit in &mut units {
            // One that lags today is a unit like any.
            unit.follows &= unit.start() == Some(today.lo);
        }
        let parts = parts(pieces, units);
        Some(Self {
            today,
            min_compatibility: inventory.min_compatibility,
            apiservers,
            managers: inventory.instances.iter().filter_map(manager).collect(),
            parts,
            unplanned,
        })
    }
}

/// Members are pieces by themselves, but for those of one pool.
fn pieces(members: Vec<Member>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut of_pool: HashMap<String, usize> = HashMap::new();
    for member in members {
        let known = member.runs.pool.as_ref().and_then(|pool| of_pool.get(pool));
        let units = member.runs.pods.iter().map(|(unit, _)| *unit);
        if let Some(&known) = known {
            pieces[known].units.extend(units);
            pieces[known].members.push(member);
        } else {
            if let Some(pool) = &member.runs.pool {
                of_pool.insert(pool.clone(), pieces.len());
            }
            pieces.push(Piece {
                units: units.collect(),
                is_planned: member.runs.is_planned,
                follows: member.runs.follows,
                members: vec![member],
            });
        }
    }
    for piece in &mut pieces {
        piece.units.sort_unstable();
        piece.units.dedup();
    }
    pieces
}

/// Pieces and units apart where nothing connects them.
fn parts(pieces: Vec<Piece>, units: Vec<Unit>) -> Vec<Part> {
    let mut parent: Vec<usize> = (0..units.len()).collect();
    let root = |parent: &[usize], mut unit: usize| {
        while parent[unit] != unit {
            unit = parent[unit];
        }
        unit
    };
    for piece in &pieces {
        let mut own = piece
            .units
            .iter()
            .map(|&unit| root(&parent, unit))
            .collect::<Vec<_>>();
        own.sort_unstable();
        if let Some((&first, rest)) = own.split_first() {
            for &other in rest {
                parent[other] = first;
            }
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of: Vec<Option<usize>> = vec![None; units.len()];
    let mut place_of = Vec::new();
    for (index, unit) in units.into_iter().enumerate() {
        let part = *part_of[root(&parent, index)].get_or_insert_with(|| {
            parts.push(Part::default());
            parts.len() - 1
        });
        part_of[index] = Some(part);
        place_of.push(parts[part].units.len());
        parts[part].units.push(unit);
    }
    for mut piece in pieces {
        let part = piece.units.first().and_then(|&unit| part_of[unit]);
        for unit in &mut piece.units {
            *unit = place_of[*unit];
        }
        for (unit, _) in piece.members.iter_mut().flat_map(|member| &mut member.runs.pods) {
            *unit = place_of[*unit];
        }
        match part {
            Some(part) => parts[part].pieces.push(piece),
            None => parts.push(Part {
                pieces: vec![piece],
                units: Vec::new(),
            }),
        }
    }
    for part in &mut parts {
        // Parts that are alike have their pieces in one order.
        part.pieces.sort_by(|one, other| {
            let runs = |piece: &Piece| {
                piece
                    .members
                    .iter()
                    .map(|member| member.runs.clone())
                    .collect::<Vec<_>>()
            };
            runs(one).cmp(&runs(other))
        });
    }
    parts
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

/// The members, found once by what they run.
#[derive(Default)]
struct Members {
    all: Vec<Member>,
    known: HashMap<Runs, usize>,
}

impl Members {
    fn of(&mut self, runs: Runs) -> &mut Member {
        let all = &mut self.all;
        let index = *self.known.entry(runs).or_insert_with_key(|runs| {
            all.push(Member {
                runs: runs.clone(),
                nodes: Vec::new(),
                stray: Vec::new(),
            });
            all.len() - 1
        });
        &mut all[index]
    }
}

/// The workloads, found once by name.
struct Units<'a> {
    all: Vec<Unit>,
    by_owner: HashMap<&'a Owner, usize>,
    by_name: BTreeMap<String, usize>,
}

impl<'a> Units<'a> {
    fn of(inventory: &'a Inventory) -> Self {
        let judged = inventory.nodes.iter().filter(|node| node.is_judged());
        let proxies = judged
            .flat_map(|node| &node.proxies)
            .chain(&inventory.stray_proxies);
        let upgrade = inventory.platform.as_ref().map(|found| found.platform.upgrade());
        let moved = upgrade.map_or(&[][..], |upgrade| upgrade.kube_proxies);
        let mut owners: HashMap<&Owner, String> = HashMap::new();
        let mut by_name: BTreeMap<String, bool> = BTreeMap::new();
        for proxy in proxies {
            match &proxy.unit {
                ProxyUnit::Workload(owner) if owners.contains_key(owner) => {}
                ProxyUnit::Workload(owner) => {
                    let name = format!("{} {}", owner.kind, owner.name);
                    owners.insert(owner, name.clone());
                    let is_moved = owner.kind == "DaemonSet" && moved.contains(&owner.name.as_str());
                    by_name.insert(name, is_moved);
                }
                ProxyUnit::Lone => {
                    by_name.entry(lone_name(proxy)).or_default();
                }
                ProxyUnit::Static => {}
            }
        }
        let all = by_name.iter().map(|(name, follows)| Unit {
            name: name.clone(),
            nodes: Vec::new(),
            unlisted: Vec::new(),
            excluded: Vec::new(),
            span: None,
            follows: *follows,
        });
        let mut units = Self {
            all: all.collect(),
            by_owner: HashMap::new(),
            by_name: (0..)
                .zip(by_name.into_keys())
                .map(|(unit, name)| (name, unit))
                .collect(),
        };
        let place = |name: &String| units.by_name.get(name).copied();
        units.by_owner = (owners.into_iter())
            .filter_map(|(owner, name)| Some((owner, place(&name)?)))
            .collect();
        for node in inventory.nodes.iter().filter(|node| node.excluded) {
            for proxy in &node.proxies {
                let unit = units.unit_of(proxy).and_then(|unit| units.all.get_mut(unit));
                if let Some(unit) = unit.filter(|unit| unit.excluded.last() != Some(&node.name)) {
                    unit.excluded.push(node.name.clone());
                }
            }
        }
        units
    }

    fn unit_of(&self, proxy: &KubeProxy) -> Option<usize> {
        match &proxy.unit {
            ProxyUnit::Static => None,
            ProxyUnit::Workload(owner) => self.by_owner.get(owner).copied(),
            ProxyUnit::Lone => self.by_name.get(&lone_name(proxy)).copied(),
        }
    }

    /// Notes that pods of units are on `node`.
    fn meet(&mut self, node: &Node, index: usize) {
        for proxy in &node.proxies {
            if let Some(unit) = self.unit_of(proxy)
                && let Some(unit) = self.all.get_mut(unit)
                && unit.nodes.last() != Some(&index)
            {
                unit.nodes.push(index);
            }
        }
    }
}

/// A pod without an owner (a trimmed dump) is taken to belong with those whose names begin alike.
fn lone_name(proxy: &KubeProxy) -> String {
    let pod = proxy.pod.as_str();
    let of_node = proxy
        .node
        .as_ref()
        .and_then(|node| pod.strip_suffix(node.as_str())?.strip_suffix('-'));
    let name = of_node.or_else(|| pod.rsplit_once('-').map(|(name, _)| name));
    format!("{} (owner unknown)", name.unwrap_or(pod))
}

impl Runs {
    pub(super) fn nothing() -> Self {
        Self {
            kubelet: None,
            statics: Vec::new(),
            pods: Vec::new(),
            in_rollout: false,
            is_planned: false,
            follows: Follows::Nothing,
            is_unsure: false,
            pool: None,
        }
    }
}

fn runs(node: &Node, units: &Units<'_>, moves_nodes: bool) -> Runs {
    let kubelet = node.kubelet.version.as_ref().map(Version::minor);
    let mut statics = Vec::new();
    let mut pods = Vec::new();
    for proxy in &node.proxies {
        match (read(proxy), units.unit_of(proxy)) {
            (Some(minor), Some(unit)) => pods.push((unit, minor)),
            (Some(minor), None) => statics.push(minor),
            (None, _) => {}
        }
    }
    statics.sort_unstable();
    statics.dedup();
    pods.sort_unstable();
    pods.dedup();
    let is_unread = |proxy: &KubeProxy| read(proxy).is_none() && proxy.unread == Some(Unread::Required);
    let own_apiserver = node.binding.and_then(|binding| binding.apiserver);
    let is_unread_static = |proxy: &KubeProxy| proxy.unit == ProxyUnit::Static && read(proxy).is_none();
    Runs {
        kubelet,
        statics,
        pods,
        is_planned: kubelet.is_some() && !node.proxies.iter().any(is_unread),
        follows: match own_apiserver {
            _ if kubelet.is_none() => Follows::Nothing,
            Some(minor) => Follows::Apiserver(minor),
            None if moves_nodes => Follows::Platform,
            None => Follows::Nothing,
        },
        is_unsure: own_apiserver.is_some() && node.proxies.iter().any(is_unread_static),
        ..Runs::nothing()
    }
}

fn read(proxy: &KubeProxy) -> Option<Minor> {
    proxy.version.as_ref().map(Version::minor)
}

/// Whether a hop may bring this node's kubelet to an apiserver older than itself: a machine of Cluster API, below 1.33.
pub(super) fn may_meet_older_apiserver(node: &Node, to: Minor) -> bool {
    let is_machine =
        |binding: crate::inventory::binding::Binding| binding.kind == BindingKind::ClusterApiMachine;
    node.binding.is_some_and(is_machine) && to < Minor::new(33)
}
