//! The control planes that tests share: starting one takes seconds, emptying one takes milliseconds. They start
//! when the first test asks for them and end with the process.

use std::sync::LazyLock;

use crate::support::{ControlPlane, Server};

/// One kube-apiserver 1.37.
pub(crate) static SINGLE: LazyLock<ControlPlane> =
    LazyLock::new(|| ControlPlane::start(&[Server::of("1.37")]));

/// A 1.36 and a 1.37 on one etcd, behind a balancer: an upgrade under way.
pub(crate) static PAIR: LazyLock<ControlPlane> = LazyLock::new(|| {
    let older = Server {
        host_name: Some("older"),
        ..Server::of("1.36")
    };
    ControlPlane::start(&[Server::of("1.37"), older])
});
