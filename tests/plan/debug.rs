use super::world::{TestNode, World};
#[test]
fn debug() {
    World { lo: 24, hi: 25, target: 25, nodes: vec![TestNode { kubelet: Some(21), proxies: vec![(27, Some(0))], is_unread: false }, TestNode { kubelet: Some(22), proxies: vec![(21, Some(1)), (21, Some(0))], is_unread: false }], managers: vec![23, 24], step_one: true }.verify();
}
