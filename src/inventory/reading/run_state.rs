//! Whether what a pod holds runs, has run, or never will.

use crate::inventory::labels;
use crate::inventory::observed::{Meta, ObservedContainer, ObservedPod, non_empty};

/// Whether a container of a pod runs, by what the pod's status shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunState {
    /// Its phase is Failed or Succeeded; an evicted pod keeps its node and image.
    Ended,
    /// It has no node yet.
    Unscheduled,
    /// The container has never run: its image shows only the desired version.
    NeverRun,
    /// It runs, has run, or has no status.
    Runs,
}

impl RunState {
    /// Of the container of that name in the pod.
    pub(super) fn of(pod: &ObservedPod, container: Option<&ObservedContainer>) -> Self {
        let phase = pod.phase.as_deref().unwrap_or_default();
        if matches!(phase, "Failed" | "Succeeded") {
            return Self::Ended;
        }
        let is_pending = phase == "Pending";
        if is_pending && non_empty(pod.node.as_deref()).is_none() {
            return Self::Unscheduled;
        }
        let status = pod
            .statuses
            .iter()
            .flatten()
            .find(|status| container.is_some_and(|container| container.name == status.name));
        let never_ran = match status {
            None => is_pending,
            Some(status) => {
                let may_wait = status.waiting || is_pending && !status.running && !status.terminated;
                may_wait
                    && !status.has_last_state
                    && status.restarts == 0
                    && non_empty(status.image_id.as_deref()).is_none()
            }
        };
        if never_ran { Self::NeverRun } else { Self::Runs }
    }
}

/// Whether a kubelet runs the pod by itself: it takes its node's new minor with the kubelet.
pub(super) fn is_static(meta: &Meta) -> bool {
    meta.has_annotation(labels::MIRROR)
        || meta.owner.as_ref().is_some_and(|owner| owner.kind == "Node")
        || meta
            .annotations
            .iter()
            .any(|(key, value)| key == labels::CONFIG_SOURCE && matches!(value.as_str(), "file" | "http"))
}
