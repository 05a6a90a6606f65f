//! The product's own binary against real kube-apiservers.

#[path = "../support/mod.rs"]
mod support;

mod control_planes;
mod keeping;
