//! The findings, what was not assessed, and what the user assumed or took out, as the output holds them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Text, ToText, output, text};
use crate::inventory::component::Component;
use crate::inventory::gap::{Gap, Grant};
use crate::render::sentences;
use crate::report::{self, FindingRow};

output! {
    /// Something that the policy has to say.
    #[schemars(rename = "Finding")]
    struct FindingOut {
        /// Its stable key.
        key: Text,
        /// `blocker`, `warning` or `info`.
        #[schemars(extend("enum" = ["blocker", "warning", "info"]))]
        severity: &'static str,
        /// One line.
        title: Text,
        /// What was seen, and the limit it breaks.
        detail: Text,
        /// The component it speaks of.
        component: Option<&'static str>,
        /// Every node concerned.
        nodes: Vec<Text>,
        /// The pools of those nodes.
        pools: Vec<Text>,
        /// Every version concerned.
        versions: Vec<Text>,
        /// How many minor versions are allowed, where such a limit is broken.
        limit: Option<u16>,
        /// How many upstream allows.
        upstream_limit: Option<u16>,
        /// The numbers of the plan's steps that mend it.
        steps: Vec<usize>,
        /// What to do.
        remediation: Text,
        /// Where the policy says so.
        citations: Vec<Text>,
    }

    /// Something that was not assessed.
    struct NotAssessed {
        /// `versions` or `target`.
        #[schemars(extend("enum" = ["versions", "target"]))]
        capability: &'static str,
        /// Why.
        reason: Text,
        /// Whether the verdict is unknown because of it.
        required: bool,
        /// Whether a part was assessed all the same.
        partial: bool,
        /// Kinds of objects not read at all.
        skipped: Vec<&'static str>,
        /// The objects concerned.
        objects: Vec<Text>,
        /// How many more there are, whose names are not kept.
        more_objects: usize,
        /// The command that verifies by hand.
        verify: Option<Text>,
        /// What would grant the read.
        grant: Option<GrantOut>,
    }

    /// The RBAC rule that grants a read.
    #[schemars(rename = "Grant")]
    struct GrantOut {
        /// The API group; empty for the core.
        api_group: &'static str,
        /// The resource.
        resource: &'static str,
        /// The verbs.
        verbs: Vec<&'static str>,
        /// The namespace; null for the whole cluster.
        namespace: Option<Text>,
        /// Who was refused.
        user: Option<Text>,
        /// Commands that grant it.
        command: Text,
    }

    /// A kubelet below the target minor.
    struct LaggingKubelet {
        /// Its node.
        node: Text,
        /// Its version as read.
        version: Text,
    }

    /// Something that the report assumes.
    struct Assumed {
        /// Who.
        selector: Text,
        /// At which minor.
        minor: Text,
        /// The nodes that it matched.
        nodes: Vec<Text>,
    }

    /// Nodes taken out of the judgement.
    struct Excluded {
        /// Who.
        selector: Text,
        /// The nodes that it matched.
        nodes: Vec<Text>,
    }
}

impl From<&FindingRow> for FindingOut {
    fn from(finding: &FindingRow) -> Self {
        let FindingRow {
            rule,
            key,
            severity,
            evidence,
            nodes,
            pools,
            versions,
            limit,
            upstream_limit,
            steps,
            citations,
            fails_gate: _,
        } = finding;
        Self {
            key: key.to_text(),
            severity: severity.name(),
            title: sentences::title(evidence).to_text(),
            detail: sentences::detail(evidence).to_text(),
            component: rule.component.map(Component::name),
            nodes: nodes.to_text(),
            pools: pools.to_text(),
            versions: versions.to_text(),
            limit: *limit,
            upstream_limit: *upstream_limit,
            steps: steps.clone(),
            remediation: sentences::remedy(rule, evidence).to_text(),
            citations: citations.to_text(),
        }
    }
}

impl NotAssessed {
    pub(super) fn of(gap: &Gap, flags: &str) -> Self {
        let sentences::GapText {
            title: _,
            reason,
            capability,
            required,
            partial,
            skipped,
            objects,
            more_objects,
            verify,
            grant: _,
        } = sentences::gap(gap, flags);
        Self {
            capability: capability.name(),
            reason: reason.to_text(),
            required,
            partial,
            skipped: skipped.into_iter().collect(),
            objects: objects.to_text(),
            more_objects,
            verify: verify.to_text(),
            grant: gap.grant().as_ref().map(GrantOut::from),
        }
    }
}

impl From<&Grant> for GrantOut {
    fn from(grant: &Grant) -> Self {
        let Grant {
            group,
            resource,
            namespace,
            user,
        } = grant;
        Self {
            api_group: group,
            resource,
            verbs: sentences::GRANTED_VERBS.to_vec(),
            namespace: namespace.to_text(),
            user: user.to_text(),
            command: sentences::grant(grant).to_text(),
        }
    }
}

impl From<&report::LaggingKubelet> for LaggingKubelet {
    fn from(lagging: &report::LaggingKubelet) -> Self {
        let report::LaggingKubelet { node, version } = lagging;
        Self {
            node: node.to_text(),
            version: version.to_text(),
        }
    }
}

impl From<&report::Assumed> for Assumed {
    fn from(assumed: &report::Assumed) -> Self {
        let report::Assumed {
            selector,
            minor,
            nodes,
        } = assumed;
        Self {
            selector: selector.to_text(),
            minor: text(*minor),
            nodes: nodes.to_text(),
        }
    }
}

impl From<&report::Excluded> for Excluded {
    fn from(excluded: &report::Excluded) -> Self {
        let report::Excluded { selector, nodes } = excluded;
        Self {
            selector: selector.to_text(),
            nodes: nodes.to_text(),
        }
    }
}
