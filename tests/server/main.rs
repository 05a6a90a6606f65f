//! The product's own binary against real kube-apiservers.

#![expect(clippy::unwrap_used, reason = "where a test's ground gives way, it fails")]

#[path = "../reading/hostile.rs"]
mod page;
#[path = "../reading/mod.rs"]
mod reading;
#[path = "../support/mod.rs"]
mod support;

mod control_planes;
mod encodings;
mod hostile;
mod keeping;
mod mixed;
mod openshift;
mod permissions;
mod plans;
mod plugin;
mod rollout;
mod rules;
mod selection;
mod targets;
mod unreachable;
mod upgrade_under_way;
