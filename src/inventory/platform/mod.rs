//! Which platform a cluster runs on: [`table`] has a row a platform with the marks that show it and what it does
//! by itself during an upgrade; [`detect`] finds the rows that a cluster shows.
//!
//! Two questions have two answers. Whose skew limits hold is asked of the distribution (`--policy auto`); what
//! moves the control plane, and so which commands an operator types, is asked of the platform. A cluster that
//! kubeadm made has no limits of its own, and one of k0s that Cluster API moves has both.

mod detect;
mod table;

pub use detect::{Detected, Mark};
pub(super) use detect::{Seen, distribution, platform};
pub use table::{
    Platform, Upgrade, has_commit_hash, node_annotation_keys, node_label_keys, pod_annotation_keys,
    shows_platform, version_suffixes,
};
