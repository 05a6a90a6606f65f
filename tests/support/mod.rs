//! A real control plane for tests: etcd and one or two kube-apiservers on free loopback ports, the objects
//! that a cluster would hold, and the product's own binary run against them. What the answers should be is
//! the tests' to say.
//!
//! ```text
//!  ControlPlane::start ──► servers, kept by `keeper` until the test's end, however it ends
//!      .scenario(objects) ──► the cluster emptied and filled; one test has it at a time
//!          .admin() / .user("ada") ──► a kubeconfig ──► Skew::run ──► Outcome ──► Report
//! ```

pub(crate) mod api;
pub(crate) mod certificates;
pub(crate) mod control_plane;
pub(crate) mod front;
pub(crate) mod kubeconfig;
pub(crate) mod objects;
pub(crate) mod outcome;
pub(crate) mod report;

pub(crate) use control_plane::{ControlPlane, Server};
pub(crate) use kubeconfig::Kubeconfig;
